"""What every format does: name its files, write them one at a time, and check each by reading it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rulerank.errors import InputError
from rulerank.export.export import Export
from rulerank.export.pieces import Pieces, joined
from rulerank.registry import Registry

formats: Registry[Any] = Registry("export format", "rulerank.export.formats", "rulerank.export_formats")

_MARKS = re.compile(r'[,"\r\n]')
_CELL = re.compile(r'(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))([,\n])')


class Format:
    """A way to write an Export; the first line of a subclass's docstring is what screens and README.txt say of it."""

    name: str
    label: str
    from_text = False  # whether the files are made from `Export.text`
    checked_by_text = False  # whether a check waits for that of `Export.text`, and does little else

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


def choose(names: Iterable[str] | None) -> list[Format]:
    """Return the formats of these names, or all of them."""
    if isinstance(names, str):
        raise InputError(f"formats must be a list of names, as in formats=[{names!r}]")
    wanted = formats.names() if names is None else list(dict.fromkeys(names))
    if not wanted:
        raise InputError(f"choose at least one format: {', '.join(formats.names())}")
    return [formats[name]() for name in wanted]


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
