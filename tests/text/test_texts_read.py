"""Texts of queries and documents: what is read, and what is refused with file, line and advice."""

from __future__ import annotations

import bz2
import gzip
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.errors import InputError, RulerankError
from rulerank.text import DocumentText, QueryText, TextFormatError, read_documents, read_queries
from rulerank.text import read as texts

QUERIES = {"1": QueryText("zip a folder", "Pack it."), "b-2": QueryText("größe 😀")}
DOCUMENTS = {"d1": DocumentText("Title", "Body text", "de"), "d2": DocumentText("", "only a body")}

QUERY_TSV = "1\tzip a folder\tPack it.\nb-2\tgröße 😀\n"
QUERY_JSONL = '{"qid": 1, "text": "zip a folder", "need": "Pack it."}\n{"_id": "b-2", "query": "größe 😀"}\n'
DOCUMENT_JSONL = (
    '{"docid": "d1", "title": "Title", "text": "Body text", "language": "de"}\n{"id": "d2", "body": "only a body"}\n'
)


def stream(text: str | bytes) -> io.BytesIO:
    return io.BytesIO(text.encode() if isinstance(text, str) else text)


def error_of(text: str | bytes, read=read_queries, **options) -> TextFormatError:
    with pytest.raises(TextFormatError) as caught:
        read(stream(text), **options)
    return caught.value


def only_problem(text: str | bytes, read=read_queries) -> tuple[int, str]:
    error = error_of(text, read)
    assert len(error.problems) == 1
    assert not error.truncated
    return error.line, error.problems[0].message


@pytest.mark.parametrize(
    "text",
    [
        QUERY_TSV,
        QUERY_JSONL,
        "qid\ttext\tneed\n" + QUERY_TSV,
        "ID\tQuery\tdescription\n" + QUERY_TSV,
        QUERY_TSV.replace("\n", "\r\n"),
        "\n \n" + QUERY_TSV.replace("\n", "\n\n"),
        QUERY_JSONL.rstrip("\n"),
        "\ufeff" + QUERY_TSV,
        "\ufeff" + QUERY_JSONL.replace("need", "description"),
        '{"id": "1", "qid": null, "text": " zip a folder ", "need": "Pack it."}\n{"qid": "b-2", "query": "größe 😀"}',
    ],
)
def test_queries_in_every_form(text):
    assert read_queries(stream(text)) == QUERIES


def test_documents_from_jsonl_and_tsv():
    assert read_documents(stream(DOCUMENT_JSONL)) == DOCUMENTS
    found = read_documents(stream("docid\ttitle\tbody\nd#1\tTitle\tbody with\ttabs\nd2\t\tonly a body\n"))
    assert found == {"d#1": DocumentText("Title", "body with\ttabs"), "d2": DocumentText("", "only a body")}


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_paths_and_compressed_files(tmp_path, pack):
    path = tmp_path / "queries"
    path.write_bytes(pack(QUERY_TSV.encode()))
    assert read_queries(path) == read_queries(str(path)) == QUERIES
    with path.open("rb") as file:
        assert read_queries(file) == QUERIES
        assert not file.closed


def test_a_record_may_span_many_pieces(monkeypatch):
    monkeypatch.setattr("rulerank.foreign.decoding.CHUNK", 3)
    assert read_queries(stream(QUERY_TSV)) == QUERIES
    assert read_queries(stream("\ufeff" + QUERY_JSONL)) == QUERIES


def test_what_a_database_cannot_keep_is_replaced():
    assert read_queries(stream("1\ta\0b\n")) == {"1": QueryText("a\ufffdb")}
    assert read_documents(stream(r'{"id": "1", "text": "half \ud83d of \ud83d\ude00"}')) == {
        "1": DocumentText("", "half \ufffd of 😀")
    }


names = st.text(st.characters(codec="utf-8", exclude_characters="#\0", exclude_categories=["Z", "C"]), min_size=1)
bodies = st.text(st.characters(codec="utf-8", exclude_characters="\0")).map(str.strip).filter(bool)


