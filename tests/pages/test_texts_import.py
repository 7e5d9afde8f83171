"""New campaign from documents and queries: which files are what, columns, candidates, progress, and bad records."""

from __future__ import annotations

import csv
import io
import json
import threading
import zipfile

import pytest
import sqlalchemy as sa
from streamlit.testing.v1 import AppTest

from db.store.tables import metadata
from pages import context
from pages.new_campaign.texts import brought_from
from pages.shared.task import BackgroundTask, CancelledError
from rulerank.errors import InputError
from rulerank.importing.files import Upload, at_path, recognised, uploaded, with_roles
from rulerank.importing.read import BadFilesError
from rulerank.importing.texts import prepare_files
from rulerank.prepare import Columns, Layout, Options, TextReading, prepare, read_collection

WORDS = ("wing", "flutter", "shock", "boundary", "layer", "heat", "nozzle", "plate", "cone", "drag")
DOCUMENTS = {
    f"D{number}": (f"On the {WORDS[number % 10]}", f"A study of the {WORDS[number % 10]} and the {WORDS[number % 7]}.")
    for number in range(30)
}
QUERIES = {"q1": "flutter of a wing", "q2": "heat of the boundary layer", "q3": "drag of a cone"}
JUDGED = [("q1", "D0", 2), ("q1", "D1", 1), ("q2", "D5", 1), ("q2", "D2", 0)]


def table(rows, delimiter: str = ",") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()


def beir(*, bad: bool = False) -> dict[str, str]:
    corpus = [json.dumps({"_id": key, "title": title, "text": text}) for key, (title, text) in DOCUMENTS.items()]
    if bad:
        corpus[4:4] = ["{not json"]
        corpus[9:9] = [corpus[0]]
    return {
        "corpus.jsonl": "\n".join(corpus),
        "queries.jsonl": "\n".join(json.dumps({"_id": key, "text": text}) for key, text in QUERIES.items()),
        "qrels/test.tsv": table([("query-id", "corpus-id", "score"), *JUDGED], "\t"),
    }


def shop() -> dict[str, str]:
    """Tables whose names and columns do not tell what they are."""
    goods = [("SKU", "Label", "Blurb", "Sold", "Notes")]
    goods += [(key, title, text, str(len(key)), "-") for key, (title, text) in DOCUMENTS.items()]
    return {"goods.csv": table(goods), "asked.csv": table([("Nr", "Words"), *QUERIES.items()])}


def write(folder, files: dict[str, str]) -> str:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return str(folder)


