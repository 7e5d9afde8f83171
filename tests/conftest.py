"""Fixtures that many tests share: golden values and real data, where the reference folder is at hand."""

from __future__ import annotations

import csv
import json
import os
import tarfile
from functools import cache, partial
from pathlib import Path

import pytest
from thorough import load_profile

# Tables are cut to the width of the window, of which a test has none.
os.environ["COLUMNS"] = "200"

load_profile()

REFERENCE = Path(os.environ.get("RULERANK_REFERENCE", Path(__file__).parents[2] / "shared"))
REQUIRED = os.environ.get("RULERANK_REFERENCE_REQUIRED", "") == "1"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mix the files with tests in a browser, which mostly wait, evenly among the others, which mostly work.

    Several files are tested at a time; all those in a browser together would leave the processors idle. None of them
    comes last: they are long, and the others would be done long before it.
    """
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    slow = [path for path in files if path.parent.name == "e2e"]
    others = [path for path in files if path.parent.name != "e2e"]
    places = {path: 0.8 * (place + 0.5) / len(slow) for place, path in enumerate(slow)}
    places |= {path: (place + 0.5) / len(others) for place, path in enumerate(others)}
    items[:] = [item for path in sorted(places, key=places.__getitem__) for item in files[path]]


def reference(*parts: str) -> Path:
    path = REFERENCE.joinpath(*parts)
    if not path.exists():
        message = (
            f"needs {'/'.join(parts)} of the reference folder, which is not at {REFERENCE} (set RULERANK_REFERENCE)"
        )
        if REQUIRED:
            pytest.fail(message)
        pytest.skip(message)
    return path


@pytest.fixture(scope="session")
def golden():
    """`golden("name.json")` or `golden("name.csv")`: parsed golden values."""

    def load(name: str):
        path = reference("golden", name)
        if path.suffix == ".json":
            return json.loads(path.read_text())
        with path.open(newline="") as file:
            return list(csv.DictReader(file))

    return load


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory) -> Path:
    """A migrated database file that tests copy: quicker than migrating each time."""
    from db.store.engine import Database
    from db.store.migrate import migrate

    path = tmp_path_factory.mktemp("template") / "template.db"
    database = Database(f"sqlite:///{path}")
    migrate(database)
    database.close()
    assert not Path(f"{path}-wal").exists()
    return path


@pytest.fixture(scope="session")
def demo_built_once():
    """Gather the standard library's documentation once a test run, not once a test."""
    from db import workspace

    patch = pytest.MonkeyPatch()
    patch.setattr(workspace, "build_demo", cache(workspace.build_demo))
    yield
    patch.undo()


@pytest.fixture
def quick_passwords(monkeypatch) -> None:
    """Passwords are hashed with the least effort: a quarter of a second each, for which most tests have no use."""
    from argon2 import PasswordHasher

    hasher = partial(PasswordHasher, time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr("db.people.passwords.PasswordHasher", hasher)


@pytest.fixture(scope="session")
def letor_folder(tmp_path_factory):
    """`letor_folder("letor3-ohsumed")`: a folder with S1.txt ... S5.txt, unpacked once a test run."""
    unpacked: dict[str, Path] = {}

    def unpack(name: str) -> Path:
        archive = reference("data", f"{name}.tar.xz")
        if name not in unpacked:
            target = tmp_path_factory.mktemp("data")
            with tarfile.open(archive) as tar:
                tar.extractall(target, filter="data")
            unpacked[name] = target / name
        return unpacked[name]

    return unpack
