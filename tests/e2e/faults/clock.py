"""A clock that the trial can set: `time.time` of a server or worker, moved by the number that a file holds.

The product has no hook for this. In a process of the trial this file is run before anything else, so that whoever
keeps `time.time` for later keeps the movable one. Clocks that only measure (`time.monotonic`) go on as they are.
"""

from __future__ import annotations

import mmap
import os
import struct
import time
from pathlib import Path

VARIABLE = "RULERANK_TRIAL_CLOCK"
_FORM = struct.Struct("d")
_true_time, _true_time_ns = time.time, time.time_ns
_offset: mmap.mmap | None = None

SITE = f"""import importlib.util
spec = importlib.util.spec_from_file_location("trial_clock", {__file__!r})
clock = importlib.util.module_from_spec(spec)
spec.loader.exec_module(clock)
clock.install()
"""
"""A `sitecustomize.py` that makes any Python process movable, for servers that the trial does not fork itself."""


def set_clock(path: Path, seconds: float) -> None:
    """Let the clocks that follow a file be so many seconds ahead of the machine's."""
    if path.exists():
        with path.open("r+b") as file:
            file.write(_FORM.pack(seconds))
    else:
        path.write_bytes(_FORM.pack(seconds))


def follow(path: str) -> None:
    """Follow a file from now on, in this process."""
    global _offset  # noqa: PLW0603 - a process has one clock
    with open(path, "rb") as file:
        _offset = mmap.mmap(file.fileno(), _FORM.size, access=mmap.ACCESS_READ)


def install() -> None:
    """Put the movable clock in the place of the machine's."""

    def moved() -> float:
        return _true_time() + (_FORM.unpack(_offset[: _FORM.size])[0] if _offset is not None else 0.0)

    def moved_ns() -> int:
        return _true_time_ns() + (int(1e9 * _FORM.unpack(_offset[: _FORM.size])[0]) if _offset is not None else 0)

    time.time, time.time_ns = moved, moved_ns
    if os.environ.get(VARIABLE):
        follow(os.environ[VARIABLE])
