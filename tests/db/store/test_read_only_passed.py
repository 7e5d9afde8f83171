"""A SQLite file that could only be read for a while: no connection of that time is used again."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from db.store.engine import Database
from rulerank.errors import StoreError


def test_a_connection_that_was_opened_read_only_is_not_used_again(new_url):
    database = Database(new_url("sqlite"))
    with database.write() as connection:
        connection.exec_driver_sql("CREATE TABLE kept (number INTEGER)")
    database.close()

    def protect(connection, record):
        connection.execute("PRAGMA query_only=ON")  # what SQLite does with a file that it may not write to

    sa.event.listen(database.engine, "connect", protect)
    with pytest.raises(StoreError) as told, database.write() as connection:
        connection.exec_driver_sql("INSERT INTO kept VALUES (1)")
    assert told.value.kind == "read_only"
    sa.event.remove(database.engine, "connect", protect)
    with database.write() as connection:
        connection.exec_driver_sql("INSERT INTO kept VALUES (2)")
    database.close()
