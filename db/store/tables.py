"""The tables. The log is append-only: triggers refuse to change an event, or to remove one of a campaign that stays."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# SQLite numbers rows by itself only where the key is its own INTEGER.
BigId = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def _id() -> sa.Column[int]:
    return sa.Column("id", BigId, primary_key=True, autoincrement=True)


def _to(table: str, *, nullable: bool = False, index: bool = True) -> sa.Column[int]:
    """A reference with an index of its own, which it does not need where another index of the table begins with it."""
    name = {"people": "person_id"}.get(table, f"{table.removesuffix('s')}_id")
    return sa.Column(name, BigId, sa.ForeignKey(f"{table}.id"), nullable=nullable, index=index)


def _when(name: str = "created_at", *, nullable: bool = False) -> sa.Column[float]:
    """Seconds since 1970, UTC: one number in every database, and no time zones to get wrong."""
    return sa.Column(name, sa.Double, nullable=nullable)


collections = sa.Table(
    "collections",
    metadata,
    _id(),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("content_hash", sa.String(64), nullable=False, unique=True),
    sa.Column("rows", sa.Integer, nullable=False),
    sa.Column("features", sa.Integer, nullable=False),
    sa.Column("feature_names", sa.JSON, nullable=False),
    sa.Column("queries", sa.JSON, nullable=False),
    sa.Column("language", sa.String(20), nullable=True),
    sa.Column("analyser", sa.JSON(none_as_null=True), nullable=True),  # how its texts are cut into terms, if known
    _when(),
)

collection_chunks = sa.Table(
    "collection_chunks",
    metadata,
    sa.Column("collection_id", BigId, sa.ForeignKey("collections.id"), primary_key=True),
    sa.Column("start", sa.Integer, primary_key=True),
    sa.Column("stop", sa.Integer, nullable=False),
    sa.Column("data", sa.LargeBinary, nullable=False),  # a compressed npz: features, grades, query index, comments
)

query_texts = sa.Table(
    "query_texts",
    metadata,
    sa.Column("collection_id", BigId, sa.ForeignKey("collections.id"), primary_key=True),
    sa.Column("qid", sa.String(500), primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("need", sa.Text, nullable=False, default=""),
    sa.Column("terms", sa.JSON(none_as_null=True), nullable=True),  # for AR(R_q_d), as whoever prepared them says
)

document_texts = sa.Table(
    "document_texts",
    metadata,
    sa.Column("collection_id", BigId, sa.ForeignKey("collections.id"), primary_key=True),
    sa.Column("docid", sa.String(500), primary_key=True),
    sa.Column("title", sa.Text, nullable=False, default=""),
    sa.Column("body", sa.Text, nullable=False, default=""),
    sa.Column("language", sa.String(20), nullable=True),
)

people = sa.Table(
    "people",
    metadata,
    _id(),
    sa.Column("name", sa.String(100), nullable=False, unique=True),
    sa.Column("role", sa.String(20), nullable=False),
    sa.Column("password_hash", sa.String(300), nullable=True),
    sa.Column("email", sa.String(300), nullable=True, unique=True),
    sa.Column("active", sa.Boolean, nullable=False, default=True),
    _when(),
    sa.CheckConstraint("role IN ('annotator', 'researcher', 'admin')", name="role"),
)

sessions = sa.Table(
    "sessions",
    metadata,
    _id(),
    _to("people"),
    sa.Column("token_hash", sa.String(64), nullable=False, unique=True),  # the token itself is in the cookie alone
    sa.Column("address", sa.String(60), nullable=False),  # the client's network
    sa.Column("browser", sa.String(200), nullable=False),
    _when(),
    _when("seen_at"),
    _when("expires_at"),
    _when("ended_at", nullable=True),
)

campaigns = sa.Table(
    "campaigns",
    metadata,
    _id(),
    sa.Column("name", sa.String(200), nullable=False, unique=True),
    _to("collections"),
    sa.Column("settings", sa.JSON, nullable=False),
    sa.Column("edges", sa.JSON, nullable=False),  # the fitted discretizer
    sa.Column("pool_rows", sa.LargeBinary, nullable=False),  # int32 row numbers of the collection, compressed
    sa.Column("evaluation_rows", sa.LargeBinary, nullable=False),
    # What the log says of the campaign now, for lists; the settings above are those it was made with.
    sa.Column("archived", sa.Boolean, nullable=False, default=False),
    sa.Column("paused", sa.Boolean, nullable=False, default=False, server_default=sa.false()),
    sa.Column("created_by", BigId, sa.ForeignKey("people.id"), nullable=True),
    _when(),
)

selections = sa.Table(
    "selections",
    metadata,
    _id(),
    _to("campaigns"),
    sa.Column("row", sa.Integer, nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("sampler", sa.String(40), nullable=False),
    sa.Column("rule_count", sa.BigInteger, nullable=True),
    sa.Column("keys", sa.JSON, nullable=False),
    sa.Column("partition", sa.Integer, nullable=True),
    sa.Column("stop", sa.Boolean, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("assumed", sa.JSON, nullable=False),  # open claims at the time: row -> assumed grade
    sa.Column("seed", sa.BigInteger, nullable=True),
    sa.Column("version", sa.String(20), nullable=False),
    _when(),
)

claims = sa.Table(
    "claims",
    metadata,
    _id(),
    _to("campaigns", index=False),
    sa.Column("row", sa.Integer, nullable=False),
    _to("people"),
    sa.Column("token", sa.String(40), nullable=False, unique=True),
    _to("selections", nullable=True),
    sa.Column("assumed_grade", sa.Integer, nullable=True),
    sa.Column("state", sa.String(10), nullable=False),
    _when(),
    _when("expires_at"),
    _when("closed_at", nullable=True),
    sa.CheckConstraint("state IN ('open', 'used', 'released', 'expired')", name="state"),
    # One open claim a person and campaign.
    sa.Index(
        "uq_claims_open_person",
        "campaign_id",
        "person_id",
        unique=True,
        sqlite_where=sa.text("state = 'open'"),
        postgresql_where=sa.text("state = 'open'"),
    ),
    sa.Index("ix_claims_open", "campaign_id", "state"),
)

label_events = sa.Table(
    "label_events",
    metadata,
    _id(),
    _to("campaigns", index=False),
    sa.Column("kind", sa.String(12), nullable=False),
    sa.Column("row", sa.Integer, nullable=False),
    _to("people", nullable=True),
    sa.Column("grade", sa.Integer, nullable=True),
    sa.Column("text", sa.Text, nullable=False, default=""),
    # A label is written once: the claim's token may stand in the log only once.
    sa.Column("token", sa.String(40), nullable=True, unique=True),
    sa.Column("undoes", BigId, sa.ForeignKey("label_events.id"), nullable=True, unique=True),
    sa.Column("seconds", sa.Double, nullable=True),
    _when(),
    sa.CheckConstraint(
        "kind IN ('grade', 'cannot_tell', 'later', 'undo', 'note', 'draft', 'import', 'adjudicate', 'change', "
        "'flag', 'remark', 'resolve')",
        name="kind",
    ),
    sa.Index("ix_label_events_campaign_id_id", "campaign_id", "id"),
)

deletions = sa.Table(
    "deletions",
    metadata,
    _id(),
    sa.Column("campaign", BigId, nullable=False, unique=True),  # no reference: that campaign is gone, its number too
    sa.Column("name", sa.String(200), nullable=False),
    _when("made_at"),
    sa.Column("documents", sa.Integer, nullable=False),
    sa.Column("labelled", sa.Integer, nullable=False),
    sa.Column("events", sa.BigInteger, nullable=False),
    _to("people", nullable=True),
    _when(),
)
"""Which campaigns were deleted, by whom and when; events can be removed only of a campaign that stands here."""

LONGEST_KIND = 40
"""Characters of a snapshot's kind."""

