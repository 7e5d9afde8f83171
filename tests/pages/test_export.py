"""Export: what leaves is what the log says, it is checked before it is offered, and a backup gives it all again."""

from __future__ import annotations

import ast
import hashlib
import io
import json
import os
import shlex
import subprocess
import sys
import zipfile
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file
from streamlit.testing.v1 import AppTest

from db.backup.restore import Restored
from db.store.sqlite_copy import copy_to
from db.workspace import Workspace
from pages import context
from pages.export.preview import size_text
from rulerank.agreement import RULES
from rulerank.campaign import Campaign, Kind
from rulerank.campaign.curves import new_curve
from rulerank.campaign.export import ExportChoice, about, event_rows, fold_of, gather
from rulerank.curves import Training
from rulerank.errors import RulerankError
from rulerank.export import formats, make_bundle
from rulerank.letor import read_letor
from rulerank.text import Analyser


def run_page(campaign: int | None = None) -> AppTest:
    page = AppTest.from_file("../../pages/export/page.py", default_timeout=600)
    if campaign is not None:
        page.query_params["campaign"] = str(campaign)
    page.run()
    assert not page.exception, page.exception
    return page


def press(page: AppTest, label: str) -> AppTest:
    """Press a button; let what it started beside the page end, and draw the page anew as its progress bar would."""
    next(button for button in page.button if button.label == label).click().run()
    if "export-packed" in page.session_state and page.session_state["export-packed"][1].running:
        assert page.session_state["export-packed"][1].wait(60)
        page.run()
    assert not page.exception, page.exception
    return page


@pytest.fixture
def shared(workspace):
    """A campaign for two people who agree on one document and differ on another, beside an imported grade."""
    person = workspace.people.ensure_single_user()
    demo = workspace.open(workspace.demo(person.id))
    rows = demo.pool_rows.tolist()
    number = workspace.import_campaign(
        "Shared", demo.collection, replace(demo.settings, overlap=2), pool_rows=rows, labels={rows[7]: 2}
    )
    opened = workspace.open(number)
    other = workspace.people.add("Ann", "annotator", "password")
    for who, grades in ((person.id, (1, 0)), (other.id, (1, 2))):
        for row, grade in enumerate(grades):
            opened.live.write(who, row, Kind.GRADE, grade=grade)
    return opened


class TestFacts:
    @pytest.mark.parametrize(
        ("rule", "expected", "waiting"),
        [
            ("majority", {0: 1, 1: 0, 7: 2}, 0),
            ("median", {0: 1, 1: 0, 7: 2}, 0),
            ("adjudication", {0: 1, 7: 2}, 1),
            ("dawid_skene", {0: 1, 1: 0, 7: 2}, 0),
            ("ordered", {0: 1, 1: 0, 7: 2}, 0),
        ],
    )
    def test_grades_follow_the_rule(self, workspace, shared, rule, expected, waiting):
        leaving = gather(shared, rule, fold_of(workspace.campaigns.events(shared.id), shared.live.made_with))
        given = np.flatnonzero(leaving.collection.grades >= 0)
        assert {int(row): int(leaving.collection.grades[row]) for row in given} == expected
        assert leaving.waiting == waiting
        assert leaving.collection.docids == tuple(shared.document(row)[1] for row in range(shared.pool_rows.size))

    @pytest.mark.parametrize("rule", RULES)
    def test_a_decision_wins_under_every_rule(self, workspace, shared, rule):
        shared.live.write(None, 1, Kind.ADJUDICATE, grade=1)
        leaving = gather(shared, rule, fold_of(workspace.campaigns.events(shared.id), shared.live.made_with))
        assert leaving.collection.grades[1] == 1
        assert leaving.waiting == 0

    def test_the_log_leaves_with_names_or_without(self, shared, workspace):
        events = workspace.campaigns.events(shared.id)
        named = event_rows(shared, events, {each.id: each.name for each in workspace.people.list()})
        assert [row["kind"] for row in named] == ["import", "grade", "grade", "grade", "grade"]
        assert {row["person"] for row in named} == {None, "you", "Ann"}
        assert (named[1]["qid"], named[1]["docid"]) == shared.document(0)
        plain = event_rows(shared, events, None)
        assert "Ann" not in json.dumps(plain)

    def test_the_facts_say_how_it_was_made(self, workspace, shared):
        facts = about(shared, "median", fold_of(workspace.campaigns.events(shared.id), shared.live.made_with))
        assert facts["aggregation"] == "median"
        assert facts["Annotators"] == 2
        assert "2 documents with two or more grades" in facts["agreement"]

    def test_agreement_is_not_yet_without_overlap(self, workspace, labelled_demo):
        fold = fold_of(workspace.campaigns.events(labelled_demo), workspace.open(labelled_demo).settings)
        assert about(workspace.open(labelled_demo), "majority", fold)["agreement"] is None
        said = about(workspace.open(labelled_demo), "majority", fold, Analyser(("de",)).label)
        assert said["Words of the texts"] == Analyser(("de",)).label

    def test_folds_are_left_out_where_there_are_too_few_queries(self, workspace, shared):
        leaving = gather(shared, "majority", fold_of(workspace.campaigns.events(shared.id), shared.live.made_with))
        wanted = ExportChoice(("letor", "folds"), 5, 0, False, "majority", True)
        assert wanted.options(leaving)["formats"] == ["letor"]
        assert wanted.options(replace(leaving, collection=shared.collection))["formats"] == ["letor", "folds"]

    @pytest.mark.parametrize(
        ("size", "words"), [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (2.5e6, "2.5 MB")]
    )
    def test_sizes_in_words(self, size, words):
        assert size_text(size) == words

    def test_the_log_alone_gives_the_state_that_the_live_campaign_has(self, workspace, shared):
        shared.live.write(None, 1, Kind.ADJUDICATE, grade=1)
        shared.live.undo(1)
        fold, live = fold_of(workspace.campaigns.events(shared.id), shared.live.made_with), shared.live.refresh()
        assert (fold.seen, fold.table(), fold.adjudicated, fold.imported) == (
            live.seen, live.table(), live.adjudicated, live.imported,
        )  # fmt: skip


