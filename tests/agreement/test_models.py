"""Models of annotators: EM as plain loops do it, parameters found again, and what holds for every grade they choose."""

from __future__ import annotations

import math
from unittest import mock

import numpy as np
import pytest
from agreement_reference import columns, several_grades
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from rulerank.agreement import MODELS, aggregate, fit_dawid_skene, fit_ordered, latent
from rulerank.agreement.dawid_skene import SMOOTHING
from rulerank.agreement.ordered import PRIOR_LABELS, PRIOR_SPREAD


class Matrices:
    """Dawid and Skene's M step, cell by cell."""

    def __init__(self, values, people):
        self.values, self.people = values, people

    def learn(self, rows, chances):
        self.pi = {}
        levels = len(self.values)
        for who in self.people:
            for t in self.values:
                counts = {g: SMOOTHING / 2 / levels + (SMOOTHING / 2 if g == t else 0.0) for g in self.values}
                for unit, annotator, grade in rows:
                    if annotator == who:
                        counts[grade] += chances[unit][t]
                for g, count in counts.items():
                    self.pi[who, t, g] = count / sum(counts.values())

    def chance(self, who, t, g):
        return self.pi[who, t, g]


class Normals:
    """Bias and spread, one grade at a time."""

    def __init__(self, values, people):
        self.values = values
        self.bias, self.spread = dict.fromkeys(people, 0.0), dict.fromkeys(people, 1.0)

    def limits(self, who, t, g):
        place = self.values.index(g)
        low = -math.inf if place == 0 else (self.values[place - 1] + g) / 2
        high = math.inf if g == self.values[-1] else (g + self.values[place + 1]) / 2
        return ((low - t - self.bias[who]) / self.spread[who], (high - t - self.bias[who]) / self.spread[who])

    def chance(self, who, t, g):
        low, high = self.limits(who, t, g)
        return 0.5 * (math.erfc(-high / math.sqrt(2)) - math.erfc(-low / math.sqrt(2)))

    def moments(self, who, t, g):
        density = [math.exp(-z * z / 2) / math.sqrt(2 * math.pi) for z in self.limits(who, t, g)]
        edge = [z * d if math.isfinite(z) else 0.0 for z, d in zip(self.limits(who, t, g), density, strict=True)]
        chance = self.chance(who, t, g)
        mean = (density[0] - density[1]) / chance
        return mean, 1 + (edge[0] - edge[1]) / chance - mean**2

    def learn(self, rows, chances):
        found = {}
        for who in self.bias:
            weighted = []
            for unit, annotator, grade in rows:
                for t in self.values:
                    if annotator == who and chances[unit][t] > 0:
                        mean, variance = self.moments(who, t, grade)
                        off = self.bias[who] + self.spread[who] * mean
                        weighted.append((chances[unit][t], off, self.spread[who] ** 2 * variance))
            number = sum(weight for weight, _, _ in weighted) + PRIOR_LABELS
            bias = sum(weight * off for weight, off, _ in weighted) / number
            squares = sum(weight * (variance + (off - bias) ** 2) for weight, off, variance in weighted)
            found[who] = bias, math.sqrt((squares + PRIOR_LABELS * (bias**2 + PRIOR_SPREAD**2)) / number)
        for who, (bias, spread) in found.items():
            self.bias[who], self.spread[who] = bias, spread


def slow_em(rows, known, kind, rounds):
    """Return the chances of each document's grades after so many rounds, by loops over single grades."""
    by_unit = {}
    for unit, who, grade in rows:
        by_unit.setdefault(unit, {})[who] = grade
    decided = {unit: grade for unit, grade in known.items() if unit in by_unit}
    values = sorted({grade for _, _, grade in rows} | set(decided.values()))
    model = kind(values, sorted({who for _, who, _ in rows}))

    def certain(chances):
        for unit, grade in decided.items():
            chances[unit] = {t: float(t == grade) for t in values}
        return chances

    start = {u: {t: sum(g == t for g in got.values()) / len(got) for t in values} for u, got in by_unit.items()}
    chances = certain(start)
    for _ in range(rounds):
        shares = {t: sum(each[t] for each in chances.values()) / len(chances) for t in values}
        model.learn(rows, chances)
        fresh = {}
        for unit, got in by_unit.items():
            product = {t: shares[t] * math.prod(model.chance(w, t, g) for w, g in got.items()) for t in values}
            fresh[unit] = {t: product[t] / sum(product.values()) for t in values}
        chances = certain(fresh)
    return chances, model


