"""Advice from made-up evidence, whose right answer is known; and from the evidence that this version brings along."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from rulerank.advice import (
    Case,
    MeanCurve,
    PoolFacts,
    checked,
    compare_rankers,
    evidence,
    forecast_now,
    labels_for,
    recommend,
)
from rulerank.advice.gather import copies, facts_of, main
from rulerank.cli.program import app
from rulerank.collection import UNLABELLED
from rulerank.curves import Documents, Evaluation
from rulerank.errors import InputError
from rulerank.letor import write_letor
from rulerank.ranking import RECOMMENDED as RANKER
from rulerank.registry import rankers, samplers
from rulerank.sampling import FOR_PAIRS
from rulerank.sampling import RECOMMENDED as SAMPLER
from rulerank.synthetic import planted_collection

GRID = (10, 20, 50, 100, 200, 400, 800)


def case(base: str, relevant: float, reached: dict[str, float], labels: int = 100, name: str = "") -> Case:
    """A collection on which a sampler comes to a share of all labels, and stays at 1 after `labels`."""
    curves = tuple(
        MeanCurve(sampler, RANKER, 0.5, GRID, tuple(share if point < labels else max(share, 1.0) for point in GRID))
        for sampler, share in reached.items()
    )
    return Case(name or base, base, PoolFacts(5000, 50, 40, relevant), curves)


def level(noise: float = 0.0) -> list[Case]:
    return [case(f"s{n}", 0.1, {SAMPLER: 0.9 + noise * (-1) ** n, "ssarp": 0.9, "random": 0.85}) for n in range(6)]


def test_the_usual_choice_stays_unless_another_is_clearly_ahead():
    assert recommend(PoolFacts(1000, 20, 10), cases=level()).sampler == SAMPLER
    assert recommend(PoolFacts(1000, 20, 10), cases=level(0.05)).sampler == SAMPLER
    ahead = [case(f"s{n}", 0.1, {SAMPLER: 0.9, "ssarp": 0.95 + 0.001 * n, "random": 0.85}) for n in range(6)]
    found = recommend(PoolFacts(1000, 20, 10), cases=ahead)
    assert (found.sampler, found.ranker, found.beside) == ("ssarp", RANKER, "")
    assert "as many random ones 96%" in found.sentence


def test_only_collections_like_the_pool_count_where_there_are_enough():
    rare = [case(f"r{n}", 0.003, {SAMPLER: 0.5, "ssarp": 0.8 + 0.01 * n, "random": 0.3}) for n in range(4)]
    assert recommend(PoolFacts(1000, 20, 10, relevant=0.004), cases=[*level(), *rare]).sampler == "ssarp"
    assert recommend(PoolFacts(1000, 20, 10, relevant=0.1), cases=[*level(), *rare]).sampler == SAMPLER
    assert "1 relevant pair in 333 to 333" in recommend(PoolFacts(9, 2, 1, 0.004), cases=[*level(), *rare]).sentence


def test_a_sampler_outside_the_family_stands_beside_the_choice():
    cases = [case(f"s{n}", 0.1, {SAMPLER: 0.9, "k_center": 0.97 + 0.001 * n, "random": 0.85}) for n in range(5)]
    found = recommend(PoolFacts(1000, 20, 10), cases=cases)
    assert found.sampler == SAMPLER
    assert samplers["k_center"].label in found.beside


def test_copies_of_one_collection_count_as_one():
    copied = [case("same", 0.1, {SAMPLER: 0.9, "ssarp": 0.99, "random": 0.8}, name=f"copy {n}") for n in range(9)]
    assert recommend(PoolFacts(1000, 20, 10), cases=copied).sampler == SAMPLER


def test_labels_for_pairwise_trainers_are_chosen_by_query():
    found = recommend(PoolFacts(1000, 20, 10), pairwise=True)
    assert found.sampler == FOR_PAIRS
    assert samplers[found.sampler].goes_by_query


def needing(numbers: dict[str, tuple[float, int]]) -> list[Case]:
    return [case(base, relevant, {SAMPLER: 0.1}, labels) for base, (relevant, labels) in numbers.items()]


def test_the_range_is_that_of_most_collections_like_the_pool():
    common = {"a": (0.2, 50), "b": (0.25, 100), "c": (0.1, 100), "d": (0.15, 50), "e": (0.15, 10)}
    rare = {"f": (0.004, 800), "g": (0.003, 400), "h": (0.002, 400)}
    cases = needing(common | rare)
    found = labels_for(PoolFacts(10_000, 50, 40, relevant=0.2), cases=cases)
    assert (found.low, found.high, found.held, found.cases, found.never) == (50, 100, 4, 5, 0)
    found = labels_for(PoolFacts(10_000, 50, 40, relevant=0.003), cases=cases)
    assert (found.low, found.high, found.held, found.cases) == (400, 800, 3, 3)
    assert labels_for(PoolFacts(600, 5, 4, relevant=0.003), cases=cases).high == 600
    assert labels_for(PoolFacts(600, 5, 4), cases=cases).cases == 8
    assert labels_for(PoolFacts(600, 5, 4), cases=cases[:2]) is None


def test_where_curves_never_got_there_only_a_lower_bound_is_said():
    reached = needing({name: (0.1, labels) for name, labels in zip("abcd", GRID, strict=False)})
    never = [case("never", 0.1, {SAMPLER: 0.1}, 10**6)]
    facts = PoolFacts(10_000, 50, 40)
    assert "1 did not get there within 800" in labels_for(facts, cases=reached + never).sentence
    found = labels_for(facts, cases=reached + never * 2)
    assert (found.low, found.high, found.never, found.followed) == (20, None, 2, 800)
    small = labels_for(replace(facts, pairs=300), cases=reached + never * 2)
    assert (small.low, small.high, small.whole) == (20, 300, True)
    assert "or up to the whole pool (300)" in small.sentence
    assert "800" not in small.sentence
    assert found.sentence.startswith("20 or more labels for 95%")


@given(st.lists(st.sampled_from([*GRID, 10**6]), min_size=6, max_size=20))
def test_the_range_holds_what_it_says(numbers):
    cases = [case(f"s{n}", 0.1, {SAMPLER: 0.1}, labels) for n, labels in enumerate(numbers)]
    found = labels_for(PoolFacts(10_000, 50, 40), cases=cases)
    high = 10**6 if found.high is None else found.high
    assert sum(found.low <= number <= high for number in numbers) == found.held >= 0.8 * len(numbers)
    assert checked(cases=cases)[1] == len(numbers)


def test_wrong_shares_are_refused():
    with pytest.raises(InputError, match="above 0"):
        PoolFacts(10, 2, 3, relevant=0.0)
    with pytest.raises(InputError, match="share to reach"):
        labels_for(PoolFacts(10, 2, 3), 1.5)


def test_the_evidence_at_hand_answers_for_any_pool():
    assert len({each.base for each in evidence()}) >= 6
    for each in evidence():
        assert all(curve.sampler.split(":")[0] in samplers for curve in each.curves)
        assert each.curve(SAMPLER, RANKER) is not None
        assert each.curve("random", RANKER) is not None
    for relevant in (None, 0.5, 0.1, 0.02, 0.003):
        facts = PoolFacts(20_000, 100, 40, relevant)
        found = recommend(facts)
        assert samplers[found.sampler].counts_rules
        assert found.ranker in rankers
        forecast = labels_for(facts, sampler=found.sampler, ranker=found.ranker)
        assert forecast.held >= 0.8 * forecast.cases
        assert 1 <= forecast.low <= (forecast.high or facts.pairs) <= facts.pairs


def test_evidence_is_gathered_by_the_command(tmp_path, monkeypatch, capsys):
    write_letor(planted_collection(12, 40, 4, seed=3), tmp_path / "made.letor")
    arguments = [
        "gather",
        str(tmp_path / "made.letor"),
        "--thin",
        "3",
        "--samplers",
        "ssar,random:seeds=2",
        "--jobs",
        "1",
    ]
    arguments += ["--rankers", "lrar", "--work", str(tmp_path / "work"), "--out", str(tmp_path / "evidence.json")]
    monkeypatch.setattr("sys.argv", arguments)
    main()
    cases = [Case.from_dict(each) for each in json.loads((tmp_path / "evidence.json").read_text())]
    assert cases[0].facts == PoolFacts.of(planted_collection(12, 40, 4, seed=3))
    assert {curve.sampler for each in cases for curve in each.curves} == {"ssar", "random"}
    assert capsys.readouterr().out.startswith("made 480 pairs of 12 queries")
    names = [name for name, _ in copies(tmp_path / "made.letor", [3, 100_000])]
    assert names == [each.name for each in cases]
    whole = next(data for _, data in copies(tmp_path / "made.letor", []))
    assert facts_of(whole) == cases[0].facts


def test_the_command_advises(tmp_path):
    pool = planted_collection(12, 40, 4, seed=3)
    bare = pool.with_grades(np.full(len(pool), UNLABELLED))
    write_letor(bare, tmp_path / "pool.letor")
    said = CliRunner().invoke(app, ["advise", str(tmp_path / "pool.letor"), "--one-in", "50"]).output
    assert "480 pairs of 12 queries, 1 relevant in 50, 4 features" in said
    assert samplers[recommend(PoolFacts(480, 12, 4, 0.02)).sampler].label in said
    assert "labels for 95% of the MAP" in " ".join(said.split())
    found = json.loads(CliRunner().invoke(app, ["advise", str(tmp_path / "pool.letor"), "--pairwise", "--json"]).output)
    assert found["facts"]["relevant"] is None
    assert found["recommended"]["sampler"] == FOR_PAIRS


def taught(grades_of, queries: int = 20, documents: int = 12):
    """A pool of random items whose grades follow from them, all of it labelled, and a ranker that knows nothing."""
    items = np.random.default_rng(1).integers(0, 4, (queries * documents, 4)).astype(np.uint8)
    pool = Documents(items, np.repeat(np.arange(queries), documents))
    return pool, list(enumerate(grades_of(items).tolist()))


class Upside:
    """Ranks by the first feature, the wrong way round."""

    on_features = False

    def __init__(self, sign: int = -1) -> None:
        self.sign = sign

    def fit(self, items, grades, qids=None):
        return self

    def predict(self, items, qids=None):
        return self.sign * np.asarray(items)[:, 0].astype(float)


@pytest.mark.parametrize("held_out", [False, True])
def test_a_ranker_that_learns_is_found_ahead_of_one_that_does_not(held_out):
    pool, labels = taught(lambda items: (items[:, 0] == 3).astype(int))
    shown = None
    if held_out:
        other, theirs = taught(lambda items: (items[:, 0] == 3).astype(int))
        shown = Evaluation(other.items, np.array([grade for _, grade in theirs]), np.asarray(other.qids))
    makes = {"upside": Upside, "learns": rankers[RANKER]}
    found = compare_rankers(makes, "upside", pool, labels, shown)
    assert (found.ahead, found.held_out) == ("learns", held_out)
    assert found.values["learns"] > found.values["upside"]
    assert compare_rankers(makes, "learns", pool, labels, shown).ahead is None


def test_grades_without_meaning_put_no_ranker_ahead_and_few_queries_say_nothing():
    rng = np.random.default_rng(5)
    pool, labels = taught(lambda items: rng.integers(0, 2, len(items)))
    makes = {"one": partial(Upside, 1), "two": rankers[RANKER]}
    assert compare_rankers(makes, "one", pool, labels, None).ahead is None
    few, given = taught(lambda items: (items[:, 0] == 3).astype(int), queries=5)
    assert compare_rankers(makes, "one", few, given, None) is None


def test_a_forecast_from_labels_goes_by_the_relevant_ones_among_them():
    facts = PoolFacts(20_000, 100, 40)
    grades = [1] + [0] * 49
    assert forecast_now(facts, grades, sampler=SAMPLER, ranker=RANKER) == labels_for(replace(facts, relevant=0.02))
    assert forecast_now(facts, [0, 0], sampler=SAMPLER, ranker=RANKER) == labels_for(facts)
    assert forecast_now(facts, grades, sampler="committee", ranker=RANKER) is None
