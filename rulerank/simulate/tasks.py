"""A plan and its data as independent tasks, each with a key that says all that its result rests on, code included."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rulerank.registry import discretizers, samplers
from rulerank.simulate.data import Dataset
from rulerank.simulate.learners import all_rankers
from rulerank.simulate.plan import Plan
from rulerank.strategy import Strategy


def fingerprint(modules: Iterable[str]) -> str:
    """Return a hash of the sources of modules and of everything of this package that they import, and so on.

    So a changed sampler is run again, and the others' results stay.
    """
    found: set[str] = set()
    waiting = sorted(modules)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _imports(name)
    digest = hashlib.sha256()
    for name in sorted(found):
        digest.update(f"{name} {_source_hash(name)}\n".encode())
    return digest.hexdigest()


@cache
def _path(module: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):  # a name within a module, or a module made by hand
        return None
    path = Path(spec.origin) if spec is not None and spec.origin else None
    return path if path is not None and path.is_file() else None


@cache
def _source_hash(module: str) -> str:
    path = _path(module)
    return hashlib.sha256(path.read_bytes()).hexdigest() if path else ""


@cache
def _imports(module: str) -> tuple[str, ...]:
    """Return what a module imports of the package it belongs to, anywhere in it."""
    path = _path(module)
    if path is None or path.suffix != ".py":
        return ()
    top = module.split(".", maxsplit=1)[0]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            names += [start, *(f"{start}.{alias.name}" for alias in node.names)]
    return tuple(name for name in dict.fromkeys(names) if name.split(".")[0] == top and name != top and _path(name))


FORMAT = 1
"""Of the task files; another number makes old files unknown."""

CODE = ("rulerank.curves", "rulerank.metrics", "rulerank.simulate.data", "rulerank.simulate.outcome")
"""What every task runs, beside its strategies."""


@dataclass(frozen=True)
class Task:
    """One piece of work: a sampler's run on a fold with a seed, or (sampler None) a ranker with all labels.

    `name` is the name of its file: readable, and with a hash of everything that the result rests on.

    >>> from rulerank.simulate import Dataset, Plan
    >>> from rulerank.synthetic import planted_collection
    >>> data = Dataset.from_collection(planted_collection(queries=4, documents=6), folds=2)
    >>> first = tasks_of(Plan(samplers=("ssar",), budget=8), data)[0]
    >>> first.fold, first.is_ceiling, first.rankers[0].key
    (1, True, 'weighted_items')
    """

    name: str
    fold: int
    sampler: Strategy | None
    seed: int | None
    rankers: tuple[Strategy, ...]

    @property
    def is_ceiling(self) -> bool:
        """Say whether it is about all labels instead of a selection."""
        return self.sampler is None

    def to_dict(self) -> dict[str, Any]:
        """Return the task as plain JSON types."""
        return {
            "name": self.name,
            "fold": self.fold,
            "sampler": self.sampler.to_dict() if self.sampler else None,
            "seed": self.seed,
            "rankers": [ranker.to_dict() for ranker in self.rankers],
        }

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Task:
        """Rebuild what `to_dict` returned."""
        return cls(
            saved["name"],
            saved["fold"],
            Strategy.from_dict(saved["sampler"]) if saved["sampler"] else None,
            saved["seed"],
            tuple(Strategy.from_dict(ranker) for ranker in saved["rankers"]),
        )


def tasks_of(plan: Plan, data: Dataset) -> list[Task]:
    """Return the tasks of a plan: the ceilings first, then seed by seed, so that a cut run is of use."""
    labels = plan.labels(len(split.pool) for split in data.splits)
    shared = {
        "format": FORMAT,
        "discretizer": plan.discretizer.to_dict(),
        "metrics": plan.metrics,
        "convention": plan.convention,
    }
    along = {"grid": plan.grid(labels), "beyond_stop": plan.beyond_stop}
    tasks = []
    for split in data.splits:
        for ranker in plan.rankers:
            key = _key({**shared, "data": split.hash, **_named((ranker,))}, plan, None, (ranker,))
            tasks.append(
                Task(f"fold{split.number}-all-labels-{_slug(ranker.key)}-{key}", split.number, None, None, (ranker,))
            )
    runs = [(seed, sampler) for sampler in plan.samplers for seed in plan.seeds_of(sampler)]
    for seed, sampler in sorted(runs, key=lambda run: -1 if run[0] is None else run[0]):
        for split in data.splits:
            run = {"sampler": [sampler.name, dict(sampler.params)], "seed": seed, **_named(plan.rankers)}
            key = _key({**shared, **along, "data": split.hash, **run}, plan, sampler, plan.rankers)
            which = "" if seed is None else f"-seed{seed}"
            name = f"fold{split.number}-{_slug(sampler.key)}{which}-{key}"
            tasks.append(Task(name, split.number, sampler, seed, plan.rankers))
    return tasks


def _named(rankers: Sequence[Strategy]) -> dict[str, Any]:
    return {"rankers": [[ranker.name, dict(ranker.params)] for ranker in rankers]}


def _key(settings: dict[str, Any], plan: Plan, sampler: Strategy | None, rankers: Sequence[Strategy]) -> str:
    """Return a short hash of the settings and of the code they run."""
    modules = {*CODE}
    modules.add(discretizers[plan.discretizer.name].__module__)
    modules |= {all_rankers[ranker.name].__module__ for ranker in rankers}
    if sampler is not None:
        modules.add(samplers[sampler.name].__module__)
    text = json.dumps({**settings, "code": fingerprint(modules)}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9._=]+", "-", text.lower())[:60].strip("-")
