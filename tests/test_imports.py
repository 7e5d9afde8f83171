"""Who may import whom: the house's plan, checked on every source file."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

LIBRARY = {"numpy", "scipy", "numba", "llvmlite", "pandas", "sklearn", "threadpoolctl"}
PEERS = {"lightgbm", "pytrec_eval", "ranx", "sklearn"}  # what the bench compares with
LEARNERS = {"lightgbm", "sklearn"}  # what simulations train beside our own rankers
SCREEN = {"typer", "rich", "click"}
WORDS = {"bm25s", "charset_normalizer", "openpyxl", "py3langid", "snowballstemmer"}  # reading and searching texts
PACKERS = {"isal", "orjson"}  # what exports are packed and written with

# Rooms of the library, from the ground up: what each may import of the others.
GROUND = {
    "_version", "errors", "files", "foreign", "kernels", "memory", "progress", "registry",
    "statistics", "strategy", "threads",
}  # fmt: skip
DATA = {"collection", "letor"}
ROOMS = {
    **dict.fromkeys(GROUND, GROUND),
    **dict.fromkeys(DATA, GROUND | DATA),
    "discretize": GROUND,
    "metrics": GROUND,
    "rules": GROUND,
    "ranking": GROUND | {"rules"},
    "sampling": GROUND | {"rules", "ranking"},
    "clicks": GROUND | {"metrics"},
    "agreement": GROUND | {"rules"},
    "export": GROUND | DATA | {"agreement", "folds"},
    "text": GROUND,
    "demo": GROUND | DATA | {"text"},
    "prepare": GROUND | DATA | {"text"},
    "importing": GROUND | DATA | {"clicks", "prepare", "text"},
    "curves": GROUND | {"metrics", "rules"},
    "simulate": GROUND | DATA | {"curves", "discretize", "folds", "metrics", "ranking", "rules", "sampling"},
    "advice": GROUND | DATA | {"curves", "metrics", "ranking", "sampling", "simulate"},
    "campaign": GROUND
    | DATA
    | {"agreement", "clicks", "curves", "discretize", "metrics", "ranking", "rules", "sampling"},
}

# The rooms around the library: third parties and rooms of ours.
HOUSE = {
    "db": {"sqlalchemy", "alembic", "psycopg", "argon2", "itsdangerous", "rulerank", "db"},
    "pages": {"streamlit", "plotly", "pandas", "numpy", "rulerank", "pages"},
    "gate": {"streamlit", "starlette", "anyio", "sqlalchemy", "rulerank", "db", "pages"},
    "app": {"streamlit", "starlette", "uvicorn", "rulerank", "db", "pages"},
}
OURS = {"rulerank", *HOUSE}

# The folders of `db` that stand on few others: what each may import of it.
DATABASE = {"store": {"store"}, "people": {"store", "people"}}

BRIDGE = ("rulerank/cli/database.py", "db.commands")
"""The one place where the library reaches outside, by name and when it is called: a command about the database."""

SERVICES = {"request.py", "service.py"}
"""Files of a screen's own folder that act for its page on the database, and may do so without Streamlit."""


def imported(path: str, source: str) -> list[tuple[int, str]]:
    """(line, dotted name) of everything that a file imports, anywhere in it; relative names are made whole.

    A screen may name the types of the objects that `app.py` hands it: what stands under `if TYPE_CHECKING` in pages/
    is never imported, and does not count.
    """
    package = Path(path).parent.parts
    found = []
    tree = ast.parse(source)
    types = set()
    if package[:1] == ("pages",):
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
                types |= {inner for part in node.body for inner in ast.walk(part)}
    for node in ast.walk(tree):
        if node in types:
            continue
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            found += [(node.lineno, f"{start}.{alias.name}") for alias in node.names]
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if called in ("import_module", "__import__"):
                found.append((node.lineno, str(node.args[0].value)))
    return found


def room_of(path: str) -> str:
    """The room of a file: the part of its path below `rulerank`, or the top folder or file outside of it.

    The gate stands in a room of its own within `pages/`: it decides who gets in before any page is drawn.
    """
    parts = Path(path).with_suffix("").parts
    inner = parts[0] == "rulerank" or parts[:2] == ("pages", "gate")
    return parts[1] if inner else parts[0]


def third_parties(path: str) -> set[str]:
    """What a file of the library may import that is neither ours nor Python's."""
    room = room_of(path)
    allowed = set(LIBRARY)
    if room == "cli":
        allowed |= SCREEN
    if room.startswith("bench") or (room == "cli" and Path(path).name.startswith("bench")):
        allowed |= PEERS
    if path.startswith("rulerank/simulate/learners/"):
        allowed |= LEARNERS
    if room in ("text", "prepare", "foreign"):
        allowed |= WORDS
    if room == "export":
        allowed |= PACKERS
    return allowed


