"""Run the revisions on the connection that `db.store.migrate` hands over, inside its transaction.

A change of the schema is a new file in `versions/` that says what changes (old files stay as they are), and the same
change in `db/store/tables.py`; tests compare the two.
"""

from __future__ import annotations

from alembic import context

from db.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite changes a column by copying its table.
    render_as_batch=True,
)
context.run_migrations()
