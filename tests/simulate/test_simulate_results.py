"""Results: every summary from the plain table by other means, and tables that are read back."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from simulate_helpers import small_data, small_plan

from rulerank.errors import InputError
from rulerank.simulate import Results, merge, pack, run
from rulerank.simulate.store import TASKS


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("simulated") / "out"
    run(small_plan(seeds=4), small_data(queries=12), place, jobs=1)
    return place


@pytest.fixture(scope="module")
def results(folder):
    return Results.load(folder)


def test_the_table_has_a_row_for_everything(results):
    table = results.table()
    grid = table[table["point"] == "grid"]
    assert len(grid) == 3 * (1 + 4) * 2 * 3 * 2  # folds, runs, rankers, points, metrics
    assert len(table[table["point"] == "all"]) == 3 * 2 * 2
    assert set(table["dataset"]) == {"planted"}
    assert not grid.duplicated(["fold", "sampler", "seed", "ranker", "labels", "metric"]).any()


def test_queries_average_to_the_table(results):
    keys = ["fold", "sampler", "seed", "ranker", "labels", "point", "metric"]
    queries = results.per_query().groupby(keys, dropna=False)[["value", "expected"]].mean()
    table = results.table().set_index(keys)[["value", "expected"]]
    pd.testing.assert_frame_equal(queries.sort_index(), table.sort_index(), check_index_type=False)


@pytest.mark.parametrize("expected", [False, True])
def test_curves_are_means_over_seeds_and_then_folds(results, expected):
    column = "expected" if expected else "value"
    table = results.table()
    grid = table[(table["point"] == "grid") & (table["metric"] == "ndcg@5")]
    keys = ["sampler", "ranker", "labels"]
    folds = grid.groupby([*keys, "fold"])[column].mean().groupby(keys)
    curve = results.curves("ndcg@5", expected=expected).set_index(keys)
    pd.testing.assert_series_equal(curve["mean"].sort_index(), folds.mean().rename("mean"))
    for key, fold in folds:
        low, high = scipy.stats.t.interval(0.95, 2, fold.mean(), scipy.stats.sem(fold))
        assert (curve.loc[key, "low"], curve.loc[key, "high"]) == pytest.approx((low, high))
        assert curve.loc[key, "low_queries"] <= curve.loc[key, "mean"] <= curve.loc[key, "high_queries"]
    seeds = grid[grid["sampler"] == "random"].groupby([*keys, "seed"])[column].mean().groupby(keys)
    deviation = curve["deviation"].sort_index().loc["random"]
    assert np.allclose(deviation, seeds.std().loc["random"])
    assert curve.sort_index().loc["ssar"][["low_seeds", "deviation"]].isna().all().all()


def test_relevant_found_and_ceiling_stand_beside_the_curve(results):
    table = results.table()
    curve = results.curves().set_index(["sampler", "ranker", "labels"])
    top = table[(table["point"] == "all") & (table["metric"] == "map")].groupby("ranker")["value"].mean()
    for key, row in curve.iterrows():
        assert row["ceiling"] == pytest.approx(top[key[1]])
        assert row["of_ceiling"] == pytest.approx(row["mean"] / top[key[1]])
        here = table[(table["sampler"] == key[0]) & (table["labels"] == key[2]) & (table["point"] == "grid")]
        assert row["relevant_found"] == pytest.approx(here.groupby("fold")["relevant_found"].mean().mean())


def test_labels_needed_are_where_the_mean_curve_reaches_the_goal(results):
    curve = results.curves()
    needed = results.labels_needed(shares=(0.5, 0.8, 1.5), baseline="random")
    assert len(needed) == 2 * 2 * 3
    firsts = needed.set_index(["sampler", "ranker", "of_ceiling"])["labels"]
    for row in needed.itertuples():
        own = curve[(curve["sampler"] == row.sampler) & (curve["ranker"] == row.ranker)]
        reached = own[own["mean"] >= row.of_ceiling * own["ceiling"]]["labels"]
        assert row.labels == reached.min() or (np.isnan(row.labels) and reached.empty)
        other = firsts["random", row.ranker, row.of_ceiling]
        assert row.saved == 1 - row.labels / other or np.isnan(row.saved)
    assert needed[needed["of_ceiling"] == 1.5]["labels"].isna().all()
    assert needed["labels"].notna().any()


def test_significance_pairs_the_queries(results):
    queries = results.per_query()
    last = queries[(queries["labels"] == 20) & (queries["point"] == "grid") & (queries["metric"] == "map")]
    each = last.groupby(["ranker", "sampler", "qid"])["value"].mean()
    found = results.significance("random").set_index("ranker")
    assert list(found["sampler"]) == ["ssar", "ssar"]
    for ranker in ("lrar", "ridge"):
        ssar, other = each[ranker, "ssar"], each[ranker, "random"]
        theirs = scipy.stats.ttest_rel(ssar, other.loc[ssar.index])
        assert found.loc[ranker, "queries"] == 12
        assert found.loc[ranker, "difference"] == pytest.approx((ssar - other).mean())
        assert found.loc[ranker, "p_t"] == pytest.approx(theirs.pvalue)
        flips = scipy.stats.permutation_test(
            ((ssar - other).to_numpy(),), np.mean, permutation_type="samples", n_resamples=10_000
        )
        assert found.loc[ranker, "p_flip"] == pytest.approx(flips.pvalue, abs=0.01)
    for test in ("p_t", "p_flip"):
        small, large = sorted(found[test])
        assert sorted(found[f"{test}_holm"]) == pytest.approx(
            sorted([min(1, 2 * small), max(min(1, 2 * small), large)])
        )


def test_significance_turned_round_and_at_another_point(results):
    there, back = results.significance("random", labels=8), results.significance("ssar", labels=8)
    assert np.allclose(there["difference"], -back["difference"])
    assert np.allclose(there["p_flip"], back["p_flip"])
    with pytest.raises(InputError, match="points are: 8, 16, 20"):
        results.significance("random", labels=9)
    with pytest.raises(InputError, match="not simulated"):
        results.significance("k_center")


def test_the_summary_puts_all_together(results):
    summary = results.summary("random").set_index(["ranker", "sampler"])
    curve = results.curves()
    for (ranker, sampler), row in summary.iterrows():
        own = curve[(curve["sampler"] == sampler) & (curve["ranker"] == ranker)]
        assert row["area"] == pytest.approx(np.trapezoid(own["mean"], own["labels"]) / 12)
        assert row["mean"] == own["mean"].iloc[-1]
    assert summary.loc["lrar", "ssar"]["mark"] in ("", "+", "-")
    assert np.isnan(summary.loc["lrar", "random"]["difference"])
    runs = [each for each in results.finished if each.task.sampler and each.task.sampler.key == "ssar"]
    stops = [run.outcome.choice.stopped_at for run in runs]
    assert all(stops)
    assert summary.loc["lrar", "ssar"]["stop"] == np.mean(stops)


def test_the_summary_says_from_when_on_a_goal_is_kept(results):
    summary, needed = results.summary(), results.labels_needed()
    for share in (90, 95, 99):
        part = needed[needed["of_ceiling"] == share / 100].set_index(["ranker", "sampler"])
        ours = summary.set_index(["ranker", "sampler"])
        for ours_name, theirs in ((f"to_{share}", "labels"), (f"stays_{share}", "stays")):
            assert ours[ours_name].reindex(part.index).equals(part[theirs].rename(ours_name))


def test_selected_documents_are_those_of_the_pool(results):
    splits = {split.number: split for split in small_data(queries=12).splits}
    for task in results.tasks:
        frame = results.selected(task)
        pool = splits[task.fold].pool
        assert list(frame["label"]) == list(range(1, 21))
        assert list(frame["docid"]) == [pool.docids[row] for row in frame["row"]]
        assert list(frame["qid"]) == [pool.qids[row] for row in frame["row"]]
        assert list(frame["grade"]) == pool.grades[frame["row"]].tolist()
        assert results.selected(task, labels=5).equals(frame.iloc[:5])


def test_a_run_is_found_by_what_it_is_of(results):
    task = results.find("random", 2, seed=3)
    assert (task.sampler.key, task.fold, task.seed) == ("random", 2, 3)
    assert results.find("random", 2).seed == 0
    assert results.find("ssar", 1).seed is None
    with pytest.raises(InputError, match="fold 9"):
        results.find("ssar", 9)


def test_results_can_be_kept_in_one_piece(folder, results):
    again = Results.unpack(pack(folder))
    assert again.about == results.about
    pd.testing.assert_frame_equal(again.table(), results.table())
    with pytest.raises(InputError, match="not the packed results"):
        Results.unpack(b"something else")


def test_of_a_cut_run_whole_seeds_count(folder, tmp_path):
    results = Results.load(folder)
    cut = tmp_path / "cut"
    (cut / TASKS).mkdir(parents=True)
    for path in (folder / "simulation.json", *(folder / TASKS).iterdir()):
        if "-seed2-" not in path.name or "fold1" in path.name:
            (cut / path.relative_to(folder)).write_bytes(path.read_bytes())
    partial = Results.load(cut)
    assert not partial.complete
    assert partial.seeds_done("random") == [0, 1, 3]
    assert set(partial.curves()[["sampler", "runs"]].itertuples(index=False, name=None)) == {("ssar", 1), ("random", 3)}
    ours = partial.cubes("random", "lrar")[0]
    assert np.array_equal(ours, results.cubes("random", "lrar")[0][[0, 1, 3]])


def test_a_run_that_has_only_begun_has_empty_summaries(folder, tmp_path):
    (tmp_path / TASKS).mkdir()
    (tmp_path / "simulation.json").write_bytes((folder / "simulation.json").read_bytes())
    begun = Results.load(tmp_path)
    assert begun.curves().empty
    assert begun.summary().empty
    assert begun.labels_needed().empty
    assert begun.table().empty
    assert begun.ceiling("lrar") is None
    with pytest.raises(InputError, match="finished"):
        begun.significance("random")
    assert json.loads(json.dumps(begun.to_dict()))["complete"] is False


def test_tables_are_read_back_with_their_settings(folder, results):
    written = {path.name: path for path in merge(folder)}
    table = results.table()
    read = pd.read_csv(written["results.csv"], keep_default_na=False, na_values={"seed": [""]})
    pd.testing.assert_frame_equal(read.astype({"seed": float}), table, check_dtype=False)
    arrow = pd.read_parquet(written["results.parquet"])
    pd.testing.assert_frame_equal(arrow.astype({"seed": float}), table, check_dtype=False)
    assert len(pd.read_parquet(written["queries.parquet"])) == len(results.per_query())
    settings = json.loads(written["results.csv.json"].read_text())
    assert settings["plan"] == results.plan.to_dict()
    assert settings["data_hash"] == small_data(queries=12).hash
    assert settings["version"]
    import pyarrow.parquet

    kept = pyarrow.parquet.read_schema(written["results.parquet"]).metadata[b"rulerank"]
    assert json.loads(kept) == settings


def test_a_folder_whose_plan_has_the_old_spelling_of_discretizer_is_read(folder, results, tmp_path):
    copied = shutil.copytree(folder, tmp_path / "old")
    about = copied / "simulation.json"
    about.write_text(about.read_text().replace('"discretizer"', '"discretiser"'))
    assert '"discretiser"' in about.read_text()
    old = Results.load(copied)
    assert old.plan == results.plan
    assert old.table().equals(results.table())


def test_compressed_and_unknown_files(results, tmp_path):
    path = results.write(tmp_path / "q.csv.gz", per_query=True)[0]
    assert len(pd.read_csv(path)) == len(results.per_query())
    with pytest.raises(InputError, match=r"\.parquet"):
        results.write(tmp_path / "table.xlsx")


def test_it_is_plain_json_for_machines(results):
    told = json.loads(json.dumps(results.to_dict("random"), allow_nan=False))
    assert told["baseline"] == "random"
    assert {row["sampler"] for row in told["curves"]["map"]} == {"ssar", "random"}
    assert len(told["significance"]) == 2


def test_unknown_names_are_said(results):
    with pytest.raises(InputError, match="not measured"):
        results.curves("precision@3")
    with pytest.raises(InputError, match="not trained"):
        results.ceiling("stable_rules")
    with pytest.raises(InputError, match="baseline"):
        results.labels_needed(baseline="k_center")
