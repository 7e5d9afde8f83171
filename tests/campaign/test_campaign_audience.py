"""Who reads a campaign's rankings: default and learned users, in every point of its curves, bands and ceilings."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from rulerank.campaign import MemoryLog, OpenCampaign, Settings, set_up
from rulerank.campaign.audience import Learned, audience, keep, kept, measured_rows
from rulerank.campaign.curves import evaluation_for, new_curve, random_replay, read_replay, whole_curve
from rulerank.curves import Evaluation, LearningCurve, cross_validated, curve, measured_by
from rulerank.errors import InputError
from rulerank.metrics import EXPECTED, err_eia_user, err_ia_user, err_user, evaluate, intent_err
from rulerank.metrics.audience import LEARNED
from rulerank.ranking import LRAR, EagerRules
from rulerank.synthetic import planted_collection

COLLECTION = planted_collection(8, 10, 5, seed=3)
HELD = np.arange(50, 80)
LANGUAGES = tuple(("de", "en", "en")[row % 3] for row in range(80))
ORDER = np.random.default_rng(1).permutation(50)[:20]


def open_campaign(held=HELD) -> OpenCampaign:
    settings = Settings(grades_known=True, discretizer="equal_width:bins=4")
    made = set_up(COLLECTION, settings, evaluation_rows=held)
    return OpenCampaign(1, "planted", settings, 1, COLLECTION, made, MemoryLog())


OPENED = open_campaign()
KNOWN = OPENED.known_grades
LABELS = ORDER.tolist(), KNOWN[ORDER].tolist()
LEARNT = Learned(err_eia_user(2, ("de", "en"), [0.2, 0.8], foreign=0.1), "clicks.csv", 123)
READERS = audience(OPENED, LANGUAGES, {"eia": LEARNT})


def test_users_want_the_languages_of_the_campaign_in_equal_shares():
    assert list(READERS.users) == ["err", "err_ia", "err_eia", LEARNED + "eia"]
    assert READERS.users["err_ia"].intents == ("de", "en")
    assert READERS.users["err_ia"].prior.tolist() == [0.5, 0.5]
    assert READERS.users["err"].max_grade == 2


def test_without_languages_there_is_err_alone_and_learned_users_need_the_grades():
    assert list(audience(OPENED, [None] * 80).users) == ["err"]
    short = Learned(err_user(1), "clicks.csv", 5)
    assert list(audience(OPENED, [None] * 80, {"agnostic": short}).users) == ["err"]


def test_what_is_kept_comes_back():
    again = kept(json.loads(json.dumps(keep({"eia": LEARNT}))))
    assert again["eia"].user.to_dict() == LEARNT.user.to_dict()
    assert (again["eia"].log, again["eia"].sessions) == ("clicks.csv", 123)
    assert kept(keep({})) == {}
    for broken in (
        {},
        {"users": []},
        {"users": {"eia": {}}},
        {"users": {"eia": {"user": 1, "log": "", "sessions": 1}}},
    ):
        with pytest.raises(InputError):
            kept(broken)


def by_hand(scores: np.ndarray, rows: np.ndarray) -> dict[str, float]:
    """Each metric from its own function, not through the audience."""
    grades, qids = COLLECTION.grades[rows].astype(int), COLLECTION.query_index[rows]
    languages = [LANGUAGES[row] for row in rows]
    users = {
        "err_ia": err_ia_user(2, ("de", "en")),
        "err_eia": err_eia_user(2, ("de", "en")),
        "learned:eia": LEARNT.user,
    }
    usual = evaluate(grades, scores, qids, max_grade=2)
    values = {"err": usual["err"], EXPECTED + "err": usual["expected"]["err"]}
    for name, user in users.items():
        found = intent_err(grades, scores, qids, languages, user)
        values |= {name: found.mean, EXPECTED + name: found.expected}
    return values


@pytest.mark.parametrize("ranker", ["lrar", "eager_rules"])
def test_every_point_of_a_curve_has_the_metrics_of_users(ranker):
    kept_curve = new_curve(OPENED, ranker, READERS)
    kept_curve.follow(*LABELS)
    for point in kept_curve.points:
        rows = ORDER[: point.labels]
        model = OPENED.ranker(ranker).fit(OPENED.items[rows], KNOWN[rows], OPENED.query_index[rows].tolist())
        scores = model.predict(OPENED.evaluation.items)
        expected = by_hand(scores, HELD)
        assert {name: point.values[name] for name in expected} == pytest.approx(expected, rel=1e-12)
    without = new_curve(OPENED, ranker)
    without.follow(*LABELS)
    assert [set(point.values) & {"err_ia", "err_eia"} for point in without.points] == [set()] * len(without.points)
    assert [point.values["map"] for point in without.points] == [point.values["map"] for point in kept_curve.points]


def test_random_orders_and_the_ceiling_have_them_too():
    found = random_replay(OPENED, "lrar", 32, audience=READERS)
    bands, top = read_replay(json.loads(json.dumps(found)))
    assert found["measured_by"] == measured_by(READERS.of(HELD))
    model = OPENED.ranker("lrar").fit(OPENED.items, KNOWN, OPENED.query_index.tolist())
    expected = by_hand(model.predict(OPENED.evaluation.items), HELD)
    assert {name: top[name] for name in expected} == pytest.approx(expected, rel=1e-12)
    rng = np.random.default_rng(OPENED.settings.seed)
    runs = []
    for _ in range(20):
        order = rng.permutation(50)[:32]
        labels = list(zip(order, KNOWN[order], strict=True))
        (point,) = curve(LRAR, OPENED.documents, labels, evaluation_for(OPENED, READERS), at=[16])
        runs.append(point.values["err_ia"])
    (band,) = [each for each in bands if each.labels == 16]
    assert band.mean["err_ia"] == pytest.approx(np.mean(runs))
    assert (band.low["err_ia"], band.high["err_ia"]) == pytest.approx(tuple(np.quantile(runs, (0.025, 0.975))))


def test_without_an_evaluation_set_they_are_cross_validated():
    opened = open_campaign(held=())
    assert measured_rows(opened).size == 80
    readers = audience(opened, LANGUAGES)
    kept_curve = new_curve(opened, "lrar", readers)
    kept_curve.follow(*LABELS)
    rows = LABELS[0]
    given = opened.items[rows], LABELS[1], opened.query_index[rows]
    alone = cross_validated(LRAR, *given, audience=readers.of(opened.pool_rows[rows]))
    assert kept_curve.points[-1].values == alone
    assert 0 < alone["err_ia"] < alone["err"]


def test_points_of_another_audience_are_not_taken_over():
    saved = whole_curve(OPENED, "eager_rules", audience=READERS)
    assert saved["measured_by"] == measured_by(READERS.of(HELD))
    mine, other = (
        new_curve(OPENED, "eager_rules", READERS),
        new_curve(OPENED, "eager_rules", audience(OPENED, LANGUAGES)),
    )
    saved = {**saved, "rows": LABELS[0], "grades": LABELS[1], "points": {"1": {"map": 0.5}}}
    for each in (mine, other):
        each.follow(*LABELS, seconds=0)
        each.load(saved)
    assert [point.values for point in mine.points] == [{"map": 0.5}]
    assert other.points == []


def test_points_that_lack_a_measure_are_not_taken_over():
    """A metric that was installed since then would be missing from them; so would all from before they were named."""
    plain = LearningCurve(EagerRules, OPENED.documents, OPENED.evaluation)
    plain.follow(*LABELS, seconds=0)
    for measured in ({}, {"audience": ""}, {"measured_by": "of another version"}):
        plain.load({"rows": LABELS[0], "grades": LABELS[1], "points": {"1": {"map": 0.5}}, **measured})
    assert plain.points == []


def test_nothing_relevant_leaves_them_undefined():
    nothing = replace(evaluation_for(OPENED, READERS), grades=np.zeros(30, np.int64))
    assert isinstance(nothing, Evaluation)
    assert nothing.measure(np.arange(30.0)) == {}
