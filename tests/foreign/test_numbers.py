"""Numbers of foreign text: plain ones alone, and every reader refuses the same ones."""

from __future__ import annotations

import io
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.clicks import read_log
from rulerank.errors import RulerankError
from rulerank.foreign.numbers import LARGEST, NumberError, finite_number, finite_value, is_whole, shown, whole_number
from rulerank.letor import read_letor
from rulerank.prepare import read_collection

NEVER = ["", "x", "1_000", "٣", "३", "²", "0x10", "nan", "inf", "-inf", "Infinity", "1e", "--1", "+", "1 2", "½", "１"]


@pytest.mark.parametrize("text", [*NEVER, "1e999", "-1e999", "9" * 400])
def test_no_finite_number(text):
    with pytest.raises(NumberError, match="is not a finite number"):
        finite_number(text)


@pytest.mark.parametrize("text", [*NEVER, "1.0", "1e3", "9" * 23, "-" + "9" * 23, "9" * 10_000, str(LARGEST + 1)])
def test_no_whole_number(text):
    assert not is_whole(text)
    with pytest.raises(NumberError) as error:
        whole_number(text)
    assert len(str(error.value)) < 150


@given(st.integers(-LARGEST, LARGEST))
def test_whole_numbers_are_read_as_python_reads_them(number):
    assert whole_number(str(number)) == number
    assert whole_number(f" {number:+030d}\t") == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_read_as_python_reads_them(number):
    assert finite_number(repr(number)) == number
    assert finite_value(number) == number
    assert finite_value(repr(number)) == number


@pytest.mark.parametrize("value", [True, None, [], {}, math.inf, math.nan, 10**400])
def test_values_of_json_that_are_no_numbers(value):
    with pytest.raises(NumberError):
        finite_value(value)


def test_ranges_are_told():
    assert whole_number("007", least=0, most=7) == 7
    with pytest.raises(NumberError, match="'8' is not from 0 to 7"):
        whole_number("8", least=0, most=7)
    assert len(shown("x" * 10_000)) < 60
    assert len(shown([1] * 10_000)) < 60


@pytest.mark.parametrize("number", ["٣", "1_0", "1e999", "nan", "9" * 23])
class TestEveryReaderRefuses:
    def test_a_grade_of_letor(self, number):
        with pytest.raises(RulerankError, match=":2:1: "):
            read_letor(io.BytesIO(f"0 qid:1 1:1\n{number} qid:1 1:1\n".encode()))

    def test_a_grade_of_a_click_log(self, number):
        log = f"query,documents,grades,clicks\nq,a b,1 0,0 1\nq,a b,{number} 0,0 1\n"
        with pytest.raises(RulerankError, match=":3: "):
            read_log(io.BytesIO(log.encode()), layout="csv")

    def test_the_sessions_of_a_click_log(self, number):
        log = f"query,documents,grades,clicks,sessions\nq,a b,1 0,0 1,{number}\n"
        with pytest.raises(RulerankError, match=":2: "):
            read_log(io.BytesIO(log.encode()), layout="csv")

    def test_the_grades_of_clara(self, number, tmp_path):
        log, grades = tmp_path / "log", tmp_path / "grades"
        log.write_text("s\t0\tQ\tq\t1\tu\n", encoding="utf-8")
        grades.write_text(f"q\tu\t{number}\n", encoding="utf-8")
        with pytest.raises(RulerankError, match="grades:1: "):
            read_log(log, layout="clara2", grades=grades)

    @pytest.mark.parametrize("line", ["1 0 D1 {}", "1 D1 {}"])
    def test_a_judgement(self, number, line, tmp_path):
        folder(tmp_path, qrels=f"{line.format(1)}\n{line.format(1)}\n{line.format(number)}\n")
        with pytest.raises(RulerankError, match=r"qrels\.txt:3: not a judgement"):
            read_collection(tmp_path)

    @pytest.mark.parametrize("place", ["rank", "score"])
    def test_a_run(self, number, place, tmp_path):
        if place == "rank" or number != "9" * 23:  # a score of 23 digits is a number
            rank, score = (number, "1.5") if place == "rank" else ("1", number)
            folder(tmp_path, **{"x.run": f"1 Q0 D1 {rank} {score} x\n"})
            with pytest.raises(RulerankError, match=r"x\.run:1: not a line of a run"):
                read_collection(tmp_path)

    def test_a_column_of_numbers(self, number, tmp_path):
        if number != "9" * 23:
            folder(tmp_path, documents=f"id\ttitle\tviews\nD1\ta\t1\nD2\tb\t{number}\n")
            with pytest.raises(RulerankError, match=r"documents\.tsv:3: the column 'views' must hold finite numbers"):
                read_collection(tmp_path)


def folder(path, documents="D1\twing\tof a bird\n", qrels="1 0 D1 1\n", **others):
    """Write a folder of tables."""
    (path / "documents.tsv").write_text(documents, encoding="utf-8")
    (path / "queries.tsv").write_text("1\twing\n", encoding="utf-8")
    (path / "qrels.txt").write_text(qrels, encoding="utf-8")
    for name, text in others.items():
        (path / name).write_text(text, encoding="utf-8")


def test_sessions_that_add_up_to_too_many(tmp_path):
    row = f"q,a b,1 0,0 1,{LARGEST // 2}\n"
    log = "query,documents,grades,clicks,sessions\n" + 3 * row
    with pytest.raises(RulerankError, match=r":4: with .* more than can be counted"):
        read_log(io.BytesIO(log.encode()), layout="csv")
    assert read_log(io.BytesIO(log.encode()), layout="csv", skip_bad=True).sessions == LARGEST
