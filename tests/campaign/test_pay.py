"""Hours and pay: breaks are cut out, a month that is over stays, a label counts once, and no cent is lost."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from live_helpers import make_live, random_pool
from thorough import examples

from rulerank.campaign import Course, Kind, LabelEvent, Settings
from rulerank.campaign.difference import change_in_words
from rulerank.campaign.labels import LONGEST_PAUSE
from rulerank.campaign.pay import limit_of, month_of, work_of
from rulerank.campaign.rate import Rate
from rulerank.errors import InputError

MAY = datetime(2026, 5, 4, 9, tzinfo=UTC).timestamp()
JUNE = datetime(2026, 6, 1, tzinfo=UTC).timestamp()


def grades(moments, person=1, **more):
    return [
        LabelEvent(Kind.GRADE, row, person, 1, id=row + 1, at=at, token=f"{person}-{row}", **more)
        for row, at in enumerate(moments)
    ]


def test_breaks_count_up_to_ten_times_the_median():
    moments = MAY + np.array([0, 10, 20, 30, 4000, 4010])  # the median is 10 seconds, and lunch is no work
    (work,) = work_of(grades(moments, seconds=8.0))
    assert work.limit == 100
    assert work.seconds == 8 + 10 + 10 + 10 + 100 + 10
    assert (work.labels, work.median_seconds, work.month) == (6, 8.0, "2026-05")


def test_slow_readers_breaks_count_up_to_five_minutes():
    (work,) = work_of(grades(MAY + np.array([0, 100, 200, 9200]), seconds=20_000.0))
    assert work.limit == LONGEST_PAUSE == 300
    assert work.seconds == 300 + 100 + 100 + 300


def test_one_act_alone_counts_what_it_took():
    assert work_of(grades([MAY], seconds=12.0))[0].seconds == 12
    assert work_of(grades([MAY]))[0].seconds == 0
    assert limit_of([]) == LONGEST_PAUSE


def test_time_belongs_to_the_month_of_the_later_act():
    may, june = work_of(grades([JUNE - 30, JUNE - 10, JUNE + 10, JUNE + 20]))
    assert (may.month, may.seconds, may.labels) == ("2026-05", 20, 2)
    assert (june.month, june.seconds, june.labels) == ("2026-06", 30, 2)


def test_a_label_counts_once_and_only_while_it_stands():
    first = grades([MAY, MAY + 10, MAY + 20, MAY + 30])
    later = [
        LabelEvent(Kind.GRADE, 0, 1, 2, id=5, at=JUNE + 5),  # changed: still May's
        LabelEvent(Kind.UNDO, 1, 1, undoes=2, id=6, at=JUNE + 10),
        LabelEvent(Kind.CANNOT_TELL, 2, 1, id=7, at=JUNE + 15),
        LabelEvent(Kind.IMPORT, 9, 1, 2, id=8, at=JUNE + 20),
        LabelEvent(Kind.CHANGE, -1, 3, id=9, at=JUNE + 25),  # whoever sets the rate does not earn by it
    ]
    may, june = work_of(first + later)
    assert (may.labels, june.labels) == (2, 0)
    assert june.seconds > 0


@given(
    pauses=st.lists(st.integers(0, 3000), min_size=1, max_size=30),
    more=st.lists(st.integers(1, 3000), max_size=10),
)
@examples(80)
def test_hours_are_never_more_than_the_clock_and_a_month_that_is_over_stays(pauses, more):
    moments = MAY + np.cumsum([0, *pauses])
    acts = grades(moments)
    (work,) = work_of(acts)
    assert work.seconds <= moments[-1] - moments[0]
    limit = min(300, 10 * float(np.median(pauses)))
    assert work.seconds == pytest.approx(sum(min(pause, limit) for pause in pauses))
    later = [LabelEvent(Kind.NOTE, 0, 1, id=900 + n, at=at) for n, at in enumerate(JUNE + np.cumsum(more))]
    assert work_of([*acts, *later])[0] == work
    other = grades(moments, person=2)
    both = work_of([event for pair in zip(acts, other, strict=True) for event in pair])
    assert both[0] == work
    assert [each.person for each in both] == [1, 2]


@given(seconds=st.floats(0, 1e6), amount=st.decimals(0, 1000, places=4), labels=st.integers(0, 10**6))
def test_no_cent_is_lost(seconds, amount, labels):
    by_label = Rate("label", amount).cost(seconds, labels)
    assert abs(by_label - amount * labels) <= Decimal("0.005")
    assert float(Rate("hour", amount).cost(seconds, labels)) == pytest.approx(
        seconds / 3600 * float(amount), abs=0.0051
    )
    assert Rate.from_dict(Rate("hour", amount, "EUR").to_dict()) == Rate("hour", amount, "EUR")


@pytest.mark.parametrize(
    ("saved", "words"),
    [
        ({"by": "day"}, "hour or label"),
        ({"amount": "-1"}, "0 to 1,000,000"),
        ({"amount": "NaN"}, "0 to 1,000,000"),
        ({"amount": "much"}, "not an amount"),
        ({"currency": "x" * 9}, "at most 8"),
    ],
)
def test_a_wrong_rate_is_refused(saved, words):
    with pytest.raises(InputError, match=words):
        Rate.from_dict(saved)


def test_months_are_those_of_utc():
    assert month_of(JUNE - 0.5) == "2026-05"
    assert month_of(JUNE) == "2026-06"


def test_a_rate_is_a_change_in_the_log_that_every_process_folds():
    live = make_live(random_pool(8)[0])
    rate = Rate("hour", Decimal("15.5"), "EUR")
    assert live.set_rate(1, rate) is not None
    assert live.set_rate(1, rate) is None
    live.set_rate(1, Rate("label", Decimal("0.1"), "EUR"))
    course = Course(Settings())
    for event in live.log.events_after(0):
        course.apply(event)
    assert course.rate == live.fold.course.rate == {"by": "label", "amount": "0.1", "currency": "EUR"}
    assert change_in_words(course.history[-1][1]) == [("Pay", "15.5 EUR per hour", "0.1 EUR per label")]
    assert course.settings == Settings()
