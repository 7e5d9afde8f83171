"""Results and failures on disk: one file per task, written whole or not at all, and what the folder holds."""

from __future__ import annotations

import io
import json
import traceback
import zipfile
import zlib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

import numpy as np

from rulerank._version import __version__
from rulerank.errors import InputError, RulerankError
from rulerank.files import write_whole
from rulerank.simulate.data import Dataset, FoldArrays
from rulerank.simulate.outcome import Choice, Outcome
from rulerank.simulate.plan import Plan
from rulerank.simulate.tasks import FORMAT, Task

ENDING = ".failed.json"
LONGEST_TRACE = 20_000
"""Characters of a traceback that are kept; its end says most."""


@dataclass(frozen=True)
class Failure:
    """A task that failed. message: one line for people; trace: the traceback, or the last words of its process."""

    task: Task
    message: str
    trace: str = ""

    @classmethod
    def of(cls, task: Task, error: BaseException) -> Self:
        """Say what an error in a task was; notes on it (`add_note`) name the strategy that was at work."""
        message = str(error).strip() or "no message"
        if not isinstance(error, RulerankError):
            message = f"{type(error).__name__}: {message}"
        notes = getattr(error, "__notes__", [])
        trace = "".join(traceback.format_exception(error))
        return cls(task, f"{_who(task, notes[-1] if notes else '')}: {message}", trace[-LONGEST_TRACE:])

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


ABOUT = "simulation.json"
TASKS = "tasks"
DAMAGED = (
    AttributeError, EOFError, KeyError, NotImplementedError, RuntimeError, TypeError, ValueError, zipfile.BadZipFile,
    zlib.error,
)  # fmt: skip
"""What reading a file may raise whose bytes are not those that were written."""


@dataclass(frozen=True)
class Finished:
    """A task's result as it is kept: what it is of, its outcome, and the documents that were chosen.

    grades, qids, docids: of the chosen rows, in the order of selection. relevant: relevant documents in the pool.
    """

    task: Task
    outcome: Outcome
    grades: np.ndarray
    qids: np.ndarray
    docids: np.ndarray
    pool: int
    relevant: int

    @classmethod
    def of(cls, task: Task, outcome: Outcome, fold: FoldArrays) -> Finished:
        """Put together what a task on a fold came to."""
        rows = outcome.choice.rows
        return cls(
            task,
            outcome,
            fold.grades[rows],
            np.array([fold.queries[fold.qids[row]] for row in rows], dtype=str),
            np.array([fold.docids[row] for row in rows], dtype=str),
            len(fold.grades),
            fold.relevant,
        )

    @property
    def relevant_found(self) -> np.ndarray:
        """The share of the pool's relevant documents among the labelled ones, at each point."""
        so_far = np.concatenate([[0], np.cumsum(self.grades > 0)])
        if self.task.is_ceiling:
            return np.ones(self.outcome.labels.size)
        return so_far[self.outcome.used] / max(1, self.relevant)

    def write(self, folder: Path) -> None:
        """Write the task's file into the folder."""
        outcome = self.outcome
        about = {
            "task": self.task.to_dict(),
            "pool": self.pool,
            "relevant": self.relevant,
            "stopped_at": outcome.choice.stopped_at,
            "version": __version__,
        }
        arrays = {each.name: getattr(outcome, each.name) for each in fields(outcome) if each.name != "choice"}
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            about=np.array(json.dumps(about)),
            rows=outcome.choice.rows,
            selecting=outcome.choice.seconds,
            grades=self.grades,
            qids=self.qids,
            docids=self.docids,
            **arrays,
        )
        write_whole(task_path(folder, self.task), buffer.getvalue())

    @classmethod
    def read(cls, path: Path) -> Finished:
        """Read what `write` wrote."""
        try:
            with np.load(path, allow_pickle=False) as file:
                saved = {name: file[name] for name in file.files}
            about = json.loads(str(saved.pop("about")))
            choice = Choice(saved.pop("rows"), saved.pop("selecting"), about["stopped_at"])
            named = {name: saved.pop(name) for name in ("grades", "qids", "docids")}
            return cls(
                Task.from_dict(about["task"]),
                Outcome(choice=choice, **saved),
                **named,
                pool=about["pool"],
                relevant=about["relevant"],
            )
        except (*DAMAGED, OSError) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else "it is damaged"
            raise InputError(f"{path} is not a finished task of a simulation: {why}; remove it and run again") from None


@dataclass(frozen=True)
class About:
    """What a folder of results is of: plan, data, version, and the tasks that belong to it."""

    plan: Plan
    dataset: str
    data_hash: str
    notes: tuple[str, ...]
    pools: tuple[int, ...]
    queries: dict[int, tuple[str, ...]]
    labels: int
    tasks: tuple[Task, ...]
    version: str = __version__

    @classmethod
    def of(cls, plan: Plan, data: Dataset, tasks: list[Task]) -> About:
        """Say what a run of the plan on the data is."""
        pools = tuple(len(split.pool) for split in data.splits)
        queries = {split.number: split.test.queries for split in data.splits}
        return cls(plan, data.name, data.hash, data.notes, pools, queries, plan.labels(pools), tuple(tasks))

    def settings(self) -> dict[str, Any]:
        """Return what goes with every table of results: plan, data, hash and version, as plain JSON types."""
        return {
            "plan": self.plan.to_dict(),
            "dataset": self.dataset,
            "data_hash": self.data_hash,
            "notes": list(self.notes),
            "pools": list(self.pools),
            "labels": self.labels,
            "version": self.version,
        }

    def write(self, folder: Path) -> None:
        """Write it into the folder, in place of what was there."""
        saved = {
            "format": FORMAT,
            **self.settings(),
            "queries": {str(fold): list(names) for fold, names in self.queries.items()},
            "tasks": [task.to_dict() for task in self.tasks],
        }
        write_whole(folder / ABOUT, json.dumps(saved, indent=1).encode())

    @classmethod
    def read(cls, folder: Path) -> About:
        """Read it from a folder of results."""
        path = folder / ABOUT
        try:
            saved = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError(f"{folder} holds no simulation: there is no {ABOUT} in it") from None
        except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise InputError(f"{path} cannot be read ({error}); run the simulation again") from None
        if not isinstance(saved, dict):
            raise InputError(f"{path} is not what a simulation writes; run it again")
        if saved.get("format") != FORMAT:
            raise InputError(
                f"{path} was written by another version of rulerank ({saved.get('version')}); run it again"
            )
        try:
            return cls(
                Plan.from_dict(saved["plan"]),
                saved["dataset"],
                saved["data_hash"],
                tuple(saved["notes"]),
                tuple(saved["pools"]),
                {int(fold): tuple(names) for fold, names in saved["queries"].items()},
                saved["labels"],
                tuple(Task.from_dict(task) for task in saved["tasks"]),
                saved["version"],
            )
        except DAMAGED as error:
            raise InputError(f"{path} is damaged ({error}); run the simulation again") from None


def task_path(folder: Path, task: Task) -> Path:
    """Return where a task's result is kept."""
    return folder / TASKS / f"{task.name}.npz"


def open_folder(folder: Path) -> None:
    """Make a folder for results, or check that this one can be used."""
    others = folder.is_dir() and any(inside.name != TASKS for inside in folder.iterdir())
    if others and not (folder / ABOUT).is_file():
        raise InputError(f"{folder} holds other things than results of a simulation; choose a new folder")
    try:
        (folder / TASKS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write to {folder}: {error.strerror}") from error
