"""From edges to useful items, once: the same features are left out wherever documents become items.

A feature with one value in the whole pool carries no information. If it stayed, every document would hold its item:
rule counts would grow unevenly, and a sampler would leave the path of its authors' program.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulerank.discretize.base import Discretizer, informative_features
from rulerank.errors import InputError


def useful_items(
    fitted: Discretizer, features: ArrayLike, where: str = "the pool"
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the items of a pool's useful features [rows, useful], and the columns of `features` they come from.

    A feature is useful if it takes more than one item value in these rows. Items of other rows, such as a test part,
    are made with the same columns: `items_of(fitted, others, useful)`. `where` names the rows in an error.

    >>> from rulerank.discretize import EqualWidth
    >>> pool = [[0.0, 7.0], [1.0, 7.0]]
    >>> items, useful = useful_items(EqualWidth(bins=2).fit(pool), pool)
    >>> items.tolist(), useful.tolist()
    ([[0], [1]], [0])
    """
    items = fitted.transform(features)
    useful = np.flatnonzero(informative_features(items))
    if not useful.size:
        raise InputError(
            f"every feature has a single value in {where}, so no document can be distinguished from another"
        )
    return np.ascontiguousarray(items[:, useful]), useful


def items_of(fitted: Discretizer, features: ArrayLike, useful: ArrayLike) -> NDArray[np.uint8]:
    """Return the items of any rows for the columns that `useful_items` found in the pool."""
    return np.ascontiguousarray(fitted.transform(features)[:, np.asarray(useful, np.int64)])
