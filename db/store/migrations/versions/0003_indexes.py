"""Three indexes on the campaign alone go: another index of the same table begins with the campaign, and serves as well.

Every label wrote into them for nothing.
"""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Drop them."""
    for table in ("label_events", "claims", "snapshots"):
        op.drop_index(f"ix_{table}_campaign_id", table)
