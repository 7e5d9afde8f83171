"""Learning curves: labels in, points out. Campaigns and simulations get their numbers from the same code here.

A `Training` is one ranker on its way along a sequence of labels, an `Evaluation` the documents that it is measured on.
From these two come a campaign's curve (`LearningCurve`), the points of a simulation, random replays (`random_band`),
what all labels would give (`ceiling`), and how many labels in random order a campaign is worth (`saving`).
"""

from rulerank.curves.evaluation import Evaluation, Values, measured_by
from rulerank.curves.learning_curve import LearningCurve, Point, checkpoints, cross_validated, curve, out_of_fold
from rulerank.curves.random_replay import Band, ceiling, random_band
from rulerank.curves.savings import Saving, saving, saving_of_all
from rulerank.curves.training import Documents, Floats, Label, Make, Training, fitted_scores

__all__ = [
    "Band",
    "Documents",
    "Evaluation",
    "Floats",
    "Label",
    "LearningCurve",
    "Make",
    "Point",
    "Saving",
    "Training",
    "Values",
    "ceiling",
    "checkpoints",
    "cross_validated",
    "curve",
    "fitted_scores",
    "measured_by",
    "out_of_fold",
    "random_band",
    "saving",
    "saving_of_all",
]
