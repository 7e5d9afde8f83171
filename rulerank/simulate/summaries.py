"""What results come to: curves with intervals, labels needed, paired tests, and the summary of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rulerank.errors import InputError
from rulerank.statistics import (
    area,
    bootstrap_interval,
    first_reached,
    holm,
    paired_t,
    sign_flip,
    t_interval,
)

if TYPE_CHECKING:
    import pandas as pd

    from rulerank.simulate.results import Results

SIGNIFICANT = 0.05


def curves(results: Results, metric: str | None, expected: bool) -> pd.DataFrame:
    """Return a row for each sampler, ranker and point of the grid.

    | column | meaning |
    | --- | --- |
    | labels, share | labels given, and their share of the pools' mean size |
    | mean | mean over folds of the mean over seeds |
    | low, high | 95% Student interval over the folds' means; folds differ in difficulty, so it is wide |
    | low_queries, high_queries | 95% bootstrap interval over the test queries, redrawn within their folds |
    | low_seeds, high_seeds | 95% Student interval over seeds of their means over folds; empty with one run |
    | deviation | standard deviation over seeds of their means over folds; empty with one run |
    | ceiling, of_ceiling | what all labels give this ranker, and the mean's share of it |
    | relevant_found | share of the pool's relevant documents among the labelled ones |
    | used | labels really spent, on average: fewer where samplers end at their natural stop |
    | runs | seeds that were averaged |
    """
    import pandas as pd  # noqa: PLC0415 (half a second that only tables need)

    rows = []
    grid = results.grid
    pool = float(np.mean(results.about.pools))
    for ranker in (each.key for each in results.plan.rankers):
        top = results.ceiling(ranker, metric, expected)
        for sampler in results.samplers_done():
            cubes = results.cubes(sampler, ranker, metric, expected)
            low_queries, high_queries = bootstrap_interval([cube.mean(axis=0).T for cube in cubes])
            by_fold = np.array([cube.mean(axis=(0, 2)) for cube in cubes])  # folds by points
            by_seed = np.mean([cube.mean(axis=2) for cube in cubes], axis=0)  # seeds by points
            found, used = _found_and_used(results, sampler)
            for point, labels in enumerate(grid):
                folds, seeds = t_interval(by_fold[:, point]), t_interval(by_seed[:, point])
                several = len(by_seed) > 1
                rows.append(
                    {
                        "sampler": sampler,
                        "ranker": ranker,
                        "labels": labels,
                        "share": labels / pool,
                        "mean": folds.mean,
                        "low": folds.low,
                        "high": folds.high,
                        "low_queries": low_queries[point],
                        "high_queries": high_queries[point],
                        "low_seeds": seeds.low,
                        "high_seeds": seeds.high,
                        "deviation": by_seed[:, point].std(ddof=1) if several else np.nan,
                        "ceiling": np.nan if top is None else top,
                        "of_ceiling": folds.mean / top if top else np.nan,
                        "relevant_found": found[point],
                        "used": used[point],
                        "runs": len(by_seed),
                    }
                )
    return pd.DataFrame(rows)


def _found_and_used(results: Results, sampler: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of relevant documents found, and the labels spent, at each point: means over seeds and folds."""
    by_fold = results.runs_of(sampler)
    found = [np.mean([run.relevant_found[run.outcome.on_grid] for run in runs], axis=0) for runs in by_fold]
    used = [np.mean([run.outcome.used[run.outcome.on_grid] for run in runs], axis=0) for runs in by_fold]
    return np.asarray(np.mean(found, axis=0)), np.asarray(np.mean(used, axis=0))


def labels_needed(
    results: Results, metric: str | None, shares: Sequence[float], baseline: str | None, expected: bool
) -> pd.DataFrame:
    """Return a row for each sampler, ranker and share of what all labels give.

    goal: the value to reach. labels: the first point of the grid where the mean curve reaches it; stays: the first from
    which on it does not fall below again. Both are empty where the budget did not suffice, and as fine as the grid is.
    of_pool: labels as a share of the pool. saved: the share of the baseline's labels that were not needed.
    """
    import pandas as pd  # noqa: PLC0415

    rows = []
    pool = float(np.mean(results.about.pools))
    for ranker in (each.key for each in results.plan.rankers):
        top = results.ceiling(ranker, metric, expected)
        if top is None:
            continue
        for share in shares:
            needed = {
                sampler: first_reached(
                    results.grid, _mean_curve(results, sampler, ranker, metric, expected), share * top
                )
                for sampler in results.samplers_done()
            }
            if baseline is not None and baseline not in needed:
                raise InputError(f"the baseline {baseline!r} is not among the finished samplers: {', '.join(needed)}")
            for sampler, (first, stays) in needed.items():
                other = needed[baseline][0] if baseline is not None else None
                rows.append(
                    {
                        "sampler": sampler,
                        "ranker": ranker,
                        "of_ceiling": share,
                        "goal": share * top,
                        "labels": np.nan if first is None else first,
                        "stays": np.nan if stays is None else stays,
                        "of_pool": np.nan if first is None else first / pool,
                        "saved": np.nan if first is None or other is None else 1 - first / other,
                    }
                )
    return pd.DataFrame(rows)


def _mean_curve(results: Results, sampler: str, ranker: str, metric: str | None, expected: bool) -> np.ndarray:
    return np.asarray(
        np.mean([cube.mean(axis=(0, 2)) for cube in results.cubes(sampler, ranker, metric, expected)], axis=0)
    )


