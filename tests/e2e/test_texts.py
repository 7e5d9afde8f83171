"""From a zip of documents and queries to the first document on the Label page."""

from __future__ import annotations

import io
import json
import zipfile

from playwright.sync_api import expect

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
    expect(screen.page.get_by_text("5 documents, 2 queries")).to_be_visible(timeout=60_000)
    screen.click("Create the campaign")
    screen.click("Start labelling")
    token = screen.document()
    expect(screen.page.locator(".rr-document h4")).to_be_visible()
    assert screen.page.locator(".rr-document h4").text_content() in TITLES
    assert screen.page.locator(".rr-document mark").count() > 0
    row = log.held(token)
    screen.press("1")
    assert log.events() == [(row, 1, "")]
