"""Readers of every format: what they take, and what they refuse, by file and line; nothing is half imported."""

from __future__ import annotations

import gzip
import json

import pytest

from rulerank.errors import InputError
from rulerank.prepare import BadRecordsError, Columns, TextReading, file_at, read_collection, table_head
from rulerank.text import DocumentText, QueryText


def folder_of(tmp_path, files):
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return tmp_path


SMART = {
    "X.ALL": ".I 1\n.T\nthe wing\n.A\nsmith,j.\n.W\nthe\nwing lifts the\nplane .\n.X\n1 5 1\n2 5 1\n2 6 1\n"
    ".I 2\r\n.W\r\nonly text\r\n.I 3\n.T\n.W\n\n",
    "X.QRY": ".I 001\n.W\n what lifts\nplanes\n.I 004\n.T\nTitle\n.W\nlong text\n",
    "X.REL": "1 1 0 0.000000\n2 2 0 0.000000\n",
    "X_short.QRY": ".I 1\n.W\nnot me\n",
    "README": "hello",
}


def test_smart(tmp_path):
    found = read_collection(folder_of(tmp_path, SMART))
    assert found.kind == "smart"
    assert found.documents == {
        "1": DocumentText("the wing", "lifts the\nplane .\n\nsmith,j."),  # the text began with the title
        "2": DocumentText("", "only text"),
    }
    assert found.numbers == {"links": {"1": 1.0}}  # itself, and 2 twice
    # The judgements name query 2, and there is none with that id: they count places.
    assert found.queries == {"1": QueryText("what lifts planes"), "2": QueryText("Title", "long text")}
    assert found.judgements == {"1": {"1": 1}, "2": {"2": 1}}
    assert found.complete
    assert found.files == {"X.ALL": "ASCII", "X.QRY": "ASCII", "X.REL": "ASCII"}
    told = " / ".join(found.notes)
    assert "1 documents have no text" in told
    assert "numbered by their places" in told
    assert "X_short.QRY" in told


def test_cranfield_grades_are_turned_round(tmp_path):
    files = {**SMART, "cranqrel": "1 1 1\n1 2 -1\n"}
    del files["X.REL"]
    found = read_collection(folder_of(tmp_path, files))
    assert found.judgements == {"1": {"1": 4, "2": 0}}
    told = read_collection(tmp_path, TextReading(grades={1: 1, -1: 2}, unjudged="unknown"))
    assert told.judgements == {"1": {"1": 1, "2": 2}}
    assert not told.complete
    with pytest.raises(InputError, match=r"the grades \[-1\] are in the file"):
        read_collection(tmp_path, TextReading(grades={1: 1}))


TREC = {
    "docs/a.sgml.gz": gzip.compress(
        b"<DOC>\n<DOCNO> FT-1 </DOCNO>\n<HEADLINE>\nLift &amp; drag\n</HEADLINE>\n<TEXT>\n<P>Wings\nlift.</P>\n"
        b"<P>Twice.</P>\n</TEXT>\n</DOC>\n<DOC><DOCNO>FT-2</DOCNO><AUTHOR>Jane</AUTHOR> No text tag</DOC>\n"
    ),
    "topics.301.txt": "<top>\n<num> Number: 301\n<title> Lift of wings\n<desc> Description:\nWhat lifts?\n"
    "<narr> Narrative:\nLong.\n</top>\n<topic number='302'><query>drag</query><description>less</description></topic>",
    "qrels.301.txt": "301 0 FT-1 2\n301 0 FT-2 0\n302 Q0 FT-2 -2\n",
    "bm25.run": "301 Q0 FT-2 1 9.5 x\n301 Q0 FT-1 2 9.75 x\n",
}


def test_trec(tmp_path):
    found = read_collection(folder_of(tmp_path, TREC))
    assert found.kind == "trec"
    assert found.documents == {
        "FT-1": DocumentText("Lift & drag", "Wings\nlift. \n Twice."),
        "FT-2": DocumentText("", "Jane No text tag"),
    }
    assert found.queries == {"301": QueryText("Lift of wings", "What lifts?"), "302": QueryText("drag", "less")}
    assert found.judgements == {"301": {"FT-1": 2, "FT-2": 0}, "302": {"FT-2": 0}}
    assert found.runs == {"bm25.run": {"301": ["FT-1", "FT-2"]}}
    assert not found.complete


BEIR = {
    "corpus.jsonl": '{"_id": "d1", "title": "T", "text": "größer", "metadata": {}}\n{"_id": "d2", "text": "b"}\n',
    "queries.jsonl": '{"_id": "q1", "text": "what"}\n{"_id": "q2", "text": "who"}\n',
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
    "qrels/train.tsv": "query-id\tcorpus-id\tscore\nq2\td2\t2\n",
}


