"""Collections in the database: features in compressed chunks, texts beside them; stored whole or not at all."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from db.store.engine import Database
from db.store.tables import collection_chunks, collections, document_texts, query_texts
from rulerank.collection import Collection
from rulerank.collection.pack import pack_rows, rows_at_once, unpack_rows
from rulerank.errors import InputError
from rulerank.foreign.storable import LONGEST_ID, LONGEST_LANGUAGE, too_long
from rulerank.progress import Progress, silent
from rulerank.text import Analyser, DocumentText, QueryText, Texts, query_terms, whole_query

CHUNK_ROWS = 4096
LONGEST_NAME = 200
AT_ONCE = 500
"""Documents that one statement asks for by their docids."""


@dataclass(frozen=True)
class CollectionInfo:
    """What a list of collections shows."""

    id: int
    name: str
    rows: int
    queries: int
    features: int
    created_at: float


class Collections:
    """Stores and loads collections; the same content is stored once."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def add(
        self,
        name: str,
        collection: Collection,
        texts: Texts | None = None,
        *,
        analyser: Analyser | None = None,
        progress: Progress = silent,
    ) -> int:
        """Store a collection and return its number; one that is there already is found by its content hash.

        `analyser` is the one that its texts were prepared with. A `progress` that raises stops the import, and nothing
        of it stays.
        """
        name = checked_name(name, "collection")
        if not len(collection):
            raise InputError("the collection has no rows")
        with self.database.read() as connection:
            known = find_same(connection, collection)
        # Before the transaction: compressing takes long, and labels must not be kept waiting for it.
        chunks = [] if known is not None else list(packed(collection, progress))

        try:
            return self._store(name, collection, chunks, texts, analyser)
        except sa.exc.IntegrityError:
            # Another process stored the same content at the same moment: now it is there to be found.
            return self._store(name, collection, chunks, texts, analyser)

    def _store(
        self,
        name: str,
        collection: Collection,
        chunks: list[dict[str, object]],
        texts: Texts | None,
        analyser: Analyser | None,
    ) -> int:
        with self.database.write() as connection:
            number = find_same(connection, collection)
            if number is None:
                number = self.insert(connection, name, collection, chunks)
            if texts is not None:
                write_texts(connection, number, texts)
            if analyser is not None:
                write_analyser(connection, number, analyser)
            return number

    def insert(
        self, connection: sa.Connection, name: str, collection: Collection, chunks: list[dict[str, object]]
    ) -> int:
        """Write a collection that is packed already, within a transaction of the caller's."""
        rows, features = collection.features.shape
        head = {
            "name": name,
            "content_hash": collection.content_hash,
            "rows": rows,
            "features": features,
            "feature_names": list(collection.feature_names),
            "queries": list(collection.queries),
            "created_at": time.time(),
        }
        number = connection.scalar(sa.insert(collections).values(head).returning(collections.c.id))
        assert number is not None
        for chunk in chunks:
            connection.execute(sa.insert(collection_chunks).values(collection_id=number, **chunk))
        return int(number)

    def all(self) -> list[CollectionInfo]:
        """Return all collections, the newest first."""
        with self.database.read() as connection:
            found = connection.execute(sa.select(collections).order_by(collections.c.id.desc()))
            return [
                CollectionInfo(row.id, row.name, row.rows, len(row.queries), row.features, row.created_at)
                for row in found
            ]

    def load(self, number: int) -> Collection:
        """Return a stored collection, equal to what was stored."""
        with self.database.read() as connection:
            head = connection.execute(sa.select(collections).where(collections.c.id == number)).one_or_none()
            if head is None:
                raise InputError(f"collection {number} does not exist")
            query = sa.select(collection_chunks.c.data).where(collection_chunks.c.collection_id == number)
            pieces = list(connection.scalars(query.order_by(collection_chunks.c.start)))
        return unpack_rows(pieces, head.queries, head.feature_names)

    def put_texts(self, number: int, texts: Texts) -> None:
        """Store or replace texts of queries and documents."""
        with self.database.write() as connection:
            if connection.scalar(sa.select(collections.c.id).where(collections.c.id == number)) is None:
                raise InputError(f"collection {number} does not exist")
            write_texts(connection, number, texts)

    def text_counts(self, number: int) -> tuple[int, int]:
        """Return of how many queries and documents there are texts."""
        with self.database.read() as connection:
            queries, documents = (
                connection.scalar(sa.select(sa.func.count()).where(table.c.collection_id == number)) or 0
                for table in (query_texts, document_texts)
            )
        return queries, documents

    def query_text(self, number: int, qid: str) -> QueryText | None:
        """Return a query's text, if there is one."""
        with self.database.read() as connection:
            row = connection.execute(_QUERY_TEXT, {"number": number, "which": qid}).one_or_none()
        return _query(row) if row else None

    def document_text(self, number: int, docid: str) -> DocumentText | None:
        """Return a document's text, if there is one."""
        with self.database.read() as connection:
            row = connection.execute(_DOCUMENT_TEXT, {"number": number, "which": docid}).one_or_none()
        return DocumentText(row.title, row.body, row.language) if row else None

    def analyser(self, number: int) -> Analyser | None:
        """Return the analyser that a collection's texts were prepared with, if it is known."""
        with self.database.read() as connection:
            found = connection.scalar(_ANALYSER, {"number": number})
        return Analyser.from_dict(found) if found is not None else None

    def query_terms(self, number: int) -> dict[str, tuple[str, ...]]:
        """Return the terms of every query that has a text, by qid, as AR(R_q_d) takes them.

        As whoever prepared the texts said; else as the collection's analyser finds them; else by the rules for texts
        about programs.
        """
        analyser = self.analyser(number)
        query = sa.select(query_texts).where(query_texts.c.collection_id == number)
        with self.database.read() as connection:
            found = {row.qid: _query(row) for row in connection.execute(query)}

        def cut(text: QueryText) -> tuple[str, ...]:
            return query_terms(text.text) if analyser is None else analyser.query_terms(whole_query(text))

        return {qid: cut(text) if text.terms is None else text.terms for qid, text in found.items()}

    def query_names(self, number: int) -> dict[str, str]:
        """Return the text of every query that has one, by qid."""
        query = sa.select(query_texts.c.qid, query_texts.c.text).where(query_texts.c.collection_id == number)
        with self.database.read() as connection:
            return {row.qid: row.text for row in connection.execute(query)}

    def titles(self, number: int, docids: Iterable[str]) -> dict[str, str]:
        """Return the titles of these documents, by docid; one without a title is left out."""
        wanted = list(dict.fromkeys(docids))
        found: dict[str, str] = {}
        with self.database.read() as connection:
            for start in range(0, len(wanted), AT_ONCE):
                some = document_texts.c.docid.in_(wanted[start : start + AT_ONCE])
                query = sa.select(document_texts.c.docid, document_texts.c.title)
                rows = connection.execute(query.where(document_texts.c.collection_id == number, some))
                found |= {row.docid: row.title.strip() for row in rows if row.title.strip()}
        return found

    def languages(self, number: int) -> dict[str, str]:
        """Return the language of every document that has one, by docid."""
        mine = sa.and_(document_texts.c.collection_id == number, document_texts.c.language != "")  # NULL is not
        query = sa.select(document_texts.c.docid, document_texts.c.language).where(mine)
        with self.database.read() as connection:
            return {row.docid: row.language for row in connection.execute(query)}


