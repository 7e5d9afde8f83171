"""Write a prepared collection as files, all of them or none, and read back what stands beside the LETOR file."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType

from rulerank.errors import InputError
from rulerank.files import PACKED, BrokenStreamError, Source, open_source, source_name, whole_path, without_packing
from rulerank.foreign.decoding import decode_whole, parse_json
from rulerank.foreign.storable import unstorable
from rulerank.letor import write_letor
from rulerank.letor.target import compressed
from rulerank.memory import MemoryMeter
from rulerank.prepare.prepare import Prepared
from rulerank.text.analyser import Analyser

SETTINGS = "analyser_settings"
"""The key of what is written that describes the analyser."""


def read_feature_names(source: Source) -> tuple[str, ...]:
    """Read the names of features from a file of `number <tab> name` lines, as `prepare` and the export write them."""
    name, text = _text(source, "the names of features")
    names = []
    for line, row in enumerate((row for row in text.split("\n") if row.strip()), 1):
        number, tab, label = row.partition("\t")
        if not tab or number.strip() != str(line) or not label.strip():
            raise InputError(f"{name}:{line}: expected '{line}', a tab and the feature's name, but found {row[:60]!r}")
        if fault := unstorable(label):
            raise InputError(f"{name}:{line}: the feature's name {label[:60]!r}: {fault}")
        names.append(label.strip())
    if not names:
        raise InputError(f"{name}: the file is empty: it holds no name")
    return tuple(names)


def read_analyser(source: Source) -> Analyser | None:
    """Read from a `NAME.prepared.json` with which analyser the texts were prepared; None if it does not say."""
    name, text = _text(source, "what was prepared")
    try:
        found = parse_json(text)
    except InputError as error:
        raise InputError(f"{name}: not JSON as `prepare` writes it ({error}); leave the file out") from error
    if not isinstance(found, dict):
        raise InputError(f"{name}: not a JSON object as `prepare` writes it; leave the file out")
    saved = found.get(SETTINGS)
    if saved is None:
        return None
    if not isinstance(saved, dict):
        raise InputError(f"{name}: {SETTINGS!r} must be a JSON object, not {saved!r:.40}; leave the file out")
    return Analyser.from_dict(saved)


def _text(source: Source, what: str) -> tuple[str, str]:
    name = source_name(source)
    pieces = []
    meter = MemoryMeter(f"{name}: {what}")
    try:
        with open_source(source) as stream:
            name = stream.name
            while piece := stream.read(1 << 16):
                meter.add(2 * len(piece))  # once as bytes, once as text
                pieces.append(piece)
    except BrokenStreamError as error:
        raise InputError(f"{name}: {error}") from error
    return name, decode_whole(b"".join(pieces), name)


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
    """Recognise by a file's name which part it is of what `prepare` writes beside a LETOR file; None: none."""
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
