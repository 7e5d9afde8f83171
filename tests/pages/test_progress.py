"""The Progress page, driven without a browser, with and without a worker."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import sqlalchemy as sa
from streamlit.testing.v1 import AppTest

from db.jobs.campaign_curves import work_out
from db.jobs.handlers import HANDLERS
from db.jobs.worker import Worker
from db.store.tables import jobs
from pages import context
from pages.progress import jobs as progress_jobs
from pages.progress.jobs import Wanted, curve_of, job_for, looks_of, random_of
from pages.shared import task
from pages.shared.audience import audience_of
from rulerank.campaign import Kind, Settings
from rulerank.campaign import labels as campaign_labels
from rulerank.campaign.curves import RUNS, evaluation_for, read_replay
from rulerank.campaign.explain import RuleHistory, rule_history
from rulerank.campaign.export import gather
from rulerank.campaign.labels import LONGEST_PAUSE, Labels, covered, kept_curve, read_labels, relevant_found, rules_now
from rulerank.campaign.looking import kept_looks
from rulerank.campaign.stopping import Checks, RuleState, Settled
from rulerank.campaign.to_go import labels_to_go, runs_to_stop
from rulerank.curves import cross_validated, curve, saving
from rulerank.export import preview
from rulerank.metrics import Measure
from rulerank.ranking import RECOMMENDED, StableRules
from rulerank.rules import mine_document
from rulerank.sampling import SSARP
from tests.pages.conftest import give_labels


def run_page(campaign: int) -> AppTest:
    page = AppTest.from_file("../../pages/main.py", default_timeout=600)
    page.query_params["campaign"] = str(campaign)
    page.run()
    page.switch_page("progress/page.py").run()
    assert not page.exception, page.exception
    return page


def numbers(page: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in page.metric}


def labelled(page: AppTest) -> str:
    return next(value for label, value in numbers(page).items() if label.startswith("Labelled"))


def words(page: AppTest) -> str:
    boxes = [*page.info, *page.success, *page.warning, *page.caption]
    return "\n".join(box.value for box in boxes)


def work(workspace) -> None:
    """Do the jobs that wait, as a worker would."""
    worker = Worker(workspace.database, handlers={"replay": work_out})
    while worker.run_once():
        pass


def test_an_unlabelled_campaign_says_what_to_do_and_shows_no_zero(workspace):
    campaign = workspace.demo(workspace.people.ensure_single_user().id)
    page = run_page(campaign)
    assert numbers(page)["MAP now"] == "not yet"
    assert labelled(page) == "0"
    assert "Nothing is labelled yet" in words(page)
    assert workspace.jobs.list() == ()


def test_the_page_shows_where_the_campaign_stands(workspace, labelled_demo):
    page = run_page(labelled_demo)
    opened = workspace.open(labelled_demo)
    rows, grades = opened.labelled()
    labels = list(zip(rows, grades, strict=True))
    points = curve(partial(opened.ranker, RECOMMENDED), opened.documents, labels, opened.evaluation)
    shown = numbers(page)
    assert shown[f"Labelled (of {len(opened.items):,d})"] == "30"
    assert shown["MAP now"] == f"{points[-1].values['map']:.3f}"
    total = int((opened.known_grades > 0).sum())
    assert shown[f"Relevant found (of {total})"] == str(sum(grade > 0 for grade in grades))
    assert shown["Natural stop"] == "not yet"
    assert "Go on labelling" in words(page)
    assert "queries of the pool have no relevant document" in words(page)


def test_a_value_that_rests_on_fewer_labels_is_not_called_the_one_of_now(workspace, labelled_demo, monkeypatch):
    opened = workspace.open(labelled_demo)
    kept = kept_curve(opened, RECOMMENDED, audience_of(opened))
    monkeypatch.setattr(progress_jobs, "BUDGET", 0.0)
    assert numbers(run_page(labelled_demo))["MAP now"] == "…"
    first = kept._measured[1] = kept._measure(1)
    shown = numbers(run_page(labelled_demo))
    assert shown["MAP after 1 label"] == f"{first['map']:.3f}"
    assert "MAP now" not in shown


def test_metric_cut_off_ties_and_axis_can_be_chosen(workspace, labelled_demo):
    page = run_page(labelled_demo)
    opened = workspace.open(labelled_demo)
    last = kept_curve(opened, RECOMMENDED, audience_of(opened)).points[-1].values
    page.selectbox(key="progress-metric").set_value("ndcg").run()
    page.selectbox(key="progress-k").set_value(3).run()
    assert numbers(page)["NDCG@3 now"] == f"{last['ndcg@3']:.3f}"
    page.toggle(key="progress-ties").set_value(True).run()
    assert numbers(page)["NDCG@3 now"] == f"{last['expected ndcg@3']:.3f}"
    page.segmented_control(key="progress-x").set_value("minutes").run()
    assert not page.exception
    help_text = next(metric for metric in page.metric if metric.label == "NDCG@3 now").proto.help
    assert "LETOR (as Eval-Score-4.0 prints), equal scores averaged over all orders" in help_text
    assert f"{len(workspace.open(labelled_demo).evaluation.grades):,d} documents of" in help_text


def test_the_random_replay_is_asked_of_the_worker_once_and_kept(workspace, labelled_demo):
    page = run_page(labelled_demo)
    run_page(labelled_demo)
    (job,) = workspace.jobs.list(kind="replay")
    assert job.arguments == {"campaign": labelled_demo, "what": "random", "ranker": RECOMMENDED, "labels": 32}
    assert "appears here as soon as it is worked out" in words(page)
    work(workspace)
    page.run()
    assert f"Random order: {RUNS} replays" in words(page)
    assert "seed 1" in words(page)
    (kept,) = workspace.campaigns.snapshots(labelled_demo, f"random:{RECOMMENDED}")
    bands, top = read_replay(kept.values)
    assert kept.labels == 32
    assert [band.labels for band in bands][-1] == 16 * 32  # far enough to say what the labels are worth
    assert 0 < top["map"] < 1
    assert len(workspace.jobs.list(kind="replay")) == 1
    give_labels(workspace, labelled_demo, workspace.people.ensure_single_user().id, 3)
    page.run()
    assert [job.arguments["labels"] for job in workspace.jobs.list(kind="replay")] == [64, 32]
    assert f"Random order: {RUNS} replays" in words(page)  # the shorter one is shown meanwhile


def saving_line(page: AppTest) -> str:
    return next(each.value for each in page.markdown if "random" in each.value and each.value.startswith("**"))


def test_one_line_says_what_the_labels_are_worth_in_random_ones(workspace, labelled_demo):
    page = run_page(labelled_demo)
    assert saving_line(page) == "**What the labels are worth in random ones: not yet.**"
    work(workspace)
    page.run()
    opened = workspace.open(labelled_demo)
    (kept,) = workspace.campaigns.snapshots(labelled_demo, f"random:{RECOMMENDED}")
    bands, _ = read_replay(kept.values)
    value = kept_curve(opened, RECOMMENDED, audience_of(opened)).points[-1].values["map"]
    found = saving(bands, "map", 30, value, pool=len(opened.items))
    assert found.verdict == "ahead"  # the demo's first impression
    assert saving_line(page) == f"**{found.words}**"
    (figure,) = [chart for chart in page.get("plotly_chart") if "as labels come in" in chart.proto.spec]
    assert f"{round(found.random - 30)} labels saved" in figure.proto.spec
    page.segmented_control(key="progress-x").set_value("minutes").run()
    assert saving_line(page) == f"**{found.words}**"


def test_a_replay_of_an_earlier_version_serves_until_there_is_a_new_one(workspace, labelled_demo):
    page = run_page(labelled_demo)
    work(workspace)
    (kept,) = workspace.campaigns.snapshots(labelled_demo, f"random:{RECOMMENDED}")
    old = [{name: band[name] for name in ("labels", "mean", "low", "high")} for band in kept.values["bands"]]
    workspace.campaigns.put_snapshot(labelled_demo, f"random:{RECOMMENDED}", 32, {**kept.values, "bands": old})
    page.run()
    assert f"Random order: {RUNS} replays" in words(page)
    assert "not yet" in saving_line(page)
    work(workspace)
    page.run()
    assert "random ones give" in saving_line(page)


def test_grades_that_leave_the_curve_below_the_random_band_are_to_be_checked(workspace, labelled_demo):
    opened = workspace.open(labelled_demo)
    person = workspace.people.ensure_single_user().id
    page = run_page(labelled_demo)
    work(workspace)
    for row in opened.labelled()[0]:
        wrong = 0 if opened.known_grades[row] else len(opened.settings.grades) - 1
        opened.live.write(person, row, Kind.GRADE, grade=wrong)
    page.run()
    (light,) = [box.value for box in page.warning if "Check the grades first" in box.value]
    assert "Below the random band: with random labels a ranker has about 0." in light
    assert "(30 of 30 differ from the known ones) before labelling more" in light


def test_progress_and_export_count_the_queries_of_a_single_grade_alike(workspace, labelled_demo):
    opened = workspace.open(labelled_demo)
    leaving = gather(opened, "median", opened.live.fold)
    one = covered(opened, read_labels(opened, {})).one_grade
    (note,) = [each for each in preview(leaving.collection, formats=["letor"]).notes if "have a single grade" in each]
    assert note.startswith(f"{one} queries")
    assert f"learns nothing yet from {one} of the" in words(run_page(labelled_demo))


def test_relevant_documents_are_counted_by_the_grades_that_their_total_is_counted_by(workspace, labelled_demo):
    opened = workspace.open(labelled_demo)
    found = int((opened.known_grades[opened.labelled()[0]] > 0).sum())
    total = int((opened.known_grades > 0).sum())
    for row in opened.labelled()[0]:
        opened.live.write(workspace.people.ensure_single_user().id, row, Kind.GRADE, grade=1)
    assert 0 < found < 30
    assert numbers(run_page(labelled_demo))[f"Relevant found (of {total})"] == str(found)
    counts, of_all = relevant_found(opened, read_labels(opened, {}))
    assert (counts[-1], of_all) == (found, total)


def test_the_labels_to_go_are_told_where_one_decides(workspace, labelled_demo, monkeypatch):
    monkeypatch.setattr(runs_to_stop, "__defaults__", (600.0,))  # however slow the machine is
    page = run_page(labelled_demo)
    opened = workspace.open(labelled_demo)
    while labels_to_go(opened) is None:  # that of an earlier test may be under way still, and one is at a time
        for thread in threading.enumerate():
            if thread.name == "rulerank-to-go":
                thread.join()
    page.run()
    assert f"The campaign has {labels_to_go(opened)} labels to its natural stop." in words(page)


def test_the_convention_is_printed_once_below_the_curve(workspace, labelled_demo):
    page = run_page(labelled_demo)
    cited = [block.proto.body for block in page.get("html") if "rr-cited" in block.proto.body]
    told = "\n".join([*cited, *(caption.value for caption in page.caption)])
    assert told.count("LETOR (as Eval-Score-4.0 prints), equal scores in file order") == 1


def test_without_a_worker_a_small_pool_is_replayed_by_the_page(workspace, labelled_demo, monkeypatch):
    monkeypatch.setattr(task, "PATIENCE", -1.0)
    page = run_page(labelled_demo)
    page.run()
    assert f"Random order: {RUNS} replays" in words(page)
    assert [job.state for job in workspace.jobs.list(kind="replay")] == ["stopped"]


def test_without_a_worker_a_large_pool_says_so(workspace, labelled_demo, monkeypatch):
    monkeypatch.setattr(task, "PATIENCE", -1.0)
    monkeypatch.setattr(progress_jobs, "SMALL", 10)
    page = run_page(labelled_demo)
    assert "No background worker takes this up" in words(page)
    assert workspace.campaigns.snapshots(labelled_demo, f"random:{RECOMMENDED}") == []


def test_a_slow_rankers_curve_of_a_large_pool_comes_from_the_worker(workspace, labelled_demo, monkeypatch):
    monkeypatch.setattr(progress_jobs, "SMALL", 10)
    opened = workspace.open(labelled_demo)
    labels = read_labels(opened, {})
    points, wanted = curve_of(opened, "stable_rules", labels)
    assert points == []
    assert wanted.arguments["what"] == "curve"
    job_for(wanted, workspace.people.ensure_single_user().id, 0.0)
    work(workspace)
    points, wanted = curve_of(opened, "stable_rules", labels)
    assert wanted is None
    expected = curve(
        StableRules,
        opened.documents,
        list(zip(labels.rows, labels.grades, strict=True)),
        evaluation_for(opened, audience_of(opened)),
        at=[point.labels for point in points],
    )
    assert points == expected
    assert points[-1].labels == 30


def test_a_done_job_is_not_asked_for_again_until_the_page_has_seen_it(workspace, labelled_demo):
    person = workspace.people.ensure_single_user().id
    wanted = Wanted({"campaign": labelled_demo, "what": "random", "ranker": "lrar", "labels": 32}, "some")
    first = job_for(wanted, person, 0.0)
    assert job_for(wanted, person, 0.0).id == first.id
    work(workspace)
    done = job_for(wanted, person, 0.0)
    assert (done.id, done.state) == (first.id, "done")
    assert job_for(wanted, person, done.finished_at + 1).id > first.id


def test_several_rankers_can_be_compared(workspace, labelled_demo):
    page = run_page(labelled_demo)
    chooser = page.multiselect(key="progress-rankers")
    assert "AR(R_q_d) (rules with query terms)" in chooser.options  # the demo's queries have terms
    chooser.set_value(["query_level_rules", "lrar"]).run()
    assert not page.exception
    opened = workspace.open(labelled_demo)
    last = kept_curve(opened, "query_level_rules", audience_of(opened)).points[-1]
    assert last.labels == 30
    assert numbers(page)["MAP now"] == f"{last.values['map']:.3f}"


def test_documents_that_could_not_be_told_are_listed_with_their_reasons(workspace, labelled_demo):
    assert not [each for each in run_page(labelled_demo).expander if each.label.startswith("Could not tell")]
    opened = workspace.open(labelled_demo)
    first, second, third = [row for row in range(len(opened.items)) if opened.live.fold.grade(row) is None][:3]
    for row, reason in ((first, "too little text"), (second, "too little text: one word only"), (third, "")):
        opened.live.write(1, row, Kind.CANNOT_TELL, text=reason)
    page = run_page(labelled_demo)
    (told,) = [each for each in page.expander if each.label.startswith("Could not tell")]
    assert told.label == "Could not tell: 3"
    assert told.text[0].value == "Most often: too little text (2), no reason (1)."
    table = told.dataframe[0].value
    assert table["Document"].tolist() == [opened.document(row)[1] for row in (first, second, third)]
    assert table["Reason"].tolist() == ["too little text", "too little text: one word only", ""]
    assert table["Left the pool"].all()


def test_new_labels_show_at_the_next_look(workspace, labelled_demo):
    page = run_page(labelled_demo)
    give_labels(workspace, labelled_demo, workspace.people.ensure_single_user().id, 2)
    page.run()
    assert labelled(page) == "32"
    workspace.open(labelled_demo).live.undo(workspace.people.ensure_single_user().id)
    page.run()
    assert labelled(page) == "31"


def test_without_an_evaluation_set_the_page_cross_validates_and_says_so(workspace, labelled_demo):
    source = workspace.open(labelled_demo)
    settings = replace(Settings(grades=source.settings.grades), grades_known=False)
    campaign = workspace.campaigns.create("No evaluation", source.collection_id, settings, pool_rows=source.pool_rows)
    opened = workspace.open(campaign)
    person = workspace.people.ensure_single_user().id
    rows, grades = source.labelled()
    for row, grade in zip(rows, grades, strict=True):
        opened.live.write(person, row, Kind.GRADE, grade=grade)
    page = run_page(campaign)
    make = partial(opened.ranker, RECOMMENDED)
    expected = cross_validated(make, opened.items[rows], grades, opened.query_index[rows])
    assert numbers(page)["MAP now"] == f"{expected['map']:.3f}"
    assert "cross-validation by query on the labelled set itself" in words(page)
    assert numbers(page)["Relevant found"] == str(sum(grade > 0 for grade in grades))
    assert workspace.jobs.list(kind="replay") == ()


def test_samplers_without_rules_have_no_stop_line(workspace, labelled_demo):
    source = workspace.open(labelled_demo)
    settings = Settings(grades=source.settings.grades, sampler="random", grades_known=True)
    campaign = workspace.campaigns.create("Random", source.collection_id, settings, pool_rows=source.pool_rows)
    workspace.open(campaign).live.write(1, 0, Kind.GRADE, grade=1)
    page = run_page(campaign)
    assert numbers(page)["Natural stop"] == "none"
    assert "does not count rules" in words(page)


def test_ssarp_stops_when_its_partitions_do(workspace, labelled_demo):
    source = workspace.open(labelled_demo)
    settings = Settings(grades=source.settings.grades, sampler="ssarp", grades_known=True)
    campaign = workspace.campaigns.create("Partitions", source.collection_id, settings, pool_rows=source.pool_rows)
    opened = workspace.open(campaign)
    order = SSARP().run(opened.items, opened.known_grades).order
    for row in order[:-1]:
        opened.live.write(1, row, Kind.GRADE, grade=int(opened.known_grades[row]))
    assert rules_now(opened, read_labels(opened, {})).stopped is False
    opened.live.write(1, order[-1], Kind.GRADE, grade=int(opened.known_grades[order[-1]]))
    assert rules_now(opened, read_labels(opened, {})).stopped is True


def test_minutes_add_up_what_people_spent_and_leave_long_pauses_out(workspace, labelled_demo):
    opened = workspace.open(labelled_demo)
    person = workspace.people.ensure_single_user()
    labels = read_labels(opened, {person.id: person.name})
    spent = [opened.live.fold.act(row, person.id).seconds for row in labels.rows]
    assert all(second > 0 for second in spent)
    assert labels.minutes == pytest.approx(np.cumsum(spent) / 60)
    assert labels.minutes_at([30, 60])[1] == pytest.approx(2 * labels.minutes[-1])
    (speed,) = labels.people
    assert (speed.name, speed.labels) == ("you", 30)
    assert speed.median_seconds == pytest.approx(np.median(spent))
    offer = opened.live.next(person.id)
    opened.live.clock = lambda: offer.claim.created_at + 1000.0  # longer than a pause, and the claim still holds
    opened.live.submit(person.id, offer.claim.token, offer.claim.row, Kind.GRADE, grade=0)
    later = read_labels(opened, {})
    assert later.minutes[-1] - later.minutes[-2] == pytest.approx(LONGEST_PAUSE / 60)


def test_a_campaign_without_known_grades_has_no_replay(workspace, labelled_demo):
    source = workspace.open(labelled_demo)
    settings = Settings(grades=source.settings.grades)
    campaign = workspace.campaigns.create(
        "Unknown", source.collection_id, settings, pool_rows=source.pool_rows, evaluation_rows=source.evaluation_rows
    )
    assert random_of(workspace.open(campaign), "lrar", 5) == (None, None)


def test_measures_have_names_for_screens_and_for_points():
    assert Measure("ndcg", 5, expected=True).key == "expected ndcg@5"
    assert str(Measure("precision", 3)) == "P@3"
    assert Measure("map").key == "map"


def test_annotators_do_not_see_the_page(workspace, labelled_demo, monkeypatch):
    anna = workspace.people.add("Anna", "annotator", "long enough")
    monkeypatch.setattr(context, "signed_in", lambda: anna)
    page = AppTest.from_file("../../pages/progress/page.py", default_timeout=600).run()
    assert "not for the role annotator" in page.warning[0].value
    assert not page.title


def test_the_worker_knows_replays_and_refuses_other_kinds(workspace, labelled_demo):
    job = workspace.jobs.ask("replay", {"campaign": labelled_demo, "what": "nonsense", "ranker": "lrar"})
    assert Worker(workspace.database, handlers=HANDLERS).run_once()
    assert workspace.jobs.get(job).state == "failed"
    assert "'random', 'curve' or 'looks'" in workspace.jobs.get(job).message


def test_curves_go_with_their_campaign(workspace, labelled_demo):
    opened = workspace.open(labelled_demo)
    readers = audience_of(opened)
    assert kept_curve(opened, "lrar", readers) is kept_curve(opened, "lrar", readers)
    assert kept_curve(opened, "lrar", readers) is not kept_curve(opened, "stable_rules", readers)
    assert opened in campaign_labels._curves


def test_the_rule_history_is_what_the_sampler_saw_at_each_choice(workspace, labelled_demo):
    opened = workspace.open(labelled_demo)
    labels = read_labels(opened, {})
    history = rule_history(opened, labels)
    ledger = {row["row"]: row["rule_count"] for row in workspace.campaigns.ledger(labelled_demo)}
    assert [ledger[row] for row in labels.rows] == list(history.drawn)
    assert history.line[0] is None
    for number in (1, 2, 9, 29):
        before = labels.rows[:number]
        counts = [
            len(mine_document(opened.items[row], opened.items[before], np.array(labels.grades[:number])))
            for row in before
        ]
        assert history.line[number] == min(counts)


def test_the_rule_history_is_kept_while_it_serves(workspace, labelled_demo):
    opened = workspace.open(labelled_demo)
    history = rule_history(opened, read_labels(opened, {}))
    assert rule_history(opened, read_labels(opened, {})) is history
    free = next(row for row in range(len(opened.items)) if row not in history.rows)
    opened.live.write(1, free, Kind.GRADE, grade=1)
    longer = rule_history(opened, read_labels(opened, {}))
    assert longer.rows == (*history.rows, free)
    assert longer.line[: len(history.line)] == history.line
    opened.live.write(1, history.rows[0], Kind.GRADE, grade=(history.grades[0] + 1) % 3)
    assert rule_history(opened, read_labels(opened, {})).grades != longer.grades
    large = RuleHistory(tuple(range(1000)), (0,) * 1000, (0,) * 1000, (0,) * 1000)
    assert large.serves(Labels(1, list(range(1010)), [0] * 1010, [], [], []))
    assert not large.serves(Labels(1, list(range(1011)), [0] * 1011, [], [], []))
    assert not large.serves(Labels(1, list(range(999)), [0] * 999, [], [], []))


class Trouble:
    """Stands for a supervisor whose workers are not well."""

    def __init__(self, words: str | None) -> None:
        self.words = words

    def problem(self) -> str | None:
        return self.words


def test_what_is_wrong_with_the_worker_is_told_instead_of_a_bar_that_stands_still(
    workspace, labelled_demo, monkeypatch
):
    monkeypatch.setattr(progress_jobs, "SMALL", 10)
    workspace.supervisor = Trouble("The background worker keeps ending; long work stands still.")
    page = run_page(labelled_demo)
    assert "The background worker keeps ending; long work stands still" in words(page).replace("\\", "")
    workspace.supervisor = Trouble(None)
    page.run()
    assert "keeps ending" not in words(page)


def test_a_job_that_a_clock_of_times_to_come_asked_for_is_not_waited_for(workspace, labelled_demo, monkeypatch):
    monkeypatch.setattr(workspace.jobs, "clock", lambda: time.time() + 365 * 86_400)
    job = workspace.jobs.get(workspace.jobs.ask("replay", {}))
    assert task.worker_is_away(job)
    monkeypatch.undo()
    assert not task.worker_is_away(workspace.jobs.get(workspace.jobs.ask("replay", {})))


def test_a_job_whose_worker_is_silent_says_so(workspace, labelled_demo):
    number = workspace.jobs.ask("replay", {})
    job = workspace.jobs.take("somebody")
    assert task.trouble(job) is None
    with workspace.database.write() as connection:
        connection.execute(sa.update(jobs).where(jobs.c.id == number).values(lease_until=time.time() - 1))
    assert "has not been heard of" in task.trouble(workspace.jobs.get(number))


def test_the_light_goes_by_the_looks_and_is_amber_where_they_and_the_natural_stop_disagree(
    workspace, labelled_demo, monkeypatch
):
    page = run_page(labelled_demo)
    opened = workspace.open(labelled_demo)
    taken = kept_looks(opened, RECOMMENDED, audience_of(opened))
    assert [look.labels for look in taken.found] == [20, 25]
    assert all(look.stopped is False for look in taken.found)
    assert "How MAP moves is not known yet" in words(page)
    monkeypatch.setattr(campaign_labels, "rule_state", lambda *given: RuleState(12, 9, True))
    page.run()
    (light,) = [box.value for box in page.warning if "natural stop is reached, but" in box.value]
    assert "You may stop" not in light
    settled = Settled(Checks(taken.found[-1], 0.0, True, True, True, True), 25, 3, 3)
    monkeypatch.setattr("rulerank.campaign.stop_light.settle", lambda *given, **more: settled)
    page.run()
    (light,) = [box.value for box in page.success if "You may stop" in box.value]
    assert "the natural stop is reached" in light


def test_a_slow_ranker_is_looked_at_by_the_worker(workspace, labelled_demo, monkeypatch):
    monkeypatch.setattr(progress_jobs, "SMALL", 10)
    opened = workspace.open(labelled_demo)
    labels = read_labels(opened, {})
    slow = StableRules.name
    found, wanted = looks_of(opened, slow, labels)
    assert found == []
    assert wanted.arguments == {"campaign": labelled_demo, "what": "looks", "ranker": slow, "labels": 25}
    job_for(wanted, 1, time.time())
    work(workspace)
    found, wanted = looks_of(opened, slow, labels)
    assert [look.labels for look in found] == [20, 25]
    assert wanted is None


def test_grades_that_look_random_raise_a_warning_and_the_known_ones_do_not(workspace, labelled_demo):
    title = "Look at the grades again"
    assert title not in words(run_page(labelled_demo))
    person = workspace.people.ensure_single_user().id
    opened = workspace.open(labelled_demo)
    rng = np.random.default_rng(2)
    rows = rng.permutation(len(opened.items))[:300].tolist()
    for row in rows:
        opened.live.write(person, row, Kind.GRADE, grade=int(opened.known_grades[row]))
    page = run_page(labelled_demo)
    assert int(labelled(page)) >= 300
    assert title not in words(page)
    for row in opened.labelled()[0]:
        opened.live.write(person, row, Kind.GRADE, grade=int(rng.integers(0, 3)))
    page.run()
    assert title in words(page)
    assert "look random" in words(page)
    assert not any("You may stop" in box.value for box in page.success)
