"""What a researcher should know before people begin to label, said of settings and a pool before they are stored."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rulerank.campaign.settings import GradeLevel
from rulerank.registry import samplers

FIRST_LABELS = 300
"""Labels that one person gives in an afternoon: what they teach is what a campaign begins with."""
MOSTLY = 0.5
"""The share of graded pairs from which on it happens: in 64 trials on two pools never below it, at 0.9 in 7 of 8."""
FEW_LABELS = 3.0
"""Labels per query below which most queries have no two documents to compare."""


def unexplained_grades(grades: Sequence[GradeLevel]) -> str | None:
    """Name the grades that have no meaning: people would give them each in their own way.

    >>> unexplained_grades([GradeLevel("No", "Does not help."), GradeLevel("Yes")])
    'Grade 1 (Yes) has no meaning yet. People will guess, each differently: say in a sentence what it stands for.'
    """
    bare = [f"{place} ({level.name})" for place, level in enumerate(grades) if not level.meaning.strip()]
    if not bare:
        return None
    one = len(bare) == 1
    return (
        f"Grade{'' if one else 's'} {', '.join(bare)} {'has' if one else 'have'} no meaning yet. People will guess, "
        f"each differently: say in a sentence what {'it stands' if one else 'they stand'} for."
    )


def stops_at_once(sampler: str, labels: int, pool: int) -> str | None:
    """Say when so much of a pool is graded that a sampler with a natural stop may have nobody label anything.

    labels: grades that are taken over. Whether a sampler stops by itself is what its class says (`counts_rules`).

    >>> stops_at_once("ssar", 10, 100) is None, stops_at_once("random", 99, 100) is None
    (True, True)
    """
    kind = samplers[sampler]
    if labels and labels == pool:
        return (
            f"All {pool:,} pairs are graded already, so nothing is left to label. To label them anew, choose 'Do not "
            "use them' in step 3."
        )
    if not kind.counts_rules or not labels or labels < MOSTLY * pool:
        return None
    return (
        f"{labels:,} of {pool:,} pairs are graded already, so {kind.label} may stop at once. 'Keep labelling "
        "anyway' on Label goes on; or take another sampler (step 5), or 'Do not use them' (step 3)."
    )


def thin_labels(sampler: str, query_index: npt.ArrayLike) -> str | None:
    """Say when a sampler spreads labels so thinly over queries that trainers on pairs of documents learn little.

    RankSVM and LambdaMART compare documents of one query: a query with one label teaches them nothing. Whether a
    sampler goes by query is what its class says (`goes_by_query`).

    query_index: the query of each row of the pool.

    >>> thin_labels("random", [0] * 50 + [1] * 50) is None
    True
    """
    kind = samplers[sampler]
    sizes = np.unique(np.asarray(query_index), return_counts=True)[1]
    if kind.goes_by_query or not sizes.size or np.median(sizes) < 2:
        return None
    labels = min(FIRST_LABELS, int(sizes.sum()))
    each = labels / sizes.size
    if each >= FEW_LABELS:
        return None
    others = [entry.label for entry in samplers if entry.value.goes_by_query]
    instead = f"choose {' or '.join(others)}, which goes query by query, or " if others else ""
    return (
        f"{kind.label} chooses among {int(sizes.sum()):,} pairs of {sizes.size:,} queries (median "
        f"{np.median(sizes):g} each), whichever query they belong to: {labels:,} labels are {each:.1f} per query on "
        "average. The rankers here learn from that, but RankSVM and LambdaMART, which compare documents of one query, "
        f"learn little. If the labels are for such trainers, {instead}bring fewer queries."
    )
