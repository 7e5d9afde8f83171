"""Krippendorff's alpha: the published example, a slow implementation in fractions, and what undefined means."""

from __future__ import annotations

import numpy as np
import pytest
from agreement_reference import PUBLISHED, by_unit, columns, several_grades, slow_alpha
from hypothesis import given

from rulerank.agreement import alpha as module
from rulerank.agreement import krippendorff_alpha
from rulerank.errors import InputError

LEVELS = ("nominal", "ordinal", "interval")


def quick(rows, level="ordinal", **options):
    return krippendorff_alpha(*columns(rows), level, **{"resamples": 10, **options})


@pytest.mark.parametrize(("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_the_published_example(level, value):
    found = krippendorff_alpha(*columns(PUBLISHED), level)
    assert round(found.value, 3) == value
    assert (found.units, found.level) == (11, level)  # unit 12 has one grade and does not count
    assert found.pairs == 3 + 8 * 6 + 3 + 1
    assert found.low < found.value < found.high <= 1


@pytest.mark.parametrize("level", LEVELS)
@given(rows=several_grades())
def test_the_value_is_that_of_the_definition(level, rows):
    found, meant = quick(rows, level).value, slow_alpha(by_unit(rows), level)
    assert (found is None) == (meant is None)
    if meant is not None:
        assert found == pytest.approx(meant, abs=1e-12)


@given(several_grades(largest=3))
def test_ordinal_looks_only_at_the_order(rows):
    """Names of units and annotators, order of rows and the distance between grades do not matter."""
    stretched = [(f"u{unit}", ord(who), grade**2 * 10 + 5) for unit, who, grade in reversed(rows)]
    a, b = quick(rows), quick(stretched)
    assert (a.units, a.pairs) == (b.units, b.pairs)
    assert a.value == pytest.approx(b.value, abs=1e-12)


@given(several_grades(largest=1))
def test_with_two_grades_the_levels_are_one(rows):
    values = [quick(rows, level).value for level in LEVELS]
    assert values[0] == pytest.approx(values[1], abs=1e-12)
    assert values[0] == pytest.approx(values[2], abs=1e-12)


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [(1, "a", 0)],
        [(1, "a", 0), (2, "b", 1), (3, "a", 2)],
        [(1, "a", 1), (1, "b", 1), (2, "a", 1), (2, "b", 1), (3, "a", 0)],
    ],
    ids=["nothing", "one grade", "no unit with two grades", "no variation among the paired"],
)
@pytest.mark.parametrize("level", LEVELS)
def test_undefined_is_not_yet(rows, level):
    found = quick(rows, level)
    assert (found.value, found.low, found.high) == (None, None, None)
    assert str(found).startswith("not yet")


def test_no_interval_from_one_unit_or_from_resamples_that_are_mostly_undefined():
    one = quick([(1, "a", 0), (1, "b", 2)])
    assert one.value == pytest.approx(0.0)
    assert (one.low, one.high, one.units) == (None, None, 1)
    # Half of the resamples of two units draw one of them twice, and then all grades are the same.
    two = quick([(1, "a", 0), (1, "b", 0), (2, "a", 2), (2, "b", 2)], resamples=200)
    assert (two.value, two.low, two.high) == (1.0, None, None)


def test_the_interval_is_that_of_drawing_whole_units():
    rng = np.random.default_rng(7)
    rows = []
    for unit in range(60):
        truth = rng.integers(0, 3)
        rows += [(unit, who, int(np.clip(truth + rng.choice([-1, 0, 0, 0, 1]), 0, 2))) for who in "abc"[: 2 + unit % 2]]
    found = krippendorff_alpha(*columns(rows), resamples=4000)
    units = by_unit(rows)
    drawn = [slow_alpha([units[k] for k in rng.integers(0, 60, 60)], "ordinal") for _ in range(400)]
    low, high = np.quantile(drawn, (0.025, 0.975))
    assert found.low == pytest.approx(low, abs=0.04)
    assert found.high == pytest.approx(high, abs=0.04)
    assert high - low > 0.15


def test_the_seed_decides_and_the_stretches_do_not(monkeypatch):
    args = columns(PUBLISHED)
    first = krippendorff_alpha(*args, seed=3)
    assert krippendorff_alpha(*args, seed=np.random.default_rng(3)) == first
    assert krippendorff_alpha(*args, seed=4) != first
    monkeypatch.setattr(module, "CELLS_AT_ONCE", 64)
    assert krippendorff_alpha(*args, seed=3) == first


@pytest.mark.parametrize("level", LEVELS)
def test_full_agreement_is_exactly_one(level):
    rows = [(unit, who, unit % 7) for unit in range(50) for who in "abcde"[: 2 + unit % 4]]
    found = quick(rows, level, resamples=100)
    assert (found.value, found.low, found.high) == (1.0, 1.0, 1.0)


def test_large_grades_keep_their_digits():
    rows = [(unit, who, 32_000 + (unit * k) % 3) for unit in range(30) for k, who in enumerate("abc", 1)]
    assert quick(rows, "interval").value == pytest.approx(slow_alpha(by_unit(rows), "interval"), abs=1e-12)


def test_it_says_what_it_found():
    text = str(krippendorff_alpha(*columns(PUBLISHED)))
    assert text.startswith("0.815 (95% interval ")
    assert text.endswith("ordinal, 11 documents with two or more grades, 55 pairs of grades)")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (([1, 1], ["a"], [0, 1]), "2 units and 1 annotators"),
        (([1, 1], ["a", "b"], [0]), r"one number per document \(2\)"),
        (([1, 1], ["a", "b"], [0, -1]), "unlabelled"),
        (([1, 1], ["a", "b"], [0, 0.5]), "whole numbers"),
        (([1, 1], ["a", "b"], ["x", "y"]), "whole numbers"),
        (([1, 1], ["a", "a"], [0, 1]), "annotator 'a' has two grades for unit 1"),
        (([[1], [2]], ["a", "b"], [0, 1]), "units must be names or numbers"),
        (("ab", ["a", "b"], [0, 1]), "units must be a list"),
        ((5, ["a", "b"], [0, 1]), "units must be a list"),
    ],
)
def test_bad_input_is_named(args, message):
    with pytest.raises(InputError, match=message):
        krippendorff_alpha(*args)


@pytest.mark.parametrize("options", [{"level": "ratio"}, {"resamples": 0}, {"resamples": "many"}])
def test_bad_options_are_named(options):
    with pytest.raises(InputError, match=next(iter(options))):
        krippendorff_alpha([1, 1], ["a", "b"], [0, 1], **options)
