"""An undo that was written is told as one, whatever happens to other people's acts at the same moment."""

from __future__ import annotations

import pytest

from db.workspace import Workspace
from pages.label import service as labelling
from rulerank.campaign import Settings
from rulerank.synthetic import planted_collection


def test_an_undo_is_told_though_another_act_fails_meanwhile(tmp_path, monkeypatch):
    workspace = Workspace(f"sqlite:///{tmp_path / 'labels.db'}")
    number = workspace.collections.add("made up", planted_collection(2, 20, 5))
    campaign = workspace.campaigns.create("made up", number, Settings(dwell_milliseconds=0))
    person = workspace.people.add("ada", "annotator")
    ticket = workspace.people.write_ticket(person, campaign)
    shown = labelling.answer(workspace, {"ticket": ticket, "kind": "look"})
    shown = labelling.answer(workspace, {"ticket": shown["ticket"], "kind": "grade", "grade": 1})
    kept = labelling.panel_data

    def with_a_failing_neighbour(workspace, opened, *more):
        data = kept(workspace, opened, *more)
        with pytest.raises(OSError, match="trouble"), opened.live._step():  # as in any other thread
            raise OSError("trouble with the store")
        assert opened.live.fold.last.kind == "undo"  # what screens read meanwhile is never empty
        return data

    monkeypatch.setattr(labelling, "panel_data", with_a_failing_neighbour)
    undo = {"ticket": shown["ticket"], "kind": "undo", "of": shown["saved"]["act"]}
    told = labelling.answer(workspace, undo)
    assert [event.kind for event in workspace.campaigns.events(campaign)] == ["grade", "undo"]
    assert told["undone"].startswith("1")
    assert told["back"]
    workspace.close()
