"""ERR, ERR-IA and ERR-EIA on Progress and Ranking: offered where documents have languages, default and learned."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from db.jobs.campaign_curves import read_audience
from db.jobs.handlers import HANDLERS
from db.jobs.worker import Worker
from pages import context
from pages.shared.audience import audience_of, languages_of
from rulerank.campaign.audience import KIND, keep
from rulerank.campaign.click_metrics import documents_to_measure, measure, users_to_keep
from rulerank.campaign.labels import kept_curve
from rulerank.campaign.ranking import queries_of
from rulerank.clicks import bilingual_user, study
from rulerank.curves import measured_by
from rulerank.metrics import err_eia_user, err_ia_user, evaluate, intent_err
from rulerank.metrics.audience import user_label
from rulerank.progress import silent
from rulerank.ranking import RECOMMENDED
from rulerank.text import DocumentText, Texts
from rulerank.text.languages import language_name

CLASSIC = ["MAP", "NDCG@k", "P@k", "MRR"]
OTHERS = ["MeanNDCG"]


@pytest.fixture(scope="module")
def fits():
    log = study.simulate(bilingual_user(), 5000, 5, 0, silent)
    return study.fit_models(log, ["agnostic", "ia_same", "agnostic_default", "documents"], 0, silent).fits


def speak(workspace, campaign: int, *languages: str | None) -> None:
    """Give the documents of a campaign's collection languages in turn, as an import of texts does."""
    opened = workspace.open(campaign)
    docids = dict.fromkeys(opened.collection.docids)
    texts = {docid: DocumentText("", "x", languages[at % len(languages)]) for at, docid in enumerate(docids)}
    workspace.collections.put_texts(opened.collection_id, Texts({}, texts))
    workspace.campaigns.forget(campaign)


def show(page: str, campaign: int) -> AppTest:
    made = AppTest.from_file("../../pages/main.py", default_timeout=600)
    made.query_params["campaign"] = str(campaign)
    made.run()
    made.switch_page(context.script(page)).run()
    assert not made.exception, made.exception
    return made


def numbers(page: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in page.metric}


def captions(page: AppTest) -> str:
    return "\n".join(caption.value for caption in page.caption).replace("\\", "")


def keep_learned(workspace, campaign: int, fits, meaning) -> list[str]:
    """Keep the learned users with a campaign, as the button of the Clicks page does."""
    opened = workspace.open(campaign)
    documents = documents_to_measure(opened, workspace.collections.languages(opened.collection_id))
    users = users_to_keep(opened, documents, languages_of(opened), fits, meaning, "clicks.csv")
    workspace.campaigns.put_snapshot(campaign, KIND, 0, keep(users))
    return list(users)


