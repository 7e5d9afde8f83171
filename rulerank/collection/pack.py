"""Collections as bytes: rows in compressed pieces, checked before use; what comes back is equal, bit for bit."""

from __future__ import annotations

import io
import json
import math
import zipfile
import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from math import prod
from typing import IO, Any

import numpy as np

from rulerank.collection.collection import Collection
from rulerank.collection.fields import Array, seal
from rulerank.errors import InputError
from rulerank.foreign.storable import readable
from rulerank.memory import MemoryLimit, memory_limit

PART = 1 << 20  # bytes
ROOM_FOR_COMMENTS = 1 << 28  # bytes: what a piece may unpack to beyond its numbers
SHAPES = {"features": 2, "missing": 2, "grades": 1, "query_index": 1, "comments": 1}


def check_piece(data: bytes, rows: int, features: int) -> None:
    """Raise an error unless bytes are what `pack_rows` returns: the arrays of so many rows, and nothing besides."""
    piece = inflate(data, rows * (features * 9 + 20) + ROOM_FOR_COMMENTS)
    try:
        with zipfile.ZipFile(io.BytesIO(piece)) as archive:
            names = {name.removesuffix(".npy") for name in archive.namelist()}
            if len(archive.namelist()) != len(names) or not SHAPES.keys() - {"missing"} <= names <= SHAPES.keys():
                raise InputError(f"it holds {', '.join(sorted(names)) or 'nothing'}, not the arrays of a collection")
            for info in archive.infolist():
                _check_array(archive, info, info.filename.removesuffix(".npy"), rows, features)
            if archive.testzip() is not None:
                raise InputError("its checksums are wrong")
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, OSError) as error:
        raise InputError(f"it cannot be read: {error}") from error


def _check_array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, rows: int, features: int) -> None:
    if info.compress_type != zipfile.ZIP_STORED:
        raise InputError(f"{name} is compressed twice")
    with archive.open(info) as file:
        version = np.lib.format.read_magic(file)
        if version != (1, 0):
            raise InputError(f"{name} is written in another format")
        shape, _, kind = np.lib.format.read_array_header_1_0(file)
        wanted = (rows, features)[: SHAPES[name]]
        if kind.hasobject or (name != "comments" and shape != wanted) or len(shape) != SHAPES[name]:
            raise InputError(f"{name} has the shape {shape} instead of {wanted}")
        if prod(shape) * kind.itemsize != info.file_size - file.tell():
            raise InputError(f"{name} is not as large as it says")
        if name == "comments":
            comments = json.loads(file.read())
            right = isinstance(comments, list) and all(isinstance(each, str) for each in comments)
            if not right or len(comments) != rows:
                raise InputError(f"its comments are not {rows} texts")


def check_numbers(data: bytes) -> None:
    """Raise an error unless bytes are what `pack_numbers` returns of row numbers that rise."""
    last = -1
    for part in inflated(data):
        if len(part) % 4:
            raise InputError("it should be whole numbers of four bytes each")
        numbers = np.frombuffer(part, "<i4")
        if int(numbers[0]) <= last or (numbers[1:] <= numbers[:-1]).any():
            raise InputError("it should be row numbers that rise")
        last = int(numbers[-1])


def inflated(data: bytes) -> Iterator[bytes]:
    """Yield what zlib compressed in parts of a million bytes: a few bytes may claim to be gigabytes."""
    unpacking = zlib.decompressobj()
    kept = b""
    while not unpacking.eof:
        try:
            found = unpacking.decompress(data, PART - len(kept))
        except zlib.error as error:
            raise InputError(f"it is not compressed as it should be ({error})") from error
        data = unpacking.unconsumed_tail
        if not found and not unpacking.eof:
            raise InputError("it is cut off")
        kept += found
        if len(kept) == PART or (unpacking.eof and kept):
            yield kept
            kept = b""
    if unpacking.unused_data:
        raise InputError("something follows it")


def inflate(data: bytes, most: int) -> bytes:
    """Return what zlib compressed if it is at most so many bytes."""
    parts, size = [], 0
    for part in inflated(data):
        size += len(part)
        if size > most:
            raise InputError(f"it unpacks to more than {most} bytes")
        parts.append(part)
    return b"".join(parts)


