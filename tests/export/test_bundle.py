"""The bundle: whole and checked, or nothing; the same contents give the same bytes."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import subprocess
import sys
import threading
import zipfile
from types import SimpleNamespace
from typing import Any

import pytest
from export_reference import EVENTS, awkward, plain, unpacked

import rulerank
from rulerank.agreement import RULES, krippendorff_alpha
from rulerank.errors import InputError, RulerankError
from rulerank.export import CheckFailedError, bundle, check, export_files, formats, lines, make_bundle, write_bundle
from rulerank.export.formats.qrels import Qrels
from rulerank.export.lines import cut, joined
from rulerank.export.readme import HOW_TO_LOAD

ABOUT = {
    "campaign": "News\nof the day",
    "aggregation": "median",
    "agreement": krippendorff_alpha([1, 1, 2, 2], ["a", "b"] * 2, [0, 0, 1, 2], resamples=10),
    "seed": 17,
    "discretizer": "Tube()",
    "sampler": "SSAR()",
    "ranker": None,
    "content_hash": "abc",
    "guidelines": "see the wiki",
}


class StopError(Exception):
    pass


def test_the_bundle_holds_every_file_with_its_sum():
    found = unpacked(make_bundle(plain(), EVENTS, ABOUT))
    names = [name for each in formats for name in each.value().names(rulerank.export.Export.prepare(plain()))]
    assert list(found) == ["README.txt", *names, "SHA256SUMS"]
    listed = dict(reversed(line.split("  ")) for line in found.pop("SHA256SUMS").decode().splitlines())
    assert listed == {name: hashlib.sha256(data).hexdigest() for name, data in found.items()}
    assert dict(export_files(plain(), EVENTS)).items() <= found.items()


def test_the_same_contents_give_the_same_bytes(tmp_path):
    one = make_bundle(plain(), EVENTS, ABOUT, folds=4, seed=3)
    assert make_bundle(plain(), EVENTS, ABOUT, folds=4, seed=3) == one
    assert make_bundle(plain(), EVENTS, ABOUT, folds=4, seed=4) != one
    path = write_bundle(tmp_path / "out.zip", plain(), EVENTS, ABOUT, folds=4, seed=3)
    assert path.read_bytes() == one
    with zipfile.ZipFile(io.BytesIO(one)) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_the_readme_states_the_facts():
    text = unpacked(make_bundle(awkward(), EVENTS, ABOUT, folds=3, seed=9))["README.txt"].decode()
    flat = " ".join(text.split())
    for said in (
        "Campaign: News of the day",
        f"Aggregation rule: median: {RULES['median']}",
        f"Agreement (Krippendorff's alpha): {ABOUT['agreement']}",
        "Seed of the campaign: 17",
        f"rulerank version: {rulerank.__version__}",
        "Discretizer: Tube()",
        "Ranker: none",
        "Content hash of the whole collection: abc",
        "guidelines: see the wiki",
        "Documents: 6 (2 more have no grade and were left out)",
        "Queries: 4",
        "Documents with grade 0: 2",
        "Documents with grade 1: 3",
        "Documents with grade 2: 1",
        "Missing values: 11",
        "Folds: 3, queries dealt with seed 9",
        "Events of the label log: 3",
        f"Content hash: {awkward().select(awkward().grades >= 0).content_hash}",
        "Fold1/train.txt to Fold3/test.txt",
        "lightgbm.Dataset",
    ):
        assert said in flat, said
    assert max(map(len, text.splitlines())) <= 110


def test_what_the_readme_shows_runs_as_it_stands(tmp_path, monkeypatch):
    """All of it, in the folder of a bundle; XGBoost, which is not always here, is stood in for where it is not."""
    if importlib.util.find_spec("xgboost") is None:
        monkeypatch.setitem(sys.modules, "xgboost", SimpleNamespace(DMatrix=lambda *data, group: sum(group)))
    collection, held = plain(queries=12, documents=8), plain(queries=3, documents=5)
    with zipfile.ZipFile(io.BytesIO(make_bundle(collection, EVENTS, ABOUT, evaluation=held, numbered=None))) as archive:
        archive.extractall(tmp_path)
    program = (tmp_path / "README.txt").read_text().partition(f"{HOW_TO_LOAD}\n{'=' * len(HOW_TO_LOAD)}\n")[2]
    monkeypatch.chdir(tmp_path)
    found: dict[str, Any] = {}
    exec(compile(program, "README.txt", "exec"), found)
    assert found["collection"].grades.tolist() == collection.grades.tolist()
    assert len(found["frame"]) == len(found["ranked"]) == len(collection)
    measured = subprocess.run([sys.executable, "measure.py", "scores.txt"], capture_output=True, text=True, check=True)
    assert "MAP" in measured.stdout


def test_the_readme_says_what_is_not_known():
    text = unpacked(make_bundle(plain(), about={"agreement": None}, formats=["qrels"]))["README.txt"].decode()
    assert "Agreement (Krippendorff's alpha): not yet" in text
    assert "Aggregation rule: not stated" in text
    assert "Folds" not in text
    assert "How to load" not in text
    assert (
        "Documents without a grade: 2"
        in unpacked(make_bundle(awkward(), formats=["letor"], unlabelled=True))["README.txt"].decode()
    )


@pytest.fixture
def spoilt(monkeypatch):
    """A format that loses the last line."""
    pieces = Qrels.pieces

    def lossy(self, export):
        for name, found in pieces(self, export):
            data = joined(found)
            yield name, cut(data[: data[:-1].rfind(b"\n") + 1])

    monkeypatch.setattr(Qrels, "pieces", lossy)


@pytest.mark.usefixtures("spoilt")
def test_a_file_that_is_not_as_meant_stops_the_bundle(tmp_path):
    path = tmp_path / "out.zip"
    path.write_bytes(b"before")
    for act in (
        lambda: make_bundle(plain()),
        lambda: write_bundle(path, plain()),
        lambda: list(export_files(plain())),
    ):
        with pytest.raises(CheckFailedError, match="did not pass its check") as caught:
            act()
        assert caught.value.problems == ["qrels.txt: the judgements are not the grades of the collection"]
        assert isinstance(caught.value, RulerankError)
    assert check(plain()) == caught.value.problems
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_format_cannot_express_stops_the_bundle():
    collection = plain().with_feature_names(["qid", "a", "b", "c"])
    for act in (make_bundle, lambda c: list(export_files(c))):
        with pytest.raises(CheckFailedError, match="a feature is named 'qid'"):
            act(collection)


def test_a_bundle_that_unpacks_to_something_else_is_not_handed_out(monkeypatch):
    other = lines.Piece(b"else\n").packed + lines.END
    monkeypatch.setattr(bundle, "packed_in", lambda file, entry: other)
    with pytest.raises(CheckFailedError, match=r"letor\.txt: the bundle holds something else"):
        make_bundle(plain(), formats=["letor"])
    real = bundle.packed_in
    monkeypatch.setattr(bundle, "packed_in", lambda file, entry: real(file, entry) + b"more")
    with pytest.raises(CheckFailedError, match="holds something else"):
        make_bundle(plain(), formats=["letor"])
    monkeypatch.setattr(bundle, "packed_in", lambda file, entry: b"no deflated stream")
    with pytest.raises(CheckFailedError, match="cannot be unpacked again"):
        make_bundle(plain(), formats=["letor"])
    monkeypatch.undo()
    monkeypatch.setattr(bundle, "sums", lambda digests: b"")
    assert unpacked(make_bundle(plain(), formats=["letor"]))["SHA256SUMS"] == b""  # the patch above did the harm


def test_progress_counts_the_steps():
    seen = []
    make_bundle(plain(), EVENTS, progress=lambda done, total, what="": seen.append((done, total)))
    total = len(dict(export_files(plain(), EVENTS))) + 1
    assert seen == [(done, total) for done in range(total + 1)]
    seen.clear()
    check(plain(), formats=["letor", "lightgbm"], progress=lambda done, total, what="": seen.append((done, total)))
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("at", [0, 1, 7, 26])
def test_stopped_it_leaves_nothing_behind(at, tmp_path):
    path = tmp_path / "out.zip"

    def stop(done, total, what=""):
        assert total == 26
        if done == at:
            raise StopError

    before = threading.active_count()
    with pytest.raises(StopError):
        write_bundle(path, plain(), EVENTS, progress=stop)
    assert list(tmp_path.iterdir()) == []
    assert threading.active_count() == before
    path.write_bytes(b"before")
    with pytest.raises(StopError):
        write_bundle(path, plain(), EVENTS, progress=stop)
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_path_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(InputError, match=r"no/out\.zip: cannot be written"):
        write_bundle(tmp_path / "no" / "out.zip", plain(), formats=["letor"])
    with pytest.raises(InputError, match="cannot be written"):
        write_bundle(tmp_path, plain(), formats=["letor"])
    assert list(tmp_path.iterdir()) == []


def test_a_real_collection_leaves_whole(letor_folder):
    collection = rulerank.read_letor(letor_folder("letor4-mq2008") / "S1.txt")
    found = unpacked(make_bundle(collection, formats=["letor", "folds", "lightgbm", "csv"]))
    assert rulerank.read_letor(io.BytesIO(found["letor.txt"])) == collection
