"""Which column of a table is what: chosen by people, or told by the columns' names."""

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
UNNAMED = {
    "documents": {2: ("id", "body"), 3: ("id", "title", "body"), 4: ("id", "title", "body", "language")},
    "queries": {2: ("id", "text"), 3: ("id", "text", "need")},
}


@dataclass(frozen=True)
class Columns:
    """The columns of a table by their part; several columns of one part are joined (numbers: each is a feature)."""

    id: str
    title: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    need: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Columns:
        """Read "id=ID,title=Name,body=Abstract+Text,numbers=Views", as the command line gives it."""
        parts: dict[str, tuple[str, ...]] = {}
        known = [each.name for each in fields(cls)]
        for pair in text.split(","):
            name, equals, value = pair.partition("=")
            if not equals or name.strip() not in known or not value.strip():
                raise InputError(
                    f"columns are given as id=COLUMN,title=COLUMN (parts: {', '.join(known)}), not {pair!r}"
                )
            parts[name.strip()] = tuple(each.strip() for each in value.split("+"))
        if len(parts.get("id", ())) != 1:
            raise InputError("say which one column holds the ids, as id=COLUMN")
        return cls(id=parts.pop("id")[0], **parts)

    def all(self) -> list[str]:
        """Return every column it names."""
        return [
            self.id, *self.title, *self.body, *self.text, *self.need, *self.language, *self.numbers,
        ]  # fmt: skip


def guess_columns(names: Sequence[str], what: str) -> Columns | None:
    """Tell by their names which columns of `what` ("documents" or "queries") are what; None if they do not say."""
    lower = {name.strip().lower(): name for name in reversed(names)}
    parts: dict[str, tuple[str, ...]] = {}
    for part, spellings in NAMES[what].items():
        found = [lower[each] for each in spellings if each in lower]
        if found:
            parts[part] = tuple(found) if part == "numbers" else (found[0],)
    ids = parts.pop("id", ())
    wanted = "body" if what == "documents" else "text"
    if not ids or (wanted not in parts and "title" not in parts):
        return None
    return Columns(id=ids[0], **parts)


def unnamed_columns(width: int, what: str) -> tuple[tuple[str, ...], Columns] | None:
    """Return names for the columns of a table without a header line, and what they are, if their number tells."""
    parts = UNNAMED[what].get(width)
    if parts is None:
        return None
    names = tuple(str(number) for number in range(1, width + 1))
    chosen = {part: (number,) for part, number in zip(parts[1:], names[1:], strict=True)}
    return names, Columns(id=names[0], **chosen)
