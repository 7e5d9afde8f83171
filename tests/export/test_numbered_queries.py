"""Queries by number, the evaluation set, and the script that measures on it: what trainers need beside the labels."""

from __future__ import annotations

import io
import subprocess
import sys

import lightgbm
import numpy as np
import pytest
import sklearn.datasets
from export_reference import EVENTS, awkward, plain, unpacked
from sklearn.datasets import load_svmlight_file

from rulerank.collection import Collection
from rulerank.errors import InputError
from rulerank.export import CheckFailedError, Export, check, export_files, make_bundle, needs_numbers, preview
from rulerank.export.companions import MAP, EvaluationSet, QueryNumbers, completed, script
from rulerank.export.formats.base import choose
from rulerank.letor import read_letor
from rulerank.metrics import evaluate
from rulerank.metrics.conventions import conventions

LETOR = ["letor", "folds"]


def named(queries: int = 6, documents: int = 5, prefix: str = "zip-folder", seed: int = 0) -> Collection:
    """A collection whose qids are words."""
    made = plain(queries, documents, seed=seed)
    return Collection.from_arrays(
        made.features, [f"{prefix}-{qid}" for qid in made.qids], made.grades, docids=made.docids
    )


def numbers_in(data: bytes) -> dict[int, str]:
    header, *lines = data.decode().splitlines()
    assert header == "number\tqid"
    return {int(number): qid for number, qid in (line.split("\t") for line in lines)}


@pytest.mark.parametrize(
    ("qids", "needed"),
    [
        (["1", "2"], False), (["0"], False), (["9" * 18], False), (["9" * 19], True), (["-1"], True), (["1.0"], True),
        (["٣"], True), (["7", "007"], True), (["1", "zip-folder"], True), ([], False),
    ],
)  # fmt: skip
def test_numbers_are_needed_where_a_trainer_would_not_read_the_qids(qids, needed):
    assert needs_numbers(qids) == needed


def test_scikit_learn_refuses_names_and_reads_numbers():
    made, held = named(), named(2, 4, "held", seed=3)
    files = dict(export_files(made, formats=LETOR))
    with pytest.raises(ValueError, match="invalid literal for int"):
        load_svmlight_file(io.BytesIO(files["letor.txt"]), query_id=True)
    files = dict(export_files(made, formats=LETOR, folds=3, numbered=None, evaluation=held))
    names = numbers_in(files[MAP])
    for name, meant in (("letor.txt", made), ("evaluation.txt", held)):
        features, grades, qids = load_svmlight_file(io.BytesIO(files[name]), query_id=True)
        assert [names[qid] for qid in qids.tolist()] == meant.qids.tolist()
        assert grades.tolist() == meant.grades.tolist()
        assert np.array_equal(features.toarray(), meant.features)
    for kind in ("train", "vali", "test"):
        _, _, qids = load_svmlight_file(io.BytesIO(files[f"Fold2/{kind}.txt"]), query_id=True)
        assert set(qids.tolist()) <= set(names)


def test_numbers_stay_the_same_while_labels_come():
    made = named()
    few = made.with_grades(np.where(np.arange(len(made)) < 20, -1, made.grades))
    first, last = (dict(export_files(each, formats=["letor"], numbered=True)) for each in (few, made))
    assert first[MAP] == last[MAP]
    assert last["letor.txt"].endswith(first["letor.txt"])


def test_whole_numbers_keep_every_byte_unless_numbering_is_asked_for():
    before = unpacked(make_bundle(plain(), EVENTS))
    assert unpacked(make_bundle(plain(), EVENTS, numbered=None)) == before
    asked = unpacked(make_bundle(plain(), EVENTS, numbered=True))
    assert asked.keys() - before.keys() == {MAP}
    changed = {name for name in before if asked[name] != before[name]}
    assert changed <= {name for name in before if name == "letor.txt" or name.startswith("Fold")} | {
        "README.txt", "SHA256SUMS",
    }  # fmt: skip


def test_tables_qrels_and_log_keep_the_qids():
    found = unpacked(make_bundle(named(), EVENTS, numbered=True))
    plainly = unpacked(make_bundle(named(), EVENTS))
    for name in ("qrels.txt", "documents-for-machines.csv", "lightgbm.txt", "lightgbm.txt.query", "events.jsonl"):
        assert found[name] == plainly[name]
    assert b"qid:zip" not in found["letor.txt"]


def test_the_bundle_says_which_number_is_which_query():
    found = unpacked(make_bundle(named(), EVENTS, numbered=True, evaluation=named(2, 3, "held")))
    text = found["README.txt"].decode()
    assert "    1 = zip-folder-1\n" in text
    assert "    8 = held-2\n" in text
    assert "Evaluation set: 6 documents of 2 queries; MAP by the convention letor" in text
    many = unpacked(make_bundle(named(60, 2), formats=["letor"], numbered=True))["README.txt"].decode()
    assert "    and 10 more\n" in many
    assert MAP not in unpacked(make_bundle(named(), formats=["qrels"], numbered=True))


