"""The questions of a new campaign after its data: grades, guidelines, and how it chooses, learns and asks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from pages.shared import campaign_form
from pages.shared.campaign_form import ask_levels
from pages.shared.layout import side_by_side
from rulerank.advice import Recommendation
from rulerank.campaign import DEFAULT_GRADES, GradeLevel, Settings
from rulerank.importing.kept import RowFacts
from rulerank.importing.rows import (
    EVALUATIONS,
    KNOWN,
    SHARE,
    Division,
    Rows,
    evaluations,
    measures_little,
    uses_of_known,
    without_grades,
)
from rulerank.registry import rankers, samplers
from rulerank.strategy import Strategy

CAPTIONS = {
    "hide": "A replay: people label as if they were unknown; the Progress page shows what all labels would buy.",
    "labels": "They count as labels from the start; people are asked about the others.",
    "ignore": "People label everything anew.",
}


def ask_rows(facts: RowFacts) -> tuple[Division, Rows, str | None]:
    """Ask which rows are measured on, and what becomes of grades that are known already."""
    kinds = evaluations(facts, facts.second)
    left, right = side_by_side("division")
    with left:
        kind = st.radio(
            "Evaluation set", kinds, key=f"import-evaluation-{'-'.join(kinds)}",
            format_func=EVALUATIONS.__getitem__,
            help="Rows with grades that are never labelled. The learning curves are measured on them. Without one, "
            "the curves are cross-validated on the labels.",
        )  # fmt: skip
        share, seed = SHARE, 0
        if kind == "share":
            one, two = st.columns(2)
            percent = one.slider(
                "Share of the queries", 5, 90, round(100 * SHARE), 5, format="%d%%", key="import-share"
            )
            share = percent / 100
            seed = int(two.number_input("Seed of the choice", 0, 2**31 - 1, 0, key="import-share-seed"))
    division = Division(kind, share, seed)
    rows = division.rows(facts, facts.second)
    if words := measures_little(facts, rows):
        left.warning(words, icon=":material/warning:")
    uses = uses_of_known(facts, rows)
    if not uses:
        right.caption(without_grades(rows))
        return division, rows, None
    use = right.radio(
        "Grades of the pool that the file knows", uses, format_func=KNOWN.__getitem__,
        key=f"import-known-{'-'.join(uses)}",
        captions=[CAPTIONS[each] for each in uses],
    )  # fmt: skip
    return division, rows, use


def in_words(facts: RowFacts, rows: Rows, use: str | None, labels: int) -> str:
    """Return what will be stored in a sentence."""
    index = facts.query_index
    words = [f"{rows.pool.size:,} query-document pairs of {_queries(index[rows.pool])} can be labelled"]
    if rows.evaluation.size:
        words.append(f"{rows.evaluation.size:,} pairs of {_queries(index[rows.evaluation])} are kept for measuring")
    if rows.left_out:
        words.append(f"{rows.left_out:,} are in neither")
    if use == "labels":
        words.append(f"{labels:,} grades are taken over as labels")
    if use == "hide":
        words.append("known grades stay hidden from annotators")
    return "; ".join(words) + "."


def _queries(index: np.ndarray) -> str:
    number = np.unique(index).size
    return "1 query" if number == 1 else f"{number:,} queries"


def said_settings(settings: Settings) -> str:
    """Return how a campaign asks, chooses and learns, in a sentence."""
    names = ", ".join(f"{key} {level.name}" for key, level in enumerate(settings.grades))
    people = "One person" if settings.overlap == 1 else f"{settings.overlap} people"
    sampler, ranker = samplers[settings.sampler.name].label, rankers[settings.ranker.name].label
    return f"Grades: {names}. {people} per pair. Chosen by {sampler}, ranked by {ranker}."


DEFAULTS = Settings()
MOST_GRADES = 10
STARTERS: dict[int, tuple[tuple[str, str], ...]] = {
    2: (("Not relevant", "Does not help with the query."), ("Relevant", "Answers what the query asks for.")),
    4: (
        ("Not relevant", "Does not help with the query."),
        ("Partly relevant", "Touches the subject, or answers a part."),
        ("Relevant", "Answers what the query asks for."),
        ("Highly relevant", "Answers it completely; nothing else needs to be read."),
    ),
    5: (
        ("Bad", "Has nothing to do with the query."),
        ("Fair", "Touches the subject, but does not answer."),
        ("Good", "Answers a part of the query."),
        ("Excellent", "Answers what the query asks for."),
        ("Perfect", "Is the one document that was looked for."),
    ),
}
GUIDELINES = """\
**Judge the document against the query alone**, as if you had asked it yourself.

- Read the query and the need behind it, then as much of the document as you need to decide.
- Take the highest grade whose meaning the document fully meets; if in doubt between two, take the lower one.
- If you cannot tell (a foreign language, an empty page), press S rather than guess.
"""


def starter(levels: int) -> list[GradeLevel]:
    """Return names and meanings to begin with for a scale of so many grades."""
    if levels == len(DEFAULT_GRADES):
        return list(DEFAULT_GRADES)
    begin = STARTERS.get(levels) or tuple((f"Grade {number}", "") for number in range(levels))
    return [GradeLevel(name, meaning) for name, meaning in begin]


def ask_grades(least: int, *, known: bool) -> tuple[GradeLevel, ...]:
    """Ask for the scale: how many grades, their names, meanings, examples and colours.

    Where grades are known, their scale is the one to begin with: theirs and new ones must mean the same.
    """
    count = int(
        st.number_input(
            "Number of grades",
            least,
            MOST_GRADES,
            least if known else max(least, len(DEFAULT_GRADES)),
            key=f"import-levels-{least}-{known}",
            width=200,
            help="Each grade has a digit key, from 0. The grades in your file decide the least number.",
        )
    )
    return ask_levels(starter(count))


def ask_methods(features: tuple[str, ...], advised: Recommendation) -> dict[str, Any]:
    """Ask how documents are chosen and ranked; what is recommended for the data stands first."""
    best = {"sampler": advised.sampler, "ranker": advised.ranker}
    begin = replace(DEFAULTS, sampler=Strategy(advised.sampler), ranker=Strategy(advised.ranker))
    return campaign_form.ask_methods(features, begin, recommended=best)
