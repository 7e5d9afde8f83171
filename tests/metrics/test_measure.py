"""Measure: one description of what is measured, which is read and printed alike everywhere."""

from __future__ import annotations

import numpy as np
import pytest

from rulerank.curves import Evaluation
from rulerank.errors import InputError, UnknownNameError
from rulerank.metrics import Audience, Measure, conventions, err_ia_user, err_user
from rulerank.metrics.audience import LEARNED, LEARNED_LABELS, user_label
from rulerank.metrics.measure import CUT_OFFS, MOST_CUT_OFF, USUAL, offered
from rulerank.registry import metrics

LANGUAGES = ("de", "en", "de", "en")
USERS = {f"{LEARNED}eia": err_user(2), "err_ia": err_ia_user(2, ("de", "en")), "err": err_user(2)}
READERS = Audience(USERS, LANGUAGES)


@pytest.mark.parametrize("expected", [False, True])
@pytest.mark.parametrize("measure", offered(readers=READERS), ids=str)
def test_what_is_printed_can_be_read_again(measure, expected):
    wanted = Measure.parse(measure.key, expected=expected)
    assert wanted.name == measure.name
    assert Measure.parse(wanted.key) == wanted
    assert str(wanted) == str(measure)
    if measure.reader != "err":  # the metric of that name is what ERR means where nobody in particular reads
        assert Measure.parse(str(measure)) == measure


@pytest.mark.parametrize("name", [*LEARNED_LABELS])
def test_learned_readers_are_read_by_name_and_by_label(name):
    assert Measure.parse(LEARNED + name) == Measure.parse(user_label(LEARNED + name))
    assert Measure.parse(LEARNED + name).reader == LEARNED + name


def test_every_registered_metric_is_offered_once_at_each_cut_off():
    found = [(each.metric, each.cut) for each in offered()]
    assert len(found) == len(set(found))
    assert {name for name, _ in found} == set(metrics.names())
    assert [cut for name, cut in found if name == "ndcg"] == list(CUT_OFFS)


def test_able_readers_stand_behind_the_usual_measures_in_the_order_of_the_paper():
    readers = [each.reader for each in offered(readers=READERS) if each.reader]
    assert readers == ["err", "err_ia", f"{LEARNED}eia"]
    strangers = Audience({"err_ia": err_ia_user(2, ("de",)), "err": err_user(2)}, LANGUAGES)
    assert [each.reader for each in offered(readers=strangers) if each.reader] == ["err"]
    assert [each.metric for each in offered([10])[: len(USUAL)]] == list(USUAL)


def test_a_point_has_a_value_for_all_that_is_offered():
    shown = Evaluation(
        np.zeros((4, 1), np.uint8), np.array([0, 2, 1, 0]), np.array([1, 1, 2, 2]), audience=READERS
    ).measure(np.array([2.0, 1.0, 1.0, 1.0]))
    for each in offered(readers=READERS):
        assert shown[each.key] <= 1
        assert Measure.parse(each.key, expected=True).key in shown


@pytest.mark.parametrize("convention", conventions.names())
def test_the_words_name_the_convention_and_the_ties(convention):
    plain = Measure("map", convention=convention)
    assert plain.words.startswith(conventions[convention].label)
    assert "averaged over all orders" in Measure("map", convention=convention, expected=True).words
    assert plain.words != Measure("map", convention=convention, expected=True).words
    assert Measure("err", convention=convention, reader="err_ia").words.startswith("Eq. 1 of Drutsa et al.")


def test_of_one_query_there_is_no_mean():
    named = [each.of_one_query for each in offered([10]) if each.metric in USUAL]
    assert named == ["Average precision", "NDCG@10", "P@10", "Reciprocal rank"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ndcg", "write ndcg@10"),
        ("map@10", "map has no @"),
        ("ndcg@0", f"from 1 to {MOST_CUT_OFF}"),
        ("ndcg@ten", f"from 1 to {MOST_CUT_OFF}"),
        (f"P@{MOST_CUT_OFF + 1}", f"from 1 to {MOST_CUT_OFF}"),
    ],
)
def test_what_is_no_measure_is_refused_with_a_reason(text, words):
    with pytest.raises(InputError, match=words):
        Measure.parse(text)


def test_an_unknown_name_gets_those_that_there_are():
    with pytest.raises(UnknownNameError, match="did you mean 'ndcg'"):
        Measure.parse("ndgc@10")
    with pytest.raises(UnknownNameError, match=r"Known: .*map"):
        Measure.parse("")
