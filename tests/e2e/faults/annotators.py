"""Annotators: threads that label as people do who have a bad connection, two tabs, and doubts."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.e2e.faults.history import DECISIONS, Act, History, Outcome, Violation
from tests.e2e.faults.protocol import Panel, Shown, UnansweredError, look, post, read_outcome

PAUSE = 0.1  # seconds between two tries; then they become rarer
LONGEST_PAUSE = 1.0
STALL = 45.0  # seconds without an answer although nothing is broken any more
CLOSES_TAB = 0.01  # how often somebody gives up on an act that is not answered
CHOICES = {
    "grade": 62,
    "cannot_tell": 6,
    "later": 6,
    "undo": 10,
    "draft": 9,
    "two tabs": 3,
    "old act again": 3,
    "nonsense": 1,
}
"""What an annotator does with a document, and how often."""


@dataclass
class Control:
    """Whether annotators may begin an act, and who is in the middle of one."""

    go: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    calm_since: float | None = None  # when the last fault was mended
    campaign: int = 0
    idle: set[int] = field(default_factory=set)  # annotators without a document
    busy: int = 0
    found: list[Violation] = field(default_factory=list)  # what annotators notice themselves
    _lock: threading.Condition = field(default_factory=threading.Condition)

    def enter(self) -> bool:
        """Wait until acts may be begun; False if there is nothing more to do."""
        while not self.over.is_set():
            self.go.wait(0.5)
            with self._lock:
                if self.go.is_set():
                    self.busy += 1
                    return True
        return False

    def leave(self) -> None:
        """Say that an act has come to its end."""
        with self._lock:
            self.busy -= 1
            self._lock.notify_all()

    def pause(self, patience: float) -> bool:
        """Let nobody begin another act, and wait for those that were begun."""
        with self._lock:
            self.go.clear()
            return self._lock.wait_for(lambda: self.busy == 0, patience)

    def stalled(self) -> bool:
        """Say whether an answer is overdue."""
        return self.calm_since is not None and time.monotonic() - self.calm_since > STALL


class Annotator(threading.Thread):
    """One person. `ports` are the proxies of the servers; they mostly stay with one server, and go to another."""

    def __init__(
        self,
        person: int,
        ports: list[int],
        history: History,
        control: Control,
        ticket: Callable[[int, int], str],
        seed: str,
    ) -> None:
        super().__init__(name=f"annotator {person}", daemon=True)
        self.person = person
        self.ports = ports
        self.history = history
        self.control = control
        self.ticket = ticket
        self.rng = random.Random(seed)
        self.port = self.rng.choice(ports)
        self.panel = Panel(0, person, self.rng)
        self.shown: Shown | None = None
        self.old: list[dict[str, Any]] = []

    def run(self) -> None:
        """Label until the trial is over."""
        while self.control.enter():
            try:
                if self.control.campaign != self.panel.campaign:
                    self.panel = Panel(self.control.campaign, self.person, self.rng)
                    self.shown, self.old = None, []
                self.step()
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                self.control.found.append(Violation("unreadable answer", f"{type(error).__name__}: {error}"))
                self.shown = None
            finally:
                self.control.leave()
            time.sleep(self.rng.uniform(0, 0.02))

    def step(self) -> None:
        """Do one thing."""
        if self.shown is None:
            self.look_again()
        elif self.shown.row is None:
            self.control.idle.add(self.person)
            time.sleep(0.1)
            if self.rng.random() < 0.4:
                self.send(*self.panel.undo(self.shown), self.shown)
            else:
                self.shown = None
        else:
            self.control.idle.discard(self.person)
            self.decide(self.shown)

    def decide(self, shown: Shown) -> None:
        """Do something with the document that is shown."""
        rng, panel = self.rng, self.panel
        choice = rng.choices(list(CHOICES), list(CHOICES.values()))[0]
        if choice in DECISIONS:
            note = "note" if rng.random() < 0.15 else ""
            self.send(*panel.decide(shown, choice, rng.randrange(3) if choice == "grade" else None, note), shown)
        elif choice == "undo":
            self.send(*panel.undo(shown), shown)
        elif choice == "draft":
            self.send(*panel.draft(shown), shown)
        elif choice == "nonsense":
            self.send(*panel.decide(shown, "grade", rng.choice((99, -1, 3))), shown)
        elif choice == "old act again" and self.old:
            self.try_once(rng.choice(self.old))  # whatever is answered: the log must not change
        elif choice == "two tabs":
            self.use_two_tabs(shown)

    def use_two_tabs(self, shown: Shown) -> None:
        """Do two different things with the same document at the same time, each in a tab of its own."""
        rng, panel = self.rng, self.panel
        first, second = rng.sample(range(3), 2)
        pair = rng.choice(
            (
                (panel.decide(shown, "grade", first), panel.decide(shown, "grade", second)),
                (panel.decide(shown, "grade", first), panel.decide(shown, "later", None)),
                (panel.undo(shown), panel.undo(shown)),
                (panel.draft(shown), panel.draft(shown)),
            )
        )
        tab = threading.Thread(target=self.send, args=(*pair[1], shown, rng.choice(self.ports)), daemon=True)
        tab.start()
        self.send(*pair[0], shown)
        tab.join()
        self.shown = None

    def try_once(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        """Send something, and return the answer if there is one."""
        if self.rng.random() < 0.03:
            self.port = self.rng.choice(self.ports)
        try:
            return post(self.port, body, str(body.get("act", "")))
        except UnansweredError:
            return None

    def look_again(self) -> None:
        """Ask for a document, with a new ticket as a reloaded page has it."""
        try:
            body = look(self.ticket(self.person, self.panel.campaign))
        except Exception:  # the store is away, and with it what a ticket is made of
            time.sleep(PAUSE)
            return
        told = self.try_once(body)
        if told is not None and told[0] == 200 and not told[1].get("problem"):
            self.shown = Shown.of(told[1])
        else:
            self.port = self.rng.choice(self.ports)
            time.sleep(PAUSE)

    def send(self, act: Act, body: dict[str, Any], shown: Shown, port: int | None = None) -> None:
        """Send an act until there is an answer, and note what it says; a tab of its own (`port`) shows nothing here."""
        self.history.begin(act)
        used = port or self.port
        while True:
            act.tries += 1
            try:
                status, answer = post(used, body, act.id, tries=act.tries)
                outcome = read_outcome(act, shown, status, answer)
            except UnansweredError as error:
                status, answer, outcome = 0, {}, Outcome.OPEN
                act.told = f"no answer: {error}"
            if outcome is not Outcome.OPEN:
                break
            act.unanswered += 1
            if self.control.stalled():
                self.control.found.append(Violation("stalled", f"{act} is not answered though nothing is broken"))
                outcome = Outcome.UNKNOWN
                break
            if self.rng.random() < CLOSES_TAB and self.control.calm_since is None:
                outcome = Outcome.UNKNOWN
                break
            if self.rng.random() < 0.4:
                used = self.rng.choice(self.ports)
            time.sleep(min(PAUSE * 1.3 ** (act.tries - 1), LONGEST_PAUSE))
        self.history.end(act, outcome)
        if act.outcome is Outcome.ACKNOWLEDGED and port is None:
            self.old = [*self.old[-30:], body]
        if port is None:
            self.port = used
            self.shown = Shown.of(answer) if status == 200 else None
