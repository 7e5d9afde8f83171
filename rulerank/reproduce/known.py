"""LETOR 3.0's collections: their names, where BM25 stands in them, and how to find them in folders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rulerank.errors import InputError
from rulerank.letor.names import spoken, spoken_by

NORMALISED = "querylevelnorm"
"""The version of a collection that both papers used: every feature scaled to 0..1 within its query."""

DEPTH = 5
"""How many folders downwards collections are looked for."""


@dataclass(frozen=True)
class Known:
    """A collection of LETOR 3.0.

    bm25: the number (from 1) of the feature that the papers' "BM25 attribute" is taken to be; other_bm25: further
    features that are BM25 of a part of the document. In the Gov collections 21 to 25 are BM25 of body, anchor, title,
    URL and the whole document; in OHSUMED 11, 26 and 41 are those of title, abstract and both.
    """

    name: str
    task: str
    bm25: int
    other_bm25: tuple[int, ...]


_GOV = {"TD": "topic distillation", "NP": "named page finding", "HP": "homepage finding"}

KNOWN = {
    "OHSUMED": Known("OHSUMED", "medical abstracts", 11, (26, 41)),
    **{
        f"{short}{year}": Known(f"{short}{year}", f"{task}, TREC {year}", 25, (21, 22, 23, 24))
        for short, task in _GOV.items()
        for year in (2003, 2004)
    },
}


def by_name(name: str) -> Known:
    """Return the collection that a person names: TD2003, td2003, 2003_td_dataset, ohsumed."""
    found = spoken(name)
    if len(found) != 1:
        raise InputError(f"no collection is named {name!r}; there are: {', '.join(KNOWN)}")
    return KNOWN[found[0]]


def of_folder(folder: Path) -> Known:
    """Return the collection that a folder's name, or one of the folders it is in, speaks of; the nearest one counts."""
    part, found = spoken_by(folder)
    if len(found) == 1:
        return KNOWN[found[0]]
    if found:
        raise InputError(f"{part.name!r} speaks of {' and '.join(found)}; say which it is with --collection")
    raise InputError(
        f"the name of {folder} does not say which collection it is; say it with --collection "
        f"(one of {', '.join(KNOWN)})"
    )


def holds_folds(folder: Path) -> bool:
    """Say whether a folder has LETOR's five folds: Fold1 ... Fold5, or S1.txt ... S5.txt (plain or compressed)."""
    if all((folder / f"Fold{number}").is_dir() for number in range(1, 6)):
        return True
    return all(any(folder.glob(f"S{number}.txt*")) for number in range(1, 6))


def find_below(folder: Path) -> tuple[dict[str, Path], list[Path]]:
    """Return where the known collections are in a folder or below it, and the fold folders that were passed over.

    Passed over are folders whose name speaks of no collection, and second versions of a collection (the one under
    `QueryLevelNorm` is taken, else the first by name).
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; give one that holds LETOR's collections, for example Gov")
    found: dict[str, Path] = {}
    passed: list[Path] = []
    for place in sorted(_fold_folders(folder, DEPTH), key=lambda path: (not _normalised(path), str(path))):
        try:
            name = of_folder(place).name
        except InputError:
            passed.append(place)
            continue
        if name in found:
            passed.append(place)
        else:
            found[name] = place
    return {name: found[name] for name in KNOWN if name in found}, passed


def _normalised(folder: Path) -> bool:
    return NORMALISED in str(folder).lower()


def _fold_folders(folder: Path, depth: int) -> Iterator[Path]:
    if holds_folds(folder):
        yield folder
    elif depth:
        for inside in sorted(folder.iterdir()):
            if inside.is_dir() and not inside.is_symlink():
                yield from _fold_folders(inside, depth - 1)


def fold_folder(folder: Path) -> Path:
    """Return the folder itself if it holds folds; else say what is missing, and what was found below it."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; give the one that holds Fold1 ... Fold5 or S1.txt ... S5.txt")
    if holds_folds(folder):
        return folder
    below, _ = find_below(folder)
    hint = (
        f"; below it there are {', '.join(f'{name} ({path})' for name, path in below.items())}: "
        "name one of them, or give --all to do them all"
        if below
        else ""
    )
    raise InputError(f"{folder} holds neither Fold1 ... Fold5 nor S1.txt ... S5.txt{hint}")
