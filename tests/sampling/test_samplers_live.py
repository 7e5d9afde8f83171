"""Cover and ELO-DCG in a live campaign: slips, regrades and several people, and a second process agrees throughout."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from live_helpers import ACTS, Clock, do, fresh_row, label_alone, make_live, random_pool, row_of
from thorough import examples

from rulerank.registry import samplers

both = pytest.mark.parametrize("sampler", ["cover", "elo_dcg"])


@both
def test_one_annotator_gets_the_order_of_run_slips_and_all(sampler):
    items, grades = random_pool(24, seed=2)
    live = make_live(items, sampler=sampler)
    order, pause = label_alone(live, grades, slips=[number % 3 == 1 for number in range(24)])
    run = samplers[sampler]().run(items, grades, features=items.astype(float), qids=np.arange(24) // 4)
    assert order == run.order
    assert not pause.stopped


@both
@given(acts=st.lists(st.tuples(st.sampled_from(ACTS), st.integers(1, 3)), min_size=12, max_size=40))
@examples(15)
def test_a_new_process_proposes_the_same(sampler, acts):
    items, grades = random_pool(20, seed=3)
    clock = Clock()
    live = make_live(items, clock=clock, sampler=sampler)
    for act, person in acts:
        do(live, clock, act, person, grades)
    told = fresh_row(live, 9)
    assert row_of(live.next(9)) == told
