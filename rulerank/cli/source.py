"""How the commands read collections and make items of them."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from rulerank.cli.output import note, progress
from rulerank.collection import Collection
from rulerank.discretize import Discretizer
from rulerank.errors import InputError, RulerankError
from rulerank.foreign.decoding import decode_whole
from rulerank.foreign.parsing import parse_json
from rulerank.letor import read_letor
from rulerank.memory import check_memory
from rulerank.registry import discretizers


def read_text(path: Path) -> str:
    """Read a small file whole; an InputError says why it cannot be read, or where it is no text."""
    try:
        check_memory(2 * path.stat().st_size, f"{path}: a file of this size")
        return decode_whole(path.read_bytes(), str(path))
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error


def read(paths: list[Path], *, quiet: bool = False, encoding: str | None = None) -> Collection:
    """Read one or several LETOR files as one collection, and say on standard error what was odd about them."""
    parts = []
    with progress("reading", len(paths), quiet=quiet) as bar:
        for done, path in enumerate(paths, 1):
            parts.append(read_letor(path, encoding=encoding))
            bar(done)
    collection = parts[0] if len(parts) == 1 else Collection.concat(parts)
    if not quiet:
        for warning in collection.warnings:
            note(warning)
    return collection


def make(kind: Any, **settings: Any) -> Any:
    """Make a strategy, giving it those of the settings that it has and that are not None."""
    known = inspect.signature(kind).parameters
    return kind(**{name: value for name, value in settings.items() if name in known and value is not None})


def discretizer_for(collection: Collection, method: str, bins: int | None) -> Discretizer:
    """Fit the named discretizer to a collection."""
    fitted: Discretizer = make(discretizers[method], bins=bins)
    numbered = all(name == str(place) for place, name in enumerate(collection.feature_names, 1))
    names = None if numbered else collection.feature_names
    fitted.fit(collection.features, collection.grades, feature_names=names)
    return fitted


def load_discretizer(path: Path) -> Discretizer:
    """Read edges that `rulerank discretize --edges` wrote."""
    try:
        saved = parse_json(read_text(path))
        if not isinstance(saved, dict):
            raise InputError("it is no JSON object")
        return Discretizer.from_dict(saved)
    except RulerankError as error:
        raise InputError(
            f"{path} is not a file of edges as `rulerank discretize --edges` writes it: {error}"
        ) from error