class TestProgress:
    def test_without_languages_only_err_is_offered_and_the_page_says_why(self, workspace, labelled_demo):
        speak(workspace, labelled_demo, None)
        page = show("progress", labelled_demo)
        box = page.selectbox(key="progress-metric")
        assert box.options == [*CLASSIC, "ERR", *OTHERS]
        assert "the documents have no language" in box.proto.help
        box.set_value("err").run()
        opened = workspace.open(labelled_demo)
        rows, grades = opened.labelled()
        model = opened.ranker(RECOMMENDED).fit(opened.items[rows], np.array(grades), opened.query_index[rows].tolist())
        held = opened.evaluation
        usual = evaluate(held.grades, model.predict(held.items), held.qids, max_grade=len(opened.settings.grades) - 1)
        assert numbers(page)["ERR now"] == f"{usual['err']:.3f}"

    def test_a_document_without_a_language_is_told(self, workspace, labelled_demo):
        speak(workspace, labelled_demo, "en", "de", None)
        box = show("progress", labelled_demo).selectbox(key="progress-metric")
        assert box.options == [*CLASSIC, "ERR", *OTHERS]
        assert "documents have no language" in box.proto.help

    def test_with_languages_all_three_are_measured_and_explained(self, workspace, labelled_demo):
        speak(workspace, labelled_demo, "en", "de", "en")
        page = show("progress", labelled_demo)
        assert page.selectbox(key="progress-metric").options == [*CLASSIC, "ERR", "ERR-IA", "ERR-EIA", *OTHERS]
        opened = workspace.open(labelled_demo)
        rows, grades = opened.labelled()
        model = opened.ranker(RECOMMENDED).fit(opened.items[rows], np.array(grades), opened.query_index[rows].tolist())
        held, best = opened.evaluation, len(opened.settings.grades) - 1
        spoken = workspace.collections.languages(opened.collection_id)
        languages = [spoken[opened.collection.docids[row]] for row in opened.evaluation_rows]
        for name, user in (("err_ia", err_ia_user(best, ("de", "en"))), ("err_eia", err_eia_user(best, ("de", "en")))):
            found = intent_err(held.grades, model.predict(held.items), held.qids, languages, user)
            page.selectbox(key="progress-metric").set_value(name).run()
            page.toggle(key="progress-ties").set_value(False).run()
            assert numbers(page)[f"{user_label(name)} now"] == f"{found.mean:.3f}"
            page.toggle(key="progress-ties").set_value(True).run()
            assert numbers(page)[f"{user_label(name)} now"] == f"{found.expected:.3f}"
            assert "de 50%, en 50% (equal shares)" in captions(page)
            help_text = next(each for each in page.metric if each.label.endswith("now")).proto.help
            assert "Eq. 1 of Drutsa et al. (2016), whole lists" in help_text
        assert f"(2^g - 1) / {2**best}" in captions(page)

    def test_one_language_makes_all_three_the_same_and_the_page_says_so(self, workspace, labelled_demo):
        speak(workspace, labelled_demo, "en")
        page = show("progress", labelled_demo)
        values = set()
        for name in ("err", "err_ia", "err_eia"):
            page.selectbox(key="progress-metric").set_value(name).run()
            values.add(numbers(page)[f"{user_label(name)} now"])
        assert len(values) == 1
        assert "all documents are in one language, en, so it equals ERR" in captions(page)

    def test_where_the_chosen_metric_is_not_offered_another_is_shown(self, workspace, labelled_demo):
        speak(workspace, labelled_demo, "en", "de")
        page = show("progress", labelled_demo)
        page.selectbox(key="progress-metric").set_value("err_ia").run()
        assert "ERR-IA now" in numbers(page)
        speak(workspace, labelled_demo, None)
        page.run()
        assert not page.exception, page.exception
        assert "MAP now" in numbers(page)

    def test_the_random_band_and_the_ceiling_come_from_the_worker(self, workspace, labelled_demo):
        speak(workspace, labelled_demo, None)
        page = show("progress", labelled_demo)
        Worker(workspace.database, handlers=HANDLERS).run_once()
        (before,) = workspace.campaigns.snapshots(labelled_demo, f"random:{RECOMMENDED}")
        assert "err_ia" not in before.values["ceiling"]
        speak(workspace, labelled_demo, "en", "de")
        page = show("progress", labelled_demo)
        assert "Random order: 20 replays" in captions(page)  # the old one serves MAP as before
        page.selectbox(key="progress-metric").set_value("err_ia").run()
        assert "appears here as soon as it is worked out" in captions(page)
        Worker(workspace.database, handlers=HANDLERS).run_once()
        page.run()
        assert "Random order: 20 replays" in captions(page)
        (after,) = workspace.campaigns.snapshots(labelled_demo, f"random:{RECOMMENDED}")
        assert after.values["ceiling"]["map"] == before.values["ceiling"]["map"]
        assert 0 < after.values["ceiling"]["err_ia"] < after.values["ceiling"]["err"]
        assert not [job for job in workspace.jobs.list(kind="replay") if not job.over]

    def test_learned_metrics_are_those_of_the_clicks_page(self, workspace, labelled_demo, fits):
        speak(workspace, labelled_demo, "xx", "en")
        meaning = {"xx": "native", "en": "english"}
        assert keep_learned(workspace, labelled_demo, fits, meaning) == ["agnostic", "ia_same"]
        page = show("progress", labelled_demo)
        assert page.selectbox(key="progress-metric").options[-3:] == ["ERR-IA, learned (same)", "ERR, learned", *OTHERS]
        page.selectbox(key="progress-metric").set_value("learned:ia_same").run()
        opened = workspace.open(labelled_demo)
        last = kept_curve(opened, RECOMMENDED, audience_of(opened)).points[-1].values
        documents = documents_to_measure(opened, workspace.collections.languages(opened.collection_id))
        table = measure(opened, documents, fits, [RECOMMENDED], meaning, silent).table
        assert numbers(page)["ERR-IA, learned (same) now"] == f"{last['learned:ia_same']:.3f}"
        for name, label in (("learned:ia_same", "ERR-IA, learned (same)"), ("learned:agnostic", "ERR, learned")):
            assert f"{last[name]:.4f}" == table[label][0]
        assert "learned from clicks.csv (5,000 sessions)" in captions(page)
        shares = dict(zip(fits["ia_same"].user.intents, fits["ia_same"].user.prior, strict=True))
        assert f"native {shares['native']:.0%}" in captions(page)
        Worker(workspace.database, handlers=HANDLERS).run_once()
        (kept,) = workspace.campaigns.snapshots(labelled_demo, f"random:{RECOMMENDED}")
        readers = read_audience(workspace.campaigns, opened).of(opened.evaluation_rows)
        assert kept.values["measured_by"] == measured_by(readers)
        assert "learned:ia_same" in kept.values["bands"][0]["mean"]

    def test_a_language_that_the_log_does_not_know_leaves_the_rest(self, workspace, labelled_demo, fits):
        speak(workspace, labelled_demo, "xx", "en")
        assert keep_learned(workspace, labelled_demo, fits, {"xx": "native"}) == ["agnostic"]

    def test_what_is_let_go_is_no_longer_offered(self, workspace, labelled_demo, fits):
        keep_learned(workspace, labelled_demo, fits, {})
        assert "ERR, learned" in show("progress", labelled_demo).selectbox(key="progress-metric").options
        workspace.campaigns.put_snapshot(labelled_demo, KIND, 0, keep({}))
        assert "ERR, learned" not in show("progress", labelled_demo).selectbox(key="progress-metric").options


