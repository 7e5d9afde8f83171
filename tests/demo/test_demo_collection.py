"""The demo collection: its judgements, its split, and that there is something to learn in it."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest

from rulerank.campaign import MemoryLog, OpenCampaign, Settings
from rulerank.campaign.opened import set_up
from rulerank.campaign.side_by_side import side_by_side
from rulerank.curves import curve
from rulerank.demo import build_demo
from rulerank.demo.candidates import DEPTH, candidates, report
from rulerank.demo.questions import grades_of, read_questions
from rulerank.demo.stdlib import gather_documents
from rulerank.discretize import EqualFrequency
from rulerank.metrics import evaluate
from rulerank.ranking import LRAR
from rulerank.ranking import RECOMMENDED as RANKER
from rulerank.registry import samplers
from rulerank.sampling import RECOMMENDED as SAMPLER
from rulerank.strategy import Strategy


@pytest.fixture(scope="module")
def demo():
    return build_demo()


@pytest.fixture(scope="module")
def questions():
    return read_questions()


def test_judgements_are_names_and_grades_only(questions):
    assert 38 <= len(questions) <= 45
    assert len({question["qid"] for question in questions}) == len(questions)
    assert len({question["text"] for question in questions}) == len(questions)
    for question in questions:
        assert set(question) == {"qid", "text", "need", "grades"}
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", question["qid"])
        assert question["need"].endswith(".")
        assert set(question["grades"]) == {"0", "1", "2"}
        names = [name for group in question["grades"].values() for name in group]
        assert len(set(names)) == len(names)  # one grade each
        assert 60 <= len(names) <= 120
        assert all(re.fullmatch(r"[A-Za-z_][\w.]*", name) for name in names)
        assert 1 <= len(question["grades"]["2"]) <= 7
        assert len(question["grades"]["1"]) >= 1
        assert len(question["grades"]["0"]) >= 0.75 * len(names)


def test_relevant_documents_are_rare(demo):
    relevant = np.count_nonzero(demo.collection.grades)
    assert 10 <= len(demo.collection) / relevant <= 20
    for rows in (demo.pool_rows, demo.evaluation_rows):
        assert 9 <= len(rows) / np.count_nonzero(demo.collection.grades[rows]) <= 20


def test_every_candidate_by_the_rule_was_judged(questions):
    documents = gather_documents()
    found = candidates(questions, documents)
    lacking = [name for question in questions for name in found[question["qid"]] if name not in grades_of(question)]
    # Another Python has other docstrings, and ranks a few others among the first.
    assert len(lacking) <= 0.1 * sum(map(len, found.values()))
    lines = list(report(questions, documents))
    assert lines[0].startswith(f"{sum(len(grades_of(question)) for question in questions):,d} judgements of")
    assert sum(line.startswith("  ") for line in lines) == len(lacking)
    fewer = candidates(questions[:1], documents, DEPTH // 2)
    judged = grades_of(questions[0]).keys() & documents.keys()
    assert set(fewer[questions[0]["qid"]]) == judged  # what was judged stays a candidate


def test_the_typical_run_saves_labels(demo):
    """The first impression: the demo's own campaign is ahead of random labels from the beginning."""
    settings = Settings(sampler=Strategy(SAMPLER), seed=demo.seed, grades_known=True)
    made = set_up(demo.collection, settings, demo.pool_rows, demo.evaluation_rows)
    opened = OpenCampaign(1, "demo", settings, 1, demo.collection, made, MemoryLog())
    shown = side_by_side(opened, labels=40, runs=5)
    after = shown.caught_up()
    assert all(found is not None and found < 40 for found in after.values())
    own = Strategy(SAMPLER).make(samplers, {"seed": demo.seed})
    rows = own.run(opened.items, opened.known_grades, qids=opened.query_index, budget=40).order
    labels = [(row, int(opened.known_grades[row])) for row in rows]
    points = curve(partial(opened.ranker, RANKER), opened.documents, labels, opened.evaluation, at=[10, 20, 30])
    for point in points:
        assert point.values["map"] > shown.baseline.mean[point.labels - 1]


