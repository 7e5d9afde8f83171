"""Each measure of the active-sampling paper's tables on an example small enough to work out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rulerank.errors import InputError
from rulerank.reproduce.figures import Figure, metric_figure
from rulerank.reproduce.published import Printed
from rulerank.reproduce.query_level import FoldOutcome
from rulerank.reproduce.readings import DEFAULTS
from rulerank.reproduce.sampling_tables import baseline_tables, selection_table, svm_table
from rulerank.reproduce.selections import (
    SampleColumns,
    Trained,
    gain_percent,
    relevant_percent,
    selected_percent,
    top_rows,
)


def trained(selected, relevant, *by_query):
    """A sample's result: by_query are the MAP values of the fold's test queries; NDCG@1, 5, 10 add 0.1, 0.2, 0.3."""
    values = np.array([np.array(by_query) + step / 10 for step in range(4)])
    return Trained(selected, relevant, values, values - 0.05)


FIRST = SampleColumns(
    pool=40,
    relevant=relevant_percent([1, 0, 0, 2, 0, 0, 0, 0, 0, 0]),  # 2 of 10
    ours=trained(4, relevant_percent([0, 1, 1, 0]), 0.5, 0.3),  # MAP 0.4
    bm25=trained(4, relevant_percent([1, 1, 1, 0]), 0.2, 0.2),  # 0.2
    random=(trained(4, 0, 0.1, 0.1), trained(4, 0, 0.3, 0.3)),  # 0.1, 0.3
    svm_ours=trained(4, 50, 0.4, 0.2),
    svm_bm25=trained(4, 75, 0.6, 0.6),
    svm_random=(trained(4, 0, 0.2, 0.2), trained(4, 0, 0.2, 0.2)),
)
SECOND = SampleColumns(
    pool=60,
    relevant=relevant_percent([0, 0, 0, 1]),
    ours=trained(6, relevant_percent([1, 0, 0, 0, 0, 0]), 0.6, 0.6),  # MAP 0.6
    bm25=trained(6, relevant_percent([0, 0, 0, 0, 0, 0]), 0.2, 0.2),
    random=(trained(6, 0, 0.4, 0.4), trained(6, 0, 0.4, 0.4)),
    svm_ours=trained(6, 50, 0.1, 0.3),
    svm_bm25=trained(6, 0, 0.4, 0.4),
    svm_random=(trained(6, 0, 0.1, 0.1), trained(6, 0, 0.1, 0.1)),
)
FULL = FoldOutcome(
    DEFAULTS[0],
    (0.45, 0.55),
    (0.5, 0.5),
    (np.array([0.4, 0.5]), np.array([0.5, 0.6])),
    (np.array([0.4, 0.5]), np.array([0.5, 0.5])),
)


@pytest.fixture(scope="module")
def table():
    return selection_table("1", "TD2003", [FIRST, SECOND], FULL)


@pytest.mark.parametrize(
    ("name", "folds", "mean"),
    [
        ("SSAR", (0.4, 0.6), 0.5),
        ("LRAR", (0.45, 0.55), 0.5),
        ("LBM25", (0.2, 0.2), 0.2),
        ("Random", (0.2, 0.4), 0.3),  # of 0.1, 0.3, 0.4, 0.4
        ("G%", (100.0, 50.0), 200 / 3),  # 0.4/0.2, 0.6/0.4, and of the means 0.5/0.3
        ("Sel", (4, 6), 5),
        ("Utot", (40, 60), 50),
        ("Sel%", (10.0, 10.0), 10.0),
        ("RSel%", (50.0, 100 / 6), 100 / 3),
        ("R%", (20.0, 25.0), 22.5),
        ("R25%", (75.0, 0.0), 37.5),
    ],
)
def test_each_column_by_hand(table, name, folds, mean):
    figure = table.figure(name)
    assert figure.folds == pytest.approx(folds)
    assert figure.mean == pytest.approx(mean)


def test_random_has_students_interval_over_all_runs_of_all_folds(table):
    # 0.1, 0.3, 0.4, 0.4: deviation sqrt(0.06 / 3), t of 3 degrees of freedom 3.182
    reach = 3.182446 * math.sqrt(0.02) / 2
    assert table.figure("Random").interval == pytest.approx((0.3 - reach, 0.3 + reach), abs=1e-6)
    # counts: Student over two folds, t 12.706, deviation sqrt(2), so 5 +- 12.706
    assert table.figure("Sel").interval == pytest.approx((5 - 12.7062, 5 + 12.7062), abs=1e-4)


def test_the_interval_of_g_keeps_queries_together(table):
    """Only fold 1's SSAR differs between queries, so G% can only be that of 0.45, 0.5 or 0.55 over 0.3."""
    low, high = table.figure("G%").interval
    assert (low, high) == pytest.approx((100 * (0.45 / 0.3 - 1), 100 * (0.55 / 0.3 - 1)))
    assert table.figure("SSAR").interval == pytest.approx((0.45, 0.55))


