"""ELO-DCG: expected loss optimisation, the document or query whose unknown grades cost most DCG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rulerank.errors import InputError
from rulerank.kernels import kernel
from rulerank.registry import samplers
from rulerank.rules.items import Ints, antecedent_param, as_whole, check_antecedent
from rulerank.sampling.base import Floats, Sampler, Seed
from rulerank.sampling.model_based import Bag, RidgeBag, RuleBag
from rulerank.sampling.selection import Key
from rulerank.strategy import Param, seed_param


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


@samplers.register("elo_dcg", "ELO-DCG (expected loss)")
class ELODCG(Sampler):
    """Chooses the document whose unknown grade costs most expected DCG, in the query that costs most.

    Long, Chapelle, Zhang, Chang, Zheng, Tseng: Active Learning for Ranking through Expected Loss Optimization (SIGIR
    2010); Long, Bian et al. (TKDE 2015). Members of a bagged learner give samples of every document's gain
    2^score - 1. The loss of a query is the mean ideal DCG over the samples less the DCG of the ranking by mean gain;
    that of a document is the same with the other documents' gains held to one sample at a time, averaged over them.

    stages: 2 takes the queries with the largest loss first and in each the documents with the largest loss; 1 goes by
    documents alone. batch: labels that are asked for before the members learn anew. per_query: documents of one query
    in a batch (two stages), before the next query has its turn. members: how many samples. depth: DCG's cut-off.
    initial: random documents that are labelled first, since there is nothing to learn from. learner: "ridge" (on
    feature values, or bin numbers where there are none) with its `penalty`, or "lrar" (on items) with `max_antecedent`.

    What is uncertain, or differs. Only the papers' abstracts were at hand to check against: the two losses, and what
    is said here of the papers' experiments, could not be compared with their text. They bag gradient boosted trees;
    ridge regression is solved in closed form at each label and needs no further package, but is a plainer model. They
    start from a base set of graded queries and add new queries whole or by their best documents; here labels come one
    at a time, so a graded document stays in its query with its grade for certain, and queries may be taken up again.
    The number of members, documents per query, first documents and the cut-off are ours, as is the Poisson(1)
    bootstrap, drawn once at the start. Scores are kept between 0 and the largest grade seen, and losses are in units
    of 2^(that grade). Within a batch the proposal depends on the order the labels came in, with batch=1 only on the
    labels. Ties are random.

    >>> items, features = [[0, 0], [0, 0], [0, 1], [1, 1]], [[0.1], [0.2], [0.8], [0.9]]
    >>> ELODCG(initial=2, members=3).run(items, grades=[2, 2, 1, 0], qids=["p", "p", "q", "q"], features=features).order
    [1, 2, 0, 3]
    """

    goes_by_query = True

    params = (
        Param("stages", int, 2, "2: queries first, then their documents; 1: documents alone.", low=1, high=2),
        Param("batch", int, 1, "Labels asked for before the members learn anew.", low=1),
        Param("per_query", int, 5, "Documents of one query in a batch, in two stages.", low=1),
        Param("members", int, 10, "Bagged learners: samples of each document's gain.", low=2),
        Param("depth", int, 10, "Cut-off of DCG.", low=1),
        Param("initial", int, 10, "Random documents that are labelled first.", low=1),
        Param("learner", str, "ridge", "What is bagged.", choices=("ridge", "lrar")),
        Param("penalty", float, 10.0, "Penalty of the ridge regressions.", above=0),
        antecedent_param(),
        seed_param(),
    )

    def __init__(
        self,
        stages: int = 2,
        batch: int = 1,
        per_query: int = 5,
        members: int = 10,
        depth: int = 10,
        initial: int = 10,
        learner: str = "ridge",
        penalty: float = 10.0,
        max_antecedent: int = 2,
        seed: Seed = 0,
    ) -> None:
        self.stages = stages
        self.batch = batch
        self.per_query = per_query
        self.members = members
        self.depth = depth
        self.initial = initial
        self.learner = learner
        self.penalty = penalty
        self.max_antecedent = max_antecedent
        self.seed = seed

    def _begin(self) -> None:
        self._check()
        number: dict[Any, int] = {}
        qids = self._qids if self._qids is not None else ()
        self._query = np.array([number.setdefault(qid, len(number)) for qid in qids], np.int64)
        self._by_query = np.argsort(self._query, kind="stable")
        sizes = np.bincount(self._query)
        self._starts = np.concatenate([[0], np.cumsum(sizes)])
        self._discount = discounts(self.depth, int(sizes.max()) + 1)
        rows = len(self.pool)
        self._place = self._rng.permutation(rows)
        copies = self._rng.poisson(1.0, (self.members, rows))
        self._bag: Bag
        if self.learner == "lrar":
            self._bag = RuleBag(self.pool, copies, check_antecedent(self.max_antecedent))
        else:
            values = self.pool if self._features is None else self._features
            self._bag = RidgeBag(values.astype(np.float64), copies, float(self.penalty))
        self._learnt: dict[int, int] = {}
        self._losses: tuple[Floats, Floats] = (np.zeros(rows), np.zeros(rows))

    def _check(self) -> None:
        if self._qids is None:
            raise InputError("this sampler needs the query of every document: start(items, qids=...)")
        if self.stages not in (1, 2):
            raise InputError(f"stages must be 1 (documents) or 2 (queries, then documents), not {self.stages!r}")
        for name, least in (("batch", 1), ("per_query", 1), ("members", 2), ("depth", 1), ("initial", 1)):
            value = as_whole(getattr(self, name))
            if value is None or value < least:
                raise InputError(f"{name} must be a whole number of at least {least}, not {getattr(self, name)!r}")
        if self.learner not in ("ridge", "lrar"):
            raise InputError(f"learner must be 'ridge' or 'lrar', not {self.learner!r}")
        if not (isinstance(self.penalty, int | float) and 0 < self.penalty < np.inf):
            raise InputError(f"penalty must be a number above 0, not {self.penalty!r}")

    def _batches(self) -> tuple[dict[int, int], list[int]]:
        """Return the grades to learn from, and the rows labelled since: those of the batch under way."""
        labels = list(self._grades.items())
        if len(labels) < self.initial:
            return {}, [row for row, _ in labels]
        known = len(labels) - (len(labels) - self.initial) % self.batch
        return dict(labels[:known]), [row for row, _ in labels[known:]]

    def _learn(self, grades: dict[int, int]) -> None:
        """Bring the losses (of each document's query, and its own) up to these grades."""
        if grades == self._learnt:
            return
        self._learnt = dict(grades)
        top = max(grades.values(), default=0)
        if not top:
            # Nothing relevant is known, so every gain is 0 and so is every loss.
            self._losses = (np.zeros(len(self.pool)), np.zeros(len(self.pool)))
            return
        # Rounded, so that a difference in the last bit does not decide before the tie-break does.
        scores = np.clip(np.round(self._bag.scores(grades), 9), 0, top)
        gains = np.exp2(scores - top) - np.exp2(-float(top))
        for row, grade in grades.items():
            gains[:, row] = np.exp2(float(grade - top)) - np.exp2(-float(top))
        gains = np.ascontiguousarray(gains[:, self._by_query])
        of_document = np.zeros(len(self.pool))
        of_document[self._by_query] = document_losses(gains, self._starts, self._discount)
        of_query = query_losses(gains, self._starts, self._discount)[self._query]
        self._losses = (np.round(of_query, 9), np.round(of_document, 9))

    def _keys(self) -> Sequence[Key]:
        grades, since = self._batches()
        place = Key("place", self._place)
        if not grades:
            return (place,)
        self._learn(grades)
        of_query, of_document = (
            Key(name, loss, largest=True)
            for name, loss in zip(("loss of the query", "loss"), self._losses, strict=True)
        )
        if self.stages == 1:
            return (of_document, place)
        asked = np.bincount(self._query[since], minlength=len(self._starts) - 1) // self.per_query
        return (Key("turns of the query", asked[self._query]), of_query, of_document, place)

    def _reason(self, row: int, keys: dict[str, float]) -> str:
        if "loss" not in keys:
            return f"one of the first {self.initial}, which are random: there is nothing to learn from yet"
        own = f"not knowing its grade costs {keys['loss']:.4f} of expected DCG"
        if self.stages == 1:
            return f"{own}, the most of those without a grade"
        return f"{own}, the most in a query that stands to lose {keys['loss of the query']:.4f}"
