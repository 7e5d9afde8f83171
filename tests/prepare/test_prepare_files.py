"""Files as lines: encodings told and reported, compressed files, zips, and lines that cannot be read."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerank.errors import InputError
from rulerank.foreign.encodings import detect_encoding, given_encoding
from rulerank.prepare.files import TextLines, file_at, files_of
from rulerank.prepare.problems import BadRecordsError, EnoughProblemsError, TextProblems

GERMAN = "Die Größe der Flügel ändert den Auftrieb.\nÜber den Wölken ist die Luft dünn.\n"
RUSSIAN = "Самолёт летит над городом и садится в аэропорту.\nКрыло создаёт подъёмную силу.\n"
JAPANESE = "翼の揚力について説明する。境界層は表面から剥離する。\n情報検索の評価には適合性判定が必要である。\n"


def lines_of(path, encoding=None):
    problems = TextProblems()
    lines = TextLines(file_at(path), problems, encoding)
    return list(lines), lines, problems


@pytest.mark.parametrize(
    ("text", "encoding", "label"),
    [
        ("plain\ntext\n", "ascii", "ASCII"),
        (GERMAN, "utf-8", "UTF-8"),
        (GERMAN, "utf-8-sig", "UTF-8"),
        (GERMAN, "utf-16", "UTF-16-LE"),
        (GERMAN, "utf-16-le", "UTF-16-LE (guessed)"),
        (GERMAN, "utf-16-be", "UTF-16-BE (guessed)"),
        (GERMAN * 5, "cp1252", "CP1252 (guessed)"),
        (RUSSIAN * 5, "cp1251", "CP1251 (guessed)"),
        (JAPANESE * 5, "shift_jis", None),
        (JAPANESE * 5, "euc_jp", None),
    ],
)
def test_encodings_are_told_and_reported(tmp_path, text, encoding, label):
    path = tmp_path / "file"
    path.write_bytes(text.encode(encoding))
    found, lines, problems = lines_of(path)
    assert found == text.splitlines()
    assert not problems.found
    if label:
        assert lines.encoding.label == label
    else:
        assert "guessed" in lines.encoding.label


def test_an_encoding_can_be_named(tmp_path):
    path = tmp_path / "file"
    path.write_bytes("Ä\n".encode("cp437"))
    assert lines_of(path, "cp437")[0] == ["Ä"]
    with pytest.raises(InputError, match="no encoding is named 'nonsense'"):
        given_encoding("nonsense")


def test_a_bad_line_of_a_utf8_file_is_named(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"one \xc3\xa4\ntwo \xe4\nthree \xc3\xb6\n")
    _, lines, problems = lines_of(path)
    assert lines.encoding.label == "UTF-8"
    with pytest.raises(BadRecordsError, match=r":2: column 5: byte E4 is not UTF-8"):
        problems.check()


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0")), max_size=6))
def test_utf8_is_always_utf8(texts):
    data = "\n".join(texts).encode()
    assert detect_encoding([data[:7], data[7:]]).name == "utf-8"


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_compressed_files(tmp_path, pack):
    path = tmp_path / "file"
    path.write_bytes(pack(GERMAN.encode()))
    assert lines_of(path)[0] == GERMAN.splitlines()


def test_a_damaged_file_says_so(tmp_path):
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(GERMAN.encode() * 100)[:-20])
    _, _, problems = lines_of(path)
    with pytest.raises(BadRecordsError, match="end too soon"):
        problems.check()


def test_folders_and_zips(tmp_path):
    folder = tmp_path / "folder"
    (folder / "qrels").mkdir(parents=True)
    (folder / "docs.TSV.gz").write_bytes(gzip.compress(b"1\ta\n"))
    (folder / "qrels" / "test.tsv").write_text("x")
    (folder / ".hidden").write_text("x")
    found = files_of(folder)
    assert [(file.name, file.plain_name, file.folder) for file in found] == [
        ("docs.TSV.gz", "docs.tsv", ""),
        ("qrels/test.tsv", "test.tsv", "qrels"),
    ]
    archive = tmp_path / "all.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.write(folder / "docs.TSV.gz", "in/docs.tsv.gz")
        packed.writestr("__MACOSX/docs", "x")
    (member,) = files_of(archive)
    assert member.name == "in/docs.tsv.gz"
    assert list(TextLines(member, TextProblems())) == ["1\ta"]
    assert files_of(folder / "docs.TSV.gz")[0].head() == "1\ta\n"
    with pytest.raises(InputError, match="neither a folder nor a file"):
        files_of(tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no file"):
        files_of(tmp_path / "empty")


def test_problems_end_the_reading_at_their_limit():
    problems = TextProblems(2)
    problems.add("f", 1, "x" * 100, "bad")
    problems.add("f", None, "", "worse")
    with pytest.raises(EnoughProblemsError):
        problems.add("f", 3, "", "one more")
    with pytest.raises(BadRecordsError) as caught:
        problems.check()
    assert str(caught.value).splitlines()[0] == f"f:1: bad (found {'x' * 57 + '...'!r})"
    assert str(caught.value).splitlines()[1:] == ["f: worse", "more problems follow; only the first 2 are listed"]
    assert caught.value.truncated
