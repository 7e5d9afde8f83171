"""A campaign that is ready to use: its collection, items and live loop put together from what was stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rulerank.campaign.events import LabelEvent, LabelLog
from rulerank.campaign.live import Campaign
from rulerank.campaign.settings import Settings
from rulerank.campaign.state import Pool
from rulerank.collection import Collection, normalised_by_query
from rulerank.curves import Documents, Evaluation
from rulerank.discretize import Discretizer, items_of, useful_items
from rulerank.errors import InputError
from rulerank.ranking import RuleRanker, Terms
from rulerank.registry import discretizers, rankers
from rulerank.strategy import Strategy


@dataclass(frozen=True)
class Setup:
    """What a new campaign stores: which rows are labelled, which are measured on, and the fitted edges.

    >>> from rulerank.synthetic import planted_collection
    >>> made = set_up(planted_collection(queries=2, documents=3, features=3), Settings(), evaluation_rows=[3, 4, 5])
    >>> made.pool_rows.tolist(), made.evaluation_rows.tolist(), made.discretizer
    ([0, 1, 2], [3, 4, 5], Tube())
    """

    pool_rows: np.ndarray
    evaluation_rows: np.ndarray
    discretizer: Discretizer


def set_up(
    collection: Collection,
    settings: Settings,
    pool_rows: Iterable[int] | None = None,
    evaluation_rows: Iterable[int] = (),
) -> Setup:
    """Check what a campaign is to be made of, and fit the edges to the pool's rows. No pool: all other rows."""
    cutter = discretizers[settings.discretizer.name]
    if cutter.needs_grades:
        name = cutter.label.partition(" (")[0]
        raise InputError(f"{name} learns from grades, which a campaign does not have yet; choose another")
    held = np.unique(np.array(list(evaluation_rows), np.int64))
    rows = np.arange(len(collection))
    pool = np.setdiff1d(rows, held) if pool_rows is None else np.unique(np.array(list(pool_rows), np.int64))
    check_rows(collection, settings, pool, held)
    fitted: Discretizer = settings.discretizer.make(discretizers)
    fitted.fit(collection.features[pool], feature_names=_names(collection))
    items, _ = useful_items(fitted, collection.features[pool])
    # A sampler that cannot start here must be refused now, not when somebody opens the campaign.
    settings.make_sampler().start(items, features=collection.features[pool], qids=collection.query_index[pool])
    return Setup(pool, held, fitted)


def check_rows(collection: Collection, settings: Settings, pool: np.ndarray, held: np.ndarray) -> None:
    """Raise an error unless a campaign can have these rows of a collection as its pool and as its evaluation set."""
    if not pool.size:
        raise InputError("the pool is empty: choose at least one row to label")
    for name, chosen in (("pool", pool), ("evaluation set", held)):
        if chosen.size and not 0 <= chosen.min() <= chosen.max() < len(collection):
            raise InputError(f"the {name} names rows outside 0 to {len(collection) - 1}")
    if np.intersect1d(pool, held).size:
        raise InputError("some rows are in the pool and in the evaluation set too; a ranker must not be tested on them")
    if held.size and (collection.grades[held] < 0).any():
        raise InputError("the evaluation set has rows without a grade; leave them out")
    known = collection.grades[np.concatenate([pool, held])]
    if known.max(initial=-1) >= len(settings.grades):
        raise InputError(
            f"the file has grade {known.max()}, but the campaign only has grades 0 to {len(settings.grades) - 1}"
        )


def _names(collection: Collection) -> tuple[str, ...] | None:
    numbered = all(name == str(place) for place, name in enumerate(collection.feature_names, 1))
    return None if numbered else collection.feature_names


