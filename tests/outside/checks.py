"""What `test_outside_package.py` runs in an interpreter that has the package: screens, settings, texts, commands.

Not collected by name: here the registries hold more than is rulerank's own.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from db.jobs import simulate as simulating
from db.jobs.campaign_curves import work_out
from db.jobs.simulate import simulate
from db.jobs.worker import Worker
from rulerank.campaign import Settings
from rulerank.cli.program import app
from rulerank.errors import InputError
from rulerank.export import formats, make_bundle
from rulerank.letor import write_letor
from rulerank.metrics import evaluate
from rulerank.metrics.measure import Measure
from rulerank.prepare import Gathered, Options, prepare
from rulerank.progress import silent
from rulerank.registry import discretizers, metrics, rankers, samplers
from rulerank.simulate import Plan, learners
from rulerank.strategy import Strategy
from rulerank.synthetic import planted_collection
from rulerank.text import DocumentText, QueryText
from rulerank.text.features import text_features
from tests.outside.conftest import GROUPS
from tests.outside.live import make, window
from tests.pages.conftest import _packages_searched_once, worker, workspace  # noqa: F401 (fixtures)

PAGES = Path(__file__).parents[2] / "pages"
SETTINGS = window()
KINDS = {
    "rulerank.samplers": samplers,
    "rulerank.rankers": rankers,
    "rulerank.discretizers": discretizers,
    "rulerank.metrics": metrics,
    "rulerank.export_formats": formats,
    "rulerank.text_features": text_features,
    "rulerank.learners": learners,
}


@pytest.fixture
def campaign(workspace) -> int:  # noqa: F811
    """A campaign with the package's sampler, ranker and discretizer, and some labels; returns its number."""
    number, _ = make(workspace)
    return number


def show(screen: str, campaign: int | None = None) -> AppTest:
    page = AppTest.from_file(str(PAGES / "main.py"), default_timeout=600)
    if campaign is not None:
        page.query_params["campaign"] = str(campaign)
    page.run()
    page.switch_page(f"{screen}/page.py").run()
    assert not page.exception, page.exception
    return page


def press(page: AppTest, label: str) -> AppTest:
    next(button for button in page.button if button.label == label).click().run()
    assert not page.exception, page.exception
    return page


@pytest.mark.parametrize("group", GROUPS)
def test_it_stands_behind_ours(group):
    registry = KINDS[group]
    assert registry.names()[-1] == GROUPS[group]
    assert registry.broken == {}


def test_settings_and_plans_go_through_json():
    saved = json.loads(json.dumps(SETTINGS.to_dict()))
    assert Settings.from_dict(saved) == SETTINGS
    assert repr(Settings.from_dict(saved).make_sampler()) == "WindowWalk(stride=4, sign='a: b, 8')"
    plan = Plan(
        samplers=(SETTINGS.sampler, "window_walk"),
        rankers=("window_vote:power=3.0", "window_price:column=2"),
        discretizer="window_panes:panes=5",
        metrics=("HIT@5", "HIT(least=2)@5", "hit:least=1@5"),
    )
    assert Plan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan
    assert plan.metrics == ("hit@5", "hit:least=2@5")  # what is usual needs no words
    assert Strategy.parse(SETTINGS.sampler.key) == SETTINGS.sampler
    assert str(Measure.parse("hit@10")) == "HIT@10"
    changed = Measure.parse("expected hit:least=2@10")
    assert (str(changed), changed.key) == ("HIT(least=2)@10", "expected hit:least=2@10")
    assert Measure.parse(str(changed), expected=True) == changed