def zipped(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def silent(done, total) -> None:
    return None


def counts(workspace) -> dict[str, int]:
    with workspace.database.read() as connection:
        return {
            each.name: connection.scalar(sa.select(sa.func.count()).select_from(each))
            for each in metadata.sorted_tables
            if each.name not in ("people", "settings", "jobs")
        }


class TestFiles:
    def test_a_zip_its_files_and_a_folder_give_the_same(self, tmp_path):
        files = beir()
        folder = write(tmp_path / "news", files)
        (tmp_path / "news.zip").write_bytes(zipped(files))
        expected = prepare(read_collection(folder), Options(candidates=5)).collection
        assert len(expected) > 10
        for brought in (
            at_path(folder),
            at_path(str(tmp_path / "news.zip")),
            uploaded([Upload("news.zip", zipped(files))]),
            uploaded([Upload(name, text.encode()) for name, text in files.items()]),
        ):
            found = prepare_files(brought, TextReading(), Options(candidates=5), silent)
            assert found.collection == expected
            assert found.texts.queries["q1"].text == "flutter of a wing"

    def test_a_changed_file_is_another_choice(self, tmp_path):
        folder = write(tmp_path, beir())
        before = brought_from(folder).key
        assert (brought_from(folder).key, brought_from(folder).called) == (before, tmp_path.name)
        write(tmp_path, {"queries.jsonl": json.dumps({"_id": "q1", "text": "another"})})
        assert brought_from(folder).key != before

    def test_people_say_what_a_file_is(self):
        brought = uploaded([Upload(name, text.encode()) for name, text in {**shop(), "qrels.csv": "x"}.items()])
        assert "no documents were found" in recognised(brought)
        chosen = with_roles(brought, {"documents": ["goods.csv"], "queries": ["asked.csv"]})
        layout = recognised(chosen)
        assert isinstance(layout, Layout)
        assert [file.name for file in (*layout.documents, *layout.queries)] == ["goods.csv", "asked.csv"]
        assert layout.judgements == ()

    @pytest.mark.parametrize(
        "data", [zipped({})[:-3], zipped({"a.txt": "x" * 500})[:-90] + b"PK"], ids=["cut off", "damaged"]
    )
    def test_what_cannot_be_opened_is_told_in_words(self, data, tmp_path):
        (tmp_path / "broken.zip").write_bytes(data)
        for bring in (lambda: uploaded([Upload("broken.zip", data)]), lambda: at_path(str(tmp_path / "broken.zip"))):
            with pytest.raises(InputError, match=r"broken\.zip: the zip ends too soon .* pack it again"):
                bring()

    def test_a_zip_with_a_password_is_told_in_words(self):
        data = bytearray(zipped({name: text for name, text in beir().items() if name == "corpus.jsonl"}))
        data[6] |= 1
        data[data.index(b"PK\x01\x02") + 8] |= 1
        queries = Upload("queries.jsonl", beir()["queries.jsonl"].encode())
        with pytest.raises(
            InputError, match=r"locked\.zip: the file corpus\.jsonl in it has a password; .* without one"
        ):
            uploaded([Upload("locked.zip", bytes(data)), queries])

    def test_an_empty_zip_and_two_files_of_a_name_are_refused(self):
        with pytest.raises(InputError, match="holds no file"):
            uploaded([Upload("empty.zip", zipped({}))])
        with pytest.raises(InputError, match=r"two files are called a\.csv"):
            uploaded([Upload("a.csv", b"1"), Upload("a.csv", b"2")])

    def test_a_zip_of_too_many_files_is_refused(self, monkeypatch):
        monkeypatch.setattr("rulerank.prepare.files.MOST_FILES", 2)
        with pytest.raises(InputError, match=r"many\.zip holds 3 files, more than 2; join small files"):
            uploaded([Upload("many.zip", zipped({f"{number}.txt": "a" for number in range(3)}))])

    def test_bad_records_are_listed_by_line_under_the_file_s_own_name(self):
        brought = uploaded([Upload("news.zip", zipped(beir(bad=True)))])
        with pytest.raises(BadFilesError) as caught:
            prepare_files(brought, TextReading(), Options(), silent)
        assert [(p.file, p.line) for p in caught.value.problems] == [("corpus.jsonl", 5), ("corpus.jsonl", 10)]
        assert not caught.value.truncated

    def test_the_bar_never_goes_back_and_ends_near_its_end(self, tmp_path):
        shares = []
        brought = at_path(write(tmp_path, beir()))
        prepare_files(brought, TextReading(), Options(), lambda done, total: shares.append(done / total))
        assert shares == sorted(shares)
        assert 0.8 < shares[-1] <= 1

    @pytest.mark.parametrize("step", [0, 3, 8])
    def test_cancelling_ends_it_without_a_result(self, tmp_path, step):
        brought = at_path(write(tmp_path, beir()))
        calls, begun = [], threading.Event()

        def work(progress):
            begun.wait(30)

            def told_off(done, total):
                calls.append(done)
                if len(calls) > step:
                    task.cancel()
                progress(done, total)

            return prepare_files(brought, TextReading(), Options(), told_off)

        task = BackgroundTask(work, "Preparing")
        begun.set()
        assert task.wait(30)
        assert isinstance(task.error, CancelledError)
        assert task.result is None
        assert len(calls) == step + 1

    def test_columns_that_hold_no_text_are_not_enough(self):
        assert Columns("id").lacks("documents") is not None
        assert Columns("id", title=("t",)).lacks("documents") is None
        assert Columns("id", need=("n",)).lacks("queries") is not None
        assert Columns("id", text=("t",)).lacks("queries") is None
        assert Columns(text=("t",)).lacks("pairs") is not None
        assert Columns(body=("b",)).lacks("pairs") is not None
        assert Columns(text=("t",), body=("b",)).lacks("pairs") is None


def run_page() -> AppTest:
    page = AppTest.from_file("../../pages/new_campaign/page.py", default_timeout=600)
    page.run()
    page.radio(key="import-way").set_value("texts").run()
    assert not page.exception, page.exception
    return page


def name_path(page: AppTest, path: str) -> AppTest:
    page.segmented_control(key="texts-source").set_value("path").run()
    page.text_input(key="texts-path").set_value(path).run()
    assert not page.exception, page.exception
    return page


def labels(page: AppTest) -> list[str]:
    return [button.label for button in page.button]


def press(page: AppTest, label: str) -> AppTest:
    next(button for button in page.button if button.label == label).click().run()
    assert not page.exception, page.exception
    return page


def field(page: AppTest, kind: str, label: str, place: int = 0):
    return [each for each in getattr(page, kind) if each.label == label][place]


@pytest.mark.usefixtures("worker")
class TestPage:
    def test_from_a_folder_to_a_campaign_with_texts_and_named_features(self, workspace, tmp_path):
        page = name_path(run_page(), write(tmp_path / "wings", beir()))
        assert any("BEIR" in caption.value for caption in page.caption)
        assert "Create the campaign" not in labels(page)
        page.number_input(key="texts-candidates").set_value(6).run()
        press(page, "Prepare the collection")
        figures = {metric.label: metric.value for metric in page.metric}
        assert figures["Queries"] == "3"
        assert any("Encodings" in each.value and "ASCII" in each.value for each in page.markdown)
        press(page, "Create the campaign")
        assert page.success[0].value == "The campaign is ready."
        (info,) = workspace.campaigns.all()
        assert info.name == "wings"
        opened = workspace.open(info.id)
        assert "BM25(title)" in opened.features(0)
        qid, docid = opened.document(0)
        assert workspace.collections.query_text(opened.collection_id, qid).text == QUERIES[qid]
        text = workspace.collections.document_text(opened.collection_id, docid)
        assert (text.title, text.body) == DOCUMENTS[docid]
        opened.live.refresh()
        assert len(opened.live.fold.current()) == len(JUDGED)

    def test_tables_of_any_names_and_columns(self, workspace, tmp_path):
        page = name_path(run_page(), write(tmp_path / "shop", shop()))
        assert "Say what each file is" in page.info[0].value
        assert "Prepare the collection" not in labels(page)
        field(page, "multiselect", "Documents").set_value(["goods.csv"]).run()
        field(page, "multiselect", "Queries").set_value(["asked.csv"]).run()
        assert any("holds the documents" in warning.value for warning in page.warning)
        assert "Prepare the collection" not in labels(page)
        field(page, "toggle", "The first row names the columns").set_value(True).run()
        field(page, "selectbox", "Id", 0).set_value("SKU").run()
        field(page, "multiselect", "Title").set_value(["Label"]).run()
        field(page, "multiselect", "Text").set_value(["Blurb", "Notes"]).run()
        field(page, "multiselect", "Numbers that become features (popularity, links)").set_value(["Sold"]).run()
        field(page, "selectbox", "Id", 1).set_value("Nr").run()
        field(page, "multiselect", "Query").set_value(["Words"]).run()
        page.multiselect(key="texts-languages").set_value(["en"]).run()
        press(page, "Prepare the collection")
        press(page, "Create the campaign")
        (info,) = workspace.campaigns.all()
        opened = workspace.open(info.id)
        assert "Sold(document)" in opened.features(0)
        _, docid = opened.document(0)
        text = workspace.collections.document_text(opened.collection_id, docid)
        assert (text.title, text.body, text.language) == (DOCUMENTS[docid][0], f"{DOCUMENTS[docid][1]}\n\n-", "en")

    def test_a_changed_choice_waits_for_the_button_again(self, workspace, tmp_path):
        page = name_path(run_page(), write(tmp_path / "wings", beir()))
        press(page, "Prepare the collection")
        assert "Create the campaign" in labels(page)
        page.number_input(key="texts-candidates").set_value(3).run()
        assert "Create the campaign" not in labels(page)
        press(page, "Prepare the collection")
        assert "Create the campaign" in labels(page)

    def test_bad_records_are_shown_and_nothing_is_kept(self, workspace, tmp_path):
        page = name_path(run_page(), write(tmp_path / "wings", beir(bad=True)))
        press(page, "Prepare the collection")
        assert "1 file has problems" in page.error[0].value
        assert page.dataframe[0].value["Line"].tolist() == [5, 10]
        assert "Create the campaign" not in labels(page)
        assert not any(counts(workspace).values())

    def test_one_file_cannot_be_two_things(self, workspace, tmp_path):
        page = name_path(run_page(), write(tmp_path / "shop", shop()))
        field(page, "multiselect", "Documents").set_value(["goods.csv"]).run()
        field(page, "multiselect", "Queries").set_value(["goods.csv"]).run()
        assert "one thing only" in page.warning[0].value

    def test_two_columns_of_a_name_are_refused_in_words(self, workspace, tmp_path):
        files = {"documents.csv": "id,text,text\nD1,a,b\n", "queries.csv": "id,query\n1,a\n"}
        page = name_path(run_page(), write(tmp_path, files))
        assert "two columns are called" in page.error[0].value

    def test_a_missing_path_is_explained(self, workspace, tmp_path):
        page = name_path(run_page(), str(tmp_path / "nowhere"))
        assert "neither a folder nor a file" in page.error[0].value

    def test_paths_of_the_server_are_for_the_single_user_only(self, workspace, monkeypatch):
        researcher = workspace.people.add("Res", "researcher", "password two")
        context.wire(workspace, "accounts")
        monkeypatch.setattr(context, "signed_in", lambda: researcher)
        page = run_page()
        assert not any(each.key == "texts-source" for each in page.segmented_control)
