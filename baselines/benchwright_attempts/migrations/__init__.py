"""How a database of an older format becomes one of the newest: steps for Alembic."""
