"""How much memory one step may take: worked out before anything is allocated, and refused in words.

The limit is RULERANK_MEMORY_MEGABYTES, or else an eighth of what the machine has: of its memory, of the control group's
that the process runs in (a container), or of what `ulimit -v` allows, whichever is least.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from rulerank.errors import MemoryLimitError
from rulerank.foreign.numbers import whole_number

SETTING = "RULERANK_MEMORY_MEGABYTES"
SHARE = 8
UNKNOWN = 4 << 30  # taken for the memory of a machine that does not report it

_PROC, _GROUPS = Path("/proc"), Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class MemoryLimit:
    """Bytes that one step may take, where that number comes from, and how to change it."""

    bytes: int
    origin: str
    change: str = f"set {SETTING} to more megabytes"

    def check(self, needed: float, what: str, advice: str = "") -> None:
        """Raise MemoryLimitError if a step would need more; `advice` says how it could need less."""
        if needed > self.bytes:
            less = f"{advice}, or " if advice else ""
            raise MemoryLimitError(
                f"{what} would need about {shown_size(needed)} of memory, more than the limit of "
                f"{shown_size(self.bytes)} ({self.origin}); {less}{self.change}"
            )


def check_memory(needed: float, what: str, advice: str = "") -> None:
    """Raise MemoryLimitError if a step would need more bytes than the limit; call it before anything is allocated."""
    memory_limit().check(needed, what, advice)


class MemoryMeter:
    """Counts the bytes that a reader keeps, and refuses to go on once they are more than the limit.

    For what cannot be known beforehand, such as the length of a compressed stream.
    """

    def __init__(self, what: str, advice: str = "", limit: MemoryLimit | None = None) -> None:
        self.kept = 0
        self._what, self._advice = what, advice
        self._limit = limit or memory_limit()

    def add(self, size: int) -> None:
        """Count bytes that are about to be kept."""
        self.kept += size
        if self.kept > self._limit.bytes:
            self.check()

    def check(self, more: int = 0) -> None:
        """Refuse to go on if what is kept needs too much, with `more` bytes for what will be made of it."""
        self._limit.check(self.kept + more, self._what, self._advice)


def memory_limit() -> MemoryLimit:
    """Return the limit of one step."""
    set_to = os.environ.get(SETTING, "").strip()
    if set_to:
        return MemoryLimit(whole_number(set_to, least=1, most=1 << 40) << 20, f"{SETTING} is {set_to}")
    total, whose = min(_found(), default=(UNKNOWN, "memory, which this system does not report"))
    return MemoryLimit(total // SHARE, f"an eighth of {shown_size(total)}, the {whose}")


def _found() -> Iterator[tuple[int, str]]:
    """Give every bound of the memory that this process has, in bytes, and whose it is."""
    for size in (_machine(), _by_windows()):
        if size:
            yield size, "machine's memory"
    for size in _groups():
        yield size, "memory of its control group (container)"
    size = _by_ulimit()
    if size:
        yield size, "address space that `ulimit -v` allows"


def _machine() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _by_windows() -> int | None:
    if sys.platform != "win32":
        return None
    import ctypes  # noqa: PLC0415 (Windows alone)

    status = (ctypes.c_ulonglong * 8)()  # MEMORYSTATUSEX: two 32-bit fields, then seven of 64 bits
    ctypes.cast(status, ctypes.POINTER(ctypes.c_ulong))[0] = ctypes.sizeof(status)
    return int(status[1]) if ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)) else None


def _by_ulimit() -> int | None:
    try:
        import resource  # noqa: PLC0415 (not on Windows)
    except ImportError:
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else int(soft)


def _groups() -> Iterator[int]:
    """Give the limits of the control groups that the process is in: version 2 (`0::/a/b`), version 1 (`9:memory:/a`).

    A limit of a group holds for all that are in it, so those above count too.
    """
    for line in _lines(_PROC / "self" / "cgroup"):
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and "memory" not in controllers.split(","):
            continue
        root, name = (_GROUPS / "memory", "memory.limit_in_bytes") if controllers else (_GROUPS, "memory.max")
        place = PurePosixPath(path.lstrip("/"))
        for part in (place, *place.parents):
            if ".." in part.parts:
                continue  # outside of the container's own view
            for text in _lines(root / part / name):
                # "max", or in version 1 a number beyond any memory, stands for no limit.
                if text.isascii() and text.isdigit() and 0 < int(text) < 1 << 60:
                    yield int(text)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii", errors="replace").split("\n")
    except OSError:
        return []


def shown_size(size: float) -> str:
    """Return a number of bytes as people write it."""
    for unit, name in ((1 << 30, "GB"), (1 << 20, "MB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{size / 1024:,.0f} kB"
