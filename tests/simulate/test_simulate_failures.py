"""One failing task never loses the others: what a strategy raises is kept, and a process that dies is replaced."""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from pathlib import Path

import pandas as pd
import pytest
from simulate_helpers import small_data, small_plan
from thorough import THOROUGH, thorough_only
from typer.testing import CliRunner

from rulerank.cli.program import app
from rulerank.errors import RulerankError
from rulerank.letor import write_letor
from rulerank.registry import samplers
from rulerank.simulate import Results, SimulationStoppedError, learners, merge, pack, run
from rulerank.simulate.executor import Executor
from rulerank.simulate.store import ENDING, TASKS, Failure
from rulerank.simulate.tasks import tasks_of
from rulerank.synthetic import planted_collection

QUERIES = 10


@pytest.fixture
def fragile(tmp_path, monkeypatch):
    """`fragile(learner="abort", sampler="raise")`: what the two are to do; nothing mends them. Returns the tries."""
    place = tmp_path / "plugin"
    place.mkdir()
    (place / "sitecustomize.py").write_text("import fragile\n")  # which Python imports in every process
    told = tmp_path / "told.txt"
    monkeypatch.setenv("FRAGILE", str(told))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(place), str(Path(__file__).parent), *sys.path]))
    names = learners.names(), samplers.names()
    monkeypatch.delitem(sys.modules, "fragile", raising=False)
    importlib.import_module("fragile")

    def tell(**words: str):
        tries = told.with_suffix(".tries")
        tries.unlink(missing_ok=True)
        told.write_text("".join(f"{who} {word}\n" for who, word in words.items()))
        return lambda: tries.read_text().split() if tries.exists() else []

    yield tell
    for registry, before in zip((learners, samplers), names, strict=True):
        for name in set(registry.names()) - set(before):
            del registry._entries[name]


def plan(**settings):
    return small_plan(**{"rankers": ("lrar", "fragile"), **settings})


def values(results):
    return results.table().drop(columns=["select_seconds", "train_seconds"])


def failed_files(folder):
    return sorted(path.name for path in (folder / TASKS).glob(f"*{ENDING}"))


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_learner_raises_is_that_tasks_failure_alone(tmp_path, fragile, jobs):
    data, folder = small_data(QUERIES), tmp_path / "results"
    fragile(learner="raise")
    results = run(plan(), data, folder, jobs=jobs)
    assert len(results.finished) == len(tasks_of(plan(), data)) - 1
    assert not results.complete
    (failure,) = results.failures
    assert failure.task.is_ceiling
    assert failure.task.fold == 1
    assert failure.message == "fragile on fold 1: KeyError: 'best_split_info.left_count > 0'"
    assert "in misbehave" in failure.trace
    assert results.samplers_done() == ["ssar", "random"]
    assert results.ceiling("fragile") is None  # of one fold it is not known
    assert results.ceiling("lrar") is not None
    assert len(results.summary("random")) == 4


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_rerun_tries_only_what_failed_and_then_nothing_is_missing(tmp_path, fragile, jobs):
    data, folder = small_data(QUERIES), tmp_path / "results"
    tries = fragile(learner="raise", sampler="raise")
    wanted = plan(samplers=("ssar", "fragile"))
    first = run(wanted, data, folder, jobs=jobs)
    assert len(first.failures) == 1 + 3  # a ceiling, and seed 1 of the sampler on three folds
    assert sorted(tries()) == ["learner", "sampler", "sampler", "sampler"]
    assert first.seeds_done("fragile") == [0, 2]
    before = {path.name: path.stat().st_mtime_ns for path in (folder / TASKS).glob("*.npz")}
    fragile()
    told = []
    again = run(wanted, data, folder, jobs=jobs, progress=lambda done, total, word: told.append((done, total)))
    assert told[0][0] == told[0][1] - 4
    assert again.complete
    assert again.failures == ()
    assert failed_files(folder) == []
    after = {path.name: path.stat().st_mtime_ns for path in (folder / TASKS).glob("*.npz")}
    assert {name: after[name] for name in before} == before
    pd.testing.assert_frame_equal(values(again), values(run(wanted, data, tmp_path / "new")), check_exact=True)


ENDS = [(jobs, *end) for jobs in (None, 2, 3) for end in (("abort", "SIGABRT"), ("kill", "SIGKILL"))]


@pytest.mark.parametrize(("jobs", "word", "name"), ENDS if THOROUGH else ENDS[::3])
def test_a_learner_that_ends_its_process_is_tried_once_more_and_then_failed(tmp_path, fragile, jobs, word, name):
    data, folder = small_data(QUERIES), tmp_path / "results"
    tries = fragile(learner=word)
    results = run(plan(), data, folder, jobs=jobs)
    assert tries() == ["learner", "learner"]
    (failure,) = results.failures
    assert f"its process ended in the middle of it, 2 times ({name})" in failure.message
    assert ("memory" in failure.message) == (word == "kill")
    assert len(results.finished) == len(tasks_of(plan(), data)) - 1


@thorough_only
def test_the_last_missing_task_does_not_end_this_process_either(tmp_path, fragile):
    """With one task left several jobs are one; it still must not be done in the process that asked."""
    data, folder = small_data(QUERIES), tmp_path / "results"
    fragile(learner="abort")
    run(plan(), data, folder, jobs=2)
    tries = fragile(learner="abort")
    (failure,) = run(plan(), data, folder, jobs=2).failures
    assert "SIGABRT" in failure.message
    assert tries() == ["learner", "learner"]


