"""The first format: attempts and events. Databases of it carry `PRAGMA user_version = 1` and no other mark."""

from __future__ import annotations

revision = "format1"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing: a database of this format was made without Alembic, and new ones are made in the newest."""
