"""The bounded rule cache of Learning to Rank at Query-Time (section 4.2), and a miner that uses it.

The library's own scoring needs no cache (see `confidences`); this is the paper's device, kept to study its effect.
"""

from __future__ import annotations

import heapq
from collections import Counter

import numpy as np

from rulerank.errors import InputError
from rulerank.rules.items import Ints, Items, as_document, as_grades, as_items, check_antecedent
from rulerank.rules.rule import Item

Key = tuple[tuple[Item, ...], int]


class RuleCache:
    """At most `capacity` rules (X, r) -> (support, confidence); when full, the least supported rule goes first.

    A rule with support 0 is remembered too: it says that the antecedent does not occur with the grade. Among equally
    supported rules the one that was entered earlier goes first.

    >>> cache = RuleCache(capacity=1)
    >>> cache.put(((0, 3),), 1, support=2, confidence=0.5)
    >>> cache.put(((1, 0),), 0, support=5, confidence=1.0)
    >>> cache.get(((0, 3),), 1), cache.get(((1, 0),), 0), cache.evictions
    (None, (5, 1.0), 1)
    """

    def __init__(self, capacity: int) -> None:
        if capacity < 0:
            raise InputError(f"capacity must be at least 0, not {capacity}")
        self.capacity = capacity
        self.hits = 0
        self.misses = 0
        self.evictions = 0
        self.hits_of: Counter[Key] = Counter()
        self._entries: dict[Key, tuple[int, float]] = {}
        self._queue: list[tuple[int, int, Key]] = []
        self._entered = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def get(self, antecedent: tuple[Item, ...], grade: int) -> tuple[int, float] | None:
        """Return (support, confidence) of a cached rule, or None; counts a hit or a miss."""
        key = (antecedent, grade)
        entry = self._entries.get(key)
        if entry is None:
            self.misses += 1
        else:
            self.hits += 1
            self.hits_of[key] += 1
        return entry

    def put(self, antecedent: tuple[Item, ...], grade: int, support: int, confidence: float) -> None:
        """Enter a rule; if the cache is full, the least supported of all, this one included, stays out."""
        key = (antecedent, grade)
        if self.capacity == 0 or key in self._entries:
            return
        item = (support, self._entered, key)
        self._entered += 1
        if len(self._entries) < self.capacity:
            heapq.heappush(self._queue, item)
        else:
            leaving = heapq.heappushpop(self._queue, item)[2]
            if leaving == key:
                return
            self.evictions += 1
            del self._entries[leaving]
        self._entries[key] = (support, confidence)


class CachedMiner:
    """Mines a document's rules one by one from tid-lists, asking the cache first (Algorithm 2 with caching).

    mined: rules (X, r) that had to be generated. demands: how many documents drew each rule.

    >>> items, grades = np.array([[0, 0], [0, 1]], np.uint8), np.array([2, 0])
    >>> miner = CachedMiner(items, grades, RuleCache(100), max_antecedent=1)
    >>> miner.mine(np.array([0, 1], np.uint8))
    [((((0, 0),), 0), 1, 0.5), ((((0, 0),), 2), 1, 0.5), ((((1, 1),), 0), 1, 1.0)]
    """

    def __init__(self, items: Items, grades: Ints, cache: RuleCache, *, max_antecedent: int = 2) -> None:
        items = as_items(items)
        grades = as_grades(grades, len(items))
        self.cache = cache
        self.features = items.shape[1]
        self.max_antecedent = check_antecedent(max_antecedent)
        self.levels = [int(level) for level in np.unique(grades)]
        self._of_grade = {level: np.packbits(grades == level) for level in self.levels}
        self._holds: dict[Item, np.ndarray] = {}
        for feature in range(items.shape[1]):
            for number in np.unique(items[:, feature]):
                self._holds[feature, int(number)] = np.packbits(items[:, feature] == number)
        self.mined = 0
        self.demands: Counter[Key] = Counter()

    def _antecedents(self, held: list[Item]) -> list[tuple[Item, ...]]:
        sets: list[tuple[Item, ...]] = [(a,) for a in held]
        if self.max_antecedent >= 2:
            sets += [(a, b) for n, a in enumerate(held) for b in held[n + 1 :]]
        if self.max_antecedent >= 3:
            sets += [
                (a, b, c) for n, a in enumerate(held) for m, b in enumerate(held[n + 1 :], n + 1) for c in held[m + 1 :]
            ]
        return sets

    def mine(self, document: Items) -> list[tuple[Key, int, float]]:
        """Return ((antecedent, grade), support, confidence) of every rule of the document."""
        document = as_document(document, features=self.features)
        held = [(f, int(b)) for f, b in enumerate(document) if (f, int(b)) in self._holds]
        rules = []
        for antecedent in self._antecedents(held):
            entries = {level: self.cache.get(antecedent, level) for level in self.levels}
            missing = [level for level, entry in entries.items() if entry is None]
            if missing:
                entries |= self._generate(antecedent, missing)
            for level, entry in entries.items():
                if entry is not None and entry[0] > 0:
                    key = (antecedent, level)
                    self.demands[key] += 1
                    rules.append((key, *entry))
        return rules

    def _generate(self, antecedent: tuple[Item, ...], levels: list[int]) -> dict[int, tuple[int, float]]:
        """Generate the antecedent's rules for these grades by intersecting tid-lists, and enter them into the cache."""
        tids = self._holds[antecedent[0]]
        for item in antecedent[1:]:
            tids = tids & self._holds[item]
        total = int(np.bitwise_count(tids).sum())
        found = {}
        for level in levels:
            support = int(np.bitwise_count(tids & self._of_grade[level]).sum())
            found[level] = (support, support / total if total else 0.0)
            self.cache.put(antecedent, level, *found[level])
        self.mined += len(found)
        return found
