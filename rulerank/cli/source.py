"""How the commands read collections and make items of them."""

from __future__ import annotations

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
from rulerank.registry import Registry, discretizers
from rulerank.strategy import Strategy


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


def named(registry: Registry[Any], text: str, **flags: Any) -> Strategy:
    """Return the strategy that a text names, such as `ssarp:partitions=8`.

    Of the command's flags it gets those that it has as parameters, unless they are None or the text gives them itself.
    """
    read = Strategy.parse(text)
    has = registry[read.name].has_param
    given = {name: value for name, value in flags.items() if value is not None and has(name)}
    return Strategy(read.name, {**given, **read.params}, read.seeds)


def make(registry: Registry[Any], text: str, **flags: Any) -> Any:
    """Make an object of the strategy that a text names, with those of the flags that it has as parameters."""
    return named(registry, text, **flags).make(registry)


def discretizer_for(collection: Collection, method: str, bins: int | None) -> Discretizer:
    """Fit the named discretizer to a collection."""
    fitted: Discretizer = make(discretizers, method, bins=bins)
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