def test_its_metric_is_measured_with_ours():
    grades, qids = np.array([0, 0, 1, 0, 0, 0]), np.repeat([1, 2], 3)
    found = evaluate(grades, np.ones(6), qids, "letor")
    assert found["hit"][:3] == [0.0, 0.0, 0.5]
    assert found["expected"]["hit"][:3] == pytest.approx([1 / 6, 1 / 3, 1 / 2])
    strict = evaluate(grades, np.ones(6), qids, "letor", others=["hit:least=2"])
    assert (strict["hit"], strict["hit:least=2"]) == (found["hit"], [0.0] * 10)
    assert metrics["hit"](grades, np.ones(6), qids) == 0.5
    assert metrics["hit"](grades, np.ones(6), qids, least=2) == 0.0
    with pytest.raises(InputError, match="hit:least=0: least must be a whole number from 1 to 9, not 0"):
        evaluate(grades, np.ones(6), qids, others=["hit:least=0"])


def test_new_campaign_asks_for_it_and_its_parameters(workspace, worker, tmp_path):  # noqa: F811
    lines = [f"{row % 3} qid:{row // 6} 1:{row / 60:.3f} 2:{row * 7 % 11} # docid = D{row}\n" for row in range(60)]
    (tmp_path / "window.txt").write_text("".join(lines), encoding="utf-8")
    page = show("new_campaign")
    page.segmented_control(key="import-source").set_value("path").run()
    page.text_input(key="import-path").set_value(str(tmp_path / "window.txt")).run()
    page.selectbox(key="import-sampler").set_value("window_walk")
    page.selectbox(key="import-ranker").set_value("window_vote")
    page.selectbox(key="import-discretizer").set_value("window_panes").run()
    assert "Goes through the pool in strides, and begins anew one document further on." in [
        each.value for each in page.caption
    ]
    page.number_input(key="import-sampler-window_walk-stride").set_value(4)
    page.text_input(key="import-sampler-window_walk-sign").set_value("a: b, 8")
    page.number_input(key="import-ranker-window_vote-power").set_value(3.0)
    page.number_input(key="import-discretizer-window_panes-panes").set_value(5).run()
    press(page, "Create the campaign")
    (info,) = workspace.campaigns.all()
    settings = workspace.open(info.id).settings
    assert (settings.sampler, settings.ranker) == (SETTINGS.sampler, SETTINGS.ranker)
    assert settings.discretizer.key == "window_panes:panes=5"


def value_on_progress(page: AppTest, name: str) -> float:
    page.run()  # what took too long for one look
    (shown,) = [each for each in page.metric if each.label.startswith(f"{name} ")]
    return float(shown.value)


def test_progress_offers_its_ranker_and_its_metric_with_its_parameter(workspace, campaign):  # noqa: F811
    page = show("progress", campaign)
    chosen = page.multiselect(key="progress-rankers")
    assert chosen.value == [SETTINGS.ranker.key]
    assert "Window vote with power 3.0" in chosen.options
    assert "HIT@k" in page.selectbox(key="progress-metric").options
    page.selectbox(key="progress-metric").set_value("hit").run()
    page.selectbox(key="progress-k").set_value(1).run()
    usual = value_on_progress(page, "HIT@1")  # now, or after a label
    assert 0 <= usual <= 1
    page.number_input(key="progress-metric-hit-least").set_value(2).run()
    assert not page.exception
    strict = value_on_progress(page, "HIT(least=2)@1")
    assert strict < usual  # grades are known: most of the relevant documents have grade 1
    assert page.query_params["measure"] == "hit:least=2@1"
    other = AppTest.from_file(str(PAGES / "main.py"), default_timeout=600)
    other.query_params["campaign"], other.query_params["measure"] = str(campaign), "hit:least=2@1"
    other.run()
    other.switch_page("progress/page.py").run()
    assert value_on_progress(other, "HIT(least=2)@1") == strict
    assert other.number_input(key="progress-metric-hit-least").value == 2


def test_the_worker_replays_with_the_parameter(workspace, campaign):  # noqa: F811
    asked = {"campaign": campaign, "what": "random", "ranker": "lrar", "labels": 8, "asks": ["hit:least=2"]}
    work_out(workspace.database, asked, silent)
    (kept,) = workspace.campaigns.snapshots(campaign, "random:lrar hit:least=2")
    assert kept.values["ceiling"]["hit:least=2@1"] <= kept.values["ceiling"]["hit@1"]
    assert "expected hit:least=2@10" in kept.values["bands"][0]["mean"]
    assert workspace.campaigns.snapshots(campaign, "random:lrar") == []


