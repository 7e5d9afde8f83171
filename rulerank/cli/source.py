"""How the commands read collections and make items of them."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np

from rulerank.cli.output import progress, stderr
from rulerank.collection import Collection
from rulerank.discretize import Discretizer, informative_features
from rulerank.errors import InputError
from rulerank.letor import read_letor
from rulerank.registry import discretizers
from rulerank.rules.items import Items


def read(paths: list[Path], *, quiet: bool = False) -> Collection:
    """Read one or several LETOR files as one collection, and say on standard error what was odd about them."""
    parts = []
    with progress("reading", len(paths), quiet=quiet) as advance:
        for path in paths:
            parts.append(read_letor(path))
            advance(1)
    collection = parts[0] if len(parts) == 1 else Collection.concat(parts)
    if not quiet:
        for warning in collection.warnings:
            stderr.print(f"[yellow]note:[/yellow] {warning}", soft_wrap=True)
    return collection


def make(kind: Any, **settings: Any) -> Any:
    """Make a strategy, giving it those of the settings that it has and that are not None."""
    known = inspect.signature(kind).parameters
    return kind(**{name: value for name, value in settings.items() if name in known and value is not None})


def discretizer_for(collection: Collection, method: str, bins: int | None) -> Discretizer:
    """Fit the named discretiser to a collection."""
    fitted: Discretizer = make(discretizers[method], bins=bins)
    numbered = all(name == str(place) for place, name in enumerate(collection.feature_names, 1))
    names = None if numbered else collection.feature_names
    fitted.fit(collection.features, collection.grades, feature_names=names)
    return fitted


def load_discretizer(path: Path) -> Discretizer:
    """Read edges that `rulerank discretize --edges` wrote."""
    try:
        return Discretizer.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} is not a file of edges as `rulerank discretize --edges` writes it: {error}"
        ) from error


def useful_items(fitted: Discretizer, collection: Collection) -> tuple[Items, np.ndarray]:
    """Return the items of the features that take more than one value in the collection, and which those are.

    A feature with one value in the whole pool carries no information and is left out.
    """
    items = fitted.transform(collection.features)
    useful = np.flatnonzero(informative_features(items))
    if not useful.size:
        raise InputError("every feature has a single value, so no document can be told from another")
    return np.ascontiguousarray(items[:, useful]), useful
