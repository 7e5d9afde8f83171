"""Read a click log: `read_log` chooses the layout by the name of the file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from rulerank.clicks.builder import LogBuilder
from rulerank.clicks.clara import read_clara
from rulerank.clicks.layouts import READERS
from rulerank.clicks.log import ClickLog
from rulerank.clicks.source import RowProblems, opened
from rulerank.errors import InputError
from rulerank.files import Source, source_name, without_packing

CLARA = "clara2"
LAYOUTS = (*READERS, CLARA)
_PACKED = (".gz", ".xz", ".bz2")  # no zip


def read_log(
    source: Source,
    *,
    layout: str | None = None,
    grades: Source | None = None,
    depth: int | None = None,
    max_grade: int | None = None,
    languages: Sequence[str] | None = None,
    unjudged: str = "drop",
    skip_bad: bool = False,
    join: str = "urls",
) -> ClickLog:
    """Read sessions and count them by configuration and click pattern, in a stream.

    | argument | meaning |
    | --- | --- |
    | `source` | a path or an open binary file; for `clara2` the log, or the folder with both files |
    | `layout` | csv, jsonl, parquet (see `layouts`) or clara2 (see `clara`); by default chosen by the name |
    | `grades` | the table of grades of the layout clara2 |
    | `depth` | count only the first so many results, and ignore clicks below (the paper: 5) |
    | `max_grade` | the best grade there can be; by default the best one found |
    | `languages` | the languages there may be, in the order wanted; by default those found, sorted |
    | `unjudged` | leave sessions out that show a result without a grade (`drop`), or take it for grade 0 (`zero`) |
    | `skip_bad` | leave bad rows out; else they are an error that lists the first of them by line |
    """
    chosen = layout or _layout_by_name(source)
    if chosen not in LAYOUTS:
        raise InputError(f"no layout is named {chosen!r}; there are: {', '.join(LAYOUTS)}")
    builder = LogBuilder(depth=depth, max_grade=max_grade, languages=languages, unjudged=unjudged)
    notes: tuple[str, ...] = ()
    if chosen == CLARA:
        log, table = _clara_files(source, grades)
        problems = RowProblems(source_name(log))
        notes = read_clara(log, table, builder, problems, join)
    else:
        problems = RowProblems(source_name(source))
        with opened(source) as file:
            READERS[chosen](file, builder, problems)
    problems.end(skip=skip_bad)
    return builder.finish(problems, notes)


def _layout_by_name(source: Source) -> str:
    name = without_packing(source_name(source), _PACKED)
    if isinstance(source, str | os.PathLike) and Path(source).is_dir():
        return CLARA
    ending = name.rpartition(".")[2]
    if ending in READERS:
        return ending
    if "clara2" in name:
        return CLARA
    raise InputError(f"the name {source_name(source)!r} does not show the layout; give one of {', '.join(LAYOUTS)}")


def _clara_files(source: Source, grades: Source | None) -> tuple[Source, Source]:
    if isinstance(source, str | os.PathLike) and Path(source).is_dir():
        found = []
        for part in ("SearchLog", "QueryUrlRelevance"):
            files = sorted(Path(source).glob(f"*{part}*"))
            if len(files) != 1:
                raise InputError(f"{source} must hold one file named *{part}*, but holds {len(files)}")
            found.append(files[0])
        return found[0], grades or found[1]
    if grades is None:
        raise InputError("the layout clara2 needs the table of grades too: query, url and grade, separated by tabs")
    return source, grades
