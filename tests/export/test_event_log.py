"""The label log leaves whole, whatever its events hold."""

from __future__ import annotations

import csv
import enum
import io
import json
from datetime import UTC, date, datetime
from uuid import UUID

import numpy as np
import pytest
from export_reference import EVENTS, plain
from hypothesis import given
from hypothesis import strategies as st

from rulerank.errors import InputError
from rulerank.export import Export, check, export_files
from rulerank.export.formats.base import csv_line, csv_rows


def written(events):
    files = dict(export_files(plain(2, 2), events, formats=["events"]))
    return files["events-for-machines.csv"], files["events.jsonl"]


def test_the_log_as_table_and_as_json():
    table, lines = written(EVENTS)
    assert [json.loads(line) for line in lines.splitlines()] == EVENTS
    rows = list(csv.DictReader(io.StringIO(table.decode(), newline="")))
    assert list(rows[0]) == ["event", "document", "grade", "note", "at", "extra", "sure"]
    assert rows[0]["note"] == EVENTS[0]["note"]
    assert rows[1]["grade"] == ""
    assert json.loads(rows[1]["extra"]) == EVENTS[1]["extra"]
    assert (rows[2]["note"], rows[2]["sure"]) == ("\u2028 שלום 🙂 \\ud800", "true")


class Kind(enum.Enum):
    LABEL = "label"


def test_values_of_any_origin_become_plain():
    event = {
        "kind": Kind.LABEL,
        "at": datetime(2024, 5, 1, 10, tzinfo=UTC),
        "day": date(2024, 5, 1),
        "token": UUID(int=5),
        "grade": np.int32(2),
        "score": np.float64(0.5),
        "nothing": float("nan"),
        "many": (1, np.array([2, 3])),
        7: None,
    }
    assert Export.prepare(plain(), [event]).events == (
        {
            "kind": "label",
            "at": "2024-05-01T10:00:00+00:00",
            "day": "2024-05-01",
            "token": "00000000-0000-0000-0000-000000000005",
            "grade": 2,
            "score": 0.5,
            "nothing": None,
            "many": [1, [2, 3]],
            "7": None,
        },
    )
    assert check(plain(), [event], formats=["events"]) == []


def test_a_pandas_frame_is_a_log():
    import pandas

    frame = pandas.DataFrame({"event": ["label", "undo"], "at": pandas.to_datetime(["2024-05-01", "2024-05-02"])})
    assert [json.loads(line)["at"] for line in written(frame)[1].splitlines()] == [
        "2024-05-01T00:00:00",
        "2024-05-02T00:00:00",
    ]


values = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters()), st.lists(st.text(), max_size=2)
)


@given(st.lists(st.dictionaries(st.text(st.characters()), values, max_size=4), max_size=5))
def test_any_log_reads_back(events):
    assert check(plain(2, 2), events, formats=["events"]) == []


@given(st.lists(st.lists(st.text(), min_size=1, max_size=4), max_size=5))
def test_our_csv_is_everyones_csv(rows):
    text = "".join(map(csv_line, rows))
    assert csv_rows(text) == rows
    # The csv module gives no cell at all for a line with one empty cell.
    assert list(csv.reader(io.StringIO(text, newline=""))) == [[] if row == [""] else row for row in rows]


def test_a_note_of_a_megabyte_passes():
    assert check(plain(2, 2), [{"note": 'x"' * 500_000}], formats=["events"]) == []


def test_no_events_is_an_empty_log():
    assert written([]) == (b"event\n", b"")


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ("log", "list of dictionaries, not str"),
        ({"event": 1}, "list of dictionaries, not dict"),
        (5, "list of dictionaries, not int"),
        ([{"a": 1}, "b"], "event 2 must be a dictionary, not str"),
        ([{"a": {"b": object()}}], "event 1, 'a': a object cannot be written"),
    ],
)
def test_what_is_no_log_is_refused(events, message):
    with pytest.raises(InputError, match=message):
        check(plain(), events)
