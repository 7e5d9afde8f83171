"""Simulate: replay samplers against known grades, train rankers along the way, and compare them.

    from rulerank.simulate import Dataset, Plan, run

    plan = Plan(samplers=("ssar", "ssarp", "random"), rankers=("weighted_items", "ridge"), budget=0.05)
    results = run(plan, Dataset.from_folder(Path("letor3-ohsumed")), Path("results"), jobs=2)
    print(results.summary(baseline="random"))

A run that was cut goes on where it was when it is started again; `Results.load(folder)` reads what there is.
"""

from rulerank.simulate.data import Dataset, Split
from rulerank.simulate.learners import all_rankers, learners
from rulerank.simulate.plan import Plan
from rulerank.simulate.results import Results, merge, pack
from rulerank.simulate.runner import SimulationStoppedError, run
from rulerank.simulate.tasks import Task
from rulerank.strategy import Strategy

__all__ = [
    "Dataset",
    "Plan",
    "Results",
    "SimulationStoppedError",
    "Split",
    "Strategy",
    "Task",
    "all_rankers",
    "learners",
    "merge",
    "pack",
    "run",
]
