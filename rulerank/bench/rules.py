"""Benchmarks of the rule index and of the rankers."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from rulerank.bench.timing import Result, turns
from rulerank.discretize import EqualWidth
from rulerank.ranking import LRAR
from rulerank.rules import CachedMiner, PoolScores, RuleCache, RuleIndex
from rulerank.rules.items import as_columns
from rulerank.synthetic import planted_collection, random_items

ROWS, FEATURES = 30_000, 64


def _rounds(index: RuleIndex, grades: np.ndarray, start: int, rounds: int) -> float:
    """Return the median seconds of rounds of SSAR: enter a label, find the fewest rules."""
    seconds = []
    for row in range(start, start + rounds):
        begin = time.perf_counter()
        index.add(row, int(grades[row]))
        index.rule_counts().argmin()
        seconds.append(time.perf_counter() - begin)
    return float(np.median(seconds))


def rounds() -> Iterator[Result]:
    """A round of SSAR against one numpy pass over the same bytes."""
    items = random_items(ROWS, FEATURES)
    grades = np.random.default_rng(1).integers(0, 3, ROWS)
    for size, most in ((2, 1.0), (3, 10.0)):
        index = RuleIndex(items, max_antecedent=size)
        _rounds(index, grades, 0, 20)
        place = iter(range(20, ROWS))

        def label(index: RuleIndex = index, place: Iterator[int] = place) -> None:
            row = next(place)
            index.add(row, int(grades[row]))
            index.rule_counts().argmin()

        ours, numpy_pass = turns(label, lambda: (items == items[7]).sum(axis=1), rounds=40)
        yield Result(
            "ssar",
            f"SSAR round, {ROWS:,} x {FEATURES}, antecedents up to {size}: {ours * 1e3:.2f} ms; "
            f"numpy pass {numpy_pass * 1e3:.2f} ms",
            f"{ours / numpy_pass:.2f}x the pass",
            f"at most {most:g}x",
            ours <= most * numpy_pass,
        )


def growth() -> Iterator[Result]:
    """Ten times the pool, and a hundred times the labels."""
    grades = np.random.default_rng(1).integers(0, 3, 10 * ROWS)
    small, large = (RuleIndex(random_items(rows, FEATURES)) for rows in (ROWS, 10 * ROWS))
    for index in (small, large):
        _rounds(index, grades, 0, 10)
    little, much = zip(
        *((_rounds(small, grades, at, 5), _rounds(large, grades, at, 5)) for at in range(10, 60, 5)), strict=True
    )
    ratio = float(np.median(much) / np.median(little))
    yield Result(
        "growth", f"10x the pool ({ROWS:,} to {10 * ROWS:,})", f"{ratio:.1f}x the round", "at most 11x", ratio <= 11
    )
    early = RuleIndex(random_items(ROWS, FEATURES))
    late = RuleIndex(random_items(ROWS, FEATURES))
    _rounds(early, grades, 0, 5)
    _rounds(late, grades, 0, 995)
    pairs = [(_rounds(early, grades, 5 + step, 1), _rounds(late, grades, 995 + step, 1)) for step in range(30)]
    ratio = float(np.median([after for _, after in pairs]) / np.median([before for before, _ in pairs]))
    yield Result("growth", "the 1,000th label against the 10th", f"{ratio:.2f}x the time", "about 1x", ratio <= 1.25)


def retraining() -> Iterator[Result]:
    """One more label, retrained and ranked, against LightGBM's fit and predict."""
    pool, grades = random_items(ROWS, FEATURES), np.random.default_rng(2).integers(0, 3, ROWS)
    model = LRAR().watch(pool).fit(pool[:1000], grades[:1000])
    model.predict(pool)
    place = iter(range(1000, ROWS))

    def one_more() -> None:
        row = next(place)
        model.partial_fit(pool[row], int(grades[row]))
        model.predict(pool)

    what = f"one more label, retrain + rank {ROWS:,} documents, 1,000 labelled"
    try:
        import lightgbm  # noqa: PLC0415  (a peer that only benchmarks install)
    except ImportError:
        (ours,) = turns(one_more)
        yield Result("retrain", f"{what}: {ours * 1e3:.1f} ms", "LightGBM is not installed", "20x faster", None)
        return
    values, train = pool.astype(np.float64), pool[:1000].astype(np.float64)
    group = [20] * 50

    def regress() -> None:
        lightgbm.LGBMRegressor(verbose=-1).fit(train, grades[:1000]).booster_.predict(values)

    def lambdamart() -> None:
        lightgbm.LGBMRanker(verbose=-1).fit(train, grades[:1000], group=group).booster_.predict(values)

    ours, first, second = turns(one_more, regress, lambdamart, rounds=9, pause=0.03)
    for name, theirs in (("regression", first), ("LambdaMART", second)):
        yield Result(
            "retrain",
            f"{what}: {ours * 1e3:.1f} ms; LightGBM {name} fit + predict {theirs * 1e3:.0f} ms",
            f"{theirs / ours:.0f}x faster",
            "at least 20x",
            theirs >= 20 * ours,
        )


