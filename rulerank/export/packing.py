"""Write, check, sum and pack the files of an export, on all cores at once; give them in their order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from isal import isal_zlib

from rulerank.export.export import Export
from rulerank.export.formats.base import Format
from rulerank.export.pieces import Piece, Pieces, batches, joined
from rulerank.threads import workers

Check = Callable[[], list[str]]  # waits for the problems of a file


@dataclass(frozen=True)
class File:
    """A file of the export: what it is made of, and what is being found out about it."""

    name: str
    pieces: Pieces
    checked: Check
    summed: Future[tuple[str, int]]  # SHA-256 and CRC-32
    packed: list[Future[None]]  # of the pieces that no earlier file has

    @property
    def ready(self) -> bool:
        """Whether it could be put into the bundle."""
        return self.summed.done() and all(each.done() for each in self.packed)


@contextmanager
def thread_pool() -> Iterator[ThreadPoolExecutor]:
    """Give threads for one export; what they have not begun when it ends or fails is dropped."""
    pool = ThreadPoolExecutor(workers(), thread_name_prefix="rulerank-export")
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def checked_pieces(
    export: Export, chosen: list[Format], pool: ThreadPoolExecutor
) -> Iterator[tuple[str, Pieces, Check]]:
    """Give every file with its check, which runs beside whatever the caller does with the file."""
    if any(each.from_text for each in chosen):
        _ = export.blocks  # here, where writing has all cores, and no format waits for another that writes
    # What is made and checked in Python holds the other threads up; begun first, it goes on beside compiled code.
    order = sorted(chosen, key=lambda each: each.from_text)
    begun = {each.name: pool.submit(_begin, each, export, pool) for each in order}
    for each in chosen:
        yield from begun[each.name].result()


def packed_files(export: Export, chosen: list[Format], pool: ThreadPoolExecutor) -> Iterator[File]:
    """Start what is to be done with each file and give it; the caller keeps the pieces of those he was given."""
    known: set[int] = set()  # pieces by identity
    for name, pieces, checked in checked_pieces(export, chosen, pool):
        new = [piece for piece in pieces if id(piece) not in known]
        known.update(map(id, new))
        packed = [pool.submit(_pack, batch) for batch in batches(new)]
        yield File(name, pieces, checked, pool.submit(sums_of, pieces), packed)


def sums_of(pieces: Pieces) -> tuple[str, int]:
    """Return SHA-256 and CRC-32 of the text."""
    text = joined(pieces)  # at once: between two pieces a thread may have to wait for the others
    return hashlib.sha256(text).hexdigest(), isal_zlib.crc32(text)


def _begin(each: Format, export: Export, pool: ThreadPoolExecutor) -> list[tuple[str, Pieces, Check]]:
    """Make the files of a format, and see to it that each is checked."""
    return [(name, pieces, _checking(each, export, name, pieces, pool)) for name, pieces in each.pieces(export)]


def _checking(each: Format, export: Export, name: str, pieces: Pieces, pool: ThreadPoolExecutor) -> Check:
    """Have a file checked: at once what Python checks, for two such threads only hinder each other; last what waits."""
    check = partial(_check, each, export, name, pieces)
    if each.checked_by_text:
        return check
    if each.from_text:
        return pool.submit(check).result
    problems = check()
    return lambda: problems


def _check(each: Format, export: Export, name: str, pieces: Pieces) -> list[str]:
    return each.check(export, name, joined(pieces))


def _pack(batch: list[Piece]) -> None:
    for piece in batch:
        _ = piece.packed
