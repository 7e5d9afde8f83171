"""Bytes become text at the door: what is no text is refused by line and column, and what is read can be kept."""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from rulerank.clicks import read_log
from rulerank.collection import Collection
from rulerank.collection.pack import pack_rows, unpack_rows
from rulerank.errors import InputError, LetorFormatError, RulerankError
from rulerank.foreign.decoding import Utf8Stream, bad_lines, decode_whole, is_utf8, without_bad_bytes
from rulerank.foreign.storable import LONGEST_ID, readable, storable, unstorable
from rulerank.letor import read_letor, write_letor
from rulerank.prepare import read_collection
from rulerank.prepare.write import read_feature_names
from rulerank.text import read_documents, read_queries


def letor(data: bytes, **options) -> Collection:
    return read_letor(io.BytesIO(data), **options)


def problem(data: bytes, **options):
    with pytest.raises(LetorFormatError) as error:
        letor(data, **options)
    return error.value


class TestLetor:
    def test_the_byte_is_told_by_line_and_column(self):
        error = problem(b"0 qid:1 1:1\n0 qid:caf\xe9 1:1 #x\n")
        assert (error.line, error.column, error.text) == (2, 10, "qid:caf\\xe9")
        assert "byte E9 is not UTF-8" in str(error)
        assert "save the file as UTF-8, or name the encoding" in str(error)

    @pytest.mark.parametrize(
        ("line", "column"),
        [
            (b"0 qid:\xff 1:1", 7),
            ("0 qid:é 1:1 #日本".encode() + b"\xe6\x97", 16),
            (b"0 qid:1 1:1 #\xed\xa0\x80", 14),  # half a surrogate pair
            (b"0 qid:1 1:1 #\xc0\x80", 14),  # a NUL in disguise
            (b"#\xe9", 2),
            (b"\xe9", 1),
            (b"0 qid:1 1:\xe9", 11),
        ],
    )
    def test_every_place_of_a_line(self, line, column):
        for data in (line + b"\n", line, b"0 qid:0 1:1\n" * 20_000 + line + b"\r\n"):
            error = problem(data)
            assert error.line == data.count(b"\n", 0, data.index(line)) + 1
            assert column in [each.column for each in error.problems if "not UTF-8" in each.message]

    def test_each_bad_line_is_listed_and_no_more_than_asked_for(self):
        error = problem(b"0 qid:\xe9 1:1\n0 qid:1 1:1\n0 qid:\xe8 1:1\n")
        assert [each.line for each in error.problems] == [1, 3]
        assert problem(b"0 qid:\xe9 1:1\n" * 500, max_errors=7).truncated

    def test_a_named_encoding(self):
        data = "0 qid:café 1:1 #docid = Größe €\n".encode("cp1252")
        found = letor(data, encoding="cp1252")
        assert (found.queries, found.docids) == (("café",), ("Größe",))
        assert "no character in SHIFT-JIS" in str(problem(b"0 qid:1 1:1 #\xff\n", encoding="shift_jis"))
        with pytest.raises(InputError, match="no encoding is named 'nonsense'"):
            letor(data, encoding="nonsense")

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"])
    def test_a_mark_tells_the_encoding(self, encoding):
        text = "0 qid:café 1:1 #日本 😀\n" * 3000
        mark = "\ufeff" if encoding.endswith(("le", "be")) else ""
        data = (mark + text).encode(encoding)
        assert letor(data) == letor(text.encode())
        assert letor(gzip.compress(data)) == letor(text.encode())

    def test_half_a_pair_in_utf_16(self):
        data = "\ufeff0 qid:1 1:1 #x".encode("utf-16-le") + b"\x00\xd8" + "y\n".encode("utf-16-le")
        error = problem(data)
        assert (error.line, error.column) == (1, 15)
        assert "no character in UTF-16-LE" in str(error)

    def test_long_ids_are_told_by_line_and_column(self):
        fits, long = "q" * LONGEST_ID, "é" * (LONGEST_ID + 1)
        assert letor(f"0 qid:{fits} 1:1 # docid = {fits} {'x' * 900}\n".encode()).docids == (fits,)
        error = problem(f"0 qid:1 1:1\n0 qid:{long} 1:1\n".encode())
        assert (error.line, error.column) == (2, 7)
        assert "has 501 characters; 500 is the most" in str(error)
        error = problem(f"0 qid:1 1:1\n\n0 qid:1 1:1 #docid = {long}\n0 qid:1 1:1\n".encode())
        assert (error.line, error.column) == (3, 22)

    def test_a_file_of_an_odd_name(self, tmp_path):
        path = tmp_path / "caf\udce9.txt"
        try:
            path.write_bytes(b"0 qid:1 1:x\n")
        except OSError:
            pytest.skip("this file system takes no such name")
        with pytest.raises(LetorFormatError) as error:
            read_letor(path)
        assert r"caf\xe9.txt:1:9" in str(error.value)
        assert unstorable(str(error.value)) is None


