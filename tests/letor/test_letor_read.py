"""What the LETOR reader accepts, against a reader of a few plain Python lines."""

from __future__ import annotations

import io
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from rulerank.collection import PossiblyCutOff, RegroupedQueries
from rulerank.errors import InputError, MemoryLimitError
from rulerank.letor import read_letor


def read(text: str | bytes, **options):
    return read_letor(io.BytesIO(text.encode() if isinstance(text, str) else text), **options)


def simple_rows(text: str) -> list[tuple[int, str, dict[int, float | None], str]]:
    """The format in plain Python, for files whose queries stand together."""
    rows = []
    for line in text.split("\n"):
        data, _, comment = line.rstrip("\r").partition("#")
        tokens = data.split()
        if not tokens:
            continue
        grade = -1 if tokens[0].startswith("qid:") else int(float(tokens.pop(0)))
        pairs = (token.split(":") for token in tokens[1:])
        values = {int(k): None if v == "NULL" else float(v) for k, v in pairs}
        rows.append((grade, tokens[0][4:], values, comment))
    return rows


def assert_same(collection, text: str) -> None:
    rows = simple_rows(text)
    assert len(collection) == len(rows)
    for r, (grade, qid, values, comment) in enumerate(rows):
        assert collection.grades[r] == grade
        assert collection.qids[r] == qid
        assert collection.comments[r] == comment
        for j in range(collection.features.shape[1]):
            code = 0 if collection.missing is None else collection.missing[r, j]
            if j + 1 not in values:
                assert (code, collection.features[r, j]) == (1, 0.0)
            elif values[j + 1] is None:
                assert (code, collection.features[r, j]) == (2, 0.0)
            else:
                assert code == 0
                assert collection.features[r, j].hex() == values[j + 1].hex()


@pytest.mark.parametrize(
    "text",
    [
        "2 qid:10 1:0.5 2:-1e-3 3:7 #docid = A-1 inc = 1\n0 qid:10 1:0 2:0 3:0\n",
        "2.0 qid:a 1:1\n1e0 qid:a 1:2\n-1 qid:b 1:3\nqid:b 1:4\n-1.0 qid:b 1:5\n0.30e1 qid:b 1:-0\n",
        "1 qid:1 7:1 1:2\n0 qid:1 2:3\n0 qid:2\n",
        "0 qid:1 1:NULL 2:5\n0 qid:1 1:4 2:NULL\n",
        "0 qid:1 1:1\r\n1 qid:1 1:2 # c \r\n\r\n",
        "# head\n\n   \n\t1\tqid:x:y/z\t1:+.5  2:5.\t#\tkept  verbatim # twice\n\n# end",
        "1 qid:é 1:1 #docid = ü\n",
        "1 qid:1 1:1#close\n",
        "0 qid:1 01:3 002:4\n",
        "0 qid:1 1:1\n0 qid:1 1:1 3:1\n0 qid:1 2:2\n0 qid:2 5:1 4:NULL\n",
        "0 qid:1 1:2.00000000000000000000000000 2:123456789012345678901234567890 3:1e-320\n",
        "00000000000000000000000002.000 qid:1 1:0000000000000000000000000000000001.5\n",
        "0 qid:1 1:0e999 2:0.0e-999 3:1e-400\n",
    ],
)
def test_accepted(text):
    assert_same(read(text), text)


def test_no_row_has_features():
    collection = read("1 qid:1 #a\n0 qid:2\n")
    assert collection.features.shape == (2, 0)
    assert collection.missing is None


def test_nothing_missing_allocates_no_codes():
    assert read("0 qid:1 2:0 1:5\n0 qid:1 1:0 2:0\n").missing is None


def test_byte_order_mark_is_skipped():
    assert read(b"\xef\xbb\xbf1 qid:1 1:2\n").grades.tolist() == [1]


def test_last_line_without_newline():
    collection = read("0 qid:1 1:1\n1 qid:1 1:2")
    assert collection.features.tolist() == [[1.0], [2.0]]
    assert collection.warnings == ()


def test_a_last_row_that_looks_cut_off_is_pointed_out():
    assert read("0 qid:1 1:1 2:3\n1 qid:1 1:2").warnings == (PossiblyCutOff(2),)
    assert "line 2" in str(PossiblyCutOff(2))
    assert read("0 qid:1 1:1 2:3\n1 qid:1 1:2\n").warnings == ()
    assert read("0 qid:1 1:1 2:3\n1 qid:1 1:2\n# end").warnings == ()
    assert read("0 qid:1 2:3\n1 qid:1 1:2").warnings == ()


def test_docids_come_from_comments():
    collection = read(
        "0 qid:1 1:1 #docid = GX1 inc = 1\n0 qid:1 1:1 # x docid=7\n0 qid:1 1:1 #mydocid = 3\n0 qid:1 1:1\n"
    )
    assert collection.docids == ("GX1", "7", "", "")


