"""Conventions: what an evaluation program does where the definition of a metric leaves a choice.

| name | gain | discount at position i | P@k past the last document | NDCG@k there | equal scores |
| --- | --- | --- | --- | --- | --- |
| `letor`, `letor4` | 2^grade - 1 | 1, 1, then log2(i) | hits / k | 0 | keep file order |
| `letor3` | 2^grade - 1 | 1, 1, then log2(i) | 0 | 0 | keep file order |
| `trec` | grade | log2(i + 1) | hits / k | NDCG of the whole list | larger docid first, as strings |

`letor4` is LETOR's Eval-Score-4.0 and `letor3` its Eval-Score-3.0. They differ only in P@k for a query with
fewer than k documents. `letor` means `letor4`: it is the later script, and on a collection whose queries all
have k documents or more (as all of OHSUMED's have ten) both give the same numbers.

`trec` is trec_eval. It keeps scores as 32-bit floats, so scores that differ only beyond that are ties.
Without docids, documents count as named in file order, so among equal scores the later row comes first.

Common to all: a grade of 1 or more is relevant, an unlabelled document (grade -1) is not, and a query without
a relevant document counts as 0 and stays in the mean.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rulerank.registry import Registry


def exponential_gain(grades: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gain 2^grade - 1."""
    return np.exp2(grades) - 1.0


def linear_gain(grades: NDArray[np.float64]) -> NDArray[np.float64]:
    """The grade itself as its gain."""
    return grades


def letor_discount(positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weight 1 at positions 1 and 2, then 1 / log2(position)."""
    return 1.0 / np.log2(np.maximum(positions, 2.0))


def trec_discount(positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weight 1 / log2(position + 1)."""
    return 1.0 / np.log2(positions + 1.0)


@dataclass(eq=False)
class Convention:
    """The choices of one evaluation program; the module's table says what each means.

    >>> conventions["letor"].gain(np.array([0.0, 1.0, 2.0])).tolist()
    [0.0, 1.0, 3.0]
    >>> conventions["trec"].docids_break_ties
    True
    """

    gain: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    discount: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    precision_past_end: bool
    ndcg_past_end: bool
    docids_break_ties: bool
    single_precision: bool
    name: str = field(default="", init=False)
    label: str = field(default="", init=False)


conventions: Registry[Convention] = Registry("convention", "rulerank.metrics")


def _letor(*, precision_past_end: bool) -> Convention:
    return Convention(
        gain=exponential_gain,
        discount=letor_discount,
        precision_past_end=precision_past_end,
        ndcg_past_end=False,
        docids_break_ties=False,
        single_precision=False,
    )


conventions.register("letor", "LETOR (as Eval-Score-4.0 prints)")(_letor(precision_past_end=True))
conventions.register("letor3", "LETOR 3.0 (Eval-Score-3.0)")(_letor(precision_past_end=False))
conventions.register("letor4", "LETOR 4.0 (Eval-Score-4.0)")(_letor(precision_past_end=True))
conventions.register("trec", "TREC (trec_eval)")(
    Convention(
        gain=linear_gain,
        discount=trec_discount,
        precision_past_end=True,
        ndcg_past_end=True,
        docids_break_ties=True,
        single_precision=True,
    )
)
