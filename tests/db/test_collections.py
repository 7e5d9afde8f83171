"""Collections come back equal, bit for bit; the same content is stored once; a stopped import leaves nothing."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
import sqlalchemy as sa
from db_helpers import small_collection, url_of
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from thorough import examples

import db.collections
from db.collections import Collections
from db.store.engine import Database
from db.store.migrate import SCRIPTS, migrate
from db.store.tables import collection_chunks, collections, document_texts, query_texts
from rulerank.collection import Collection
from rulerank.collection.pack import pack_numbers, unpack_numbers
from rulerank.errors import InputError
from rulerank.text import Analyser, DocumentText, QueryText, Texts

odd = st.text(st.sampled_from("a é😀\u202e\ufffd\uffff\\\"'\u0001"), max_size=6)
words = odd.map(lambda text: text.replace(" ", "").replace("\u0001", "")).filter(bool)


@st.composite
def any_collection(draw):
    rows, width = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    numbers = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([-0.0, 5e-324, 0.1])
    features = np.array(draw(st.lists(numbers, min_size=rows * width, max_size=rows * width))).reshape(rows, width)
    missing = np.array(draw(st.lists(st.integers(0, 2), min_size=rows * width, max_size=rows * width)), np.uint8)
    missing = missing.reshape(rows, width) if draw(st.booleans()) else None
    if missing is not None:
        features = np.where(missing == 0, features, 0.0)
    queries = draw(st.lists(words, min_size=1, max_size=rows, unique=True))
    index = sorted([*range(len(queries)), *draw(st.lists(st.integers(0, len(queries) - 1), min_size=rows))][:rows])
    names = draw(st.lists(words, min_size=width, max_size=width, unique=True)) if draw(st.booleans()) else ()
    grades = draw(st.lists(st.integers(-1, 4), min_size=rows, max_size=rows))
    comments = draw(st.lists(odd, min_size=rows, max_size=rows))
    return Collection(features, np.array(grades), np.array(index), tuple(queries), tuple(comments), missing, names)


@given(collection=any_collection())
@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_collection_comes_back_bit_for_bit(database, collection):
    stored = Collections(database)
    before = db.collections.CHUNK_ROWS
    db.collections.CHUNK_ROWS = 5  # several chunks, the last one not full
    try:
        number = stored.add("odd", collection)
    finally:
        db.collections.CHUNK_ROWS = before
    found = stored.load(number)
    assert found == collection
    assert found.content_hash == collection.content_hash
    assert found.features.tobytes() == collection.features.tobytes()
    assert stored.add("again", found) == number


def test_the_same_content_is_stored_once(database):
    stored, collection = Collections(database), small_collection()
    first = stored.add("a name", collection)
    assert stored.add("another name", small_collection()) == first
    second = stored.add("other content", small_collection(seed=1))
    assert second != first
    assert [(info.id, info.name, info.rows, info.queries, info.features) for info in stored.all()] == [
        (second, "other content", 12, 3, 5),
        (first, "a name", 12, 3, 5),
    ]


def test_the_same_content_from_two_processes_at_once_is_stored_once(database, monkeypatch):
    other = Database(url_of(database))
    ready, calls = Barrier(2), []
    put = Collections._store

    def together(self, *rest):
        calls.append(self)
        if len(calls) <= 2:  # the second try of the one that lost goes on alone
            ready.wait(20)
        return put(self, *rest)

    monkeypatch.setattr(Collections, "_store", together)
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(Collections(each).add, "same", small_collection()) for each in (database, other)]
        found = [each.result(60) for each in asked]
    other.close()
    assert found[0] == found[1]
    assert len(Collections(database).all()) == 1


def test_a_progress_that_raises_leaves_nothing_behind(database, monkeypatch):
    monkeypatch.setattr(db.collections, "CHUNK_ROWS", 5)
    seen = []

    def cancel(done: int, total: int | None) -> None:
        seen.append((done, total))
        if done >= 10:
            raise InterruptedError("cancelled")

    with pytest.raises(InterruptedError, match="cancelled"):
        Collections(database).add("big", small_collection(rows=17), progress=cancel)
    assert seen == [(5, 17), (10, 17)]
    with database.read() as connection:
        for table in (collections, collection_chunks):
            assert connection.scalar(sa.select(sa.func.count()).select_from(table)) == 0
    seen.clear()
    Collections(database).add("big", small_collection(rows=9), progress=cancel)
    assert seen == [(5, 9), (9, 9)]


def test_a_failure_while_texts_are_stored_takes_the_collection_back(database):
    texts = Texts({"q": QueryText("?", "")}, {"d" * 501: DocumentText("", "too long a name")})
    with pytest.raises(InputError, match=r"the docid d+\.\.\. has 501 characters; 500 is the most"):
        Collections(database).add("small", small_collection(), texts)
    assert Collections(database).all() == []
    with database.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(query_texts)) == 0


def test_texts_are_stored_and_replaced(database):
    stored = Collections(database)
    many = {f"d{number}": DocumentText(f"title {number}", "body") for number in range(950)}
    first = Texts({"1": QueryText("old", "need"), "2": QueryText("stays", "")}, many)
    number = stored.add("small", small_collection(), first)
    other = stored.add("other", small_collection(seed=1), Texts({"1": QueryText("another's", "")}, {}))
    changed = {"d3": DocumentText("new", "<b>متن</b> 🎉" * 1000, "fa"), "d949": DocumentText("", "only a body")}
    stored.put_texts(number, Texts({"1": QueryText("new", "")}, changed))
    assert stored.query_text(number, "1") == QueryText("new", "")
    assert stored.query_names(number) == {"1": "new", "2": "stays"}
    assert stored.query_names(other) == {"1": "another's"}
    assert stored.document_text(number, "d3") == changed["d3"]
    assert stored.document_text(number, "d949") == changed["d949"]
    assert stored.document_text(number, "d4") == many["d4"]
    assert stored.document_text(number, "nobody") is None
    assert stored.query_text(other, "2") is None
    with database.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(document_texts)) == 950


def test_the_analyser_and_the_terms_of_queries_are_kept(database):
    stored = Collections(database)
    asked = {"1": QueryText("a", "b", ("x", "y")), "2": QueryText("Folders", "of zips", ()), "3": QueryText("Folders")}
    number = stored.add("small", small_collection(), Texts(asked, {}))
    assert stored.analyser(number) is None
    assert {qid: stored.query_text(number, qid) for qid in asked} == asked
    # Without an analyser the rules for texts about programs hold; a list that is empty is a list.
    assert stored.query_terms(number) == {"1": ("x", "y"), "2": (), "3": ("folder",)}
    german = Analyser(("de",), stopping=False)
    assert stored.add("again", small_collection(), analyser=german) == number
    assert stored.analyser(number) is Analyser.from_dict(german.to_dict())
    assert stored.analyser(number) == german
    stored.put_texts(number, Texts({"3": QueryText("Häuser", "der Stadt")}, {}))
    assert stored.query_terms(number)["3"] == ("haus", "der", "stadt")
    assert stored.query_terms(number)["1"] == ("x", "y")


def test_what_an_older_version_stored_has_no_analyser_and_no_terms(new_url, backend, tmp_path):
    older = tmp_path / "older"
    shutil.copytree(SCRIPTS, older)
    for later in set((older / "versions").glob("*.py")) - {older / "versions" / "0001_first.py"}:
        later.unlink()
    database = Database(new_url(backend, empty=True))
    migrate(database, scripts=older)
    with database.write() as connection:
        connection.execute(
            sa.text(
                "INSERT INTO collections (name, content_hash, rows, features, feature_names, queries, created_at) "
                "VALUES ('old', 'x', 1, 1, '[]', '[]', 1.0)"
            )
        )
        connection.execute(
            sa.text("INSERT INTO query_texts (collection_id, qid, text, need) VALUES (1, 'q', 'zip folders', '')")
        )
    migrate(database)
    stored = Collections(database)
    assert stored.analyser(1) is None
    assert stored.query_text(1, "q") == QueryText("zip folders")
    assert stored.query_terms(1) == {"q": ("zip", "folder")}
    database.close()


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("  ", "a collection needs a name"),
        ("x" * 201, "has 201 characters; 200 is the most"),
        ("a\0b", "cannot be shown"),
        ("a\udc80b", "cannot be shown"),
    ],
)
def test_names_that_a_database_cannot_keep_are_refused(database, name, hint):
    with pytest.raises(InputError, match=hint):
        Collections(database).add(name, small_collection())


def test_what_is_not_there_is_said_in_words(database):
    stored = Collections(database)
    with pytest.raises(InputError, match="collection 7 does not exist"):
        stored.load(7)
    with pytest.raises(InputError, match="collection 7 does not exist"):
        stored.put_texts(7, Texts({"1": QueryText("?", "")}, {}))
    number = stored.add("small", small_collection())
    with pytest.raises(InputError, match="no language code"):
        stored.put_texts(number, Texts({}, {"d": DocumentText("", "", "the language of the far north")}))
    empty = Collection(np.zeros((0, 2)), np.zeros(0, int), np.zeros(0, int), (), ())
    with pytest.raises(InputError, match="has no rows"):
        stored.add("empty", empty)


@given(numbers=st.lists(st.integers(0, 2**31 - 1)))
def test_row_numbers_come_back(numbers):
    assert unpack_numbers(pack_numbers(numbers)).tolist() == numbers
