"""The database of judgements: answers, judgements, pending answers, people's grades, the cache of votes.

Votes contain traces of answer keys, so the database is stored with the sealed parts.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import Connection, RowMapping, delete, insert, select

from benchwright_foundation.database import Database
from benchwright_judges.judgement import Judgement, Vote
from benchwright_judges.records.schema import (
    ANSWERS,
    CACHE,
    GRADE_POINTS,
    GRADES,
    JUDGEMENTS,
    PENDING,
    VOTES,
    create_missing_tables,
)

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from benchwright_problems.problem import Problem


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer and its context. Judges see only its `text`."""

    problem: str
    """`pack/id`."""
    problem_digest: str
    key_digest: str
    format: str
    """The question's format, or the problem's category."""
    text: str
    sha256: str
    attempt: str = ""
    """The attempt it belongs to; empty if it belongs to none."""
    number: int = 0
    """Number of the try within the attempt; 0 without an attempt."""
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    created: float = field(default_factory=time.time)
    """Unix time."""

    def answers_current_version(self, problem: Problem) -> bool:
        """True if neither the question nor its key has changed since."""
        return (problem.public_digest, problem.harness_digest) == (self.problem_digest, self.key_digest)


@dataclass(frozen=True, slots=True)
class UnscoredAnswer:
    """An answer that no judge has scored yet."""

    answer: GivenAnswer
    reason: str
    """The reason, in one sentence."""
    since: float
    """Unix time."""


@dataclass(frozen=True, slots=True)
class PersonsGrade:
    """One person's grade of one answer."""

    answer: str
    """The answer's id."""
    grader: str
    """A pseudonym."""
    rubric: str
    label: str
    difficulty: int
    """Grading difficulty, 1 to 5."""
    comment: str = ""
    adjudicates: bool = False
    """True if it decides between grades that disagree."""
    created: float = field(default_factory=time.time)
    points: tuple[float, ...] = ()
    """For each item of the rubric; empty where it has none, or the grader chose a label."""


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """An answer with its latest judgement and people's grades."""

    answer: GivenAnswer
    judgement: Judgement | None
    """The latest judgement."""
    waits: bool
    """True if it still has no score; an answer replaced by a newer one of the same try is not waiting."""
    grades: tuple[PersonsGrade, ...] = ()


