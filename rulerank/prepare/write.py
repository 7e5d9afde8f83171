"""Write a prepared collection as files: all of them, or none."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType

from rulerank.files import PACKED, whole_path, without_packing
from rulerank.letor import write_letor
from rulerank.letor.target import compressed
from rulerank.prepare.prepare import Prepared
from rulerank.prepare.read_back import SETTINGS

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
    plain = without_packing(name)
    return next((what for what, end in _ENDINGS.items() if plain.endswith(end)), None)


def write_prepared(prepared: Prepared, out: str | Path) -> dict[str, Path]:
    """Write the collection and what belongs to it, and return where.

    Everything is written beside its place first; nothing is replaced until all is there, so that an error or Ctrl-C
    leaves what was there before.
    """
    paths = paths_for(out)
    work: dict[str, Callable[[Path], None]] = {
        "letor": lambda path: _write_collection(path, prepared, paths["letor"].name),
        "queries": lambda path: _write_lines(path, _queries(prepared)),
        "documents": lambda path: _write_lines(path, _documents(prepared)),
        "features": lambda path: _write_lines(path, _features(prepared)),
        "facts": lambda path: _write_lines(path, [json.dumps(_facts(prepared), ensure_ascii=False, indent=1)]),
    }
    with ExitStack() as stack:
        for what, path in paths.items():
            work[what](stack.enter_context(whole_path(path)))
        with _uninterrupted():
            stack.pop_all().close()  # puts all in place, the LETOR file last
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


def _write_collection(path: Path, prepared: Prepared, name: str) -> None:
    """Write the LETOR file, compressed as its name says, which is also the name that a zip gives it."""
    with path.open("wb") as file, compressed(file, name) as stream:
        write_letor(prepared.collection, stream)


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
