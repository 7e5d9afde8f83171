"""What every format does: name its files, write them one at a time, and check each by reading it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rulerank.errors import InputError
from rulerank.export.export import Export
from rulerank.export.lines import Pieces, joined
from rulerank.registry import Registry
from rulerank.strategy import Configurable, Strategy

formats: Registry[Any] = Registry("export format", "rulerank.export.formats", "rulerank.export_formats")

_MARKS = re.compile(r'[,"\r\n]')
_CELL = re.compile(r'(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))([,\n])')


class Format(Configurable):
    """A way to write an Export; the first line of a subclass's docstring is what screens and README.txt say of it.

    >>> [each.label for each in choose(["letor", "qrels"])]
    ['LETOR, one file', 'TREC qrels']
    >>> choose(["qrels"])[0].summary
    'Grades as trec_eval reads them, `qid 0 docid grade`; a document without docid goes by its row, as row17.'
    """

    from_text = False  # whether the files are made from `Export.text`
    checked_by_text = False  # whether a check waits for that of `Export.text`, and does little else
    has_queries = False  # whether the files have qids as trainers read them, so that they may be numbered
    has_folds = False  # whether it deals queries to folds, so that it needs as many queries as folds
    has_sheets = False  # whether it has a table for machines and one for spreadsheets
    loading = ""  # a program in Python that loads the files, for README.txt; {features}: how many there are

    @property
    def summary(self) -> str:
        """What the format is, in one sentence."""
        return (self.__doc__ or "").strip().split("\n")[0]

    def names(self, export: Export) -> list[str]:
        """Return the names of the files, in the order in which `files` gives them."""
        raise NotImplementedError

    def pieces(self, export: Export) -> Iterator[tuple[str, Pieces]]:
        """Give each file's name and the pieces of its contents."""
        raise NotImplementedError

    def files(self, export: Export) -> Iterator[tuple[str, bytes]]:
        """Give each file's name and contents."""
        return ((name, joined(pieces)) for name, pieces in self.pieces(export))

    def check(self, export: Export, name: str, data: bytes) -> list[str]:
        """Read a file of this format and return what is not as it was meant."""
        raise NotImplementedError

    def conflicts(self, export: Export) -> list[str]:
        """Return what this format cannot express of the export, so that its files would mislead."""
        return []


def choose(names: Iterable[str | Strategy] | None) -> list[Format]:
    """Return the formats of these names, or all of them; a name may have parameters (`name:parameter=value`)."""
    if isinstance(names, str):
        raise InputError(f"formats must be a list of names, as in formats=[{names!r}]")
    wanted = {each.key: each for each in map(Strategy.from_dict, formats.names() if names is None else names)}
    if not wanted:
        raise InputError(f"choose at least one format: {', '.join(formats.names())}")
    twice = next((name for name, count in Counter(each.name for each in wanted.values()).items() if count > 1), None)
    if twice:
        raise InputError(f"the format {twice} is there twice, and both would write the same files; leave one out")
    return [each.make(formats) for each in wanted.values()]


def text_of(data: bytes) -> str:
    """Decode as the LETOR reader does: bytes that are not UTF-8 survive."""
    return data.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """Encode as the LETOR writer does."""
    return text.encode("utf-8", "surrogateescape")


def quoted(text: str) -> str:
    """Return a text as a cell of a CSV file."""
    if _MARKS.search(text):
        return '"' + text.replace('"', '""') + '"'
    return text


def quoted_all(texts: Sequence[str]) -> Sequence[str]:
    """Return texts as cells of a CSV file; one look at all tells that none needs quotes, as mostly none does."""
    return list(map(quoted, texts)) if _MARKS.search("".join(texts)) else texts


def csv_line(cells: Iterable[str]) -> str:
    """Return a line of a CSV file."""
    return ",".join(map(quoted, cells)) + "\n"


def csv_rows(text: str) -> list[list[str]]:
    """Read a CSV file to where it ends or breaks; unlike the `csv` module's, its cells may be of any length."""
    rows: list[list[str]] = []
    row: list[str] = []
    at = 0
    while found := _CELL.match(text, at):
        inside, plain, end = found.groups()
        row.append(plain if inside is None else inside.replace('""', '"'))
        if end == "\n":
            rows.append(row)
            row = []
        at = found.end()
    return rows
