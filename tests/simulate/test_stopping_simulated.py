"""The simulation of the stop light, on a small made-up set: runs are kept, not repeated, and counted in the table."""

from __future__ import annotations

import pytest

from rulerank.letor import write_letor
from rulerank.synthetic import planted_collection
from tests.simulate import stopping


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A file of runs: known grades, and permuted ones."""
    folder = tmp_path_factory.mktemp("stopping")
    write_letor(planted_collection(queries=30, documents=20, features=6), folder / "planted.txt")
    for kind in ("known", "permuted"):
        stopping.runs(folder / "runs.jsonl", [folder / "planted.txt"], 1, kind)
    return folder / "runs.jsonl"


def test_every_sampler_is_run_once_and_kept(kept):
    found = stopping.kept(kept)
    assert [each["sampler"] for each in found] == [*stopping.SAMPLERS, *stopping.SAMPLERS]
    for each in found:
        assert each["labels"] == each["pool"] // 2
        assert len(each["shown"]) == len(each["crossed"]) == len(each["test"]) == len(each["coverage"])
        assert (each["stop"] is None) or each["counts_rules"]
    before = kept.read_text()
    stopping.runs(kept, [kept.parent / "planted.txt"], 1, "known")
    assert kept.read_text() == before


def test_pool_evaluation_set_and_test_set_share_no_query():
    dealt = stopping.deal(planted_collection(queries=30, documents=20, features=6), 0)
    assert len(set(dealt.fold.qids)) == 15
    assert len(set(dealt.evaluation.qids)) == 6
    assert len(set(dealt.test.qids)) == 9
    assert not set(dealt.evaluation.qids) & set(dealt.test.qids)


def test_the_table_counts_runs_that_end_well():
    def run(sampler, stop, at_stop):
        shown = [{"labels": 50}]
        about = {"sampler": sampler, "counts_rules": sampler == "ssar", "top": 0.5}
        return about | {"stop": stop, "at_stop": at_stop, "shown": shown, "test": [0.5]}

    found = [run("ssar", 40, 0.495), run("ssar", 60, 0.48), run("ssar", None, None), run("random", None, None)]
    assert stopping.at_stop(found, 0.98).cells == "2 of 3 | 50% | 50"
    assert stopping.at_stop(found, 0.95).cells == "2 of 3 | 100% | 50"
    assert stopping.at_last(found, 0.98).cells == "4 of 4 | 100% | 50"
    assert stopping.at_stop(found[-1:], 0.98).cells == "0 of 0 | - | -"


def test_the_table_has_a_row_for_each_set_sampler_and_kind_of_grades(kept):
    lines = list(stopping.table(stopping.kept(kept), 0.98))
    assert sum(line.startswith("| planted |") for line in lines) == 2
    assert sum(line.startswith("| ssarp |") for line in lines) == 2
    assert "permuted grades: green in 0 of 5 runs, cross-validated in 0" in lines
