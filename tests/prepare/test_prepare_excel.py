"""An Excel workbook is a table like any other: what is wrong is told by sheet and row, and bombs do not go off."""

from __future__ import annotations

import datetime
import io
import json
import re
import zipfile

import pytest
from typer.testing import CliRunner

from rulerank.cli.program import app
from rulerank.errors import InputError, MemoryLimitError
from rulerank.prepare import BadRecordsError, Columns, TextReading, read_collection, table_head
from rulerank.prepare.files import file_at
from tests.prepare.pair_table import table
from tests.prepare.workbooks import helpdesk, workbook

SHEET = "xl/worksheets/sheet1.xml"
NAMESPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


KINDS = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
STRINGS = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{KINDS}"/></Types>'


def replaced(data: bytes, **parts: bytes) -> bytes:
    """Return a workbook with other bytes in these parts ("sheet", "strings", "styles")."""
    paths = {"sheet": SHEET, "strings": "xl/sharedStrings.xml", "styles": "xl/styles.xml"}
    other = {paths[name]: part for name, part in parts.items()}
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        assert paths["strings"] not in old.namelist()  # openpyxl puts texts into their cells
        for name in old.namelist():
            part = other.pop(name, None) or old.read(name)
            if name == "[Content_Types].xml" and "strings" in parts:
                part = part.replace(b"</Types>", STRINGS.encode())
            new.writestr(name, part)
        for name, part in other.items():
            new.writestr(name, part)
    return out.getvalue()


def sheet_of(inside: str, strings: bytes = b"") -> bytes:
    """Return a workbook whose sheet has these rows as XML."""
    xml = f"<worksheet {NAMESPACE}><sheetData>{inside}</sheetData></worksheet>"
    return replaced(
        workbook(("Data", [["query", "text"], ["a", "x"]])),
        sheet=xml.encode(),
        **({"strings": strings} if strings else {}),
    )


