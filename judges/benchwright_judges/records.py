"""The database of judgements: answers, what judges and people said of them, what waits, and the cache of votes.

It holds answer keys' traces in votes, so it lies with the sealed parts: SQLite in a file of mode 0600,
or PostgreSQL by URL.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    RowMapping,
    Table,
    Text,
    delete,
    event,
    insert,
    inspect,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, IntegrityError, InterfaceError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from benchwright_judges.errors import RecordsError
from benchwright_judges.judgement import Judgement, Vote

if TYPE_CHECKING:
    import aiosqlite
    from sqlalchemy.engine.interfaces import AdaptedConnection

SCHEMA_VERSION = 1

METADATA = MetaData()
"""Every table of the database; the judge service adds its own before it opens one."""

_FORMAT = Table("records_format", METADATA, Column("version", Integer, nullable=False))

ANSWERS = Table(
    "answers",
    METADATA,
    Column("id", Text, primary_key=True),
    # `pack/id`, and what the problem and its key were when the answer was given.
    Column("problem", Text, nullable=False),
    Column("problem_digest", Text, nullable=False),
    Column("key_digest", Text, nullable=False),
    # The question's format, or the problem's category.
    Column("format", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    # The attempt it belongs to and which try it was; empty and 0 where there is none.
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
    # How hard it was to grade, 1 to 5.
    Column("difficulty", Integer, nullable=False),
    Column("comment", Text, nullable=False),
    # Whether the grader decided between others.
    Column("adjudicates", Boolean, nullable=False),
    Column("created", Double, nullable=False),
)

_WRITES = "benchwright_writes"
_BUSY_S = 30.0
"""How long to wait while another process writes to a file."""


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer, and where it belongs. No judge sees more of it than `text`."""

    problem: str
    """`pack/id`."""
    problem_digest: str
    key_digest: str
    format: str
    """The question's format, or the problem's category."""
    text: str
    sha256: str
    attempt: str = ""
    """The attempt it belongs to; empty where it belongs to none."""
    number: int = 0
    """Which try of the attempt it was; 0 without an attempt."""
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    created: float = field(default_factory=time.time)
    """Unix time."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An answer that no judge has scored yet."""

    answer: GivenAnswer
    reason: str
    """Why, in one sentence."""
    since: float
    """Unix time."""