def test_beir(tmp_path):
    found = read_collection(folder_of(tmp_path, BEIR))
    assert found.kind == "beir"
    assert found.documents == {"d1": DocumentText("T", "größer"), "d2": DocumentText("", "b")}
    assert found.judgements == {"q1": {"d1": 1}, "q2": {"d2": 2}}
    assert found.files["corpus.jsonl"] == "UTF-8"
    assert not found.complete
    assert read_collection(tmp_path, TextReading(unjudged="zero")).complete


def test_tables_with_and_without_names(tmp_path):
    folder_of(
        tmp_path,
        {
            "my-documents.csv": 'ID;Title;Text;Views;Language\n7;A;"two\nlines; one";12;EN\n8;B;x;;de\n',
            "queries.tsv": '1\twhat is "this"\n2\twho\n',
            "judgements.csv": "qid,docid,grade\n1,7,2\n",
        },
    )
    found = read_collection(tmp_path)
    assert found.documents == {"7": DocumentText("A", "two\nlines; one", "en"), "8": DocumentText("B", "x", "de")}
    assert found.numbers == {"Views": {"7": 12.0, "8": 0.0}}
    assert found.queries == {"1": QueryText('what is "this"'), "2": QueryText("who")}
    assert found.judgements == {"1": {"7": 2}}


def test_columns_that_people_choose(tmp_path):
    folder_of(
        tmp_path,
        {
            "products.csv": "sku,label,long,short,sold\nA,Chair,wooden,four legs,5\n",
            "asked.jsonl": '{"nr": 1, "words": "sit", "why": "tired"}\n',
        },
    )
    how = TextReading(
        documents=(str(tmp_path / "products.csv"),),
        queries=(str(tmp_path / "asked.jsonl"),),
        document_columns=Columns.parse("id=sku,title=label,body=long+short,numbers=sold"),
        query_columns=Columns.parse("id=nr,text=words,need=why"),
    )
    found = read_collection(tmp_path, how)
    assert found.documents == {"A": DocumentText("Chair", "wooden\n\nfour legs")}
    assert found.numbers == {"sold": {"A": 5.0}}
    assert found.queries == {"1": QueryText("sit", "tired")}
    head = table_head(file_at(tmp_path / "products.csv"), "documents")
    assert head.names == ("sku", "label", "long", "short", "sold")
    assert head.rows == (("A", "Chair", "wooden", "four legs", "5"),)
    assert head.guess is None
    with pytest.raises(InputError, match=r"the columns \(sku, label.*do not say what they are"):
        read_collection(tmp_path, TextReading(documents=how.documents, queries=how.queries))
    with pytest.raises(InputError, match="there is no column 'nothing'; its columns are sku"):
        read_collection(
            tmp_path,
            TextReading(
                documents=how.documents, queries=how.queries, document_columns=Columns("nothing", body=("long",))
            ),
        )
    for wrong in ("title=label", "id", "id=a+b", "what=x"):
        with pytest.raises(InputError):
            Columns.parse(wrong)


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        (
            "corpus.jsonl",
            '{"_id": "d1", "text": "a"}\n{"_id": "d1", "text": "b"}\n',
            "corpus.jsonl:2: the document 'd1'",
        ),
        ("corpus.jsonl", '{"_id": "d1", "text": "a"}\nnonsense\n', "corpus.jsonl:2: not a JSON object"),
        ("corpus.jsonl", '{"_id": "d1", "text": "a"}\n{"text": "b"}\n', "corpus.jsonl:2: the id is missing"),
        ("corpus.jsonl", '{"_id": "a b", "text": "a"}\n', "corpus.jsonl:1: the document's id must be text without"),
        ("corpus.jsonl", "", "corpus.jsonl:1: the file is empty"),
        ("queries.jsonl", '{"_id": "q#", "text": "a"}\n', "queries.jsonl:1: the query's id must be text without"),
        ("queries.jsonl", '{"_id": "q", "text": " "}\n', "queries.jsonl:1: the query has no text"),
        ("qrels/test.tsv", "q1\td1\tmuch\n", "qrels/test.tsv:1: not a judgement"),
        ("qrels/test.tsv", "", "qrels/test.tsv:1: the file holds no judgements"),
        ("one.run", "q1 Q0 d1 first 1.0 x\n", "one.run:1: not a line of a run"),
    ],
)
def test_bad_records_by_line(tmp_path, name, text, problem):
    folder_of(tmp_path, {**BEIR, name: text})
    with pytest.raises(BadRecordsError) as caught:
        read_collection(tmp_path)
    assert str(caught.value).startswith(problem)


