"""How many labels a curve took to a share of what all labels give, and how many of a baseline's that saves: in words.

A curve is known where it was measured. What it reached at the first point it may have reached before, and what it did
not reach within the budget it may reach right after: then only a bound can be told.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Span:
    """From where to where curves were measured, in labels."""

    first: int
    budget: int

    def at_once(self, labels: float) -> bool:
        """Say whether this is the first point measured, and fewer labels might have done."""
        return 1 < labels <= self.first

    def cell(self, labels: float, stays: float) -> str:
        """Return what a table says: "15", "15 (50)", "15 (-)", at the first point "≤ 10", beyond the budget "> 93"."""
        if np.isnan(labels):
            return f"> {self.budget:,d}"
        told = f"{'≤ ' if self.at_once(labels) else ''}{int(labels):,d}"
        if stays == labels:
            return told
        return f"{told} (-)" if np.isnan(stays) else f"{told} ({int(stays):,d})"

    def words(self, labels: float, stays: float) -> str:
        """Return what a sentence says: "15 labels (stays from 50)"."""
        if np.isnan(labels):
            return f"not within {self.budget:,d}"
        told = f"{'at most ' if self.at_once(labels) else ''}{int(labels):,d} label{'' if labels == 1 else 's'}"
        if stays == labels:
            return told
        return f"{told} (falls below again)" if np.isnan(stays) else f"{told} (stays from {int(stays):,d})"

    def saved(self, labels: float, base: float) -> str:
        """Return which share of the baseline's labels was not needed: "75%", or the bound that is certain."""
        if np.isnan(labels):
            return ""
        if np.isnan(base):
            return f"> {_whole(1 - labels / self.budget)}"
        if not self.at_once(base):
            share = 1 - labels / base
            return f"≥ {_whole(share)}" if self.at_once(labels) else f"{share:.0%}"
        # The baseline was there at once: nobody knows how many labels it took, only that they were no more than these.
        return "" if self.at_once(labels) else f"≤ {1 - labels / base:.0%}"


def _whole(share: float) -> str:
    """Return a bound from below in percent, rounded down, so that it stays one."""
    return f"{math.floor(share * 100 + 1e-9)}%"


def baseline_needs(summary: pd.DataFrame, baseline: str | None) -> dict[str, float]:
    """Return, by ranker, the labels that the baseline took to 95%; of all that was measured, shown or not."""
    if "to_95" not in summary:
        return {}
    base = summary[summary["sampler"] == baseline]
    return dict(zip(base["ranker"], base["to_95"].astype(float), strict=True))


def with_saved(summary: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Return the summary with two columns more: the baseline, and the share of its labels to 95% that was saved."""
    base: Mapping[str, float] = baseline_needs(summary, baseline)
    shares = 1 - summary["to_95"] / summary["ranker"].map(base) if base else np.nan
    return summary.assign(baseline=baseline, saved=shares)
