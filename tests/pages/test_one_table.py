"""New campaign from one table: every pair is kept, the button is there at once, and what is wrong is said."""

from __future__ import annotations

import io
import zipfile

import pytest
from streamlit.testing.v1 import AppTest

from rulerank.collection import Collection
from rulerank.errors import InputError
from rulerank.importing.files import Files, Upload, recognised, sorted_out, uploaded
from rulerank.importing.kept import ImportPreview, without_texts
from rulerank.importing.names import data_name, free_name
from rulerank.importing.read import BadFilesError, read_files
from rulerank.importing.texts import Wish, prepare_files
from rulerank.prepare import Columns, Layout, TextReading
from rulerank.text import DocumentText, QueryText, Texts
from tests.prepare.pair_table import DOCUMENTS, PAIRS, QUERIES, table
from tests.prepare.workbooks import helpdesk, workbook


def silent(done, total) -> None:
    return None


def opened_page(path) -> AppTest:
    page = AppTest.from_file("../../pages/new_campaign/page.py", default_timeout=600).run()
    page.radio(key="import-way").set_value("texts").run()
    page.segmented_control(key="texts-source").set_value("path").run()
    page.text_input(key="texts-path").set_value(str(path)).run()
    assert not page.exception, page.exception
    return page


def letor_page(path) -> AppTest:
    page = AppTest.from_file("../../pages/new_campaign/page.py", default_timeout=600).run()
    page.segmented_control(key="import-source").set_value("path").run()
    page.text_input(key="import-path").set_value(str(path)).run()
    assert not page.exception, page.exception
    return page


def labels(page: AppTest) -> list[str]:
    return [button.label for button in page.button]


def press(page: AppTest, label: str) -> AppTest:
    next(button for button in page.button if button.label == label).click().run()
    assert not page.exception, page.exception
    return page


def field(page: AppTest, kind: str, label: str):
    return next(each for each in getattr(page, kind) if each.label == label)


def drop(page: AppTest, name: str, content: bytes) -> AppTest:
    """Drop a file beside those that are there, as a browser does."""
    box = page.file_uploader(key="texts-files")
    box._files = box._get_files_to_register()
    return box.upload(name, content, "text/csv").run()


