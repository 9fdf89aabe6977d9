"""One person's questions and reviews in a course: exported, and deleted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_authoring.written_question import CHOOSABLE, WrittenQuestion
from benchwright_service.questions.tables import (
    FIGURES,
    NOTICES,
    QUESTIONS,
    REVIEWS,
    TAKEDOWNS,
    TRIES,
    UNFINISHED,
    VERSIONS,
)

_PNG = b"\x89PNG"


async def export_questions_and_reviews(connection: AsyncConnection, course: str, account: str) -> Mapping[str, Any]:
    """Every version of their questions, their unfinished forms, the reviews that they wrote, and their notices."""
    versions = (
        select(QUESTIONS, VERSIONS.c.number.label("version"), VERSIONS.c.content, VERSIONS.c.at)
        .join(VERSIONS, VERSIONS.c.question == QUESTIONS.c.id)
        .where(QUESTIONS.c.course == course, QUESTIONS.c.author == account)
        .order_by(QUESTIONS.c.created, VERSIONS.c.number)
    )
    reviews = (
        select(REVIEWS)
        .join(QUESTIONS, QUESTIONS.c.id == REVIEWS.c.question)
        .where(QUESTIONS.c.course == course, REVIEWS.c.reviewer == account)
        .order_by(REVIEWS.c.begun)
    )
    question_rows = [
        {"question": row.id, "state": row.state, "version": row.version, "at": row.at} | json.loads(row.content)
        for row in await connection.execute(versions)
    ]
    review_rows = [dict(row) for row in (await connection.execute(reviews)).mappings()]
    conditions = NOTICES.c.course == course, NOTICES.c.account == account
    query = (
        select(NOTICES.c.question, NOTICES.c.kind, NOTICES.c.at, NOTICES.c.seen)
        .where(*conditions)
        .order_by(NOTICES.c.at)
    )
    notices = [dict(row) for row in (await connection.execute(query)).mappings()]
    unfinished = select(UNFINISHED.c.form, UNFINISHED.c.at, UNFINISHED.c.fields).where(
        UNFINISHED.c.course == course, UNFINISHED.c.author == account
    )
    unfinished_rows = [
        {"form": form_row.form, "at": form_row.at} | json.loads(form_row.fields)
        for form_row in await connection.execute(unfinished.order_by(UNFINISHED.c.at))
    ]
    return {
        "questions": question_rows,
        "unfinished_questions": unfinished_rows,
        "question_reviews": review_rows,
        "notices": notices,
    }


async def export_question_pictures(connection: AsyncConnection, course: str, account: str) -> Mapping[str, bytes]:
    """The pictures of their questions, by paths in the export; versions name them by their SHA-256."""
    query = (
        select(FIGURES)
        .join(QUESTIONS, QUESTIONS.c.id == FIGURES.c.question)
        .where(QUESTIONS.c.course == course, QUESTIONS.c.author == account)
    )
    figure_rows = await connection.execute(query)
    return {f"figures/{row.question}/{row.sha256}{_picture_suffix(row.content)}": row.content for row in figure_rows}


def _picture_suffix(picture: bytes) -> str:
    return ".png" if picture.startswith(_PNG) else ".jpg"


async def erase_person_from_questions(connection: AsyncConnection, course: str, account: str) -> None:
    """Deletes their questions with all that was said of them, and their comments on others'.

    Published questions stay, without their author: people work on them. Decisions about others' questions stay, without
    a word of theirs; a letter is none.
    """
    in_course = select(QUESTIONS.c.id).where(QUESTIONS.c.course == course)
    theirs_there = QUESTIONS.c.course == course, QUESTIONS.c.author == account
    published_update = update(QUESTIONS).where(*theirs_there, QUESTIONS.c.published.is_not(None))
    await connection.execute(published_update.values(author=None, credited=0))
    own_questions = in_course.where(QUESTIONS.c.author == account)
    await connection.execute(delete(NOTICES).where(NOTICES.c.course == course, NOTICES.c.account == account))
    await connection.execute(delete(UNFINISHED).where(UNFINISHED.c.course == course, UNFINISHED.c.author == account))
    for table in (NOTICES, REVIEWS, TAKEDOWNS, TRIES, FIGURES, VERSIONS):
        await connection.execute(delete(table).where(table.c.question.in_(own_questions)))
    await connection.execute(delete(QUESTIONS).where(*theirs_there))
    review_conditions = REVIEWS.c.question.in_(in_course), REVIEWS.c.reviewer == account
    await connection.execute(delete(REVIEWS).where(*review_conditions, REVIEWS.c.decided.is_(None)))
    await connection.execute(update(REVIEWS).where(*review_conditions).values(comment=""))
    of_version = (VERSIONS.c.question == REVIEWS.c.question) & (VERSIONS.c.number == REVIEWS.c.number)
    answered_versions = select(VERSIONS.c.question, VERSIONS.c.number, VERSIONS.c.content).join(REVIEWS, of_version)
    for row in (await connection.execute(answered_versions.where(*review_conditions))).all():
        if WrittenQuestion.model_validate_json(row.content).format not in CHOOSABLE:
            review_key = (
                REVIEWS.c.question == row.question,
                REVIEWS.c.number == row.number,
                REVIEWS.c.reviewer == account,
            )
            await connection.execute(update(REVIEWS).where(*review_key).values(answer=""))
