"""Kernels that sum the confidences of every document's rules, antecedent by antecedent (eq. 1 of the ranking papers).

For one antecedent (a set of features) each document has a code: the number of its combination of bins. The labelled
documents fill a small block of counts, codes by classes; the block turns into confidences; every document to be scored
adds the confidences of its own code. No table of all rules is ever made, so memory does not grow with bins or features.

Confidences are whole numbers, round(theta * scale): sums of them are exact in any order, so that results do not depend
on the number of threads, and a score that was updated label by label equals one made from scratch to the last bit.
"""

from __future__ import annotations

import numpy as np

from rulerank.kernels import kernel


def scale_for(antecedents: int) -> int:
    """Return the largest power of two, at most 2^44, for which a sum over all antecedents fits 62 bits."""
    return 2 ** min(44, 62 - max(1, int(antecedents)).bit_length())


@kernel(inline="always")
def fixed_confidence(count, total, scale, min_count, min_confidence):
    """Return theta = count / total as a whole number of 1/scale, or 0 where the rule falls below a threshold."""
    if count < min_count or count == 0:
        return np.int64(0)
    theta = count / total
    if theta < min_confidence:
        return np.int64(0)
    return np.int64(theta * scale + 0.5)


@kernel
def _fill(codes, classes, width, cells, min_count, min_confidence, scale, counts, totals, block):
    """Count codes by class, and turn the counts into confidences; the block is right for every cell, held or not."""
    # Either every cell is cleared and turned, or only those that a labelled document holds: what earlier antecedents
    # left in the others must not be read.
    dense = cells <= codes.size
    if dense:
        counts[: cells * width] = 0
        totals[:cells] = 0
    else:
        for d in range(codes.size):
            totals[codes[d]] = 0
            for c in range(width):
                counts[codes[d] * width + c] = 0
    for d in range(codes.size):
        counts[codes[d] * width + classes[d]] += 1
        totals[codes[d]] += 1
    if dense:
        for cell in range(cells):
            for c in range(width):
                at = cell * width + c
                block[at] = fixed_confidence(counts[at], totals[cell], scale, min_count, min_confidence)
    else:
        block[: cells * width] = 0
        for d in range(codes.size):
            for c in range(width):
                at = codes[d] * width + c
                block[at] = fixed_confidence(counts[at], totals[codes[d]], scale, min_count, min_confidence)


@kernel
def _drop_unstable(
    codes, classes, width, starts, phi, error, least, share, counts, totals, inside, within, deviation, block
):
    """Set the confidence of rules that change from query to query to 0 (Definition 4.2, and readings of it).

    Documents starts[q]..starts[q+1] belong to query q. A query speaks on a code if `least` of its documents hold it,
    and its deviation counts only beyond `error` standard errors of a share of that many documents.
    share < 0: the deviations |theta - theta_q|, weighted by the query's documents, must be at most phi in the mean.
    Otherwise: at least `share` of the queries that speak must lie within phi (1: every one, the paper's words).
    """
    for d in range(codes.size):
        for c in range(width):
            deviation[codes[d] * width + c] = 0.0
            within[codes[d] * width + c] = 0.0
    for q in range(starts.size - 1):
        for d in range(starts[q], starts[q + 1]):
            for c in range(width + 1):
                inside[codes[d] * (width + 1) + c] = 0
        for d in range(starts[q], starts[q + 1]):
            inside[codes[d] * (width + 1) + classes[d]] += 1
            inside[codes[d] * (width + 1) + width] += 1
        for d in range(starts[q], starts[q + 1]):
            cell = codes[d]
            held = inside[cell * (width + 1) + width]
            if held < least or held == 0:
                continue
            inside[cell * (width + 1) + width] = 0
            for c in range(width):
                theta = counts[cell * width + c] / totals[cell]
                gap = abs(theta - inside[cell * (width + 1) + c] / held)
                gap = max(0.0, gap - error * np.sqrt(theta * (1.0 - theta) / held))
                if share < 0:
                    deviation[cell * width + c] += gap * held
                    within[cell * width + c] += held
                else:
                    within[cell * width + c] += 1.0
                    deviation[cell * width + c] += 1.0 if gap <= phi + 1e-12 else 0.0
    for d in range(codes.size):
        for c in range(width):
            at = codes[d] * width + c
            if share < 0:
                stable = within[at] > 0 and deviation[at] <= (phi + 1e-12) * within[at]
            else:
                stable = within[at] > 0 and deviation[at] >= share * within[at] - 1e-9
            if not stable:
                block[at] = 0


@kernel
def _collect(codes, width, block, sums, numbers):
    """Add to every document the confidences of its code (a negative code: no labelled document shares it)."""
    for u in range(codes.size):
        if codes[u] < 0:
            continue
        at = codes[u] * width
        for c in range(width):
            value = block[at + c]
            sums[u, c] += value
            numbers[u, c] += value > 0