@pytest.mark.usefixtures("worker")
class TestPage:
    def test_from_a_table_to_a_campaign_with_every_pair(self, workspace, tmp_path):
        (tmp_path / "helpdesk.csv").write_bytes(table())
        page = opened_page(tmp_path / "helpdesk.csv")
        assert "Prepare the collection" not in labels(page)
        assert "Create the campaign" in labels(page)
        (told,) = [each.value for each in page.warning]
        assert "pairs are graded already, so SSAR" in told.replace("\\", "")
        figures = {metric.label: metric.value for metric in page.metric}
        assert (figures["Pairs"], figures["Documents"], figures["Queries"]) == (str(PAIRS), str(DOCUMENTS), "4")
        said = " ".join(each.value for each in page.markdown)
        assert "All 36 query\\-document pairs of the table are kept as they are" in said
        assert "1 column left out" in said
        assert any(frame.value.columns.tolist() == ["What", "Which", "Why"] for frame in page.dataframe)
        (rows,) = [each.value for each in page.dataframe if "query" in each.value.columns]
        assert set(rows["query"]) == set(QUERIES)
        press(page, "Create the campaign")
        (info,) = workspace.campaigns.all()
        opened = workspace.open(info.id)
        assert (info.name, len(opened.items)) == ("helpdesk", PAIRS)
        opened.live.refresh()
        assert len(opened.live.fold.current()) == 30
        texts = {workspace.collections.query_text(opened.collection_id, qid).text for qid in opened.collection.queries}
        assert texts == set(QUERIES)

    def test_a_workbook_is_taken_as_it_is(self, workspace, tmp_path):
        (tmp_path / "helpdesk.xlsx").write_bytes(helpdesk())
        page = opened_page(tmp_path / "helpdesk.xlsx")
        assert "Create the campaign" in labels(page)
        assert {metric.label: metric.value for metric in page.metric}["Pairs"] == str(PAIRS)
        said = " ".join(each.value for each in page.markdown)
        assert "1 sheet left out" in said
        press(page, "Create the campaign")
        assert [info.name for info in workspace.campaigns.all()] == ["helpdesk"]

    def test_bad_rows_of_a_workbook_are_listed_by_sheet_and_row(self, workspace, tmp_path):
        (tmp_path / "helpdesk.xlsx").write_bytes(helpdesk(bad=True))
        page = opened_page(tmp_path / "helpdesk.xlsx")
        frame = page.dataframe[-1].value
        assert frame["Line"].tolist() == [8]
        assert frame["File"].str.endswith("helpdesk.xlsx, sheet Data").all()
        assert "holds a formula without its value" in frame["What is wrong"].iloc[0]
        assert workspace.campaigns.all() == []

    def test_columns_of_other_names_are_chosen_by_hand(self, workspace, tmp_path):
        rows = "\n".join(f"Frage {n % 3},Antwort zu {n} und {n % 3},{n % 2}" for n in range(12))
        (tmp_path / "faq.csv").write_text(f"Frage,Antwort,Urteil\n{rows}\n")
        page = opened_page(tmp_path / "faq.csv")
        assert "do not say what they hold" in page.info[0].value
        assert "Create the campaign" not in labels(page)
        field(page, "multiselect", "Query").set_value(["Frage"]).run()
        assert "holds the documents" in page.warning[0].value
        field(page, "multiselect", "Text of the document").set_value(["Antwort"]).run()
        # Nothing is read, and nothing folds, before somebody says that this is all.
        assert "Create the campaign" not in labels(page)
        field(page, "selectbox", "Grade (whole numbers)").set_value("Urteil").run()
        press(page, "Use these columns")
        assert not any("do not say what they hold" in each.value for each in page.info)
        assert {metric.label: metric.value for metric in page.metric}["Grades known"] == "100%"
        press(page, "Create the campaign")
        (info,) = workspace.campaigns.all()
        assert info.name == "faq"

    def test_a_corrected_file_replaces_the_bad_one(self, workspace):
        for name in ("helpdesk.csv", "helpdesk, corrected.csv"):
            page = AppTest.from_file("../../pages/new_campaign/page.py", default_timeout=600).run()
            page.radio(key="import-way").set_value("texts").run()
            drop(page, "helpdesk.csv", table(bad=True))
            assert "upload the file again." in page.error[0].value
            drop(page, name, table())
            assert not page.exception
            assert [file.name for file in page.file_uploader(key="texts-files").value] == ["helpdesk.csv", name]
            assert not page.error
            assert "Create the campaign" in labels(page)
            said = any(each.value.startswith("In place of helpdesk") for each in page.caption)
            assert said == (name != "helpdesk.csv")

    def test_bad_rows_are_listed_by_line_and_nothing_is_kept(self, workspace, tmp_path):
        (tmp_path / "helpdesk.csv").write_bytes(table(bad=True))
        page = opened_page(tmp_path / "helpdesk.csv")
        assert "1 file has problems" in page.error[0].value
        assert page.dataframe[-1].value["Line"].tolist() == [19]
        assert "Create the campaign" not in labels(page)
        assert workspace.campaigns.all() == []

    def test_rows_that_hold_nothing_are_listed_and_the_others_taken(self, workspace, tmp_path):
        (tmp_path / "helpdesk.csv").write_bytes(table(bad=True).replace(b";good;", b";1;"))
        page = opened_page(tmp_path / "helpdesk.csv")
        assert not page.error
        assert {metric.label: metric.value for metric in page.metric}["Pairs"] == str(PAIRS - 2)
        (frame,) = [each.value for each in page.dataframe if each.value.columns.tolist() == ["What", "Which", "Why"]]
        assert "line 4 (row 3 in a spreadsheet)" in frame["Which"].tolist()
        assert "Create the campaign" in labels(page)

    def test_a_table_among_letor_files_is_taken_along_to_the_texts(self, workspace):
        page = AppTest.from_file("../../pages/new_campaign/page.py", default_timeout=600).run()
        page.file_uploader(key="import-letor").set_value(("helpdesk.csv", table(), "text/csv")).run()
        assert "helpdesk.csv looks like a table of texts" in page.warning[0].value.replace("\\", "")
        press(page, "Read it as texts")
        assert page.radio(key="import-way").value == "texts"
        assert any("Taken along: helpdesk.csv" in each.value.replace("\\", "") for each in page.caption)
        assert {metric.label: metric.value for metric in page.metric}["Pairs"] == str(PAIRS)
        press(page, "Create the campaign")
        assert [info.name for info in workspace.campaigns.all()] == ["helpdesk"]
        press(page, "Make another campaign")
        assert not any("Taken along" in each.value for each in page.caption)

    def test_a_table_on_the_server_is_taken_along_too(self, workspace, tmp_path):
        (tmp_path / "helpdesk.xlsx").write_bytes(helpdesk())
        page = press(letor_page(tmp_path / "helpdesk.xlsx"), "Read it as texts")
        assert {metric.label: metric.value for metric in page.metric}["Pairs"] == str(PAIRS)

    def test_a_name_that_is_taken_gets_a_number(self, workspace, tmp_path):
        (tmp_path / "helpdesk.csv").write_bytes(table())
        for name in ("helpdesk", "helpdesk (2)"):
            page = opened_page(tmp_path / "helpdesk.csv")
            assert page.text_input(key="import-name-helpdesk").value == name
            press(page, "Create the campaign")
        assert {info.name for info in workspace.campaigns.all()} == {"helpdesk", "helpdesk (2)"}

    def test_numbers_without_texts_are_warned_of_before_labelling(self, workspace, tmp_path):
        (tmp_path / "S1.txt").write_text("".join(f"{n % 2} qid:{n // 4} 1:0.{n} 2:0.5\n" for n in range(1, 24)))
        page = letor_page(tmp_path / "S1.txt")
        (words,) = [each.value for each in page.warning if "nobody can judge numbers" in each.value]
        assert "docid \\= D7" in words
        assert {metric.label: metric.value for metric in page.metric}["Documents"] == "not named"
        assert "Create the campaign" in labels(page)

    def test_labels_that_would_be_spread_thinly_and_grades_without_meaning_are_warned_of(self, workspace, tmp_path):
        lines = [f"{n % 7} qid:{n // 5} 1:0.{n} 2:0.{n % 9} # docid = D{n}\n" for n in range(1000)]
        (tmp_path / "wide.txt").write_text("".join(lines))
        page = letor_page(tmp_path / "wide.txt")
        told = " ".join(each.value for each in page.warning)
        assert "RankSVM" in told
        assert "0 (Grade 0)" in told.replace("\\", "")
        page.selectbox(key="import-sampler").set_value("elo_dcg").run()
        assert "RankSVM" not in " ".join(each.value for each in page.warning)

    def test_usual_scales_have_meanings_from_the_start(self, workspace, tmp_path):
        lines = [f"{n % 5} qid:{n // 50} 1:0.{n} # docid = D{n}\n" for n in range(200)]
        (tmp_path / "five.txt").write_text("".join(lines))
        page = letor_page(tmp_path / "five.txt")
        assert not [each for each in page.warning if "no meaning" in each.value]


