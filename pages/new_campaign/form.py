"""The questions of a new campaign after its data: grades, guidelines, and how it chooses, learns and asks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from pages.charts.figure import current_theme
from pages.charts.series import short_name
from pages.charts.theme import DARK, LIGHT, colours_of_grades, grade_chip, grade_chip_css, grade_colours
from pages.shared.layout import plain, side_by_side
from pages.shared.params_form import ask_strategy
from rulerank.advice import Recommendation
from rulerank.campaign import AGGREGATIONS, DEFAULT_GRADES, GradeLevel, Settings
from rulerank.campaign.settings import has_pictures, shown_guidelines
from rulerank.campaign.sight import alike
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
from rulerank.registry import Registry, discretizers, rankers, samplers

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
RULES = {
    "majority": "The most frequent grade counts; of grades given equally often, the middle one (or the lower middle).",
    "median": "The middle grade counts; of two middle ones, the lower.",
    "adjudication": "Where people differ, somebody decides on the Agreement page; until then the middle grade counts.",
}


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
    begin = starter(count)
    frame = pd.DataFrame(
        {
            "key": range(count),
            "name": [level.name for level in begin],
            "meaning": [level.meaning for level in begin],
            "example": [level.example for level in begin],
        }
    )
    edited = st.data_editor(
        frame,
        hide_index=True,
        key=f"import-grades-{count}",
        disabled=["key"],
        column_config={
            "key": st.column_config.NumberColumn("Key", width=45),
            "name": st.column_config.TextColumn("Name", required=True, max_chars=40, width=120),
            "meaning": st.column_config.TextColumn("Meaning, as annotators read it", width=240),
            "example": st.column_config.TextColumn("Example", width=130),
        },
        alt="Grades: key, name, meaning and example; names, meanings and examples can be changed",
    )
    names = [str(name or "").strip() for name in edited["name"]]
    colours = ask_colours(names)
    rows = zip(names, edited["meaning"], edited["example"], colours, strict=True)
    return tuple(
        GradeLevel(name, str(meaning or "").strip(), str(example or "").strip(), colour)
        for name, meaning, example, colour in rows
    )


def ask_colours(names: list[str]) -> list[str]:
    """Ask for colours, show the grades as they will look, and return those that are not the usual ones.

    A usual colour is stored as nothing, because light and dark pages have their own.
    """
    usual = {theme.name: grade_colours(len(names), theme) for theme in (LIGHT, DARK)}
    theme = current_theme()
    own = [""] * len(names)
    with st.container(horizontal=True, gap="medium"):
        for grade, name in enumerate(names):
            picked = st.color_picker(
                f"{grade} {plain(name)}", usual[theme.name][grade], key=f"import-colour-{len(names)}-{grade}",
                help=None if grade else "Colours of the grades. One that nobody changes fits light and dark pages.",
                width="content",
            ).upper()  # fmt: skip
            own[grade] = "" if any(picked == colours[grade] for colours in usual.values()) else picked
    chips = " ".join(grade_chip(grade, name) for grade, name in enumerate(names))
    st.html(grade_chip_css(colours_of_grades(own, theme)) + chips)
    for words in dict.fromkeys(alike(colours_of_grades(own, each), own) for each in (LIGHT, DARK)):
        if words:
            st.caption(f":material/visibility: {words}")
    return own


def ask_guidelines() -> dict[str, Any]:
    """Ask for the guidelines in Markdown, with a preview, and for their pictures where they have some."""
    write, read = st.tabs(["Write", "Preview"])
    with write:
        text = st.text_area(
            "Guidelines (Markdown)",
            GUIDELINES,
            height=220,
            key="import-guidelines",
            persist_state="session",
            help="Annotators can open them beside every document.",
        )
    remote = has_pictures(text or "") and st.checkbox(
        "Load pictures in the guidelines from elsewhere",
        key="import-pictures",
        help="Their server then sees the address of everybody who labels. Otherwise they are shown as links.",
    )
    with read, st.container(border=True):
        st.markdown(shown_guidelines(text, remote_pictures=remote) if text else "*No guidelines yet.*")
    return {"guidelines": text or "", "remote_pictures": remote}


def choose(registry: Registry[Any], label: str, default: str, *, without: tuple[str, ...] = (), hint: str) -> str:
    """Ask for one strategy of a registry by its short name, which fits; its name in full and a sentence stand below."""
    entries = {entry.name: entry for entry in registry if entry.name not in without}
    names = sorted(entries, key=lambda name: name != default)
    chosen = st.selectbox(
        label,
        names,
        format_func=lambda name: short_name(name, registry) + (" · recommended" if name == default else ""),
        key=f"import-{registry.kind}",
        help=hint,
    )
    full, words = entries[chosen].label, entries[chosen].summary
    st.caption(words if full == short_name(chosen, registry) else f"{full}. {words}")
    return chosen


def ask_methods(features: tuple[str, ...], advised: Recommendation) -> dict[str, Any]:
    """Ask how documents are chosen and ranked; what is recommended for the data stands first."""
    found: dict[str, Any] = {}
    left, right = st.columns(2, gap="medium")
    with left:
        hint = (
            "Decides which document is shown next. SSAR and SSARP are the papers' own and stop by themselves after few "
            "labels; docs/samplers.md compares them all."
        )
        name = choose(samplers, "Sampler", advised.sampler, hint=hint)
        found["sampler"] = ask_strategy(samplers, name, features=features, without=("seed",))
        hint = "Turns numbers into intervals, which the rules are made of. Learnt from the pool, never from grades."
        supervised = tuple(entry.name for entry in discretizers if entry.value.needs_grades)
        name = choose(discretizers, "Discretizer", DEFAULTS.discretizer.name, without=supervised, hint=hint)
        found["discretizer"] = ask_strategy(discretizers, name)
    with right:
        hint = (
            "Learns from the labels and is measured on the Progress page, where others can be compared with it. LRAR "
            "is the papers' own; docs/samplers.md compares them all."
        )
        name = choose(rankers, "Ranker", advised.ranker, hint=hint)
        found["ranker"] = ask_strategy(rankers, name)
        found["seed"] = int(
            st.number_input(
                "Seed", 0, 2**31 - 1, DEFAULTS.seed, key="import-seed",
                help="Whatever is drawn at random is drawn from this number: the same seed gives the same campaign.",
            )
        )  # fmt: skip
    return found


def ask_people() -> dict[str, Any]:
    """Ask how many people judge a document, and what their grades come to."""
    left, right = st.columns(2, gap="large")
    with left:
        overlap = int(
            st.number_input(
                "People per pair", 1, 20, DEFAULTS.overlap, key="import-overlap",
                help="Overlap: how many people judge the same document for the same query. With 2 or more, the "
                "Agreement page can say how far people agree.",
            )
        )  # fmt: skip
        st.caption("One is quickest. Two or more show how far people agree, at so many times the work.")
    with right:
        aggregation = st.selectbox(
            "If grades differ", AGGREGATIONS, format_func=str.capitalize, key="import-aggregation",
            disabled=overlap == 1, help="Aggregation: how several people's grades become one.",
        )  # fmt: skip
        st.caption(RULES[aggregation] if overlap > 1 else "Only matters where several people judge a document.")
    return {"overlap": overlap, "aggregation": aggregation}
