"""Files that somebody gave, and a button that takes tables of texts among LETOR files to their place."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from pages import context
from pages.shared.layout import plain
from rulerank.importing.files import Upload, is_table

WAY = "import-way"
TAKEN = "texts-taken"
BAD = "import-bad"
BEGINNING = 1 << 16  # bytes


@dataclass(frozen=True)
class Given:
    """A file that somebody gave: uploaded to the page, or at a path on the server."""

    name: str
    stamp: Hashable  # distinguishes it from another of the same name
    file: Any = None  # what the browser sent
    path: Path | None = None

    @staticmethod
    def sent(file: Any) -> Given:
        """Return an uploaded file."""
        return Given(file.name, (file.name, file.size, file.file_id), file)

    @staticmethod
    def here(upload: Upload) -> Given:
        """Return a file at a path on the server."""
        assert upload.path is not None
        found = upload.path.stat()
        return Given(upload.name, (upload.name, found.st_size, found.st_mtime_ns), path=upload.path)

    def placed(self, token: str) -> Upload:
        """Put it where the worker finds it: an upload is written into the folder of this token."""
        if self.path is not None:
            return Upload(self.name, path=self.path)
        return context.workspace().uploads.put(token, self.name, self.file)

    def beginning(self) -> Upload:
        """Return its first bytes, enough to see what it is."""
        if self.path is not None:
            return Upload(self.name, path=self.path)
        return Upload(self.name, bytes(self.file.getbuffer()[:BEGINNING]))


def latest(given: Iterable[Given]) -> tuple[Given, ...]:
    """Return the files without those that a later one replaces: of the same name, or after a single one that was bad.

    Streamlit keeps what was dropped before beside what is dropped now.
    """
    by_name: dict[str, Given] = {}
    for each in given:
        by_name.pop(each.name, None)
        by_name[each.name] = each
    found = tuple(by_name.values())
    bad = st.session_state.get(BAD, set())
    good = tuple(each for each in found if each.stamp not in bad)
    if not good or len(good) == len(found):
        return found
    gone = ", ".join(each.name for each in found if each.stamp in bad)
    st.caption(plain(f"In place of {gone}, which had bad rows: {', '.join(each.name for each in good)}."))
    return good


def mark_bad(stamps: Sequence[Hashable]) -> None:
    """Remember that the only file of a choice had bad rows, so that the next one is taken in its place."""
    if len(stamps) == 1:
        st.session_state.setdefault(BAD, set()).update(stamps)


def offer_texts(given: tuple[Given, ...]) -> bool:
    """Where a file is a table, say so and offer to read the files as texts; return whether one is."""
    table = next((each.name for each in given if is_table(each.beginning())), None)
    if table is None:
        return False
    st.warning(plain(f"{table} looks like a table of texts, not like a LETOR file."), icon=":material/table:")
    st.button("Read it as texts", type="primary", icon=":material/arrow_forward:", on_click=_take, args=(given,))
    return True


def _take(given: tuple[Given, ...]) -> None:
    st.session_state[TAKEN] = given
    st.session_state[WAY] = "texts"


def taken() -> tuple[Given, ...]:
    """Return the files that were taken along, and say which they are."""
    given: tuple[Given, ...] = st.session_state.get(TAKEN, ())
    if given:
        st.caption(plain(f"Taken along: {', '.join(each.name for each in given)}. Files dropped here replace them."))
    return given


def forget_taken() -> None:
    """Forget the files that were taken along."""
    st.session_state.pop(TAKEN, None)
