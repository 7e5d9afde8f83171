"""The bundle: every file written, read back and compared; handed out whole, or not at all."""

from __future__ import annotations

import hashlib
import io
import os
import secrets
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from rulerank.collection import Collection
from rulerank.errors import InputError, RulerankError
from rulerank.export.export import Export
from rulerank.export.formats.base import Format, choose
from rulerank.export.readme import README, SUMS, readme, sums

Progress = Callable[[int, int], object]
Events = Iterable[Mapping[str, Any]]

LEVEL = 1  # of compression: the higher ones take four times as long for a tenth of the size
DATE = (1980, 1, 1, 0, 0, 0)  # the same in every bundle, so that equal contents give equal bytes


class CheckFailedError(RulerankError):
    """Files that were read back are not what was meant; `problems` lists how. Nothing was handed out."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__("\n".join(["the export did not pass its check, so there is no bundle:", *problems]))


def make_bundle(
    collection: Collection,
    events: Events = (),
    about: Mapping[str, Any] | None = None,
    *,
    formats: Iterable[str] | None = None,
    folds: int = 5,
    seed: int = 0,
    unlabelled: bool = False,
    progress: Progress | None = None,
) -> bytes:
    """Return a zip file with all formats (or those named), README.txt and SHA256SUMS.

    `collection` holds the aggregated grades; documents without one (-1) stay out unless `unlabelled`. `about` are the
    facts for README.txt (`rulerank.export.readme.FACTS` names the usual ones). Every file is read back and compared
    with what was meant; any difference raises CheckFailedError. The same contents give the same bytes.
    `progress(done, total)` is called with steps, and may raise to stop.
    """
    export = Export.prepare(collection, events, about, folds=folds, seed=seed, unlabelled=unlabelled)
    memory = io.BytesIO()
    _pack(export, choose(formats), memory, progress)
    return memory.getvalue()


def write_bundle(
    target: str | os.PathLike[str],
    collection: Collection,
    events: Events = (),
    about: Mapping[str, Any] | None = None,
    *,
    formats: Iterable[str] | None = None,
    folds: int = 5,
    seed: int = 0,
    unlabelled: bool = False,
    progress: Progress | None = None,
) -> Path:
    """Write the zip file of `make_bundle` to a path and return it.

    The path changes only once the whole bundle has passed its check; stopped or failed, nothing is left behind.
    """
    chosen = choose(formats)
    export = Export.prepare(collection, events, about, folds=folds, seed=seed, unlabelled=unlabelled)
    with _beside(Path(target)) as file:
        _pack(export, chosen, file, progress)
    return Path(target)


def check(
    collection: Collection,
    events: Events = (),
    about: Mapping[str, Any] | None = None,
    *,
    formats: Iterable[str] | None = None,
    folds: int = 5,
    seed: int = 0,
    unlabelled: bool = False,
    progress: Progress | None = None,
) -> list[str]:
    """Write every file, read it back, and return what is not as it was meant; an empty list is good.

    A format that cannot express the export is reported, and not written.
    """
    chosen = choose(formats)
    export = Export.prepare(collection, events, about, folds=folds, seed=seed, unlabelled=unlabelled)
    problems = _conflicts(export, chosen)
    chosen = [each for each in chosen if not each.conflicts(export)]
    steps = _Steps(_count(export, chosen), progress)
    with _checked_files(export, chosen) as files:
        for _, _, checked in files:
            problems += checked.result()
            steps.done()
    return problems


def export_files(
    collection: Collection,
    events: Events = (),
    *,
    formats: Iterable[str] | None = None,
    folds: int = 5,
    seed: int = 0,
    unlabelled: bool = False,
) -> Iterator[tuple[str, bytes]]:
    """Give the name and the contents of each file, checked, for those who want one file and no bundle."""
    chosen = choose(formats)
    export = Export.prepare(collection, events, folds=folds, seed=seed, unlabelled=unlabelled)
    conflicts = _conflicts(export, chosen)
    if conflicts:
        raise CheckFailedError(conflicts)
    with _checked_files(export, chosen) as files:
        for name, data, checked in files:
            if checked.result():
                raise CheckFailedError(checked.result())
            yield name, data


def _count(export: Export, chosen: list[Format]) -> int:
    return sum(len(each.names(export)) for each in chosen)


def _conflicts(export: Export, chosen: list[Format]) -> list[str]:
    return [problem for each in chosen for problem in each.conflicts(export)]


@contextmanager
def _checked_files(export: Export, chosen: list[Format]) -> Iterator[Iterator[tuple[str, bytes, Future[list[str]]]]]:
    """Give each file with its check, which runs beside whatever the caller does with the file."""
    with ThreadPoolExecutor(1, thread_name_prefix="rulerank-check") as pool:
        yield (
            (name, data, pool.submit(each.check, export, name, data))
            for each in chosen
            for name, data in each.files(export)
        )


class _Steps:
    """Counts steps for whoever watches."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._total = total
        self._progress = progress
        self._at = -1
        self.done()

    def done(self) -> None:
        """Tell that one more step is done."""
        self._at += 1
        if self._progress:
            self._progress(self._at, self._total)


def _pack(export: Export, chosen: list[Format], file: IO[bytes], progress: Progress | None) -> None:
    """Write and check everything; raise at the end if anything is not as it was meant."""
    steps = _Steps(_count(export, chosen) + 1, progress)
    problems = _conflicts(export, chosen)
    if problems:
        raise CheckFailedError(problems)
    digests: dict[str, str] = {}

    def put(name: str, data: bytes) -> None:
        entry = zipfile.ZipInfo(name, DATE)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = 0o644 << 16
        archive.writestr(entry, data, compresslevel=LEVEL)
        digests[name] = hashlib.sha256(data).hexdigest()

    with zipfile.ZipFile(file, "w") as archive, _checked_files(export, chosen) as files:
        put(README, readme(export, chosen))
        for name, data, checked in files:
            put(name, data)
            problems += checked.result()
            steps.done()
        put(SUMS, sums(digests))
    if not problems:
        problems = _unlike(file, digests)
    if problems:
        raise CheckFailedError(problems)
    steps.done()


def _unlike(file: IO[bytes], digests: dict[str, str]) -> list[str]:
    """Unpack the bundle again: what was checked must be what is in it."""
    file.seek(0)
    try:
        with zipfile.ZipFile(file) as archive:
            found = {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}
    except zipfile.BadZipFile as exc:
        return [f"the bundle cannot be unpacked again: {exc}"]
    return [
        f"{name}: the bundle holds something else than was checked"
        for name in digests
        if found.get(name) != digests[name]
    ]


@contextmanager
def _beside(path: Path) -> Iterator[IO[bytes]]:
    """Write beside the path and put the whole file in its place at the end."""
    beside = path.with_name(f".{path.name[:200]}.{secrets.token_hex(6)}.tmp")
    try:
        with beside.open("x+b") as file:
            yield file
        beside.replace(path)
    except OSError as exc:
        beside.unlink(missing_ok=True)
        raise InputError(f"{path}: cannot be written: {exc.strerror or exc}; check the path and the room") from exc
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
