"""Names for the types that the LETOR reader and writer share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rulerank.collection.codes import Array

__all__ = ["Array", "Progress", "Scalar"]

Scalar = Any  # a number inside compiled code, of a type that only numba knows
Progress = Callable[[int, int | None], None]
