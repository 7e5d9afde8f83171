"""The questions about a campaign that New campaign and Settings ask alike: grades, guidelines, people, methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from pages.charts.figure import current_theme
from pages.charts.series import short_name
from pages.charts.theme import DARK, LIGHT, colours_of_grades, grade_chip, grade_chip_css, grade_colours
from pages.shared.layout import plain
from pages.shared.params_form import ask_strategy, field_values
from rulerank.agreement import LABELS
from rulerank.campaign import AGGREGATIONS, GradeLevel, Settings
from rulerank.campaign.settings import has_pictures, shown_guidelines
from rulerank.campaign.sight import alike
from rulerank.registry import Registry, discretizers, rankers, samplers
from rulerank.strategy import Strategy

RULES = {
    "majority": "The most frequent grade counts; of grades given equally often, the middle one (or the lower middle).",
    "median": "The middle grade counts; of two middle ones, the lower.",
    "adjudication": "Where people differ, somebody decides on the Agreement page; until then the middle grade counts.",
    "dawid_skene": "Export and Agreement believe those whom Dawid and Skene's model finds reliable; it needs several "
    "hundred shared documents. While people label, the middle grade counts.",
    "ordered": "Export and Agreement believe a model that knows how kind or strict and how steady each person is; it "
    "needs several hundred shared documents. While people label, the middle grade counts.",
}
SAMPLER = (
    "Decides which document is shown next. SSAR and SSARP are the papers' own and stop by themselves after few "
    "labels; docs/samplers.md compares them all."
)
RANKER = (
    "Learns from the labels and is measured on the Progress page, where others can be compared with it. LRAR "
    "is the papers' own; docs/samplers.md compares them all."
)


def ask_levels(begin: Sequence[GradeLevel], *, place: str = "import") -> tuple[GradeLevel, ...]:
    """Ask for names, meanings, examples and colours of so many grades; `place` begins the keys of the fields."""
    frame = pd.DataFrame(
        {
            "key": range(len(begin)),
            "name": [level.name for level in begin],
            "meaning": [level.meaning for level in begin],
            "example": [level.example for level in begin],
        }
    )
    edited = st.data_editor(
        frame,
        hide_index=True,
        key=f"{place}-grades-{len(begin)}",
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
    colours = ask_colours(names, [level.colour for level in begin], place=place)
    rows = zip(names, edited["meaning"], edited["example"], colours, strict=True)
    return tuple(
        GradeLevel(name, str(meaning or "").strip(), str(example or "").strip(), colour)
        for name, meaning, example, colour in rows
    )


def ask_colours(names: list[str], begin: Sequence[str], *, place: str = "import") -> list[str]:
    """Ask for colours, show the grades as they will look, and return those that are not the usual ones.

    A usual colour is stored as nothing, because light and dark pages have their own.
    """
    usual = {theme.name: grade_colours(len(names), theme) for theme in (LIGHT, DARK)}
    theme = current_theme()
    own = [""] * len(names)
    with st.container(horizontal=True, gap="medium"):
        for grade, name in enumerate(names):
            picked = st.color_picker(
                f"{grade} {plain(name)}", begin[grade] or usual[theme.name][grade],
                key=f"{place}-colour-{len(names)}-{grade}",
                help=None if grade else "Colours of the grades. One that nobody changes fits light and dark pages.",
                width="content",
            )  # fmt: skip
            kept = picked.lower() == begin[grade].lower()
            others = [colours[grade] for colours in usual.values()]
            own[grade] = begin[grade] if kept else "" if picked.upper() in others else picked.upper()
    chips = " ".join(grade_chip(grade, name) for grade, name in enumerate(names))
    st.html(grade_chip_css(colours_of_grades(own, theme)) + chips)
    for words in dict.fromkeys(alike(colours_of_grades(own, each), own) for each in (LIGHT, DARK)):
        if words:
            st.caption(f":material/visibility: {words}")
    return own


def ask_guidelines(begin: str, remote_pictures: bool = False, *, place: str = "import") -> dict[str, Any]:
    """Ask for the guidelines in Markdown, with a preview, and for their pictures where they have some."""
    write, read = st.tabs(["Write", "Preview"])
    with write:
        text = st.text_area(
            "Guidelines (Markdown)",
            begin,
            height=220,
            key=f"{place}-guidelines",
            persist_state="session",
            help="Annotators can open them beside every document.",
        )
    remote = has_pictures(text or "") and st.checkbox(
        "Load pictures in the guidelines from elsewhere",
        remote_pictures,
        key=f"{place}-pictures",
        help="Their server then sees the address of everybody who labels. Otherwise they are shown as links.",
    )
    with read, st.container(border=True):
        st.markdown(shown_guidelines(text, remote_pictures=remote) if text else "*No guidelines yet.*")
    return {"guidelines": text or "", "remote_pictures": remote}


def choose(
    registry: Registry[Any],
    label: str,
    first: str,
    *,
    hint: str,
    without: tuple[str, ...] = (),
    recommended: str = "",
    place: str = "import",
) -> str:
    """Ask for one strategy of a registry by its short name, which fits; its name in full and a sentence stand below."""
    entries = {entry.name: entry for entry in registry if entry.name not in without}
    names = sorted(entries, key=lambda name: name != first)
    chosen = st.selectbox(
        label,
        names,
        format_func=lambda name: short_name(name, registry) + (" · recommended" if name == recommended else ""),
        key=f"{place}-{registry.kind}",
        help=hint,
    )
    full, words = entries[chosen].label, entries[chosen].summary
    st.caption(words if full == short_name(chosen, registry) else f"{full}. {words}")
    return chosen


def ask_one(
    registry: Registry[Any], label: str, begin: Strategy, features: tuple[str, ...] = (), **more: Any
) -> Strategy:
    """Ask for a strategy and its parameters, which begin with those of `begin`."""
    place = more.get("place", "import")
    name = choose(registry, label, begin.name, **more)
    if begin.params and name == begin.name:
        for key, value in field_values(registry, begin, place=place).items():
            st.session_state.setdefault(key, value)
    without = ("seed",) if registry is samplers else ()
    asked = ask_strategy(registry, name, features=features, without=without, place=place)
    kept = {word: value for word, value in begin.params.items() if word in without} if name == begin.name else {}
    return Strategy(name, {**kept, **asked.params})


def ask_methods(
    features: tuple[str, ...],
    begin: Settings,
    *,
    recommended: Mapping[str, str] | None = None,
    fixed: Mapping[str, str] | None = None,
    place: str = "import",
) -> dict[str, Any]:
    """Ask how documents are chosen and ranked; what is `fixed` is shown with its reason instead."""
    found: dict[str, Any] = {}
    best = recommended or {}
    left, right = st.columns(2, gap="medium")
    with left:
        found["sampler"] = ask_one(
            samplers, "Sampler", begin.sampler, features, hint=SAMPLER, recommended=best.get("sampler", ""), place=place
        )
        if "discretizer" in (fixed or {}):
            st.text_input(
                "Discretizer", begin.discretizer.label(discretizers), disabled=True, key=f"{place}-discretizer"
            )
            st.caption(f":material/lock: {(fixed or {})['discretizer']}")
        else:
            hint = "Turns numbers into intervals, which the rules are made of. Learnt from the pool, never from grades."
            supervised = tuple(entry.name for entry in discretizers if entry.value.needs_grades)
            usual = begin.discretizer
            found["discretizer"] = ask_one(
                discretizers, "Discretizer", usual, hint=hint, without=supervised, recommended=usual.name, place=place
            )
    with right:
        found["ranker"] = ask_one(
            rankers, "Ranker", begin.ranker, hint=RANKER, recommended=best.get("ranker", ""), place=place
        )
        found["seed"] = int(
            st.number_input(
                "Seed", 0, 2**31 - 1, min(begin.seed, 2**31 - 1), key=f"{place}-seed",
                help="Whatever is drawn at random is drawn from this number: the same seed gives the same campaign.",
            )
        )  # fmt: skip
    return found


def ask_people(begin: Settings, *, place: str = "import") -> dict[str, Any]:
    """Ask how many people judge a document, and what their grades come to."""
    left, right = st.columns(2, gap="large")
    with left:
        overlap = int(
            st.number_input(
                "People per pair", 1, 20, begin.overlap, key=f"{place}-overlap",
                help="Overlap: how many people judge the same document for the same query. With 2 or more, the "
                "Agreement page can say how far people agree.",
            )
        )  # fmt: skip
        st.caption("One is quickest. Two or more show how far people agree, at so many times the work.")
    with right:
        aggregation = st.selectbox(
            "If grades differ", AGGREGATIONS, AGGREGATIONS.index(begin.aggregation), format_func=LABELS.__getitem__,
            key=f"{place}-aggregation", disabled=overlap == 1,
            help="Aggregation: how several people's grades become one.",
        )  # fmt: skip
        st.caption(RULES[aggregation] if overlap > 1 else "Only matters where several people judge a document.")
    return {"overlap": overlap, "aggregation": aggregation}
