"""The command `simulate` as a person or a script uses it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from simulate_helpers import small_plan
from typer.testing import CliRunner

from rulerank.cli.program import app
from rulerank.errors import RulerankError
from rulerank.letor import write_letor
from rulerank.simulate import Results
from rulerank.simulate.store import TASKS
from rulerank.synthetic import planted_collection

ROOT = Path(__file__).parents[2]
SMALL = ("--method", "equal_width", "--bins", "3", "--every", "8", "--folds", "3", "--seeds", "2", "--jobs", "1")


def call(*arguments):
    return CliRunner().invoke(app, ["simulate", *map(str, arguments)])


def module(*arguments):
    command = [sys.executable, "-m", "rulerank", "simulate", *map(str, arguments)]
    return {"args": command, "env": {**os.environ, "PYTHONPATH": str(ROOT)}, "text": True}


@pytest.fixture(scope="module")
def letor_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("letor") / "ohsumed.txt"
    write_letor(planted_collection(9, 14, 6, seed=5), path)
    return path


def test_the_table_says_what_matters(letor_file, tmp_path):
    found = call(
        letor_file, *SMALL, "--budget", 20, "--samplers", "ssar,ssarp:partitions=2,random", "--out", tmp_path / "o"
    )
    assert found.exit_code == 0, found.output
    for words in ("ssarp:partitions=2", "all labels", "against random", "p (Holm)", "after 20 labels", "Published"):
        assert words in found.output
    assert (tmp_path / "o" / "results.csv").is_file()
    assert Results.load(tmp_path / "o").complete


def test_json_for_machines(letor_file, tmp_path):
    found = call(
        letor_file,
        *SMALL,
        "--budget",
        "10%",
        "--rankers",
        "lrar,ridge",
        "--out",
        tmp_path / "o",
        "--json",
        "--samplers",
        "ssar,random",
        "--baseline",
        "ssar",
        "--metrics",
        "ndcg@5,map",
        "--natural-stop",
    )
    told = json.loads(found.stdout)
    assert told["complete"] is True
    assert told["baseline"] == "ssar"
    assert told["plan"]["beyond_stop"] is False
    assert list(told["curves"]) == ["ndcg@5", "map"]
    assert {row["sampler"] for row in told["significance"]} == {"random"}


def test_a_plan_from_a_file(letor_file, tmp_path):
    plan = small_plan(folds=3)
    (tmp_path / "plan.json").write_text(json.dumps(plan.to_dict()))
    assert call(letor_file, "--plan", tmp_path / "plan.json", "--out", tmp_path / "o", "--jobs", 1).exit_code == 0
    assert Results.load(tmp_path / "o").plan == plan
    again = call(letor_file, "--plan", tmp_path / "o" / "simulation.json", "--out", tmp_path / "p", "--jobs", 1)
    assert again.exit_code == 0
    assert Results.load(tmp_path / "p").plan == plan


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--samplers", "ssra"), "did you mean"),
        (("--budget", "some"), "budget"),
        (("--every", "often"), "geometric"),
        (("--every", "²"), "geometric"),
        (("--metrics", "ndcg@²"), "cut-off"),
        (("--budget", "200%"), "up to 100%"),
        (("--budget", "0%"), "above 0%"),
        (("--samplers", "ssarp:partitions=abc"), "must be a whole number from 1 to 256"),
        (("--rankers", "ridge:penalty=null"), "must be a number above 0, or"),
        (("--baseline", "k_center"), "not among"),
        (("--method", "mdlp"), "learns from grades"),
        (("--folds", "50"), "too few"),
        (("--plan", "nowhere.json"), "cannot read"),
    ],
)
def test_what_is_wrong_is_said(letor_file, tmp_path, arguments, words):
    """As an error of ours, which the program prints in one line."""
    found = call(letor_file, "--out", tmp_path / "o", *arguments)
    assert isinstance(found.exception, RulerankError)
    assert words in str(found.exception)
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_says_that_it_can_go_on(letor_file, tmp_path, jobs):
    out = tmp_path / "o"
    arguments = (letor_file, *SMALL, "--seeds", 400, "--budget", 40, "--jobs", jobs, "--out", out)
    # Whoever runs the tests in the background may ignore Ctrl-C, and children inherit that.
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.DEVNULL}
    with subprocess.Popen(**module(*arguments), **pipes, preexec_fn=heed) as main:  # noqa: PLW1509
        while len(list((out / TASKS).glob("*.npz"))) < 3:
            assert main.poll() is None
            time.sleep(0.05)
        main.send_signal(signal.SIGINT)
        told = main.stderr.read()
        assert main.wait() == 130
    assert "goes on from there" in told.replace("\n", " ")
    assert "Traceback" not in told
    assert len(Results.load(out).finished) >= 3


def test_another_simulation_in_the_folder_is_told(letor_file, tmp_path):
    one, other = (
        ["--samplers", names, "--out", tmp_path / "o", *SMALL, "--budget", 16] for names in ("ssar", "random")
    )
    assert "another simulation" not in call(letor_file, *one).output
    assert "another simulation" not in call(letor_file, *one).output
    told = " ".join(call(letor_file, *other).output.split())
    assert "holds another simulation, on ohsumed; its tables are replaced, its finished runs kept" in told


def test_labels_that_were_spent_stand_beside_those_of_the_budget(letor_file, tmp_path):
    arguments = ("--samplers", "ssar,random", *SMALL, "--budget", "100%", "--every", 30, "--out", tmp_path / "o")
    told = " ".join(call(letor_file, *arguments, "--natural-stop").output.split())
    assert "after at most 84 labels" in told
    assert "no comparison at equal budget" in told
    used = Results.load(tmp_path / "o").summary().set_index("sampler")["used"]
    assert used["ssar"] < used["random"] == 84
    assert used["ssar"] == Results.load(tmp_path / "o").summary().set_index("sampler")["stop"]["ssar"]


def test_help_names_samplers_rankers_and_an_example():
    found = call("--help")
    assert found.exit_code == 0
    for words in ("ssarp", "lambda_mart", "rulerank simulate"):
        assert words in found.output
