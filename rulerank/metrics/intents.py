"""ERR, ERR-IA and ERR-EIA: expected reciprocal rank over the intents of a user model.

Drutsa, Shutovich, Pushnyakov, Krokhalyov, Gusev and Serdyukov (2016), eq. 1:

    ERR = sum over i of p_i  sum over k of 1/k  pRel(i, k)  product over j < k of (1 - pRel(i, j))

It is a mean of classical ERR over the intents, each with its own probabilities; so is its expectation over ties.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulerank.errors import InputError
from rulerank.metrics.err import _measure
from rulerank.metrics.inputs import LARGEST_GRADE, check_grades
from rulerank.metrics.metric import mean_over_queries, room
from rulerank.metrics.rankings import Rankings, rank
from rulerank.metrics.users import IntentUser


@dataclass(frozen=True, eq=False)
class IntentERR:
    """ERR of each query under a user model, and its exact expectation over random orders of equal scores."""

    qids: list[Any]
    values: NDArray[np.float64]
    expected_values: NDArray[np.float64]

    @property
    def mean(self) -> float:
        """Mean over the queries, equal scores in the convention's order."""
        return float(mean_over_queries(self.values))

    @property
    def expected(self) -> float:
        """Mean over the queries of the expectation over ties."""
        return float(mean_over_queries(self.expected_values))


def intent_err(
    grades: Any,
    scores: Any,
    qids: Iterable[Any],
    languages: Iterable[Any] | None,
    user: IntentUser,
    *,
    convention: str = "letor",
    docids: Iterable[Any] | None = None,
) -> IntentERR:
    """Measure rankings by eq. 1 for a user: `err_user` gives ERR, `err_ia_user` ERR-IA, a fitted model its own.

    `languages` has the language of each document, by its name in `user.languages`; it may be left out for a user who
    knows one language only. Everything else is as in `evaluate`: unlabelled documents (-1) count as grade 0, and the
    whole list counts.
    """
    checked = np.maximum(check_grades(grades), 0)
    if checked.max() > user.max_grade:
        raise InputError(
            f"the data hold grade {checked.max()}, but the user model knows 0 to {user.max_grade}: "
            "fit it on a log with that grade, or make it for that best grade"
        )
    cells, place = np.unique(
        _codes(languages, user, len(checked)) * (user.max_grade + 1) + checked, return_inverse=True
    )
    if len(cells) > LARGEST_GRADE:
        raise InputError(f"the data hold {len(cells)} pairs of language and grade; at most {LARGEST_GRADE} are counted")
    rankings = rank(place, scores, qids, convention=convention, docids=docids)
    return mean_over_intents(rankings, user.prior, user.relevance.reshape(len(user.intents), -1)[:, cells])


def mean_over_intents(rankings: Rankings, prior: NDArray[np.float64], stops: NDArray[np.float64]) -> IntentERR:
    """Return eq. 1 for rankings whose grades number cells: `stops` has a row an intent and a column a cell."""
    total, expected_total = np.zeros((2, len(rankings.qids)))
    for share, chances in zip(prior, stops, strict=True):
        values, expected = room(rankings)
        rankings.over_queries(_measure, np.ascontiguousarray(chances), values, expected)
        total += share * values
        expected_total += share * expected
    return IntentERR(rankings.qids, total, expected_total)


def _codes(languages: Iterable[Any] | None, user: IntentUser, rows: int) -> NDArray[np.int64]:
    if languages is None:
        if len(user.languages) > 1:
            raise InputError(f"give the language of each document: the user knows {', '.join(user.languages)}")
        return np.zeros(rows, np.int64)
    named = [str(language) for language in languages]
    if len(named) != rows:
        raise InputError(f"languages have {len(named)} rows, but grades have {rows}: give one for each document")
    known = {name: code for code, name in enumerate(user.languages)}
    unknown = sorted(set(named) - set(known))
    if unknown:
        raise InputError(
            f"the user model knows the languages {', '.join(user.languages)}, but the data hold {', '.join(unknown)}"
        )
    return np.array([known[name] for name in named], np.int64)
