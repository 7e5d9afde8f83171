"""More settings of a campaign from texts, and what `prepare` wrote beside a LETOR file, brought to the page."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from db.jobs.read_files import READ
from pages.new_campaign.text_options import ENCODINGS
from pages.shared.document import LONG, LONGEST, MOST_MARKS, PASSAGE, WIDE, pieces, text_shown
from rulerank.campaign import Kind, Settings, ranking
from rulerank.campaign.curves import whole_curve
from rulerank.errors import InputError
from rulerank.foreign.encodings import given_encoding
from rulerank.importing.files import MOST_BYTES, Files, Upload, files_at, sorted_out
from rulerank.importing.kept import load
from rulerank.importing.read import BadFilesError, read_files
from rulerank.metrics import evaluate
from rulerank.prepare import Options, TextReading, prepare, read_collection, write_prepared
from rulerank.ranking import LRAR, QueryTermRules
from rulerank.text import Analyser, DocumentText

WORDS = ("wing", "flutter", "shock", "boundary", "layer", "heat", "nozzle", "plate", "cone", "drag")
QUERIES = {f"q{n}": f"{WORDS[n]}s and {WORDS[(n + 3) % 10]}ing of {WORDS[(n + 5) % 10]}" for n in range(6)}


@pytest.fixture
def folder(tmp_path):
    """A folder of tables: 40 documents, 6 queries, and a judgement of every candidate."""
    place = tmp_path / "aero"
    place.mkdir()
    rng = np.random.default_rng(3)
    rows = [f"D{n},On the {WORDS[n % 10]},{' '.join(rng.choice(WORDS, 12))} of the {WORDS[n % 7]}é" for n in range(40)]
    (place / "documents.csv").write_bytes(("id,title,text\n" + "\n".join(rows) + "\n").encode("cp1252"))
    asked = "\n".join(f"{qid}\t{text}" for qid, text in QUERIES.items())
    (place / "queries.tsv").write_text(f"id\tquery\n{asked}\n")
    judged = "\n".join(f"{qid} 0 D{n} {(n * len(qid) + int(qid[1])) % 3}" for qid in QUERIES for n in range(40))
    (place / "qrels.txt").write_text(f"{judged}\n")
    return place


@pytest.fixture
def written(folder, tmp_path):
    """What `prepare` writes of it."""
    out = tmp_path / "out"
    out.mkdir()
    made = prepare(read_collection(folder), Options(languages=("en",), candidates=15))
    return made, write_prepared(made, out / "aero.letor")


def silent(done, total) -> None:
    return None


def press(page: AppTest, label: str) -> AppTest:
    next(button for button in page.button if button.label == label).click().run()
    assert not page.exception, page.exception
    return page


def opened_page(folder) -> AppTest:
    page = AppTest.from_file("../../pages/new_campaign/page.py", default_timeout=600).run()
    page.radio(key="import-way").set_value("texts").run()
    page.segmented_control(key="texts-source").set_value("path").run()
    page.text_input(key="texts-path").set_value(str(folder)).run()
    assert not page.exception, page.exception
    return page


@pytest.mark.usefixtures("worker")
class TestMoreSettings:
    def test_every_encoding_that_is_offered_exists(self):
        assert [given_encoding(name).how for name in ENCODINGS if name] == ["given"] * (len(ENCODINGS) - 1)

    def test_what_is_chosen_is_what_the_library_is_told(self, workspace, folder):
        page = opened_page(folder)
        page.number_input(key="texts-candidates").set_value(7)
        page.multiselect(key="texts-languages").set_value(["en"])
        page.toggle(key="texts-stemming").set_value(False)
        page.toggle(key="texts-stopping").set_value(False)
        page.toggle(key="texts-normalise").set_value(False)
        page.selectbox(key="texts-encoding").set_value("iso8859-1")
        page.selectbox(key="texts-unjudged").set_value("zero")
        page.selectbox(key="texts-judged").set_value("leave").run()
        press(page, "Prepare the collection")
        token = page.session_state["import-task"][1].token
        found = load(workspace.uploads.path(token) / READ)
        options = Options(
            candidates=7, judged="leave", languages=("en",), document_language="en", stemming=False, stopping=False,
            normalise=False,
        )  # fmt: skip
        expected = prepare(read_collection(folder, TextReading(encoding="iso8859-1", unjudged="zero")), options)
        assert found.collection == expected.collection
        assert found.texts == expected.texts
        assert found.analyser == Analyser(("en",), stemming=False, stopping=False)
        assert found.collection != prepare(read_collection(folder), Options(candidates=7)).collection
        press(page, "Create the campaign")
        (info,) = workspace.campaigns.all()
        assert workspace.collections.analyser(info.collection) == found.analyser

    def test_a_wrong_encoding_is_told_and_can_be_changed(self, workspace, folder):
        page = opened_page(folder)
        page.selectbox(key="texts-encoding").set_value("utf-8").run()
        assert not page.exception
        words = [error.value for error in page.error]
        if not words:  # the first rows may have no such letter
            press(page, "Prepare the collection")
            words = [error.value for error in page.error]
        assert words
        page.selectbox(key="texts-encoding").set_value("cp1252").run()
        press(page, "Prepare the collection")
        assert not page.error
        assert "Create the campaign" in [button.label for button in page.button]


class TestWhatPrepareWrote:
    def brought(self, paths) -> dict[str, Files]:
        """The same files, brought in four ways."""
        uploads = tuple(Upload(path.name, path.read_bytes()) for path in paths.values())
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for path in paths.values():
                archive.write(path, f"aero/{path.name}")
        return {
            "uploads": Files(uploads),
            "zip": Files((Upload("aero.zip", packed.getvalue()),)),
            "file": Files(files_at(str(paths["letor"]))),
            "folder": Files(files_at(str(paths["letor"].parent))),
        }

    def test_texts_terms_names_and_analyser_come_along(self, written):
        made, paths = written
        for way, files in self.brought(paths).items():
            found = read_files(files, silent)
            assert found.collection.feature_names == made.collection.feature_names, way
            assert found.texts == made.texts, way
            assert found.analyser == made.analyser, way
            assert found.notes == (), way
            np.testing.assert_allclose(found.collection.features, made.collection.features)

    @pytest.mark.parametrize("part", ["letor", "queries", "documents"])
    @pytest.mark.parametrize("harm", ["bytes", "password"])
    def test_a_part_that_cannot_be_unpacked_is_told(self, written, part, harm):
        _, paths = written
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in paths.values():
                archive.write(path, path.name)
            entry = archive.getinfo(paths[part].name)
        data = bytearray(packed.getvalue())
        if harm == "bytes":
            begin = entry.header_offset + 30 + len(entry.filename)
            for at in range(begin + 2, begin + 12):
                data[at] ^= 0xFF
        else:
            data[entry.header_offset + 6] |= 1
            data[data.rfind(entry.filename.encode()) - 46 + 8] |= 1
        with pytest.raises(BadFilesError) as caught:
            read_files(Files((Upload("aero.zip", bytes(data)),)), silent)
        assert any(problem.file.startswith("aero.zip") for problem in caught.value.problems)
        assert any("pack" in problem.message for problem in caught.value.problems)

    def test_a_part_that_is_read_in_one_go_may_not_be_huge(self, written):
        _, paths = written
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(paths["letor"], "a.letor")
            archive.writestr("a.features.txt", bytes(MOST_BYTES + 1))
        with pytest.raises(InputError, match="too many"):
            read_files(Files((Upload("a.zip", packed.getvalue()),)), silent)

    def test_what_is_put_in_a_place_of_its_own_stays_there(self):
        other = Upload("mine.tsv", b"q0\tmy own words\n")
        found = sorted_out(Files((Upload("a.letor", b""), Upload("a.queries.jsonl", b"{}")), queries=other))
        assert found.queries is other
        assert [upload.name for upload in found.letor] == ["a.letor"]

    def test_a_letor_file_alone_has_no_analyser(self, written):
        _, paths = written
        found = read_files(Files((Upload("aero.letor", paths["letor"].read_bytes()),)), silent)
        assert (found.texts, found.analyser, found.collection.feature_names[0]) == (None, None, "1")

    def test_names_that_do_not_belong_are_refused(self, written):
        _, paths = written
        letor = Upload("aero.letor", paths["letor"].read_bytes())
        for text, words in ((b"1\tBM25\n", "features are named here"), (b"a\n", "expected '1'"), (b"", "empty")):
            with pytest.raises(BadFilesError) as caught:
                read_files(Files((letor, Upload("aero.features.txt", text))), silent)
            assert words in caught.value.problems[0].message
        for text, words in ((b"{", "not JSON"), (b"[]", "JSON object"), (b'{"analyser_settings": {}}', "described by")):
            with pytest.raises(BadFilesError) as caught:
                read_files(Files((letor, Upload("aero.prepared.json", text))), silent)
            assert words in caught.value.problems[0].message

    def test_two_collections_at_once_and_none_are_refused(self):
        twice = (Upload("a.letor", b""), Upload("a.queries.jsonl", b""), Upload("b.queries.jsonl", b""))
        with pytest.raises(InputError, match="one collection at a time"):
            sorted_out(Files(twice))
        with pytest.raises(InputError, match="at least one LETOR file"):
            sorted_out(Files((Upload("a.queries.jsonl", b""),)))


class TestTermsInTheApp:
    """AR(R_q_d) inside the app against the library called directly, with the terms that `prepare` found."""

    def campaign(self, workspace, made) -> int:
        rows = np.arange(len(made.collection))
        held = np.isin(made.collection.query_index, [4, 5])
        person = workspace.people.ensure_single_user()
        number = workspace.import_campaign(
            "Aero", made.collection, Settings(sampler="random", ranker="query_term_rules", dwell_milliseconds=0),
            texts=made.texts, analyser=made.analyser, pool_rows=rows[~held], evaluation_rows=rows[held],
            person=person.id,
        )  # fmt: skip
        opened = workspace.open(number)
        for row in range(0, len(opened.items), 2):
            opened.live.write(person.id, row, Kind.GRADE, grade=int(opened.collection.grades[opened.pool_rows[row]]))
        return number

    def test_ranking_progress_and_the_library_agree(self, workspace, written):
        made, _ = written
        opened = workspace.open(self.campaign(workspace, made))
        assert opened.terms == dict(enumerate(made.terms.values()))
        assert set(made.terms["q1"]) == {"flutter", "layer", "nozzl"}
        rows, grades = opened.labelled()
        direct = QueryTermRules(made.terms).fit(
            opened.items[rows], grades, [made.collection.queries[n] for n in opened.query_index[rows]]
        )
        fitted = ranking.fit(opened, "query_term_rules")
        plain = LRAR().fit(opened.items[rows], grades)
        differ = False
        for query in ranking.queries_of(opened):
            documents = ranking.documents_of(opened, query)
            scores = direct.predict(documents.items, [made.collection.queries[query]] * len(documents))
            np.testing.assert_array_equal(ranking.scores_of(fitted, documents), scores)
            differ |= not np.array_equal(plain.predict(documents.items), scores)
        assert differ, "terms must make a difference, or this test proves nothing"
        measured = whole_curve(opened, "query_term_rules")["points"][str(len(rows))]
        evaluation = opened.evaluation
        names = [made.collection.queries[n] for n in evaluation.qids]
        expected = evaluate(evaluation.grades, direct.predict(evaluation.items, names), evaluation.qids, "letor", k=10)
        assert measured["map"] == pytest.approx(expected["map"], abs=1e-12)

    def test_the_same_through_the_command_s_files(self, workspace, written):
        made, paths = written
        found = read_files(Files(files_at(str(paths["letor"]))), silent)
        number = workspace.import_campaign("Again", found.collection, Settings(), texts=found.texts)
        opened = workspace.open(number)
        assert opened.terms == dict(enumerate(made.terms.values()))
        useful = made.collection.feature_names[int(opened.useful[0])]
        assert useful.endswith("(title)")
        assert opened.item_text(0, 1).startswith(f"{useful} is ")

    def test_terms_that_come_later_reach_a_campaign_that_is_open(self, workspace, written):
        made, _ = written
        number = workspace.import_campaign("Bare", made.collection, Settings())
        assert workspace.open(number).terms == {}
        assert "query_term_rules" not in ranking.offered(workspace.open(number))
        kinds = ("curve:query_term_rules", "curve:stable_rules")
        for kind in kinds:
            workspace.campaigns.put_snapshot(number, kind, 3, {})
        workspace.import_campaign("Full", made.collection, Settings(), texts=made.texts, analyser=made.analyser)
        assert [len(workspace.campaigns.snapshots(number, kind)) for kind in kinds] == [0, 1]
        assert workspace.open(number).terms == dict(enumerate(made.terms.values()))

    def test_progress_offers_the_ranker_and_draws_its_curve(self, workspace, written):
        made, _ = written
        self.campaign(workspace, made)
        page = AppTest.from_file("../../pages/progress/page.py", default_timeout=600).run()
        assert not page.exception, page.exception
        page.multiselect(key="progress-rankers").set_value(["query_term_rules"]).run()
        assert not page.exception, page.exception


def test_marks_follow_the_analyser_of_the_collection(workspace, written):
    """The panel marks what the analyser takes for one word; a collection without one keeps the simple rules."""
    from pages.label.service import View, panel_data

    made, _ = written
    person = workspace.people.ensure_single_user()
    marked = {}
    for name, analyser in (("without", None), ("with", Analyser(("en",), stemming=False))):
        number = workspace.import_campaign(
            name, made.collection, Settings(sampler="random"), texts=made.texts, analyser=analyser, person=person.id
        )
        shown = panel_data(workspace, workspace.open(number), person, View())
        words = shown["query"].split()
        marked[name] = {*shown["title"][1::2], *shown["body"][1::2]}
        forms = {words[0].removesuffix("s"), words[2].removesuffix("ing"), words[-1]}
        assert marked[name] <= forms
        assert marked[name] <= {words[-1]} or name == "without"
    assert len(marked["without"]) > len(marked["with"])


@pytest.mark.parametrize(("language", "filler", "answer", "query"), [
    ("en", "Nothing of interest stands here. ", "Compression of a folder.", "compressing folders"),
    ("zh", "这里没有任何相关的内容。", "用压缩工具把整个文件夹压缩。", "压缩文件夹"),
])  # fmt: skip
def test_the_passage_fits_its_box_and_its_marks_are_those_of_the_text(language, filler, answer, query):
    body = filler * 120 + answer + filler * 120
    shown = text_shown(DocumentText("", body), query, analyser=Analyser((language,)))
    assert "".join(shown["body"]) == body
    assert "".join(shown["passage"]).strip("… ") in body
    assert answer in "".join(shown["passage"])
    assert shown["passage"][1::2] == shown["body"][1::2] == pieces(answer, query, Analyser((language,)))[1::2]
    assert len(shown["passage"][1::2]) >= 2
    # A wide character takes the room of two and a half letters.
    assert len("".join(shown["passage"])) <= PASSAGE * (WIDE if language == "zh" else 1) + len("…  …")
    short = text_shown(DocumentText("", filler * 40), query, analyser=Analyser((language,)))
    assert ("passage" in short) == (len(filler) * 40 > LONG * (WIDE if language == "zh" else 1))


@pytest.mark.parametrize("analyser", [None, Analyser(("en",))])
def test_a_megabyte_is_shown_in_part_and_in_whole(analyser):
    body = "wings that flutter in the stream; " * 31_000
    shown = text_shown(DocumentText("Wings", body), "flutter of wings", analyser=analyser)
    assert "".join(shown["body"]) == body[:LONGEST]
    assert shown["more"] == f"Show all {len(body):,} characters"
    whole = text_shown(DocumentText("Wings", body), "flutter of wings", whole=True, analyser=analyser)
    assert "".join(whole["body"]) == body
    assert len(whole["body"]) == 2 * MOST_MARKS + 1
    assert whole["passage"] == shown["passage"]
