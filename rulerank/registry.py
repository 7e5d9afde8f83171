"""Registries: every strategy has a machine name (for files and databases) and a human label (for screens).

A new strategy is one new file in its package that decorates its class or function with `register`.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from rulerank.errors import InputError, UnknownNameError

T = TypeVar("T")


@dataclass(frozen=True)
class Entry(Generic[T]):
    """One registered strategy."""

    name: str
    label: str
    value: T

    @property
    def summary(self) -> str:
        """The first line of the strategy's docstring, for help texts."""
        return (self.value.__doc__ or "").strip().split("\n")[0]


class Registry(Generic[T]):
    """Names, labels and values of one kind of strategy, in the order of their registration."""

    def __init__(self, kind: str, package: str) -> None:
        self.kind = kind
        self._package = package
        self._entries: dict[str, Entry[T]] = {}
        self._loaded = False
        self._lock = threading.RLock()

    def register(self, name: str, label: str) -> Callable[[T], T]:
        """Decorate a class or function to enter it under `name`; the value gains `name` and `label`."""

        def enter(value: T) -> T:
            if name in self._entries:
                raise InputError(f"two {self.kind}s are named {name!r}; choose another name")
            target: Any = value
            target.name = name
            target.label = label
            self._entries[name] = Entry(name, label, value)
            return value

        return enter

    def _load(self) -> dict[str, Entry[T]]:
        """Import every file of the package once, so that each one registers itself."""
        if not self._loaded:
            with self._lock:  # a second thread waits for the whole list; the loading one may come back here
                package = importlib.import_module(self._package)
                for module in pkgutil.iter_modules(package.__path__):
                    importlib.import_module(f"{self._package}.{module.name}")
                self._loaded = True
        return self._entries

    def __getitem__(self, name: str) -> T:
        entries = self._load()
        if name not in entries:
            close = difflib.get_close_matches(name, entries, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else "."
            raise UnknownNameError(f"no {self.kind} is named {name!r}{hint} Known: {', '.join(entries)}.")
        return entries[name].value

    def __iter__(self) -> Iterator[Entry[T]]:
        return iter(self._load().values())

    def __contains__(self, name: object) -> bool:
        return name in self._load()

    def __len__(self) -> int:
        return len(self._load())

    def names(self) -> list[str]:
        """Return the machine names, in the order of registration."""
        return list(self._load())


discretizers: Registry[Any] = Registry("discretiser", "rulerank.discretize")
rankers: Registry[Any] = Registry("ranker", "rulerank.ranking")
samplers: Registry[Any] = Registry("sampler", "rulerank.sampling")
metrics: Registry[Any] = Registry("metric", "rulerank.metrics")