class TestPage:
    def test_the_page_does_not_wait_for_the_sampler(self, workspace, labelled_demo, monkeypatch):
        def refuse(self):
            raise AssertionError("the live state is brought up to the log")

        monkeypatch.setattr(Campaign, "refresh", refuse)
        page = press(run_page(labelled_demo), "Check and pack")
        assert page.success

    def test_an_empty_installation_says_what_to_do(self, workspace):
        page = run_page()
        assert "no campaign" in page.info[0].value
        assert any(button.label == "Make a backup" for button in page.button)

    def test_a_campaign_without_labels_says_what_to_do(self, workspace):
        page = run_page(workspace.demo())
        assert "label some documents first" in page.info[0].value
        assert not any(button.label == "Check and pack" for button in page.button)

    def test_preview_check_and_download(self, workspace, labelled_demo):
        page = run_page(labelled_demo)
        assert {metric.label: metric.value for metric in page.metric}["Documents"] == "30"
        press(page, "Check and pack")
        assert "read back" in page.success[0].value
        _, task = page.session_state["export-packed"]
        with zipfile.ZipFile(io.BytesIO(task.result)) as archive:
            names = set(archive.namelist())
            found = read_letor(io.BytesIO(archive.read("letor.txt")))
            numbers = dict(line.split("\t") for line in archive.read("queries.tsv").decode().splitlines()[1:])
            for line in archive.read("SHA256SUMS").decode().splitlines():
                digest, name = line.split("  ")
                assert hashlib.sha256(archive.read(name)).hexdigest() == digest
            assert "Demo: questions about Python" in archive.read("README.txt").decode()
        assert {
            "letor.txt",
            "lightgbm.txt",
            "lightgbm.txt.query",
            "qrels.txt",
            "documents-for-machines.csv",
            "events-for-spreadsheets.csv",
            "evaluation.txt",
            "measure.py",
        } <= names
        opened = workspace.open(labelled_demo)
        grades = {opened.document(row): grade for row, grade in opened.live.fold.current().items()}
        qids = [numbers[qid] for qid in found.qids]
        assert dict(zip(zip(qids, found.docids, strict=True), found.grades.tolist(), strict=True)) == grades

    def test_the_qids_themselves_leave_where_no_numbers_are_wanted(self, workspace, labelled_demo):
        page = run_page(labelled_demo)
        (toggle,) = (each for each in page.toggle if each.label == "Numbers for queries")
        assert toggle.value  # the demo's qids are words
        toggle.set_value(False).run()
        press(page, "Check and pack")
        with zipfile.ZipFile(io.BytesIO(page.session_state["export-packed"][1].result)) as archive:
            assert "queries.tsv" not in archive.namelist()
            found = read_letor(io.BytesIO(archive.read("letor.txt")))
        assert set(found.queries) <= set(workspace.open(labelled_demo).collection.queries)

    def test_a_new_label_asks_for_packing_again(self, workspace, labelled_demo):
        page = press(run_page(labelled_demo), "Check and pack")
        assert page.success
        opened = workspace.open(labelled_demo)
        row = next(row for row in range(opened.pool_rows.size) if opened.live.fold.grade(row) is None)
        opened.live.write(1, row, Kind.GRADE, grade=1)
        page.run()
        assert not page.success
        assert any("pack again" in info.value for info in page.info)
        assert {metric.label: metric.value for metric in page.metric}["Documents"] == "31"

    def test_disputes_that_wait_are_counted(self, shared):
        page = run_page(shared.id)
        page.selectbox(key=f"export-rule-{shared.id}").set_value("adjudication").run()
        assert any("1 documents on which people differ" in warning.value for warning in page.warning)

    def test_only_administrators_see_the_backup(self, workspace, labelled_demo, monkeypatch):
        researcher = workspace.people.add("Res", "researcher", "password")
        annotator = workspace.people.add("Ann", "annotator", "password")
        monkeypatch.setattr(context, "signed_in", lambda: researcher)
        page = run_page(labelled_demo)
        assert page.metric
        assert not any(button.label == "Make a backup" for button in page.button)
        monkeypatch.setattr(context, "signed_in", lambda: annotator)
        page = run_page(labelled_demo)
        assert "not for the role annotator" in page.warning[0].value
        assert not page.metric


