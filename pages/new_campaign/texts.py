"""A new campaign from documents and queries: which files, which columns, how many candidates; then one button."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

from pages import context
from pages.new_campaign.jobs import Choice, Given, end_reading
from pages.new_campaign.text_options import ask_columns, ask_options, chosen_encoding, missing
from pages.shared.layout import side_by_side
from pages.shared.markdown import plain
from pages.shared.task import JobTask, watch
from rulerank.errors import RulerankError
from rulerank.importing.brought import ROLES
from rulerank.importing.wish import Bundle, Wish, head_from
from rulerank.prepare import KINDS, Columns, Reading

ASKED = "texts-asked"
SEEN = "texts-seen"
SOURCES = {"upload": "Upload files", "path": "Files on the server"}
EXAMPLE = """\
documents.csv    id,title,text
                 D7,Wings,"How a wing lifts, and when it flutters"
queries.csv      id,query
                 10,flutter of wings"""


def ask_texts(person: int, *, paths: bool) -> Choice | None:
    """Ask for files and how they are prepared; returns a choice once somebody has pressed the button.

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
    seen = Seen.of(brought, person)
    layout = seen.done(seen.look, "texts-look")
    if layout is None:
        return None
    if layout["kind"] not in ("", "table"):
        _say(layout)
        wish = Wish()
    else:
        try:
            asked = _ask_tables(seen, layout)
        except RulerankError as error:
            if chosen_encoding() is None:
                raise
            # The wrong encoding may be to blame: it must stay where it can be changed.
            st.error(plain(str(error)), icon=":material/error:")
            ask_options(Reading())
            return None
        if asked is None:
            return None
        wish = asked
    wish = Wish(wish.roles, *ask_options(wish.how))
    key = ("texts", brought.key, str(wish.to_dict()))
    if st.session_state.get(ASKED) != key:
        if st.session_state.pop(ASKED, None) is not None:
            end_reading()
        if not st.button("Prepare the collection", type="primary", icon=":material/play_arrow:"):
            return None
        st.session_state[ASKED] = key
        st.rerun()  # without the button, which has done its work
    told = {"bundle": seen.bundle.to_dict(), "wish": wish.to_dict(), "raw": seen.token}
    return Choice(key, brought.called, lambda token: told, "Preparing the collection")


def forget_texts() -> None:
    """Forget what was brought, and remove it from where the worker found it."""
    st.session_state.pop(ASKED, None)
    kept: Seen | None = st.session_state.pop(SEEN, None)
    if kept is not None:
        kept.close()


@dataclass(frozen=True)
class Brought:
    """Files that somebody brought, or a path on the server; what tells them from others, and a name for them."""

    given: tuple[Given, ...]
    path: str
    key: Hashable
    called: str


