"""Files of rulerank are readable by their owner only, whatever the umask; what is open to others is reported."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa
from filled import plain_backup

from db.backup.restore import restore
from db.backup.write import backup
from db.store.engine import Database
from db.store.files import create_private, open_to_others, private_files
from db.store.migrate import bring_to, migrate
from db.store.scratch import scratch
from db.store.tables import settings
from db.workspace import Workspace
from rulerank.errors import StoreError

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
def test_the_database_and_all_that_is_made_of_it_are_its_owners_alone(tmp_path, mask):
    with umask(mask):
        database = Database(f"sqlite:///{tmp_path / 'labels.db'}")
        bring_to(database, "0001")
        migrate(database)  # leaves a copy of what it was
        with database.write() as connection:
            connection.execute(sa.insert(settings).values(name="a", value="b"))
        saved = backup(database, tmp_path / "saved.zip")
        plain_backup(database, tmp_path / "plain.db")
        restore(saved, f"sqlite:///{tmp_path / 'restored.db'}")
        restore(saved, f"sqlite:///{tmp_path / 'restored.db'}", overwrite=True)
        again = Database(f"sqlite:///{tmp_path / 'restored.db'}")
        with again.write() as connection:
            connection.execute(sa.insert(settings).values(name="c", value="d"))
        found = modes(tmp_path)
        again.close()
        database.close()
    assert {"labels.db", "labels.db-wal", "labels.db-shm", "restored.db", "restored.db-wal", "saved.zip"} <= set(found)
    assert any("schema-0001" in name for name in found)
    assert any("replaced" in name for name in found)
    assert set(found.values()) == {0o600}


@pytest.mark.parametrize("mask", [0o000, 0o777])
def test_scratch_folders_are_their_owners_alone(tmp_path, mask):
    with umask(mask), scratch(tmp_path / "new") as folder:
        (folder / "file").write_text("")
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        if mask == 0:
            assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


def test_a_file_that_vanished_does_not_come_back_empty(tmp_path):
    """The first connection makes the file; later ones must not hide that it is gone."""
    database = Database(f"sqlite:///{tmp_path / 'labels.db'}")
    migrate(database)
    database.close()
    (tmp_path / "labels.db").unlink()
    with pytest.raises(StoreError, match="not where it was"), database.read():
        pass
    database.close()
    assert not (tmp_path / "labels.db").exists()


def test_files_that_are_open_to_others_are_named_with_the_command_that_closes_them(tmp_path):
    names = ["my labels.db", "my labels.db-wal", "my labels.schema-0001.x.db", "rulerank-backup-x.zip", "secrets.toml"]
    for name in names:
        create_private(tmp_path / name)
    files = private_files(tmp_path / names[0], [tmp_path / "secrets.toml", tmp_path / "missing.toml"])
    assert open_to_others(files) == []
    for name, mode in zip(names, (0o644, 0o640, 0o602, 0o604, 0o660), strict=True):
        (tmp_path / name).chmod(mode)
    told = open_to_others(files)
    assert len(told) == 5
    for words in told:
        subprocess.run(re.search("chmod .*$", words)[0], shell=True, check=True)
    assert open_to_others(files) == []


def test_the_app_reports_open_files_at_its_start_and_changes_nothing(tmp_path):
    workspace = Workspace(f"sqlite:///{tmp_path / 'labels.db'}")
    workspace.close()
    (tmp_path / "labels.db").chmod(0o644)
    (tmp_path / ".streamlit").mkdir()
    secrets = tmp_path / ".streamlit" / "secrets.toml"
    secrets.write_text("")
    secrets.chmod(0o604)
    started = subprocess.run(
        [sys.executable, "-c", "import app"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "RULERANK_DATABASE": "sqlite:///labels.db"}
        | {"STREAMLIT_SERVER_ADDRESS": "localhost"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "rulerank: labels.db can be read or changed by other users (mode 0644)" in started.stderr
    assert "To fix it: chmod 600 labels.db" in started.stderr
    assert f"chmod 600 {secrets}" in started.stderr
    assert stat.S_IMODE((tmp_path / "labels.db").stat().st_mode) == 0o644