class TestBackup:
    def test_a_restored_backup_is_the_same_campaign(self, workspace, labelled_demo):
        page = press(run_page(labelled_demo), "Make a backup")
        name, data = page.session_state["backup"]
        assert name.endswith(".zip")
        path = workspace.restore_backup(io.BytesIO(data)).path
        assert path.parent == workspace.database.path.parent
        again = Workspace(f"sqlite:///{path}")
        try:
            assert again.campaigns.events(labelled_demo) == workspace.campaigns.events(labelled_demo)
            before, after = workspace.open(labelled_demo), again.open(labelled_demo)
            assert after.live.refresh().current() == before.live.refresh().current()
            assert after.live.next(1).claim.row == before.live.next(1).claim.row
        finally:
            again.close()

    def test_a_backup_without_checksums_is_called_neither_whole_nor_proven(self, workspace, labelled_demo, tmp_path):
        copy_to(workspace.database, tmp_path / "plain.db")
        with (tmp_path / "plain.db").open("rb") as file:
            restored = workspace.restore_backup(file, "plain.db")
        page = AppTest.from_file("../../pages/export/page.py", default_timeout=600)
        page.session_state["restored"] = restored
        page.run()
        assert any("carries no checksums" in warning.value for warning in page.warning)
        assert not any("is whole" in success.value for success in page.success)

    def test_a_fault_in_the_database_is_told_beside_its_backup(self, workspace, labelled_demo):
        with workspace.database.write() as connection:
            connection.exec_driver_sql("UPDATE collections SET feature_names = '[]'")
        page = press(run_page(labelled_demo), "Make a backup")
        assert any("table collections, row 1" in warning.value for warning in page.warning)

    @pytest.mark.parametrize("mode", ["open", "accounts", "oidc"])
    def test_the_line_to_start_with_keeps_the_sign_in_and_the_settings(self, workspace, monkeypatch, tmp_path, mode):
        for name in [name for name in os.environ if name.startswith("RULERANK_")]:
            monkeypatch.delenv(name)
        odd = tmp_path / "a folder; with $signs 'and' more"
        settings = {
            "RULERANK_SIGN_IN": "open", "RULERANK_DATABASE": "postgresql://user:secret@host/name",
            "RULERANK_ADMINS": "ada@example.org bob@example.org", "RULERANK_ORIGIN": "https://rank.example.org",
            "STREAMLIT_SERVER_ADDRESS": "0.0.0.0", "RULERANK_SECRET": "hidden",
            "STREAMLIT_SERVER_COOKIE_SECRET": "hidden",
        }  # fmt: skip
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        context.wire(workspace, mode)
        monkeypatch.setattr(context, "signed_in", workspace.people.ensure_single_user)
        page = AppTest.from_file("../../pages/export/page.py", default_timeout=600)
        page.session_state["restored"] = Restored(odd / "x.db", None, "")
        page.run()
        line = page.code[-1].value
        assert line.startswith(f"RULERANK_SIGN_IN={mode} RULERANK_DATABASE=")
        assert line.endswith(" python3 run.py")
        assert "secret" not in line
        assert "hidden" not in line
        shown = (
            line.removesuffix("python3 run.py")
            + f"{shlex.quote(sys.executable)} -c 'import os; print(dict(os.environ))'"
        )
        clean = {"PATH": os.environ["PATH"]}
        ran = subprocess.run(["sh", "-c", shown], capture_output=True, text=True, check=True, env=clean).stdout
        found = {name: value for name, value in ast.literal_eval(ran).items() if name.startswith(("RULER", "STREAM"))}
        assert found == {
            "RULERANK_SIGN_IN": mode,
            "RULERANK_DATABASE": f"sqlite:///{odd}/x.db",
            "RULERANK_ADMINS": "ada@example.org bob@example.org",
            "RULERANK_ORIGIN": "https://rank.example.org",
            "STREAMLIT_SERVER_ADDRESS": "0.0.0.0",
        }

    def test_what_is_no_backup_is_refused_and_leaves_nothing(self, workspace):
        before = sorted(workspace.database.path.parent.iterdir())
        with pytest.raises(RulerankError, match="not a rulerank backup"):
            workspace.restore_backup(io.BytesIO(b"hello " * 500))
        assert sorted(workspace.database.path.parent.iterdir()) == before


