"""Changes that the database itself refuses: of what was written, with a gap, or deletion without a tombstone."""

from __future__ import annotations

from collections.abc import Mapping

_SAYS = "the attempt log is append-only"

_GONE = "EXISTS (SELECT 1 FROM tombstones WHERE kind = '{kind}' AND id = {row})"

SQLITE: Mapping[str, str] = {
    "attempts_no_update": "UPDATE ON attempts",
    "attempts_no_delete": f"DELETE ON attempts WHEN NOT {_GONE.format(kind='attempt', row='OLD.id')}",
    "attempts_no_replace": "INSERT ON attempts WHEN EXISTS (SELECT 1 FROM attempts WHERE id = NEW.id)",
    "attempts_no_return": "INSERT ON attempts WHEN " + _GONE.format(kind="attempt", row="NEW.id"),
    "events_no_update": "UPDATE ON events",
    "events_no_delete": f"DELETE ON events WHEN NOT {_GONE.format(kind='attempt', row='OLD.attempt')}",
    "events_no_gap": "INSERT ON events WHEN NEW.seq IS NOT 1 + "
    "(SELECT coalesce(max(seq), 0) FROM events WHERE attempt = NEW.attempt)",
    "journal_no_update": "UPDATE ON journal",
    "journal_no_delete": "DELETE ON journal WHEN NOT "
    + _GONE.format(kind="participant", row="OLD.study || '/' || OLD.participant"),
    "journal_no_gap": "INSERT ON journal WHEN NEW.seq IS NOT 1 + (SELECT coalesce(max(seq), 0) FROM journal "
    "WHERE study = NEW.study AND participant = NEW.participant)",
    "tombstones_no_update": "UPDATE ON tombstones",
    "tombstones_no_delete": "DELETE ON tombstones",
    "tombstones_no_replace": "INSERT ON tombstones WHEN "
    "EXISTS (SELECT 1 FROM tombstones WHERE kind = NEW.kind AND id = NEW.id)",
}
"""Conditions by the trigger's name. REPLACE deletes without the delete trigger: inserts are checked too."""


def sqlite_trigger_statements() -> list[str]:
    """Makes every trigger."""
    return [
        f"CREATE TRIGGER {name} BEFORE {condition} BEGIN SELECT RAISE(ABORT, '{_SAYS}'); END"
        for name, condition in SQLITE.items()
    ]


def postgresql_trigger_statements() -> list[str]:
    """The same for PostgreSQL, where a trigger calls a function."""
    statements = [
        "CREATE FUNCTION benchwright_refuse() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{_SAYS}'; END $$"
    ]
    for name, condition in SQLITE.items():
        operation, _, target = condition.partition(" ON ")
        table, _, trigger_condition = target.partition(" WHEN ")
        if trigger_condition:
            # A trigger's own condition can't look into tables.
            test = trigger_condition.replace("IS NOT 1 +", "IS DISTINCT FROM 1 +")
            row_name = "OLD" if operation == "DELETE" else "NEW"
            statements.append(
                f"CREATE FUNCTION benchwright_{name}() RETURNS trigger LANGUAGE plpgsql AS "
                f"$$ BEGIN IF {test} THEN RAISE EXCEPTION '{_SAYS}'; END IF; RETURN {row_name}; END $$"
            )
        function = f"benchwright_{name}" if trigger_condition else "benchwright_refuse"
        statements.append(
            f"CREATE TRIGGER {name} BEFORE {operation} ON {table} FOR EACH ROW EXECUTE FUNCTION {function}()"
        )
    return statements


def trigger_statements(dialect: str) -> list[str]:
    """Makes every trigger, in the language of a database."""
    return sqlite_trigger_statements() if dialect == "sqlite" else postgresql_trigger_statements()
