"""Steps between formats of the service's tables, for Alembic."""

VERSION_TABLE = "service_version"
"""Table in which Alembic notes the format: the event log in the same database has a table of its own."""
