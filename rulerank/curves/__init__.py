"""Learning curves: labels in, points out. Campaigns and simulations get their numbers from the same code here.

A `Training` is one ranker on its way along a sequence of labels, an `Evaluation` the documents that it is measured on.
From these two come a campaign's curve (`LearningCurve`), the points of a simulation, random replays (`random_band`) and
what all labels would give (`ceiling`).
"""

from rulerank.curves.evaluation import CUT_OFFS, EXPECTED, Evaluation, Values
from rulerank.curves.learning_curve import LearningCurve, Point, checkpoints, cross_validated, curve
from rulerank.curves.random_replay import Band, ceiling, random_band
from rulerank.curves.training import Documents, Label, Make, Training, fitted_scores

__all__ = [
    "CUT_OFFS",
    "EXPECTED",
    "Band",
    "Documents",
    "Evaluation",
    "Label",
    "LearningCurve",
    "Make",
    "Point",
    "Training",
    "Values",
    "ceiling",
    "checkpoints",
    "cross_validated",
    "curve",
    "fitted_scores",
    "random_band",
]
