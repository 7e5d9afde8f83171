"""Export: preview, check by reading back, download. What is offered has been read again and compared."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages import context
from pages.export.backup import show_backup
from pages.export.preview import show_download, show_preview
from pages.shared.layout import heading, plain
from pages.shared.params_form import ask_one_of_several
from pages.shared.task import BackgroundTask, watch
from rulerank.agreement import LABELS, RULES
from rulerank.audit import audit
from rulerank.campaign import OpenCampaign
from rulerank.campaign.export import ExportChoice, Leaving, about, event_rows, fold_of, gather
from rulerank.errors import RulerankError
from rulerank.export import ExportPreview, formats, make_bundle, needs_numbers, preview
from rulerank.strategy import Strategy

PREPARED, PACKED = "export-prepared", "export-packed"


def main(opened: OpenCampaign) -> None:
    """Ask what leaves, show it, and hand it out once it is checked."""
    wanted = ask(opened)
    if not wanted.formats:
        st.info("Choose at least one format above.")
        return
    key = (opened.id, context.workspace().campaigns.last_event(opened.id), wanted)
    ready = prepare(opened, wanted, key)
    leaving, found = ready.leaving, ready.preview
    if leaving.waiting:
        words = f"{leaving.waiting:,} documents on which people differ wait for a decision, and stay behind."
        st.warning(f"{words} Settle them on the Agreement page.", icon=":material/balance:")
    if found is None:
        st.info("There is nothing to export yet: label some documents first, or choose other formats.")
        return
    if any(Strategy.parse(key).kind(formats).has_folds for key in wanted.formats) and not found.folds:
        queries = leaving.queries(wanted.unlabelled)
        st.info(f"{wanted.folds} folds need as many queries with grades; there are {queries}, so they are left out.")
    show_preview(found, opened.settings.grades)
    pack(opened, wanted, ready, key)


def ask(opened: OpenCampaign) -> ExportChoice:
    """Ask for the formats and how they are made."""
    labels = {entry.name: entry.label for entry in formats}
    chosen = st.pills(
        "Formats", list(labels), selection_mode="multi", default=list(labels), format_func=labels.__getitem__,
        key="export-formats", help="All of them go into one zip file, with a README and checksums.",
    )  # fmt: skip
    asked = tuple(ask_one_of_several(formats, name, place="export").key for name in chosen)
    first, second = st.columns(2, gap="large")
    rules = list(RULES)
    rule = first.selectbox(
        "If grades differ", rules, rules.index(opened.settings.aggregation), format_func=LABELS.__getitem__,
        key=f"export-rule-{opened.id}", help="How several people's grades become one.",
    )  # fmt: skip
    first.caption(f"{RULES[rule][0].upper()}{RULES[rule][1:]}.")
    folds = second.number_input("Folds", 3, 20, 5, key="export-folds", help="Parts that take turns as the test set.")
    seed = second.number_input("Seed of the folds", 0, 2**31 - 1, 0, key="export-seed", help="Deals queries to folds.")
    with st.container(horizontal=True, gap="medium"):
        unlabelled = st.toggle("Also documents without a grade", key="export-unlabelled", help="As grade -1.")
        named = st.toggle("Names of people in the log", True, key="export-named", help="Otherwise numbers.")
        numbered = st.toggle(
            "Numbers for queries", needs_numbers(opened.collection.queries), key=f"export-numbered-{opened.id}",
            help="In LETOR files: trainers such as scikit-learn refuse qids that are no whole numbers. queries.tsv "
            "says which number is which query.",
        )  # fmt: skip
    return ExportChoice(asked, int(folds), int(seed), unlabelled, rule, named, numbered)


@dataclass(frozen=True)
class Ready:
    """All that a bundle is made of, from one reading of the log, and its preview if there is anything to export."""

    leaving: Leaving
    events: list[dict[str, object]]
    facts: dict[str, object]
    preview: ExportPreview | None


def prepare(opened: OpenCampaign, wanted: ExportChoice, key: object) -> Ready:
    """Return what leaves and its preview, made anew only where the log or the wishes have changed."""
    kept: tuple[object, Ready] | None = st.session_state.get(PREPARED)
    if kept is None or kept[0] != key:
        with st.spinner("Preparing the preview..."):
            kept = st.session_state[PREPARED] = (key, make_ready(opened, wanted))
    return kept[1]


def make_ready(opened: OpenCampaign, wanted: ExportChoice) -> Ready:
    """Read the log and preview what leaves; people go by name or by number."""
    workspace = context.workspace()
    log = workspace.campaigns.events(opened.id)
    names = {each.id: each.name for each in workspace.people.list()} if wanted.named else None
    fold, events = fold_of(log, opened.live.made_with), event_rows(opened, log, names)
    leaving = gather(opened, wanted.rule, fold)
    options = wanted.options(leaving)
    something = options["formats"] and leaving.queries(wanted.unlabelled)
    made = preview(leaving.collection, events, **options) if something else None
    analyser = workspace.collections.analyser(opened.collection_id)
    facts = about(opened, wanted.rule, fold, None if analyser is None else analyser.label)
    return Ready(leaving, events, facts, made)


def pack(opened: OpenCampaign, wanted: ExportChoice, ready: Ready, key: object) -> None:
    """Write, read back and compare on demand; then offer the bundle and its files."""
    if st.button("Check and pack", type="primary", icon=":material/fact_check:"):
        collection, options = ready.leaving.collection, wanted.options(ready.leaving)
        task: BackgroundTask[bytes] = BackgroundTask(
            lambda progress: make_bundle(collection, ready.events, ready.facts, progress=progress, **options),
            "Writing, reading back and comparing",
        )
        st.session_state[PACKED] = (key, task)
        audit("export", by=person.name, campaign=opened.id, name=opened.name, formats=",".join(wanted.formats))
    kept = st.session_state.get(PACKED)
    if kept is None or not watch(kept[1], key="packing"):
        return
    if kept[1].result is None:
        (st.info if kept[1].cancelled else st.error)(plain(str(kept[1].error)))
    elif kept[0] != key:
        st.info("Labels or choices have changed since; pack again to get the present state.")
    else:
        show_download(opened.name, kept[1].result)


person = context.require("research")
words = "Leave with files that trainers load: previewed, read back and compared before they are offered."
if context.workspace().campaigns.names():
    try:
        chosen = context.choose_campaign()
        heading("Export", words, chosen.name)
        main(chosen)
    except RulerankError as problem:
        st.error(plain(str(problem)), icon=":material/error:")
else:
    heading("Export", words)
    st.info("There is no campaign to export yet. Start with **Home**: try the demo, or make your own.")
if context.workspace().may(person, "administer"):
    st.divider()
    show_backup(context.workspace(), person)
