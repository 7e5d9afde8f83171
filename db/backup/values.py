"""Whether every value of a SQLite database is one that rulerank could have written: a check for each column.

SQLite keeps any value in any column. What a column should hold follows from its description in `db.store.tables`; what
only its meaning says (not any text is a password hash, and not any JSON a campaign's settings) stands in `MEANINGS`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any

import sqlalchemy as sa
from argon2 import extract_parameters
from argon2.exceptions import InvalidHashError

from db.backup.dump import BrokenText, quoted
from db.store.errors import DatabaseError
from db.store.tables import metadata
from rulerank.campaign import Settings
from rulerank.collection.pack import check_numbers
from rulerank.discretize import Discretizer
from rulerank.errors import RulerankError
from rulerank.text import Analyser

Check = Callable[[Any], str | None]
"""Takes a value and returns what is wrong with it, in words, or None."""

LATEST = 1e11  # seconds since 1970: the year 5138


class ValueFaultError(DatabaseError):
    """A database holds a value that is not right; the message says where."""

    def __init__(self, table: str, key: object, column: str, wrong: str) -> None:
        super().__init__(f"table {table}, row {key}, column {column}: {wrong}")


def check_values(connection: Any) -> None:
    """Raise a `ValueFaultError` at the first value that is not right; rows are read one by one, never all at once.

    `connection` is the driver's own, whose text factory is `db.backup.dump.read_text`.
    """
    for table in metadata.sorted_tables:
        columns = list(table.columns)
        keys = [place for place, column in enumerate(columns) if column.primary_key]
        checks = [checked(column) for column in columns]
        chosen = ", ".join(quoted(column.name) for column in columns)
        for row in connection.execute(f"SELECT {chosen} FROM {quoted(table.name)}"):
            for place, (value, check) in enumerate(zip(row, checks, strict=True)):
                wrong = check(value)
                if wrong is not None:
                    key = ", ".join(_shown(row[each]) for each in keys)
                    raise ValueFaultError(table.name, key, columns[place].name, wrong)


def checked(column: sa.Column[Any]) -> Check:
    """Return the check of a column: its type, length and range, the values that it allows, and its meaning."""
    of_type = _of_type(column)
    allowed = _allowed(column)
    meaning = MEANINGS.get(f"{column.table.name}.{column.name}")
    nullable, is_json = column.nullable, isinstance(column.type, sa.JSON)

    def check(value: Any) -> str | None:
        if value is None:
            return None if nullable else "a value is missing"
        wrong = of_type(value)
        if wrong is None and allowed is not None and value not in allowed:
            wrong = f"{_shown(value)} is none of {', '.join(sorted(allowed))}"
        if wrong is None and meaning is not None:
            wrong = _meant(meaning, value, is_json)
        return wrong

    return check


# What a column's description says ------------------------------------------------------------------------------------


def _of_type(column: sa.Column[Any]) -> Check:
    kind = column.type
    if isinstance(kind, sa.Boolean):
        return lambda value: None if type(value) is int and value in (0, 1) else _no("true or false (1 or 0)", value)
    if isinstance(kind, sa.Integer):
        least = 1 if column.primary_key and column.name == "id" else -(2**31)
        most = 2**63 - 1 if isinstance(kind, sa.BigInteger) else 2**31 - 1
        if isinstance(kind, sa.BigInteger) and column.name != "id":
            least = 1 if column.foreign_keys else -(2**63)
        words = f"a whole number in {least} to {most}"
        return lambda value: None if type(value) is int and least <= value <= most else _no(words, value)
    if isinstance(kind, sa.Double):
        words = f"a number of seconds in 0 to {LATEST:.0f}"
        return lambda value: None if type(value) in (int, float) and 0 <= value <= LATEST else _no(words, value)
    if isinstance(kind, sa.JSON):
        # SQLite keeps JSON that is a number as that number.
        return lambda value: None if type(value) in (int, float) else _text(value)
    if isinstance(kind, sa.LargeBinary):
        return lambda value: None if type(value) is bytes else _no("bytes", value)
    return _text_of(getattr(kind, "length", None))


def _text_of(longest: int | None) -> Check:
    most = math.inf if longest is None else longest

    def check(value: Any) -> str | None:
        if type(value) is BrokenText:
            return f"the text {_shown(value)} is not UTF-8"
        if type(value) is not str:
            return _no("text", value)
        return None if len(value) <= most else f"the text has {len(value)} characters; {longest} is the most"

    return check


_text = _text_of(None)


def _allowed(column: sa.Column[Any]) -> frozenset[str] | None:
    """Return the values that a check constraint of the table lists for a column."""
    for constraint in column.table.constraints:
        if isinstance(constraint, sa.CheckConstraint):
            listed = re.fullmatch(r"(\w+) IN \((.*)\)", str(constraint.sqltext))
            if listed is not None and listed[1] == column.name:
                return frozenset(re.findall(r"'([^']*)'", listed[2]))
    return None


# What only a column's meaning says -----------------------------------------------------------------------------------


def _meant(meaning: Callable[[Any], None], value: Any, is_json: bool) -> str | None:
    """Try a value against what its column means; whatever reading it raises is what is wrong with it."""
    try:
        meaning(json.loads(value) if is_json and isinstance(value, str) else value)
    except (RulerankError, ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        return f"{_shown(value)} cannot be read: {error or type(error).__name__}"
    return None


def _need(right: bool, words: str) -> None:
    if not right:
        raise ValueError(f"it should be {words}")


def _mapping(value: Any) -> None:
    _need(isinstance(value, dict), "a set of named values")


def _texts(value: Any) -> None:
    _need(isinstance(value, list) and all(isinstance(each, str) for each in value), "a list of texts")


def _lists(value: Any) -> None:
    _need(isinstance(value, list) and all(isinstance(each, list) for each in value), "a list of lists")


def _assumed(value: Any) -> None:
    _mapping(value)
    right = all(row.isdecimal() and type(grade) is int for row, grade in value.items())
    _need(right, "grades by the numbers of documents")


def _form(pattern: str, words: str) -> Callable[[Any], None]:
    compiled = re.compile(pattern, re.ASCII)
    return lambda value: _need(compiled.fullmatch(value) is not None, words)


def _positive(value: Any) -> None:
    _need(value > 0, "at least 1")


def _not_negative(value: Any) -> None:
    _need(value >= 0, "at least 0")


def _settings(value: Any) -> None:
    _mapping(value)
    read, usual = Settings.from_dict(value), Settings()
    for each in fields(Settings):
        found, wanted = type(getattr(read, each.name)), type(getattr(usual, each.name))
        same = found is wanted or wanted is type(None) or (found, wanted) == (int, float)
        _need(same, f"of another type: {each.name} is {found.__name__}")
    right = all(isinstance(text, str) for level in read.grades for text in vars(level).values())
    _need(right, "of grades that are described in texts")


def _edges(value: Any) -> None:
    _mapping(value)
    Discretizer.from_dict(value)


def _analyser(value: Any) -> None:
    _mapping(value)
    Analyser.from_dict(value)


def _hash(value: Any) -> None:
    try:
        extract_parameters(value)
    except InvalidHashError as error:
        raise ValueError("it should be a password hash of argon2") from error


_token = _form(r"[!-~]{1,40}", "a token of visible ASCII characters")

MEANINGS: Mapping[str, Callable[[Any], None]] = {
    "collections.content_hash": _form(r"[0-9a-f]{64}", "a SHA-256 in hexadecimal"),
    "collections.rows": _positive,
    "collections.features": _positive,
    "collections.feature_names": _texts,
    "collections.queries": _texts,
    "collections.analyser": _analyser,
    "collection_chunks.start": _not_negative,
    "collection_chunks.stop": _positive,
    "collection_chunks.data": lambda value: None,  # read with its collection: see `db.backup.proof`
    "query_texts.terms": _texts,
    "people.name": _form(r"(?s:.+)", "not empty"),
    "people.password_hash": _hash,
    "sessions.token_hash": _form(r"[0-9a-f]{64}", "a SHA-256 in hexadecimal"),
    "campaigns.settings": _settings,
    "campaigns.edges": _edges,
    "campaigns.pool_rows": check_numbers,
    "campaigns.evaluation_rows": check_numbers,
    "selections.row": _not_negative,
    "selections.round": _not_negative,
    "selections.keys": _lists,
    "selections.assumed": _assumed,
    "claims.token": _token,
    "label_events.token": _token,
    "snapshots.labels": _not_negative,
    "snapshots.settings": _mapping,
    "snapshots.values": _mapping,
    "jobs.arguments": _mapping,
    "jobs.result": lambda value: None,  # a handler's own: any JSON
    "jobs.tries": _not_negative,
    "jobs.done": _not_negative,
    "files.data": lambda value: None,  # read with its name: see `db.backup.proof`
}


def described() -> Iterator[tuple[str, bool]]:
    """Yield every column, and whether only its meaning says what may be in it."""
    for table in metadata.sorted_tables:
        for column in table.columns:
            yield f"{table.name}.{column.name}", isinstance(column.type, sa.JSON | sa.LargeBinary)


def _no(wanted: str, value: Any) -> str:
    return f"{_shown(value)} is not {wanted}"


def _shown(value: Any) -> str:
    """Return the beginning of a value, as a message can show it."""
    shown = ascii(value if not isinstance(value, str | bytes) else value[:60])
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
