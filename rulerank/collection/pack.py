"""Collections as bytes: rows in compressed pieces, for a database to keep; what comes back is equal, bit for bit."""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from rulerank.collection.codes import Array
from rulerank.collection.collection import Collection


def pack_rows(collection: Collection, start: int, stop: int) -> bytes:
    """Return rows start to stop as bytes."""
    rows = slice(start, stop)
    # JSON escapes whatever a file's comment held, odd bytes included.
    comments = np.frombuffer(json.dumps(collection.comments[rows]).encode(), np.uint8)
    arrays: dict[str, Any] = {
        "features": collection.features[rows],
        "grades": collection.grades[rows],
        "query_index": collection.query_index[rows],
        "comments": comments,
    }
    if collection.missing is not None:
        arrays["missing"] = collection.missing[rows]
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return zlib.compress(buffer.getvalue(), 1)


def unpack_rows(pieces: Iterable[bytes], queries: Iterable[str], feature_names: Iterable[str]) -> Collection:
    """Return the collection that `pack_rows` took apart, from its pieces in order."""
    parts = []
    for piece in pieces:
        with np.load(io.BytesIO(zlib.decompress(piece)), allow_pickle=False) as found:
            parts.append({name: found[name] for name in found.files})
    missing = None
    if any("missing" in part for part in parts):
        blank = [part.get("missing", np.zeros(part["features"].shape, np.uint8)) for part in parts]
        missing = np.concatenate(blank)
    return Collection(
        np.concatenate([part["features"] for part in parts]),
        np.concatenate([part["grades"] for part in parts]),
        np.concatenate([part["query_index"] for part in parts]),
        tuple(queries),
        tuple(comment for part in parts for comment in json.loads(part["comments"].tobytes())),
        missing,
        tuple(feature_names),
    )


def pack_numbers(numbers: Iterable[int]) -> bytes:
    """Return row numbers as bytes."""
    return zlib.compress(np.fromiter(numbers, "<i4").tobytes())


def unpack_numbers(data: bytes) -> Array:
    """Return the row numbers that `pack_numbers` packed."""
    return np.frombuffer(zlib.decompress(data), "<i4")
