"""Running a plan: resumable, the same on one process and on several, and it ends when it is told to."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from simulate_helpers import small_data, small_plan

from rulerank.errors import InputError, RulerankError
from rulerank.simulate import Results, SimulationStoppedError, run
from rulerank.simulate.store import TASKS
from rulerank.simulate.tasks import tasks_of

ROOT = Path(__file__).parents[2]
TIMES = ["select_seconds", "train_seconds"]


def files(folder):
    return {path.name: path.stat().st_mtime_ns for path in (folder / TASKS).iterdir()}


def values(results):
    return results.table().drop(columns=TIMES)


def test_several_processes_of_one_thread_give_what_one_process_gives(tmp_path, monkeypatch):
    started = []
    real = subprocess.Popen

    def watch(command, **more):
        started.append(more["env"])
        return real(command, **more)

    monkeypatch.setattr("rulerank.simulate.executor.subprocess.Popen", watch)
    plan, data = small_plan(samplers=("ssar", "random", "query_random")), small_data()
    alone = run(plan, data, tmp_path / "one")
    together = run(plan, data, tmp_path / "two", jobs=2)
    assert alone.complete
    assert together.complete
    pd.testing.assert_frame_equal(values(alone), values(together), check_exact=True)
    pd.testing.assert_frame_equal(alone.per_query(), together.per_query(), check_exact=True)
    assert sorted(files(tmp_path / "one")) == sorted(files(tmp_path / "two"))
    assert [environment["RULERANK_THREADS"] for environment in started] == ["1", "1"]
    assert [environment["OMP_NUM_THREADS"] for environment in started] == ["1", "1"]


def test_a_cut_run_goes_on_where_it_was(tmp_path):
    plan, data = small_plan(), small_data()
    told = []

    def cut(done, total, message):
        told.append((done, total))
        if done == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(plan, data, tmp_path, progress=cut)
    before = files(tmp_path)
    assert len(before) == 7
    assert told[-1] == (7, len(tasks_of(plan, data)))
    partial = Results.load(tmp_path)
    assert not partial.complete
    assert len(partial.finished) == 7

    told.clear()
    results = run(plan, data, tmp_path, progress=lambda done, total, message: told.append((done, total)))
    assert told[0][0] == 7
    after = files(tmp_path)
    assert {name: after[name] for name in before} == before
    pd.testing.assert_frame_equal(values(results), values(run(plan, data, tmp_path / "new")), check_exact=True)


def test_a_finished_run_does_nothing_again(tmp_path):
    plan, data = small_plan(), small_data()
    run(plan, data, tmp_path)
    before = files(tmp_path)
    assert run(plan, data, tmp_path, jobs=2).complete
    assert files(tmp_path) == before


def test_more_seeds_and_samplers_do_only_what_is_new(tmp_path):
    data = small_data()
    run(small_plan(seeds=2), data, tmp_path)
    before = files(tmp_path)
    results = run(small_plan(seeds=3, samplers=("ssar", "random", "k_center")), data, tmp_path)
    after = files(tmp_path)
    assert {name: after[name] for name in before} == before
    assert len(after) - len(before) == 2 * 3  # a seed and a sampler, on three folds
    assert results.complete


@pytest.mark.parametrize(
    "settings",
    [
        {"budget": 24},
        {"every": 4},
        {"rankers": ("lrar",)},
        {"rankers": ("lrar:max_antecedent=1", "ridge")},
        {"samplers": ("ssar:max_antecedent=1", "random:seed=5")},
        {"discretizer": "equal_width:bins=4"},
        {"metrics": ("map",)},
        {"convention": "trec"},
        {"beyond_stop": False},
    ],
)
def test_other_settings_are_other_tasks(settings):
    def runs(plan, data):
        return {task.name for task in tasks_of(plan, data) if not task.is_ceiling}

    assert not runs(small_plan(), small_data()) & runs(small_plan(**settings), small_data())


def test_other_data_or_code_are_other_tasks(monkeypatch):
    plan = small_plan(samplers=("ssar", "random"))
    ours = {task.name for task in tasks_of(plan, small_data())}
    assert not ours & {task.name for task in tasks_of(plan, small_data(seed=6))}
    import rulerank.simulate.tasks as code

    real = code._source_hash
    monkeypatch.setattr(code, "_source_hash", lambda name: "x" if name == "rulerank.sampling.ssar" else real(name))
    changed = {task.name for task in tasks_of(plan, small_data())}
    assert {name for name in ours ^ changed if "-ssar-" not in name} == set()
    assert {name for name in ours - changed if "-ssar-" in name}
    monkeypatch.setattr(code, "_source_hash", lambda name: "x" if name == "rulerank.rules.items" else real(name))
    assert not ours & {task.name for task in tasks_of(plan, small_data()) if "ridge" not in task.name}


@pytest.mark.parametrize("jobs", [1, 2])
def test_it_can_be_cancelled(tmp_path, jobs):
    plan, data = small_plan(seeds=20), small_data()

    def cancelled():
        return (tmp_path / TASKS).is_dir() and len(list((tmp_path / TASKS).glob("*.npz"))) >= 3

    with pytest.raises(SimulationStoppedError, match="goes on"):
        run(plan, data, tmp_path, jobs=jobs, cancelled=cancelled)
    assert 3 <= len(files(tmp_path)) < len(tasks_of(plan, data))
    assert not [name for name in files(tmp_path) if not name.endswith(".npz")]
    assert Results.load(tmp_path).finished


def test_progress_may_end_a_run_on_several_processes(tmp_path):
    class UnwantedError(Exception):
        pass

    def progress(done, total, message):
        if done >= 2:
            raise UnwantedError

    with pytest.raises(UnwantedError):
        run(small_plan(seeds=20), small_data(), tmp_path, jobs=2, progress=progress)


def test_a_long_task_can_be_ended_in_its_middle(tmp_path, monkeypatch):
    """In one process, too: the run is asked at every label, at most ten times a second."""
    asked = []
    monkeypatch.setattr("rulerank.simulate.runner.TICK_SECONDS", 0.0)

    def cancelled():
        asked.append(len(files(tmp_path)) if (tmp_path / TASKS).is_dir() else 0)
        return asked.count(6) > 10  # six ceilings are done, and ten labels of the first run

    with pytest.raises(SimulationStoppedError):
        run(small_plan(), small_data(), tmp_path, cancelled=cancelled)
    assert len(files(tmp_path)) == 6


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_sampler_cannot_do_is_said_with_its_name(tmp_path, monkeypatch, jobs):
    plan = small_plan(samplers=("random", "top_feature:feature=99"))
    told = r"feature must be a whole number from 0 \(LETOR's feature 1\) to 5, not 99"
    folder = tmp_path / "results"
    with pytest.raises(RulerankError, match=rf"top_feature:feature=99: {told}"):
        run(plan, small_data(), folder, jobs=jobs)
    assert not folder.exists()  # tried before anything is written
    monkeypatch.setattr("rulerank.simulate.runner.rehearse", lambda plan, features: None)
    results = run(plan, small_data(), folder, jobs=jobs)
    assert len(results.failures) == 3  # the others are done
    assert all(re.fullmatch(rf"top_feature:feature=99 on fold \d: {told}", each.message) for each in results.failures)
    assert results.samplers_done() == ["random"]


def test_a_plan_that_its_data_refuse_does_not_take_the_place_of_one_with_results(tmp_path):
    plan, data = small_plan(), small_data()
    before = values(run(plan, data, tmp_path))
    refused = small_plan(samplers=("top_feature:feature=99",))
    with pytest.raises(RulerankError, match="feature must be"):
        run(refused, data, tmp_path)
    pd.testing.assert_frame_equal(values(Results.load(tmp_path)), before)


def test_a_folder_that_is_too_full_for_several_processes_is_said(tmp_path, monkeypatch):
    def full(self, fold):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rulerank.simulate.executor.SharedInputs.put_fold", full)
    with pytest.raises(InputError, match=r"No space left on device\); make room"):
        run(small_plan(), small_data(), tmp_path, jobs=2)
    monkeypatch.undo()
    assert run(small_plan(), small_data(), tmp_path, jobs=2).complete  # nothing that was left behind is in the way


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04", None], ids=["empty", "short", "another's"])
def test_damaged_results_are_said_with_the_file(tmp_path, damage):
    run(small_plan(), small_data(), tmp_path)
    first, second = sorted((tmp_path / TASKS).glob("*random*"))[:2]
    first.write_bytes(second.read_bytes() if damage is None else damage)
    with pytest.raises(InputError, match=r"random.*npz (is not a finished task|holds the result of another)") as found:
        Results.load(tmp_path)
    assert "pickle" not in str(found.value)
    first.unlink()
    assert run(small_plan(), small_data(), tmp_path).complete


@pytest.mark.parametrize("content", ["[1]", '{"format": 1}', '{"format": 2, "plan": 3}'])
def test_a_damaged_description_is_said(tmp_path, content):
    (tmp_path / "simulation.json").write_text(content)
    with pytest.raises(InputError, match=r"simulation\.json"):
        Results.load(tmp_path)


def test_nothing_is_left_behind_when_the_starting_process_is_killed(tmp_path):
    program = f"""
