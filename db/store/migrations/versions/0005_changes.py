"""Campaigns that change, and remarks on documents: new kinds of events, pauses, and a list of deleted campaigns.

SQLite cannot change what a column allows, so the log is copied into a new table there, event by event as it was. Events
are protected as before, but for those of a campaign that the list of deletions names.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")

KINDS = (
    "kind IN ('grade', 'cannot_tell', 'later', 'undo', 'note', 'draft', 'import', 'adjudicate', 'change', "
    "'flag', 'remark', 'resolve')"
)

REFUSAL = "label events are never changed"
KEPT = "the list of deleted campaigns is never changed"

# A campaign that has the number of a deleted one, but was made at another time, is not it.
DELETED = (
    "SELECT 1 FROM deletions JOIN campaigns ON campaigns.id = deletions.campaign "
    "AND campaigns.created_at = deletions.made_at WHERE campaigns.id = OLD.campaign_id"
)

SQLITE_TRIGGERS = (
    f"CREATE TRIGGER label_events_no_update BEFORE UPDATE ON label_events BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END",
    f"CREATE TRIGGER label_events_no_delete BEFORE DELETE ON label_events WHEN NOT EXISTS ({DELETED}) "
    f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END",
    # INSERT OR REPLACE takes the old row away without asking the trigger above.
    "CREATE TRIGGER label_events_no_replace BEFORE INSERT ON label_events WHEN EXISTS "
    "(SELECT 1 FROM label_events WHERE id = NEW.id OR token = NEW.token OR undoes = NEW.undoes) "
    "BEGIN SELECT RAISE(ABORT, 'this label event is in the log already'); END",
    f"CREATE TRIGGER deletions_no_update BEFORE UPDATE ON deletions BEGIN SELECT RAISE(ABORT, '{KEPT}'); END",
    f"CREATE TRIGGER deletions_no_delete BEFORE DELETE ON deletions BEGIN SELECT RAISE(ABORT, '{KEPT}'); END",
)

POSTGRESQL_TRIGGERS = (
    "CREATE OR REPLACE FUNCTION refuse_event_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    f"IF TG_OP = 'DELETE' THEN IF EXISTS ({DELETED}) THEN RETURN OLD; END IF; END IF; "
    f"RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'integrity_constraint_violation'; END $$",
    "CREATE FUNCTION refuse_deletion_change() RETURNS trigger LANGUAGE plpgsql AS "
    f"$$ BEGIN RAISE EXCEPTION '{KEPT}' USING ERRCODE = 'integrity_constraint_violation'; END $$",
    "CREATE TRIGGER deletions_no_change BEFORE UPDATE OR DELETE ON deletions "
    "FOR EACH ROW EXECUTE FUNCTION refuse_deletion_change()",
    "CREATE TRIGGER deletions_no_truncate BEFORE TRUNCATE ON deletions "
    "FOR EACH STATEMENT EXECUTE FUNCTION refuse_deletion_change()",
)

# Campaigns that were archived before archiving was an event.
ARCHIVED = sa.text(
    "INSERT INTO label_events (campaign_id, kind, row, text, created_at) "
    "SELECT id, 'change', -1, :text, created_at FROM campaigns WHERE archived"
)


def upgrade() -> None:
    """Add the column and the table, let the log hold changes, and protect both again."""
    connection = op.get_bind()
    sqlite = connection.dialect.name == "sqlite"
    op.add_column("campaigns", sa.Column("paused", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "deletions",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("campaign", ID, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("made_at", sa.Double(), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("labelled", sa.Integer(), nullable=False),
        sa.Column("events", sa.BigInteger(), nullable=False),
        sa.Column("person_id", ID, nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_deletions_person_id_people"),
        sa.PrimaryKeyConstraint("id", name="pk_deletions"),
        sa.UniqueConstraint("campaign", name="uq_deletions_campaign"),
    )
    op.create_index("ix_deletions_person_id", "deletions", ["person_id"])
    if sqlite:
        _copy_log()
    else:
        op.drop_constraint("kind", "label_events", type_="check")
        op.create_check_constraint("kind", "label_events", KINDS)
    for trigger in SQLITE_TRIGGERS if sqlite else POSTGRESQL_TRIGGERS:
        op.execute(trigger)
    text = '{"about": "state", "after": {"archived": true}, "before": {"archived": false}}'
    connection.execute(ARCHIVED, {"text": text})


def _copy_log() -> None:
    """Make the table anew; its triggers and indexes go with the old one."""
    op.create_table(
        "label_events_new",
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
        sa.CheckConstraint(KINDS, name="kind"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_label_events_campaign_id_campaigns"),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_label_events_person_id_people"),
        # The name of the table follows into this reference when the table gets its own.
        sa.ForeignKeyConstraint(["undoes"], ["label_events_new.id"], name="fk_label_events_undoes_label_events"),
        sa.PrimaryKeyConstraint("id", name="pk_label_events"),
        sa.UniqueConstraint("token", name="uq_label_events_token"),
        sa.UniqueConstraint("undoes", name="uq_label_events_undoes"),
    )
    op.execute("INSERT INTO label_events_new SELECT * FROM label_events ORDER BY id")
    op.drop_table("label_events")
    op.rename_table("label_events_new", "label_events")
    op.create_index("ix_label_events_campaign_id_id", "label_events", ["campaign_id", "id"])
    op.create_index("ix_label_events_person_id", "label_events", ["person_id"])
