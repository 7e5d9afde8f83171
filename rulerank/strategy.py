"""One description of a strategy: its registered name, and parameters that describe themselves.

Campaign settings, simulations, the command line, forms and saved files all use these: `Param` says what one parameter
may be, a registered class lists its own (`Configurable.params`), and a `Strategy` names a class and gives values.
"""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from rulerank.errors import InputError
from rulerank.registry import Registry

SEEDS = "seeds"
"""The word that, among a sampler's parameters, says how many seeds that sampler alone is repeated with."""

MOST_SEEDS = 1000


def with_new_spelling(saved: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return saved settings with `discretizer` where older versions wrote `discretiser`.

    Both at once are refused: nothing says which of them is meant.

    >>> with_new_spelling({"discretiser": "tube", "seed": 1})
    {'discretizer': 'tube', 'seed': 1}
    """
    old, new = "discretiser", "discretizer"
    if old not in saved:
        return saved
    if new in saved:
        raise InputError(f"{old} is the old spelling of {new}: give one of them, not both")
    return {new if name == old else name: value for name, value in saved.items()}


@dataclass(frozen=True)
class Param:
    """One parameter: its name, type, default, what it is for in one sentence, and which values it takes.

    type: int, float, str or bool. low, high: the range of a number, both ends included; above: a number that it must
    exceed. choices: for a text, all values that it may have; for a number, words that may stand in its place.
    counts_from_zero: people see it counted from 1 (features, as LETOR numbers them).

    >>> bins = Param("bins", int, 10, "Bins per feature.", low=2, high=256, choices=("cv",))
    >>> bins.check(8), bins.check("cv")
    (8, 'cv')
    >>> bins.values
    "a whole number from 2 to 256, or 'cv'"
    """

    name: str
    type: type
    default: Any
    help: str
    low: float | None = None
    high: float | None = None
    above: float | None = None
    choices: tuple[str, ...] = ()
    counts_from_zero: bool = False

    def check(self, value: Any) -> Any:
        """Return the value if the parameter may have it; an InputError says what it may have."""
        if isinstance(value, str) and (value in self.choices or (self.type is str and not self.choices)):
            return value
        if self.type is bool and isinstance(value, bool):
            return value
        if self.type in (int, float) and self._is_number(value) and self._is_inside(value):
            return value
        raise InputError(f"{self.name} must be {self.values}, not {value!r}")

    def _is_number(self, value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, int if self.type is int else int | float):
            return False
        return math.isfinite(value)

    def _is_inside(self, value: float) -> bool:
        return (
            (self.low is None or value >= self.low)
            and (self.high is None or value <= self.high)
            and (self.above is None or value > self.above)
        )

    @property
    def values(self) -> str:
        """The values that it takes, in words."""
        words = " or ".join(repr(word) for word in self.choices)
        if self.type is bool:
            return "true or false"
        if self.type is str:
            return words or "a text"
        number = "a whole number" if self.type is int else "a number"
        if self.above is not None:
            number += f" above {self.above:g}" + (f" and at most {self.high:g}" if self.high is not None else "")
        elif self.low is not None:
            number += f" from {self.low} to {self.high}" if self.high is not None else f" of at least {self.low}"
        return f"{number}, or {words}" if words else number


def seed_param(help: str = "Seed of the random numbers; the same seed gives the same result.") -> Param:
    """Return the parameter of whatever draws at random."""
    return Param("seed", int, 0, help, low=0, high=2**63 - 1)


class Configurable:
    """The base of what is registered with parameters, in scikit-learn's manner (`get_params`, `set_params`).

    A subclass keeps each argument of `__init__` under the attribute of the same name, and describes it in `params`;
    arguments that are data rather than parameters (the terms of queries) are named in `data_params`.

    >>> from rulerank.sampling import SSARP
    >>> sampler = SSARP(partitions=3)
    >>> sampler.get_params()
    {'partitions': 3, 'max_antecedent': 2, 'scoring': 'paper'}
    >>> sampler.set_params(partitions=4)
    SSARP(partitions=4)
    """

    name: str
    label: str
    params: ClassVar[tuple[Param, ...]] = ()
    data_params: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def has_param(cls, name: str) -> bool:
        """Say whether there is a parameter of this name."""
        return any(param.name == name for param in cls.params)

    @classmethod
    def takes(cls, name: str) -> bool:
        """Say whether the constructor takes an argument of this name, as a parameter or as data."""
        return name in cls.data_params or cls.has_param(name)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's arguments by name (`deep` is there for scikit-learn's sake)."""
        return {name: getattr(self, name) for name in (*self.data_params, *(param.name for param in self.params))}

    def set_params(self, **params: Any) -> Self:
        """Change some of the constructor's arguments and return the object."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise InputError(f"{type(self).__name__} has no parameter {name!r}; it has: {', '.join(known)}")
            setattr(self, name, value)
        return self

    def changed_params(self) -> dict[str, Any]:
        """Return the constructor's arguments that are not the defaults."""
        defaults = {param.name: param.default for param in self.params}
        return {
            name: value
            for name, value in self.get_params().items()
            if value is not defaults.get(name) and value != defaults.get(name)
        }

    def __repr__(self) -> str:
        changed = [f"{name}={value!r}" for name, value in self.changed_params().items()]
        return f"{type(self).__name__}({', '.join(changed)})"


@dataclass(frozen=True)
class Strategy:
    """A registered name, the parameters that differ from its defaults, and (for samplers) a number of seeds of its own.

    `key` names it in tables: `ssarp`, or `ssarp:partitions=8` where parameters are given; `parse` reads that again.

    >>> strategy = Strategy.parse("ssarp:partitions=8")
    >>> strategy.name, strategy.params, strategy.key
    ('ssarp', {'partitions': 8}, 'ssarp:partitions=8')
    >>> from rulerank.registry import samplers
    >>> strategy.make(samplers)
    SSARP(partitions=8)
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
        return ":".join([self.name, *(f"{name}={as_text(self.params[name])}" for name in sorted(self.params))])

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

    def check(self, registry: Registry[Any]) -> Self:
        """Return the strategy if the registry has it and it takes these values for its parameters."""
        known = {param.name: param for param in registry[self.name].params}
        for name, value in self.params.items():
            if name not in known:
                close = difflib.get_close_matches(name, known, n=1)
                hint = f"; did you mean {close[0]!r}?" if close else f"; it has: {', '.join(known) or 'none'}"
                raise InputError(f"{self.name} has no parameter {name!r}{hint}")
            try:
                known[name].check(value)
            except InputError as error:
                raise InputError(f"{self.key}: {error}") from None
        return self

    def kind(self, registry: Registry[Any]) -> Any:
        """Return the registered class, which states what it can do."""
        return registry[self.name]

    def make(self, registry: Registry[Any], shared: Mapping[str, Any] | None = None) -> Any:
        """Make an object of the registered class with these parameters.

        Of what is `shared` (a campaign's seed, the terms of queries), the class gets what it takes and was not given.
        """
        kind = self.check(registry).kind(registry)
        taken = {name: value for name, value in (shared or {}).items() if kind.takes(name)}
        return kind(**{**taken, **self.params})

    def values(self, registry: Registry[Any]) -> dict[str, Any]:
        """Return the values of all its parameters: those that are given, and the defaults of the others."""
        return {param.name: self.params.get(param.name, param.default) for param in registry[self.name].params}

    def is_seeded(self, registry: Registry[Any]) -> bool:
        """Say whether it draws at random, so that it is repeated: it takes a seed, and none is given."""
        return bool(registry[self.name].has_param("seed")) and "seed" not in self.params

    def label(self, registry: Registry[Any]) -> str:
        """Return the label that screens show, with the parameters where some are given."""
        kind = registry[self.name]
        from_one = {param.name for param in kind.params if param.counts_from_zero}
        shown = {
            name: value + 1 if name in from_one and type(value) is int else value for name, value in self.params.items()
        }
        given = ", ".join(f"{name.replace('_', ' ')} {_said(shown[name])}" for name in sorted(shown))
        return f"{kind.label} with {given}" if given else str(kind.label)


def _value(text: str) -> Any:
    """Read a number, true, false or null as JSON does, and anything else as text."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def as_text(value: Any) -> str:
    """Write a value as `parse` reads it: a text as it is, unless that would be read as something else."""
    if isinstance(value, str) and _value(value) == value and value == value.strip() and not set(value) & set(":,@"):
        return value
    # The escapes keep what separates parameters, strategies in a list, and cut-offs of measures out of the text.
    return json.dumps(value).translate({ord(mark): f"\\u{ord(mark):04x}" for mark in ":,@"})


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
