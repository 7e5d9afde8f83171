"""Simulated campaigns under the stop light: how good is the ranker at green, and how many labels were spent?

    python -m tests.simulate.stopping RUNS.jsonl SET SET ... [--deals 3] [--grades known|permuted|digits]
    python -m tests.simulate.stopping RUNS.jsonl [--good 0.98]

A SET is a LETOR file or a folder with S1.txt to S5.txt. A deal gives half of a set's queries to the pool (up to about
3,000 documents), a fifth to the evaluation set and the rest to a test set that no light sees (up to about 8,000). Each
sampler labels up to half of the pool, at most 2,000 documents, past its natural stop; the ranker is the recommended
one. Looks are kept in RUNS.jsonl, runs that are there already are not run again, and the table is printed from all of
them: by the light as it is now, so that a constant can be changed and the table printed again.

A run is good if MAP on the test set is at least 98% (or another share) of what the same ranker has with all labels of
the pool. Grades that mean nothing are the known ones permuted over the pool, or digits drawn at random.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rulerank.campaign import doubts
from rulerank.campaign.looks import Look, Looks, look_points
from rulerank.campaign.stop_light import Facts, stop_light
from rulerank.campaign.stopping import Coverage, RuleState, beside_random, coverage
from rulerank.collection import Collection
from rulerank.curves import Band, Documents, Evaluation, Point, ceiling, fitted_scores, random_band
from rulerank.letor import read_letor
from rulerank.metrics import Measure
from rulerank.ranking import RECOMMENDED
from rulerank.registry import rankers, samplers
from rulerank.simulate.data import FoldArrays, Split, prepare
from rulerank.simulate.outcome import choose
from rulerank.simulate.plan import Plan
from rulerank.strategy import Strategy

SAMPLERS = ("ssar", "ssarp", "fewest_occurrences", "ssar_turns", "random")
MAP = Measure("map")
POOL, TEST, LABELS = 3000, 8000, 2000
GOOD = 0.98
GRADES = ("known", "permuted", "digits")


@dataclass(frozen=True)
class Deal:
    """A set dealt to a pool, an evaluation set and a test set, by query."""

    fold: FoldArrays
    evaluation: Evaluation
    test: Evaluation


def read(path: Path) -> Collection:
    """Read a LETOR file, or the five parts of a folder; documents without a grade are left out."""
    parts = [read_letor(path / f"S{number}.txt") for number in range(1, 6)] if path.is_dir() else [read_letor(path)]
    found = Collection.concat(parts) if len(parts) > 1 else parts[0]
    return found.select(found.grades >= 0)


def deal(collection: Collection, seed: int) -> Deal:
    """Deal the queries of a collection in a random order."""
    queries = len(collection.queries)
    order = np.random.default_rng(100 + seed).permutation(queries)
    sizes = np.bincount(collection.query_index, minlength=queries)[order]
    pool = min(queries // 2, max(4, int(np.searchsorted(np.cumsum(sizes), POOL)) + 1))
    shown = pool + max(2, round(queries * 0.2))
    last = shown + int(np.searchsorted(np.cumsum(sizes[shown:]), TEST)) + 1
    part = np.full(queries, 3)
    part[order[:pool]], part[order[pool:shown]], part[order[shown:last]] = 0, 1, 2
    of_row = part[collection.query_index]
    held = collection.select((of_row == 1) | (of_row == 2))
    fold = prepare(Split(1, collection.select(of_row == 0), held), Plan(samplers=("ssar",), budget=10))
    name = {query: number for number, query in enumerate(collection.queries)}
    of_held = np.array([part[name[query]] for query in held.queries])[fold.test_qids]
    both = (
        Evaluation(fold.test_items[mine], fold.test_grades[mine], fold.test_qids[mine], known_queries=False)
        for mine in (of_held == 1, of_held == 2)
    )
    return Deal(fold, *both)


def measured(test: Evaluation, scores: np.ndarray) -> float:
    """Return MAP."""
    return float(test.per_query(scores, [MAP])[0].mean())


def run(dealt: Deal, sampler: str, seed: int, kind: str, bands: Sequence[Band]) -> dict[str, Any]:
    """Label with one sampler, and return what the light sees at each look, beside MAP on the test set."""
    make, known = rankers[RECOMMENDED], dealt.fold.grades
    given = known
    if kind != "known":
        rng = np.random.default_rng(seed)
        given = rng.permutation(known) if kind == "permuted" else rng.integers(0, known.max() + 1, len(known))
    fold = replace(dealt.fold, grades=given)
    strategy = Strategy.parse(sampler)
    most = min(LABELS, len(known) // 2)
    choice = choose(strategy, seed if strategy.is_seeded(samplers) else None, fold, most, beyond_stop=True)
    labels = fold.labels(choice.rows)
    pool = Documents(fold.items, fold.qids)

    def reached(count: int) -> float:
        return measured(dealt.test, fitted_scores(make, pool, labels[:count], dealt.test.documents))

    found = {}
    for name, evaluation in (("shown", dealt.evaluation), ("crossed", None)):
        looks = Looks(make, pool, evaluation)
        looks.follow([row for row, _ in labels], [grade for _, grade in labels])
        kept = (replace(look, values={k: v for k, v in look.values.items() if k == MAP.key}) for look in looks.found)
        found[name] = [asdict(look) for look in kept]
    points = look_points(len(labels))
    top = measured(dealt.test, ceiling(make, pool, known, dealt.test.documents))
    covered = [coverage(fold.qids, choice.rows[:n].tolist(), given[choice.rows[:n]].tolist()) for n in points]
    return {
        "pool": len(known),
        "labels": len(labels),
        "stop": choice.stopped_at,
        "counts_rules": bool(strategy.kind(samplers).counts_rules),
        "top": top,
        "test": [reached(n) for n in points],
        "at_stop": None if choice.stopped_at is None else reached(choice.stopped_at),
        "coverage": [asdict(each) for each in covered],
        "bands": [[band.labels, *(edge[MAP.key] for edge in (band.mean, band.low, band.high))] for band in bands],
        **found,
    }


def runs(path: Path, sets: Sequence[Path], deals: int, kind: str) -> None:
    """Run what is not in the file yet, and append it, run by run."""
    there = {(each["set"], each["deal"], each["sampler"], each["grades"]) for each in kept(path)}
    for place in sets:
        name = place.stem
        wanted = [(d, s) for d in range(deals) for s in SAMPLERS if (name, d, s, kind) not in there]
        collection = read(place) if wanted else None
        for number in sorted({d for d, _ in wanted}):
            assert collection is not None
            dealt = deal(collection, number)
            bands = replayed(dealt, number) if kind == "known" else []
            for sampler in (s for d, s in wanted if d == number):
                about = {"set": name, "deal": number, "sampler": sampler, "grades": kind}
                found = about | run(dealt, sampler, number, kind, bands)
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(found) + "\n")
                print(name, number, sampler, kind, flush=True)


def replayed(dealt: Deal, seed: int) -> list[Band]:
    """Return the random replays that the light compares with."""
    known = dealt.fold.grades
    pool = Documents(dealt.fold.items, dealt.fold.qids)
    at = look_points(min(LABELS, len(known) // 2))
    return random_band(rankers[RECOMMENDED], pool, known, dealt.evaluation, at, seed=seed)


def kept(path: Path) -> list[dict[str, Any]]:
    """Return the runs of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def green_at(found: dict[str, Any], *, crossed: bool) -> int | None:
    """Return at which look the light turns green first."""
    looks = [Look(**each) for each in found["crossed" if crossed else "shown"]]
    bands = [Band(n, {MAP.key: mean}, {MAP.key: low}, {MAP.key: high}) for n, mean, low, high in found["bands"]]
    for place, look in enumerate(looks):
        stopped = found["stop"] is not None and look.labels >= found["stop"]
        random = None
        if not crossed and bands:
            random = beside_random(bands, MAP.key, Point(look.labels, look.values), [0], [0])
        facts = Facts(
            labels=look.labels,
            pool=found["pool"],
            rules=RuleState(0, 0, stopped) if found["counts_rules"] else None,
            measure=MAP,
            looks=looks[: place + 1],
            crossed=crossed,
            queries=Coverage(**found["coverage"][place]),
            random=random,
        )
        if stop_light(facts).colour == "green":
            return place
    return None