BAD_TEXTS = {"a\0b": "a NUL", "caf\udce9": "half a surrogate pair", "\ud800": "half a surrogate pair"}


@pytest.mark.parametrize(("text", "words"), BAD_TEXTS.items())
class TestByHand:
    def test_qids_and_comments_name_the_row(self, text, words):
        arrays = np.zeros((3, 1)), np.zeros(3, np.int32), np.array([0, 1, 1])
        with pytest.raises(InputError, match="row 1: qid"):
            Collection(*arrays, ("1", text), ("", "", ""))
        with pytest.raises(InputError, match="row 2: comment"):
            Collection(*arrays, ("1", "2"), ("", "", text))
        with pytest.raises(InputError, match="row 2: qid"):
            Collection.from_arrays(np.zeros((3, 1)), ["1", "1", text])
        with pytest.raises(InputError, match="row 1: comment"):
            Collection.from_arrays(np.zeros((2, 1)), ["1", "1"], docids=["a", text])

    def test_names_of_features(self, text, words):
        with pytest.raises(InputError, match=f"feature 2.*{words}"):
            Collection.from_arrays(np.zeros((1, 2)), ["1"], feature_names=["a", text])


def test_long_ids_by_hand_name_the_row():
    with pytest.raises(InputError, match=r"row 1: the qid .* 501"):
        Collection.from_arrays(np.zeros((2, 1)), ["1", "q" * 501])
    with pytest.raises(InputError, match=r"row 1: the docid .* 501"):
        Collection.from_arrays(np.zeros((2, 1)), ["1", "1"], docids=["a", "q" * 501])


def test_a_collection_kept_before_texts_were_checked_comes_back():
    """Its bytes that were no text are shown as escapes, so that its labels can still be used."""
    old = object.__new__(Collection)
    old.__dict__.update(
        features=np.ones((1, 1)), grades=np.zeros(1, np.int32), query_index=np.zeros(1, np.int64),
        queries=("caf\udce9",), comments=("docid = \udcff\ud800",), missing=None, feature_names=("1",), warnings=(),
    )  # fmt: skip
    found = unpack_rows([pack_rows(old, 0, 1)], old.queries, old.feature_names)
    assert found.queries == (r"caf\xe9",)
    assert found.docids == (r"\xff\ud800",)


def test_helpers():
    text = b"one\n\xe4 two \xe4\nthr\xc3\xa9e\n\xff"
    assert list(bad_lines(text)) == [(1, 1, 4), (3, 1, 19)]
    assert without_bad_bytes(text) == b"one\n? two ?\nthr\xc3\xa9e\n?"
    assert is_utf8("é".encode())
    assert readable("a\0\udce9\ud800") == r"a\x00\xe9\ud800"
    assert storable("a\0\udce9") == "a\ufffd\ufffd"
    assert decode_whole("é".encode("utf-16"), "x") == "é"
    with pytest.raises(InputError, match="x:2:3: byte E9 is not UTF-8"):
        decode_whole(b"one\nab\xe9", "x")