def significance(
    results: Results, baseline: str, metric: str | None, labels: int | None, expected: bool
) -> pd.DataFrame:
    """Return paired tests of every other sampler against a baseline with the same ranker, query by query.

    A query's value is its mean over seeds; queries of all folds are tested together. labels: at which point of the grid
    (default: the budget). The family that Holm's correction goes over is all rows of the table: every ranker with
    every sampler but the baseline.

    difference: mean over queries. t, p_t: paired t-test. p_flip: sign-flip randomisation. p_t_holm, p_flip_holm: the
    same, corrected. mark: "+" or "-" where the corrected sign-flip test says that the sampler is better or worse at 5%.
    """
    import pandas as pd  # noqa: PLC0415

    if not results.seeds_done(baseline):
        raise InputError(f"no run of the baseline {baseline} is finished on every fold yet")
    point = _point(results, labels)
    rows = []
    for ranker in (each.key for each in results.plan.rankers):
        base = _by_query(results, baseline, ranker, metric, expected, point)
        for sampler in results.samplers_done():
            if sampler == baseline:
                continue
            gaps = _by_query(results, sampler, ranker, metric, expected, point) - base
            t, flip = paired_t(gaps), sign_flip(gaps)
            rows.append(
                {
                    "sampler": sampler,
                    "baseline": baseline,
                    "ranker": ranker,
                    "labels": results.grid[point],
                    "queries": gaps.size,
                    "difference": t.difference,
                    "t": t.statistic,
                    "p_t": t.p,
                    "p_flip": flip.p,
                }
            )
    for test in ("p_t", "p_flip"):
        for row, p in zip(rows, holm([row[test] for row in rows]), strict=True):
            row[f"{test}_holm"] = p
    for row in rows:
        row["mark"] = "" if row["p_flip_holm"] >= SIGNIFICANT else ("+" if row["difference"] > 0 else "-")
    columns = ["sampler", "baseline", "ranker", "labels", "queries", "difference", "t", "p_t", "p_t_holm", "p_flip"]
    return pd.DataFrame(rows, columns=[*columns, "p_flip_holm", "mark"])


def _point(results: Results, labels: int | None) -> int:
    if labels is None:
        return len(results.grid) - 1
    if labels not in results.grid:
        raise InputError(f"nothing was measured after {labels} labels; points are: {', '.join(map(str, results.grid))}")
    return results.grid.index(labels)


def _by_query(
    results: Results, sampler: str, ranker: str, metric: str | None, expected: bool, point: int
) -> np.ndarray:
    cubes = results.cubes(sampler, ranker, metric, expected)
    return np.concatenate([cube[:, point].mean(axis=0) for cube in cubes])


def summary(results: Results, baseline: str | None, metric: str | None, expected: bool) -> pd.DataFrame:
    """Return a row for each ranker and sampler with its figures at the budget.

    The columns of `curves` at the last point; area: mean height of the learning curve, area_of_ceiling: as a share of
    what all labels give; to_90, to_95, to_99: labels to reach these shares of it; stays_90, stays_95, stays_99: from
    when on the curve does not fall below them again; stop: mean number of labels at the sampler's natural stop (over
    the runs that came to it), and at_stop the mean value there; with a baseline also difference, p_flip_holm and mark
    of `significance`.
    """
    import pandas as pd  # noqa: PLC0415

    curve = curves(results, metric, expected)
    if curve.empty:
        return curve
    pairs = ["ranker", "sampler"]
    last = curve[curve["labels"] == results.labels].set_index(pairs)
    areas = curve.groupby(pairs, sort=False)[["labels", "mean"]].apply(lambda part: area(part["labels"], part["mean"]))
    last["area"] = areas
    last["area_of_ceiling"] = last["area"] / last["ceiling"]
    needed = labels_needed(results, metric, (0.90, 0.95, 0.99), None, expected)
    for share in (0.90, 0.95, 0.99) if len(needed) else ():
        reached, percent = needed[needed["of_ceiling"] == share].set_index(pairs), f"{share * 100:.0f}"
        last[f"to_{percent}"], last[f"stays_{percent}"] = reached["labels"], reached["stays"]
    stops = {pair: _at_stop(results, pair[1], pair[0], metric, expected) for pair in last.index}
    last["stop"] = pd.Series({pair: stop for pair, (stop, _) in stops.items()})
    last["at_stop"] = pd.Series({pair: value for pair, (_, value) in stops.items()})
    if baseline is not None:
        tests = significance(results, baseline, metric, None, expected).set_index(pairs)
        for column in ("difference", "p_t_holm", "p_flip_holm", "mark"):
            last[column] = tests[column]
        last["mark"] = last["mark"].fillna("")
    return last.reset_index()


def _at_stop(results: Results, sampler: str, ranker: str, metric: str | None, expected: bool) -> tuple[float, float]:
    """Return the mean number of labels at the natural stop, and the mean value there; of runs that came to it."""
    which = results.metric_place(metric)
    place = [each.key for each in results.plan.rankers].index(ranker)
    stops, values = [], []
    for run in (run for runs in results.runs_of(sampler) for run in runs):
        stop = run.outcome.choice.stopped_at
        if stop:
            point = int(np.searchsorted(run.outcome.labels, stop))
            found = run.outcome.expected if expected else run.outcome.values
            stops.append(stop)
            values.append(found[place, point, which].mean())
    return (float(np.mean(stops)), float(np.mean(values))) if stops else (np.nan, np.nan)
