"""The tables of questions that people write and review; see `benchwright_service.tables`."""

from __future__ import annotations

from sqlalchemy import Column, Double, ForeignKey, Index, Integer, Table, Text

from benchwright_service.tables import METADATA

__all__ = ["CALLS", "METADATA", "QUESTIONS", "REVIEWS", "TRIES", "VERSIONS"]

CALLS = Table(
    "service_question_calls",
    METADATA,
    Column("course", Text, ForeignKey("service_courses.id"), primary_key=True),
    Column("title", Text, nullable=False),
    # Of the pack, as SPDX calls it.
    Column("license", Text, nullable=False),
    Column("opens", Double),
    Column("closes", Double),
    # How often the pack was published.
    Column("published", Integer, nullable=False),
    # Of the pack; the same in every version.
    Column("canary", Text, nullable=False),
)
"""That a course collects questions."""

QUESTIONS = Table(
    "service_questions",
    METADATA,
    # Also the problem's in the pack.
    Column("id", Text, primary_key=True),
    Column("course", Text, ForeignKey("service_courses.id"), nullable=False),
    # Null for a published question of somebody who was deleted.
    Column("author", Text, ForeignKey("service_accounts.id")),
    # Whether the pack may name the author.
    Column("credited", Integer, nullable=False),
    Column("created", Double, nullable=False),
    # See `QuestionState`.
    Column("state", Text, nullable=False),
    # Of the newest version.
    Column("number", Integer, nullable=False),
    # When it was sent to reviewers, and when they had decided.
    Column("submitted", Double),
    Column("decided", Double),
    # The first version of the pack that has it; it stays in all later ones.
    Column("published", Integer),
    Index("service_questions_course", "course", "state"),
    Index("service_questions_author", "author"),
)

VERSIONS = Table(
    "service_question_versions",
    METADATA,
    Column("question", Text, ForeignKey("service_questions.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    # A JSON `WrittenQuestion`.
    Column("content", Text, nullable=False),
    Column("at", Double, nullable=False),
)

TRIES = Table(
    "service_question_tries",
    METADATA,
    Column("question", Text, ForeignKey("service_questions.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("model", Text, primary_key=True),
    Column("at", Double, nullable=False),
    # The model's reply; null until there is one.
    Column("said", Text),
    # The letter that it chose; empty if none can be read.
    Column("answer", Text, nullable=False),
    # Why there is no reply; empty if there is one.
    Column("why", Text, nullable=False),
)
"""Versions that models were asked to answer."""

REVIEWS = Table(
    "service_question_reviews",
    METADATA,
    Column("question", Text, ForeignKey("service_questions.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("reviewer", Text, ForeignKey("service_accounts.id"), primary_key=True),
    Column("begun", Double, nullable=False),
    # The letter that the reviewer chose before they saw the key; empty until then.
    Column("answer", Text, nullable=False),
    Column("answered", Double),
    # A JSON list of the `Check`s that the version passes.
    Column("checks", Text, nullable=False),
    Column("comment", Text, nullable=False),
    # Whether they accept it; null until they have decided.
    Column("accepts", Integer),
    Column("decided", Double),
    Index("service_question_reviews_reviewer", "reviewer"),
)
