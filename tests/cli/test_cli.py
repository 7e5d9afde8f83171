"""The command line as a person or a script uses it: output, files, messages and exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from rulerank.cli.program import app, run
from rulerank.discretize import MDLP, Discretizer, EqualWidth, useful_items
from rulerank.letor import read_letor, write_letor
from rulerank.metrics import evaluate
from rulerank.ranking import LRAR
from rulerank.registry import discretizers, metrics, rankers, samplers
from rulerank.sampling import SSAR, SSARP
from rulerank.simulate import all_rankers
from rulerank.synthetic import planted_collection

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def collection():
    return planted_collection(12, 20, 8, seed=3)


@pytest.fixture
def letor_file(collection, tmp_path):
    path = tmp_path / "pool.txt"
    write_letor(collection, path)
    return path


def call(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def program(monkeypatch, capsys):
    """`program("info", path)`: the exit code and what the program said to people; a traceback fails the test."""

    def run_here(*arguments: object) -> tuple[object, str]:
        monkeypatch.setattr(sys, "argv", ["rulerank", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            run()
        return left.value.code, capsys.readouterr().err

    return run_here


def test_the_module_is_the_program():
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "rulerank", "info", "nowhere.txt"]
    found = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert found.returncode == 1
    assert "nowhere.txt" in found.stderr
    assert "Traceback" not in found.stderr


def test_help_names_every_command_and_the_exit_codes():
    found = call("--help")
    assert found.exit_code == 0
    for name in ("demo", "info", "discretize", "select", "rank", "evaluate", "reproduce", "bench"):
        assert name in found.output
    assert "130" in found.output


@pytest.mark.parametrize(
    ("command", "kinds"),
    [
        ("discretize", [discretizers]),
        ("select", [samplers, discretizers]),
        ("rank", [rankers, discretizers]),
        ("evaluate", [metrics]),
        ("simulate", [samplers, all_rankers, discretizers, metrics]),
    ],
)
def test_help_lists_strategies_and_parameters_as_they_describe_themselves(command, kinds, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    said = call(command, "--help").output
    for entry in (entry for registry in kinds for entry in registry):
        assert f"{entry.name}: {entry.summary.replace('`', '')}" in said
        for param in getattr(entry.value, "params", ()):
            assert f"{param.name}={param.default}: {param.help.removesuffix('.')} ({param.values}" in said


def test_flags_that_are_not_given_leave_a_sampler_its_own_defaults(letor_file, monkeypatch):
    monkeypatch.setattr(SSARP.__init__, "__defaults__", (3, 1, "program"))
    told = json.loads(call("select", letor_file, "--sampler", "ssarp", "--budget", 1, "--json").output)
    assert (told["settings"]["partitions"], told["settings"]["max_antecedent"]) == (3, 1)
    assert told["settings"]["scoring"] == "program"


def test_info_as_json_tells_the_collection(collection, letor_file):
    told = json.loads(call("info", letor_file, "--json").output)
    assert told["rows"] == len(collection)
    assert told["queries"] == 12
    assert told["hash"] == collection.content_hash
    assert sum(told["grade_counts"].values()) == len(collection)


def test_discretize_writes_edges_that_apply_again(collection, letor_file, tmp_path):
    edges, items = tmp_path / "edges.json", tmp_path / "items.txt"
    assert call("discretize", letor_file, "--method", "mdlp", "--edges", edges).exit_code == 0
    assert call("discretize", letor_file, "--apply", edges, "--out", items).exit_code == 0
    fitted = MDLP().fit(collection.features, collection.grades)
    assert [found.tolist() for found in Discretizer.from_dict(json.loads(edges.read_text())).edges_] == [
        found.tolist() for found in fitted.edges_
    ]
    assert np.array_equal(read_letor(items).features, fitted.transform(collection.features))


def test_select_replays_what_the_library_does(collection, letor_file, tmp_path):
    out = tmp_path / "chosen.txt"
    told = json.loads(call("select", letor_file, "--method", "equal_width", "--bins", 4, "--out", out, "--json").output)
    edges = call("discretize", letor_file, "--method", "equal_width", "--bins", 4, "--json").output
    items = Discretizer.from_dict(json.loads(edges)).transform(collection.features)
    run = SSAR().run(items, collection.grades)
    assert [selection["row"] for selection in told["selections"]] == run.order
    assert told["stopped_on"] == run.stopped_on
    assert read_letor(out) == collection.select(sorted(run.order))


def test_select_takes_ssarps_scoring_by_name(collection, letor_file, program):
    given = ("select", letor_file, "--sampler", "ssarp", "--partitions", 3, "--method", "equal_width", "--json")
    told = json.loads(call(*given, "--scoring", "program").output)
    items, _ = useful_items(EqualWidth().fit(collection.features), collection.features)
    run = SSARP(partitions=3, scoring="program").run(items, collection.grades)
    assert [selection["row"] for selection in told["selections"]] == run.order
    assert told["settings"]["scoring"] == "program"
    code, said = program(*given, "--scoring", "guess")
    assert code == 1
    assert "scoring must be 'paper' or 'program', not 'guess'" in said


def test_select_next_names_the_document_after_the_given_grades(collection, letor_file, tmp_path):
    told = json.loads(call("select", letor_file, "--method", "equal_width", "--json", "--budget", 3).output)
    first, second, third = (selection["row"] for selection in told["selections"])
    grades = np.full(len(collection), -1)
    for row in (first, second):
        grades[row] = collection.grades[row]
    partly = tmp_path / "partly.txt"
    write_letor(collection.with_grades(grades), partly)
    assert json.loads(call("select", partly, "--method", "equal_width", "--next", "--json").output)["row"] == third
    text = call("select", partly, "--method", "equal_width", "--next").output
    assert f"row {third + 1}," in text
    assert "rules" in text


def test_select_refuses_to_replay_without_grades(collection, program, tmp_path):
    path = tmp_path / "bare.txt"
    write_letor(collection.with_grades(np.full(len(collection), -1)), path)
    code, said = program("select", path)
    assert code == 1
    assert "--next" in said


def test_rank_and_evaluate_agree_with_the_library(collection, tmp_path):
    cut = int(collection.indptr[8])
    train, test = collection.select(range(cut)), collection.select(range(cut, len(collection)))
    paths = [tmp_path / "train.txt", tmp_path / "test.txt"]
    write_letor(train, paths[0])
    write_letor(test, paths[1])
    scores = tmp_path / "scores.txt"
    told = json.loads(call("rank", "--train", paths[0], "--test", paths[1], "--out", scores, "--json").output)
    cuts = MDLP().fit(train.features, train.grades)
    useful = cuts.bins_ > 1
    model = LRAR().fit(cuts.transform(train.features)[:, useful], train.grades)
    expected = model.predict(cuts.transform(test.features)[:, useful])
    assert np.array_equal([float(line) for line in scores.read_text().split()], expected)
    again = json.loads(call("evaluate", paths[1], "--scores", scores, "--json", "--per-query").output)
    assert told["map"] == again["map"] == evaluate(test.grades, expected, test.qids)["map"]
    assert len(again["per_query"]["map"]) == len(test.queries)
    assert "expected over ties" in call("evaluate", paths[1], "--scores", scores).output


def test_bench_measures_a_group_and_refuses_unknown_ones(program):
    told = json.loads(call("bench", "--only", "memory", "--json").output)
    assert {result["group"] for result in told["results"]} == {"memory"}
    assert all(result["good"] is not False for result in told["results"])
    renamed = json.loads(call("bench", "--only", "discretise", "--json").output)
    assert {result["group"] for result in renamed["results"]} == {"discretize"}
    code, said = program("bench", "--only", "nothing")
    assert code == 1
    assert "no benchmark is named 'nothing'" in said


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("info", "nowhere.txt"), 1, "nowhere.txt"),
        (("select", "{file}", "--sampler", "sssar"), 1, "did you mean 'ssar'"),
        (("discretize", "{file}", "--method", "magic"), 1, "no discretizer is named 'magic'"),
        (("discretize", "{file}", "--bins", "999"), 2, "256"),
        (("evaluate", "{file}", "--scores", "{file}"), 1, "is not a finite number; write one score per line"),
        (("evaluate", "{file}", "--scores", "{short}"), 1, "2 scores for 240 rows"),
        (("discretize", "{file}", "--apply", "{short}"), 1, "is not a file of edges"),
        (("discretize", "{file}", "--edges", "no/such/folder/e.json"), 1, "does not exist"),
        (("reproduce", "{file}"), 1, "not a folder"),
        (("nothing",), 2, "No such command"),
    ],
)
def test_bad_calls_get_a_message_and_a_code(letor_file, program, tmp_path, arguments, code, words):
    short = tmp_path / "short.txt"
    short.write_text("1\n2\n")
    filled = [argument.format(file=letor_file, short=short) for argument in arguments]
    left, said = program(*filled)
    assert left == code, said
    assert words in " ".join(said.split())


def test_a_bad_letor_file_is_told_by_line(program, tmp_path):
    path = tmp_path / "bad.txt"
    path.write_text("1 qid:1 1:0.5\n1 qid:1 1:x\n0 1:0.5\n")
    code, said = program("info", path)
    assert code == 1
    assert "bad.txt:2:" in said
    assert "bad.txt:3:" in said


@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
def test_ctrl_c_leaves_with_130_and_no_file(tmp_path):
    write_letor(planted_collection(80, 100, 30), tmp_path / "large.txt")
    out = tmp_path / "chosen.txt"
    command = [sys.executable, "-m", "rulerank", "select", "large.txt", "--sampler", "committee", "--out", str(out)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    started = time.monotonic()
    subprocess.run([sys.executable, "-m", "rulerank", "info", "large.txt"], cwd=tmp_path, env=environment, check=True)
    # Whoever runs the tests in the background may ignore Ctrl-C, and children inherit that.
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    told = {"stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, **told, preexec_fn=heed)  # noqa: PLW1509
    time.sleep(1 + 1.5 * (time.monotonic() - started))  # by then it has read the file too, and chooses
    assert process.poll() is None, "the run was over before it could be interrupted"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert [path.name for path in tmp_path.iterdir()] == ["large.txt"]


def test_the_demo_shows_chosen_labels_ahead_of_random_ones():
    text = call("demo").output
    assert "chosen by SSARP" in text
    assert "3200 (all)" in text