class OpenCampaign:
    """Everything about one campaign. `row` always counts in the pool, not in the collection.

    >>> from rulerank.campaign import MemoryLog
    >>> from rulerank.synthetic import planted_collection
    >>> collection, settings = planted_collection(queries=2, documents=4, features=3), Settings()
    >>> opened = OpenCampaign(1, "demo", settings, 1, collection, set_up(collection, settings), MemoryLog())
    >>> opened.document(5), opened.items.shape
    (('2', 'd5'), (8, 3))
    """

    def __init__(
        self,
        number: int,
        name: str,
        settings: Settings,
        collection_id: int,
        collection: Collection,
        made: Setup,
        log: LabelLog,
        terms: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """`name` and `settings` are those it was made with; `terms` of queries, by qid, are for some rankers."""
        self.id = number
        self.collection_id = collection_id
        self.collection = collection
        self.pool_rows = made.pool_rows
        self.evaluation_rows = made.evaluation_rows
        self.discretizer = made.discretizer
        self.items, self.useful = useful_items(made.discretizer, collection.features[made.pool_rows])
        self.query_index = collection.query_index[made.pool_rows]
        self.terms: Terms = {
            number: tuple((terms or {})[qid]) for number, qid in enumerate(collection.queries) if qid in (terms or {})
        }
        pool = Pool(self.items, self.query_index, collection.features[made.pool_rows])
        self.live = Campaign(log, pool, settings, name=name)

    @property
    def name(self) -> str:
        """The name that the campaign has now."""
        return self.live.fold.course.name

    @property
    def settings(self) -> Settings:
        """The settings as they are now."""
        return self.live.settings

    def change(self, person: int | None, after: Settings, **more: Any) -> LabelEvent | None:
        """Change the settings, as `Campaign.change` does, unless the collection does not allow it."""
        check_rows(self.collection, after, self.pool_rows, self.evaluation_rows)
        return self.live.change(person, after, **more)

    def ranker(self, name: str) -> RuleRanker:
        """Return a new ranker, by its strategy's key; queries go by their numbers in the collection."""
        made: RuleRanker = Strategy.parse(name).make(rankers, {"terms": self.terms} if self.terms else {})
        return made

    @property
    def documents(self) -> Documents:
        """The pool as rankers see it."""
        return Documents(self.items, self.query_index)

    def document(self, row: int) -> tuple[str, str]:
        """Return the qid and docid of a pool document."""
        at = int(self.pool_rows[row])
        return self.collection.queries[int(self.collection.query_index[at])], self.collection.docids[at]

    def features(self, row: int) -> dict[str, float]:
        """Return a pool document's feature values by name."""
        values = self.collection.features[int(self.pool_rows[row])]
        return dict(zip(self.discretizer.feature_names, values.tolist(), strict=True))

    def feature_places(self, row: int) -> dict[str, float]:
        """Return, for each feature, the share of the pool whose value is lower: the document's place in the pool."""
        values = self.collection.features[self.pool_rows]
        share = (values < values[row]).mean(axis=0)
        return dict(zip(self.discretizer.feature_names, share.tolist(), strict=True))

    @cached_property
    def scaled_by_query(self) -> np.ndarray:
        """Of each feature, whether its values were brought to 0..1 within each query: they compare only there."""
        return normalised_by_query(self.collection.features, self.collection.query_index)

    def item_text(self, feature: int, number: int) -> str:
        """Return an item in words; `feature` counts among the useful ones, as rules do."""
        return self.discretizer.describe(int(self.useful[feature]), number)

    @cached_property
    def known_grades(self) -> np.ndarray | None:
        """The pool's grades, where they are known beforehand and only hidden from the annotators."""
        grades = self.collection.grades[self.pool_rows].astype(np.int64)
        return grades if self.settings.grades_known and (grades >= 0).all() else None

    @property
    def evaluation(self) -> Evaluation | None:
        """The evaluation set, if there is one."""
        return None if self._evaluation is None else replace(self._evaluation, convention=self.settings.convention)

    @cached_property
    def _evaluation(self) -> Evaluation | None:
        if not self.evaluation_rows.size:
            return None
        return Evaluation(
            items_of(self.discretizer, self.collection.features[self.evaluation_rows], self.useful),
            self.collection.grades[self.evaluation_rows].astype(np.int64),
            self.collection.query_index[self.evaluation_rows],
        )

    def labelled(self) -> tuple[list[int], list[int]]:
        """Return the labelled rows in the order of their first label, and their current grades."""
        fold = self.live.fold
        grades = fold.current()
        order = [row for row in dict.fromkeys([*fold.imported, *(row for _, row in fold.labelled_at)]) if row in grades]
        first = set(order)
        order += [row for row in grades if row not in first]
        return order, [grades[row] for row in order]
