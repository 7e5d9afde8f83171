"""Uploads: kept for their owner alone until they are read; read and stored by the worker, whatever happens to it."""

from __future__ import annotations

import io
import os
import signal
import stat
import time
from dataclasses import replace

import numpy as np
import pytest
import sqlalchemy as sa
from thorough import SQLITE_FIRST

from db.campaigns import Campaigns
from db.collections import Collections
from db.jobs import read_files as file_jobs
from db.jobs import uploads as module
from db.jobs.handlers import HANDLERS
from db.jobs.queue import Job, Jobs, JobStoppedError
from db.jobs.supervisor import Supervisor
from db.jobs.uploads import Uploads
from db.jobs.worker import Worker
from db.store.tables import campaigns, collections
from rulerank.campaign import Settings
from rulerank.errors import InputError, RulerankError
from rulerank.importing.files import Files, Upload
from rulerank.importing.kept import ImportPreview, RowFacts, keep, load
from rulerank.importing.read import BadFilesError, Imported, read_files
from rulerank.importing.rows import Division
from rulerank.importing.texts import Bundle, Wish
from rulerank.letor import read_letor
from rulerank.prepare import Columns, Options, TextReading
from rulerank.text import Analyser, DocumentText, QueryText, Texts
from tests.db.jobs.test_jobs import until

