"""The README keeps its word: its Python example runs, and its commands and files exist."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

from rulerank.cli.program import app
from rulerank.discretize import Tube, informative_features
from rulerank.letor import read_letor, write_letor
from rulerank.synthetic import planted_collection

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_example_labels_to_the_stop(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = planted_collection(8, 30, 10, seed=2)
    write_letor(made, tmp_path / "train.txt")
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
    names = {"ask_a_person": lambda collection, row: int(collection.grades[row])}
    exec(compile(example, "README.md", "exec"), names)
    assert names["selection"].stop
    assert len(names["sampler"].labelled) > 10
    assert names["ranking"].shape == (len(made),)
    assert names["why"].rule_count > 0


def test_every_command_it_names_exists():
    named = set(re.findall(r"run\.py -- ([a-z]+)", TEXT))
    known = {command.name for command in (*app.registered_commands, *app.registered_groups)}
    assert {"info", "select", "rank", "evaluate"} <= named <= known


def test_every_file_it_links_to_exists():
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", TEXT):
        if "://" not in link:
            assert (ROOT / link).exists(), link


def test_the_python_example_takes_the_path_of_the_command_line(letor_folder, tmp_path, monkeypatch):
    """On real data, where some features have a single value: the same rows in the same order, to the same stop."""
    whole = read_letor(letor_folder("letor3-ohsumed") / "S1.txt")
    part = whole.select(np.arange(600))
    assert not informative_features(Tube().fit_transform(part.features)).all()
    monkeypatch.chdir(tmp_path)
    write_letor(part, tmp_path / "train.txt")
    told = CliRunner().invoke(app, ["select", "train.txt", "--json"])
    assert told.exit_code == 0
    wanted = json.loads(told.stdout)
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
    asked = []

    def ask(collection, row):
        asked.append(int(row))
        return int(collection.grades[row])

    names = {"ask_a_person": ask}
    exec(compile(example, "README.md", "exec"), names)
    assert asked == [each["row"] for each in wanted["selections"]]
    assert names["selection"].row == wanted["stopped_on"]
