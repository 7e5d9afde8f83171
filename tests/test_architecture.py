"""docs/architecture.md is true to the tree: whatever module, class or function it names exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(r"(?<![\w./])(?:rulerank|db|pages|app)(?:\.\w+)+", TEXT)) - {"app.py"})
PATHS = sorted(set(re.findall(r"(?<![\w./])(?:rulerank|db|pages|tests)/[\w/]*(?:\.\w+)?", TEXT)))


def exists(name: str) -> bool:
    """Say whether a dotted name is a module, or something that a module defines; nothing is imported."""
    parts = name.split(".")
    at = next((n for n in range(len(parts), 0, -1) if (ROOT.joinpath(*parts[:n]).with_suffix(".py")).is_file()), 0)
    if not at:
        return False
    inside = ast.parse(ROOT.joinpath(*parts[:at]).with_suffix(".py").read_text(encoding="utf-8")).body
    for part in parts[at:]:
        found = [node for node in inside if part in defined(node)]
        if not found:
            return False
        inside = getattr(found[0], "body", [])
    return True


def defined(node: ast.stmt) -> set[str]:
    """The names that a statement defines."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


@pytest.mark.parametrize("name", NAMES)
def test_what_it_names_exists(name):
    assert exists(name)


@pytest.mark.parametrize("path", PATHS)
def test_every_path_exists(path):
    assert (ROOT / path).exists()


def test_both_walks_are_drawn():
    assert TEXT.count("```mermaid") == 2
    assert len(NAMES) > 25
    assert not exists("rulerank.campaign.live.Campaign.no_such_step")
    assert not exists("rulerank.no_such_module.thing")
