"""The live loop on a log in memory: the papers' order, claims, overlap, and any process proposing the same."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from contextlib import contextmanager, suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from live_helpers import ACTS, Clock, do, fresh_row, grade_next, label_alone, make_live, random_pool, row_of
from thorough import examples

from rulerank.campaign import GradeLevel, Kind, MemoryLog, NotYoursError, Pause, TooSoonError
from rulerank.errors import InputError
from rulerank.ranking import LRAR
from rulerank.registry import samplers
from rulerank.sampling import SSAR, SSARP


def in_parts(sampler: str, number: int = 2) -> str:
    """Return the sampler with so many partitions, where it has partitions."""
    return f"{sampler}:partitions={number}" if samplers[sampler].has_param("partitions") else sampler


seeds = st.integers(0, 10_000)


def run_of(sampler: str, items: np.ndarray, grades: np.ndarray):
    made = SSAR() if sampler == "ssar" else SSARP(partitions=2)
    return made.run(items, grades)


# One annotator alone --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sampler", ["ssar", "ssarp"])
@given(seed=seeds, rows=st.integers(1, 30), slips=st.lists(st.booleans(), max_size=30))
@examples(25)
def test_one_annotator_gets_the_order_of_run_to_the_stop_slips_and_all(sampler, seed, rows, slips):
    items, grades = random_pool(rows, seed=seed)
    live = make_live(items, sampler=in_parts(sampler))
    order, pause = label_alone(live, grades, slips=slips)
    run = run_of(sampler, items, grades)
    assert order == run.order
    assert pause.stopped == (run.stopped_on is not None)
    assert live.fold.current() == {row: int(grades[row]) for row in order}


def test_one_annotator_gets_the_authors_own_order(golden):
    told = golden("ssar_reference_ohsumed1000.json")
    items, grades = np.array(told["items"], np.uint8), told["labels"]
    slips = [number % 7 == 3 for number in range(len(told["selection_order"]))]
    live = make_live(items, grades=make_levels(max(grades) + 1))
    order, pause = label_alone(live, grades, slips=slips)
    assert order == told["selection_order"]
    assert pause.stopped
    assert "labelled already" in pause.reason


def make_levels(number: int):
    return tuple(GradeLevel(f"level {grade}") for grade in range(max(2, number)))


@pytest.mark.parametrize("sampler", ["ssar", "ssarp"])
def test_beyond_the_stop_every_document_is_asked_for_once(sampler):
    items, grades = random_pool(40, features=4, bins=2, seed=3)
    live = make_live(items, sampler=in_parts(sampler))
    order, pause = label_alone(live, grades)
    assert pause.stopped
    assert len(order) < len(items)
    assert live.next(1) == pause
    while (row := grade_next(live, 1, grades, beyond=True)) is not None:
        order.append(row)
    assert sorted(order) == list(range(len(items)))
    last = live.next(1, beyond=True)
    assert isinstance(last, Pause)
    assert not last.stopped


# Acts -----------------------------------------------------------------------------------------------------------


def test_a_reload_brings_the_same_document_and_claim():
    live = make_live(random_pool(10)[0])
    first = live.next(1)
    assert first.selection.reason
    live.write(1, first.claim.row, Kind.DRAFT, text="half a thought")
    again = live.next(1)
    assert again.claim == first.claim
    assert live.fold.drafts[first.claim.row, 1] == "half a thought"
    live.submit(1, first.claim.token, first.claim.row, Kind.GRADE, grade=0)
    assert live.fold.drafts == {}


def test_cannot_tell_leaves_the_pool_for_all_and_comes_back_on_undo():
    items, grades = random_pool(12)
    live = make_live(items)
    offer = live.next(1)
    live.submit(1, offer.claim.token, offer.claim.row, Kind.CANNOT_TELL, text="blank page")
    seen = set()
    for person in (1, 2):
        while (row := grade_next(live, person, grades, beyond=True)) is not None:
            seen.add(row)
    assert seen == set(range(12)) - {offer.claim.row}
    for _ in range(live.fold.count_of(1, Kind.GRADE) + 1):
        back = live.undo(1)
    assert back.claim.row == offer.claim.row
    assert live.undo(1) is None
    assert live.fold.last_act(1) is None


def test_a_document_that_nobody_can_tell_leaves_the_pool_with_its_reason():
    items, grades = random_pool(12)
    live = make_live(items)
    grade_next(live, 1, grades)
    offer = live.next(1)
    live.submit(1, offer.claim.token, offer.claim.row, Kind.CANNOT_TELL, text="blank page")
    assert live.next(1).claim.row != offer.claim.row
    assert [act.text for act in live.fold.given_up()] == ["blank page"]


@pytest.mark.parametrize("after", [1, 3])
def test_later_comes_back_after_that_many_acts(after):
    items, grades = random_pool(30, seed=5)
    live = make_live(items, later_after=after)
    offer = live.next(1)
    live.submit(1, offer.claim.token, offer.claim.row, Kind.LATER)
    others = [grade_next(live, 1, grades) for _ in range(after)]
    assert offer.claim.row not in others
    back = live.next(1)
    assert back.claim.row == offer.claim.row
    assert back.selection.sampler == "later"
    assert grade_next(live, 1, grades) == offer.claim.row
    assert live.fold.put_off(1) == set()


@pytest.mark.parametrize("sampler", ["ssar", "ssarp", "random"])
def test_what_was_put_off_comes_back_when_nothing_else_is_left(sampler):
    items, grades = random_pool(4, features=3, bins=9, seed=1)
    live = make_live(items, sampler=in_parts(sampler, 1), later_after=50)
    put_off = []
    for _ in range(2):
        offer = live.next(1)
        live.submit(1, offer.claim.token, offer.claim.row, Kind.LATER)
        put_off.append(offer.claim.row)
    others = [grade_next(live, 1, grades) for _ in range(2)]
    assert not set(put_off) & set(others)
    assert [grade_next(live, 1, grades) for _ in range(2)] == put_off
    assert row_of(live.next(1)) is None


def test_a_document_put_off_by_one_is_free_for_another():
    live = make_live(random_pool(1)[0])
    offer = live.next(1)
    live.submit(1, offer.claim.token, offer.claim.row, Kind.LATER)
    assert live.next(2).claim.row == offer.claim.row
    # Two people must not hold it: the undo is written, but the document stays with the other.
    assert live.undo(1) is None
    assert live.fold.put_off(1) == set()
    assert [claim.person for claim in live.open_claims()] == [2]


def test_undoing_another_grade_for_an_own_label_restores_the_first():
    items, grades = random_pool(10)
    live = make_live(items)
    row = grade_next(live, 1, [2] * 10)
    grade_next(live, 1, grades)
    live.write(1, row, Kind.GRADE, grade=0)
    assert live.fold.grade(row) == 0
    assert live.undo(1).claim.row == row
    assert live.fold.grade(row) == 2
    assert fresh_row(live, 2) == make_proposal(live)


def make_proposal(live):
    """What the sampler says from scratch, with what is open counted as it is stored."""
    sampler = SSAR().start(live.pool.items)
    for row, grade in live.fold.current().items():
        sampler.record(row, grade)
    return sampler.propose().row


def test_adjudication_and_imports_steer_the_sampler():
    items, _ = random_pool(10)
    live = make_live(items)
    live.write(None, 3, Kind.IMPORT, grade=1)
    live.write(9, 4, Kind.ADJUDICATE, grade=2)
    assert live.next(1).claim.row == make_proposal(live)
    assert live.fold.current() == {3: 1, 4: 2}
    live.write(9, 4, Kind.ADJUDICATE)
    assert live.fold.current() == {3: 1}
    assert fresh_row(live, 2) is not None


@pytest.mark.parametrize(
    ("kind", "row", "grade", "hint"),
    [
        (Kind.GRADE, 0, None, "a label needs a grade"),
        (Kind.GRADE, 0, 3, "grade 3 does not exist here; grades are 0 to 2"),
        (Kind.GRADE, 0, -1, "does not exist"),
        (Kind.GRADE, 0, 1.5, "grade 1.5 does not exist"),
        (Kind.GRADE, 99, 1, "document 99 is not in the pool"),
        (Kind.GRADE, -1, 1, "not in the pool"),
        (Kind.NOTE, 0, None, "not 'note'"),
        (Kind.UNDO, 0, None, "not 'undo'"),
    ],
)
def test_what_is_no_label_is_refused_and_nothing_is_written(kind, row, grade, hint):
    live = make_live(random_pool(5)[0])
    offer = live.next(1)
    with pytest.raises(InputError, match=hint):
        live.submit(1, offer.claim.token, offer.claim.row if row == 0 else row, kind, grade=grade)
    assert live.log.events == []
    assert live.next(1).claim == offer.claim


def test_numbers_of_other_types_are_written_as_plain_ones():
    live = make_live(random_pool(5)[0])
    offer = live.next(1)
    live.submit(1, offer.claim.token, np.int64(offer.claim.row), Kind.GRADE, grade=np.int64(2), text="a\0b\udc80")
    (event,) = live.log.events
    assert (type(event.row), type(event.grade), event.text) == (int, int, "a\ufffdb?")


# Claims ---------------------------------------------------------------------------------------------------------


def test_a_token_is_written_once():
    live = make_live(random_pool(5)[0])
    claim = live.next(1).claim
    assert live.submit(1, claim.token, claim.row, Kind.GRADE, grade=2).id == 1
    assert live.submit(1, claim.token, claim.row, Kind.GRADE, grade=0) is None
    assert live.fold.grade(claim.row) == 2
    assert len(live.log.events) == 1


def test_too_soon_is_refused_and_the_document_stays():
    clock = Clock()
    live = make_live(random_pool(5)[0], clock=clock, dwell_milliseconds=250)
    claim = live.next(1).claim
    clock.now += 0.2
    with pytest.raises(TooSoonError, match="press the key again"):
        live.submit(1, claim.token, claim.row, Kind.GRADE, grade=1)
    assert live.log.events == []
    assert live.next(1).claim == claim
    clock.now += 0.1
    event = live.submit(1, claim.token, claim.row, Kind.GRADE, grade=1)
    assert event.seconds == pytest.approx(0.3)
    # The next document has a dwell of its own: a held key grades nothing more.
    following = live.next(1).claim
    with pytest.raises(TooSoonError):
        live.submit(1, following.token, following.row, Kind.GRADE, grade=1)


def test_a_clock_that_was_set_back_keeps_nobody_from_labelling():
    clock = Clock()
    live = make_live(random_pool(5)[0], clock=clock, dwell_milliseconds=250)
    claim = live.next(1).claim
    clock.now -= 3600
    assert live.submit(1, claim.token, claim.row, Kind.GRADE, grade=1).seconds is None


def test_what_others_hold_is_not_yours():
    live = make_live(random_pool(5)[0])
    mine, theirs = live.next(1).claim, live.next(2).claim
    assert mine.row != theirs.row
    for person, token, row in ((1, theirs.token, theirs.row), (1, mine.token, theirs.row)):
        with pytest.raises(NotYoursError, match="held by somebody else"):
            live.submit(person, token, row, Kind.GRADE, grade=1)
    assert live.log.events == []


def test_an_expired_claim_is_free_and_its_label_is_still_written_if_nobody_took_the_document():
    clock = Clock()
    live = make_live(random_pool(8)[0], clock=clock, claim_minutes=1.0)
    slow = live.next(1).claim
    clock.now += 59
    assert live.next(2).claim.row != slow.row
    clock.now += 2
    assert live.submit(1, slow.token, slow.row, Kind.GRADE, grade=2).seconds is None
    assert live.fold.grade(slow.row) == 2


def test_looking_at_a_document_keeps_the_claim_alive():
    clock = Clock()
    live = make_live(random_pool(8)[0], clock=clock, claim_minutes=1.0)
    claim = live.next(1).claim
    for _ in range(5):
        clock.now += 45
        again = live.next(1).claim
        assert again.token == claim.token
        assert again.expires_at == clock.now + 60


def test_a_label_under_an_expired_claim_closes_the_new_claim_on_the_same_document():
    clock = Clock()
    live = make_live(random_pool(8)[0], clock=clock, claim_minutes=1.0)
    old = live.next(1).claim
    clock.now += 61
    new = live.next(1).claim
    assert (new.row, new.token != old.token) == (old.row, True)
    live.submit(1, old.token, old.row, Kind.GRADE, grade=1)
    assert live.next(1).claim.row != old.row


def test_a_released_document_goes_to_whoever_asks_next():
    live = make_live(random_pool(8)[0])
    first = live.next(1).claim.row
    live.release(1)
    assert live.open_claims() == []
    assert live.next(2).claim.row == first


@given(seed=seeds)
@examples(15)
def test_claimed_documents_count_with_the_grade_that_the_ranker_predicts(seed):
    items, grades = random_pool(20, seed=seed)
    live = make_live(items)
    for _ in range(4):
        grade_next(live, 1, grades, beyond=True)
    held = live.next(1, beyond=True)
    if isinstance(held, Pause):
        return
    second = live.next(2, beyond=True).claim.row
    labelled = live.fold.current()
    ranker = LRAR().fit(items[list(labelled)], list(labelled.values()))
    predicted = int(ranker.predict_proba(items[[held.claim.row]])[0].argmax())
    (assumed,) = (claim.assumed_grade for claim in live.open_claims() if claim.person == 1)
    assert assumed == predicted
    sampler = SSAR().start(items)
    for row, grade in {**labelled, held.claim.row: predicted}.items():
        sampler.record(row, grade)
    chosen = sampler.propose()
    assert second == (sampler.propose(beyond=True) if chosen.stop else chosen).row


@given(seed=seeds, people=st.integers(1, 4), overlap=st.integers(1, 3))
@examples(25)
def test_overlap_asks_so_many_people_and_nobody_twice(seed, people, overlap):
    items, grades = random_pool(10, seed=seed)
    live = make_live(items, overlap=overlap)
    rng = random.Random(seed)
    asked: dict[int, list[int]] = defaultdict(list)
    working = list(range(1, people + 1))
    while working:
        person = rng.choice(working)
        offer = live.next(person, beyond=True)
        if isinstance(offer, Pause):
            if not live.open_claims():
                working.remove(person)
            else:  # wait for those who hold something
                person = live.open_claims()[0].person
                asked[grade_next(live, person, grades)].append(person)
            continue
        holders = Counter(claim.row for claim in live.open_claims())
        assert all(holders[row] + len(live.fold.grades_of(row)) <= overlap for row in holders)
        if rng.random() < 0.6:
            asked[grade_next(live, person, grades)].append(person)
    assert sorted(asked) == list(range(10))
    for row, who in asked.items():
        assert len(who) == len(set(who)) == min(people, overlap), row


def test_who_cannot_tell_is_not_asked_again_for_a_second_opinion():
    items, grades = random_pool(3)
    live = make_live(items, overlap=2)
    row = grade_next(live, 1, grades)
    offer = live.next(2)
    assert (offer.claim.row, offer.selection.sampler) == (row, "overlap")
    live.submit(2, offer.claim.token, row, Kind.CANNOT_TELL)
    assert live.next(2).claim.row != row
    assert live.next(3).claim.row == row


# Any process ----------------------------------------------------------------------------------------------------


@given(
    seed=seeds,
    people=st.integers(1, 3),
    overlap=st.integers(1, 2),
    sampler=st.sampled_from(["ssar", "ssar", "ssarp", *samplers.names()]),
    acts=st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 2)), min_size=1, max_size=18),
)
@examples(60)
def test_whoever_opens_the_log_proposes_the_same_document(seed, people, overlap, sampler, acts):
    items, grades = random_pool(12, seed=seed)
    clock = Clock()
    live = make_live(items, clock=clock, overlap=overlap, sampler=in_parts(sampler), later_after=2)
    for act, who in acts:
        person = 1 + who % people
        clock.now += 1
        expected = fresh_row(live, person, beyond=True)
        assert do(live, clock, act, person, grades) in ([], [expected])
    for person in range(1, people + 1):
        assert fresh_row(live, person, beyond=True) == row_of(live.next(person, beyond=True))


class Failing(MemoryLog):
    """Fails to commit when told to, as a full disk does."""

    broken = False

    @contextmanager
    def transaction(self):
        with super().transaction() as session:
            yield session
            if self.broken:
                raise OSError("no space left on device")


@given(seed=seeds, acts=st.lists(st.tuples(st.sampled_from(ACTS), st.booleans()), min_size=1, max_size=12))
@examples(25)
def test_what_was_not_committed_leaves_no_trace_in_the_state(seed, acts):
    items, grades = random_pool(10, seed=seed)
    log, clock = Failing(), Clock()
    live = make_live(items, log, clock)
    for act, fails in acts:
        log.broken = fails
        with suppress(OSError):
            do(live, clock, act, 1, grades)
        log.broken = False
    again = make_live(items, log, clock)
    assert live.refresh() == again.refresh()
    assert fresh_row(live, 1, beyond=True) == row_of(live.next(1, beyond=True))


# What others look at --------------------------------------------------------------------------------------------


def test_rule_counts_are_those_of_the_labels():
    items, grades = random_pool(15)
    live = make_live(items)
    rows = [grade_next(live, 1, grades) for _ in range(4)]
    counts, fewest = live.rule_counts()
    sampler = SSAR().start(items)
    for row in rows:
        sampler.record(row, int(grades[row]))
    assert counts.tolist() == sampler.rule_counts.tolist()
    assert fewest == min(sampler.rule_counts[rows])
    assert make_live(items, sampler="random").rule_counts() is None


def test_why_speaks_of_what_was_labelled_before():
    items, grades = random_pool(15)
    live = make_live(items)
    rows = [grade_next(live, 1, grades) for _ in range(4)]
    for place, row in enumerate(rows):
        told = live.why(row)
        held = {(f, int(items[before, f])) for before in rows[:place] for f in range(items.shape[1])}
        mine = {(f, int(items[row, f])) for f in range(items.shape[1])}
        assert set(told.new_items) == mine - held
        assert all(set(rule.antecedent) <= mine & held for rule in told.rules)
        assert bool(told.rules) == bool(mine & held)
