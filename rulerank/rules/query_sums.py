"""The confidence sums of many small labelled sets over the same documents: the query-level functions of RE-QR.

`rule_sums` goes over all documents for each antecedent of one labelled set. Here there are hundreds of labelled sets,
one per query, of a few documents each, and all are asked about the same thousands of documents. So queries are taken in
groups, side by side: what an antecedent says in each of them is one row of a small table, and a document adds up whole
rows, which the processor does as vectors. Documents are sorted by their items once; for an item that a group holds, the
antecedents that begin with it fill the table, and each document with that item runs through it. The sum and the number
of the rules of a class travel as one packed number. The results are those of `rule_sums`, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from rulerank.kernels import in_parts, kernel, workers
from rulerank.rules.confidences import fixed_confidence, scale_for
from rulerank.rules.items import Ints, Items, antecedents
from rulerank.rules.mine import RuleSums, Thresholds, rule_sums

LANES = 64
"""Numbers side by side: a group has as many queries as their classes fit into so many."""

BLOCK = 8192
"""Documents at a time."""

VECTOR = 16
"""The number of lanes is a multiple of this: what is left over of a vector is added one by one."""

ONE_RULE = 1 << 53
"""One rule in a packed number: above it stands how many rules there are, below it the sum of their confidences."""

STRETCH = 128
"""Features whose antecedents are in the table at a time."""

MOST_PACKED = 256
"""Antecedents whose confidences may be summed packed: 256 of at most 2^44 each stay below one rule's place."""


@kernel
def _lay(
    labelled: Items,
    lane: Ints,
    group: Ints,
    members: Ints,
    first: int,
    stop: int,
    bins: int,
    lanes: int,
    scale: float,
    min_count: int,
    min_confidence: float,
    counts: Ints,
    totals: Ints,
    table: Ints,
) -> None:
    """Put the packed confidences of the members' antecedents with features first..stop into the table.

    `lane` is each labelled document's place in a row: its query's within the group, and its class; `group` is the
    query's alone. A rule's support is counted within its query.
    """
    queries = totals.size // bins
    for j in range(first, stop):
        for d in members:
            totals[labelled[j, d] * queries + group[d]] += 1
            counts[labelled[j, d] * lanes + lane[d]] += 1
        for d in members:
            at = labelled[j, d] * lanes + lane[d]
            total = totals[labelled[j, d] * queries + group[d]]
            value = fixed_confidence(counts[at], total, scale, min_count, min_confidence)
            table[(j - first) * bins * lanes + at] = value + ONE_RULE if value > 0 else 0
        for d in members:
            totals[labelled[j, d] * queries + group[d]] = 0
            counts[labelled[j, d] * lanes + lane[d]] = 0


@kernel
def _clear(
    labelled: Items, lane: Ints, members: Ints, first: int, stop: int, bins: int, lanes: int, table: Ints
) -> None:
    """Take out of the table what `_lay` put into it."""
    for j in range(first, stop):
        for d in members:
            table[(j - first) * bins * lanes + labelled[j, d] * lanes + lane[d]] = 0


@kernel
def _run_through(
    rows: Items, places: Ints, first: int, stop: int, bins: int, lanes: int, table: Ints, packed: Ints
) -> None:
    """Add to each document of `places` the rows of the table that its items name."""
    # Indices without a sign: a signed one may count from the end, and asking that keeps additions from being vectors.
    step, wide = np.uint64(bins * lanes), np.uint64(lanes)
    for place in places:
        row, to = rows[place], np.uint64(place) * wide
        ground = np.uint64(0)
        j = first
        while j + 3 < stop:
            one = ground + np.uint64(row[j]) * wide
            two = ground + step + np.uint64(row[j + 1]) * wide
            three = ground + step + step + np.uint64(row[j + 2]) * wide
            four = ground + step + step + step + np.uint64(row[j + 3]) * wide
            for k in range(wide):
                packed[to + k] += (table[one + k] + table[two + k]) + (table[three + k] + table[four + k])
            ground += step + step + step + step
            j += 4
        while j < stop:
            one = ground + np.uint64(row[j]) * wide
            for k in range(wide):
                packed[to + k] += table[one + k]
            ground += step
            j += 1


@kernel
def _unpack(packed: Ints, sums: Ints, numbers: Ints) -> None:
    """Add what is packed to the sums and numbers, and begin anew."""
    for at in range(packed.size):
        sums[at] += packed[at] & (ONE_RULE - 1)
        numbers[at] += packed[at] >> 53
        packed[at] = 0


