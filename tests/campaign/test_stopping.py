"""When to stop: the natural stop, whether the looks have settled, random replays, and the stop light."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from rulerank.campaign.curves import replay_length
from rulerank.campaign.looks import Look, look_points
from rulerank.campaign.stop_light import Facts, stop_light
from rulerank.campaign.stopping import (
    BesideRandom,
    Coverage,
    RuleState,
    Settled,
    beside_random,
    coverage,
    rule_state,
    settle,
)
from rulerank.campaign.to_go import ToGo
from rulerank.curves import Band, Point
from rulerank.metrics import Measure
from rulerank.sampling import SSAR

RNG = np.random.default_rng(7)
POOL = RNG.integers(0, 3, (40, 4)).astype(np.uint8)
GRADES = (POOL[:, 0] + RNG.integers(0, 2, 40)).clip(0, 2).astype(np.int64)
QIDS = np.repeat(np.arange(8), 5)


def test_a_replay_grows_in_leaps_and_ends_with_the_pool():
    assert [replay_length(labels, 500) for labels in (1, 32, 33, 64, 65, 300, 500)] == [32, 32, 64, 64, 128, 500, 500]
    assert replay_length(3, 20) == 20


def test_the_natural_stop_is_found_where_the_sampler_finds_it():
    sampler = SSAR().start(POOL)
    seen = []
    for _ in range(len(POOL)):
        selection = sampler.propose()
        state = rule_state(POOL, np.array(sampler.rule_counts), sampler.labelled)
        assert state.stopped == selection.stop
        seen.append(selection.stop)
        if selection.stop:
            break
        assert state.fewest_unlabelled == selection.rule_count
        sampler.record(selection.row, int(GRADES[selection.row]))
    assert seen[-1] is True
    assert len(seen) > 3


def test_a_document_that_nobody_can_tell_does_not_hold_up_the_stop():
    counts = np.full(len(POOL), 9)
    counts[:3] = 5, 1, 7
    assert rule_state(POOL, counts, [0]) == RuleState(1, 5, False)
    assert rule_state(POOL, counts, [0], [1]) == RuleState(7, 5, True)
    assert rule_state(POOL, counts, [0, 1], [1]) == RuleState(7, 1, True)  # it has a grade after all
    assert rule_state(POOL, counts, range(len(POOL))) == RuleState(None, 1, True)


def test_coverage_counts_queries_without_labels_and_without_relevant_documents():
    assert coverage(QIDS, [0, 1, 5, 10], [0, 0, 1, 2]) == Coverage(8, 5, 1, 3)
    assert coverage(QIDS, [0, 1, 5, 6, 7], [0, 1, 2, 2, 0]) == Coverage(8, 6, 0, 0)
    assert coverage(QIDS, [], []) == Coverage(8, 8, 0, 0)


def looks(values, **more):
    """Looks with these values of MAP, where all that is asked for beside it holds."""
    usual = {"agreement": 0.95, "rarer": 60, "queries": 8, "beyond_chance": 5.0}
    numbers = look_points(20_000)[: len(values)]
    return [Look(n, {"map": value}, **usual | more) for n, value in zip(numbers, values, strict=True)]


def facts(given, rules=None, *, labels=None, pool=1000, queries=None, **more):
    count = (given[-1].labels if given else 5) if labels is None else labels
    return Facts(count, pool, rules, Measure("map"), given, more.pop("crossed", False), queries or ALL, **more)


FAR, REACHED = RuleState(3, 9, False), RuleState(12, 9, True)
FLAT, MOVING = looks([0.5] * 8), looks([0.3, 0.32, 0.34, 0.36, 0.38, 0.4, 0.42, 0.44])
ALL = Coverage(8, 0, 0, 0)


def test_all_must_hold_for_a_while_and_fail_twice_to_be_unsettled():
    def since(given, crossed=False):
        return settle(given, "map", 1000, 8, crossed=crossed).since

    assert [since(FLAT[:n]) for n in range(9)] == [None] * 6 + [63] * 3  # a doubling, then three looks
    assert [since(FLAT[:n], crossed=True) for n in range(5, 9)] == [None, None, 80, 80]
    once = [*FLAT, *looks([0.5] * 9, agreement=0.5)[-1:]]
    twice = [*once, *looks([0.5] * 10, agreement=0.5)[-1:]]
    assert (since(once), since(twice)) == (63, None)
    assert since([*once, *looks([0.5] * 10)[-1:]]) == 63


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (looks([0.3, 0.32, 0.34, 0.36, 0.38, 0.4]), "curve"),
        (looks([0.5, 0.48, 0.46, 0.44, 0.42, 0.4]), "curve"),
        (looks([0.5] * 6, agreement=0.85), "ranking"),
        (looks([0.5] * 6, rarer=39), "enough"),
        (looks([0.5] * 6, queries=3), "enough"),
        (looks([0.5] * 6, beyond_chance=2.9), "chance"),
        (looks([0.5] * 6, beyond_chance=None), "chance"),
    ],
)
def test_each_check_alone_keeps_it_unsettled(given, what):
    found = settle(given, "map", 1000, 8, crossed=False)
    assert found.since is None
    assert not getattr(found.last, what)
    assert sum(not getattr(found.last, each) for each in ("curve", "ranking", "enough", "chance")) == 1


def test_a_fall_counts_on_an_evaluation_set_but_not_cross_validated():
    falling = looks([0.5, 0.48, 0.46, 0.44, 0.42, 0.4, 0.38])
    assert not settle(falling, "map", 1000, 8, crossed=False).last.curve
    assert settle(falling, "map", 1000, 8, crossed=True).last.curve


def test_the_gain_is_what_the_pace_of_a_doubling_adds_up_to_the_whole_pool():
    """0.06 in a doubling from 40 to 80 labels, and two doublings to go to 320, of 0.4 now: 0.12 / 0.4."""
    found = settle(looks([0.28, 0.3, 0.32, 0.34, 0.36, 0.38, 0.4]), "map", 320, 8, crossed=False)
    assert found.last.gain == pytest.approx(0.3, abs=0.01)
    assert settle(looks([0.4] * 3), "map", 320, 8, crossed=False).last.gain is None
    assert settle([], "map", 320, 8, crossed=False) == Settled(None, None, 0, 3)


@pytest.mark.parametrize(
    ("given", "colour", "headline"),
    [
        (facts([], RuleState(0, None, False), labels=0), "grey", "nothing is labelled"),
        (facts([], FAR), "red", "early"),
        (facts(MOVING, FAR), "red", "Go on labelling"),
        (facts(MOVING), "red", "Go on labelling"),
        (facts(FLAT, FAR), "amber", "Nearly: MAP and the ranking have settled, but the natural stop is not reached"),
        (facts(FLAT), "green", "You may stop: MAP and the ranking have settled"),
        (facts(FLAT, REACHED), "green", "settled, and the natural stop is reached"),
        (facts(MOVING, REACHED), "amber", "The natural stop is reached, but MAP is still rising"),
        (facts([], REACHED), "amber", "The natural stop is reached, but how MAP moves is not known yet"),
        (facts(FLAT[:5], REACHED), "amber", "settled only just now"),
        (facts(FLAT, FAR, labels=1000), "green", "Done: every document of the pool is labelled, and MAP"),
        (facts(MOVING, labels=1000), "amber", "Every document of the pool is labelled, but MAP is still rising"),
    ],
)
def test_the_stop_light(given, colour, headline):
    light = stop_light(given)
    assert light.colour == colour
    assert headline in light.headline


def test_a_natural_stop_that_was_reached_is_not_taken_back():
    """Who goes on past it may find a document with fewer rules, as on Cranfield two labels later."""
    seen = [*FLAT[:-1], replace(FLAT[-1], stopped=True)]
    light = stop_light(facts(seen, FAR))
    assert light.colour == "green"
    assert light.reasons[0].startswith(
        "The natural stop was reached by 101 labels; those since have moved the line. Now the unlabelled document"
    )


def test_the_stop_light_is_never_green_where_one_of_its_lines_disagrees():
    green = []
    for rules, given, queries, random in itertools.product(
        (FAR, REACHED, RuleState(3, 9, None), None),
        (FLAT, MOVING, [], looks([0.5] * 8, beyond_chance=1.0), looks([0.5] * 8, rarer=5)),
        (ALL, Coverage(8, 2, 1, 4), Coverage(8, 3, 5, 5)),
        (None, BesideRandom(0.5, 0.5, 0.4, 0, 50), BesideRandom(0.3, 0.5, 0.4, 0, 50)),
    ):
        light = stop_light(facts(given, rules, queries=queries, random=random))
        said = " ".join(light.reasons)
        if light.colour == "green":
            green.append((rules, given is FLAT))
            for bad in ("still", "not known yet", "not reached", "cannot be", "Below", "nothing to rank"):
                assert bad not in said
        else:
            assert "You may stop" not in light.headline
        assert "redundant" not in said + light.headline
    assert set(green) == {(REACHED, True), (None, True)}


BANDS = [Band(n, {"map": mean}, {"map": mean - 0.1}, {"map": 0.9}) for n, mean in ((1, 0.3), (20, 0.5), (40, 0.7))]


def test_a_point_is_held_against_random_replays_of_as_many_labels():
    found = beside_random(BANDS, "map", Point(30, {"map": 0.45}), [0, 1, 2], [0, 1, 1])
    assert found == BesideRandom(0.45, pytest.approx(0.6), pytest.approx(0.5), 1, 3)
    assert found.below
    assert not beside_random(BANDS, "map", Point(30, {"map": 0.55}), [0], [0]).below
    assert beside_random(BANDS, "map", Point(60, {"map": 0.55}), [0], [0]).low == pytest.approx(0.6)  # as far as known
    assert beside_random(BANDS, "map", Point(19, {"map": 0.1}), [0], [0]) is None  # too early
    assert beside_random(BANDS, "map", Point(30, {}), [0], [0]) is None
    assert beside_random(BANDS, "err", Point(30, {"err": 0.1}), [0], [0]) is None
    assert beside_random([], "map", Point(30, {"map": 0.1}), [0], [0]) is None


@pytest.mark.parametrize("differing", [0, 1, 7])
@pytest.mark.parametrize("rules", [FAR, REACHED, None])
@pytest.mark.parametrize("given", [FLAT, MOVING, []])
@pytest.mark.parametrize("labels", [50, 1000])
def test_the_stop_light_is_never_green_below_the_random_band(differing, rules, given, labels):
    below = BesideRandom(0.4, 0.6, 0.5, differing, labels)
    light = stop_light(facts(given, rules, labels=labels, random=below))
    assert light.colour != "green"
    start = "Below the random band: with random labels a ranker has about 0.60 here"
    if differing:
        verb = "differs" if differing == 1 else "differ"
        told = f"; check the grades ({differing} of {labels:,d} {verb} from the known ones) before labelling more."
        assert "heck the grades first" in light.headline
    else:
        told = ". The grades are the known ones, so it is due to the choice of documents."
        assert "heck the grades" not in light.headline
    assert light.reasons[-1] == start + told


def test_the_stop_light_says_how_many_labels_are_to_go():
    start = "The campaign has about 3 to 16 labels to its natural stop. "
    for rules in (FAR, RuleState(3, 9, None)):
        assert stop_light(facts([], rules, to_go=ToGo(3, 16))).reasons[0].startswith(start)
    assert "labels to its" not in stop_light(facts([], REACHED, to_go=ToGo(3, 16))).reasons[0]
    assert "labels to its" not in stop_light(facts([], FAR, to_go=ToGo(0, 0))).reasons[0]


def test_nothing_is_said_of_random_replays_where_the_curve_is_not_below_them():
    within = BesideRandom(0.55, 0.6, 0.5, 3, 50)
    assert stop_light(facts(FLAT, REACHED, random=within)) == stop_light(facts(FLAT, REACHED))


def test_the_stop_light_explains_itself():
    rules, curve_words, ranking, enough, queries = stop_light(facts(MOVING, FAR, queries=Coverage(8, 2, 1, 4))).reasons
    assert "not reached" in rules
    assert "draws 3" in rules
    assert "draws 9" in rules
    assert curve_words == (
        "MAP went from 0.380 after 50 labels to 0.440 after 101. At this pace, labelling the whole pool would change "
        "it by +44% (settled: less than 5%): still rising."
    )
    assert ranking == "Half of the labels put 95% of the same documents on top (settled: 90%)."
    assert enough.startswith("At the last look, after 101 labels, 60 were of the rarer kind")
    assert "(enough: 40), and 8 queries had a relevant document (enough: 4)" in enough
    assert "3 of 8 queries" in queries
    assert "For rulerank's own rankers this is fine" in queries
    assert "(RankSVM, LambdaMART) learns nothing yet from 4 of the 6 labelled queries" in queries
    some = stop_light(facts(MOVING, FAR, queries=Coverage(8, 0, 0, 2))).reasons[-1]
    assert some.endswith("from 2 of the 8 labelled queries, which have a single grade.")
    assert "LambdaMART" not in stop_light(facts(MOVING, FAR)).reasons[-1]
    partitions = stop_light(facts([], RuleState(3, 9, None))).reasons
    assert "every partition" in partitions[0]
    assert "not known yet" in partitions[1]
    assert "no natural stop" in stop_light(facts([])).reasons[0]
    assert "MAP, cross-validated on the labels, went" in stop_light(facts(MOVING, crossed=True)).reasons[1]
    assert stop_light(facts(FLAT)).reasons[-2] == "All of this has held since 63 labels."
    chance = stop_light(facts(looks([0.5] * 8, beyond_chance=1.0)))
    assert "cannot be distinguished from chance" in " ".join(chance.reasons)


def test_where_all_labels_are_known_the_light_says_how_far_off_they_are_and_guesses_nothing():
    light = stop_light(facts(MOVING, REACHED, ceiling=0.5))
    assert light.headline == "The natural stop is reached, but MAP still moves from look to look"
    assert "which is 88% of the 0.500 that all labels give by the known grades" in light.reasons[1]
    assert "At this pace" not in " ".join(light.reasons)
    known, unknown = (stop_light(facts(FLAT, REACHED, ceiling=ceiling)) for ceiling in (0.5, None))
    assert (known.colour, known.headline) == (unknown.colour, unknown.headline)


def test_few_labels_that_no_ranker_predicts_are_few_and_many_are_a_doubt():
    few, many = (stop_light(facts(looks([0.5] * number, beyond_chance=1.0), REACHED)) for number in (7, 8))
    assert "too few labels to tell whether a ranker can predict these grades" in few.headline
    assert "predicts these grades no better than chance" in many.headline
