"""Runs the steps on the connection that `database` has open, in its transaction."""

from __future__ import annotations

from alembic import context

from benchwright_service.migrations import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"], transactional_ddl=True, version_table=VERSION_TABLE
)
with context.begin_transaction():
    context.run_migrations()