def violations(path: str, source: str) -> list[str]:
    """Every import of a file (path from the root of the repository) that the plan does not allow, in words."""
    room = room_of(path)
    inside = path.startswith("rulerank/")
    wrong = []
    for line, name in imported(path, source):
        top, *below = name.split(".")
        if top in sys.stdlib_module_names:
            continue
        if not inside:
            if top not in HOUSE[room]:
                wrong.append(f"{path}:{line}: {room} may not import {name}")
            elif top == "rulerank" and below[:1] == ["cli"]:
                wrong.append(f"{path}:{line}: nothing imports the command line, but for its own start ({name})")
            elif top == room == "db":
                folder = Path(path).parts[1]
                if folder in DATABASE and not set(below[:1]) <= DATABASE[folder]:
                    wrong.append(f"{path}:{line}: db/{folder} may not import {name}")
        elif top != "rulerank":
            if (path, name) == BRIDGE:
                continue
            if top in OURS or top not in third_parties(path):
                wrong.append(f"{path}:{line}: the library may not import {name} here")
        else:
            other = below[0] if below else ""
            if room in ROOMS:
                if other != room and other not in ROOMS[room]:
                    wrong.append(f"{path}:{line}: {room} may not import {name}")
            elif other == "cli" and room not in ("cli", "__main__"):
                wrong.append(f"{path}:{line}: nothing imports the command line, but for its own start ({name})")
    return wrong


def misplaced(path: str, source: str) -> bool:
    """Whether a file below pages/ draws nothing: what needs neither Streamlit nor Plotly belongs to the library."""
    file = Path(path)
    if file.parts[0] != "pages" or file.parts[1] == "gate" or file.name == "__init__.py":
        return False
    own = file.name in SERVICES and (ROOT / file.parent / "page.py").exists()
    return not own and not {name.split(".")[0] for _, name in imported(path, source)} & {"streamlit", "plotly"}


def sources() -> list[str]:
    folders = ("rulerank", "db", "pages")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py")] + list(ROOT.glob("app.py"))
    return sorted(file.relative_to(ROOT).as_posix() for file in files)


