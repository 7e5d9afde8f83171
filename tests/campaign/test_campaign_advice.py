"""What a researcher is told before people begin: grades without a meaning, and labels that would be spread thinly."""

from __future__ import annotations

import numpy as np
import pytest

from rulerank.campaign import DEFAULT_GRADES, GradeLevel
from rulerank.campaign.advice import stops_at_once, thin_labels, unexplained_grades
from rulerank.registry import samplers


def test_grades_without_a_meaning_are_named():
    assert unexplained_grades(DEFAULT_GRADES) is None
    told = unexplained_grades([GradeLevel("No"), GradeLevel("Maybe", "Helps a little."), GradeLevel("Yes", " ")])
    assert told is not None
    assert told.startswith("Grades 0 (No), 2 (Yes) have no meaning yet.")


@pytest.mark.parametrize("name", samplers.names())
def test_the_class_says_whether_labels_are_spread(name):
    told = thin_labels(name, np.repeat(np.arange(800), 20))
    assert (told is None) == samplers[name].goes_by_query
    if told is not None:
        assert "16,000 pairs of 800 queries (median 20 each)" in told
        assert "300 labels are 0.4 per query on average" in told
        assert samplers["elo_dcg"].label in told


def test_few_queries_and_single_documents_are_no_matter():
    assert thin_labels("random", np.repeat(np.arange(50), 20)) is None
    assert thin_labels("random", np.arange(800)) is None
    assert thin_labels("random", []) is None


@pytest.mark.parametrize("name", samplers.names())
def test_a_pool_that_is_mostly_graded_may_be_finished_at_once(name):
    told = stops_at_once(name, 60, 100)
    assert (told is not None) == samplers[name].counts_rules
    assert stops_at_once(name, 49, 100) is None
    assert stops_at_once(name, 0, 100) is None
    assert stops_at_once(name, 0, 0) is None
    whole = stops_at_once(name, 100, 100)
    assert whole is not None
    assert whole.startswith("All 100 pairs are graded already, so nothing is left to label.")


def test_what_to_do_about_it_is_said():
    told = stops_at_once("ssar", 60, 100)
    assert told is not None
    assert "60 of 100 pairs are graded already, so SSAR (fewest rules) may stop at once" in told
    assert "'Keep labelling anyway'" in told
    assert "'Do not use them'" in told
