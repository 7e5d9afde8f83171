"""From a zip of documents and queries to the first document on the Label page."""

from __future__ import annotations

import io
import json
import zipfile

from playwright.sync_api import expect

from db.workspace import Workspace
from rulerank.campaign import Settings
from rulerank.collection import Collection
from rulerank.prepare import Options, prepare, read_collection, write_prepared
from rulerank.text import Analyser, DocumentText, QueryText, Texts

TITLES = ("Wings that flutter", "Heat of a plate", "Cones in a stream", "Flutter of plates", "Wings and heat")


def packed() -> bytes:
    documents = [{"_id": f"D{n}", "title": title, "text": f"{title}: report {n}."} for n, title in enumerate(TITLES)]
    queries = [{"_id": "1", "text": "flutter of wings"}, {"_id": "2", "text": "heat of plates"}]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("reports/corpus.jsonl", "\n".join(map(json.dumps, documents)))
        archive.writestr("reports/queries.jsonl", "\n".join(map(json.dumps, queries)))
    return out.getvalue()


def test_a_team_that_has_only_texts_can_start(screen, log):
    screen.go("/new")
    screen.page.get_by_text("I have documents and queries").click()
    uploader = screen.page.get_by_test_id("stFileUploaderDropzoneInput")
    expect(screen.page.get_by_text("Files of the collection")).to_be_visible()
    uploader.set_input_files({"name": "reports.zip", "mimeType": "application/zip", "buffer": packed()})
    expect(screen.page.get_by_text("documents in reports/corpus.jsonl")).to_be_visible()
    screen.click("Prepare the collection")
    expect(screen.page.get_by_text("5 documents, 2 queries")).to_be_visible()
    screen.click("Create the campaign")
    screen.click("Start labelling")
    token = screen.document()
    expect(screen.page.locator(".rr-document h4")).to_be_visible()
    assert screen.page.locator(".rr-document h4").text_content() in TITLES
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
