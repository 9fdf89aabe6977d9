"""Questions of a pack folder, such as generated ones, that a course's reviewers decide about."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from sqlalchemy import insert, select

from benchwright_authoring.written_question import LETTERS, WrittenQuestion
from benchwright_foundation.database import Database
from benchwright_problems.problem import AnswerKind, Pack, Problem
from benchwright_service.errors import BenchServiceError
from benchwright_service.questions.tables import CALLS, QUESTIONS, VERSIONS
from benchwright_service.questions.writing import QuestionState, lock_course, new_question_id, version_row
from benchwright_service.storage.tables import COURSES

MOST_ADDED = 2_000
"""Questions at a time."""
_LONGEST_SOURCE = 300


@dataclass(frozen=True)
class PackAddition:
    """Result of adding a pack's problems."""

    questions: int
    """Number of questions that reviewers get now."""
    left_out: Mapping[str, str]
    """The others: problem → why."""


async def send_questions_to_reviewers(
    database: Database, course: str, pack: Pack, clock: Callable[[], float] = time.time
) -> PackAddition:
    """Sends the multiple-choice questions of a pack to a course's reviewers, without an author; all or nothing.

    What was added before, and has not changed, is left out.

    Args:
        database: Database of the service, which may run.
        course: Its id.
        pack: Pack with its hidden parts.
        clock: Seconds since 1970.

    Raises:
        BenchServiceError: The course collects no questions, or others than under the pack's licence.
    """
    left_out: dict[str, str] = {}
    questions: dict[str, WrittenQuestion] = {}
    for problem in pack.problems:
        try:
            questions[problem.id] = _as_written_question(problem)
        except ValueError as error:
            left_out[problem.id] = str(error)
    if len(questions) > MOST_ADDED:
        raise BenchServiceError(f"the pack has more than {MOST_ADDED} questions; add it in parts")
    of_call = select(CALLS).join(COURSES, COURSES.c.id == CALLS.c.course)
    of_call = of_call.where(CALLS.c.course == course, COURSES.c.archived.is_(None))
    query = select(VERSIONS.c.content).join(QUESTIONS, QUESTIONS.c.id == VERSIONS.c.question)
    query = query.where(QUESTIONS.c.course == course, QUESTIONS.c.origin != "")
    count = 0
    async with database.write_transaction() as connection:
        await lock_course(connection, course)
        call_row = (await connection.execute(of_call)).one_or_none()
        if call_row is None:
            raise BenchServiceError(f"the course {course!r} collects no questions; begin that on its page *Questions*")
        if call_row.license != pack.license:
            raise BenchServiceError(
                f"the pack's licence is {pack.license!r}, and the course collects under {call_row.license!r};"
                " collect these in another course"
            )
        known_texts = set((await connection.execute(query)).scalars())
        for problem_id, content in questions.items():
            text = content.model_dump_json()
            if text in known_texts:
                left_out[problem_id] = "is there already"
                continue
            known_texts.add(text)
            name, created = new_question_id(), clock()
            row: dict[str, Any] = {"id": name, "course": course, "author": None, "credited": 0, "created": created}
            row |= {"state": QuestionState.REVIEW.value, "number": 1, "submitted": created}
            row |= {"origin": f"{pack.name} {pack.version}, {problem_id}: {pack.source[:_LONGEST_SOURCE]}"}
            await connection.execute(insert(QUESTIONS).values(row))
            version = version_row(name, 1, content, created) | {"reviewers": call_row.reviewers}
            await connection.execute(insert(VERSIONS).values(version))
            count += 1
    return PackAddition(count, left_out)


def _as_written_question(problem: Problem) -> WrittenQuestion:
    """A question as a form would have it.

    Raises:
        ValueError: The question is none that a form can have.
    """
    question, key = problem.public.question, problem.hidden.answer
    if question is None or key is None or question.format.answered_by is not AnswerKind.CHOICE:
        raise ValueError("is no multiple-choice question")
    if problem.public.figures or key.figures:
        raise ValueError("has figures; write it by the form")
    letters = [choice.letter for choice in question.choices]
    if len(letters) != len(LETTERS) or key.value not in letters:
        raise ValueError("has no four options with one that is right")
    try:
        return WrittenQuestion(
            title=problem.title,
            # Without the line that is its title.
            statement=problem.public.statement.partition("\n")[2],
            choices=tuple(choice.text for choice in question.choices),
            answer=LETTERS[letters.index(key.value)],
            explanation=key.explanation,
            topic=question.topic,
            skill=question.skill,
        )
    except ValidationError as error:
        first_error = error.errors(include_url=False, include_input=False)[0]
        raise ValueError(f"{first_error['loc'][0]}: {first_error['msg'].removeprefix('Value error, ')}") from None