@dataclass(frozen=True, slots=True)
class Grade:
    """One person's word on one answer."""

    answer: str
    """The answer's id."""
    grader: str
    """A pseudonym."""
    rubric: str
    label: str
    difficulty: int
    """How hard it was to grade, 1 to 5."""
    comment: str = ""
    adjudicates: bool = False
    """Whether it decides between grades that disagree."""
    created: float = field(default_factory=time.time)


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer with its newest judgement and what people say."""

    answer: GivenAnswer
    judgement: Judgement | None
    """The newest."""
    waits: bool
    """Whether it still has no score; an answer that gave way to a newer one of its try does not wait."""
    grades: tuple[Grade, ...] = ()


class Records:
    """The open database. Use within the event loop it was opened in; close it in the end."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        # SQLite lets one connection write: who waits here does not poll for its lock.
        self._turn: AbstractAsyncContextManager[object] = (
            asyncio.Lock() if engine.dialect.name == "sqlite" else nullcontext()
        )

    @classmethod
    async def open(cls, where: str | Path) -> Self:
        """Open the database, and make what is missing of its tables.

        Args:
            where: A file for SQLite, or the URL of a PostgreSQL database.

        Raises:
            RecordsError: It can't be opened, or another version of Benchwright made it.
        """
        engine = _sqlite(where) if isinstance(where, Path) else _by_url(where)
        records = cls(engine)
        try:
            async with records.writing() as connection:
                await connection.run_sync(_bring_up)
        except BaseException:
            await engine.dispose()
            raise
        return records

    async def close(self) -> None:
        """Give back every connection."""
        await self.engine.dispose()

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that may write; committed at the end of the block.

        Raises:
            RecordsError: The database is locked, full, damaged or gone.
        """
        with self._explained():
            async with self._turn, self.engine.execution_options(**{_WRITES: True}).begin() as connection:
                yield connection

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that reads.

        Raises:
            RecordsError: The database is locked, damaged or gone.
        """
        with self._explained():
            async with self.engine.begin() as connection:
                yield connection

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (DatabaseError, InterfaceError) as error:
            if isinstance(error, IntegrityError):
                raise
            raise RecordsError(
                f"the judgements' database {_name(self.engine)} could not be used: {_cause(error)}; nothing of the last"
                " step was kept, so try again once that is mended"
            ) from error

    # Answers and judgements

    async def receive(self, answer: GivenAnswer, reason: str) -> None:
        """Keep an answer as waiting; it stays so until `settle` has its score.

        An earlier answer of the same try of the same attempt that still waits gives way to it.
        """
        async with self.writing() as connection:
            if answer.attempt:
                same = select(ANSWERS.c.id).where(
                    ANSWERS.c.attempt == answer.attempt, ANSWERS.c.number == answer.number, ANSWERS.c.id != answer.id
                )
                await connection.execute(delete(PENDING).where(PENDING.c.answer.in_(same)))
            await self._keep(connection, answer)
            await connection.execute(
                self._insert(PENDING)
                .values(answer=answer.id, reason=reason, since=time.time())
                .on_conflict_do_update(index_elements=[PENDING.c.answer], set_={"reason": reason})
            )

    async def settle(self, answer: GivenAnswer, judgement: Judgement) -> None:
        """Keep a judgement with its votes. One that is no score leaves the answer waiting."""
        decided = judgement.status.is_final
        async with self.writing() as connection:
            await self._keep(connection, answer)
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
            votes = [
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
            if votes:
                await connection.execute(insert(VOTES), votes)
            if decided:
                await connection.execute(delete(PENDING).where(PENDING.c.answer == answer.id))
            else:
                await connection.execute(
                    self._insert(PENDING)
                    .values(answer=answer.id, reason=judgement.message, since=time.time())
                    .on_conflict_do_update(index_elements=[PENDING.c.answer], set_={"reason": judgement.message})
                )

    async def judgement(self, answer_id: str) -> Judgement | None:
        """The newest judgement of an answer; none where there is none."""
        async with self.reading() as connection:
            return (await self._newest(connection, [answer_id])).get(answer_id)

    async def judgements(self, answers: Sequence[str]) -> dict[str, Judgement]:
        """The newest judgement of each answer that has one."""
        async with self.reading() as connection:
            return await self._newest(connection, answers)

    async def answer(self, answer_id: str) -> GivenAnswer | None:
        """The answer of this id."""
        async with self.reading() as connection:
            row = (await connection.execute(select(ANSWERS).where(ANSWERS.c.id == answer_id))).one_or_none()
        return None if row is None else _answer(row._mapping)

    async def pending(self) -> Sequence[Waiting]:
        """What no judge has scored yet, the oldest first."""
        wanted = (
            select(ANSWERS, PENDING.c.reason, PENDING.c.since)
            .join(PENDING, PENDING.c.answer == ANSWERS.c.id)
            .order_by(PENDING.c.since, ANSWERS.c.id)
        )
        async with self.reading() as connection:
            rows = (await connection.execute(wanted)).all()
        return [Waiting(_answer(row._mapping), row.reason, row.since) for row in rows]

    async def judged(self) -> Sequence[Judged]:
        """Every answer with its newest judgement and its grades, the oldest first."""
        return await self._judged(None)

    async def judged_answer(self, answer_id: str) -> Judged | None:
        """The same for one answer."""
        return next(iter(await self._judged([answer_id])), None)

    async def _judged(self, ids: Sequence[str] | None) -> Sequence[Judged]:
        answers, grades = select(ANSWERS), select(GRADES)
        if ids is not None:
            answers, grades = answers.where(ANSWERS.c.id.in_(ids)), grades.where(GRADES.c.answer.in_(ids))
        async with self.reading() as connection:
            rows = await connection.execute(answers.order_by(ANSWERS.c.created, ANSWERS.c.id))
            given = [_answer(row._mapping) for row in rows]
            newest = await self._newest(connection, ids)
            waiting = set((await connection.scalars(select(PENDING.c.answer))).all())
            by_answer: dict[str, list[Grade]] = {}
            for row in await connection.execute(grades.order_by(GRADES.c.created, GRADES.c.grader)):
                by_answer.setdefault(row.answer, []).append(Grade(**row._mapping))
        return [
            Judged(answer, newest.get(answer.id), answer.id in waiting, tuple(by_answer.get(answer.id, ())))
            for answer in given
        ]

    async def _keep(self, connection: AsyncConnection, answer: GivenAnswer) -> None:
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
        await connection.execute(self._insert(ANSWERS).values(values).on_conflict_do_nothing())

    async def _newest(self, connection: AsyncConnection, answers: Sequence[str] | None) -> dict[str, Judgement]:
        """The newest judgement with its votes, by answer."""
        wanted = select(JUDGEMENTS.c.answer, JUDGEMENTS.c.seq, JUDGEMENTS.c.body)
        if answers is not None:
            wanted = wanted.where(JUDGEMENTS.c.answer.in_(answers))
        bodies = {row.answer: row for row in await connection.execute(wanted.order_by(JUDGEMENTS.c.seq))}
        cast: dict[int, list[Vote]] = {}
        votes = select(VOTES.c.judgement, VOTES.c.body).order_by(VOTES.c.judgement, VOTES.c.position)
        if answers is not None:
            votes = votes.where(VOTES.c.judgement.in_([row.seq for row in bodies.values()]))
        for row in await connection.execute(votes):
            cast.setdefault(row.judgement, []).append(Vote.model_validate_json(row.body))
        return {
            answer: Judgement.model_validate_json(row.body).model_copy(update={"votes": tuple(cast.get(row.seq, ()))})
            for answer, row in bodies.items()
        }

    # The cache of votes

    async def cached(self, key: str) -> Vote | None:
        """The vote kept under a key; none where there is none."""
        async with self.reading() as connection:
            body = await connection.scalar(select(CACHE.c.body).where(CACHE.c.key == key))
        return None if body is None else Vote.model_validate_json(body)

    async def remember(self, votes: Sequence[tuple[str, Vote]]) -> None:
        """Keep votes under their keys; what is kept already stays."""
        if not votes:
            return
        rows = [{"key": key, "body": vote.model_dump_json(), "created": time.time()} for key, vote in votes]
        async with self.writing() as connection:
            await connection.execute(self._insert(CACHE).on_conflict_do_nothing(), rows)

    async def cache(self) -> Sequence[tuple[str, Vote]]:
        """All of the cache, by key."""
        async with self.reading() as connection:
            rows = (await connection.execute(select(CACHE.c.key, CACHE.c.body).order_by(CACHE.c.key))).all()
        return [(row.key, Vote.model_validate_json(row.body)) for row in rows]

    # People

    async def keep_grade(self, grade: Grade) -> None:
        """Keep a person's grade; the same person's earlier one of that answer is replaced."""
        values = asdict(grade)
        async with self.writing() as connection:
            await connection.execute(
                self._insert(GRADES)
                .values(values)
                .on_conflict_do_update(index_elements=[GRADES.c.answer, GRADES.c.grader], set_=values)
            )

    def _insert(self, table: Table) -> sqlite.Insert | postgresql.Insert:
        # Only the dialects' own inserts know what to do about conflicts.
        return sqlite.insert(table) if self.engine.dialect.name == "sqlite" else postgresql.insert(table)


def _answer(row: RowMapping) -> GivenAnswer:
    fields = {name: row[name] for name in GivenAnswer.__dataclass_fields__ if name != "text"}
    return GivenAnswer(**fields, text=row["answer"])


def _sqlite(file: Path) -> AsyncEngine:
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Not opened where it exists: closing another descriptor of it would drop SQLite's locks in this process.
        file.touch(mode=0o600)
        file.chmod(0o600)
    except OSError as error:
        raise RecordsError(
            f"the judgements' database {file} can't be made: {error.strerror}; check the folder's permissions"
        ) from error
    url = URL.create("sqlite+aiosqlite", database=str(file))
    engine = create_async_engine(
        url,
        # A connection is a thread: none beyond these, which would be opened and closed with every transaction.
        pool_size=8,
        max_overflow=0,
        connect_args={"timeout": _BUSY_S, "isolation_level": None},
        # A statement's values may be answer keys: no error shows them.
        hide_parameters=True,
    )

    # At its debug level the library logs every value, answer keys included.
    logging.getLogger("aiosqlite").setLevel(logging.WARNING)

    @event.listens_for(engine.sync_engine, "connect")
    def _set_up(connection: AdaptedConnection, _record: object) -> None:
        connection.run_async(_prepare)

    @event.listens_for(engine.sync_engine, "begin")
    def _begin(connection: Connection) -> None:
        # A transaction that reads first and then writes would otherwise fail where another wrote between.
        writes = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


async def _prepare(connection: aiosqlite.Connection) -> None:
    # Changing the journal mode does not wait for other connections as statements do.
    give_up = time.monotonic() + _BUSY_S
    while True:
        try:
            await (await connection.execute("PRAGMA journal_mode = WAL")).close()
            break
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            await asyncio.sleep(0.02)
    for pragma in ("synchronous = FULL", "foreign_keys = ON"):
        await (await connection.execute(f"PRAGMA {pragma}")).close()


def _by_url(text: str) -> AsyncEngine:
    try:
        url = make_url(text)
    except ArgumentError as error:
        raise RecordsError("the database's URL can't be read; write postgresql://USER@HOST/NAME") from error
    if url.get_backend_name() == "sqlite" and url.database:
        return _sqlite(Path(url.database))
    if url.get_backend_name() != "postgresql":
        raise RecordsError(f"judgements can't be kept in {url.get_backend_name()}; use SQLite or PostgreSQL")
    return create_async_engine(
        url.set(drivername="postgresql+psycopg"),
        pool_size=10,
        max_overflow=20,
        pool_pre_ping=True,
        hide_parameters=True,
    )


def _bring_up(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        # Two processes that start at once would both make the tables.
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7165912)")
    found = inspect(connection).get_table_names()
    if _FORMAT.name in found:
        version = connection.scalar(select(_FORMAT.c.version))
        if version != SCHEMA_VERSION:
            raise RecordsError(
                f"the judgements' database {connection.engine.url.render_as_string()} has format {version}, this"
                f" Benchwright reads {SCHEMA_VERSION}; install the version that made it, or keep judgements elsewhere"
            )
    elif found and connection.dialect.name == "sqlite":
        raise RecordsError(f"{connection.engine.url.database} is a database of something else; move it away")
    METADATA.create_all(connection)
    if _FORMAT.name not in found:
        connection.execute(insert(_FORMAT).values(version=SCHEMA_VERSION))


def _name(engine: AsyncEngine) -> str:
    return engine.url.render_as_string(hide_password=True)


def _cause(error: BaseException) -> str:
    # The statement and its values, which SQLAlchemy puts into the text, may hold an answer key.
    return str(getattr(error, "orig", None) or type(error).__name__).strip().splitlines()[0]
