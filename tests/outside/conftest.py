"""The package `shop_window` as if it were installed: in a folder of its own, for fresh interpreters alone.

Registries are filled once a process, so no test of this process may see it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULE = "shop_window"
GROUPS = {
    "rulerank.samplers": "window_walk",
    "rulerank.rankers": "window_vote",
    "rulerank.discretizers": "window_panes",
    "rulerank.metrics": "hit",
    "rulerank.export_formats": "window_list",
    "rulerank.text_features": "window_echo",
    "rulerank.learners": "window_price",
}


@pytest.fixture(scope="session")
def installed(tmp_path_factory) -> Path:
    """The folder that the package lies in, with its entry points."""
    folder = tmp_path_factory.mktemp("outside")
    shutil.copy(Path(__file__).parent / "package" / f"{MODULE}.py", folder)
    info = folder / f"{MODULE}-3.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {MODULE}\nVersion: 3.1\n", encoding="utf-8")
    points = "\n".join(f"[{group}]\n{name} = {MODULE}" for group, name in GROUPS.items())
    (info / "entry_points.txt").write_text(f"{points}\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def python(installed):
    """Return a function that starts a fresh interpreter, with the package or without it."""

    def start(*arguments: object, package: bool = True) -> subprocess.Popen[str]:
        paths = [str(installed)] * package + [str(ROOT)]
        return subprocess.Popen(
            [sys.executable, *map(str, arguments)],
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(paths),
                "COLUMNS": "300",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start
