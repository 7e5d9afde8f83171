"""Run a plan on several cores, with progress and a way to stop and go on; and estimate beforehand how long it takes."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rulerank.errors import InputError, RulerankError
from rulerank.kernels import workers
from rulerank.progress import Progress, silent
from rulerank.simulate.data import Dataset, prepare
from rulerank.simulate.executor import Executor, SharedInputs, do_task
from rulerank.simulate.plan import Plan, rehearse
from rulerank.simulate.results import Results
from rulerank.simulate.store import About, open_folder, task_path
from rulerank.simulate.tasks import Task, tasks_of

SAMPLERS = {
    "committee": 0.26,
    "cover": 0.07,
    "elo_dcg": 0.65,
    "fewest_occurrences": 0.007,
    "k_center": 0.014,
    "query_random": 0.003,
    "random": 0.001,
    "ssar": 0.024,
    "ssarp": 0.033,
    "top_feature": 0.004,
    "uncertainty": 0.085,
}
"""Seconds of a core per label, for a million document-features of the pool; measured on OHSUMED."""

RANKERS = {
    "eager_rules": 0.25,
    "lambda_mart": 1.1,
    "lrar": 0.2,
    "lrar_items": 0.02,
    "query_level_rules": 4.0,
    "rank_svm": 1.1,
    "ridge": 0.8,
    "smooth_items": 0.08,
    "stable_rules": 0.35,
    "weighted_items": 0.08,
}
"""The same, per point of the learning curve."""

FULL = {"lambda_mart": 10.0, "rank_svm": 80.0}
"""The same, trained once on all labels, where that is much more than OTHER."""

UNKNOWN_SAMPLER, UNKNOWN_RANKER, OTHER = 0.1, 1.0, 3.0
START = 6.0
"""Seconds until the first run begins: processes start, features are cut into bins."""


@dataclass(frozen=True)
class Work:
    """The work of a plan: runs of samplers, trainings along them, and about how many seconds that is."""

    runs: int
    points: int
    trainings: int
    labels: int
    seconds: float

    @property
    def time(self) -> str:
        """The time in words; it is no more than an estimate."""
        if self.seconds < 45:
            return "less than a minute"
        minutes = self.seconds / 60
        if minutes < 55:
            number = max(1, round(minutes))
            return f"about {number} minute{'' if number == 1 else 's'}"
        hours = minutes / 60
        return "about an hour" if hours < 1.5 else f"about {round(hours):,d} hours"


def estimate(plan: Plan, documents: int, features: int, rates: Mapping[str, Mapping[str, float]] | None = None) -> Work:
    """Return the work of a plan on a collection of so many graded documents.

    rates: what samplers and rankers took in an earlier simulation on this machine (a job's result), where there is one.
    """
    pool = pool_of(documents, plan.folds)
    labels = plan.labels([pool])
    points = len(plan.grid(labels))
    runs = {sampler.key: plan.folds * len(plan.seeds_of(sampler)) for sampler in plan.samplers}
    size = pool * features / 1e6
    seen = rates or {}
    train = sum(
        _rate(seen.get("rankers"), ranker.key, RANKERS.get(ranker.name, UNKNOWN_RANKER)) for ranker in plan.rankers
    )
    seconds = plan.folds * size * sum(FULL.get(ranker.name, OTHER) for ranker in plan.rankers)
    for sampler in plan.samplers:
        choose = _rate(seen.get("samplers"), sampler.key, SAMPLERS.get(sampler.name, UNKNOWN_SAMPLER))
        seconds += runs[sampler.key] * size * (labels * choose + points * train)
    total = sum(runs.values())
    trainings = total * points * len(plan.rankers)
    return Work(total, points, trainings, labels, START + seconds / max(1, workers()))


def pool_of(documents: int, folds: int) -> int:
    """Return how many documents the pool of a fold has, on average."""
    return max(1, documents * (folds - 1) // folds)


def smallest_pool(sizes: Sequence[int], folds: int) -> int:
    """Return how many documents every pool has at least, however the queries (of these sizes) are dealt to folds."""
    tested = math.ceil(len(sizes) / folds)
    return sum(sorted(sizes)[: len(sizes) - tested])


def _rate(seen: Mapping[str, Any] | None, key: str, otherwise: float) -> float:
    found = (seen or {}).get(key)
    return float(found) if isinstance(found, int | float) and found > 0 else otherwise


TICK_SECONDS = 0.1


class SimulationStoppedError(RulerankError):
    """The simulation was asked to stop; what was finished is kept, and the same run goes on from there."""


class _Clock:
    """Reports how far a run is and asks whether it is still wanted, several times a second and not more often."""

    def __init__(self, total: int, done: int, progress: Progress, cancelled: Callable[[], bool]) -> None:
        self.total = total
        self.done = done
        self._progress = progress
        self._cancelled = cancelled
        self._last = 0.0

    def tick(self) -> None:
        now = time.monotonic()
        if now - self._last >= TICK_SECONDS:
            self._last = now
            self.report()

    def report(self) -> None:
        if self._cancelled():
            raise SimulationStoppedError(f"stopped after {self.done} of {self.total} tasks; the same run goes on there")
        self._progress(self.done, self.total, "runs")

    def step(self) -> None:
        self.done += 1
        self.report()


def run(
    plan: Plan,
    data: Dataset,
    folder: Path | str,
    *,
    jobs: int | None = 1,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> Results:
    """Do what is missing of a plan and return all its results.

    folder: where results are kept, one file per task. A task that is there already is not done again: a cut run goes on
        where it was, and a plan with more seeds or samplers does only those. A task's file is known by everything that
        its values rest on (data, settings, code), so results of something else are never taken for it.
    jobs: how many processes work at the same time, with one thread each; 1: this process alone; None: one per core.
    progress: called with (tasks done, tasks in all, a word), several times a second; what it raises ends the run.
    cancelled: asked as often; once it says True the run ends with `SimulationStoppedError`.

    The values do not depend on `jobs`, nor on how often the run was cut. A task that fails takes no other with it: it
    is listed in the results' `failures`, and the next run tries it again. That holds for whatever a strategy raises
    and, with other processes (jobs other than 1), for one that takes its process down.
    """
    if jobs is not None and (type(jobs) is not int or jobs < 1):
        raise InputError(f"jobs must be a whole number of at least 1, not {jobs!r}")
    folder = Path(folder)
    tasks = tasks_of(plan, data)
    about = About.of(plan, data, tasks)
    rehearse(plan, data.splits[0].pool.features.shape[1])
    open_folder(folder)
    missing = [task for task in tasks if not task_path(folder, task).is_file()]
    clock = _Clock(len(tasks), len(tasks) - len(missing), progress, cancelled)
    clock.report()
    grid = plan.grid(about.labels)
    if jobs == 1 or not missing:
        _run_here(about, data, folder, missing, grid, clock)
    else:
        size = min(workers() if jobs is None else jobs, len(missing))
        _run_in_processes(about, data, folder, missing, grid, size, clock)
    return Results.load(folder)


def _run_here(about: About, data: Dataset, folder: Path, tasks: list[Task], grid: list[int], clock: _Clock) -> None:
    plan, folds = about.plan, {}
    wanted = {task.fold for task in tasks}
    for split in data.splits:
        if split.number in wanted:
            clock.tick()
            folds[split.number] = prepare(split, plan)
    about.write(folder)  # only now: a plan that its data refuse must not take the place of one that has results
    for task in tasks:
        do_task(task, plan, folds[task.fold], grid, folder, clock.tick)
        clock.step()


def _run_in_processes(
    about: About, data: Dataset, folder: Path, tasks: list[Task], grid: list[int], size: int, clock: _Clock
) -> None:
    wanted = {task.fold for task in tasks}
    with tempfile.TemporaryDirectory(prefix="rulerank-") as place:
        inputs = SharedInputs(Path(place))
        try:
            inputs.put_plan(about.plan, grid)
            for split in data.splits:
                if split.number in wanted:
                    clock.tick()
                    inputs.put_fold(prepare(split, about.plan))
        except OSError as error:
            raise InputError(
                f"cannot write the folds to {place}, from where several processes would read them "
                f"({error.strerror or error}); make room there, name another place in TMPDIR, or use one job"
            ) from error
        about.write(folder)
        with Executor(inputs, folder, size) as executor:
            for _ in executor.run(tasks, clock.tick):
                clock.step()