snapshots = sa.Table(
    "snapshots",
    metadata,
    _id(),
    _to("campaigns", index=False),
    sa.Column("kind", sa.String(LONGEST_KIND), nullable=False),  # a ranker, a replay ("random", "ceiling"), or "users"
    sa.Column("labels", sa.Integer, nullable=False),
    sa.Column("event_id", BigId, nullable=True),
    sa.Column("settings", sa.JSON, nullable=False),
    sa.Column("values", sa.JSON, nullable=False),
    _when(),
    sa.Index("ix_snapshots_campaign_id_kind_labels", "campaign_id", "kind", "labels"),
)

jobs = sa.Table(
    "jobs",
    metadata,
    _id(),
    sa.Column("kind", sa.String(40), nullable=False),
    sa.Column("arguments", sa.JSON, nullable=False),
    sa.Column("state", sa.String(10), nullable=False, index=True),
    sa.Column("owner", sa.String(100), nullable=True),
    _when("lease_until", nullable=True),
    sa.Column("tries", sa.Integer, nullable=False, default=0),
    sa.Column("done", sa.BigInteger, nullable=False, default=0),
    sa.Column("total", sa.BigInteger, nullable=True),
    sa.Column("message", sa.Text, nullable=False, default=""),
    sa.Column("result", sa.JSON(none_as_null=True), nullable=True),
    sa.Column("stop_asked", sa.Boolean, nullable=False, default=False),
    _to("people", nullable=True),
    _when(),
    _when("finished_at", nullable=True),
    sa.CheckConstraint("state IN ('waiting', 'running', 'done', 'failed', 'stopped')", name="state"),
)

files = sa.Table(
    "files",
    metadata,
    _id(),
    sa.Column("name", sa.String(300), nullable=False),
    sa.Column("data", sa.LargeBinary, nullable=False),
    _to("jobs", nullable=True),
    _when(),
)

settings = sa.Table(
    "settings",
    metadata,
    sa.Column("name", sa.String(60), primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)