@dataclass(frozen=True)
class Ends:
    """Where runs of one kind end: how many there are, and the labels and the share of all labels' MAP of each end."""

    runs: int
    ends: tuple[tuple[int, float], ...]
    good: float

    @property
    def cells(self) -> str:
        """How many ended, how many of these well, and the median of their labels."""
        if not self.ends:
            return f"0 of {self.runs} | - | -"
        good = sum(share >= self.good for _, share in self.ends)
        middle = int(np.median([labels for labels, _ in self.ends]))
        return f"{len(self.ends)} of {self.runs} | {good / len(self.ends):.0%} | {middle:,d}"


def at_green(found: Sequence[dict[str, Any]], good: float, *, crossed: bool) -> Ends:
    """Return where the light ends runs."""
    places = [(each, green_at(each, crossed=crossed)) for each in found]
    ends = [
        (each["shown"][place]["labels"], each["test"][place] / each["top"])
        for each, place in places
        if place is not None
    ]
    return Ends(len(found), tuple(ends), good)


def at_stop(found: Sequence[dict[str, Any]], good: float) -> Ends:
    """Return where the natural stop ends runs, of samplers that have one."""
    able = [each for each in found if each["counts_rules"]]
    return Ends(len(able), tuple((e["stop"], e["at_stop"] / e["top"]) for e in able if e["stop"] is not None), good)


