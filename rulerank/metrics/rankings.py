"""Rankings: every query's rows sorted by score, with grades and tie groups, which is all that a metric needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulerank.kernels import in_parts, kernel, workers
from rulerank.metrics.conventions import Convention, conventions
from rulerank.metrics.inputs import check_docids, check_grades, check_max_grade, check_scores, group_queries

_SIGN = np.uint64(1 << 63)
_ALL_BUT_SIGN = np.uint64((1 << 63) - 1)
_BYTE = np.uint64(255)
_SMALL = 24


@kernel
def sort_queries(
    starts: NDArray[np.int64], low: int, high: int, scores: NDArray[np.float64], order: NDArray[np.int64]
) -> None:
    """Write into `order` the rows of the queries low to high - 1 by descending score.

    A stable radix sort on the scores' bits, least significant byte first: for a thousand documents it takes
    about a third of the time of a merge sort. Scores must not be NaN or -0.0.
    """
    longest = 0
    for query in range(low, high):
        longest = max(longest, starts[query + 1] - starts[query])
    keys, other_keys = np.empty(longest, np.uint64), np.empty(longest, np.uint64)
    rows, other_rows = np.empty(longest, np.int64), np.empty(longest, np.int64)
    counts = np.empty(256, np.int64)
    bits = scores.view(np.uint64)

    for query in range(low, high):
        begin = starts[query]
        size = starts[query + 1] - begin
        varying = np.uint64(0)
        for i in range(size):
            key = bits[begin + i]
            # The bits of negative floats already grow as the value falls; turn the others round to match.
            if key & _SIGN == 0:
                key ^= _ALL_BUT_SIGN
            keys[i] = key
            rows[i] = begin + i
            varying |= key ^ keys[0]

        if size <= _SMALL:
            for i in range(1, size):
                key, row, j = keys[i], rows[i], i
                while j > 0 and keys[j - 1] > key:
                    keys[j], rows[j] = keys[j - 1], rows[j - 1]
                    j -= 1
                keys[j], rows[j] = key, row
        else:
            for byte in range(8):
                shift = np.uint64(8 * byte)
                if (varying >> shift) & _BYTE == 0:
                    continue
                counts[:] = 0
                for i in range(size):
                    counts[np.int64((keys[i] >> shift) & _BYTE)] += 1
                total = 0
                for digit in range(256):
                    count = counts[digit]
                    counts[digit] = total
                    total += count
                for i in range(size):
                    bucket = np.int64((keys[i] >> shift) & _BYTE)
                    place = counts[bucket]
                    counts[bucket] = place + 1
                    other_keys[place], other_rows[place] = keys[i], rows[i]
                keys, other_keys = other_keys, keys
                rows, other_rows = other_rows, rows
        for i in range(size):
            order[begin + i] = rows[i]


# Below this many rows a second thread costs more than it saves.
_ROWS_A_THREAD = 50_000


@dataclass(frozen=True)
class Rankings:
    """All queries, one after the other: query i has the rows starts[i] to starts[i + 1].

    >>> rankings = rank([0, 2, 1], [0.1, 0.9, 0.9], ["a", "a", "b"], convention="letor")
    >>> rankings.qids, rankings.grades.tolist(), rankings.relevant.tolist()
    (['a', 'b'], [2, 0, 1], [1, 1])
    """

    convention: Convention
    max_grade: int
    qids: list[Any]
    starts: NDArray[np.int64]
    grades: NDArray[np.int64]
    """Grades in ranked order; unlabelled documents have 0 here."""
    tie_ends: NDArray[np.int64]
    """For each row, where its group of equal scores ends, counted from the start of its query."""
    mixed: NDArray[np.bool_]
    """For each query, whether some group of equal scores holds several grades, so that its order matters."""
    relevant: NDArray[np.int64]
    """For each query, the number of its relevant documents."""
    unlabelled: int

    def over_queries(self, kernel: Callable[..., None], *arguments: Any) -> None:
        """Call `kernel(starts, low, high, grades, tie_ends, mixed, *arguments)` on shares of the queries."""
        over_queries(kernel, self.starts, self.grades, self.tie_ends, self.mixed, *arguments)


def over_queries(kernel: Callable[..., None], starts: NDArray[np.int64], *arguments: Any) -> None:
    """Call `kernel(starts, low, high, *arguments)` on shares of the queries, on several cores if it pays.

    Queries do not touch each other's results, so the number of threads cannot change a value.
    """
    rows = int(starts[-1])
    parts = max(1, min(workers(), rows // _ROWS_A_THREAD))
    cuts = np.searchsorted(starts, np.linspace(0, rows, parts + 1)).tolist()
    in_parts(lambda part, _: kernel(starts, cuts[part], cuts[part + 1], *arguments), parts)


@kernel
def _find_ties(
    starts: NDArray[np.int64],
    low: int,
    high: int,
    scores: NDArray[np.float64],
    grades: NDArray[np.int64],
    order: NDArray[np.int64],
    ranked: NDArray[np.int64],
    tie_ends: NDArray[np.int64],
    mixed: NDArray[np.bool_],
    relevant: NDArray[np.int64],
) -> None:
    """Write the ranked grades and what `Rankings` tells of ties and relevant documents."""
    for query in range(low, high):
        begin, end = starts[query], starts[query + 1]
        mixed[query] = False
        relevant[query] = 0
        i = begin
        while i < end:
            score = scores[order[i]]
            j = i
            while j < end and scores[order[j]] == score:
                ranked[j] = grades[order[j]]
                relevant[query] += ranked[j] > 0
                if ranked[j] != ranked[i]:
                    mixed[query] = True
                j += 1
            tie_ends[i:j] = j - begin
            i = j


def _larger_docid_first(
    order: NDArray[np.int64],
    scores: NDArray[np.float64],
    queries: NDArray[np.int64],
    rows: NDArray[np.int64] | None,
    docids: list[Any] | None,
) -> None:
    """Reorder each group of equal scores by descending docid, in place; looks at tied rows' docids alone."""
    ranked = scores[order]
    as_before = np.concatenate([[False], ranked[1:] == ranked[:-1]])
    as_before[queries[:-1]] = False
    tied = np.flatnonzero(as_before | np.append(as_before[1:], False))
    if len(tied) == 0:
        return
    group = np.cumsum(~as_before)[tied]
    members = order[tied]
    file_rows = members if rows is None else rows[members]
    if docids is None:
        name = file_rows
    else:
        name = np.unique(np.array([str(docids[row]) for row in file_rows]), return_inverse=True)[1]
    order[tied] = members[np.lexsort((-name, group))]


