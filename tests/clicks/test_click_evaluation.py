"""Perplexity, online metrics, correlation and splits: against plain definitions."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from clicks_reference import err_of_list, last_click, log_likelihood, session_likelihood, sessions_of, small_log
from hypothesis import given
from hypothesis import strategies as st

from rulerank.clicks import (
    ONLINE,
    Fit,
    LogBuilder,
    bilingual_user,
    correlations,
    evaluate_clicks,
    fit,
    gain,
    made_up_lists,
    session_metrics,
    simulate_log,
    weighted_correlation,
)
from rulerank.clicks.compare import paired_t_test, random_splits
from rulerank.clicks.evaluation import by_configuration
from rulerank.clicks.result import fixed_parameters
from rulerank.errors import InputError
from rulerank.metrics import IntentUser, err_user


def random_fit(log, seed) -> Fit:
    rng = np.random.default_rng(seed)
    user = IntentUser(
        ("a", "b"), log.languages, rng.dirichlet([1, 1]), rng.uniform(0.02, 0.9, (2, len(log.languages), log.grades))
    )
    return Fit("eia", "", user, fixed_parameters(user), 0, 0.0, 0, learned=True)


@given(seed=st.integers(0, 10_000), event=st.sampled_from(["last", "every"]))
def test_perplexity_is_that_of_the_definition(seed, event):
    log = small_log(seed, 50)
    found = random_fit(log, seed)
    result = evaluate_clicks(found, log, event=event)
    for k in range(1, log.depth + 1):
        total = count_all = 0.0
        for _, _, languages, grades, clicks, count in sessions_of(log):
            if len(grades) < k:
                continue
            at_k = [int(place == k - 1) for place in range(len(grades))]
            chance = session_likelihood(found.user, languages, grades, at_k)
            happened = clicks[k - 1] if event == "every" else int(last_click(clicks) == k)
            total += count * math.log2(chance if happened else 1 - chance)
            count_all += count
        assert result.marginal[k - 1] == pytest.approx(2 ** (-total / count_all))
    assert result.perplexity == pytest.approx(np.mean(result.marginal))


@given(seed=st.integers(0, 10_000))
def test_conditional_perplexities_multiply_to_the_likelihood(seed):
    rng = np.random.default_rng(seed)
    builder = LogBuilder(max_grade=2, languages=("en", "tr"))
    for _ in range(60):  # lists of one length, so that every position counts all sessions
        grades, clicks = rng.integers(0, 3, 4).tolist(), (rng.random(4) < 0.3).astype(int).tolist()
        builder.add("q", list("abcd"), grades, clicks, rng.choice(["en", "tr"], 4).tolist())
    log = builder.finish()
    found = random_fit(log, seed)
    result = evaluate_clicks(found, log)
    assert result.loglik == pytest.approx(log_likelihood(found.user, log))
    assert math.prod(result.conditional) == pytest.approx(math.exp(-result.loglik / log.sessions))


def test_a_perfect_prediction_has_perplexity_1():
    builder = LogBuilder(max_grade=1)
    builder.add("q", ["a", "b", "c"], [0, 1, 0], [0, 1, 0], sessions=9)
    log = builder.finish()
    user = IntentUser(("any",), ("any",), np.ones(1), np.array([[[0.0, 1.0]]]))
    result = evaluate_clicks(Fit("agnostic", "", user, (), 0, 0.0, 0, learned=True), log)
    assert result.marginal == pytest.approx([1, 1, 1])
    assert result.loglik == pytest.approx(0.0)


def test_default_parameters_are_kept_off_0_and_1():
    builder = LogBuilder(max_grade=1)
    builder.add("q", ["a"], [0], [1])
    log = builder.finish()
    found = fit("agnostic_default", log, variant="printed")
    assert found.user.relevance.tolist() == [[[0.0, 1.0]]]
    assert found.loglik == pytest.approx(math.log(0.001))
    assert evaluate_clicks(found, log, floor=0.25).marginal == pytest.approx([4.0])
    with pytest.raises(InputError, match="floor"):
        evaluate_clicks(found, log, floor=0.0)
    with pytest.raises(InputError, match="event"):
        evaluate_clicks(found, log, event="first")


def test_the_gain_is_the_papers(golden):
    rows = golden("published_click_models.csv")
    perplexities = [float(row["perplexity"]) for row in rows]
    gains = [100 * gain(later, better) for better, later in itertools.pairwise(perplexities)]
    printed = [1.02, 0.25, 3.12, 22.5, 17.9]  # from unrounded perplexities
    for ours, theirs in zip(gains, printed, strict=True):
        assert ours == pytest.approx(theirs, abs=0.25)


@given(seed=st.integers(0, 10_000))
def test_the_metric_of_a_list_is_eq_1(seed):
    log = small_log(seed, 40)
    found = random_fit(log, seed)
    values = found.err(log)
    for config in range(log.configurations):
        length = int(log.length[config])
        languages, grades = log.language[config, :length], log.grade[config, :length]
        assert values[config] == pytest.approx(err_of_list(found.user, languages, grades))


def test_online_metrics_of_a_session():
    builder = LogBuilder()
    for clicks in ([0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1]):
        builder.add(f"q{clicks}", list("abcd"), [1] * 4, clicks)
    found = dict(zip(["none", "first", "two", "third", "all"], session_metrics(builder.finish()).tolist(), strict=True))
    assert list(ONLINE) == ["uctr", "max_rr", "min_rr", "mean_rr", "plc"]
    assert found["none"] == [0, 0, 0, 0, 0]
    assert found["first"] == [1, 1, 1, 1, 1]
    assert found["two"] == [1, 1 / 2, 1 / 4, (1 / 2 + 1 / 4) / 2, 2 / 4]
    assert found["third"] == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3, 1 / 3])
    assert found["all"] == pytest.approx([1, 1, 1 / 4, (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4, 1])


def test_sessions_without_a_click_may_be_left_out():
    builder = LogBuilder()
    builder.add("q", ["a", "b"], [0, 1], [0, 0], sessions=3)
    builder.add("q", ["a", "b"], [0, 1], [0, 1], sessions=1)
    log = builder.finish()
    means, behind = by_configuration(log)
    assert means[0].tolist() == [0.25, 0.125, 0.125, 0.125, 0.125]
    means, behind = by_configuration(log, no_click="skip")
    assert means[0].tolist() == [0.25, 0.5, 0.5, 0.5, 0.5]
    assert behind[0].tolist() == [4, 1, 1, 1, 1]
    with pytest.raises(InputError, match="no_click"):
        by_configuration(log, no_click="keep")


@given(seed=st.integers(0, 10_000), size=st.integers(2, 30))
def test_the_weighted_correlation_is_that_of_repeated_rows(seed, size):
    rng = np.random.default_rng(seed)
    first, second, weights = rng.normal(size=size), rng.normal(size=size), rng.integers(1, 6, size)
    repeated = scipy.stats.pearsonr(np.repeat(first, weights), np.repeat(second, weights)).statistic
    assert weighted_correlation(first, second, weights.astype(float)) == pytest.approx(repeated, abs=1e-9)


def test_what_does_not_vary_has_no_correlation():
    flat = np.full(5, 0.1)
    assert math.isnan(weighted_correlation(flat, np.arange(5.0), np.ones(5)))
    assert math.isnan(weighted_correlation(np.arange(5.0), flat, np.zeros(5)))


def test_the_true_metric_correlates_best_with_where_users_stop():
    lists = made_up_lists(500)
    user = bilingual_user()
    log = simulate_log(user, lists, 200_000)
    true = correlations(Fit("eia", "", user, (), 0, 0.0, 0, learned=True).err(log), log)
    plain = correlations(fit("agnostic_default", log).err(log), log)
    assert true["mean_rr"] > 0.95
    for name in ONLINE:
        assert true[name] > plain[name]


def test_splits_hold_every_session_once():
    log = small_log(1, 1_000)
    splits = list(random_splits(log.count, 5, 0.1, seed=4))
    for learn, test in splits:
        assert (learn >= 0).all()
        assert (learn + test == log.count).all()
        assert test.sum() == round(log.sessions / 10)
    assert any((splits[0][1] != other).any() for _, other in splits[1:])
    assert all((a[1] == b[1]).all() for a, b in zip(splits, random_splits(log.count, 5, 0.1, seed=4), strict=True))
    drawn = np.mean([test for _, test in random_splits(np.array([50, 950]), 400, 0.1, seed=0)], axis=0)
    assert drawn == pytest.approx([5, 95], abs=0.6)
    for wrong in ((0, 0.1), (3, 0.0), (3, 0.0001)):
        with pytest.raises(InputError):
            list(random_splits(log.count, *wrong, seed=0))


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), min_size=3, max_size=20))
def test_the_paired_t_test_is_scipys(pairs):
    first, second = (np.array(column) for column in zip(*pairs, strict=True))
    gaps = first - second
    if gaps.std() < 1e-6:
        return
    found, theirs = paired_t_test(first, second, 0.1), scipy.stats.ttest_rel(first, second)
    assert found["t"] == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-9)
    assert found["p"] == pytest.approx(theirs.pvalue, rel=1e-7, abs=1e-12)
    assert found["p_corrected"] >= found["p"]


def test_a_model_must_know_the_logs_languages_and_grades():
    log = small_log()
    with pytest.raises(InputError, match="the log has tr too"):
        Fit("agnostic", "", err_user(2, ("en",)), (), 0, 0.0, 0, learned=True).err(log)
    with pytest.raises(InputError, match="grades up to 1"):
        Fit("agnostic", "", err_user(1, ("en", "tr")), (), 0, 0.0, 0, learned=True).err(log)
    turned = Fit("agnostic", "", err_user(5, ("xx", "tr", "en")), (), 0, 0.0, 0, learned=True).err(log)
    assert turned == pytest.approx(Fit("a", "", err_user(5, ("en", "tr")), (), 0, 0.0, 0, learned=True).err(log))
