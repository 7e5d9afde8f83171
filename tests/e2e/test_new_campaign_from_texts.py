"""From a zip of documents and queries to the first document on the Label page."""

from __future__ import annotations

import io
import json
import zipfile

from playwright.sync_api import Locator, expect

from db.workspace import Workspace
from rulerank.campaign import Settings
from rulerank.collection import Collection
from rulerank.prepare import Options, prepare, read_collection, write_prepared
from rulerank.text import Analyser, DocumentText, QueryText, Texts
from tests.prepare.pair_table import PAIRS, table
from tests.prepare.workbooks import helpdesk

OLD_EXCEL = bytes.fromhex("d0cf11e0a1b11ae1")
TITLES = ("Wings that flutter", "Heat of a plate", "Cones in a stream", "Flutter of plates", "Wings and heat")


def texts_place(screen) -> Locator:
    """Go to where texts are dropped on New campaign, once the place for LETOR files has gone."""
    screen.go("/new")
    screen.page.get_by_text("I have texts").click()
    expect(screen.page.get_by_text("Files of the collection")).to_be_visible()
    uploader = screen.page.get_by_test_id("stFileUploaderDropzoneInput")
    expect(uploader).to_have_count(1)
    return uploader


def test_one_table_becomes_a_campaign_with_every_pair(screen, server):
    """As a newcomer does it: drop the file, press the button, label."""
    uploader = texts_place(screen)
    uploader.set_input_files({"name": "broken.csv", "mimeType": "text/csv", "buffer": table(bad=True)})
    expect(screen.page.get_by_text("1 file has problems")).to_be_visible()
    assert screen.page.get_by_role("button", name="Create the campaign").count() == 0
    uploader = texts_place(screen)
    uploader.set_input_files({"name": "helpdesk.csv", "mimeType": "text/csv", "buffer": table()})
    expect(screen.page.get_by_text(f"All {PAIRS} query-document pairs of the table are kept")).to_be_visible()
    # The first step has folded, and the button is in sight without scrolling.
    expect(uploader).not_to_be_visible()
    expect(screen.button("Create the campaign")).to_be_in_viewport()
    expect(screen.page.get_by_role("textbox", name="Name of the campaign")).to_have_value("helpdesk")
    screen.page.get_by_text("3 · Evaluation").click()
    screen.page.get_by_text("No evaluation set").click()
    expect(screen.page.get_by_text("pairs are graded already, so SSAR")).to_be_visible()
    screen.page.get_by_text("Do not use them", exact=True).click()  # else hardly a pair would be left to label
    expect(screen.page.get_by_text(f"{PAIRS} query-document pairs of 4 queries can be labelled")).to_be_visible()
    screen.click("Create the campaign")
    screen.click("Start labelling")
    screen.document()
    expect(screen.page.locator(".rr-document pre")).to_contain_text("Second line, with a comma.")
    workspace = Workspace(server.database)
    (info,) = [each for each in workspace.campaigns.all() if each.name == "helpdesk"]
    assert info.documents == PAIRS
    workspace.close()


def packed() -> bytes:
    documents = [{"_id": f"D{n}", "title": title, "text": f"{title}: report {n}."} for n, title in enumerate(TITLES)]
    queries = [{"_id": "1", "text": "flutter of wings"}, {"_id": "2", "text": "heat of plates"}]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("reports/corpus.jsonl", "\n".join(map(json.dumps, documents)))
        archive.writestr("reports/queries.jsonl", "\n".join(map(json.dumps, queries)))
    return out.getvalue()


def test_a_team_that_has_only_texts_can_start(screen, log):
    uploader = texts_place(screen)
    uploader.set_input_files({"name": "reports.zip", "mimeType": "application/zip", "buffer": packed()})
    expect(screen.page.get_by_text("documents in reports/corpus.jsonl")).to_be_visible()
    screen.click("Prepare the collection")
    expect(screen.page.get_by_text("5 documents, 2 queries")).to_be_visible()
    screen.click("Create the campaign")
    screen.click("Start labelling")
    token = screen.document()
    expect(screen.page.locator(".rr-document h3")).to_be_visible()
    assert screen.page.locator(".rr-document h3").text_content() in TITLES
    assert screen.page.locator(".rr-document mark").count() > 0
    row = log.held(token)
    screen.press("1")
    assert log.events() == [(row, 1, "")]


def test_marks_are_those_of_the_analyser(screen, server):
    """Only the collection's own analyser takes "Compression" for a form of "compressing"."""
    texts = Texts({"1": QueryText("compressing wings")}, {"D1": DocumentText("Compression of a wing", "Compressed.")})
    collection = Collection.from_arrays([[0.1], [0.2]], ["1", "1"], [-1, -1], docids=["D1", "D1"])
    workspace = Workspace(server.database)
    number = workspace.import_campaign("Marks", collection, Settings(), texts=texts, analyser=Analyser(("en",)))
    workspace.close()
    screen.go(f"/label?campaign={number}")
    screen.document()
    marks = screen.page.locator(".rr-document mark")
    assert marks.all_text_contents() == ["Compression", "wing", "Compressed"]


def test_what_the_command_wrote_is_dropped_in_at_once(screen, server, tmp_path):
    (tmp_path / "reports.zip").write_bytes(packed())
    made = prepare(read_collection(tmp_path / "reports.zip"), Options(languages=("en",)))
    paths = write_prepared(made, tmp_path / "reports.letor")
    screen.go("/new")
    uploader = screen.page.get_by_test_id("stFileUploaderDropzoneInput").first
    expect(screen.page.get_by_text("LETOR files", exact=True)).to_be_visible()
    uploader.set_input_files([str(path) for path in paths.values()])
    found = f"2 queries and {len(made.texts.documents)} documents of this collection"
    expect(screen.page.get_by_text(found)).to_be_visible()
    expect(screen.page.get_by_text("Snowball stems")).to_be_visible()
    name = screen.page.get_by_role("textbox", name="Name of the campaign")
    name.fill("Dropped")
    name.press("Enter")
    screen.ready()
    screen.click("Create the campaign")
    expect(screen.page.get_by_text("The campaign is ready.")).to_be_visible()
    workspace = Workspace(server.database)
    (info,) = [each for each in workspace.campaigns.all() if each.name == "Dropped"]
    opened = workspace.open(info.id)
    assert opened.collection.feature_names == made.collection.feature_names
    assert list(opened.terms.values()) == list(made.terms.values())
    assert workspace.collections.analyser(info.collection) == made.analyser
    workspace.close()


def test_a_workbook_of_excel_becomes_a_campaign(screen, server):
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    old = {"name": "old.xls", "mimeType": "application/vnd.ms-excel", "buffer": OLD_EXCEL + bytes(600)}
    uploader = texts_place(screen)
    uploader.set_input_files(old)
    expect(screen.page.get_by_text("this is an old Office file")).to_be_visible()
    uploader = texts_place(screen)
    uploader.set_input_files({"name": "faq.xlsx", "mimeType": kind, "buffer": helpdesk()})
    expect(screen.page.get_by_text(f"All {PAIRS} query-document pairs of the table are kept")).to_be_visible()
    expect(screen.page.get_by_text("1 sheet left out")).to_be_visible()
    screen.click("Create the campaign")
    expect(screen.page.get_by_text("The campaign is ready.")).to_be_visible()
    workspace = Workspace(server.database)
    assert "faq" in {each.name for each in workspace.campaigns.all()}
    workspace.close()
