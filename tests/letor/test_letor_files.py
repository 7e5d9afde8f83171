"""Paths and streams: compression, archives, text and raw streams, and writing whole or not at all."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import zipfile

import numpy as np
import pytest

from rulerank.collection import Collection
from rulerank.errors import InputError, LetorFormatError
from rulerank.letor import read_letor, write_letor

DATA = "".join(f"{r % 3} qid:{r // 50} 1:{r}.25 2:NULL #docid = é{r}\n" for r in range(20_000)).encode()


@pytest.fixture(scope="module")
def collection() -> Collection:
    return read_letor(io.BytesIO(DATA))


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


class Trickle(io.RawIOBase):
    """A stream that cannot seek and gives little at a time."""

    def __init__(self, data: bytes) -> None:
        self._inner = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def tell(self) -> int:
        raise io.UnsupportedOperation

    def read(self, size: int = -1) -> bytes:
        return self._inner.read(min(size, 10_001))


PACKERS = {
    "plain": bytes,
    "gzip": lambda data: gzip.compress(data[:7000]) + gzip.compress(data[7000:]),
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zip": lambda data: zipped({"folder/": b"", "folder/data": data, "__MACOSX/data": b"x", "folder/.DS_Store": b"x"}),
}


@pytest.mark.parametrize("kind", PACKERS)
def test_compression_is_told_by_content(kind, tmp_path, collection):
    packed = PACKERS[kind](DATA)
    path = tmp_path / "data.bin"
    path.write_bytes(packed)
    assert read_letor(path) == collection
    assert read_letor(str(path)) == collection
    assert read_letor(io.BytesIO(packed)) == collection
    seen = []
    assert read_letor(Trickle(packed), progress=lambda *counts: seen.append(counts)) == collection
    done, total = seen[-1]
    assert done == (len(DATA) if kind == "zip" else len(packed))
    assert total == (len(DATA) if kind == "zip" else None)


@pytest.mark.parametrize("kind", ["gzip", "xz", "bz2", "zip"])
def test_damaged_archives(kind):
    packed = PACKERS[kind](DATA)
    broken = packed[: len(packed) // 2]
    with pytest.raises(LetorFormatError, match=kind):
        read_letor(io.BytesIO(broken))
    middle = len(packed) // 2
    rotten = packed[:middle] + bytes(b ^ 0x55 for b in packed[middle : middle + 200]) + packed[middle + 200 :]
    with pytest.raises(LetorFormatError):
        read_letor(io.BytesIO(rotten))


def test_a_zip_must_hold_one_file():
    with pytest.raises(InputError, match=r"holds 2 \(S1\.txt, S2\.txt\)"):
        read_letor(io.BytesIO(zipped({"S1.txt": DATA, "S2.txt": DATA})))
    with pytest.raises(InputError, match="holds 0"):
        read_letor(io.BytesIO(zipped({})))


def test_file_objects_are_read_from_where_they_stand_and_left_open(tmp_path, collection):
    path = tmp_path / "data.txt"
    path.write_bytes(b"a first line to skip\n" + DATA)
    with path.open("rb") as file:
        file.readline()
        assert read_letor(file) == collection
        assert not file.closed
    with path.open(encoding="utf-8") as file:
        file.readline()
        assert read_letor(file) == collection
    assert read_letor(io.StringIO(DATA.decode())) == collection


def test_streams_that_cannot_be_read():
    closed = io.BytesIO(DATA)
    closed.close()
    with pytest.raises(InputError, match="cannot be read"):
        read_letor(closed)
    with pytest.raises(InputError, match="binary mode"):
        read_letor(io.TextIOWrapper(io.BytesIO(b"0 qid:1 1:1 #\xff\n"), encoding="utf-8"))
    with pytest.raises(LetorFormatError, match="1:14: byte ED is not UTF-8"):
        read_letor(io.StringIO("0 qid:1 1:1 #\ud800\n"))


@pytest.mark.parametrize("ending", [".txt", ".gz", ".xz", ".bz2", ".zip", ".txt.zip", ""])
def test_a_path_is_compressed_by_its_ending(ending, tmp_path, collection):
    path = tmp_path / f"out{ending}"
    write_letor(collection, path)
    first = path.read_bytes()
    assert (len(first) < len(DATA) / 2) == (ending not in (".txt", ""))
    assert read_letor(path) == collection
    write_letor(collection, str(path))
    assert path.read_bytes() == first
    assert os.listdir(tmp_path) == [path.name]
    if ending.endswith(".zip"):
        assert zipfile.ZipFile(path).namelist() == ["out.txt"]


def test_text_and_binary_targets(tmp_path, collection):
    binary, text = io.BytesIO(), io.StringIO()
    write_letor(collection, binary)
    write_letor(collection, text)
    assert binary.getvalue() == text.getvalue().encode()
    path = tmp_path / "out.txt"
    with path.open("w", encoding="utf-8") as file:
        write_letor(collection, file)
    assert path.read_bytes() == binary.getvalue()
    with path.open("wb", buffering=0) as raw:
        write_letor(collection, raw)
    assert path.read_bytes() == binary.getvalue()
    with path.open("w", encoding="ascii") as file, pytest.raises(InputError, match="binary mode"):
        write_letor(collection, file)
    with pytest.raises(InputError, match="not int"):
        write_letor(collection, 7)  # type: ignore[arg-type]


@pytest.mark.parametrize("ending", [".txt", ".gz", ".zip"])
@pytest.mark.parametrize("stop", [KeyboardInterrupt, RuntimeError])
def test_an_interrupted_write_leaves_the_old_file(ending, stop, tmp_path, collection, monkeypatch):
    path = tmp_path / f"out{ending}"
    path.write_bytes(b"old")

    def lines(*args):
        yield b"half a file"
        raise stop

    monkeypatch.setattr("rulerank.letor.write._lines", lines)
    with pytest.raises(stop):
        write_letor(collection, path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == [path.name]


def test_mode_and_links_are_kept(tmp_path, collection):
    path = tmp_path / "real.txt"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link = tmp_path / "link.txt"
    link.symlink_to(path)
    write_letor(collection, link)
    assert link.is_symlink()
    assert read_letor(path) == collection
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_paths_that_cannot_be_written(tmp_path, collection):
    with pytest.raises(InputError, match="cannot be written"):
        write_letor(collection, tmp_path / "no" / "such" / "folder.txt")
    with pytest.raises(InputError, match="cannot be written"):
        write_letor(collection, tmp_path)
    write_letor(collection, os.devnull)
    assert not os.path.isfile(os.devnull)
    assert os.listdir(tmp_path) == []


def test_wide_rows_are_written_one_by_one():
    values = np.arange(3 * 20_000, dtype=float).reshape(3, -1) / 8
    wide = Collection.from_arrays(values, ["1", "1", "2"])
    out = io.BytesIO()
    write_letor(wide, out)
    assert read_letor(io.BytesIO(out.getvalue())) == wide
