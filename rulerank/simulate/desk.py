"""The desk: a folder from which several processes work, with the plan and the arrays of the folds."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import Any

from rulerank.simulate.plan import Plan
from rulerank.simulate.prepared import Prepared

PLAN = "plan.json"


class Desk:
    """What the processes of a run share, by way of files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put_plan(self, plan: Plan, grid: list[int]) -> None:
        """Write what is to be done."""
        (self.folder / PLAN).write_text(json.dumps({"plan": plan.to_dict(), "grid": grid}), encoding="utf-8")

    def put_fold(self, fold: Prepared) -> None:
        """Write the arrays of a fold."""
        fold.save(self.folder / f"fold{fold.number}")

    @cached_property
    def _saved(self) -> dict[str, Any]:
        return json.loads((self.folder / PLAN).read_text(encoding="utf-8"))

    @property
    def plan(self) -> Plan:
        """The plan."""
        return Plan.from_dict(self._saved["plan"])

    @property
    def grid(self) -> list[int]:
        """After how many labels to measure."""
        return list(self._saved["grid"])

    def fold(self, number: int) -> Prepared:
        """Return a fold's arrays, mapped into memory."""
        return Prepared.load(self.folder / f"fold{number}")
