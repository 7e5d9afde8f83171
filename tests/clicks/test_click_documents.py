"""The classical SDBN by document: its estimates are a direct count's, and its parameters come back."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from clicks_reference import last_click, sessions_of, small_log
from hypothesis import given
from hypothesis import strategies as st

from rulerank.clicks import LogBuilder, fit, fit_documents, made_up_lists, simulate_log
from rulerank.clicks.documents import DocumentFit
from rulerank.errors import InputError


def direct_count(log):
    examined, clicked, last = Counter(), Counter(), Counter()
    for query, documents, _, _, clicks, count in sessions_of(log):
        end = last_click(clicks)
        for place, (document, click) in enumerate(zip(documents, clicks, strict=True), 1):
            if end == 0 or place <= end:
                examined[query, document] += count
            clicked[query, document] += count * click
            last[query, document] += count * (place == end)
    return examined, clicked, last


@given(seed=st.integers(0, 10_000), depth=st.integers(1, 5))
def test_estimates_equal_those_of_a_direct_count(seed, depth):
    log = small_log(seed, 200, depth=depth)
    found = fit_documents(log, smoothing=0)
    examined, clicked, last = direct_count(log)
    assert set(found.pairs) == {
        (query, document) for query, documents, *_ in sessions_of(log) for document in documents
    }
    for pair, row in found.pairs.items():
        assert (found.examined[row], found.clicked[row], found.last[row]) == (examined[pair], clicked[pair], last[pair])
        if examined[pair]:
            assert found.attraction[row] == pytest.approx(clicked[pair] / examined[pair])
        if clicked[pair]:
            assert found.satisfaction[row] == pytest.approx(last[pair] / clicked[pair])


def test_unseen_documents_have_the_average():
    builder = LogBuilder()
    builder.add("q", ["a", "b"], [0, 1], [1, 0], sessions=30)
    builder.add("q", ["a", "b"], [0, 1], [0, 0], sessions=70)
    found = fit_documents(builder.finish())
    other = LogBuilder()
    other.add("q", ["new"], [1], [0])
    assert found.stops(other.finish())[0, 1] == pytest.approx(30 / 170)
    with pytest.raises(InputError, match="smoothing"):
        fit_documents(builder.finish(), smoothing=-1)


def planted(lists, satisfaction, seed=0) -> DocumentFit:
    """An SDBN with attractions between 0.1 and 0.6 and the given satisfaction, as counts of very many sessions."""
    pairs = {
        (lists.queries[query], lists.documents[document]): None
        for query, documents in zip(lists.query.tolist(), lists.document.tolist(), strict=True)
        for document in documents
    }
    trials = np.full(len(pairs), 10**9)
    clicked = (np.random.default_rng(seed).uniform(0.1, 0.6, len(pairs)) * trials).astype(np.int64)
    last = (satisfaction * clicked).astype(np.int64)
    rows = {pair: row for row, pair in enumerate(pairs)}
    return DocumentFit("documents", "", rows, trials, clicked, last, 0.0, 0, 0.0)


def test_its_parameters_come_back_where_every_click_satisfies():
    lists = made_up_lists(40)
    truth = planted(lists, 1.0)
    found = fit("documents", simulate_log(truth, lists, 400_000, seed=3))
    true = truth.attraction[[truth.pairs[pair] for pair in found.pairs]]
    seen = found.examined > 100
    error = np.abs(found.attraction - true) / np.sqrt(true * (1 - true) / np.maximum(found.examined, 1))
    assert seen.mean() > 0.9
    assert error[seen].max() < 4.5
    assert (found.satisfaction[seen] > 0.9).all()


def test_where_clicks_may_disappoint_the_last_one_is_taken_for_satisfied():
    """SDBN's simplification: what is examined below the last click is not counted, so both come out high."""
    lists = made_up_lists(40)
    truth = planted(lists, 0.4)
    found = fit("documents", simulate_log(truth, lists, 400_000, seed=3))
    rows = [truth.pairs[pair] for pair in found.pairs]
    assert (found.attraction - truth.attraction[rows]).mean() > 0.02
    assert (found.satisfaction - truth.satisfaction[rows]).mean() > 0.1
