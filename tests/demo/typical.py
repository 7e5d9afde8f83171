"""Which seed the demo's campaign has, and what its samplers save: figures of docs/demo.md.

python -m tests.demo.typical

For each seed of the recommended sampler: the mean of MAP over the first 60 labels. The median is the typical run. Then
the mean curves of SSAR, the recommended sampler and chance over these seeds.
"""

from __future__ import annotations

import numpy as np

from rulerank.campaign import MemoryLog, OpenCampaign, Settings
from rulerank.campaign.opened import set_up
from rulerank.campaign.side_by_side import LABELS, side_by_side
from rulerank.demo import build_demo
from rulerank.sampling import RECOMMENDED

SEEDS = 21
SHOWN = (5, 10, 20, 30, 40, 60)


def main() -> None:
    """Print the figures."""
    demo = build_demo()
    settings = Settings(grades_known=True, seed=demo.seed)
    made = set_up(demo.collection, settings, demo.pool_rows, demo.evaluation_rows)
    opened = OpenCampaign(1, "demo", settings, 1, demo.collection, made, MemoryLog())
    runs = [f"{RECOMMENDED}:seed={seed}" for seed in range(SEEDS)]
    means = np.array([np.mean(each.mean) for each in side_by_side(opened, runs).samplers])
    order = np.argsort(means)
    print(f"mean MAP over {LABELS} labels by seed:", ", ".join(f"{seed}: {means[seed]:.3f}" for seed in order))
    print(f"typical (median): seed {order[SEEDS // 2]}")
    shown = side_by_side(opened, runs=SEEDS)
    print("labels:", *SHOWN)
    for each in shown.samplers:
        print(f"{each.sampler} ({each.runs}):", *(f"{each.mean[labels - 1]:.3f}" for labels in SHOWN))
    print(f"what {LABELS} random labels give, from label:", shown.caught_up())


if __name__ == "__main__":
    main()
