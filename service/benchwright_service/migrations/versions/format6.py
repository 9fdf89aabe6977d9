"""Runs that are judged again because their problem was corrected."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "format6"
down_revision = "format5"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the tables, and marks no run as one that is judged again."""
    op.add_column("service_runs", sa.Column("regrade", sa.Text(), nullable=False, server_default=""))
    op.create_table(
        "service_regrades",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("assignment", sa.Text(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("harness", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("ended", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["assignment"], ["service_assignments.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("service_regrades_assignment", "service_regrades", ["assignment", "problem"])
    op.create_table(
        "service_regraded_runs",
        sa.Column("regrade", sa.Text(), nullable=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("old_verdict", sa.Text(), nullable=False),
        sa.Column("old_outcome", sa.Text(), nullable=False),
        sa.Column("old_share", sa.Double(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=False, server_default=""),
        sa.Column("share", sa.Double(), nullable=False, server_default="0"),
        sa.ForeignKeyConstraint(["regrade"], ["service_regrades.id"]),
        sa.ForeignKeyConstraint(["run"], ["service_runs.id"]),
        sa.PrimaryKeyConstraint("regrade", "run"),
    )
    op.create_index("service_regraded_runs_run", "service_regraded_runs", ["run"])