class TestFirstRows:
    def preview(self, data: str) -> ImportPreview:
        files = uploaded([Upload("a.csv", data.encode())])
        wish = Wish((("pairs", ("a.csv",)),), TextReading(kind="pairs"))
        return ImportPreview.of(prepare_files(wish.chosen(files), wish.how, wish.options, silent))

    def test_texts_come_first_so_that_swapped_columns_are_seen(self):
        long = "flutter " * 100
        found = self.preview(f'query,title,text,grade\n"say ""hi"" 🙂",Wings,{long},2\nb,Cones,"two\nlines",\n')
        assert found.columns[:6] == ["query", "title", "text", "grade", "qid", "docid"]
        first, second = found.rows
        assert first[:2] == ['say "hi" 🙂', "Wings"]
        assert str(first[2]).startswith("flutter flutter")
        assert str(first[2]).endswith("flutter...")
        assert len(str(first[2])) <= 203
        assert second[:6] == ["b", "Cones", "two lines", "not yet", "q2", "d2"]
        assert len(found.columns) == len(first)

    def test_without_texts_there_are_no_empty_columns_for_them(self):
        found = read_files(Files((Upload("a.txt", b"1 qid:1 1:1 # docid = D1\n"),)), silent)
        preview = ImportPreview.of(found)
        assert preview.columns[:3] == ["grade", "qid", "docid"]
        assert preview.rows[0][:3] == ["1", "1", "D1"]


