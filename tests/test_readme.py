"""The README keeps its word: its Python example runs, and its commands and files exist."""

from __future__ import annotations

import re
from pathlib import Path

from rulerank.cli.program import app
from rulerank.letor import write_letor
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
    known = {command.name for command in app.registered_commands}
    assert {"info", "select", "rank", "evaluate"} <= named <= known


def test_every_file_it_links_to_exists():
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", TEXT):
        if "://" not in link:
            assert (ROOT / link).exists(), link
