"""Simulations in the database: asked for once, run by the worker, kept, cut and taken up again, deleted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa

from db.collections import Collections
from db.jobs import simulate as simulating
from db.jobs.handlers import HANDLERS
from db.jobs.queue import Jobs, JobStoppedError
from db.jobs.simulate import simulate
from db.jobs.worker import Worker
from db.simulations import WHOLE, Simulations
from db.store.tables import collection_chunks, collections, files, jobs
from rulerank.collection import Collection
from rulerank.errors import InputError
from rulerank.simulate import Dataset, Plan, Results, executor, run
from rulerank.synthetic import planted_collection

PLAN = Plan(
    samplers=("ssar", "random"),
    rankers=("lrar", "ridge"),
    discretizer="equal_width:bins=3",
    seeds=2,
    folds=3,
    budget=16,
    every=8,
    metrics=("map", "ndcg@5"),
)


@pytest.fixture(autouse=True)
def _one_process(monkeypatch):
    """Processes start for seconds; this one is enough here, and the package's own tests have several."""
    monkeypatch.setattr(simulating, "JOBS", 1)


@pytest.fixture
def simulations(database) -> Simulations:
    return Simulations(database, Collections(database))


@pytest.fixture
def collection(simulations) -> int:
    return simulations.collections.add("planted", planted_collection(9, 14, 6, seed=5))


def names_kept(simulations: Simulations, number: int) -> list[str]:
    with simulations.database.read() as connection:
        return sorted(connection.scalars(sa.select(files.c.name).where(files.c.job_id == number)))


def same_values(first: Results, second: Results) -> bool:
    """Whether two results hold the same in every value; the seconds that it took may differ."""
    one, other = (each.table().drop(columns=["select_seconds", "train_seconds"]) for each in (first, second))
    return one.equals(other)


class Cut:
    """A progress that ends the job once so many tasks are done."""

    def __init__(self, after: int) -> None:
        self.after = after
        self.seen: list[tuple[int, int | None]] = []

    def __call__(self, done: int, total: int | None = None, message: str = "") -> None:
        self.seen.append((done, total))
        if done >= self.after:
            raise JobStoppedError("cut")


def test_a_simulation_asked_for_with_the_old_spelling_of_discretizer_is_the_same_and_runs(simulations, collection):
    number = simulations.ask(collection, PLAN)
    with simulations.database.write() as connection:
        arguments = connection.scalar(sa.select(jobs.c.arguments).where(jobs.c.id == number))
        arguments["plan"]["discretiser"] = arguments["plan"].pop("discretizer")
        connection.execute(sa.update(jobs).where(jobs.c.id == number).values(arguments=arguments))
    assert "discretizer" not in simulations.get(number).plan
    assert simulations.ask(collection, PLAN) == number
    assert Worker(simulations.database, handlers={"simulate": simulate}).run_once()
    assert simulations.get(number).job.state == "done"


def test_what_the_worker_keeps_is_what_the_library_gives(simulations, collection, tmp_path):
    number = simulations.ask(collection, PLAN, "  a name ", None)
    waiting = simulations.get(number)
    assert (waiting.name, waiting.collection, waiting.collection_name) == ("a name", collection, "planted")
    assert waiting.job.state == "waiting"
    assert simulations.results(number) is None
    assert simulations.stamp(number) == ""
    assert Worker(simulations.database, handlers={"simulate": simulate}).run_once()
    done = simulations.get(number)
    assert done.job.state == "done"
    assert done.job.result["tasks"] == 15  # 3 folds: 2 ceilings, SSAR once, random twice
    assert names_kept(simulations, number) == [WHOLE]
    data = Dataset.from_collection(planted_collection(9, 14, 6, seed=5), 3, name="planted")
    assert same_values(simulations.results(number), run(PLAN, data, tmp_path / "same"))
    assert set(done.job.result["rates"]["samplers"]) == {"ssar", "random"}
    assert all(rate > 0 for rate in done.job.result["rates"]["rankers"].values())


