"""The panels of the competence figure: the documents of one grade each, and how they are named in little room."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pages.charts.figure import counted, safe

LEAST_WIDTH = 640
"""Pixels that the figure always has; a narrower window moves it sideways."""

TITLE_LETTERS = 52
"""Letters of a line of all panels' titles together that fit into LEAST_WIDTH, beside names of rows of common length."""

LEAST_LETTERS = 6
"""Where a panel has room for fewer, a name would be cut to nothing; it is told on hovering alone."""

TITLE_LINE = 18
"""Height of a line of a title, in pixels."""


@dataclass(frozen=True)
class Panel:
    """The documents of one grade (`rows`) as columns; column c stands for rows[edges[c]:edges[c + 1]]."""

    title: tuple[str, str]  # the grade, and its name or nothing
    delta: NDArray[np.float32]
    rows: NDArray[np.int64]
    edges: NDArray[np.int64]
    names: list[str]

    @property
    def documents(self) -> int:
        """How many documents the panel stands for."""
        return int(self.rows.size)

    @property
    def columns(self) -> int:
        """How many columns are drawn."""
        return int(self.edges.size) - 1

    @property
    def first(self) -> NDArray[np.int64]:
        """The first document of each column."""
        return self.rows[self.edges[:-1]]

    @property
    def binned(self) -> bool:
        """Whether some column stands for several documents."""
        return self.columns < self.documents

    def column_of(self, document: int) -> int | None:
        """Return the column in which a document stands, None where it has another grade."""
        place = int(np.searchsorted(self.rows, document))
        if place == self.rows.size or self.rows[place] != document:
            return None
        return int(np.searchsorted(self.edges, place, side="right")) - 1


def panel_title(title: tuple[str, str], panels: int) -> str:
    """Return a panel's title, its grade above its name, in lines so short that those of so many panels do not overlap.

    The name takes two lines at most; what does not fit is cut. Of a grade, its number is told at least.
    """
    grade, name = title
    letters = min(30, TITLE_LETTERS // panels)
    lines = [f"<b>{safe(grade if len(grade) <= letters else grade.split()[-1])}</b>"]
    if letters >= LEAST_LETTERS:
        first, *rest = textwrap.wrap(name, letters, break_long_words=False) or [""]
        lines += [safe(line, letters) for line in (first, " ".join(rest)) if line]
    return "<br>".join(lines)


def title_lines(title: str) -> int:
    """Return how many lines a title has."""
    return title.count("<br>") + 1


def panel_size(documents: int, panels: int) -> str:
    """Return how many documents a panel stands for, in as many letters as there is room for."""
    return counted(documents, "document") if panels <= 2 else f"n = {documents:,d}"
