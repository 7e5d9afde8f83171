"""The command `demo`: the whole idea in a minute, on data made on the spot."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import typer

from rulerank.cli.output import progress, say, table
from rulerank.discretize import Tube, items_of, useful_items
from rulerank.metrics import evaluate
from rulerank.progress import Steps
from rulerank.ranking import WeightedItems
from rulerank.sampling import SSARP, Random, Sampler
from rulerank.synthetic import planted_collection

CHECKPOINTS = (25, 50, 100, 200)
RANDOM_RUNS = 10


def demo(seed: Annotated[int, typer.Option(help="Seed of the made-up collection.")] = 0) -> None:
    """Label a made-up collection with SSARP and at random, and see what each label buys.

    Two thirds of the queries are the pool to label, the others are ranked and measured.
    """
    collection = planted_collection(seed=seed)
    cut = int(collection.indptr[2 * len(collection.queries) // 3])
    binned = Tube(bins=10).fit(collection.features[:cut])
    pool, useful = useful_items(binned, collection.features[:cut])
    rest = items_of(binned, collection.features[cut:], useful)
    grades, qids = collection.grades[:cut], collection.query_index[:cut]

    def map_after(chooser: Sampler, rng: int | None) -> dict[int, float]:
        order = chooser.run(pool, grades, qids=qids, rng=rng, budget=CHECKPOINTS[-1]).order
        found = {}
        for labels in (n for n in CHECKPOINTS if n <= len(order)):
            model = WeightedItems().fit(pool[order[:labels]], grades[order[:labels]])
            scores = model.predict(rest)
            found[labels] = evaluate(collection.grades[cut:], scores, collection.query_index[cut:])["expected"]["map"]
        return found

    say("a made-up collection with the answer planted in it.", lead="rulerank demo:")
    say(f"{cut} documents may be labelled; {len(collection) - cut} others are ranked after each step.\n")
    with progress("labelling", RANDOM_RUNS + 2) as bar:
        step = Steps(bar, RANDOM_RUNS + 2)
        chosen = map_after(SSARP(), None)
        step()
        at_random = []
        for run in range(RANDOM_RUNS):
            at_random.append(map_after(Random(), seed + run))
            step()
        full = WeightedItems().fit(pool, grades).predict(rest)
        ceiling = evaluate(collection.grades[cut:], full, collection.query_index[cut:])["expected"]["map"]
        step()
    rows = []
    for labels in CHECKPOINTS:
        if labels in chosen:
            maps = [run[labels] for run in at_random]
            rows.append((f"{labels} ({labels / cut:.1%})", chosen[labels], f"{np.mean(maps):.4f} ± {np.std(maps):.4f}"))
    rows.append((f"{cut} (all)", ceiling, f"{ceiling:.4f}"))
    table(
        "MAP of the ranker (weighted items) after so many labels",
        ["labels", "chosen by SSARP", "chosen at random"],
        rows,
    )
    say(f"MAP by LETOR's convention, expected over ties; random: mean ± standard deviation of {RANDOM_RUNS} orders.\n")
    say("python3 run.py -- info YOUR.letor, then python3 run.py -- select YOUR.letor", lead="Next:", style="cyan")
