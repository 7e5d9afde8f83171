"""The Label and Home pages, driven without a browser."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from live_helpers import with_settings
from streamlit.testing.v1 import AppTest

from pages.label.service import REASONS, RefusedError, View, answer, panel_data
from pages.shared.document import LONG, LONGEST, clean, document_html, marked, pieces, text_shown
from rulerank.campaign import Kind
from rulerank.sampling import SSAR
from rulerank.text import DocumentText, reflow


def run_page(path: str, campaign: int | None = None) -> AppTest:
    page = AppTest.from_file(f"../../{path}", default_timeout=600)
    if campaign is not None:
        page.query_params["campaign"] = str(campaign)
    page.run()
    assert not page.exception, page.exception
    return page


@pytest.fixture
def demo(workspace):
    person = workspace.people.ensure_single_user()
    opened = workspace.open(workspace.demo(person.id))
    with_settings(opened, dwell_milliseconds=0)
    return opened


class Panel:
    """The labelling panel without a browser: what the page hands it, and what it asks the server for."""

    def __init__(self, workspace, opened) -> None:
        self.workspace = workspace
        self.opened = opened
        page = run_page("pages/label/page.py", opened.id)
        (element,) = page.get("bidi_component")
        self.data = json.loads(element.proto.json)

    def ask(self, **asked) -> dict:
        self.data = json.loads(json.dumps(answer(self.workspace, {"ticket": self.data["ticket"], **asked})))
        return self.data

    def press(self, key: str, **more) -> dict:
        kind = {"s": "cannot_tell", "l": "later", "z": "undo"}.get(key, "grade")
        return self.ask(kind=kind, grade=int(key) if key.isdigit() else None, **more)

    def row(self) -> int:
        (claim,) = self.opened.live.open_claims()
        assert claim.token == self.data["token"]
        return claim.row


@pytest.fixture
def panel(workspace, demo):
    return Panel(workspace, demo)


@pytest.fixture
def by_ssar(workspace, demo):
    """A campaign on the demo's pool whose sampler is SSAR, as it is published."""
    settings = replace(demo.settings, sampler="ssar", dwell_milliseconds=0)
    return workspace.open(
        workspace.import_campaign("By SSAR", demo.collection, settings, pool_rows=demo.pool_rows.tolist())
    )


def test_one_annotator_gets_the_order_of_ssar_through_the_page(workspace, by_ssar):
    demo, panel = by_ssar, Panel(workspace, by_ssar)
    expected = SSAR().run(demo.items, demo.known_grades, budget=25).order
    for row in expected:
        assert panel.row() == row
        panel.press(str(int(demo.known_grades[row])))
    assert [row for _, row in demo.live.fold.labelled_at] == expected


def test_the_panel_shows_query_document_grades_and_what_was_saved(demo, panel, workspace):
    qid, docid = demo.document(panel.row())
    query = workspace.collections.query_text(demo.collection_id, qid)
    text = workspace.collections.document_text(demo.collection_id, docid)
    assert (panel.data["query"], panel.data["need"]) == (query.text, query.need)
    assert "".join(panel.data["title"]) == text.title
    assert "".join(panel.data["body"]) == reflow(text.body)
    assert "".join(panel.ask(kind="look", raw=True)["body"]) == text.body
    assert [level["name"] for level in panel.data["grades"]] == [level.name for level in demo.settings.grades]
    assert panel.data["saved"] is None
    saved = panel.press("1")["saved"]
    assert (saved["number"], saved["what"]) == (1, "1 · related")


def test_only_labels_are_numbered_and_the_footer_has_the_same_number(panel):
    panel.press("1")
    assert panel.press("s", reason=0)["saved"]["number"] is None
    assert panel.data["progress"]["own"] == "1 label today, 1 in all, and 1 can't tell"
    assert panel.press("l")["saved"]["number"] is None
    assert panel.press("0")["saved"]["number"] == 2
    assert panel.data["progress"]["own"] == "2 labels today, 2 in all, and 1 can't tell"


def test_undo_brings_the_document_back(demo, panel):
    first, token = panel.row(), panel.data["token"]
    panel.press("2")
    assert panel.row() != first
    panel.press("z")
    assert panel.row() == first
    assert panel.data["token"] != token
    assert demo.live.fold.current() == {}


def test_cannot_tell_and_later_move_on(demo, panel):
    first = panel.row()
    panel.press("s", note="no idea")
    assert demo.live.fold.skipped(first)
    second = panel.row()
    assert second != first
    panel.press("l")
    seen = []
    for _ in range(demo.settings.later_after + 1):
        seen.append(panel.row())
        panel.press("0")
    assert second in seen
    assert first not in seen


def test_cannot_tell_needs_a_reason(demo, panel):
    row = panel.row()
    assert "say why" in panel.press("s")["problem"]
    assert panel.row() == row
    assert "say why" in panel.press("s", reason=len(REASONS))["problem"]
    assert not demo.live.fold.given_up()
    panel.press("s", reason=0, note="one word only")
    (given,) = demo.live.fold.given_up()
    assert (given.row, given.text) == (row, f"{REASONS[0]}: one word only")
    assert panel.data["saved"]["what"] == f"can't tell, {REASONS[0]}: one word only"
    assert [reason.lower() for reason in panel.data["reasons"]] == [reason.lower() for reason in REASONS]


