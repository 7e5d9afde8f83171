"""Errors that rulerank raises on purpose: each says what was wrong, where, and how to fix it."""

from __future__ import annotations

from dataclasses import dataclass


class RulerankError(Exception):
    """The base of every error that rulerank raises on purpose."""


class InputError(RulerankError, ValueError):
    """An argument has a shape, type or value that the function cannot work with."""


class UnknownNameError(RulerankError, KeyError):
    """A machine name is not in its registry."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class OutsidePackageError(UnknownNameError):
    """A name belongs to an outside package that could not be loaded."""


class NotFittedError(RulerankError, ValueError):
    """A method was called that needs `fit` (or `start`) first."""


class MemoryLimitError(InputError, MemoryError):
    """A step would allocate more than its stated limit; nothing was allocated."""


class StoreError(RulerankError):
    """The place where labels are kept is in trouble; nothing is wrong with what was asked, which may be asked again.

    `kind` is one of "full", "read_only", "gone", "unreachable", "locked" and "damaged".
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class LetorProblem:
    """One thing that is wrong in a LETOR file, and where it stands (line and column count from 1)."""

    line: int
    column: int
    text: str
    message: str


class LetorFormatError(RulerankError, ValueError):
    """A LETOR file has bad lines; `problems` lists them all, up to the reader's limit."""

    def __init__(self, source: str, problems: list[LetorProblem], *, truncated: bool = False) -> None:
        self.source = source
        self.problems = problems
        self.truncated = truncated
        super().__init__(self._describe())

    @property
    def line(self) -> int:
        """Line of the first problem."""
        return self.problems[0].line

    @property
    def column(self) -> int:
        """Column of the first problem."""
        return self.problems[0].column

    @property
    def text(self) -> str:
        """The offending text of the first problem."""
        return self.problems[0].text

    def _describe(self) -> str:
        rows = [f"{self.source}:{p.line}:{p.column}: {p.message} (found {p.text!r})" for p in self.problems]
        if self.truncated:
            rows.append(f"{self.source}: more problems follow; only the first {len(self.problems)} are listed")
        return "\n".join(rows)
