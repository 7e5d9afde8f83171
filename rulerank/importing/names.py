"""What data are called: by the data set, the folder or the archive, or by what the files' names share."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import takewhile
from pathlib import PurePosixPath
from typing import Any

from rulerank.files import without_packing

UNKNOWN = "New collection"

# Data sets that are handed on under names of files or folders which few would choose for a campaign.
KNOWN = {
    "cran": "Cranfield",
    "cisi": "CISI",
    "med": "MED",
    "cacm": "CACM",
    "ohsumed": "OHSUMED",
    "mq2007": "MQ2007",
    "mq2008": "MQ2008",
    "td2003": "TD2003",
    "td2004": "TD2004",
}
# Names that say which part of a data set a file is, and nothing of the data set.
_PART = re.compile(
    r"(s|fold|part|set|split)?[ _.-]?\d+|train(ing)?|test(ing)?|vali(d|dation)?|dev|all|data(set)?|letor|files?|"
    r"input|documents?|docs?|corpus|collection|passages?|quer(y|ies)|qry|topics?|questions?|qrels?|q?rel|judge?ments?|runs?|"
    r"pairs?|table|export|untitled|min|querylevelnorm|readme|features?|texts?|new",
    re.IGNORECASE,
)
_SIGNS = " ._-()[]"


def data_name(paths: Sequence[str]) -> str:
    """Return what a data set is called whose files have these names, with folders as far as they are known.

    >>> data_name(["MQ2008/Fold1/train.txt", "MQ2008/Fold1/test.txt"]), data_name(["cran.all.1400", "cranqrel.readme"])
    ('MQ2008', 'Cranfield')
    >>> data_name(["reports.zip"]), data_name(["S1.txt", "S2.txt"])
    ('reports', 'New collection')
    """
    stems = [_stem(PurePosixPath(path).name) for path in paths]
    shared = stems[0] if len(stems) == 1 else _cut(len(_alike([stem.lower() for stem in stems])), stems[0])
    folders = [PurePosixPath(path).parts[:-1] for path in paths]
    for name in (shared, *reversed(_alike(folders))):
        known = KNOWN.get(name.lower().strip(_SIGNS))
        if known:
            return known
        if _tells(name):
            return name.strip(_SIGNS)
    return UNKNOWN


def free_name(name: str, taken: Collection[str]) -> str:
    """Return a name that nothing else has: the name itself, or with the next number.

    >>> free_name("MQ2008", ["MQ2008", "MQ2008 (2)"])
    'MQ2008 (3)'
    """
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free


def _stem(name: str) -> str:
    """Return a file's name without its endings: `news.tar.gz` is `news`, and `v1.2.csv` is `v1.2`."""
    plain = name[: len(without_packing(name))]
    return re.sub(r"(\.[A-Za-z][A-Za-z0-9]{0,7})+$", "", plain) or plain


def _alike(several: Sequence[Sequence[Any]]) -> list[Any]:
    """Return what all of several texts, or lists of folders, begin with."""
    return [each[0] for each in takewhile(lambda each: len(set(each)) == 1, zip(*several, strict=False))]


def _cut(shared: int, first: str) -> str:
    """Return the shared beginning as it is written, without a number that it breaks off in."""
    words, rest = first[:shared], first[shared:]
    broken = rest[:1].isdigit() and words[-1:].isdigit()
    return (words.rstrip("0123456789") if broken else words).rstrip(_SIGNS)


def _tells(name: str) -> bool:
    """Say whether a name says something of the data set."""
    words = [word for word in re.split(r"[ ._()\[\]-]+", name) if word]
    return len(name.strip(_SIGNS)) >= 2 and name != "/" and not all(map(_PART.fullmatch, words))
