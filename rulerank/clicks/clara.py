"""The layout of the CLARA2 click collection: a log of queries and clicks, and a table of grades.

| file | rows, separated by tabs |
| --- | --- |
| log | session, time, `Q`, query, region, ten urls |
| log | session, time, `C`, url |
| grades | query, url, grade; the first line names the columns |

Every `Q` row is a session of ours. A click belongs to the latest `Q` row of its session that shows the url, at the
first position that has it.

In the published files the grades stand under other query numbers than the log's (mostly 1 to 8 away), while the urls
agree. So a query of the log takes the grades of the query that holds most of its urls (`join="urls"`; equal: the same
number, else the one that stands first); `join="number"` takes the numbers at their word.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import IO

from rulerank.clicks.builder import BYTES_PER_ENTRY, LogBuilder
from rulerank.clicks.log import LARGEST_GRADE
from rulerank.clicks.source import LogLines, RowError, RowProblems, opened
from rulerank.errors import InputError
from rulerank.files import Source, source_name
from rulerank.foreign.numbers import NumberError, whole_number
from rulerank.memory import MemoryMeter

JOINS = ("urls", "number")
Grades = dict[str, dict[str, int]]


def read_clara(
    log: Source, grades: Source, builder: LogBuilder, problems: RowProblems, join: str = "urls"
) -> tuple[str, ...]:
    """Read a log and its grades into the builder; return notes on what was matched."""
    if join not in JOINS:
        raise InputError(f"join must be one of {', '.join(JOINS)}, not {join!r}")
    table = _read_grades(grades)
    notes: tuple[str, ...] = ()
    if join == "urls":
        with opened(log) as file:
            table, notes = _matched(table, _urls_of_queries(file))
    with opened(log) as file:
        for line, query, urls, clicked in _sessions(file, problems):
            own = table.get(query, {})
            try:
                builder.add(
                    query, urls, [own.get(url) for url in urls], [int(at in clicked) for at in range(len(urls))]
                )
            except RowError as error:
                problems.add(line, error)
    return notes


def _read_grades(source: Source) -> Grades:
    found: Grades = defaultdict(dict)
    meter = MemoryMeter(f"{source_name(source)}: the grades up to here")
    with opened(source) as file:
        lines = LogLines(file, source_name(source))
        for line, text in enumerate(lines, 1):
            parts = text.rstrip("\r\n").split("\t")
            if (line == 1 and parts[0] == "query") or parts == [""]:
                continue
            try:
                lines.check()
                if len(parts) != 3:
                    raise RowError("a row is query, url and grade, separated by tabs")
                grade = whole_number(parts[2], least=0, most=LARGEST_GRADE)
            except (RowError, NumberError) as error:
                raise InputError(f"{source_name(source)}:{line}: {error}") from None
            meter.add(BYTES_PER_ENTRY + 2 * len(text))
            found[parts[0]][parts[1]] = grade
    return dict(found)


def _urls_of_queries(file: IO[bytes]) -> dict[str, set[str]]:
    shown: dict[str, set[str]] = defaultdict(set)
    meter = MemoryMeter("the urls of queries up to here")
    for text in LogLines(file):
        parts = text.rstrip("\r\n").split("\t")
        if len(parts) > 5 and parts[2] == "Q":
            before = len(shown[parts[3]])
            shown[parts[3]].update(url for url in parts[5:] if url)
            if len(shown[parts[3]]) > before:
                meter.add(BYTES_PER_ENTRY + 2 * len(text))
    return shown


def _matched(table: Grades, shown: dict[str, set[str]]) -> tuple[Grades, tuple[str, ...]]:
    """Find for each query of the log the graded query that holds most of its urls."""
    holders: dict[str, list[str]] = defaultdict(list)
    place = {query: number for number, query in enumerate(table)}
    for query, graded in table.items():
        for url in graded:
            holders[url].append(query)
    found: Grades = {}
    moved = whole = 0
    for query, urls in shown.items():
        votes = Counter(holder for url in urls for holder in holders.get(url, ()))
        if votes:
            most = max(votes.values())
            first = min((name for name, count in votes.items() if count == most), key=place.__getitem__)
            best = query if votes[query] == most else first
            found[query] = table[best]
            moved += best != query
            whole += most == len(urls)
    note = (
        f"grades were matched by urls: {moved} of {len(shown)} queries have theirs under another number, "
        f"{whole} have a grade for every url"
    )
    return found, (note,)


def _sessions(file: IO[bytes], problems: RowProblems) -> Iterator[tuple[int, str, list[str], set[int]]]:
    """Yield line, query, urls and the clicked places of every `Q` row; a session's rows stand together."""
    current: str | None = None
    asked: list[tuple[int, str, list[str], set[int]]] = []
    lines = LogLines(file, problems.source)
    for line, text in enumerate(lines, 1):
        try:
            lines.check()
        except RowError as error:
            problems.add(line, error)
            continue
        parts = text.rstrip("\r\n").split("\t")
        kind = parts[2] if len(parts) > 3 else ""
        if kind not in ("Q", "C"):
            if text.strip():
                problems.add(line, "a row has a session, a time, Q or C, and what was asked or clicked")
            continue
        if parts[0] != current:
            yield from asked
            current, asked = parts[0], []
        if kind == "Q":
            asked.append((line, parts[3], [url for url in parts[5:] if url], set()))
            continue
        url = parts[3]
        latest = next((one for one in reversed(asked) if url in one[2]), None)
        if latest is None:
            problems.add(line, f"a click on {url[:60]!r}, which no query of its session shows")
        else:
            latest[3].add(latest[2].index(url))
    yield from asked
