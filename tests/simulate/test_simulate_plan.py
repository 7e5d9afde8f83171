"""Plans: what they accept, what they refuse in which words, and that they survive JSON."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.errors import InputError, RulerankError, UnknownNameError
from rulerank.metrics import Measure
from rulerank.registry import metrics, rankers, samplers
from rulerank.simulate import Plan, Strategy, all_rankers, learners


def test_a_plan_survives_json():
    plan = Plan(
        samplers=("ssarp:partitions=8", Strategy("committee", {"members": 3}, seeds=5), "random"),
        rankers=("lrar:max_antecedent=1", "ridge"),
        budget=300,
        every="geometric",
        metrics=("p@5", "map"),
        beyond_stop=False,
    )
    assert Plan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan
    assert plan.metrics == ("precision@5", "map")


def test_the_old_spelling_of_discretizer_is_read_and_both_at_once_are_refused():
    plan = Plan(discretizer="equal_width:bins=4", seeds=2)
    saved = json.loads(json.dumps(plan.to_dict()))
    old = {("discretiser" if name == "discretizer" else name): value for name, value in saved.items()}
    assert "discretiser" not in saved
    assert Plan.from_dict(old) == plan
    with pytest.raises(InputError, match="discretiser is the old spelling of discretizer: give one of them, not both"):
        Plan.from_dict({**old, **saved})


def test_a_plan_may_be_written_by_hand():
    plan = Plan.from_dict({"samplers": ["ssar"], "rankers": ["lrar"], "discretizer": "equal_width:bins=4"})
    assert plan.discretizer == Strategy("equal_width", {"bins": 4})
    assert plan.seeds == Plan().seeds


@given(
    st.sampled_from(["ssar", "x"]),
    st.dictionaries(
        st.from_regex(r"[a-z_]{1,8}", fullmatch=True).filter(lambda name: name != "seeds"),
        st.one_of(st.integers(-99, 99), st.floats(-5, 5), st.booleans(), st.sampled_from(["mean", "items"])),
        max_size=3,
    ),
    st.one_of(st.none(), st.integers(1, 50)),
)
def test_a_key_is_read_again_as_the_same_strategy(name, params, seeds):
    strategy = Strategy(name, params, seeds)
    read = Strategy.parse(strategy.key + (f":seeds={seeds}" if seeds else ""))
    assert read == strategy
    assert Strategy.from_dict(strategy.to_dict()) == strategy


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"samplers": ()}, "at least one"),
        ({"samplers": "ssar"}, "a list"),
        ({"samplers": ("ssar", "ssar")}, "twice"),
        ({"samplers": ("sssar",)}, "did you mean 'ssar'"),
        ({"samplers": ("ssarp:partition=3",)}, "did you mean 'partitions'"),
        ({"samplers": ("ssar:seeds=3",)}, "does not draw at random"),
        ({"samplers": ("random:seed=1:seeds=3",)}, "does not draw at random"),
        ({"samplers": ("random:seeds=0",)}, "seeds"),
        ({"samplers": ("random:3",)}, "parameter=value"),
        ({"samplers": ({"nam": "ssar"},)}, "name, params and seeds"),
        ({"rankers": ("ridg",)}, "did you mean 'ridge'"),
        ({"rankers": ("lrar:seeds=2",)}, "only samplers"),
        ({"discretizer": "mdlp"}, "learns from grades"),
        ({"convention": "trek"}, "did you mean 'trec'"),
        ({"metrics": ()}, "list of names"),
        ({"metrics": ("ndcg",)}, "ndcg@10"),
        ({"metrics": ("map@3",)}, "no @"),
        ({"metrics": ("ndcg@0",)}, "cut-off"),
        ({"metrics": ("nothing",)}, "no metric"),
        ({"budget": 0}, "share of the pool"),
        ({"budget": 1}, "either"),
        ({"budget": 2.5}, "share of the pool"),
        ({"budget": float("nan")}, "share of the pool"),
        ({"budget": "5%"}, "share of the pool"),
        ({"every": 0}, "every"),
        ({"every": "often"}, "every"),
        ({"seeds": 0}, "seeds"),
        ({"folds": 1}, "folds"),
        ({"beyond_stop": 1}, "true or false"),
    ],
)
def test_what_is_wrong_is_said(settings, words):
    with pytest.raises(RulerankError, match=words):
        Plan(**settings)


def test_unknown_settings_are_named():
    with pytest.raises(InputError, match="bugdet"):
        Plan.from_dict({"bugdet": 3})


@given(st.integers(1, 3000), st.one_of(st.integers(1, 400), st.just("geometric")))
def test_the_grid_rises_and_ends_at_the_budget(labels, every):
    grid = Plan(every=every).grid(labels)
    assert grid[-1] == labels
    assert grid[0] >= 1
    assert all(a < b for a, b in itertools.pairwise(grid))
    if every != "geometric":
        assert grid[:-1] == [n for n in range(1, labels) if n % every == 0]


def test_the_budget_is_the_same_on_every_fold():
    assert Plan(budget=0.05).labels([1000, 980, 1020]) == 49
    assert Plan(budget=0.29).labels([100]) == 29  # 0.29 * 100 is 28.999999999999996
    assert Plan(budget=1.0).labels([30, 20]) == 20
    assert Plan(budget=300).labels([1000, 200]) == 200
    with pytest.raises(InputError, match="less than one label"):
        Plan(budget=0.01).labels([50])


def test_only_samplers_that_draw_are_repeated():
    plan = Plan(samplers=("ssar", "random", "random:seed=4", "committee:seeds=2"), seeds=3)
    assert [plan.seeds_of(each) for each in plan.samplers] == [[None], [0, 1, 2], [None], [0, 1]]
    for entry in samplers:
        assert Strategy(entry.name).is_seeded(samplers) == ("seed" in entry.value().get_params())


def test_rankers_and_learners_have_different_names():
    assert not set(rankers.names()) & set(learners.names())
    assert all_rankers.names() == [*rankers.names(), *learners.names()]
    with pytest.raises(UnknownNameError, match="no ranker is named"):
        Plan(rankers=("nothing at all",))


def test_every_metric_is_printed_as_it_is_read():
    for entry in metrics:
        measure = Measure(entry.name, 7 if entry.value.cutoffs else None)
        assert Measure.parse(str(measure)) == Measure.parse(measure.name) == measure
    assert [str(Measure.parse(name)) for name in ("ndcg@10", "p@5", "meanndcg")] == ["NDCG@10", "P@5", "MeanNDCG"]


def test_metrics_are_read_with_their_cut_off():
    assert Measure.parse("NDCG@10") == Measure("ndcg", 10)
    assert Measure.parse("map") == Measure("map")
    assert [each.cut for each in Plan(metrics=("map", "p@20", "ndcg@3")).measures] == [None, 20, 3]