def test_a_reason_is_told_in_short_and_an_old_log_may_have_none(demo, panel):
    panel.press("s", note="long " * 40)
    assert panel.data["saved"]["what"] == f"can't tell, {('long ' * 40)[:60]}…"
    demo.live.write(1, panel.row(), Kind.CANNOT_TELL)
    panel.data = panel_data(panel.workspace, demo, panel.workspace.people.ensure_single_user(), View())
    assert panel.data["saved"]["what"] == "can't tell"


def test_undo_says_what_was_taken_back(demo, panel):
    panel.press("2")
    assert panel.press("z")["undone"] == "2 · answers it"
    assert panel.press("1")["undone"] == ""
    panel.press("s", reason=1)
    assert panel.press("z")["undone"] == f"can't tell, {REASONS[1]}"
    assert panel.press("z")["undone"] == "1 · related"
    assert panel.press("z")["undone"] == ""


def test_a_note_is_kept_as_a_draft_and_saved_with_the_label(demo, panel, workspace):
    row = panel.row()
    panel.ask(kind="draft", note="grade 2 at first sight")
    assert (panel.data["note"], panel.data["draft"]) == ("grade 2 at first sight", True)
    again = Panel(workspace, demo)  # a new session: reloaded, reconnected
    assert again.row() == row
    assert again.data["note"] == "grade 2 at first sight"
    again.press("1", note="grade 2 at first sight")
    assert demo.live.fold.notes[row, 1] == "grade 2 at first sight"
    assert again.data["saved"]["what"] == "1 · related, with your note"
    assert [event.kind for event in events(demo)] == [Kind.DRAFT, Kind.GRADE, Kind.NOTE]


def events(demo) -> list:
    with demo.live.log.transaction() as session:
        return session.events_after(0)


def test_a_question_that_is_sent_twice_is_written_once(demo, panel):
    asked = {"ticket": panel.data["ticket"], "kind": "grade", "grade": 1}
    first = answer(panel.workspace, asked)
    second = answer(panel.workspace, asked)
    assert first["token"] == second["token"]
    assert first["saved"]["number"] == second["saved"]["number"] == 1


def test_a_bounced_key_writes_nothing(demo, panel):
    with_settings(demo, dwell_milliseconds=10_000)
    token = panel.data["token"]
    assert panel.press("1")["token"] == token
    assert demo.live.fold.last_act(1) is None


def test_the_reason_is_told_after_the_label_only(panel):
    assert "why" not in panel.data
    assert panel.ask(kind="look", why=True)["why"]["head"].startswith("Label one first")
    assert panel.data["why"]["of"] == ""
    for _ in range(4):
        title = "".join(panel.data["title"])
        panel.press("0", why=True)
        assert panel.data["why"]["of"] == title != "".join(panel.data["title"])
    drew = panel.data["why"]["parts"][0]
    assert "drew" in drew["text"]
    assert len(drew["list"]) == 4


def test_the_natural_stop_is_said_and_can_be_passed(workspace, by_ssar):
    demo, panel = by_ssar, Panel(workspace, by_ssar)
    for row in SSAR().run(demo.items, demo.known_grades).order:
        assert panel.row() == row
        panel.press(str(int(demo.known_grades[row])))
    pause = panel.data["pause"]
    assert "natural stop" in pause["title"]
    assert "graded already. Whether the labels are enough, Progress says." in pause["text"]
    assert "redundant" not in pause["text"]
    assert pause["links"] == [[name, f"{name.lower()}?campaign={demo.id}"] for name in ("Progress", "Export")]
    annotator = replace(panel.workspace.people.ensure_single_user(), role="annotator")
    pause = panel_data(panel.workspace, demo, annotator, View())["pause"]
    assert pause["text"].endswith("Whether the labels are enough, ask whoever runs the campaign.")
    assert not pause["links"]
    assert demo.live.open_claims() == []
    panel.ask(kind="beyond", beyond=True)
    assert panel.row() is not None


def test_documents_without_text_show_their_features(demo, workspace):
    with workspace.database.write() as connection:
        connection.exec_driver_sql("DELETE FROM document_texts")
    panel = Panel(workspace, demo)
    assert "body" not in panel.data
    values = demo.features(panel.row())
    assert [name for name, _, _ in panel.data["features"]] == list(values)
    assert [float(value) for _, value, _ in panel.data["features"]] == pytest.approx(list(values.values()), rel=1e-5)


@pytest.mark.parametrize("asked", [{}, {"ticket": ""}, {"ticket": "1.0.1.0..99999999999.x"}, {"ticket": "\u1234"}])
def test_without_a_ticket_nothing_is_done(demo, workspace, asked):
    with pytest.raises(RefusedError) as refused:
        answer(workspace, {**asked, "kind": "grade", "grade": 1})
    assert refused.value.status == 401
    assert events(demo) == []


