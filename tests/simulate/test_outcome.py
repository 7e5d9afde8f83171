"""One run: the sampler's own order, rankers trained along it as if from scratch, and its natural stop."""

from __future__ import annotations

import numpy as np
import pytest

from rulerank.curves.training import SHORT_STEP
from rulerank.metrics import evaluate
from rulerank.registry import rankers, samplers
from rulerank.simulate import Dataset, Plan, Strategy, learners
from rulerank.simulate.data import prepare
from rulerank.simulate.outcome import ceiling, choose, follow
from rulerank.simulate.store import Finished
from rulerank.simulate.tasks import Task
from rulerank.synthetic import planted_collection


@pytest.fixture(scope="module")
def split():
    return Dataset.from_collection(planted_collection(9, 14, 6, seed=5), 3).splits[0]


@pytest.fixture(scope="module")
def fold(split):
    return prepare(split, Plan(rankers=("ridge",), discretizer=Strategy("equal_width", {"bins": 3})))


@pytest.mark.parametrize("name", samplers.names())
def test_every_sampler_chooses_as_in_a_run_of_its_own(name, fold):
    seeded = "seed" in samplers[name]().get_params()
    run = samplers[name](**({"seed": 3} if seeded else {})).run(
        fold.items, fold.grades, features=fold.features, qids=fold.qids, budget=12
    )
    choice = choose(Strategy(name), 3 if seeded else None, fold, 12, beyond_stop=False)
    assert choice.rows.tolist() == run.order
    assert choice.stopped_at == (None if run.stopped_on is None else len(run))
    assert (np.diff(choice.seconds) >= 0).all()


@pytest.mark.parametrize("name", ["ssar", "ssarp"])
def test_a_natural_stop_is_noted_and_gone_past_if_wanted(name, fold):
    whole = samplers[name]().run(fold.items, fold.grades)
    assert whole.stopped_on is not None
    stop = len(whole)
    budget = stop + 5
    ended = choose(Strategy(name), None, fold, budget, beyond_stop=False)
    further = choose(Strategy(name), None, fold, budget, beyond_stop=True)
    assert ended.rows.size == ended.stopped_at == stop
    assert further.rows[:stop].tolist() == ended.rows.tolist()
    assert further.stopped_at == stop
    assert np.unique(further.rows).size == budget


def test_beyond_the_stop_ssar_takes_the_fewest_rules_among_the_unlabelled(fold):
    choice = choose(Strategy("ssar"), None, fold, len(fold.grades), beyond_stop=True)
    assert sorted(choice.rows.tolist()) == list(range(len(fold.grades)))
    sampler = samplers["ssar"]().start(fold.items)
    for row in choice.rows:
        assert sampler.propose(beyond=True).row == row
        sampler.record(int(row), int(fold.grades[row]))


@pytest.mark.parametrize("step", [2, SHORT_STEP + 4])
@pytest.mark.parametrize("ranker", [*rankers.names(), *learners.names()])
def test_values_along_the_curve_are_those_of_learning_from_scratch(ranker, step, fold):
    plan = Plan(rankers=(ranker,), metrics=("map", "ndcg@5", "err"))
    grid = list(range(step, 25, step))
    outcome = follow(plan, Strategy("random"), 0, fold, grid)
    assert outcome.labels.tolist() == grid
    for point, labels in enumerate(grid):
        rows = outcome.choice.rows[:labels]
        if ranker in rankers:
            model = rankers[ranker]().fit(fold.items[rows], fold.grades[rows], fold.qids[rows])
            scores = model.predict(fold.test_items)
        else:
            model = learners[ranker]().fit(fold.scaled[rows], fold.grades[rows], fold.qids[rows])
            scores = model.predict(fold.test_scaled)
        found = evaluate(fold.test_grades, scores, fold.test_qids, k=5, max_grade=2)["per_query"]
        for values, told in ((outcome.values, found), (outcome.expected, found["expected"])):
            assert np.array_equal(values[0, point], [told["map"], told["ndcg"][:, 4], told["err"]])


def test_the_natural_stop_is_a_point_of_its_own(fold):
    stop = len(samplers["ssar"]().run(fold.items, fold.grades))
    grid = [stop - 2, stop + 3, stop + 6]
    plan = Plan()
    outcome = follow(plan, Strategy("ssar"), None, fold, grid)
    assert outcome.labels.tolist() == [stop - 2, stop, stop + 3, stop + 6]
    assert outcome.on_grid.tolist() == [True, False, True, True]
    ended = follow(Plan(beyond_stop=False), Strategy("ssar"), None, fold, grid)
    assert ended.used.tolist() == [stop - 2, stop, stop, stop]
    assert np.array_equal(ended.values[:, 1], ended.values[:, 3])
    assert np.array_equal(ended.values[:, 1], outcome.values[:, 1])


def test_the_share_of_relevant_documents_found(fold):
    plan = Plan()
    strategy = Strategy("random")
    outcome = follow(plan, strategy, 1, fold, [4, 9, 30])
    found = Finished.of(Task("x", 1, strategy, 1, plan.rankers), outcome, fold)
    for point, labels in enumerate((4, 9, 30)):
        rows = outcome.choice.rows[:labels]
        assert found.relevant_found[point] == np.mean(np.isin(np.flatnonzero(fold.grades > 0), rows))


@pytest.mark.parametrize("ranker", ["lrar", "stable_rules", "ridge"])
def test_the_ceiling_is_the_ranker_with_all_labels(ranker, fold):
    outcome = ceiling(Plan(rankers=(ranker,)), Strategy(ranker), fold)
    everything = follow(Plan(rankers=(ranker,)), Strategy("random"), 0, fold, [len(fold.grades)])
    assert outcome.labels.tolist() == [len(fold.grades)]
    assert np.allclose(outcome.values, everything.values)


def test_trec_breaks_ties_by_docid(split):
    plan = Plan(convention="trec", metrics=("map",))
    fold = prepare(split, plan)
    outcome = follow(plan, Strategy("random"), 0, fold, [1])  # one label: all documents are tied
    wanted = evaluate(
        fold.test_grades, np.zeros(len(fold.test_grades)), fold.test_qids, "trec", docids=split.test.docids
    )
    assert np.array_equal(outcome.values[0, 0, 0], wanted["per_query"]["map"])


def test_full_labels_on_ohsumed_give_the_known_map(letor_folder):
    """LRAR on TUBE bins, five folds: 0.443."""
    plan = Plan(metrics=("map",))
    data = Dataset.from_folder(letor_folder("letor3-ohsumed"))
    reached = [ceiling(plan, Strategy("lrar"), prepare(split, plan)).values.mean() for split in data.splits]
    assert np.mean(reached) == pytest.approx(0.443, abs=0.0005)
