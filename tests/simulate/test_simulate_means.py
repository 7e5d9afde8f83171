"""Means over several simulations: the mean of what each tells by itself."""

from __future__ import annotations

import numpy as np
import pytest
from simulate_helpers import small_data, small_plan
from simulate_means import gathered, lines

from rulerank.simulate import Results, run


def test_cells_are_means_over_the_cuts(tmp_path):
    folders = [str(tmp_path / name) for name in "ab"]
    for seed, folder in enumerate(folders):
        run(small_plan(), small_data(queries=12, seed=seed), folder, jobs=1)
    values, ceilings = gathered(folders, -1)
    each = [Results.load(folder) for folder in folders]
    for ranker in ("lrar", "ridge"):
        assert ceilings[ranker] == pytest.approx(np.mean([results.ceiling(ranker, "map") for results in each]))
        for sampler in ("ssar", "random"):
            curves = [results.curves("map").set_index(["sampler", "ranker"]) for results in each]
            expected = np.mean([curve.loc[(sampler, ranker), "mean"].iloc[-1] for curve in curves])
            assert values[(ranker, sampler)].mean() == pytest.approx(expected)
    told = lines(values, ceilings)
    assert told[0] == "| sampler | lrar | ridge |"
    assert told[2].startswith("| `ssar` | ")
    assert sum("**" in line for line in told[2:4]) >= 1
    gap = (values[("lrar", "ssar")] - values[("lrar", "random")]).mean()
    assert f"lrar: ssar - random = {gap:+.4f}" in told[5]
    assert "over 6 pools" in told[5]