def rank(
    grades: Any,
    scores: Any,
    qids: Iterable[Any],
    *,
    convention: str,
    docids: Iterable[Any] | None = None,
    max_grade: int | None = None,
) -> Rankings:
    """Check the arguments and rank each query's documents by score under the named convention."""
    rules = conventions[convention]
    checked = check_grades(grades)
    size = len(checked)
    keys = check_scores(scores, size)
    names = check_docids(docids, size)
    queries = group_queries(qids, size)
    largest = check_max_grade(max_grade, max(int(checked.max()), 0))
    unlabelled = int(np.count_nonzero(checked < 0))
    if unlabelled:
        np.maximum(checked, 0, out=checked)
    if rules.single_precision:
        with np.errstate(over="ignore"):
            keys = keys.astype(np.float32).astype(np.float64) + 0.0
    if queries.rows is not None:
        keys, checked = keys[queries.rows], checked[queries.rows]

    order = np.empty(size, dtype=np.int64)
    over_queries(sort_queries, queries.starts, keys, order)
    if rules.docids_break_ties:
        _larger_docid_first(order, keys, queries.starts, queries.rows, names)
    ranked = np.empty(size, dtype=np.int64)
    tie_ends = np.empty(size, dtype=np.int64)
    mixed = np.empty(len(queries.qids), dtype=np.bool_)
    relevant = np.empty(len(queries.qids), dtype=np.int64)
    over_queries(_find_ties, queries.starts, keys, checked, order, ranked, tie_ends, mixed, relevant)
    return Rankings(rules, largest, queries.qids, queries.starts, ranked, tie_ends, mixed, relevant, unlabelled)
