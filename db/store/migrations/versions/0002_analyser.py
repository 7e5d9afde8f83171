"""Collections from texts: the analyser that they were prepared with, and the terms of their queries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the two columns; what was stored before has neither."""
    op.add_column("collections", sa.Column("analyser", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("query_texts", sa.Column("terms", sa.JSON(none_as_null=True), nullable=True))
