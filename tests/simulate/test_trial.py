"""The trial of samplers: its differences and marks are those of the simulations it ran."""

from __future__ import annotations

import numpy as np
import pytest
import trial

from rulerank.letor import write_letor
from rulerank.simulate import Results
from rulerank.synthetic import planted_collection

SAMPLERS = ["--samplers", "ssar,random:seeds=2", "--rankers", "lrar_items"]


@pytest.fixture(scope="module")
def letor_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("trial") / "planted.letor"
    write_letor(planted_collection(20, 30, 5, seed=2), path)
    return path


def test_the_tables_are_those_of_the_runs(letor_file, tmp_path, capsys):
    assert trial.main([str(tmp_path), str(letor_file), f"{letor_file}@20", *SAMPLERS]) == 0
    told = capsys.readouterr().out.splitlines()
    for name, line in (("planted.letor", told[2]), ("planted.letor@20", told[3])):
        results = Results.load(tmp_path / name)
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        assert cells[1] == "`ssar`"
        assert "(1 in 20)" in cells[0] or "@" not in name
        for percent, cell in zip(trial.SHARES, cells[2:], strict=True):
            row = results.significance("random", "map", results.grid[percent - 1]).iloc[0]
            assert float(cell.split()[0]) == pytest.approx(row["difference"], abs=6e-5)
            assert cell.endswith(("+", "-")) == (row["p_flip"] < trial.SIGNIFICANT)
    assert told[-1].startswith("| `ssar` | ")
    assert " of 10 | " in told[-1]
    trial.main([str(tmp_path), str(letor_file), *SAMPLERS, "--show", "percent"])
    shown = [cell.strip() for cell in capsys.readouterr().out.splitlines()[2].split("|")[3:-1]]
    curves = Results.load(tmp_path / "planted.letor").curves("map").set_index(["sampler", "labels"])["mean"]
    for percent, cell in zip(trial.SHARES, shown, strict=True):
        at = Results.load(tmp_path / "planted.letor").grid[percent - 1]
        assert float(cell.split("%")[0]) == pytest.approx(
            100 * (curves["ssar", at] / curves["random", at] - 1), abs=0.51
        )
    trial.main([str(tmp_path), str(letor_file), *SAMPLERS, "--show", "found"])
    shown = [cell.strip() for cell in capsys.readouterr().out.splitlines()[2].split("|")[3:-1]]
    runs = Results.load(tmp_path / "planted.letor")
    of = {split.number: (split.pool.grades > 0).sum() for split in trial.read_set(str(letor_file), None).splits}
    share = {"ssar": [], "random": []}
    for task in runs.tasks:
        if task.sampler:
            share[task.sampler.key].append((runs.selected(task, runs.grid[9])["grade"] > 0).sum() / of[task.fold])
    assert float(shown[-1]) == pytest.approx(np.mean(share["ssar"]) / np.mean(share["random"]), abs=0.051)


def test_a_deal_is_another_cut(letor_file):
    cuts = [trial.read_set(str(letor_file), deal) for deal in (None, 0, 7)]
    assert cuts[0].hash == cuts[1].hash != cuts[2].hash
    assert len(trial.read_set("demo@20", None).splits) == trial.FOLDS