def inline(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


HEAD = f'<row r="1">{inline("A1", "query")}{inline("B1", "text")}</row>'


def bring(tmp_path, data: bytes, name: str = "helpdesk.xlsx", **how):
    path = tmp_path / name
    path.write_bytes(data)
    return read_collection(path, TextReading(**how))


def problems(tmp_path, data: bytes) -> list[tuple[str, int | None, str]]:
    with pytest.raises(BadRecordsError) as caught:
        bring(tmp_path, data)
    return [(each.file.rsplit("/", 1)[-1], each.line, each.message) for each in caught.value.problems]


class TestATable:
    def test_it_holds_what_the_same_rows_hold_as_csv(self, tmp_path):
        found = bring(tmp_path, helpdesk())
        (tmp_path / "helpdesk.csv").write_bytes(table())
        expected = read_collection(tmp_path / "helpdesk.csv")
        assert found.kind == "pairs"
        assert (found.pairs, found.judgements, found.queries) == (
            expected.pairs, expected.judgements, expected.queries
        )  # fmt: skip
        assert found.documents == expected.documents
        told = {each.what: each for each in found.left_out}
        assert told["columns"].names == ("Author",)
        assert told["rows"].names[0] == "row 22 (as row 5)"
        assert told["sheets"].names == ("Notes",)
        assert found.files == {str(tmp_path / "helpdesk.xlsx"): "Excel (sheet Data)"}

    @pytest.mark.parametrize("name", ["helpdesk.xlsx", "HELPDESK.XLSX", "export.zip", "no-ending"])
    def test_the_contents_say_what_it_is(self, tmp_path, name):
        if name == "no-ending":
            how = {"pair_columns": Columns.parse("query=query,body=text", "pairs")}
            with pytest.raises(InputError, match="no documents were found"):
                bring(tmp_path, workbook(("A", [["query", "text"], ["a", "x"]])), name, **how)
            return
        data = workbook(("A", [["query", "text"], ["a", "x"]]))
        if name.endswith(".zip"):
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w") as archive:
                archive.writestr("folder/helpdesk.xlsx", data)
            data = packed.getvalue()
        assert bring(tmp_path, data, name).pairs == (("q1", "d1"),)

    def test_a_text_that_is_called_xlsx_is_read_as_the_text_that_it_is(self, tmp_path):
        assert bring(tmp_path, b"query,text\na,x\n").pairs == (("q1", "d1"),)

    def test_documents_queries_and_judgements_in_workbooks_of_their_own(self, tmp_path):
        for name, lines in {
            "documents": [["id", "title", "text"], [1, "Wings", "lift"], [2, "Cats", "sleep"]],
            "queries": [["id", "query"], [7, "wing lift"]],
            "qrels": [["query-id", "corpus-id", "score"], [7, 1, 2], [7, 2, 0]],
        }.items():
            (tmp_path / f"{name}.xlsx").write_bytes(workbook((name, lines)))
        found = read_collection(tmp_path)
        assert found.kind == "table"
        assert found.judgements == {"7": {"1": 2, "2": 0}}

    def test_the_first_sheet_that_has_rows_is_taken_and_the_others_are_named(self, tmp_path):
        def hide(book):
            book["Lists"].sheet_state = "hidden"

        data = workbook(
            ("Lists", [["x"]]), ("Empty", []), ("Data", [["query", "text"], ["a", "x"]]), ("More", [["y"]]), change=hide
        )
        found = bring(tmp_path, data)
        (left,) = found.left_out
        assert (left.what, left.names) == ("sheets", ("Empty", "More", "Lists"))
        assert left.why == "only Data, the first sheet that has rows, is read"
        assert any("3 sheets left out" in note for note in found.notes)

    def test_the_first_rows_for_choosing_columns(self, tmp_path):
        (tmp_path / "a.xlsx").write_bytes(workbook(("A", [[None, "Frage", "Antwort"], [1, "Wo?", "Hier."]])))
        head = table_head(file_at(tmp_path / "a.xlsx"), "pairs")
        assert head.names == ("column A", "Frage", "Antwort")
        assert head.rows == (("1", "Wo?", "Hier."),)
        assert head.guess is None

    def test_progress_is_told_up_to_the_end(self, tmp_path):
        (tmp_path / "a.xlsx").write_bytes(workbook(("A", [["query", "text"], *(["a", f"x {n}"] for n in range(3000))])))
        seen = []
        read_collection(tmp_path / "a.xlsx", progress=lambda done, total, *_: seen.append((done, total)))
        assert seen == sorted(seen)
        assert seen[-1][0] >= 0.99 * seen[-1][1]


class TestCells:
    def test_numbers_dates_and_switches_keep_their_look(self, tmp_path):
        when = datetime.datetime(2024, 5, 1, 13, 30)
        lines = [
            ["query", "text", "grade", "docid"],
            [7, 7.0, 1.0, 12345678901],
            [7, 0.1 + 0.2, 0, "007"],
            [7, datetime.date(2024, 5, 1), None, 3],
            [7, when, -1, 4],
            [7, True, 2, 5],
            [7, datetime.time(9, 5), 2, 6],
        ]
        found = bring(tmp_path, workbook(("A", lines)))
        assert found.queries["q1"].text == "7"
        assert {docid: text.body for docid, text in found.documents.items()} == {
            "12345678901": "7", "007": "0.3", "3": "2024-05-01", "4": "2024-05-01T13:30:00", "5": "TRUE",
            "6": "09:05:00",
        }  # fmt: skip
        assert found.judgements == {"q1": {"12345678901": 1, "007": 0, "5": 2, "6": 2}}

    def test_breaks_tabs_and_long_texts(self, tmp_path):
        text = 'first\nsecond\twith a tab; "quotes", commas ' + "x" * 32_000
        found = bring(tmp_path, workbook(("A", [["query", "text"], ["a", text]])))
        assert found.documents["d1"].body == text

    def test_texts_with_fonts_readings_and_carriage_returns(self, tmp_path):
        runs = "<r><rPr><b/></rPr><t>fat </t></r><r><t>thin_x000D_\n</t></r><rPh sb='0' eb='1'><t>aloud</t></rPh>"
        strings = f"<sst {NAMESPACE}><si><t>query</t></si><si><t>text</t></si><si>{runs}</si></sst>".encode()
        cells = '<row r="{0}"><c r="A{0}" t="s"><v>{1}</v></c><c r="B{0}" t="s"><v>{2}</v></c></row>'
        found = bring(tmp_path, sheet_of(cells.format(1, 0, 1) + cells.format(2, 2, 2), strings))
        assert found.documents["d1"].body == "fat thin"
        assert found.queries["q1"].text == "fat thin"

    def test_empty_rows_between_do_not_count_and_rows_keep_their_numbers(self, tmp_path):
        lines = [[], ["query", "text"], [], ["a", "x"], [None, "   "], ["b", None], ["c", "z"]]
        found = bring(tmp_path, workbook(("Data", lines)))
        assert len(found.pairs) == 2
        (left,) = found.left_out
        assert (left.what, left.names) == ("rows", ("row 6",))
        assert "neither text nor title" in left.why

    def test_a_merged_cell_holds_for_the_rows_that_it_covers(self, tmp_path):
        lines = [["query", "text", "grade"], ["a", "x", 1], [None, "y", None], [None, "z", 2], ["b", "w", 0]]

        def merge(book):
            book["A"].merge_cells("A2:A4")
            book["A"].merge_cells("C2:C3")
            book["A"].merge_cells("D1:E1")

        found = bring(tmp_path, workbook(("A", lines), change=merge))
        assert found.pairs == (("q1", "d1"), ("q1", "d2"), ("q1", "d3"), ("q2", "d4"))
        assert found.judgements == {"q1": {"d1": 1, "d2": 1, "d3": 2}, "q2": {"d4": 0}}
        assert any("2 cells are merged with cells below" in note for note in found.notes)
        (left,) = bring(tmp_path, workbook(("A", lines))).left_out
        assert left.names == ("row 3", "row 4")

    def test_formulas_without_values_and_errors_are_told_by_cell(self, tmp_path):
        lines = [["query", "text", "average"], ["a", "=B4", "=1+1"], ["b", "#N/A", None], ["c", "x", None]]
        found = problems(tmp_path, workbook(("Data", lines)))
        assert [(line, message.split(";")[0]) for _, line, message in found] == [
            (2, "the cell B2 holds a formula without its value"),
            (3, "the cell B3 holds an error (#N/A)"),
        ]

    def test_a_formula_in_a_column_that_nobody_asks_for_does_no_harm(self, tmp_path):
        lines = [["query", "text", "average"], ["a", "x", "=1+1"]]
        assert bring(tmp_path, workbook(("Data", lines))).pairs == (("q1", "d1"),)

    def test_a_stored_value_of_a_formula_counts_and_so_does_an_empty_one(self, tmp_path):
        row = '<row r="2"><c r="A2" t="str"><f>"a"</f><v>a</v></c><c r="B2"><f>3+4</f><v>7.0</v></c></row>'
        empty = f'<row r="3"><c r="A3" t="str"><f>""</f><v></v></c>{inline("B3", "y")}</row>'
        assert bring(tmp_path, sheet_of(HEAD + row)).documents["d1"].body == "7"
        (left,) = bring(tmp_path, sheet_of(HEAD + row + empty)).left_out
        assert (left.names, left.why) == (("row 3",), "there is no query")

    def test_a_cell_beyond_the_named_columns(self, tmp_path):
        ((_, line, words),) = problems(tmp_path, workbook(("A", [["query", "text"], ["a", "x", None, "note"]])))
        assert line == 2
        assert words == "the cell D2 is in a column without a name; name it in the first row, or empty the cell"


class TestWhatCannotBeRead:
    @pytest.mark.parametrize(
        ("data", "name", "words"),
        [
            (OLD + bytes(3000), "a.xls", r"a\.xls: this is an old Office file.*save it as \.xlsx"),
            (OLD + bytes(3000), "a.xlsx", "this is an old Office file"),
            (OLD + bytes(1 << 20) + "EncryptedPackage".encode("utf-16-le"), "a.xlsx", "the workbook has a password"),
            (workbook(("A", [["query", "text"], ["a", "x"]]))[:900], "a.xlsx", "ends too soon or is damaged"),
            (workbook(("A", []), ("B", [[None]])), "a.xlsx", "no sheet of the workbook has rows"),
            (replaced(workbook(("A", [["query"]])), styles=b"<x"), "a.xlsx", "the workbook cannot be read"),
            (replaced(workbook(("A", [["query"]])), strings=b"PK" * 99), "a.xlsx", "the workbook cannot be read"),
            (sheet_of(HEAD + "<row"), "a.xlsx", "sheet Data: the sheet is damaged here|sheet Data:1: the sheet is"),
        ],
    )
    def test_it_is_told_what_is_wrong_and_what_to_do(self, tmp_path, data, name, words):
        with pytest.raises((InputError, BadRecordsError), match=words) as caught:
            bring(tmp_path, data, name)
        assert str(tmp_path / name) in str(caught.value)

    @pytest.mark.parametrize("member", ["content.xml", "xl/workbook.bin"])
    def test_other_spreadsheets_are_told_how_to_become_one(self, tmp_path, member):
        with zipfile.ZipFile(tmp_path / "a.ods", "w") as archive:
            archive.writestr(member, "<x/>")
            archive.writestr("mimetype", "x")
        with pytest.raises(InputError, match=r"this is a spreadsheet, but no \.xlsx; open the file in Excel"):
            read_collection(tmp_path / "a.ods")

    @pytest.mark.parametrize(
        ("cells", "words"),
        [
            ('<c r="A2" t="s"><v>99</v></c>', "the cell A2 cannot be read"),
            ('<c r="A2" t="s"><v>many</v></c>', "the cell A2 cannot be read"),
            ('<c r="A2"><v>1e</v></c>', "the cell A2 cannot be read"),
            ('<c r="A2" t="b"><v>maybe</v></c>', "the cell A2 cannot be read"),
            ('<c r="A2" t="d"><v>yesterday</v></c>', "the cell A2 cannot be read"),
            (f'<c r="A2"><v>{"9" * 9999}</v></c>', "the cell A2 cannot be read"),
        ],
    )
    def test_a_broken_cell_is_told_and_the_others_are_read_on(self, tmp_path, cells, words):
        rest = f'<row r="3">{inline("A3", "b")}</row>'
        first, second = problems(tmp_path, sheet_of(f'{HEAD}<row r="2">{cells}{inline("B2", "x")}</row>{rest}'))
        assert first[1] == 2
        assert words in first[2]
        assert second[1] == 3

    @pytest.mark.parametrize("number", ["1048577", "99999999999999", "1", "-4", "x"])
    def test_rows_that_cannot_be(self, tmp_path, number):
        ((_, line, words),) = problems(tmp_path, sheet_of(f'{HEAD}<row r="{number}">{inline("A2", "b")}</row>'))
        assert line == 1
        assert f"after row 1 comes one that calls itself {number!r}"[:50] in words

    def test_a_damaged_sheet_keeps_quiet_about_what_follows(self, tmp_path):
        xml = f"<worksheet {NAMESPACE}><sheetData>{HEAD}<row r='2'>{inline('A2', 'a')}</row><row r='3'></worksheet>"
        data = replaced(workbook(("Data", [["query"]])), sheet=xml.encode())
        found = problems(tmp_path, data)
        assert any("the sheet is damaged here" in words for _, _, words in found)


class TestBombs:
    @pytest.fixture(autouse=True)
    def little_memory(self, monkeypatch):
        monkeypatch.setenv("RULERANK_MEMORY_MEGABYTES", "24")

    def small(self, tmp_path, data: bytes) -> str:
        assert len(data) < 1 << 20
        with pytest.raises(MemoryLimitError) as caught:
            bring(tmp_path, data)
        assert "more than the limit of 24.0 MB" in str(caught.value)
        return str(caught.value)

    def test_a_table_of_texts_that_unpacks_to_very_much(self, tmp_path):
        one = f"<si><t>{'a' * 1000}</t></si>"
        strings = f"<sst {NAMESPACE}>{one * 30_000}</sst>".encode()
        words = self.small(tmp_path, replaced(workbook(("A", [["query"]])), strings=strings))
        assert "save the rows as CSV" in words

    def test_one_long_text(self, tmp_path):
        strings = f"<sst {NAMESPACE}><si><t>{'a' * 30_000_000}</t></si></sst>".encode()
        self.small(tmp_path, replaced(workbook(("A", [["query"]])), strings=strings))

    def test_a_row_of_very_many_cells(self, tmp_path):
        self.small(tmp_path, sheet_of(f"{HEAD}<row r='2'>{'<c/>' * 1_000_000}</row>"))

    def test_what_is_no_row_counts_too(self, tmp_path):
        self.small(tmp_path, sheet_of(f"{HEAD}{'<x/>' * 1_000_000}"))

    def test_styles(self, tmp_path):
        styles = f"<styleSheet {NAMESPACE}><cellXfs>{'<xf/>' * 200_000}</cellXfs></styleSheet>".encode()
        self.small(tmp_path, replaced(workbook(("A", [["query"]])), styles=styles))

    def test_many_rows_that_are_empty_take_no_memory(self, tmp_path):
        rows = "".join(f'<row r="{number}"/>' for number in range(2, 60_000))
        last = f'<row r="60000">{inline("A60000", "a")}{inline("B60000", "x")}</row>'
        assert bring(tmp_path, sheet_of(HEAD + rows + last)).pairs == (("q1", "d1"),)

    def test_texts_that_are_kept_are_metered_as_in_other_tables(self, tmp_path):
        rows = "".join(
            f'<row r="{number}">{inline(f"A{number}", "a")}{inline(f"B{number}", f"{number} " + "x" * 20_000)}</row>'
            for number in range(2, 2000)
        )
        assert "the texts up to here" in self.small(tmp_path, sheet_of(HEAD + rows))

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
    def test_entities_are_refused(self, tmp_path, encoding):
        many = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
        head = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE x [<!ENTITY e0 "ha">{many}]>'
        xml = f"{head}<worksheet>&e9;</worksheet>"
        with pytest.raises(InputError, match="it declares entities, which Excel never writes"):
            bring(tmp_path, replaced(workbook(("A", [["query"]])), sheet=xml.encode(encoding)))


def test_the_command_takes_a_workbook(tmp_path):
    lines = [["query", "text", "grade"], ["wing lift", "lift of a wing", 1], ["wing lift", "cats sleep", 0]]
    (tmp_path / "wings.xlsx").write_bytes(workbook(("Data", lines), ("Notes", [["by Ann"]])))
    given = ["prepare", str(tmp_path / "wings.xlsx"), "--out", str(tmp_path / "w.letor"), "--language", "en"]
    found = CliRunner().invoke(app, given)
    assert found.exit_code == 0, found.output
    assert re.search(r"1\s+sheet\s+left\s+out", found.output)
    saved = json.loads((tmp_path / "w.prepared.json").read_text())
    assert saved["left_out"][0]["names"] == ["Notes"]
    assert saved["rows"] == 2