def test_split_queries_are_regrouped_with_a_warning():
    collection = read("0 qid:b 1:1\n1 qid:a 1:2\n\n2 qid:b 1:3 #x\n0 qid:a 1:4\n0 qid:b 1:5\n0 qid:c 1:6\n")
    assert collection.queries == ("b", "a", "c")
    assert collection.features[:, 0].tolist() == [1, 3, 5, 2, 4, 6]
    assert collection.grades.tolist() == [0, 2, 0, 1, 0, 0]
    assert collection.comments == ("", "x", "", "", "", "")
    assert collection.indptr.tolist() == [0, 3, 5, 6]
    assert collection.warnings == (RegroupedQueries(("b", "a"), (4, 5)),)
    assert "b (line 4)" in str(collection.warnings[0])


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["0", "1", "2.0", "-1", "3e0"]),
            st.dictionaries(st.integers(1, 40), st.sampled_from(["0", "1.5", "NULL", "-2e-7", "123456789.123456789"])),
            st.sampled_from(["", "#", "#docid = 7", " # x\ty "]),
        ),
        min_size=1,
        max_size=60,
    ),
    st.sampled_from(["\n", "\r\n", "\n\n", "\n#c\n"]),
)
def test_sparse_rows_as_plain_python_reads_them(rows, newline):
    lines = []
    for number, (grade, pairs, comment) in enumerate(rows):
        lines.append(f"{grade} qid:{number // 3} " + " ".join(f"{k}:{v}" for k, v in pairs.items()) + comment)
    text = newline.join(lines)
    collection = read(text)
    assert collection.features.shape[1] == max((k for row in rows for k in row[1]), default=0)
    assert_same(collection, text)


def test_many_pieces_give_what_one_piece_gives(monkeypatch):
    rows = [f"{r % 3} qid:{r // 7} " + " ".join(f"{j}:{r}.{j}" for j in range(1, 2 + r % 9)) for r in range(300)]
    text = "\n".join(rows)
    whole = read(text)
    for size in (1, 7, 64, 1000):
        monkeypatch.setattr("rulerank.foreign.decoding.CHUNK", size)
        assert read(text) == whole
    assert_same(whole, text)


def test_more_queries_and_leftovers_than_the_first_buffers_hold():
    wide = " ".join(f"{j}:0.{j:05d}{'1234567890' * 3}" for j in range(1, 1501))
    text = "".join(f"0 qid:{r} 1:{r}\n" for r in range(1500)) + f"1 qid:w {wide}\n"
    collection = read(text)
    assert len(collection.queries) == 1501
    assert collection.features[:1500, 0].tolist() == list(range(1500))
    assert collection.features[1500].tolist() == [float(pair.split(":")[1]) for pair in wide.split()]


@pytest.mark.parametrize("name", ["letor3-ohsumed", "letor4-mq2008"])
def test_real_files_as_scikit_learn_reads_them(letor_folder, name):
    path = letor_folder(name) / "S3.txt"
    collection = read_letor(path)
    features, grades, qids = load_svmlight_file(str(path), query_id=True)
    assert np.array_equal(collection.features, features.toarray())
    assert np.array_equal(collection.grades, grades)
    assert collection.qids.astype(int).tolist() == qids.tolist()
    assert all(collection.docids)


def test_reading_holds_the_matrix_once(letor_folder):
    path = letor_folder("letor4-mq2008") / "S2.txt"
    read_letor(path)
    tracemalloc.start()
    try:
        collection = read_letor(path)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept > collection.features.nbytes
    assert peak < 2 * kept


def test_the_memory_limit_is_checked_before_allocating():
    text = "".join(f"0 qid:{r} 100000:1\n" for r in range(100))
    tracemalloc.start()
    try:
        with pytest.raises(MemoryLimitError, match="max_bytes"):
            read(text, max_bytes=20_000_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 40_000_000
    assert read(text, max_bytes=200_000_000).features.shape == (100, 100_000)


def test_a_wide_row_after_a_narrow_one_allocates_little():
    tracemalloc.start()
    try:
        collection = read("0 qid:1 1:1\n0 qid:1 100000:1\n")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert collection.features.shape == (2, 100_000)
    assert peak < 40_000_000


def test_progress_counts_bytes_and_can_stop(monkeypatch):
    monkeypatch.setattr("rulerank.foreign.decoding.CHUNK", 1000)
    text = b"0 qid:1 1:1\n" * 5000
    seen = []
    read_letor(io.BytesIO(text), progress=lambda done, total: seen.append((done, total)))
    assert {total for _, total in seen} == {len(text)}
    done = [d for d, _ in seen]
    assert done == sorted(done)
    assert done[-1] == len(text)
    assert len(seen) > 10

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_letor(io.BytesIO(text), progress=stop)


@pytest.mark.parametrize("option", ["max_features", "max_errors", "max_bytes"])
@pytest.mark.parametrize("value", [0, -1, 2.5, "many"])
def test_bad_limits(option, value):
    with pytest.raises(InputError, match=option):
        read("0 qid:1 1:1\n", **{option: value})
