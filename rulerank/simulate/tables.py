"""Results as tidy tables and plain JSON, and labels needed and saved in words."""

from __future__ import annotations

import gzip
import importlib
import importlib.util
import io
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rulerank.errors import InputError
from rulerank.simulate.store import About, Finished

if TYPE_CHECKING:
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
        text = f"{'≤ ' if self.at_once(labels) else ''}{int(labels):,d}"
        if stays == labels:
            return text
        return f"{text} (-)" if np.isnan(stays) else f"{text} ({int(stays):,d})"

    def words(self, labels: float, stays: float) -> str:
        """Return what a sentence says: "15 labels (stays from 50)"."""
        if np.isnan(labels):
            return f"not within {self.budget:,d}"
        text = f"{'at most ' if self.at_once(labels) else ''}{int(labels):,d} label{'' if labels == 1 else 's'}"
        if stays == labels:
            return text
        return f"{text} (falls below again)" if np.isnan(stays) else f"{text} (stays from {int(stays):,d})"

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


def tidy_rows(finished: Finished, about: About) -> Iterator[dict[str, Any]]:
    """Yield a finished task's values, one row per ranker, point and metric."""
    outcome = finished.outcome
    selecting = np.concatenate([[0.0], outcome.choice.seconds])
    found = finished.relevant_found
    for point, kind in enumerate(_kinds(finished)):
        for place, ranker in enumerate(finished.task.rankers):
            for which, metric in enumerate(about.plan.metrics):
                yield {
                    **_who(finished, about, ranker.key),
                    "labels": int(outcome.labels[point]),
                    "used": int(outcome.used[point]),
                    "metric": metric,
                    "value": float(outcome.values[place, point, which].mean()),
                    "expected": float(outcome.expected[place, point, which].mean()),
                    "relevant_found": float(found[point]),
                    "select_seconds": float(selecting[min(outcome.used[point], selecting.size - 1)]),
                    "train_seconds": float(outcome.seconds[place, point]),
                    "point": kind,
                }


def query_frame(finished: Finished, about: About) -> pd.DataFrame:
    """Return a finished task's values query by query."""
    import pandas as pd  # noqa: PLC0415 (half a second that only tables need)

    outcome, queries = finished.outcome, about.queries[finished.task.fold]
    rankers, points, metrics, size = outcome.values.shape
    who = [_who(finished, about, ranker.key) for ranker in finished.task.rankers]
    frame = pd.DataFrame([row for row in who for _ in range(points * metrics * size)])
    frame["labels"] = np.tile(np.repeat(outcome.labels, metrics * size), rankers)
    frame["point"] = np.tile(np.repeat(_kinds(finished), metrics * size), rankers)
    frame["metric"] = np.tile(np.repeat(about.plan.metrics, size), rankers * points)
    names = [name.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for name in queries]  # bytes as text
    frame["qid"] = np.tile(np.array(names, dtype=object), rankers * points * metrics)
    frame["value"] = outcome.values.reshape(-1)
    frame["expected"] = outcome.expected.reshape(-1)
    return frame


def _kinds(finished: Finished) -> list[str]:
    if finished.task.is_ceiling:
        return ["all"]
    return ["grid" if on_grid else "stop" for on_grid in finished.outcome.on_grid]


def _who(finished: Finished, about: About, ranker: str) -> dict[str, Any]:
    task = finished.task
    return {
        "dataset": about.dataset,
        "fold": task.fold,
        "sampler": task.sampler.key if task.sampler else "",
        "seed": math.nan if task.seed is None else task.seed,
        "ranker": ranker,
    }


def encoded(frame: pd.DataFrame, path: Path, settings: dict[str, Any]) -> bytes:
    """Return a frame as the bytes of a `.csv`, `.csv.gz` or `.parquet` file, by the path's ending."""
    frame = frame.astype({"seed": "Int64"})
    if path.name.endswith(".csv"):
        return frame.to_csv(index=False).encode()
    if path.name.endswith(".csv.gz"):
        return gzip.compress(frame.to_csv(index=False).encode(), mtime=0)
    if path.name.endswith(".parquet"):
        arrow, parquet = _arrow("pyarrow"), _arrow("pyarrow.parquet")
        table = arrow.Table.from_pandas(frame, preserve_index=False)
        kept = {**(table.schema.metadata or {}), b"rulerank": json.dumps(settings).encode()}
        buffer = io.BytesIO()
        parquet.write_table(table.replace_schema_metadata(kept), buffer)
        return buffer.getvalue()
    raise InputError(f"{path.name}: tables are written as .csv, .csv.gz or .parquet")


def can_write_parquet() -> bool:
    """Say whether the package that writes parquet files is installed."""
    return importlib.util.find_spec("pyarrow") is not None


def _arrow(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise InputError("parquet files need the package pyarrow, which is not installed; write .csv instead") from None


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a frame's rows as plain JSON types; what is not a number becomes null."""
    return [{name: _plain(value) for name, value in row.items()} for row in frame.to_dict("records")]


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not math.isfinite(value) else value
