"""The bundle: every file written, read back and compared; delivered whole, or not at all."""

from __future__ import annotations

import io
import os
import zipfile
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

from isal import igzip_lib, isal_zlib

from rulerank.collection import Collection
from rulerank.errors import RulerankError
from rulerank.export.companions import completed
from rulerank.export.export import Export
from rulerank.export.formats.base import Format, choose
from rulerank.export.lines import Pieces, cut, joined, unlike
from rulerank.export.packing import (
    PackedFile,
    ZipWriter,
    checked_pieces,
    is_packed,
    packed_files,
    packed_in,
    sums_of,
    thread_pool,
)
from rulerank.export.readme import README, SUMS, readme, sums
from rulerank.files import whole_path
from rulerank.progress import Progress, Steps, silent
from rulerank.strategy import Strategy

Events = Iterable[Mapping[str, Any]]


class CheckFailedError(RulerankError):
    """Files that were read back are not what was meant; `problems` lists how. Nothing was delivered."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__("\n".join(["the export did not pass its check, so there is no bundle:", *problems]))


def make_bundle(
    collection: Collection,
    events: Events = (),
    about: Mapping[str, Any] | None = None,
    *,
    formats: Iterable[str | Strategy] | None = None,
    folds: int = 5,
    seed: int = 0,
    unlabelled: bool = False,
    numbered: bool | None = False,
    evaluation: Collection | None = None,
    convention: str = "letor",
    scores: Iterable[float] | None = None,
    progress: Progress = silent,
) -> bytes:
    """Return a zip file with all formats (or those named, also as `name:parameter=value`), README.txt and SHA256SUMS.

    `collection` holds the aggregated grades; documents without one (-1) stay out unless `unlabelled`. `about` are the
    facts for README.txt (`rulerank.export.readme.FACTS` names the usual ones). With `numbered` the LETOR files have
    numbers for qids, and queries.tsv says which; None: where trainers would refuse the qids. An `evaluation` set goes
    along as evaluation.txt, with measure.py, which computes MAP on it by the `convention`.
    Every file is read back and compared with what was meant; any difference raises CheckFailedError. The same contents
    give the same bytes. `progress(done, total)` is called with steps, and may raise to stop.
    """
    export = Export.prepare(
        collection, events, about, folds=folds, seed=seed, unlabelled=unlabelled, numbered=numbered,
        evaluation=evaluation, convention=convention, scores=scores,
    )  # fmt: skip
    memory = io.BytesIO()
    _pack(export, completed(export, choose(formats)), memory, progress)
    return memory.getvalue()


def write_bundle(
    target: str | os.PathLike[str],
    collection: Collection,
    events: Events = (),
    about: Mapping[str, Any] | None = None,
    *,
    formats: Iterable[str | Strategy] | None = None,
    folds: int = 5,
    seed: int = 0,
    unlabelled: bool = False,
    numbered: bool | None = False,
    evaluation: Collection | None = None,
    convention: str = "letor",
    scores: Iterable[float] | None = None,
    progress: Progress = silent,
) -> Path:
    """Write the zip file of `make_bundle` to a path and return it.

    The path changes only once the whole bundle has passed its check; stopped or failed, nothing is left behind.
    """
    chosen = choose(formats)
    export = Export.prepare(
        collection, events, about, folds=folds, seed=seed, unlabelled=unlabelled, numbered=numbered,
        evaluation=evaluation, convention=convention, scores=scores,
    )  # fmt: skip
    with whole_path(target) as path, path.open("x+b") as file:
        _pack(export, completed(export, chosen), file, progress)
    return Path(target)


def check(
    collection: Collection,
    events: Events = (),
    about: Mapping[str, Any] | None = None,
    *,
    formats: Iterable[str | Strategy] | None = None,
    folds: int = 5,
    seed: int = 0,
    unlabelled: bool = False,
    numbered: bool | None = False,
    evaluation: Collection | None = None,
    convention: str = "letor",
    scores: Iterable[float] | None = None,
    progress: Progress = silent,
) -> list[str]:
    """Write every file, read it back, and return what is not as it was meant; an empty list is good.

    A format that cannot express the export is reported, and not written.
    """
    chosen = choose(formats)
    export = Export.prepare(
        collection, events, about, folds=folds, seed=seed, unlabelled=unlabelled, numbered=numbered,
        evaluation=evaluation, convention=convention, scores=scores,
    )  # fmt: skip
    chosen = completed(export, chosen)
    problems = _conflicts(export, chosen)
    chosen = [each for each in chosen if not each.conflicts(export)]
    step = _steps(_count(export, chosen), progress)
    with thread_pool() as pool:
        for checked in [checked for _, _, checked in checked_pieces(export, chosen, pool)]:
            problems += checked()
            step()
    return problems


def export_files(
    collection: Collection,
    events: Events = (),
    *,
    formats: Iterable[str | Strategy] | None = None,
    folds: int = 5,
    seed: int = 0,
    unlabelled: bool = False,
    numbered: bool | None = False,
    evaluation: Collection | None = None,
    convention: str = "letor",
    scores: Iterable[float] | None = None,
) -> Iterator[tuple[str, bytes]]:
    """Give the name and the contents of each file, checked, for those who want one file and no bundle."""
    chosen = choose(formats)
    export = Export.prepare(
        collection, events, folds=folds, seed=seed, unlabelled=unlabelled, numbered=numbered, evaluation=evaluation,
        convention=convention,
        scores=scores,
    )  # fmt: skip
    chosen = completed(export, chosen)
    conflicts = _conflicts(export, chosen)
    if conflicts:
        raise CheckFailedError(conflicts)
    with thread_pool() as pool:
        for name, pieces, checked in checked_pieces(export, chosen, pool):
            problems = checked()
            if problems:
                raise CheckFailedError(problems)
            yield name, joined(pieces)


def _count(export: Export, chosen: list[Format]) -> int:
    return sum(len(each.names(export)) for each in chosen)


def _conflicts(export: Export, chosen: list[Format]) -> list[str]:
    return [problem for each in chosen for problem in each.conflicts(export)]


def _steps(total: int, progress: Progress) -> Steps:
    """Begin to count steps, the start included."""
    progress(0, total)
    return Steps(progress, total)


def _pack(export: Export, chosen: list[Format], file: IO[bytes], progress: Progress) -> None:
    """Write and check everything; raise at the end if anything is not as it was meant."""
    step = _steps(_count(export, chosen) + 1, progress)
    problems = _conflicts(export, chosen)
    if problems:
        raise CheckFailedError(problems)
    archive = ZipWriter(file)
    digests: dict[str, str] = {}
    contents: dict[str, tuple[Pieces, int]] = {}

    def put(name: str, pieces: Pieces, digest: str, crc: int) -> None:
        archive.put(name, pieces, crc)
        digests[name], contents[name] = digest, (pieces, crc)

    def put_file(each: PackedFile) -> None:
        for packed in each.packed:
            packed.result()
        put(each.name, each.pieces, *each.summed.result())
        problems.extend(each.checked())
        step()

    with thread_pool() as pool:
        pieces = cut(readme(export, chosen))
        put(README, pieces, *sums_of(pieces))
        waiting: deque[PackedFile] = deque()
        for each in packed_files(export, chosen, pool):
            waiting.append(each)
            while waiting and waiting[0].ready:
                put_file(waiting.popleft())
        for each in waiting:
            put_file(each)
        pieces = cut(sums(digests))
        put(SUMS, pieces, *sums_of(pieces))
        archive.finish()
        if not problems:
            problems = _unlike(file, contents, pool)
    if problems:
        raise CheckFailedError(problems)
    step()


def _unlike(file: IO[bytes], contents: Mapping[str, tuple[Pieces, int]], pool: ThreadPoolExecutor) -> list[str]:
    """Read the bundle again, its directory with the standard library: what was checked must be what is in it.

    Every packed piece is unpacked and compared with the text that was checked. A file whose pieces have all been
    unpacked in files before it (a fold, after the whole) is compared with them as it is packed, byte for byte:
    pieces do not refer to one another, so they unpack alike wherever they stand.
    """
    file.seek(0)
    seen: set[int] = set()
    differ: dict[str, Future[bool]] = {}
    try:
        with zipfile.ZipFile(file) as archive:
            if archive.namelist() != list(contents):
                return ["the bundle lists other files than were checked"]
            for name, (pieces, crc) in contents.items():
                entry, known = archive.getinfo(name), seen.issuperset(map(id, pieces))
                seen.update(map(id, pieces))
                differ[name] = pool.submit(_differs, entry, packed_in(file, entry), pieces, crc, known)
        wrong = [name for name, differs in differ.items() if differs.result()]
    except (zipfile.BadZipFile, igzip_lib.IsalError) as exc:  # type: ignore[misc]  # the stub calls the class an instance
        return [f"the bundle cannot be unpacked again: {exc}"]
    return [f"{name}: the bundle holds something else than was checked" for name in wrong]


def _differs(entry: zipfile.ZipInfo, packed: bytes, pieces: Pieces, crc: int, known: bool) -> bool:
    """Say whether an entry is not what was checked; `known` pieces have been unpacked before."""
    if (entry.CRC, entry.file_size, entry.compress_type) != (crc, sum(map(len, pieces)), zipfile.ZIP_DEFLATED):
        return True
    if known:
        return not is_packed(packed, pieces)
    stream = isal_zlib.decompressobj(-isal_zlib.MAX_WBITS)
    text = stream.decompress(packed)
    return not stream.eof or bool(stream.unused_data) or unlike(pieces, text)
