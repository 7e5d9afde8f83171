"""What the columns of tables 1 to 3 of Rule-Based Active Sampling mean (its section 4.2), one function each.

| column | meaning |
| --- | --- |
| SSAR, SSARP | MAP of LRAR trained on what the sampler selected from the training part, ranking the test part |
| LRAR | MAP of LRAR trained on the whole training part, with supervised bins (MDLP) |
| LBM25 | MAP of LRAR trained on as many documents, those with the highest value of the BM25 feature |
| Random | MAP of LRAR trained on as many documents drawn at random, mean of 20 draws in each fold |
| SVMS, SBM25, Random (table 3) | the same three samples, of SSARP's size, with SVMRank in place of LRAR |
| G% | `gain_percent` |
| Sel, Utot | documents selected until the natural stop; documents of the training part |
| Sel% | `selected_percent` |
| RSel%, R25%, R% | `relevant_percent` of the selected ones, of the BM25 baseline's, and of the training part |

The paper averages over five folds, and rounds the means of Sel and Utot to whole documents. All 24 printed RSel% and
R25% end in an even digit, so they are means of five percentages that had been rounded to one digit; ours are not
rounded before they are averaged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rulerank.errors import InputError


def selected_percent(selected: float, pool: float) -> float:
    """Sel%: the share of the training part (U, the unlabelled set) that was selected, 100 Sel / Utot."""
    if not pool > 0:
        raise InputError("the pool is empty, so no share of it can be selected")
    return 100 * selected / pool


def relevant_percent(grades: Any) -> float:
    """RSel%, R25% and R%: the share of relevant documents (grade 1 or more) among these documents, in percent.

    Not a recall: the paper's RSel% is the proportion of relevant documents in the selected set, R25% in the one that
    the BM25 baseline selects, and R% in the full training set. Of no documents: 0.
    """
    levels = np.asarray(grades)
    return 100 * float(np.count_nonzero(levels > 0)) / levels.size if levels.size else 0.0


def gain_percent(value: Any, baselines: Iterable[Any]) -> Any:
    """G%: how much better than the best baseline, 100 (value / max(baselines) - 1); not a number if that one is 0.

    In tables 1 and 2 SSAR (SSARP) over the better of LBM25 and Random, in table 3 SVMS over the better of SBM25 and
    Random. LRAR with all labels is a reference and no baseline. Takes numbers, or arrays of bootstrap means.
    """
    best = np.maximum.reduce([np.asarray(baseline, np.float64) for baseline in baselines])
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = 100 * (np.asarray(value, np.float64) / best - 1)
    return np.where(best > 0, gain, np.nan)[()]


def top_rows(order: Sequence[int] | npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
    """Return the first `count` rows of a baseline's order: the baselines spend as many labels as the sampler did."""
    rows = np.asarray(order, np.int64)
    if rows.size < count:
        raise InputError(f"{count} documents are to be selected, and there are only {rows.size}")
    return rows[:count]