CELLS_AT_ONCE = 1 << 22


def rows_at_once(collection: Collection, most: int) -> int:
    """Return how many rows to pack in one piece: at most so many, and fewer where rows are wide."""
    return max(min(most, CELLS_AT_ONCE // max(collection.features.shape[1], 1)), 1)


def pack_rows(collection: Collection, start: int, stop: int) -> bytes:
    """Return rows start to stop as bytes."""
    rows = slice(start, stop)
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
    return zlib.compress(buffer.getbuffer(), 1)


def unpack_rows(pieces: Iterable[bytes], queries: Iterable[str], feature_names: Iterable[str]) -> Collection:
    """Return the collection that `pack_rows` took apart, from its pieces in order.

    A piece that says it is larger than it is, or than memory allows, is refused before it is unpacked. Collections that
    were kept before texts were checked may hold bytes that are no text: they come back as `\\xe9`.
    """
    limit = memory_limit()
    unpacked = deque[dict[str, Array]]()
    size = 0
    for piece in pieces:
        unpacked.append(_arrays(piece, limit, size))
        size += sum(array.nbytes for array in unpacked[-1].values())
    names = tuple(map(readable, feature_names))
    if not unpacked:
        raise InputError("a collection is kept in pieces, and there is none")
    rows = sum(len(part["grades"]) for part in unpacked)
    features = np.empty((rows, len(names)))
    missing = np.zeros(features.shape, np.uint8) if any("missing" in part for part in unpacked) else None
    grades, index = np.empty(rows, np.int32), np.empty(rows, np.int64)
    comments: list[str] = []
    start = 0
    while unpacked:  # each piece is given up once it is copied, so that the matrix is there only once
        part = unpacked.popleft()
        stop = start + len(part["grades"])
        try:
            features[start:stop], grades[start:stop] = part["features"], part["grades"]
            index[start:stop] = part["query_index"]
            if missing is not None and "missing" in part:
                missing[start:stop] = part["missing"]
            comments += map(readable, json.loads(part["comments"].tobytes()))
        except (ValueError, TypeError, RecursionError) as error:
            raise InputError(f"the pieces of the collection do not fit together: {error}") from error
        start = stop
    arrays = (seal(features), seal(grades), seal(index))
    codes = None if missing is None else seal(missing)
    return Collection(*arrays, tuple(map(readable, queries)), tuple(comments), codes, names)


def _arrays(piece: bytes, limit: MemoryLimit, before: int) -> dict[str, Array]:
    """Return the arrays of a piece; `before` bytes of other pieces are there already."""
    what = "reading the collection"
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(piece, max(limit.bytes - before, 1))
        if stream.unconsumed_tail:
            limit.check(limit.bytes + 1, what)
        if not stream.eof:
            raise InputError("a piece of the collection ends too soon")
        found = {}
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.infolist():
                with archive.open(member) as file:
                    found[member.filename.removesuffix(".npy")] = _array(file, member.file_size)
    except (zlib.error, zipfile.BadZipFile, ValueError, EOFError, NotImplementedError, RuntimeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"a piece of the collection is damaged: {error}") from error
    if not {"features", "grades", "query_index", "comments"} <= found.keys():
        raise InputError("a piece of the collection lacks some of its arrays")
    return found


def _array(file: IO[bytes], size: int) -> Array:
    """Read an array, after making sure that its data are as many as its head says."""
    version = np.lib.format.read_magic(file)
    shape, _, dtype = np.lib.format.read_array_header_1_0(file) if version == (1, 0) else ((), False, np.dtype(object))
    if dtype.hasobject or math.prod(shape) * dtype.itemsize != size - file.tell():
        raise ValueError("an array is not as long as it says")
    file.seek(0)
    found: Array = np.lib.format.read_array(file, allow_pickle=False)
    return found


def pack_numbers(numbers: Iterable[int]) -> bytes:
    """Return row numbers as bytes."""
    return zlib.compress(np.fromiter(numbers, "<i4").tobytes())


def unpack_numbers(data: bytes) -> Array:
    """Return the row numbers that `pack_numbers` packed."""
    return np.frombuffer(zlib.decompress(data), "<i4")