def scratch() -> Iterator[Result]:
    """LRAR from scratch, and its equality with the label-by-label scores."""
    pool, grades = random_items(10_000, FEATURES), np.random.default_rng(3).integers(0, 3, 10_000)
    model = LRAR().fit(pool[:1000], grades[:1000])
    (seconds,) = turns(lambda: model.predict(pool), rounds=7)
    each = seconds / len(pool) * 1e6
    yield Result(
        "lrar",
        "LRAR, 10,000 documents x 64 from 1,000 labelled, from scratch",
        f"{each:.1f} µs per document",
        "at most 25 µs",
        each <= 25,
    )


def memory() -> Iterator[Result]:
    """Bytes of the index against the bytes of the items."""
    items = random_items(ROWS, FEATURES)
    for size in (2, 3):
        index = RuleIndex(items, max_antecedent=size)
        for row in range(100):
            index.add(row, row % 3)
        ratio = index.nbytes / items.nbytes
        yield Result(
            "memory",
            f"rule index, antecedents up to {size}, 100 labels",
            f"{ratio:.2f}x the items",
            "at most 3x",
            ratio <= 3,
        )
    scores = PoolScores(as_columns(items), 3)
    yield Result("memory", "count tables kept by the index", "none: counts come from the labelled set", "", None)
    ratio = (scores.rule_sums.sums.nbytes + scores.rule_sums.numbers.nbytes) / items.nbytes
    yield Result("memory", "LRAR's sums for the pool, kept label by label", f"{ratio:.2f}x the items", "", None)


def cache() -> Iterator[Result]:
    """Figure 2 of Learning to Rank at Query-Time: time against cache size, and how many documents share a rule."""
    made = planted_collection(10, 50, 24, seed=5)
    items = EqualWidth(bins=6).fit_transform(made.features)
    items, grades, asked = items[:300], made.grades[:300].astype(np.int64), items[300:]
    base = None
    for capacity in (0, 1_000, 4_000, 16_000, 64_000):
        miner = CachedMiner(items, grades, RuleCache(capacity))
        begin = time.perf_counter()
        for document in asked:
            miner.mine(document)
        seconds = time.perf_counter() - begin
        base = base or seconds
        looked = miner.cache.hits + miner.cache.misses
        hit = f"{miner.cache.hits / looked:.0%} hits"
        yield Result(
            "cache",
            f"rule cache of {capacity:,} rules, 200 documents: {hit}",
            f"{seconds / base:.2f}x the time of no cache",
            "",
            None,
        )
    shares = np.array(sorted(miner.demands.values(), reverse=True)) / len(asked)
    text = ", ".join(f"rule {k:,}: {shares[min(k, shares.size) - 1]:.0%}" for k in (1, 10, 100, 1_000, 5_000))
    yield Result("cache", "share of documents that demand the k-th most demanded rule", text, "", None)
