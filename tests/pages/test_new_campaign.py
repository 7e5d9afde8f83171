"""New campaign: what is read from files, how rows are divided, and that nothing is stored unless all of it is."""

from __future__ import annotations

import gzip
import io
import json
import zipfile

import numpy as np
import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from db.store.tables import metadata
from pages import context
from pages.shared.task import BackgroundTask, CancelledError
from rulerank.campaign import GradeLevel, Settings
from rulerank.collection import Collection
from rulerank.errors import InputError, RulerankError
from rulerank.importing.files import Files, Upload, files_at, one_fold
from rulerank.importing.read import BadFilesError, read_files
from rulerank.importing.rows import (
    choose_rows,
    evaluations,
    known_labels,
    levels_needed,
    measures_little,
    uses_of_known,
)
from rulerank.letor import read_letor
from rulerank.text import DocumentText, QueryText, Texts


def letor(queries: int = 4, documents: int = 5, *, first: int = 1, graded: float = 1.0, seed: int = 0) -> bytes:
    """A small LETOR file with docids; the first `graded` share of the rows has grades."""
    rng = np.random.default_rng(seed)
    rows = [(query, document) for query in range(first, first + queries) for document in range(documents)]
    lines = []
    for number, (query, document) in enumerate(rows):
        grade = rng.integers(0, 3) if number < graded * len(rows) else -1
        values = " ".join(f"{feature}:{rng.random():.3f}" for feature in (1, 2, 3))
        lines.append(f"{grade} qid:{query} {values} # docid = Q{query}D{document}\n")
    return "".join(lines).encode()


def read(*uploads: Upload, **more):
    return read_files(Files(uploads, **more), lambda done, total: None)


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def counts(workspace) -> dict[str, int]:
    with workspace.database.read() as connection:
        return {
            table.name: connection.scalar(sa.select(sa.func.count()).select_from(table))
            for table in metadata.sorted_tables
            if table.name not in ("people", "settings", "jobs")
        }


