"""Several users measured at once give what each gives alone; languages decide who can read what."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.errors import InputError
from rulerank.metrics import Audience, IntentUser, err_eia_user, err_ia_user, err_user, evaluate, intent_err
from rulerank.metrics.audience import MOST_LANGUAGES
from rulerank.metrics.intents import ANY

NAMES = ("de", "en", "pt")
USERS = {
    "err": err_user(3),
    "err_ia": err_ia_user(3, NAMES),
    "err_eia": err_eia_user(3, NAMES, [0.5, 0.3, 0.2]),
}


@st.composite
def rankings(draw):
    rows = draw(st.integers(1, 25))
    cell = st.tuples(st.integers(-1, 3), st.integers(0, 3), st.integers(0, 2), st.sampled_from(NAMES))
    grades, scores, qids, languages = zip(*draw(st.lists(cell, min_size=rows, max_size=rows)), strict=True)
    return np.array(grades), np.array(scores, float), list(qids), languages


@given(rankings(), st.sampled_from(["letor", "trec"]))
def test_every_user_gets_what_intent_err_gives(data, convention):
    grades, scores, qids, languages = data
    found = Audience(USERS, languages).measure(grades, scores, qids, convention=convention)
    assert list(found) == list(USERS)
    for name, user in USERS.items():
        spoken = None if user.languages == (ANY,) else languages
        alone = intent_err(grades, scores, qids, spoken, user, convention=convention)
        assert found[name].qids == alone.qids
        np.testing.assert_allclose(found[name].values, alone.values, rtol=1e-12)
        np.testing.assert_allclose(found[name].expected_values, alone.expected_values, rtol=1e-12)


def test_with_one_language_the_three_are_classical_err():
    grades, scores, qids = [3, 0, 1, 2, 0], [5, 4, 4, 2, 1.0], [1, 1, 1, 2, 2]
    users = {"err": err_user(3), "err_ia": err_ia_user(3, ["en"]), "err_eia": err_eia_user(3, ["en"])}
    found = Audience(users, ("en",) * 5).measure(grades, scores, qids)
    usual = evaluate(grades, scores, qids, max_grade=3)
    for each in found.values():
        assert each.mean == pytest.approx(usual["err"], rel=1e-14)
        assert each.expected == pytest.approx(usual["expected"]["err"], rel=1e-14)


def test_a_document_in_another_language_counts_less():
    own, other = ("de", "de"), ("de", "en")
    users = {"ia": err_ia_user(1, ("de", "en"), [1.0, 0.0]), "eia": err_eia_user(1, ("de", "en"), [1.0, 0.0])}
    first, second = (Audience(users, each).measure([0, 1], [2, 1.0], [1, 1]) for each in (own, other))
    assert (first["ia"].mean, second["ia"].mean) == (0.25, 0)
    assert (first["eia"].mean, second["eia"].mean) == (0.25, 0.125)


class TestWhoCanRead:
    def test_without_languages_only_those_who_do_not_mind(self):
        mute = Audience(USERS, (None, ""))
        assert list(mute.able) == ["err"]
        assert list(mute.measure([1, 0], [1, 2.0], [1, 1])) == ["err"]
        assert mute.why_not("err_ia") == "the documents have no language"
        assert mute.why_not("err") is None

    def test_a_single_silent_document_is_enough(self):
        some = Audience(USERS, ("en", None, "de"))
        assert some.silent == 1
        assert some.spoken == ("de", "en")
        assert some.why_not("err_eia") == "1 of 3 documents have no language"
        assert list(some.of([0, 2]).able) == list(USERS)
        assert some.of([2, 0]).languages == ("de", "en")

    def test_a_language_that_a_user_does_not_know_is_named(self):
        assert "documents in xx" in Audience(USERS, ("en", "xx")).why_not("err_ia")

    def test_what_does_not_fit_is_refused(self):
        with pytest.raises(InputError, match="grade 4"):
            Audience(USERS, ("en",)).measure([4], [1.0], [1])
        with pytest.raises(InputError, match="2 documents"):
            Audience(USERS, ("en", "de")).measure([1], [1.0], [1])

    def test_the_stamp_tells_users_and_languages_apart(self):
        first = Audience(USERS, ("en", "de"))
        assert first.stamp == Audience(dict(USERS), ("en", "de")).stamp
        others = [
            Audience(USERS, ("de", "en")),
            Audience(USERS, ("en", None)),
            Audience({"err": err_user(3)}, ("en", "de")),
            Audience({**USERS, "err_eia": err_eia_user(3, NAMES)}, ("en", "de")),
        ]
        assert len({first.stamp, *(each.stamp for each in others)}) == 5


class TestLanguagesOfAUser:
    def test_renamed_users_measure_the_same(self):
        user = err_eia_user(3, ("native", "english"), [0.7, 0.3])
        other = user.renamed({"de": "native", "en": "english", "en-gb": "english"})
        grades, scores, qids = [1, 3, 2, 0], [4, 3, 2, 1.0], [1, 1, 1, 1]
        before = intent_err(grades, scores, qids, ["native", "english", "english", "native"], user)
        after = intent_err(grades, scores, qids, ["de", "en-gb", "en", "de"], other)
        assert before.mean == after.mean
        assert other.intents == user.intents
        with pytest.raises(InputError, match="not klingon"):
            user.renamed({"kl": "klingon"})

    def test_who_does_not_mind_reads_everything(self):
        user = err_user(3, ("native", "english"))
        assert not user.minds_language
        assert user.for_any_language().languages == (ANY,)
        np.testing.assert_array_equal(user.for_any_language().relevance, err_user(3).relevance)
        aware = err_ia_user(3, ("native", "english"))
        assert aware.minds_language
        with pytest.raises(InputError, match="makes a difference"):
            aware.for_any_language()
        one = IntentUser(("a", "b"), ("en",), np.array([0.5, 0.5]), np.array([[[0, 0.2]], [[0, 0.4]]]))
        assert one.for_any_language().intents == ("a", "b")


@pytest.mark.parametrize("number", [MOST_LANGUAGES, MOST_LANGUAGES + 1, 400])
def test_too_many_languages_leave_the_others_measured(number):
    languages = tuple(f"l{place}" for place in range(number))
    users = {"err": err_user(3), "err_ia": err_ia_user(3, languages)}
    rng = np.random.default_rng(4)
    grades, scores = rng.integers(0, 4, number), rng.random(number)
    audience = Audience(users, languages)
    found = audience.measure(grades, scores, [1] * number)
    assert found["err"].mean == pytest.approx(evaluate(grades, scores, [1] * number, max_grade=3)["err"], rel=1e-14)
    assert ("err_ia" in found) == (number <= MOST_LANGUAGES)
    assert number <= MOST_LANGUAGES or "at most 20 are distinguished" in audience.why_not("err_ia")
