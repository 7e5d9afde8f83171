"""A campaign that changes while it runs: labels and changes in any order equal a fresh start with the last settings."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from live_helpers import ACTS, Clock, do, fresh_row, grade_next, make_live, random_pool, row_of
from thorough import examples

from rulerank.campaign import (
    NO_DOCUMENT,
    About,
    ActRefusedError,
    ArchivedError,
    Campaign,
    Change,
    Course,
    GradeLevel,
    Kind,
    LabelEvent,
    MemoryLog,
    OpenCampaign,
    Pause,
    PausedError,
    Settings,
    TooLateError,
    UsedTokenError,
    set_up,
)
from rulerank.campaign.agreement import parts_of, read_grades
from rulerank.campaign.labels import read_labels
from rulerank.errors import InputError
from rulerank.synthetic import planted_collection

LEVELS = tuple(GradeLevel(name) for name in ("no", "partly", "yes"))
CHANGES = [
    {"sampler": "ssarp:partitions=2"},
    {"sampler": "ssar"},
    {"sampler": "random"},
    {"seed": 7},
    {"max_antecedent": 1},
    {"aggregation": "median"},
    {"aggregation": "majority"},
    {"overlap": 2},
    {"overlap": 1},
    {"ranker": "lrar"},
    {"guidelines": "Read twice."},
    {"grades": (GradeLevel("not at all"), *LEVELS[1:])},
    {"later_after": 1},
    {"claim_minutes": 3.0},
    {"convention": "trec"},
]
PEOPLE = (1, 2, 3)


def changed(live: Campaign, **values) -> LabelEvent | None:
    return live.change(9, Settings.from_dict({**live.settings.to_dict(), **_plain(values)}))


def _plain(values: dict) -> dict:
    if "grades" in values:
        values = {**values, "grades": [vars(level) for level in values["grades"]]}
    return values


def labels_only(log: MemoryLog) -> MemoryLog:
    """The same labels in a log that knows of no change; events that others refer to get their new numbers."""
    fresh, numbers = MemoryLog(), {}
    for event in log.events:
        if event.kind is not Kind.CHANGE:
            undoes = None if event.undoes is None else numbers[event.undoes]
            numbers[event.id] = fresh.append(replace(event, undoes=undoes)).id
    fresh._claims = dict(log._claims)
    return fresh


acts = st.one_of(
    st.tuples(st.sampled_from(ACTS), st.sampled_from(PEOPLE)),
    st.tuples(st.just("change"), st.sampled_from(CHANGES)),
    st.tuples(st.just("take back"), st.integers(0, 3)),
    st.tuples(st.just("state"), st.sampled_from([{"paused": True}, {"paused": False}, {"archived": False}])),
)


@given(seed=st.integers(0, 99), doings=st.lists(acts, min_size=3, max_size=25))
@examples(120)
def test_any_mixture_of_labels_and_changes_equals_a_fresh_start(seed, doings):
    items, grades = random_pool(14, seed=seed)
    clock = Clock()
    live = make_live(items, clock=clock, later_after=2, grades=LEVELS)
    first = live.settings
    for what, which in doings:
        clock.now += 1
        with suppress(ActRefusedError):
            if what == "change":
                changed(live, **which)
            elif what == "take back":
                made = [event.id for event, change in live.fold.course.history if change.about is About.SETTINGS]
                if made:
                    live.take_back(9, made[-1 - which % len(made)])
            elif what == "state":
                live.set_state(9, **which)
            else:
                do(live, clock, what, which, grades)
    live.set_state(9, paused=False)
    for person in PEOPLE:
        if live.fold.unread(person) is not None:
            live.acknowledge(person, live.fold.course.told[-1].event)
    # Another process, with what the campaign was made with and the whole log.
    other = Campaign(live.log, live.pool, first, clock=clock)
    assert other.refresh() == live.refresh()
    assert other.settings == live.settings
    # A fresh campaign with the final settings, that never heard of a change.
    fresh = Campaign(labels_only(live.log), live.pool, live.settings, clock=clock)
    assert fresh.refresh().current() == live.fold.current()
    assert fresh.fold.table() == live.fold.table()
    assert counts_of(fresh) == counts_of(live)
    for person in PEOPLE:
        proposed = fresh_row(fresh, person, beyond=True)
        assert fresh_row(live, person, beyond=True) == proposed
        assert fresh_row(other, person, beyond=True) == proposed
        assert row_of(live.next(person, beyond=True)) == proposed
        assert row_of(fresh.next(person, beyond=True)) == proposed


def counts_of(live: Campaign) -> object:
    found = live.rule_counts()
    return None if found is None else (np.asarray(found[0]).tolist(), found[1])


@pytest.mark.parametrize("sampler", ["ssarp:partitions=2", "random", "cover"])
def test_another_sampler_in_the_middle_goes_on_as_if_it_had_been_there_from_the_start(sampler):
    items, grades = random_pool(30, seed=3)
    live = make_live(items, grades=LEVELS)
    for _ in range(8):
        grade_next(live, 1, grades)
    changed(live, sampler=sampler)
    fresh = Campaign(labels_only(live.log), live.pool, live.settings)
    assert live.settings.sampler.key == sampler
    assert [grade_next(live, 1, grades) for _ in range(10)] == [grade_next(fresh, 1, grades) for _ in range(10)]


def test_a_change_says_who_when_before_and_after():
    clock = Clock()
    live = make_live(random_pool(6)[0], clock=clock)
    clock.now += 5
    event = changed(live, overlap=2)
    assert (event.kind, event.row, event.person, event.at) == (Kind.CHANGE, NO_DOCUMENT, 9, clock.now)
    assert Change.read(event.text) == Change(About.SETTINGS, {"overlap": 1}, {"overlap": 2})
    assert changed(live, overlap=2) is None
    assert len(live.log.events) == 1


def test_two_people_who_change_different_things_both_get_theirs():
    live = make_live(random_pool(6)[0])
    seen = live.settings
    live.change(1, replace(seen, overlap=2), before=seen)
    live.change(2, replace(seen, seed=4), before=seen)
    assert (live.settings.overlap, live.settings.seed) == (2, 4)
    with pytest.raises(TooLateError, match="Somebody changed the overlap and seed meanwhile; nothing was changed"):
        live.change(2, replace(seen, overlap=3, seed=5), before=seen)
    assert (live.settings.overlap, live.settings.seed) == (2, 4)


def test_a_change_that_is_sent_again_is_written_once():
    live = make_live(random_pool(6)[0])
    seen = live.settings
    first = live.change(1, replace(seen, overlap=2), before=seen, token="t")
    assert live.change(1, replace(seen, overlap=2), before=seen, token="t") == first
    offer = live.next(1)
    live.submit(1, offer.claim.token, offer.claim.row, Kind.GRADE, grade=0)
    with pytest.raises(UsedTokenError):
        live.change(1, replace(seen, overlap=4), token=offer.claim.token)


def test_what_is_taken_back_is_as_it_was_unless_it_was_changed_again():
    live = make_live(random_pool(6)[0])
    first = changed(live, overlap=2, seed=3)
    second = changed(live, seed=5)
    with pytest.raises(TooLateError, match="seed"):
        live.take_back(9, first.id)
    live.take_back(9, second.id)
    undo = live.take_back(9, first.id)
    assert (live.settings.overlap, live.settings.seed) == (1, 0)
    assert Change.read(undo.text).takes_back == first.id
    with pytest.raises(InputError, match="not a change of settings"):
        live.take_back(9, 99)


def test_what_cannot_change_is_refused_with_its_reason():
    items, grades = random_pool(8)
    live = make_live(items)
    with pytest.raises(InputError, match=r"discretizer cannot change any more. The intervals were fitted"):
        changed(live, discretizer="equal_width")
    with pytest.raises(InputError, match="grades known cannot change"):
        changed(live, grades_known=True)
    assert changed(live, grades=LEVELS[:2]) is not None  # nobody has labelled yet
    assert "levels" not in live.fixed()
    changed(live, grades=LEVELS)
    grade_next(live, 1, grades)
    live.undo(1)
    assert live.fixed()["levels"].startswith("Labels exist")
    with pytest.raises(InputError, match=r"number of grades cannot change any more. Labels exist"):
        changed(live, grades=LEVELS[:2])
    with pytest.raises(InputError, match="partitions"):
        changed(live, sampler="ssarp:partitions=0")
    assert changed(live, grades=(GradeLevel("never"), *LEVELS[1:])) is not None


def test_a_sampler_that_cannot_start_here_is_refused_before_it_is_written():
    live = make_live(random_pool(6, features=2)[0])
    with pytest.raises(InputError):
        changed(live, sampler="top_feature:feature=9")
    assert live.log.events == []
    assert live.next(1).claim is not None


def test_a_name_is_a_change_like_others():
    live = make_live(random_pool(6)[0])
    live.change(1, live.settings, name="New name")
    assert live.fold.course.name == "New name"
    live.take_back(1, live.log.events[-1].id)
    assert live.fold.course.name == ""


# Pauses ---------------------------------------------------------------------------------------------------------


def test_a_paused_campaign_takes_no_labels_and_those_who_run_it_go_on():
    items, grades = random_pool(12)
    live = make_live(items)
    row = grade_next(live, 1, grades)
    offer = live.next(1)
    live.set_state(9, paused=True)
    assert live.set_state(9, paused=True) is None
    for act in (
        lambda: live.submit(1, offer.claim.token, offer.claim.row, Kind.GRADE, grade=1),
        lambda: live.advance(1, offer.claim.token, offer.claim.row, Kind.LATER),
        lambda: live.undo(1),
        lambda: live.write(1, row, Kind.NOTE, text="x"),
    ):
        with pytest.raises(PausedError, match="This campaign is paused"):
            act()
    assert live.next(1) == Pause(False, PausedError.words)
    assert live.next(2) == Pause(False, PausedError.words)
    assert len(live.open_claims()) == 1
    live.write(9, row, Kind.ADJUDICATE, grade=1)
    changed(live, overlap=2)
    live.set_state(9, archived=True)
    with pytest.raises(ArchivedError):
        changed(live, overlap=3)
    live.set_state(9, archived=False)
    assert live.next(1) == Pause(False, PausedError.words)  # restored as it was
    live.set_state(9, paused=False)
    assert live.next(1).claim.token == offer.claim.token


# What annotators are told ---------------------------------------------------------------------------------------


def test_a_change_of_guidelines_comes_before_the_next_document_once():
    items, grades = random_pool(12)
    live = make_live(items, guidelines="Read once.", overlap=3)
    grade_next(live, 1, grades)
    held = live.next(1).claim
    changed(live, guidelines="Read twice.")
    number = live.log.events[-1].id
    known, now = live.fold.unread(1)
    assert (known.guidelines, now.guidelines) == ("Read once.", "Read twice.")
    assert live.fold.unread(2) is None  # has not begun, and reads them as they are
    assert live.submit(1, held.token, held.row, Kind.GRADE, grade=1) is not None  # was on the screen before
    assert live.next(1) == Pause(False, "the guidelines have changed", number)
    other = Campaign(live.log, live.pool, live.made_with, clock=live.clock)
    assert other.next(1).unread == number
    assert live.acknowledge(1, number)
    assert not other.acknowledge(1, number)
    assert row_of(live.next(1)) is not None
    grade_next(live, 2, grades)
    assert row_of(live.next(2)) is not None


def test_what_was_changed_and_taken_back_need_not_be_read():
    items, grades = random_pool(12)
    live = make_live(items, guidelines="Read once.")
    grade_next(live, 1, grades)
    changed(live, guidelines="Read twice.")
    live.take_back(9, live.log.events[-1].id)
    assert live.fold.unread(1) is None
    changed(live, grades=tuple(replace(level, colour="#112233") for level in live.settings.grades))
    assert live.fold.unread(1) is None
    changed(live, grades=tuple(replace(level, meaning="another") for level in live.settings.grades))
    assert live.fold.unread(1)[1].grades[0].meaning == "another"


def test_nobody_acknowledges_what_is_not_there():
    live = make_live(random_pool(6)[0])
    assert not live.acknowledge(1, 3)
    assert live.log.events == []


# What the log may hold ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"about": "weather", "before": {}, "after": {}}',
        '{"about": "settings", "before": 1, "after": {}}',
    ],
)
def test_a_change_that_cannot_be_read_says_so(text):
    with pytest.raises(InputError, match="the log has a change"):
        Course().apply(LabelEvent(Kind.CHANGE, NO_DOCUMENT, 1, text=text))


def test_a_setting_of_a_newer_version_is_refused_by_name():
    change = Change(About.SETTINGS, {}, {"telepathy": True})
    with pytest.raises(InputError, match="telepathy"):
        Course().apply(LabelEvent(Kind.CHANGE, NO_DOCUMENT, 1, text=change.text))


def test_a_strategy_that_is_gone_hurts_only_while_it_is_in_use():
    course = Course()
    gone = {"name": "left_the_house", "params": {}}
    usual = Settings().to_dict()["sampler"]
    for before, after in ((usual, gone), (gone, usual)):
        change = Change(About.SETTINGS, {"sampler": before}, {"sampler": after})
        course.apply(LabelEvent(Kind.CHANGE, NO_DOCUMENT, 1, text=change.text))
    assert course.settings == Settings()


# What is marked and split at a change ----------------------------------------------------------------------------


def test_agreement_is_split_where_the_guidelines_changed():
    collection = planted_collection(queries=3, documents=5, features=4, seed=1)
    settings = Settings(overlap=2, dwell_milliseconds=0, guidelines="Read once.")
    opened = OpenCampaign(1, "demo", settings, 1, collection, set_up(collection, settings), MemoryLog())
    assert list(parts_of(opened)) == [(0, 0)]
    for row in (0, 1, 2):
        for person in (1, 2):
            opened.live.write(person, row, Kind.GRADE, grade=(row + person) % 3)
    change = opened.change(9, replace(opened.settings, guidelines="Read twice."))
    for person in (1, 2):
        opened.live.write(person, 3, Kind.GRADE, grade=2)
    assert list(parts_of(opened)) == [(0, 0), (0, change.id), (change.id, 0)]
    units = [sorted(set(read_grades(opened, part).units)) for part in parts_of(opened)]
    assert units == [[0, 1, 2, 3], [0, 1, 2], [3]]
    assert read_labels(opened, {}).told == [3]
