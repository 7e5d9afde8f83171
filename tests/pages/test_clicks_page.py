"""Clicks: a log comes in or is made up, models are fitted beside the page, and a campaign is measured by them."""

from __future__ import annotations

import gzip
import json
import time

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages import context
from pages.charts.theme import DARK
from pages.clicks.tasks import sentence
from pages.clicks.view import as_json, parameters_table, perplexity_curves
from pages.shared import task as import_task
from pages.shared.task import BackgroundTask, CancelledError
from rulerank.campaign import ranking
from rulerank.campaign.audience import KIND, kept
from rulerank.campaign.click_metrics import documents_to_measure, measure
from rulerank.clicks import bilingual_user, fit, fit_from_dict, study, write_log
from rulerank.errors import InputError
from rulerank.importing.clicks import LINES, keep_log, load_log, read_clicks
from rulerank.importing.files import Upload
from rulerank.progress import silent
from rulerank.text import DocumentText, Texts

TASKS = ("clicks-log", "clicks-fits", "clicks-tables", "clicks-documents", "clicks-measured")
HEAD = "query,documents,grades,clicks,languages\n"
GOOD = HEAD + "q1,d7 d2,4 0,1 0,en de\nq1,d7 d2,4 0,0 1,en de\nq2,d4 d1,1 3,0 0,de en\n"
BAD = GOOD + "q3,d1 d2,1 0,1,en de\n"


def settle(page: AppTest) -> AppTest:
    """Let what runs beside the page end, and draw the page anew as its progress bar would."""
    while True:
        kept = [page.session_state[key][1] for key in TASKS if key in page.session_state]
        running = [task for task in kept if task.running]
        for task in running:
            assert task.wait(60)
        page.run()
        assert not page.exception, page.exception
        if not running:
            return page


def press(page: AppTest, label: str) -> AppTest:
    next(button for button in page.button if button.label == label).click().run()
    assert not page.exception, page.exception
    return settle(page)


@pytest.fixture
def empty(workspace, worker) -> AppTest:
    made = AppTest.from_file("../../pages/clicks/page.py", default_timeout=600).run()
    assert not made.exception, made.exception
    return made


@pytest.fixture
def simulated(empty) -> AppTest:
    """The page with a small simulated log."""
    empty.segmented_control(key="clicks-source").set_value("simulate").run()
    empty.number_input(key="clicks-sessions").set_value(3000)
    return press(empty, "Simulate")


@pytest.fixture(scope="module")
def log():
    return study.simulate(bilingual_user(), 5000, 5, 0, silent)


@pytest.fixture(scope="module")
def found(log):
    return study.fit_models(log, ["agnostic", "ia_same", "agnostic_default", "documents"], 0, silent)


def table(page: AppTest, column: str):
    return next(each.value for each in page.dataframe if column in each.value.columns)


def upload(page: AppTest, name: str, text: str) -> AppTest:
    page.file_uploader(key="clicks-file").upload(name, text.encode()).run()
    return press(page, "Read the log")