# Made once: putting a statement together costs more than running it, and these run at every label.
_NUMBER: sa.BindParameter[int] = sa.bindparam("number")
_WHICH: sa.BindParameter[str] = sa.bindparam("which")
_ANALYSER = sa.select(collections.c.analyser).where(collections.c.id == _NUMBER)
_QUERY_TEXT = sa.select(query_texts).where(query_texts.c.collection_id == _NUMBER, query_texts.c.qid == _WHICH)
_DOCUMENT_TEXT = sa.select(document_texts).where(
    document_texts.c.collection_id == _NUMBER, document_texts.c.docid == _WHICH
)


def checked_name(name: str, what: str) -> str:
    """Return the name of a collection or campaign without blanks around it, if every database can keep it."""
    name = name.strip()
    if not name:
        raise InputError(f"a {what} needs a name")
    if len(name) > LONGEST_NAME:
        raise InputError(f"the name of the {what} has {len(name)} characters; {LONGEST_NAME} is the most")
    if not name.isprintable():
        raise InputError(f"the name of the {what}, {name!r}, holds characters that cannot be shown; leave them out")
    return name


def find_same(connection: sa.Connection, collection: Collection) -> int | None:
    """Return the number of the stored collection with the same content, if there is one."""
    same = collections.c.content_hash == collection.content_hash
    return connection.scalar(sa.select(collections.c.id).where(same))


def packed(collection: Collection, progress: Progress) -> Iterator[dict[str, object]]:
    """Yield a collection's chunks, compressed; outside of any transaction, so that nobody waits for it."""
    rows = len(collection)
    step = rows_at_once(collection, CHUNK_ROWS)
    for start in range(0, rows, step):
        stop = min(start + step, rows)
        yield {"start": start, "stop": stop, "data": pack_rows(collection, start, stop)}
        progress(stop, rows)


def write_texts(connection: sa.Connection, number: int, texts: Texts) -> None:
    """Write or replace texts, within a transaction of the caller's."""
    queries: list[dict[str, object]] = [
        {"collection_id": number, "qid": qid, "text": q.text, "need": q.need, "terms": _listed(q.terms)}
        for qid, q in texts.queries.items()
    ]
    documents: list[dict[str, object]] = [
        {"collection_id": number, "docid": docid, "title": d.title, "body": d.body, "language": d.language}
        for docid, d in texts.documents.items()
    ]
    for what, ids in (("qid", texts.queries), ("docid", texts.documents)):
        longest = max(ids, key=len, default="")
        if len(longest) > LONGEST_ID:
            raise InputError(too_long(what, longest))
    for docid, text in texts.documents.items():
        if len(text.language or "") > LONGEST_LANGUAGE:
            raise InputError(f"document {docid}: {text.language!r} is no language code such as 'en'")
    _replace(connection, query_texts, number, "qid", queries)
    _replace(connection, document_texts, number, "docid", documents)


def write_analyser(connection: sa.Connection, number: int, analyser: Analyser) -> None:
    """Write or replace the analyser of a collection's texts, within a transaction of the caller's."""
    mine = sa.update(collections).where(collections.c.id == number)
    connection.execute(mine.values(analyser=analyser.to_dict()))


def _query(row: sa.Row[Any]) -> QueryText:
    return QueryText(row.text, row.need, None if row.terms is None else tuple(row.terms))


def _listed(terms: tuple[str, ...] | None) -> list[str] | None:
    return None if terms is None else list(terms)


def _replace(connection: sa.Connection, table: sa.Table, number: int, key: str, rows: list[dict[str, object]]) -> None:
    for part in _parts(rows):
        mine = sa.and_(table.c.collection_id == number, table.c[key].in_([row[key] for row in part]))
        connection.execute(sa.delete(table).where(mine))
        connection.execute(sa.insert(table), part)


def _parts(rows: list[dict[str, object]]) -> Iterator[list[dict[str, object]]]:
    for start in range(0, len(rows), 400):
        yield rows[start : start + 400]
