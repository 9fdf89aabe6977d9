"""How assignments are graded, extensions and adjustments of single students, and how much of its tests a run passed."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "format4"
down_revision = "format3"
branch_labels = None
depends_on = None

_AT_ONCE = 500


def upgrade() -> None:
    """Makes columns and tables, and counts the passed tests of each verdict."""
    for name, kind, default in (
        ("points", sa.Double(), "1"),
        ("counting", sa.Text(), "best"),
        ("partial", sa.Integer(), "0"),
        ("late_percent", sa.Double(), "0"),
    ):
        op.add_column("service_assignments", sa.Column(name, kind, nullable=False, server_default=default))
    op.create_table(
        "service_extensions",
        sa.Column("assignment", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("due", sa.Double(), nullable=True),
        sa.Column("closes", sa.Double(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["assignment"], ["service_assignments.id"]),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.PrimaryKeyConstraint("assignment", "account"),
    )
    op.create_table(
        "service_adjustments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("points", sa.Double(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["assignment"], ["service_assignments.id"]),
        sa.ForeignKeyConstraint(["account"], ["service_accounts.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("service_adjustments_assignment", "service_adjustments", ["assignment", "account"])
    op.add_column("service_runs", sa.Column("share", sa.Double(), nullable=False, server_default="0"))
    _count_tests()


def _count_tests() -> None:
    runs = sa.table("service_runs", sa.column("id"), sa.column("verdict"), sa.column("share"))
    connection = op.get_bind()
    last = ""
    while True:
        wanted = sa.select(runs.c.id, runs.c.verdict).where(runs.c.id > last, runs.c.verdict.is_not(None))
        rows = connection.execute(wanted.order_by(runs.c.id).limit(_AT_ONCE)).all()
        if not rows:
            return
        last = rows[-1].id
        for row in rows:
            verdict = json.loads(row.verdict)
            tests = verdict.get("tests") or ()
            passed = sum(bool(test.get("passed")) for test in tests)
            share = 1.0 if verdict["reason"] == "passed" else passed / len(tests) if tests else 0.0
            connection.execute(sa.update(runs).where(runs.c.id == row.id).values(share=share))
