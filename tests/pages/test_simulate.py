"""The Simulate page without a browser: asking, watching, reading, taking along; and one laid over a live campaign."""

from __future__ import annotations

import io
import json
import zipfile
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import sqlalchemy as sa
from streamlit.testing.v1 import AppTest

from db.jobs import simulate as simulating
from db.jobs.simulate import simulate
from db.jobs.worker import Worker
from db.simulations import Simulations
from db.store.tables import collection_chunks, collections, jobs
from pages.charts.theme import DARK, LIGHT
from pages.simulate import form as simulate_form
from pages.simulate.figure import Line, Published, simulation_curves
from pages.simulate.form import offered_learners, usual_share, usual_step
from pages.simulate.run import chosen_table, metric_label, ranker_label, sampler_label, title_of
from pages.simulate.table import everything, saved_file, written
from pages.simulate.view import ChosenView, _clicked
from rulerank.collection import Collection
from rulerank.errors import RulerankError
from rulerank.simulate import Dataset, Plan, Results, executor
from rulerank.simulate.runner import estimate, pool_of, smallest_pool
from rulerank.simulate.tables import Span
from rulerank.simulate.tasks import tasks_of
from rulerank.synthetic import planted_collection
from tests.pages.test_foreign_text import NASTY, interpreted

PLAN = Plan(
    samplers=("ssar", "random"),
    rankers=("lrar", "ridge"),
    discretizer="equal_width:bins=3",
    seeds=2,
    folds=3,
    budget=24,
    every=8,
    metrics=("map", "ndcg@5"),
)


@pytest.fixture(autouse=True)
def _one_process(monkeypatch):
    monkeypatch.setattr(simulating, "JOBS", 1)


@pytest.fixture
def planted(workspace) -> int:
    """A small collection with known grades; returns its number."""
    return workspace.collections.add("planted", planted_collection(9, 14, 6, seed=5))


@pytest.fixture
def finished(workspace, planted) -> int:
    """A finished simulation; returns its number."""
    number = workspace.simulations.ask(planted, PLAN, "", workspace.people.ensure_single_user().id)
    work(workspace)
    return number


def work(workspace) -> None:
    """Do the simulations that wait, as a worker would."""
    worker = Worker(workspace.database, handlers={"simulate": simulate}, kinds=["simulate"])
    while worker.run_once():
        pass


def begin(workspace, number: int, runs: int) -> None:
    """Do so many runs of a simulation, and leave it under way."""

    def cut(done, total=None, message=""):
        if done >= runs:
            raise RulerankError("cut")

    with pytest.raises(RulerankError):
        simulate(workspace.database, workspace.simulations.get(number).job.arguments, cut)


def run_page(number: int | str | None = None) -> AppTest:
    page = AppTest.from_file("../../pages/main.py", default_timeout=600)
    page.run()
    if number is not None:
        page.query_params["simulation"] = str(number)
    page.switch_page("simulate/page.py").run()
    assert not page.exception, page.exception
    return page


def words(page: AppTest) -> str:
    boxes = [*page.info, *page.success, *page.warning, *page.error, *page.caption, *page.markdown, *page.header]
    return "\n".join(box.value for box in boxes).replace("\\", "")


def press(page: AppTest, label: str) -> AppTest:
    page = next(button for button in page.button if button.label == label).click().run()
    assert not page.exception, page.exception
    return page


def labels(page: AppTest) -> list[str]:
    return [button.label for button in page.button]


# Asking ---------------------------------------------------------------------------------------------------------------


def test_an_empty_house_says_what_to_do(workspace):
    page = run_page()
    assert "There is no collection with known grades yet" in words(page)
    assert "Run" not in labels(page)


