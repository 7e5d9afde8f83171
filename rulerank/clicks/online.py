"""Online metrics of a session, and their correlation with an offline metric over configurations.

| name | value of a session |
| --- | --- |
| UCTR | 1 if anything was clicked |
| MaxRR, MinRR, MeanRR | largest, smallest and mean 1 / position of its clicks |
| PLC | number of clicks / position of the lowest click |

Chapelle et al. (CIKM 2009), as used by Drutsa et al. (2016, table 3). A session without a click has 0 in all of them;
or, as Radlinski, Kurup and Joachims (CIKM 2008) advise, none but UCTR is defined for it (`no_click="skip"`).
"""

from __future__ import annotations

import numpy as np

from rulerank.clicks.likelihood import Floats
from rulerank.clicks.log import ClickLog, Ints
from rulerank.errors import InputError

ONLINE = {"uctr": "UCTR", "max_rr": "MaxRR", "min_rr": "MinRR", "mean_rr": "MeanRR", "plc": "PLC"}
"""Machine names and labels of the online metrics, in the order of the paper's table 3."""
NO_CLICK = ("zero", "skip")


def session_metrics(log: ClickLog) -> Floats:
    """Return the online metrics of each row of a log, one column each; sessions without a click have 0."""
    clicked = log.row_clicked
    reciprocal = np.where(clicked, 1.0 / np.arange(1, log.depth + 1), 0.0)
    clicks = clicked.sum(axis=1)
    any_click = clicks > 0
    lowest = np.where(any_click, log.row_stop, 1)
    return np.column_stack(
        [
            any_click.astype(float),
            reciprocal.max(axis=1),
            np.where(any_click, 1.0 / lowest, 0.0),
            reciprocal.sum(axis=1) / np.maximum(clicks, 1),
            clicks / lowest,
        ]
    )


def by_configuration(log: ClickLog, count: Ints | None = None, no_click: str = "zero") -> tuple[Floats, Floats]:
    """Return the means of the online metrics of each configuration, and the sessions behind each mean."""
    if no_click not in NO_CLICK:
        raise InputError(f"no_click must be one of {', '.join(NO_CLICK)}, not {no_click!r}")
    weights = (log.count if count is None else count).astype(np.float64)
    values = session_metrics(log)
    means, behind = np.zeros((2, log.configurations, len(ONLINE)))
    for column, name in enumerate(ONLINE):
        own = weights * (values[:, 0] > 0) if no_click == "skip" and name != "uctr" else weights
        behind[:, column] = np.bincount(log.row_config, weights=own, minlength=log.configurations)
        sums = np.bincount(log.row_config, weights=own * values[:, column], minlength=log.configurations)
        means[:, column] = sums / np.maximum(behind[:, column], 1e-300)
    return means, behind


def weighted_correlation(first: Floats, second: Floats, weights: Floats) -> float:
    """Return Pearson's correlation with weights; NaN where one of the two does not vary."""
    total = weights.sum()
    if total <= 0:
        return float("nan")
    share = weights / total
    left, right = first - share @ first, second - share @ second
    spread = np.sqrt((share @ left**2) * (share @ right**2))
    scale = np.sqrt((share @ first**2) * (share @ second**2))
    return float(share @ (left * right) / spread) if spread > 1e-12 * scale and spread > 0 else float("nan")


def correlations(offline: Floats, log: ClickLog, count: Ints | None = None, no_click: str = "zero") -> dict[str, float]:
    """Return the correlation of an offline metric (a value a configuration) with each online metric.

    Configurations weigh as many sessions as stand behind their mean.
    """
    means, behind = by_configuration(log, count, no_click)
    return {
        name: weighted_correlation(offline[used], means[used, column], behind[used, column])
        for column, name in enumerate(ONLINE)
        for used in [behind[:, column] > 0]
    }
