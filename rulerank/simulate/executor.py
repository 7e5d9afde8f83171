"""The executor: one process that does a task and keeps its result, or several that do tasks at the same time.

The latter are plain child processes (`rulerank.simulate.child`) that speak in lines of JSON, not `multiprocessing`'s:
so a notebook, a script without a `__main__` guard and the app's background worker can all start them, each gets its own
environment (one thread), and none outlives the process that started it. One that dies (a library that aborts, a kernel
that is out of memory) is replaced, and takes nothing with it but the task it was at.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from rulerank.errors import RulerankError
from rulerank.simulate.data import FoldArrays
from rulerank.simulate.outcome import Tick, ceiling, follow
from rulerank.simulate.plan import Plan
from rulerank.simulate.store import Failure, Finished, failure_path
from rulerank.simulate.tasks import Task

POLL_SECONDS = 0.1
GRACE_SECONDS = 5.0
ONE_THREAD = ("RULERANK_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
TRIES = 2
"""How many processes may die at a task before it counts as failed."""

FALSE_STARTS = 3
"""How many processes in a row may die before they take a task: then none can be started here, and the run ends."""

LAST_LINES = 30
"""Of what a process wrote before it died."""

PLAN = "plan.json"


def do_task(task: Task, plan: Plan, fold: FoldArrays, grid: list[int], folder: Path, tick: Tick = lambda: None) -> None:
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


class SharedInputs:
    """A folder with what the processes of a run work from: the plan, the points to measure at, the folds' arrays."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put_plan(self, plan: Plan, grid: list[int]) -> None:
        """Write what is to be done."""
        (self.folder / PLAN).write_text(json.dumps({"plan": plan.to_dict(), "grid": grid}), encoding="utf-8")

    def put_fold(self, fold: FoldArrays) -> None:
        """Write the arrays of a fold."""
        fold.save(self.folder / f"fold{fold.number}")

    @cached_property
    def _saved(self) -> dict[str, Any]:
        return json.loads((self.folder / PLAN).read_text(encoding="utf-8"))

    @property
    def plan(self) -> Plan:
        """The plan."""
        return Plan.from_dict(self._saved["plan"])

    @property
    def grid(self) -> list[int]:
        """After how many labels to measure."""
        return list(self._saved["grid"])

    def fold(self, number: int) -> FoldArrays:
        """Return a fold's arrays, mapped into memory."""
        return FoldArrays.load(self.folder / f"fold{number}")


class Executor:
    """Processes that take tasks one by one; a context manager, at whose end all of them are gone."""

    def __init__(self, inputs: SharedInputs, folder: Path, size: int) -> None:
        self._inputs = inputs
        self._folder = folder
        self._size = size
        self._processes: list[subprocess.Popen[str]] = []
        self._answers: queue.SimpleQueue[tuple[int, dict[str, Any] | None]] = queue.SimpleQueue()
        self._false_starts = 0
        self._ready: set[int] = set()

    def __enter__(self) -> Executor:
        for number in range(self._size):
            self._processes.append(self._start(number))
        return self

    def _start(self, number: int) -> subprocess.Popen[str]:
        root = str(Path(__file__).parents[2])
        paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, **dict.fromkeys(ONE_THREAD, "1"), "PYTHONPATH": os.pathsep.join(paths)}
        command = [
            sys.executable,
            "-m",
            "rulerank.simulate.child",
            str(self._inputs.folder),
            str(self._folder.resolve()),
        ]
        with self._log(number).open("wb") as log:
            process = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                encoding="utf-8",
                start_new_session=True,  # Ctrl-C goes to this process alone, which ends the others in order
            )
        assert process.stdout is not None
        threading.Thread(target=self._listen, args=(number, process.stdout), daemon=True).start()
        return process

    def _log(self, number: int) -> Path:
        return self._inputs.folder / f"process{number}.log"

    def _listen(self, number: int, answers: IO[str]) -> None:
        with suppress(ValueError):  # closed while it was read, or a line that was cut by the end of its writer
            for line in answers:
                self._answers.put((number, json.loads(line)))
        self._answers.put((number, None))

    def run(self, tasks: Sequence[Task], tick: Tick) -> Iterator[Task]:
        """Do all tasks and yield each one when it is done or has failed.

        `tick` is called all the while, and may raise to stop. A task whose process died is tried once more in a new
        one; after a second death its failure is kept, and the others go on.
        """
        waiting = deque(tasks)
        running: dict[int, Task] = {}
        deaths: Counter[str] = Counter()
        for number in range(len(self._processes)):
            self._assign(number, waiting, running)
        while running:
            tick()
            try:
                number, answer = self._answers.get(timeout=POLL_SECONDS)
            except queue.Empty:
                continue
            if answer is not None and "ready" in answer:
                self._ready.add(number)
                self._false_starts = 0
                continue
            task = running.pop(number, None)
            over = True
            if answer is None:
                over = self._died(number, task, deaths)
                if task is not None and not over:
                    waiting.append(task)  # last: whatever is wrong now may be over by then
                if waiting:
                    self._processes[number] = self._start(number)
            else:
                _check(answer)
            self._assign(number, waiting, running)
            if task is not None and over:
                yield task

    def _assign(self, number: int, waiting: deque[Task], running: dict[int, Task]) -> None:
        if not waiting:
            return
        task = waiting.popleft()
        running[number] = task
        pipe = self._processes[number].stdin
        assert pipe is not None
        with suppress(BrokenPipeError):  # it has ended; its listener reports that
            pipe.write(json.dumps(task.to_dict()) + "\n")
            pipe.flush()

    def _died(self, number: int, task: Task | None, deaths: Counter[str]) -> bool:
        """Note that a process died, and say whether its task has failed by that; raise if none can be started."""
        process = self._processes[number]
        code = process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        words = self._log(number).read_text(encoding="utf-8", errors="replace").strip().splitlines()[-LAST_LINES:]
        if number not in self._ready:
            self._false_starts += 1
            if self._false_starts >= FALSE_STARTS:
                last = f": {words[-1]}" if words else ""
                raise RulerankError(
                    f"the processes that should do the simulation end as soon as they begin ({_ending(code)}{last}); "
                    "if memory is short, use fewer jobs. What was finished is kept, and the same run goes on from there"
                )
            return False
        self._ready.discard(number)
        if task is None:
            return False
        deaths[task.name] += 1
        if deaths[task.name] < TRIES:
            return False
        how = f"its process ended in the middle of it, {TRIES} times ({_ending(code)})"
        if code == -signal.SIGKILL:
            how += "; if memory is short, use fewer jobs"
        Failure.of_death(task, how, "\n".join(words)).write(self._folder)
        return True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            if kind is not None:
                process.terminate()
            with suppress(OSError):
                process.stdin.close()  # type: ignore[union-attr]
        for process in self._processes:
            try:
                process.wait(GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            with suppress(OSError):
                process.stdout.close()  # type: ignore[union-attr]


def _check(answer: dict[str, Any]) -> None:
    """Raise what kept a process from keeping a result: the trouble of the whole run, not of one task."""
    if "error" in answer:
        raise RulerankError(answer["error"])
    if "unexpected" in answer:
        raise RuntimeError(f"task {answer['name']} could not be done:\n{answer['unexpected']}")


def _ending(code: int) -> str:
    """Say how a process ended: the name of the signal, or its exit code."""
    if code < 0:
        with suppress(ValueError):
            return signal.Signals(-code).name
    return f"exit code {code}"
