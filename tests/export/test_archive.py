"""Zip files of packed pieces: Python's own reader finds in them what was put in, also beyond 32 bits."""

from __future__ import annotations

import io
import zipfile
import zlib

import pytest

from rulerank.export.lines import cut
from rulerank.export.packing import LIMIT, ZipWriter, is_packed, packed_in

FILES = {"a.txt": b"hello\n" * 1000, "Fold1/empty.txt": b"", "ünï.txt": bytes(range(256)) * 3000}


def archived(limit=LIMIT):
    file = io.BytesIO()
    writer = ZipWriter(file, limit)
    for name, data in FILES.items():
        writer.put(name, cut(data), zlib.crc32(data))
    writer.finish()
    return file


# With a limit of 1 every number that is not 0 goes the way of those that need more than 32 bits.
@pytest.mark.parametrize("limit", [LIMIT, 1, 5000, 100_000])
def test_python_reads_what_was_put_in(limit):
    with zipfile.ZipFile(archived(limit)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == FILES
        assert archive.testzip() is None
        for entry in archive.infolist():
            assert entry.date_time == (1980, 1, 1, 0, 0, 0)
            assert entry.external_attr >> 16 == 0o644
            assert entry.create_system == 3


def test_more_entries_than_sixteen_bits_count():
    file = io.BytesIO()
    writer = ZipWriter(file)
    for number in range(0x10001):
        writer.put(f"{number:x}", [], 0)
    writer.finish()
    with zipfile.ZipFile(file) as archive:
        assert len(archive.namelist()) == 0x10001
        assert archive.read("10000") == b""


@pytest.mark.parametrize("limit", [LIMIT, 1])
def test_packed_pieces_are_compared_byte_for_byte(limit):
    file = archived(limit)
    with zipfile.ZipFile(file) as archive:
        entries = {entry.filename: entry for entry in archive.infolist()}
    for name, data in FILES.items():
        packed = packed_in(file, entries[name])
        assert zlib.decompress(packed, -zlib.MAX_WBITS) == data
        assert is_packed(packed, cut(data))
        assert not is_packed(packed, cut(data + b"x"))
        assert not is_packed(packed, cut(b"y" + data[1:]))
        assert not is_packed(packed + b"x", cut(data))
        assert not is_packed(packed[:-1], cut(data))
    whole = bytearray(file.getvalue())
    at = entries["a.txt"].header_offset + 30 + len("a.txt") + 12  # within the packed text
    if limit == LIMIT:
        whole[at] ^= 1
        assert not is_packed(packed_in(io.BytesIO(whole), entries["a.txt"]), cut(FILES["a.txt"]))
    assert packed_in(io.BytesIO(b"PK"), entries["a.txt"]) == b""


@pytest.mark.parametrize(
    "at", [0, 6, 8, 14, 18, 22, 30], ids=["magic", "flags", "method", "crc", "packed", "size", "name"]
)
@pytest.mark.parametrize("limit", [LIMIT, 1])
def test_a_header_that_says_something_else_than_the_directory_is_seen(limit, at):
    file = archived(limit)
    with zipfile.ZipFile(file) as archive:
        entry = archive.getinfo("a.txt")
    assert packed_in(file, entry)
    whole = bytearray(file.getvalue())
    whole[entry.header_offset + at] ^= 2
    assert packed_in(io.BytesIO(whole), entry) == b""