class TestRanking:
    def test_without_languages_there_is_no_column_and_no_intent_aware_metric(self, workspace, labelled_demo):
        speak(workspace, labelled_demo, None)
        page = show("ranking", labelled_demo)
        box = page.multiselect(key="ranking-metrics")
        assert box.options[4:] == ["ERR", *OTHERS]
        assert "no language" in box.proto.help
        assert "Language" not in page.dataframe[0].value.columns

    def test_metrics_of_a_query_can_be_chosen(self, workspace, labelled_demo):
        speak(workspace, labelled_demo, "en", "de", "en")
        page = show("ranking", labelled_demo)
        assert page.multiselect(key="ranking-metrics").options[4:] == ["ERR", "ERR-IA", "ERR-EIA", *OTHERS]
        page.multiselect(key="ranking-metrics").set_value(["mrr", "err_ia", "err_eia"]).run()
        assert not page.exception
        table = page.dataframe[0].value
        assert set(table["Language"]) == {"German", "English"}
        opened = workspace.open(labelled_demo)
        best = len(opened.settings.grades) - 1
        query = queries_of(opened)[0]
        rows = np.flatnonzero(opened.collection.query_index == query)
        docids = {opened.collection.docids[row]: row for row in rows}
        spoken = workspace.collections.languages(opened.collection_id)
        shown = next(text.value for text in page.markdown if "ERR-IA" in text.value)
        order = table["Document"].tolist()
        grades = [int(opened.collection.grades[docids[docid]]) for docid in order]
        languages = [spoken[docid] for docid in order]
        assert [language_name(code) for code in languages] == table["Language"].tolist()
        for label, user in (("ERR-IA", err_ia_user(best, ("de", "en"))), ("ERR-EIA", err_eia_user(best, ("de", "en")))):
            value = intent_err(grades, -np.arange(len(grades)), [0] * len(grades), languages, user).mean
            assert f"{label} **{value:.3f}**" in shown
        assert "Average precision" not in shown
        assert captions(page).count("Users read from the top") == 1

    def test_a_metric_that_is_not_offered_any_more_is_left_out(self, workspace, labelled_demo):
        speak(workspace, labelled_demo, "en", "de")
        page = show("ranking", labelled_demo)
        page.multiselect(key="ranking-metrics").set_value(["mrr", "err_ia"]).run()
        speak(workspace, labelled_demo, None)
        page.run()
        assert not page.exception, page.exception
        assert not any("ERR-IA" in text.value for text in page.markdown)

    def test_learned_metrics_are_offered_too(self, workspace, labelled_demo, fits):
        speak(workspace, labelled_demo, "native", "english")
        keep_learned(workspace, labelled_demo, fits, {})
        page = show("ranking", labelled_demo)
        page.multiselect(key="ranking-metrics").set_value(["learned:ia_same"]).run()
        assert any("ERR-IA, learned (same) **0." in text.value for text in page.markdown)
        assert "learned from clicks.csv" in captions(page)
