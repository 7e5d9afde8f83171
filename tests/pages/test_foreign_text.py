"""Whatever people write is shown as they wrote it: no page reads a name or a text as Markdown, HTML or a formula.

A campaign is made in which every name and text is hostile. Each page is drawn, and everything on it that Streamlit
reads as Markdown is searched for the marks as they were written; escaped they are allowed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from google.protobuf.descriptor import FieldDescriptor
from streamlit.testing.v1 import AppTest

from pages import context
from pages.ranking import view as ranking_view
from pages.shared.layout import sentence
from rulerank.campaign import GradeLevel, Kind, Settings
from rulerank.collection import Collection
from rulerank.registry import rankers
from rulerank.text import DocumentText, QueryText, Texts

NASTY = "*bold* $x$ :red[x] <b>x</b> [l](javascript:1) `c` # h"
MARKS = ("*bold*", "$x$", ":red[", "[l](", "`c`", "<b>x")
TOKEN = "*bold*$x$:red[x]<b>x</b>"  # ids have no spaces

# Fields that Streamlit shows as they are. Plotly's own markup is the business of `safe`, and tested with the charts.
LITERAL = {
    ("Text", "body"),
    ("Code", "code_text"),
    ("Selectbox", "options"),
    ("Selectbox", "raw_value"),
    ("MultiSelect", "options"),
    ("TextInput", "default"),
    ("TextInput", "value"),
    ("TextArea", "default"),
    ("PlotlyChart", "spec"),
    ("PlotlyChart", "config"),
    ("PlotlyChart", "alt"),
    ("Metric", "body"),
}
PAGES = ["home", "progress", "competence", "ranking", "agreement", "new_campaign"]


@pytest.fixture
def hostile(workspace):
    """A campaign of 6 queries with 8 documents each, two judges who differ, and nothing but hostile names."""
    rng = np.random.default_rng(5)
    qids = [f"{TOKEN}{row // 8}" for row in range(48)]
    docids = [f"{TOKEN}d{row}" for row in range(48)]
    collection = Collection.from_arrays(
        rng.random((48, 6)).round(1), qids, rng.integers(0, 3, 48), docids=docids
    ).with_feature_names([f"{NASTY} {number}" for number in range(6)])
    texts = Texts(
        {qid: QueryText(f"{NASTY} {qid}", f"need {NASTY}") for qid in set(qids)},
        {docid: DocumentText(f"title {NASTY} {docid}", f"body {NASTY}") for docid in docids},
    )
    grades = tuple(GradeLevel(f"{NASTY}{grade}", f"means {NASTY}", NASTY) for grade in range(3))
    settings = Settings(grades=grades, overlap=2, aggregation="adjudication")
    first = workspace.people.ensure_single_user().id
    second = workspace.people.add(f"P {NASTY}", "annotator").id
    number = workspace.import_campaign(
        f"C {NASTY}", collection, settings, texts=texts, collection_name=f"K {NASTY}", person=first
    )
    opened = workspace.open(number)
    for row in range(0, 48, 2):
        for who in (first, second):
            grade = int(collection.grades[row])
            given = grade if who == first or row % 3 else (grade + 1) % 3
            opened.live.write(who, row, Kind.GRADE, grade=given)
            opened.live.write(who, row, Kind.NOTE, text=NASTY)
    return opened


def strings(message: object, found: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """(message, field, text) of every text within a protobuf message."""
    for field, value in message.ListFields():  # type: ignore[attr-defined]
        many = value if field.is_repeated else [value]
        if field.type == FieldDescriptor.TYPE_STRING:
            found += [(message.DESCRIPTOR.name, field.name, text) for text in many]  # type: ignore[attr-defined]
        elif field.type == FieldDescriptor.TYPE_MESSAGE and not field.message_type.GetOptions().map_entry:
            for part in many:
                strings(part, found)
    return found


def shown(node: object) -> Iterator[object]:
    """The protobuf message of every element and block of a page."""
    yield getattr(node, "proto", None)
    children = getattr(node, "children", None)
    for child in children.values() if children else ():
        yield from shown(child)


def interpreted(page: AppTest) -> list[tuple[str, str, str]]:
    """Every text that Streamlit reads as Markdown or HTML and that holds a hostile mark unescaped."""
    wrong = []
    for message in shown(page._tree):
        if message is None:
            continue
        for kind, field, text in strings(message, []):
            marks = MARKS[-1:] if kind == "Html" else MARKS
            if (kind, field) not in LITERAL and field != "id" and any(mark in text for mark in marks):
                wrong.append((kind, field, text))
    return wrong


def draw(campaign: int, page: str, **state: object) -> AppTest:
    app = AppTest.from_file("../../pages/main.py", default_timeout=600)
    app.query_params["campaign"] = str(campaign)
    for key, value in state.items():
        app.session_state[key] = value
    app.run()
    if page != "home":
        app.switch_page(context.script(page)).run()
    assert not app.exception, app.exception
    return app


@pytest.mark.parametrize("which", PAGES)
def test_names_and_texts_are_shown_as_they_are(hostile, which):
    assert interpreted(draw(hostile.id, which)) == []


@pytest.mark.parametrize("tab", ["Agreement", "Confusions", "Does it matter?"])
def test_on_every_tab(hostile, tab):
    assert interpreted(draw(hostile.id, "agreement", **{"agreement-tab": tab})) == []


def test_in_what_is_settled_and_said_about_it(hostile):
    app = draw(hostile.id, "agreement")
    next(button for button in app.button if "·" in button.label).click().run()
    assert interpreted(app) == []
    assert any("Settled so far: 1" in each.label for each in app.expander)


@pytest.mark.parametrize("ranker", [entry.name for entry in rankers])
def test_behind_a_score(hostile, ranker, monkeypatch):
    monkeypatch.setattr(ranking_view, "show_table", lambda *shown, **how: 1)
    app = draw(hostile.id, "ranking", **{"ranking-first": ranker})
    assert any("Why this score?" in each.value for each in app.header)
    assert interpreted(app) == []


@pytest.mark.usefixtures("worker")
def test_in_a_preview_of_an_import_and_in_refusals(hostile, workspace):
    app = draw(hostile.id, "new_campaign")
    app.segmented_control(key="import-source").set_value("stored").run()
    assert interpreted(app) == []
    name = next(each for each in app.text_input if each.label == "Name of the campaign")
    name.set_value(f"C {NASTY}").run()
    next(each for each in app.button if each.label == "Create the campaign").click().run()
    assert any("is named" in each.value for each in app.error)
    assert interpreted(app) == []


def test_the_search_finds_what_it_is_for():
    def careless() -> None:
        import streamlit as st

        st.caption("*bold*")
        st.button(":red[x]")
        st.text("$x$")
        st.html("<b>x</b>")

    found = interpreted(AppTest.from_function(careless, default_timeout=600).run())
    assert sorted(text for _, _, text in found) == ["*bold*", ":red[x]", "<b>x</b>"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no such file", "no such file."),
        ("choose another.", "choose another."),
        ("dots...", "dots."),
        ("this?", "this?"),
    ],
)
def test_a_message_ends_as_a_sentence_does(text, shown):
    assert sentence(text).replace("\\", "") == shown
