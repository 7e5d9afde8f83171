"""A small comparison that several tests look at."""

from __future__ import annotations

from rulerank.simulate import Dataset, Plan
from rulerank.synthetic import planted_collection


def small_data(queries=9, seed=5):
    return Dataset.from_collection(planted_collection(queries, 14, 6, seed=seed), 3, name="planted")


def small_plan(**settings):
    given = {
        "samplers": ("ssar", "random"),
        "rankers": ("lrar", "ridge"),
        "discretizer": "equal_width:bins=3",
        "seeds": 3,
        "budget": 20,
        "every": 8,
        "metrics": ("map", "ndcg@5"),
    }
    return Plan(**{**given, **settings})