class Records(Database):
    """The open database. Use within the event loop it was opened in; close it in the end."""

    title = "the judgements' database"

    def create_or_migrate_tables(self, connection: Connection) -> None:
        """Create the tables that are missing."""
        create_missing_tables(connection)

    # Answers and judgements

    async def store_pending_answer(self, answer: GivenAnswer, reason: str) -> None:
        """Store an answer as waiting until `store_judgement` records its score.

        It replaces an earlier answer of the same try of the same attempt that is still waiting.
        """
        async with self.write_transaction() as connection:
            if answer.attempt:
                earlier_tries = select(ANSWERS.c.id).where(
                    ANSWERS.c.attempt == answer.attempt, ANSWERS.c.number == answer.number, ANSWERS.c.id != answer.id
                )
                await connection.execute(delete(PENDING).where(PENDING.c.answer.in_(earlier_tries)))
            await self._store_answer(connection, answer)
            await connection.execute(
                self.insert_into(PENDING)
                .values(answer=answer.id, reason=reason, since=time.time())
                .on_conflict_do_update(index_elements=[PENDING.c.answer], set_={"reason": reason})
            )

    async def store_judgement(self, answer: GivenAnswer, judgement: Judgement) -> None:
        """Store a judgement with its votes. Without a score, the answer stays waiting."""
        is_decided = judgement.status.is_final
        async with self.write_transaction() as connection:
            await self._store_answer(connection, answer)
            seq = await connection.scalar(
                insert(JUDGEMENTS)
                .values(
                    answer=answer.id,
                    status=judgement.status.value,
                    method=judgement.method.value,
                    rubric=judgement.rubric,
                    label=judgement.label,
                    score=judgement.score,
                    passed=judgement.passed,
                    tie_break=judgement.tie_break,
                    body=judgement.model_dump_json(exclude={"votes"}),
                    created=time.time(),
                )
                .returning(JUDGEMENTS.c.seq)
            )
            vote_rows = [
                {
                    "judgement": seq,
                    "position": position,
                    "judge": vote.judge,
                    "rubric": vote.rubric or judgement.rubric,
                    "label": vote.label,
                    "error": vote.error,
                    "cost_usd": vote.cost_usd,
                    "body": vote.model_dump_json(),
                }
                for position, vote in enumerate(judgement.votes)
            ]
            if vote_rows:
                await connection.execute(insert(VOTES), vote_rows)
            if is_decided:
                await connection.execute(delete(PENDING).where(PENDING.c.answer == answer.id))
            else:
                await connection.execute(
                    self.insert_into(PENDING)
                    .values(answer=answer.id, reason=judgement.message, since=time.time())
                    .on_conflict_do_update(index_elements=[PENDING.c.answer], set_={"reason": judgement.message})
                )

    async def delete_answers_of_attempts(self, attempt_ids: Sequence[str]) -> None:
        """Deletes the answers of attempts, with all that judges and people said of them; the cache of votes stays."""
        answer_ids = select(ANSWERS.c.id).where(ANSWERS.c.attempt.in_(attempt_ids), ANSWERS.c.attempt != "")
        judgement_ids = select(JUDGEMENTS.c.seq).where(JUDGEMENTS.c.answer.in_(answer_ids))
        async with self.write_transaction() as connection:
            await connection.execute(delete(VOTES).where(VOTES.c.judgement.in_(judgement_ids)))
            for table in (JUDGEMENTS, PENDING, GRADE_POINTS, GRADES):
                await connection.execute(delete(table).where(table.c.answer.in_(answer_ids)))
            await connection.execute(delete(ANSWERS).where(ANSWERS.c.attempt.in_(attempt_ids), ANSWERS.c.attempt != ""))

    async def find_judgement(self, answer_id: str) -> Judgement | None:
        """The latest judgement of an answer; None if there is none."""
        async with self.read_transaction() as connection:
            return (await self._latest_judgement_by_answer_id(connection, [answer_id])).get(answer_id)

    async def latest_judgement_by_answer_id(self, answer_ids: Sequence[str]) -> dict[str, Judgement]:
        """The latest judgement of each answer that has one."""
        async with self.read_transaction() as connection:
            return await self._latest_judgement_by_answer_id(connection, answer_ids)

    async def find_answer(self, answer_id: str) -> GivenAnswer | None:
        """The answer of this id."""
        async with self.read_transaction() as connection:
            row = (await connection.execute(select(ANSWERS).where(ANSWERS.c.id == answer_id))).one_or_none()
        return None if row is None else _answer_of_row(row._mapping)

    async def unscored_answers(self) -> Sequence[UnscoredAnswer]:
        """Answers that no judge has scored yet, oldest first."""
        query = (
            select(ANSWERS, PENDING.c.reason, PENDING.c.since)
            .join(PENDING, PENDING.c.answer == ANSWERS.c.id)
            .order_by(PENDING.c.since, ANSWERS.c.id)
        )
        async with self.read_transaction() as connection:
            rows = (await connection.execute(query)).all()
        return [UnscoredAnswer(_answer_of_row(row._mapping), row.reason, row.since) for row in rows]

    async def answer_records(self) -> Sequence[AnswerRecord]:
        """Every answer with its latest judgement and its grades, oldest first."""
        return await self._answer_records(None)

    async def find_answer_record(self, answer_id: str) -> AnswerRecord | None:
        """One answer with its latest judgement and its grades; None if there is none of this id."""
        return next(iter(await self._answer_records([answer_id])), None)

    async def find_try_record(self, attempt_id: str, try_number: int) -> AnswerRecord | None:
        """The same of the newest answer of a try of an attempt."""
        try_conditions = ANSWERS.c.attempt == attempt_id, ANSWERS.c.number == try_number
        newest_answer = select(ANSWERS.c.id).where(*try_conditions).order_by(ANSWERS.c.created.desc()).limit(1)
        async with self.read_transaction() as connection:
            answer_id = await connection.scalar(newest_answer)
        return await self.find_answer_record(answer_id) if answer_id is not None else None

    async def _answer_records(self, answer_ids: Sequence[str] | None) -> Sequence[AnswerRecord]:
        answer_query = select(ANSWERS)
        grade_join = (GRADE_POINTS.c.answer == GRADES.c.answer) & (GRADE_POINTS.c.grader == GRADES.c.grader)
        grade_query = select(GRADES, GRADE_POINTS.c.points).outerjoin(GRADE_POINTS, grade_join)
        if answer_ids is not None:
            answer_query, grade_query = (
                answer_query.where(ANSWERS.c.id.in_(answer_ids)),
                grade_query.where(GRADES.c.answer.in_(answer_ids)),
            )
        async with self.read_transaction() as connection:
            answer_rows = await connection.execute(answer_query.order_by(ANSWERS.c.created, ANSWERS.c.id))
            given_answers = [_answer_of_row(row._mapping) for row in answer_rows]
            newest_judgements = await self._latest_judgement_by_answer_id(connection, answer_ids)
            pending_ids = set((await connection.scalars(select(PENDING.c.answer))).all())
            grades_by_answer: dict[str, list[PersonsGrade]] = {}
            for row in await connection.execute(grade_query.order_by(GRADES.c.created, GRADES.c.grader)):
                grade_points = tuple(json.loads(row.points)) if row.points else ()
                grades_by_answer.setdefault(row.answer, []).append(
                    PersonsGrade(**{**row._mapping, "points": grade_points})
                )
        return [
            AnswerRecord(
                answer,
                newest_judgements.get(answer.id),
                answer.id in pending_ids,
                tuple(grades_by_answer.get(answer.id, ())),
            )
            for answer in given_answers
        ]

    async def _store_answer(self, connection: AsyncConnection, answer: GivenAnswer) -> None:
        values = {
            "id": answer.id,
            "problem": answer.problem,
            "problem_digest": answer.problem_digest,
            "key_digest": answer.key_digest,
            "format": answer.format,
            "answer": answer.text,
            "sha256": answer.sha256,
            "attempt": answer.attempt,
            "number": answer.number,
            "created": answer.created,
        }
        # Of an answer that is judged again because its question has changed.
        updated_values = {name: values[name] for name in ("problem_digest", "key_digest", "format")}
        await connection.execute(
            self.insert_into(ANSWERS)
            .values(values)
            .on_conflict_do_update(index_elements=[ANSWERS.c.id], set_=updated_values)
        )

    async def _latest_judgement_by_answer_id(
        self, connection: AsyncConnection, answer_ids: Sequence[str] | None
    ) -> dict[str, Judgement]:
        """The latest judgement with its votes, by answer."""
        query = select(JUDGEMENTS.c.answer, JUDGEMENTS.c.seq, JUDGEMENTS.c.body)
        if answer_ids is not None:
            query = query.where(JUDGEMENTS.c.answer.in_(answer_ids))
        latest_row_by_answer = {row.answer: row for row in await connection.execute(query.order_by(JUDGEMENTS.c.seq))}
        votes_by_judgement: dict[int, list[Vote]] = {}
        vote_query = select(VOTES.c.judgement, VOTES.c.body).order_by(VOTES.c.judgement, VOTES.c.position)
        if answer_ids is not None:
            vote_query = vote_query.where(VOTES.c.judgement.in_([row.seq for row in latest_row_by_answer.values()]))
        for row in await connection.execute(vote_query):
            votes_by_judgement.setdefault(row.judgement, []).append(Vote.model_validate_json(row.body))
        return {
            answer: Judgement.model_validate_json(row.body).model_copy(
                update={"votes": tuple(votes_by_judgement.get(row.seq, ()))}
            )
            for answer, row in latest_row_by_answer.items()
        }

    # The cache of votes

    async def cached_vote(self, vote_key: str) -> Vote | None:
        """The vote cached under a key; None if there is none."""
        async with self.read_transaction() as connection:
            body = await connection.scalar(select(CACHE.c.body).where(CACHE.c.key == vote_key))
        return None if body is None else Vote.model_validate_json(body)

    async def cache_votes(self, keys_and_votes: Sequence[tuple[str, Vote]]) -> None:
        """Store votes under their keys; existing entries are not replaced."""
        if not keys_and_votes:
            return
        cache_rows = [
            {"key": key, "body": vote.model_dump_json(), "created": time.time()} for key, vote in keys_and_votes
        ]
        async with self.write_transaction() as connection:
            await connection.execute(self.insert_into(CACHE).on_conflict_do_nothing(), cache_rows)

    async def all_cached_votes(self) -> Sequence[tuple[str, Vote]]:
        """The whole cache, by key."""
        async with self.read_transaction() as connection:
            rows = (await connection.execute(select(CACHE.c.key, CACHE.c.body).order_by(CACHE.c.key))).all()
        return [(row.key, Vote.model_validate_json(row.body)) for row in rows]

    # People

    async def store_persons_grade(self, grade: PersonsGrade) -> None:
        """Store a person's grade, replacing the same person's earlier grade of that answer."""
        values = asdict(grade)
        points = {"answer": grade.answer, "grader": grade.grader, "points": json.dumps(values.pop("points"))}
        async with self.write_transaction() as connection:
            await connection.execute(
                self.insert_into(GRADES)
                .values(values)
                .on_conflict_do_update(index_elements=[GRADES.c.answer, GRADES.c.grader], set_=values)
            )
            await connection.execute(
                self.insert_into(GRADE_POINTS)
                .values(points)
                .on_conflict_do_update(index_elements=[GRADE_POINTS.c.answer, GRADE_POINTS.c.grader], set_=points)
            )


def _answer_of_row(answer_row: RowMapping) -> GivenAnswer:
    fields = {name: answer_row[name] for name in GivenAnswer.__dataclass_fields__ if name != "text"}
    return GivenAnswer(**fields, text=answer_row["answer"])
