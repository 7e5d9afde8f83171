"""The command `prepare`, on small folders and on real collections."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rulerank.cli.program import app
from rulerank.errors import InputError
from rulerank.prepare import KINDS
from rulerank.text.features import text_features


def call(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def folder(tmp_path):
    source = tmp_path / "shop"
    source.mkdir()
    (source / "documents.csv").write_text(
        "id,title,text,views\n1,Chair,A chair to sit on in the evening.,3\n2,Table,A table to eat at every day.,9\n"
    )
    (source / "queries.tsv").write_text("a\tsitting chair\nb\teat at a table\n")
    return source


def test_one_command(folder, tmp_path):
    found = call("prepare", folder, "--out", tmp_path / "shop.letor", "--language", "en")
    assert found.exit_code == 0, found.output
    assert "Snowball stems" in found.output
    assert "written" in found.output
    assert (tmp_path / "shop.documents.jsonl").exists()


def test_json_for_machines(folder, tmp_path):
    found = call("prepare", folder, "--out", tmp_path / "shop.letor.gz", "--json", "--candidates", 1)
    facts = json.loads(found.stdout)
    assert (facts["rows"], facts["queries"], facts["documents"], facts["format"]) == (2, 2, 2, "table")
    assert facts["files"]["features"].endswith("shop.features.txt")
    assert facts["encodings"] == {"documents.csv": "ASCII", "queries.tsv": "ASCII"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--document-columns", "nonsense"], "columns are given as"),
        (["--grades", "1:2"], "OLD=NEW"),
        (["--grades", "1=-2"], "not from 0 to"),
        (["--qrels", "nothing.txt"], "is not a file"),
        (["--encoding", "nonsense"], "no encoding is named"),
    ],
)
def test_what_is_wrong_is_said(folder, tmp_path, arguments, words):
    found = call("prepare", folder, "--out", tmp_path / "x.letor", *arguments)
    assert isinstance(found.exception, InputError)
    assert words in str(found.exception)
    assert not list(tmp_path.glob("x.*"))


def test_the_folder_to_write_to_is_looked_at_first(tmp_path):
    found = call("prepare", tmp_path / "nowhere", "--out", tmp_path / "no" / "x.letor")
    assert "the folder" in str(found.exception)


def test_the_manual_names_every_feature_and_format():
    manual = (Path(__file__).parents[2] / "docs" / "texts.md").read_text(encoding="utf-8")
    assert [entry.label for entry in text_features if entry.label not in manual] == []
    for kind in KINDS.values():
        assert kind.split()[0] in manual


@pytest.mark.parametrize(
    ("name", "documents", "queries", "rows", "features", "bm25"),
    [
        # The engines that docs/texts.md compares with reach 0.295, 0.218 and 0.528.
        ("cran", 1398, 225, 22500, 63, (0.29, 0.32)),
        ("cisi", 1460, 112, 11200, 64, (0.21, 0.24)),
        ("med", 1033, 30, 2831, 21, (0.51, 0.55)),
    ],
)
def test_real_collections(letor_folder, tmp_path, name, documents, queries, rows, features, bm25):
    found = call("prepare", letor_folder("text-collections") / name, "--out", tmp_path / "out.letor", "--json")
    facts = json.loads(found.stdout)
    assert (facts["documents"], facts["queries"]) == (documents, queries)
    assert (facts["rows"], facts["features"]) == (rows, features)
    assert bm25[0] < facts["bm25_map"] < bm25[1]
    assert facts["languages"].get("en") == sum(facts["languages"].values())
