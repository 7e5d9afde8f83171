"""What is wrong in the files that somebody brought: collected file by file and line by line, raised together."""

from __future__ import annotations

from dataclasses import dataclass

from rulerank.errors import RulerankError

SHOWN = 60


@dataclass(frozen=True)
class FileProblem:
    """One thing that is wrong: the file, its line (from 1; None for the whole file), what stands there, and why."""

    file: str
    line: int | None
    text: str
    message: str


class BadRecordsError(RulerankError, ValueError):
    """Files have bad records; `problems` lists them, up to the reader's limit. Nothing was imported."""

    def __init__(self, problems: list[FileProblem], *, truncated: bool = False) -> None:
        self.problems = problems
        self.truncated = truncated
        rows = [
            f"{each.file}{f':{each.line}' if each.line else ''}: {each.message}"
            + (f" (found {each.text!r})" if each.text else "")
            for each in problems
        ]
        if truncated:
            rows.append(f"more problems follow; only the first {len(problems)} are listed")
        super().__init__("\n".join(rows))


class EnoughProblemsError(Exception):
    """So many problems were found that the rest need not be read."""


class TextProblems:
    """Collects problems up to a limit, and ends the reading there."""

    def __init__(self, limit: int = 100) -> None:
        self.found: list[FileProblem] = []
        self._limit = limit
        self._truncated = False

    def add(self, file: str, line: int | None, text: str, message: str) -> None:
        """Note a problem; once there are too many, stop the reading."""
        if len(self.found) == self._limit:
            self._truncated = True
            raise EnoughProblemsError
        shown = text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."
        self.found.append(FileProblem(file, line, shown, message))

    def sort(self) -> None:
        """Bring what was found to the order of the lines, file by file."""
        files = list(dict.fromkeys(each.file for each in self.found))
        self.found.sort(key=lambda each: (files.index(each.file), each.line or 0))

    def check(self) -> None:
        """Raise everything that was found, if anything was."""
        if self.found:
            raise BadRecordsError(self.found, truncated=self._truncated)
