"""Read what was written and say where it is not what was meant."""

from __future__ import annotations

import io

import numpy as np

from rulerank.collection import ABSENT, Collection
from rulerank.collection.codes import Array
from rulerank.errors import RulerankError
from rulerank.letor import read_letor


def check_letor(name: str, data: bytes | memoryview, meant: Collection) -> list[str]:
    """Return every way in which a LETOR file differs from the collection it should hold, bit for bit."""
    try:
        found = read_letor(io.BytesIO(data))
    except RulerankError as exc:
        return [f"{name}: cannot be read back: {exc}"]
    return [*(f"{name}: {warning}" for warning in found.warnings), *differences(name, meant, found)]


def differences(name: str, meant: Collection, found: Collection) -> list[str]:
    """Say what differs; the names of features do not count, nor trailing features that no document has."""
    if len(found) != len(meant):
        return [f"{name}: {len(found)} documents are in the file, {len(meant)} were meant"]
    problems = []
    width = found.features.shape[1]
    if not _only_absent_beyond(meant, width):
        return [f"{name}: {width} features are in the file, {meant.features.shape[1]} were meant"]
    if found.queries != meant.queries or not np.array_equal(found.query_index, meant.query_index):
        row = _first(np.array(found.qids != meant.qids))
        problems.append(f"{name}: document {row + 1} has qid {found.qids[row]}, {meant.qids[row]} was meant")
    if not np.array_equal(found.grades, meant.grades):
        row = _first(found.grades != meant.grades)
        problems.append(f"{name}: document {row + 1} has grade {found.grades[row]}, {meant.grades[row]} was meant")
    if found.comments != meant.comments:
        row = next(k for k, pair in enumerate(zip(found.comments, meant.comments, strict=True)) if pair[0] != pair[1])
        problems.append(f"{name}: document {row + 1} has another comment than was meant")
    values = np.ascontiguousarray(meant.features[:, :width])
    wrong = values.view(np.int64) != found.features.view(np.int64)
    if meant.missing is not None or found.missing is not None:
        wrong |= _codes(meant, width) != _codes(found, width)
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        problems.append(
            f"{name}: document {row + 1}, feature {column + 1} is {_shown(found, row, column)}, "
            f"{_shown(meant, row, column)} was meant ({np.count_nonzero(wrong)} values differ)"
        )
    return problems


def _only_absent_beyond(meant: Collection, width: int) -> bool:
    """Say whether the features beyond `width` are those that a file cannot show, because no document has them."""
    if width >= meant.features.shape[1]:
        return width == meant.features.shape[1]
    return meant.missing is not None and bool((meant.missing[:, width:] == ABSENT).all())


def _first(wrong: Array) -> int:
    return int(np.flatnonzero(wrong)[0])


def _codes(collection: Collection, width: int) -> Array:
    if collection.missing is None:
        return np.zeros((len(collection), width), dtype=np.uint8)
    return collection.missing[:, :width]


def _shown(collection: Collection, row: int, column: int) -> str:
    code = 0 if collection.missing is None else int(collection.missing[row, column])
    return repr(float(collection.features[row, column])) if code == 0 else ("absent" if code == ABSENT else "NULL")
