"""Files are written whole or not at all, and compressed ones are recognised by their first bytes."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import stat
import zipfile

import pytest

from rulerank.errors import InputError
from rulerank.files import BrokenStreamError, open_source, whole_path, without_packing, write_whole

PACKERS = {"gzip": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress, "plain": bytes}


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_interrupted_file_leaves_what_was_there(tmp_path, error):
    target = tmp_path / "out.txt"
    target.write_text("old")

    def interrupted() -> None:
        with whole_path(target) as path:
            path.write_text("half")
            raise error

    with pytest.raises(error):
        interrupted()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    write_whole(tmp_path / "a.txt", b"one")
    with pytest.raises(InputError, match=r"cannot be written: the folder .*missing does not exist"):
        write_whole(tmp_path / "missing" / "a.txt", b"two")
    with pytest.raises(InputError, match="it is a folder"):
        write_whole(tmp_path, b"two")
    with pytest.raises(InputError, match="null"):
        write_whole("a\0b", b"two")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_the_temporary_name_keeps_the_ending_and_may_be_long(tmp_path):
    target = tmp_path / f"{'x' * 240}.txt.gz"
    with whole_path(target) as path:
        assert path.name.endswith(".txt.gz")
        assert path.parent == tmp_path
        path.write_bytes(b"")
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_a_replaced_file_keeps_its_mode_and_its_link(tmp_path):
    target, link = tmp_path / "real", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o600)
    link.symlink_to(target)
    write_whole(link, b"new")
    assert (link.is_symlink(), target.read_bytes(), stat.S_IMODE(target.stat().st_mode)) == (True, b"new", 0o600)
    write_whole(os.devnull, b"gone")
    assert not os.path.isfile(os.devnull)


@pytest.mark.parametrize("kind", PACKERS)
def test_compression_is_detected_from_the_first_bytes(tmp_path, kind):
    path = tmp_path / "named.txt"
    path.write_bytes(PACKERS[kind](b"1 qid:1 1:0.5\n" * 1000))
    with open_source(path) as stream:
        assert stream.read(1 << 20) == b"1 qid:1 1:0.5\n" * 1000
        assert stream.done() == stream.total == path.stat().st_size


def test_a_zip_holds_one_file_beside_what_packers_add(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("folder/a.txt", "__MACOSX/a.txt", "folder/.DS_Store"):
            archive.writestr(name, name)
    with open_source(path) as stream:
        assert stream.read(100) == b"folder/a.txt"


@pytest.mark.parametrize("kind", ["gzip", "xz", "bz2"])
def test_a_file_that_ends_too_soon_is_broken(tmp_path, kind):
    path = tmp_path / "a"
    path.write_bytes(PACKERS[kind](os.urandom(10_000))[:-20])
    with open_source(path) as stream, pytest.raises(BrokenStreamError, match=f"the {kind} data end too soon"):
        stream.read(1 << 20)


def test_endings_of_compressions_are_taken_off():
    assert without_packing("A.csv.GZ") == "a.csv"
    assert without_packing("a.csv.zip", (".gz",)) == "a.csv.zip"
