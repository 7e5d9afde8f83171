"""A trial of samplers: on every set, with every ranker and budget, are they ahead of random labels, or behind?

    python -m tests.simulate.trial OUT SET SET ... --samplers ssar,random:seeds=4 --rankers weighted_items

SET is a folder of LETOR's folds, a LETOR file (cut into folds by query) or `demo`; `@50` behind it thins it to one
relevant document in 50. `--deal 7` deals the queries to folds anew, with this seed, also those of a folder. Runs are
kept under OUT, and a trial that was cut goes on there. Every line: MAP of the sampler less that of the baseline at 1,
2, 3, 5 and 10% of the smallest pool, `+` or `-` behind it where the paired sign-flip test on queries gives p below 5%
(before any correction: a sampler that is level with the baseline is marked once in twenty times, half of them `-`).
The last table counts: below and above at 5%, ahead, and the mean difference.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from rulerank.demo import build_demo
from rulerank.simulate import Dataset, Plan, Results, Strategy, run
from rulerank.simulate.thin import thinned

SHARES = (1, 2, 3, 5, 10)
"""Budgets, in percent of the smallest pool."""

FOLDS = 5
SIGNIFICANT = 0.05


def read_set(text: str, deal: int | None) -> Dataset:
    """Return the folds that a SET stands for."""
    where, _, one_in = text.partition("@")
    path = Path(where)
    if where == "demo":
        data = Dataset.from_collection(build_demo().collection, FOLDS, deal or 0, "demo")
    elif path.is_dir() and deal is None:
        data = Dataset.from_folder(path)
    else:
        files = sorted(path.glob("S*.txt")) if path.is_dir() else [path]
        data = Dataset.from_files(files, FOLDS, deal or 0, path.name.split(".")[0])
    return thinned(data, int(one_in)) if one_in else data


def run_set(data: Dataset, samplers: str, rankers: str, shares: Sequence[int], out: Path, jobs: int) -> Results:
    """Run all samplers, measured at the shares (in percent of the smallest pool) and as seldom as possible between."""
    percent = min(len(split.pool) for split in data.splits) // 100
    plan = Plan(
        samplers=tuple(map(Strategy.parse, samplers.split(","))),
        rankers=tuple(map(Strategy.parse, rankers.split(","))),
        budget=max(percent, 1) * max(shares),
        every=max(percent, 1) * math.gcd(*shares),
        metrics=("map",),
    )
    results = run(plan, data, out, jobs=jobs)
    if results.failures:
        raise SystemExit("\n".join(failure.message for failure in results.failures))
    return results


def compared(results: Results, baseline: str, shares: Sequence[int] = SHARES) -> pd.DataFrame:
    """Return the differences to the baseline at the shares, and their p-values before correction."""
    budgets = {percent: results.grid[percent // math.gcd(*shares) - 1] for percent in shares}
    tables = [results.significance(baseline, "map", labels).assign(percent=p) for p, labels in budgets.items()]
    curves = results.curves("map")
    base = curves[curves["sampler"] == baseline].set_index(["ranker", "labels"])["mean"]
    found = pd.concat(tables, ignore_index=True).assign(set=results.about.dataset)
    found["of"] = [base[each] for each in zip(found["ranker"], found["labels"], strict=True)]
    relevant = results.table().query("point == 'grid'").groupby(["sampler", "labels"])["relevant_found"].mean()
    found["times"] = [
        relevant[sampler, labels] / (relevant[baseline, labels] or math.nan)
        for sampler, labels in zip(found["sampler"], found["labels"], strict=True)
    ]
    return found[["set", "ranker", "sampler", "percent", "difference", "of", "times", "p_flip"]]


SHOWN: dict[str, Callable[[Any], str]] = {
    "difference": lambda row: f"{row.difference:+.4f}{_mark(row.difference, row.p_flip)}",
    "percent": lambda row: f"{row.difference / row.of:+.0%}{_mark(row.difference, row.p_flip)}",
    "found": lambda row: f"{row.times:.1f}",
}
"""What the first table may show: the difference, the same in percent, or relevant documents labelled per baseline's."""


def lines(found: pd.DataFrame, show: str = "difference") -> list[str]:
    """Return both tables in Markdown."""
    budgets = sorted(found["percent"].unique())
    out = ["| set, ranker | sampler | " + " | ".join(f"{each}%" for each in budgets) + " |"]
    out.append("| --- " * (len(budgets) + 2) + "|")
    for (name, ranker, sampler), rows in found.groupby(["set", "ranker", "sampler"], sort=False):
        cells = [SHOWN[show](row) for row in rows.itertuples()]
        out.append(f"| {name}, {ranker} | `{sampler}` | " + " | ".join(cells) + " |")
    out += [
        "",
        "| sampler | below at 5% | above at 5% | ahead | mean difference | lowest (its p) |",
        "| --- " * 6 + "|",
    ]
    for sampler, rows in found.groupby("sampler", sort=False):
        marks = [_mark(row.difference, row.p_flip) for row in rows.itertuples()]
        worst = rows.loc[rows["difference"].idxmin()]
        out.append(
            f"| `{sampler}` | {marks.count(' -')} of {len(rows)} | {marks.count(' +')} | "
            f"{(rows['difference'] > 0).sum()} | {rows['difference'].mean():+.4f} | "
            f"{worst['difference']:+.4f} ({worst['p_flip']:.2f}) |"
        )
    return out


def _mark(difference: float, p: float) -> str:
    return "" if p >= SIGNIFICANT else (" +" if difference > 0 else " -")


def main(arguments: list[str]) -> int:
    """Run the trial and print it."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulate.trial", description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--samplers", required=True)
    parser.add_argument("--rankers", default="threshold_rules,weighted_items")
    parser.add_argument("--baseline", default="random")
    parser.add_argument("--deal", type=int)
    parser.add_argument("--shares", default=",".join(map(str, SHARES)), help="budgets in percent of the smallest pool")
    parser.add_argument("--show", choices=SHOWN, default="difference", help="or percent, or relevant documents found")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args(arguments)
    shares = sorted(map(int, given.shares.split(",")))
    tables = []
    for text in given.sets:
        folder = given.out / f"{Path(text).name}{'' if given.deal is None else f'-{given.deal}'}"
        data = read_set(text, given.deal)
        results = run_set(data, given.samplers, given.rankers, shares, folder, given.jobs)
        tables.append(compared(results, given.baseline, shares))
        print(f"{data.name}: done", file=sys.stderr, flush=True)
    print("\n".join(lines(pd.concat(tables, ignore_index=True), given.show)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
