"""A new campaign from documents and queries: which files, which columns, how many candidates; then one button."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import streamlit as st

from pages.widgets.import_files import Upload
from pages.widgets.import_source import Work, end_reading
from pages.widgets.layout import side_by_side
from pages.widgets.plain import plain
from pages.widgets.texts_columns import ask_columns, missing
from pages.widgets.texts_files import ROLES, Brought, at_path, readable, told, uploaded, with_roles
from pages.widgets.texts_options import ask_options, chosen_encoding
from pages.widgets.texts_prepare import prepare_files
from rulerank.errors import RulerankError
from rulerank.prepare import KINDS, Columns, DataFile, Layout, Reading, table_head

ASKED = "texts-asked"
SEEN = "texts-seen"
SOURCES = {"upload": "Upload files", "path": "Files on the server"}
EXAMPLE = """\
documents.csv    id,title,text
                 D7,Wings,"How a wing lifts, and when it flutters"
queries.csv      id,query
                 10,flutter of wings"""


def ask_texts(*, paths: bool) -> tuple[Hashable, Work, str] | None:
    """Ask for files and how they are prepared; returns what `ask_source` returns once somebody has pressed the button.

    Preparing can take minutes: it begins by a button, and a choice that is changed later waits for it again.
    """
    brought = _ask_files(paths)
    if brought is None:
        st.markdown(
            "Documents and queries as **BEIR**, **TREC** or **SMART** collections, or as **CSV, TSV or JSONL** tables; "
            "plain, gz, xz or bz2, or all in one zip. Judgements and runs are used where there are some."
        )
        st.code(EXAMPLE, language=None)
        return None
    seen = _Seen.of(brought)
    layout = seen.layout
    if isinstance(layout, Layout) and layout.kind != "table":
        _say(layout)
        files, how = brought.files, Reading()
    else:
        try:
            chosen = _ask_tables(brought, seen)
        except RulerankError as error:
            if chosen_encoding() is None:
                raise
            # The wrong encoding may be to blame: it must stay where it can be changed.
            st.error(plain(str(error)), icon=":material/error:")
            ask_options(Reading())
            return None
        if chosen is None:
            return None
        files, how = chosen
    how, options = ask_options(how)
    roles = tuple(file.plain_name for file in files)
    key = ("texts", brought.key, roles, how, options)
    if st.session_state.get(ASKED) != key:
        end_reading(st.session_state.get(ASKED))
        if not st.button("Prepare the collection", type="primary", icon=":material/play_arrow:"):
            return None
        st.session_state[ASKED] = key
        st.rerun()  # without the button, which has done its work
    return key, lambda progress: prepare_files(files, how, options, progress), brought.called


class _Seen:
    """What a look at the files has told; kept, because a look at large files takes a while."""

    def __init__(self, brought: Brought) -> None:
        self.key = brought.key
        self.layout = told(brought.files)
        self._heads: dict[tuple[str, str, str | None], Any] = {}

    @classmethod
    def of(cls, brought: Brought) -> _Seen:
        """Return the look at these files, or take it."""
        kept: _Seen | None = st.session_state.get(SEEN)
        if kept is None or kept.key != brought.key:
            with st.spinner("Looking at the files..."):
                kept = st.session_state[SEEN] = cls(brought)
        return kept

    def head(self, file: DataFile, what: str) -> Any:
        """Return the first rows of a table."""
        key = (file.name, what, chosen_encoding())
        if key not in self._heads:
            with readable():
                self._heads[key] = table_head(file, what, encoding=chosen_encoding())
        return self._heads[key]


def _ask_files(paths: bool) -> Brought | None:
    kind = "upload"
    if paths:
        kind = st.segmented_control(
            "Texts", list(SOURCES), default="upload", required=True, format_func=SOURCES.__getitem__,
            key="texts-source", label_visibility="collapsed",
        ) or "upload"  # fmt: skip
    if kind == "path":
        path = st.text_input(
            "Folder or zip on the server", key="texts-path", persist_state="session", placeholder="/data/cranfield",
            help="Possible because this app runs for one person on their own machine.",
        )  # fmt: skip
        return at_path(path) if path else None
    found = st.file_uploader(
        "Files of the collection", accept_multiple_files=True, key="texts-files",
        help="One zip, or documents, queries and what else there is, one by one.",
    )  # fmt: skip
    if not found:
        return None
    return uploaded([Upload(file.name, file.getvalue(), key=file.file_id) for file in found])


def _say(layout: Layout) -> None:
    parts = [layout.documents, layout.queries, layout.judgements, layout.runs]
    counts = [f"{label.lower()} in {_files(part)}" for label, part in zip(ROLES.values(), parts, strict=True) if part]
    st.caption(plain(f"{KINDS[layout.kind]}: {', '.join(counts)}."))


def _files(part: Sequence[DataFile]) -> str:
    return part[0].name if len(part) == 1 else f"{len(part):,} files"


def _ask_tables(brought: Brought, seen: _Seen) -> tuple[tuple[DataFile, ...], Reading] | None:
    """Ask which table is what, and which of its columns; None until that can be read."""
    by_name = {file.name: file for file in brought.files}
    if isinstance(seen.layout, str):
        st.info("The files do not tell all by themselves. Say what each file is.", icon=":material/help:")
    roles: dict[str, list[str]] = {}
    with st.container(horizontal=True, gap="medium"):
        for role, label in ROLES.items():
            first = [] if isinstance(seen.layout, str) else [file.name for file in getattr(seen.layout, role)]
            roles[role] = st.multiselect(
                label, list(by_name), first, key=f"texts-role-{role}-{hash(brought.key)}", placeholder="No file",
                width=200,
            )  # fmt: skip
    named = [name for names in roles.values() for name in names]
    if len(set(named)) < len(named):
        st.warning("A file can be one thing only: take it out of the other fields.", icon=":material/warning:")
        return None
    if not roles["documents"] or not roles["queries"]:
        return None
    columns: dict[str, Columns | None] = {}
    lacks = []
    for place, what in zip(side_by_side("columns"), ("documents", "queries"), strict=True):
        file = by_name[roles[what][0]]
        with place:
            if _has_own_format(file):
                st.caption(plain(f"{file.name} has a format of its own: no columns to choose."))
                columns[what] = None
                continue
            columns[what] = chosen = ask_columns(what, file.name, seen.head(file, what))
        lacks += [words] if (words := missing(what, chosen)) else []
    for words in lacks:
        st.warning(words, icon=":material/warning:")
    # Tables are told by what people say; the others by their contents, as ever.
    kind = "table" if columns["documents"] else None
    how = Reading(kind=kind, document_columns=columns["documents"], query_columns=columns["queries"])
    return None if lacks else (with_roles(brought.files, roles), how)


def _has_own_format(file: DataFile) -> bool:
    """Say whether a file is TREC's or SMART's; queries of theirs may go with tables of documents."""
    with readable():
        return file.head(64).lstrip().startswith(("<", ".I "))
