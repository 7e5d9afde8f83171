"""The Label and Home pages, driven without a browser."""

from __future__ import annotations

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from pages.widgets.document import LONGEST, document_html, marked
from rulerank.campaign import Kind
from rulerank.sampling import SSAR
from rulerank.texts import DocumentText


def run_page(path: str, campaign: int | None = None) -> AppTest:
    page = AppTest.from_file(f"../../{path}", default_timeout=30)
    if campaign is not None:
        page.query_params["campaign"] = str(campaign)
    page.run()
    assert not page.exception, page.exception
    return page


@pytest.fixture
def demo(workspace):
    person = workspace.people.ensure_single_user()
    opened = workspace.open(workspace.demo(person.id))
    opened.live.settings = replace(opened.live.settings, dwell_milliseconds=0)
    return opened


def press(page: AppTest, opened, key: str) -> AppTest:
    """Press the button of the document on the screen that has this key's prefix."""
    (claim,) = opened.live.open_claims()
    name = {"s": f"s-{claim.token}", "l": f"l-{claim.token}", "n": f"n-{claim.token}"}.get(key)
    page.button(key=name or f"g-{claim.token}-{key}").click().run()
    assert not page.exception, page.exception
    return page


def test_one_annotator_gets_the_order_of_ssar_through_the_page(demo):
    page = run_page("pages/label.py", demo.id)
    expected = SSAR().run(demo.items, demo.known_grades, budget=25).order
    for row in expected:
        (claim,) = demo.live.open_claims()
        assert claim.row == row
        press(page, demo, str(int(demo.known_grades[row])))
    assert [row for _, row in demo.live.fold.labelled_at] == expected


def test_the_page_shows_query_document_grades_and_what_was_saved(demo, workspace):
    page = run_page("pages/label.py", demo.id)
    (claim,) = demo.live.open_claims()
    qid, _ = demo.document(claim.row)
    query = workspace.collections.query_text(demo.collection_id, qid)
    shown = [element.proto.body for element in page.get("html")]
    assert any(query.text in html and query.need in html for html in shown)
    assert [level.name for level in demo.settings.grades] == [b.label for b in page.button if b.key.startswith("g-")]
    press(page, demo, "1")
    assert any("Saved #1" in caption.value and "related" in caption.value for caption in page.caption)


def test_undo_brings_the_document_back(demo):
    page = run_page("pages/label.py", demo.id)
    (first,) = demo.live.open_claims()
    press(page, demo, "2")
    last = demo.live.fold.last_act(first.person)
    page.button(key=f"undo-{last.id}").click().run()
    (again,) = demo.live.open_claims()
    assert again.row == first.row
    assert again.token != first.token
    assert demo.live.fold.current() == {}


def test_cannot_tell_and_later_move_on(demo):
    page = run_page("pages/label.py", demo.id)
    (first,) = demo.live.open_claims()
    press(page, demo, "s")
    assert demo.live.fold.skipped(first.row)
    (second,) = demo.live.open_claims()
    assert second.row != first.row
    press(page, demo, "l")
    assert demo.live.fold.put_off(second.person) == {second.row}
    seen = []
    for _ in range(demo.settings.later_after + 1):
        seen.append(demo.live.open_claims()[0].row)
        press(page, demo, "0")
    assert second.row in seen
    assert first.row not in seen


def test_a_note_is_kept_as_a_draft_and_saved_with_the_label(demo):
    page = run_page("pages/label.py", demo.id)
    (claim,) = demo.live.open_claims()
    press(page, demo, "n")
    page.text_area(key=f"note-{claim.token}").set_value("grade 2 at first sight")
    press(page, demo, "n")
    assert demo.live.fold.drafts[claim.row, claim.person] == "grade 2 at first sight"
    page = run_page("pages/label.py", demo.id)  # a new session: reloaded, reconnected
    assert demo.live.open_claims()[0].row == claim.row
    assert page.text_area(key=f"note-{claim.token}").value == "grade 2 at first sight"
    press(page, demo, "1")
    assert demo.live.fold.notes[claim.row, claim.person] == "grade 2 at first sight"


def test_a_bounced_key_writes_nothing(demo):
    page = run_page("pages/label.py", demo.id)
    demo.live.settings = replace(demo.live.settings, dwell_milliseconds=10_000)
    (claim,) = demo.live.open_claims()
    press(page, demo, "1")
    assert demo.live.open_claims()[0].token == claim.token
    assert demo.live.fold.last_act(claim.person) is None


def test_the_reason_is_told_after_the_label_only(demo):
    page = run_page("pages/label.py", demo.id)
    page.toggle(key="why").set_value(True).run()
    assert any("Label one first" in caption.value for caption in page.caption)
    for _ in range(4):
        press(page, demo, "0")
    assert any("rules" in text.value and "drew" in text.value for text in page.markdown)


def test_the_natural_stop_is_said_and_can_be_passed(demo):
    page = run_page("pages/label.py", demo.id)
    for row in SSAR().run(demo.items, demo.known_grades).order:
        assert demo.live.open_claims()[0].row == row
        press(page, demo, str(int(demo.known_grades[row])))
    assert "natural stop" in page.success[0].value
    page.button(key="beyond").click().run()
    assert len(demo.live.open_claims()) == 1


def test_documents_without_text_show_their_features(demo, workspace):
    (claim,) = [demo.live.next(1).claim]
    _, docid = demo.document(claim.row)
    with workspace.database.write() as connection:
        connection.exec_driver_sql("DELETE FROM document_texts")
    page = run_page("pages/label.py", demo.id)
    assert docid not in page.main.__repr__()
    assert page.dataframe[0].value["feature"].tolist() == list(demo.features(claim.row))


def test_home_offers_the_demo_first_and_progress_afterwards(workspace):
    page = run_page("pages/main.py")
    assert "Try the demo" in [button.label for button in page.button]
    person = workspace.people.ensure_single_user()
    campaign = workspace.demo(person.id)
    offer = workspace.open(campaign).live.next(person.id)
    workspace.open(campaign).live.write(person.id, offer.claim.row, Kind.GRADE, grade=1)
    page = run_page("pages/main.py")
    assert any("1 of" in caption.value and "by 1 person" in caption.value for caption in page.caption)


NASTY = "<script>window.x=1</script> <img src=x onerror=alert(1)> & \u202eright to left\x00\x07 🦉 zip files"


def test_texts_cannot_do_anything():
    shown = marked(NASTY, "zip file")
    assert "<script" not in shown
    assert "<img" not in shown
    assert "\u202e" not in shown
    assert "\x00" not in shown
    assert "🦉" in shown
    assert "<mark>zip</mark> <mark>files</mark>" in shown
    assert "<mark>" not in marked(NASTY, "zip file", mark=False)


def test_a_megabyte_is_cut():
    text = DocumentText("t", "word " * 200_000)
    assert len(document_html(text, "word", mark=False)) < 2 * LONGEST
