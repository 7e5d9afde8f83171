"""Numbers that a Collection's arrays use for what a number alone cannot say."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

Array = npt.NDArray[Any]

PRESENT, ABSENT, NULL = 0, 1, 2  # codes of `Collection.missing`
UNLABELLED = -1
MAX_GRADE = 32767
