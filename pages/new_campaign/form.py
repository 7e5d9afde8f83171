"""The questions of a new campaign after its data: grades, guidelines, and how it chooses, learns and asks."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from pages.charts.render import current_theme
from pages.charts.theme import grade_chip, grade_chip_css, grade_colours
from pages.shared.markdown import plain
from pages.shared.params_form import ask_strategy
from rulerank.campaign import AGGREGATIONS, DEFAULT_GRADES, GradeLevel, Settings, guidelines
from rulerank.registry import Registry, discretizers, rankers, samplers

DEFAULTS = Settings()
MOST_GRADES = 10
STARTERS: dict[int, tuple[str, ...]] = {
    2: ("Not relevant", "Relevant"),
    4: ("Not relevant", "Partly relevant", "Relevant", "Highly relevant"),
    5: ("Bad", "Fair", "Good", "Excellent", "Perfect"),
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
    names = STARTERS.get(levels) or tuple(f"Grade {number}" for number in range(levels))
    return [GradeLevel(name) for name in names]


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
            "key": st.column_config.NumberColumn("Key", width="small"),
            "name": st.column_config.TextColumn("Name", required=True, max_chars=40),
            "meaning": st.column_config.TextColumn("Meaning, as annotators read it", width="large"),
            "example": st.column_config.TextColumn("Example", width="medium"),
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
    """Ask for colours, if somebody wants others than the theme's, and show the grades as they will look."""
    theme = current_theme()
    usual = list(grade_colours(len(names), theme))
    own = st.toggle("Choose colours", key="import-own", help="Otherwise they fit light and dark pages by themselves.")
    chosen = usual
    if own:
        columns = st.columns(len(names))
        chosen = [
            column.color_picker(
                f"{grade} {plain(name)}", usual[grade], key=f"import-colour-{len(names)}-{grade}"
            ).upper()
            for grade, (column, name) in enumerate(zip(columns, names, strict=True))
        ]
    chips = " ".join(grade_chip(grade, name) for grade, name in enumerate(names))
    st.html(grade_chip_css(chosen) + chips)
    return chosen if own else [""] * len(names)


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
    remote = guidelines.has_pictures(text or "") and st.checkbox(
        "Load pictures in the guidelines from elsewhere",
        key="import-pictures",
        help="Their server then sees the address of everybody who labels. Otherwise they are shown as links.",
    )
    with read, st.container(border=True):
        st.markdown(guidelines.shown(text, remote_pictures=remote) if text else "*No guidelines yet.*")
    return {"guidelines": text or "", "remote_pictures": remote}


def choose(registry: Registry[Any], label: str, default: str, *, without: tuple[str, ...] = (), hint: str) -> str:
    """Ask for one strategy of a registry; its sentence stands under the choice."""
    entries = {entry.name: entry for entry in registry if entry.name not in without}
    names = sorted(entries, key=lambda name: name != default)
    chosen = st.selectbox(
        label,
        names,
        format_func=lambda name: entries[name].label + (" · recommended" if name == default else ""),
        key=f"import-{registry.kind}",
        help=hint,
    )
    st.caption(entries[chosen].summary)
    return chosen


def ask_methods(features: tuple[str, ...]) -> dict[str, Any]:
    """Ask how documents are chosen and ranked, with defaults that work."""
    found: dict[str, Any] = {}
    left, right = st.columns(2, gap="large")
    with left:
        hint = (
            "Decides which document is shown next. SSAR stops by itself after few labels; fewest occurrences does not, "
            "but its labels gave the best ranking in most comparisons at equal numbers (docs/samplers.md)."
        )
        name = choose(samplers, "Sampler", DEFAULTS.sampler.name, hint=hint)
        found["sampler"] = ask_strategy(samplers, name, features=features, without=("seed",))
        hint = "Turns numbers into intervals, which the rules are made of. Learnt from the pool, never from grades."
        supervised = tuple(entry.name for entry in discretizers if entry.value.needs_grades)
        name = choose(discretizers, "Discretiser", DEFAULTS.discretiser.name, without=supervised, hint=hint)
        found["discretiser"] = ask_strategy(discretizers, name)
    with right:
        hint = (
            "Learns from the labels and is measured on the Progress page, where others can be compared with it. Single "
            "items, smoothed and weighted, ranked best from few labels in our comparisons (docs/samplers.md); LRAR is "
            "the papers' own."
        )
        name = choose(rankers, "Ranker", DEFAULTS.ranker.name, hint=hint)
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
                "People per document", 1, 20, DEFAULTS.overlap, key="import-overlap",
                help="Overlap. With 2 or more, the Agreement page can say how far people agree.",
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