LETOR = b"".join(
    b"%d qid:%d 1:%.3f 2:%.3f # docid = D%d\n" % (row % 3, row // 5, row / 40, (row * 7 % 11) / 11, row)
    for row in range(40)
)


@pytest.fixture
def spool(database, tmp_path) -> Uploads:
    return Uploads(database, tmp_path / "spool")


@pytest.fixture(autouse=True)
def _one_folder(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv(module.VARIABLE, str(tmp_path / "spool"))


def do(database: object, kind: str, arguments: dict[str, object]) -> Job:
    jobs = Jobs(database)
    number = jobs.ask(kind, arguments)
    assert Worker(database, kinds=[kind]).run_once()
    job = jobs.get(number)
    assert job is not None
    return job


def put(spool: Uploads, data: bytes = LETOR, name: str = "pool.txt") -> dict[str, object]:
    """The arguments of a job that reads one upload."""
    token = spool.begin()
    files = Files((spool.put(token, name, io.BytesIO(data)),))
    return {"token": token, "files": files.to_dict(), "called": name}


# The folder -------------------------------------------------------------------------------------------------------


def test_only_the_owner_can_look_into_it(spool):
    token = spool.begin()
    kept = spool.put(token, "../../secret.txt", io.BytesIO(b"hello"))
    assert kept.path.parent == spool.folder / token
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (spool.folder, spool.folder / token, kept.path)]
    assert modes == [0o700, 0o700, 0o600]
    with kept.open() as stream:
        assert (stream.name, stream.read()) == ("../../secret.txt", b"hello")
    os.chmod(spool.folder, 0o755)
    spool.begin()
    assert stat.S_IMODE(spool.folder.stat().st_mode) == 0o700


def test_a_folder_of_somebody_else_is_refused(spool, tmp_path, monkeypatch):
    monkeypatch.setattr("os.getuid", lambda: spool.folder.parent.stat().st_uid + 1)
    with pytest.raises(InputError, match="belongs to somebody else"):
        spool.begin()


@pytest.mark.parametrize("token", ["", "..", "../x", "A" * 32, "0" * 31])
def test_a_token_is_no_path(spool, token):
    with pytest.raises(InputError, match="no token"):
        spool.path(token)


def test_trouble_with_the_folder_is_told(spool, monkeypatch):
    token = spool.begin()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copyfileobj", full)
    with pytest.raises(RulerankError, match=r"cannot keep a\.txt: No space left on device"):
        spool.put(token, "a.txt", io.BytesIO(b"x"))


def test_what_nobody_came_back_for_is_swept(spool, database):
    jobs = Jobs(database)
    old, needed, waited_for, young = (spool.begin() for _ in range(4))
    yesterday = time.time() - module.KEEP_SECONDS - 60
    for token in (old, needed, waited_for):
        os.utime(spool.folder / token, (yesterday, yesterday))
    asked = [jobs.ask("read", {"token": waited_for}), jobs.ask("import", {"token": needed})]
    (spool.folder / "not ours").mkdir()
    spool.sweep()
    before = {needed, waited_for, young, "not ours"}
    assert {path.name for path in spool.folder.iterdir()} == before
    done = do(database, "look", {"bundle": Bundle(path="/nowhere").to_dict()})
    spool.sweep(at_start=True)
    # With a file, all pages are gone when the server starts; what somebody has asked to store is still stored.
    assert {path.name for path in spool.folder.iterdir()} == ({needed, "not ours"} if database.is_sqlite else before)
    there = [jobs.get(number) is not None for number in (*asked, done.id)]
    assert there == ([False, True, False] if database.is_sqlite else [True, True, True])


def test_by_default_it_is_beside_the_file_or_below_the_temporary_folder(database, monkeypatch):
    monkeypatch.delenv(module.VARIABLE)
    place = module.folder_for(database)
    if database.is_sqlite:
        assert place == database.path.with_name(f"{database.path.name}-uploads")
    else:
        assert place.name.startswith(f"rulerank-uploads-{os.getuid()}-")


# TextReading and storing ----------------------------------------------------------------------------------------------


def test_a_file_is_read_shown_and_stored(spool, database):
    told = put(spool)
    job = do(database, "read", told)
    assert job.state == "done", job.message
    preview = ImportPreview.from_dict(job.result["preview"])
    direct = read_files(Files((Upload("pool.txt", LETOR),)), lambda done, total: None)
    assert preview == ImportPreview.of(direct)
    assert (preview.summary["rows"], preview.summary["grade_counts"], preview.rows[0][:3]) == (
        40,
        [14, 13, 13],
        ["0", "0", "D0"],
    )
    settings = Settings(overlap=2)
    wanted = {
        "token": told["token"],
        "called": "pool.txt",
        "name": "Mine",
        "settings": settings.to_dict(),
        "division": Division("share", 0.25, 3).to_dict(),
        "use": "labels",
        "person": None,
    }
    stored = do(database, "import", wanted)
    assert stored.state == "done", stored.message
    opened = Campaigns(database, Collections(database)).open(stored.result)
    assert opened.collection == direct.collection
    rows = Division("share", 0.25, 3).rows(direct.collection, direct.second)
    assert opened.pool_rows.tolist() == rows.pool.tolist()
    assert opened.evaluation_rows.tolist() == rows.evaluation.tolist()
    opened.live.refresh()
    assert len(opened.live.fold.current()) == len(rows.pool)
    assert opened.settings == settings
    assert not (spool.folder / told["token"]).exists()


def test_an_import_that_is_begun_again_after_a_kill_is_done_once(spool, database, monkeypatch):
    told = put(spool)
    do(database, "read", told)
    wanted = {
        "token": told["token"], "called": "a", "name": "Once", "settings": Settings().to_dict(),
        "division": Division("none").to_dict(), "use": None, "person": None,
    }  # fmt: skip
    jobs = Jobs(database)
    number = jobs.ask("import", wanted)
    job = jobs.take("first")
    campaign = file_jobs.store(database, {**job.arguments, "job": number}, lambda *_: None)  # and then it was killed
    jobs.release("first")
    assert Worker(database).run_once()
    assert (jobs.get(number).state, jobs.get(number).result) == ("done", campaign)
    with database.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(campaigns)) == 1


def test_an_import_that_was_stopped_stores_nothing(spool, database):
    told = put(spool)
    do(database, "read", told)
    jobs = Jobs(database)
    number = jobs.ask("import", {})
    job = jobs.take("me")
    jobs.stop(number)
    wanted = {
        "token": told["token"], "called": "a", "name": "Never", "settings": Settings().to_dict(), "job": job.id,
        "division": Division("none").to_dict(), "use": None, "person": None,
    }  # fmt: skip
    with pytest.raises(JobStoppedError):
        file_jobs.store(database, wanted, lambda *_: None)
    with database.read() as connection:
        for table in (campaigns, collections):
            assert connection.scalar(sa.select(sa.func.count()).select_from(table)) == 0


def test_problems_come_back_line_by_line(spool, database):
    job = do(database, "read", put(spool, LETOR + b"hello\n1 qid: 1:2\n"))
    error = BadFilesError.from_dict(job.result["bad"])
    assert [(problem.file, problem.line) for problem in error.problems] == [("pool.txt", 41), ("pool.txt", 42)]
    assert "1 file has problems" in str(error)


