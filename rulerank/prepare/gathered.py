"""What the readers hand over: documents, queries, judgements and runs, checked as they come."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rulerank.foreign.storable import LONGEST_ID, LONGEST_LANGUAGE, storable, too_long, unstorable
from rulerank.memory import MemoryMeter
from rulerank.prepare.files import TextLines
from rulerank.text import DocumentText, QueryText

# What a LETOR comment or a qid cannot hold.
_UNFIT_DOCID = re.compile(r"\s")
_UNFIT_QID = re.compile(r"[\s#]")
MOST_NAMED = 1000  # of what was left out
BYTES_PER_TEXT = 600  # of a record beside its texts: its object, its id, and its places in tables


@dataclass(frozen=True)
class LeftOut:
    """What the files name and the collection does not have: of what how much, why, and its names (up to a limit).

    >>> LeftOut.of("documents", ["d7", "d9"], "without text nobody can judge them").words
    '2 documents left out: without text nobody can judge them (d7, d9)'
    """

    what: str  # "documents", "queries", "rows", "files", ...
    count: int
    why: str
    names: tuple[str, ...]

    @staticmethod
    def of(what: str, names: Sequence[str], why: str) -> LeftOut:
        """Return what is left out, named as far as anybody reads."""
        return LeftOut(what, len(names), why, tuple(names[:MOST_NAMED]))

    @property
    def words(self) -> str:
        """It in a few words, with the first names."""
        shown = ", ".join(self.names[:5]) + (", ..." if self.count > 5 else "")
        one = {"queries": "query"}.get(self.what, self.what.removesuffix("s"))
        return f"{self.count:,} {one if self.count == 1 else self.what} left out: {self.why} ({shown})"


@dataclass
class Gathered:
    """Everything that was read, by id; `notes` say what people should know about it.

    >>> from rulerank.text import DocumentText, QueryText
    >>> texts = {"d1": DocumentText("Wings", "Lift of a wing"), "d2": DocumentText("Cats", "A cat sleeps")}
    >>> found = Gathered(documents=texts, queries={"q1": QueryText("wing lift")}, judgements={"q1": {"d1": 1}})
    >>> sorted(found.documents), found.judgements
    (['d1', 'd2'], {'q1': {'d1': 1}})
    """

    documents: dict[str, DocumentText] = field(default_factory=dict)
    numbers: dict[str, dict[str, float]] = field(default_factory=dict)  # by column, then docid
    queries: dict[str, QueryText] = field(default_factory=dict)
    judgements: dict[str, dict[str, int]] = field(default_factory=dict)  # grade by qid, then docid
    runs: dict[str, dict[str, list[str]]] = field(default_factory=dict)  # docids in order by run, then qid
    kind: str = ""
    complete: bool = False  # whether what is not judged is known to be not relevant
    pairs: tuple[tuple[str, str], ...] = ()  # (qid, docid) as a table has them: no candidates are chosen then
    pair_numbers: dict[str, dict[tuple[str, str], float]] = field(default_factory=dict)  # by column, then pair
    left_out: list[LeftOut] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)  # encoding by file
    notes: list[str] = field(default_factory=list)


class Gatherer:
    """Takes records from readers, refuses what cannot be used, and remembers where each id stood."""

    def __init__(self) -> None:
        self.gathered = Gathered()
        self.empty: list[str] = []
        self.meter = MemoryMeter("the texts up to here", "bring fewer documents")
        self._places: dict[tuple[str, str], str] = {}

    def document(
        self,
        source: TextLines,
        line: int,
        docid: str,
        title: str,
        body: str,
        language: str | None = None,
        numbers: Mapping[str, float] | None = None,
    ) -> None:
        """Keep a document; one without any text is counted and left out, since nobody can judge it."""
        docid = docid.strip()
        if not self._fits(source, line, "document", docid, _UNFIT_DOCID, "blanks"):
            return
        title, body = clean(title), clean(body)
        if not title and not body:
            self.empty.append(docid)
            return
        code = clean(language or "").lower() or None
        if len(code or "") > LONGEST_LANGUAGE:
            source.complain(code or "", "no language code such as 'en'", line)
            return
        self.meter.add(BYTES_PER_TEXT + sys.getsizeof(title) + sys.getsizeof(body))
        self.gathered.documents[docid] = DocumentText(title, body, code)
        for name, value in (numbers or {}).items():
            self.gathered.numbers.setdefault(name, {})[docid] = value

    def query(self, source: TextLines, line: int, qid: str, text: str, need: str = "") -> None:
        """Keep a query."""
        qid = qid.strip()
        if not self._fits(source, line, "query", qid, _UNFIT_QID, "blanks or '#'"):
            return
        text, need = clean(text), clean(need)
        if not text:
            text, need = need, ""
        if not text:
            source.complain(qid, "the query has no text", line)
            return
        self.meter.add(BYTES_PER_TEXT + sys.getsizeof(text) + sys.getsizeof(need))
        self.gathered.queries[qid] = QueryText(text, need)

    def ids(self, what: str) -> list[str]:
        """Return the ids of all records of a kind in their order, those that were left out included."""
        return [key for kind, key in self._places if kind == what]

    def _fits(self, source: TextLines, line: int, what: str, key: str, unfit: re.Pattern[str], words: str) -> bool:
        if not key or unfit.search(key):
            source.complain(key, f"the {what}'s id must be text without {words}, as LETOR's ids are", line)
            return False
        fault = unstorable(key) or (too_long(f"{what}'s id", key) if len(key) > LONGEST_ID else None)
        if fault:
            source.complain(key, fault, line)
            return False
        before = self._places.setdefault((what, key), f"{source.name}:{line}")
        if before != f"{source.name}:{line}":
            source.complain(key, f"the {what} {key!r} stands in {before} already; keep one of the two", line)
            return False
        return True


def clean(text: str) -> str:
    """Return a text without blanks around it, and without what cannot be stored."""
    return storable(text.strip())
