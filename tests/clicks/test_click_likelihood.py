"""The likelihood: against plain Python, its gradient against differences, models within models, closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from clicks_reference import every_list, log_likelihood, sessions_of, small_log
from hypothesis import given
from hypothesis import strategies as st

from rulerank.clicks import LogBuilder, bilingual_user, click_models, fit, made_up_lists, simulate_log
from rulerank.clicks.fitting import Objective
from rulerank.clicks.likelihood import terms_of
from rulerank.errors import InputError, UnknownNameError
from rulerank.metrics import IntentUser

BY_GRADE = ("agnostic", "ia_same", "ia_diff", "eia")


def problem_of(name, log, intents=None):
    model = click_models[name]
    problem = Objective(model, log, terms_of(log), model.intents_of(log, intents))
    return problem, problem.likelihood(problem.terms.weights(log.count))


@pytest.mark.parametrize("name", BY_GRADE)
@given(seed=st.integers(0, 10_000), languages=st.integers(1, 3), grades=st.integers(2, 5), depth=st.integers(1, 5))
def test_the_likelihood_is_that_of_every_session_on_its_own(name, seed, languages, grades, depth):
    log = small_log(seed, 60, tuple("abc"[:languages]), grades, depth)
    problem, likelihood = problem_of(name, log)
    free = np.random.default_rng(seed).normal(size=likelihood.size)
    prior, cells = likelihood.parts(free)
    user = IntentUser(problem.intents, log.languages, prior, cells.reshape(len(prior), languages, grades))
    assert likelihood(free)[0] == pytest.approx(log_likelihood(user, log), rel=1e-10)
    assert likelihood.free(prior, 1 / (1 + np.exp(-free[: likelihood.relevances]))) == pytest.approx(free)


@pytest.mark.parametrize("name", BY_GRADE)
@given(seed=st.integers(0, 10_000), languages=st.integers(1, 3), grades=st.integers(2, 5))
def test_the_gradient_equals_finite_differences(name, seed, languages, grades):
    log = small_log(seed, 80, tuple("abc"[:languages]), grades)
    _, likelihood = problem_of(name, log)
    free = np.random.default_rng(seed).normal(size=likelihood.size)
    step = 1e-5
    numeric = [
        (likelihood(free + step * unit)[0] - likelihood(free - step * unit)[0]) / (2 * step)
        for unit in np.eye(likelihood.size)
    ]
    assert likelihood(free)[1] == pytest.approx(numeric, rel=1e-6, abs=1e-6)
    assert likelihood.weights @ likelihood.scores(free) == pytest.approx(likelihood(free)[1], rel=1e-9, abs=1e-9)


def test_parameters_are_as_many_as_the_paper_counts(golden):
    log = simulate_log(bilingual_user(), made_up_lists(50), 200)
    published = {row["model"]: int(row["parameters"]) for row in golden("published_click_models.csv")}
    ours = {
        "Extended IA": "eia",
        "IA learned diff params": "ia_diff",
        "IA learned same params": "ia_same",
        "Intent-agnostic learned": "agnostic",
        "IA default": "ia_default",
        "Intent-agnostic default": "agnostic_default",
    }
    assert {label: fit(name, log, starts=1).free_parameters for label, name in ours.items()} == published


def test_the_structures_are_those_of_the_papers_table_1():
    own = np.array([0, 1])
    tables = {name: click_models[name].structure(own, 2, 3) for name in BY_GRADE}
    for intent in (0, 1):
        for language in (0, 1):
            for grade in (0, 1, 2):
                cell = (intent, language, grade)
                counted = grade if intent == language else 0
                assert tables["agnostic"][cell] == grade
                assert tables["ia_same"][cell] == counted
                assert tables["ia_diff"][cell] == 3 * intent + counted
    assert sorted(tables["eia"].ravel().tolist()) == list(range(12))


@pytest.mark.parametrize("seed", range(4))
def test_likelihoods_nest_as_they_must(seed):
    log = small_log(seed, 300, grades=3, depth=4)
    found = {name: fit(name, log, seed=seed).loglik for name in BY_GRADE}
    slack = 1e-6 * abs(found["agnostic"])
    assert found["agnostic"] <= found["eia"] + slack
    assert found["ia_same"] <= found["ia_diff"] + slack
    assert found["ia_diff"] <= found["eia"] + slack
    wider = fit("eia", log, intents=("en", "tr", "other"), seed=seed).loglik
    assert found["eia"] <= wider + slack


def test_the_intent_agnostic_estimate_is_a_share_of_counts():
    log = small_log(5, 2_000, grades=4)
    stops, seen = np.zeros(4), np.zeros(4)
    for _, _, _, grades, clicks, count in sessions_of(log):
        last = max((place for place, click in enumerate(clicks) if click), default=len(clicks) - 1)
        for grade in grades[: last + 1]:
            seen[grade] += count
        if any(clicks):
            stops[grades[last]] += count
    found = fit("agnostic", log)
    assert found.user.relevance[0, 0] == pytest.approx(stops / seen, rel=1e-5)
    shares = stops / seen
    for parameter, share, examined in zip(found.parameters, shares, seen, strict=True):
        assert parameter.error == pytest.approx(np.sqrt(share * (1 - share) / examined), rel=1e-4)
        assert parameter.low < share < parameter.high


def test_one_language_makes_all_models_one():
    log = small_log(3, 500, languages=("en",))
    values = [fit(name, log).loglik for name in BY_GRADE]
    assert values == pytest.approx([values[0]] * 4)


def test_the_order_of_starts_and_languages_does_not_matter():
    log = simulate_log(bilingual_user(), made_up_lists(300), 40_000)
    first = fit("eia", log)
    builder = LogBuilder(max_grade=4, languages=("english", "native"))
    for query, documents, languages, grades, clicks, count in sessions_of(log):
        builder.add(query, documents, grades, clicks, [log.languages[code] for code in languages], count)
    second = fit("eia", builder.finish(), seed=9)
    # The likelihood is nearly flat around its top: where a search ends depends on how a processor rounds. A hundredth
    # is far below what tells two models apart.
    assert first.loglik == pytest.approx(second.loglik, abs=0.01)
    assert first.user.prior == pytest.approx(second.user.prior[::-1], abs=2e-3)
    assert first.user.relevance == pytest.approx(second.user.relevance[::-1, ::-1], abs=2e-3)


def test_probabilities_of_all_outcomes_add_up():
    user = bilingual_user()
    for depth in (1, 2, 3):
        builder = LogBuilder(languages=user.languages, max_grade=4)
        for number, results in enumerate(every_list(user.languages, 3, depth)):
            languages, grades = zip(*results, strict=True)
            builder.add(f"q{number}", [f"d{place}" for place in range(depth)], grades, [0] * depth, languages)
        log = builder.finish()
        from rulerank.clicks.predict import stop_probabilities

        assert stop_probabilities(user, log).sum(axis=1) == pytest.approx(1.0)


def test_every_model_has_a_name_a_label_and_a_summary():
    assert len(click_models) == 8
    for entry in click_models:
        assert entry.name.isidentifier()
        assert (entry.value.name, entry.value.label) == (entry.name, entry.label)
        assert len(entry.summary) > 30


def test_unknown_names_and_settings_are_told():
    log = small_log()
    with pytest.raises(UnknownNameError, match="did you mean 'ia_same'"):
        fit("ia_sam", log)
    with pytest.raises(InputError, match="only the extended model can have others"):
        fit("ia_diff", log, intents=("en", "other"))
    with pytest.raises(InputError, match="different names"):
        fit("eia", log, intents=("en", "en"))
    with pytest.raises(InputError, match="at least one start"):
        fit("eia", log, starts=0)
    with pytest.raises(InputError, match="between 0 and 1"):
        fit("agnostic", log, level=1.0)