def test_a_reading_that_is_stopped_leaves_nothing(spool, sqlite_database):
    told = put(spool)

    def stop(*_: object) -> None:
        raise JobStoppedError("stop")

    with pytest.raises(JobStoppedError):
        file_jobs.read(sqlite_database, {**told, "job": 1}, stop)
    assert list(spool.folder.iterdir()) == []


@pytest.mark.parametrize("backend", SQLITE_FIRST)
def test_a_worker_killed_in_the_middle_of_reading_is_replaced_and_reads_again(spool, database, tmp_path, monkeypatch):
    """A pipe that nobody writes to keeps the first worker in the middle for as long as the test needs."""
    monkeypatch.setenv("RULERANK_WORKER_NICE", "0")
    place = tmp_path / "pool.txt"
    os.mkfifo(place)
    jobs = Jobs(database)
    files = Files((Upload("pool.txt", path=place),))
    number = jobs.ask("read", {"token": spool.begin(), "files": files.to_dict(), "called": "pool"})
    keeper = Supervisor(jobs, workers=[("--short",)]).start()
    try:
        until(lambda: jobs.get(number).state == "running", 60)
        os.kill(keeper.processes()[0], signal.SIGKILL)
        until(lambda: jobs.get(number).state == "waiting", 60)
        place.unlink()
        place.write_bytes(LETOR)
        until(lambda: jobs.get(number).over, 60)
    finally:
        keeper.stop()
    assert (jobs.get(number).state, jobs.get(number).tries) == ("done", 2)
    assert jobs.get(number).result["preview"]["summary"]["rows"] == 40


# What passes between page and worker ------------------------------------------------------------------------------


def test_what_was_read_is_kept_bit_for_bit(tmp_path):
    collection = read_letor(io.BytesIO(LETOR.replace(b" 2:0.000", b"") + b"1 qid:9 2:0.1\n"))
    texts = Texts(
        {"1": QueryText("what", "why", ("a", "b")), "2": QueryText("who")},
        {"D1": DocumentText("T", "B\n\u2028line", "en"), "D2": DocumentText("", "x")},
    )
    second = np.arange(len(collection)) % 2 == 0
    made = Imported(collection, second, texts, (), analyser=Analyser(("en",), stemming=False))
    keep(made, tmp_path / "kept")
    keep(made, tmp_path / "kept")
    found = load(tmp_path / "kept")
    assert (found.collection, found.texts, found.analyser) == (collection, texts, made.analyser)
    assert np.array_equal(found.second, second)
    facts = RowFacts.load(tmp_path / "kept" / "rows.npz")
    assert np.array_equal(facts.grades, collection.grades)
    with pytest.raises(InputError, match="choose the files again"):
        load(tmp_path / "elsewhere")


def test_a_wish_survives_json(database):
    wish = Wish(
        (("documents", ("a.csv",)), ("queries", ("b.csv",))),
        TextReading(kind="table", document_columns=Columns("id", title=("t",), body=("x", "y")), encoding="cp1252"),
        replace(Options(), candidates=7, languages=("en", "de"), stemming=False),
    )
    number = Jobs(database).ask("work", wish.to_dict())
    assert Wish.from_dict(Jobs(database).get(number).arguments) == wish
    assert Wish.from_dict(Wish().to_dict()) == Wish()


def test_a_worker_that_read_much_ends_so_that_its_memory_comes_back(spool, database, monkeypatch):
    told = put(spool)
    monkeypatch.setattr("db.jobs.process.GROWN_BYTES", 0)
    jobs = Jobs(database)
    numbers = [jobs.ask("read", told), jobs.ask("read", told)]
    Worker(database, renew=True).run()
    assert [jobs.get(number).state for number in numbers] == ["done", "waiting"]
    monkeypatch.setattr("db.jobs.process.GROWN_BYTES", 1 << 60)
    last = Worker(database, renew=True)
    monkeypatch.setattr(time, "sleep", lambda _: setattr(last, "ending", True))
    last.run()
    assert jobs.get(numbers[1]).state == "done"


def test_of_every_kind_that_a_page_asks_for_the_worker_knows_how(spool):
    assert set(module.KINDS) <= set(HANDLERS)
