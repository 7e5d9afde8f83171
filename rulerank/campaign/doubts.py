"""Grades that look random: agreement with a ranker at chance, labels given too fast to be read, near copies apart.

A doubt asks somebody to look; it changes no grade and no stop light. How often honest grades raise one is in
docs/stopping.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from rulerank.campaign.looks import beyond_chance
from rulerank.campaign.opened import OpenCampaign
from rulerank.campaign.stop_light import TELLING
from rulerank.curves import out_of_fold
from rulerank.ranking import RECOMMENDED
from rulerank.registry import rankers
from rulerank.rules.items import Ints, Items

LABELS, RARER = TELLING, 20
"""Labels, and among them of the rarer kind, relevant or not, before anything is said of chance."""

CHANCE = -0.5
"""Standard errors: grades whose agreement with the ranker is below look random (see `beyond_chance` on why below 0)."""

OTHERS, BESIDE_OTHERS = 3.0, 1.0
"""Where the others' grades are beyond chance by so much, a person's must be so much beyond it, too."""

STRETCH = 20
"""Labels in a row that one person gave; half of them faster than can be read make a stretch."""

FASTEST, SHARE = 1.0, 0.25
"""Too fast: less than so many seconds, or than this share of the seconds that the campaign's other labels took."""

NEAR = 0.95
"""Near copies are documents of a query with the same item in this share of the features."""

LEAST_PAIRS, AS_RANDOM = 5.0, 0.8
"""Contradictions that random grades would have before anything is said; and from which share of it on it is said."""


@dataclass(frozen=True)
class GradesOfPerson:
    """The grades that one person gave, in the order of time; seconds: NaN where they are not known."""

    person: int
    rows: Ints
    grades: Ints
    seconds: np.ndarray


@dataclass(frozen=True)
class Stretches:
    """Labels of one person that were given too fast: how many, their median seconds, and what is usual."""

    labels: int
    seconds: float
    usual: float | None

    def words(self, name: str | None) -> str:
        """Say it of a person, with what to do."""
        usual = "" if self.usual is None else f" (usual here: {self.usual:.1f})"
        return (
            f"{name or 'Somebody'} gave {self.labels:,d} labels in about {self.seconds:.1f} seconds each{usual}: too "
            "fast to have read them. Ask whether a key was held down, and grade some of them again before you rely on "
            "them."
        )


@dataclass(frozen=True)
class Contradictions:
    """Pairs of near copies that one person graded, how many of them differently, and how many random grades would.

    >>> [Contradictions(pairs, apart, pairs / 2).as_random for pairs, apart in ((20, 9), (20, 3), (4, 2))]
    [True, False, False]
    """

    pairs: int
    apart: int
    by_chance: float

    @property
    def as_random(self) -> bool:
        """Whether near copies have different grades about as often as random grades would be different."""
        return self.by_chance >= LEAST_PAIRS and self.apart >= AS_RANDOM * self.by_chance

    def words(self, name: str | None) -> str:
        """Say it of a person, with what to do."""
        return (
            f"The grades of {name or 'somebody'} contradict each other: of {self.pairs:,d} pairs of near copies "
            f"(documents of one query with nearly the same features), {self.apart:,d} have different grades; random "
            f"grades would differ in about {self.by_chance:.0f}. Compare some of them with the guidelines. If such "
            "documents do differ in what counts, no feature tells it."
        )


@dataclass(frozen=True)
class AtChance:
    """Grades that a ranker which learnt from other queries predicts no better than chance."""

    def words(self, name: str | None) -> str:
        """Say it of a person, or of all (None), with what to do."""
        return (
            f"The grades{'' if name is None else f' of {name}'} look random: a ranker that learnt from other queries "
            "predicts them no better than chance. Read some documents again and compare their grades with the "
            "guidelines. If the grades are right, the features say little about relevance, and more labels will not "
            "mend that."
        )


@dataclass(frozen=True)
class Doubt:
    """A reason to look at grades again: what was found, and whose they are (None: all of the campaign's)."""

    person: int | None
    found: AtChance | Stretches | Contradictions

    def words(self, names: Mapping[int, str]) -> str:
        """Say it, with what to do; `names` by person."""
        return self.found.words(None if self.person is None else names.get(self.person, "somebody"))


