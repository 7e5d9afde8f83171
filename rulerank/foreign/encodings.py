"""Which encoding a text is in: detected by its marks and its bytes, and guessed only where they leave it open."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from dataclasses import dataclass

from rulerank.errors import InputError

SAMPLE = 1 << 16
LONGEST_LINE = 1 << 26
"""Bytes of a line of texts; what is longer is no text, and is not read on."""
MOST_CONTROL = 0.02
_CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1a\x1b"))  # old files end with 1A, Japanese ones shift by 1B
BAD = "\ud800"  # stands for what is no character; no encoding gives half of a surrogate pair
BAD_CHARACTER = "rulerank-bad-character"
"""The name of the error handler that puts `BAD` there."""
_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
# Those that texts are really found in; a guess among all that Python knows is often a rare one.
_GUESSED = [
    "cp1252", "latin_1", "iso8859_15", "cp1250", "iso8859_2", "cp1251", "koi8_r", "cp1253", "cp1254", "cp1255",
    "cp1256", "cp437", "cp850", "mac_roman", "shift_jis", "cp932", "euc_jp", "gb18030", "big5", "euc_kr", "cp949",
]  # fmt: skip


@dataclass(frozen=True)
class Encoding:
    """The encoding of a file, by its name in Python, how it is known, and the bytes of its mark to skip."""

    name: str
    how: str  # "ASCII", "mark", "valid", "guessed" or "given"
    mark: int = 0

    @property
    def label(self) -> str:
        """What to tell people."""
        if self.how == "ASCII":
            return "ASCII"
        shown = self.name.upper().replace("_", "-")
        return f"{shown} (guessed)" if self.how == "guessed" else shown

    @property
    def by_line(self) -> bool:
        """Whether a line break is one byte, so that bytes can be cut into lines before they are decoded."""
        return not self.name.startswith(("utf-16", "utf-32"))


def given_encoding(name: str, head: bytes = b"") -> Encoding:
    """Return an encoding that somebody named; the beginning of a file shows whether a mark is to be skipped.

    UTF-16 and UTF-32 have two orders of bytes: a mark says which; without one it is that of most machines.
    """
    try:
        known = codecs.lookup(name).name
        # Not all that Python calls a codec makes text of bytes, or says which of them are none.
        b"a".decode(known, BAD_CHARACTER)
        codecs.getincrementaldecoder(known)
    except (LookupError, TypeError, ValueError):
        raise InputError(f"no encoding is named {name!r}; try utf-8, latin-1, cp1252, shift_jis or gb18030") from None
    family = known.removesuffix("-sig")
    for mark, marked in _MARKS.items():
        if head.startswith(mark) and marked.startswith(family):
            return Encoding(marked, "given", len(mark))
    return Encoding(f"{family}-le" if family in ("utf-16", "utf-32") else family, "given")


def marked_encoding(head: bytes) -> Encoding | None:
    """Return the encoding that a byte order mark at the beginning of a file names, if there is one."""
    found = next(((mark, name) for mark, name in _MARKS.items() if head.startswith(mark)), None)
    return Encoding(found[1], "mark", len(found[0])) if found else None


def is_binary(head: bytes) -> bool:
    """Say whether the beginning of a file is no text in any encoding of single bytes: too many control characters."""
    return len(head.translate(None, _CONTROL)) < (1 - MOST_CONTROL) * len(head)


def _mark_bad(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return BAD, error.end


def detect_encoding(pieces: Iterable[bytes]) -> Encoding:
    """Detect the encoding of a file from all of its bytes, in pieces.

    A mark at the beginning decides, then UTF-16's zero bytes. Then it is UTF-8 if at least half of the lines beyond
    ASCII are valid UTF-8 (the others are bad lines of a UTF-8 file). Else charset-normalizer guesses from such lines.
    """
    good = bad = 0
    sample = bytearray()
    rest = b""
    first = True
    for piece in pieces:
        if first:
            first = False
            marked = marked_encoding(piece)
            if marked:
                return marked
            wide = _zeros(piece)
            if wide:
                return Encoding(wide, "guessed")
        head, found, tail = (rest + piece).rpartition(b"\n")
        rest = tail
        if len(rest) > LONGEST_LINE:
            break
        if found and not head.isascii():
            good, bad = _count(head.split(b"\n"), good, bad, sample)
    if not rest.isascii():
        good, bad = _count([rest], good, bad, sample)
    if not good and not bad:
        return Encoding("utf-8", "ASCII")
    return Encoding("utf-8", "valid") if good >= bad else Encoding(_guess(bytes(sample)), "guessed")


def _count(lines: list[bytes], good: int, bad: int, sample: bytearray) -> tuple[int, int]:
    for line in lines:
        if line.isascii():
            continue
        try:
            line.decode("utf-8")
            good += 1
        except UnicodeDecodeError:
            bad += 1
            if len(sample) < SAMPLE:
                sample += line[:SAMPLE] + b"\n"
    return good, bad


def _zeros(piece: bytes) -> str | None:
    """Detect UTF-16 without a mark by the zero bytes of its Latin letters, blanks and line breaks."""
    head = piece[:4096]
    pairs = len(head) // 2
    if pairs < 2:
        return None
    high, low = head[1::2].count(0), head[0::2].count(0)
    if high > 0.3 * pairs and low < 0.05 * pairs:
        return "utf-16-le"
    return "utf-16-be" if low > 0.3 * pairs and high < 0.05 * pairs else None


def _guess(sample: bytes) -> str:
    from charset_normalizer import from_bytes  # noqa: PLC0415 (only for files that are not UTF-8)

    best = from_bytes(sample, cp_isolation=_GUESSED).best()
    if best is None:
        return "cp1252"  # nearly every byte is a letter of it
    # Several encodings may give the very same text: say the usual one.
    return next(name for name in _GUESSED if _decodes(sample, name) == _decodes(sample, best.encoding))


def _decodes(sample: bytes, name: str) -> str | None:
    try:
        return sample.decode(name)
    except UnicodeDecodeError:
        return None


codecs.register_error(BAD_CHARACTER, _mark_bad)
