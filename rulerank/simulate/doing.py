"""Do a task and keep its result."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rulerank.errors import InputError
from rulerank.simulate.plan import Plan
from rulerank.simulate.prepared import Prepared
from rulerank.simulate.replay import ceiling, follow
from rulerank.simulate.store import Finished
from rulerank.simulate.tasks import Task


def do_task(
    task: Task, plan: Plan, fold: Prepared, grid: list[int], folder: Path, tick: Callable[[], None] = lambda: None
) -> None:
    """Do a task on its fold and write its file; an error says which sampler or ranker it was, and on which fold."""
    try:
        if task.sampler is None:
            outcome = ceiling(plan, task.rankers[0], fold)
        else:
            outcome = follow(plan, task.sampler, task.seed, fold, grid, tick)
    except InputError as error:
        who = task.rankers[0].key if task.sampler is None else task.sampler.key
        raise InputError(f"{who} on fold {task.fold}: {error}") from error
    Finished.of(task, outcome, fold).write(folder)