@dataclass
class Seen:
    """What a look at the files has told; kept, because the worker takes the look."""

    key: Hashable
    token: str
    bundle: Bundle
    look: JobTask[dict[str, Any]]
    person: int
    heads: dict[Hashable, JobTask[dict[str, Any]]] = field(default_factory=dict)

    @classmethod
    def of(cls, brought: Brought, person: int) -> Seen:
        """Return the look at these files, or ask for it."""
        kept: Seen | None = st.session_state.get(SEEN)
        if kept is not None and kept.key == brought.key:
            return kept
        forget_texts()
        uploads = context.workspace().uploads
        token = uploads.begin()
        try:
            bundle = Bundle(tuple(each.placed(token) for each in brought.given), brought.path)
        except BaseException:
            uploads.remove(token)
            raise
        told = {"bundle": bundle.to_dict(), "token": token}
        look = JobTask("look", told, "Looking at the files", finish=dict, token=token, person=person)
        made = st.session_state[SEEN] = cls(brought.key, token, bundle, look, person)
        return made

    def head(self, tables: dict[str, str]) -> dict[str, Any] | None:
        """Return the first rows of these tables (file by what it holds), None until they are there."""
        encoding = chosen_encoding()
        key = (tuple(tables.items()), encoding)
        if key not in self.heads:
            told = {"bundle": self.bundle.to_dict(), "tables": tables, "encoding": encoding, "token": self.token}
            task = JobTask("heads", told, "Looking at the tables", finish=dict, person=self.person)
            self.heads[key] = task
        return self.done(self.heads[key], "texts-heads")

    def done(self, task: JobTask[dict[str, Any]], key: str) -> dict[str, Any] | None:
        """Return what a look has told, None until then; a look that failed raises its error."""
        if not watch(task, key=key):
            return None
        if task.cancelled:
            st.info("Cancelled. Nothing was kept.", icon=":material/cancel:")
            if st.button("Look again", key=f"{key}-again"):
                forget_texts()
                st.rerun()
            return None
        if task.error is not None:
            raise task.error
        return task.result

    def close(self) -> None:
        """Forget the jobs, and remove the files."""
        for task in (*self.heads.values(), self.look):
            task.close()
        context.workspace().uploads.remove(self.token)


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
        return brought_from(path) if path else None
    found = st.file_uploader(
        "Files of the collection", accept_multiple_files=True, key="texts-files",
        help="One zip, or documents, queries and what else there is, one by one.",
    )  # fmt: skip
    if not found:
        return None
    given = tuple(map(Given.sent, found))
    return Brought(given, "", tuple(each.stamp for each in given), given[0].name.rsplit("/", 1)[-1])


def brought_from(text: str) -> Brought:
    """Return what is at a path, with a stamp that changes when a file there does; the worker opens it."""
    path = Path(text.strip()).expanduser()
    found = sorted(path.rglob("*")) if path.is_dir() else [path]
    stamps = tuple((str(each), each.stat().st_size, each.stat().st_mtime_ns) for each in found if each.is_file())
    return Brought((), str(path), (str(path), stamps), path.resolve().name)


def _say(layout: dict[str, Any]) -> None:
    parts = {label: layout["roles"][role] for role, label in ROLES.items()}
    counts = [f"{label.lower()} in {_files(names)}" for label, names in parts.items() if names]
    st.caption(plain(f"{KINDS[layout['kind']]}: {', '.join(counts)}."))


def _files(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names):,} files"


def _ask_tables(seen: Seen, layout: dict[str, Any]) -> Wish | None:
    """Ask which table is what, and which of its columns; None until that can be read."""
    if layout["missing"]:
        st.info("The files do not tell all by themselves. Say what each file is.", icon=":material/help:")
    roles: dict[str, list[str]] = {}
    with st.container(horizontal=True, gap="medium"):
        for role, label in ROLES.items():
            roles[role] = st.multiselect(
                label, layout["names"], layout["roles"].get(role, []), key=f"texts-role-{role}-{hash(seen.key)}",
                placeholder="No file", width=200,
            )  # fmt: skip
    named = [name for names in roles.values() for name in names]
    if len(set(named)) < len(named):
        st.warning("A file can be one thing only: take it out of the other fields.", icon=":material/warning:")
        return None
    if not roles["documents"] or not roles["queries"]:
        return None
    tables = {what: roles[what][0] for what in ("documents", "queries")}
    heads = seen.head(tables)
    if heads is None:
        return None
    columns: dict[str, Columns | None] = {}
    lacks = []
    for place, (what, name) in zip(side_by_side("columns"), tables.items(), strict=True):
        with place:
            if heads[what] is None:
                st.caption(plain(f"{name} has a format of its own: no columns to choose."))
                columns[what] = None
                continue
            columns[what] = chosen = ask_columns(what, name, head_from(heads[what]))
        lacks += [words] if (words := missing(what, chosen)) else []
    for words in lacks:
        st.warning(words, icon=":material/warning:")
    # Tables are told by what people say; the others by their contents, as ever.
    kind = "table" if columns["documents"] else None
    how = Reading(kind=kind, document_columns=columns["documents"], query_columns=columns["queries"])
    chosen_roles = tuple((role, tuple(names)) for role, names in roles.items())
    return None if lacks else Wish(chosen_roles, how)
