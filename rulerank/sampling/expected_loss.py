"""Expected DCG loss of a query, and of leaving one document's grade unknown (Long et al., SIGIR 2010)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rulerank.kernels import kernel
from rulerank.rules.items import Ints

Floats = npt.NDArray[np.float64]


def discounts(depth: int, most: int) -> Floats:
    """Return DCG's discounts 1 / log2(1 + position) of `most` positions, and 0 for those below `depth`."""
    places = np.arange(most)
    return np.where(places < depth, 1.0 / np.log2(places + 2.0), 0.0)


@kernel
def query_losses(gains: Floats, starts: Ints, discount: Floats) -> Floats:
    """Return each query's expected loss: the mean DCG of ideal rankings less the DCG of the best single ranking.

    gains: members by documents, a query's documents side by side; query q has those from starts[q] to starts[q + 1].
    The best single ranking is by mean gain, and its expected DCG is the DCG of the mean gains.
    """
    members = gains.shape[0]
    losses = np.zeros(starts.size - 1)
    for query in range(starts.size - 1):
        here = gains[:, starts[query] : starts[query + 1]]
        size = here.shape[1]
        mean = np.zeros(size)
        ideal = 0.0
        for member in range(members):
            mean += here[member]
            ordered = np.sort(here[member])
            for place in range(size):
                ideal += ordered[size - 1 - place] * discount[place]
        ordered = np.sort(mean)
        known = 0.0
        for place in range(size):
            known += ordered[size - 1 - place] * discount[place]
        losses[query] = (ideal - known) / members
    return losses


@kernel
def document_losses(gains: Floats, starts: Ints, discount: Floats) -> Floats:
    """Return each document's expected loss: what not knowing its grade alone costs, over samples of the others'.

    For each member's gains of the other documents: the mean, over members, of the ideal DCG with that member's gain of
    this document, less the ideal DCG with its mean gain. `discount` needs one place more than the largest query.
    """
    members, documents = gains.shape
    losses = np.zeros(documents)
    reach = np.count_nonzero(discount)
    mean, largest = np.zeros(documents), np.zeros(documents)
    for member in range(members):
        mean += gains[member] / members
        largest = np.maximum(largest, gains[member])
    for query in range(starts.size - 1):
        start, size = starts[query], starts[query + 1] - starts[query]
        same, one_up, one_down = np.zeros(size + 1), np.zeros(size + 1), np.zeros(size + 1)
        place_of = np.zeros(size, np.int64)
        for member in range(members):
            here = gains[member, start : start + size]
            falling = np.argsort(-here)
            ordered = here[falling]
            for place in range(size):
                place_of[falling[place]] = place
                # Sums of the gains before a place, each discounted as at its own place, at the next, at the one before.
                same[place + 1] = same[place] + ordered[place] * discount[place]
                one_down[place + 1] = one_down[place] + ordered[place] * discount[place + 1]
                one_up[place + 1] = one_up[place] + (ordered[place] * discount[place - 1] if place else 0.0)
            for document in range(size):
                own = place_of[document]
                if own >= reach and largest[start + document] <= ordered[reach - 1]:
                    continue  # whatever its gain, it stays below the cut-off
                total = 0.0
                for other in range(members + 1):
                    gain = gains[other, start + document] if other < members else mean[start + document]
                    # Where it would stand among the others: how many of them have a larger gain.
                    low, high = 0, size
                    while low < high:
                        middle = (low + high) // 2
                        if ordered[middle] > gain:
                            low = middle + 1
                        else:
                            high = middle
                    if low <= own:
                        # From `low` to its own place the others move down by one; below that they stay.
                        value = same[low] + one_down[own] - one_down[low] + same[size] - same[own + 1]
                        value += gain * discount[low]
                    else:
                        # It leaves its place, those after it up to `low` move up by one.
                        value = same[own] + one_up[low] - one_up[own + 1] + same[size] - same[low]
                        value += gain * discount[low - 1]
                    total += value / members if other < members else -value
                losses[start + document] += total / members
    return losses
