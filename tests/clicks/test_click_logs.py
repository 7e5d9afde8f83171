"""Click logs: our layout in three formats, bad rows by line, streaming, and CLARA2's layout."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from itertools import islice

import numpy as np
import pytest
from clicks_reference import sessions_of, small_log
from hypothesis import given
from hypothesis import strategies as st

from rulerank.clicks import ClickLogError, LogBuilder, bilingual_user, made_up_lists, read_log, simulate_log, write_log
from rulerank.errors import InputError

GOOD = """session,query,documents,grades,languages,clicks
1,cola,d1 d2 d3,0 2 1,en tr en,0 1 0
2,cola,d1 d2 d3,0 2 1,en tr en,0 1 0
3,cola,d1 d2 d3,0 2 1,en tr en,1 0 1
4,table,d9,2,tr,0
"""


def as_set(log):
    return {
        (query, tuple(documents), tuple(log.languages[code] for code in languages), tuple(grades), tuple(clicks), count)
        for query, documents, languages, grades, clicks, count in sessions_of(log)
    }


def stream(text: str, name: str) -> io.BytesIO:
    file = io.BytesIO(text.encode())
    file.name = name
    return file


def test_equal_sessions_are_counted():
    log = read_log(stream(GOOD, "log.csv"))
    assert as_set(log) == {
        ("cola", ("d1", "d2", "d3"), ("en", "tr", "en"), (0, 2, 1), (0, 1, 0), 2),
        ("cola", ("d1", "d2", "d3"), ("en", "tr", "en"), (0, 2, 1), (1, 0, 1), 1),
        ("table", ("d9",), ("tr",), (2,), (0,), 1),
    }
    assert (log.sessions, log.configurations, log.depth, log.max_grade) == (4, 2, 3, 2)
    assert log.languages == ("en", "tr")
    assert log.row_stop.tolist() == [2, 3, 0]
    assert log.summary()["sessions_with_several"] == 0.25


def test_depth_cuts_lists_and_ignores_clicks_below():
    log = read_log(stream(GOOD, "log.csv"), depth=2)
    assert log.depth == 2
    assert {(clicks, count) for *_, clicks, count in as_set(log)} == {((0, 1), 2), ((1, 0), 1), ((0,), 1)}


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("single", [False, True])
def test_every_format_gives_back_what_was_written(tmp_path, ending, single):
    log = small_log()
    write_log(log, tmp_path / f"log.{ending}", single=single)
    again = read_log(tmp_path / f"log.{ending}", max_grade=log.max_grade)
    assert as_set(again) == as_set(log)
    assert again.reading.rows == (log.sessions if single else len(log.count))


def test_packed_files_and_odd_names(tmp_path):
    (tmp_path / "log.csv.gz").write_bytes(gzip.compress(GOOD.encode()))
    assert read_log(tmp_path / "log.csv.gz").sessions == 4
    (tmp_path / "log.txt").write_text(GOOD)
    assert read_log(tmp_path / "log.txt", layout="csv").sessions == 4
    with pytest.raises(InputError, match="does not show the layout"):
        read_log(tmp_path / "log.txt")
    with pytest.raises(InputError, match="cannot read"):
        read_log(tmp_path / "none.csv")
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(GOOD.encode())[:-9])
    with pytest.raises(InputError, match="damaged"):
        read_log(tmp_path / "cut.csv.gz")
    with pytest.raises(InputError, match="not a parquet file"):
        read_log(stream(GOOD, "log.parquet"))


BAD = [
    ("q,d1 d2,0 1,en tr,0", "2 documents, but 1 clicks"),
    ("q,d1 d2,0,en tr,0 0", "2 documents, but 1 grades"),
    ("q,d1 d2,0 1,en,0 0", "2 documents, but 1 languages"),
    ("q,d1 d2,0 x,en tr,0 0", "'x' is not a whole number"),
    ("q,d1 d2,0 1,en tr,0 2", "a click is 0 or 1"),
    ("q,d1 d2,0 -3,en tr,0 0", "grade -3"),
    (",d1 d2,0 1,en tr,0 0", "the query is empty"),
    ("q,,,,", "no documents"),
    ("q,d1 d2,0 1,en tr", "5 columns are named, but the row has 4"),
]


def test_bad_rows_are_told_by_line_and_skipped_only_on_request():
    text = "query,documents,grades,languages,clicks\n"
    for row, _ in BAD:
        text += f"q,d1 d2,0 1,en tr,0 1\n{row}\n"
    with pytest.raises(ClickLogError) as caught:
        read_log(stream(text, "some.csv"))
    assert caught.value.total == len(BAD)
    for number, (bad, (_, message)) in enumerate(zip(caught.value.rows, BAD, strict=True)):
        assert bad.line == 3 + 2 * number
        assert message in bad.message
        assert f"some.csv:{bad.line}: {bad.message}" in str(caught.value)
    log = read_log(stream(text, "some.csv"), skip_bad=True)
    assert log.sessions == len(BAD)
    assert log.configurations == 1
    assert (log.reading.bad, log.reading.rows) == (len(BAD), 2 * len(BAD))


def test_only_the_first_bad_rows_are_listed_but_all_are_counted():
    text = "query,documents,grades,clicks\n" + "q,d,x,0\n" * 1000
    with pytest.raises(ClickLogError, match="1000 bad rows in all; the first 20 are listed"):
        read_log(stream(text, "some.csv"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1]", "not a JSON object"),
        ("{", "not a JSON object"),
        ('{"query": "q", "documents": ["a"], "grades": [1]}', "clicks is missing"),
        ('{"query": "q", "documents": "a", "grades": [1], "clicks": [0]}', "documents is a list"),
        ('{"query": "q", "documents": ["a"], "grades": [1.5], "clicks": [0]}', "a grade is a whole number"),
        ('{"query": "q", "documents": ["a"], "grades": [true], "clicks": [0]}', "a grade is a whole number"),
        ('{"query": "q", "documents": ["a"], "grades": [1], "clicks": [0], "sessions": 0}', "sessions is a whole"),
        ('{"query": "q", "documents": [null], "grades": [1], "clicks": [0]}', "documents are texts"),
    ],
)
def test_bad_json_rows(line, message):
    good = json.dumps({"query": "q", "documents": ["a b"], "grades": [1], "clicks": [True], "sessions": 7})
    with pytest.raises(ClickLogError, match=message) as caught:
        read_log(stream(f"{good}\n\n{line}\n", "log.jsonl"))
    assert caught.value.rows[0].line == 3
    log = read_log(stream(f"{good}\n\n{line}\n", "log.jsonl"), skip_bad=True)
    assert (log.sessions, log.documents) == (7, ("a b",))


def test_bytes_that_are_no_text_are_a_bad_row():
    head = b"query,documents,grades,clicks\nq,d,1,0\n"
    file = io.BytesIO(head + b"q\xff,d,1,0\n")
    with pytest.raises(ClickLogError, match="not UTF-8"):
        read_log(file, layout="csv")


def test_columns_must_be_named():
    with pytest.raises(InputError, match="clicks is missing"):
        read_log(stream("query,documents,grades\nq,d,1\n", "log.csv"))
    with pytest.raises(InputError, match="no session to count"):
        read_log(stream("query,documents,grades,clicks\n", "log.csv"))


def test_sessions_without_all_grades_are_left_out_or_taken_for_0():
    text = "query,documents,grades,clicks\nq,a b,1 -1,0 1\nq,a b,1 1,0 1\n"
    log = read_log(stream(text, "log.csv"))
    assert (log.sessions, log.reading.unjudged) == (1, 1)
    log = read_log(stream(text, "log.csv"), unjudged="zero")
    assert (log.sessions, log.grade.tolist()) == (2, [[1, 0], [1, 1]])
    assert read_log(stream(text, "log.csv"), depth=1).sessions == 2


def test_a_csv_cannot_hold_names_with_spaces(tmp_path):
    builder = LogBuilder()
    builder.add("q", ["a b"], [1], [0])
    with pytest.raises(InputError, match=r"write \.jsonl instead"):
        write_log(builder.finish(), tmp_path / "log.csv")
    with pytest.raises(InputError, match="written as"):
        write_log(builder.finish(), tmp_path / "log.xlsx")


def test_memory_grows_with_configurations_and_not_with_sessions():
    """Ten times the sessions, from a stream that is made up while it is read."""

    class Endless(io.RawIOBase):
        def __init__(self, rows):
            self.rows = iter(range(rows))
            self.rest = b"query,documents,grades,clicks\n"

        def readable(self):
            return True

        def seekable(self):
            return False

        def read(self, size=-1):
            row = b"q%d,a b c d e,0 1 2 1 0,0 %d 0 0 0\n"
            made = b"".join(row % (number % 50, number % 2) for number in islice(self.rows, size // len(row)))
            found, self.rest = self.rest + made, b""
            return found

    def peak(rows):
        from rulerank.clicks.layouts import read_csv
        from rulerank.clicks.source import RowProblems

        builder = LogBuilder()
        tracemalloc.start()
        read_csv(Endless(rows), builder, RowProblems("made up"))
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert builder.finish().sessions == rows
        return found

    assert peak(120_000) < 1.2 * peak(12_000)


names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8).filter(str.strip)


@given(
    st.lists(
        st.tuples(names, st.lists(st.tuples(names, st.integers(0, 4), names, st.booleans()), min_size=1, max_size=5)),
        min_size=1,
        max_size=6,
    )
)
def test_any_names_survive_json_lines(rows):
    builder = LogBuilder()
    for query, results in rows:
        documents, grades, languages, clicks = (list(column) for column in zip(*results, strict=True))
        builder.add(query, documents, grades, clicks, languages)
    log = builder.finish()
    text = io.BytesIO()
    for query, documents, languages, grades, clicks, count in sessions_of(log):
        row = {"query": query, "documents": documents, "grades": grades, "clicks": clicks, "sessions": count}
        row["languages"] = [log.languages[code] for code in languages]
        text.write((json.dumps(row) + "\n").encode())
    text.seek(0)
    assert as_set(read_log(text, layout="jsonl")) == as_set(log)


def test_counts_of_long_patterns_and_many_lists():
    lists = made_up_lists(300, depth=40, pool=60)
    log = simulate_log(bilingual_user(), lists, 2_000, extra=0.5)
    assert log.sessions == 2_000
    assert (np.diff(log.row_config) >= 0).all()
    again = LogBuilder(languages=log.languages)
    for query, documents, languages, grades, clicks, count in sessions_of(log):
        again.add(query, documents, grades, clicks, [log.languages[code] for code in languages], count)
    assert as_set(again.finish()) == as_set(log)


CLARA = [
    "0\t0\tQ\t7\t0.0\tu1\tu2\tu3",
    "0\t10\tC\tu2" + "\t" * 4,
    "0\t20\tQ\t8\t0.0\tu9\tu8\tu7",
    "0\t30\tC\tu1",  # shown by the session's first query
    "0\t40\tC\tu9",
    "0\t50\tC\tu9",
    "1\t60\tC\tu1",  # no query of its session
    "1\t70\tQ\t7\t0.0\tu1\tu2\tu3",
]
GRADES = "query\turl\trelevance\n8\tu1\t0\n8\tu2\t2\n8\tu3\t1\n9\tu9\t5\n9\tu8\t3\n9\tu7\t3\n"


def test_claras_layout(tmp_path):
    (tmp_path / "CLARA2SearchLog_beta").write_text("\n".join(CLARA) + "\n")
    (tmp_path / "CLARA2QueryUrlRelevance_beta").write_text(GRADES)
    with pytest.raises(ClickLogError, match="no query of its session shows") as caught:
        read_log(tmp_path)
    assert [row.line for row in caught.value.rows] == [7]
    log = read_log(tmp_path, skip_bad=True)
    assert as_set(log) == {
        ("7", ("u1", "u2", "u3"), ("any",) * 3, (0, 2, 1), (1, 1, 0), 1),
        ("7", ("u1", "u2", "u3"), ("any",) * 3, (0, 2, 1), (0, 0, 0), 1),
        ("8", ("u9", "u8", "u7"), ("any",) * 3, (5, 3, 3), (1, 0, 0), 1),
    }
    assert "2 of 2 queries have theirs under another number, 2 have a grade for every url" in log.reading.notes[0]
    with pytest.raises(InputError, match="3 were left out because a result has no grade"):
        read_log(tmp_path, skip_bad=True, join="number")
    streams = stream("\n".join(CLARA), "CLARA2SearchLog"), stream(GRADES, "grades")
    assert as_set(read_log(streams[0], grades=streams[1], skip_bad=True)) == as_set(log)
    with pytest.raises(InputError, match="needs the table of grades too"):
        read_log(streams[0])


def test_what_is_no_csv_at_all_is_refused():
    # How long a field may be is one number for the whole process, which other readers raise.
    with pytest.raises(InputError, match=r"is not a CSV|must name the columns"):
        read_log(io.BytesIO(b"x" * 200_000), layout="csv")