class TestReading:
    def test_plain_gz_and_zip_give_the_same_collection(self):
        data = letor()
        plain = read(Upload("a.txt", data)).collection
        assert plain == read_letor(io.BytesIO(data))
        assert read(Upload("a.txt.gz", gzip.compress(data))).collection == plain
        assert read(Upload("a.zip", zipped({"folder/a.txt": data}))).collection == plain

    def test_several_files_are_joined_wherever_they_come_from(self):
        one, two, three = letor(2, first=1), letor(2, first=3, seed=1), letor(2, first=5, seed=2)
        found = read(Upload("one.txt", one), Upload("more.zip", zipped({"2.txt": two, "3.txt": three})))
        assert found.collection == read_letor(io.BytesIO(one + two + three))
        assert [rows for _, rows, _ in found.files] == [10, 10, 10]

    def test_of_folds_one_is_taken_and_said(self):
        parts = {f"MQ/Fold{k}/{name}.txt": letor(2, first=n) for k in (1, 2) for n, name in ((1, "train"), (3, "test"))}
        found = read(Upload("mq.zip", zipped({**parts, "MQ/README.txt": b"about", "__MACOSX/a.txt": b"x"})))
        assert len(found.collection) == 20
        assert any("Fold1 was taken" in note for note in found.notes)

    def test_repeated_documents_are_noticed(self):
        found = read(Upload("a.txt", letor()), Upload("b.txt", letor()))
        assert any("20 documents stand more than once" in note for note in found.notes)

    def test_every_problem_of_every_file_is_listed_with_its_line(self):
        good, bad, worse = letor(), b"1 qid:1 1:0.5\nhello\n1 qid: 1:2\n", b"x qid:1 1:1\n"
        with pytest.raises(BadFilesError) as caught:
            read(Upload("good.txt", good), Upload("bad.txt", bad), Upload("worse.txt", worse))
        assert [(p.file, p.line) for p in caught.value.problems] == [("bad.txt", 2), ("bad.txt", 3), ("worse.txt", 1)]

    @pytest.mark.parametrize(
        ("upload", "words"),
        [
            (Upload("a.zip", b"PK\x03\x04 and nothing more"), "cannot be unpacked"),
            (Upload("a.zip", zipped({"picture.png": b"1"})), "the zip must hold"),
            (Upload("a.txt", b""), "empty"),
            (Upload("a.gz", gzip.compress(letor())[:-20]), "end too soon"),
        ],
    )
    def test_broken_files_are_explained(self, upload, words):
        with pytest.raises(BadFilesError) as caught:
            read(upload)
        assert words in caught.value.problems[0].message

    def test_rows_of_a_second_upload_are_known_even_where_queries_are_shared(self):
        first, second = letor(3, 4, first=1), letor(3, 4, first=2, seed=5)
        found = read(Upload("pool.txt", first), evaluation=(Upload("test.txt", second),))
        kept = found.collection.select(found.second)
        assert sorted(kept.features.tolist()) == sorted(read_letor(io.BytesIO(second)).features.tolist())
        assert any("2 queries are in the pool and in the evaluation set" in note for note in found.notes)

    def test_texts_are_read_and_their_coverage_said(self):
        queries = Upload("q.tsv", b"1\tsomething\n2\telse\n")
        documents = Upload("d.jsonl", json.dumps({"docid": "Q1D0", "title": "T", "text": "B"}).encode())
        found = read(Upload("a.txt", letor()), queries=queries, documents=documents)
        assert found.texts == Texts(
            {"1": QueryText("something"), "2": QueryText("else")}, {"Q1D0": DocumentText("T", "B")}
        )
        assert {"2 of 4 queries have a text", "1 of 20 documents have a text"} <= set(found.notes)

    def test_bad_texts_are_listed_too(self):
        with pytest.raises(BadFilesError) as caught:
            read(Upload("a.txt", letor()), queries=Upload("q.tsv", b"1\tfine\nonly one column\n"))
        assert [(p.file, p.line) for p in caught.value.problems] == [("q.tsv", 2)]

    def test_progress_goes_up_to_the_end_and_stops_the_reading(self):
        seen: list[tuple[int, int | None]] = []
        files = Files((Upload("a.txt", letor(50, 50)), Upload("b.gz", gzip.compress(letor(50, 50, first=90)))))
        read_files(files, lambda done, total: seen.append((done, total)))
        shares = [done / total for done, total in seen]
        assert shares == sorted(shares)
        assert shares[-1] == pytest.approx(1.0, abs=0.01)

        def stop(done: int, total: int | None) -> None:
            raise CancelledError("stop")

        with pytest.raises(CancelledError):
            read_files(files, stop)

    def test_a_path_may_be_a_file_a_folder_or_folds(self, tmp_path):
        (tmp_path / "S1.txt").write_bytes(letor())
        (tmp_path / "notes.md").write_text("no data")
        assert [upload.path for upload in files_at(str(tmp_path / "S1.txt"))] == [tmp_path / "S1.txt"]
        assert [upload.path for upload in files_at(str(tmp_path))] == [tmp_path / "S1.txt"]
        with pytest.raises(InputError, match="neither a file nor a folder"):
            files_at(str(tmp_path / "missing"))
        (tmp_path / "S1.txt").unlink()
        with pytest.raises(InputError, match="holds 0 files"):
            files_at(str(tmp_path))

    def test_files_beside_the_folds_stay(self):
        kept, note = one_fold("a.zip", ["Fold1/train.txt", "Fold2/train.txt", "extra.txt"])
        assert kept == {"Fold1/train.txt", "extra.txt"}
        assert note
        assert one_fold("a.zip", ["Fold1/train.txt", "Fold1/test.txt"]) == ({"Fold1/train.txt", "Fold1/test.txt"}, "")


@st.composite
def collections(draw):
    rows = draw(st.integers(2, 30))
    qids = draw(st.lists(st.integers(1, 6), min_size=rows, max_size=rows))
    grades = draw(st.lists(st.integers(-1, 3), min_size=rows, max_size=rows))
    return Collection.from_arrays(np.arange(rows, dtype=float)[:, None], qids, np.array(grades, np.int32))


