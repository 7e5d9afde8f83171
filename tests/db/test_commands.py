"""The commands for the server's own shell: a backup for cron, a restore, and the way back for an administrator."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import sqlalchemy as sa
from db_helpers import url_of
from filled import contents, fill, what_lasts
from typer.testing import CliRunner

from db.people.accounts import People
from db.store.engine import Database
from db.store.tables import label_events
from rulerank.cli.program import app
from rulerank.errors import RulerankError

ROOT = Path(__file__).parents[2]
_BACKUP_LINE = r'rulerank: time=\S+ event=backup by="the command line" database=\S+ file=\S+ bytes=\d+\n'
pytestmark = pytest.mark.usefixtures("quick_passwords")


@pytest.fixture
def call(monkeypatch):
    """`call(*arguments, database=...)`: what a command came to; the database is in the environment."""

    def run(*arguments: object, database: Database | None = None, given: str = ""):
        monkeypatch.setenv("RULERANK_DATABASE", "" if database is None else url_of(database))
        return CliRunner().invoke(app, [str(argument) for argument in arguments], input=given)

    return run


def refused(found) -> str:
    assert isinstance(found.exception, RulerankError), found.output
    assert found.stdout == ""
    return str(found.exception)


@pytest.mark.parametrize("into", ["sqlite", "postgresql"])
def test_a_backup_by_command_comes_back_by_command(database, into, new_url, tmp_path, call):
    fill(database)
    before = contents(database)
    file = tmp_path / "nightly.zip"
    found = call("backup", file, database=database)
    assert found.exit_code == 0, found.exception
    counts = (
        f"{len(before['campaigns'])} campaigns, {len(before['label_events'])} events, {len(before['people'])} people"
    )
    assert found.stdout == f"wrote {file}: {file.stat().st_size:,} bytes with {counts}\n"
    assert re.fullmatch(_BACKUP_LINE, found.stderr)
    url = new_url(into, empty=True)
    found = call("restore", file, "--database", url)
    assert found.exit_code == 0, found.exception
    assert found.stdout.startswith(f"restored {file} into the database ")
    restored = Database(url)
    assert what_lasts(contents(restored)) == what_lasts(before)
    restored.close()


def test_a_backup_into_a_folder_gets_a_name_and_leaves_nothing_else(sqlite_database, tmp_path, call):
    folder = tmp_path / "backups"
    folder.mkdir()
    found = call("backup", folder, database=sqlite_database)
    assert found.exit_code == 0, found.exception
    (made,) = folder.iterdir()
    assert re.fullmatch(r"rulerank-backup-\d{8}T\d{6}Z\.zip", made.name)
    assert found.stdout.startswith(f"wrote {made}: ")


def test_nothing_is_overwritten_or_made_where_nothing_is(sqlite_database, tmp_path, call):
    taken = tmp_path / "taken.zip"
    taken.write_text("mine")
    assert "exists already" in refused(call("backup", taken, database=sqlite_database))
    assert taken.read_text() == "mine"
    nowhere = tmp_path / "nowhere.db"
    assert "there is no database" in refused(call("backup", tmp_path / "a.zip", "--database", f"sqlite:///{nowhere}"))
    assert not nowhere.exists()
    foreign = tmp_path / "foreign.db"
    foreign.write_bytes(b"")
    assert "not one of rulerank's" in refused(call("backup", tmp_path / "a.zip", "--database", f"sqlite:///{foreign}"))
    assert not (tmp_path / "a.zip").exists()
    assert "into which database" in refused(call("restore", taken))
    backup = tmp_path / "good.zip"
    assert call("backup", backup, database=sqlite_database).exit_code == 0
    assert "exists already; nothing was changed" in refused(call("restore", backup, database=sqlite_database))
    found = call("restore", backup, "--overwrite", database=sqlite_database)
    assert found.exit_code == 0, found.exception
    assert "; what was there is " in found.stdout


def test_a_database_with_a_fault_is_backed_up_and_the_exit_code_says_so(sqlite_database, tmp_path, call):
    fill(sqlite_database)
    with sqlite_database.write() as connection:
        connection.exec_driver_sql("UPDATE people SET password_hash = 'nonsense' WHERE id = 1")
    file = tmp_path / "faulty.zip"
    words = refused(call("backup", file, database=sqlite_database))
    assert f"{file} was written, but" in words
    assert file.exists()


def test_cron_backs_up_beside_a_server_that_writes(sqlite_database, tmp_path):
    campaign = fill(sqlite_database)
    written, done = [len(contents(sqlite_database)["label_events"])], threading.Event()

    def label() -> None:
        while not done.is_set():
            with sqlite_database.write() as connection:
                event = {"campaign_id": campaign, "kind": "note", "row": 1, "created_at": 1.0}
                connection.execute(sa.insert(label_events).values(event))
            written[0] += 1

    labelling = threading.Thread(target=label)
    labelling.start()
    try:
        while written[0] < 350:
            time.sleep(0.01)
        before = written[0]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "RULERANK_DATABASE": url_of(sqlite_database)}
        command = [sys.executable, "-m", "rulerank", "backup", "now.zip"]
        made = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    finally:
        done.set()
        labelling.join()
    assert made.stdout.count("\n") == 1, made.stderr
    events = int(re.search(r"([\d,]+) events", made.stdout)[1].replace(",", ""))
    assert before <= events <= written[0]
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".zip"] == ["now.zip"]
    assert made.returncode == 0


def test_a_new_password_from_the_shell_ends_sessions_and_is_logged(database, call, monkeypatch, tmp_path):
    log = tmp_path / "server.log"
    monkeypatch.setenv("RULERANK_LOG", str(log))
    people = People(database)
    ada = people.add("Ada L", "admin", "forgotten password")
    cookie = people.sign(ada, "127.0.0.1")
    other = people.sign(people.add("bob", "annotator", "bob's password"))
    found = call("admin", "reset-password", "ada l", "--stdin", database=database, given="a better password\n")
    assert found.exit_code == 0, found.exception
    assert found.stdout == "Ada L (admin) has a new password; sessions that were ended: 1\n"
    assert people.read(cookie) is None
    assert people.read(other) is not None
    assert people.check("Ada L", "a better password") is not None
    assert people.check("Ada L", "forgotten password") is None
    line = log.read_text()
    assert found.stderr == f"rulerank: {line}"
    assert ' event=password-reset by="the command line" person="Ada L" sessions_ended=1 database=' in line
    assert "better" not in line
    assert log.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("adda", "a better password\n", "nobody is named 'adda'; did you mean 'ada'? people: ada, gone"),
        ("xyz", "a better password\n", "nobody is named 'xyz'; people: ada, gone"),
        ("gone", "a better password\n", "gone was deactivated"),
        ("ada", "short\n", "at least 8"),
        ("ada", "", "at least 8"),
        ("you", "a better password\n", "nobody is named 'you'"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(sqlite_database, call, name, given, words):
    people = People(sqlite_database)
    people.ensure_single_user()
    ada = people.add("ada", "admin", "the old password")
    people.deactivate(people.add("gone", "annotator", "the old password").id)
    cookie = people.sign(ada)
    found = call("admin", "reset-password", name, "--stdin", database=sqlite_database, given=given)
    assert words in refused(found)
    assert people.read(cookie) is not None
    assert people.check("ada", "the old password") is not None


def test_without_a_terminal_or_stdin_nothing_is_asked(sqlite_database, call):
    People(sqlite_database).add("ada", "admin", "the old password")
    assert "--stdin" in refused(call("admin", "reset-password", "ada", database=sqlite_database))


def test_the_password_is_asked_for_twice_without_echo(sqlite_database):
    People(sqlite_database).add("ada", "admin", "the old password")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "RULERANK_DATABASE": url_of(sqlite_database)}
    command = [sys.executable, "-m", "rulerank", "admin", "reset-password", "ada"]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
    )
    os.close(theirs)
    said = b""
    for mark in (b"password for ada: ", b"confirmation: "):
        while mark not in said:
            said += os.read(ours, 1000)
        time.sleep(0.3)  # echo goes off after the question is written
        os.write(ours, b"a better password\n")
        said = said.partition(mark)[2] if mark.startswith(b"password") else said
    try:
        while part := os.read(ours, 1000):
            said += part
    except OSError:  # the other end is closed
        pass
    assert process.wait(timeout=60) == 0, said
    assert b"has a new password" in said
    assert b"better" not in said
    assert People(sqlite_database).check("ada", "a better password") is not None


def test_where_only_the_library_is_the_commands_say_so(call, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "db.commands", None)
    assert "needs the app" in refused(call("backup", tmp_path / "a.zip"))
