"""Write a prepared collection as files: all of them, or none."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType

from rulerank.errors import InputError
from rulerank.letor import write_letor
from rulerank.prepare.prepare import Prepared
from rulerank.prepare.read_back import SETTINGS

PACKED = (".gz", ".xz", ".bz2", ".zip")


_ENDINGS = {
    "queries": ".queries.jsonl",
    "documents": ".documents.jsonl",
    "features": ".features.txt",
    "facts": ".prepared.json",
}


def paths_for(out: str | Path) -> dict[str, Path]:
    """Return the files that belong to `--out collection.letor`, by what they hold."""
    path = Path(out)
    base = path.with_suffix("") if path.suffix.lower() in PACKED else path
    stem = base.with_suffix("") if base.suffix else base
    return {"letor": path, **{what: stem.with_name(f"{stem.name}{end}") for what, end in _ENDINGS.items()}}


def part_of(name: str) -> str | None:
    """Tell by a file's name which part it is of what `prepare` writes beside a LETOR file; None: none."""
    plain = name.lower()
    for end in PACKED:
        plain = plain.removesuffix(end)
    return next((what for what, end in _ENDINGS.items() if plain.endswith(end)), None)


def write_prepared(prepared: Prepared, out: str | Path) -> dict[str, Path]:
    """Write the collection and what belongs to it, and return where.

    Everything is written beside its place first; nothing is replaced until all is there, so that an error or Ctrl-C
    leaves what was there before.
    """
    paths = paths_for(out)
    if not paths["letor"].parent.is_dir():
        raise InputError(f"cannot write {paths['letor']}: the folder {paths['letor'].parent} does not exist")
    for path in paths.values():
        if path.is_dir():
            raise InputError(f"cannot write {path}: it is a folder")
    work: dict[str, Callable[[Path], None]] = {
        "letor": lambda path: write_letor(prepared.collection, path),
        "queries": lambda path: _write_lines(path, _queries(prepared)),
        "documents": lambda path: _write_lines(path, _documents(prepared)),
        "features": lambda path: _write_lines(path, _features(prepared)),
        "facts": lambda path: _write_lines(path, [json.dumps(_facts(prepared), ensure_ascii=False, indent=1)]),
    }
    with ExitStack() as stack:
        staged = {}
        for what, path in paths.items():
            # The ending stays, since it tells the writer how to compress.
            beside = path.with_name(f".{os.getpid()}-{path.name}")
            stack.callback(beside.unlink, missing_ok=True)
            try:
                work[what](beside)
            except OSError as error:
                raise InputError(f"cannot write {path}: {error.strerror or error}") from error
            staged[what] = beside
        with _uninterrupted():
            for what, beside in staged.items():
                beside.replace(paths[what])
    return paths


def _facts(prepared: Prepared) -> dict[str, object]:
    """Return what is worth knowing, and (for programs) how the texts were cut into terms."""
    return {**prepared.facts, "notes": prepared.notes, SETTINGS: prepared.analyser.to_dict()}


def _queries(prepared: Prepared) -> Iterator[str]:
    for qid, query in prepared.texts.queries.items():
        record = {"qid": qid, "text": query.text, "need": query.need, "terms": prepared.terms[qid]}
        yield json.dumps(record, ensure_ascii=False)


def _documents(prepared: Prepared) -> Iterator[str]:
    for docid, document in prepared.texts.documents.items():
        record = {"docid": docid, "title": document.title, "text": document.body, "language": document.language}
        yield json.dumps({name: value for name, value in record.items() if value is not None}, ensure_ascii=False)


def _features(prepared: Prepared) -> Iterator[str]:
    return (f"{number}\t{' '.join(name.split())}" for number, name in enumerate(prepared.collection.feature_names, 1))


def _write_lines(path: Path, lines: Iterator[str] | list[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put Ctrl-C off to the end of the block, so that a set of files is never replaced by half."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[FrameType | None] = []
    before = signal.signal(signal.SIGINT, lambda _, frame: came.append(frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt
