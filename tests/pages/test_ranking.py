"""The Ranking page: order, metrics and rules against the rankers themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages import context
from pages.ranking import view
from pages.ranking.view import grade_text, ranking_table
from pages.ranking.wrong import MOST, places_off, wrong_table
from pages.shared.layout import plain
from rulerank.campaign import Kind, Settings
from rulerank.campaign import ranking as data
from rulerank.campaign.annotator import why_chosen
from rulerank.campaign.explain import (
    effects_table,
    grade_shares,
    over_antecedents,
    rules_behind,
    score_words,
    shares_table,
)
from rulerank.metrics import evaluate
from rulerank.registry import rankers
from tests.pages.conftest import give_labels


def run_page(campaign: int, query: str | None = None) -> AppTest:
    page = AppTest.from_file("../../pages/main.py", default_timeout=600)
    page.query_params["campaign"] = str(campaign)
    if query is not None:
        page.query_params["query"] = query
    page.run()
    page.switch_page("ranking/page.py").run()
    assert not page.exception, page.exception
    return page


@pytest.fixture
def opened(workspace, labelled_demo):
    return workspace.open(labelled_demo)


def labelled_query(opened) -> int:
    """The query with most labels."""
    return int(np.bincount(opened.query_index[opened.labelled()[0]]).argmax())


@pytest.mark.parametrize(
    "name", ["lrar", "lrar_items", "smooth_items", "weighted_items", "eager_rules", "stable_rules"]
)
def test_the_rules_shown_give_exactly_the_score(opened, name):
    fitted = data.fit(opened, name)
    documents = data.documents_of(opened, labelled_query(opened))
    probabilities = fitted.model.predict_proba(documents.items)
    told = 0
    for place in range(len(documents)):
        rules = rules_behind(fitted, documents.items[place])
        if not rules:
            continue
        told += 1
        shares = grade_shares(rules, probabilities.shape[1], whole=over_antecedents(fitted.model))[1]
        np.testing.assert_allclose(shares, probabilities[place], atol=1e-6)
    assert told > len(documents) / 2


def test_stable_rules_are_fewer_than_all(workspace, opened):
    # Evenly spread, 30 labels are one a query: nothing can be stable or not before there are some more.
    give_labels(workspace, opened.id, workspace.people.ensure_single_user().id, 90)
    stable, everything = (data.fit(opened, name) for name in ("stable_rules", "lrar"))
    documents = data.documents_of(opened, labelled_query(opened)).items
    fewer, all_of_them = (
        [len(rules_behind(fitted, document)) for document in documents] for fitted in (stable, everything)
    )
    assert all(few <= many for few, many in zip(fewer, all_of_them, strict=True))
    assert 0 < sum(fewer) < sum(all_of_them)


def test_a_query_level_functions_rules_give_its_own_rank(opened):
    fitted = data.fit(opened, "query_level_rules")
    documents = data.documents_of(opened, labelled_query(opened))
    ranks = fitted.model.query_ranks(documents.items)
    for number, query in enumerate(fitted.model.queries_[:4]):
        rules = rules_behind(fitted, documents.items[0], query)
        if not rules:
            assert np.isnan(ranks[number, 0])
            continue
        shares = grade_shares(rules, fitted.model.grades_.size)[1]
        assert (shares * np.arange(shares.size)).sum() == pytest.approx(ranks[number, 0], abs=1e-6)


def test_every_ranker_of_the_registry_tells_its_rules(opened):
    document = data.documents_of(opened, labelled_query(opened)).items[0]
    for name in set(data.offered(opened)) - {"threshold_rules"}:  # it tells what they add instead: the next test
        assert rules_behind(data.fit(opened, name), document, labelled_query(opened)) is not None, name


def test_threshold_rules_tell_what_each_item_adds(opened, labelled_demo, monkeypatch):
    effects = data.fit(opened, "threshold_rules").model.effects(opened.items[0])
    table = effects_table(effects, opened.item_text)
    assert table["Adds"].abs().is_monotonic_decreasing
    assert table["Adds"].sum() == pytest.approx(sum(effect.adds for effect in effects))
    assert table["If the document has"].str.len().min() > 5
    monkeypatch.setattr(view, "show_table", lambda *shown, **how: 1)
    page = run_page(labelled_demo, opened.collection.queries[labelled_query(opened)])
    page.selectbox(key="ranking-first").set_value("threshold_rules").run()
    assert not page.exception
    assert any("to the score that labelled documents have on average" in each.value for each in page.markdown)


def test_a_ranker_is_fitted_once_until_a_label_changes(opened):
    first = data.fit(opened, "lrar")
    assert data.fit(opened, "lrar") is first
    row = first.rows[0]
    opened.live.write(1, row, Kind.GRADE, grade=(int(first.grades[0]) + 1) % 3)
    second = data.fit(opened, "lrar")
    assert second is not first
    assert second.grades[second.rows.index(row)] != first.grades[0]


def test_query_terms_are_used_where_queries_have_texts(opened):
    fitted = data.fit(opened, "query_term_rules")
    assert fitted.model.terms == opened.terms
    assert opened.terms[0]
    assert "query_term_rules" not in data.offered()
    assert set(data.offered()) == set(rankers.names()) - {"query_term_rules"}


def test_documents_show_given_grades_only_and_evaluation_grades(opened):
    current = opened.live.fold.current()
    documents = data.documents_of(opened, labelled_query(opened))
    assert documents.graded == sum(int(row) in current for row in documents.pool_rows)
    assert 0 < documents.graded < len(documents)
    for at, grade in zip(documents.pool_rows, documents.given, strict=True):
        assert grade == current.get(int(at))
    held = int(opened.collection.query_index[opened.evaluation_rows[0]])
    others = data.documents_of(opened, held)
    assert (others.pool_rows == -1).all()
    assert list(others.given) == opened.collection.grades[others.rows].tolist()
    np.testing.assert_array_equal(others.items, opened.evaluation.items[: len(others)])


def test_the_metrics_of_a_query_are_those_of_the_evaluation(opened):
    fitted = data.fit(opened, "lrar")
    evaluation = opened.evaluation
    whole = evaluate(evaluation.grades, fitted.model.predict(evaluation.items), evaluation.qids, "letor")["per_query"]
    for place, query in enumerate(whole["qids"][:5]):
        documents = data.documents_of(opened, int(query))
        found = data.metrics_of(opened, documents, data.scores_of(fitted, documents))
        assert found["map"] == pytest.approx(whole["map"][place])
        assert found["ndcg@10"] == pytest.approx(whole["ndcg"][place][9])


def test_metrics_are_not_there_before_the_grades_are(workspace, opened):
    settings = Settings(grades=opened.settings.grades)
    number = workspace.campaigns.create("Unknown", opened.collection_id, settings, pool_rows=opened.pool_rows)
    unknown = workspace.open(number)
    query = int(unknown.query_index[0])
    own = np.flatnonzero(unknown.query_index == query)
    for row in own[:-1]:
        unknown.live.write(1, int(row), Kind.GRADE, grade=1)
    documents = data.documents_of(unknown, query)
    fitted = data.fit(unknown, "lrar")
    assert data.metrics_of(unknown, documents, data.scores_of(fitted, documents)) is None
    page = run_page(number, unknown.collection.queries[query])
    assert any("Metrics: not yet; 1 of" in line.value for line in page.markdown)
    unknown.live.write(1, int(own[-1]), Kind.GRADE, grade=0)
    documents = data.documents_of(unknown, query)
    assert data.metrics_of(unknown, documents, data.scores_of(fitted, documents))["mrr"] > 0


def test_equal_scores_stand_as_the_convention_has_it(opened):
    documents = data.documents_of(opened, labelled_query(opened))
    same = np.zeros(len(documents))
    assert data.order_of(same, documents, "letor").tolist() == list(range(len(documents)))
    by_name = data.order_of(same, documents, "trec")
    assert [documents.docids[place] for place in by_name] == sorted(documents.docids, reverse=True)
    rising = np.arange(len(documents), dtype=float)
    assert data.order_of(rising, documents, "trec").tolist() == list(range(len(documents)))[::-1]


def test_changes_count_places_upwards():
    assert data.changes(np.array([2, 0, 1]), np.array([0, 1, 2])) == {0: 1, 1: 1, 2: -2}


def test_tables_mark_changes_and_missing_grades(opened):
    documents = data.documents_of(opened, labelled_query(opened))
    scores = np.linspace(1, 0, len(documents))
    order = data.order_of(scores, documents, "letor")
    moved = {place: {0: 2, 1: -1}.get(place, 0) for place in range(len(documents))}
    table = ranking_table(opened, documents, [str(n) for n in range(len(documents))], scores, order, moved)
    assert table["Change"].tolist()[:3] == ["▲ 2", "▼ 1", "="]
    assert table["Document"].tolist() == [str(n) for n in range(len(documents))]
    assert table["Grade"].tolist() == [grade_text(opened, grade) for grade in documents.given]
    assert "not yet" in table["Grade"].tolist()
    assert "Set" not in table


def test_rank_and_change_come_first_and_a_language_only_among_several(opened):
    documents = data.documents_of(opened, labelled_query(opened))
    scores = np.linspace(1, 0, len(documents))
    order = data.order_of(scores, documents, "letor")
    unmoved = dict.fromkeys(range(len(order)), 0)

    def columns(*languages: str | None) -> list[str]:
        spoken = [languages[place % len(languages)] for place in range(len(documents))]
        made = ranking_table(opened, documents, list(documents.docids), scores, order, unmoved, spoken)
        return made.columns.tolist()

    assert columns(None) == columns("en") == columns("en", None) == ["Rank", "Change", "Document", "Grade", "Score"]
    assert columns("en", "de", None) == ["Rank", "Change", "Document", "Grade", "Score", "Language"]


def test_what_the_ranker_gets_wrong_are_the_graded_documents_that_stand_furthest_off(opened):
    documents = data.documents_of(opened, labelled_query(opened))
    graded = [place for place, grade in enumerate(documents.given) if grade is not None]
    by_grade = sorted(range(len(documents)), key=lambda place: -(documents.given[place] or 0))
    titles = list(documents.docids)
    right = wrong_table(opened, documents, titles, np.array(by_grade))
    assert right is not None
    assert right.empty
    assert len({documents.given[place] for place in graded}) > 1
    wrong = wrong_table(opened, documents, titles, np.array(by_grade[::-1]))
    off = [int(each.split()[1]) for each in wrong["Off by"]]
    assert off == sorted(off, reverse=True)
    assert off[0] > 0
    assert len(off) <= MOST
    assert set(wrong["Document"]) <= {titles[place] for place in graded}  # nobody knows about the others


@given(st.lists(st.integers(0, 3), max_size=12))
def test_places_are_off_by_what_a_sorted_list_would_need(grades):
    off = places_off(np.array(grades, dtype=np.int64))
    ranks = np.arange(len(grades))
    assert (np.array(sorted(grades, reverse=True), int)[(ranks + off)] == grades).all()  # each within its grade's span
    assert (not off.any()) == (sorted(grades, reverse=True) == grades)


def test_documents_without_a_label_are_explained_beside_the_metrics(opened):
    query = labelled_query(opened)
    documents = data.documents_of(opened, query)
    page = run_page(opened.id, opened.collection.queries[query])
    bare = len(documents) - documents.graded
    said = f"{bare} of {len(documents)} documents have no label yet"
    assert any(line.value.startswith(said) for line in page.caption)
    held = int(opened.collection.query_index[opened.evaluation_rows[0]])
    assert view.unlabelled_words(opened, data.documents_of(opened, held)) == ""


def test_the_address_names_the_view_and_opens_it(opened):
    page = run_page(opened.id)
    assert not {"query", "ranker", "measure"} & set(page.query_params)
    page.selectbox(key="ranking-second").set_value("query_level_rules").run()
    own = opened.settings.ranker.key
    assert page.query_params["ranker"] == [own, "query_level_rules"]
    page.selectbox(key="ranking-first").set_value("query_level_rules").run()  # compared with itself: with nothing
    assert not page.exception
    assert page.query_params["ranker"] in ("query_level_rules", ["query_level_rules"])
    page.multiselect(key="ranking-metrics").set_value(["map"]).run()
    assert page.query_params["measure"] in ("map", ["map"])
    other = AppTest.from_file("../../pages/main.py", default_timeout=600)
    qid = opened.collection.queries[labelled_query(opened)]
    given_params = {"campaign": str(opened.id), "query": qid, "ranker": ["lrar", "eager_rules"], "measure": ["map"]}
    other.query_params.update(given_params)
    other.run()
    other.switch_page("ranking/page.py").run()
    assert not other.exception
    assert (other.selectbox(key="ranking-first").value, other.selectbox(key="ranking-second").value) == (
        "lrar",
        "eager_rules",
    )
    assert other.multiselect(key="ranking-metrics").value == ["map"]
    assert other.selectbox(key=f"ranking-query-{opened.id}").value == labelled_query(opened)


def explained(page: AppTest) -> list[str]:
    """The documents whose rules the page shows."""
    return [line.value for line in page.markdown if ", ranked by " in line.value]


def test_the_address_names_the_document(opened, monkeypatch):
    query = labelled_query(opened)
    qid, documents = opened.collection.queries[query], data.documents_of(opened, query)
    given_params = {"campaign": str(opened.id), "query": qid, "document": documents.docids[2]}

    def open_page(**params: str) -> AppTest:
        page = AppTest.from_file("../../pages/main.py", default_timeout=600)
        page.query_params.update(given_params | params)
        page.run()
        page.switch_page("ranking/page.py").run()
        assert not page.exception
        return page

    page = open_page()
    titles = view.titles_of(opened, documents)
    assert [plain(titles[2]) in line for line in explained(page)] == [True]
    assert page.query_params["document"] in (documents.docids[2], [documents.docids[2]])
    page.selectbox(key="ranking-first").set_value("query_level_rules").run()  # another order, the same document
    assert [plain(titles[2]) in line for line in explained(page)] == [True]
    page.query_params["document"] = documents.docids[4]  # as the way back does
    page.run()
    assert [plain(titles[4]) in line for line in explained(page)] == [True]
    assert not explained(open_page(document="of another query"))
    scores = data.scores_of(data.fit(opened, opened.settings.ranker.key), documents)
    order = data.order_of(scores, documents, "letor")
    monkeypatch.setattr(view, "show_table", lambda *shown, **how: 3)
    page = open_page(document="of another query")
    assert page.query_params["document"] in (documents.docids[order[3]], [documents.docids[order[3]]])


def test_why_a_labelled_document_was_chosen_is_said(opened, workspace):
    rows = opened.labelled()[0]
    for row in (rows[0], rows[-1]):
        qid, docid = opened.document(row)
        page = AppTest.from_file("../../pages/main.py", default_timeout=600)
        page.query_params.update({"campaign": str(opened.id), "query": qid, "document": docid})
        page.run()
        page.switch_page("ranking/page.py").run()
        assert not page.exception
        assert plain(why_chosen(opened, row)["head"]) in [line.value for line in page.markdown]
        kept = workspace.campaigns.selection_of(opened.id, row)
        assert kept.reason
        assert any(kept.reason in line.value for line in page.text)
    free = next(row for row in range(len(opened.items)) if row not in set(rows))
    assert workspace.campaigns.selection_of(opened.id, free) is None


def test_the_page_ranks_the_query_of_the_address(opened, workspace):
    query = labelled_query(opened)
    qid = opened.collection.queries[query]
    page = run_page(opened.id, qid)
    documents = data.documents_of(opened, query)
    scores = data.scores_of(data.fit(opened, opened.settings.ranker.key), documents)
    order = data.order_of(scores, documents, "letor")
    shown = page.dataframe[0].value
    titles = view.titles_of(opened, documents)
    assert shown["Document"].tolist() == [titles[place] for place in order]
    assert workspace.collections.query_text(opened.collection_id, qid).text in [line.value for line in page.text]
    assert any("Average precision" in line.value for line in page.markdown)
    assert any("Choose a document" in line.value for line in page.info)


def test_two_rankers_stand_side_by_side(opened):
    query = labelled_query(opened)
    page = run_page(opened.id, opened.collection.queries[query])
    page.selectbox(key="ranking-second").set_value("query_level_rules").run()
    assert not page.exception
    left, right = page.dataframe[0].value, page.dataframe[1].value
    assert "Change" not in left
    place = {title: rank for rank, title in enumerate(left["Document"])}
    for rank, (title, change) in enumerate(zip(right["Document"], right["Change"], strict=True)):
        gone = place[title] - rank
        assert change == ("=" if gone == 0 else f"▲ {gone}" if gone > 0 else f"▼ {-gone}")
    assert any("Kendall's tau-b" in line.value for line in page.caption)


def test_without_labels_the_page_says_what_to_do(workspace):
    page = run_page(workspace.demo(workspace.people.ensure_single_user().id))
    assert any("Nothing is labelled yet" in line.value for line in page.info)


def test_words_about_the_score_add_up(opened):
    fitted = data.fit(opened, "lrar")
    documents = data.documents_of(opened, labelled_query(opened))
    rules = rules_behind(fitted, documents.items[0])
    score = data.scores_of(fitted, documents)[0]
    grades = [level.name for level in opened.settings.grades]
    assert score_words(rules, grades).endswith(f"**{score:.3f}**")
    table = shares_table(rules, grades)
    assert table["Rules"].sum() == len(rules)
    assert table["p(grade)"].sum() == pytest.approx(1, abs=1e-3)


def test_foreign_titles_are_no_markup():
    assert plain("a *b* <i>\n[x](y) $z$") == r"a \*b\* \<i\> \[x\]\(y\) \$z\$"


def test_annotators_do_not_see_the_page(workspace, labelled_demo, monkeypatch):
    anna = workspace.people.add("Anna", "annotator", "long enough")
    monkeypatch.setattr(context, "signed_in", lambda: anna)
    page = AppTest.from_file("../../pages/ranking/page.py", default_timeout=600).run()
    assert "not for the role annotator" in page.warning[0].value
    assert not page.title