@pytest.mark.parametrize(("fit", "kind"), [(fit_dawid_skene, Matrices), (fit_ordered, Normals)])
@given(
    rows=several_grades(largest=3).filter(bool),
    known=st.dictionaries(st.integers(0, 8), st.integers(0, 3), max_size=2),
)
@examples(40)
def test_em_is_what_plain_loops_give(fit, kind, rows, known):
    with mock.patch.object(latent, "MOST_ROUNDS", 12):
        model = fit(*columns(rows), known)
    slow, people = slow_em(rows, known, kind, model.rounds)
    for unit, found in zip(model.units, model.chances, strict=True):
        assert found == pytest.approx(list(slow[unit].values()), abs=1e-6)
    for who, matrix in zip(model.annotators, model.given, strict=True):
        expected = [[people.chance(who, int(t), int(g)) for g in model.values] for t in model.values]
        assert matrix == pytest.approx(np.array(expected), abs=1e-6)


def simulated(given_chances, documents, seed):
    """Return true grades, and rows of everybody's grades drawn from their matrices."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, documents, p=[0.5, 0.3, 0.2])
    rows = [
        (unit, who, int(rng.choice(3, p=matrix[truth[unit]])))
        for unit in range(documents)
        for who, matrix in enumerate(given_chances)
    ]
    return truth, rows


def test_dawid_and_skene_finds_the_matrices_again():
    people = [
        [[0.9, 0.08, 0.02], [0.1, 0.8, 0.1], [0.05, 0.15, 0.8]],
        [[0.7, 0.2, 0.1], [0.05, 0.9, 0.05], [0.02, 0.08, 0.9]],
        [[0.95, 0.05, 0.0], [0.4, 0.55, 0.05], [0.1, 0.5, 0.4]],
        [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]],
    ]
    truth, rows = simulated(people, 3000, seed=3)
    model = fit_dawid_skene(*columns(rows))
    assert model.settled
    assert np.abs(model.given - np.array(people)).max() < 0.06
    assert model.shares == pytest.approx([0.5, 0.3, 0.2], abs=0.03)
    by_model, by_majority = model.grades(), aggregate(*columns(rows), "majority")
    right = [sum(found[unit] == grade for unit, grade in enumerate(truth)) for found in (by_model, by_majority)]
    assert right[0] > right[1]
    assert model.bias[2] < -0.2 < model.bias[3]  # the strict one


def test_the_model_of_ordered_grades_finds_bias_and_spread_again():
    rng = np.random.default_rng(5)
    truth = rng.choice(4, 3000)
    bias, spread = [0.5, -0.4, 0.0, 0.1], [0.4, 0.5, 0.8, 0.5]
    rows = []
    for unit, grade in enumerate(truth):
        for who in range(4):
            seen = grade + bias[who] + spread[who] * rng.normal()
            rows.append((unit, who, int(np.clip(np.rint(seen), 0, 3))))
    model = fit_ordered(*columns(rows))
    limits = np.array([-np.inf, 0.5, 1.5, 2.5, np.inf])
    for who in range(4):
        for t in range(4):
            below = [0.5 * math.erfc(-(edge - t - bias[who]) / spread[who] / math.sqrt(2)) for edge in limits]
            assert model.given[who, t] == pytest.approx(np.diff(below), abs=0.06)
    by_rule = {rule: aggregate(*columns(rows), rule) for rule in ("ordered", "median", "majority")}
    right = {rule: sum(found[unit] == grade for unit, grade in enumerate(truth)) for rule, found in by_rule.items()}
    assert right["ordered"] > max(right["median"], right["majority"])
    assert np.argsort(model.bias).tolist() == [1, 2, 3, 0]


def test_decisions_tell_whom_to_believe():
    rows = [(unit, who, grade) for unit in range(20) for who, grade in (("a", 0), ("b", 2))]
    decided = dict.fromkeys(range(8), 2)
    for rule in MODELS:
        found = aggregate(*columns(rows), rule, decided)
        assert set(found.values()) == {2}
    assert set(aggregate(*columns(rows), "median").values()) == {0}


def test_grades_without_anybody_between_stay_apart():
    rows = [(1, "a", 0), (1, "b", 30_000), (1, "c", 30_000), (2, "a", 7)]
    for fit in MODELS.values():
        model = fit(*columns(rows))
        assert np.isfinite(model.chances).all()
        assert model.grades() == {1: 30_000, 2: 7}
        assert model.given.sum(axis=2) == pytest.approx(1.0)


@pytest.mark.parametrize("fit", MODELS.values())
def test_nothing_gives_nothing(fit):
    model = fit([], [], [])
    assert model.grades() == {}
    assert model.accuracy.tolist() == model.bias.tolist() == []
