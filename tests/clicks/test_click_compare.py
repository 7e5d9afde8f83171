"""The comparison as a whole: the paper's order of models on bilingual users, tables, stopping, CLARA2 and commands."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from clicks_reference import small_log
from typer.testing import CliRunner

from rulerank.cli.program import app
from rulerank.clicks import (
    PAPER,
    ComparisonStoppedError,
    bilingual_user,
    compare,
    fit,
    made_up_lists,
    read_log,
    simulate_log,
    write_log,
)
from rulerank.errors import InputError


@pytest.fixture(scope="module")
def compared():
    log = simulate_log(bilingual_user(), made_up_lists(1_000), 400_000, seed=5, extra=0.2)
    return compare(log, (*PAPER, "documents"), splits=6, seed=1)


def test_the_six_models_come_out_in_the_papers_order(compared, golden):
    published = [float(row["perplexity"]) for row in golden("published_click_models.csv")]
    assert published == sorted(published)
    found = [row["model"] for row in compared.models_table() if row["model"] in PAPER]
    assert found == list(PAPER)  # which stand in the order of the published perplexities
    tests = {(row["first"], row["second"]): row for row in compared.tests_table() if row["measure"] == "perplexity"}
    for better, worse in itertools.pairwise(PAPER):
        assert tests[better, worse]["difference"] < 0
        assert tests[better, worse]["p"] < 0.001


def test_the_extended_metric_correlates_best(compared):
    rows = {row["model"]: row for row in compared.correlations_table()}
    for name in ("max_rr", "min_rr", "mean_rr", "plc"):
        assert max(PAPER, key=lambda model, name=name: rows[model][name]) == "eia"
    assert compared.correlations_table()[0]["uctr"] == max(row["uctr"] for row in rows.values())


def test_tables_are_tidy_and_plain(compared):
    told = json.loads(json.dumps(compared.to_dict(), allow_nan=False))
    assert (told["sessions"], told["splits"], told["test_share"]) == (400_000, 6, 0.1)
    assert len(told["positions"]) == 7 * 5
    assert len(told["tests"]) == 21 * 6
    best, second = told["models"][:2]
    assert best["gain"] == pytest.approx((second["perplexity"] - best["perplexity"]) / (second["perplexity"] - 1))
    assert told["models"][-1]["gain"] is None
    for name in compared.models:
        positions = [row["marginal"] for row in told["positions"] if row["model"] == name]
        (row,) = [row for row in told["models"] if row["model"] == name]
        assert np.mean(positions) == pytest.approx(row["perplexity"])


def test_a_split_beginning_at_the_whole_fit_ends_at_the_same_top():
    from rulerank.clicks.compare import random_splits

    log = simulate_log(bilingual_user(), made_up_lists(300), 60_000, seed=2)
    found = compare(log, ("ia_diff",), splits=2, seed=7)
    for number, (learn, test) in enumerate(random_splits(log.count, 2, 0.1, seed=7)):
        from rulerank.clicks import evaluate_clicks

        alone = evaluate_clicks(fit("ia_diff", log.with_counts(learn), seed=3), log.with_counts(test))
        assert found.perplexity["ia_diff"][number] == pytest.approx(alone.perplexity, rel=1e-6)


def test_progress_is_told_and_the_work_can_be_stopped():
    log = small_log(0, 300)
    steps = []
    compare(
        log, ("agnostic", "ia_same"), splits=3, progress=lambda done, total, word: steps.append((done, total, word))
    )
    assert [step[:2] for step in steps] == [(number, 5) for number in range(1, 6)]
    with pytest.raises(ComparisonStoppedError, match="stopped after 2 of 5"):
        compare(log, ("agnostic", "ia_same"), splits=3, cancelled=iter([False, True]).__next__)
    with pytest.raises(InputError, match="at least one model"):
        compare(log, ())


def test_the_same_seed_gives_the_same_tables():
    log = small_log(1, 400)
    assert compare(log, splits=2, seed=3).to_dict() == compare(log, splits=2, seed=3).to_dict()


@pytest.fixture(scope="module")
def clara(letor_folder):
    return letor_folder("clara2-clicks")


def test_clara2_is_read_whole(clara):
    log = read_log(clara, depth=5, skip_bad=True)
    assert (log.sessions, log.max_grade, log.reading.bad, log.reading.unjudged) == (31_564, 5, 720, 0)
    assert "1947 have a grade for every url" in log.reading.notes[0]
    found = fit("agnostic", log)
    values = [parameter.value for parameter in found.parameters]
    assert values[2:] == sorted(values[2:])  # grades 0 and 1 are too rare to tell
    assert found.identified
    assert fit("agnostic_default", log).loglik < found.loglik < fit("documents", log).loglik


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("clicks")
    log = simulate_log(bilingual_user(), made_up_lists(100), 5_000, extra=0.2)
    write_log(log, made / "log.csv")
    return made


def command(*arguments):
    return CliRunner().invoke(app, ["clicks", *map(str, arguments)])


def test_the_commands_work_together(folder):
    done = command("fit", folder / "log.csv", "--model", "ia_same", "--out", folder / "model.json")
    assert done.exit_code == 0, done.output
    assert "share of intent english" in done.output
    done = command("evaluate", folder / "log.csv", "--saved", folder / "model.json", "--json")
    assert len(json.loads(done.stdout)["marginal"]) == 5
    done = command("correlate", folder / "log.csv", "--saved", folder / "model.json", "--json")
    assert set(json.loads(done.stdout)) == {"uctr", "max_rr", "min_rr", "mean_rr", "plc"}
    done = command(
        "simulate", folder / "again.jsonl", "--saved", folder / "model.json", "--lists", folder / "log.csv",
        "--sessions", 300, "--single", "--json",
    )  # fmt: skip
    assert json.loads(done.stdout)["sessions"] == 300
    assert read_log(folder / "again.jsonl").reading.rows == 300
    done = command("evaluate", folder / "log.csv", "--splits", 2, "--models", "agnostic,ia_same,documents")
    assert done.exit_code == 0, done.output
    assert "SDBN by document" in done.output
    done = command("correlate", folder / "log.csv", "--splits", 2, "--models", "agnostic,ia_same", "--json")
    assert len(json.loads(done.stdout)["correlations"]) == 2
    done = command("correlate", folder / "log.csv", "--splits", 2, "--models", "agnostic,ia_same")
    assert "MeanRR" in done.output
    assert sorted(path.name for path in folder.iterdir()) == ["again.jsonl", "log.csv", "model.json"]


def test_a_bad_row_is_one_clear_message(folder):
    bad = folder.parent / "bad.csv"
    bad.write_text((folder / "log.csv").read_text() + "q,d1,x,en,0,1\n")
    done = command("fit", bad, "--model", "agnostic")
    assert done.exit_code == 1
    assert "'x' is not a whole number" in str(done.exception)
    assert command("fit", bad, "--model", "agnostic", "--skip-bad").exit_code == 0
