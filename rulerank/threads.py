"""Spread nogil kernels over the cores: a plain thread pool, no threading layer of numba's to choose or to abort."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from rulerank.errors import InputError


def workers() -> int:
    """Return how many threads to use: RULERANK_THREADS if it is set, else the cores this process may use."""
    text = os.environ.get("RULERANK_THREADS", "").strip()
    if not text:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not text.isdigit() or int(text) < 1:
        raise InputError(f"RULERANK_THREADS must be a whole number of at least 1, not {text!r}")
    return int(text)


@cache
def _pool(size: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(size, thread_name_prefix="rulerank")


# A forked child inherits the pool but not its threads, and would wait for them for ever.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)


def in_parts(work: Callable[[int, int], object], parts: int | None = None) -> None:
    """Call `work(part, parts)` for every part, at the same time; the first error is raised."""
    parts = parts or workers()
    if parts == 1:
        work(0, 1)
        return
    waiting = [_pool(parts).submit(work, part, parts) for part in range(1, parts)]
    work(0, parts)
    for future in waiting:
        future.result()


def over_rows(work: Callable[[int, int], object], rows: int, least: int = 4096) -> None:
    """Call `work(start, stop)` on stretches of `range(rows)`; fewer than `least` rows a thread are not split."""
    parts = max(1, min(workers(), rows // least))
    step = -(-rows // parts) if rows else 0
    in_parts(lambda part, _: work(min(part * step, rows), min((part + 1) * step, rows)), parts)
