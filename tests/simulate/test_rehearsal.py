"""Parameters that cannot work are told before a run begins, whatever is wrong with them."""

from __future__ import annotations

import pytest
from simulate_helpers import small_plan

from rulerank.errors import InputError
from rulerank.registry import rankers, samplers
from rulerank.simulate.learners import learners
from rulerank.simulate.plan import rehearse
from rulerank.strategy import Strategy


@pytest.mark.parametrize(
    "sampler",
    [
        "ssarp:partitions=abc", "ssarp:partitions=null", "ssarp:partitions=0", "committee:members=abc",
        "committee:members=-3", "top_feature:feature=abc", "top_feature:feature=6", "elo_dcg:learner=trees",
        "cover:clusters=0", "ssar:max_antecedent=7",
    ],
)  # fmt: skip
def test_samplers(sampler):
    with pytest.raises(InputError, match=sampler):
        rehearse(small_plan(samplers=(sampler,)), 6)


@pytest.mark.parametrize(
    "ranker",
    [
        "lrar:min_support=x", "lrar_items:min_support=null", "eager_rules:min_confidence=x", "stable_rules:phi=x",
        "weighted_items:strength=-1", "ridge:penalty=null", "ridge:penalty=[1]", "rank_svm:cost=null",
        "lambda_mart:trees=abc", "lambda_mart:trees=0", "lambda_mart:leaves=1",
    ],
)  # fmt: skip
def test_rankers(ranker):
    with pytest.raises(InputError) as found:
        rehearse(small_plan(rankers=(ranker,)), 6)
    assert str(found.value).startswith(Strategy.parse(ranker).key)


@pytest.mark.parametrize("seed", ["null", "abc", "1.5", "-4"])
def test_seeds_are_whole_numbers(seed):
    with pytest.raises(InputError, match="seed must be a whole number"):
        small_plan(samplers=(f"random:seed={seed}",))


def test_what_works_passes_with_any_number_of_features():
    able = ("ssarp:partitions=8", "committee:members=3", "elo_dcg:learner=lrar", "cover:clusters=500", "random:seed=3")
    for features in (1, 3, 60):
        rehearse(small_plan(samplers=able, rankers=("lrar:max_antecedent=3", "ridge:penalty=2.5")), features)


def test_every_strategy_with_its_defaults_written_out_passes():
    for entry in samplers:
        given = {name: value for name, value in entry.value().get_params().items() if name != "seed"}
        rehearse(small_plan(samplers=(Strategy(entry.name, given),)), 6)
    for registry in (rankers, learners):
        for entry in registry:
            given = {param.name: param.default for param in entry.value.params}
            rehearse(small_plan(rankers=(Strategy(entry.name, given),)), 6)


def test_a_package_that_is_missing_is_told_beforehand(monkeypatch):
    monkeypatch.setattr("rulerank.simulate.plan.missing_package", lambda name: "no_such_package")
    with pytest.raises(InputError, match=r"needs the package no_such_package.*requirements-bench"):
        rehearse(small_plan(rankers=("ridge",)), 6, learn=False)


def test_features_are_told_as_people_count_them():
    assert Strategy("top_feature", {"feature": 2}).label(samplers).endswith(" with feature 3")
    assert Strategy("ssarp", {"partitions": 8}).label(samplers).endswith(" with partitions 8")
