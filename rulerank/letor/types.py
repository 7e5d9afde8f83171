"""Names for the types that the LETOR reader and writer share."""

from __future__ import annotations

from typing import Any

from rulerank.collection.codes import Array

__all__ = ["Array", "Scalar"]

Scalar = Any  # a number inside compiled code, of a type that only numba knows
