"""From sums of confidences to p(r|d): eq. 1 and 2 of the ranking papers in one pass."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rulerank.kernels import kernel
from rulerank.rules.mine import RuleSums
from rulerank.threads import over_rows


@kernel
def _fill_shares(sums, numbers, start, stop, scale, offset, whole, prior, shares):
    """Fill shares[u] of documents start..stop: mean confidences of each class, divided by their sum."""
    width = prior.size
    for u in range(start, stop):
        total = 0.0
        for c in range(width):
            # A mean over all antecedents has the same divisor for every class, which the shares do without.
            score = sums[u, c] / (scale if whole else max(numbers[u, c] + offset, 1) * scale)
            shares[u, c] = score
            total += score
        for c in range(width):
            shares[u, c] = shares[u, c] / total if total > 0.0 else prior[c]


def class_shares(
    found: RuleSums, prior: npt.NDArray[np.float64], offset: int = 0, *, whole: bool = False
) -> npt.NDArray[np.float64]:
    """Return p(r|d), documents by the classes of `prior`; a document without any rule gets `prior`.

    Classes beyond the prior's have no labelled document left, hence no rule. `offset` as in `RuleSums.scores`. `whole`
    averages a class's confidences over all antecedents, 0 where one has no rule for it, and not over its rules alone.
    """
    shares = np.empty((len(found.sums), prior.size))
    over_rows(
        lambda start, stop: _fill_shares(
            found.sums, found.numbers, start, stop, float(found.scale), int(offset), whole, prior, shares
        ),
        len(shares),
    )
    return shares
