"""What the Simulate page reads: results kept between looks, and names and words for what a plan holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from pages import context
from pages.charts.figure import counted
from rulerank.errors import RulerankError
from rulerank.metrics.measure import Measure
from rulerank.registry import Registry, discretizers, samplers
from rulerank.simulate import Plan, Results, Strategy, all_rankers
from rulerank.simulate.plan import GEOMETRIC

if TYPE_CHECKING:
    from db.simulations import Simulation


@st.cache_resource(max_entries=6, show_spinner="Reading the results...")
def results_of(number: int, stamp: str) -> Results | None:
    """Return what a simulation has found; `stamp` changes when there is more."""
    return context.workspace().simulations.results(number)


@st.cache_data(max_entries=40, show_spinner="Averaging over seeds and folds...")
def curves_of(number: int, stamp: str, metric: str, expected: bool) -> pd.DataFrame:
    """Return the mean learning curves with their intervals (`Results.curves`)."""
    found = results_of(number, stamp)
    return pd.DataFrame() if found is None else found.curves(metric, expected)


@st.cache_data(max_entries=40, show_spinner="Testing query by query...")
def summary_of(number: int, stamp: str, metric: str, expected: bool, baseline: str | None) -> pd.DataFrame:
    """Return the figures at the budget, with tests against a baseline (`Results.summary`)."""
    found = results_of(number, stamp)
    return pd.DataFrame() if found is None else found.summary(baseline, metric, expected)


def metric_label(name: str) -> str:
    """Return a metric's name on the screen: `ndcg@10` is NDCG@10."""
    return str(Measure.parse(name))


def sampler_label(key: str) -> str:
    """Return a sampler's short name on the screen, with its parameters where some are given."""
    return _short(key, samplers)


def ranker_label(key: str) -> str:
    """Return a ranker's short name on the screen, with its parameters where some are given."""
    return _short(key, all_rankers)


def _short(key: str, registry: Registry[Any]) -> str:
    """Leave out what a label explains in brackets; a name that this version does not know stays as it is."""
    try:
        strategy = Strategy.parse(key)
        bare = Strategy(strategy.name).label(registry)
        return bare.partition(" (")[0] + strategy.label(registry)[len(bare) :]
    except RulerankError:
        return key


def title_of(simulation: Simulation) -> str:
    """Return what a simulation is called: its own name, or what it compares."""
    if simulation.name:
        return simulation.name
    names = [sampler_label(Strategy.from_dict(each).key) for each in simulation.plan["samplers"]]
    return f"{joined(names)} on {simulation.collection_name}"


def joined(names: list[str]) -> str:
    """Return names in a row: "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def plan_words(simulation: Simulation) -> str:
    """Say in one line what a simulation does."""
    try:
        plan = Plan.from_dict(simulation.plan)
    except RulerankError:
        return "Its settings are of another version of rulerank."
    budget = f"up to {counted(plan.budget, 'label')}" if plan.budget > 1 else f"{plan.budget * 100:.4g}% of the pool"
    learn = joined([ranker_label(ranker.key) for ranker in plan.rankers])
    learn += " learn" if len(plan.rankers) > 1 else " learns"
    seeded = any(plan.seeds_of(sampler) != [None] for sampler in plan.samplers)
    seeds = f", {counted(plan.seeds, 'seed')}" if seeded else ""
    return (
        f"{joined([sampler_label(sampler.key) for sampler in plan.samplers])}; {learn}; "
        f"{budget}, {plan.folds} folds by query{seeds}."
    )


def method_words(results: Results) -> str:
    """Say all that a reader of the figures needs to repeat them."""
    plan, about = results.plan, results.about
    measured = (
        "at 10 labels, then at a quarter more each time" if plan.every == GEOMETRIC else f"every {plan.every} labels"
    )
    beyond = "samplers go on after their natural stop" if plan.beyond_stop else "samplers end at their natural stop"
    cut = plan.discretiser.label(discretizers)
    return (
        f"{'. '.join(about.notes)}. Pools of {min(about.pools):,d} to {max(about.pools):,d} documents; budget "
        f"{counted(results.labels, 'label')} (a share counts in the smallest pool), measured {measured}; {beyond}. "
        f"Features cut into items by {cut}, from the pool alone. rulerank {about.version}, data {about.data_hash[:12]}."
    )


def evaluated_words(results: Results) -> str:
    """Say which documents are ranked, and how queries without relevant documents count."""
    queries = sum(len(names) for names in results.about.queries.values())
    return (
        f"the test parts of {len(results.folds)} folds ({counted(queries, 'query', 'queries')}), each ranked by what "
        "was learnt from others; a query without a relevant document counts as 0"
    )


def chosen_table(simulation: Simulation, results: Results, sampler: str, fold: int, seed: Any, labels: int) -> Any:
    """Return the documents that a run had chosen up to a point, in order, with texts where the collection has them."""
    found = results.selected(results.find(sampler, fold, seed), labels)
    table = pd.DataFrame({"Label": found["label"], "Query": found["qid"].map(shown)})
    collections = context.workspace().collections
    queries = collections.query_names(simulation.collection)
    if queries:
        table["Query text"] = [queries.get(str(qid), "") for qid in found["qid"]]
    table["Document"] = found["docid"].map(shown)
    if queries:
        texts = [collections.document_text(simulation.collection, str(docid)) for docid in found["docid"]]
        if any(texts):
            table["Title"] = ["" if text is None else text.title for text in texts]
    table["Grade"] = found["grade"]
    return table


def shown(text: object) -> str:
    """Return an id as a table can show it: bytes that are no text were kept in a way that no file can."""
    return str(text).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
