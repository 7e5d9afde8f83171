"""Where the data of a new campaign come from, and the jobs by which a worker looks at, reads and stores them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages import context
from pages.new_campaign.given import Given, latest, offer_texts
from pages.shared.layout import plain
from pages.shared.task import JobTask
from rulerank.campaign import Settings
from rulerank.errors import InputError
from rulerank.importing.files import Files, files_at
from rulerank.importing.kept import FACTS, ImportPreview, RowFacts
from rulerank.importing.names import data_name
from rulerank.importing.read import BadFilesError
from rulerank.importing.rows import Division

if TYPE_CHECKING:
    from db.workspace import Workspace


READING = "import-task"
STORING = "import-storing"
CALLED = "import-called"


@dataclass(frozen=True)
class SourceChoice:
    """What somebody chose to import: what distinguishes it from another choice, a name, and what the worker is given.

    arguments: called once, with the token of a new folder, when the reading begins. stamps: those of uploads.
    """

    key: Hashable
    called: str
    arguments: Callable[[str], dict[str, Any]]
    words: str = "Reading the files"
    stamps: tuple[Hashable, ...] = ()


@dataclass(frozen=True)
class ReadFiles:
    """What the worker has read, as far as the page needs it."""

    preview: ImportPreview
    rows: RowFacts
    source: dict[str, Any]  # where the worker finds it again


def reading(choice: SourceChoice, person: int) -> JobTask[ReadFiles]:
    """Return the task that reads a choice, started the first time it is asked for; an older one is ended."""
    kept: tuple[Hashable, JobTask[ReadFiles]] | None = st.session_state.get(READING)
    if kept is not None and kept[0] == choice.key:
        return kept[1]
    end_reading()
    uploads = context.workspace().uploads
    token = uploads.begin()
    try:
        arguments = choice.arguments(token)
    except BaseException:
        uploads.remove(token)
        raise
    source = {name: arguments[name] for name in ("collection",) if name in arguments}

    def finish(result: dict[str, Any]) -> ReadFiles:
        if "bad" in result:
            raise BadFilesError.from_dict(result["bad"])
        try:
            rows = RowFacts.load(uploads.path(token) / "read" / FACTS)
        except OSError as error:
            raise InputError("what was read is not kept any more; choose the files again") from error
        return ReadFiles(ImportPreview.from_dict(result["preview"]), rows, {"token": token, **source})

    given = {**arguments, "token": token, "called": choice.called}
    task = JobTask("read", given, choice.words, finish=finish, token=token, person=person)
    st.session_state[READING] = (choice.key, task)
    st.session_state[CALLED] = choice.called
    return task


def end_reading() -> None:
    """End the task that reads, if there is one, and remove what it has read: somebody has changed their mind."""
    kept = st.session_state.pop(READING, None)
    if kept is not None:
        kept[1].close()


def store(
    person: int, found: ReadFiles, called: str, name: str, settings: Settings, division: Division, use: str | None
) -> JobTask[int]:
    """Begin to store the collection and the campaign, all of it or nothing."""
    arguments = {
        **found.source,
        "called": called,
        "name": name,
        "settings": settings.to_dict(),
        "division": division.to_dict(),
        "use": use,
        "person": person,
    }
    return JobTask("import", arguments, "Storing the campaign", finish=int, person=person)


def forget_storing() -> None:
    """Forget an earlier try to store, if there was one."""
    earlier: JobTask[int] | None = st.session_state.pop(STORING, None)
    if earlier is not None:
        earlier.close()


def show_refusal(storing: JobTask[int]) -> None:
    """Say why nothing was stored; the form above stays as it is."""
    if storing.cancelled:
        st.info("Cancelled. Nothing was stored.", icon=":material/cancel:")
    else:
        st.error(f"{plain(str(storing.error))}. Nothing was stored.", icon=":material/error:")


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

    def choice(self) -> SourceChoice:
        """Return what the worker is asked for."""
        parts = (*self.letor, None, *self.evaluation, None, self.queries, self.documents)
        key = tuple(None if each is None else each.stamp for each in parts)
        stamps = tuple(each.stamp for each in parts if each is not None and each.path is None)
        return SourceChoice(key, data_name([each.name for each in self.letor]), self._arguments, stamps=stamps)

    def _arguments(self, token: str) -> dict[str, Any]:
        files = Files(
            tuple(each.placed(token) for each in self.letor),
            tuple(each.placed(token) for each in self.evaluation),
            None if self.queries is None else self.queries.placed(token),
            None if self.documents is None else self.documents.placed(token),
        )
        return {"files": files.to_dict()}


def ask_source(workspace: Workspace, *, paths: bool) -> SourceChoice | None:
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
    return None if files is None or offer_texts(files.letor) else files.choice()


def _ask_uploads() -> GivenFiles | None:
    letor = st.file_uploader(
        "LETOR files",
        accept_multiple_files=True,
        key="import-letor",
        help="Lines such as `2 qid:10 1:0.5 2:0.1 # docid = D7`. Grades may be missing (-1). "
        "Plain, gz, xz, bz2 or zip; several files are joined. What `rulerank prepare` wrote beside a LETOR file "
        "(texts, names of features) is recognised by its name: drop it in too.",
    )
    queries, documents, evaluation = _more("uploads", _upload_one, _upload_many)
    if not letor:
        show_example()
        return None
    return GivenFiles(latest(map(Given.sent, letor)), evaluation, queries, documents)


def show_example() -> None:
    """Show what the files look like to somebody who has none yet."""
    st.markdown(
        "A **LETOR** file has one query-document pair a line: grade, query, numbered features, and the document."
    )
    st.code(EXAMPLE, language=None)
    st.caption(
        "A grade of -1 is one that is not known yet. Bring the texts as well ('Add texts'): nobody can judge numbers."
    )


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
    return latest(map(Given.sent, st.file_uploader(label, accept_multiple_files=True, key=key, help=words) or ()))


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


def _ask_stored(workspace: Workspace) -> SourceChoice:
    found = {info.id: info for info in workspace.collections.all()}
    number = st.selectbox(
        "Collection",
        list(found),
        format_func=lambda key: f"{found[key].name} ({found[key].rows:,} pairs, {found[key].queries:,} queries)",
        key="import-stored",
        help="Several campaigns may share a collection; each has its own labels.",
    )

    return SourceChoice(
        ("stored", number), found[number].name, lambda token: {"collection": number}, "Reading the collection"
    )
