"""What cannot be read: each gets a message that says what, where and how to mend it, and nothing is written."""

from __future__ import annotations

import gzip
import json
import zipfile

import numpy as np
import pytest
from typer.testing import CliRunner

from rulerank.cli.program import app
from rulerank.errors import InputError, RulerankError
from rulerank.foreign.encodings import given_encoding, is_binary
from rulerank.prepare import BadRecordsError, TextReading, files_of, read_collection

DOCUMENTS = "\n".join(json.dumps({"_id": f"D{n}", "title": "wing", "text": "flutter of wings"}) for n in range(50))
QUERY = json.dumps({"_id": "q1", "text": "wing flutter"})
GOOD = {"corpus.jsonl": DOCUMENTS, "queries.jsonl": QUERY}


def packed(path, files) -> bytearray:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return bytearray(path.read_bytes())


def with_flag(data: bytearray, local: int, central: int, value: int) -> bytes:
    """Change a byte of every header, in front of the files and in the directory."""
    for magic, offset in ((b"PK\x03\x04", local), (b"PK\x01\x02", central)):
        at = data.find(magic)
        while at >= 0:
            data[at + offset] = value
            at = data.find(magic, at + 4)
    return bytes(data)


def broken(data: bytearray) -> bytes:
    data[60:90] = b"\xff" * 30
    return bytes(data)


ZIPS = {
    "locked": (GOOD, lambda data: with_flag(data, 6, 8, 1), "corpus.jsonl in it has a password; unpack it first"),
    "unknown packing": (GOOD, lambda data: with_flag(data, 8, 10, 99), "cannot be unpacked .*; pack it again"),
    "cut off": (GOOD, lambda data: bytes(data[: len(data) // 2]), "ends too soon or is damaged.* pack it again"),
    "without its end": (GOOD, lambda data: bytes(data[:-8]), "ends too soon or is damaged.* pack it again"),
    "damaged inside": (GOOD, broken, r"corpus\.jsonl:1: the zip is damaged .*; fetch or pack it again"),
    "no zip": (GOOD, lambda data: b"hello", "or is none .*; fetch or pack it again"),
    "empty": ({}, bytes, "holds no file"),
    "upwards": ({"../../corpus.jsonl": DOCUMENTS}, bytes, "points outside of the zip.* Pack the folder again"),
    "absolute": ({"/etc/corpus.jsonl": DOCUMENTS}, bytes, "points outside of the zip"),
    "of Windows": ({"C:\\corpus.jsonl": DOCUMENTS}, bytes, "points outside of the zip"),
    "upwards in Windows": ({"a\\..\\..\\corpus.jsonl": DOCUMENTS}, bytes, "points outside of the zip"),
}


@pytest.mark.parametrize("kind", ZIPS)
def test_zips(kind, tmp_path):
    files, change, words = ZIPS[kind]
    path = tmp_path / "texts.zip"
    path.write_bytes(change(packed(path, files)))
    out = tmp_path / "out"
    out.mkdir()
    found = CliRunner().invoke(app, ["prepare", str(path), "--out", str(out / "x.letor")])
    assert isinstance(found.exception, RulerankError), found.exception
    with pytest.raises(RulerankError, match=words) as caught:
        raise found.exception
    assert "texts.zip" in str(caught.value) or "corpus.jsonl:" in str(caught.value)
    assert list(out.iterdir()) == []


def test_a_good_zip_is_read_whatever_it_is_called(tmp_path):
    packed(tmp_path / "texts.zip", GOOD)
    (tmp_path / "texts.zip").rename(tmp_path / "texts.bin")
    assert len(read_collection(tmp_path / "texts.bin").documents) == 50


def test_empty_folders(tmp_path):
    (tmp_path / ".hidden").write_text("x")
    for place in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(InputError, match="give the folder that holds the texts"):
            files_of(place)


def write(folder, documents: bytes, queries: bytes = b"1\tK\xc3\xa4se\n") -> object:
    (folder / "documents.tsv").write_bytes(documents)
    (folder / "queries.tsv").write_bytes(queries)
    return folder


@pytest.mark.parametrize(
    ("documents", "words"),
    [
        (
            "1\tKäse\tKäse\n2\tß\tüber\n".encode() + "3\tö\tö\n".encode("cp1252"),
            r"documents\.tsv:3: column 3: byte .* is not UTF-8",
        ),
        ("1\tKäse\tKäse\n2\tb\tc\n".encode("utf-16")[:-1], r"documents\.tsv:2: column 6: .* not UTF-16-LE"),
        (np.random.default_rng(0).bytes(4000), r"documents\.tsv: this is no text"),
        (b"1\ta\tb\n" + b"\0" * 1000, r"documents\.tsv: this is no text"),
        (b"", r"documents\.tsv:1: the file is empty"),
        (gzip.compress(b"1\ta\tb\n" * 9000)[:60], r"^documents\.tsv:1: the gzip data end too soon [^\n]*again$"),
    ],
    ids=["a line of another encoding", "half a character", "noise", "zeros", "nothing", "half of a gzip"],
)
def test_texts_that_cannot_be_read(tmp_path, documents, words):
    with pytest.raises(RulerankError, match=words):
        read_collection(write(tmp_path, documents))


def test_a_given_encoding_that_does_not_fit_is_told_by_line(tmp_path):
    folder = write(tmp_path, "1\tKäse\tKäse\n".encode("cp1252"))
    with pytest.raises(
        BadRecordsError, match=r"documents\.tsv:1: column 4: byte E4 is not ASCII, which was named as the encoding"
    ):
        read_collection(folder, TextReading(encoding="ascii"))
    for name in ("nonsense", "base64", "idna", "undefined", "zlib"):
        with pytest.raises(InputError, match=f"no encoding is named '{name}'; try utf-8"):
            read_collection(folder, TextReading(encoding=name))


@pytest.mark.parametrize("written", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_given_encoding_skips_the_mark(tmp_path, written):
    text = "1\tKäse\t漢字 und Käse\n"
    given = "utf-16-be" if written == "utf-16-be" else written.removesuffix("-sig").removesuffix("-le")
    folder = write(tmp_path, text.encode(written), "1\tKäse\n".encode(written))
    found = read_collection(folder, TextReading(encoding=given))
    assert list(found.documents) == ["1"]
    assert found.documents["1"].title == "Käse"
    assert list(found.queries) == ["1"]


def test_texts_of_any_alphabet_are_no_noise():
    for text in ("Käse\r\n", "漢字かな", "русский", "עברית\f", "a\tb\n"):
        for name in ("utf-8", "cp1252", "shift_jis", "gb18030", "koi8-r", "cp1255", "iso2022_jp"):
            assert not is_binary(text.encode(name, "ignore"))
    assert given_encoding("latin-1").label == "ISO8859-1"