@pytest.mark.parametrize(
    ("files", "name", "text", "problem"),
    [
        (SMART, "X.ALL", ".I 1\nlost\n.W\ntext\n", "X.ALL:2: text before its first part"),
        (SMART, "X.QRY", ".I 1\n.W\n\n", "X.QRY:1: the query has no text"),
        (TREC, "docs/a.sgml.gz", "<DOC>\n<TEXT>a</TEXT>\n</DOC>\n", "docs/a.sgml.gz:1: the document has no <DOCNO>"),
        (TREC, "docs/a.sgml.gz", "<DOC>\n<DOCNO>1</DOCNO>\n", "docs/a.sgml.gz:1: the record that began in line 1"),
        (TREC, "topics.301.txt", "<top>\n<title> a\n</top>\n", "topics.301.txt:1: the topic has no number"),
    ],
)
def test_bad_records_of_the_older_formats(tmp_path, files, name, text, problem):
    with pytest.raises(BadRecordsError) as caught:
        read_collection(folder_of(tmp_path, {**files, name: text}))
    assert str(caught.value).startswith(problem)


def test_problems_of_all_files_come_together_up_to_a_limit(tmp_path):
    bad = {"corpus.jsonl": "bad\n" * 3 + BEIR["corpus.jsonl"], "queries.jsonl": "worse\n" + BEIR["queries.jsonl"]}
    folder_of(tmp_path, {**BEIR, **{name: "{" + text for name, text in bad.items()}})
    with pytest.raises(BadRecordsError) as caught:
        read_collection(tmp_path)
    assert [(each.file, each.line) for each in caught.value.problems] == [
        ("corpus.jsonl", 1),
        ("corpus.jsonl", 2),
        ("corpus.jsonl", 3),
        ("queries.jsonl", 1),
    ]
    with pytest.raises(BadRecordsError) as caught:
        read_collection(tmp_path, TextReading(max_errors=2))
    assert len(caught.value.problems) == 2
    assert caught.value.truncated


def test_a_bad_column_count_and_number_are_named(tmp_path):
    folder_of(tmp_path, {"documents.csv": "id,text,views\n1,a,2\n2,b\n3,c,many\n", "queries.csv": "id,text\n1,a\n"})
    with pytest.raises(BadRecordsError) as caught:
        read_collection(tmp_path)
    assert [(each.line, each.message) for each in caught.value.problems] == [
        (3, "2 columns instead of 3"),
        (4, "the column 'views' must hold finite numbers"),
    ]


def test_what_is_missing_is_said(tmp_path):
    with pytest.raises(InputError, match="no documents were found among 1 files"):
        read_collection(folder_of(tmp_path / "a", {"notes.txt": "hello"}))
    with pytest.raises(InputError, match="no queries were found"):
        read_collection(folder_of(tmp_path / "b", {"documents.tsv": "1\ta\n"}))
    with pytest.raises(InputError, match="do these files belong together"):
        read_collection(
            folder_of(tmp_path / "c", {**BEIR, "qrels/test.tsv": "x\ty\t1\n", "qrels/train.tsv": "x\tz\t1\n"})
        )
    with pytest.raises(InputError, match="no format is named 'xml'"):
        read_collection(tmp_path / "a", TextReading(kind="xml"))


def test_progress_counts_bytes_and_can_stop(tmp_path):
    folder_of(tmp_path, BEIR)
    told = []
    read_collection(tmp_path, progress=lambda done, total: told.append((done, total)))
    assert told[-1][0] == told[-1][1] == sum(len(text.encode()) for text in BEIR.values())

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_collection(tmp_path, progress=stop)


def test_records_need_not_have_the_same_keys(tmp_path):
    records = '{"_id": "d1", "text": "a"}\n{"title": "T", "_id": "d2", "text": "b", "lang": "FR", "views": 2}\n'
    found = read_collection(folder_of(tmp_path, {**BEIR, "corpus.jsonl": records}))
    assert found.documents == {"d1": DocumentText("", "a"), "d2": DocumentText("T", "b", "fr")}
    assert found.numbers == {"views": {"d2": 2.0}}


def test_json_texts_come_back_as_they_were(tmp_path):
    text = 'a "quoted"\ttab, \u2028 and 😀'
    record = json.dumps({"_id": "d1", "title": text, "text": "b"}, ensure_ascii=False)
    found = read_collection(folder_of(tmp_path, {**BEIR, "corpus.jsonl": record, "qrels/train.tsv": "q1\td1\t1\n"}))
    assert found.documents["d1"].title == text
