"""The printed figures: those of the reference folder, and consistent with one another where that can be checked."""

from __future__ import annotations

import pytest

from rulerank.reproduce import KNOWN, printed
from rulerank.reproduce.published import tables_of
from rulerank.reproduce.selections import gain_percent, selected_percent

GOV = [name for name in KNOWN if name != "OHSUMED"]

# The reference folder's words for columns of tables 3 and 4, and ours.
COLUMNS = {
    "SVMRank on SSARP selection": "SVMS",
    "SVMRank on BM25 selection": "SBM25",
    "SVMRank on random selection": "Random",
    "RankBoost": "RBoost",
    "Regression": "REG",
}


def test_every_published_map_is_the_reference_folders(golden):
    papers = {"jidm2010": {"V", "VI", "VII", "VIII"}, "ssar2011": {"1", "2", "3", "4"}}
    seen = 0
    for row in golden("published_map.csv"):
        if row["table"] not in papers.get(row["paper"], ()):
            continue
        name = row["method"] if row["paper"] == "jidm2010" else COLUMNS.get(row["method"], row["method"])
        figure = printed(row["table"], row["dataset"])[name]
        found = figure.mean if row["fold"] == "Avg" else figure.folds[int(row["fold"]) - 1]
        assert found == float(row["map"]), row
        seen += 1
    assert seen == 210 + 84


def test_selection_statistics_and_seconds_are_the_reference_folders(golden):
    columns = {
        "selected": "Sel",
        "pool": "Utot",
        "selected_percent": "Sel%",
        "relevant_selected_percent": "RSel%",
        "relevant_percent": "R%",
        "relevant_bm25_percent": "R25%",
    }
    for row in golden("published_ssar_selection.csv"):
        said = printed(row["table"], row["dataset"])
        assert {name: said[ours].mean for name, ours in columns.items()} == {name: float(row[name]) for name in columns}
    names = {"re_gr": "RE-GR", "re_sr": "RE-SR", "re_qr": "RE-QR", "r_svm": "R-SVM", "listnet": "ListNet"}
    for row in golden("published_seconds_per_query.csv"):
        said = printed("IX", row["dataset"])
        assert {ours: said[ours].mean for ours in names.values()} == {names[name]: float(row[name]) for name in names}


@pytest.mark.parametrize("name", GOV)
@pytest.mark.parametrize(("table", "value", "baselines"), [("1", "SSAR", "L"), ("2", "SSARP", "L"), ("3", "SVMS", "S")])
def test_the_printed_gain_follows_from_the_printed_map(name, table, value, baselines):
    """G% by our definition, from MAP rounded to four digits: as printed, up to what that rounding can do."""
    said = printed(table, name)
    best = max(said[f"{baselines}BM25"].mean, said["Random"].mean)
    ours = gain_percent(said[value].mean, [said[f"{baselines}BM25"].mean, said["Random"].mean])
    reach = 100 * 0.00005 * (1 / best + said[value].mean / best**2) + 0.005
    assert abs(ours - said["G%"].mean) <= reach


@pytest.mark.parametrize("name", GOV)
@pytest.mark.parametrize("table", ["1", "2"])
def test_the_printed_shares_follow_from_the_printed_counts(name, table):
    said = printed(table, name)
    assert abs(selected_percent(said["Sel"].mean, said["Utot"].mean) - said["Sel%"].mean) <= 0.0055
    for column in ("RSel%", "R25%"):  # means of five percentages with one digit
        assert round(said[column].mean * 50, 6) % 1 == 0


def test_table_five_is_about_all_gov_collections_with_every_column():
    for name in GOV:
        columns = [f"{method}@{cut}" for method in ("SSARP", "RBoost", "FRank", "REG") for cut in (1, 5, 10)]
        assert list(printed("5", name)) == columns
    # Spot checks against the printed page: corners and the middle.
    assert printed("5", "TD2003")["SSARP@1"].mean == 0.38
    assert printed("5", "NP2004")["RBoost@10"].mean == 0.6914
    assert printed("5", "HP2004")["REG@10"].mean == 0.6468
    assert printed("3", "TD2003")["Random"].plus_minus == 0.0285
    assert printed("1", "HP2004")["Random"].plus_minus == 0.0496


def test_what_is_printed_about_each_collection():
    assert tables_of("OHSUMED") == ["IX", "V"]
    for name in GOV:
        number = {"TD": "VI", "HP": "VII", "NP": "VIII"}[name[:2]]
        assert tables_of(name) == ["1", "2", "3", "4", "5", "IX", number]
    assert printed("1", "OHSUMED") == {}
    assert (printed("IX", "TD2003")["RE-GR"].digits, printed("1", "TD2003")["Sel"].digits) == (2, 0)
