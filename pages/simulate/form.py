"""Asking for a simulation: the collection, what is compared on it, how far, how it is cut and measured."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.charts.figure import counted
from pages.charts.series import short_name
from pages.shared.layout import plain, sentence
from pages.shared.params_form import ask_one_of_several
from pages.simulate.run import metric_label
from rulerank.campaign.ranking import offered
from rulerank.errors import RulerankError
from rulerank.kernels import workers
from rulerank.metrics.conventions import conventions
from rulerank.metrics.measure import Measure
from rulerank.metrics.measure import offered as measures_offered
from rulerank.ranking import RECOMMENDED
from rulerank.registry import Registry, discretizers, metrics, samplers
from rulerank.simulate import Plan, Strategy, all_rankers, learners
from rulerank.simulate.learners.base import missing_package
from rulerank.simulate.plan import DISCRETIZER, GEOMETRIC, SAMPLERS
from rulerank.simulate.runner import Work, estimate, pool_of, smallest_pool

if TYPE_CHECKING:
    from db.simulations import Candidate


CUT_OFFS = (1, 3, 5, 10, 20)
USUAL_FOLDS = 5


def folds_chosen(candidate: Candidate) -> int:
    """Return the number of folds, which is asked for further down the page: the one chosen, or the usual one."""
    usual = min(USUAL_FOLDS, len(candidate.sizes))
    return int(st.session_state.get(f"simulate-folds-{candidate.info.id}", usual))


def ask_measured(candidate: Candidate) -> dict[str, Any]:
    """Ask for folds, discretizer, convention and metrics, and return them by the names that a plan has for them."""
    row = st.container(horizontal=True, vertical_alignment="bottom")
    most = min(20, len(candidate.sizes))
    folds = row.number_input(
        "Folds",
        2,
        most,
        min(USUAL_FOLDS, most),
        key=f"simulate-folds-{candidate.info.id}",
        width=130,
        help="Queries are dealt to so many parts. Each part is measured on once; the others are the pool.",
    )
    deal = row.number_input(
        "Seed of the folds", 0, 2**31 - 1, 0, key="simulate-deal", width=170, help="Deals queries to folds."
    )
    cutters = {entry.name: entry.label for entry in discretizers if not entry.value.needs_grades}
    cutter = row.selectbox(
        "Discretizer",
        list(cutters),
        index=list(cutters).index(DISCRETIZER.name),
        format_func=cutters.__getitem__,
        key="simulate-discretizer",
        width=300,
        help="Makes items of features, from the pool alone. Those that learn from grades are left out: it has none.",
    )
    kinds = {entry.name: entry.label for entry in conventions}
    convention = row.selectbox(
        "Convention", list(kinds), format_func=kinds.__getitem__, key="simulate-convention", width=300
    )
    cut = _ask_params(discretizers, cutter)
    offered = {each.name: each.metric for each in measures_offered(CUT_OFFS)}
    chosen = st.multiselect(
        "Metrics",
        list(offered),
        default=["map", "ndcg@10", "precision@10"],
        format_func=lambda name: metric_label(name) if name in offered else name,
        accept_new_options=True,
        key="simulate-metrics",
    )
    # Asked for once where a metric is chosen at several cut-offs; one that was typed in brings its own.
    known = dict.fromkeys(offered[name] for name in chosen if name in offered)
    asked = {metric: Strategy.from_dict(_ask_params(metrics, metric)) for metric in known}
    measures = [
        replace(Measure.parse(name), metric=asked[offered[name]].key).name if name in offered else name
        for name in chosen
    ]
    beyond = st.toggle(
        "Go on after the natural stop",
        True,
        key="simulate-beyond",
        help="So that all samplers are compared at the same budget; where each would stop is noted in any case.",
    )
    return {
        "folds": int(folds),
        "split_seed": int(deal),
        "discretizer": cut,
        "convention": convention,
        "metrics": tuple(measures),
        "beyond_stop": beyond,
    }


STEPS = (1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000)
FEWEST = 60
"""Labels that a budget should come to, so that a small collection has a curve."""


def choose_collection(candidates: list[Candidate]) -> Candidate | None:
    """Ask for a collection whose grades are known, and say why others cannot be chosen; None if there is none."""
    able = {each.info.id: each for each in candidates if not each.why_not}
    barred = [each for each in candidates if each.why_not]
    chosen = None
    if able:
        number = st.selectbox(
            "Collection", list(able), format_func=lambda key: able[key].info.name, key="simulate-collection"
        )
        chosen = able[number]
        unknown = chosen.info.rows - chosen.graded
        left_out = f" {unknown:,d} more have no grade, and are left out." if unknown else ""
        st.caption(
            f"{chosen.graded:,d} documents with a grade, {chosen.relevant:,d} of them relevant, in "
            f"{len(chosen.sizes):,d} queries; {chosen.info.features} features.{left_out}"
        )
    if barred:
        few = f"{len(barred)} collection{'s' if len(barred) > 1 else ''} cannot be chosen"
        with st.expander(few, expanded=not able):
            for each in barred:
                st.markdown(f"- **{plain(each.info.name)}**: {each.why_not}.")
            st.caption("A simulation plays the annotator, so it must know the grades: import a file that has them.")
    return chosen


def ask_plan(candidate: Candidate, rates: Any) -> tuple[Plan, Work] | None:
    """Ask for the plan and return it with its work; None, and a word why, while something is not right."""
    pool = pool_of(candidate.graded, folds_chosen(candidate))
    compared = _ask_compared(candidate)
    far = _ask_how_far(candidate, pool)
    with st.expander("How it is cut and measured", icon=":material/tune:"):
        measured = ask_measured(candidate)
    try:
        plan = Plan(**{**compared, **far, **measured})
        work = estimate(plan, candidate.graded, candidate.info.features, rates)
    except RulerankError as error:
        st.error(sentence(str(error)), icon=":material/error:")
        return None
    return plan, work


def _ask_compared(candidate: Candidate) -> dict[str, Any]:
    names = {entry.name: entry.label for entry in samplers}
    chosen = st.multiselect(
        "Samplers",
        list(names),
        default=[strategy.key for strategy in SAMPLERS],
        format_func=lambda name: names.get(name, name),
        accept_new_options=True,
        key="simulate-samplers",
        help="What chooses the documents. Other parameters than the usual ones can be typed in, as on the command "
        "line: `ssarp:partitions=8`, or `committee:seeds=5` for a number of seeds of its own.",
    )
    features = tuple(f"feature {number}" for number in range(1, candidate.info.features + 1))
    compared = tuple(_ask_params(samplers, name, features, without=("seed",)) for name in chosen)
    able, lacking = offered_learners()
    learn = {**offered(), **able}
    learning = st.multiselect(
        "Rankers",
        list(learn),
        default=[RECOMMENDED],
        format_func=lambda name: learn.get(name, name),
        accept_new_options=True,
        key="simulate-rankers",
        help="What learns from the documents that were chosen. Each ranker learns from each sampler's choices.",
    )
    trained = tuple(_ask_params(all_rankers, name, features) for name in learning)
    if lacking:
        words = "; ".join(f"{label} needs {package}" for label, package in lacking.items())
        st.caption(
            f"Not installed here: {words}. They are in requirements-bench.txt: "
            "`pip install -r requirements-bench.txt`, then start the app again."
        )
    return {"samplers": compared, "rankers": trained}


def _ask_params(
    registry: Registry[Any], text: str, features: tuple[str, ...] = (), *, without: tuple[str, ...] = ()
) -> Strategy | str:
    """Ask for the parameters of a chosen strategy; one that was typed in brings its own."""
    if text not in registry:
        return text
    asked = ask_one_of_several(registry, text, features=features, without=without)
    if asked.params:  # so that what differs from the usual is seen where the fields are folded away
        st.caption(f"{plain(short_name(asked.key, registry))}.")
    return asked


def offered_learners() -> tuple[dict[str, str], dict[str, str]]:
    """Return the learners that can be used here, by name; and those that cannot, with the package each needs."""
    lacking = {entry.name: missing_package(entry.name) for entry in learners}
    able = {entry.name: entry.label for entry in learners if not lacking[entry.name]}
    return able, {entry.label: lacking[entry.name] for entry in learners if lacking[entry.name]}


def _ask_how_far(candidate: Candidate, pool: int) -> dict[str, Any]:
    row = st.container(horizontal=True, vertical_alignment="bottom")
    seeds = row.number_input(
        "Seeds",
        1,
        1000,
        20,
        key="simulate-seeds",
        width=130,
        help="Samplers that draw at random are run this often; the others once.",
    )
    unit = row.segmented_control(
        "Budget in",
        ["share", "labels"],
        default="share",
        required=True,
        format_func={"share": "% of the pool", "labels": "Labels"}.__getitem__,
        key="simulate-unit",
    )
    share = usual_share(pool)
    if unit == "labels":
        usual, key = max(2, round(share * pool)), f"simulate-labels-{candidate.info.id}"
        # What was within the pools of more folds may be beyond those of fewer.
        st.session_state[key] = min(st.session_state.get(key, usual), max(2, pool))
        given = row.number_input("Budget", 2, max(2, pool), key=key, width=130)
        labels = int(given)
        budget: float = labels
    else:
        percent = row.number_input(
            "Budget (%)", 0.1, 100.0, share * 100, 1.0, key=f"simulate-share-{candidate.info.id}", width=130
        )
        budget = float(percent) / 100
        labels = max(1, int(budget * pool))
    every = row.number_input(
        "Measure every (labels)",
        1,
        max(1, labels),
        usual_step(labels),
        key=f"simulate-every-{candidate.info.id}-{labels}",
        width=190,
        disabled=bool(st.session_state.get("simulate-dense")),
    )
    dense = row.toggle(
        "Denser at the start",
        key="simulate-dense",
        help="Measure at 10 labels, and then each time at a quarter more labels.",
    )
    return {"seeds": int(seeds), "budget": budget, "every": GEOMETRIC if dense else int(every)}


def usual_share(pool: int) -> float:
    """Return the share of a pool to begin with: 5%, and of small pools as much as makes a curve."""
    steps = [0.05, 0.1, 0.15, 0.2, 0.3, 0.5]
    return next((share for share in steps if share * pool >= FEWEST), 0.5)


def usual_step(labels: int) -> int:
    """Return after how many labels to measure, so that a curve has some fifteen to thirty points."""
    return max((step for step in STEPS if step * 14 <= labels), default=1)


def show_work(candidate: Candidate, plan: Plan, work: Work) -> None:
    """Say how much work a plan is."""
    # The budget depends on the smallest pool, and the folds are not dealt yet.
    certain = 1 < plan.budget <= smallest_pool(candidate.sizes, plan.folds)
    about = "" if certain else "about "
    st.caption(
        f":material/schedule: {counted(work.runs, 'run')} of {about}{counted(work.labels, 'label')} each, measured at "
        f"{about}{counted(work.points, 'point')}: {about}{counted(work.trainings, 'training')}, and "
        f"{plan.folds * len(plan.rankers):,d} on all labels. Takes {work.time} on {counted(workers(), 'core')}, in the "
        "background; you may close this page."
    )
