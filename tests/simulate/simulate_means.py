"""Means over several simulations of the same samplers and rankers, on other cuts of the queries, as a Markdown table.

    python -m tests.simulate.simulate_means POINT FOLDER FOLDER ...

FOLDERs are what `rulerank simulate --split-seed ... --out FOLDER` wrote; POINT is a place on the learning curve: 1 is
the first point, -1 the last. Each cell: mean MAP over all folds of all folders, and its share of what the same ranker
reaches with all labels. Below: the paired difference of the first sampler to each other one, and in how many folders it
is at or above it. The standard error takes pools for independent, which they are not quite: they share documents.
"""

from __future__ import annotations

import sys

import pandas as pd

from rulerank.simulate import Results


def gathered(folders: list[str], point: int) -> tuple[pd.DataFrame, pd.Series]:
    """Return MAP by sampler and ranker (columns) and by folder and fold (rows); and, by ranker, with all labels."""
    rows, ceilings = [], []
    for folder in folders:
        results = Results.load(folder)
        if not results.complete:
            raise SystemExit(f"{folder} is not finished; run its simulation again, which goes on where it was")
        labels = results.grid[point - 1 if point > 0 else point]
        table = results.table().query("metric == 'map'").assign(folder=folder)
        rows.append(table[(table["labels"] == labels) & (table["point"] == "grid")])
        ceilings.append(table[table["point"] == "all"])
    cells = pd.concat(rows).groupby(["folder", "fold", "ranker", "sampler"], sort=False)["value"].mean()
    return cells.unstack(["ranker", "sampler"]), pd.concat(ceilings).groupby("ranker", sort=False)["value"].mean()


def lines(values: pd.DataFrame, ceilings: pd.Series) -> list[str]:
    """Return the table and what is below it."""
    means = values.mean().unstack("ranker", sort=False)
    rankers = list(ceilings.index)
    out = ["| sampler | " + " | ".join(rankers) + " |", "| --- " * (len(rankers) + 1) + "|"]
    for sampler, row in means.iterrows():
        cells = [f"{row[ranker]:.4f} ({row[ranker] / ceilings[ranker]:.1%})" for ranker in rankers]
        best = [row[ranker] == means[ranker].max() for ranker in rankers]
        marked = [f"**{cell}**" if top else cell for cell, top in zip(cells, best, strict=True)]
        out.append(f"| `{sampler}` | " + " | ".join(marked) + " |")
    out.append("| all labels | " + " | ".join(f"{ceilings[ranker]:.4f}" for ranker in rankers) + " |")
    first = means.index[0]
    by_folder = values.groupby("folder").mean()
    for ranker in rankers:
        for other in means.index[1:]:
            difference = values[(ranker, first)] - values[(ranker, other)]
            error = difference.std(ddof=1) / len(difference) ** 0.5
            ahead = (by_folder[(ranker, first)] >= by_folder[(ranker, other)]).sum()
            out.append(
                f"{ranker}: {first} - {other} = {difference.mean():+.4f} (standard error {error:.4f} over "
                f"{len(difference)} pools), at or above it in {ahead} of {len(by_folder)} cuts"
            )
    return out


def main(arguments: list[str]) -> int:
    """Print it."""
    if len(arguments) < 2 or not arguments[0].lstrip("-").isdigit() or not int(arguments[0]):
        print(__doc__)
        return 2
    point, *folders = arguments
    print("\n".join(lines(*gathered(folders, int(point)))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
