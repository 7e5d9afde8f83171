"""What a Collection says about a file that was readable but odd."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RegroupedQueries:
    """Rows of these queries did not stand together and were moved to their query's first row.

    `places[i]` is where `qids[i]` came up again: a line of the file, or a row or part of what was joined (`unit`).
    """

    qids: tuple[str, ...]
    places: tuple[int, ...]
    unit: str = "line"

    def __str__(self) -> str:
        more = ", ..." if len(self.qids) > 3 else ""
        pairs = zip(self.qids[:3], self.places[:3], strict=True)
        shown = ", ".join(f"{qid} ({self.unit} {place})" for qid, place in pairs)
        return f"rows of {len(self.qids)} queries did not stand together and were regrouped: {shown}{more}"


@dataclass(frozen=True)
class PossiblyCutOff:
    """The last line has no newline and lacks features that every other row has: the file may have been cut off."""

    line: int

    def __str__(self) -> str:
        return f"line {self.line}, the last, has fewer features than all others and no newline: is the file whole?"
