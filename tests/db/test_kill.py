"""Kill -9 in the middle of labelling: no label and no change that was shown as saved is lost; the campaign goes on."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from queue import Empty, Queue

import pytest
import sqlalchemy as sa
from db_helpers import add_office, add_people, small_collection
from live_helpers import row_of
from thorough import tries

from db.store.engine import Database
from db.store.tables import label_events
from db.workspace import Workspace
from rulerank.campaign import Change, Kind, LabelEvent, Offer
from rulerank.sampling import SSAR

ROOT = Path(__file__).parents[2]

# Imports everything once; then a line "<seed>" on its input makes it fork a worker, which labels until it is killed.
SERVER = """
import os, random, sys
from dataclasses import replace
from db.workspace import Workspace
from rulerank.campaign import Kind, Offer

url, campaign, person = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

def say(text):
    os.write(1, (text + "\\n").encode())

def work(seed):
    rng = random.Random(seed)
    live = Workspace(url).open(campaign).live
    say("open")
    while True:
        offer = live.next(person, beyond=True)
        if not isinstance(offer, Offer):
            break
        kind = Kind.CANNOT_TELL if rng.random() < 0.1 else Kind.GRADE
        grade = rng.randrange(3) if kind is Kind.GRADE else None
        event = live.submit(person, offer.claim.token, offer.claim.row, kind, grade=grade)
        say(f"saved {event.id} {offer.claim.token}")
        if rng.random() < 0.15:
            live.undo(person)
        if rng.random() < 0.3:
            other = live.settings.later_after % 900 + 1
            event = live.change(person, replace(live.settings, later_after=other))
            say(f"saved {event.id} {event.token}")
    say("nothing left")

first = Workspace(url)  # what is loaded on first use is loaded before any fork, and no connection outlives it
live = first.open(campaign).live
claim = live.next(person).claim
live.submit(person, claim.token, claim.row, Kind.GRADE, grade=0)
live.undo(person)
first.close()
del first, live
say("ready")
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        try:
            work(int(line))
        finally:
            os._exit(1)
    say(f"child {child}")
    os.waitpid(child, 0)
    say("dead")
"""


class Server:
    """The server process, what it says, and the worker that is to be killed."""

    def __init__(self, url: str, campaign: int, person: int) -> None:
        command = [sys.executable, "-c", SERVER, url, str(campaign), str(person)]
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=os.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.said: Queue[str] = Queue()
        self.saved: list[tuple[int, str]] = []
        threading.Thread(target=self._listen, daemon=True).start()
        assert self.hear() == "ready"

    def _listen(self) -> None:
        for line in self.process.stdout:
            self.said.put(line.rstrip("\n"))

    def hear(self, patience: float = 60.0) -> str:
        line = self.said.get(timeout=patience)
        assert line != "nothing left"
        if line.startswith("saved "):
            _, number, token = line.split()
            self.saved.append((int(number), token))
        return line

    def label_and_die(self, rng: random.Random) -> None:
        """Let a worker label, and kill it at a random moment: while it opens the campaign, or after some labels."""
        self.process.stdin.write(f"{rng.randrange(10**9)}\n")
        self.process.stdin.flush()
        child = int(self.hear().removeprefix("child "))
        if rng.random() < 0.9:
            known = len(self.saved)
            wanted = rng.randrange(4)
            assert self.hear() == "open"
            while len(self.saved) < known + wanted:
                self.hear()
        time.sleep(rng.random() * 0.012)
        os.kill(child, signal.SIGKILL)
        while self.hear() != "dead":
            pass

    def stop(self) -> None:
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


def valid_acts(events: list[LabelEvent]) -> dict[int, LabelEvent]:
    """The last act on each document that is not undone, by row."""
    undone = {event.undoes for event in events if event.kind is Kind.UNDO}
    other = (Kind.UNDO, Kind.CHANGE)
    return {event.row: event for event in events if event.kind not in other and event.id not in undone}


def implied(items, events: list[LabelEvent]) -> int | None:
    """The document that the log implies, from the sampler alone."""
    sampler = SSAR().start(items)
    for row, act in valid_acts(events).items():
        if act.kind is Kind.GRADE:
            sampler.record(row, act.grade)
        else:
            sampler.exclude(row)
    chosen = sampler.propose()
    return (sampler.propose(beyond=True) if chosen.stop else chosen).row


def check(url: str, campaign: int, person: int, saved: list[tuple[int, str]]) -> int:
    """Reopen what a kill left; return how many events there are."""
    workspace = Workspace(url)
    try:
        with workspace.database.read() as connection:
            if workspace.database.is_sqlite:
                assert connection.exec_driver_sql("PRAGMA integrity_check").scalars().all() == ["ok"]
                assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
            tokens = Counter(
                connection.scalars(sa.select(label_events.c.token).where(label_events.c.token.isnot(None)))
            )
        assert set(tokens.values()) <= {1}
        events = workspace.campaigns.events(campaign)
        # Everything that was shown as saved is there, under the number that was shown; more may be, never less.
        assert set(saved) <= {(event.id, event.token) for event in events}
        opened = workspace.open(campaign)
        offer = opened.live.next(person, beyond=True)
        assert isinstance(offer, Offer)
        assert row_of(offer) == implied(opened.items, events)
        grades = {row: act.grade for row, act in valid_acts(events).items() if act.kind is Kind.GRADE}
        assert opened.live.fold.current() == grades
        changes = [Change.read(event.text) for event in events if event.kind is Kind.CHANGE]
        assert [c.before["later_after"] for c in changes[1:]] == [c.after["later_after"] for c in changes[:-1]]
        last = changes[-1].after["later_after"] if changes else opened.live.made_with.later_after
        assert opened.settings.later_after == last
        return len(events)
    finally:
        workspace.close()


@pytest.mark.parametrize(("backend", "kills"), [("sqlite", tries(50)), ("postgresql", 5)])
def test_kill_9_loses_no_label_that_was_shown_as_saved(new_url, backend, kills):
    url = new_url(backend)
    database = Database(url)
    (person,) = add_people(database, 1)
    office = add_office(database, small_collection(rows=400, features=8))
    database.close()
    server = Server(url, office.number, person)
    rng = random.Random(20)
    written = 0
    try:
        for _ in range(kills):
            server.label_and_die(rng)
            now = check(url, office.number, person, server.saved)
            assert now >= written
            written = now
    finally:
        server.stop()
    assert len(server.saved) >= kills // 2  # the kills fell into labelling, not before it
    with pytest.raises(Empty):
        server.said.get_nowait()


def test_the_check_would_notice_a_lost_label(new_url):
    """The proof above is worth something only if a label that is missing, or written twice over, is found out."""
    url = new_url("sqlite")
    database = Database(url)
    (person,) = add_people(database, 1)
    office = add_office(database, small_collection(rows=40))
    claim = office.live.next(person).claim
    event = office.live.submit(person, claim.token, claim.row, Kind.GRADE, grade=1)
    database.close()
    assert check(url, office.number, person, [(event.id, claim.token)]) == 1
    with pytest.raises(AssertionError):
        check(url, office.number, person, [(event.id, claim.token), (event.id + 1, "shown, but not written")])