def test_ranking_ranks_and_measures_with_it(workspace, campaign):  # noqa: F811
    page = show("ranking", campaign)
    assert page.selectbox(key="ranking-first").value == SETTINGS.ranker.key
    assert "Window vote with power 3.0" in page.selectbox(key="ranking-first").options
    assert len(page.dataframe[0].value) == 12
    assert "HIT@10" in page.multiselect(key="ranking-metrics").options
    page.multiselect(key="ranking-metrics").set_value(["hit@10"]).run()
    assert not page.exception
    assert any(each.value.startswith("HIT@10 **") for each in page.markdown)
    page.multiselect(key="ranking-metrics").set_value(["hit@10", "hit:least=9@10", "HIT(least=9)@1"]).run()
    assert not page.exception
    assert "HIT@10 **1.000** · HIT(least=9)@10 **0.000** · HIT(least=9)@1 **0.000**" in [
        each.value for each in page.markdown
    ]
    assert page.query_params["measure"] == ["hit@10", "hit:least=9@10", "hit:least=9@1"]
    page.multiselect(key="ranking-metrics").set_value(["hit:least=0@10"]).run()
    assert "least must be a whole number from 1 to 9" in page.error[0].value


def test_simulate_compares_it_and_asks_for_its_parameters(workspace, monkeypatch):  # noqa: F811
    monkeypatch.setattr(simulating, "JOBS", 1)
    workspace.collections.add("planted", planted_collection(6, 10, 4, seed=5))
    page = show("simulate")
    page.multiselect(key="simulate-samplers").set_value(["window_walk", "random"])
    page.multiselect(key="simulate-rankers").set_value(["window_vote", "window_price"])
    page.multiselect(key="simulate-metrics").set_value(["hit@5", "hit:least=1@3"])  # the second one as typed in
    page.selectbox(key="simulate-discretizer").set_value("window_panes")
    page.number_input(key="simulate-seeds").set_value(1).run()
    page.number_input(key="simulate-sampler-window_walk-stride").set_value(4)
    page.number_input(key="simulate-ranker-window_vote-power").set_value(3.0)
    page.selectbox(key="simulate-ranker-window_price-column").set_value(2)
    page.number_input(key="simulate-metric-hit-least").set_value(2)
    page.number_input(key="simulate-discretizer-window_panes-panes").set_value(5).run()
    assert "Window price with column 3." in [each.value.replace("\\", "") for each in page.caption]
    press(page, "Run")
    (asked,) = workspace.simulations.all()
    plan = Plan.from_dict(asked.plan)
    assert [each.key for each in plan.samplers] == ["window_walk:stride=4", "random"]
    assert [each.key for each in plan.rankers] == ["window_vote:power=3.0", "window_price:column=2"]
    assert (plan.discretizer.key, plan.metrics) == ("window_panes:panes=5", ("hit:least=2@5", "hit@3"))
    doing = Worker(workspace.database, handlers={"simulate": simulate}, kinds=["simulate"])
    while doing.run_once():
        pass
    results = workspace.simulations.results(asked.id)
    assert results.complete
    assert not results.failures
    found = results.summary("random", "HIT(least=2)@5")
    assert set(found["sampler"]) == {"window_walk:stride=4", "random"}
    assert (found["mean"] < results.ceiling("window_vote:power=3.0", "hit@3")).all()


