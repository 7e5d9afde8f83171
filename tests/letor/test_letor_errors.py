"""What the LETOR reader refuses: our error, with file, line, column and the text that is wrong."""

from __future__ import annotations

import gzip
import io
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.errors import InputError, LetorFormatError, RulerankError
from rulerank.letor import read_letor, write_letor

GOOD = "0 qid:1 1:0.5 2:1\n"


def problems_of(text: str | bytes, **options):
    with pytest.raises(LetorFormatError) as caught:
        read_letor(io.BytesIO(text.encode() if isinstance(text, str) else text), **options)
    return caught.value


@pytest.mark.parametrize(
    ("line", "column", "text", "words"),
    [
        ("1 1:0.5 2:1", 3, "1:0.5", "qid:"),
        ("1", 2, "", "qid:"),
        ("1 QID:3 1:2", 3, "QID:3", "qid:"),
        ("1:0.5 2:1", 1, "1:0.5", "grade"),
        ("x qid:1 1:0.5", 1, "x", "grade"),
        ("NULL qid:1 1:0.5", 1, "NULL", "grade"),
        ("nan qid:1 1:0.5", 1, "nan", "grade"),
        ("1.5 qid:1 1:0.5", 1, "1.5", "whole"),
        ("1e-3 qid:1 1:0.5", 1, "1e-3", "whole"),
        ("1.00000000000000000000001 qid:1 1:0.5", 1, "1.00000000000000000000001", "whole"),
        ("-2 qid:1 1:0.5", 1, "-2", "-1 for unlabelled"),
        ("-10 qid:1 1:0.5", 1, "-10", "-1 for unlabelled"),
        ("1e9 qid:1 1:0.5", 1, "1e9", "at most"),
        ("99999999999999999999999 qid:1 1:0.5", 1, "99999999999999999999999", "at most"),
        ("1 qid: 1:0.5", 3, "qid:", "missing"),
        ("1 qid:", 3, "qid:", "missing"),
        ("1 qid:1 0:0.5", 9, "0:0.5", "from 1"),
        ("1 qid:1 1:2 -3:0.5", 13, "-3:0.5", "from 1"),
        ("1 qid:1 x:0.5", 9, "x:0.5", "whole number"),
        ("1 qid:1 1.5:0.5", 9, "1.5:0.5", "whole number"),
        ("1 qid:1 :0.5", 9, ":0.5", "whole number"),
        ("1 qid:1 qid:2 1:3", 9, "qid:2", "whole number"),
        ("1 qid:1 7", 9, "7", "feature:value"),
        ("1 qid:1 1:1 word", 13, "word", "feature:value"),
        ("1 qid:1 1:1 1:1", 13, "1:1", "twice"),
        ("1 qid:1 3:1 2:1 3:2", 17, "3:2", "twice"),
        ("1 qid:1 1:", 9, "1:", "cut off"),
        ("1 qid:1 1: 0.5", 9, "1:", "cut off"),
        ("1 qid:1 1:nan", 9, "1:nan", "finite"),
        ("1 qid:1 1:-inf", 9, "1:-inf", "finite"),
        ("1 qid:1 1:NULLS", 9, "1:NULLS", "finite"),
        ("1 qid:1 1:0x10", 9, "1:0x10", "finite"),
        ("1 qid:1 1:1_000", 9, "1:1_000", "finite"),
        ("1 qid:1 1:1e", 9, "1:1e", "finite"),
        ("1 qid:1 1:.", 9, "1:.", "finite"),
        ("1 qid:1 1:-", 9, "1:-", "finite"),
        ("1 qid:1 1:1.2.3", 9, "1:1.2.3", "finite"),
        ("1 qid:1 1:2:3", 9, "1:2:3", "finite"),
        ("1 qid:1 1:1e999", 9, "1:1e999", "too large"),
        ("1 qid:1 1:-2e308", 9, "1:-2e308", "too large"),
        ("1 qid:1 1:179769313486231590000000000000e279", 9, "1:179769313486231590000000000000e279", "too large"),
        ("1 qid:1 1000000000:1", 9, "1000000000:1", "limit of 100000 features"),
        ("1 qid:1 99999999999999999999999999:1", 9, "99999999999999999999999999:1", "max_features"),
        ("1 qid:é 1:1 1:2", 13, "1:2", "twice"),
        ("1 qid:1 1:\0", 9, "1:\0", "NUL"),
        ("1 qid:1 1:1 #a\0b", 15, "\0", "NUL"),
        ("#a\0b", 3, "\0", "NUL"),
    ],
)
def test_bad_line(line, column, text, words):
    error = problems_of(f"{GOOD}\n# comment\r\n{line}\n{GOOD}")
    (problem,) = error.problems
    assert (problem.line, problem.column, problem.text) == (4, column, text)
    assert words in problem.message
    assert f"<stream>:4:{column}: " in str(error)
    assert not error.truncated


def test_all_bad_lines_are_listed():
    error = problems_of("0 qid:1 1:1e999\n0 1:2\n0 qid:1 1:5\n0 qid:1 0:1\n0 qid:1 1:123456789012345678901e400\n")
    assert [p.line for p in error.problems] == [1, 2, 4, 5]
    assert (error.line, error.column, error.text) == (1, 9, "1:1e999")


