"""From files of texts to a collection: read, prepared, and told how far it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rulerank.importing.brought import readable
from rulerank.importing.read import BadFilesError, Imported, Problem
from rulerank.prepare import KINDS, BadRecordsError, DataFile, Options, Prepared, Reading, prepare, read_files
from rulerank.progress import Progress, named

# Shares of the time that the steps take, as measured with collections of some thousand documents.
_STEPS = {"reading": 0.1, "words": 0.4, "index": 0.1, "candidates": 0.1, "features": 0.25, "languages": 0.05}
_WHOLE = 1000
_MOST_NAMED = 6


def prepare_files(files: Sequence[DataFile], how: Reading, options: Options, progress: Progress) -> Imported:
    """Read files and make a collection of them; bad records come together in one BadFilesError, and nothing is kept."""
    bar = _Bar(progress)
    try:
        with readable():
            gathered = read_files(files, how, progress=named(bar.report, "reading"))
    except BadRecordsError as error:
        found = [Problem(each.file, each.line, None, each.text, each.message) for each in error.problems]
        bad = BadFilesError(found)
        bad.truncated |= error.truncated
        raise bad from error
    prepared = prepare(gathered, options, progress=bar.report)
    collection = prepared.collection
    none = np.zeros(len(collection), bool)
    return Imported(collection, none, prepared.texts, (), prepared.notes, told_facts(prepared), prepared.analyser)


def told_facts(prepared: Prepared) -> tuple[str, ...]:
    """Return in sentences what was read and done."""
    facts = prepared.facts
    lines = [
        f"Read as {KINDS[facts['format']]}: {facts['documents']:,} documents, {facts['queries']:,} queries, "
        f"{facts['judgements']:,} judgements. Encodings: {_listed(facts['encodings'])}.",
        f"Words: {facts['analyser']}. Languages of the candidates: {_listed(facts['languages'])}.",
    ]
    if "bm25_map" in facts:
        lines.append(f"BM25 alone reaches MAP {facts['bm25_map']:.3f} on {facts['bm25_queries']:,} judged queries.")
    return tuple(lines)


def _listed(values: dict[str, Any]) -> str:
    shown = [f"{name} {value:,}" if isinstance(value, int) else f"{name} {value}" for name, value in values.items()]
    more = [f"and {len(shown) - _MOST_NAMED} more"] if len(shown) > _MOST_NAMED else []
    return ", ".join([*shown[:_MOST_NAMED], *more])


class _Bar:
    """One bar for all steps, which never goes back; each call is a moment to cancel."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._highest = 0.0

    def report(self, done: int, total: int | None = None, what: str = "", /) -> None:
        """Say how far a step is."""
        names = list(_STEPS)
        # Languages are told for all documents at the end; the first look at them has no number.
        if what in _STEPS and total:
            before = sum(_STEPS[name] for name in names[: names.index(what)])
            self._highest = max(self._highest, before + _STEPS[what] * min(1.0, done / total))
        self._progress(int(_WHOLE * self._highest), _WHOLE)
