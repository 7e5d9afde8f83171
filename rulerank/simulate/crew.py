"""Several processes that do tasks at the same time.

They are plain child processes that speak in lines of JSON, not `multiprocessing`'s: so a notebook, a script without a
`__main__` guard and the app's background worker can all start them, each gets its own environment (one thread), and
none outlives the process that started it.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from rulerank.errors import RulerankError
from rulerank.simulate.desk import Desk
from rulerank.simulate.tasks import Task

POLL_SECONDS = 0.1
GRACE_SECONDS = 5.0
ONE_THREAD = ("RULERANK_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Crew:
    """Processes that take tasks one by one; a context manager, at whose end all of them are gone."""

    def __init__(self, desk: Desk, folder: Path, size: int) -> None:
        self._desk = desk
        self._folder = folder
        self._size = size
        self._processes: list[subprocess.Popen[str]] = []
        self._answers: queue.SimpleQueue[tuple[int, dict[str, Any] | None]] = queue.SimpleQueue()

    def __enter__(self) -> Crew:
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
            "rulerank.simulate.worker",
            str(self._desk.folder),
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
        return self._desk.folder / f"worker{number}.log"

    def _listen(self, number: int, answers: IO[str]) -> None:
        with suppress(ValueError):  # closed while it was read
            for line in answers:
                self._answers.put((number, json.loads(line)))
        self._answers.put((number, None))

    def do(self, tasks: Sequence[Task], tick: Callable[[], None]) -> Iterator[Task]:
        """Do all tasks and yield each one when it is done; `tick` is called all the while, and may raise to stop."""
        waiting = deque(tasks)
        doing: dict[int, Task] = {}
        for number in range(len(self._processes)):
            self._hand_out(number, waiting, doing)
        while doing:
            tick()
            try:
                number, answer = self._answers.get(timeout=POLL_SECONDS)
            except queue.Empty:
                continue
            if answer is None:
                raise RulerankError(self._obituary(number))
            if "error" in answer:
                raise RulerankError(answer["error"])
            if "unexpected" in answer:
                raise RuntimeError(f"task {answer['name']} failed:\n{answer['unexpected']}")
            done = doing.pop(number)
            self._hand_out(number, waiting, doing)
            yield done

    def _hand_out(self, number: int, waiting: deque[Task], doing: dict[int, Task]) -> None:
        if not waiting:
            return
        task = waiting.popleft()
        doing[number] = task
        pipe = self._processes[number].stdin
        assert pipe is not None
        with suppress(BrokenPipeError):  # it has ended; its listener says so
            pipe.write(json.dumps(task.to_dict()) + "\n")
            pipe.flush()

    def _obituary(self, number: int) -> str:
        code = self._processes[number].wait()
        last = self._log(number).read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
        told = f": {last[0]}" if last else ""
        return (
            f"a process that did part of the simulation ended (code {code}{told}); if memory is short, use fewer jobs. "
            "What was finished is kept, and the same run goes on from there"
        )

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
