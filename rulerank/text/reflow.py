"""Text that was broken by hand, put together again for reading; code, tables, lists and verse keep their lines."""

from __future__ import annotations

import re
from itertools import pairwise

NARROWEST, WIDEST = 32, 120
"""Characters of the longest line of a paragraph that was broken by hand: below, it is a list; above, it was not."""

FULL = 0.6
"""A line that is filled has at least this share of the longest; four of five are filled, before the last one. Or three
of five lines end within a sentence."""

_ALIGNED = re.compile(r"\S(?: {3,}|\t)\s*\S|\|.*\||^[-=+| ]{3,}$")
_ITEM = re.compile(r"(?:[-*•·–—+>] |\(?\d{1,3}[.)] |\(?[A-Za-z][.)] |[A-Z][\w-]{0,20}: )")
_CODE = re.compile(r"[;{}]\s*$|^(?:#|//|/\*|[$>]|def |class |import |return\b|@\w)|\w\(.*\)\s*:?$|[^=<>!]==?\s|=>|->")
_WIDE = re.compile("[\u3000-\u9fff\uff00-\uffef]")


def reflow(text: str) -> str:
    """Return a text in which the lines of each paragraph that was broken by hand are one line.

    Only blanks and line ends change: every other character stays, in its order. A line that is indented begins a
    paragraph; two or more such lines, columns of a table, items of a list, code and verse stay as they are.

    >>> print(reflow("A study of a wing in a slipstream was\\nmade to find the lift of that wing.\\n\\nEnd."))
    A study of a wing in a slipstream was made to find the lift of that wing.
    <BLANKLINE>
    End.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    made: list[str] = []
    at = 0
    while at < len(lines):
        end = at + 1
        if _joins(lines, at):
            while end < len(lines) and _continues(lines, end):
                end += 1
        part = lines[at:end]
        made += [_joined(part)] if len(part) > 1 and _wrapped(part) else part
        at = end
    changed = "\n".join(made)
    return text if len(made) == len(lines) else changed


def _indented(line: str) -> bool:
    return line[:1].isspace()


def _joins(lines: list[str], at: int) -> bool:
    """Say whether other lines may follow this one in its paragraph."""
    line = lines[at]
    if not line.strip() or _ALIGNED.search(line.strip()):
        return False
    follows = at + 1 < len(lines) and bool(lines[at + 1].strip())
    return follows and not (_indented(line) and _indented(lines[at + 1]))


def _continues(lines: list[str], at: int) -> bool:
    """Say whether a line goes on with the paragraph of the line before it."""
    line = lines[at]
    return bool(line.strip()) and not _indented(line) and not _ALIGNED.search(line) and not _ITEM.match(line)


def _wrapped(lines: list[str]) -> bool:
    """Say whether the lines look like a paragraph that was broken where its lines were full."""
    lengths = [len(line.strip()) for line in lines]
    longest = max(lengths)
    if not NARROWEST <= longest <= WIDEST:
        return False
    if sum(bool(_CODE.search(line)) for line in lines) > 0.3 * len(lines):
        return False
    breaks = len(lines) - 1
    filled = sum(length >= FULL * longest for length in lengths[:-1])
    within = sum(_within_sentence(*pair) for pair in pairwise(lines))
    if filled < 0.8 * breaks and within < 0.6 * breaks:
        return False
    # Verse, titles and names: each line begins anew.
    return not all(line[:1].isupper() for line in lines[1:])


def _within_sentence(line: str, following: str) -> bool:
    return not line.rstrip().endswith((".", "!", "?", ":", ";")) and following.strip()[:1].islower()


def _joined(lines: list[str]) -> str:
    """Return lines as one; a word that was broken at its hyphen has no blank there, nor have wide characters."""
    made = lines[0].rstrip()
    for line in lines[1:]:
        following = line.strip()
        broken = re.search(r"\w-$", made) and following[:1].islower()
        wide = _WIDE.match(made[-1:]) and _WIDE.match(following[:1])
        made += following if broken or wide else f" {following}"
    return made
