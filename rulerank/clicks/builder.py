"""Build a log session by session: what was seen before is only counted, so a log larger than memory streams."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rulerank.clicks.log import DEEPEST, LARGEST_GRADE, ClickLog, LogReading, counted
from rulerank.clicks.source import RowError, RowProblems
from rulerank.errors import InputError
from rulerank.foreign.numbers import LARGEST, shown
from rulerank.foreign.storable import unstorable
from rulerank.memory import MemoryMeter
from rulerank.metrics.intents import ANY

UNJUDGED = ("drop", "zero")
"""What becomes of a session with a result that has no grade: left out, as in the paper, or taken for grade 0."""

BYTES_PER_ENTRY = 150  # of a name or a list of results, beside its own bytes
BYTES_PER_PLACE = 12  # document, language and grade of a place in a list
BYTES_PER_ROW = 300  # of a number of equal sessions


class LogBuilder:
    """Counts sessions by configuration and pattern.

    >>> builder = LogBuilder()
    >>> builder.add("jaguar", ["d1", "d2"], grades=[0, 2], clicks=[0, 1], sessions=3)
    >>> builder.add("jaguar", ["d1", "d2"], grades=[0, 2], clicks=[0, 0])
    >>> builder.finish().sessions
    4
    """

    def __init__(
        self,
        *,
        depth: int | None = None,
        max_grade: int | None = None,
        languages: Sequence[str] | None = None,
        unjudged: str = "drop",
    ) -> None:
        if depth is not None and not 1 <= depth <= DEEPEST:
            raise InputError(f"depth must be a number of results from 1 to {DEEPEST}, not {depth!r}")
        if max_grade is not None and not 1 <= max_grade <= LARGEST_GRADE:
            raise InputError(f"the best grade must be from 1 to {LARGEST_GRADE}, not {max_grade!r}")
        if unjudged not in UNJUDGED:
            raise InputError(f"unjudged must be one of {', '.join(UNJUDGED)}, not {unjudged!r}")
        self._depth, self._max_grade, self._unjudged = depth, max_grade, unjudged
        self._asked = None if languages is None else tuple(languages)
        self._queries: dict[str, int] = {}
        self._documents: dict[str, int] = {}
        self._languages: dict[str, int] = {}
        self._configs: dict[bytes, int] = {}
        self._counts: dict[tuple[int, int], int] = {}
        self._meter = MemoryMeter("the sessions up to here, counted by what they show and what is clicked,")
        self._longest = 0
        self._sessions = 0
        self.rows = 0
        self.dropped = 0

    def add(
        self,
        query: str,
        documents: Sequence[str],
        grades: Sequence[int | None],
        clicks: Sequence[int],
        languages: Sequence[str] | None = None,
        sessions: int = 1,
    ) -> None:
        """Count a session (or several equal ones); a RowError says what is wrong with it."""
        self.check_sessions(sessions)
        pattern = self.pattern(clicks, len(documents))
        self.count(self.configuration(query, documents, grades, languages), pattern, sessions)

    @staticmethod
    def check_sessions(sessions: int) -> None:
        """Say so if this cannot be a number of sessions."""
        if isinstance(sessions, bool) or not isinstance(sessions, int) or not 1 <= sessions <= LARGEST:
            raise RowError(f"sessions is a whole number from 1 to {LARGEST}, not {shown(sessions)}")

    def configuration(
        self, query: str, documents: Sequence[str], grades: Sequence[int | None], languages: Sequence[str] | None = None
    ) -> int:
        """Return the number by which `count` knows a list of results; -1 if its sessions are left out."""
        if not query:
            raise RowError("the query is empty")
        count = len(documents)
        if not count:
            raise RowError("there are no documents")
        for name, values in (("grades", grades), ("languages", languages)):
            if values is not None and len(values) != count:
                raise RowError(f"{count} documents, but {len(values)} {name}")
        length = min(count, self._depth or count)
        if length > DEEPEST:
            raise RowError(f"{count} documents; at most {DEEPEST} can be counted: give a depth to cut lists")
        if not all(documents):
            raise RowError("a document has no name")
        checked = [self._grade(grade) for grade in grades]
        if -1 in checked[:length]:
            if self._unjudged == "drop":
                return -1
            checked = [max(grade, 0) for grade in checked]
        spoken = (ANY,) * length if languages is None else languages[:length]
        if not all(spoken):
            raise RowError("a document has no language, though others have one")
        if self._asked is not None and not set(spoken) <= set(self._asked):
            other = next(name for name in spoken if name not in self._asked)
            raise RowError(f"the language {shown(other)} is not among {', '.join(self._asked)}")
        for name in (query, *documents[:length], *spoken):
            if fault := unstorable(name):
                raise RowError(f"the name {shown(name)}: {fault}")
        codes = [self._code(self._queries, query)]
        codes += [self._code(self._documents, name) for name in documents[:length]]
        codes += [self._code(self._languages, name) for name in spoken]
        key = array("i", codes + checked[:length]).tobytes()
        known = self._configs.get(key)
        if known is None:
            # Kept in three tables that are as wide as the longest list.
            self._longest = max(self._longest, length)
            self._meter.add(BYTES_PER_ENTRY + 2 * len(key))
            self._meter.check(len(self._configs) * self._longest * BYTES_PER_PLACE)
            known = self._configs[key] = len(self._configs)
        return known

    def _code(self, known: dict[str, int], name: str) -> int:
        if name not in known:
            self._meter.add(BYTES_PER_ENTRY + sys.getsizeof(name))
            known[name] = len(known)
        return known[name]

    def _grade(self, grade: int | None) -> int:
        if grade is None:
            return -1
        if isinstance(grade, bool) or not isinstance(grade, int):
            raise RowError(f"a grade is a whole number, not {shown(grade)}")
        most = self._max_grade or LARGEST_GRADE
        if not -1 <= grade <= most:
            raise RowError(f"grade {shown(grade)} is not from 0 to {most} (or -1: not judged)")
        return grade

    def pattern(self, clicks: Sequence[int], length: int) -> int:
        """Return the clicked positions as bits; clicks past the results that count are ignored."""
        if len(clicks) != length:
            raise RowError(f"{length} documents, but {len(clicks)} clicks: give 0 or 1 for each")
        bits = 0
        for place, click in enumerate(clicks):
            if click not in (0, 1):
                raise RowError(f"a click is 0 or 1, not {shown(click)}")
            if click and place < (self._depth or length):
                bits |= 1 << place
        return bits

    def count(self, config: int, pattern: int, sessions: int = 1) -> None:
        """Count sessions of a configuration and a pattern."""
        if self._sessions + sessions > LARGEST:
            raise RowError(f"with {sessions} more there are over {LARGEST} sessions, more than can be counted")
        self._sessions += sessions
        self.rows += 1
        if config < 0:
            self.dropped += sessions
            return
        key = (config, pattern)
        if key not in self._counts:
            self._meter.add(BYTES_PER_ROW)
        self._counts[key] = self._counts.get(key, 0) + sessions

    def finish(self, problems: RowProblems | None = None, notes: Sequence[str] = ()) -> ClickLog:
        """Return the counted log; languages are in the order asked for, else sorted by name."""
        bad = problems.total if problems else 0
        if not self._counts:
            left = f"; {self.dropped} were left out because a result has no grade" if self.dropped else ""
            spoilt = f"; {bad} rows are bad" if bad else ""
            raise InputError(f"the log has no session to count{left}{spoilt}")
        names = tuple(self._languages) if self._asked is None else self._asked
        ordered = tuple(sorted(names)) if self._asked is None else names
        moved = np.array([ordered.index(name) for name in self._languages], np.int32)
        width = max(len(key) for key in self._configs) // array("i").itemsize // 3
        query = np.empty(len(self._configs), np.int32)
        document, language, grade = (np.full((len(self._configs), width), -1, np.int32) for _ in range(3))
        for length, (places, keys) in self._by_length().items():
            query[places] = keys[:, 0]
            document[places, :length] = keys[:, 1 : 1 + length]
            language[places, :length] = moved[keys[:, 1 + length : 1 + 2 * length]]
            grade[places, :length] = keys[:, 1 + 2 * length :]
        rows = np.array(list(self._counts), np.int64)
        totals = np.fromiter(self._counts.values(), np.int64, len(self._counts))
        config, pattern, count = counted(rows[:, 0], rows[:, 1], totals, width)
        found = tuple(problems.rows) if problems else ()
        return ClickLog(
            tuple(self._queries),
            tuple(self._documents),
            ordered,
            self._max_grade if self._max_grade is not None else max(int(grade.max()), 1),
            query,
            document,
            language,
            grade,
            config,
            pattern,
            count,
            LogReading(self.rows + bad, bad, found, self.dropped, tuple(notes)),
        )

    def _by_length(self) -> dict[int, tuple[list[int], NDArray[np.int32]]]:
        """The configurations' keys as tables, one for each length of list."""
        grouped: dict[int, list[bytes]] = {}
        places: dict[int, list[int]] = {}
        for place, key in enumerate(self._configs):
            length = len(key) // array("i").itemsize // 3
            grouped.setdefault(length, []).append(key)
            places.setdefault(length, []).append(place)
        return {
            length: (places[length], np.frombuffer(b"".join(keys), np.int32).reshape(len(keys), -1))
            for length, keys in grouped.items()
        }
