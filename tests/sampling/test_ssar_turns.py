"""SSAR and chance in turns: who chooses when, and when it ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from rulerank.sampling import SSAR, Random, SSARTurns


def made_up(seed, rows=40, features=4, bins=3):
    rng = np.random.default_rng(seed)
    return rng.integers(0, bins, (rows, features)).astype(np.uint8), rng.integers(0, 3, rows)


@examples(40)
@given(st.integers(0, 2**32), st.integers(0, 100))
def test_both_choose_from_the_same_labels_in_turns(seed, chance):
    items, grades = made_up(seed)
    sampler = SSARTurns(seed=chance).start(items)
    others = SSAR().start(items), Random(seed=chance).start(items)
    for number in range(len(items)):
        chosen = sampler.propose(beyond=True)
        assert chosen.row == others[number % 2].propose(beyond=True).row
        assert ("by lot" in chosen.reason) == bool(number % 2)
        assert chosen.rule_count == others[0].rule_counts[chosen.row]
        for each in (sampler, *others):
            each.record(chosen.row, int(grades[chosen.row]))
    assert sampler.propose(beyond=True) is None


@pytest.mark.parametrize("seed", range(5))
def test_it_stops_where_ssar_would_stop(seed):
    items, grades = made_up(seed, bins=2)
    sampler, plain = SSARTurns(seed=seed).start(items), SSAR().start(items)
    while not (chosen := sampler.propose()).stop:
        assert not plain.propose().stop
        for each in (sampler, plain):
            each.record(chosen.row, int(grades[chosen.row]))
    assert plain.propose().stop
    assert len(sampler.labelled) < len(items)
    beyond = sampler.propose(beyond=True)
    assert not beyond.stop
    assert beyond.row not in sampler.labelled


def test_undo_leads_back_to_the_same_document():
    items, grades = made_up(1)
    sampler = SSARTurns().start(items)
    proposed = []
    for _ in range(9):
        proposed.append(sampler.propose(beyond=True).row)
        sampler.record(proposed[-1], int(grades[proposed[-1]]))
    for row in reversed(proposed):
        sampler.retract(row)
        assert sampler.propose(beyond=True).row == row


def test_a_document_that_was_put_aside_is_not_drawn():
    items, grades = made_up(2)
    sampler = SSARTurns().start(items)
    first = sampler.propose().row
    sampler.record(first, int(grades[first]))
    drawn = sampler.propose(beyond=True).row
    sampler.exclude(drawn)
    assert sampler.propose(beyond=True).row != drawn
    sampler.include(drawn)
    assert sampler.propose(beyond=True).row == drawn
