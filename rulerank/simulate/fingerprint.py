"""The code that a result rests on, as a hash: results of other code are not taken for results of this one."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
from collections.abc import Iterable
from functools import cache
from pathlib import Path


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
