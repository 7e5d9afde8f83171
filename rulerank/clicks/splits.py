"""Random splits of a log into sessions to learn from and sessions to test on, and tests over them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rulerank.clicks.likelihood import Floats
from rulerank.clicks.log import Ints
from rulerank.errors import InputError
from rulerank.statistics import paired_t

_EXACT = 1_000_000_000
"""Up to here numpy draws without replacement; beyond, each session is drawn on its own, which comes to the same."""


def random_splits(count: Ints, splits: int, share: float, seed: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield (learn, test) counts of a log's rows: `share` of the sessions, drawn without replacement, are the test."""
    total = int(count.sum())
    size = round(total * share)
    if splits < 1 or not 0 < share < 1:
        raise InputError("there must be at least 1 split, with a share for the test between 0 and 1")
    if not 0 < size < total:
        raise InputError(f"{total} sessions cannot be split so that {share:.0%} of them are a test")
    rng = np.random.default_rng(seed)
    for _ in range(splits):
        if total < _EXACT:
            test = rng.multivariate_hypergeometric(count, size, method="marginals")
        else:
            test = rng.binomial(count, share)
        yield count - test, test


def paired_t_test(first: Floats, second: Floats, share: float) -> dict[str, float]:
    """Return the mean difference over the splits, with t and p of the paired two-sample t-test, the paper's.

    Splits of one log share most of their sessions, so this test is too sure of itself. `p_corrected` widens the
    variance for that, from 1/n to 1/n + test/learn (Nadeau and Bengio, Machine Learning 52, 2003).
    """
    gaps = np.asarray(first, np.float64) - np.asarray(second, np.float64)
    gaps = gaps[np.isfinite(gaps)]
    if len(gaps) < 2:
        mean = float(gaps.mean()) if len(gaps) else float("nan")
        return {"difference": mean} | dict.fromkeys(("t", "p", "p_corrected"), float("nan"))
    plain = paired_t(gaps)
    corrected = paired_t(gaps, overlap=share / (1 - share))
    return {"difference": plain.difference, "t": plain.statistic, "p": plain.p, "p_corrected": corrected.p}
