"""What is wrong with a LETOR file: from positions in bytes to lines, columns and advice."""

from __future__ import annotations

from rulerank.collection.fields import MAX_GRADE, Array
from rulerank.errors import LetorProblem
from rulerank.letor.kernels import (
    BAD_FEATURE,
    BAD_GRADE,
    BAD_PAIR,
    BAD_VALUE,
    EMPTY_QUERY,
    FRACTIONAL_GRADE,
    HIGH_FEATURE,
    HUGE_VALUE,
    LARGE_GRADE,
    LOW_FEATURE,
    NEGATIVE_GRADE,
    NO_QUERY,
    NO_VALUE,
    NUL_BYTE,
    REPEATED_FEATURE,
)

SHOWN = 60

_MESSAGES = {
    BAD_GRADE: "expected a grade (a whole number) or 'qid:'",
    FRACTIONAL_GRADE: "a grade must be a whole number",
    NEGATIVE_GRADE: "a grade must be 0 or more, or -1 for unlabelled",
    LARGE_GRADE: f"a grade must be at most {MAX_GRADE}",
    NO_QUERY: "expected 'qid:' and the query's id after the grade",
    EMPTY_QUERY: "the query's id after 'qid:' is missing",
    BAD_PAIR: "expected 'feature:value'",
    BAD_FEATURE: "the feature before ':' must be a whole number",
    LOW_FEATURE: "features are numbered from 1",
    HIGH_FEATURE: "the feature is above the limit of {limit} features; raise it with read_letor(..., max_features=...)",
    REPEATED_FEATURE: "the feature stands twice in this line",
    NO_VALUE: "the value after ':' is missing; was the file cut off?",
    BAD_VALUE: "the value must be a finite number, or NULL if it is missing",
    HUGE_VALUE: "the value is too large for a 64-bit float",
    NUL_BYTE: "a NUL byte; is this a text file?",
}


class LetorProblems:
    """The problems of one file, at most `limit` of them; `truncated` says that there are more."""

    def __init__(self, limit: int, max_features: int) -> None:
        self.truncated = False
        self._limit = limit
        self._max_features = max_features
        self._problems: list[LetorProblem] = []

    def __len__(self) -> int:
        return len(self._problems)

    @property
    def room(self) -> int:
        """How many more problems are wanted: one more than are listed, to know whether there are more."""
        return self._limit + 1 - len(self._problems)

    def add(self, line: int, column: int, text: bytes, message: str) -> None:
        """Add one problem; the text is shortened."""
        if len(self._problems) == self._limit:
            self.truncated = True
            return
        self._problems.append(LetorProblem(line, column, _shortened(text), message))

    def add_huge(self, text: bytes, line: int, line_start: int, start: int, stop: int) -> None:
        """Add a value that turned out to be too large."""
        self.add(line, _column(text, line_start, start), text[start:stop], _MESSAGES[HUGE_VALUE])

    def add_found(self, text: bytes, found: Array) -> None:
        """Add what the kernel found: rows of (line, start of the line, start, end, kind)."""
        for line, line_start, start, stop, kind in found.tolist():
            token = text[start:stop] or text[start : start + 1].strip()
            if b"\0" in token:
                kind = NUL_BYTE
            message = _MESSAGES[kind].format(limit=self._max_features)
            self.add(line, _column(text, line_start, start), token, message)

    def listed(self) -> list[LetorProblem]:
        """Return the problems in the order of the file."""
        return sorted(self._problems, key=lambda problem: (problem.line, problem.column))


def _column(text: bytes, line_start: int, start: int) -> int:
    """Return the column, in characters from 1."""
    return len(text[line_start:start].decode("utf-8", "replace")) + 1


def _shortened(text: bytes) -> str:
    shown = text[: 4 * SHOWN].decode("utf-8", "backslashreplace")
    return shown if len(shown) <= SHOWN and len(text) <= 4 * SHOWN else shown[: SHOWN - 3] + "..."
