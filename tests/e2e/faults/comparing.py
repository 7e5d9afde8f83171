"""Comparing processes: running servers and fresh ones that fold the log from its beginning must show the same."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from db.people.person import Person
from db.workspace import Workspace
from tests.e2e.faults.checker import check_same
from tests.e2e.faults.history import Violation
from tests.e2e.faults.processes import ForkServer, Process, ServerProcess
from tests.e2e.faults.protocol import UnansweredError, look, post
from tests.e2e.faults.world import fresh_ticket, read_snapshot

TRIES = 8
QUESTIONS = 25  # more than a server keeps connections in its pool
ANSWER_PATIENCE = 30.0
Answers = list[dict[str, Any]]


class FreshProcess:
    """A process that has not seen the campaign: it reads the log, answers, and ends."""

    def __init__(self, forks: ForkServer, folder: Path, gate: threading.RLock) -> None:
        self.process = Process("looker", "look", forks, folder, gate)
        self.target = folder / "looked.json"

    def ask(self, bodies: Answers) -> Answers:
        """Return what the panel would show."""
        self.target.unlink(missing_ok=True)
        self.process.more = {"bodies": bodies, "to": str(self.target)}
        self.process.launch()
        if not self.process.reap(60.0) or not self.target.exists():
            self.process.kill()
            log = self.process.log.read_text(errors="replace")
            raise RuntimeError(f"a fresh process could not open the campaign:\n{log[-3000:]}")
        found: Answers = json.loads(self.target.read_text())
        return found


def ask_server(server: ServerProcess, bodies: Answers) -> Answers:
    """Return what a running server shows; it may need some tries, and time."""
    shown = []
    for body in bodies:
        end = time.monotonic() + ANSWER_PATIENCE
        for tries in count(1):
            try:
                status, told = post(server.port, body, "", tries=tries)
            except UnansweredError as error:
                status, told = 0, {"problem": f"no answer: {error}"}
            if status == 200 or time.monotonic() > end:
                shown.append(told)
                break
            time.sleep(0.1)
    return shown


class Comparing:
    """One comparison of all processes over one campaign, in calm."""

    def __init__(
        self,
        workspace: Workspace,
        reader: sa.Engine,
        campaign: int,
        servers: list[ServerProcess],
        fresh: FreshProcess,
    ) -> None:
        self.workspace = workspace
        self.reader = reader
        self.campaign = campaign
        self.processes: dict[str, Callable[[Answers], Answers]] = {}
        self.servers = servers
        for server in servers:
            self.processes[server.name] = partial(ask_server, server)
        self.processes |= {"a fresh process": fresh.ask, "another fresh process": fresh.ask}

    def next_documents(self, witness: Person) -> list[Violation]:
        """Every process proposes the same next document to somebody who holds none, and says the same about it."""
        live = self.workspace.open(self.campaign).live
        body = look(fresh_ticket(self.workspace, witness, self.campaign))

        def ask_all() -> dict[str, Any]:
            answers = {}
            for name, ask in self.processes.items():
                live.release(witness.id)
                answers[name] = [_seen(shown) for shown in ask([body])]
            live.release(witness.id)
            return answers

        return check_same(f"the next document of campaign {self.campaign}", self._in_quiet(ask_all))

    def no_trouble(self, witness: Person) -> list[Violation]:
        """Every server answers every question now: no connection to a store of the past is left in it."""
        body = look(fresh_ticket(self.workspace, witness, self.campaign))
        found = []
        for server in self.servers:
            for _ in range(QUESTIONS):
                try:
                    status, told = post(server.port, body, "")
                except UnansweredError:
                    continue  # a busy machine; whether it answers at all, others see
                if status != 200:
                    words = f"{server.name}, when everything was whole again: {status} {told.get('problem')}"
                    found.append(Violation("trouble in calm", words))
                    break
        self.workspace.open(self.campaign).live.release(witness.id)
        return found

    def what_people_see(self, people: list[Person]) -> list[Violation]:
        """Every process shows each annotator the same document, note and last act."""
        bodies = [look(fresh_ticket(self.workspace, person, self.campaign)) for person in people]
        kept = ("document", "note", "draft", "drafted", "saved", "problem")

        def ask_all() -> dict[str, Any]:
            return {
                name: [{key: value for key, value in _seen(shown).items() if key in kept} for shown in ask(bodies)]
                for name, ask in self.processes.items()
            }

        return check_same(f"what annotators see of campaign {self.campaign}", self._in_quiet(ask_all))

    def _in_quiet(self, ask_all: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Ask all processes, and again if the log or the claims changed meanwhile.

        Proposals depend on both, and in calm an act that its annotator gave up on may still arrive.
        """
        for _ in range(TRIES):
            before = read_snapshot(self.reader, self.campaign)
            answers = ask_all()
            after = read_snapshot(self.reader, self.campaign)
            if (after.rows, after.held) == (before.rows, before.held):
                break
        return answers


def _seen(shown: dict[str, Any]) -> dict[str, Any]:
    """Return what an answer shows with the document's number, but for what tells one answer from another.

    How many labels are to go is each process's own estimate, worked out when it has time; what is counted is compared.
    """
    seen = {key: value for key, value in shown.items() if key not in ("token", "ticket", "seen")}
    if shown.get("progress"):
        counted = shown["progress"]["text"].split(" · ")[-1]
        seen["progress"] = {**shown["progress"], "text": counted}
    return {"document": shown["ticket"].split(".")[3] if shown.get("token") else None, **seen}