@kernel
def _collect_supported(codes, width, counts, block, needed, sums, numbers):
    """As `_collect`, where a rule must also have the support that its document's projection asks for."""
    for u in range(codes.size):
        if codes[u] < 0:
            continue
        at = codes[u] * width
        for c in range(width):
            value = block[at + c]
            if value > 0 and counts[at + c] >= needed[u]:
                sums[u, c] += value
                numbers[u, c] += 1


@kernel
def _number_codes(codes, other, cells, seen):
    """Renumber codes densely by the labelled documents; others get -1 where no labelled document holds them."""
    seen[:cells] = -1
    number = 0
    for d in range(codes.size):
        if seen[codes[d]] < 0:
            seen[codes[d]] = number
            number += 1
        codes[d] = seen[codes[d]]
    for u in range(other.size):
        other[u] = seen[other[u]]
    return number


@kernel
def _join(first, column, bins, codes):
    """Extend codes by one more feature: code * bins + bin, and -1 stays -1."""
    for u in range(column.size):
        codes[u] = first[u] * bins + column[u] if first[u] >= 0 else -1


@kernel
def _add_rules(
    ours,
    yours,
    cells,
    classes,
    width,
    min_count,
    min_confidence,
    scale,
    needed,
    starts,
    phi,
    error,
    least,
    share,
    counts,
    totals,
    block,
    inside,
    within,
    deviation,
    sums,
    numbers,
):
    """Count one antecedent among the labelled documents (codes `ours`), and add its rules to the pool (`yours`)."""
    _fill(ours, classes, width, cells, min_count, min_confidence, scale, counts, totals, block)
    if starts.size:
        _drop_unstable(
            ours, classes, width, starts, phi, error, least, share, counts, totals, inside, within, deviation, block
        )
    if needed.size:
        _collect_supported(yours, width, counts, block, needed, sums, numbers)
    else:
        _collect(yours, width, block, sums, numbers)


@kernel
def sum_confidences(
    labelled,
    classes,
    width,
    pool,
    bins,
    size,
    scale,
    min_count,
    min_confidence,
    needed,
    starts,
    phi,
    error,
    least,
    share,
    part,
    parts,
    sums,
    numbers,
):
    """Add to sums and numbers (documents by classes) the rules of every `parts`-th leading feature.

    labelled, pool: features by documents. `needed` is empty or each document's least support. `starts` is empty or
    the queries' first rows in `labelled` (then only stable rules count).
    """
    features, count = labelled.shape
    documents = pool.shape[1]
    most = 1
    for i in range(features):
        most = max(most, bins[i])
    room = most * most if size >= 2 else most
    if size >= 3:
        room = max(room, min(count, most * most) * most)
    counts = np.zeros(room * width, np.int32)
    totals = np.zeros(room, np.int32)
    block = np.zeros(room * width, np.int64)
    extra = room * (width + 1) if starts.size else 0
    inside = np.zeros(extra, np.int32)
    within = np.zeros(extra, np.float64)
    deviation = np.zeros(extra, np.float64)
    seen = np.empty(room if size >= 3 else 0, np.int64)
    codes = np.empty((6, max(count, documents)), np.int64)

    for i in range(part, features, parts):
        mine, theirs = codes[0, :count], codes[1, :documents]
        for d in range(count):
            mine[d] = labelled[i, d]
        for u in range(documents):
            theirs[u] = pool[i, u]
        for j in range(i, features if size >= 2 else i + 1):
            if j == i:
                ours, yours, cells = mine, theirs, bins[i]
            else:
                ours, yours, cells = codes[2, :count], codes[3, :documents], bins[i] * bins[j]
                _join(mine, labelled[j], bins[j], ours)
                _join(theirs, pool[j], bins[j], yours)
            _add_rules(
                ours,
                yours,
                cells,
                classes,
                width,
                min_count,
                min_confidence,
                scale,
                needed,
                starts,
                phi,
                error,
                least,
                share,
                counts,
                totals,
                block,
                inside,
                within,
                deviation,
                sums,
                numbers,
            )
            if size < 3 or j == i:
                continue
            held = _number_codes(ours, yours, cells, seen)
            for k in range(j + 1, features):
                last, those, cells = codes[4, :count], codes[5, :documents], held * bins[k]
                _join(ours, labelled[k], bins[k], last)
                _join(yours, pool[k], bins[k], those)
                _add_rules(
                    last,
                    those,
                    cells,
                    classes,
                    width,
                    min_count,
                    min_confidence,
                    scale,
                    needed,
                    starts,
                    phi,
                    error,
                    least,
                    share,
                    counts,
                    totals,
                    block,
                    inside,
                    within,
                    deviation,
                    sums,
                    numbers,
                )


@kernel
def projection_sizes(labelled, pool, start, stop, sizes):
    """Fill sizes[u] with the number of labelled documents that share an item with document u of start..stop."""
    features, count = labelled.shape
    shares = np.empty(count, np.uint8)
    for u in range(start, stop):
        shares[:] = 0
        for i in range(features):
            value = pool[i, u]
            column = labelled[i]
            for d in range(count):
                shares[d] |= column[d] == value
        total = 0
        for d in range(count):
            total += shares[d]
        sizes[u] = total
