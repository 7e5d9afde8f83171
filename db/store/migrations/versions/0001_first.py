"""The first schema: all tables, and the triggers that keep label events as they were written."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")

REFUSAL = "label events are never changed"

SQLITE_TRIGGERS = (
    f"CREATE TRIGGER label_events_no_update BEFORE UPDATE ON label_events BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END",
    f"CREATE TRIGGER label_events_no_delete BEFORE DELETE ON label_events BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END",
    # INSERT OR REPLACE takes the old row away without asking the trigger above.
    "CREATE TRIGGER label_events_no_replace BEFORE INSERT ON label_events WHEN EXISTS "
    "(SELECT 1 FROM label_events WHERE id = NEW.id OR token = NEW.token OR undoes = NEW.undoes) "
    "BEGIN SELECT RAISE(ABORT, 'this label event is in the log already'); END",
)

POSTGRESQL_TRIGGERS = (
    "CREATE FUNCTION refuse_event_change() RETURNS trigger LANGUAGE plpgsql AS "
    f"$$ BEGIN RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'integrity_constraint_violation'; END $$",
    "CREATE TRIGGER label_events_no_change BEFORE UPDATE OR DELETE ON label_events "
    "FOR EACH ROW EXECUTE FUNCTION refuse_event_change()",
    "CREATE TRIGGER label_events_no_truncate BEFORE TRUNCATE ON label_events "
    "FOR EACH STATEMENT EXECUTE FUNCTION refuse_event_change()",
)


def upgrade() -> None:
    """Make the tables and the triggers."""
    _create_tables()
    sqlite = op.get_bind().dialect.name == "sqlite"
    for trigger in SQLITE_TRIGGERS if sqlite else POSTGRESQL_TRIGGERS:
        op.execute(trigger)


def _create_tables() -> None:
    op.create_table(
        "collections",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("features", sa.Integer(), nullable=False),
        sa.Column("feature_names", sa.JSON(), nullable=False),
        sa.Column("queries", sa.JSON(), nullable=False),
        sa.Column("language", sa.String(length=20), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_collections"),
        sa.UniqueConstraint("content_hash", name="uq_collections_content_hash"),
    )
    op.create_table(
        "people",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("password_hash", sa.String(length=300), nullable=True),
        sa.Column("email", sa.String(length=300), nullable=True),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("session_epoch", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.CheckConstraint("role IN ('annotator', 'researcher', 'admin')", name="role"),
        sa.PrimaryKeyConstraint("id", name="pk_people"),
        sa.UniqueConstraint("email", name="uq_people_email"),
        sa.UniqueConstraint("name", name="uq_people_name"),
    )
    op.create_table(
        "settings",
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_settings"),
    )
    op.create_table(
        "campaigns",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("collection_id", ID, nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("edges", sa.JSON(), nullable=False),
        sa.Column("pool_rows", sa.LargeBinary(), nullable=False),
        sa.Column("evaluation_rows", sa.LargeBinary(), nullable=False),
        sa.Column("archived", sa.Boolean(), nullable=False),
        sa.Column("created_by", ID, nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["collection_id"], ["collections.id"], name="fk_campaigns_collection_id_collections"),
        sa.ForeignKeyConstraint(["created_by"], ["people.id"], name="fk_campaigns_created_by_people"),
        sa.PrimaryKeyConstraint("id", name="pk_campaigns"),
        sa.UniqueConstraint("name", name="uq_campaigns_name"),
    )
    op.create_index("ix_campaigns_collection_id", "campaigns", ["collection_id"])
    op.create_table(
        "collection_chunks",
        sa.Column("collection_id", ID, nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("stop", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection_id"], ["collections.id"], name="fk_collection_chunks_collection_id_collections"
        ),
        sa.PrimaryKeyConstraint("collection_id", "start", name="pk_collection_chunks"),
    )
    op.create_table(
        "document_texts",
        sa.Column("collection_id", ID, nullable=False),
        sa.Column("docid", sa.String(length=500), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("language", sa.String(length=20), nullable=True),
        sa.ForeignKeyConstraint(
            ["collection_id"], ["collections.id"], name="fk_document_texts_collection_id_collections"
        ),
        sa.PrimaryKeyConstraint("collection_id", "docid", name="pk_document_texts"),
    )
    op.create_table(
        "jobs",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("arguments", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("owner", sa.String(length=100), nullable=True),
        sa.Column("lease_until", sa.Double(), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("done", sa.BigInteger(), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=True),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.Column("stop_asked", sa.Boolean(), nullable=False),
        sa.Column("person_id", ID, nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("finished_at", sa.Double(), nullable=True),
        sa.CheckConstraint("state IN ('waiting', 'running', 'done', 'failed', 'stopped')", name="state"),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_jobs_person_id_people"),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
    )
    op.create_index("ix_jobs_person_id", "jobs", ["person_id"])
    op.create_index("ix_jobs_state", "jobs", ["state"])
    op.create_table(
        "query_texts",
        sa.Column("collection_id", ID, nullable=False),
        sa.Column("qid", sa.String(length=500), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("need", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["collection_id"], ["collections.id"], name="fk_query_texts_collection_id_collections"),
        sa.PrimaryKeyConstraint("collection_id", "qid", name="pk_query_texts"),
    )
    op.create_table(
        "files",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("name", sa.String(length=300), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("job_id", ID, nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_files_job_id_jobs"),
        sa.PrimaryKeyConstraint("id", name="pk_files"),
    )
    op.create_index("ix_files_job_id", "files", ["job_id"])
    op.create_table(
        "label_events",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("campaign_id", ID, nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("row", sa.Integer(), nullable=False),
        sa.Column("person_id", ID, nullable=True),
        sa.Column("grade", sa.Integer(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("token", sa.String(length=40), nullable=True),
        sa.Column("undoes", ID, nullable=True),
        sa.Column("seconds", sa.Double(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('grade', 'cannot_tell', 'later', 'undo', 'note', 'draft', 'import', 'adjudicate')", name="kind"
        ),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_label_events_campaign_id_campaigns"),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_label_events_person_id_people"),
        sa.ForeignKeyConstraint(["undoes"], ["label_events.id"], name="fk_label_events_undoes_label_events"),
        sa.PrimaryKeyConstraint("id", name="pk_label_events"),
        sa.UniqueConstraint("token", name="uq_label_events_token"),
        sa.UniqueConstraint("undoes", name="uq_label_events_undoes"),
    )
    op.create_index("ix_label_events_campaign_id", "label_events", ["campaign_id"])
    op.create_index("ix_label_events_campaign_id_id", "label_events", ["campaign_id", "id"])
    op.create_index("ix_label_events_person_id", "label_events", ["person_id"])
    op.create_table(
        "selections",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("campaign_id", ID, nullable=False),
        sa.Column("row", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("sampler", sa.String(length=40), nullable=False),
        sa.Column("rule_count", sa.BigInteger(), nullable=True),
        sa.Column("keys", sa.JSON(), nullable=False),
        sa.Column("partition", sa.Integer(), nullable=True),
        sa.Column("stop", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("assumed", sa.JSON(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=True),
        sa.Column("version", sa.String(length=20), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_selections_campaign_id_campaigns"),
        sa.PrimaryKeyConstraint("id", name="pk_selections"),
    )
    op.create_index("ix_selections_campaign_id", "selections", ["campaign_id"])
    op.create_table(
        "snapshots",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("campaign_id", ID, nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("labels", sa.Integer(), nullable=False),
        sa.Column("event_id", ID, nullable=True),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("values", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_snapshots_campaign_id_campaigns"),
        sa.PrimaryKeyConstraint("id", name="pk_snapshots"),
    )
    op.create_index("ix_snapshots_campaign_id", "snapshots", ["campaign_id"])
    op.create_index("ix_snapshots_campaign_id_kind_labels", "snapshots", ["campaign_id", "kind", "labels"])
    op.create_table(
        "claims",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("campaign_id", ID, nullable=False),
        sa.Column("row", sa.Integer(), nullable=False),
        sa.Column("person_id", ID, nullable=False),
        sa.Column("token", sa.String(length=40), nullable=False),
        sa.Column("selection_id", ID, nullable=True),
        sa.Column("assumed_grade", sa.Integer(), nullable=True),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("closed_at", sa.Double(), nullable=True),
        sa.CheckConstraint("state IN ('open', 'used', 'released', 'expired')", name="state"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_claims_campaign_id_campaigns"),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_claims_person_id_people"),
        sa.ForeignKeyConstraint(["selection_id"], ["selections.id"], name="fk_claims_selection_id_selections"),
        sa.PrimaryKeyConstraint("id", name="pk_claims"),
        sa.UniqueConstraint("token", name="uq_claims_token"),
    )
    op.create_index("ix_claims_campaign_id", "claims", ["campaign_id"])
    op.create_index("ix_claims_open", "claims", ["campaign_id", "state"])
    op.create_index("ix_claims_person_id", "claims", ["person_id"])
    op.create_index("ix_claims_selection_id", "claims", ["selection_id"])
    op.create_index(
        "uq_claims_open_person",
        "claims",
        ["campaign_id", "person_id"],
        unique=True,
        sqlite_where=sa.text("state = 'open'"),
        postgresql_where=sa.text("state = 'open'"),
    )
