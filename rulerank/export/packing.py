"""Write, check, sum and pack the files of an export, on all cores at once; give them in their order."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from rulerank.export.export import Export
from rulerank.export.formats.base import Format
from rulerank.export.pieces import Piece, Pieces, batches, joined
from rulerank.threads import workers


@dataclass(frozen=True)
class File:
    """A file of the export: what it is made of, and what is being found out about it."""

    name: str
    pieces: Pieces
    checked: Future[list[str]]
    summed: Future[tuple[str, int]]  # SHA-256 and CRC-32
    packed: list[Future[None]]  # of the pieces that no earlier file has

    @property
    def ready(self) -> bool:
        """Whether nobody would have to wait for it."""
        return self.checked.done() and self.summed.done() and all(each.done() for each in self.packed)


@contextmanager
def crew() -> Iterator[ThreadPoolExecutor]:
    """Give threads for one export; what they have not begun when it ends or fails is dropped."""
    pool = ThreadPoolExecutor(workers(), thread_name_prefix="rulerank-export")
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def checked_pieces(
    export: Export, chosen: list[Format], pool: ThreadPoolExecutor
) -> Iterator[tuple[str, Pieces, Future[list[str]]]]:
    """Give every file with its check, which runs beside whatever the caller does with the file."""
    if any(each.from_text for each in chosen):
        _ = export.blocks  # here, where writing has all cores, and no format waits for another that writes
    made = [pool.submit(_pieces, each, export) for each in chosen]
    for each, files in zip(chosen, made, strict=True):
        for name, pieces in files.result():
            yield name, pieces, pool.submit(_check, each, export, name, pieces)


def packed_files(export: Export, chosen: list[Format], pool: ThreadPoolExecutor) -> Iterator[File]:
    """Start what is to be done with each file and give it; the caller keeps the pieces of those he was given."""
    known: set[int] = set()  # pieces by identity
    for name, pieces, checked in checked_pieces(export, chosen, pool):
        new = [piece for piece in pieces if id(piece) not in known]
        known.update(map(id, new))
        packed = [pool.submit(_pack, batch) for batch in batches(new)]
        yield File(name, pieces, checked, pool.submit(sums_of, pieces), packed)


def sums_of(pieces: Iterable[Piece]) -> tuple[str, int]:
    """Return SHA-256 and CRC-32 of the text."""
    digest, crc = hashlib.sha256(), 0
    for piece in pieces:
        digest.update(piece.text)
        crc = zlib.crc32(piece.text, crc)
    return digest.hexdigest(), crc


def _pieces(each: Format, export: Export) -> list[tuple[str, Pieces]]:
    return list(each.pieces(export))


def _check(each: Format, export: Export, name: str, pieces: Pieces) -> list[str]:
    return each.check(export, name, joined(pieces))


def _pack(batch: list[Piece]) -> None:
    for piece in batch:
        _ = piece.packed