class TestNames:
    @pytest.mark.parametrize(
        ("paths", "name"),
        [
            (["/data/MQ2008/Fold1/train.txt", "/data/MQ2008/Fold1/test.txt"], "MQ2008"),
            (["/data/ohsumed/S1.txt"], "OHSUMED"),
            (["cran.all.1400", "cran.qry", "cranqrel", "cranqrel.readme"], "Cranfield"),
            (["Web Search 2024.zip"], "Web Search 2024"),
            (["aero.letor", "aero.queries.jsonl", "aero.features.txt"], "aero"),
            (["shop/documents.csv", "shop/queries.csv"], "shop"),
            (["news-2023.txt", "news-2024.txt"], "news"),
            (["S1.txt", "S2.txt", "S3.txt"], "New collection"),
            (["documents.csv", "queries.csv"], "New collection"),
        ],
    )
    def test_data_are_called_by_the_data_set(self, paths, name):
        assert data_name(paths) == name

    def test_a_free_name(self):
        assert free_name("a", ["b"]) == "a"
        assert free_name("a", ["a", "a (2)"]) == "a (3)"


class TestTexts:
    collection = Collection.from_arrays([[0.1], [0.2]], ["q7", "q8"], [-1, 1], docids=["GX-1", "GX-2"])

    def test_which_files_with_which_ids_bring_the_texts(self):
        told = " ".join(without_texts(self.collection, None))
        assert "qid and text in each line (your qids: q7, q8)" in told
        assert "docid, title and text (your docids: GX-1, GX-2)" in told
        queries = Texts({"q7": QueryText("wings")}, {})
        assert "your docids" in " ".join(without_texts(self.collection, queries))
        assert "your qids" not in " ".join(without_texts(self.collection, queries))
        whole = Texts({"q7": QueryText("wings")}, {"GX-1": DocumentText("T", "B")})
        assert without_texts(self.collection, whole) == []

    def test_without_ids_the_ids_come_first(self):
        bare = Collection.from_arrays([[0.1], [0.2]], ["1", "1"], [-1, 1])
        assert "'# docid = D7'" in " ".join(without_texts(bare, None))

    def test_ids_that_do_not_fit_are_a_serious_matter(self):
        documents = Upload("d.tsv", b"X1\ttitle\tbody\n")
        found = read_files(Files((Upload("a.txt", b"1 qid:1 1:1 # docid = D1\n"),), documents=documents), silent)
        assert any("as D1 in the LETOR file and X1 beside the texts" in note for note in found.serious)
        assert set(found.serious) <= set(found.notes)
        preview = ImportPreview.of(found)
        assert ImportPreview.from_dict(preview.to_dict()) == preview


class TestFiles:
    def test_a_table_among_letor_files_is_sent_to_its_place(self):
        with pytest.raises(InputError, match=r"helpdesk\.csv looks like a table of texts.*choose 'I have texts'"):
            sorted_out(Files((Upload("helpdesk.csv", table()),)))
        assert sorted_out(Files((Upload("odd.csv", b"1 qid:1 1:1\n"),))).letor

    @pytest.mark.parametrize(
        ("name", "member", "words"),
        [("a.zip", "xl/workbook.xml", "bring it where texts are asked"), ("a.zip", "xl/workbook.bin", "but no .xlsx")],
    )
    def test_a_workbook_among_letor_files_is_told_where_it_belongs(self, name, member, words):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr(member, "<x/>")
        with pytest.raises(BadFilesError) as caught:
            read_files(Files((Upload(name, packed.getvalue()),)), silent)
        assert words in caught.value.problems[0].message
        with pytest.raises(InputError, match=r"a\.xlsx looks like a table of texts.*choose 'I have texts'"):
            sorted_out(Files((Upload("a.xlsx", packed.getvalue()),)))

    def test_a_workbook_is_one_file_and_not_the_parts_of_a_zip(self):
        (found,) = uploaded([Upload("a.xlsx", workbook(("Data", [["query", "text"], ["a", "x"]])))])
        assert found.name == "a.xlsx"
        layout = recognised([found])
        assert isinstance(layout, Layout)
        assert layout.kind == "pairs"
        wish = Wish((("pairs", ("a.xlsx",)),), TextReading(kind="pairs"))
        assert prepare_files(wish.chosen([found]), wish.how, wish.options, silent).collection.qids == ("q1",)
        with pytest.raises(InputError, match=r"old\.xls: this is an old Office file"):
            uploaded([Upload("old.xls", bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600))])

    def test_a_table_is_recognised_and_what_was_chosen_survives_the_way_to_the_worker(self):
        layout = recognised(uploaded([Upload("helpdesk.csv", table())]))
        assert isinstance(layout, Layout)
        assert layout.kind == "pairs"
        columns = Columns("SKU", body=("Text",), text=("Words",), grade=("Label",))
        wish = Wish((("pairs", ("helpdesk.csv",)),), TextReading(kind="pairs", pair_columns=columns))
        assert Wish.from_dict(wish.to_dict()) == wish
