"""MDLP, supervised bins by entropy and minimum description length (Fayyad and Irani, IJCAI 1993)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulerank.discretize.base import Discretizer, check_grades, map_columns, midway
from rulerank.discretize.mdlp_kernels import accepted_cuts
from rulerank.errors import InputError
from rulerank.registry import discretizers

MAX_GRADES = 256
"""More different grades than this are a mistake (scores in place of grades) and would need much memory."""


@discretizers.register("mdlp", "MDLP (supervised, Fayyad and Irani)")
class MDLP(Discretizer):
    """MDLP: cuts a feature where the entropy of the grades falls most, as long as that pays its description.

    A set S of N rows with k grades is cut in S1 and S2, midway between two neighbouring values, where the
    weighted entropy of the parts is least (the lowest cut on a tie), and each part likewise, as long as gain
    > (log2(N - 1) + log2(3^k - 2) - (k Ent(S) - k1 Ent(S1) - k2 Ent(S2))) / N. A feature without an accepted
    cut has one bin. `fit` needs y, one grade per row; rows with grade -1 (unlabelled) have no say in the cuts.

    >>> values, grades = [[0.1], [0.2], [0.3], [0.4], [0.6], [0.7], [0.8], [0.9]], [0, 0, 0, 0, 1, 1, 1, 1]
    >>> MDLP().fit(values, grades).edges_
    (array([0.1, 0.5, 0.9]),)
    """

    needs_grades = True

    def __init__(self) -> None:
        pass

    def _find_edges(self, X: NDArray[np.float64], y: ArrayLike | None) -> list[NDArray[np.float64]]:
        grades = check_grades(y, len(X))
        labelled = grades >= 0
        if not labelled.any():
            raise InputError("every grade in y is -1 (unlabelled); MDLP needs some rows with a grade")
        kinds, codes = np.unique(grades[labelled], return_inverse=True)
        if len(kinds) > MAX_GRADES:
            raise InputError(f"y has {len(kinds)} different grades; at most {MAX_GRADES} make sense for MDLP")

        n = np.arange(len(codes) + 1, dtype=np.float64)
        n_log_n = n * np.log2(np.maximum(n, 1))

        def column_edges(column: NDArray[np.float64]) -> NDArray[np.float64]:
            values, where = np.unique(column[labelled], return_inverse=True)
            table = np.bincount(where * len(kinds) + codes, minlength=len(values) * len(kinds))
            accepted = accepted_cuts(table.reshape(len(values), len(kinds)).astype(np.int64), n_log_n)
            cut = np.flatnonzero(accepted)
            return np.concatenate(([column.min()], midway(values[cut - 1], values[cut]), [column.max()]))

        return map_columns(column_edges, X)
