"""Readings of the papers: the one that we take, and the others that were tried where a paper leaves a choice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rulerank.discretize import MDLP, Discretizer, EqualFrequency, EqualWidth, Tube
from rulerank.ranking import LRAR, EagerRules, QueryLevelRules, RuleRanker, StableRules
from rulerank.reproduce.published import Known
from rulerank.strategy import Strategy


@dataclass(frozen=True)
class MethodSetup:
    """One way to run a method of the query-level paper: how it is named, the cuts, and the ranker."""

    method: str
    text: str
    cuts: Callable[[], Discretizer]
    ranker: Callable[[], RuleRanker]


DEFAULTS = (
    MethodSetup("RE-GR", "MDLP, antecedents up to 2", MDLP, LRAR),
    MethodSetup("RE-SR", "phi 0.10, 80% of the queries agree within 1.96 standard errors", MDLP, StableRules),
    MethodSetup("RE-QR", "a document's own query left in when D* is made", MDLP, QueryLevelRules),
)

TRIED = (
    MethodSetup("RE-GR", "antecedents of 1", MDLP, lambda: LRAR(max_antecedent=1)),
    MethodSetup("RE-GR", "antecedents up to 3", MDLP, lambda: LRAR(max_antecedent=3)),
    MethodSetup("RE-GR", "support of at least 5", MDLP, lambda: LRAR(min_support=5)),
    MethodSetup("RE-GR", "support of at least 20", MDLP, lambda: LRAR(min_support=20)),
    MethodSetup("RE-GR", "confidence of at least 0.05", MDLP, lambda: LRAR(min_confidence=0.05)),
    MethodSetup("RE-GR", "confidence of at least 0.10", MDLP, lambda: LRAR(min_confidence=0.10)),
    MethodSetup("RE-GR", "support 0.001 of the projection, confidence 0.25", MDLP, lambda: LRAR(2, 0.001, 0.25)),
    MethodSetup("RE-GR", "sums divided by the number of rules + 1", MDLP, lambda: LRAR(rule_offset=1)),
    MethodSetup("RE-GR", "AR(R): support 0.001, confidence 0.25, mined ahead", MDLP, EagerRules),
    MethodSetup("RE-GR", "TUBE, 10 bins", Tube, LRAR),
    MethodSetup("RE-GR", "10 bins of equal width", EqualWidth, LRAR),
    MethodSetup("RE-GR", "20 bins of equal frequency", lambda: EqualFrequency(bins=20), LRAR),
    MethodSetup("RE-SR", "to the letter: every query within 0.10", MDLP, lambda: StableRules(agreement=1.0, error=0)),
    MethodSetup("RE-SR", "every query within 0.50", MDLP, lambda: StableRules(phi=0.5, agreement=1.0, error=0)),
    MethodSetup("RE-SR", "every query with 10 documents, within 0.10", MDLP, lambda: StableRules(0.1, 1.0, 0, 10)),
    MethodSetup(
        "RE-SR", "half of the queries with 5 documents, within 0.30", MDLP, lambda: StableRules(0.3, 0.5, 0, 5)
    ),
    MethodSetup("RE-SR", "mean difference at most 0.10", MDLP, lambda: StableRules(agreement="mean", error=0)),
    MethodSetup("RE-SR", "mean difference at most 0.30", MDLP, lambda: StableRules(0.3, "mean", 0)),
    MethodSetup("RE-SR", "80% of the queries within 2.58 standard errors", MDLP, lambda: StableRules(error=2.58)),
    MethodSetup("RE-QR", "antecedents of 1", MDLP, lambda: QueryLevelRules(max_antecedent=1)),
    MethodSetup("RE-QR", "support of at least 5", MDLP, lambda: QueryLevelRules(min_support=5)),
)

TUBE, LRAR_BY_NAME = Strategy("tube"), Strategy("lrar")


@dataclass(frozen=True)
class Reading:
    """One way to run a column of the active-sampling paper's tables: the bins, the sampler, and the ranker.

    of: the sampler to whose natural stop it goes ("SSAR", "SSARP": its own, for a baseline that sampler's).
    """

    method: str
    of: str
    text: str
    sampler: Strategy
    discretizer: Strategy = TUBE
    ranker: Strategy = LRAR_BY_NAME


OURS = {
    "SSAR": Reading("SSAR", "SSAR", "TUBE, 10 bins, antecedents up to 2", Strategy("ssar")),
    "SSARP": Reading("SSARP", "SSARP", "the same, 5 partitions", Strategy("ssarp")),
}

BASELINES = ("LBM25", "Random", "SVMRank")
"""The other columns that have readings: the highest BM25, random draws, and RankSVM on the same samples."""

_DRAWN = Strategy("random")
_RANDOM = {"random": "drawn from all documents", "query_random": "even over queries"}
_COSTS: dict[str, dict[str, Any]] = {
    "its cost chosen by cross-validation on the sample": {},
    **{f"cost {cost:g}": {"cost": cost} for cost in (1.0, 100.0, 10_000.0)},
}


def bm25(known: Known, feature: int | None = None) -> Strategy:
    """Return the BM25 baseline: the highest value of the feature (from 1; the collection's own if None) first."""
    return Strategy("top_feature", {"feature": (known.bm25 if feature is None else feature) - 1})


def readings_of(method: str, known: Known, feature: int | None = None) -> list[Reading]:
    """Return the readings of a column, ours first: of SSAR, of SSARP, or of one of `BASELINES`.

    feature: the one (from 1) that the BM25 baseline goes by; None: the collection's own.
    """
    if method == "LBM25":
        first = known.bm25 if feature is None else feature
        numbers = dict.fromkeys((first, known.bm25, *known.other_bm25))
        return [
            Reading("LBM25", of, f"as many as {of}, by feature {number}", bm25(known, number))
            for number in numbers
            for of in OURS
        ]
    if method == "Random":
        return [
            Reading(method, of, f"as many as {of}, {text}", Strategy(name))
            for name, text in _RANDOM.items()
            for of in OURS
        ]
    if method == "SVMRank":
        samples = {"SSARP's sample": OURS["SSARP"].sampler, "as many by BM25": bm25(known, feature), "random": _DRAWN}
        return [
            Reading(method, "SSARP", f"{sample}, {text}", sampler, ranker=Strategy("rank_svm", params))
            for text, params in _COSTS.items()
            for sample, sampler in samples.items()
        ]
    name = OURS[method].sampler.name
    one, three = {"max_antecedent": 1}, {"max_antecedent": 3}
    found = [
        OURS[method],
        Reading(method, method, "antecedents of 1", Strategy(name, one), ranker=Strategy("lrar", one)),
        Reading(method, method, "antecedents up to 3", Strategy(name, three), ranker=Strategy("lrar", three)),
        Reading(
            method,
            method,
            "sums divided by the number of rules + 1, as in the authors' program",
            Strategy(name),
            ranker=Strategy("lrar", {"rule_offset": 1}),
        ),
        Reading(
            method, method, "TUBE, number of bins by cross-validation", Strategy(name), Strategy("tube", {"bins": "cv"})
        ),
        Reading(method, method, "10 bins of equal width", Strategy(name), Strategy("equal_width")),
        Reading(method, method, "10 bins of equal frequency", Strategy(name), Strategy("equal_frequency")),
    ]
    if method == "SSARP":
        found += [
            Reading(method, method, f"{count} partitions", Strategy(name, {"partitions": count})) for count in (4, 6, 8)
        ]
    return found
