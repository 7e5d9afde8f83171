"""The fast way to write a bundle gives, byte for byte, what writing it the plain way gives."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import zipfile
import zlib

import numpy as np
import pytest
import simple_writers
from export_reference import awkward, collections, plain, unpacked
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from rulerank.collection import Collection
from rulerank.export import CheckFailedError, Export, bundle, check, export_files, lines, make_bundle
from rulerank.export.cells import are_pairs, check_letor
from rulerank.export.formats.letor import LetorFolds
from rulerank.export.formats.lightgbm import LightGBM, _bare
from rulerank.export.lines import with_queries
from rulerank.letor import read_letor
from rulerank.synthetic import planted_collection

LOG = [
    {
        "id": number,
        "who": who,
        "at%": f"2024-05-01T10:00:{number:02d}",
        "grade": grade,
        "seconds": seconds,
        "sure": sure,
    }
    for number, who, grade, seconds, sure in [
        (1, "Ann", 2, 1.25, True),
        (2, 'O"Brien, B.', None, None, False),
        (3, "Zoë\nline", 0, 1e-7, None),
        (4, "\u2028}, {", 1, 3.0, True),
    ]
]


def large(queries=40, documents=30, width=20) -> Collection:
    """Some megabytes in the end: several pieces, blocks that are shared, floats of every length, missing ones too."""
    rng = np.random.default_rng(3)
    rows = queries * documents
    values = rng.normal(size=(rows, width))
    values[:, ::2] = np.round(values[:, ::2], 4)
    values[:, 3] *= 10.0 ** rng.integers(-300, 300, rows)
    values[rng.random((rows, width)) < 0.05] = np.nan
    values[5, 1], values[6, 1], values[7, 1] = -0.0, 5e-324, 1e22
    return Collection.from_arrays(
        values,
        np.repeat([f"q{number}" for number in range(queries)], documents),
        rng.integers(-1, 3, rows),
        docids=[f"d{row}" if row % 7 else None for row in range(rows)],
        feature_names=[f"f{number}" for number in range(width)],
    )


@pytest.mark.parametrize(
    ("collection", "folds"), [(awkward, 3), (plain, 5), (large, 5)], ids=["awkward", "plain", "large"]
)
def test_every_file_of_the_bundle_is_as_if_plainly_written(collection, folds):
    made = collection()
    assert check(made, LOG, folds=folds, seed=4) == []
    found = unpacked(make_bundle(made, LOG, folds=folds, seed=4))
    meant = simple_writers.everything(made, LOG, folds, 4)
    assert meant.items() <= found.items()
    assert found.keys() - meant.keys() == {"README.txt", "features.txt", "SHA256SUMS", "events.jsonl"}
    assert [json.loads(line) for line in found["events.jsonl"].split(b"\n")[:-1]] == LOG


@examples(40)
@given(collections())
def test_so_is_any_collection(collection):
    names = ["letor", "folds", "lightgbm", "csv", "events"]
    found = dict(export_files(collection, LOG, formats=names, folds=3, seed=2))
    meant = simple_writers.everything(collection, LOG, 3, 2)
    del meant["qrels.txt"], found["events.jsonl"]
    assert found == meant


def test_blocks_are_shared_where_they_are_large_and_joined_where_they_are_tiny():
    shared, tiny = (Export.prepare(made) for made in (large(width=40), plain()))
    for export, same in ((shared, True), (tiny, False)):
        whole = export.block_pieces(range(len(export.blocks)))
        fold = export.block_pieces(export.sets(0)[2].tolist())
        assert ({id(piece) for piece in fold} <= {id(piece) for piece in whole}) is same
        assert lines.joined(whole) == export.text


@examples(60)
@given(collections(), st.data())
def test_the_compiled_check_of_svmlight_lines_agrees_with_the_reader(collection, data):
    export = Export.prepare(collection, unlabelled=False)
    text = dict(LightGBM().files(export))["lightgbm.txt"]
    graded = export.collection.select(export.graded)
    assert are_pairs(text, graded) or check_letor("", with_queries(text, _sizes(export)), _bare(graded)) == []
    at = data.draw(st.integers(0, len(text) - 1))
    other = (
        text[:at] + data.draw(st.sampled_from([b"", b"0", b"1", b"7", b".", b" ", b"-", b":", b"\n"])) + text[at + 1 :]
    )
    if are_pairs(other, graded):  # then the reader must find the same documents in it
        assert check_letor("", with_queries(other, _sizes(export)), _bare(graded)) == []


def test_the_compiled_check_reads_ordinary_files():
    for made in (plain(), planted_collection(5, 8, 6)):
        export = Export.prepare(made)
        assert are_pairs(dict(LightGBM().files(export))["lightgbm.txt"], export.collection)


def _sizes(export):
    return np.array(export.group_sizes, dtype=np.int64)


def test_a_block_that_is_wrong_in_a_fold_is_found_though_the_whole_is_right():
    export = Export.prepare(large())
    name = "Fold2/vali.txt"
    files = dict(LetorFolds().files(export))
    data = files[name]
    assert LetorFolds().check(export, name, data) == []
    swapped = files["Fold2/test.txt"]
    assert LetorFolds().check(export, name, swapped)
    at = data.index(b" 7:") + 3
    other = data[:at] + (b"1" if data[at : at + 1] != b"1" else b"2") + data[at + 1 :]
    (problem,) = LetorFolds().check(export, name, other)
    assert problem.startswith("Fold2/vali.txt: document 1, feature 7 is ")


def test_folds_are_not_trusted_when_the_whole_text_is_wrong():
    export = Export.prepare(plain())
    wrong = export.text.replace(b" 1:", b" 1:9", 1)
    export.__dict__["text"] = wrong  # what a faulty writer would have given
    assert export.text_problems
    holds = [bool(LetorFolds().check(export, name, data)) for name, data in LetorFolds().files(export)]
    assert sum(holds) == export.folds  # the file of each fold in which the wrong document stands


def test_a_fold_that_the_archive_holds_otherwise_is_not_handed_out(monkeypatch):
    put = bundle.ZipWriter.put

    def backwards(self, name, found, crc):
        put(self, name, found[::-1] if name == "Fold3/train.txt" else found, crc)

    monkeypatch.setattr(bundle.ZipWriter, "put", backwards)
    with pytest.raises(CheckFailedError) as caught:
        make_bundle(large(width=40), formats=["letor", "folds"])
    assert caught.value.problems == ["Fold3/train.txt: the bundle holds something else than was checked"]


def test_a_bundle_of_many_pieces_is_read_by_other_programs(tmp_path):
    made = large()
    data = make_bundle(made, LOG)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_DEFLATED}
        with archive.open("letor.txt") as file:
            graded = made.select(made.grades >= 0)
            assert read_letor(file).with_feature_names(graded.feature_names) == graded
    if shutil.which("unzip"):
        (tmp_path / "out.zip").write_bytes(data)
        subprocess.run(["unzip", "-tqq", str(tmp_path / "out.zip")], check=True)


def test_pieces_unpack_alike_in_any_order():
    texts = [b"abcabcabc" * 100, b"", b"x", b"abcabcabc" * 50, np.random.default_rng(0).bytes(5000)]
    for order in ([0, 1, 2, 3, 4], [4, 3, 3, 0, 1], []):
        row = [lines.Piece(texts[place]) for place in order]
        stream = b"".join(piece.packed for piece in row) + lines.END
        reader = zlib.decompressobj(-zlib.MAX_WBITS)
        assert reader.decompress(stream) == b"".join(texts[place] for place in order)
        assert reader.eof
        assert reader.unused_data == b""