def test_collections_that_cannot_be_chosen_are_named_with_the_reason(workspace, planted):
    features, qids = np.random.default_rng(0).random((8, 3)), [str(row // 4) for row in range(8)]
    workspace.collections.add(f"K {NASTY}", Collection.from_arrays(features, qids))
    page = run_page()
    assert page.selectbox(key="simulate-collection").options == ["planted"]
    assert "1 collection cannot be chosen" in [each.label for each in page.expander]
    assert "none of its documents has a grade" in words(page)
    assert interpreted(page) == []


def test_what_is_chosen_is_what_is_asked_for(workspace, planted):
    page = run_page()
    page.multiselect(key="simulate-samplers").set_value(["ssar", "random", "top_feature"]).run()
    page.selectbox(key="simulate-sampler-top_feature-feature").set_value(2).run()
    page.number_input(key="simulate-seeds").set_value(2).run()
    page.segmented_control(key="simulate-unit").set_value("labels").run()
    page.number_input(key=f"simulate-labels-{planted}").set_value(20).run()
    page.number_input(key=f"simulate-every-{planted}-20").set_value(4).run()
    page.number_input(key=f"simulate-folds-{planted}").set_value(3).run()
    page.selectbox(key="simulate-discretizer").set_value("equal_width").run()
    page.selectbox(key="simulate-convention").set_value("trec").run()
    page.text_input(key="simulate-name").set_value("Mine").run()
    assert "12 runs of 20 labels each, measured at 5 points: 60 trainings, and 3 on all labels" in words(page)
    page = press(page, "Run")
    (asked,) = workspace.simulations.all()
    assert asked.name == "Mine"
    assert Plan.from_dict(asked.plan) == Plan(
        samplers=("ssar", "random", "top_feature:feature=2"),
        discretizer="equal_width",
        seeds=2,
        folds=3,
        budget=20,
        every=4,
        convention="trec",
    )
    assert asked.job.person == workspace.people.ensure_single_user().id
    assert "Mine" in words(page)
    assert "Stop" in labels(page)


def test_parameters_of_what_is_chosen_become_those_of_the_plan(workspace, planted):
    page = run_page()
    closed = [each.label for each in page.expander if each.label.startswith("Parameters of")]
    names = ["SSAR, even over queries", "SSAR", "Weighted items", "TUBE"]
    assert closed == [f"Parameters of {name}" for name in names]
    page.multiselect(key="simulate-samplers").set_value(["ssar", "ssarp", "random"]).run()
    page.number_input(key="simulate-sampler-ssarp-partitions").set_value(8).run()
    page.multiselect(key="simulate-rankers").set_value(["lrar", "ridge"]).run()
    page.selectbox(key="simulate-ranker-ridge-penalty-word").set_value("a number").run()
    page.number_input(key="simulate-ranker-ridge-penalty").set_value(2.5).run()
    page.selectbox(key="simulate-discretizer").set_value("equal_frequency").run()
    page.number_input(key="simulate-discretizer-equal_frequency-bins").set_value(4).run()
    assert "SSARP with partitions 8." in words(page)
    page.number_input(key="simulate-seeds").set_value(1).run()
    press(page, "Run")
    (asked,) = workspace.simulations.all()
    plan = Plan.from_dict(asked.plan)
    assert [each.key for each in plan.samplers] == ["ssar", "ssarp:partitions=8", "random"]
    assert [each.key for each in plan.rankers] == ["lrar", "ridge:penalty=2.5"]
    assert plan.discretizer.key == "equal_frequency:bins=4"


def test_a_value_that_a_parameter_cannot_have_is_told_at_its_field_and_nothing_is_asked_for(workspace, planted):
    page = run_page()
    page.multiselect(key="simulate-rankers").set_value(["ridge"]).run()
    page.selectbox(key="simulate-ranker-ridge-penalty-word").set_value("a number").run()
    page.number_input(key="simulate-ranker-ridge-penalty").set_value(0.0).run()
    assert not page.exception
    (field,) = [each for each in page.expander if each.label == "Parameters of Ridge regression"]
    (told,) = field.error
    assert "penalty must be a number above 0, or 'loo', not 0.0." in told.value.replace("\\", "")
    assert "Run" not in labels(page)
    assert workspace.simulations.all() == []


def test_budget_and_work_go_by_the_folds_that_are_chosen(workspace, planted):
    page = run_page()
    page.segmented_control(key="simulate-unit").set_value("labels").run()
    assert page.number_input(key=f"simulate-labels-{planted}").max == 100  # four fifths of 126
    page.number_input(key=f"simulate-labels-{planted}").set_value(100).run()
    page.number_input(key=f"simulate-folds-{planted}").set_value(2).run()
    assert not page.exception
    budget = page.number_input(key=f"simulate-labels-{planted}")
    assert (budget.max, budget.value) == (63, 63)
    assert "of about 63 labels each" in words(page)  # a fold of five queries leaves a pool of 56
    budget.set_value(56).run()
    assert "of 56 labels each" in words(page)
    page = press(page, "Run")
    assert "up to 56 labels" in words(page)


def test_the_first_proposal_makes_sense_and_can_be_run(workspace, planted):
    page = press(run_page(), "Run")
    (asked,) = workspace.simulations.all()
    plan = Plan.from_dict(asked.plan)
    assert [each.key for each in plan.samplers] == ["ssar_even", "ssar", "random"]
    assert (plan.seeds, plan.folds, plan.convention) == (20, 5, "letor")
    assert len(plan.grid(plan.labels([100]))) >= 10
    assert "SSAR, even over queries, SSAR and Random on planted" in words(page)


def test_what_is_typed_in_wrongly_is_told_and_cannot_be_run(workspace, planted, monkeypatch):
    kept = {}
    real = simulate_form.Plan

    def typed(**given):
        return real(**{**given, **kept})

    monkeypatch.setattr(simulate_form, "Plan", typed)
    kept["samplers"] = ("ssarp:partition=8",)
    page = run_page()
    assert "did you mean 'partitions'?" in words(page)
    assert "Run" not in labels(page)
    kept["samplers"] = ()
    assert "choose at least one of the samplers." in words(run_page())


def test_learners_that_are_not_installed_are_named_with_the_file_that_has_them(workspace, planted, monkeypatch):
    able, _ = offered_learners()
    assert "ridge" in able
    monkeypatch.setattr(simulate_form, "missing_package", lambda name: "lightgbm" if name == "lambda_mart" else "")
    page = run_page()
    assert "LambdaMART (LightGBM)" not in page.multiselect(key="simulate-rankers").options
    assert "LambdaMART (LightGBM) needs lightgbm" in words(page)
    assert "requirements-bench.txt" in words(page)


@pytest.mark.parametrize(
    ("pool", "share", "step"), [(40, 0.5, 1), (700, 0.1, 5), (1300, 0.05, 2), (12_900, 0.05, 25), (500_000, 0.05, 1000)]
)
def test_usual_budgets_and_steps(pool, share, step):
    assert usual_share(pool) == share
    assert usual_step(int(share * pool)) == step


def test_the_smallest_pool_holds_however_the_queries_are_dealt():
    assert smallest_pool([14] * 9, 3) == 84
    assert smallest_pool([1, 2, 3, 4, 100], 2) == 3  # the three largest may be tested together
    assert pool_of(126, 2) == 63


def test_the_estimate_counts_what_will_be_run_and_learns_from_what_was():
    data = Dataset.from_collection(planted_collection(9, 14, 6, seed=5), PLAN.folds)
    tasks = tasks_of(PLAN, data)
    work = estimate(PLAN, 126, 6)
    assert work.runs == sum(not task.is_ceiling for task in tasks)
    assert (work.labels, work.points, work.trainings) == (24, 3, work.runs * 3 * 2)
    slow = {"samplers": {"ssar": 1e6}, "rankers": {}}
    assert estimate(PLAN, 126, 6, slow).seconds > 100 * work.seconds
    assert estimate(PLAN, 126, 6, {"samplers": {"ssar": None}}).seconds == work.seconds
    assert work.time == "less than a minute"
    assert "hour" in estimate(Plan(budget=1.0, every=1), 100_000, 136).time


# Watching -------------------------------------------------------------------------------------------------------------


def test_a_simulation_can_be_stopped_taken_up_again_and_deleted(workspace, planted):
    number = workspace.simulations.ask(planted, PLAN)
    page = press(run_page(number), "Stop")
    page.run()  # the part that watches draws the page anew when it is over; here nothing ticks
    assert workspace.simulations.get(number).job.state == "stopped"
    assert "Stopped; what was finished is kept." in words(page)
    page = press(page, "Go on")
    assert workspace.simulations.get(number).job.state == "waiting"
    work(workspace)
    page = run_page(number)
    assert "Labels saved" in words(page)
    page = press(page, "Delete it")
    assert workspace.simulations.all() == []
    assert "There is no collection" not in words(page)


def test_of_one_under_way_what_is_finished_is_shown_when_it_is_asked_for(workspace, planted):
    number = workspace.simulations.ask(planted, PLAN)
    begin(workspace, number, 12)  # the ceilings, SSAR on every fold, random with its first seed
    page = run_page(number)
    assert "Labels saved" not in words(page)
    page = press(page, "Show what is finished so far")
    assert "12 of 15 runs are in what follows" in words(page)
    assert "Labels saved" in words(page)
    assert "Draw it anew" in labels(page)
    assert "Show what is finished so far" not in labels(page)


def test_one_that_is_watched_offers_its_first_results_by_itself(workspace, planted, monkeypatch):
    number = workspace.simulations.ask(planted, PLAN)
    begin(workspace, number, 3)
    read, looks = Simulations.stamp, []

    def stamp(self, number):
        looks.append(number)
        return "" if len(looks) == 1 else read(self, number)  # they come in after the page was drawn

    monkeypatch.setattr(Simulations, "stamp", stamp)
    assert "Show what is finished so far" in labels(run_page(number))
    assert len(looks) == 3  # the page, what watches, and the page once more: not again and again


def test_one_taken_up_again_is_given_time_before_the_worker_is_missed(workspace, planted):
    number = workspace.simulations.ask(planted, PLAN)
    with workspace.database.write() as connection:
        connection.execute(sa.update(jobs).values(created_at=jobs.c.created_at - 3600))
    assert "No background worker takes this up" in words(run_page(number))
    assert workspace.simulations.stop(number)
    page = press(run_page(number), "Go on")
    assert "No background worker takes this up" not in words(page)


def test_a_failed_one_says_why(workspace, planted):
    number = workspace.simulations.ask(planted, PLAN)
    with workspace.database.write() as connection:
        connection.execute(sa.delete(collection_chunks))
        connection.execute(sa.delete(collections))
    work(workspace)
    page = run_page(number)
    assert f"This simulation failed: collection {planted} does not exist" in words(page)
    assert "Go on" in labels(page)


@pytest.mark.parametrize("never", ["10000000000000000000000", "9" * 5000, "-1", "one"])
def test_a_number_that_no_simulation_can_have_is_no_error(workspace, never):
    assert "There is no such simulation; it may have been deleted." in words(run_page(never))


def test_a_number_that_is_gone_leads_to_the_list(workspace, finished):
    page = run_page(999)
    assert "There is no such simulation; it may have been deleted." in words(page)
    assert "SSAR and Random on planted" in words(page)
    page = press(page, "Open")
    assert "Labels saved" in words(page)
    page = press(page, "All simulations")
    assert "Simulations so far" in words(page)


# Reading --------------------------------------------------------------------------------------------------------------


def test_the_table_shows_what_the_library_finds(workspace, finished):
    page = run_page(finished)
    results = workspace.simulations.results(finished)
    expected = results.summary("random", "map").query("ranker == 'lrar'").set_index("sampler")
    table = page.dataframe[0].value.set_index("Sampler")
    for key, name in (("ssar", "SSAR"), ("random", "Random")):
        row = expected.loc[key]
        told = f"{row['mean']:.3f} ({row['low_queries']:.3f} to {row['high_queries']:.3f})"
        assert table.loc[name, "MAP (95% interval)"] == told
        assert table.loc[name, "Found"] == f"{row['relevant_found']:.1%}"
        assert table.loc[name, "90%"] == Span(8, 24).cell(row["to_90"], row["stays_90"])
    assert table.loc["SSAR", "Difference"].startswith(f"{expected.loc['ssar', 'difference']:+.3f}")
    assert table.loc["Random", "Difference"] == ""
    assert table["Seeds"].tolist() == [1, 2]


def test_convention_evaluation_set_and_correction_are_stated(workspace, finished):
    page = run_page(finished)
    said = words(page)
    assert "LETOR (as Eval-Score-4.0 prints), equal scores in file order" in said
    assert "95% bootstrap interval over 9 test queries" in said
    assert "corrected by Holm over 2 comparisons" in said
    assert "At 24 labels; LETOR" in said
    assert "in brackets from where on it stays there" in said
    figure = page.get("plotly_chart")[0].proto.spec
    assert "planted, ranked by LRAR. LETOR" in figure.replace("<br>", " ")
    assert "test parts of 3 folds (9" in figure.replace("<br>", " ")
    method = next(each for each in page.expander if each.label == "How this was done").markdown[0].value
    results = workspace.simulations.results(finished)
    for told in (results.about.data_hash[:12], "9 queries dealt to 3 folds", "Equal width", "every 8 labels"):
        assert told in method.replace("\\", "")


def test_one_of_each_is_told_as_one_and_no_test_as_none(workspace, planted):
    number = workspace.simulations.ask(
        planted, Plan(samplers=("ssar",), folds=2, budget=0.02, every=1, metrics=("map",))
    )
    work(workspace)
    said = words(run_page(number))
    for told in ("At 1 label;", "1 document of 1 query:"):
        assert told in said
    assert "Holm over" not in said


def test_metric_ranker_ties_and_baseline_can_be_chosen(workspace, finished):
    page = run_page(finished)
    results = workspace.simulations.results(finished)
    page.selectbox(key=f"simulate-metric-{finished}").set_value("ndcg@5").run()
    page.selectbox(key=f"simulate-ranker-{finished}").set_value("ridge").run()
    page.toggle(key=f"simulate-ties-{finished}").set_value(True).run()
    page.selectbox(key=f"simulate-baseline-{finished}").set_value("ssar").run()
    assert not page.exception
    row = results.summary("ssar", "ndcg@5", expected=True).set_index(["ranker", "sampler"]).loc[("ridge", "random")]
    table = page.dataframe[0].value.set_index("Sampler")
    assert table.loc["Random", "NDCG@5 (95% interval)"].startswith(f"{row['mean']:.3f} ")
    assert table.loc["Random", "Difference"].startswith(f"{row['difference']:+.3f}")
    page.segmented_control(key=f"simulate-compare-{finished}").set_value("rankers").run()
    assert page.dataframe[0].value["Ranker"].tolist() == ["LRAR", "Ridge regression"]
    for band in ("folds", "seeds", "none"):
        page.selectbox(key=f"simulate-band-{finished}").set_value(band).run()
        assert not page.exception
    page.segmented_control(key=f"simulate-x-{finished}").set_value("share").run()
    assert not page.exception


def test_the_documents_chosen_up_to_a_point_are_listed_in_order(workspace, finished):
    page = run_page(finished)
    results = workspace.simulations.results(finished)
    page.selectbox(key=f"simulate-of-{finished}").set_value("random").run()
    page.selectbox(key=f"simulate-fold-{finished}").set_value(2).run()
    page.selectbox(key=f"simulate-seed-{finished}-random").set_value(1).run()
    page.selectbox(key=f"simulate-upto-{finished}").set_value(8).run()
    listed = page.dataframe[1].value
    task = next(t for t in results.tasks if (t.sampler.key, t.fold, t.seed) == ("random", 2, 1))
    chosen = results.selected(task, 8)
    assert listed["Document"].tolist() == chosen["docid"].tolist()
    assert listed["Query"].tolist() == chosen["qid"].tolist()
    assert listed["Grade"].tolist() == chosen["grade"].tolist()
    assert "8 documents of" in words(page)


def test_texts_stand_beside_the_chosen_documents(workspace):
    number = workspace.open(workspace.demo()).collection_id
    plan = Plan(samplers=("ssar",), folds=2, budget=4, every=4, metrics=("map",))
    asked = workspace.simulations.ask(number, plan)
    work(workspace)
    simulation = workspace.simulations.get(asked)
    table = chosen_table(simulation, workspace.simulations.results(asked), "ssar", 1, None, 3)
    assert list(table) == ["Label", "Query", "Query text", "Document", "Title", "Grade"]
    assert len(table) == 3
    first = table.iloc[0]
    assert first["Title"] == workspace.collections.document_text(number, first["Document"]).title
    assert first["Query text"] == workspace.collections.query_text(number, first["Query"]).text


def test_a_click_tells_the_sampler_and_the_labels():
    pairs = [("ssar", "lrar"), ("random", "lrar")]

    def event(customdata):
        return SimpleNamespace(selection=SimpleNamespace(points=[{"customdata": customdata}]))

    assert _clicked(event([1.0, 24.0, 0.1, 0.2]), pairs) == ("random", 24)
    assert _clicked(event({"0": 0, "1": 8, "2": None, "3": None}), pairs) == ("ssar", 8)
    assert _clicked(event(None), pairs) is None
    assert _clicked(event([7.0, 24.0]), pairs) is None
    assert _clicked(SimpleNamespace(selection=SimpleNamespace(points=[])), pairs) is None


# The figure -----------------------------------------------------------------------------------------------------------


def line(name: str, place: int, **more: object) -> Line:
    return Line(name, place, [10, 20], [0.3, 0.4], [0.2, 0.3], [0.4, 0.5], [10, 20], **more)


def curves(lines: list[Line], **more: object):
    return simulation_curves(
        lines,
        about="K, ranked by LRAR",
        metric_label="MAP",
        convention="LETOR",
        evaluated_on="9 queries",
        band="95% of it",
        **more,
    )


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_line_has_its_band_and_every_point_says_what_it_is(theme):
    lines = [line(f"sampler {place}", place) for place in range(7)]
    figure = curves(lines, ceilings={"": 0.45}, theme=theme)
    drawn = [trace for trace in figure.data if trace.mode == "lines+markers"]
    bands = [trace for trace in figure.data if trace.fill == "toself"]
    assert len(drawn) == len(bands) == 7
    assert drawn[3].customdata[1].tolist() == [3, 20, 0.3, 0.5]
    looks = {(trace.line.color, trace.line.dash) for trace in drawn}
    assert len(looks) == 7  # colours run out after five; then the dashes differ
    assert figure.layout.meta["caption"].startswith("K, ranked by LRAR. LETOR. Evaluated on 9 queries.")
    assert "All labels: 0.450" in [trace.name for trace in figure.data]
    assert "0.450" in [note.text for note in figure.layout.annotations]
    low, high = figure.layout.yaxis.range
    assert low < 0.2
    assert high > 0.5


def test_published_values_and_natural_stops_are_drawn_and_said():
    given = line("SSAR", 0, stop=(12.0, 0.33))
    figure = curves([given], published=[Published("RE-<b>QR", 0.465)])
    names = [trace.name for trace in figure.data]
    assert "RE-&lt;b&gt;QR, published: 0.465" in names
    (star,) = (trace for trace in figure.data if trace.marker.symbol == "star")
    assert star.x[0] == 12.0
    assert star.y[0] == pytest.approx(np.interp(12.0, given.x, given.mean))  # on the line
    assert "at their own stops: 0.3300" in star.hovertemplate
    assert "natural stop" in figure.layout.meta["caption"]
    assert "natural stop" not in curves([line("SSAR", 0)]).layout.meta["caption"]
    beyond = curves([line("SSAR", 0, stop=(1e6, 0.33))])
    assert not [trace for trace in beyond.data if trace.marker.symbol == "star"]


@pytest.mark.parametrize(("x", "step", "ticks"), [([1, 6], 1, ",d"), ([10, 200], None, ",d")])
def test_few_labels_are_counted_in_whole_steps(x, step, ticks):
    given = Line("SSAR", 0, x, [0.3, 0.4], [0.2, 0.3], [0.4, 0.5], x)
    axis = curves([given]).layout.xaxis
    assert (axis.dtick, axis.tickformat) == (step, ticks)
    assert curves([given], x="share").layout.xaxis.tickformat == ".3~%"  # 0.5%, 1%, 1.5%


def test_nothing_finished_is_said_not_drawn():
    figure = curves([])
    assert not figure.data
    assert "No sampler has finished" in figure.layout.annotations[0].text


def test_names_for_people():
    assert sampler_label("ssarp:partitions=8") == "SSARP with partitions 8"
    assert sampler_label("top_feature:feature=2").endswith("with feature 3")
    assert sampler_label("query_random") == "Random, even over queries"
    assert sampler_label("of a later version") == "of a later version"
    assert ranker_label("lrar") == "LRAR"
    assert [metric_label(name) for name in ("map", "ndcg@5", "precision@10")] == ["MAP", "NDCG@5", "P@10"]


# Taking along ---------------------------------------------------------------------------------------------------------


def test_files_hold_what_was_found(workspace, finished):
    results = workspace.simulations.results(finished)
    table = pd.read_csv(io.BytesIO(written(results, "results.csv")))
    assert table["value"].to_numpy() == pytest.approx(results.table()["value"].to_numpy())
    columnar = pd.read_parquet(io.BytesIO(written(results, "results.parquet")))
    assert len(columnar) == len(table)
    packed = everything(finished)
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert {"simulation.json", "results.csv", "results.csv.json"} <= set(archive.namelist())
    again = Results.unpack(packed)
    assert again.complete
    assert again.curves().equals(results.curves())


def test_the_file_of_labels_saved_names_its_baseline(workspace, finished):
    look = ChosenView("ndcg@5", False, "queries", "labels", "samplers", "ssar", "lrar")
    stamp = workspace.simulations.stamp(finished)
    table = pd.read_csv(io.BytesIO(saved_file(finished, stamp, look, "random")))
    assert set(table["baseline"]) == {"random"}
    needed = workspace.simulations.results(finished).labels_needed("ndcg@5", (0.95,), "random")
    both = table.merge(needed, on=["sampler", "ranker"], suffixes=("", "_needed"))
    assert both["saved"].to_numpy() == pytest.approx(both["saved_needed"].to_numpy(), nan_ok=True)


def test_downloads_are_offered(workspace, finished):
    page = run_page(finished)
    offered = {each.label for each in page.get("download_button")}
    assert {"Curves (CSV)", "Labels saved (CSV)", "Every value (CSV)", "All of it (zip)"} <= offered
    assert "These documents (CSV for spreadsheets)" in offered


def test_names_of_people_collections_and_runs_are_shown_as_they_are(workspace):
    source = planted_collection(6, 10, 4, seed=2)
    number = workspace.collections.add(f"K {NASTY}", source)
    person = workspace.people.add(f"P {NASTY}", "researcher").id
    plan = Plan(samplers=("ssar", "random"), seeds=1, folds=2, budget=6, every=3, metrics=("map",))
    for name in (f"N {NASTY}", ""):
        asked = workspace.simulations.ask(number, plan, name, person)
    work(workspace)
    assert NASTY in title_of(workspace.simulations.get(asked))
    assert interpreted(run_page()) == []
    assert interpreted(run_page(asked)) == []
    assert interpreted(run_page(asked - 1)) == []


# Over a live campaign -------------------------------------------------------------------------------------------------


def run_progress(campaign: int) -> AppTest:
    page = AppTest.from_file("../../pages/main.py", default_timeout=600)
    page.query_params["campaign"] = str(campaign)
    page.run()
    page.switch_page("progress/page.py").run()
    assert not page.exception, page.exception
    return page


def test_a_finished_simulation_can_be_laid_over_a_live_campaign(workspace, labelled_demo, planted, finished):
    page = run_progress(labelled_demo)
    before = page.get("plotly_chart")[0].proto.spec
    page.selectbox(key=f"progress-overlay-{labelled_demo}").set_value(finished).run()
    assert not page.exception
    drawn = page.get("plotly_chart")[0].proto.spec
    assert "Simulated: SSAR" not in before
    assert "Simulated: SSAR" in drawn
    assert "Simulated: Random" in drawn
    names = [trace.get("name") for trace in json.loads(drawn)["data"]]
    own = [trace["name"] for trace in json.loads(before)["data"] if "name" in trace]
    assert [name for name in names if name in own] == own
    assert names.index("Simulated: Random") < names.index(own[0])  # drawn first, so below the campaign's own
    ranks = {trace.get("name"): trace.get("legendrank", 1000) for trace in json.loads(drawn)["data"]}
    assert ranks["Simulated: Random"] > ranks[own[-1]]
    said = words(page)
    assert "samplers on planted with known grades, ranked by LRAR" in said
    assert "evaluated on those queries and not on this campaign's" in said
    page.multiselect(key=f"progress-overlay-{labelled_demo}-{finished}").set_value(["ssar"]).run()
    assert "Simulated: Random" not in page.get("plotly_chart")[0].proto.spec
    page.multiselect(key=f"progress-overlay-{labelled_demo}-{finished}").set_value([]).run()
    assert "Simulated:" not in page.get("plotly_chart")[0].proto.spec
    assert "Simulated:" not in words(page)
    page.multiselect(key=f"progress-overlay-{labelled_demo}-{finished}").set_value(["ssar"]).run()
    page.selectbox(key="progress-metric").set_value("mrr").run()
    assert "did not measure MRR; it has MAP, NDCG@5" in words(page)
    page.selectbox(key="progress-metric").set_value("map").run()
    page.segmented_control(key="progress-x").set_value("minutes").run()
    assert "choose labels as the axis" in words(page)


def test_without_a_finished_simulation_nothing_is_offered(workspace, labelled_demo, planted):
    workspace.simulations.ask(planted, PLAN)
    page = run_progress(labelled_demo)
    assert not any(each.label == "Lay a simulation over it" for each in page.selectbox)


def test_the_same_collection_comes_first(workspace, labelled_demo, planted, finished):
    demo = workspace.open(labelled_demo).collection_id
    plan = Plan(samplers=("ssar",), folds=2, budget=4, every=4, metrics=("map",))
    workspace.simulations.ask(demo, plan, "of the demo")
    work(workspace)
    workspace.simulations.ask(planted, PLAN, "newest")
    work(workspace)
    options = run_progress(labelled_demo).selectbox(key=f"progress-overlay-{labelled_demo}").options
    assert options[:2] == ["None", "of the demo (same collection)"]
    assert len(options) == 4


# Failing --------------------------------------------------------------------------------------------------------------


def test_runs_that_failed_are_listed_and_tried_again(workspace, planted, monkeypatch):
    number = workspace.simulations.ask(planted, PLAN, "", workspace.people.ensure_single_user().id)
    real = executor.follow

    def follow(plan, sampler, seed, fold, *more):
        if (sampler.key, seed, fold.number) == ("random", 1, 3):
            raise ValueError("left_count > 0 <b>*bold*</b>")
        return real(plan, sampler, seed, fold, *more)

    with monkeypatch.context() as broken:
        broken.setattr(executor, "follow", follow)
        work(workspace)
    page = run_page(number)
    told = words(page)
    assert "1 of 15 runs failed" in told
    assert "random on fold 3, seed 1: ValueError: left_count > 0 <b>*bold*</b>" in told
    assert not interpreted(page)
    assert any("Traceback" in block.value for block in page.code)
    assert "14 of 15 runs are in what follows" in told
    page = press(page, "Try the failed runs again")
    work(workspace)
    page.run()
    assert workspace.simulations.get(number).job.state == "done"
    assert "failed" not in words(page)