def test_a_tables_mean_over_ties_stands_beside(table):
    assert table.figure("SSAR").expected == pytest.approx(0.45)
    assert table.figure("LRAR").expected == pytest.approx((0.45 + 0.5) / 2)
    assert table.figure("Random").expected == pytest.approx(0.25)


def test_table_three_compares_the_svm_columns():
    found = svm_table("TD2003", [FIRST, SECOND])
    assert [figure.name for figure in found.figures] == ["SSARP", "SVMS", "SBM25", "Random", "G%"]
    assert found.figure("SVMS").mean == pytest.approx(0.25)  # 0.3, 0.2
    assert found.figure("SBM25").mean == pytest.approx(0.5)
    assert found.figure("G%").mean == pytest.approx(-50)
    assert found.figure("G%").printed == Printed(39.95, 0.01)


def test_tables_four_and_five_quote_the_baselines():
    four, five = baseline_tables("TD2003", [FIRST, SECOND])
    assert [figure.name for figure in four.figures] == ["SSARP", "RBoost", "FRank", "REG"]
    assert four.figure("RBoost").mean is None
    assert four.figure("RBoost").printed.mean == 0.2274
    assert [five.figure(f"SSARP@{cut}").mean for cut in (1, 5, 10)] == pytest.approx([0.6, 0.7, 0.8])
    assert five.figure("SSARP@5").printed.mean == 0.3255


def test_shares_and_gains_at_their_edges():
    assert selected_percent(157, 29435) == pytest.approx(0.5334, abs=1e-4)
    with pytest.raises(InputError, match="pool is empty"):
        selected_percent(0, 0)
    assert relevant_percent([]) == 0
    assert relevant_percent([2, 1, 0, 0]) == 50  # any grade above 0 is relevant
    assert gain_percent(0.5, [0.25, 0.4]) == pytest.approx(25)
    assert math.isnan(gain_percent(0.5, [0.0, 0.0]))
    assert gain_percent(np.array([1.0, 2.0]), [np.array([1.0, 1.0]), np.array([0.5, 4.0])]).tolist() == [0, -50]
    assert top_rows([5, 3, 1], 2).tolist() == [5, 3]
    with pytest.raises(InputError, match="only 3"):
        top_rows([5, 3, 1], 4)


@pytest.mark.parametrize(
    ("figure", "differs"),
    [
        (Figure("ours only", (0.5,), 0.5, (0.4, 0.6)), None),
        (Figure("theirs only", printed=Printed(0.5, 0.001)), None),
        (Figure("within", (0.5,), 0.5, (0.4, 0.6), printed=Printed(0.6, 0.001)), False),
        (Figure("rounded to the edge", (0.5,), 0.5, (0.4, 0.5996), printed=Printed(0.6, 0.001)), False),
        (Figure("above", (0.5,), 0.5, (0.4, 0.599), printed=Printed(0.6, 0.001)), True),
        (Figure("below", (0.5,), 0.5, (0.4, 0.6), printed=Printed(0.39, 0.01)), True),
        # The printed interval decides where there is one, however wide or narrow ours is.
        (Figure("printed interval", (0.5,), 0.5, (0.49, 0.51), printed=Printed(0.55, 0.001, (), 0.05)), False),
        (Figure("printed interval", (0.5,), 0.5, (0.1, 0.9), printed=Printed(0.56, 0.001, (), 0.05)), True),
        # What the data alone decide has no interval at all.
        (Figure("same data", (29434.8,), 29434.8, printed=Printed(29435, 1)), False),
        (Figure("other data", (29433.0,), 29433.0, printed=Printed(29435, 1)), True),
        (Figure("seconds", (9.0,), 9.0, printed=Printed(0.1, 0.01), settles=False), None),
        (Figure("undefined", (math.nan,), math.nan, (math.nan, math.nan), printed=Printed(1, 1)), None),
    ],
    ids=lambda value: value.name if isinstance(value, Figure) else "",
)
def test_when_a_figure_differs(figure, differs):
    assert figure.differs is differs
    assert figure.to_dict()["differs"] is differs


def test_folds_are_held_against_their_own_intervals():
    queries = [np.array([0.1, 0.1]), np.array([0.0, 1.0])]
    figure = metric_figure("x", queries, queries, Printed(0.3, 0.001, (0.2, 0.9)))
    assert np.allclose(figure.fold_intervals, [(0.1, 0.1), (0.0, 1.0)])
    assert figure.folds_that_differ == (1,)
    assert metric_figure("x", queries, queries, Printed(0.3, 0.001)).folds_that_differ == ()
