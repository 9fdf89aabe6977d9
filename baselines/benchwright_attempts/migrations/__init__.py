"""Migration of a database of an older format to the newest: steps for Alembic."""
