"""Work for the worker that a page waits for: followed, cancelled, and nothing of it left; whether a worker is there."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from db.jobs.worker import Worker
from pages.shared import task as import_task
from pages.shared.task import JobTask
from rulerank.errors import InputError
from tests.pages.test_new_campaign import letor, name_path, press, run_page
from tests.pages.test_progress import Trouble


def ask(workspace, handler, **more) -> JobTask[int]:
    task = JobTask("work", {"n": 3}, "Working", finish=int, **more)
    Worker(workspace.database, handlers={"work": handler}).run_once()
    task.wait(5)
    return task


class TestJobTask:
    def test_it_gives_the_result_that_the_worker_found(self, workspace):
        task = ask(workspace, lambda database, arguments, progress: arguments["n"] + 1)
        assert (task.result, task.error, task.running, task.cancelled) == (4, None, False, False)

    def test_an_error_is_told_in_the_worker_s_words(self, workspace):
        def refuse(*_):
            raise InputError("line 3 has no qid")

        task = ask(workspace, refuse)
        assert (task.result, str(task.error), task.cancelled) == (None, "line 3 has no qid", False)

    def test_what_finish_refuses_is_the_task_s_error(self, workspace):
        def finish(result):
            raise InputError("not this")

        task = JobTask("work", {}, "Working", finish=finish)
        Worker(workspace.database, handlers={"work": lambda *_: 1}).run_once()
        assert task.wait(5)
        assert str(task.error) == "not this"

    @pytest.mark.parametrize("over", [True, False])
    def test_closing_leaves_nothing(self, workspace, over):
        token = workspace.uploads.begin()
        task = JobTask("work", {}, "Working", finish=int, token=token)
        if over:
            Worker(workspace.database, handlers={"work": lambda *_: 1}).run_once()
            assert task.wait(5)
        task.close()
        task.close()
        assert workspace.jobs.list() == ()
        assert list(workspace.uploads.folder.iterdir()) == []
        assert task.result == (1 if over else None)

    def test_closing_one_under_way_ends_it_and_leaves_its_files_to_the_worker(self, workspace):
        task = JobTask("work", {}, "Working", finish=int, token=workspace.uploads.begin())
        job = workspace.jobs.take("somebody")
        task.close()
        assert not workspace.jobs.wanted(job)
        assert len(list(workspace.uploads.folder.iterdir())) == 1

    def test_a_job_that_is_gone_is_told(self, workspace):
        task = JobTask("work", {}, "Working", finish=int)
        workspace.jobs.stop(workspace.jobs.list()[0].id)
        workspace.jobs.forget(workspace.jobs.list()[0].id)
        assert task.wait(5)
        assert "begin again" in str(task.error)


@pytest.fixture
def waiting_page(workspace, tmp_path, monkeypatch) -> AppTest:
    """New campaign with a file that no worker reads."""
    monkeypatch.setattr(import_task, "QUICK", 0.1)
    (tmp_path / "news.txt").write_bytes(letor(4, 5))
    return name_path(run_page(), str(tmp_path / "news.txt"))


class TestNewCampaignWithoutAWorker:
    def test_cancelling_leaves_nothing(self, workspace, waiting_page):
        assert [job.kind for job in workspace.jobs.list()] == ["read"]
        press(waiting_page, "Cancel")
        waiting_page.run()
        assert "Nothing was kept" in waiting_page.info[0].value
        assert workspace.jobs.list() == ()
        assert list(workspace.uploads.folder.iterdir()) == []
        press(waiting_page, "Read again")
        assert [job.state for job in workspace.jobs.list()] == ["waiting"]

    def test_another_choice_ends_the_first(self, workspace, waiting_page, tmp_path):
        (tmp_path / "other.txt").write_bytes(letor(3, 5))
        waiting_page.text_input(key="import-path").set_value(str(tmp_path / "other.txt")).run()
        (job,) = workspace.jobs.list()
        assert job.arguments["called"] == "other"
        assert [path.name for path in workspace.uploads.folder.iterdir()] == [job.arguments["token"]]

    def test_what_is_wrong_with_the_worker_is_told(self, workspace, waiting_page):
        workspace.supervisor = Trouble("The background worker has ended 3 times and is started again in 4 s.")
        waiting_page.run()
        assert "has ended 3 times" in waiting_page.warning[0].value

    def test_after_the_campaign_is_stored_nothing_is_left_of_the_upload(self, workspace, waiting_page, worker):
        waiting_page.run()
        press(waiting_page, "Create the campaign")
        press(waiting_page, "Make another campaign")
        assert len(workspace.campaigns.all()) == 1
        assert list(workspace.uploads.folder.iterdir()) == []
        assert workspace.jobs.list() == ()