def test_a_process_that_dies_once_costs_nothing(tmp_path, fragile):
    data = small_data(QUERIES)
    tries = fragile(learner="abort-once")
    results = run(plan(), data, tmp_path / "cut", jobs=2)
    assert tries() == ["learner", "learner"]
    assert results.complete
    fragile()
    pd.testing.assert_frame_equal(values(results), values(run(plan(), data, tmp_path / "whole")), check_exact=True)


@thorough_only
def test_processes_killed_from_outside_are_replaced(tmp_path, monkeypatch):
    executors, killed, kills = [], [], 4 if THOROUGH else 2
    real = Executor.__enter__
    monkeypatch.setattr(Executor, "__enter__", lambda self: executors.append(self) or real(self))

    def progress(done, total, message):
        if done >= 3 * len(killed) + 2 and len(killed) < kills:
            victim = executors[0]._processes[len(killed) % 2]
            killed.append(victim.pid)
            os.kill(victim.pid, signal.SIGKILL)

    wanted, data = small_plan(seeds=2 * kills), small_data()
    results = run(wanted, data, tmp_path / "cut", jobs=2, progress=progress)
    assert len(set(killed)) == kills
    assert results.complete
    assert all(process.poll() is not None for process in executors[0]._processes)
    pd.testing.assert_frame_equal(values(results), values(run(wanted, data, tmp_path / "whole")), check_exact=True)


def test_where_no_process_can_be_started_the_run_ends_with_its_last_words(tmp_path, monkeypatch):
    place = tmp_path / "plugin"
    place.mkdir()
    (place / "sitecustomize.py").write_text("import os, sys\nsys.stderr.write('no room here\\n')\nos._exit(3)\n")
    monkeypatch.setenv("PYTHONPATH", str(place))
    with pytest.raises(RulerankError, match=r"as soon as they begin \(exit code 3: no room here\).*goes on from there"):
        run(small_plan(), small_data(), tmp_path / "results", jobs=2)


def test_a_run_that_is_stopped_is_no_failure_of_the_task_it_was_at(tmp_path, monkeypatch):
    monkeypatch.setattr("rulerank.simulate.runner.TICK_SECONDS", 0.0)
    asked = []

    def cancelled():
        asked.append(1)
        return len(asked) > 12

    with pytest.raises(SimulationStoppedError):
        run(small_plan(), small_data(), tmp_path, cancelled=cancelled)
    assert failed_files(tmp_path) == []


def test_what_failed_is_packed_too_and_read_back(tmp_path, fragile):
    folder = tmp_path / "results"
    fragile(learner="raise")
    run(plan(), small_data(QUERIES), folder)
    again = Results.unpack(pack(folder))
    assert [each.message for each in again.failures] == [each.message for each in Results.load(folder).failures]
    (path,) = (folder / TASKS).glob(f"*{ENDING}")
    assert Failure.read(path) == again.failures[0]
    path.write_text("{")
    with pytest.raises(RulerankError, match="remove it and run again"):
        Results.load(folder)


def test_tables_of_nothing_are_not_written(tmp_path, fragile, monkeypatch):
    monkeypatch.setattr("rulerank.simulate.runner.rehearse", lambda plan, features: None)
    folder = tmp_path / "results"
    data = small_data(QUERIES)
    fragile(learner="raise", sampler="raise")
    results = run(plan(samplers=("fragile:seed=1",), rankers=("fragile",)), data, folder)
    assert len(results.failures) == 4
    assert results.samplers_done() == []
    for path in (folder / TASKS).glob("*.npz"):
        path.unlink()
    assert merge(folder) == []


def test_the_command_lists_what_failed_keeps_the_rest_and_ends_with_1(tmp_path, monkeypatch, fragile):
    monkeypatch.chdir(tmp_path)
    write_letor(planted_collection(QUERIES, 14, 6, seed=5), "train.txt")
    command = ["simulate", "train.txt", "--folds", "3", "--samplers", "ssar,fragile", "--rankers", "lrar,fragile"]
    command += ["--seeds", "2", "--budget", "20", "--every", "8", "--method", "equal_width", "--jobs", "2"]
    fragile(learner="abort", sampler="raise")
    found = CliRunner().invoke(app, command)
    assert found.exit_code == 1
    assert "4 of 15 runs failed" in found.output
    assert "fragile on fold 1: its process ended" in found.output
    assert "fragile on fold 2, seed 1: KeyError" in found.output
    assert "tries only these again" in found.output
    assert Path("simulation/results.csv").is_file()
    assert len(json.loads(Path("simulation/results.csv.json").read_text())["failed"]) == 4
    told = CliRunner().invoke(app, [*command, "--json"])
    assert told.exit_code == 1
    assert len(json.loads(told.stdout)["failed"]) == 4
    fragile()
    mended = CliRunner().invoke(app, [*command, "--json"])
    assert mended.exit_code == 0
    assert json.loads(mended.stdout)["failed"] == []
    assert json.loads(mended.stdout)["complete"]


def test_a_baseline_whose_runs_failed_is_left_out(tmp_path, monkeypatch, fragile):
    monkeypatch.setattr("rulerank.simulate.runner.rehearse", lambda plan, features: None)
    monkeypatch.chdir(tmp_path)
    write_letor(planted_collection(QUERIES, 14, 6, seed=5), "train.txt")
    fragile(sampler="raise")
    command = ["simulate", "train.txt", "--folds", "3", "--samplers", "ssar,fragile:seed=1", "--budget", "20"]
    command += ["--every", "8", "--method", "equal_width", "--baseline", "fragile:seed=1", "--jobs", "1"]
    found = CliRunner().invoke(app, command)
    assert found.exit_code == 1
    assert "3 of" in found.output
    assert "ssar" in found.output
