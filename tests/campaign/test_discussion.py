"""Discussions: flags and remarks are events that change no grade; who may read them; what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from rulerank.campaign import Kind, MemoryLog, OpenCampaign, Settings, set_up
from rulerank.campaign.decisions import DecisionFilter, decisions_of
from rulerank.campaign.discussion import TALK, Thread
from rulerank.errors import InputError
from rulerank.synthetic import planted_collection

ANN, BEA = 1, 2
COLLECTION = planted_collection(queries=3, documents=4, features=3)


def opened_campaign(log: MemoryLog | None = None) -> OpenCampaign:
    chosen = Settings(dwell_milliseconds=0, overlap=2)
    return OpenCampaign(1, "small", chosen, 1, COLLECTION, set_up(COLLECTION, chosen), log or MemoryLog())


def test_a_thread_is_opened_answered_resolved_and_opened_again():
    opened = opened_campaign()
    for kind, person, words in (
        (Kind.FLAG, ANN, "A product page?"), (Kind.REMARK, BEA, "I think so."), (Kind.RESOLVE, BEA, "Yes: relevant."),
    ):  # fmt: skip
        assert opened.live.fold.threads.get(4, Thread(4)).open == (kind is not Kind.FLAG)
        opened.live.write(person, 4, kind, text=words)
    thread = opened.live.fold.threads[4]
    assert [each.text for each in thread.remarks] == ["A product page?", "I think so.", "Yes: relevant."]
    assert not thread.open
    opened.live.write(ANN, 4, Kind.FLAG)
    assert opened.live.fold.threads[4].open


@pytest.mark.parametrize("kind", TALK)
def test_a_remark_is_written_once_however_often_it_is_sent(kind):
    opened = opened_campaign()
    if kind is not Kind.FLAG:
        opened.live.write(ANN, 4, Kind.FLAG)
    before = len(opened.live.log.events)
    for _ in range(2):
        opened.live.write(BEA, 4, kind, text="so", token="0" * 32)
    assert len(opened.live.log.events) == before + 1


def test_what_cannot_be_said_is_refused_and_nothing_is_written():
    opened = opened_campaign()
    with pytest.raises(InputError, match="flag it first"):
        opened.live.write(ANN, 4, Kind.REMARK, text="so")
    opened.live.write(ANN, 4, Kind.FLAG)
    with pytest.raises(InputError, match="needs words"):
        opened.live.write(ANN, 4, Kind.REMARK, text=" ")
    opened.live.write(BEA, 4, Kind.RESOLVE)
    with pytest.raises(InputError, match="resolved already"):
        opened.live.write(BEA, 4, Kind.RESOLVE)
    with pytest.raises(InputError, match="not in the pool"):
        opened.live.write(ANN, 99, Kind.FLAG)
    assert [event.kind for event in opened.live.log.events] == [Kind.FLAG, Kind.RESOLVE]


def test_nobody_reads_others_remarks_before_deciding():
    thread = Thread(4, (opened_campaign().live.write(ANN, 4, Kind.FLAG, text="2, surely"),))
    assert thread.readable_by(ANN, decided=False)
    assert not thread.readable_by(BEA, decided=False)
    assert thread.readable_by(BEA, decided=True)
    assert thread.readable_by(BEA, decided=False, leads=True)


def test_open_discussions_are_found_among_own_decisions():
    opened = opened_campaign()
    for row in (3, 4):
        opened.live.write(ANN, row, Kind.GRADE, grade=1)
    opened.live.write(BEA, 4, Kind.FLAG)
    assert [each.row for each in DecisionFilter(flagged=True).among(decisions_of(opened, ANN))] == [4]
    opened.live.write(BEA, 4, Kind.RESOLVE)
    assert DecisionFilter(flagged=True).among(decisions_of(opened, ANN)) == []


acts = st.one_of(
    st.tuples(st.sampled_from([Kind.FLAG, Kind.REMARK, Kind.RESOLVE]), st.integers(0, 3), st.sampled_from([ANN, BEA])),
    st.tuples(st.just(Kind.GRADE), st.integers(0, 11), st.sampled_from([ANN, BEA])),
    st.tuples(st.just(Kind.UNDO), st.just(0), st.sampled_from([ANN, BEA])),
)


@given(st.lists(acts, max_size=30))
@examples(60)
def test_talk_changes_nothing_that_labels_decide(given_acts):
    talked, silent = opened_campaign(), opened_campaign()
    for kind, row, person in given_acts:
        for opened in (talked, silent):
            if kind is Kind.UNDO:
                opened.live.undo(person)
                opened.live.release(person)
            elif kind is Kind.GRADE:
                opened.live.write(person, row, kind, grade=row % 3)
            elif opened is talked:
                thread = opened.live.fold.threads.get(row)
                if kind is Kind.FLAG or (thread is not None and thread.open):
                    opened.live.write(person, row, kind, text="so")
    assert talked.live.fold.current() == silent.live.fold.current()
    again = opened_campaign(talked.live.log)  # another process
    assert again.live.refresh().threads == talked.live.fold.threads
    offers = [opened.live.next(ANN) for opened in (talked, silent, again)]
    assert len({getattr(each, "claim", None) and each.claim.row for each in offers}) == 1
