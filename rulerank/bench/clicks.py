"""Benchmarks of the click models: against SDBN in plain Python session by session, and memory by sessions."""

from __future__ import annotations

import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from rulerank.bench.timing import Result, turns
from rulerank.clicks import ClickLog, bilingual_user, fit, made_up_lists, read_log, simulate_log, write_log

SESSIONS = 1_000_000
READ = 300_000
MOST_SECONDS = 3.0
LEAST_GAIN = 20

Session = tuple[str, list[str], list[int], list[int]]


def models() -> Iterator[Result]:
    """Fit models to a million sessions, and read logs of different lengths."""
    log = simulate_log(bilingual_user(), made_up_lists(), SESSIONS, extra=0.2)
    sessions = _one_by_one(log)
    by_grade, by_document, theirs_grade, theirs_document = turns(
        lambda: fit("agnostic", log),
        lambda: fit("documents", log),
        lambda: _python_by_grade(sessions, log.grades),
        lambda: _python_by_document(sessions),
        rounds=3,
    )
    for what, ours, theirs in (
        ("SDBN by grade", by_grade, theirs_grade),
        ("SDBN by document", by_document, theirs_document),
    ):
        yield Result(
            "clicks",
            f"{what}, {SESSIONS:,} counted sessions: {ours * 1e3:.0f} ms; session by session in Python {theirs:.2f} s",
            f"{theirs / ours:.0f}x faster",
            f"at least {LEAST_GAIN}x",
            theirs >= LEAST_GAIN * ours,
        )
    (extended,) = turns(lambda: fit("eia", log), rounds=3)
    yield Result(
        "clicks",
        f"extended model, 21 parameters with intervals, 5 starts, {SESSIONS:,} sessions",
        f"{extended:.2f} s",
        f"at most {MOST_SECONDS:g} s",
        extended <= MOST_SECONDS,
    )
    yield from _reading()


def _reading() -> Iterator[Result]:
    """Read logs of the same lists, one with about ten times the sessions of the other."""
    log = simulate_log(bilingual_user(), made_up_lists(200), READ, extra=0.2)
    with tempfile.TemporaryDirectory() as folder:
        peaks, seconds, sizes = [], [], []
        for share in (10, 1):
            path = Path(folder) / f"{share}.csv"
            # Every row of the whole log stays, so that both hold the same configurations and patterns.
            part = log.with_counts(np.maximum(log.count // share, 1))
            write_log(part, path, single=True)
            sizes.append(part.sessions)
            start = time.perf_counter()
            read_log(path)
            seconds.append(time.perf_counter() - start)
            tracemalloc.start()
            read_log(path)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    yield Result(
        "clicks",
        f"read a CSV of {sizes[1]:,} sessions, one per row",
        f"{sizes[1] / seconds[1] / 1e3:.0f} thousand rows a second",
        "",
        None,
    )
    yield Result(
        "clicks",
        f"memory to read {sizes[1]:,} sessions against {sizes[0]:,} of the same lists",
        f"{peaks[1] / peaks[0]:.2f}x",
        "about 1x",
        peaks[1] <= 1.2 * peaks[0],
    )


def _one_by_one(log: ClickLog) -> list[Session]:
    """The sessions as a program that knows no counting would hold them."""
    lists = [
        (log.queries[query], [log.documents[code] for code in documents], grades)
        for query, documents, grades in zip(log.query.tolist(), log.document.tolist(), log.grade.tolist(), strict=True)
    ]
    clicks = log.row_clicked.astype(int).tolist()
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(len(log.count)), log.count)).tolist()
    configs = log.row_config.tolist()
    return [(*lists[configs[row]], clicks[row]) for row in order]


def _last(clicks: list[int]) -> int:
    for place in range(len(clicks) - 1, -1, -1):
        if clicks[place]:
            return place
    return -1


def _python_by_grade(sessions: list[Session], grades: int) -> list[float]:
    """SDBN's relevance by grade, in its closed form, one session after the other."""
    stops, seen = [0] * grades, [0] * grades
    for _, _, judged, clicks in sessions:
        last = _last(clicks)
        for grade in judged if last < 0 else judged[: last + 1]:
            seen[grade] += 1
        if last >= 0:
            stops[judged[last]] += 1
    return [part / max(whole, 1) for part, whole in zip(stops, seen, strict=True)]


def _python_by_document(sessions: list[Session]) -> dict[tuple[str, str], list[int]]:
    """SDBN's examinations, clicks and last clicks of every query and document, one session after the other."""
    counts: dict[tuple[str, str], list[int]] = {}
    for query, documents, _, clicks in sessions:
        last = _last(clicks)
        for place in range(len(documents) if last < 0 else last + 1):
            pair = counts.setdefault((query, documents[place]), [0, 0, 0])
            pair[0] += 1
            pair[1] += clicks[place]
            pair[2] += place == last
    return counts
