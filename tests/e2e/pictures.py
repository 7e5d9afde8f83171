"""Pictures of every page, for the README: the demo with some labels by two people.

python -m tests.e2e.pictures OUT_DIR
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path

import sqlalchemy as sa

from db.jobs.simulate import simulate
from db.jobs.worker import Worker
from db.store.tables import campaigns
from db.workspace import Workspace
from rulerank.campaign import Kind, Offer
from rulerank.demo import build_demo
from rulerank.letor import write_letor
from rulerank.simulate import Plan
from rulerank.synthetic import planted_collection
from tests.e2e.screen import READY, Screen, open_browser
from tests.e2e.server import Server

LABELS = 60
PAGES = {
    "home": "/",
    "label": "/label",
    "my-labels": "/mine",
    "progress": "/progress",
    "replay": "/replay",
    "competence": "/competence",
    "ranking": "/ranking",
    "agreement": "/agreement",
    "discussions": "/discussions",
    "simulate": "/simulate?simulation=1",
    "clicks": "/clicks",
    "export": "/export",
    "settings": "/settings",
    "new-letor": "/new",
    "new-texts": "/new",
    "people": "/people",
}
TABLET = {"width": 820, "height": 1180}
STILL = {"reduced_motion": "reduce"}
"""A replay does not begin by itself, and is seen at its end."""


def label_demo(url: str, number: int = LABELS) -> None:
    """Make the demo, and let two people give labels, each document to both; the second errs now and then, and asks."""
    workspace = Workspace(url)
    campaign = workspace.demo()
    people = [workspace.people.ensure_single_user().id, workspace.people.add("Cleo", "annotator").id]
    settings = replace(workspace.open(campaign).settings, overlap=2).to_dict()
    with workspace.database.write() as connection:
        connection.execute(sa.update(campaigns).where(campaigns.c.id == campaign).values(settings=settings))
    workspace.campaigns.forget(campaign)
    opened = workspace.open(campaign)
    now = opened.live.clock() - 3600.0
    opened.live.clock = lambda: now
    for place in range(number):
        person = people[place % 2]
        offer = opened.live.next(person, beyond=True)
        assert isinstance(offer, Offer)
        row = offer.claim.row
        known = int(opened.known_grades[row]) if opened.known_grades is not None else 0
        grade = known if person == people[0] or place % 7 else (known + 1) % 3
        now += 5.0 + place % 11
        opened.live.submit(person, offer.claim.token, row, Kind.GRADE, grade=grade)
    opened.live.release(people[1])
    opened.live.write(people[1], row, Kind.FLAG, text="The need asks for one call. Does a loop around it count?")
    opened.live.write(people[0], row, Kind.REMARK, text="Yes: the guidelines say “perhaps in a loop”.")
    workspace.close()


def simulate_demo(url: str) -> None:
    """Make the demo, and let its own grades decide between three samplers."""
    workspace = Workspace(url)
    collection = workspace.open(workspace.demo()).collection_id
    workspace.simulations.ask(collection, Plan(seeds=5, budget=0.05, every=10))
    Worker(workspace.database, handlers={"simulate": simulate}).run_once()
    workspace.close()


def wait_for_quiet(screen: Screen) -> None:
    """Wait until the page is drawn and stays so: charts come in after the script has ended."""
    quiet = 0
    while quiet < 4:
        screen.page.wait_for_timeout(400)
        busy = screen.page.locator(READY).count() == 0 or screen.page.locator("[data-testid=stSkeleton]").count() > 0
        working = screen.page.get_by_text("The background worker works out").count() > 0
        quiet = 0 if busy or working else quiet + 1


def simulate_clicks(screen: Screen) -> None:
    """Make up a click log and fit the models, so that the Clicks page has something to show."""
    screen.page.get_by_role("radio", name="Simulate a log").click()
    screen.page.get_by_role("button", name="Simulate", exact=True).click()
    screen.page.get_by_role("button", name="Fit", exact=True).click()
    screen.page.get_by_text("Perplexity by position").first.wait_for()


def bring_letor(screen: Screen) -> None:
    """Drop a LETOR file on the New campaign page."""
    out = io.BytesIO()
    write_letor(planted_collection(60, 40, 24), out)
    _drop(screen, "collection.txt", out.getvalue())
    screen.page.get_by_text("Preview", exact=True).first.wait_for(state="attached")


def bring_texts(screen: Screen) -> None:
    """Drop documents and queries without features on the New campaign page, and let it prepare them."""
    texts = build_demo().texts
    documents = [{"_id": key, "title": each.title, "text": each.body} for key, each in texts.documents.items()]
    queries = [{"_id": key, "text": each.text} for key, each in texts.queries.items()]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("python/corpus.jsonl", "\n".join(map(json.dumps, documents)))
        archive.writestr("python/queries.jsonl", "\n".join(map(json.dumps, queries)))
    screen.page.get_by_text("I have texts").click()
    screen.page.get_by_text("Files of the collection").wait_for()
    _drop(screen, "python.zip", out.getvalue())
    screen.click("Prepare the collection")
    screen.page.get_by_text(f"{len(documents):,} documents, {len(queries)} queries").wait_for(timeout=120_000)


def _drop(screen: Screen, name: str, content: bytes) -> None:
    dropped = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    screen.page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(dropped)


# What is done on a page before its picture is taken.
FIRST = {"clicks": simulate_clicks, "new-letor": bring_letor, "new-texts": bring_texts}


def take_pictures(folder: Path) -> list[Path]:
    """Write one picture a page; the Label page also dark and as a tablet shows it."""
    folder.mkdir(parents=True, exist_ok=True)
    taken = []
    with tempfile.TemporaryDirectory(prefix="rulerank-pictures-") as temporary:
        server = Server(Path(temporary))
        simulate_demo(server.database)
        label_demo(server.database)
        with server, open_browser() as browser:
            light = Screen(browser, server.url, color_scheme="light", **STILL)
            dark = Screen(browser, server.url, color_scheme="dark", **STILL)
            tablet = Screen(browser, server.url, color_scheme="light", viewport=TABLET)
            wanted = [(light, name, path) for name, path in PAGES.items()]
            wanted += [(dark, "label-dark", "/label"), (tablet, "label-tablet", "/label")]
            for screen, name, path in wanted:
                screen.go(path)
                if name in FIRST:
                    FIRST[name](screen)
                wait_for_quiet(screen)
                taken.append(folder / f"{name}.png")
                screen.page.screenshot(path=taken[-1])
    return taken


def main(arguments: list[str]) -> int:
    """Take the pictures into the folder that is named."""
    if len(arguments) != 1:
        print(__doc__)
        return 2
    for path in take_pictures(Path(arguments[0])):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
