"""About how many labels are left to the natural stop."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from rulerank.campaign import Kind, MemoryLog, OpenCampaign, Settings, to_go
from rulerank.campaign.annotator import progress_shown
from rulerank.campaign.opened import set_up
from rulerank.campaign.to_go import ToGo, labels_to_go, runs_to_stop
from rulerank.synthetic import planted_collection


def made(sampler: str = "ssar", **more) -> OpenCampaign:
    collection = planted_collection(30, 20, 12)
    settings = Settings(sampler=sampler, dwell_milliseconds=0, **more)
    return OpenCampaign(1, "test", settings, 1, collection, set_up(collection, settings), MemoryLog())


def label(opened: OpenCampaign, number: int) -> None:
    for _ in range(number):
        claim = opened.live.next(1).claim
        grade = int(opened.collection.grades[claim.row])
        opened.live.submit(1, claim.token, claim.row, Kind.GRADE, grade=grade)


def settled() -> None:
    """Wait for the estimate that is being worked out."""
    for thread in threading.enumerate():
        if thread.name == "rulerank-to-go":
            thread.join()


@pytest.mark.parametrize("sampler", ["ssar", "ssarp"])
def test_the_range_holds_what_is_left(sampler):
    opened = made(sampler)
    known = opened.collection.grades
    run = opened.settings.make_sampler().run(opened.items, known, features=opened.live.pool.features)
    for share in (0.25, 0.5, 0.75):
        given = max(to_go.ENOUGH, round(share * len(run.order)))
        grades = {row: int(known[row]) for row in run.order[:given]}
        runs = runs_to_stop(opened.settings, opened.live.pool, grades, frozenset())
        assert min(runs) / to_go.SPREAD <= len(run.order) - given <= max(runs) * to_go.SPREAD
        assert runs == runs_to_stop(opened.settings, opened.live.pool, grades, frozenset())


def test_it_is_worked_out_in_the_background_and_follows_the_labels():
    opened = made()
    label(opened, to_go.ENOUGH - 1)
    assert labels_to_go(opened) is None
    settled()
    assert labels_to_go(opened) is None  # too few labels for a range
    label(opened, 3)
    labels_to_go(opened)
    settled()
    first = labels_to_go(opened)
    settled()
    assert 0 <= first.low < first.high <= len(opened.items)
    assert progress_shown(opened, 1, 0.0)["text"].startswith(f"{labels_to_go(opened)} labels to go · ")
    before = labels_to_go(opened)
    settled()
    opened.live.undo(1)
    labels_to_go(opened)
    settled()
    assert labels_to_go(opened).high >= before.high - 1


def test_documents_that_left_the_pool_are_not_asked_for():
    opened = made()
    grades = {row: row % 2 for row in range(12)}
    away = frozenset(range(12, len(opened.items)))
    assert runs_to_stop(opened.settings, opened.live.pool, grades, away) == [0] * to_go.RUNS


def test_nothing_is_said_of_samplers_without_a_stop_nor_where_all_grades_are_the_same(monkeypatch):
    other = made("random")
    label(other, 20)
    assert labels_to_go(other) is None
    alike = made()
    for _ in range(15):
        claim = alike.live.next(1).claim
        alike.live.submit(1, claim.token, claim.row, Kind.GRADE, grade=0)
    labels_to_go(alike)
    settled()
    assert labels_to_go(alike) is None
    large = made()
    label(large, 12)
    monkeypatch.setattr(to_go, "LARGEST", len(large.items) - 1)
    assert labels_to_go(large) is None


def test_an_estimate_that_takes_too_long_or_fails_is_given_up(monkeypatch):
    opened = made()
    grades = {row: row % 2 for row in range(12)}
    assert runs_to_stop(opened.settings, opened.live.pool, grades, frozenset(), seconds=-1.0) is None
    calls = []

    def fail(*_):
        calls.append(1)
        raise MemoryError

    monkeypatch.setattr(to_go, "runs_to_stop", fail)
    label(opened, 12)
    for _ in range(3):
        assert labels_to_go(opened) is None
        settled()
    assert len(calls) == 1  # not at every label


def test_each_document_takes_as_many_labels_as_there_are_opinions():
    opened = made(overlap=2)
    kept = to_go._Estimate(documents=0, left=(10.0, 20.0))
    assert to_go._range(opened, kept, 0) == ToGo(20, 40)
    assert to_go._range(made(), to_go._Estimate(4, (10.0, 20.0)), 8) == ToGo(6, 16)


@pytest.mark.parametrize(
    ("low", "high", "words"), [(0, 3, "up to 3"), (33, 47, "about 30 to 50"), (118, 301, "about 110 to 310")]
)
def test_a_range_is_told_as_roughly_as_it_is_known(low, high, words):
    assert str(ToGo(low, high)) == words
    assert str(ToGo(int(np.int64(low)), high)) == words
