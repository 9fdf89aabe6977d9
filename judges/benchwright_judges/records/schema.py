"""The tables of the database of judgements."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    insert,
    inspect,
    select,
)

from benchwright_foundation.errors import StorageError

SCHEMA_VERSION = 1

METADATA = MetaData()
"""Every table of the database; the judge service adds its own before it opens one."""

_FORMAT = Table("records_format", METADATA, Column("version", Integer, nullable=False))

ANSWERS = Table(
    "answers",
    METADATA,
    Column("id", Text, primary_key=True),
    # `pack/id`, and digests of the problem and its key when the answer was given.
    Column("problem", Text, nullable=False),
    Column("problem_digest", Text, nullable=False),
    Column("key_digest", Text, nullable=False),
    # The question's format, or the problem's category.
    Column("format", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    # The attempt it belongs to and the number of the try; empty and 0 if there is none.
    Column("attempt", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("created", Double, nullable=False),
    Index("answers_attempt", "attempt", "number"),
    Index("answers_problem", "problem"),
)

JUDGEMENTS = Table(
    "judgements",
    METADATA,
    Column("seq", Integer, primary_key=True),
    Column("answer", Text, ForeignKey("answers.id"), nullable=False),
    Column("status", Text, nullable=False),
    Column("method", Text, nullable=False),
    Column("rubric", Text, nullable=False),
    Column("label", Text, nullable=False),
    Column("score", Double),
    Column("passed", Boolean),
    Column("tie_break", Boolean, nullable=False),
    # The judgement as JSON, without its votes.
    Column("body", Text, nullable=False),
    Column("created", Double, nullable=False),
    Index("judgements_answer", "answer", "seq"),
)

VOTES = Table(
    "votes",
    METADATA,
    Column("judgement", Integer, ForeignKey("judgements.seq"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("judge", Text, nullable=False),
    Column("rubric", Text, nullable=False),
    Column("label", Text, nullable=False),
    Column("error", Text, nullable=False),
    Column("cost_usd", Double, nullable=False),
    Column("body", Text, nullable=False),
)

CACHE = Table(
    "vote_cache",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("body", Text, nullable=False),
    Column("created", Double, nullable=False),
)

PENDING = Table(
    "pending",
    METADATA,
    Column("answer", Text, ForeignKey("answers.id"), primary_key=True),
    Column("reason", Text, nullable=False),
    Column("since", Double, nullable=False),
)

GRADES = Table(
    "grades",
    METADATA,
    Column("answer", Text, ForeignKey("answers.id"), primary_key=True),
    Column("grader", Text, primary_key=True),
    Column("rubric", Text, nullable=False),
    Column("label", Text, nullable=False),
    # Grading difficulty, 1 to 5.
    Column("difficulty", Integer, nullable=False),
    Column("comment", Text, nullable=False),
    # Whether the grader decided a dispute.
    Column("adjudicates", Boolean, nullable=False),
    Column("created", Double, nullable=False),
)

GRADE_POINTS = Table(
    "grade_points",
    METADATA,
    Column("answer", Text, ForeignKey("answers.id"), primary_key=True),
    Column("grader", Text, primary_key=True),
    # A JSON list: points for each item of the problem's rubric.
    Column("points", Text, nullable=False),
)
"""The points that a grade was worked out from, where a rubric has points."""


def create_missing_tables(connection: Connection) -> None:
    """Create the tables that are missing.

    Raises:
        StorageError: The database was created by another version of Benchwright, or by another program.
    """
    if connection.dialect.name == "postgresql":
        # Two processes that start at the same time would both create the tables.
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7165912)")
    table_names = inspect(connection).get_table_names()
    if _FORMAT.name in table_names:
        version = connection.scalar(select(_FORMAT.c.version))
        if version != SCHEMA_VERSION:
            raise StorageError(
                f"the judgements' database {connection.engine.url.render_as_string()} has format {version}, this"
                f" Benchwright reads {SCHEMA_VERSION}; install the version that created it, or store judgements"
                " elsewhere"
            )
    elif table_names and connection.dialect.name == "sqlite":
        raise StorageError(
            f"{connection.engine.url.database} belongs to another program; move it away, or store judgements elsewhere"
        )
    METADATA.create_all(connection)
    if _FORMAT.name not in table_names:
        connection.execute(insert(_FORMAT).values(version=SCHEMA_VERSION))