class TestRows:
    @given(collections(), st.floats(0.05, 0.95), st.integers(0, 1000))
    def test_pool_and_evaluation_set_never_meet(self, collection, share, seed):
        none = np.zeros(len(collection), bool)
        for kind in evaluations(collection, none):
            try:
                rows = choose_rows(collection, kind, second=none, share=share, seed=seed)
            except InputError:
                continue
            assert not set(rows.pool.tolist()) & set(rows.evaluation.tolist())
            assert rows.pool.size
            assert (collection.grades[rows.evaluation] >= 0).all()
            assert rows.pool.size + rows.evaluation.size + rows.left_out == len(collection)
            if kind == "share":
                queries = collection.query_index
                assert not set(queries[rows.pool].tolist()) & set(queries[rows.evaluation].tolist())
            assert levels_needed(collection, rows) > collection.grades[rows.pool].max()

    def test_the_share_is_drawn_by_its_seed(self):
        collection = read_letor(io.BytesIO(letor(20)))
        none = np.zeros(len(collection), bool)
        drawn = [choose_rows(collection, "share", second=none, share=0.3, seed=seed) for seed in (1, 1, 2)]
        assert np.array_equal(drawn[0].evaluation, drawn[1].evaluation)
        assert not np.array_equal(drawn[0].evaluation, drawn[2].evaluation)
        assert drawn[0].evaluation.size == 6 * 5

    def test_rows_of_the_second_upload_are_never_labelled(self):
        found = read(Upload("a.txt", letor(3)), evaluation=(Upload("b.txt", letor(2, first=9, graded=0.5)),))
        assert evaluations(found.collection, found.second) == ["second", "none"]
        for kind, measured in (("second", 5), ("none", 0)):
            rows = choose_rows(found.collection, kind, second=found.second)
            assert rows.pool.size == 15
            assert rows.evaluation.size == measured

    def test_all_known_grades_are_measured_on_only_where_enough_is_left_to_label(self):
        for graded, kinds in ((0.5, ["known", "share", "none"]), (0.8, ["share", "none", "known"])):
            collection = read_letor(io.BytesIO(letor(60, graded=graded)))
            assert evaluations(collection, np.zeros(len(collection), bool)) == kinds

    @pytest.mark.parametrize("graded", [0.5, 0.8, 1.0])
    def test_too_few_known_grades_are_not_held_out_by_default(self, graded):
        collection = read_letor(io.BytesIO(letor(4, graded=graded)))
        assert evaluations(collection, np.zeros(len(collection), bool))[0] == "none"

    def test_an_evaluation_set_that_measures_little_is_warned_of(self):
        def words(queries: int, irrelevant: int, kind: str = "known") -> str | None:
            grades = [grade for query in range(queries) for grade in (1, 0 if query < irrelevant else 2, -1)]
            collection = Collection.from_arrays(np.zeros((len(grades), 1)), np.repeat(range(queries), 3), grades)
            none = np.zeros(len(collection), bool)
            return measures_little(collection, choose_rows(collection, kind, second=none))

        assert words(12, 10) is None
        assert words(12, 0, "none") is None
        assert "measures nothing: only 1 query has both relevant and irrelevant documents" in (words(12, 1) or "")
        assert "measures nothing: no query has" in (words(12, 0) or "")
        assert "measures little: only 9 queries have" in (words(12, 9) or "")

    def test_what_can_be_done_with_known_grades(self):
        for graded, uses in ((1.0, ["hide", "labels", "ignore"]), (0.5, ["labels", "ignore"]), (0.0, [])):
            collection = read_letor(io.BytesIO(letor(graded=graded)))
            rows = choose_rows(collection, "none", second=np.zeros(len(collection), bool))
            assert uses_of_known(collection, rows) == uses
            assert len(known_labels(collection, rows)) == graded * 20