@kernel
def _add_sums(
    labelled: Items,
    lane: Ints,
    group: Ints,
    queries: int,
    rows: Items,
    order: Ints,
    starts: Ints,
    size: int,
    lanes: int,
    scale: float,
    min_count: int,
    min_confidence: float,
    found: Ints,
    part: int,
    parts: int,
) -> None:
    """Add the rules of every `parts`-th leading feature to found[0, part], the sums, and found[1, part], the numbers.

    Both are documents by lanes, flat.
    """
    sums, numbers = found[0, part], found[1, part]
    features, count = labelled.shape
    bins = starts.shape[1] - 1
    counts = np.zeros(bins * lanes, np.int64)
    totals = np.zeros(bins * queries, np.int64)
    table = np.zeros(min(STRETCH, features) * bins * lanes, np.int64)
    packed = np.zeros(len(rows) * lanes, np.int64)
    members = np.empty(count + 1, np.int64)
    since = 0
    for i in range(part, features, parts):
        last = features if size >= 2 else i + 1
        for first in range(i, last, STRETCH):
            stop = min(first + STRETCH, last)
            if since + stop - first > MOST_PACKED:
                _unpack(packed, sums, numbers)
                since = 0
            since += stop - first
            for value in range(bins):
                number = 0
                for d in range(count):
                    members[number] = d
                    number += labelled[i, d] == value
                places = order[i, starts[i, value] : starts[i, value + 1]]
                if number == 0 or places.size == 0:
                    continue
                some = members[:number]
                _lay(
                    labelled,
                    lane,
                    group,
                    some,
                    first,
                    stop,
                    bins,
                    lanes,
                    scale,
                    min_count,
                    min_confidence,
                    counts,
                    totals,
                    table,
                )
                _run_through(rows, places, first, stop, bins, lanes, table, packed)
                _clear(labelled, lane, some, first, stop, bins, lanes, table)
    _unpack(packed, sums, numbers)


def query_sums(
    labelled: Items,
    classes: Ints,
    queries: Ints,
    width: int,
    documents: Items,
    *,
    max_antecedent: int,
    thresholds: Thresholds,
) -> Iterator[RuleSums]:
    """Yield what `rule_sums` returns for each query's labelled documents, to the last bit.

    `queries` numbers the query of each labelled document from 0, without gaps. Both matrices: features by documents.
    """
    number = int(queries.max(initial=-1)) + 1
    if max_antecedent > 2 or thresholds.projection_share:
        for query in range(number):
            own = queries == query
            part = labelled[:, own]
            yield rule_sums(part, classes[own], width, documents, max_antecedent=max_antecedent, thresholds=thresholds)
        return
    features, count = documents.shape
    bins = int(max(labelled.max(initial=0), documents.max(initial=0))) + 1
    # In blocks: every thread keeps sums of its own, which for a whole large pool would not fit into memory.
    blocks = [slice(start, min(start + BLOCK, count)) for start in range(0, count, BLOCK)]
    sorted_blocks = [_sorted_by_item(documents[:, block], bins) for block in blocks]
    rows = np.ascontiguousarray(documents.T)
    scale = scale_for(antecedents(features, max_antecedent))
    parts, size = min(workers(), features), max(1, LANES // width)
    for begin in range(0, number, size):
        taken = min(size, number - begin)
        lanes = -(-taken * width // VECTOR) * VECTOR
        some = (queries >= begin) & (queries < begin + taken)
        # One array layout for every caller, so that the kernel is compiled once.
        group = np.ascontiguousarray(queries[some] - begin, np.int64)
        lane = group * width + np.ascontiguousarray(classes[some], np.int64)
        own_labels = np.ascontiguousarray(labelled[:, some])
        sums, numbers = np.empty((2, count, lanes), np.int64)
        for block, (order, starts) in zip(blocks, sorted_blocks, strict=True):
            found = np.zeros((2, parts, (block.stop - block.start) * lanes), np.int64)
            work = partial(
                _add_sums,
                own_labels,
                lane,
                group,
                taken,
                rows[block],
                order,
                starts,
                max_antecedent,
                lanes,
                float(scale),
                int(thresholds.support),
                float(thresholds.confidence),
                found,
            )
            in_parts(work, parts)
            sums[block], numbers[block] = found.sum(axis=1).reshape(2, -1, lanes)
        for first in range(0, taken * width, width):
            own = slice(first, first + width)
            yield RuleSums(np.ascontiguousarray(sums[:, own]), np.ascontiguousarray(numbers[:, own]), scale)


def _sorted_by_item(documents: Items, bins: int) -> tuple[Ints, Ints]:
    """Return places and starts: those with bin b of feature i are places[i, starts[i, b]:starts[i, b + 1]]."""
    order = np.empty(documents.shape, np.int64)
    starts = np.zeros((len(documents), bins + 1), np.int64)
    for feature, column in enumerate(documents):
        order[feature] = np.argsort(column, kind="stable")
        starts[feature, 1:] = np.cumsum(np.bincount(column, minlength=bins))
    return order, starts
