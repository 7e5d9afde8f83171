"""The schema of a SQLite database in plain words, its fingerprint, and what it should be at a revision.

It is read from what SQLite says of its tables rather than from the statements that made them, which other versions of
the tools write with other blanks and quotes.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from db.backup.dump import quoted, table_names
from db.store.engine import Database
from db.store.migrate import bring_to
from db.store.scratch import scratch
from db.store.sqlite_copy import driver

Schema = dict[str, str]


def read_schema(connection: Any) -> Schema:
    """Return every part of a SQLite database's schema by name, by the driver's own connection."""
    parts: Schema = {}
    made = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    for kind, name, table, sql in made:
        if not str(name).startswith("sqlite_") and kind != "table":
            parts[f"{kind} {name}"] = f"on {table}: {_normal(sql)}"
    for name in table_names(connection):
        sql = next(sql for kind, found, _, sql in made if (kind, found) == ("table", name))
        parts[f"table {name}"] = _as_json(_unlisted(sql))
        for row in connection.execute(f"PRAGMA table_xinfo({quoted(name)})").fetchall():
            _, column, *rest = row
            parts[f"column {name}.{column}"] = _as_json(rest)
        foreign = connection.execute(f"PRAGMA foreign_key_list({quoted(name)})").fetchall()
        for _, _, other, here, there, *rest in foreign:
            parts[f"reference {name}.{here}"] = _as_json([other, there, *rest])
        for index in connection.execute(f"PRAGMA index_list({quoted(name)})").fetchall():
            _, called, unique, origin, partial = index[:5]
            columns = [row[2] for row in connection.execute(f"PRAGMA index_info({quoted(called)})").fetchall()]
            # The ones that SQLite makes for a constraint have a number for a name.
            label = f"index {called}" if origin == "c" else f"constraint {name}({', '.join(map(str, columns))})"
            parts[label] = f"{parts.get(label, '')}{_as_json([name, unique, origin, partial, *columns])}"
    return parts


def fingerprint(schema: Schema) -> str:
    """Return the SHA-256 of a schema, in hexadecimal."""
    return hashlib.sha256(json.dumps(schema, sort_keys=True).encode()).hexdigest()


def difference(found: Schema, wanted: Schema) -> str:
    """Say where a schema differs from what it should be, in words; nothing if it does not."""
    missing = sorted(wanted.keys() - found.keys())
    strange = sorted(found.keys() - wanted.keys())
    other = sorted(name for name in found.keys() & wanted.keys() if found[name] != wanted[name])
    said = [("lacks", missing), ("has besides", strange), ("differs in", other)]
    return "; ".join(f"it {words} {_some(names)}" for words, names in said if names)


@lru_cache(maxsize=8)
def schema_at(revision: str) -> tuple[tuple[str, str], ...]:
    """Return the schema of an empty SQLite database at a revision of this program's."""
    with scratch(Path(tempfile.gettempdir())) as folder:
        fresh = Database(f"sqlite:///{folder / 'fresh.db'}")
        try:
            bring_to(fresh, revision)
            with fresh.read() as connection:
                return tuple(read_schema(driver(connection)).items())
        finally:
            fresh.close()


def _some(names: list[str]) -> str:
    names = sorted(names, key=lambda name: not name.startswith("table"))  # before what it is made of
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _as_json(values: list[Any]) -> str:
    return json.dumps([str(value) if value is not None else None for value in values])


def _normal(sql: object) -> str:
    """Write a statement one way: no quotes around names, one blank between words."""
    return re.sub(r"\s+", " ", re.sub(r'["`\[\]]', "", str(sql or ""))).strip()


def _unlisted(sql: object) -> list[str]:
    """Return what a table's pragmas do not say: check constraints, the names of constraints, and its options."""
    text = _normal(sql)
    found = sorted(re.findall(r"\bCONSTRAINT (\S+)", text, re.IGNORECASE))
    for match in re.finditer(r"\bCHECK\s*\(", text, re.IGNORECASE):
        depth, at = 1, match.end()
        while at < len(text) and depth:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        found.append(text[match.end() : at - 1])
    return [*found, text.rpartition(")")[2].strip()]
