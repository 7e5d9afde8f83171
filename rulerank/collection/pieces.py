"""Stored pieces of collections and row numbers, checked before use: nothing is allocated that one only claims."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Iterator
from math import prod

import numpy as np

from rulerank.errors import InputError

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
