"""What an annotator is told: how far it is, and why the last document was chosen."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from thorough import examples

from rulerank.campaign import Kind, MemoryLog, OpenCampaign, Settings
from rulerank.campaign.annotator import (
    LEVELS,
    aspects_of,
    chosen_aspects,
    level_of,
    progress_shown,
    why_chosen,
    why_shown,
)
from rulerank.campaign.opened import set_up
from rulerank.collection import Collection, normalise_by_query

NAMES = ("BM25(title)", "BM25(body)", "TF-IDF(body)", "BM25(whole)", "length(body)", "clicks")


def opened_with(sampler: str, rows: int = 40, names=NAMES, **more) -> OpenCampaign:
    features = np.random.default_rng(3).random((rows, len(names)))
    features[:, 0] *= features[:, 0] > 0.5
    collection = Collection.from_arrays(features, ["1"] * rows, [-1] * rows, feature_names=names)
    settings = Settings(sampler=sampler, dwell_milliseconds=0, **more)
    return OpenCampaign(1, "test", settings, 1, collection, set_up(collection, settings), MemoryLog())


def label(opened: OpenCampaign, number: int, person: int = 1, at: float | None = None) -> None:
    if at is not None:
        opened.live.clock = lambda: at
    for turn in range(number):
        claim = opened.live.next(person).claim
        opened.live.submit(person, claim.token, claim.row, Kind.GRADE, grade=turn % 3)


def test_levels_are_those_of_the_pool():
    assert [LEVELS[level_of(place)] for place in (0.0, 0.01, 0.33, 0.34, 0.66, 0.67, 1.0)] == [
        "least", "low", "low", "middling", "middling", "high", "high",
    ]  # fmt: skip


def test_features_of_one_part_of_a_text_are_one_aspect():
    places = dict(zip(NAMES, (0.0, 0.9, 0.7, 0.5, 0.1, 0.5), strict=True))
    aspects = {aspect.name: aspect for aspect in aspects_of(places, range(6))}
    assert [aspect.says for aspect in aspects.values()] == [
        "its title matches the query as little as any",
        "its text matches the query strongly",
        "its text is short",
        "its clicks is middling",
    ]
    assert aspects["text: match with the query"].place == pytest.approx(0.8)
    first, second, *_ = chosen_aspects(list(aspects.values()), [0])
    assert first.name.startswith("title")
    assert second.name.startswith("text")


ABSOLUTE = re.compile(r"empty|none|not match|at all")


@given(
    st.lists(st.lists(st.integers(1, 30), min_size=1, max_size=5), min_size=2, max_size=5).filter(
        lambda queries: sum(map(len, queries)) > 2
    ),
    st.sampled_from(["as it is", "by query", "shifted"]),
)
@examples(60)
def test_no_scaling_makes_a_sentence_false(queries, scaling):
    """A title's length in words, in several scalings: what is said of it holds for the words themselves."""
    words = np.array([length for lengths in queries for length in lengths], float)
    qids = [str(query) for query, lengths in enumerate(queries) for _ in lengths]
    raw = np.column_stack([words, np.arange(len(words))])
    values = {"as it is": raw, "by query": normalise_by_query(raw, qids), "shifted": raw - raw.mean(axis=0)}[scaling]
    assume(np.ptp(values, axis=0).any())  # where all documents are alike there is no campaign
    collection = Collection.from_arrays(values, qids, [-1] * len(qids), feature_names=("length(title)", "other"))
    settings = Settings(dwell_milliseconds=0)
    opened = OpenCampaign(1, "test", settings, 1, collection, set_up(collection, settings), MemoryLog())
    for row in range(len(words)):
        opened.live.write(1, row, Kind.GRADE, grade=0)
        head = why_chosen(opened, row)["head"]
        assert not ABSOLUTE.search(head.partition(": ")[2]), head
        assert ("for its query" in head) <= bool(opened.scaled_by_query.any())
        mine = words[[qid == qids[row] for qid in qids]] if "for its query" in head else words
        if "title is among the shortest" in head:
            assert words[row] == mine.min()
            assert mine.max() > mine.min()
        if "title is long" in head:
            assert words[row] > mine.min()


def test_the_reason_of_an_older_document_stays_that_of_its_time():
    opened = opened_with("ssar")
    heads, seen = [], []
    for _ in range(6):
        label(opened, 1)
        seen.append(opened.live.fold.last_act(1).row)
        heads.append(why_shown(opened, 1))
    assert [why_chosen(opened, row) for row in seen] == heads


def test_the_reason_begins_with_one_plain_sentence():
    opened = opened_with("ssar")
    assert why_shown(opened, 1)["head"].startswith("Label one first")
    label(opened, 1)
    assert why_shown(opened, 1)["head"].startswith("The first one: nothing was graded before it")
    for _ in range(6):
        label(opened, 1)
        shown = why_shown(opened, 1)
        assert re.fullmatch(r"[A-Z][^.]*: its [^.]*\.", shown["head"]), shown["head"]
        assert not re.search(r"\d", shown["head"].replace("BM25", ""))
        assert 3 <= len(shown["picture"]) <= 5
        assert "rules" in shown["parts"][0]["text"]
    for aspect in shown["picture"]:
        assert len(aspect["others"]) == 6
        assert all(0 <= place <= 1 for place in [aspect["place"], *aspect["others"]])


def test_a_sampler_without_rules_is_named():
    opened = opened_with("random")
    label(opened, 2)
    assert why_shown(opened, 1)["head"].startswith("Chosen by “Random”")


def test_progress_is_told_in_labels_of_today_and_in_all():
    opened = opened_with("random")
    label(opened, 3, at=1_000.0)
    label(opened, 2, at=90_000.0)
    label(opened, 1, person=2, at=90_000.0)
    shown = progress_shown(opened, 1, 86_400.0)
    assert shown == {
        "own": "2 labels today, 5 in all",
        "text": "about 34 labels to go · 6 of 40 query-document pairs graded",
        "share": 0.15,
    }
    opened.live.undo(1)
    assert progress_shown(opened, 1, 86_400.0)["own"] == "1 label today, 4 in all"
    assert progress_shown(opened, 1, 86_400.0, paused=True)["share"] is None


def test_a_natural_stop_has_no_bar_and_no_rules():
    opened = opened_with("ssar")
    seen = set()
    while not hasattr(opened.live.next(1), "stopped"):
        label(opened, 1)
        shown = progress_shown(opened, 1, 0.0)
        assert shown["share"] is None
        assert "rule" not in shown["text"]
        seen.add(shown["text"].partition(" · ")[0])
    assert "how many are to go is not known yet" in seen


def test_with_several_opinions_labels_are_what_is_left():
    opened = opened_with("random", rows=10, overlap=2)
    label(opened, 4)
    shown = progress_shown(opened, 1, 0.0)
    assert shown["text"].startswith("about 16 labels to go")
    assert shown["share"] == 0.2


def test_past_the_natural_stop_nothing_is_to_go():
    opened = opened_with("ssar", rows=12, names=NAMES[:1])
    while not opened.live.at_natural_stop():
        label(opened, 1)
    assert len(opened.live.fold.current()) < 12
    assert progress_shown(opened, 1, 0.0)["text"].startswith("past the natural stop · ")