class TestStoring:
    def collection(self) -> Collection:
        return read_letor(io.BytesIO(letor(6, 10, graded=0.5)))

    def test_all_of_it_is_there(self, workspace):
        person = workspace.people.ensure_single_user()
        texts = Texts({"1": QueryText("what")}, {"Q1D0": DocumentText("T", "B")})
        labels = {40: 1, 0: 2, 3: 0, 59: 1}
        number = workspace.import_campaign(
            "Mine", self.collection(), Settings(), texts=texts, pool_rows=range(40), labels=labels, person=person.id
        )
        opened = workspace.open(number)
        opened.live.refresh()
        assert opened.collection == self.collection()
        assert opened.live.fold.current() == {0: 2, 3: 0}
        assert opened.pool_rows.tolist() == list(range(40))
        assert workspace.collections.query_text(opened.collection_id, "1") == QueryText("what")
        offer = opened.live.next(person.id)
        assert offer.claim.row not in (0, 3)

    def test_the_same_content_is_stored_once(self, workspace):
        first = workspace.import_campaign("One", self.collection(), Settings())
        second = workspace.import_campaign("Two", self.collection(), Settings(seed=1))
        assert workspace.open(first).collection_id == workspace.open(second).collection_id
        assert counts(workspace)["collections"] == 1

    def test_cancelling_at_any_step_leaves_no_trace(self, workspace):
        calls = 0

        def count(done: int, total: int | None) -> None:
            nonlocal calls
            calls += 1

        workspace.import_campaign("Counted", self.collection(), Settings(), labels={0: 1}, progress=count)
        assert calls >= 2
        before = counts(workspace)
        other = read_letor(io.BytesIO(letor(6, 10, seed=9)))
        for last in range(calls):
            left = last

            def stop(done: int, total: int | None) -> None:
                nonlocal left
                if left == 0:
                    raise CancelledError("cancelled")
                left -= 1

            with pytest.raises(CancelledError):
                workspace.import_campaign("Other", other, Settings(), labels={0: 1}, progress=stop)
            assert counts(workspace) == before

    @pytest.mark.parametrize(
        ("name", "settings", "more", "words"),
        [
            ("Taken", Settings(), {}, "named 'Taken' already"),
            ("  ", Settings(), {}, "needs a name"),
            ("New", Settings(grades=(GradeLevel("no"), GradeLevel("yes"))), {}, "the file has grade 2"),
            ("New", Settings(), {"pool_rows": [0, 1], "evaluation_rows": [1]}, "in the pool and in the evaluation set"),
            ("New", Settings(), {"labels": {0: 7}}, "grade 7 does not exist"),
            ("New", Settings(discretizer="mdlp"), {}, "MDLP"),
            ("New", Settings(), {"texts": Texts({"q" * 600: QueryText("x")}, {})}, "is the most"),
        ],
    )
    def test_a_refusal_leaves_no_trace(self, workspace, name, settings, more, words):
        workspace.import_campaign("Taken", read_letor(io.BytesIO(letor(2))), Settings())
        before = counts(workspace)
        with pytest.raises(RulerankError, match=words):
            workspace.import_campaign(name, self.collection(), settings, **more)
        assert counts(workspace) == before

    def test_a_name_that_is_taken_meanwhile_is_refused_too(self, workspace):
        small = read_letor(io.BytesIO(letor(2)))
        before: dict[str, int] = {}

        def somebody_else(done: int, total: int | None) -> None:
            if not before:
                workspace.import_campaign("Mine", small, Settings())
                before.update(counts(workspace))

        with pytest.raises(InputError, match="named 'Mine' already"):
            workspace.import_campaign("Mine", self.collection(), Settings(), progress=somebody_else)
        assert counts(workspace) == before


class TestTask:
    def test_a_task_gives_its_result_or_its_error(self):
        task = BackgroundTask(lambda progress: 7, "Counting")
        assert task.wait(5)
        assert (task.result, task.error) == (7, None)

        def refuse(progress):
            raise InputError("not this")

        task = BackgroundTask(refuse, "Refusing")
        task.wait(5)
        assert str(task.error) == "not this"
        assert not task.cancelled

    def test_an_unforeseen_error_is_told_without_its_details(self, caplog):
        task = BackgroundTask(lambda progress: 1 / 0, "Dividing")
        task.wait(5)
        assert "Dividing failed" in str(task.error)
        assert "ZeroDivisionError" in caplog.text

    def test_cancelling_ends_it_at_the_next_step(self):
        def work(progress):
            for step in range(10**9):
                progress(step, 10**9)

        task = BackgroundTask(work, "Working")
        assert not task.wait(0.05)
        task.cancel()
        assert task.wait(5)
        assert task.cancelled
        assert task.result is None


def run_page() -> AppTest:
    page = AppTest.from_file("../../pages/new_campaign/page.py", default_timeout=600)
    page.run()
    assert not page.exception, page.exception
    return page


def name_path(page: AppTest, path: str) -> AppTest:
    page.segmented_control(key="import-source").set_value("path").run()
    page.text_input(key="import-path").set_value(path).run()
    assert not page.exception, page.exception
    return page


def press(page: AppTest, label: str) -> AppTest:
    next(button for button in page.button if button.label == label).click().run()
    assert not page.exception, page.exception
    return page


