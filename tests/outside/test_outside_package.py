"""A package from outside adds one of each kind: screens, commands, files and live campaigns take it, unasked.

All of it runs in fresh interpreters, so that no other test sees the package.
"""

from __future__ import annotations

import json
import subprocess

from rulerank.export import formats
from rulerank.registry import discretizers, metrics, rankers, samplers
from rulerank.simulate import learners
from rulerank.text.features import text_features
from tests.outside.conftest import GROUPS, MODULE, ROOT

PATIENCE = 240


def output(process: subprocess.Popen[str]) -> str:
    said, complained = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said + complained
    return said


def test_screens_settings_texts_and_commands_take_it(python):
    output(python("-m", "pytest", "tests/outside/checks.py", "-p", "no:xdist", "-p", "no:cacheprovider"))


def test_a_live_campaign_is_replayed_with_it_and_told_apart_without_it(python, tmp_path):
    database = tmp_path / "labels.db"
    live = ("-m", "tests.outside.live")
    made = json.loads(output(python(*live, "make", database)))
    window, plain = made
    assert made[window] == {"row": 20, "labels": 5, "reason": "it is the next one in strides of 4 (a: b, 8)"}
    assert json.loads(output(python(*live, "open", database, window, plain))) == made
    seen = json.loads(output(python(*live, "without", database, window, plain, package=False)))
    assert seen["opened"] == {plain: made[plain]}
    for screen, told in seen["screens"].items():
        assert told["exceptions"] == [], screen
    for screen in ("label", "progress", "ranking", "export"):
        (error,) = seen["screens"][screen]["errors"]
        assert "the campaign Window cannot be opened: no discretizer is named 'window_panes'" in error
        assert "If it is of an outside package, install that again." in error
    assert "window_panes" in seen["screens"]["home"]["errors"][0]
    assert "Plain" in seen["screens"]["home"]["words"]


def test_nothing_of_ours_knows_it():
    registries = (samplers, rankers, discretizers, metrics, formats, text_features, learners)
    for name in GROUPS.values():
        assert not any(name in registry for registry in registries)
    found = [
        path
        for folder in ("rulerank", "pages", "db")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".json", ".js", ".css", ".html", ".sql"}
        and any(word in path.read_text(encoding="utf-8") for word in (MODULE, *GROUPS.values()) if word != "hit")
    ]
    assert found == []