def test_a_cut_run_keeps_what_is_finished_and_goes_on_there(simulations, collection, monkeypatch):
    whole = simulations.ask(collection, PLAN, "whole")
    arguments = simulations.get(whole).job.arguments
    simulate(simulations.database, arguments, lambda *told: None)
    number = simulations.ask(collection, PLAN, "cut")
    arguments = simulations.get(number).job.arguments
    with pytest.raises(JobStoppedError):
        simulate(simulations.database, arguments, Cut(9))
    kept = names_kept(simulations, number)
    assert len(kept) == 10  # nine tasks, and what they are of
    assert "simulation.json" in kept
    part = simulations.results(number)
    assert not part.complete
    assert len(part.finished) == 9
    before = simulations.stamp(number)
    follow = Cut(99)
    simulate(simulations.database, arguments, follow)
    assert follow.seen[0] == (9, 15)
    assert names_kept(simulations, number) == [WHOLE]
    assert simulations.stamp(number) != before
    assert same_values(simulations.results(number), simulations.results(whole))


def test_tasks_are_kept_while_it_runs_not_only_at_its_end(simulations, collection, monkeypatch):
    monkeypatch.setattr(simulating, "PAUSE", 0.0)
    number = simulations.ask(collection, PLAN)
    seen = []

    def look(done, total=None, message=""):
        seen.append((done, len(names_kept(simulations, number))))

    simulate(simulations.database, simulations.get(number).job.arguments, look)
    assert (8, 9) in seen


def test_stop_go_on_and_delete(simulations, collection):
    number = simulations.ask(collection, PLAN)
    assert not simulations.go_on(number)  # it waits
    with pytest.raises(InputError, match="stop it before"):
        simulations.delete(number)
    assert simulations.stop(number)
    assert simulations.get(number).job.state == "stopped"
    assert simulations.go_on(number)
    again = simulations.get(number).job
    assert (again.state, again.stop_asked, again.tries, again.finished_at) == ("waiting", False, 0, None)
    assert again.lease_until >= again.created_at  # since when it waits
    worker = Worker(simulations.database, handlers={"simulate": simulate})
    assert worker.run_once()
    assert not simulations.go_on(number)  # it is finished
    assert [each.id for each in simulations.all()] == [number]
    simulations.delete(number)
    assert simulations.all() == []
    assert simulations.get(number) is None
    assert names_kept(simulations, number) == []
    simulations.delete(number)  # somebody else was quicker: nothing to do


def test_a_deleted_one_is_not_written_to(simulations, collection):
    number = simulations.ask(collection, PLAN)
    arguments = simulations.get(number).job.arguments
    simulations.stop(number)
    simulations.delete(number)
    with pytest.raises(JobStoppedError, match="deleted"):
        simulate(simulations.database, arguments, lambda *told: None)
    assert names_kept(simulations, number) == []


def test_a_job_of_another_kind_is_none_of_its_business(simulations):
    other = Jobs(simulations.database).ask("replay", {"campaign": 1})
    assert simulations.get(other) is None
    simulations.delete(other)
    Jobs(simulations.database).stop(other)
    assert not simulations.go_on(other)
    assert Jobs(simulations.database).get(other).state == "stopped"


def test_the_same_wish_twice_is_one_simulation(simulations, collection):
    number = simulations.ask(collection, PLAN, "one")
    assert simulations.ask(collection, PLAN, "one") == number
    assert simulations.ask(collection, PLAN, "another") != number
    simulations.stop(number)
    assert simulations.ask(collection, PLAN, "one") != number


def test_a_collection_that_is_gone_fails_with_a_word(simulations, collection):
    number = simulations.ask(collection, PLAN)
    with simulations.database.write() as connection:
        connection.execute(sa.delete(collection_chunks))
        connection.execute(sa.delete(collections))
    Worker(simulations.database, handlers={"simulate": simulate}).run_once()
    job = simulations.get(number).job
    assert (job.state, job.message) == ("failed", f"collection {collection} does not exist")
    with pytest.raises(InputError, match="does not exist any more"):
        simulations.ask(collection, PLAN)


