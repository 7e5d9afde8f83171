"""What every export format must do: name its files, pass its own check, and find whatever is done to a file."""

from __future__ import annotations

import io
import re

import pytest
from export_reference import EVENTS, awkward, collections, plain
from hypothesis import given
from thorough import examples

from rulerank.errors import InputError, UnknownNameError
from rulerank.export import Export, check, export_files, formats
from rulerank.letor import read_letor

every = pytest.mark.parametrize("name", formats.names())


def written(export, name):
    return dict(formats[name]().files(export))


def test_the_formats_are_there_in_the_order_of_the_screen():
    assert formats.names() == ["letor", "folds", "features", "lightgbm", "qrels", "csv", "events"]
    assert all(entry.label and entry.summary.endswith((".", ";")) for entry in formats)
    assert all(entry.value().summary == entry.summary for entry in formats)


@every
@pytest.mark.parametrize("unlabelled", [False, True])
def test_what_is_written_passes_its_check(name, unlabelled):
    export = Export.prepare(awkward(), EVENTS, folds=3, unlabelled=unlabelled)
    files = written(export, name)
    assert list(files) == formats[name]().names(export)
    assert formats[name]().conflicts(export) == []
    for file, data in files.items():
        assert data.endswith(b"\n")
        assert formats[name]().check(export, file, data) == []


@examples(40)
@given(collections())
def test_any_collection_passes(collection):
    distinct = ["letor", "folds", "features", "lightgbm", "csv", "events"]  # qrels would need distinct docids
    assert check(collection, EVENTS, formats=distinct, folds=3) == []


def changes(data: bytes):
    """Ways in which a file goes wrong."""
    lines = data.split(b"\n")
    yield "cut off", data[: len(data) // 2]
    yield "empty", b""
    yield "last line lost", b"\n".join([*lines[:-2], b""])
    yield "first line doubled", b"\n".join(lines[:1] + lines)
    yield "not text", b"\xff\x00" + data
    for number, digit in [(0, rb"\d"), (1, rb"\d(?=\D*$)")]:
        found = re.search(digit, data)
        if found:
            other = b"1" if found.group() != b"1" else b"2"
            yield f"digit {number} changed", data[: found.start()] + other + data[found.end() :]
    if len(set(lines)) > 2:
        turned = lines[-2::-1]
        yield "lines turned round", b"\n".join([*turned, b""])


@every
@pytest.mark.parametrize("collection", [awkward, plain], ids=["awkward", "plain"])
def test_whatever_is_done_to_a_file_is_found(name, collection):
    export = Export.prepare(collection(), EVENTS, folds=3)
    for file, data in written(export, name).items():
        for what, changed in changes(data):
            if changed != data:
                problems = formats[name]().check(export, file, changed)
                assert problems, f"{file}: {what} was not noticed"
                assert all(problem.startswith(f"{file}: ") for problem in problems)


def test_two_letor_lines_exchanged_are_found_as_regrouped_queries():
    export = Export.prepare(plain(), folds=3)
    lines = export.text.split(b"\n")
    lines[0], lines[10] = lines[10], lines[0]
    problems = formats["letor"]().check(export, "letor.txt", b"\n".join(lines))
    assert any("did not stand together" in problem for problem in problems)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"2 qid:10", b"1 qid:10", "document 2 has grade 1, 2 was meant"),
        (b"qid:8", b"qid:9", "has qid 9, 8 was meant"),
        (b"1e-07", b"1e-08", "document 2, feature 1 is 1e-08, 1e-07 was meant (1 values differ)"),
        (b"4:-0", b"4:0", "document 1, feature 4 is 0.0, -0.0 was meant"),
        (b"2:NULL", b"2:0", "document 1, feature 2 is 0.0, NULL was meant"),
        (b" 2:NULL", b"", "document 1, feature 2 is absent, NULL was meant"),
        (b"rest", b"Rest", "document 1 has another comment"),
        (b"4:7", b"5:7", "5 features are in the file, 4 were meant"),
        (b"4:7", b"4:x", "cannot be read back"),
    ],
)
def test_problems_say_where(old, new, message):
    export = Export.prepare(awkward())
    assert old in export.text
    problems = formats["letor"]().check(export, "letor.txt", export.text.replace(old, new, 1))
    assert len(problems) == 1
    assert message in problems[0]


def test_formats_are_chosen_by_name():
    found = [name for name, _ in export_files(plain(), formats=["qrels", "letor", "qrels"])]
    assert found == ["qrels.txt", "letor.txt"]
    with pytest.raises(UnknownNameError, match="did you mean 'qrels'"):
        check(plain(), formats=["qrel"])
    with pytest.raises(InputError, match="list of names"):
        check(plain(), formats="qrels")
    with pytest.raises(InputError, match="at least one format: letor"):
        check(plain(), formats=[])


def test_texts_of_all_scripts_survive():
    lines = b"1 qid:caf\xc3\xa9 1:2 #docid = \xf0\x9f\x98\x801\n0 qid:b 1:3 #docid = \xc3\xa9\n2 qid:c 1:4\n"
    collection = read_letor(io.BytesIO(lines))
    assert check(collection, folds=3) == []
    files = dict(export_files(collection, folds=3))
    assert files["letor.txt"] == lines
    assert files["qrels.txt"] == b"caf\xc3\xa9 0 \xf0\x9f\x98\x801 1\nb 0 \xc3\xa9 0\nc 0 row3 2\n"
    table = files["documents-for-machines.csv"]
    assert table.startswith(b"qid,docid,grade,1\ncaf\xc3\xa9,\xf0\x9f\x98\x801,1,2\n")


def test_documents_without_any_feature_pass():
    collection = read_letor(io.BytesIO(b"1 qid:1\n0 qid:2 #x\n2 qid:3 1:4\n"))
    assert check(collection, folds=3) == []
    assert dict(export_files(collection, formats=["lightgbm"]))["lightgbm.txt"] == b"1\n0\n2 1:4\n"