def test_this_python_has_nearly_all_that_was_judged(demo, questions):
    judged = sum(len(group) for question in questions for group in question["grades"].values())
    assert len(demo.collection) >= 0.95 * judged


def test_grades_are_those_of_the_repository(demo, questions):
    collection = demo.collection
    assert collection.queries == tuple(question["qid"] for question in questions)
    known = {
        (question["qid"], name): int(grade)
        for question in questions
        for grade, names in question["grades"].items()
        for name in names
    }
    pairs = list(zip(collection.qids, collection.docids, strict=True))
    assert len(set(pairs)) == len(pairs)
    assert [known[pair] for pair in pairs] == collection.grades.tolist()
    for rows in collection.query_slices:
        assert list(collection.docids[rows]) == sorted(collection.docids[rows])
        assert {0, 1, 2} == set(collection.grades[rows].tolist())


def test_texts_of_all_rows_and_more(demo):
    assert set(demo.texts.queries) == set(demo.collection.queries)
    assert set(demo.collection.docids) < set(demo.texts.documents)
    first = demo.texts.queries["zip-folder"]
    assert (first.text, first.need[:4]) == ("compress a folder into a zip file", "Pack")


def test_features_are_named_finite_and_tell_something(demo):
    names = demo.collection.feature_names
    assert {"BM25(title)", "BM25(body)", "LM Dirichlet(whole)", "length(title)"} <= set(names)
    assert len(names) >= 12
    assert np.isfinite(demo.collection.features).all()
    assert demo.collection.missing is None
    assert not demo.collection.summary()["constant_features"]


def test_two_thirds_of_the_questions_are_the_pool(demo):
    both = np.concatenate([demo.pool_rows, demo.evaluation_rows])
    assert sorted(both.tolist()) == list(range(len(demo.collection)))
    pool = set(demo.collection.qids[demo.pool_rows])
    evaluation = set(demo.collection.qids[demo.evaluation_rows])
    assert not pool & evaluation
    assert len(pool) == 2 * len(evaluation)


def test_two_builds_are_equal(demo):
    again = build_demo()
    assert again.collection == demo.collection
    assert again.texts == demo.texts
    assert np.array_equal(again.pool_rows, demo.pool_rows)


def test_annotators_are_told_what_the_grades_mean(demo):
    assert demo.grade_names == ("not relevant", "related", "answers it")
    assert len(demo.grade_meanings) == len(demo.grade_examples) == 3
    for grade, name in enumerate(demo.grade_names):
        assert f"| {grade} | {name} |" in demo.guidelines


def test_the_examples_have_the_grades_they_stand_for(demo, questions):
    for grade, example in enumerate(demo.grade_examples):
        text, name = re.match(r'"(.+)": ([\w.]+) ', example).groups()
        question = next(question for question in questions if question["text"] == text)
        assert name in question["grades"][str(grade)]


def test_learning_from_the_pool_beats_chance_on_the_evaluation_set(demo):
    collection, pool, rest = demo.collection, demo.pool_rows, demo.evaluation_rows
    bins = EqualFrequency(bins=10).fit(collection.features[pool])
    model = LRAR().fit(bins.transform(collection.features[pool]), collection.grades[pool])
    scores = model.predict(bins.transform(collection.features[rest]))

    def measured(values: np.ndarray) -> dict:
        return evaluate(collection.grades[rest], values, collection.qids[rest])["expected"]

    learnt, chance = measured(scores), measured(np.zeros(len(rest)))  # all tied: the mean over every order
    assert learnt["map"] > chance["map"] + 0.10
    assert learnt["ndcg"][4] > chance["ndcg"][4] + 0.15
    shuffled = collection.grades[pool][np.random.default_rng(0).permutation(len(pool))]
    misled = LRAR().fit(bins.transform(collection.features[pool]), shuffled)
    blind = measured(misled.predict(bins.transform(collection.features[rest])))
    assert learnt["map"] > blind["map"] + 0.05
