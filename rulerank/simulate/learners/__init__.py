"""Learners: rankers on feature values that simulations train on selected samples, beside the associative ones.

They have a registry of their own, so that a live campaign, which retrains after every label, does not offer them.
"""

from rulerank.simulate.learners.base import Learner, all_rankers, learners

__all__ = ["Learner", "all_rankers", "learners"]