@pytest.mark.parametrize("convention", ["letor", "trec"])
def test_the_script_in_the_bundle_gives_the_map_of_progress(workspace, labelled_demo, convention, tmp_path):
    demo = workspace.open(labelled_demo)
    number = workspace.import_campaign(
        f"Measured by {convention}", demo.collection, replace(demo.settings, convention=convention),
        pool_rows=demo.pool_rows.tolist(), evaluation_rows=demo.evaluation_rows.tolist(),
        labels={int(row): int(demo.collection.grades[row]) for row in demo.pool_rows[:40]},
    )  # fmt: skip
    opened = workspace.open(number)
    opened.live.refresh()
    rows, grades = opened.labelled()
    curve = new_curve(opened, opened.settings.ranker.name)
    assert curve.follow(rows, grades)
    progress = curve.points[-1].values["map"]
    make = partial(opened.ranker, opened.settings.ranker.name)
    labels = list(zip(rows, grades, strict=True))
    scores = Training(make, opened.documents, opened.evaluation.documents).after(labels)
    fold = fold_of(workspace.campaigns.events(number), workspace.open(number).settings)
    leaving = gather(opened, "majority", fold)
    wanted = ExportChoice(("letor",), 3, 0, False, "majority", True)
    data = make_bundle(leaving.collection, [], about(opened, "majority", fold), **wanted.options(leaving))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        archive.extractall(tmp_path / "bundle")
    np.savetxt(tmp_path / "bundle" / "scores.txt", scores, fmt="%.17g")
    for files in ([], ["scores.txt"], ["scores.txt", "evaluation.txt"]):
        command = [sys.executable, "-I", "measure.py", *files]
        said = subprocess.run(command, cwd=tmp_path / "bundle", capture_output=True, text=True, check=True).stdout
        assert said == f"MAP {progress:.10f} ({convention})\n"
    wrong = subprocess.run(
        [sys.executable, "-I", "measure.py", "none.txt"], cwd=tmp_path / "bundle", capture_output=True, check=False
    )
    assert (wrong.returncode, b"python measure.py [scores.txt" in wrong.stderr) == (1, True)
    _, _, qids = load_svmlight_file(tmp_path / "bundle" / "letor.txt", query_id=True)
    names = dict(line.split("\t") for line in (tmp_path / "bundle" / "queries.tsv").read_text().splitlines()[1:])
    assert {names[str(qid)] for qid in qids} <= set(opened.collection.queries)


def test_every_format_can_be_exported_alone(workspace, shared):
    fold = fold_of(workspace.campaigns.events(shared.id), shared.live.made_with)
    leaving = gather(shared, "majority", fold)
    for name in formats.names():
        wanted = ExportChoice((name,), 3, 0, True, "majority", True)
        assert make_bundle(leaving.collection, [], about(shared, "majority", fold), **wanted.options(leaving))
