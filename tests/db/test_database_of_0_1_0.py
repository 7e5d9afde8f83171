"""A database that 0.1.0 made opens here, is migrated, and its campaigns go on with the documents 0.1.0 chose."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from db_helpers import Office
from live_helpers import Clock

from db.store.engine import Database
from db.store.migrate import migrate
from rulerank.campaign import Kind

DUMP = Path(__file__).parent / "database_0_1_0.sql"
"""What 0.1.0 stored: six campaigns on 24 documents, eight labels each, the last one undone."""

WAS = {
    "as it comes": ("ssar", "tube", [0, 16, 2, 23]),
    "partitions": ("ssarp:partitions=3", "tube", [9, 8, 2, 18]),
    "one feature": ("top_feature:feature=3", "tube", [1, 4, 10, 15]),
    "at random": ("random", "equal_frequency:bins=4", [11, 10, 22, 6]),
    "a committee": ("committee", "tube", [16, 11, 5, 19]),
    "what was dropped": ("ssar", "tube", [0, 16, 2, 23]),
}
"""Campaigns by name: sampler and discretizer as they read now, and the next four documents that 0.1.0 proposed."""


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "old.db"
    made = sqlite3.connect(path)
    made.executescript(DUMP.read_text(encoding="utf-8"))
    made.close()
    database = Database(f"sqlite:///{path}")
    migrate(database)
    yield database
    database.close()


def test_campaigns_of_0_1_0_go_on_as_they_would_have(old):
    for number, (name, (sampler, discretizer, rows)) in enumerate(WAS.items(), 1):
        clock = Clock()
        clock.now = 2_000_000.0  # the claim that 0.1.0 left open has expired
        office = Office(old, number, clock)
        assert office.opened.name == name
        assert office.opened.settings.sampler.key == sampler
        assert office.opened.settings.discretizer.key == discretizer
        chosen = []
        for _ in rows:
            claim = office.live.next(1, beyond=True).claim
            chosen.append(claim.row)
            office.live.submit(1, claim.token, claim.row, Kind.GRADE, grade=int(office.grades[claim.row]))
            clock.now += 1
        assert chosen == rows, name
