"""Which file of a folder is what: documents, queries, judgements and runs, recognised by names and by a look inside."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import PurePosixPath

from rulerank.errors import InputError
from rulerank.prepare.archives import WORKBOOKS
from rulerank.prepare.files import DataFile
from rulerank.prepare.readers.table import holds_pairs

KINDS = {
    "beir": "BEIR (corpus.jsonl, queries.jsonl, qrels)",
    "trec": "TREC (SGML documents, topics, qrels)",
    "smart": "SMART (.I .T .A .W)",
    "table": "tables (CSV, TSV, JSONL or Excel)",
    "pairs": "one table of query-document pairs (CSV, TSV, JSONL or Excel)",
}
TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".txt", *WORKBOOKS)

_DOCUMENTS = re.compile(r"(documents?|docs|corpus|collection|passages?|articles?)\b")
_QUERIES = re.compile(r"(queries|query|topics?|questions?)\b")
_JUDGEMENTS = re.compile(r"qrels?|judge?ments?|relevance|rel\b|\.rel$")
_RUN = re.compile(r"\.runs?$|^runs?[._-]")
_SMART_QUERIES = re.compile(r"qry|que\b|quer|topic")
_BESIDE = re.compile(r"readme|licen[cs]e|changelog|common_words|cite\.info|\.bln|\.stp|\.md$|\.features|\.prepared")
_SGML = re.compile(r"\s*(<\?xml[^>]*>\s*)?(<[a-z]+>\s*)?<doc\b", re.I)
_TOPICS = re.compile(r"\s*(<\?xml[^>]*>\s*)?(<topics\b[^>]*>\s*|<[a-z_]+>\s*)?(<!--.*?-->\s*)?<top(ic)?\b", re.I | re.S)


@dataclass(frozen=True)
class Layout:
    """Which files are what. Of the kind "pairs", documents are tables that hold the queries, too."""

    kind: str
    documents: tuple[DataFile, ...]
    queries: tuple[DataFile, ...]
    judgements: tuple[DataFile, ...] = ()
    runs: tuple[DataFile, ...] = ()
    unread: tuple[str, ...] = ()  # names of files that are none of these


@dataclass(frozen=True)
class Named:
    """Files that somebody named; they go before what the folder's names say."""

    kind: str | None = None
    documents: tuple[DataFile, ...] = ()
    queries: tuple[DataFile, ...] = ()
    judgements: tuple[DataFile, ...] = ()
    runs: tuple[DataFile, ...] = ()


def find_layout(files: Sequence[DataFile], named: Named = Named()) -> Layout:  # noqa: B008 (frozen)
    """Recognise what each file is; an InputError says what is missing and which names would do."""
    if named.kind is not None and named.kind not in KINDS:
        raise InputError(f"no format is named {named.kind!r}; there are: {', '.join(KINDS)}")
    usable = [file for file in files if not _BESIDE.search(file.plain_name)]
    runs = named.runs or tuple(file for file in usable if _RUN.search(file.plain_name) or file.folder == "runs")
    rest = [file for file in usable if file not in runs]
    kind = named.kind or _kind_of(named.documents or rest)
    pairs = _pairs(kind, named, rest)
    if pairs:
        unread = tuple(file.name for file in rest if file not in pairs)
        return Layout("pairs", pairs, (), unread=(*unread, *(file.name for file in runs)))
    documents = named.documents or _documents(kind, rest)
    if not documents:
        listed = ", ".join(file.name for file in files[:8]) + (", ..." if len(files) > 8 else "")
        raise InputError(
            f"no documents were found among {len(files)} files ({listed}); call them documents.jsonl (or .tsv, .csv), "
            "or name them yourself; one table of queries and documents needs columns such as query and text, or say "
            "which columns they are"
        )
    rest = [file for file in rest if file not in documents]
    stem = documents[0].name
    judgements = named.judgements or _judgements(kind, rest, stem)
    rest = [file for file in rest if file not in judgements]
    queries = named.queries or _queries(kind, rest, stem)
    if not queries:
        names = ", ".join(file.name for file in rest[:8]) or "no other file"
        raise InputError(f"no queries were found ({names}); call them queries.tsv (or .jsonl), or name them yourself")
    unread = tuple(file.name for file in rest if file not in queries)
    return Layout(kind, tuple(documents), tuple(queries), tuple(judgements), tuple(runs), unread)


def _kind_of(files: Sequence[DataFile]) -> str:
    names = {file.plain_name for file in files}
    if "corpus.jsonl" in names and "queries.jsonl" in names:
        return "beir"
    for file in files:
        head = file.head()
        if head.startswith(".I "):
            return "smart"
        if _SGML.match(head):
            return "trec"
    return "table"


def _pairs(kind: str, named: Named, files: list[DataFile]) -> tuple[DataFile, ...]:
    """Return the tables that hold queries and documents together, if these files are not divided otherwise."""
    if kind == "pairs":
        return named.documents or tuple(file for file in files if file.plain_name.endswith(TABLES))
    if kind != "table" or named.kind or named.documents or named.queries:
        return ()
    if _tables(files, _DOCUMENTS) and _tables(files, _QUERIES):
        return ()
    return tuple(
        file for file in files if file.plain_name.endswith(TABLES) and holds_pairs(file, alone=len(files) == 1)
    )


def _documents(kind: str, files: list[DataFile]) -> tuple[DataFile, ...]:
    if kind == "beir":
        return tuple(file for file in files if file.plain_name == "corpus.jsonl")
    if kind == "trec":
        return tuple(file for file in files if _SGML.match(file.head()))
    if kind == "smart":
        found = [file for file in files if file.head().startswith(".I ") and not _SMART_QUERIES.search(file.plain_name)]
        return tuple(found[:1])
    return _tables(files, _DOCUMENTS)


def _queries(kind: str, files: list[DataFile], stem: str) -> tuple[DataFile, ...]:
    if kind == "beir":
        return tuple(file for file in files if file.plain_name == "queries.jsonl")
    if kind == "trec":
        topics = tuple(file for file in files if _TOPICS.match(file.head()))
        return topics or _tables(files, _QUERIES)
    if kind == "smart":
        return _nearest([file for file in files if file.head().startswith(".I ")], stem)
    return _tables(files, _QUERIES)


def _judgements(kind: str, files: list[DataFile], stem: str) -> tuple[DataFile, ...]:
    found = [file for file in files if _JUDGEMENTS.search(file.plain_name) or file.folder == "qrels"]
    if kind == "smart":
        return _nearest([file for file in found if not file.head().startswith(".I ")], stem)
    return tuple(found)


def _tables(files: list[DataFile], names: re.Pattern[str]) -> tuple[DataFile, ...]:
    return tuple(file for file in files if file.plain_name.endswith(TABLES) and names.match(_basename(file.plain_name)))


def _basename(name: str) -> str:
    """Return a name without what stands before its last dash or dot but one: `my.documents.tsv` is `documents.tsv`."""
    base, ending = os.path.splitext(name)
    return re.split(r"[._\- ]", base)[-1] + ending


def _nearest(files: list[DataFile], stem: str) -> tuple[DataFile, ...]:
    """Of several candidates, return the one that is named most like the documents, and of those the shortest name."""

    def distance(file: DataFile) -> tuple[int, int, str]:
        alike = takewhile(lambda pair: pair[0] == pair[1], zip(file.name.lower(), stem.lower(), strict=False))
        return -sum(1 for _ in alike), len(file.name), file.name

    return tuple(sorted(files, key=distance)[:1])


def short_name(path: str) -> str:
    """Return the last part of a file's name."""
    return PurePosixPath(path).name
