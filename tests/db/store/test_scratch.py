"""Unfinished files go with their process, however that ends; those of living processes are left alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import sqlalchemy as sa
from filled import contents, fill
from thorough import THOROUGH

from db.backup.write import backup
from db.store.engine import Database
from db.store.migrate import bring_to, newest, revision
from db.store.scratch import OLD_SECONDS, scratch, sweep
from db.store.tables import settings
from db.workspace import Workspace

ROOT = Path(__file__).parents[3]

# Does a piece of work, and stands still where an unfinished file lies in the folder.
PROGRAM = """
import sys, time, db.store.sqlite_copy, db.backup.dump, db.backup.restore, db.backup.write
from db.store.engine import Database
url, work, folder = sys.argv[1:]

def wait(*_, **__):
    print("unfinished", flush=True)
    time.sleep(600)

database = Database(url)
if work == "migration":
    from db.store.migrate import migrate
    db.store.sqlite_copy.put_in_place = wait
    migrate(database)
elif work == "backup":
    db.backup.write.write_archive = wait
    db.backup.write.backup(database, folder + "/saved.zip")
elif work == "restore":
    db.backup.restore.prove_values = wait
    db.backup.restore.restore(folder + "/saved.zip", "sqlite:///" + folder + "/new.db")
elif work == "dump":
    db.backup.dump.put_in_place = wait
    db.backup.dump.dump_all(database, __import__("pathlib").Path(folder) / "dump.db")
"""


def unfinished(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name.startswith("."))


def prepare(work: str, folder: Path) -> str:
    url = f"sqlite:///{folder / 'labels.db'}"
    database = Database(url)
    bring_to(database, "0001" if work == "migration" else newest())
    if work == "restore":
        backup(database, folder / "saved.zip")
    database.close()
    return url


@pytest.mark.parametrize("work", ["migration", "backup", "restore", "dump"])
def test_what_a_killed_process_leaves_is_removed_at_the_next_start_and_not_before(tmp_path, work):
    url = prepare(work, tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, url, work, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "unfinished\n"
        (left,) = unfinished(tmp_path)
        assert any(path.stat().st_size for path in left.iterdir())
        # It lives: nobody takes its file away.
        assert sweep(tmp_path) == []
        assert unfinished(tmp_path) == [left]
        process.send_signal(signal.SIGKILL)
        process.wait(60)
        assert unfinished(tmp_path) == [left]
    finally:
        process.kill()
        process.wait(60)
        process.stdout.close()
    workspace = Workspace(url)
    with workspace.database.read() as connection:
        assert revision(connection) == newest()
    workspace.close()
    assert unfinished(tmp_path) == []
    assert not (tmp_path / "new.db").exists()


def test_kills_at_any_moment_of_a_backup_leave_nothing_or_a_whole_one(tmp_path):
    url = prepare("backup", tmp_path)
    database = Database(url)
    fill(database, events=3000)
    before = contents(database)
    database.close()
    program = (
        "import sys; from db.backup.write import backup; from db.store.engine import Database\n"
        "database = Database(sys.argv[1])\n"
        "print('ready', flush=True)\n"
        "for number in range(1000): backup(database, f'{sys.argv[2]}/saved{number}.zip')"
    )
    for round_ in range(4 if THOROUGH else 2):
        folder = tmp_path / f"round{round_}"
        folder.mkdir()
        process = subprocess.Popen(
            [sys.executable, "-c", program, url, str(folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout.readline() == "ready\n"
        while len(list(folder.glob("saved*"))) < round_ + 1:
            time.sleep(0.01)
        time.sleep(0.05 * round_)
        process.kill()
        process.wait(60)
        process.stdout.close()
        sweep(folder)
        assert [path.name for path in folder.iterdir() if not path.name.startswith("saved")] == []
        newest_made = max(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
        workspace = Workspace(url)
        with newest_made.open("rb") as file:
            workspace.restore_backup(file)
        workspace.close()
    restored = Database(f"sqlite:///{next(tmp_path.glob('*restored*.db'))}")
    assert contents(restored)["label_events"] == before["label_events"]
    restored.close()


def test_left_overs_of_version_0_1_0_are_removed_when_they_are_old(tmp_path):
    names = [".labels.schema-0001.db.0a1b2c3d.part", ".labels.schema-0001.db.0a1b2c3d.part-journal"]
    folders = [".rulerank-restore-abc", ".rulerank-dump-abc"]
    for name in names:
        (tmp_path / name).touch()
    for name in folders:
        (tmp_path / name).mkdir()
        (tmp_path / name / "dump.db").touch()
    others = [".labels.part", "labels.0a1b2c3d.part", ".rulerank", "labels.db"]
    for name in others:
        (tmp_path / name).touch()
    assert sweep(tmp_path) == []  # somebody may be writing them
    old = time.time() - OLD_SECONDS - 1
    for path in [*tmp_path.rglob("*")]:
        os.utime(path, (old, old))
    assert sorted(path.name for path in sweep(tmp_path)) == sorted(names + folders)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(others)


def test_a_folder_that_was_not_locked_yet_or_is_half_removed_is_a_left_over(tmp_path):
    """A kill may fall between any two steps: before the lock is taken, or while the folder is being removed."""
    (tmp_path / ".rulerank-work-new").mkdir()
    (tmp_path / ".rulerank-work-half").mkdir()
    (tmp_path / ".rulerank-work-half" / "copy.db").touch()
    assert len(sweep(tmp_path)) == 2
    assert list(tmp_path.iterdir()) == []


def test_a_link_to_elsewhere_is_not_followed(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "precious").touch()
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / ".rulerank-work-x").symlink_to(tmp_path / "elsewhere")
    assert sweep(tmp_path / "here") == []
    assert (tmp_path / "elsewhere" / "precious").exists()


def test_folders_made_and_swept_at_once_do_not_disturb_each_other(tmp_path):
    program = (
        "import sys; from pathlib import Path; from db.store.scratch import scratch\n"
        "for n in range(150):\n"
        "    with scratch(Path(sys.argv[1])) as folder:\n"
        "        (folder / 'file').write_text('x')\n"
        "        assert (folder / 'file').read_text() == 'x'\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], cwd=ROOT) for _ in range(3)]
    assert [process.wait(120) for process in running] == [0, 0, 0]
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_in_use_twice_is_two_folders(tmp_path):
    with scratch(tmp_path) as one, scratch(tmp_path) as other:
        assert one != other
        assert sweep(tmp_path) == []
    assert sweep(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_a_backup_leaves_the_database_as_it_is(database, tmp_path):
    with database.write() as connection:
        connection.execute(sa.insert(settings).values(name="a", value="b"))
    before = contents(database)
    backup(database, tmp_path / "out" / "saved.zip")
    assert contents(database) == before
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["saved.zip"]
