"""Stored pieces of collections: what is whole passes, and whatever is not is named before it takes memory."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
import zlib

import numpy as np
import pytest

from rulerank.collection import Collection
from rulerank.collection.pack import PART, check_numbers, check_piece, inflate, inflated, pack_numbers, pack_rows
from rulerank.errors import InputError


def arrays(**more: object) -> dict[str, object]:
    collection = Collection.from_arrays(np.arange(12.0).reshape(4, 3), ["a", "a", "b", "b"], docids="wxyz")
    comments = np.frombuffer(json.dumps(collection.comments).encode(), np.uint8)
    told = {"features": collection.features, "grades": collection.grades, "query_index": collection.query_index}
    return {**told, "comments": comments, **more}


def piece(compressed: bool = False, **more: object) -> bytes:
    buffer = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(buffer, **arrays(**more))
    return zlib.compress(buffer.getvalue())


@pytest.mark.parametrize("holes", [False, True])
def test_what_is_packed_is_right(holes):
    features = np.arange(12.0).reshape(4, 3)
    features[1, 1] = np.nan if holes else 5.0
    collection = Collection.from_arrays(features, ["a", "a", "b", "b"], docids="wxyz")
    check_piece(pack_rows(collection, 0, 4), 4, 3)
    check_piece(pack_rows(collection, 1, 3), 2, 3)
    check_piece(piece(), 4, 3)


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        (b"", "cut off"),
        (b"garbage", "not compressed as it should be"),
        (piece()[:-5], "cut off"),
        (piece() + b"x", "something follows"),
        (zlib.compress(b"no zip"), "cannot be read"),
        (piece(more=np.zeros(3)), "more"),
        (piece(compressed=True), "compressed twice"),
        (piece(features=np.zeros((3, 4))), r"features has the shape \(3, 4\) instead of \(4, 3\)"),
        (piece(grades=np.zeros(5, np.int32)), r"grades has the shape \(5,\)"),
        (piece(missing=np.zeros(4)), r"missing has the shape \(4,\)"),
        (piece(comments=np.frombuffer(b"[1, 2, 3, 4]", np.uint8)), "not 4 texts"),
        (piece(comments=np.frombuffer(b'["one"]', np.uint8)), "not 4 texts"),
        (piece(comments=np.frombuffer(b"[" * 100_000, np.uint8)), "cannot be read"),
    ],
)
def test_what_is_not_right_is_named(data, hint):
    with pytest.raises(InputError, match=hint):
        check_piece(data, 4, 3)


def test_a_piece_that_claims_to_be_larger_than_it_is_takes_no_memory():
    header = np.lib.format.header_data_from_array_1_0(np.zeros((4, 3)))
    lying = io.BytesIO()
    np.lib.format.write_array_header_1_0(lying, {**header, "descr": "|V1000000000"})
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in arrays().items():
            told = io.BytesIO()
            np.save(told, array)
            archive.writestr(f"{name}.npy", lying.getvalue() if name == "features" else told.getvalue())
    bomb = zlib.compress(bytes(50_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="features is not as large as it says"):
            check_piece(zlib.compress(buffer.getvalue()), 4, 3)
        with pytest.raises(InputError, match="more than 1000000 bytes"):
            inflate(bomb, 1_000_000)
        with pytest.raises(InputError, match="rise"):
            check_numbers(bomb)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("size", [0, 1, PART - 1, PART, PART + 1, 3 * PART])
def test_what_was_compressed_comes_back_in_parts(size):
    data = np.random.default_rng(0).bytes(size)
    parts = list(inflated(zlib.compress(data)))
    assert b"".join(parts) == data
    assert all(len(part) == PART for part in parts[:-1])


def test_row_numbers_rise():
    for right in ([], [0], [3, 4, 9], range(600_000)):
        check_numbers(pack_numbers(right))
    for wrong in ([-1], [1, 1], [2, 1], [*range(PART // 4), 5]):
        with pytest.raises(InputError, match="rise"):
            check_numbers(pack_numbers(wrong))
    with pytest.raises(InputError, match="four bytes"):
        check_numbers(zlib.compress(b"12345"))
