"""The Competence page: the map's numbers against the ranker's own, and what a choice opens."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages import context
from rulerank.campaign import Kind, competence
from rulerank.campaign.competence import (
    competence_map,
    document_table,
    function_words,
    most_competent,
    query_table,
)
from rulerank.ranking import QueryLevelRules


def run_page(campaign: int) -> AppTest:
    page = AppTest.from_file("../../pages/main.py", default_timeout=600)
    page.query_params["campaign"] = str(campaign)
    page.run()
    page.switch_page("competence/page.py").run()
    assert not page.exception, page.exception
    return page


@pytest.fixture
def found(workspace, labelled_demo):
    opened = workspace.open(labelled_demo)
    return opened, competence_map(opened)


def test_the_map_is_the_rankers_own_competence(found):
    opened, kept = found
    rows, grades = opened.labelled()
    assert sorted(kept.rows) == sorted(rows)
    given = dict(zip(rows, grades, strict=True))
    assert [given[row] for row in kept.rows] == kept.grades.tolist()
    model = QueryLevelRules().fit(opened.items[kept.rows], kept.grades, opened.query_index[kept.rows].tolist())
    assert kept.queries == model.queries_
    np.testing.assert_allclose(kept.delta, model.competence(), rtol=1e-6)
    assert kept.best.tolist() == model.most_competent_.tolist()
    assert kept.weights(opened, 4).tolist() == model.query_weights(opened.items[kept.rows[4]][None, :])[0].tolist()
    assert [kept.queries[place] for place in kept.own] == opened.query_index[kept.rows].tolist()
    assert (np.diff(kept.own) >= 0).all()  # documents of a query stand together


def test_the_most_competent_is_the_first_of_equals_and_silence_is_not_competence():
    nan = np.nan
    delta = np.array([[1.0, nan, 0.5, nan], [0.5, 2.0, 0.5, nan], [0.5, nan, 0.0, nan]])
    assert most_competent(delta).tolist() == [1, 1, 2, -1]


def test_a_function_that_knows_one_grade_says_so(found):
    _, made = found
    functions = range(len(made.queries))
    alone = [place for place in functions if len(set(made.grades[made.own == place].tolist())) == 1]
    assert [place for place in functions if made.only_grade(place) is not None] == alone
    for place in functions:
        assert ("it knows no other" in function_words(made, place)) == (place in alone)


def test_the_map_is_worked_out_once_and_anew_after_a_label(workspace, found, monkeypatch):
    opened, kept = found
    fits = []
    real = QueryLevelRules.fit
    monkeypatch.setattr(competence.QueryLevelRules, "fit", lambda *a: fits.append(1) or real(*a))
    assert competence_map(opened) is kept
    assert fits == []
    free = next(row for row in range(len(opened.items)) if row not in set(kept.rows.tolist()))
    opened.live.write(1, free, Kind.GRADE, grade=1)
    assert competence_map(opened).rows.size == kept.rows.size + 1
    assert fits == [1]


def test_the_tables_name_the_most_competent_query(found):
    opened, kept = found
    table = document_table(opened, kept)
    assert len(table) == kept.rows.size
    for place in range(len(table)):
        line = table.iloc[place]
        assert line["Query"] == opened.document(int(kept.rows[place]))[0]
        assert line["Most competent query"] == opened.collection.queries[kept.queries[kept.best[place]]]
        assert line["Δ there"] == pytest.approx(np.nanmin(kept.delta[:, place]), abs=1e-3)
    own = query_table(table, kept, 1)
    assert len(own) == int((kept.own == 1).sum())
    assert "Query" not in own
    text = function_words(kept, 1)
    assert f"Learnt from {len(own)} document" in text
    assert f"most competent function for {int((kept.best == 1).sum())} document" in text


def test_the_page_opens_a_query_and_keeps_its_map_while_labels_come_in(workspace, labelled_demo):
    page = run_page(labelled_demo)
    opened = workspace.open(labelled_demo)
    kept = competence_map(opened)
    chooser = page.selectbox(key=f"competence-query-{labelled_demo}-{kept.seen}")
    assert len(chooser.options) == len(kept.queries)
    chooser.set_value(3).run()
    qid = opened.collection.queries[kept.queries[3]]
    text = workspace.collections.query_text(opened.collection_id, qid)
    assert text.text in [line.value for line in page.text]
    assert any(function_words(kept, 3) in line.value for line in page.markdown)
    free = next(row for row in range(len(opened.items)) if row not in set(kept.rows.tolist()))
    opened.live.write(1, free, Kind.GRADE, grade=2)
    page.run()
    assert any("more was labelled or changed since" in line.value for line in page.caption)
    assert page.selectbox(key=f"competence-query-{labelled_demo}-{kept.seen}").value == 3
    page.button(key="competence-anew").click().run()
    assert not page.exception
    assert len(page.dataframe[-1].value) == kept.rows.size + 1


def test_the_address_names_query_and_document_and_opens_them(workspace, labelled_demo):
    page = run_page(labelled_demo)
    opened = workspace.open(labelled_demo)
    kept = competence_map(opened)
    query, document = (f"competence-{what}-{labelled_demo}-{kept.seen}" for what in ("query", "document"))
    assert not {"query", "document"} & set(page.query_params)
    page.selectbox(key=query).set_value(3).run()
    page.session_state[document] = 5  # as a click on the map does
    page.run()
    qid, docid = opened.collection.queries[kept.queries[3]], opened.document(int(kept.rows[5]))[1]
    assert page.query_params["query"] in (qid, [qid])
    assert [docid] == [*np.atleast_1d(page.query_params["document"])]
    fresh = AppTest.from_file("../../pages/main.py", default_timeout=600)
    fresh.query_params.update({"campaign": str(labelled_demo), "query": qid, "document": docid})
    fresh.run()
    fresh.switch_page("competence/page.py").run()
    assert not fresh.exception
    assert (fresh.selectbox(key=query).value, fresh.session_state[document]) == (3, 5)
    del fresh.query_params["document"]  # as the way back does
    del fresh.query_params["query"]
    fresh.run()
    assert (fresh.selectbox(key=query).value, fresh.session_state[document]) == (0, None)


def test_labels_in_one_query_are_not_enough(workspace):
    campaign = workspace.demo(workspace.people.ensure_single_user().id)
    opened = workspace.open(campaign)
    same = np.flatnonzero(opened.query_index == opened.query_index[0])
    for row in same[:3]:
        opened.live.write(1, int(row), Kind.GRADE, grade=1)
    page = run_page(campaign)
    assert "at least two queries" in page.info[0].value
    assert competence_map(opened) is None


def test_annotators_do_not_see_the_page(workspace, labelled_demo, monkeypatch):
    anna = workspace.people.add("Anna", "annotator", "long enough")
    monkeypatch.setattr(context, "signed_in", lambda: anna)
    page = AppTest.from_file("../../pages/competence/page.py", default_timeout=600).run()
    assert "not for the role annotator" in page.warning[0].value
    assert not page.title