@given(st.dictionaries(names, st.tuples(bodies, bodies), min_size=1, max_size=5), st.booleans())
def test_json_lines_come_back_as_they_were(records, ascii_only):
    lines = [json.dumps({"id": k, "title": t, "text": b}, ensure_ascii=ascii_only) for k, (t, b) in records.items()]
    assert read_documents(stream("\n".join(lines))) == {k: DocumentText(t, b) for k, (t, b) in records.items()}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("1\tgood\n2 no tab\n", 2, "expected 2 columns or more, divided by tabs (qid, text, need), but found 1"),
        ("1\tgood\n\n\t no id\n", 3, "the id '' must be text without blanks"),
        ("1\tgood\na b\ttext\n", 2, "the id 'a b' must be text without blanks, '#' or NUL"),
        ("a#b\ttext\n", 1, "'#'"),
        ("1\tgood\n2\t \t need\n", 2, "the query's text is empty"),
        ("1\tone\n2\ttwo\n1\tthree\n", 3, "the id '1' stands in line 1 already"),
        ('{"qid": 1, "text": "a"}\n{"qid": "1", "text": "b"}\n', 2, "stands in line 1 already"),
        ('{"qid": 1, "text": "a"}\n{"text": "b"}\n', 2, 'the id is missing: give "qid" (or "_id" or "id")'),
        ('{"qid": 1}\n', 1, 'text is missing: give "text" or "query"'),
        ('{"qid": 1, "text": 5}\n', 1, '"text" or "query" must be text, not int'),
        ('{"qid": true, "text": "a"}\n', 1, "whole number, not True"),
        ('{"qid": 1.5, "text": "a"}\n', 1, "whole number, not 1.5"),
        ('{"qid": 1, "text": "a"}\n{"qid": 2, "text": \n', 2, "not a JSON object on one line"),
        ('[{"qid": 1, "text": "a"}]\n', 1, "not a list"),
        ("[" * 100_000 + "\n", 1, "not a JSON object"),
        (b"1\tgood\n2\tb\xe4d\n", 2, "column 4: byte E4 is not UTF-8"),
        ("", 1, "the file is empty: it holds no query"),
        ("\n\n", 1, "the file is empty"),
    ],
)
def test_bad_queries(text, line, words):
    found, message = only_problem(text)
    assert found == line
    assert words in message


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("d1\tno body\n", 1, "expected 3 columns or more, divided by tabs (docid, title, body), but found 2"),
        ("d1\t\t\n", 1, "the document has no text at all"),
        ('{"docid": "d1", "title": "t", "text": "b", "language": ["en"]}', 1, '"language" must be text, not list'),
        ('{"docid": "d1", "language": null, "text": null}', 1, "no text at all"),
    ],
)
def test_bad_documents(text, line, words):
    found, message = only_problem(text, read_documents)
    assert found == line
    assert words in message


def test_all_problems_are_listed_up_to_the_limit(tmp_path):
    path = tmp_path / "bad.tsv"
    path.write_text("1\tgood\n" + "bad\n" * 5 + "1\tagain\n")
    with pytest.raises(TextFormatError) as caught:
        read_queries(path)
    assert [problem.line for problem in caught.value.problems] == [2, 3, 4, 5, 6, 7]
    assert not caught.value.truncated
    assert caught.value.source == str(path)
    assert str(caught.value).startswith(f"{path}:2: expected 2 columns")
    assert "(found 'bad')" in str(caught.value)
    assert isinstance(caught.value, RulerankError)
    with pytest.raises(TextFormatError) as caught:
        read_queries(path, max_errors=2)
    assert [problem.line for problem in caught.value.problems] == [2, 3]
    assert caught.value.truncated
    assert "only the first 2 are listed" in str(caught.value)


def test_a_long_line_is_shown_in_part():
    error = error_of("x" * 5000)
    assert error.problems[0].text.endswith("...")
    assert len(error.problems[0].text) == texts.SHOWN


def test_damaged_gzip_says_so():
    packed = gzip.compress("".join(f"{n}\ttext {n * n}\n" for n in range(1000)).encode())
    error = error_of(packed[: len(packed) // 2])
    assert "end too soon" in error.problems[0].message


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_byte_order_mark_tells_the_encoding(encoding):
    assert read_queries(stream(QUERY_TSV.encode(encoding))) == QUERIES


def test_other_kinds_of_file_are_refused():
    with pytest.raises(InputError, match="compressed twice"):
        read_queries(stream(gzip.compress(gzip.compress(QUERY_TSV.encode()))))
    with pytest.raises(InputError, match="cannot be opened"):
        read_queries("no/such/file.tsv")
    with pytest.raises(InputError, match="a path or a file object, not from int"):
        read_queries(5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="max_errors must be a whole number"):
        read_queries(stream(QUERY_TSV), max_errors=0)


def test_a_line_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(texts, "LONGEST_LINE", 100)
    monkeypatch.setattr("rulerank.foreign.decoding.CHUNK", 64)
    with pytest.raises(InputError, match="longer than 100 bytes"):
        read_queries(stream("1\t" + "x" * 500))


def test_progress_is_told_and_may_stop_the_reading():
    told: list[tuple[int, int | None]] = []
    read_queries(stream(QUERY_TSV), progress=lambda done, total: told.append((done, total)))
    size = len(QUERY_TSV.encode())
    assert told[-1] == (size, size)

    class StopReadingError(Exception):
        pass

    def stop(done: int, total: int | None) -> None:
        raise StopReadingError

    with pytest.raises(StopReadingError):
        read_queries(stream(QUERY_TSV), progress=stop)


def test_terms_of_queries_come_with_jsonl():
    asked = '{"qid": "1", "text": "wings", "terms": ["wing", "lift", "wing"]}\n{"qid": "2", "text": "drag"}\n'
    found = read_queries(stream(asked + '{"qid": "3", "text": "of", "terms": []}\n'))
    assert [each.terms for each in found.values()] == [("wing", "lift"), None, ()]


@pytest.mark.parametrize("terms", ['"wing"', "[1]", '[""]', '{"a": 1}', '["a", null]'])
def test_terms_must_be_words(terms):
    with pytest.raises(TextFormatError, match=r':2: "terms" must be a list of words'):
        read_queries(stream(f'{{"qid": "1", "text": "a"}}\n{{"qid": "2", "text": "b", "terms": {terms}}}\n'))
