"""What each rule of aggregation would change, and what the models hold of each person."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from rulerank.agreement import LABELS, MODELS, RULES, GradeModel
from rulerank.campaign import OpenCampaign
from rulerank.campaign.agreement import Grades
from rulerank.campaign.rules_compared import RulesCompared, compare_rules

MOST_LISTED = 500
FEW_SHARED = 300
"""Shared documents. In simulations with 100 the median was level or ahead; with 500 the model that fits was ahead."""
LEANS = 0.15
"""Grades. Who is nearer to the true grade than this on average leans to no side worth mentioning."""


def show_rules(opened: OpenCampaign, found: Grades, names: Mapping[int, str]) -> None:
    """Show how many documents each rule would grade otherwise, which, and how good people are by the models."""
    now = opened.settings.aggregation
    compared = compared_of(opened.id, (found.seen, *found.part), now, found)
    st.table(rules_table(compared).set_index("Rule"))  # whose words wrap
    st.caption(
        f"Compared with **{LABELS[now]}**, the campaign's rule, as Export has it. A decision of an adjudicator counts "
        "under every rule. While people label, the middle grade stands in for a model and for a decision that is "
        "waited for."
    )
    if found.shared < FEW_SHARED:
        st.info(
            f"{found.shared:,} documents are shared. Models of annotators need several hundred to do better than the "
            "middle grade; what follows is a first impression.", icon=":material/info:",
        )  # fmt: skip
    show_changes(opened, compared, names)
    st.subheader("People, as a model sees them")
    rule = st.segmented_control(
        "Model", list(MODELS), default="ordered", format_func=LABELS.__getitem__, key="agreement-model", required=True
    )
    st.dataframe(people_table(compared.models[rule], names), hide_index=True, alt="How good each person is by a model")
    st.caption(
        "The model does not know the true grades: it finds those that fit best, believes people the more the better "
        "they fit, and takes decisions of an adjudicator as certain. *Right* is how often a person gives the true "
        "grade by its account, *leaning* how far above (+) or below (-) it their grades are on average. Whoever judges "
        "otherwise than all others looks wrong here, even with good reason: read some of the documents first."
    )


def rules_table(compared: RulesCompared) -> pd.DataFrame:
    """Return what each rule would change, in numbers."""
    return pd.DataFrame(
        {
            "Rule": [f"{LABELS[rule]} (now)" if rule == compared.now else LABELS[rule] for rule in RULES],
            "Another grade": [compared.other(rule) for rule in RULES],
            "No grade until decided": [compared.without(rule) for rule in RULES],
            "What counts": [f"{words[0].upper()}{words[1:]}." for words in RULES.values()],
        }
    )


def show_changes(opened: OpenCampaign, compared: RulesCompared, names: Mapping[int, str]) -> None:
    """List the documents that the chosen rule would grade otherwise, with everybody's grade and each rule's."""
    # Those that give another grade come before those that give none.
    others = sorted((rule for rule in RULES if compared.of(rule)), key=lambda rule: not compared.other(rule))
    if not others:
        st.success("Every rule gives every document the grade that it has now.", icon=":material/done_all:")
        return
    rule = st.selectbox(
        "Documents that would change under", others, format_func=LABELS.__getitem__,
        key=f"agreement-rule-{opened.id}", width=420,
    )  # fmt: skip
    changes = compared.of(rule)
    documents = [opened.document(each.row) for each in changes[:MOST_LISTED]]
    frame = pd.DataFrame(
        {
            "Query": [str(qid) for qid, _ in documents],
            "Document": [docid or f"row {each.row + 1}" for (_, docid), each in zip(documents, changes, strict=False)],
            "Grades": [
                ", ".join(f"{names.get(who, 'somebody')} {grade}" for who, grade in each.given.items())
                for each in changes[:MOST_LISTED]
            ],
            **{LABELS[each]: [grade_text(c.by_rule[each]) for c in changes[:MOST_LISTED]] for each in RULES},
        }
    )
    st.dataframe(frame, hide_index=True, alt="Documents that would change")
    if len(changes) > MOST_LISTED:
        st.caption(f"The first {MOST_LISTED} of {len(changes):,} are listed.")


def grade_text(grade: int | None) -> str:
    """Return a grade, or that there is none."""
    return "none" if grade is None else str(grade)


def people_table(model: GradeModel, names: Mapping[int, str]) -> pd.DataFrame:
    """Return what a model holds of each person, the most reliable first, with words for those who read no numbers."""
    rows = zip(model.annotators, model.labels.tolist(), model.accuracy.tolist(), model.bias.tolist(), strict=True)
    people = sorted(rows, key=lambda row: -row[2])
    return pd.DataFrame(
        [
            (names[int(str(who))], n, f"{right:.0%}", f"{bias:+.2f}", in_words(right, bias))
            for who, n, right, bias in people
        ],
        columns=["Person", "Labels", "Right", "Leaning", "In words"],
    )


def in_words(right: float, bias: float) -> str:
    """Say what accuracy and bias mean."""
    often = f"gives the true grade about {round(10 * right)} times in 10"
    if abs(bias) < LEANS:
        return f"{often}; neither kind nor strict"
    return f"{often}; {'kinder' if bias > 0 else 'stricter'} than the truth by {abs(bias):.1f} grades on average"


@st.cache_data(show_spinner="Asking the models of annotators...", max_entries=32)
def compared_of(campaign: int, seen: tuple[int, ...], now: str, _found: Grades) -> RulesCompared:
    """Return what each rule would change; once for each state of the log."""
    return compare_rules(_found, now)
