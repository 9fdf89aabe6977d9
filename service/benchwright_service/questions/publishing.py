"""The accepted questions of a course as the next version of its pack."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from sqlalchemy import select, update

from benchwright_authoring.written_question import WrittenQuestion, build_pack
from benchwright_foundation.database import Database
from benchwright_problems.errors import PackExistsError, ProblemsError
from benchwright_problems.problem import Pack
from benchwright_problems.storage.pack_files_schema import PackToml
from benchwright_problems.storage.pack_name import is_pack_name
from benchwright_problems.storage.store import Store
from benchwright_service.errors import BenchServiceError
from benchwright_service.questions.notices import NoticeKind, add_notice_if_account
from benchwright_service.questions.tables import CALLS, QUESTIONS
from benchwright_service.questions.takedowns import Takedown, TakedownReason, Takedowns, takedown_text
from benchwright_service.questions.writing import QuestionCall, Questions, QuestionState, VersionedQuestion

_ANONYMOUS = "an author who is not named"


class Publishing:
    """Publishes packs.

    Args:
        database: Database of the service.
        questions: Its questions.
        takedowns: Its takedowns.
        store: Gets the packs.
        clock: Seconds since 1970.
    """

    def __init__(
        self,
        database: Database,
        questions: Questions,
        takedowns: Takedowns,
        store: Store,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._questions = questions
        self._takedowns = takedowns
        self._store = store
        self._now = clock
        self._turn = asyncio.Lock()

    async def publish(self, course: str) -> Pack:
        """Puts the accepted questions of a course into its pack, in place of what was in it.

        Raises:
            BenchServiceError: No question is accepted, or the pack can't be made.
        """
        async with self._turn, self._database.turn_among_processes(f"publish {course}"):
            call = await self._questions.find_call(course)
            accepted_questions = await self._questions.accepted_questions(course)
            if call is None or not accepted_questions:
                raise BenchServiceError("no question is accepted yet")
            return await self._publish(course, call, accepted_questions, await self._done_takedowns(course))

    async def take_down(self, course: str, question: str, reason: TakedownReason) -> None:
        """Takes a question out of everything; if the course's pack has it, its next version at once has it no more.

        Raises:
            BenchServiceError: The course has no such question, or the pack can't be made.
        """
        async with self._turn, self._database.turn_among_processes(f"publish {course}"):
            call = await self._questions.find_call(course)
            taken_down = await self._questions.find_question(course, question)
            if call is None or taken_down is None:
                raise BenchServiceError("the course has no such question")
            if taken_down.published is not None:
                accepted_questions = await self._questions.accepted_questions(course)
                remaining_questions = [
                    candidate
                    for candidate in accepted_questions
                    if candidate.published is not None and candidate.id != question
                ]
                present = datetime.fromtimestamp(self._now(), UTC)
                takedown = Takedown(question, reason, present, present, taken_down.published)
                takedowns = [*await self._done_takedowns(course), takedown]
                # Before the question is erased: after a crash, it can be taken down again.
                await self._publish(course, call, remaining_questions, takedowns)
            await self._takedowns.erase(course, question, reason)

    async def _done_takedowns(self, course: str) -> Sequence[Takedown]:
        """Takedowns of questions that a version of the pack had."""
        takedowns = await self._takedowns.takedowns(course)
        return [takedown for takedown in takedowns if takedown.done is not None and takedown.published is not None]

    async def _publish(
        self,
        course: str,
        call: QuestionCall,
        accepted_questions: Sequence[VersionedQuestion],
        takedowns: Sequence[Takedown],
    ) -> Pack:
        name = questions_pack_name(course)
        version = call.published + 1
        credits = [*map(_credit_text, accepted_questions), *map(takedown_text, takedowns)]
        empty_pack = Pack(
            name=name,
            title=call.title,
            version=str(version),
            license=call.license,
            source=f"Questions of the course {course}, each accepted by its reviewers",
            description="\n".join(credits),
            published=datetime.fromtimestamp(self._now(), UTC).date().isoformat(),
            canary=call.canary,
            problems=(),
        )
        questions = {question.id: question.content for question in accepted_questions}
        try:
            pictures = await self._questions.pictures_by_digest(questions)
            pack = await asyncio.to_thread(_filled_pack, empty_pack, questions, pictures)
            earlier_pack = await asyncio.to_thread(self._earlier_version_or_none, pack)
            pack = with_publication_dates(pack, earlier_pack)
            # Before the pack is there: after a crash, nothing that is in it can be withdrawn.
            await self._mark_published(accepted_questions, version)
            try:
                await asyncio.to_thread(self._store.add, pack, replace=earlier_pack is not None)
            except ProblemsError:
                await self._unmark_published(accepted_questions, version)
                raise
        except PackExistsError as error:
            raise BenchServiceError(f"there is a pack called {name!r} that is not this course's") from error
        except ProblemsError as error:
            raise BenchServiceError(f"the pack can't be made: {error}") from error
        await self._record_version_and_notify_authors(course, version)
        return pack

    async def _mark_published(self, accepted_questions: Sequence[VersionedQuestion], version: int) -> None:
        """Says that a version of the pack has these questions.

        Raises:
            BenchServiceError: A question is not accepted any more.
        """
        names = [question.id for question in accepted_questions]
        async with self._database.write_transaction() as connection:
            still = select(QUESTIONS.c.id).where(QUESTIONS.c.id.in_(names))
            still = still.where(QUESTIONS.c.state == QuestionState.ACCEPTED.value)
            if len((await connection.execute(still.with_for_update())).all()) < len(names):
                raise BenchServiceError("a question was withdrawn meanwhile; publish again")
            new_conditions = QUESTIONS.c.id.in_(names), QUESTIONS.c.published.is_(None)
            await connection.execute(update(QUESTIONS).where(*new_conditions).values(published=version))

    async def _unmark_published(self, accepted_questions: Sequence[VersionedQuestion], version: int) -> None:
        new_names = [question.id for question in accepted_questions if question.published is None]
        marked = QUESTIONS.c.id.in_(new_names), QUESTIONS.c.published == version
        async with self._database.write_transaction() as connection:
            await connection.execute(update(QUESTIONS).where(*marked).values(published=None))

    async def _record_version_and_notify_authors(self, course: str, version: int) -> None:
        """Counts the version of a pack that is there, and tells authors whose questions are new in it."""
        new_query = select(QUESTIONS.c.id, QUESTIONS.c.author).where(
            QUESTIONS.c.course == course, QUESTIONS.c.published == version
        )
        async with self._database.write_transaction() as connection:
            await connection.execute(update(CALLS).where(CALLS.c.course == course).values(published=version))
            for row in (await connection.execute(new_query)).all():
                await add_notice_if_account(connection, NoticeKind.PUBLISHED, row.author, course, row.id, self._now())

    def _earlier_version_or_none(self, pack: Pack) -> Pack | None:
        """The pack of this name, if it is an earlier version."""
        try:
            published_pack = self._store.public_pack(pack.name)
        except ProblemsError:
            return None
        return published_pack if published_pack.canary == pack.canary else None


def with_publication_dates(pack: Pack, earlier_pack: Pack | None) -> Pack:
    """The pack with the date of each question that has been public before; its own is that of the first."""
    if earlier_pack is None:
        return pack
    dates = {problem.id: problem.published or earlier_pack.published for problem in earlier_pack.problems}
    problems = tuple(
        problem.model_copy(update={"published": dates.get(problem.id, pack.published)}) for problem in pack.problems
    )
    return pack.model_copy(update={"published": earlier_pack.published, "problems": problems})


def _filled_pack(
    empty_pack: Pack, questions: Mapping[str, WrittenQuestion], pictures_by_sha256: Mapping[str, bytes]
) -> Pack:
    """The pack with its questions; once all of them are taken down, it has none."""
    if not questions:
        return empty_pack
    head = PackToml(**empty_pack.model_dump(exclude={"problems"}), order=list(questions))
    return build_pack(head, questions, pictures_by_sha256)


def _credit_text(question: VersionedQuestion) -> str:
    """Credit for a question: the person or thing that it is from, as the pack says it."""
    day = question.decided.date().isoformat() if question.decided is not None else "before"
    credit = question.origin or (question.name if question.credited else _ANONYMOUS)
    return f"{question.id} (version {question.number}, accepted {day}): {credit}"


def questions_pack_name(course: str) -> str:
    """Returns the name of the pack of a course's questions.

    Raises:
        BenchServiceError: The course's id can't be part of a pack's name.
    """
    name = f"{course}-questions"
    if not is_pack_name(name):
        raise BenchServiceError(f"no pack can be called {name!r}: the course's id has other characters, or is too long")
    return name
