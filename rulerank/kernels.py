"""One decorator for every compiled kernel, and a cache on disk that does not outlive the sources it came from.

numba keeps compiled code beside the sources and looks only at the file a kernel stands in. A kernel that calls one
from another file would go on using the old machine code after that file changed, so the cache of a folder is dropped
whenever any kernel source in it has changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function on its first call: it releases the GIL, and the result is kept on disk."""
    if function is None:
        return lambda wrapped: kernel(wrapped, **options)
    _drop_stale(Path(function.__code__.co_filename).parent)
    return njit(nogil=True, cache=True, **options)(function)


@cache
def _drop_stale(folder: Path) -> None:
    """Remove the folder's compiled kernels if its kernel sources are not those they were compiled from."""
    digest = hashlib.sha256()
    for source in sorted(folder.glob("*.py")):
        text = source.read_bytes()
        if b"@kernel" in text or b"@intrinsic" in text:
            digest.update(source.name.encode() + text)
    kept = folder / "__pycache__"
    stamp = kept / "kernels.stamp"
    with suppress(OSError):  # a read-only installation has nothing of ours to drop
        if stamp.is_file() and stamp.read_text() == digest.hexdigest():
            return
        kept.mkdir(exist_ok=True)
        for compiled in (*kept.glob("*.nbi"), *kept.glob("*.nbc")):
            compiled.unlink(missing_ok=True)
        stamp.write_text(digest.hexdigest())
