"""Where the data of a new campaign come from: an upload, a path on the server, or a collection that is here already."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.new_campaign.jobs import Choice, Given
from rulerank.importing.files import Files, files_at

if TYPE_CHECKING:
    from db.workspace import Workspace

EXAMPLE = """\
2 qid:10 1:0.031 2:0.667 3:0.500 # docid = D7
0 qid:10 1:0.078 2:0.333 3:0.000 # docid = D9
-1 qid:11 1:0.024 2:0.167 3:0.250 # docid = D3"""
SOURCES = {"upload": "Upload files", "path": "Files on the server", "stored": "A collection that is here already"}


@dataclass(frozen=True)
class GivenFiles:
    """The files of a campaign with features, by what they are."""

    letor: tuple[Given, ...]
    evaluation: tuple[Given, ...] = ()
    queries: Given | None = None
    documents: Given | None = None

    def choice(self) -> Choice:
        """Return what the worker is asked for."""
        parts = (*self.letor, None, *self.evaluation, None, self.queries, self.documents)
        key = tuple(None if each is None else each.stamp for each in parts)
        return Choice(key, self.letor[0].name.rsplit("/", 1)[-1], self._arguments)

    def _arguments(self, token: str) -> dict[str, Any]:
        files = Files(
            tuple(each.placed(token) for each in self.letor),
            tuple(each.placed(token) for each in self.evaluation),
            None if self.queries is None else self.queries.placed(token),
            None if self.documents is None else self.documents.placed(token),
        )
        return {"files": files.to_dict()}


def ask_source(workspace: Workspace, *, paths: bool) -> Choice | None:
    """Ask for the data."""
    stored = workspace.collections.all()
    kinds = ["upload", *(["path"] if paths else []), *(["stored"] if stored else [])]
    kind = "upload"
    if len(kinds) > 1:
        kind = st.segmented_control(
            "Data", kinds, default="upload", required=True, format_func=SOURCES.__getitem__, key="import-source",
            label_visibility="collapsed",
        ) or "upload"  # fmt: skip
    if kind == "stored":
        return _ask_stored(workspace)
    files = _ask_paths() if kind == "path" else _ask_uploads()
    return None if files is None else files.choice()


def _ask_uploads() -> GivenFiles | None:
    letor = st.file_uploader(
        "LETOR files",
        accept_multiple_files=True,
        key="import-letor",
        help="Lines such as `2 qid:10 1:0.5 2:0.1 # docid = D7`. Grades may be missing (-1). "
        "Plain, gz, xz, bz2 or zip; several files are joined. What `rulerank prepare` wrote beside a LETOR file "
        "(texts, names of features) is told by its name: drop it in too.",
    )
    queries, documents, evaluation = _more("uploads", _upload_one, _upload_many)
    if not letor:
        show_example()
        return None
    return GivenFiles(tuple(map(Given.sent, letor)), evaluation, queries, documents)


def show_example() -> None:
    """Show what the files look like to somebody who has none yet."""
    st.markdown(
        "A **LETOR** file has one query-document pair a line: grade, query, numbered features, and the document."
    )
    st.code(EXAMPLE, language=None)
    st.caption("A grade of -1 is one that is not known yet. Texts are optional: without them, people see the features.")


def _more(key: str, one: Callable[[str, str, str], Any], many: Callable[[str, str, str], Any]) -> tuple[Any, Any, Any]:
    """Ask for texts and for a second file, which most people do not have."""
    with st.expander("Add texts, or a separate file to evaluate on (optional)", key=f"import-more-{key}"):
        left, right = st.columns(2, gap="large")
        with left:
            words = "TSV: `qid, text, need`; or JSONL with these names and, for AR(R_q_d), `terms`."
            queries = one("Texts of queries", f"import-queries-{key}", words)
        with right:
            words = "TSV: `docid, title, body`; or JSONL with `docid, title, text, language`."
            documents = one("Texts of documents", f"import-documents-{key}", words)
        words = "LETOR files with grades, whose documents are never labelled: the curves are measured on them."
        evaluation = many("Evaluation set", f"import-evaluation-{key}", words)
    return queries, documents, evaluation


def _upload_one(label: str, key: str, words: str) -> Given | None:
    found = st.file_uploader(label, key=key, help=words)
    return Given.sent(found) if found else None


def _upload_many(label: str, key: str, words: str) -> tuple[Given, ...]:
    return tuple(map(Given.sent, st.file_uploader(label, accept_multiple_files=True, key=key, help=words) or ()))


def _ask_paths() -> GivenFiles | None:
    path = st.text_input(
        "LETOR file or folder on the server",
        key="import-path",
        persist_state="session",
        placeholder="/data/ohsumed/S1.txt, or a folder of files or folds",
        help="Possible because this app runs for one person on their own machine. What `rulerank prepare` wrote "
        "beside the file (texts, names of features) is found by its name.",
    )
    queries, documents, evaluation = _more("paths", _path_one, _path_many)
    if not path:
        show_example()
        return None
    return GivenFiles(tuple(map(Given.here, files_at(path))), evaluation, queries, documents)


def _path_one(label: str, key: str, words: str) -> Given | None:
    found = _path_many(label, key, words)
    return found[0] if found else None


def _path_many(label: str, key: str, words: str) -> tuple[Given, ...]:
    path = st.text_input(f"{label} (path)", key=key, help=words, persist_state="session")
    return tuple(map(Given.here, files_at(path))) if path else ()


def _ask_stored(workspace: Workspace) -> Choice:
    found = {info.id: info for info in workspace.collections.all()}
    number = st.selectbox(
        "Collection",
        list(found),
        format_func=lambda key: f"{found[key].name} ({found[key].rows:,} documents, {found[key].queries:,} queries)",
        key="import-stored",
        help="Several campaigns may share a collection; each has its own labels.",
    )

    return Choice(
        ("stored", number), found[number].name, lambda token: {"collection": number}, "Reading the collection"
    )
