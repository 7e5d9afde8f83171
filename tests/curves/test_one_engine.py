"""A campaign and a simulation that are given the same labels draw the same curve, to the last bit."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import rulerank.curves
from rulerank.campaign import MemoryLog, OpenCampaign, Settings, set_up
from rulerank.campaign.curves import new_curve, random_replay, read_replay
from rulerank.collection import Collection
from rulerank.metrics import EXPECTED
from rulerank.registry import rankers
from rulerank.simulate import Dataset, Plan, Strategy
from rulerank.simulate.data import prepare
from rulerank.simulate.outcome import ceiling, follow
from rulerank.synthetic import planted_collection

METRICS = ("map", "ndcg@5", "precision@3", "mrr")
LABELS = 24


@pytest.fixture(scope="module")
def split():
    return Dataset.from_collection(planted_collection(9, 14, 6, seed=5), 3).splits[0]


@pytest.fixture(scope="module")
def opened(split):
    """A campaign whose pool is the simulation's, and whose evaluation set is its test part."""
    collection = Collection.concat([split.pool, split.test])
    settings = Settings(grades_known=True, discretizer="equal_width:bins=3")
    made = set_up(collection, settings, evaluation_rows=range(len(split.pool), len(collection)))
    return OpenCampaign(1, "the same", settings, 1, collection, made, MemoryLog())


@pytest.mark.parametrize("ranker", rankers.names())
def test_a_campaign_and_a_simulation_have_the_same_points(ranker, split, opened):
    simulation = Plan(rankers=(ranker,), discretizer="equal_width:bins=3", metrics=METRICS)
    fold = prepare(split, simulation)
    campaign = new_curve(opened, ranker)
    rows = follow(simulation, Strategy("random"), 3, fold, [LABELS]).choice.rows
    campaign.follow(rows.tolist(), opened.known_grades[rows].tolist())
    grid = [point.labels for point in campaign.points]
    outcome = follow(simulation, Strategy("random"), 3, fold, grid)
    assert outcome.choice.rows.tolist() == rows.tolist()
    assert outcome.labels.tolist() == grid
    for place, point in enumerate(campaign.points):
        for which, name in enumerate(METRICS):
            assert point.values[name] == outcome.values[0, place, which].mean()
            assert point.values[EXPECTED + name] == outcome.expected[0, place, which].mean()


@pytest.mark.parametrize("ranker", ["lrar", "stable_rules"])
def test_they_have_the_same_ceiling(ranker, split, opened):
    simulation = Plan(rankers=(ranker,), discretizer="equal_width:bins=3", metrics=METRICS)
    outcome = ceiling(simulation, Strategy(ranker), prepare(split, simulation))
    _, top = read_replay(random_replay(opened, ranker, 2))
    assert [top[name] for name in METRICS] == outcome.values[0, 0].mean(axis=1).tolist()


def test_the_campaign_has_the_documents_of_the_simulation(split, opened):
    fold = prepare(split, Plan(discretizer="equal_width:bins=3"))
    assert np.array_equal(opened.items, fold.items)
    assert np.array_equal(opened.evaluation.items, fold.test_items)


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(rulerank.curves.__path__)])
def test_examples_run(name):
    assert doctest.testmod(importlib.import_module(f"rulerank.curves.{name}")).failed == 0
