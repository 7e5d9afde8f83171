"""The Label page with the keyboard: grades, undo, can't tell, later, notes, reloads, restarts, bounced keys.

The tests of this file follow one another on one screen, as an annotator's day does.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from db.workspace import Workspace


@pytest.fixture(scope="module")
def demo(server):
    """The demo campaign as the server made it, opened beside the server."""
    workspace = Workspace(server.database)
    number = workspace.demo_made()
    assert number is not None
    yield workspace.open(number)
    workspace.close()


def note_field(screen):
    return screen.page.locator(".rr-note textarea")


def test_a_first_visitor_labels_the_demo(screen, log):
    screen.go()
    screen.click("Try the demo")
    token = screen.document()
    expect(screen.page.locator(".rr-document")).to_be_visible()
    assert log.events() == []
    row = log.held(token)
    screen.press("0")
    screen.saved(1)
    assert log.events() == [(row, 0, "")]


def test_z_gives_the_document_back(screen, log):
    row = log.events("grade")[0][0]
    token = screen.press("z")
    assert log.held(token) == row
    assert [kind for (kind,) in log.rows("SELECT kind FROM label_events ORDER BY id")] == ["grade", "undo"]


def test_thirty_keys_give_exactly_the_order_of_the_sampler(screen, log, demo):
    start = len(log.events("grade"))
    token = screen.document()
    for _ in range(30):
        token = screen.press(str(demo.known_grades[log.held(token)]))
    screen.saved(30)
    sampler = demo.settings.make_sampler()
    expected = sampler.run(demo.items, demo.known_grades, qids=demo.query_index, budget=31).order
    assert [row for row, _, _ in log.events("grade")[start:]] == expected[:30]
    assert log.held(token) == expected[30]


def colour_of_marks(screen) -> str:
    return screen.page.locator(".rr-document mark").first.evaluate("mark => getComputedStyle(mark).backgroundColor")


def test_the_words_of_the_query_are_marked_or_not(screen, log):
    while screen.page.locator(".rr-document mark").count() == 0:
        screen.press("0")
    marked = colour_of_marks(screen)
    screen.button("Mark words").click()
    assert colour_of_marks(screen) == "rgba(0, 0, 0, 0)" != marked
    before = log.events("grade")
    row = log.held(screen.document())
    screen.press("1")  # the keys work after a click on a button
    assert log.events("grade") == [*before, (row, 1, "")]
    screen.page.keyboard.press("m")
    expect(screen.button("Mark words")).to_have_attribute("aria-pressed", "true")


def test_the_reason_is_told_for_the_last_document(screen):
    screen.page.keyboard.press("w")
    reason = screen.page.locator(".rr-why")
    expect(reason).to_contain_text("rules")
    before = reason.text_content()
    screen.press("0")
    expect(reason).not_to_have_text(before)
    screen.press_again("w")
    expect(reason).to_have_count(0)


def test_typing_into_a_note_labels_nothing(screen, log):
    before = log.events("grade")
    token = screen.document()
    screen.page.keyboard.press("n")
    expect(note_field(screen)).to_be_focused()
    screen.page.keyboard.type("0 1 2 szln: 10 of 12")
    log.wait_for("draft", 1)
    assert screen.token() == token
    assert log.events("grade") == before
    assert log.events("draft")[-1][2] == "0 1 2 szln: 10 of 12"
    expect(note_field(screen)).to_be_focused()
    screen.page.keyboard.press("Escape")
    expect(note_field(screen)).not_to_be_focused()


def test_s_keeps_the_reason_and_moves_on(screen, log):
    token = screen.document()
    row = log.held(token)
    note_field(screen).fill("in a language I cannot read")
    screen.button("Can't tell").click()
    assert log.held(screen.document_after(token)) != row
    assert log.events("cannot_tell") == [(row, None, "in a language I cannot read")]


def test_s_asks_for_a_reason_with_keys_of_its_own(screen, log):
    token, given = screen.document(), log.events("grade")
    row = log.held(token)
    screen.page.keyboard.press("s")
    group = screen.page.get_by_role("group", name="Why can't you tell?")
    expect(group).to_be_visible()
    expect(screen.page.get_by_role("group", name="Grades")).to_have_count(0)
    screen.page.keyboard.press("Escape")
    expect(group).to_have_count(0)
    expect(screen.page.get_by_role("group", name="Grades")).to_be_visible()
    assert screen.token() == token
    screen.page.wait_for_timeout(400)  # the same key within 300 ms is a bounced one
    screen.page.keyboard.press("s")
    screen.page.keyboard.press("1")
    assert log.held(screen.document_after(token)) != row
    assert log.events("cannot_tell")[-1] == (row, None, "too little text")
    assert log.events("grade") == given
    expect(screen.page.get_by_text("can't tell, too little text")).to_be_visible()


def test_later_comes_back_after_five_others(screen, log, demo):
    row = log.held(screen.document())
    token = screen.press("l")
    for _ in range(demo.settings.later_after):
        assert log.held(token) != row
        token = screen.press(str(demo.known_grades[log.held(token)]))
    assert log.held(token) == row


@pytest.mark.parametrize("pause", [0, 20])
def test_a_double_press_grades_one_document(screen, log, pause):
    before = log.events("grade")
    row = log.held(screen.document())
    token = screen.document()
    screen.bounce("0", pause)
    following = screen.document_after(token)
    screen.page.wait_for_timeout(300)
    assert log.events("grade") == [*before, (row, 0, "")]
    assert screen.token() == following


def test_a_held_key_grades_one_document(screen, log):
    before = log.events("grade")
    row = log.held(screen.document())
    for _ in range(30):
        screen.page.keyboard.down("1")
        screen.page.wait_for_timeout(30)
    screen.page.keyboard.up("1")
    screen.document()
    assert log.events("grade") == [*before, (row, 1, "")]


def test_a_reload_gives_the_document_and_the_draft_back(screen, log):
    token = screen.document()
    screen.page.keyboard.press("n")
    drafts = len(log.events("draft"))
    note_field(screen).fill("perhaps a 2")
    log.wait_for("draft", drafts + 1)
    screen.page.reload()
    assert screen.document() == token
    expect(note_field(screen)).to_have_value("perhaps a 2")


@pytest.mark.parametrize("kill", [False, True])
def test_a_server_restart_loses_nothing(screen, server, log, kill):
    token = screen.document()
    before = log.events()
    server.restart(kill=kill)
    assert log.events() == before
    screen.page.reload()
    assert screen.document() == token
    expect(note_field(screen)).to_have_value("perhaps a 2")


def test_a_key_pressed_while_the_server_is_away_is_saved_when_it_is_back(screen, server, log):
    token = screen.document()
    row = log.held(token)
    before = log.events("grade")
    server.stop()
    screen.page.keyboard.press("2")
    expect(screen.page.get_by_text("not saved yet")).to_be_visible()
    assert log.events("grade") == before
    server.start()
    following = screen.document_after(token)
    assert log.events("grade") == [*before, (row, 2, "perhaps a 2")]
    assert log.held(following) != row
    assert (row, None, "perhaps a 2") in log.events("note")


def test_the_page_wakes_by_itself_after_a_restart(screen, server, log):
    row = log.held(screen.document())
    before = log.events("grade")
    with screen.woken():
        server.restart()
    screen.press("1")
    assert log.events("grade") == [*before, (row, 1, "")]


def test_a_drawing_made_before_the_last_key_does_not_bring_the_graded_document_back(screen):
    drawing = screen.page.evaluate("() => ({ ...window.rulerankPanel.data, address: window.rulerankPanel.address })")
    following = screen.press("1")
    put_up = "late => window.rulerankPanel.mount(document.querySelector('.rr-panel'), late)"
    screen.page.evaluate(put_up, {**drawing, "serial": "made before the key was saved"})
    assert screen.token() == following
    expect(screen.page.get_by_text("Saved #")).to_be_visible()
    assert screen.press("1") != following