def test_export_offers_its_format_and_checks_its_file(workspace, campaign):  # noqa: F811
    page = show("export", campaign)
    (pills,) = [each for each in page.button_group if each.key == "export-formats"]
    assert "Window list" in pills.options
    page.text_input(key="export-export_format-window_list-mark").set_value("~").run()
    press(page, "Check and pack")
    task = page.session_state["export-packed"][1]
    assert task.wait(60)
    with zipfile.ZipFile(io.BytesIO(task.result)) as bundle:
        assert (bundle.read("window.txt").count(b"~"), bundle.read("window.txt").count(b"|")) == (5, 0)
        readme = bundle.read("README.txt").decode()
        assert "Documents with a grade, `grade|docid`, as they hang in the window. Here with mark ~." in readme
        assert 'lines = open("window.txt").read().splitlines()' in readme
        assert "window.txt" in bundle.read("SHA256SUMS").decode()


def test_a_bundle_of_the_library_has_its_file():
    made = make_bundle(planted_collection(3, 4, 2), formats=["window_list"])
    assert zipfile.ZipFile(io.BytesIO(made)).read("window.txt").count(b"|") == 12
    for asked in ("window_list:mark=;", Strategy("window_list", {"mark": ";"})):
        other = make_bundle(planted_collection(3, 4, 2), formats=[asked, "qrels"])
        assert zipfile.ZipFile(io.BytesIO(other)).read("window.txt").count(b";") == 12
    with pytest.raises(InputError, match="window_list is there twice"):
        make_bundle(planted_collection(3, 4, 2), formats=["window_list", "window_list:mark=;"])
    with pytest.raises(InputError, match="mark must be a text, not 3"):
        make_bundle(planted_collection(3, 4, 2), formats=["window_list:mark=3"])


def test_its_text_feature_comes_behind_ours_whose_numbers_stay():
    words = ("lift", "drag", "lift lift")
    gathered = Gathered(
        documents={f"d{n}": DocumentText(f"On {word}", f"The {word} of a wing.") for n, word in enumerate(words)},
        numbers={},
        queries={"q1": QueryText("lift of wings"), "q2": QueryText("drag")},
        judgements={},
        runs={},
        kind="table",
    )
    options = Options(candidates=3, normalise=False)
    every = prepare(gathered, options).collection
    ours = prepare(gathered, replace(options, features=tuple(n for n in text_features.names() if n != "window_echo")))
    width = len(ours.collection.feature_names)
    assert every.feature_names[:width] == ours.collection.feature_names
    assert every.feature_names[width:] == tuple(f"window echo({field})" for field in ("title", "body", "whole"))
    assert np.array_equal(every.features[:, :width], ours.collection.features)
    assert every.features[:, width:].any()
    louder = prepare(gathered, replace(options, features=("window_echo:power=3", "tf", "window_echo"))).collection
    called = ("TF", "window echo", "window echo with power 3")
    assert sorted({name.rpartition("(")[0] for name in louder.feature_names}) == sorted(called)
    place = {name: number for number, name in enumerate(louder.feature_names)}
    usual, loud = (louder.features[:, place[f"{name}(body)"]] for name in called[1:])
    assert (loud >= usual).all()
    assert (loud > usual).any()


def test_new_campaign_asks_for_the_parameter_of_its_text_feature(workspace, worker, tmp_path):  # noqa: F811
    rows = ["query,title,text", *(f"lift {n % 2},Wing {n},{'lift ' * n}of {n}" for n in range(8))]
    (tmp_path / "pairs.csv").write_text("\n".join(rows), encoding="utf-8")
    page = show("new_campaign")
    page.radio(key="import-way").set_value("texts").run()
    page.segmented_control(key="texts-source").set_value("path").run()
    page.text_input(key="texts-path").set_value(str(tmp_path / "pairs.csv")).run()
    page.number_input(key="texts-text_feature-window_echo-power").set_value(3.0).run()
    assert "Other than usual: window echo with power 3.0." in [each.value.replace("\\", "") for each in page.caption]
    press(page, "Create the campaign")
    (info,) = workspace.campaigns.all()
    names = workspace.open(info.id).collection.feature_names
    assert names[-1] == "window echo with power 3.0(whole)"
    assert "window echo(whole)" not in names


