"""Write a click log in our own layout: one row for each configuration and pattern, with its number of sessions."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rulerank.clicks.layouts import BATCH, arrow_module
from rulerank.clicks.log import ClickLog
from rulerank.errors import InputError
from rulerank.files import whole_path
from rulerank.metrics.intents import ANY

_COLUMNS = ("query", "documents", "grades", "languages", "clicks", "sessions")


def write_log(log: ClickLog, path: str | os.PathLike[str], *, single: bool = False) -> None:
    """Write `.csv`, `.jsonl` or `.parquet`, by the path's ending; the file is there whole or not at all.

    `single` writes one row per session instead of numbers of equal sessions, as a server would log them.
    """
    target = Path(path)
    writers = {".csv": _write_csv, ".jsonl": _write_jsonl, ".parquet": _write_parquet}
    writer = writers.get(target.suffix.lower())
    if writer is None:
        raise InputError(f"{target.name}: click logs are written as {', '.join(writers)}")
    with whole_path(target) as beside:
        writer(beside, _rows(log, single=single))


def _rows(log: ClickLog, *, single: bool) -> Iterator[dict[str, Any]]:
    """Yield the rows; single sessions come in a mixed order, since equal ones do not stand together in a real log."""
    order = np.arange(len(log.count))
    if single:
        order = np.random.default_rng(0).permutation(np.repeat(order, log.count))
    named = log.languages != (ANY,)
    made: dict[int, dict[str, Any]] = {}
    for row in order.tolist():
        if row not in made:
            if len(made) >= BATCH:
                made.clear()
            config = int(log.row_config[row])
            length = int(log.length[config])
            found: dict[str, Any] = {
                "query": log.queries[log.query[config]],
                "documents": [log.documents[code] for code in log.document[config, :length]],
                "grades": log.grade[config, :length].tolist(),
            }
            if named:
                found["languages"] = [log.languages[code] for code in log.language[config, :length]]
            found["clicks"] = log.row_clicked[row, :length].astype(int).tolist()
            if not single:
                found["sessions"] = int(log.count[row])
            made[row] = found
        yield made[row]


def _write_csv(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        for place, row in enumerate(rows):
            if place == 0:
                writer.writerow(row)
            for name in ("documents", "languages"):
                spaced = next((value for value in row.get(name, ()) if len(value.split()) != 1), None)
                if spaced is not None:
                    raise InputError(f"{spaced!r} has a space, which separates {name} in a CSV; write .jsonl instead")
            writer.writerow(" ".join(map(str, value)) if isinstance(value, list) else value for value in row.values())


def _write_jsonl(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _write_parquet(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    arrow, parquet = arrow_module("pyarrow"), arrow_module("pyarrow.parquet")
    kinds = dict(
        zip(
            _COLUMNS,
            (arrow.string(), *(arrow.list_(kind) for kind in (arrow.string(), arrow.int32(), arrow.string())),
             arrow.list_(arrow.int8()), arrow.int64()),
            strict=True,
        )
    )  # fmt: skip
    writer, batch = None, []
    try:
        for row in rows:
            batch.append(row)
            if len(batch) == BATCH:
                writer = _flush(writer, batch, path, arrow, parquet, kinds)
                batch = []
        if batch or writer is None:
            writer = _flush(writer, batch, path, arrow, parquet, kinds)
    finally:
        if writer is not None:
            writer.close()


def _flush(
    writer: Any, batch: list[dict[str, Any]], path: Path, arrow: Any, parquet: Any, kinds: dict[str, Any]
) -> Any:
    names = list(batch[0]) if batch else list(kinds)
    table = arrow.Table.from_pylist(batch, schema=arrow.schema([(name, kinds[name]) for name in names]))
    writer = writer or parquet.ParquetWriter(path, table.schema)
    writer.write_table(table)
    return writer
