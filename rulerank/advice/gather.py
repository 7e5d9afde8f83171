"""Make the evidence: simulate on collections and on thinned copies of them, and keep facts and mean curves.

    python -m rulerank.advice.gather letor3-ohsumed cran.letor ... --thin 50,120,360 --work FOLDER --out evidence.json

A copy is thinned by taking relevant documents out at random until one in so many is left; it is made where at least
`LEAST_RELEVANT` stay. Runs that are in FOLDER already are not done again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from rulerank.advice.evidence import Case, MeanCurve, PoolFacts
from rulerank.errors import InputError
from rulerank.files import write_whole
from rulerank.simulate import Dataset, Plan, Results, Strategy, run
from rulerank.simulate.thin import thinned

SAMPLERS = "ssar,ssarp,fewest_occurrences,ssar_turns:seeds=2,ssar_even:seeds=2,random:seeds=4"
RANKERS = "threshold_rules,weighted_items,lrar"
LEAST_RELEVANT = 60
FOLDS = 3
DIGITS = 4


def plan_for(pairs: int, samplers: Sequence[str], rankers: Sequence[str], most: int) -> Plan:
    """Return the plan for a collection of so many pairs: up to a quarter of a pool, and to `most` labels."""
    pool = pairs * (FOLDS - 1) // FOLDS
    return Plan(
        samplers=tuple(map(Strategy.parse, samplers)),
        rankers=tuple(map(Strategy.parse, rankers)),
        folds=FOLDS,
        budget=min(most, pool // 4),
        every="geometric",
        metrics=("map",),
    )


def case_of(name: str, base: str, facts: PoolFacts, results: Results) -> Case:
    """Return what is kept of a simulation."""
    curves = []
    for ranker in (each.key for each in results.plan.rankers):
        top = results.ceiling(ranker)
        if top is None:
            raise InputError(f"{name}: all labels were not run with {ranker}; plan them with `full=True`")
        for sampler in results.samplers_done():
            values = np.mean([cube.mean(axis=(0, 2)) for cube in results.cubes(sampler, ranker)], axis=0)
            shares = tuple(round(float(value), DIGITS) for value in values / top)
            curves.append(MeanCurve(sampler, ranker, round(top, DIGITS), tuple(results.grid), shares))
    return Case(name, base, facts, tuple(curves))


def facts_of(data: Dataset) -> PoolFacts:
    """Return the facts of a whole collection, every document of which is in one test part."""
    tests = [split.test for split in data.splits]
    relevant = float(np.mean(np.concatenate([part.grades for part in tests]) > 0))
    return PoolFacts(
        sum(map(len, tests)), sum(len(part.queries) for part in tests), len(tests[0].feature_names), relevant
    )


def copies(path: Path, thin: Sequence[int]) -> Iterator[tuple[str, Dataset]]:
    """Yield a collection, dealt to folds, and its thinned copies, each with its name."""
    base = path.name.split(".")[0]
    parts = sorted(path.glob("S*.txt")) if path.is_dir() else [path]
    whole = Dataset.from_files(parts, FOLDS, name=base)
    yield base, whole
    facts = facts_of(whole)
    for one_in in thin:
        if (facts.relevant or 0) > 1.2 / one_in and facts.pairs / one_in >= LEAST_RELEVANT:
            yield f"{base}, 1 in {one_in}", thinned(whole, one_in, seed=one_in)


def main() -> None:
    """Gather the evidence."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--thin", default="50,120,360")
    parser.add_argument(
        "--samplers", default="ssar,ssarp,fewest_occurrences,ssar_turns:seeds=2,ssar_even:seeds=2,random:seeds=4"
    )
    parser.add_argument("--rankers", default="threshold_rules,weighted_items,lrar")
    parser.add_argument("--labels", type=int, default=800)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    cases = []
    for path in asked.data:
        base = path.name.split(".")[0]
        for name, data in copies(path, [int(each) for each in asked.thin.split(",")]):
            facts = facts_of(data)
            plan = plan_for(facts.pairs, asked.samplers.split(","), asked.rankers.split(","), asked.labels)
            results = run(plan, data, asked.work / name.replace(", ", "-").replace(" ", "-"), jobs=asked.jobs)
            cases.append(case_of(name, base, facts, results))
            print(cases[-1].name, cases[-1].facts.in_words, flush=True)
            write_whole(asked.out, json.dumps([case.to_dict() for case in cases], separators=(",", ":")).encode())


if __name__ == "__main__":
    main()