class TestLog:
    def test_an_empty_page_says_what_to_do(self, empty):
        assert "Upload one, or simulate one" in empty.info[0].value
        assert empty.code[0].value.startswith("query,documents,grades,clicks")
        assert not empty.dataframe

    def test_an_uploaded_log_shows_its_facts(self, empty):
        upload(empty, "clicks.csv", GOOD)
        facts = {metric.label: metric.value for metric in empty.metric}
        assert facts == {
            "Sessions": "3", "Configurations": "2", "Queries": "2", "Positions": "2",
            "With a click": "66.7%", "With several": "0.0%",
        }  # fmt: skip
        assert table(empty, "Language")["Results shown"].tolist() == [3, 3]
        assert table(empty, "Grade")["Results shown"].tolist() == [2, 1, 0, 1, 2]

    def test_bad_rows_are_told_by_line_and_skipped_on_request(self, empty):
        upload(empty, "clicks.csv", BAD)
        assert "1 row of clicks\\.csv cannot be used" in empty.error[0].value
        assert table(empty, "Line")["Line"].tolist() == [5]
        assert not empty.metric
        empty.toggle(key="clicks-skip").set_value(True).run()
        press(empty, "Read the log")
        assert empty.metric[0].value == "3"
        assert not empty.error
        assert table(empty, "Line")["Line"].tolist() == [5]

    def test_names_of_files_and_languages_are_text_only(self, empty):
        upload(empty, "**loud** <b>x.csv", GOOD.replace("en de", "en <b>_de_").replace("de en", "<b>_de_ en"))
        assert any(caption.value == r"\*\*loud\*\* \<b\>x\.csv" for caption in empty.caption)
        assert "<b>_de_" in table(empty, "Language")["Language"].tolist()
        press(empty, "Fit")
        assert not empty.error

    def test_a_file_of_another_kind_is_explained(self, empty):
        upload(empty, "picture.png", "nothing")
        assert "does not show the layout" in empty.error[0].value

    def test_clara2_needs_both_files(self, empty):
        empty.segmented_control(key="clicks-source").set_value("clara2").run()
        empty.file_uploader(key="clicks-clara-log").upload("log", b"1\t0\tQ\t7\t0\ta\tb\n1\t5\tC\tb\n").run()
        assert not [button for button in empty.button if button.label == "Read the log"]
        empty.file_uploader(key="clicks-clara-grades").upload("grades", b"query\turl\tgrade\n7\ta\t1\n7\tb\t2\n").run()
        press(empty, "Read the log")
        assert not empty.error
        assert empty.metric[0].value == "1"

    @pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
    def test_every_layout_gives_the_same_log(self, log, tmp_path, ending):
        write_log(log, tmp_path / f"log.{ending}")
        data = (tmp_path / f"log.{ending}").read_bytes()
        assert read_clicks(Upload(f"log.{ending}", data), silent).summary()["grades"] == log.summary()["grades"]
        if ending == "csv":
            packed = read_clicks(Upload("log.csv.gz", gzip.compress(data)), silent)
            assert packed.sessions == log.sessions

    def test_what_the_worker_read_is_the_same_here(self, tmp_path):
        bad = BAD.replace("q2,d4 d1,1 3,0 0,de en", "q2,d4 d1,1 3,1 1,de en")
        log = read_clicks(Upload("clicks.csv", bad.encode()), silent, skip_bad=True)
        keep_log(log, tmp_path)
        found = load_log(tmp_path)
        assert (found.queries, found.documents, found.languages) == (log.queries, log.documents, log.languages)
        assert (found.reading, found.summary()) == (log.reading, log.summary())
        assert found.reading.bad_rows[0].line == 5
        for name in ("query", "document", "language", "grade", "row_config", "row_pattern", "count"):
            assert np.array_equal(getattr(found, name), getattr(log, name))
            assert getattr(found, name).dtype == getattr(log, name).dtype

    def test_nothing_of_an_upload_stays_behind(self, empty, workspace):
        for text in (GOOD, BAD):
            upload(empty, "clicks.csv", text)
        assert empty.error
        assert list(workspace.uploads.folder.iterdir()) == []
        assert workspace.jobs.list() == ()

    def test_reading_ends_when_it_is_cancelled(self):
        rows = 3 * LINES
        seen = []

        def stop(done, total, what=""):
            seen.append(done)
            if len(seen) == 4:
                raise CancelledError("cancelled")

        with pytest.raises(CancelledError):
            read_clicks(Upload("clicks.csv", (HEAD + "q1,d7,4,1,en\n" * rows).encode()), stop)
        assert 0 < seen[-1] < len(HEAD) + 13 * rows

    def test_a_log_without_a_session_is_refused(self):
        with pytest.raises(InputError, match="no session"):
            read_clicks(Upload("clicks.csv", (HEAD + "q1,d7,-1,1,en\n").encode()), silent)

    def test_the_same_seed_gives_the_same_log(self):
        first, second, third = (
            study.simulate(study.user_named("eia", 0.0), 2000, 4, seed, silent) for seed in (3, 3, 4)
        )
        assert np.array_equal(first.count, second.count)
        assert not np.array_equal(first.count[:50], third.count[:50])
        assert first.depth == 4

    @pytest.mark.parametrize(
        ("text", "shown"),
        [("cancelled; nothing", "Cancelled; nothing."), ("log.csv: bad", "log\\.csv\\: bad."), ("", "."), ("é", "É.")],
    )
    def test_messages_are_sentences_but_names_of_files_stay(self, text, shown):
        assert sentence(text) == shown


