"""One decorator for every compiled kernel, a cache on disk that outlives no source, and kernels spread over cores.

numba keeps compiled code beside the sources and looks only at the file a kernel stands in. A kernel that calls one
from another file would go on using the old machine code after that file changed, so what is kept is valid only for
the kernel sources of the whole folder. Nothing is read or written before a kernel is called for the first time.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache, NullCache
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from rulerank.errors import InputError

Scalar = Any
"""A number inside compiled code, of a type that only numba knows."""


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function on its first call: it releases the GIL, and the result is kept on disk."""
    if function is None:
        return lambda wrapped: kernel(wrapped, **options)
    compiled = njit(nogil=True, **options)(function)
    compiled._cache = _KeptOnDisk(function)
    return compiled


def one_blas_thread() -> AbstractContextManager[Any]:
    """Keep linear algebra to one thread within a block.

    On matrices of some hundred rows its threads wait for each other more than they work, and results depend, in their
    last bits, on how many there are.
    """
    limit: AbstractContextManager[Any] = _blas().limit(limits=1, user_api="blas")
    return limit


@cache
def _blas() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401, PLC0415 (it brings a BLAS of its own, which must be there to be found)

    return ThreadpoolController()


class _KeptOnDisk:
    """numba's cache of one kernel, made when it is first asked for: numba itself tries the folder at each import."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    @cached_property
    def _kept(self) -> Any:
        try:
            kept = FunctionCache(self._function)
        except RuntimeError:  # numba found no folder that it may write to
            return NullCache()
        kept._cache_file._source_stamp = _stamp(Path(self._function.__code__.co_filename).parent)
        return kept

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kept, name)


@cache
def _stamp(folder: Path) -> str:
    """Return what distinguishes the kernel sources of a folder from any others: compiled code of others is not used."""
    digest = hashlib.sha256()
    for source in sorted(folder.glob("*.py")):
        text = source.read_bytes()
        if b"@kernel" in text or b"@intrinsic" in text:
            digest.update(source.name.encode() + text)
    return digest.hexdigest()


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
    """Call `work(start, stop)` on stretches of `range(rows)`; fewer than `least` rows per thread are not split."""
    parts = max(1, min(workers(), rows // least))
    step = -(-rows // parts) if rows else 0
    in_parts(lambda part, _: work(min(part * step, rows), min((part + 1) * step, rows)), parts)
