"""Kernels that update every pool document's confidence sums when one label comes or goes.

A label (d, r) changes only the rules whose antecedent lies within d. Their counts before the label come from one pass
over the labelled set; what each changes is a small table, and a pool document adds up the entries that lie within the
features it shares with d. Entries are whole numbers (see `confidences`), so a label and its undo cancel exactly.
"""

from __future__ import annotations

import numpy as np

from rulerank.kernels import kernel
from rulerank.rules.confidences import fixed_confidence
from rulerank.rules.masks import BLOCK, ONE, count_within, lowest_bit, shared_masks


@kernel
def _change(counts, width, grade, scale, min_count, min_confidence, change):
    """Turn counts by class into what one more label of `grade` changes: sums, then numbers. True if anything does."""
    total = 0
    for c in range(width):
        total += counts[c]
    moved = False
    for c in range(width):
        before = fixed_confidence(counts[c], max(total, 1), scale, min_count, min_confidence)
        after = fixed_confidence(counts[c] + (c == grade), total + 1, scale, min_count, min_confidence)
        change[c] = after - before
        change[width + c] = np.int64(after > 0) - np.int64(before > 0)
        moved |= change[c] != 0 or change[width + c] != 0
    return moved


@kernel
def label_changes(
    labelled,
    grades,
    count,
    document,
    grade,
    width,
    size,
    scale,
    min_count,
    min_confidence,
    two,
    three,
    open2,
    open3,
):
    """Fill two[i, j] (i <= j; i = j is the single item) and three[i, j, k] with what the label changes.

    open2[i, word] marks the j whose entry is not zero, open3[i, j, word] the k.
    """
    features = labelled.shape[0]
    two[:] = 0
    three[:] = 0
    open2[:] = 0
    open3[:] = 0
    count_within(labelled, grades, count, document, size, two, three)
    for i in range(features):
        for j in range(i, features if size >= 2 else i + 1):
            if _change(two[i, j], width, grade, scale, min_count, min_confidence, two[i, j]):
                open2[i, j >> 6] |= ONE << np.uint64(j & 63)
            if size >= 3 and j > i:
                for k in range(j + 1, features):
                    if _change(three[i, j, k], width, grade, scale, min_count, min_confidence, three[i, j, k]):
                        open3[i, j, k >> 6] |= ONE << np.uint64(k & 63)


@kernel
def apply_changes(columns, start, stop, document, width, size, two, three, open2, open3, sign, sums, numbers):
    """Add sign x (the changes within the shared features) to the sums and numbers of documents start..stop."""
    words = open2.shape[1]
    masks = np.empty((words, BLOCK), np.uint64)
    part = np.empty(BLOCK, np.uint8)
    change = np.empty(2 * width, np.int64)
    for block in range(start, stop, BLOCK):
        end = min(block + BLOCK, stop)
        shared_masks(columns, block, end, document, part, masks)
        for u in range(end - block):
            change[:] = 0
            for word in range(words):
                bits = masks[word, u]
                while bits:
                    i = np.int64(word * 64) + np.int64(lowest_bit(bits))
                    later = bits
                    bits &= bits - ONE
                    for second in range(word, words):
                        shared = later if second == word else masks[second, u]
                        rest = shared & open2[i, second]
                        while rest:
                            j = np.int64(second * 64) + np.int64(lowest_bit(rest))
                            rest &= rest - ONE
                            for c in range(2 * width):
                                change[c] += two[i, j, c]
                        if size < 3:
                            continue
                        while shared:
                            j = np.int64(second * 64) + np.int64(lowest_bit(shared))
                            shared &= shared - ONE
                            for third in range(second, words):
                                rest = masks[third, u] & open3[i, j, third]
                                while rest:
                                    k = np.int64(third * 64) + np.int64(lowest_bit(rest))
                                    rest &= rest - ONE
                                    for c in range(2 * width):
                                        change[c] += three[i, j, k, c]
            for c in range(width):
                sums[block + u, c] += sign * change[c]
                numbers[block + u, c] += sign * change[width + c]
