"""Samplers side by side on known grades: the same engine as a simulation, and honest about what is compared."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from rulerank.campaign import MemoryLog, OpenCampaign, Settings
from rulerank.campaign.opened import set_up
from rulerank.campaign.side_by_side import SAMPLERS, Replayed, SideBySide, side_by_side, why_not
from rulerank.curves import curve
from rulerank.errors import InputError
from rulerank.ranking import RECOMMENDED
from rulerank.sampling import SSAR, Random
from rulerank.synthetic import planted_collection


def opened(settings=None, evaluation=range(96, 144)):
    collection = planted_collection(queries=12, documents=12, features=6)
    settings = settings or Settings(grades_known=True, seed=2)
    made = set_up(collection, settings, evaluation_rows=evaluation)
    return OpenCampaign(1, "planted", settings, 1, collection, made, MemoryLog())


@pytest.fixture(scope="module")
def shown():
    reported = []
    found = side_by_side(opened(), labels=20, runs=3, done=lambda *n: reported.append(n))
    assert reported[-1] == (7, 7)
    return found


def test_documents_are_those_of_the_samplers_own_runs(shown):
    campaign = opened()
    assert tuple(each.sampler for each in shown.samplers) == SAMPLERS
    assert [each.runs for each in shown.samplers] == [1, 3, 3]
    by_name = {each.sampler: each for each in shown.samplers}
    given = (campaign.items, campaign.known_grades)
    qids = campaign.query_index
    assert list(by_name["random"].rows) == Random(seed=2).run(*given, qids=qids, budget=20).order
    whole = SSAR().run(*given, budget=20, beyond=True)
    assert list(by_name["ssar"].rows) == whole.order
    assert len(set(whole.order)) == 20
    assert whole.stopped_on is None
    natural = SSAR().run(*given)
    assert whole.order[: len(natural)] == natural.order[:20]
    for each in shown.samplers:
        assert list(each.grades) == campaign.known_grades[list(each.rows)].tolist()


def test_lines_are_the_means_of_the_curves_that_campaigns_draw(shown):
    campaign = opened()
    chance = shown.baseline
    runs = [
        Random(seed=seed).run(campaign.items, campaign.known_grades, qids=campaign.query_index, budget=20).order
        for seed in range(3)
    ]
    curves = np.array(
        [
            [
                point.values["map"]
                for point in curve(
                    partial(campaign.ranker, RECOMMENDED),
                    campaign.documents,
                    [(row, int(campaign.known_grades[row])) for row in rows],
                    campaign.evaluation,
                    at=range(1, 21),
                )
            ]
            for rows in runs
        ]
    )
    assert np.allclose(chance.mean, curves.mean(axis=0))
    assert np.all(np.array(chance.low) <= np.array(chance.mean) + 1e-12)
    assert np.all(np.array(chance.mean) <= np.array(chance.high) + 1e-12)


def test_it_is_kept_and_read_again(shown):
    assert SideBySide.from_dict(shown.to_dict()) == shown
    assert SideBySide.from_dict({**shown.to_dict(), "format": 0}) is None


def test_what_chance_has_in_the_end_is_had_from_where_a_curve_stays_there():
    def line(sampler, *mean):
        return Replayed(sampler, 1, mean, mean, mean, (), ())

    found = SideBySide(
        "lrar",
        "map",
        (line("ssar", 0.5, 0.3, 0.4, 0.5), line("ssarp", 0.1, 0.2, 0.3, 0.3), line("random", None, 0.2, 0.3, 0.4)),
    )
    assert found.caught_up() == {"ssar": 3, "ssarp": None}
    assert replace(found, samplers=found.samplers[:2]).caught_up() == {}


def test_a_campaign_whose_grades_nobody_knows_is_refused_with_the_reason():
    unknown = opened(Settings())
    assert "not known beforehand" in why_not(unknown)
    with pytest.raises(InputError, match="not known beforehand"):
        side_by_side(unknown)
    assert "evaluation set" in why_not(opened(evaluation=()))
    assert why_not(opened()) is None


def test_a_pool_smaller_than_the_labels_is_replayed_as_far_as_it_goes():
    collection = planted_collection(queries=4, documents=5, features=4)
    settings = Settings(grades_known=True)
    made = set_up(collection, settings, evaluation_rows=range(10, 20))
    found = side_by_side(OpenCampaign(1, "few", settings, 1, collection, made, MemoryLog()), runs=2)
    assert found.labels == 10
    assert all(sorted(each.rows) == list(range(10)) for each in found.samplers)
