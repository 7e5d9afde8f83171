"""Krippendorff's alpha straight from its definition, in fractions, to compare with; and grades to try it on."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

# Krippendorff (2011), "Computing Krippendorff's alpha-reliability", section C: four observers, twelve units.
OBSERVERS = {
    "A": "1 2 3 3 2 1 4 1 2 . . .",
    "B": "1 2 3 3 2 2 4 1 2 5 . 3",
    "C": ". 3 3 3 2 3 4 2 2 5 1 .",
    "D": "1 2 3 3 2 4 4 1 2 5 1 .",
}
PUBLISHED = [
    (unit, who, int(value))
    for who, values in OBSERVERS.items()
    for unit, value in enumerate(values.split(), 1)
    if value != "."
]


def columns(rows):
    """(unit, annotator, grade) rows as the three arrays."""
    return tuple(map(list, zip(*rows, strict=True))) if rows else ([], [], [])


def slow_alpha(by_unit, level):
    """Alpha from lists of grades, one a unit; None where it is not defined."""
    units = [grades for grades in by_unit if len(grades) >= 2]
    values = sorted({grade for grades in units for grade in grades})
    met = {(c, k): Fraction(0) for c in values for k in values}
    for grades in units:
        for i, c in enumerate(grades):
            for j, k in enumerate(grades):
                if i != j:
                    met[c, k] += Fraction(1, len(grades) - 1)
    number = {c: sum(met[c, k] for k in values) for c in values}
    total = sum(number.values())

    def distance(c, k):
        if level == "nominal":
            return Fraction(c != k)
        if level == "interval":
            return Fraction((c - k) ** 2)
        low, high = min(c, k), max(c, k)
        between = sum(number[g] for g in values if low <= g <= high)
        return (between - (number[c] + number[k]) / 2) ** 2

    observed = sum(met[c, k] * distance(c, k) for c in values for k in values)
    expected = sum(number[c] * number[k] * distance(c, k) for c in values for k in values)
    return float(1 - (total - 1) * observed / expected) if expected else None


def by_unit(rows):
    grouped = {}
    for unit, _, grade in rows:
        grouped.setdefault(unit, []).append(grade)
    return list(grouped.values())


def several_grades(largest=4):
    """Rows (unit, annotator, grade) with each unit and annotator at most once, in any order."""
    keys = st.tuples(st.integers(0, 8), st.sampled_from("abcde"))
    table = st.dictionaries(keys, st.integers(0, largest), max_size=30)
    return table.flatmap(lambda cells: st.permutations([(u, a, g) for (u, a), g in cells.items()]))
