"""Run a plan: what is not finished yet, on several cores, with progress, and a way to stop and to go on."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rulerank.errors import InputError, RulerankError
from rulerank.progress import Progress, silent
from rulerank.simulate.data import Dataset
from rulerank.simulate.executor import Executor, SharedInputs, do_task
from rulerank.simulate.fold_arrays import prepare
from rulerank.simulate.plan import Plan
from rulerank.simulate.rehearsal import rehearse
from rulerank.simulate.results import Results
from rulerank.simulate.store import About, open_folder, task_path
from rulerank.simulate.tasks import Task, tasks_of
from rulerank.threads import workers

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

    folder: where results are kept, one file a task. A task that is there already is not done again: a cut run goes on
        where it was, and a plan with more seeds or samplers does only those. A task's file is known by everything that
        its values rest on (data, settings, code), so results of something else are never taken for it.
    jobs: how many processes work at the same time, with one thread each; 1: this process alone; None: one a core.
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
