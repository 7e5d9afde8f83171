"""How far colours are apart for people who see them as most do, and for people who do not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

# Machado et al. (2009), severity 1.0, on linear RGB.
SIGHT = {
    "usual": np.eye(3),
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritan": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
WHOSE = {
    "usual": "",
    "protan": " to people who do not tell red from green",
    "deutan": " to people who do not tell red from green",
    "tritan": " to people who do not tell blue from green",
}
APART = 0.07
"""The least distance in Oklab of colours that are to be told apart, as the theme's own lines have it."""

_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def seen(colour: str, sight: str) -> np.ndarray:
    """Return a colour (#rrggbb) in Oklab as somebody of a kind of sight sees it."""
    share = np.array(list(bytes.fromhex(colour.removeprefix("#")))) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return _LAB @ np.cbrt(_CONES @ np.clip(SIGHT[sight] @ linear, 0, 1))


def distance(first: str, second: str, sight: str = "usual") -> float:
    """Return how far two colours are apart.

    >>> distance("#D00000", "#5A7A00") > 0.2, distance("#D00000", "#5A7A00", "deutan") < 0.1
    (True, True)
    """
    return float(np.linalg.norm(seen(first, sight) - seen(second, sight)))


def alike(colours: Sequence[str], own: Sequence[str]) -> str | None:
    """Say which two grades cannot be told apart by their colours, and by whom; None if all can.

    own: the colours that somebody chose, nothing for a usual one; two usual ones are not complained of.
    """
    for sight, whose in WHOSE.items():
        for (low, first), (high, second) in combinations(enumerate(colours), 2):
            if (own[low] or own[high]) and distance(first, second, sight) < APART:
                return f"The colours of grades {low} and {high} look alike{whose}: make one clearly lighter or darker."
    return None
