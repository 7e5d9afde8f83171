"""LETOR's collections by name, and their five folds: parts S1 to S5 rotate into training, validation and test."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from rulerank.collection import Collection
from rulerank.errors import InputError
from rulerank.letor import read_letor

LOOK_UP = 3
"""How many folders upwards a collection's name is looked for: `2003_td_dataset`, `OHSUMED/QueryLevelNorm`."""

_SPOKEN = re.compile(
    r"(?<![a-z])(?P<short>td|np|hp)[^a-z0-9]*(?P<year>2003|2004)(?!\d)"
    r"|(?<!\d)(?P<year2>2003|2004)[^a-z0-9]*(?P<short2>td|np|hp)(?![a-z])"
)


def spoken(text: str) -> list[str]:
    """Return the collections that a name speaks of, as the papers write them: `2003_td_dataset` is TD2003."""
    lower = text.lower()
    found = ["OHSUMED"] if "ohsumed" in lower else []
    for match in _SPOKEN.finditer(lower):
        name = (match["short"] or match["short2"]).upper() + (match["year"] or match["year2"])
        if name not in found:
            found.append(name)
    return found


def spoken_by(folder: Path) -> tuple[Path, list[str]]:
    """Return the nearest of a folder and those it is in whose name speaks of a collection, and of which; or itself."""
    place = folder.resolve()
    for part in [place, *place.parents][:LOOK_UP]:
        found = spoken(part.name)
        if found:
            return part, found
    return place, []


FILES = (("train", "trainingset"), ("vali", "validationset"), ("test", "testset"))


@dataclass(frozen=True)
class Fold:
    """One fold: train on three parts, choose settings on one, test on one."""

    number: int
    train: Collection
    validation: Collection
    test: Collection


def rotate(parts: list[Collection]) -> list[Fold]:
    """Return the folds of LETOR's rotation: Fold1 trains on S1 S2 S3, validates on S4 and tests on S5, and so on."""
    count = len(parts)
    if count < 3:
        raise InputError(f"a rotation needs at least 3 parts, not {count}")
    folds = []
    for first in range(count):
        turn = [parts[(first + step) % count] for step in range(count)]
        folds.append(Fold(first + 1, Collection.concat(turn[:-2]), turn[-2], turn[-1]))
    return folds


def read_folds(folder: Path) -> list[Fold]:
    """Read a folder with S1.txt to S5.txt, or with Fold1 to Fold5 that hold train.txt, vali.txt and test.txt."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; give the one that holds S1.txt ... S5.txt or Fold1 ... Fold5")
    parts = [_find(folder, f"S{number}") for number in range(1, 6)]
    if all(parts):
        return rotate([read_letor(part) for part in parts if part])
    folds = []
    for number in range(1, 6):
        inside = folder / f"Fold{number}"
        files = [_find(inside, name) for name in FILES]
        if not all(files):
            raise InputError(
                f"{folder} holds neither S1.txt ... S5.txt nor Fold{number} with train.txt, vali.txt and test.txt"
            )
        folds.append(Fold(number, *(read_letor(file) for file in files if file)))
    return folds


def _find(folder: Path, names: str | tuple[str, ...]) -> Path | None:
    """Return the file of one of these names in the folder, plain or compressed."""
    for name in (names,) if isinstance(names, str) else names:
        for ending in (".txt", ".txt.gz", ".txt.xz", ".txt.bz2", ".txt.zip"):
            if (folder / f"{name}{ending}").is_file():
                return folder / f"{name}{ending}"
    return None
