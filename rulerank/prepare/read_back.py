"""What `prepare` wrote beside a LETOR file, read again: the names of features, and the analyser of the texts."""

from __future__ import annotations

from rulerank.errors import InputError
from rulerank.files import BrokenStreamError, Source, open_source, source_name
from rulerank.foreign.decoding import decode_whole
from rulerank.foreign.parsing import parse_json
from rulerank.foreign.storable import unstorable
from rulerank.memory import MemoryMeter
from rulerank.text.analyser import Analyser

SETTINGS = "analyser_settings"
"""The key of what is written that tells the analyser."""


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
