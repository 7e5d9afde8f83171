"""When to stop labelling: signals that explain themselves, from rule counts, the learning curve and the queries."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rulerank.campaign.chance import Chance
from rulerank.rules.items import Ints, Items
from rulerank.sampling.base import occurrence_key, total_occurrence
from rulerank.sampling.selection import Key, pick

STEADY = 0.01
"""A metric that stayed within this much over the last labels is flat."""

EARLY = 20
"""With fewer labels nothing is said about the curve: it is flat at first for lack of labels."""


@dataclass(frozen=True)
class RuleState:
    """Where the rules stand: fewest rules without and with a grade, and whether the natural stop is reached.

    `stopped` is None where that is not known from the counts (SSARP stops partition by partition).
    """

    fewest_unlabelled: int | None
    fewest_labelled: int | None
    stopped: bool | None


@dataclass(frozen=True)
class Movement:
    """How a metric moved over the last labels; `spread` is its highest less its lowest value on the way."""

    labels: int
    before: float
    now: float
    spread: float

    @property
    def steady(self) -> bool:
        """Whether the curve is flat."""
        return self.spread < STEADY


@dataclass(frozen=True)
class Coverage:
    """Queries of the pool: how many there are, without any label, and with labels but without a relevant document."""

    queries: int
    unlabelled: int
    without_relevant: int


@dataclass(frozen=True)
class StopLight:
    """Whether to go on, in one word, one line, and the sentences behind it."""

    colour: Literal["green", "amber", "red", "grey"]
    headline: str
    reasons: tuple[str, ...]


def rule_state(items: Items, counts: Ints, labelled: Collection[int], excluded: Collection[int] = ()) -> RuleState:
    """Compare the rule counts of labelled and unlabelled documents, with SSAR's own tie-breaks for the stop.

    The natural stop is reached when the document with the fewest rules of the whole pool is labelled (Lemma 2).
    """
    held = np.zeros(len(counts), bool)
    held[list(labelled)] = True
    inside = np.ones(len(counts), bool)
    inside[[row for row in excluded if not held[row]]] = False
    free = inside & ~held
    chosen = pick((Key("rules", counts), occurrence_key(total_occurrence(items), not held.any())), inside)
    return RuleState(
        int(counts[free].min()) if free.any() else None,
        int(counts[held].min()) if held.any() else None,
        bool(chosen >= 0 and held[chosen]),
    )


def movement(labels: Sequence[int], values: Sequence[float | None]) -> Movement | None:
    """Return how a curve moved over its last tenth, at least ten labels; None where it is too short or undefined."""
    known = [(n, value) for n, value in zip(labels, values, strict=True) if value is not None]
    if not known or known[-1][0] < EARLY:
        return None
    last, now = known[-1]
    span = max(10, round(last / 10))
    start = next((place for place in reversed(range(len(known))) if known[place][0] <= last - span), None)
    if start is None:
        return None
    seen = [value for _, value in known[start:]]
    return Movement(last - known[start][0], seen[0], now, max(seen) - min(seen))


def coverage(qids: Ints, rows: Sequence[int], grades: Sequence[int]) -> Coverage:
    """Return which queries of the pool have labels and relevant documents so far."""
    everything = int(np.unique(qids).size)
    given = qids[list(rows)]
    asked = int(np.unique(given).size)
    relevant = int(np.unique(given[np.asarray(grades, np.int64) > 0]).size)
    return Coverage(everything, everything - asked, asked - relevant)


def stop_light(
    labels: int,
    pool: int,
    rules: RuleState | None,
    metric: str,
    moved: Movement | None,
    queries: Coverage,
    chance: Chance | None = None,
) -> StopLight:
    """Say whether to go on: green only where the rules say stop and no other line speaks against it.

    chance: whether the grades teach more than shuffled ones, which takes a moment to find out; None: not looked at.
    """
    lines = [_about_rules(rules), _about_curve(metric, moved), _about_queries(queries)]
    if chance is not None:
        lines.append(_about_chance(chance))
    reasons = tuple(lines)
    if not labels:
        return StopLight("grey", "Not yet: nothing is labelled", reasons)
    if labels >= pool or (rules is not None and rules.stopped):
        whole = labels >= pool
        but = _doubt(metric, moved, queries, chance)
        reached = "Every document of the pool is labelled" if whole else "The natural stop is reached"
        if but:
            return StopLight("amber", f"{reached}, but {but}", reasons)
        agreed = (
            "Done: every document of the pool is labelled" if whole else "You may stop: the natural stop is reached"
        )
        return StopLight("green", f"{agreed}, and {metric} is flat", reasons)
    if moved is not None and moved.steady:
        if rules is None:
            return StopLight("amber", "The curve is flat; whether to stop is yours to decide", reasons)
        return StopLight("amber", "Nearly: the curve is flat, but some documents are still new to the rules", reasons)
    if labels < EARLY:
        return StopLight("red", "Go on: it is early", reasons)
    return StopLight("red", "Go on labelling", reasons)


def _doubt(metric: str, moved: Movement | None, queries: Coverage, chance: Chance | None) -> str:
    """Return what speaks against stopping although the rules say so, in words that end a sentence; nothing if none."""
    if queries.queries == queries.unlabelled + queries.without_relevant:
        return "no relevant document was found yet"
    if moved is None:
        return f"how {metric} moves is not known yet"
    if not moved.steady:
        return f"{metric} is still moving: a few more labels will show where it settles"
    if chance is not None and not chance.beaten:
        return "the grades teach a ranker no more than chance would: look at them before you stop"
    return ""


def _about_chance(chance: Chance) -> str:
    if chance.value is None:
        return (
            "Whether the grades tell more than chance cannot be said: all are the same, or too few queries have some."
        )
    verdict = "the grades tell more than chance" if chance.beaten else "that cannot be told from chance"
    return (
        f"A ranker taught these grades reaches MAP {chance.value:.3f}; taught the same grades in a random order, "
        f"{chance.mean:.3f} on average, and as much or more in {chance.as_good:,d} of {chance.shuffles:,d} orders: "
        f"{verdict}."
    )


def _about_rules(rules: RuleState | None) -> str:
    if rules is None:
        return "This sampler does not count rules, so it has no natural stop."
    free, held = rules.fewest_unlabelled, rules.fewest_labelled
    if held is None:
        return "The natural stop is not reached: no document is labelled yet."
    if free is None:
        return "No document is left without a grade."
    both = (
        f"the unlabelled document with the fewest rules draws {free:,d}, "
        f"the labelled one with the fewest draws {held:,d}"
    )
    if rules.stopped is None:
        return (
            f"Over all partitions, {both}; the natural stop comes when every partition has chosen a labelled one again."
        )
    if rules.stopped:
        return f"The natural stop is reached: {both}, so the next choice would be a document that is labelled already."
    return f"The natural stop is not reached: {both}. A document with fewer rules is one the labels say little about."


def _about_curve(metric: str, moved: Movement | None) -> str:
    if moved is None:
        return f"How {metric} moves is not known yet: that takes a curve over {EARLY} labels or more."
    flat = "flat" if moved.steady else "still moving"
    return (
        f"{metric} moved by {moved.now - moved.before:+.3f} in the last {moved.labels:,d} labels, from "
        f"{moved.before:.3f} to {moved.now:.3f}, and stayed within {moved.spread:.3f}: it is {flat} "
        f"(flat means less than {STEADY:g})."
    )


def _about_queries(queries: Coverage) -> str:
    missing = queries.unlabelled + queries.without_relevant
    if not missing:
        return f"Each of the {queries.queries:,d} queries of the pool has a relevant document."
    return (
        f"{missing:,d} of {queries.queries:,d} queries of the pool have no relevant document so far: "
        f"{queries.unlabelled:,d} without any label, {queries.without_relevant:,d} with labels of grade 0 only. "
        + (
            "Without a relevant document there is nothing to rank first."
            if missing == queries.queries
            else "Rankers learn across queries, so this alone is no reason to go on."
        )
    )
