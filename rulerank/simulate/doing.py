"""Do a task and keep its result, or how it failed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rulerank.simulate.failures import Failure, failure_path
from rulerank.simulate.plan import Plan
from rulerank.simulate.prepared import Prepared
from rulerank.simulate.replay import ceiling, follow
from rulerank.simulate.store import Finished
from rulerank.simulate.tasks import Task


def do_task(
    task: Task, plan: Plan, fold: Prepared, grid: list[int], folder: Path, tick: Callable[[], None] = lambda: None
) -> None:
    """Do a task on its fold and write its file; what a sampler or ranker raises is kept as the task's failure.

    What `tick` raises ends the run and is no failure of the task; nor is a result that cannot be written.
    """
    asked_to_end: list[BaseException] = []

    def watched() -> None:
        try:
            tick()
        except BaseException as error:
            asked_to_end.append(error)
            raise

    try:
        if task.sampler is None:
            outcome = ceiling(plan, task.rankers[0], fold)
        else:
            outcome = follow(plan, task.sampler, task.seed, fold, grid, watched)
    except Exception as error:
        if asked_to_end:
            raise asked_to_end[0] from None
        Failure.of(task, error).write(folder)
        return
    Finished.of(task, outcome, fold).write(folder)
    failure_path(folder, task).unlink(missing_ok=True)
