"""rulerank: learning-to-rank training sets with a fraction of the labels.

    import rulerank
    collection = rulerank.read_letor("train.txt")
    cuts = rulerank.discretize.Tube().fit(collection.features)
    items, useful = rulerank.discretize.useful_items(cuts, collection.features)
    sampler = rulerank.sampling.SSAR().start(items)
    print(sampler.propose())

Names are loaded when they are first used, so that `import rulerank` is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from rulerank._version import __version__

if TYPE_CHECKING:
    from rulerank import (
        agreement,
        campaign,
        clicks,
        discretize,
        export,
        metrics,
        ranking,
        registry,
        rules,
        sampling,
        simulate,
    )
    from rulerank.collection import Collection
    from rulerank.errors import LetorFormatError, RulerankError
    from rulerank.letor import read_letor, write_letor

_HOME = {
    "Collection": "rulerank.collection",
    "LetorFormatError": "rulerank.errors",
    "RulerankError": "rulerank.errors",
    "read_letor": "rulerank.letor",
    "write_letor": "rulerank.letor",
}
_ROOMS = (
    "agreement",
    "campaign",
    "clicks",
    "discretize",
    "export",
    "metrics",
    "ranking",
    "registry",
    "rules",
    "sampling",
    "simulate",
)

__all__ = [
    "Collection",
    "LetorFormatError",
    "RulerankError",
    "__version__",
    "agreement",
    "campaign",
    "clicks",
    "discretize",
    "export",
    "metrics",
    "ranking",
    "read_letor",
    "registry",
    "rules",
    "sampling",
    "simulate",
    "write_letor",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"rulerank.{name}")
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'rulerank' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