class TestOtherReaders:
    def test_texts_are_told_by_line_and_column(self):
        with pytest.raises(RulerankError, match=":2: column 4: byte E4 is not UTF-8"):
            read_queries(io.BytesIO(b"1\tgood\n2\tb\xe4d\n"))

    @pytest.mark.parametrize("line", ['{"id": "a\\u0000", "text": "x"}', '{"id": "\\ud800", "text": "x"}'])
    def test_ids_of_texts(self, line):
        with pytest.raises(RulerankError, match=":1: the id"):
            read_documents(io.BytesIO(line.encode()))

    def test_long_ids_and_languages_of_texts(self):
        with pytest.raises(RulerankError, match=r":1: the docid .* 501"):
            read_documents(io.BytesIO(f"{'d' * 501}\ta\tb\n".encode()))
        with pytest.raises(RulerankError, match="no language code"):
            read_documents(io.BytesIO(b'{"id": "1", "text": "x", "language": "the language of the elves"}\n'))

    def test_long_ids_to_prepare(self, tmp_path):
        (tmp_path / "documents.tsv").write_text(f"1\ta\tb\n{'d' * 501}\ta\tb\n", encoding="utf-8")
        (tmp_path / "queries.tsv").write_text("1\ta\n", encoding="utf-8")
        with pytest.raises(RulerankError, match=r"documents\.tsv:2: the document's id .* 501"):
            read_collection(tmp_path)

    @pytest.mark.parametrize("layout", ["csv", "jsonl"])
    def test_click_logs_are_told_by_line_and_column(self, layout):
        rows = {
            "csv": b"query,documents,grades,clicks\nq,a b,1 0,0 1\ncaf\xe9,a b,1 0,0 1\n",
            "jsonl": b'{"query": "q", "documents": ["a"], "grades": [1], "clicks": [0]}\n\n{"query": "caf\xe9"}\n',
        }[layout]
        column = {"csv": 4, "jsonl": 15}[layout]
        with pytest.raises(RulerankError, match=f":3: column {column}: byte E9 is not UTF-8"):
            read_log(io.BytesIO(rows), layout=layout)

    def test_a_click_log_in_utf_16_and_with_a_replacement_character(self):
        text = "query,documents,grades,clicks\ncafé\ufffd,a b,1 0,0 1\n"
        for encoding in ("utf-8", "utf-16"):
            assert read_log(io.BytesIO(text.encode(encoding)), layout="csv").queries == ("café\ufffd",)

    def test_names_in_click_logs_can_be_kept(self):
        row = '{"query": "\\ud800", "documents": ["a"], "grades": [1], "clicks": [0]}\n'
        with pytest.raises(RulerankError, match=r":1: the name .* surrogate"):
            read_log(io.BytesIO(row.encode()), layout="jsonl")

    def test_names_of_features(self):
        with pytest.raises(InputError, match=":2:4: byte E9 is not UTF-8"):
            read_feature_names(io.BytesIO(b"1\tBM25\n2\tx\xe9\n"))
        with pytest.raises(InputError, match=":1: the feature's name"):
            read_feature_names(io.BytesIO(b"1\tB\0M25\n"))
        assert read_feature_names(io.BytesIO("1\té\n".encode("utf-16"))) == ("é",)

    def test_names_in_zips(self, tmp_path):
        path = tmp_path / "x.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("documents-é.tsv", "1\ta\tb\n")
            archive.writestr("x/queries.tsv", "1\ta\n")
        raw = path.read_bytes().replace("é".encode(), b"\xff\xfe")  # says UTF-8 and is none
        path.write_bytes(raw)
        with pytest.raises(InputError, match="damaged"):
            read_collection(path)


def through_everything(texts: list[str]) -> list[str]:
    """Send texts through JSON as others write it, UTF-8 and SQLite."""
    again = json.loads(json.dumps(texts, ensure_ascii=False).encode("utf-8"))
    connection = sqlite3.connect(":memory:")
    connection.execute("create table t (place integer primary key, x text)")
    connection.executemany("insert into t (x) values (?)", [(text,) for text in again])
    return [row[0] for row in connection.execute("select x from t order by place")]


