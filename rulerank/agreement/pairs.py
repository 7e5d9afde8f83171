"""Agreement of two annotators at a time: Cohen's kappa, plain and quadratic-weighted, and confusion matrices."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulerank.agreement.ratings import ratings
from rulerank.errors import InputError
from rulerank.rules.items import Ints, as_grade, as_whole


@dataclass(frozen=True)
class PairKappa:
    """Cohen's kappa of two annotators over the `shared` units that both graded; None is "not yet".

    `weighted` uses quadratic weights on the grades themselves, (a - b)^2.

    >>> pairwise_kappa(["d1", "d1", "d2", "d2"], ["ann", "bob", "ann", "bob"], [0, 0, 1, 1])
    [PairKappa(a='ann', b='bob', shared=2, kappa=1.0, weighted=1.0)]
    """

    a: Hashable
    b: Hashable
    shared: int
    kappa: float | None
    weighted: float | None


@dataclass(frozen=True)
class Confusion:
    """How often a grade of one annotator (row) met a grade of another (column) on the same unit.

    For all annotators together each pair is counted from both sides, so the matrix is symmetric.

    >>> found = confusion(["d1", "d1", "d2", "d2"], ["ann", "bob", "ann", "bob"], [0, 1, 1, 1], pair=("ann", "bob"))
    >>> found.grades, found.matrix.tolist()
    ((0, 1), [[0, 1], [0, 1]])
    """

    grades: tuple[int, ...]
    matrix: Ints
    a: Hashable | None = None
    b: Hashable | None = None


def pairwise_kappa(units: Any, annotators: Any, grades: Any, *, least_shared: int = 1) -> list[PairKappa]:
    """Return the kappas of every two annotators who both graded at least `least_shared` units.

    Cohen, "A coefficient of agreement for nominal scales" (1960): kappa = (p_o - p_e) / (1 - p_e); with quadratic
    weights (Cohen 1968): 1 - sum w_ij o_ij / sum w_ij e_ij. Undefined (None) where both gave one and the same grade
    throughout.
    """
    least = as_whole(least_shared)
    if least is None or least < 1:
        raise InputError(f"least_shared must be a whole number of at least 1, not {least_shared!r}")
    table = ratings(units, annotators, grades)
    left, right = table.pairs()
    people = len(table.annotators)
    key = table.annotator[left] * people + table.annotator[right]
    order = np.argsort(key, kind="stable")
    found, starts = np.unique(key[order], return_index=True)
    first, second = table.grade[left[order]], table.grade[right[order]]
    results = []
    ends = np.append(starts, key.size).tolist()
    for pair, start, stop in zip(found.tolist(), ends[:-1], ends[1:], strict=True):
        if stop - start >= least:
            a, b = divmod(pair, people)
            kappas = _kappas(first[start:stop], second[start:stop])
            results.append(PairKappa(table.annotators[a], table.annotators[b], stop - start, *kappas))
    return results


def _kappas(first: Ints, second: Ints) -> tuple[float | None, float | None]:
    """Return kappa and quadratic-weighted kappa from whole numbers, so that 0/0 is detected exactly."""
    count = first.size
    size = int(max(first.max(), second.max())) + 1
    equal = int(np.count_nonzero(first == second))
    chance = int(np.bincount(first, minlength=size) @ np.bincount(second, minlength=size))
    plain = (count * equal - chance) / (count * count - chance) if chance < count * count else None
    met = int(((first - second) ** 2).sum())
    by_chance = count * int((first**2).sum() + (second**2).sum()) - 2 * int(first.sum()) * int(second.sum())
    return plain, (1 - count * met / by_chance if by_chance else None)


def confusion(
    units: Any,
    annotators: Any,
    grades: Any,
    *,
    pair: tuple[Hashable, Hashable] | None = None,
    levels: Iterable[int] | None = None,
) -> Confusion:
    """Return the confusion matrix of two annotators (rows the first's grades), or of every two of them.

    `levels` are the grades to show, in that order; without it, those that occur.
    """
    table = ratings(units, annotators, grades)
    one, other = table.pairs()
    left, right = np.concatenate([one, other]), np.concatenate([other, one])
    a, b = (None, None) if pair is None else _two(pair, table.annotators)
    if pair is not None:
        asked = table.annotator[left] == table.annotators.index(a)
        asked &= table.annotator[right] == table.annotators.index(b)
        left, right = left[asked], right[asked]
    shown = _levels(levels, table.grade)
    order = np.argsort(shown, kind="stable")
    row, column = (order[np.searchsorted(shown, table.grade[side], sorter=order)] for side in (left, right))
    matrix = np.zeros((shown.size, shown.size), np.int64)
    np.add.at(matrix, (row, column), 1)
    return Confusion(tuple(shown.tolist()), matrix, a, b)


def _two(pair: Any, known: tuple[Hashable, ...]) -> tuple[Hashable, Hashable]:
    if not isinstance(pair, tuple | list) or len(pair) != 2 or pair[0] == pair[1]:
        raise InputError(f"pair must name two different annotators, not {pair!r}")
    for who in pair:
        if who not in known:
            raise InputError(f"annotator {who!r} has given no grade; those who have: {list(known)}")
    return pair[0], pair[1]


def _levels(levels: Iterable[int] | None, given: Ints) -> Ints:
    if levels is None:
        return np.unique(given)
    shown = np.array([as_grade(level) for level in levels], dtype=np.int64)
    if np.unique(shown).size < shown.size:
        raise InputError(f"levels names a grade twice: {shown.tolist()}")
    unknown = np.setdiff1d(given, shown)
    if unknown.size:
        raise InputError(f"grade {unknown[0]} was given but is not among the levels {shown.tolist()}")
    return shown