@pytest.mark.parametrize("path", sources())
def test_imports_follow_the_plan(path):
    assert violations(path, (ROOT / path).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", [path for path in sources() if path.startswith("pages/")])
def test_what_draws_nothing_is_not_among_the_screens(path):
    assert not misplaced(path, (ROOT / path).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("path", "source", "refused"),
    [
        ("pages/progress/data.py", "import numpy as np\nfrom rulerank.campaign import OpenCampaign", True),
        ("pages/shared/words.py", "from pages import context", True),
        ("pages/shared/service.py", "import json", True),
        ("pages/charts/data.py", "if TYPE_CHECKING:\n    import streamlit as st", True),
        ("pages/label/service.py", "import json", False),
        ("pages/shared/layout.py", "import streamlit as st", False),
        ("pages/charts/bars.py", "def bars():\n    import plotly.graph_objects as go", False),
        ("pages/gate/headers.py", "import ipaddress", False),
        ("pages/label/__init__.py", "", False),
    ],
)
def test_the_check_knows_what_draws(path, source, refused):
    assert misplaced(path, source) == refused


def test_every_room_is_looked_at():
    rooms = {room_of(path) for path in sources()}
    assert {"collection", "discretize", "letor", "metrics", "ranking", "rules", "sampling", "cli"} <= rooms
    assert "rulerank/rules/index.py" in sources()


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("rulerank/rules/new.py", "import streamlit"),
        ("rulerank/rules/new.py", "import sqlalchemy.orm as orm"),
        ("rulerank/rules/new.py", "from rulerank.ranking import LRAR"),
        ("rulerank/rules/new.py", "from rulerank import sampling"),
        ("rulerank/rules/new.py", "import rulerank"),
        ("rulerank/rules/new.py", "from ..ranking import base"),
        ("rulerank/rules/new.py", "from .. import metrics"),
        ("rulerank/rules/new.py", "import importlib\nimportlib.import_module('rulerank.cli')"),
        ("rulerank/rules/new.py", "__import__('plotly')"),
        ("rulerank/rules/new.py", "def later():\n    from rulerank.sampling.ssar import SSAR"),
        ("rulerank/rules/new.py", "if TYPE_CHECKING:\n    from rulerank.sampling.ssar import SSAR"),
        ("rulerank/rules/new.py", "import numpy, lightgbm"),
        ("rulerank/ranking/new.py", "from rulerank.sampling import SSAR"),
        ("rulerank/ranking/new.py", "from rulerank.discretize import Tube"),
        ("rulerank/sampling/new.py", "from rulerank.metrics import evaluate"),
        ("rulerank/discretize/new.py", "from rulerank.rules.items import as_items"),
        ("rulerank/metrics/new.py", "from rulerank.collection import Collection"),
        ("rulerank/letor/new.py", "from rulerank.rules import RuleIndex"),
        ("rulerank/kernels.py", "from rulerank.rules import RuleIndex"),
        ("rulerank/registry.py", "from rulerank.ranking import LRAR"),
        ("rulerank/simulate.py", "from rulerank.cli import main"),
        ("rulerank/simulate.py", "import typer"),
        ("rulerank/simulate/runner.py", "import lightgbm"),
        ("rulerank/rules/new.py", "import bm25s"),
        ("rulerank/prepare/new.py", "from rulerank.ranking import LRAR"),
        ("rulerank/text/new.py", "from rulerank.prepare import prepare"),
        ("rulerank/simulate/runner.py", "from rulerank.campaign import Campaign"),
        ("rulerank/ranking/new.py", "from rulerank.simulate import run"),
        ("rulerank/campaign/new.py", "from rulerank.simulate.learners import learners"),
        ("rulerank/simulate.py", "import db.store.tables"),
        ("rulerank/cli/select.py", "import lightgbm"),
        ("rulerank/cli/select.py", "import pages"),
        ("rulerank/cli/select.py", "import importlib\nimportlib.import_module('db.commands')"),
        ("rulerank/cli/database.py", "from db.people.accounts import People"),
        ("db/store/tables.py", "import streamlit"),
        ("db/store/tables.py", "from pages import main"),
        ("db/store/tables.py", "from rulerank.cli import main"),
        ("db/store/new.py", "from db.people.accounts import People"),
        ("db/people/new.py", "from db.jobs.queue import Jobs"),
        ("pages/label/page.py", "from db.store.tables import User"),
        ("pages/label/page.py", "import sqlalchemy"),
        ("app.py", "import lightgbm"),
    ],
)
def test_the_check_finds_what_is_not_allowed(path, source):
    found = violations(path, source)
    assert len(found) == 1
    assert found[0].startswith(f"{path}:")


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (
            "rulerank/rules/new.py",
            "import os, numpy as np\nfrom numba import njit\nfrom rulerank.errors import InputError",
        ),
        (
            "rulerank/rules/new.py",
            "from rulerank.rules.items import Items\nfrom . import bits\nfrom .bits import popcount",
        ),
        ("rulerank/rules/new.py", "from rulerank import errors"),
        ("rulerank/ranking/new.py", "from rulerank.rules import PoolScores"),
        ("rulerank/sampling/new.py", "from rulerank.ranking.base import normalise\nimport pandas"),
        ("rulerank/simulate.py", "from rulerank.sampling import SSAR\nfrom rulerank.metrics import evaluate"),
        ("rulerank/cli/select.py", "import typer\nfrom rich.table import Table\nfrom rulerank.sampling import SSAR"),
        ("rulerank/simulate/learners/new.py", "import lightgbm, sklearn.svm"),
        ("rulerank/cli/bench.py", "import lightgbm, ranx"),
        ("rulerank/prepare/new.py", "import bm25s, charset_normalizer\nfrom rulerank.text import Analyser"),
        ("rulerank/bench/others.py", "import pytrec_eval"),
        ("rulerank/__main__.py", "from rulerank.cli import main"),
        ("rulerank/cli/database.py", "import importlib\nimportlib.import_module('db.commands')"),
        (
            "db/jobs/worker.py",
            "import sqlite3\nfrom sqlalchemy import select\nfrom rulerank.campaign import LabelLog\nimport db.log",
        ),
        ("pages/label/page.py", "import streamlit as st\nfrom pages.shared import layout\nimport rulerank"),
        ("app.py", "import streamlit\nfrom db import tables\nfrom pages import main"),
    ],
)
def test_the_check_lets_pass_what_is_allowed(path, source):
    assert violations(path, source) == []


def test_importing_rulerank_is_light():
    """Names are loaded when they are first used: the heavy packages stay out until then."""
    heavy = ("numba", "llvmlite", "pandas", "sklearn", "scipy", "numpy")
    program = f"import sys, rulerank; dir(rulerank); print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_ranking_and_sampling_do_not_load_what_they_do_not_need():
    program = (
        "import sys, rulerank; rulerank.sampling.SSAR, rulerank.ranking.LRAR, rulerank.metrics;"
        "print([name for name in ('pandas', 'sklearn', 'typer', 'rich') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_can_be_had():
    import rulerank

    assert set(dir(rulerank)) == set(rulerank.__all__)
    for name in rulerank.__all__:
        assert getattr(rulerank, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        rulerank.nonsense  # noqa: B018