def outcome(read: Callable[[], Any]) -> tuple[Any, RulerankError | None]:
    """Return what was read, or why it was refused."""
    try:
        return read(), None
    except RulerankError as error:
        return None, error


FIELDS = {
    "qid": b"1 qid:a%s 1:1 2:2 #docid = d\n",
    "comment": b"1 qid:a 1:1 2:2 #docid = d %s\n",
    "docid": b"1 qid:a 1:1 2:2 #docid = d%s\n",
    "value": b"1 qid:a 1:1%s 2:2\n",
    "feature": b"1 qid:a 1:1 2%s:2\n",
    "grade": b"1%s qid:a 1:1\n",
    "line": b"1 qid:a 1:1 2:2\n%s\n",
}
noise = st.binary(max_size=12) | st.text(max_size=6).map(lambda text: text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("field", FIELDS)
@given(noise=noise)
@examples(150)
def test_any_bytes_in_letor_are_refused_by_line_or_can_be_kept(field, noise):
    data = b"0 qid:0 1:1\n" + FIELDS[field].replace(b"%s", noise)
    found, error = outcome(lambda: letor(data))
    if error is not None:
        assert isinstance(error, LetorFormatError)
        assert 2 <= error.line <= data.count(b"\n") + 1
        assert unstorable(str(error)) is None
        return
    texts = [*found.queries, *found.comments, *found.docids, *found.feature_names]
    assert through_everything(texts) == texts
    assert unpack_rows([pack_rows(found, 0, len(found))], found.queries, found.feature_names) == found
    target = io.BytesIO()
    write_letor(found, target)
    assert letor(target.getvalue()) == found


@given(noise=noise, place=st.sampled_from(["qid", "text", "json id", "json text"]))
@examples(200)
def test_any_bytes_in_texts_are_refused_by_line_or_can_be_kept(noise, place):
    line = {
        "qid": b"q%s\ttext", "text": b"q\ttext %s", "json id": b'{"id": "q%s", "text": "t"}',
        "json text": b'{"id": "q", "text": "t%s"}',
    }[place].replace(b"%s", noise)  # fmt: skip
    found, error = outcome(lambda: read_queries(io.BytesIO(line + b"\n")))
    if error is not None:
        assert unstorable(str(error)) is None
        return
    texts = [each for qid, query in found.items() for each in (qid, query.text, query.need)]
    assert through_everything(texts) == texts


@given(noise=noise, place=st.sampled_from(["query", "document", "json"]))
@examples(150)
def test_any_bytes_in_click_logs_are_refused_by_line_or_can_be_kept(noise, place):
    row = {
        "query": b"query,documents,grades,clicks\nq%s,a b,1 0,0 1\n",
        "document": b"query,documents,grades,clicks\nq,a%s b,1 0,0 1\n",
        "json": b'{"query": "q%s", "documents": ["a"], "grades": [1], "clicks": [0]}\n',
    }[place].replace(b"%s", noise)
    found, error = outcome(lambda: read_log(io.BytesIO(row), layout="jsonl" if place == "json" else "csv"))
    if error is not None:
        assert unstorable(str(error)) is None
        return
    texts = [*found.queries, *found.documents, *found.languages]
    assert through_everything(texts) == texts


def test_a_stream_comes_in_any_pieces():
    class Source:
        name, total = "x", None

        def __init__(self, data, size):
            self.data, self.size = data, size

        def read(self, size):
            found, self.data = self.data[: self.size], self.data[self.size :]
            return found

        def done(self):
            return 0

    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
        for size in (1, 3, 1000):
            stream = Utf8Stream(Source("aé😀\n".encode(encoding), size))
            pieces = []
            while piece := stream.read(7):
                pieces.append(piece)
            assert b"".join(pieces) == "aé😀\n".encode()
