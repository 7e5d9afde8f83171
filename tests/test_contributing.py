"""CONTRIBUTING.md: the sampler that it shows works as it says, for the contract tests and the command line alike."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAME = "rare_values"


def shown() -> str:
    """The one complete file of Python that the document shows."""
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) == 1
    return blocks[0]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Return a function that runs Python where the sampler is installed as a package of its own, by its entry point."""
    folder = tmp_path_factory.mktemp("outside")
    package = folder / "my_package"
    package.mkdir()
    (package / f"{NAME}.py").write_text(shown(), encoding="utf-8")
    info = folder / "my_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my_package\nVersion: 1.0\n", encoding="utf-8")
    document = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    entry = re.search(r"^```toml\n\[project\.entry-points\.\"(.*)\"\]\n(.*) = \"(.*)\"\n^```", document, re.M)
    assert entry is not None
    group, name, module = entry.groups()
    (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {module}\n", encoding="utf-8")

    def run(*arguments: str) -> str:
        paths = os.pathsep.join([str(folder), str(ROOT)])
        done = subprocess.run(
            [sys.executable, *arguments],
            check=False,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": paths, "COLUMNS": "200", "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_the_contract_tests_test_it_unasked(program):
    said = program("-m", "pytest", "tests/sampling/test_sampler_contract.py", "-k", NAME, "-p", "no:xdist")
    passed = re.search(r"(\d+) passed", said)
    assert passed is not None
    assert int(passed[1]) >= 10
    assert "failed" not in said


def test_the_command_line_knows_it(program, tmp_path):
    lines = [f"{row % 3} qid:{row // 5} 1:{row / 40:.3f} 2:{row * 7 % 11 / 11:.3f}\n" for row in range(40)]
    (tmp_path / "train.txt").write_text("".join(lines), encoding="utf-8")
    said = program(
        "-m", "rulerank", "select", str(tmp_path / "train.txt"), "--sampler", NAME, "--budget", "3", "--json"
    )
    assert f'"{NAME}"' in said
    assert NAME in program("-m", "rulerank", "select", "--help")


PARAMETER = f"""
from rulerank.registry import samplers
from rulerank.strategy import Strategy
print(Strategy.parse("{NAME}:share=0.2").make(samplers))
try:
    Strategy.parse("{NAME}:share=2").check(samplers)
except ValueError as error:
    print(error)
"""


def test_its_parameter_is_checked_by_its_description(program):
    said = program("-c", PARAMETER)
    assert "RareValues(share=0.2)" in said
    assert "share must be a number above 0 and at most 1" in said
