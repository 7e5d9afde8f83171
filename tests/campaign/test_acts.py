"""Every act is written once, in whatever order and however often it arrives; what comes too late is told, not taken."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from live_helpers import Clock, fresh_row, grade_next, make_live, random_pool, row_of
from thorough import examples

from rulerank.campaign import (
    ActRefusedError,
    ArchivedError,
    Campaign,
    DecidedOtherwiseError,
    Kind,
    MemoryLog,
    NotYoursError,
    Offer,
    Pause,
    TooLateError,
    TooSoonError,
    UsedTokenError,
)
from rulerank.errors import StoreError

YEAR = 365 * 24 * 3600.0


@pytest.fixture
def clock() -> Clock:
    return Clock()


def make(clock: Clock, rows: int = 12, **options) -> Campaign:
    return make_live(random_pool(rows)[0], clock=clock, **options)


def advance(live: Campaign, person: int, offer: Offer, grade: int, **more) -> Offer | Pause:
    return live.advance(person, offer.claim.token, offer.claim.row, Kind.GRADE, grade=grade, beyond=True, **more)


def kinds(live: Campaign) -> list[str]:
    return [event.kind.value for event in live.log.events]


# Sent again -----------------------------------------------------------------------------------------------------


def test_an_undo_that_is_sent_again_takes_back_one_label(clock):
    live = make(clock)
    rows = [grade_next(live, 1, [1] * 12) for _ in range(3)]
    first = live.undo(1, token="a" * 32)
    for _ in range(10):
        assert live.undo(1, token="a" * 32).claim == first.claim
    assert kinds(live) == ["grade"] * 3 + ["undo"]
    assert sorted(live.fold.current()) == sorted(rows[:2])
    assert live.fold.undone(live.fold.with_token("a" * 32).undoes).row == rows[2]


def test_an_undo_that_arrives_again_after_further_labels_takes_nothing_back(clock):
    live = make(clock)
    grade_next(live, 1, [1] * 12)
    live.undo(1, token="a" * 32)
    grade_next(live, 1, [2] * 12)
    grade_next(live, 1, [2] * 12)
    assert live.undo(1, token="a" * 32) is None
    assert kinds(live) == ["grade", "undo", "grade", "grade"]


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        (Kind.NOTE, {"text": "a note"}),
        (Kind.DRAFT, {"text": "half a note"}),
        (Kind.ADJUDICATE, {"grade": 2, "text": "because"}),
        (Kind.ADJUDICATE, {"grade": None}),
        (Kind.GRADE, {"grade": 0}),
        (Kind.CANNOT_TELL, {"text": "blank"}),
        (Kind.IMPORT, {"grade": 1}),
    ],
)
def test_what_is_written_without_a_claim_is_written_once(clock, kind, more):
    live = make(clock)
    first = live.write(1, 4, kind, token="b" * 32, **more)
    clock.now += 5
    assert live.write(1, 4, kind, token="b" * 32, **more) == first
    assert len(live.log.events) == 1
    for changed in ({"row": 5}, {"person": 2}, {"text": "another"}):
        asked = {"person": 1, "row": 4, "kind": kind, **more, **changed}
        with pytest.raises(UsedTokenError):
            live.write(token="b" * 32, **asked)
    assert len(live.log.events) == 1


def test_a_token_of_another_kind_of_act_is_refused(clock):
    live = make(clock)
    grade_next(live, 1, [1] * 12)
    live.write(1, 3, Kind.NOTE, text="a", token="c" * 32)
    with pytest.raises(UsedTokenError):
        live.undo(1, token="c" * 32)
    assert kinds(live) == ["grade", "note"]


def test_a_release_that_arrives_late_gives_nothing_else_back(clock):
    live = make(clock)
    first = live.next(1)
    live.release(1, claim=first.claim.token)
    second = live.next(1)
    live.release(1, claim=first.claim.token)
    assert [claim.token for claim in live.open_claims()] == [second.claim.token]


# Two tabs -------------------------------------------------------------------------------------------------------


def test_a_second_tab_that_decides_otherwise_is_told(clock):
    live = make(clock)
    offer = live.next(1)
    following = advance(live, 1, offer, 1)
    assert advance(live, 1, offer, 1).claim == following.claim
    clock.now += 180
    for more in ({"grade": 2}, {"grade": 1, "note": "but why"}):
        with pytest.raises(DecidedOtherwiseError, match=r"“1 · .*” in another tab, 3 min.*not saved.*Press Z"):
            live.advance(1, offer.claim.token, offer.claim.row, Kind.GRADE, **more)
    with pytest.raises(DecidedOtherwiseError, match="your “later” was not saved"):
        live.advance(1, offer.claim.token, offer.claim.row, Kind.LATER)
    assert kinds(live) == ["grade"]


def test_a_decision_that_was_taken_back_meanwhile_is_told(clock):
    live = make(clock)
    offer = live.next(1)
    advance(live, 1, offer, 1)
    live.undo(1)
    with pytest.raises(DecidedOtherwiseError, match=r"taken back since; your “1 · .*” was not saved"):
        advance(live, 1, offer, 1)
    assert kinds(live) == ["grade", "undo"]


def test_two_claims_on_one_document_do_not_hide_a_disagreement(clock):
    live = make(clock, claim_minutes=1.0)
    old = live.next(1)
    clock.now += 61
    new = live.next(1)
    assert new.claim.row == old.claim.row
    advance(live, 1, old, 1)
    with pytest.raises(DecidedOtherwiseError, match="“1 · "):
        advance(live, 1, new, 2)
    assert isinstance(advance(live, 1, new, 1), Offer)
    assert kinds(live) == ["grade"]


def test_an_undo_takes_back_what_was_seen_or_nothing(clock):
    live = make(clock)
    grade_next(live, 1, [1] * 12)
    seen = live.fold.last_act(1).id
    grade_next(live, 1, [2] * 12)
    with pytest.raises(DecidedOtherwiseError, match=r"you gave “2 · .*nothing was taken back"):
        live.undo(1, of=seen)
    live.undo(1, of=live.fold.last_act(1).id)
    live.undo(1, of=seen)
    with pytest.raises(DecidedOtherwiseError, match="taken back in another tab already"):
        live.undo(1, of=seen)
    assert kinds(live) == ["grade", "grade", "undo", "undo"]


def test_a_draft_that_comes_after_the_decision_is_not_kept(clock):
    live = make(clock)
    offer = live.next(1)
    token, row = offer.claim.token, offer.claim.row
    live.write(1, row, Kind.DRAFT, text="first", claim=token, after=0)
    advance(live, 1, offer, 1, note="final")
    with pytest.raises(TooLateError, match="note was not kept"):
        live.write(1, row, Kind.DRAFT, text="first and", claim=token, after=live.fold.latest(Kind.DRAFT, row, 1))
    live.undo(1)
    with pytest.raises(TooLateError):
        live.write(1, row, Kind.DRAFT, text="first and", claim=token)
    assert live.fold.notes[row, 1] == "final"
    assert live.fold.drafts == {}


def test_an_older_draft_does_not_overwrite_a_newer_one(clock):
    live = make(clock)
    offer = live.next(1)
    token, row = offer.claim.token, offer.claim.row
    newer = live.write(1, row, Kind.DRAFT, text="typed after the reload", claim=token, after=0)
    with pytest.raises(TooLateError, match="changed in another tab"):
        live.write(1, row, Kind.DRAFT, text="typed before it", claim=token, after=0)
    live.write(1, row, Kind.DRAFT, text="and more", claim=token, after=newer.id)
    assert live.fold.drafts[row, 1] == "and more"


def test_a_decision_of_another_adjudicator_is_not_written_over(clock):
    live = make(clock)
    first = live.write(8, 3, Kind.ADJUDICATE, grade=1, after=0)
    with pytest.raises(TooLateError, match=r"settled this document as “1 · .*was not saved"):
        live.write(9, 3, Kind.ADJUDICATE, grade=2, after=0)
    live.write(9, 3, Kind.ADJUDICATE, grade=2, after=first.id)
    assert live.fold.grade(3) == 2


def test_what_was_refused_stays_refused_when_it_is_sent_again(clock):
    live = make(clock, claim_minutes=10.0, dwell_milliseconds=250)
    first = live.next(1)
    for _ in range(2):
        with pytest.raises(TooSoonError):
            advance(live, 1, first, 1, act="e" * 32)
        clock.now += 1
    slow = first
    clock.now += 600
    assert live.next(2).claim.row == slow.claim.row
    for _ in range(2):
        with pytest.raises(TooLateError):
            advance(live, 1, slow, 1, act="f" * 32)
        live.release(2)
    assert live.log.events == []
    advance(live, 1, slow, 1, act="0" * 32)  # another press of the same key
    assert kinds(live) == ["grade"]


# Claims, clocks, overlap ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("graded", [True, False])
def test_a_late_label_is_refused_when_somebody_else_has_the_document(clock, graded):
    live = make(clock, claim_minutes=10.0)
    slow = live.next(1)
    clock.now += 601
    quick = live.next(2)
    assert quick.claim.row == slow.claim.row
    if graded:
        advance(live, 2, quick, 0)
    told = r"kept for 10 minutes.*somebody else; your “2 · .*” was not saved"
    with pytest.raises(TooLateError, match=told):
        advance(live, 1, slow, 2)
    with pytest.raises(TooLateError, match=told):
        live.submit(1, slow.claim.token, slow.claim.row, Kind.GRADE, grade=2)
    assert live.next(1).claim.row != slow.claim.row
    assert kinds(live) == ["grade"] * graded


@pytest.mark.parametrize("jump", [YEAR, 3600.0, 700.0])
def test_a_clock_that_was_ahead_and_is_right_again_holds_no_document(clock, jump):
    live = make(clock, claim_minutes=10.0)
    clock.now += jump
    ahead = live.next(1)
    clock.now -= jump
    assert live.next(2).claim.row == ahead.claim.row
    assert {claim.person for claim in live.open_claims()} == {2}
    with pytest.raises(TooLateError):
        advance(live, 1, ahead, 1)


def test_a_claim_that_was_extended_by_a_clock_ahead_is_let_go_too(clock):
    live = make(clock, claim_minutes=10.0)
    live.next(1)
    clock.now += 400
    held = live.next(1)
    clock.now += 150
    live.log.extend(held.claim.token, clock.now + YEAR)
    assert live.next(2).claim.row == held.claim.row


def test_clocks_that_differ_a_little_keep_their_claims(clock):
    live = make(clock)
    clock.now += 60
    held = live.next(1)
    clock.now -= 60
    assert live.next(1).claim.token == held.claim.token
    assert live.next(2).claim.row != held.claim.row


def test_an_undo_does_not_bring_back_a_grade_that_would_be_one_too_many(clock):
    live = make(clock, rows=1)
    row = grade_next(live, 1, [1])
    live.write(1, row, Kind.LATER)
    assert grade_next(live, 2, [2]) == row
    with pytest.raises(NotYoursError, match="your former grade cannot come back"):
        live.undo(1)
    assert live.fold.grades_of(row) == {2: 2}
    live.undo(2)
    live.release(2)
    assert live.undo(1).claim.row == row
    assert live.fold.grades_of(row) == {1: 1}


def test_nobody_grades_without_a_claim_what_enough_others_have(clock):
    live = make(clock)
    row = grade_next(live, 1, [1] * 12)
    live.write(1, row, Kind.GRADE, grade=0)
    with pytest.raises(NotYoursError, match="One person is asked"):
        live.write(2, row, Kind.GRADE, grade=0)
    held = live.next(1).claim.row
    with pytest.raises(NotYoursError):
        live.write(2, held, Kind.GRADE, grade=0)
    assert live.fold.grades_of(row) == {1: 0}


# Archived -------------------------------------------------------------------------------------------------------


def test_an_archived_campaign_takes_nothing_and_can_be_read(clock):
    live = make(clock)
    grade_next(live, 1, [1] * 12)
    offer = live.next(1)
    live.set_state(1, archived=True)
    row, token = offer.claim.row, offer.claim.token
    acts = [
        lambda: live.submit(1, token, row, Kind.GRADE, grade=1),
        lambda: advance(live, 1, offer, 1),
        lambda: live.advance(1, token, row, Kind.LATER),
        lambda: live.undo(1),
        lambda: live.write(1, row, Kind.DRAFT, text="x", claim=token),
        lambda: live.write(1, row, Kind.NOTE, text="x"),
        lambda: live.write(1, row, Kind.ADJUDICATE, grade=1),
        lambda: live.put_aside(1, token, row, "x"),
    ]
    for act in acts:
        with pytest.raises(ArchivedError, match="This campaign was archived; nothing more is taken"):
            act()
    assert kinds(live) == ["grade", "change"]
    assert live.next(1) == Pause(False, "This campaign was archived; nothing more is taken")
    assert len(live.refresh().current()) == 1
    live.set_state(1, archived=False)
    assert live.next(1).claim.token == token


# Documents that cannot be shown -----------------------------------------------------------------------------------


@pytest.mark.parametrize("overlap", [1, 2])
def test_a_document_that_was_put_aside_is_offered_to_nobody_until_it_is_brought_back(clock, overlap):
    live = make(clock, rows=6, overlap=overlap)
    if overlap == 2:  # somebody has graded it when it can no longer be shown
        grade_next(live, 3, [1] * 6)
    offer = live.next(1, beyond=True)
    row = offer.claim.row
    event = live.put_aside(1, offer.claim.token, row, "no text")
    assert (event.person, event.kind, event.text) == (None, Kind.CANNOT_TELL, "could not be shown: no text")
    assert live.put_aside(1, offer.claim.token, row, "no text") is None
    assert live.fold.all_put_aside() == [event]
    with pytest.raises(DecidedOtherwiseError, match=r"put aside; your “1 · .*” was not saved"):
        advance(live, 1, offer, 1)
    seen = set()
    for person in (1, 2):
        while (got := grade_next(live, person, [1] * 6, beyond=True)) is not None:
            seen.add(got)
    assert row not in seen
    assert len(seen) >= 5
    assert fresh_row(live, 4, beyond=True) == row_of(live.next(4, beyond=True))
    live.release(4)
    assert live.bring_back(1, row)
    assert not live.bring_back(1, row)
    assert live.next(2, beyond=True).claim.row == row


def test_two_people_who_hold_what_cannot_be_shown_put_it_aside_once(clock):
    live = make(clock, overlap=2)
    row = grade_next(live, 3, [1] * 12)
    first = live.next(1)
    assert first.claim.row == row
    live.put_aside(1, first.claim.token, row, "no text")
    assert live.next(2).claim.row != row
    assert len(live.fold.all_put_aside()) == 1


# The log is the only truth --------------------------------------------------------------------------------------


def test_a_log_that_was_put_back_is_read_anew(clock):
    live = make(clock)
    for _ in range(5):
        grade_next(live, 1, [1] * 12)
    short = MemoryLog()
    short.events = live.log.events[:2]
    short._tokens = {event.token for event in short.events}
    for log in (short, MemoryLog()):
        live.log = log
        assert live.refresh() == make_live(live.pool.items, log, clock).refresh()
        assert row_of(live.next(1)) == fresh_row(live, 1)


def test_a_log_with_other_events_is_read_anew(clock):
    live, other = make(clock), make(clock)
    for grade in (1, 2):
        grade_next(live, 1, [grade] * 12)
        grade_next(other, 1, [0] * 12)
    live.log = other.log
    assert set(live.refresh().current().values()) == {0}


class Unanswered(MemoryLog):
    """Commits, and loses the answer: the store breaks off between the two."""

    lose = False

    def transaction(self):
        from contextlib import contextmanager

        @contextmanager
        def begin():
            with MemoryLog.transaction(self) as session:
                yield session
            if self.lose:
                self.lose = False
                raise StoreError("unreachable", "the connection broke off")

        return begin()


@pytest.mark.parametrize("kind", ["grade", "undo", "note"])
def test_an_act_whose_answer_was_lost_is_written_once_when_it_is_sent_again(clock, kind):
    log = Unanswered()
    live = make_live(random_pool(12)[0], log, clock)
    grade_next(live, 1, [1] * 12)
    offer = live.next(1)
    act = {
        "grade": lambda: advance(live, 1, offer, 2),
        "undo": lambda: live.undo(1, token="d" * 32),
        "note": lambda: live.write(1, 0, Kind.NOTE, text="x", token="d" * 32),
    }[kind]
    log.lose = True
    with pytest.raises(StoreError):
        act()
    act()
    assert kinds(live) == ["grade", kind]
    assert live.refresh() == make_live(live.pool.items, log, clock).refresh()


# Any order ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Request:
    """One act of a tab, as it would be sent again."""

    kind: str
    person: int
    number: int
    offer: Offer | None = None
    of: int | None = None
    after: int | None = None

    def send(self, live: Campaign) -> None:
        token = f"{self.number:032x}"
        if self.kind == "undo":
            live.undo(self.person, token=token, of=self.of)
        elif self.offer is not None:
            row, claim = self.offer.claim.row, self.offer.claim.token
            if self.kind == "draft":
                live.write(self.person, row, Kind.DRAFT, text=token, token=token, claim=claim, after=self.after)
            elif self.kind == "adjudicate":
                live.write(self.person, row, Kind.ADJUDICATE, grade=1, token=token)
            else:
                grade = self.number % 3 if self.kind == "grade" else None
                live.advance(self.person, claim, row, Kind(self.kind), grade=grade, beyond=True, act=token)


@given(
    seed=st.integers(0, 10_000),
    overlap=st.integers(1, 2),
    acts=st.lists(
        st.tuples(
            st.sampled_from(["grade", "grade", "later", "cannot_tell", "undo", "undo", "draft", "adjudicate"]),
            st.integers(1, 2),
            st.lists(st.integers(0, 30), max_size=3),
            st.sampled_from([0.0, 0.0, 1.0, 700.0, -700.0, YEAR, -YEAR]),
        ),
        min_size=1,
        max_size=25,
    ),
)
@examples(80)
def test_repeated_and_reordered_acts_give_the_log_that_they_give_once(seed, overlap, acts):
    """Older requests arrive again, in any order, between those that a person waits for; the clock jumps about."""
    items, _ = random_pool(10, seed=seed)
    clock = Clock()
    live = make_live(items, clock=clock, overlap=overlap, later_after=2)
    sent: list[Request] = []
    for number, (kind, person, again, jump) in enumerate(acts):
        clock.now += jump
        offer = live.next(person, beyond=True)
        last = live.fold.last_act(person)
        drafted = live.fold.latest(Kind.DRAFT, offer.claim.row, person) if isinstance(offer, Offer) else 0
        held = offer if isinstance(offer, Offer) else None
        request = Request(kind, person, number, held, last.id if last else 0, drafted)
        with suppress(ActRefusedError):
            request.send(live)
        sent.append(request)
        once = [replace(event, id=0) for event in live.log.events]
        for old in [*again, len(sent) - 1]:
            with suppress(ActRefusedError):
                sent[old % len(sent)].send(live)
        assert [replace(event, id=0) for event in live.log.events] == once
        for row in range(len(items)):
            holders = {claim.person for claim in live.open_claims() if claim.row == row}
            assert len(holders | set(live.fold.grades_of(row))) <= overlap
    assert live.refresh() == make_live(items, live.log, clock, overlap=overlap, later_after=2).refresh()
