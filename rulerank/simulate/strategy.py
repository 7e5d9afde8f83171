"""A strategy by name with its parameters: what a plan says of each sampler, ranker and discretiser."""

from __future__ import annotations

import difflib
import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from rulerank.errors import InputError, UnknownNameError
from rulerank.registry import Registry, rankers, samplers
from rulerank.simulate.learners import learners

SEEDS = "seeds"
"""The word that, among a sampler's parameters, says how many seeds that sampler alone is repeated with."""

MOST_SEEDS = 1000


@dataclass(frozen=True)
class Strategy:
    """A registered name, the parameters that differ from its defaults, and (for samplers) a number of seeds of its own.

    `key` names it in tables: `ssarp`, or `ssarp:partitions=8` where parameters are given; `parse` reads that again.
    """

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)
    seeds: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"a strategy has a name, not {self.name!r}")
        if not isinstance(self.params, Mapping) or any(not isinstance(name, str) for name in self.params):
            raise InputError(f"the parameters of {self.name} must be named values, not {self.params!r}")
        try:
            json.dumps(dict(self.params), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise InputError(f"the parameters of {self.name} must be plain numbers and texts: {error}") from None
        if self.seeds is not None and (type(self.seeds) is not int or not 1 <= self.seeds <= MOST_SEEDS):
            raise InputError(f"{self.name}: seeds must be a whole number in 1 to {MOST_SEEDS}, not {self.seeds!r}")

    def __hash__(self) -> int:
        return hash((self.key, self.seeds))

    @property
    def key(self) -> str:
        """The name in tables: the strategy's own, and its parameters where some are given."""
        return ":".join([self.name, *(f"{name}={_text(self.params[name])}" for name in sorted(self.params))])

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `name` or `name:parameter=value:parameter=value`; `seeds=5` is the number of seeds."""
        name, *given = text.strip().split(":")
        params: dict[str, Any] = {}
        for each in given:
            word, equals, value = each.partition("=")
            if not equals or not word.strip():
                raise InputError(f"{text!r}: write parameters as name:parameter=value, for example ssarp:partitions=8")
            if word.strip() in params:
                raise InputError(f"{text!r}: {word.strip()} is given twice")
            params[word.strip()] = _value(value.strip())
        return cls(name, params, params.pop(SEEDS, None))

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON types."""
        return {"name": self.name, "params": dict(self.params), "seeds": self.seeds}

    @classmethod
    def from_dict(cls, saved: Any) -> Self:
        """Rebuild what `to_dict` returned; a plain text is read as `parse` does."""
        if isinstance(saved, cls):
            return saved
        if isinstance(saved, str):
            return cls.parse(saved)
        if not isinstance(saved, Mapping) or "name" not in saved or set(saved) - {"name", "params", "seeds"}:
            raise InputError(f"a strategy is a name, or has name, params and seeds; this is {saved!r}")
        return cls(saved["name"], saved.get("params") or {}, saved.get("seeds"))

    def check(self, kind: Any) -> Self:
        """Return the strategy if `kind` takes all of its parameters."""
        known = list(inspect.signature(kind).parameters)
        for name in self.params:
            if name not in known:
                close = difflib.get_close_matches(name, known, n=1)
                hint = f"; did you mean {close[0]!r}?" if close else f"; it has: {', '.join(known) or 'none'}"
                raise InputError(f"{self.name} has no parameter {name!r}{hint}")
        seed = self.params.get("seed", 0)
        if type(seed) is not int or seed < 0:
            raise InputError(f"{self.name}: seed must be a whole number of at least 0, not {seed!r}")
        return self

    def make(self, kind: Any, **more: Any) -> Any:
        """Make an object of `kind` with these parameters, and those of `more` that are not among them."""
        return self.check(kind) and kind(**{**more, **self.params})


def _value(text: str) -> Any:
    """Read a number, true, false or null as JSON does, and anything else as text."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def is_seeded(strategy: Strategy) -> bool:
    """Say whether a sampler draws at random, so that it is repeated: it takes a seed, and none is given."""
    return "seed" in inspect.signature(samplers[strategy.name]).parameters and "seed" not in strategy.params


def ranker_kind(name: str) -> Any:
    """Return the class of a ranker: an associative one, or one of the learners that only simulations use."""
    for registry in (rankers, learners):
        if name in registry:
            return registry[name]
    known = ranker_names()
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else "."
    raise UnknownNameError(f"no ranker is named {name!r}{hint} Known: {', '.join(known)}.")


def ranker_names() -> list[str]:
    """Return the names that a plan may use for its rankers."""
    return [*rankers.names(), *learners.names()]


def label_of(strategy: Strategy, registry: Registry[Any] | None = None) -> str:
    """Return the label that screens show, with the parameters where some are given; no registry: a ranker's.

    What a kind counts from 0 (`counts_from_zero`) is told as people count, from 1.
    """
    kind = ranker_kind(strategy.name) if registry is None else registry[strategy.name]
    from_one = getattr(kind, "counts_from_zero", ())
    told = {
        name: value + 1 if name in from_one and type(value) is int else value for name, value in strategy.params.items()
    }
    given = ", ".join(f"{name.replace('_', ' ')} {_text(told[name])}" for name in sorted(told))
    return f"{kind.label} with {given}" if given else str(kind.label)