def said(*arguments: object) -> dict[str, Any]:
    """Return what a command says as JSON."""
    done = CliRunner().invoke(app, [*map(str, arguments), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_commands_take_it(tmp_path):
    letor, scores = tmp_path / "pool.txt", tmp_path / "scores.txt"
    write_letor(planted_collection(6, 10, 4, seed=3), letor)
    scores.write_text("".join(f"{60 - row}\n" for row in range(60)), encoding="utf-8")
    cut = ("--method", "window_panes:panes=4")
    chosen = said("select", letor, *cut, "--sampler", "window_walk:stride=4", "--budget", 3)
    assert [each["row"] for each in chosen["selections"]] == [0, 4, 8]
    assert chosen["settings"] == {"stride": 4, "sign": "open: 9", "discretizer": "window_panes:panes=4"}
    ranked = said("rank", "--train", letor, "--test", letor, "--ranker", "window_vote:power=3.0", *cut)
    assert (ranked["ranker"], ranked["settings"]) == ("window_vote", {"power": 3.0})
    assert 0 < ranked["hit"][0] <= ranked["hit"][9] <= 1
    measured = said("evaluate", letor, "--scores", scores, "--metrics", "hit:least=2")
    assert len(measured["hit"]) == len(measured["expected"]["hit"]) == 10
    assert measured["hit:least=2"][0] < measured["hit"][0]


def test_the_command_of_simulations_takes_it(tmp_path):
    write_letor(planted_collection(6, 10, 4, seed=3), tmp_path / "pool.txt")
    strategies = {
        "--samplers": "window_walk,window_walk:stride=4,random",
        "--rankers": "window_vote,window_price:column=2",
        "--method": "window_panes:panes=4",
        "--metrics": "HIT@5,hit:least=2@5,map",
    }
    few = {"--folds": 2, "--seeds": 1, "--budget": 10, "--every": 5, "--jobs": 1, "--out": tmp_path / "out"}
    options = [word for pair in (strategies | few).items() for word in pair]
    compared = said("simulate", tmp_path / "pool.txt", *options)
    assert set(compared["summary"]) == {"hit@5", "hit:least=2@5", "map"}
    strict, usual = (compared["summary"][name][0]["mean"] for name in ("hit:least=2@5", "hit@5"))
    assert strict < usual
    keys = {(each["sampler"], each["ranker"]) for each in compared["summary"]["hit@5"]}
    assert keys == {
        (sampler, ranker)
        for sampler in ("window_walk", "window_walk:stride=4", "random")
        for ranker in ("window_vote", "window_price:column=2")
    }


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("select", ["window_walk: Goes through", "stride=3: Documents from one", "panes=3: Parts that"]),
        ("discretize", ["window_panes: Cuts a feature at its quantiles", "(a whole number from 2 to 9)"]),
        ("rank", ["window_vote: Every labelled", "power=2.0: How much more a like document counts"]),
        ("evaluate", ["hit: Share of the queries", "least=1: Grade from which", "(a whole number from 1 to 9)"]),
        ("prepare", ["window_echo: Powers of", "power=2.0: To which power a frequency", "bm25: Okapi", "k1=1.2: How"]),
        ("simulate", ["window_walk", "window_vote", "window_price: Scores by", "column=0: The feature", "hit@10"]),
    ],
)
def test_help_lists_it(command, told, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    shown = CliRunner().invoke(app, [command, "--help"]).output
    for words in told:
        assert words in shown


@pytest.mark.parametrize(
    ("sampler", "told"),
    [
        ("window_walk:stride=0", "window_walk:stride=0: stride must be a whole number of at least 1, not 0"),
        ("window_walk:stred=1", "window_walk has no parameter 'stred'; did you mean 'stride'?"),
    ],
)
def test_a_wrong_value_is_refused_as_with_ours(sampler, told, tmp_path):
    write_letor(planted_collection(3, 4, 2), tmp_path / "pool.txt")
    with pytest.raises(InputError) as refused:
        CliRunner().invoke(app, ["select", str(tmp_path / "pool.txt"), "--sampler", sampler], catch_exceptions=False)
    assert told in str(refused.value)
