"""What assignments say of help by models, with what records say of it; reveal policies after due and closing."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "format9"
down_revision = "format8"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds them; older assignments say nothing of help, and show the same of verdicts as before at all times."""
    for column in ("reveal_after_due", "reveal_after_closing", "assistance"):
        op.add_column("service_assignments", sa.Column(column, sa.Text(), nullable=True))
    op.create_table(
        "service_assistance_checks",
        sa.Column("attempt", sa.Text(), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("rules", sa.Integer(), nullable=False),
        sa.Column("found", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["attempt"], ["service_attempts.attempt"]),
        sa.PrimaryKeyConstraint("attempt"),
    )
