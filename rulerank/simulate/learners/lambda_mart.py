"""LambdaMART (Burges 2010) by LightGBM: boosted trees on LambdaRank's gradients."""

from __future__ import annotations

import numpy as np

from rulerank.errors import InputError
from rulerank.simulate.learners.base import Floats, Ints, Learner, learners, need
from rulerank.strategy import Param, seed_param

MOST = 30
"""LightGBM's gains are 2^grade - 1 up to this grade."""

LEAST_HESSIAN = 1e-3


@learners.register("lambda_mart", "LambdaMART (LightGBM)")
class LambdaMART(Learner):
    """LightGBM's `lambdarank` with fixed settings, small enough for samples of some hundred labels.

    Nothing is tuned: 100 trees of at most 7 leaves with at least 5 documents each, learning rate 0.1. A sample in which
    no query has two grades gives no gradient, and all documents score alike. One thread, deterministic.
    `min_sum_hessian_in_leaf` is LightGBM's own default, and must not be 0: a leaf in which no document has a pair has
    no curvature at all, and LightGBM, which estimates a leaf's documents from its share of that, then makes an empty
    leaf and gives up ("left_count > 0").

    >>> ranker = LambdaMART(trees=5, least_documents=1).fit([[0.0], [0.5], [1.0]], [0, 1, 2], [1, 1, 1])
    >>> scores = ranker.predict([[0.0], [1.0]])
    >>> bool(scores[0] < scores[1])
    True
    """

    package = "lightgbm"

    params = (
        Param("trees", int, 100, "Trees that are boosted.", low=1),
        Param("leaves", int, 7, "Leaves of a tree at most.", low=2),
        Param("least_documents", int, 5, "Documents in a leaf at least.", low=0),
        Param("rate", float, 0.1, "Learning rate.", above=0),
        seed_param(),
    )

    def __init__(
        self, trees: int = 100, leaves: int = 7, least_documents: int = 5, rate: float = 0.1, seed: int = 0
    ) -> None:
        self.trees = trees
        self.leaves = leaves
        self.least_documents = least_documents
        self.rate = rate
        self.seed = seed

    def _learn(self, features: Floats, grades: Ints, queries: Ints) -> None:
        lightgbm = need("lightgbm", "LambdaMART")
        if grades.max() > MOST:
            raise InputError(f"LambdaMART takes grades up to {MOST}, and this sample has {grades.max()}")
        order = np.argsort(queries, kind="stable")
        sizes = np.bincount(queries)
        data = lightgbm.Dataset(features[order], grades[order], group=sizes[sizes > 0], free_raw_data=True)
        settings = {
            "objective": "lambdarank",
            "num_leaves": self.leaves,
            "min_data_in_leaf": self.least_documents,
            "min_data_in_bin": 1,
            "min_sum_hessian_in_leaf": LEAST_HESSIAN,
            "learning_rate": self.rate,
            "seed": self.seed,
            "num_threads": 1,
            "deterministic": True,
            "force_row_wise": True,
            "verbosity": -1,
        }
        self._model = lightgbm.train(settings, data, num_boost_round=self.trees)

    def _score(self, features: Floats) -> Floats:
        return np.asarray(self._model.predict(features, num_threads=1), np.float64)
