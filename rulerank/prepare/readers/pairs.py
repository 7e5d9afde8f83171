"""One table of query-document pairs: every row is kept as it stands, and what belongs together is recognised.

A query is recognised by its text (and by its id, if there is one); a document by its id, else by its address, else by
its text. Nothing is chosen and nothing is lost: a row without a query or a document is left out and listed by line;
one that contradicts another is refused.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field

from rulerank.collection.fields import MAX_GRADE, UNLABELLED
from rulerank.foreign.numbers import NumberError, finite_number
from rulerank.prepare.files import TextLines
from rulerank.prepare.gathered import BYTES_PER_TEXT, Gatherer, LeftOut, clean
from rulerank.prepare.readers.columns import Columns
from rulerank.prepare.readers.table import Table, joined, number

_BLANKS = re.compile(r"\s+")
_NO_QUERY = "there is no query"
_NO_TEXT = "the document has neither text nor title, so nobody can judge it"
_HINTS = {_NO_QUERY: "fill it in, or delete the row", _NO_TEXT: "add one, or delete the row"}


@dataclass(frozen=True)
class _Row:
    """A row as it stands in its file; what is empty is missing."""

    lines: TextLines
    line: int
    record: int  # as a spreadsheet counts
    qid: str
    query: str
    need: str
    docid: str
    url: str
    title: str
    body: str
    language: str
    grade: int
    numbers: dict[str, float]

    @property
    def place(self) -> str:
        return f"{self.lines.unit} {self.line}"

    @property
    def full_place(self) -> str:
        """Its place in full: by its row, too, where cells are broken into lines, as a spreadsheet counts."""
        return f"{self.place}{_spreadsheet(self.line, self.record)}"

    @property
    def text(self) -> tuple[str, str]:
        return same(self.title), same(self.body)

    def complain(self, found: str, message: str) -> None:
        _complain(self.lines, self.line, self.record, found, message)


@dataclass
class PairTables:
    """Reads tables of pairs one after the other; `finish` hands over what they hold together."""

    into: Gatherer
    columns: Columns | None = None
    grades: dict[int, int] | None = None
    _rows: list[_Row] = field(default_factory=list)
    _kept: list[tuple[str, _Row]] = field(default_factory=list)  # those that are used, by their documents' keys

    def read(self, lines: TextLines) -> None:
        """Read the rows of a table."""
        table = Table(lines, "pairs", self.columns)
        for line, cells in table.rows():
            chosen = table.checked()
            texts = {part: clean(joined(cells, getattr(chosen, part))) for part in ("title", "body", "text", "need")}
            self.into.meter.add(BYTES_PER_TEXT + sum(map(sys.getsizeof, texts.values())))
            numbers = {}
            for name in chosen.numbers:
                value = number(cells.get(name))
                if value is None:
                    words = f"the column {name!r} must hold finite numbers"
                    _complain(lines, line, table.record, str(cells.get(name)), words)
                else:
                    numbers[name] = value
            row = _Row(
                lines, line, table.record,
                qid=_fit(joined(cells, chosen.qid)).replace("#", "_"),
                query=texts["text"],
                need=texts["need"],
                docid=_fit(joined(cells, (chosen.id,))) if chosen.id else "",
                url=_fit(joined(cells, chosen.url)),
                title=texts["title"],
                body=texts["body"],
                language=joined(cells, chosen.language),
                grade=self._grade(lines, line, table.record, joined(cells, chosen.grade), chosen),
                numbers=numbers,
            )  # fmt: skip
            self._rows.append(row)
        chosen_columns = table.columns.all() if table.columns else []
        if spare := [name for name in table.names if name not in chosen_columns]:
            why = f"not assigned in {lines.name}"
            self.into.gathered.left_out.append(LeftOut.of("columns", spare, why))

    def _grade(self, lines: TextLines, line: int, record: int, text: str, columns: Columns) -> int:
        """Return the grade in a cell; an empty one, and LETOR's -1, say that nobody has judged."""
        if not text.strip():
            return UNLABELLED
        try:
            value = finite_number(text)
        except NumberError:
            value = 0.5
        known = self.grades
        if value.is_integer() and known is not None and value in known:
            return known[int(value)]
        if value.is_integer() and UNLABELLED <= value <= MAX_GRADE and known is None:
            return int(value)
        column = "+".join(columns.grade)
        hint = f"write one of {sorted(known)}" if known else "write a whole number such as 0, 1 or 2"
        empty = "leave the cell empty where nobody has judged"
        words = f"what stands in the column {column!r} is not a grade; {hint}, or {empty}"
        _complain(lines, line, record, text, words)
        return UNLABELLED

    def finish(self) -> None:
        """Recognise queries, documents and pairs that stand in several rows, and hand everything over."""
        keys = self._keys()
        self._leave_out(keys)
        qids = self._queries()
        self._documents(keys)
        first: dict[tuple[str, str], _Row] = {}
        grades: dict[tuple[str, str], int] = {}
        repeated = []
        for (docid, row), qid in zip(self._kept, qids, strict=True):
            pair = qid, docid
            if pair not in first:
                first[pair], grades[pair] = row, row.grade
            elif UNLABELLED in (row.grade, grades[pair]) or row.grade == grades[pair]:
                grades[pair] = max(row.grade, grades[pair])
                repeated.append(f"{row.full_place} (as {first[pair].full_place})")
            else:
                words = f"this pair has grade {grades[pair]} in {first[pair].place}; keep one of the two rows"
                row.complain(str(row.grade), words)
        found = self.into.gathered
        found.pairs = tuple(first)
        for (qid, docid), row in first.items():
            if grades[qid, docid] != UNLABELLED:
                found.judgements.setdefault(qid, {})[docid] = grades[qid, docid]
            for name, value in row.numbers.items():
                found.pair_numbers.setdefault(name, {})[qid, docid] = value
        if repeated:
            found.left_out.append(LeftOut.of("rows", repeated, "the same pair stands above, and counts once"))
        for row in self._rows[:1]:
            row.lines.problems.sort()

    def _leave_out(self, keys: list[str]) -> None:
        """List the rows without a query or without a document, and keep the others; refuse a table of such rows alone.

        An id is enough where another row says what it stands for.
        """
        asked = {row.qid for row in self._rows if row.qid and row.query}
        shown = {key for key, row in zip(keys, self._rows, strict=True) if any(row.text)}
        bare: dict[str, list[_Row]] = {}
        for key, row in zip(keys, self._rows, strict=True):
            if not row.query and row.qid not in asked:
                bare.setdefault(_NO_QUERY, []).append(row)
            elif key not in shown:
                bare.setdefault(_NO_TEXT, []).append(row)
            else:
                self._kept.append((key, row))
        several = len({row.lines.name for row in self._rows}) > 1
        for why, rows in bare.items():
            if self._kept:
                names = [f"{row.lines.name}, {row.full_place}" if several else row.full_place for row in rows]
                self.into.gathered.left_out.append(LeftOut.of("rows", names, why))
                continue
            for row in rows:
                row.complain("", f"{why}; {_HINTS[why]}")

    def _queries(self) -> list[str]:
        """Return the qid of each row that is kept."""
        texts: dict[str, _Row] = {}  # by qid
        by_text: dict[str, str] = {}
        for row in self._rows:
            if row.query and row.qid:
                texts.setdefault(row.qid, row)
                by_text.setdefault(same(row.query), row.qid)
        numbers = _Numbers("q", {row.qid for row in self._rows})
        found, given, merged = [], set(), set()
        for _, row in self._kept:
            source = row if row.query else texts[row.qid]
            if row.query and row.qid and same(texts[row.qid].query) != same(row.query):
                words = f"the query id {row.qid!r} stands for another query in {texts[row.qid].place}; "
                row.complain(row.query, f"{words}give one of them an id of its own")
            text = same(source.query)
            qid = by_text.get(text) or by_text.setdefault(text, numbers.next())
            if row.qid and row.qid != qid:
                merged.add(f"{row.qid} (as {qid})")
            if qid not in given:
                given.add(qid)
                self.into.query(source.lines, source.line, qid, source.query, source.need)
            found.append(qid)
        if merged:
            why = "another query has the same text, and both are one"
            self.into.gathered.left_out.append(LeftOut.of("query ids", sorted(merged), why))
        return found

    def _documents(self, keys: list[str]) -> None:
        """Hand over the documents of the rows that are kept; a title or text may stand in another row."""
        titles: dict[str, _Row] = {}
        bodies: dict[str, _Row] = {}
        for key, row in zip(keys, self._rows, strict=True):
            if row.title:
                titles.setdefault(key, row)
            if row.body:
                bodies.setdefault(key, row)
        given = set()
        for key, row in self._kept:
            title, body = titles.get(key), bodies.get(key)
            for part, kept in (("title", title), ("body", body)):
                here, there = getattr(row, part), getattr(kept, part, "")
                if kept is not None and here and same(here) != same(there):
                    words = f"the document {key!r} has another {'text' if part == 'body' else part} in {kept.place}; "
                    row.complain(here, f"{words}make them equal, or give one of them an id of its own")
            if key not in given:
                given.add(key)
                self.into.document(
                    row.lines, row.line, key, title.title if title else "", body.body if body else "", row.language
                )

    def _keys(self) -> list[str]:
        """Return what each row's document is recognised by: its id, its address, or the id of the same text."""
        numbers = _Numbers("d", {row.docid for row in self._rows} | {row.url for row in self._rows})
        by_text: dict[tuple[str, str], str] = {}
        pages: dict[str, dict[str, str]] = {}  # ids by address and text: one page may be there in several passages
        for row in self._rows:
            if row.docid and any(row.text):
                by_text.setdefault(row.text, row.docid)
        keys = []
        for row in self._rows:
            if row.docid:
                keys.append(row.docid)
            elif row.url:
                known = pages.setdefault(row.url, {})
                text = same(row.body) or next(iter(known), "")
                more = f"#{len(known) + 1}" if known else ""
                keys.append(known.setdefault(text, f"{row.url}{more}"))
            elif any(row.text):
                keys.append(by_text.get(row.text) or by_text.setdefault(row.text, numbers.next()))
            else:
                keys.append("")
        return keys


@dataclass
class _Numbers:
    """Ids for what has none: a letter and the next number that nothing else is called by."""

    letter: str
    taken: set[str]
    last: int = 0

    def next(self) -> str:
        """Return the next id."""
        self.last += 1
        while f"{self.letter}{self.last}" in self.taken:
            self.last += 1
        return f"{self.letter}{self.last}"


def _complain(lines: TextLines, line: int, record: int, found: str, message: str) -> None:
    """Note a problem by its line, and by its row where cells are broken into lines, as a spreadsheet counts."""
    lines.complain(found, f"{message}{_spreadsheet(line, record)}", line)


def _spreadsheet(line: int, record: int) -> str:
    return "" if record in (0, line) else f" (row {record} in a spreadsheet)"


def same(text: str) -> str:
    """Return a text as it is compared with others: how it is broken into lines makes no difference."""
    return " ".join(text.split())


def _fit(text: str) -> str:
    """Return an id as LETOR can hold it, with an underscore for blanks."""
    return _BLANKS.sub("_", text.strip())
