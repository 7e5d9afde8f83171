"""Kernels of the rule index: which features two documents share, as bits, and what a label adds to each document.

A document's shared features with the labelled document d are bits of a few 64-bit words. An antecedent within d is
*fresh* for grade r when no labelled document of grade r holds it; a pool document gains exactly the fresh antecedents
that lie within its shared features. Fresh antecedents are kept as bit rows too, so gains are population counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from rulerank.kernels import kernel, over_rows
from rulerank.rules.items import Ints, Items


@intrinsic
def popcount(typingctx: Any, word: Any) -> Any:
    """Return the number of set bits of a uint64 word."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def lowest_bit(typingctx: Any, word: Any) -> Any:
    """Return the place (0 to 63) of the lowest set bit of a uint64 word that is not zero."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], context.get_constant(types.boolean, True))

    return types.uint64(types.uint64), codegen


BLOCK = 1024
ONE = np.uint64(1)


@kernel
def shared_masks(columns, start, stop, document, part, masks):
    """Fill masks[word, u - start] with the features on which documents start..stop equal `document`.

    Eight features are gathered into a byte first, because byte lanes are eight times as many as word lanes.
    """
    features = columns.shape[0]
    size = stop - start
    masks[:, :size] = 0
    for first in range(0, features, 8):
        part[:size] = 0
        for feature in range(first, min(first + 8, features)):
            value = document[feature]
            bit = np.uint8(1 << (feature - first))
            # A slice, not `start + u`: an index that cannot be negative is what lets the loop use vector lanes.
            column = columns[feature, start:stop]
            for u in range(size):
                part[u] |= bit if column[u] == value else np.uint8(0)
        row = masks[first >> 6]
        place = np.uint64(first & 63)
        for u in range(size):
            row[u] |= np.uint64(part[u]) << place


@kernel
def fresh_antecedents(labelled, grades, count, document, grade, size, fresh1, fresh2, fresh3):
    """Mark the antecedents of `document` that none of the `count` labelled documents of `grade` holds.

    fresh1[word]; fresh2[i, word] holds features j > i; fresh3[i, j, word] holds features k > j > i.
    """
    features = labelled.shape[0]
    words = fresh1.shape[0]
    for word in range(words):
        fresh1[word] = 0
    for feature in range(features):
        fresh1[feature >> 6] |= ONE << np.uint64(feature & 63)
    if size >= 2:
        for i in range(features):
            for word in range(words):
                later = fresh1[word]
                if word < i >> 6:
                    later = np.uint64(0)
                elif word == i >> 6:
                    place = np.uint64(i & 63)
                    later &= ~((ONE << place) | ((ONE << place) - ONE))
                fresh2[i, word] = later
    if size >= 3:
        for i in range(features):
            for j in range(i + 1, features):
                for word in range(words):
                    fresh3[i, j, word] = fresh2[j, word]

    masks = np.empty((words, BLOCK), np.uint64)
    part = np.empty(BLOCK, np.uint8)
    for start in range(0, count, BLOCK):
        stop = min(start + BLOCK, count)
        shared_masks(labelled, start, stop, document, part, masks)
        for u in range(stop - start):
            if grades[start + u] != grade:
                continue
            for word in range(words):
                fresh1[word] &= ~masks[word, u]
            if size == 1:
                continue
            for word in range(words):
                bits = masks[word, u]
                while bits:
                    i = np.int64(word * 64) + np.int64(lowest_bit(bits))
                    bits &= bits - ONE
                    for other in range(word, words):
                        fresh2[i, other] &= ~masks[other, u]
                    if size == 2:
                        continue
                    for second in range(word, words):
                        rest = bits if second == word else masks[second, u]
                        while rest:
                            j = np.int64(second * 64) + np.int64(lowest_bit(rest))
                            rest &= rest - ONE
                            for other in range(second, words):
                                fresh3[i, j, other] &= ~masks[other, u]


@kernel
def gain_rules(columns, start, stop, document, size, fresh1, fresh2, fresh3, sign, counts):
    """Add sign x (fresh antecedents within the shared features) to counts[u] of documents start..stop."""
    features = columns.shape[0]
    words = fresh1.shape[0]
    masks = np.empty((words, BLOCK), np.uint64)
    part = np.empty(BLOCK, np.uint8)
    open2 = np.zeros(words, np.uint64)
    open3 = np.zeros((features, words), np.uint64)
    for i in range(features):
        bit = ONE << np.uint64(i & 63)
        for word in range(words):
            if size >= 2 and fresh2[i, word]:
                open2[i >> 6] |= bit
        if size >= 3:
            for j in range(i + 1, features):
                for word in range(words):
                    if fresh3[i, j, word]:
                        open3[i, j >> 6] |= ONE << np.uint64(j & 63)
            for word in range(words):
                if open3[i, word]:
                    open2[i >> 6] |= bit
    for block in range(start, stop, BLOCK):
        end = min(block + BLOCK, stop)
        shared_masks(columns, block, end, document, part, masks)
        for u in range(end - block):
            gained = np.uint64(0)
            for word in range(words):
                gained += popcount(masks[word, u] & fresh1[word])
            if size >= 2:
                for word in range(words):
                    bits = masks[word, u] & open2[word]
                    while bits:
                        i = np.int64(word * 64) + np.int64(lowest_bit(bits))
                        bits &= bits - ONE
                        for other in range(word, words):
                            gained += popcount(masks[other, u] & fresh2[i, other])
                        if size == 2:
                            continue
                        for second in range(word, words):
                            rest = masks[second, u] & open3[i, second]
                            while rest:
                                j = np.int64(second * 64) + np.int64(lowest_bit(rest))
                                rest &= rest - ONE
                                for other in range(second, words):
                                    gained += popcount(masks[other, u] & fresh3[i, j, other])
            counts[block + u] += sign * np.int64(gained)


@kernel
def count_within(labelled, grades, count, document, size, two, three):
    """Count, of the antecedents within `document`, how many labelled documents of each grade hold them.

    two[i, j, grade] (i <= j; i = j is the single item) and three[i, j, k, grade]; only what is held is written.
    """
    features = labelled.shape[0]
    words = -(-features // 64)
    masks = np.empty((words, BLOCK), np.uint64)
    part = np.empty(BLOCK, np.uint8)
    places = np.empty(features, np.int64)
    for start in range(0, count, BLOCK):
        stop = min(start + BLOCK, count)
        shared_masks(labelled, start, stop, document, part, masks)
        for u in range(stop - start):
            held = 0
            for word in range(words):
                bits = masks[word, u]
                while bits:
                    places[held] = word * 64 + np.int64(lowest_bit(bits))
                    bits &= bits - ONE
                    held += 1
            of = grades[start + u]
            for a in range(held):
                for b in range(a, held if size >= 2 else a + 1):
                    two[places[a], places[b], of] += 1
                    if size >= 3 and b > a:
                        for c in range(b + 1, held):
                            three[places[a], places[b], places[c], of] += 1


LARGEST_TABLE = 64 * 1024**2
"""Bytes of the table of pairs; with more bins than fit, labels are entered one by one."""

MOST_GRADES = 16


@kernel
def _mark(columns, bits, offsets, size, ones, twos):
    """Note the grades (as bits) of every item, and of every pair of items, of the labelled documents."""
    features, rows = columns.shape
    for row in range(rows):
        bit = bits[row]
        for first in range(features):
            item = offsets[first] + columns[first, row]
            ones[item] |= bit
            if size > 1:
                for second in range(first + 1, features):
                    twos[item, offsets[second] + columns[second, row]] |= bit


@kernel
def _count(columns, start, stop, offsets, known, size, ones, twos, members, counts):
    """Add up, for each document of the pool, the grades of its items and pairs of items."""
    features = columns.shape[0]
    for row in range(start, stop):
        total = 0
        for first in range(features):
            if columns[first, row] >= known[first]:
                continue
            item = offsets[first] + columns[first, row]
            total += members[ones[item]]
            # A pair is labelled with no grade that its first item was not labelled with.
            if size > 1 and ones[item]:
                for second in range(first + 1, features):
                    if columns[second, row] < known[second]:
                        total += members[twos[item, offsets[second] + columns[second, row]]]
        counts[row] = total


def bulk_counts(pool: Items, labelled: Items, grades: Ints, size: int) -> Ints | None:
    """Return the rule count of each pool document (columns: features by documents), or None where no table fits."""
    levels, place = np.unique(grades, return_inverse=True)
    if size > 2 or levels.size > MOST_GRADES or not grades.size:
        return None
    known = labelled.max(axis=1).astype(np.int64) + 1
    items = int(known.sum())
    if size > 1 and 2 * items * items > LARGEST_TABLE:
        return None
    offsets = np.cumsum(known) - known
    ones = np.zeros(items, np.uint16)
    twos = np.zeros((items, items) if size > 1 else (1, 1), np.uint16)
    _mark(np.ascontiguousarray(labelled), (1 << place).astype(np.uint16), offsets, size, ones, twos)
    members = np.array([number.bit_count() for number in range(1 << levels.size)], np.int64)
    counts = np.zeros(pool.shape[1], np.int64)
    over_rows(
        lambda start, stop: _count(pool, start, stop, offsets, known, size, ones, twos, members, counts), counts.size
    )
    return counts
