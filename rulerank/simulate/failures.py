"""Tasks that failed: what was at work, what it said, and where; kept beside the results until a later run mends it.

One failing task never takes the others with it: the run goes on, and the next one tries what failed again.
"""

from __future__ import annotations

import json
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from rulerank.errors import InputError, RulerankError
from rulerank.files import write_whole
from rulerank.simulate.store import TASKS
from rulerank.simulate.tasks import Task

ENDING = ".failed.json"
LONGEST_TRACE = 20_000
"""Characters of a traceback that are kept; its end is what tells."""


@dataclass(frozen=True)
class Failure:
    """A task that failed. message: one line for people; trace: the traceback, or the last words of its process."""

    task: Task
    message: str
    trace: str = ""

    @classmethod
    def of(cls, task: Task, error: BaseException) -> Self:
        """Say what an error in a task was; notes on it (`add_note`) name the strategy that was at work."""
        told = str(error).strip() or "no message"
        if not isinstance(error, RulerankError):
            told = f"{type(error).__name__}: {told}"
        notes = getattr(error, "__notes__", [])
        trace = "".join(traceback.format_exception(error))
        return cls(task, f"{_who(task, notes[-1] if notes else '')}: {told}", trace[-LONGEST_TRACE:])

    @classmethod
    def of_death(cls, task: Task, how: str, trace: str) -> Self:
        """Say that the process which did a task ended in its middle."""
        return cls(task, f"{_who(task)}: {how}", trace[-LONGEST_TRACE:])

    def write(self, folder: Path) -> None:
        """Write it into the folder of results."""
        saved = {"task": self.task.to_dict(), "message": self.message, "trace": self.trace}
        write_whole(failure_path(folder, self.task), json.dumps(saved, indent=1).encode())

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read what `write` wrote."""
        try:
            saved: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return cls(Task.from_dict(saved["task"]), str(saved["message"]), str(saved["trace"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path} does not say how a task failed ({error}); remove it and run again") from None


def failure_path(folder: Path, task: Task) -> Path:
    """Return where it is kept that a task failed."""
    return folder / TASKS / f"{task.name}{ENDING}"


def _who(task: Task, at_work: str = "") -> str:
    """Name a task for people: `lambda_mart after 40 labels (ssar, fold 2)`, or `ssar on fold 2`."""
    first = task.rankers[0].key if task.sampler is None else task.sampler.key
    seed = "" if task.seed is None else f", seed {task.seed}"
    if not at_work or at_work == first:
        return f"{first} on fold {task.fold}{seed}"
    return f"{at_work} ({first}, fold {task.fold}{seed})"
