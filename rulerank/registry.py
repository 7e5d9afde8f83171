"""Registries: every strategy has a machine name (for files and databases) and a human label (for screens).

A new strategy is one new file in its package that decorates its class or function with `register`. An outside package
does the same in a file of its own, and names that file among its entry points:

    [project.entry-points."rulerank.samplers"]
    oldest_first = "my_package.oldest_first"

The entry point's name is the name that the file registers. A package that cannot be loaded does not break the rest: a
warning is logged, `Registry.broken` says what is wrong, and so does whoever asks for that name.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.metadata
import logging
import pkgutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from rulerank.errors import InputError, OutsidePackageError, UnknownNameError

T = TypeVar("T")

log = logging.getLogger(__name__)


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
    """Names, labels and values of one kind of strategy: ours in the order of their files, then those from outside.

    kind: what one of them is called. package: the package whose files register themselves. group: of the entry points
    by which outside packages add theirs; none: they cannot.

    >>> rankers["lrar"].label
    'LRAR (rules on demand)'
    >>> "ssar" in samplers.names(), "ssar" in rankers.names()
    (True, False)
    """

    def __init__(self, kind: str, package: str, group: str = "") -> None:
        self.kind = kind
        self.broken: dict[str, str] = {}
        """What is wrong with entry points that could not be loaded, by name."""
        self._package = package
        self._group = group
        self._entries: dict[str, Entry[T]] = {}
        self._own = False
        self._loading = False
        self._loaded = False
        self._lock = threading.RLock()

    def register(self, name: str, label: str, *, params: tuple[Any, ...] = ()) -> Callable[[T], T]:
        """Decorate a class or function to enter it under `name`; the value gains `name` and `label`.

        params: of a function, what its keyword arguments may be (`rulerank.strategy.Param`); a class lists its own.
        """

        def enter(value: T) -> T:
            if not f"{value.__module__}.".startswith(f"{self._package}."):
                self._load_own()  # so that no name from outside can take the place of one of ours
            if name in self._entries:
                raise InputError(f"two {self.kind}s are named {name!r}; choose another name")
            target: Any = value
            target.name = name
            target.label = label
            if params or not hasattr(target, "params"):
                target.params = params
            self._entries[name] = Entry(name, label, value)
            return value

        return enter

    def _load(self) -> dict[str, Entry[T]]:
        """Import every file of the package and every entry point once, so that each one registers itself."""
        if not self._loaded:
            with self._lock:  # a second thread waits for the whole list; the loading one may come back here
                self._load_own()
                if not self._loading:
                    self._loading = True
                    self._load_outside()
                    self._loaded = True
        return self._entries

    def _load_own(self) -> None:
        with self._lock:
            if self._own or self._loaded:
                return
            package = importlib.import_module(self._package)
            for module in pkgutil.iter_modules(package.__path__):
                importlib.import_module(f"{self._package}.{module.name}")
            self._own = True

    def _load_outside(self) -> None:
        points = importlib.metadata.entry_points(group=self._group) if self._group else ()
        for point in sorted(points, key=lambda point: point.name):
            before = dict(self._entries)
            try:
                point.load()
                if point.name not in self._entries:
                    raise InputError(f"it registers no {self.kind} of this name")
            except Exception as error:  # whatever a stranger's file does wrong: it must not take ours with it
                self._entries = before
                owner = f"{point.dist.name} {point.dist.version}" if point.dist else point.value
                self.broken[point.name] = (
                    f"the {self.kind} {point.name!r} of the package {owner} ({point.value}) cannot be loaded: "
                    f"{type(error).__name__}: {error}; fix or uninstall that package"
                )
                log.warning(self.broken[point.name])

    def __getitem__(self, name: str) -> T:
        entries = self._load()
        if name not in entries:
            if name in self.broken:
                raise OutsidePackageError(self.broken[name])
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


class Joined(Registry[T]):
    """Several registries seen as one, in this order; nothing is registered here."""

    def __init__(self, kind: str, *parts: Registry[T]) -> None:
        super().__init__(kind, "")
        self._parts = parts

    def _load(self) -> dict[str, Entry[T]]:
        self.broken = {name: why for part in self._parts for name, why in part.broken.items()}
        return {entry.name: entry for part in self._parts for entry in part}


discretizers: Registry[Any] = Registry("discretizer", "rulerank.discretize", "rulerank.discretizers")
rankers: Registry[Any] = Registry("ranker", "rulerank.ranking", "rulerank.rankers")
samplers: Registry[Any] = Registry("sampler", "rulerank.sampling", "rulerank.samplers")
metrics: Registry[Any] = Registry("metric", "rulerank.metrics", "rulerank.metrics")
