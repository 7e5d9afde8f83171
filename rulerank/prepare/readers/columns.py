"""Which column of a table is what: chosen by people, or recognised by the columns' names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from rulerank.errors import InputError

IDS = (
    "docid",
    "doc_id",
    "document_id",
    "docno",
    "doc-id",
    "corpus-id",
    "pid",
    "qid",
    "query_id",
    "query-id",
    "_id",
    "id",
)
NAMES: dict[str, dict[str, tuple[str, ...]]] = {
    "documents": {
        "id": IDS,
        "title": ("title", "headline", "name", "subject", "heading"),
        "body": ("text", "body", "content", "contents", "abstract", "passage", "document", "description"),
        "language": ("language", "lang"),
        "numbers": (
            "popularity", "views", "clicks", "links", "inlinks", "outlinks", "citations", "pagerank", "rating", "likes",
            "downloads", "sales",
        ),
    },
    "queries": {
        "id": IDS,
        "text": ("text", "query", "question", "title"),
        "need": ("need", "description", "desc", "narrative", "intent"),
    },
}  # fmt: skip
QUERY_IDS = ("qid", "query_id", "query-id", "queryid", "topic_id", "query_number", "question_id")
DOCUMENT_IDS = (
    "docid", "doc_id", "document_id", "documentid", "docno", "doc-id", "corpus-id", "pid", "passage_id", "sku", "asin",
    "_id", "id", "doc", "document",
)  # fmt: skip
NAMES["pairs"] = {
    "text": ("query", "question", "q", "query_text", "search", "search_query", "search_term", "keywords", "topic"),
    "body": (
        "text", "body", "passage", "passage_text", "document_text", "doc_text", "content", "contents", "abstract",
        "answer", "snippet", "description", "document", "doc",
    ),
    "title": ("title", "headline", "subject", "heading", "name", "product_title"),
    "qid": QUERY_IDS,
    "id": DOCUMENT_IDS,
    "url": ("url", "link", "uri", "address"),
    "grade": ("grade", "label", "relevance", "judgement", "judgment", "rel", "relevance_grade", "relevance_label"),
    "need": ("need", "information_need", "narrative", "intent"),
    "language": NAMES["documents"]["language"],
    "numbers": NAMES["documents"]["numbers"],
}  # fmt: skip
UNNAMED: dict[str, dict[int, tuple[str, ...]]] = {
    "pairs": {},
    "documents": {2: ("id", "body"), 3: ("id", "title", "body"), 4: ("id", "title", "body", "language")},
    "queries": {2: ("id", "text"), 3: ("id", "text", "need")},
}


@dataclass(frozen=True)
class Columns:
    """The columns of a table by their part; several columns of one part are joined (numbers: each is a feature).

    In a table of pairs `text` is the query and `id` the document's, if there is one; `qid`, `url` and `grade` are asked
    for in such a table alone.

    >>> chosen = Columns.parse("id=SKU,title=Name,body=Abstract+Text")
    >>> chosen.id, chosen.body, chosen.text
    ('SKU', ('Abstract', 'Text'), ())
    """

    id: str = ""
    title: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    need: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    qid: tuple[str, ...] = ()
    url: tuple[str, ...] = ()
    grade: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str, what: str = "") -> Columns:
        """Read "id=ID,title=Name,body=Abstract+Text,numbers=Views", as the command line gives it.

        Of `what` "pairs", the column "query" is the query, and the ids may be missing.
        """
        parts: dict[str, tuple[str, ...]] = {}
        known = [each.name for each in fields(cls)]
        for pair in text.split(","):
            name, equals, value = pair.partition("=")
            name = "text" if what == "pairs" and name.strip() == "query" else name
            if not equals or name.strip() not in known or not value.strip():
                raise InputError(
                    f"columns are given as id=COLUMN,title=COLUMN (parts: {', '.join(known)}), not {pair!r}"
                )
            parts[name.strip()] = tuple(each.strip() for each in value.split("+"))
        if len(parts.get("id", ())) > 1 or (what != "pairs" and not parts.get("id")):
            raise InputError("say which one column holds the ids, as id=COLUMN")
        chosen = cls(id=parts.pop("id", ("",))[0], **parts)
        if what == "pairs" and (lacks := chosen.lacks(what)):
            raise InputError(f"{lacks} (as query=COLUMN,body=COLUMN)")
        return chosen

    def lacks(self, what: str) -> str | None:
        """Say what a choice of columns lacks for `what`: "documents", "queries" or "pairs"; None if nothing."""
        if what in ("queries", "pairs") and not self.text:
            return "Choose the column that holds the queries."
        if what in ("documents", "pairs") and not (self.title or self.body):
            return "Choose the column that holds the documents' text or title."
        return None

    def all(self) -> list[str]:
        """Return every column it names."""
        ids = [self.id] if self.id else []
        return [
            *ids, *self.title, *self.body, *self.text, *self.need, *self.language, *self.numbers, *self.qid, *self.url,
            *self.grade,
        ]  # fmt: skip


def guess_columns(names: Sequence[str], what: str) -> Columns | None:
    """Recognise by their names which columns of `what` are what; None if they do not say.

    what: "documents", "queries", or "pairs" for both in one table, where a column is one thing only.

    >>> guess_columns(["query", "document", "text", "label"], "pairs")
    Columns(id='document', title=(), body=('text',), text=('query',), need=(), language=(), numbers=(), qid=(), \
url=(), grade=('label',))
    """
    lower = {_plain(name): name for name in reversed(names)}
    parts: dict[str, tuple[str, ...]] = {}
    for part, spellings in NAMES[what].items():
        taken = {name for chosen in parts.values() for name in chosen} if what == "pairs" else set()
        found = [lower[each] for each in spellings if each in lower and lower[each] not in taken]
        if found:
            parts[part] = tuple(found) if part == "numbers" else (found[0],)
    ids = parts.pop("id", ())
    if what == "pairs":
        chosen = Columns(id=ids[0] if ids else "", **parts)
        return None if chosen.lacks(what) else chosen
    wanted = "body" if what == "documents" else "text"
    if not ids or (wanted not in parts and "title" not in parts):
        return None
    return Columns(id=ids[0], **parts)


def _plain(name: str) -> str:
    """Return a column's name as it is compared: "Query text" is "query_text"."""
    return "_".join(name.strip().lower().split())


def tells(name: str, what: str) -> bool:
    """Say whether a column's name may say what it is."""
    return any(_plain(name) in spellings for spellings in NAMES[what].values())


def unnamed_columns(width: int, what: str) -> tuple[tuple[str, ...], Columns] | None:
    """Return names for the columns of a table without a header line, and what they are, if their number shows it."""
    parts = UNNAMED[what].get(width)
    if parts is None:
        return None
    names = tuple(str(number) for number in range(1, width + 1))
    chosen = {part: (number,) for part, number in zip(parts[1:], names[1:], strict=True)}
    return names, Columns(id=names[0], **chosen)
