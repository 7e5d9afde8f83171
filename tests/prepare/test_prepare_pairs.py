"""One table of query-document pairs is taken as it is; bad rows are listed by line, what is left out by name."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zipfile

import pytest
from typer.testing import CliRunner

from rulerank.cli.program import app
from rulerank.errors import InputError
from rulerank.letor import read_letor
from rulerank.prepare import (
    BadRecordsError,
    Columns,
    Options,
    TextReading,
    guess_columns,
    prepare,
    read_collection,
    write_prepared,
)
from tests.prepare.pair_table import DOCUMENTS, PAIRS, QUERIES, ROWS, SUBJECTS, rows, table


def bring(tmp_path, data: bytes | str, name: str = "helpdesk.csv", **how):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_collection(path, TextReading(**how))


def problems(tmp_path, data: bytes | str, name: str = "helpdesk.csv", **how) -> list[tuple[int | None, str]]:
    with pytest.raises(BadRecordsError) as caught:
        bring(tmp_path, data, name, **how)
    return [(each.line, each.message) for each in caught.value.problems]


class TestARealTable:
    def test_every_pair_query_and_document_is_there(self, tmp_path):
        assert len(rows()) == ROWS
        found = bring(tmp_path, table())
        assert found.kind == "pairs"
        assert [query.text for query in found.queries.values()] == list(QUERIES)
        assert list(found.queries) == ["q1", "q2", "q3", "q4"]
        assert (len(found.pairs), len(set(found.pairs)), len(found.documents)) == (PAIRS, PAIRS, DOCUMENTS)
        text = found.documents["https://help.example/0"]
        assert (text.title, text.body) == (
            "About the password", 'How to get a password; "quickly".\nSecond line, with a comma.'
        )  # fmt: skip
        assert {docid for docid in found.documents if not docid.startswith("https:")} == {"d1", "d2", "d3"}
        graded = [row for row in rows() if row[4]]
        assert sum(map(len, found.judgements.values())) == len(set(graded))

    def test_grades_are_those_of_the_table(self, tmp_path):
        found = bring(tmp_path, table())
        by_text = {(query.text): qid for qid, query in found.queries.items()}
        by_body = {document.body: docid for docid, document in found.documents.items()}
        for query, _, text, _, grade, _ in rows():
            pair = by_text[query], by_body[text]
            assert pair in found.pairs
            if grade:
                assert found.judgements[pair[0]][pair[1]] == int(grade)

    def test_what_is_left_out_is_listed_with_its_reason(self, tmp_path):
        found = bring(tmp_path, table())
        told = {each.what: each for each in found.left_out}
        assert told["columns"].names == ("Author",)
        assert told["rows"].count == ROWS - PAIRS
        assert "the same pair stands above" in told["rows"].why
        assert found.notes[0] == (f"1 column left out: not assigned in {tmp_path / 'helpdesk.csv'} (Author)")
        assert found.notes[1].startswith(
            "2 rows left out: the same pair stands above, and counts once (line 42 (row 22 in a spreadsheet) (as line"
        )

    def test_no_pair_is_lost_whatever_bm25_thinks_of_it(self, tmp_path):
        found = bring(tmp_path, table())
        made = prepare(found, Options(candidates=1, languages=("en",)))
        kept = set(zip(made.collection.qids, made.collection.docids, strict=True))
        assert kept == set(found.pairs)
        assert set(made.texts.documents) == set(found.documents)
        assert "BM25(title)" in made.collection.feature_names
        assert made.facts["candidates"] is None
        assert [each.what for each in made.left_out] == ["columns", "rows"]
        told = zip(made.collection.qids, made.collection.docids, made.collection.grades.tolist(), strict=True)
        assert all(grade == found.judgements.get(qid, {}).get(docid, -1) for qid, docid, grade in told)

    def test_bad_rows_are_reported_by_line_with_what_to_do(self, tmp_path):
        # Every row but the header has two lines, because its text is broken in two.
        ((line, words),) = problems(tmp_path, table(bad=True))
        assert line == 19
        assert "write a whole number such as 0, 1 or 2, or leave the cell empty" in words
        assert words.endswith("(row 11 in a spreadsheet)")

    def test_rows_without_query_or_document_are_left_out_and_listed(self, tmp_path):
        found = bring(tmp_path, table(bad=True).replace(b";good;", b";1;"))
        told = {each.why: each.names for each in found.left_out if each.what == "rows"}
        assert told["there is no query"] == ("line 4 (row 3 in a spreadsheet)",)
        (why,) = [why for why in told if "neither text nor title" in why]
        assert told[why] == ("line 10 (row 6 in a spreadsheet)",)
        assert len(found.pairs) == PAIRS - 2
        assert any(note.startswith("1 row left out: there is no query (line 4") for note in found.notes)

    @pytest.mark.parametrize("kind", ["comma", "tsv", "jsonl", "gz", "zip", "utf-16"])
    def test_every_way_to_write_it_gives_the_same(self, tmp_path, kind):
        expected = bring(tmp_path, table())
        told = [[cell.replace("\n", " ") for cell in row] for row in rows()] if kind == "tsv" else rows()
        out = io.StringIO()
        header = next(csv.reader(io.StringIO(table().decode("utf-8-sig")), delimiter=";"))
        data, name = table(), "helpdesk.csv.gz"
        if kind in ("comma", "utf-16"):
            csv.writer(out).writerows([header, *told])
            data, name = out.getvalue().encode("utf-16" if kind == "utf-16" else "utf-8"), "x.csv"
        elif kind == "tsv":
            data, name = "\n".join("\t".join(row) for row in [header, *told]).encode(), "x.tsv"
        elif kind == "jsonl":
            records = [{key: value for key, value in zip(header, row, strict=True) if value} for row in told]
            data, name = "\n".join(map(json.dumps, records)).encode(), "x.jsonl"
        elif kind == "gz":
            data = gzip.compress(data)
        else:
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w") as archive:
                archive.writestr("helpdesk.csv", data)
            data, name = packed.getvalue(), "x.zip"
        found = bring(tmp_path, data, name)
        assert found.pairs == expected.pairs
        assert found.judgements == expected.judgements
        assert {" ".join(each.body.split()) for each in found.documents.values()} == {
            " ".join(each.body.split()) for each in expected.documents.values()
        }


class TestRowsThatHoldNothing:
    data = "qid,query,docid,text\n7,wings,,\n7,,B,drag\n8,cones,C,\n,,C,tip\n9,only this,D,\n"

    def test_what_they_say_of_other_rows_still_counts(self, tmp_path):
        found = bring(tmp_path, self.data)
        assert found.pairs == (("7", "B"), ("8", "C"))
        assert {qid: query.text for qid, query in found.queries.items()} == {"7": "wings", "8": "cones"}
        assert {docid: text.body for docid, text in found.documents.items()} == {"B": "drag", "C": "tip"}
        assert [each.names for each in found.left_out] == [("line 2", "line 6"), ("line 5",)]
        made = prepare(found, Options(languages=("en",)))
        assert [each.what for each in made.left_out] == ["rows", "rows"]

    def test_a_table_of_them_alone_is_refused(self, tmp_path):
        (first, second) = problems(tmp_path, "query,text\na,\n,x\n")
        assert first == (
            2, "the document has neither text nor title, so nobody can judge it; add one, or delete the row"
        )  # fmt: skip
        assert second == (3, "there is no query; fill it in, or delete the row")

    def test_of_several_tables_the_file_is_named(self, tmp_path):
        for name, text in (("a.csv", "x"), ("b.csv", "")):
            (tmp_path / name).write_text(f"query,text\nq,{text}\n")
        paths = tuple(str(tmp_path / name) for name in ("a.csv", "b.csv"))
        found = read_collection(tmp_path, TextReading(kind="pairs", documents=paths))
        assert found.left_out[0].names == (f"{paths[1]}, line 2",)


class TestWhatBelongsTogether:
    def test_ids_and_addresses_name_documents_and_queries(self, tmp_path):
        data = (
            "qid,query,docid,text,grade\n"
            "7,wings,A 1,lift of a wing,1\n"
            "7,,B,drag,\n"  # the id says which query
            "8,cones,A 1,,2\n"  # the id says which document
            "9,wings,B,drag,0\n"  # the same text is the same query
        )
        found = bring(tmp_path, data)
        assert list(found.queries) == ["7", "8"]
        assert found.pairs == (("7", "A_1"), ("7", "B"), ("8", "A_1"))
        assert found.judgements == {"7": {"A_1": 1, "B": 0}, "8": {"A_1": 2}}
        assert {each.what: each.names for each in found.left_out} == {
            "query ids": ("9 (as 7)",),
            "rows": ("line 5 (as line 3)",),
        }

    def test_a_page_in_several_passages_is_several_documents(self, tmp_path):
        data = "query,passage,url\nwings,lift,http://a/1\nwings,drag,http://a/1\ncones,lift,http://a/1\n"
        found = bring(tmp_path, data)
        assert found.pairs == (("q1", "http://a/1"), ("q1", "http://a/1#2"), ("q2", "http://a/1"))
        assert [each.body for each in found.documents.values()] == ["lift", "drag"]
        paths = write_prepared(prepare(found, Options(languages=("en",))), tmp_path / "pages.letor")
        assert read_letor(paths["letor"]).docids == tuple(docid for _, docid in found.pairs)

    def test_numbers_that_ids_have_already_are_not_given_again(self, tmp_path):
        found = bring(tmp_path, "q,docid,text\na,,first\na,d1,second\na,d1,\nb,,second\n")
        assert found.pairs == (("q1", "d2"), ("q1", "d1"), ("q2", "d1"))

    def test_numbers_of_pairs_become_features(self, tmp_path):
        found = bring(tmp_path, "query,text,clicks\na b,a b c,3\na b,b c d,\nc d,a b c,5\n")
        made = prepare(found, Options(languages=("en",), normalise=False))
        column = made.collection.feature_names.index("clicks(pair)")
        assert made.collection.features[:, column].tolist() == [3.0, 0.0, 5.0]

    @pytest.mark.parametrize(
        ("data", "line", "words"),
        [
            ("qid,query,text\n1,a,x\n1,b,y\n", 3, "the query id '1' stands for another query in line 2"),
            ("query,docid,text\na,D,x\nb,D,y\n", 3, "the document 'D' has another text in line 2"),
            ("query,text,grade\na,x,1\na,x,2\n", 3, "this pair has grade 1 in line 2; keep one of the two rows"),
            ("query,text,grade\na,x,1.5\n", 2, "what stands in the column 'grade' is not a grade"),
            ("query,text,grade\na,x,-2\n", 2, "what stands in the column 'grade' is not a grade"),
            ("query,text,views\na,x,many\n", 2, "the column 'views' must hold finite numbers"),
            ("query,text\na,x,y\n", 2, "3 columns instead of 2; put quotes around a cell that holds ','"),
            ("query,docid,text\na,D,\n", 2, "neither text nor title"),
        ],
    )
    def test_what_contradicts_itself_is_refused_by_line(self, tmp_path, data, line, words):
        ((found, message),) = problems(tmp_path, data)
        assert found == line
        assert words in message
        assert "in a spreadsheet" not in message

    def test_grades_may_be_changed_and_minus_one_is_unknown(self, tmp_path):
        data = "query,text,grade\na,x,1\na,y,-1\na,z,3.0\n"
        assert bring(tmp_path, data).judgements == {"q1": {"d1": 1, "d3": 3}}
        mapped = bring(tmp_path, data, grades={1: 0, 3: 1, -1: 0})
        assert mapped.judgements == {"q1": {"d1": 0, "d2": 0, "d3": 1}}


class TestRecognising:
    @pytest.mark.parametrize(
        ("names", "chosen"),
        [
            (["query", "document", "text"], Columns("document", body=("text",), text=("query",))),
            (["Question", "Passage"], Columns(body=("Passage",), text=("Question",))),
            (["q", "document", "judgement"], Columns(body=("document",), text=("q",), grade=("judgement",))),
            (["query", "title", "url"], Columns(title=("title",), text=("query",), url=("url",))),
            (
                ["QID", "Query text", "DocID", "Body", "Relevance"],
                Columns("DocID", body=("Body",), text=("Query text",), qid=("QID",), grade=("Relevance",)),
            ),
            (["id", "text"], None),
            (["query-id", "corpus-id", "score"], None),
        ],
    )
    def test_columns_by_their_names(self, names, chosen):
        assert guess_columns(names, "pairs") == chosen

    def test_other_names_are_chosen_by_hand(self, tmp_path):
        data = "Frage;Antwort;Urteil\nWo?;Hier.;1\nWann?;Bald.;0\n"
        with pytest.raises(InputError, match="one table of queries and documents needs columns such as query and text"):
            bring(tmp_path, data)
        columns = Columns.parse("query=Frage,body=Antwort,grade=Urteil", "pairs")
        found = bring(tmp_path, data, pair_columns=columns)
        assert found.judgements == {"q1": {"d1": 1}, "q2": {"d2": 0}}
        with pytest.raises(InputError, match="there is no column 'Note'; its columns are Frage, Antwort, Urteil"):
            bring(tmp_path, data, pair_columns=Columns.parse("query=Frage,body=Antwort,grade=Note", "pairs"))
        with pytest.raises(InputError, match="holds the queries"):
            Columns.parse("body=Antwort", "pairs")

    def test_tables_of_documents_and_queries_stay_what_they_are(self, tmp_path):
        (tmp_path / "documents.csv").write_text("id,title,text\n1,A,lift\n")
        (tmp_path / "queries.csv").write_text("id,query\n1,lift\n")
        assert read_collection(tmp_path).kind == "table"


def test_documents_that_no_query_finds_are_named(tmp_path):
    (tmp_path / "documents.csv").write_text("id,text\n1,lift of wings\n2,heat\n3,cats\n")
    (tmp_path / "queries.csv").write_text("id,query\n1,lift\n")
    made = prepare(read_collection(tmp_path), Options(languages=("en",)))
    (left,) = made.left_out
    assert (left.what, left.count, left.names) == ("documents", 2, ("2", "3"))
    assert any("2 documents left out: no query has them among its candidates" in note for note in made.notes)


class TestCommand:
    def call(self, *arguments: object):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    def test_one_file_is_enough(self, tmp_path):
        (tmp_path / "helpdesk.csv").write_bytes(table())
        found = self.call("prepare", tmp_path / "helpdesk.csv", "--out", tmp_path / "h.letor", "--language", "en")
        assert found.exit_code == 0, found.output
        words = " ".join(found.output.split())
        assert "2 rows left out: the same pair stands above" in words
        assert "query-document pairs" in words
        assert "documents in pairs" in words
        saved = json.loads((tmp_path / "h.prepared.json").read_text())
        assert (saved["rows"], saved["documents"], saved["queries"]) == (PAIRS, len(SUBJECTS), 4)
        assert saved["left_out"][0]["names"] == ["Author"]
        assert len((tmp_path / "h.letor").read_text().splitlines()) == PAIRS

    def test_bad_rows_leave_nothing_behind(self, tmp_path):
        (tmp_path / "helpdesk.csv").write_bytes(table(bad=True))
        found = self.call("prepare", tmp_path / "helpdesk.csv", "--out", tmp_path / "h.letor")
        assert "helpdesk.csv:19: what stands in the column" in str(found.exception)
        assert not list(tmp_path.glob("h.*"))

    def test_columns_by_hand(self, tmp_path):
        (tmp_path / "a.csv").write_text("Frage,Antwort\nWo?,Hier.\n")
        columns = ("--columns", "query=Frage,body=Antwort")
        found = self.call("prepare", tmp_path / "a.csv", "--out", tmp_path / "a.letor", *columns)
        assert found.exit_code == 0, found.output