def test_the_preview_lists_what_goes_along_and_warns_only_without_numbers():
    found = preview(named(), formats=["letor"], numbered=True, evaluation=named(2, 3, "held"))
    assert [each.name for each in found.files] == ["letor.txt", "evaluation.txt", "measure.py", MAP]
    assert all(each.label for each in found.files)
    assert not any("not whole numbers" in note for note in found.notes)
    assert any("not whole numbers" in note for note in preview(named(), formats=["letor"]).notes)


def test_what_goes_along_is_read_back():
    export = Export.prepare(awkward(), numbered=True, evaluation=named(2, 3, "held"), folds=3)
    assert check(awkward(), EVENTS, numbered=True, evaluation=named(2, 3, "held"), folds=3) == []
    for each in completed(export, choose(["letor"]))[1:]:
        for name, data in each.files(export):
            assert each.check(export, name, data) == []
            for changed in (b"", data[: len(data) // 2], data + b"x\n", data.replace(b"1", b"2", 1), data[1:]):
                assert each.check(export, name, changed), (name, changed)
    assert [type(each) for each in completed(export, choose(["qrels"]))[1:]] == [EvaluationSet, QueryNumbers]


def test_a_wrong_number_is_not_handed_out(monkeypatch):
    monkeypatch.setattr(QueryNumbers, "loading", "")
    wrong = read_letor(io.BytesIO(b"1 qid:5 1:1\n"))
    monkeypatch.setattr(Export, "letor_evaluation", wrong)
    held = Collection.from_arrays([[1.0]], ["held"], [2])
    monkeypatch.setattr("rulerank.export.companions.write_letor", lambda collection, out: out.write(b"2 qid:7 1:1\n"))
    with pytest.raises(CheckFailedError, match=r"evaluation\.txt"):
        make_bundle(named(), formats=["letor"], numbered=True, evaluation=held)


def test_the_evaluation_set_must_be_a_collection():
    with pytest.raises(InputError, match="evaluation"):
        make_bundle(named(), formats=["letor"], evaluation=[1, 2])


@pytest.mark.parametrize("convention", conventions.names())
def test_the_script_measures_as_rulerank_does(convention, tmp_path):
    rng = np.random.default_rng(5)
    held = named(25, 12, "held", seed=8)
    held = held.with_grades(np.where(rng.random(len(held)) < 0.5, 0, held.grades))
    # Coarse scores are full of ties, and some differ only beyond the 32 bits that trec_eval keeps.
    scores = rng.integers(0, 4, len(held)) + rng.integers(0, 3, len(held)) * 1e-9
    for name, data in unpacked(
        make_bundle(named(), formats=["letor"], numbered=True, evaluation=held, convention=convention)
    ).items():
        (tmp_path / name).write_bytes(data)
    assert (tmp_path / "measure.py").read_bytes() == script(convention)
    np.savetxt(tmp_path / "scores.txt", scores, fmt="%.17g")
    ours = evaluate(held.grades, scores, held.qids, convention)["map"]
    assert run(tmp_path, "scores.txt") == f"MAP {ours:.10f} ({convention})\n"
    np.savetxt(tmp_path / "few.txt", scores[1:], fmt="%.17g")
    with pytest.raises(subprocess.CalledProcessError) as refused:
        run(tmp_path, "few.txt")
    assert f"{len(held)} finite scores are needed" in refused.value.stderr


def run(folder, scores: str) -> str:
    """Run measure.py as somebody does who has numpy, and no rulerank."""
    command = [sys.executable, "-I", "measure.py", scores]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def test_the_readme_of_a_bundle_says_how_lightgbm_ranks_the_evaluation_set(tmp_path, monkeypatch):
    held = named(2, 3, "held")
    made = make_bundle(named(), formats=["letor", "lightgbm"], numbered=True, evaluation=held, scores=[0.5] * len(held))
    for name, data in unpacked(made).items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    readme = (tmp_path / "README.txt").read_text()
    _, _, recipe = readme.partition("with their file in place of this one:\n")
    recipe = "\n".join(recipe.splitlines()[:3]).replace('"lightgbm.txt"', '"evaluation.txt"')
    options = {"objective": "lambdarank", "min_data_in_leaf": 1, "min_data_in_bin": 1, "verbose": -1}
    names = {
        "sklearn": sklearn,
        "model": lightgbm.train(options, lightgbm.Dataset("lightgbm.txt"), 2),
    }
    exec(recipe, names)
    assert names["ranked"].shape == (len(held),)
    assert np.loadtxt("evaluation-scores.txt").tolist() == [0.5] * len(held)


def test_scores_must_fit_the_evaluation_set():
    for held, scores in ((None, [1.0]), (named(2, 3, "held"), [1.0, 2.0])):
        with pytest.raises(InputError, match="one number per document of the evaluation set"):
            make_bundle(named(), formats=["letor"], evaluation=held, scores=scores)