@pytest.mark.usefixtures("worker")
class TestPage:
    def test_from_a_path_to_a_campaign(self, workspace, tmp_path):
        (tmp_path / "news.txt").write_bytes(letor(50, 6))
        page = name_path(run_page(), str(tmp_path / "news.txt"))
        figures = {metric.label: metric.value for metric in page.metric}
        assert figures["Documents"] == "300"
        assert figures["Grades known"] == "100%"
        page.number_input(key="import-overlap").set_value(2).run()
        page.text_area(key="import-guidelines").set_value("Be *kind*.").run()
        press(page, "Create the campaign")
        assert page.success[0].value == "The campaign is ready."
        (info,) = workspace.campaigns.all()
        opened = workspace.open(info.id)
        assert (info.name, opened.pool_rows.size, opened.evaluation_rows.size) == ("news", 210, 90)
        assert opened.settings.overlap == 2
        assert opened.settings.guidelines == "Be *kind*."
        assert opened.settings.grades_known
        assert int(page.query_params["campaign"][-1]) == info.id

    @pytest.mark.parametrize("allowed", [False, True])
    def test_pictures_in_guidelines_are_links_unless_they_are_allowed(self, workspace, tmp_path, allowed):
        (tmp_path / "news.txt").write_bytes(letor(10, 6))
        page = name_path(run_page(), str(tmp_path / "news.txt"))
        assert not [each for each in page.checkbox if each.key == "import-pictures"]
        picture = "Look: ![a map](https://example.org/map.png)"
        page.text_area(key="import-guidelines").set_value(picture).run()
        assert not page.checkbox(key="import-pictures").value
        page.checkbox(key="import-pictures").set_value(allowed).run()
        assert any("![a map](" in each.value for each in page.markdown) == allowed
        press(page, "Create the campaign")
        (info,) = workspace.campaigns.all()
        settings = workspace.open(info.id).settings
        assert settings.guidelines == picture
        assert settings.remote_pictures == allowed
        label = AppTest.from_file("../../pages/label/page.py", default_timeout=600)
        label.query_params["campaign"] = str(info.id)
        label.run()
        (told,) = [each.value for each in label.markdown if "a map" in each.value]
        assert (told == picture) == allowed
        assert ("[Picture: a map](https://example.org/map.png)" in told) != allowed

    def test_ssarp_can_be_told_whose_formula_orders_the_features(self, workspace, tmp_path):
        (tmp_path / "news.txt").write_bytes(letor(10, 6))
        page = name_path(run_page(), str(tmp_path / "news.txt"))
        assert page.selectbox(key="import-ranker").value == "weighted_items"
        page.selectbox(key="import-sampler").set_value("ssarp").run()
        page.selectbox(key="import-sampler-ssarp-scoring").set_value("program").run()
        press(page, "Create the campaign")
        (info,) = workspace.campaigns.all()
        opened = workspace.open(info.id)
        assert opened.settings.ranker.key == "weighted_items"
        assert opened.settings.sampler.key == "ssarp:scoring=program"

    def test_a_few_known_grades_become_labels_unless_they_are_held_out(self, workspace, tmp_path):
        (tmp_path / "half.txt").write_bytes(letor(4, 6, graded=0.5))
        page = name_path(run_page(), str(tmp_path))
        evaluation = page.radio(key="import-evaluation-none-known-share")
        assert evaluation.value == "none"
        evaluation.set_value("known").run()
        assert any("This evaluation set measures" in each.value for each in page.warning)
        assert any("All 12 known grades are in the evaluation set" in each.value for each in page.caption)
        page.radio(key="import-evaluation-none-known-share").set_value("none").run()
        assert not any("This evaluation set measures" in each.value for each in page.warning)
        assert page.radio(key="import-known-labels-ignore").value == "labels"
        press(page, "Create the campaign")
        (info,) = workspace.campaigns.all()
        opened = workspace.open(info.id)
        opened.live.refresh()
        assert len(opened.live.fold.current()) == 12

    def test_bad_lines_are_shown_and_nothing_is_kept(self, workspace, tmp_path):
        (tmp_path / "bad.txt").write_bytes(letor() + b"hello\n")
        page = name_path(run_page(), str(tmp_path / "bad.txt"))
        assert "1 file has problems" in page.error[0].value
        table = page.dataframe[0].value
        assert table["Line"].tolist() == [21]
        assert not any(button.label == "Create the campaign" for button in page.button)
        assert not any(counts(workspace).values())

    def test_a_refusal_keeps_the_form(self, workspace, tmp_path):
        (tmp_path / "news.txt").write_bytes(letor(10, 6))
        page = name_path(run_page(), str(tmp_path / "news.txt"))
        page.text_input(key="import-name-news").set_value("Taken").run()
        workspace.import_campaign("Taken", read_letor(io.BytesIO(letor(2))), Settings())
        before = counts(workspace)
        press(page, "Create the campaign")
        assert "Nothing was stored" in page.error[0].value
        assert counts(workspace) == before
        page.text_input(key="import-name-news").set_value("Free").run()
        press(page, "Create the campaign")
        assert page.success[0].value == "The campaign is ready."

    def test_a_missing_path_is_explained(self, workspace, tmp_path):
        page = name_path(run_page(), str(tmp_path / "nowhere"))
        assert "neither a file nor a folder" in page.error[0].value

    def test_a_stored_collection_can_be_used_again(self, workspace):
        workspace.import_campaign("First", read_letor(io.BytesIO(letor(5))), Settings(), collection_name="shared")
        page = run_page()
        page.segmented_control(key="import-source").set_value("stored").run()
        assert not page.exception
        page.text_input(key="import-name-shared").set_value("Second").run()
        press(page, "Create the campaign")
        assert counts(workspace)["collections"] == 1
        assert {info.name for info in workspace.campaigns.all()} == {"First", "Second"}

    def test_a_stored_collection_without_texts_is_warned_of_until_it_has_some(self, workspace):
        data = read_letor(io.BytesIO(letor(5, graded=0.5)))
        number = workspace.collections.add("bare", data)
        assert workspace.collections.text_counts(number) == (0, 0)
        page = run_page()
        page.segmented_control(key="import-source").set_value("stored").run()
        (words,) = [each.value for each in page.warning if "nobody can judge numbers" in each.value]
        assert "bring the LETOR file of this collection once more" in words
        assert "your docids: Q1D0" in words.replace("\\", "")
        assert any(button.label == "Create the campaign" for button in page.button)
        texts = Texts({"1": QueryText("wings")}, {"Q1D0": DocumentText("Lift", "of a wing")})
        workspace.collections.put_texts(number, texts)
        assert workspace.collections.text_counts(number) == (1, 1)
        page = run_page()
        page.segmented_control(key="import-source").set_value("stored").run()
        assert not [each.value for each in page.warning if "nobody can judge numbers" in each.value]

    def test_colours_of_grades_are_stored_where_somebody_chose_them(self, workspace, tmp_path):
        (tmp_path / "a.txt").write_bytes(letor(5))
        page = name_path(run_page(), str(tmp_path / "a.txt"))
        pickers = [each for each in page.color_picker if each.key.startswith("import-colour-3-")]
        assert [each.label for each in pickers] == [f"{n} {level.name}" for n, level in enumerate(Settings().grades)]
        pickers[1].set_value("#C83C1E").run()
        assert not any("look alike" in each.value for each in page.caption)
        next(each for each in page.color_picker if each.key == "import-colour-3-2").set_value("#788C1E").run()
        told = [each.value for each in page.caption if "look alike" in each.value]
        assert len(told) == 1
        assert "grades 1 and 2 look alike to people who do not tell red from green" in told[0]
        press(page, "Create the campaign")
        (info,) = workspace.campaigns.all()
        grades = workspace.open(info.id).settings.grades
        assert [level.colour for level in grades] == ["", "#C83C1E", "#788C1E"]

    def test_paths_of_the_server_are_for_the_single_user_only(self, workspace, monkeypatch):
        annotator = workspace.people.add("Ann", "annotator", "password one")
        researcher = workspace.people.add("Res", "researcher", "password two")
        context.wire(workspace, "accounts")
        monkeypatch.setattr(context, "signed_in", lambda: None)
        page = run_page()
        assert "sign in" in page.info[0].value
        monkeypatch.setattr(context, "signed_in", lambda: annotator)
        page = run_page()
        assert "not for the role annotator" in page.warning[0].value
        monkeypatch.setattr(context, "signed_in", lambda: researcher)
        page = run_page()
        assert not page.warning
        assert not any(each.key == "import-source" for each in page.segmented_control)