def at_chance(given: Sequence[GradesOfPerson], items: Items, qids: Ints, grades: Mapping[int, int]) -> list[int | None]:
    """Return whose grades agree with a ranker that learnt from other queries no better than chance; None: all's.

    grades: the one grade of each labelled document, by row, which the ranker learns from.
    """
    rows = np.array(sorted(grades), np.int64)
    levels = np.array([grades[row] for row in rows], np.int64)
    scores = out_of_fold(rankers[RECOMMENDED], items[rows], levels, qids[rows]) if _enough(levels) else None
    if scores is None:
        return []
    if len(given) > 1:
        found: list[int | None] = []
        for each in given:
            place = np.searchsorted(rows, each.rows)
            rest = np.setdiff1d(np.arange(len(rows)), place)
            theirs = beyond_chance(scores[rest], levels[rest])
            mine = beyond_chance(scores[place], each.grades) if _enough(each.grades) else None
            clear = theirs is not None and theirs >= OTHERS
            if mine is not None and mine < (BESIDE_OTHERS if clear else CHANCE):
                found.append(each.person)
        if found:
            return found
    everybody = beyond_chance(scores, levels)
    return [None] if everybody is not None and everybody < CHANCE else []


def _enough(grades: Ints) -> bool:
    relevant = int((grades > 0).sum())
    return len(grades) >= LABELS and min(relevant, len(grades) - relevant) >= RARER


def too_fast(mine: GradesOfPerson, others: Sequence[GradesOfPerson]) -> Stretches | None:
    """Return a person's labels that were given too fast to be read, if there is a stretch of them."""
    known = mine.seconds[~np.isnan(mine.seconds)]
    if known.size < STRETCH:
        return None
    elsewhere = np.concatenate([each.seconds[~np.isnan(each.seconds)] for each in others] or [np.zeros(0)])
    usual = None
    fast = _stretches(known, FASTEST)
    # Usual is what all labels took, this person's own included: who is quick by nature is quick always.
    rest = np.concatenate([elsewhere, known[~fast]])
    if rest.size >= STRETCH:
        usual = float(np.median(rest))
        fast = _stretches(known, max(FASTEST, SHARE * usual))
    return Stretches(int(fast.sum()), float(np.median(known[fast])), usual) if fast.any() else None


def _stretches(seconds: np.ndarray, limit: float) -> np.ndarray:
    """Say of each label whether it is in a stretch whose median is below the limit."""
    below = np.median(np.lib.stride_tricks.sliding_window_view(seconds, STRETCH), axis=1) < limit
    found = np.zeros(len(seconds), bool)
    for start in np.flatnonzero(below):
        found[start : start + STRETCH] = True
    return found


def contradictions(mine: GradesOfPerson, items: Items, qids: Ints) -> Contradictions:
    """Compare the grades that one person gave near copies of the same query."""
    pairs = apart = 0
    queries = qids[mine.rows]
    for query in np.unique(queries):
        of_query = np.flatnonzero(queries == query)
        theirs, grades = items[mine.rows[of_query]], mine.grades[of_query]
        for place in range(len(of_query) - 1):
            near = (theirs[place + 1 :] == theirs[place]).mean(axis=1) >= NEAR
            pairs += int(near.sum())
            apart += int((grades[place + 1 :][near] != grades[place]).sum())
    shares = np.unique(mine.grades, return_counts=True)[1] / max(1, len(mine.grades))
    return Contradictions(pairs, apart, pairs * float(1 - (shares**2).sum()))


_kept: WeakKeyDictionary[OpenCampaign, tuple[int, list[Doubt]]] = WeakKeyDictionary()


def doubts(opened: OpenCampaign) -> list[Doubt]:
    """Return what looks random in a campaign's grades; worked out once for the same log."""
    seen = opened.live.fold.seen
    kept = _kept.get(opened)
    if kept is None or kept[0] != seen:
        kept = _kept[opened] = seen, _all_doubts(opened)
    return kept[1]


def given_by(opened: OpenCampaign) -> list[GradesOfPerson]:
    """Return the grades of each person that stand, in the order of time."""
    fold = opened.live.fold
    acts = [act for act in (fold.act(row, person) for row, person, _ in fold.table()) if act is not None]
    acts.sort(key=lambda act: act.id)
    found = []
    for person in dict.fromkeys(act.person for act in acts):
        mine = [act for act in acts if act.person == person]
        rows, grades = (np.array(column, np.int64) for column in ([a.row for a in mine], [a.grade for a in mine]))
        seconds = np.array([np.nan if act.seconds is None else act.seconds for act in mine])
        found.append(GradesOfPerson(person or 0, rows, grades, seconds))
    return found


def _all_doubts(opened: OpenCampaign) -> list[Doubt]:
    given, qids = given_by(opened), opened.query_index
    chance = at_chance(given, opened.items, qids, opened.live.fold.current())
    found = [Doubt(person, AtChance()) for person in chance]
    for mine in given:
        fast = too_fast(mine, [each for each in given if each is not mine])
        if fast is not None:
            found.append(Doubt(mine.person, fast))
        copies = contradictions(mine, opened.items, qids)
        if copies.as_random:
            found.append(Doubt(mine.person, copies))
    return found
