"""Planted parameters come back from simulated logs, with honest intervals; what cannot be known is said."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from rulerank.clicks import (
    LogBuilder,
    bilingual_user,
    click_models,
    fit,
    fit_from_dict,
    load_fit,
    made_up_lists,
    save_fit,
    simulate_log,
)
from rulerank.clicks.fitting import Objective
from rulerank.clicks.likelihood import terms_of
from rulerank.clicks.predict import stop_probabilities
from rulerank.errors import InputError
from rulerank.metrics import IntentUser

MILLION = 1_000_000


@pytest.fixture(scope="module")
def million():
    return simulate_log(bilingual_user(), made_up_lists(2_000), MILLION, seed=1, extra=0.2)


def test_the_extended_model_is_recovered_within_the_stated_error(million):
    user = bilingual_user()
    found = fit("eia", million)
    assert found.converged
    assert found.identified
    assert million.sessions == MILLION
    truth = {
        (intent, language, grade): user.relevance[i, j, grade]
        for i, intent in enumerate(user.intents)
        for j, language in enumerate(user.languages)
        for grade in range(5)
    } | {(intent, None, None): share for intent, share in zip(user.intents, user.prior, strict=True)}
    surprises, inside = [], 0
    for parameter in found.parameters:
        true = truth.pop((parameter.intent, parameter.language, parameter.grade))
        surprises.append((parameter.value - true) / parameter.error)
        inside += parameter.low <= true <= parameter.high
    assert not truth
    assert np.abs(surprises).max() < 4
    assert inside >= 18  # of 22 intervals at 95%, which are correlated
    assert np.abs(found.user.relevance - user.relevance).max() < 0.04


@pytest.mark.parametrize(
    ("name", "size"), [("agnostic", 1), ("ia_same", 2), ("ia_diff", 2), ("ia_same", 3), ("ia_diff", 3)]
)
def test_the_smaller_models_are_recovered(name, size):
    languages = ("a", "b", "c")[:size]
    own = np.array([[0.05, 0.2, 0.4], [0.04, 0.25, 0.5], [0.06, 0.15, 0.35]])
    if name == "ia_diff":
        relevance = np.where(np.eye(size)[:, :, None] == 1, own[:size, None], own[:size, :1, None])
    else:
        relevance = np.where(np.eye(size)[:, :, None] == 1, own[0], own[0, 0])
    prior = np.array([0.5, 0.3, 0.2])[:size] / np.array([0.5, 0.3, 0.2])[:size].sum()
    user = IntentUser(languages, languages, prior, relevance)
    log = simulate_log(user, made_up_lists(800, languages=languages, grades=3), 300_000, seed=2)
    found = fit(name, log)
    assert found.user.relevance[:, :, 1:] == pytest.approx(user.relevance[:, :, 1:], abs=0.02)
    if size > 1:
        assert found.user.prior == pytest.approx(prior, abs=0.02)
        shares = [each for each in found.parameters if each.kind == "share"]
        assert [abs(each.value - true) < 4 * each.error for each, true in zip(shares, prior, strict=True)] == [
            True
        ] * size


def test_intervals_cover_as_often_as_they_say():
    """Fifty logs from one model: 95% intervals of its parameters hold the truth in 95% of the cases, give or take."""
    lists = made_up_lists(300)
    hits = total = 0
    for seed in range(50):
        found = fit("agnostic", simulate_log(_agnostic(), lists, 4_000, seed=seed))
        for parameter, true in zip(found.parameters, _agnostic().relevance[0, 0], strict=True):
            hits += parameter.low <= true <= parameter.high
            total += 1
    assert 0.90 < hits / total < 0.99


def _agnostic() -> IntentUser:
    return IntentUser(("any",), ("native", "english"), np.ones(1), np.tile([0.05, 0.1, 0.2, 0.3, 0.5], (1, 2, 1)))


def test_a_single_result_cannot_tell_intents_apart():
    log = simulate_log(bilingual_user(), made_up_lists(200, depth=1), 50_000)
    found = fit("eia", log)
    assert not found.identified
    assert all(parameter.status == "not identified" for parameter in found.parameters if parameter.kind == "share")
    assert found.untold
    assert any("cannot distinguish" in note for note in found.notes())
    for parameter in found.parameters:
        if parameter.status == "not identified":
            assert (parameter.low, parameter.high, parameter.error) == (0.0, 1.0, None)
    assert fit("agnostic", log).identified


@pytest.mark.parametrize("intents", [2, 3])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_how_deep_lists_must_be_to_tell_intents_apart(intents, depth):
    """Expected information of the extended model at the truth: flat directions by depth, as docs/clicks.md has them.

    One result: all but the mean over intents. Two: I (I - 1) / 2 directions. Three or more: none.
    """
    languages, grades = ("a", "b", "c")[:intents], 3
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.full(intents, 5.0))
    user = IntentUser(languages, languages, shares, rng.uniform(0.05, 0.6, (intents, intents, grades)))
    lists = made_up_lists(2_000, depth=depth, languages=languages, grades=grades)
    size = lists.configurations
    log = replace(
        lists,
        row_config=np.repeat(np.arange(size), depth + 1),
        row_pattern=np.tile([0, *(1 << place for place in range(depth))], size),
        count=np.ones(size * (depth + 1), np.int64),
    )
    terms = terms_of(log)
    expected = np.bincount(terms.of_row, weights=stop_probabilities(user, lists).ravel())
    likelihood = Objective(click_models["eia"], log, terms, languages).likelihood(expected)
    information = likelihood.information(likelihood.free(user.prior, user.relevance.ravel()))
    scale = 1 / np.sqrt(np.diag(information))
    flat = int((np.linalg.eigvalsh(information * scale[:, None] * scale) < 1e-6).sum())
    cells = intents * grades
    wanted = {1: intents * cells + intents - 1 - cells, 2: intents * (intents - 1) // 2, 3: 0}
    assert flat == wanted[depth]


def test_two_results_leave_one_direction_untold():
    log = simulate_log(bilingual_user(), made_up_lists(500, depth=2), 100_000)
    found = fit("eia", log)
    assert len(found.untold) == 1
    assert {"share of intent native", "share of intent english"} <= set(found.untold[0])
    assert fit("ia_diff", log).identified


def test_what_the_log_never_shows_is_said_to_be_without_data():
    builder = LogBuilder(max_grade=3, languages=("en", "tr"))
    for number in range(200):
        click = number % 3 == 0
        builder.add("q", ["a", "b"], [0, 2], [int(click), int(number % 5 == 0)], ["en", "tr"])
    found = fit("agnostic", builder.finish())
    assert [each.status for each in found.parameters] == ["estimated", "no data", "estimated", "no data"]
    assert not found.identified
    assert "the log never shows what these depend on: grade 1; grade 3" in found.notes()


def test_a_grade_that_never_satisfies_is_at_the_edge():
    builder = LogBuilder(max_grade=1)
    for number in range(300):
        builder.add("q", ["a", "b"], [0, 1], [0, number % 2])
    bad, good = fit("agnostic", builder.finish()).parameters
    assert (bad.status, good.status) == ("at the edge", "estimated")
    assert bad.value < 1e-4
    assert bad.error is None
    assert good.value == pytest.approx(0.5, abs=1e-6)


def test_latent_users_of_one_language_are_found():
    """Two kinds of users who do not differ by language: the extended model finds them without being told."""
    relevance = np.array([[[0.02, 0.05, 0.1]], [[0.3, 0.5, 0.8]]])
    user = IntentUser(("patient", "quick"), ("any",), np.array([0.75, 0.25]), relevance)
    log = simulate_log(user, made_up_lists(500, languages=("any",), grades=3), 200_000)
    found = fit("eia", log, intents=("patient", "quick"))
    assert found.user.prior == pytest.approx(user.prior, abs=0.03)
    assert found.user.relevance == pytest.approx(relevance, abs=0.05)


@pytest.mark.parametrize("name", ["eia", "agnostic", "ia_default", "documents"])
def test_fits_survive_json(tmp_path, name, million):
    small = million.with_counts(million.count // 50)
    found = fit(name, small, starts=1)
    save_fit(found, tmp_path / "model.json")
    again = load_fit(tmp_path / "model.json")
    assert again.to_dict() == found.to_dict() == json.loads((tmp_path / "model.json").read_text())
    assert np.array_equal(again.stops(small), found.stops(small))


def test_what_is_no_saved_fit_is_refused(tmp_path):
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(InputError, match="not a click model"):
        load_fit(tmp_path / "a.json")
    (tmp_path / "a.json").write_text("nothing")
    with pytest.raises(InputError, match="not JSON"):
        load_fit(tmp_path / "a.json")
    with pytest.raises(InputError, match="cannot read"):
        load_fit(tmp_path / "b.json")
    with pytest.raises(InputError, match="not whole"):
        fit_from_dict({"format": "rulerank click model 1", "model": "eia"})
