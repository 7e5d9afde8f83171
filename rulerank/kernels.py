"""One decorator for every compiled kernel, and a cache on disk that does not outlive the sources it came from.

numba keeps compiled code beside the sources and looks only at the file a kernel stands in. A kernel that calls one
from another file would go on using the old machine code after that file changed, so what is kept is valid only for
the kernel sources of the whole folder. Nothing is read or written before a kernel is called for the first time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache, NullCache


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function on its first call: it releases the GIL, and the result is kept on disk."""
    if function is None:
        return lambda wrapped: kernel(wrapped, **options)
    compiled = njit(nogil=True, **options)(function)
    compiled._cache = _KeptOnDisk(function)
    return compiled


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
    """Return what tells the kernel sources of a folder from any others: compiled code of others is not used."""
    digest = hashlib.sha256()
    for source in sorted(folder.glob("*.py")):
        text = source.read_bytes()
        if b"@kernel" in text or b"@intrinsic" in text:
            digest.update(source.name.encode() + text)
    return digest.hexdigest()