class TestModels:
    def test_models_are_fitted_and_shown_with_intervals(self, simulated):
        press(simulated, "Fit")
        shown = table(simulated, "Log-likelihood")
        assert len(shown) == 6
        likelihood = dict(zip(shown["Model"], shown["Log-likelihood"], strict=True))
        assert likelihood["Extended IA, learned"] >= likelihood["IA, learned, different parameters"] - 0.1
        parameters = table(simulated, "Parameter")
        assert len(parameters) == 22
        assert all(" to " in text for text in parameters["95% interval"][parameters["Status"] == "estimated"])
        assert any("trade off" in caption.value for caption in simulated.caption)

    def test_another_log_forgets_the_models_of_the_last(self, simulated):
        press(simulated, "Fit")
        press(simulated, "Simulate")
        assert not [each for each in simulated.dataframe if "Log-likelihood" in each.value.columns]

    def test_a_changed_choice_is_told(self, simulated):
        simulated.multiselect(key="clicks-models-True").set_value(["agnostic"]).run()
        press(simulated, "Fit")
        simulated.multiselect(key="clicks-models-True").set_value(["ia_same"]).run()
        assert any("fit again" in info.value for info in simulated.info)

    def test_a_model_that_does_not_suit_the_log_leaves_the_others(self, log, monkeypatch):
        def picky(name, *rest, **more):
            if name == "agnostic_default":
                raise InputError("not this one")
            return fit(name, *rest, **more)

        monkeypatch.setattr(study, "fit", picky)
        made = study.fit_models(log, ["agnostic_default", "agnostic"], 0, silent)
        assert list(made.fits) == ["agnostic"]
        assert made.failed == {"Intent-agnostic, default": "not this one"}

    def test_fitting_ends_when_it_is_cancelled(self, log):
        def never(done, total):
            raise CancelledError("cancelled")

        task = BackgroundTask(lambda progress: study.fit_models(log, ["agnostic"], 0, never), "Fitting")
        assert task.wait(60)
        assert task.cancelled

    def test_a_new_fit_ends_the_one_under_way(self, simulated, monkeypatch):
        monkeypatch.setattr(import_task, "QUICK", 0.4)  # the first fit never ends by itself

        def work_on(progress):
            while True:
                time.sleep(0.01)
                progress(0, 1)

        earlier = BackgroundTask(work_on, "Fitting")
        simulated.session_state["clicks-fits"] = ([], earlier)
        simulated.run()
        press(simulated, "Fit")
        assert earlier.wait(60)
        assert earlier.cancelled
        assert len(table(simulated, "Log-likelihood")) == 6

    def test_the_file_of_a_model_is_read_again(self, found):
        for made in found.fits.values():
            again = fit_from_dict(json.loads(as_json(made.to_dict())))
            assert again.loglik == made.loglik

    def test_a_fixed_parameter_has_no_interval(self, found):
        shown = parameters_table(found.fits["agnostic_default"])
        assert set(shown["95% interval"]) == {""}
        assert set(shown["Status"]) == {"fixed"}

    def test_the_figure_has_a_line_a_model_at_the_measured_points(self, found):
        series = {name: each.marginal for name, each in found.evaluations.items()}
        figure = perplexity_curves({"<b>evil</b>": [1.5, 1.2], **series}, theme=DARK)
        assert [tuple(trace.y) for trace in figure.data[1:]] == [tuple(values) for values in series.values()]
        assert "<b>evil" not in figure.data[0].name
        styles = {(trace.line.color, trace.line.dash) for trace in figure.data}
        assert len(styles) == len(figure.data)
        assert not perplexity_curves({}).data


class TestTables:
    def test_both_tables_of_the_paper_are_shown_with_files(self, simulated):
        simulated.multiselect(key="clicks-models-True").set_value(["ia_same", "agnostic_default"]).run()
        simulated.number_input(key="clicks-splits").set_value(3)
        press(simulated, "Compare")
        first = table(simulated, "Gain")
        assert first["Model"].tolist() == ["IA, learned, same parameters", "Intent-agnostic, default"]
        assert first["Gain"].tolist()[1] == ""
        assert list(table(simulated, "UCTR").columns)[1:] == ["UCTR", "MaxRR", "MinRR", "MeanRR", "PLC"]
        assert len(table(simulated, "p, corrected")) == 6
        assert any("3 random splits" in caption.value for caption in simulated.caption)
        labels = {button.label for button in simulated.download_button}
        assert {"Perplexity (CSV)", "Correlations (CSV)", "Tests (CSV)", "All tables (JSON)"} <= labels


def speak(workspace, campaign: int, languages=("native", "english")) -> None:
    """Give the documents of a campaign a language, in turn."""
    opened = workspace.open(campaign)
    docids = dict.fromkeys(opened.collection.docids)
    texts = {docid: DocumentText("", "x", languages[at % len(languages)]) for at, docid in enumerate(docids)}
    workspace.collections.put_texts(opened.collection_id, Texts({}, texts))


def eq_1(user, cells) -> float:
    """Eq. 1 of the paper for one list of (language, grade), term by term."""
    total = 0.0
    for share, relevance in zip(user.prior, user.relevance, strict=True):
        looking = 1.0
        for place, (language, grade) in enumerate(cells, 1):
            stops = relevance[user.languages.index(language)][grade]
            total += share * looking * stops / place
            looking *= 1 - stops
    return total