def at_last(found: Sequence[dict[str, Any]], good: float) -> Ends:
    """Return where runs end that nothing stops: at the last look, when about half of the pool is labelled."""
    return Ends(len(found), tuple((e["shown"][-1]["labels"], e["test"][-1] / e["top"]) for e in found), good)


def doubted(found: dict[str, Any], points: slice) -> bool:
    """Say whether the grades of a run are called random at one of these looks (`rulerank.campaign.doubts`)."""
    return any(
        look["labels"] >= doubts.LABELS
        and look["rarer"] >= doubts.RARER
        and look["beyond_chance"] is not None
        and look["beyond_chance"] < doubts.CHANCE
        for look in found["shown"][points]
    )


def table(found: Sequence[dict[str, Any]], good: float) -> Iterator[str]:
    """Yield a Markdown table by set and by sampler, and the runs with grades that mean nothing below it."""
    known = [each for each in found if each["grades"] == "known"]
    for title, crossed in (("evaluation set", False), ("no evaluation set: cross-validated", True)):
        yield f"| {title} | green | good | labels | natural stop | good | labels | last look | good | labels |"
        yield "| --- " * 10 + "|"
        groups = {
            name: [each for each in known if each[key] == name]
            for key in ("set", "sampler")
            for name in dict.fromkeys(each[key] for each in known)
        }
        for name, mine in {**groups, "all": known}.items():
            ends = at_green(mine, good, crossed=crossed), at_stop(mine, good), at_last(mine, good)
            yield f"| {name} | {' | '.join(each.cells for each in ends)} |"
        yield ""
    for kind in GRADES:
        mine = [each for each in found if each["grades"] == kind]
        if mine:
            ever, last = (sum(doubted(each, points) for each in mine) for points in (slice(None), slice(-1, None)))
            yield f"{kind} grades: called random at some look in {ever} of {len(mine)} runs, at the last in {last}"
            shown, crossed = (len(at_green(mine, good, crossed=each).ends) for each in (False, True))
            yield f"{kind} grades: green in {shown} of {len(mine)} runs, cross-validated in {crossed}"


def main() -> None:
    """Run, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("sets", type=Path, nargs="*")
    parser.add_argument("--deals", type=int, default=3)
    parser.add_argument("--grades", choices=GRADES, default="known")
    parser.add_argument("--good", type=float, default=GOOD)
    given = parser.parse_args()
    runs(given.file, given.sets, given.deals, given.grades)
    print("\n".join(table(kept(given.file), given.good)))


if __name__ == "__main__":
    main()
