"""Threads: settings are checked, errors come through, and a forked child does not wait for its parent's threads."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest

from rulerank.errors import InputError
from rulerank.kernels import in_parts, over_rows, workers
from rulerank.ranking import LRAR
from rulerank.synthetic import random_items


def test_the_number_of_threads_can_be_set(monkeypatch):
    monkeypatch.setenv("RULERANK_THREADS", "3")
    assert workers() == 3
    for bad in ("0", "-1", "two", "1.5"):
        monkeypatch.setenv("RULERANK_THREADS", bad)
        with pytest.raises(InputError, match="RULERANK_THREADS"):
            workers()


def test_every_row_is_visited_once(monkeypatch):
    monkeypatch.setenv("RULERANK_THREADS", "4")
    for rows in (0, 1, 7, 4096, 10_001):
        seen = np.zeros(rows, np.int64)
        over_rows(lambda start, stop, seen=seen: np.add.at(seen, np.arange(start, stop), 1), rows, least=3)
        assert (seen == 1).all()


def test_an_error_in_any_part_is_raised():
    def work(part: int, parts: int) -> None:
        if part == parts - 1:
            raise InputError("the last part")

    with pytest.raises(InputError, match="the last part"):
        in_parts(work, 3)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_can_score(monkeypatch):
    monkeypatch.setenv("RULERANK_THREADS", "2")
    items = random_items(200, 8)
    model = LRAR().fit(items, np.arange(200) % 3)
    expected = model.predict(items)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(model.predict(items), expected) else 1)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.05)
    os.kill(child, 9)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")