class TestCampaign:
    def test_without_languages_only_err_is_shown_and_the_page_says_why(self, workspace, labelled_demo, simulated):
        speak(workspace, labelled_demo, (None,))
        simulated.multiselect(key="clicks-models-True").set_value(["ia_same", "agnostic"]).run()
        press(simulated, "Fit")
        press(simulated, "Measure")
        assert list(table(simulated, "Ranker").columns) == ["Ranker", "ERR, learned"]
        assert any("ERR\\-IA" in info.value and "no language" in info.value for info in simulated.info)

    def test_the_metric_is_eq_1_of_the_rankings(self, workspace, labelled_demo, found):
        speak(workspace, labelled_demo)
        opened = workspace.open(labelled_demo)
        documents = documents_to_measure(opened, workspace.collections.languages(opened.collection_id))
        made = measure(opened, documents, found.fits, ["lrar"], {}, silent)
        assert list(made.missing) == ["SDBN by document"]
        fitted = ranking.fit(opened, "lrar")
        language = dict(zip(documents.rows.tolist(), documents.languages, strict=True))
        grade = dict(zip(documents.rows.tolist(), documents.grades.tolist(), strict=True))
        values = []
        for query in np.unique(opened.collection.query_index[documents.rows]):
            each = ranking.documents_of(opened, int(query))
            keep = [place for place, row in enumerate(each.rows.tolist()) if row in grade]
            order = ranking.order_of(ranking.scores_of(fitted, each), each, opened.settings.convention)
            rows = [int(each.rows[place]) for place in order if place in keep]
            values.append(eq_1(found.fits["ia_same"].user, [(language[row], grade[row]) for row in rows]))
        assert float(made.table["ERR-IA, learned (same)"][0]) == pytest.approx(np.mean(values), abs=6e-5)

    def test_other_names_of_languages_are_asked_for(self, workspace, labelled_demo, simulated):
        speak(workspace, labelled_demo, ("en", "xx"))
        simulated.multiselect(key="clicks-models-True").set_value(["ia_same"]).run()
        press(simulated, "Fit")
        press(simulated, "Measure")
        assert any("the data hold en, xx" in info.value.replace("\\", "") for info in simulated.info)
        simulated.selectbox(key=f"clicks-meaning-{labelled_demo}-en").set_value("english")
        simulated.selectbox(key=f"clicks-meaning-{labelled_demo}-xx").set_value("native").run()
        settle(simulated)
        assert "ERR-IA, learned (same)" in table(simulated, "Ranker").columns

    def test_a_campaign_without_labels_says_so(self, workspace, simulated):
        workspace.demo()
        press(simulated, "Fit")
        press(simulated, "Measure")
        assert any("Nothing is labelled yet" in error.value for error in simulated.error)

    def test_without_a_campaign_the_page_says_where_to_begin(self, simulated):
        assert not context.workspace().campaigns.all()
        press(simulated, "Fit")
        assert any("no campaign yet" in info.value for info in simulated.info)

    def test_what_was_learned_is_kept_with_the_campaign_and_let_go_again(self, workspace, labelled_demo, simulated):
        speak(workspace, labelled_demo)
        simulated.multiselect(key="clicks-models-True").set_value(["ia_same", "agnostic", "agnostic_default"]).run()
        press(simulated, "Fit")
        press(simulated, "Measure")
        assert not simulated.success
        press(simulated, "Use on Progress and Ranking")
        assert "**ERR-IA, learned (same); ERR, learned**" in simulated.success[0].value
        assert "3,000 sessions" in simulated.success[0].value
        users = kept(workspace.campaigns.snapshots(labelled_demo, KIND)[0].values)
        made = simulated.session_state["clicks-fits"][1].result.fits
        assert list(users) == ["ia_same", "agnostic"]
        assert users["ia_same"].user.prior.tolist() == made["ia_same"].user.prior.tolist()
        assert set(users["ia_same"].user.languages) == {"native", "english"}
        assert not users["agnostic"].user.minds_language
        press(simulated, "Keep them no longer")
        assert not simulated.success
        assert kept(workspace.campaigns.snapshots(labelled_demo, KIND)[0].values) == {}

    def test_a_log_with_fewer_grades_than_the_campaign_is_not_offered_to_keep(self, workspace, labelled_demo, empty):
        speak(workspace, labelled_demo, ("en", "de"))
        upload(empty, "short.csv", GOOD.replace("4 0", "1 0").replace("1 3", "0 1"))
        press(empty, "Fit")
        press(empty, "Measure")
        assert not [button for button in empty.button if button.label == "Use on Progress and Ranking"]
