"""The stop light: whether to go on labelling, in one word, one line, and the sentences behind it.

`stop_light` is a function of plain data. The Progress page calls it; so does the simulation behind docs/stopping.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rulerank.campaign.looks import FIRST, PER_DOUBLING, Look, look_points
from rulerank.campaign.stopping import (
    AGREEMENT,
    CROSSED_GAIN,
    GAIN,
    QUERIES,
    RARER,
    BesideRandom,
    Coverage,
    RuleState,
    Settled,
    settle,
)
from rulerank.campaign.to_go import ToGo
from rulerank.metrics import Measure

TELLING = 100
"""Labels from which on it says something about the grades that a ranker does not predict them."""


@dataclass(frozen=True)
class StopLight:
    """Whether to go on, in one word, one line, and the sentences behind it."""

    colour: Literal["green", "amber", "red", "grey"]
    headline: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """All that the stop light weighs.

    rules: where the rule counts stand; None: the sampler has no natural stop. looks: in their order, with the metric
    `measure` on the evaluation set, or `crossed`: cross-validated on the labels. random: the metric beside random
    replays, where there are some. to_go: labels to the natural stop. ceiling: the metric with all labels of the pool,
    by the known grades, where there are some; it is shown, and does not decide.
    """

    labels: int
    pool: int
    rules: RuleState | None
    measure: Measure
    looks: Sequence[Look]
    crossed: bool
    queries: Coverage
    random: BesideRandom | None = None
    to_go: ToGo | None = None
    ceiling: float | None = None

    @property
    def below(self) -> BesideRandom | None:
        """The comparison with random replays, if the metric lies below them."""
        return self.random if self.random is not None and self.random.below else None

    @property
    def stopped(self) -> bool | None:
        """Whether the natural stop is reached, or was at a look: who goes on past it may find new documents."""
        if self.rules is None:
            return None
        return bool(self.rules.stopped) or any(look.stopped for look in self.looks)


def stop_light(facts: Facts) -> StopLight:
    """Say whether to go on: green only where all agree, and have agreed for a while; amber where they disagree."""
    settled = settle(facts.looks, facts.measure.key, facts.pool, facts.queries.queries, crossed=facts.crossed)
    lines = [_about_rules(facts), *_about_looks(facts, settled), _about_queries(facts.queries)]
    if facts.below is not None:
        lines.append(_about_random(facts.below))
    colour, headline = _verdict(facts, settled)
    return StopLight(colour, headline, tuple(lines))


def _verdict(facts: Facts, settled: Settled) -> tuple[Literal["green", "amber", "red", "grey"], str]:
    metric, whole = facts.measure, facts.labels >= facts.pool
    if not facts.labels:
        return "grey", "Not yet: nothing is labelled"
    doubt = _doubt(facts, settled)
    if not doubt and (whole or facts.stopped is not False):
        reached = ", and the natural stop is reached" if facts.stopped and not whole else ""
        start = "Done: every document of the pool is labelled, and" if whole else "You may stop:"
        return "green", f"{start} {metric} and the ranking have settled{reached}"
    if not doubt:
        return "amber", f"Nearly: {metric} and the ranking have settled, but the natural stop is not reached"
    if whole or facts.stopped:
        reached = "Every document of the pool is labelled" if whole else "The natural stop is reached"
        return "amber", f"{reached}, but {doubt}"
    if facts.below is not None and facts.below.differing:
        return "amber", f"Check the grades first: {metric} is below what random labels give"
    if settled.since is not None:
        return "amber", f"The ranking has settled, but {doubt}"
    return "red", "Go on: it is early" if facts.labels < FIRST else "Go on labelling"


def _doubt(facts: Facts, settled: Settled) -> str:
    """Return what speaks against stopping, in words that end a sentence; nothing if nothing does."""
    metric, last = facts.measure, settled.last
    if facts.queries.queries == facts.queries.unlabelled + facts.queries.without_relevant:
        return "no relevant document was found yet"
    if facts.below is not None:
        return f"{metric} is below what random labels give" + ": check the grades first" * bool(facts.below.differing)
    if settled.since is not None:
        return ""
    if last is None:
        return f"how {metric} moves is not known yet"
    if last.chance is not True and last.look.labels < TELLING:
        return "there are too few labels to tell whether a ranker can predict these grades"
    if last.chance is not True:
        return "a ranker that learnt from other queries predicts these grades no better than chance: look at them"
    if not last.enough:
        return "there are too few labels of one kind to learn from"
    if last.curve is None or last.ranking is None:
        return f"how {metric} moves is not known yet"
    if not last.curve and facts.ceiling:
        return f"{metric} still moves from look to look"
    if not last.curve:
        return f"{metric} is still {'rising' if (last.gain or 0.0) > 0 else 'falling'}"
    if not last.ranking:
        return "new labels still change which documents come first"
    return f"{metric} and the ranking have settled only just now: a few more labels will show whether they stay"


def _about_looks(facts: Facts, settled: Settled) -> list[str]:
    last, metric = settled.last, facts.measure
    if last is None or last.gain is None:
        first = look_points(2 * FIRST)[PER_DOUBLING]
        return [f"How {metric} moves is not known yet: that takes {first} labels or more, and a value at each look."]
    look = last.look
    limit = CROSSED_GAIN if facts.crossed else GAIN
    before = facts.looks[len(facts.looks) - 1 - PER_DOUBLING]
    how = ", cross-validated on the labels," if facts.crossed else ""
    moves = "settled" if last.curve else "still rising" if last.gain > 0 else "still falling"
    if settled.since is not None and not last.curve:
        moves = "a little off again, for the first time"
    went = (
        f"{metric}{how} went from {before.values[metric.key]:.3f} after {before.labels:,d} labels to "
        f"{look.values[metric.key]:.3f} after {look.labels:,d}"
    )
    if facts.ceiling:
        share = look.values[metric.key] / facts.ceiling
        # How far off the end is need not be guessed where it is known; the light goes by the looks all the same.
        lines = [
            f"{went}, which is {share:.0%} of the {facts.ceiling:.3f} that all labels give by the known grades. Where "
            f"these are not known, the looks alone would decide: {moves}."
        ]
    else:
        lines = [
            f"{went}. At this pace, labelling the whole pool would change it by {last.gain:+.0%} (settled: less than "
            f"{limit:.0%}): {moves}."
        ]
    if look.agreement is not None:
        lines.append(
            f"Half of the labels put {look.agreement:.0%} of the same documents on top (settled: {AGREEMENT:.0%})."
        )
    least = int(min(QUERIES, facts.queries.queries / 2))
    lines.append(
        f"At the last look, after {look.labels:,d} labels, {look.rarer:,d} were of the rarer kind, relevant or not "
        f"(enough: {RARER}), and {look.queries:,d} queries had a relevant document (enough: {least:,d})."
    )
    if not last.chance:
        lines.append(
            "How well a ranker predicts the grades of queries it has not seen cannot be distinguished from chance yet."
        )
    if settled.since is not None:
        lines.append(f"All of this has held since {settled.since:,d} labels.")
    elif last.hold:
        lines.append(f"All of this held at {settled.in_a_row} of the last {settled.needed} looks that are asked for.")
    return lines


def _about_random(below: BesideRandom) -> str:
    start = f"Below the random band: with random labels a ranker has about {below.mean:.2f} here"
    if not below.differing:
        return f"{start}. The grades are the known ones, so it is due to the choice of documents."
    verb = "differs" if below.differing == 1 else "differ"
    return (
        f"{start}; check the grades ({below.differing:,d} of {below.labels:,d} {verb} from the known ones) "
        "before labelling more."
    )


def _about_rules(facts: Facts) -> str:
    rules, to_go = facts.rules, facts.to_go
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
    if rules.stopped:
        return f"The natural stop is reached: {both}, so the next choice would be a document that is labelled already."
    passed = next((look.labels for look in facts.looks if look.stopped), None)
    if passed is not None:
        return f"The natural stop was reached by {passed:,d} labels; those since have moved the line. Now {both}."
    left = "" if to_go is None or not to_go.high else f"The campaign has {to_go} labels to its natural stop. "
    if rules.stopped is None:
        return (
            f"{left}Over all partitions, {both}; the natural stop comes when every partition has chosen a labelled one "
            "again."
        )
    why = "A document with fewer rules is one the labels say little about."
    return f"{left}The natural stop is not reached: {both}. {why}"


def _about_queries(queries: Coverage) -> str:
    missing = queries.unlabelled + queries.without_relevant
    if not missing:
        return f"Each of the {queries.queries:,d} queries of the pool has a relevant document.{_about_pairs(queries)}"
    start = (
        f"{missing:,d} of {queries.queries:,d} queries of the pool have no relevant document so far: "
        f"{queries.unlabelled:,d} without any label, {queries.without_relevant:,d} with labels of grade 0 only."
    )
    if missing == queries.queries:
        return f"{start} Without a relevant document there is nothing to rank first."
    return f"{start} For rulerank's own rankers this is fine: they learn across queries.{_about_pairs(queries)}"


def _about_pairs(queries: Coverage) -> str:
    """Return the same warning as Export's, for trainers that compare the documents of a query."""
    if not queries.one_grade:
        return ""
    return (
        f" A pairwise or listwise trainer (RankSVM, LambdaMART) learns nothing yet from {queries.one_grade:,d} of the "
        f"{queries.labelled:,d} labelled queries, which have a single grade."
    )