def test_a_ticket_is_good_for_its_own_document_and_person_only(demo, panel, workspace):
    person, other = workspace.people.get(1), workspace.people.add("Other", "annotator", "a long password")
    token, row = panel.data["token"], panel.row()
    stolen = workspace.people.write_ticket(other, demo.id, row, token)
    assert "somebody else" in answer(workspace, {"ticket": stolen, "kind": "grade", "grade": 1})["problem"]
    wrong = workspace.people.write_ticket(person, demo.id, row + 1, token)
    assert "somebody else" in answer(workspace, {"ticket": wrong, "kind": "grade", "grade": 1})["problem"]
    assert events(demo) == []
    changed = panel.data["ticket"].replace(f".{row}.{token}", f".{row + 1}.{token}")
    with pytest.raises(RefusedError):
        answer(workspace, {"ticket": changed, "kind": "grade", "grade": 1})


def test_somebody_who_was_removed_writes_nothing(demo, workspace):
    other = workspace.people.add("Other", "annotator", "a long password")
    claim = demo.live.next(other.id).claim
    ticket = workspace.people.write_ticket(other, demo.id, claim.row, claim.token)
    workspace.people.deactivate(other.id)
    with pytest.raises(RefusedError):
        answer(workspace, {"ticket": ticket, "kind": "grade", "grade": 1})
    assert events(demo) == []


@pytest.mark.parametrize("grade", [None, -1, 7, "x", 1.5, [1]])
def test_a_grade_that_does_not_exist_is_refused_in_words(demo, panel, grade):
    token = panel.data["token"]
    panel.ask(kind="grade", grade=grade)
    assert "grade" in panel.data["problem"]
    assert panel.data["token"] == token
    assert events(demo) == []


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
    assert "<mark>" not in marked(NASTY, "")


def test_every_second_piece_is_a_term_of_the_query():
    cut = pieces(NASTY, "zip file")
    assert "".join(cut) == clean(NASTY)
    assert cut[1::2] == ["zip", "files"]


def test_a_megabyte_is_cut_until_all_of_it_is_asked_for():
    text = DocumentText("t", "word " * 200_000)
    assert len(document_html(text, "")) < 2 * LONGEST
    assert sum(map(len, text_shown(text, "word")["body"])) == LONGEST
    assert "1,000,000" in text_shown(text, "word")["more"]
    assert "".join(text_shown(text, "word", whole=True)["body"]) == text.body


def long_text(*, answer: str, before: int = 40, after: int = 40) -> DocumentText:
    filler = "Nothing of interest stands in this sentence at all. "
    return DocumentText("Wings", filler * before + answer + " " + filler * after)


def test_of_a_long_text_the_best_passage_comes_first_and_the_whole_with_it():
    answer = "The flutter of a wing grows with the speed of the air."
    text = long_text(answer=answer)
    shown = text_shown(text, "flutter wings speed")
    passage = "".join(shown["passage"])
    assert answer in passage
    assert len(passage) < LONG < len(text.body)
    assert passage[0] == passage[-1] == "…"
    assert passage.strip("… ") in text.body
    assert shown["passage"][1::2] == ["flutter", "wing", "speed"]
    assert shown["about"] == "Best passage for the query:"
    assert "".join(shown["body"]) == text.body


@pytest.mark.parametrize(("before", "after"), [(0, 60), (60, 0)])
def test_a_passage_at_an_end_of_the_text_says_where_the_text_goes_on(before, after):
    shown = text_shown(long_text(answer="Flutter, as it were.", before=before, after=after), "flutter")
    passage = "".join(shown["passage"])
    assert (passage.startswith("…"), passage.endswith("…")) == (bool(before), bool(after))


def test_without_a_match_the_beginning_comes_first():
    text = long_text(answer="Flutter.")
    shown = text_shown(text, "spectroscopy")
    assert text.body.startswith("".join(shown["passage"]).removesuffix(" …"))
    assert shown["about"].startswith("No word of the query")
    assert text_shown(text, "")["about"] == "The text begins:"


@pytest.mark.parametrize("length", [0, 1, LONG])
def test_a_text_that_fits_has_no_passage(length):
    assert "passage" not in text_shown(DocumentText("t", "x" * length), "x")


def test_a_passage_of_a_megabyte_is_sought_in_what_is_sent_at_first():
    text = long_text(answer="Flutter.", before=100, after=20_000)
    shown = text_shown(text, "flutter")
    assert "Flutter" in shown["passage"]
    assert shown["more"]
    asked = text_shown(text, "flutter", whole=True)
    assert asked["passage"] == shown["passage"]
    assert "".join(asked["body"]) == text.body


def test_a_passage_cannot_do_anything_either():
    shown = text_shown(long_text(answer=NASTY), "zip file")
    assert {"zip", "files"} <= set(shown["passage"][1::2])
    assert not {"\u202e", "\x00", "\x07"} & set("".join(shown["passage"]))
