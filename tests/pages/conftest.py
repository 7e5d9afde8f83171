"""A workspace wired into the screens: empty, or with the demo and some labels."""

from __future__ import annotations

import shutil
import threading
from functools import cache
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner

from db.jobs.worker import Worker
from db.workspace import Workspace
from pages import context
from pages.progress import jobs as progress_jobs
from pages.shared import task as import_task
from rulerank.campaign import Kind, Offer


@pytest.fixture(scope="session", autouse=True)
def _demo_once(demo_built_once) -> None:
    """Many pages are shown with the demo."""


@pytest.fixture(scope="session", autouse=True)
def _packages_searched_once():
    """Streamlit looks through all installed packages for components at every run of a page: half of a test's time."""
    patch = pytest.MonkeyPatch()
    patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
    yield
    patch.undo()


@pytest.fixture(scope="session")
def demo_template(tmp_path_factory, sqlite_template, demo_built_once) -> Path:
    """A database file with the demo campaign and 30 labels of the single user, which tests copy."""
    path = tmp_path_factory.mktemp("template") / "demo.db"
    shutil.copy(sqlite_template, path)
    made = Workspace(f"sqlite:///{path}")
    person = made.people.ensure_single_user()
    give_labels(made, made.demo(person.id), person.id, 30)
    made.close()
    assert not Path(f"{path}-wal").exists()
    return path


@pytest.fixture(autouse=True)
def _quick(quick_passwords) -> None:
    """No page cares how long a password takes."""


@pytest.fixture(autouse=True)
def _patient(monkeypatch) -> None:
    """Curves are whole at the first look, however slow the machine is."""
    monkeypatch.setattr(progress_jobs, "BUDGET", 600.0)


@pytest.fixture
def workspace(request, tmp_path):
    """A new workspace in single-user mode, wired into the pages."""
    template = "demo_template" if "labelled_demo" in request.fixturenames else "sqlite_template"
    shutil.copy(request.getfixturevalue(template), tmp_path / "test.db")
    made = Workspace(f"sqlite:///{tmp_path / 'test.db'}")
    context.wire(made, "open")
    yield made
    made.close()


@pytest.fixture
def worker(workspace, monkeypatch):
    """A background worker in a thread, for which pages wait as long as it takes instead of showing a progress bar."""
    made = Worker(workspace.database, poll=0.02)
    monkeypatch.setattr(import_task, "QUICK", 600.0)
    thread = threading.Thread(target=made.run, daemon=True)
    thread.start()
    yield made
    made.ending = True
    thread.join(60)


def give_labels(workspace: Workspace, campaign: int, person: int, number: int) -> list[int]:
    """Label as the known grades say, through the live loop; returns the rows in their order."""
    opened = workspace.open(campaign)
    opened.live.clock = _Clock(opened.live.clock())
    rows = []
    for _ in range(number):
        offer = opened.live.next(person)
        assert isinstance(offer, Offer)
        grade = int(opened.known_grades[offer.claim.row])
        opened.live.submit(person, offer.claim.token, offer.claim.row, Kind.GRADE, grade=grade)
        rows.append(offer.claim.row)
    return rows


class _Clock:
    """Two seconds go by at every look, so that no label is too quick."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        self.now += 2.0
        return self.now


@pytest.fixture
def labelled_demo(workspace):
    """The demo campaign with 30 labels of the single user; returns its number."""
    campaign = workspace.demo_made()
    workspace.open(campaign).live.refresh()
    return campaign