@pytest.mark.parametrize(("bad", "truncated"), [(4, False), (5, False), (6, True), (2000, True)])
def test_the_limit_on_errors(bad, truncated):
    error = problems_of("nonsense\n" * bad + GOOD * 3, max_errors=5)
    assert [p.line for p in error.problems] == list(range(1, min(bad, 5) + 1))
    assert error.truncated is truncated
    assert ("more problems follow" in str(error)) is truncated


def test_more_errors_than_one_buffer_holds():
    error = problems_of("nonsense\n" * 2500 + GOOD, max_errors=10_000)
    assert [p.line for p in error.problems] == list(range(1, 2501))


def test_many_bad_lines_take_no_memory():
    text = b"0 qid:1 1:x\n" * 300_000
    read_letor(io.BytesIO(GOOD.encode()))
    tracemalloc.start()
    try:
        assert len(problems_of(text).problems) == 100
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2_000_000


def test_long_text_is_shortened():
    (problem,) = problems_of("0 qid:1 1:" + "9" * 100_000 + "x\n").problems
    assert len(problem.text) == 60
    assert problem.text.endswith("...")


def test_a_line_without_end_is_not_collected(monkeypatch):
    monkeypatch.setattr("rulerank.letor.read.LONGEST_LINE", 1 << 18)
    text = GOOD.encode() + b"0" * 8_000_000 + b"\n" + b"0 qid:1 1:x\n"
    tracemalloc.start()
    try:
        error = problems_of(text, max_features=100)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [p.line for p in error.problems] == [2, 3]
    assert "longer than" in error.problems[0].message
    assert peak < 3_000_000
    assert [p.line for p in problems_of(b"0" * 1_000_000, max_features=100).problems] == [1]


def test_a_high_feature_allocates_nothing():
    tracemalloc.start()
    try:
        problems_of("0 qid:1 1000000000:1\n" * 50)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3_000_000
    assert read_letor(io.BytesIO(b"0 qid:1 150000:1\n"), max_features=150_000).features.shape == (1, 150_000)


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "\ufeff", "  \t "])
def test_a_file_without_rows(text):
    assert "empty" in problems_of(text).problems[0].message


@pytest.mark.parametrize(
    "cut", ["0 qid:1 1:0.5 2:", "0 qid:1 1:0.5 2", "0 qi", "0", "0 qid:", "0 qid:1 1:1e", "0 qid:1 1:-"]
)
def test_a_file_that_is_cut_off(cut):
    assert problems_of(GOOD + cut).line == 2


def test_a_gzip_stream_that_is_cut_off():
    packed = gzip.compress(GOOD.encode() * 5000, mtime=0)
    for length in (5, 12, len(packed) // 2, len(packed) - 4):
        error = problems_of(packed[:length])
        assert "gzip" in error.problems[-1].message
    damaged = packed[:-8] + bytes([packed[-8] ^ 1]) + packed[-7:]
    assert "gzip" in problems_of(damaged).problems[-1].message


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (b"\x28\xb5\x2f\xfd123", "zstd"),
        (b"7z\xbc\xaf\x27\x1c123", "7z"),
        (gzip.compress(gzip.compress(b"x", mtime=0), mtime=0), "twice"),
        (b"a.txt".ljust(257, b"\0") + b"ustar" + b"\0" * 250, "tar"),
    ],
)
def test_foreign_files_are_named(head, words):
    assert words in problems_of(head).problems[0].message


@given(st.binary(min_size=1, max_size=400))
def test_rubbish_gives_our_errors_only(data):
    try:
        collection = read_letor(io.BytesIO(data))
    except RulerankError:
        return
    assert len(collection) > 0


@given(st.integers(0, 60), st.binary(min_size=1, max_size=4))
def test_a_damaged_line_gives_our_errors_or_reads_back(at, rubbish):
    line = b"2 qid:77 1:0.125 3:NULL 5:-1e-7 #docid = A\n0 qid:78 2:1\n"
    try:
        collection = read_letor(io.BytesIO(line[:at] + rubbish + line[at + len(rubbish) :]))
    except RulerankError:
        return
    out = io.BytesIO()
    write_letor(collection, out)
    assert read_letor(io.BytesIO(out.getvalue())) == collection


def test_a_missing_file_and_a_folder(tmp_path):
    with pytest.raises(InputError, match=r"none\.txt.*cannot be opened"):
        read_letor(tmp_path / "none.txt")
    with pytest.raises(InputError, match="cannot be"):
        read_letor(tmp_path)
    with pytest.raises(InputError, match="cannot be opened"):
        read_letor("a\0b")
    with pytest.raises(InputError, match="not int"):
        read_letor(7)  # type: ignore[arg-type]


def test_the_file_is_named(tmp_path):
    path = tmp_path / "bad.txt"
    path.write_text("0 qid:1 1:x\n")
    with pytest.raises(LetorFormatError) as caught:
        read_letor(path)
    assert str(caught.value).startswith(f"{path}:1:9: ")
    with path.open("rb") as file, pytest.raises(LetorFormatError) as caught:
        read_letor(file)
    assert str(path) in str(caught.value)