def test_which_collections_can_be_simulated_on(simulations, collection):
    features = np.random.default_rng(0).random((12, 3))
    qids = [str(row // 4) for row in range(12)]
    bare = simulations.collections.add("bare", Collection.from_arrays(features, qids))
    zero = simulations.collections.add("zero", Collection.from_arrays(features, qids, [0] * 12))
    one = simulations.collections.add("one", Collection.from_arrays(features, ["1"] * 12, [1, 0] * 6))
    grades = [2, 0, 1, 0, 1, 0, -1, -1, -1, -1, -1, -1]
    half = simulations.collections.add("half", Collection.from_arrays(features, qids, grades))
    found = {each.info.id: each for each in simulations.candidates()}
    assert not found[collection].why_not
    assert "none of its documents has a grade" in found[bare].why_not
    assert "all of its grades are 0" in found[zero].why_not
    assert "one query with grades" in found[one].why_not
    assert (found[half].why_not, found[half].sizes, found[half].graded, found[half].relevant) == ("", (4, 2), 6, 3)
    for number in (bare, zero, one):
        with pytest.raises(InputError, match="cannot be simulated on"):
            simulations.ask(number, PLAN)
    with pytest.raises(InputError, match="2 queries with grades, too few for 3 folds"):
        simulations.ask(half, PLAN)


def test_short_work_goes_first(simulations, collection, monkeypatch):
    """A live campaign's replay does not wait for simulations that were asked for before it."""
    done = []
    monkeypatch.setitem(HANDLERS, "short", lambda database, arguments, progress: done.append(arguments["n"]))
    queue = Jobs(simulations.database)
    asked = [simulations.ask(collection, PLAN), *(queue.ask("short", {"n": n}) for n in range(2))]
    for _ in range(2):
        Worker(simulations.database).run_once()
    assert done == [0, 1]
    assert [queue.get(each).state for each in asked] == ["waiting", "done", "done"]


def test_a_part_with_a_path_outside_is_refused(simulations, collection, tmp_path):
    number = simulations.ask(collection, PLAN)
    with simulations.database.write() as connection:
        row = {"name": "../outside", "data": b"x", "job_id": number, "created_at": 1.0}
        connection.execute(sa.insert(files).values(row))
    with pytest.raises(Exception, match="outside of its folder"):
        simulations.results(number)
    assert not Path(tmp_path / "outside").exists()


def test_jobs_can_be_taken_by_kind(database):
    queue = Jobs(database)
    first, second = queue.ask("long"), queue.ask("short")
    assert queue.take("me", ["short"]).id == second
    assert queue.take("me", ["short"]) is None
    assert queue.take("me").id == first
    with database.read() as connection:
        assert set(connection.scalars(sa.select(jobs.c.state))) == {"running"}


def test_parameters_that_cannot_work_are_refused_at_once(simulations, collection):
    wrong = Plan.from_dict({**PLAN.to_dict(), "samplers": ["top_feature:feature=6", "random"]})
    with pytest.raises(InputError, match="top_feature:feature=6: feature must be a whole number from 0"):
        simulations.ask(collection, wrong)
    assert simulations.all() == []


def fail_on_fold(monkeypatch, fold: int, message: str) -> None:
    """Let the ceilings of a fold fail, whichever ranker is at work."""
    real = executor.ceiling

    def ceiling(plan, ranker, prepared):
        if prepared.number == fold:
            raise ValueError(f"{message} ({ranker.key})")
        return real(plan, ranker, prepared)

    monkeypatch.setattr(executor, "ceiling", ceiling)


def test_runs_that_fail_are_told_the_others_kept_and_only_those_tried_again(simulations, collection, monkeypatch):
    worker = Worker(simulations.database, handlers={"simulate": simulate})
    number = simulations.ask(collection, PLAN)
    with monkeypatch.context() as broken:
        fail_on_fold(broken, 2, "left_count > 0")
        assert worker.run_once()
    failed = simulations.get(number)
    assert failed.job.state == "failed"
    assert failed.job.message == (
        "2 of 15 runs failed, the first of them: lrar on fold 2: ValueError: left_count > 0 (lrar)"
    )
    kept = simulations.results(number)
    assert len(kept.finished) == 13
    assert [each.task.rankers[0].key for each in kept.failures] == ["lrar", "ridge"]
    assert kept.samplers_done() == ["ssar", "random"]

    assert simulations.go_on(number)
    with monkeypatch.context() as broken:
        fail_on_fold(broken, 2, "another reason")
        assert worker.run_once()
    assert "another reason" in simulations.get(number).job.message
    assert "another reason" in simulations.results(number).failures[0].message  # not what was kept the first time

    assert simulations.go_on(number)
    assert worker.run_once()
    assert simulations.get(number).job.state == "done"
    whole = simulations.results(number)
    assert whole.complete
    assert whole.failures == ()
    assert names_kept(simulations, number) == [WHOLE]