import sys
sys.path.insert(0, {str(ROOT / "tests" / "simulate")!r})
from pathlib import Path
from simulate_helpers import small_data, small_plan
from rulerank.simulate import executor, run
real = executor.Executor.__enter__
def enter(self):
    real(self)
    print(*[process.pid for process in self._processes], flush=True)
    return self
executor.Executor.__enter__ = enter
run(small_plan(seeds=500, rankers=("query_level_rules",)), small_data(), Path({str(tmp_path / "out")!r}), jobs=2)
"""
    # No `__main__` guard, and not even a file: the processes must start all the same.
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment) as main:
        pids = [int(pid) for pid in main.stdout.readline().split()]
        assert len(pids) == 2
        while len(list((tmp_path / "out" / TASKS).glob("*.npz"))) < 3:
            assert main.poll() is None
            time.sleep(0.05)
        main.kill()
    end = time.monotonic() + 30
    while any(alive(pid) for pid in pids) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(alive(pid) for pid in pids)


def alive(pid):
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def test_folders_with_other_things_are_left_alone(tmp_path):
    (tmp_path / "letter.txt").write_text("dear all")
    with pytest.raises(InputError, match="other things"):
        run(small_plan(), small_data(), tmp_path)
    with pytest.raises(InputError, match="no simulation"):
        Results.load(tmp_path)


@pytest.mark.parametrize("jobs", [0, -1, 1.5, True])
def test_jobs_must_be_a_number(tmp_path, jobs):
    with pytest.raises(InputError, match="jobs"):
        run(small_plan(), small_data(), tmp_path, jobs=jobs)


def test_a_damaged_file_is_named(tmp_path):
    run(small_plan(), small_data(), tmp_path)
    path = next((tmp_path / TASKS).iterdir())
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(InputError, match=path.name):
        Results.load(tmp_path)
