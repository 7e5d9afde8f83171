"""The Replay page, driven without a browser: worked out once, kept, and refused where grades are not known."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from rulerank.campaign import Settings, side_by_side
from rulerank.campaign.side_by_side import SideBySide
from rulerank.ranking import RECOMMENDED


@pytest.fixture(autouse=True)
def _fewer_runs(monkeypatch) -> None:
    monkeypatch.setitem(side_by_side.side_by_side.__kwdefaults__, "runs", 2)


def run_page(campaign: int) -> AppTest:
    page = AppTest.from_file("../../pages/main.py", default_timeout=600)
    page.query_params["campaign"] = str(campaign)
    page.run()
    page.switch_page("replay/page.py").run()
    assert not page.exception, page.exception
    return page


def test_it_is_worked_out_once_and_says_what_is_to_be_seen(workspace, labelled_demo):
    page = run_page(labelled_demo)
    kind = f"side_by_side:{RECOMMENDED}:1"
    (kept,) = workspace.campaigns.snapshots(labelled_demo, kind)
    found = SideBySide.from_dict(kept.values)
    assert found.labels == 60
    (line,) = [each.value for each in page.markdown if "60 random labels give" in each.value]
    for after in found.caught_up().values():
        assert (f"after {after}" if after is not None else "not have it within as many") in line
    (chart,) = page.get("plotly_chart")
    spec = json.loads(chart.proto.spec)
    assert len(spec["frames"]) == 60
    opened = workspace.open(labelled_demo)
    docid = opened.document(found.samplers[1].rows[-1])[1]
    assert docid in chart.proto.spec
    (again,) = [run_page(labelled_demo), workspace.campaigns.snapshots(labelled_demo, kind)][1:][0]
    assert again.created_at == kept.created_at


def test_what_another_version_kept_is_worked_out_anew(workspace, labelled_demo):
    kind = f"side_by_side:{RECOMMENDED}:1"
    workspace.campaigns.put_snapshot(labelled_demo, kind, 60, {"format": 0})
    run_page(labelled_demo)
    assert SideBySide.from_dict(workspace.campaigns.snapshots(labelled_demo, kind)[0].values) is not None


def test_a_campaign_without_known_grades_says_why_there_is_nothing_to_watch(workspace):
    demo = workspace.open(workspace.demo())
    plain = workspace.import_campaign(
        "Unknown", demo.collection, Settings(grades=demo.settings.grades), pool_rows=demo.pool_rows[:40].tolist()
    )
    page = run_page(plain)
    assert any("not known beforehand" in box.value for box in page.info)
    assert not page.get("plotly_chart")
