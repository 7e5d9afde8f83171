"""A researcher's way through the app: bring files, label with keys, watch, export, back up, restore elsewhere."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest
from playwright.sync_api import expect
from thorough import thorough_only

from db.workspace import Workspace
from rulerank.letor import read_letor, write_letor
from rulerank.synthetic import planted_collection
from tests.e2e.screen import Log, Screen

LABELS = 30


@pytest.fixture(scope="module")
def collection():
    """A small collection; its own grades are what the annotator gives."""
    return planted_collection(12, 15, 20, seed=5)


@pytest.fixture(scope="module")
def files(collection, folder):
    """A LETOR file and the texts of its queries and documents."""
    letor, queries, documents = folder / "small.txt", folder / "queries.tsv", folder / "documents.jsonl"
    write_letor(collection, letor)
    queries.write_text("".join(f"{qid}\tquestion {qid}\twhy {qid}\n" for qid in collection.queries), encoding="utf-8")
    lines = [{"docid": docid, "title": f"Title {docid}", "text": f"answer {docid}"} for docid in collection.docids]
    documents.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return letor, queries, documents


@pytest.fixture(scope="module")
def campaign(server):
    """The campaign as the server made it, opened beside the server."""
    workspace = Workspace(server.database)
    (made,) = workspace.campaigns.all()
    yield workspace.open(made.id)
    workspace.close()


@pytest.fixture(scope="module")
def grades(campaign):
    """The grade of each document that is labelled: a part of the file is kept to evaluate on."""
    return campaign.collection.grades[campaign.pool_rows].tolist()


def upload(screen: Screen, label: str, path) -> None:
    """Choose a file in the field of this name, and wait until it is taken in."""
    screen.page.get_by_label(label).locator("input[type=file]").or_(
        screen.page.locator("[data-testid=stFileUploader]", has_text=label).locator("input[type=file]")
    ).first.set_input_files(path)
    expect(screen.page.get_by_text(path.name).first).to_be_visible()
    screen.ready()


def test_files_become_a_campaign(screen, files):
    screen.go("/new")
    upload(screen, "LETOR files", files[0])
    screen.page.get_by_text("Add texts, or a separate file").click()
    upload(screen, "Texts of queries", files[1])
    upload(screen, "Texts of documents", files[2])
    # As a person would: what is created is what the page says that it has understood.
    expect(screen.page.get_by_text("Texts: 12 queries and 180 documents")).to_be_visible()
    screen.ready()
    screen.click("Create the campaign")
    expect(screen.button("Start labelling")).to_be_visible()
    screen.click("Start labelling")
    screen.document()


def test_the_first_document_is_shown_with_its_texts(screen, log, campaign):
    qid, docid = campaign.document(log.held(screen.document()))
    expect(screen.page.get_by_role("heading", name=f"question {qid}")).to_be_visible()
    expect(screen.page.get_by_text(f"why {qid}")).to_be_visible()
    expect(screen.page.locator(".rr-document h3")).to_have_text(f"Title {docid}")
    expect(screen.page.locator(".rr-document pre")).to_have_text(f"answer {docid}")


def test_labels_move_the_progress_page(chromium, screen, server, log, grades):
    token = screen.document()
    for _ in range(LABELS - 3):
        token = screen.press(str(grades[log.held(token)]))
    watcher = Screen(chromium, server.url)
    watcher.go("/progress")
    labelled = watcher.page.locator("[data-testid=stMetric]", has_text=f"of {len(grades)}").first
    number = labelled.locator("[data-testid=stMetricValue]")
    expect(number).to_have_text(str(LABELS - 3))
    for _ in range(3):
        token = screen.press(str(grades[log.held(token)]))
    screen.saved(LABELS)
    # Nobody touches the page that watches: it draws itself anew.
    expect(number).to_have_text(str(LABELS))
    watcher.close()


def test_the_export_reads_back_as_what_was_labelled(screen, log, collection, campaign):
    screen.go("/export")
    screen.click("Check and pack")
    expect(screen.page.get_by_text("Every file was read back")).to_be_visible()
    with screen.page.expect_download() as download:
        screen.button("Download the bundle").click()
    archive = zipfile.ZipFile(download.value.path())
    assert {"README.txt", "SHA256SUMS", "letor.txt"} <= set(archive.namelist())
    back = read_letor(io.BytesIO(archive.read("letor.txt")))
    labelled = {row: grade for row, grade, _ in log.events("grade")}
    assert len(labelled) == LABELS
    assert dict(zip(back.docids, back.grades.tolist(), strict=True)) == {
        campaign.document(row)[1]: grade for row, grade in labelled.items()
    }
    place = {docid: row for row, docid in enumerate(collection.docids)}
    np.testing.assert_array_equal(back.features, collection.features[[place[docid] for docid in back.docids]])


@thorough_only
def test_a_backup_becomes_a_new_database_with_the_same_next_document(chromium, screen, start, folder, log):
    screen.go("/label")
    shown = screen.document()
    screen.go("/export")
    screen.click("Make a backup")
    with screen.page.expect_download() as download:
        screen.button("Download rulerank-backup").click()
    kept = folder / "kept.zip"
    download.value.save_as(kept)
    upload(screen, "Restore a backup", kept)
    screen.click("Check and restore")
    expect(screen.page.get_by_text("The backup is whole")).to_be_visible()
    restored = next(folder.glob("*restored*.db"))
    expect(screen.page.get_by_text(restored.name).first).to_be_visible()
    second = start(database=f"sqlite:///{restored}")
    elsewhere = Screen(chromium, second.url)
    elsewhere.go("/label")
    assert elsewhere.document() == shown
    expect(elsewhere.page.get_by_text(f"Saved #{LABELS}:")).to_be_visible()
    elsewhere.press("1")
    assert len(Log(second.database).events("grade")) == LABELS + 1
    assert len(log.events("grade")) == LABELS
    elsewhere.close()
