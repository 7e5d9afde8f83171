"""The collections of the two papers, where to find them, and the figures that the papers print of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rulerank.errors import InputError
from rulerank.folds import spoken, spoken_by

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


SAMPLING, QUERY_LEVEL = "Rule-Based Active Sampling for Learning to Rank", "Learning to Rank using Query-Level Rules"


@dataclass(frozen=True)
class Printed:
    """One printed figure: its mean, the folds where they are printed, the interval (mean +- plus_minus) where one is.

    unit: one in the last printed digit, the size of the rounding.

    >>> printed = Printed(mean=0.456, unit=0.001, folds=(0.352, 0.463, 0.460, 0.521, 0.482))
    >>> round(sum(printed.folds) / 5, 3)
    0.456
    """

    mean: float
    unit: float
    folds: tuple[float, ...] = ()
    plus_minus: float | None = None

    @property
    def digits(self) -> int:
        """How many digits are printed after the point."""
        return len(f"{self.unit:.10f}".rstrip("0").partition(".")[2])


# Table, collection, method: folds 1 to 5 and the printed mean (some are not quite the mean of the printed folds).
_BY_FOLD = """
V OHSUMED RE-GR: 0.352 0.463 0.460 0.521 0.482 mean 0.456
V OHSUMED RE-SR: 0.366 0.469 0.460 0.535 0.475 mean 0.460
V OHSUMED RE-QR: 0.369 0.465 0.469 0.540 0.490 mean 0.465
V OHSUMED R-SVM: 0.304 0.447 0.465 0.499 0.453 mean 0.433
V OHSUMED AdaRank: 0.344 0.446 0.469 0.514 0.471 mean 0.449
VI TD2003 RE-GR: 0.169 0.293 0.365 0.394 0.219 mean 0.288
VI TD2003 RE-SR: 0.178 0.304 0.381 0.394 0.201 mean 0.292
VI TD2003 RE-QR: 0.171 0.327 0.403 0.382 0.216 mean 0.300
VI TD2003 FRank: 0.113 0.297 0.155 0.211 0.238 mean 0.203
VI TD2003 ListNet: 0.192 0.325 0.381 0.275 0.202 mean 0.275
VI TD2004 RE-GR: 0.213 0.276 0.285 0.267 0.276 mean 0.263
VI TD2004 RE-SR: 0.221 0.256 0.277 0.249 0.273 mean 0.255
VI TD2004 RE-QR: 0.219 0.279 0.283 0.275 0.283 mean 0.268
VI TD2004 SVMMAP: 0.185 0.192 0.201 0.211 0.235 mean 0.205
VI TD2004 R-Boost: 0.247 0.281 0.241 0.238 0.299 mean 0.261
VII HP2003 RE-GR: 0.717 0.808 0.737 0.762 0.755 mean 0.756
VII HP2003 RE-SR: 0.722 0.839 0.762 0.762 0.749 mean 0.767
VII HP2003 RE-QR: 0.709 0.834 0.744 0.774 0.769 mean 0.766
VII HP2003 FRank: 0.674 0.804 0.737 0.684 0.648 mean 0.709
VII HP2003 AdaRank: 0.715 0.855 0.801 0.752 0.732 mean 0.771
VII HP2004 RE-GR: 0.666 0.756 0.806 0.635 0.627 mean 0.696
VII HP2004 RE-SR: 0.678 0.770 0.812 0.645 0.624 mean 0.706
VII HP2004 RE-QR: 0.671 0.763 0.818 0.641 0.639 mean 0.706
VII HP2004 R-Boost: 0.621 0.618 0.637 0.611 0.638 mean 0.625
VII HP2004 AdaRank: 0.674 0.678 0.848 0.648 0.762 mean 0.722
VIII NP2003 RE-GR: 0.695 0.676 0.670 0.751 0.748 mean 0.708
VIII NP2003 RE-SR: 0.702 0.674 0.661 0.738 0.762 mean 0.707
VIII NP2003 RE-QR: 0.701 0.679 0.682 0.746 0.756 mean 0.712
VIII NP2003 FRank: 0.591 0.645 0.673 0.769 0.642 mean 0.664
VIII NP2003 R-Boost: 0.685 0.666 0.711 0.733 0.743 mean 0.707
VIII NP2004 RE-GR: 0.592 0.648 0.870 0.611 0.650 mean 0.675
VIII NP2004 RE-SR: 0.594 0.652 0.877 0.602 0.633 mean 0.672
VIII NP2004 RE-QR: 0.585 0.659 0.873 0.649 0.657 mean 0.685
VIII NP2004 R-Boost: 0.550 0.559 0.609 0.531 0.570 mean 0.564
VIII NP2004 ListNet: 0.550 0.659 0.739 0.728 0.684 mean 0.672
"""

# A table's columns, then a collection per line; 0.1181+-0.0234 is a mean and its printed 95% interval. RBoost and REG
# are RankBoost and regression.
_BY_COLLECTION = """
1: SSAR LRAR LBM25 Random G% Sel Utot Sel% RSel% R% R25%
TD2003 0.2032 0.2459 0.1402 0.1181+-0.0234 44.94 157 29435 0.53 6.80 0.82 13.22
TD2004 0.1792 0.2463 0.1452 0.1267+-0.0163 23.47 141 44488 0.32 7.82 1.50 11.32
NP2003 0.7202 0.6373 0.5346 0.4981+-0.0688 34.72 207 89194 0.23 3.04 0.10 25.32
NP2004 0.4993 0.5155 0.2672 0.3695+-0.0575 35.15 181 44300 0.41 3.18 0.10 5.76
HP2003 0.6487 0.7083 0.5230 0.5486+-0.0493 18.25 218 88564 0.25 3.62 0.12 26.04
HP2004 0.6332 0.5443 0.3712 0.3117+-0.0496 70.55 222 44645 0.50 1.68 0.11 4.24
2: SSARP LRAR LBM25 Random G% Sel Utot Sel% RSel% R% R25%
TD2003 0.2689 0.2459 0.2104 0.1573+-0.0198 27.84 642 29435 2.18 4.40 0.82 7.70
TD2004 0.2006 0.2463 0.1818 0.1707+-0.0112 10.37 633 44488 1.42 5.72 1.50 6.00
NP2003 0.6960 0.6373 0.6321 0.5573+-0.0423 10.09 995 89194 1.12 2.42 0.10 7.28
NP2004 0.5499 0.5155 0.4064 0.4038+-0.0580 35.29 860 44300 1.94 1.80 0.10 2.16
HP2003 0.7411 0.7083 0.6487 0.5825+-0.0460 14.25 1091 88564 1.23 2.00 0.12 6.90
HP2004 0.6168 0.5443 0.3685 0.3718+-0.0479 65.89 855 44645 1.91 1.68 0.11 1.74
3: SSARP SVMS SBM25 Random G%
TD2003 0.2689 0.2194 0.1568 0.1417+-0.0285 39.95
TD2004 0.2006 0.1957 0.1335 0.1687+-0.0145 16.01
NP2003 0.6960 0.6428 0.6587 0.5739+-0.0237 -2.41
NP2004 0.5499 0.5929 0.5811 0.5787+-0.0329 2.04
HP2003 0.7411 0.6747 0.7090 0.5798+-0.0592 -4.84
HP2004 0.6168 0.6734 0.6731 0.5406+-0.0357 0.05
4: SSARP RBoost FRank REG
TD2003 0.2689 0.2274 0.2031 0.2409
TD2004 0.2006 0.2614 0.2388 0.2078
NP2003 0.6960 0.7074 0.6640 0.5644
NP2004 0.5499 0.5640 0.6008 0.5142
HP2003 0.7411 0.7330 0.7095 0.4968
HP2004 0.6168 0.6251 0.6817 0.5256
5: SSARP@1 SSARP@5 SSARP@10 RBoost@1 RBoost@5 RBoost@10 FRank@1 FRank@5 FRank@10 REG@1 REG@5 REG@10
TD2003 0.3800 0.3255 0.3302 0.2800 0.3149 0.3122 0.3000 0.2468 0.2690 0.3200 0.2984 0.3263
TD2004 0.3600 0.3404 0.3061 0.5067 0.3878 0.3504 0.4933 0.3629 0.3331 0.3600 0.3257 0.3031
NP2003 0.5867 0.7850 0.7918 0.6000 0.7818 0.8068 0.5400 0.7595 0.7763 0.4467 0.6423 0.6659
NP2004 0.4133 0.6546 0.6805 0.4267 0.6512 0.6914 0.4800 0.6870 0.7296 0.3733 0.6135 0.6536
HP2003 0.7200 0.7809 0.7982 0.6667 0.8034 0.8171 0.6533 0.7780 0.7970 0.4200 0.5463 0.5943
HP2004 0.5200 0.6981 0.7111 0.5067 0.7211 0.7428 0.6000 0.7486 0.7615 0.3867 0.6130 0.6468
IX: RE-GR RE-SR RE-QR R-SVM ListNet
OHSUMED 0.10 0.12 0.14 0.13 0.19
TD2003 1.15 1.22 1.27 1.12 1.34
TD2004 1.31 1.39 1.47 1.33 1.75
HP2003 0.93 1.00 1.03 0.99 1.12
HP2004 1.27 1.35 1.41 1.37 1.51
NP2003 0.88 0.92 0.97 0.95 1.10
NP2004 1.13 1.21 1.26 1.21 1.33
"""


def printed(table: str, collection: str) -> dict[str, Printed]:
    """Return the figures of a table about a collection, by name, in the printed order; empty where it has none."""
    return dict(_all().get((table, collection), {}))


def tables_of(collection: str) -> list[str]:
    """Return the tables that print something about a collection."""
    return [table for table, about in _all() if about == collection]


@cache
def _all() -> dict[tuple[str, str], dict[str, Printed]]:
    found: dict[tuple[str, str], dict[str, Printed]] = {}
    columns: list[str] = []
    table = ""
    for line in _BY_COLLECTION.strip().splitlines():
        head, colon, rest = line.partition(": ")
        if colon:
            table, columns = head, rest.split()
        else:
            name, *cells = line.split()
            found[table, name] = {column: _cell(cell) for column, cell in zip(columns, cells, strict=True)}
    for line in _BY_FOLD.strip().splitlines():
        where, _, rest = line.partition(": ")
        table, name, method = where.split()
        folds, _, mean = rest.partition(" mean ")
        cell = _cell(mean)
        values = tuple(float(value) for value in folds.split())
        found.setdefault((table, name), {})[method] = Printed(cell.mean, cell.unit, values)
    return found


def _cell(text: str) -> Printed:
    mean, _, reach = text.partition("+-")
    digits = len(mean.partition(".")[2])
    return Printed(float(mean), 10.0**-digits, plus_minus=float(reach) if reach else None)
