"""Build a log session by session: what was seen before is only counted, so a log larger than memory streams."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rulerank.clicks.log import DEEPEST, LARGEST_GRADE, ClickLog, Reading, counted
from rulerank.clicks.problems import Problems, RowError
from rulerank.errors import InputError
from rulerank.metrics.users import ANY

UNJUDGED = ("drop", "zero")
"""What becomes of a session with a result that has no grade: left out, as in the paper, or taken for grade 0."""


class LogBuilder:
    """Counts sessions by configuration and pattern."""

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
        if isinstance(sessions, bool) or not isinstance(sessions, int) or sessions < 1:
            raise RowError(f"sessions is a whole number from 1 up, not {sessions!r}")

    def configuration(
        self, query: str, documents: Sequence[str], grades: Sequence[int | None], languages: Sequence[str] | None = None
    ) -> int:
        """Return the number by which `count` knows a list of results; -1 if its sessions are left out."""
        if not query:
            raise RowError("the query is empty")
        shown = len(documents)
        if not shown:
            raise RowError("there are no documents")
        for name, values in (("grades", grades), ("languages", languages)):
            if values is not None and len(values) != shown:
                raise RowError(f"{shown} documents, but {len(values)} {name}")
        length = min(shown, self._depth or shown)
        if length > DEEPEST:
            raise RowError(f"{shown} documents; at most {DEEPEST} can be counted: give a depth to cut lists")
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
            raise RowError(f"the language {other!r} is not among {', '.join(self._asked)}")
        codes = [self._queries.setdefault(query, len(self._queries))]
        codes += [self._documents.setdefault(name, len(self._documents)) for name in documents[:length]]
        codes += [self._languages.setdefault(name, len(self._languages)) for name in spoken]
        codes += checked[:length]
        return self._configs.setdefault(array("i", codes).tobytes(), len(self._configs))

    def _grade(self, grade: int | None) -> int:
        if grade is None:
            return -1
        if isinstance(grade, bool) or not isinstance(grade, int):
            raise RowError(f"a grade is a whole number, not {grade!r}")
        most = self._max_grade or LARGEST_GRADE
        if not -1 <= grade <= most:
            raise RowError(f"grade {grade} is not from 0 to {most} (or -1: not judged)")
        return grade

    def pattern(self, clicks: Sequence[int], shown: int) -> int:
        """Return the clicked positions as bits; clicks past the results that count are ignored."""
        if len(clicks) != shown:
            raise RowError(f"{shown} documents, but {len(clicks)} clicks: give 0 or 1 for each")
        bits = 0
        for place, click in enumerate(clicks):
            if click not in (0, 1):
                raise RowError(f"a click is 0 or 1, not {click!r}")
            if click and place < (self._depth or shown):
                bits |= 1 << place
        return bits

    def count(self, config: int, pattern: int, sessions: int = 1) -> None:
        """Count sessions of a configuration and a pattern."""
        self.rows += 1
        if config < 0:
            self.dropped += sessions
            return
        key = (config, pattern)
        self._counts[key] = self._counts.get(key, 0) + sessions

    def finish(self, problems: Problems | None = None, notes: Sequence[str] = ()) -> ClickLog:
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
            Reading(self.rows + bad, bad, found, self.dropped, tuple(notes)),
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
