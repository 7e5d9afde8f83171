"""A new campaign from documents and queries: which files, which columns, how many candidates; then one button."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

from pages import context
from pages.new_campaign.given import Given, forget_taken, latest, taken
from pages.new_campaign.source import SourceChoice, end_reading
from pages.new_campaign.text_options import ask_columns, ask_options, chosen_encoding, said_columns
from pages.shared.layout import plain, side_by_side
from pages.shared.task import JobTask, watch
from rulerank.errors import InputError, RulerankError
from rulerank.importing.files import ROLES
from rulerank.importing.names import data_name
from rulerank.importing.texts import Bundle, Wish, head_from
from rulerank.prepare import KINDS, Columns, TextReading

ASKED = "texts-asked"
SEEN = "texts-seen"
SOURCES = {"upload": "Upload files", "path": "Files on the server"}
ONE_TABLE = """\
query,title,text,grade
flutter of wings,Wings,"How wings lift, and flutter",2"""
EXAMPLE = """\
documents.csv    id,title,text
                 D7,Wings,"How wings lift"
queries.csv      id,query
                 10,flutter of wings"""


def ask_texts(person: int, *, paths: bool) -> SourceChoice | None:
    """Ask for files and how they are prepared; returns a choice once somebody has pressed the button.

    Preparing can take minutes: it begins by a button, and a choice that is changed later waits for it again.
    """
    brought = _ask_files(paths)
    if brought is None:
        st.markdown(
            "**One table** (Excel, CSV, TSV or JSONL) with a query and a document in every row: all pairs are kept as "
            "they are. Other columns, such as ids, an address or a grade, may be there."
        )
        st.code(ONE_TABLE, language=None)
        st.markdown(
            "Or **documents and queries** in files of their own, as tables or as BEIR, TREC or SMART collections; then "
            "the best documents for each query are found. Plain, gz, xz or bz2, or all in one zip."
        )
        st.code(EXAMPLE, language=None)
        return None
    seen = Seen.of(brought, person)
    layout = seen.done(seen.look, "texts-look")
    if layout is None:
        return None
    if layout["kind"] not in ("", "table", "pairs"):
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
            ask_options(TextReading())
            return None
        if asked is None:
            return None
        wish = asked
    pairs = wish.how.pair_columns is not None
    wish = Wish(wish.roles, *ask_options(wish.how, pairs=pairs))
    key = ("texts", brought.key, str(wish.to_dict()))
    # There is nothing to decide about pairs that are given, so they are read at once.
    if st.session_state.get(ASKED) != key and not pairs:
        if st.session_state.pop(ASKED, None) is not None:
            end_reading()
        if not st.button("Prepare the collection", type="primary", icon=":material/play_arrow:"):
            return None
        st.session_state[ASKED] = key
        st.rerun()  # without the button, which has done its work
    arguments = {"bundle": seen.bundle.to_dict(), "wish": wish.to_dict(), "raw": seen.token}
    stamps = tuple(each.stamp for each in brought.given)
    return SourceChoice(key, brought.called, lambda token: arguments, "Preparing the collection", stamps)


def forget_texts() -> None:
    """Forget what was brought, and remove it from where the worker found it."""
    st.session_state.pop(ASKED, None)
    kept: Seen | None = st.session_state.pop(SEEN, None)
    if kept is not None:
        kept.close()


@dataclass(frozen=True)
class Brought:
    """Files that somebody brought, or a path on the server; what distinguishes them from others, and a name."""

    given: tuple[Given, ...]
    path: str
    key: Hashable
    called: str


@dataclass
class Seen:
    """What a look at the files has found; kept, because the worker takes the look."""

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
        arguments = {"bundle": bundle.to_dict(), "token": token}
        look = JobTask("look", arguments, "Looking at the files", finish=dict, token=token, person=person)
        made = st.session_state[SEEN] = cls(brought.key, token, bundle, look, person)
        return made

    def head(self, tables: dict[str, str]) -> dict[str, Any] | None:
        """Return the first rows of these tables (file by what it holds), None until they are there."""
        encoding = chosen_encoding()
        key = (tuple(tables.items()), encoding)
        if key not in self.heads:
            arguments = {"bundle": self.bundle.to_dict(), "tables": tables, "encoding": encoding, "token": self.token}
            task = JobTask("heads", arguments, "Looking at the tables", finish=dict, person=self.person)
            self.heads[key] = task
        return self.done(self.heads[key], "texts-heads")

    def done(self, task: JobTask[dict[str, Any]], key: str) -> dict[str, Any] | None:
        """Return what a look has found, None until then; a look that failed raises its error."""
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
    if found:
        forget_taken()
    given = latest(map(Given.sent, found)) or taken()
    if not given:
        return None
    return Brought(given, "", tuple(each.stamp for each in given), data_name([each.name for each in given]))


def brought_from(text: str) -> Brought:
    """Return what is at a path, with a stamp that changes when a file there does; the worker opens it."""
    path = Path(text.strip()).expanduser()
    found = sorted(path.rglob("*")) if path.is_dir() else [path]
    stamps = tuple((str(each), each.stat().st_size, each.stat().st_mtime_ns) for each in found if each.is_file())
    whole = path.resolve()
    return Brought((), str(path), (str(path), stamps), data_name([str(whole / "data" if path.is_dir() else whole)]))


def _say(layout: dict[str, Any]) -> None:
    parts = {label: layout["roles"][role] for role, label in ROLES.items()}
    counts = [f"{label.lower()} in {_files(names)}" for label, names in parts.items() if names]
    st.caption(plain(f"{KINDS[layout['kind']]}: {', '.join(counts)}."))


def _files(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names):,} files"


def _ask_tables(seen: Seen, layout: dict[str, Any]) -> Wish | None:
    """Ask which table is what, and which of its columns; None until that can be read."""
    if len(layout["names"]) == 1 or layout["kind"] == "pairs":
        return _ask_pairs(seen, layout["roles"].get("pairs") or layout["names"])
    if layout["missing"]:
        st.info("Not every file could be recognised. Say what each file is.", icon=":material/help:")
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
    if roles["pairs"]:
        return _ask_pairs(seen, roles["pairs"])
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
        lacks += [words] if (words := chosen.lacks(what)) else []
    for words in lacks:
        st.warning(words, icon=":material/warning:")
    # Tables are read as people say; the others by their contents, as ever.
    kind = "table" if columns["documents"] else None
    how = TextReading(kind=kind, document_columns=columns["documents"], query_columns=columns["queries"])
    chosen_roles = tuple((role, tuple(names)) for role, names in roles.items())
    return None if lacks else Wish(chosen_roles, how)


def _ask_pairs(seen: Seen, names: list[str]) -> Wish | None:
    """Ask for the columns of one table of pairs, which its names have answered where they are the usual ones."""
    heads = seen.head({"pairs": names[0]})
    if heads is None:
        return None
    if heads["pairs"] is None:
        raise InputError(f"{names[0]} alone is no collection: bring documents and queries, or one table that has both")
    head = head_from(heads["pairs"])
    confirmed = f"texts-confirmed-{hash(seen.key)}"
    unknown = head.guess is None and confirmed not in st.session_state
    if unknown:
        st.info("The names of the columns do not say what they hold. Say which is which.", icon=":material/help:")
    label = "Columns" if head.guess is None else f"Columns: {said_columns(head.guess)}"
    with st.expander(
        plain(label), expanded=head.guess is None, icon=":material/table:", key=f"texts-pairs-{hash(seen.key)}"
    ):
        chosen = ask_columns("pairs", names[0], head)
    lacks = chosen.lacks("pairs")
    if lacks:
        st.warning(lacks, icon=":material/warning:")
    # Where nothing was recognised, reading waits until somebody has been through all the fields.
    elif unknown and st.button("Use these columns", type="primary", icon=":material/check:"):
        st.session_state[confirmed] = True
        st.rerun()
    if lacks or unknown:
        return None
    return Wish((("pairs", tuple(names)),), TextReading(kind="pairs", pair_columns=chosen))
