"""Submitted answers: accepted means on disk, and each is judged once.

A submission is `queued`, then `running` while a process holds a lease on it, then `done`. When a process
dies, its leases expire, and another process, or the same one restarted, claims its submissions. Only the holder of
the lease writes a result, so none is counted twice.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Row, Table, and_, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from benchwright_foundation.refusals import Kind, RefusalError
from benchwright_judges.judgement import Judgement
from benchwright_judges.records.records import Records
from benchwright_judges.service.submission import Batch, Key, State, Submission, batch_of, submission_of
from benchwright_judges.service.tables import BATCHES, SUBMISSIONS, TOKENS

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

_DUST_USD = 1e-9
"""Sums of floats differ by less than this."""


class Submissions:
    """The queue.

    Args:
        records: The database.
        owner: A name unique to this process.
        lease_s: Duration of a lease, in seconds, before another process may claim the submission.
        clock: Seconds since 1970, the same for all processes.
    """

    def __init__(self, records: Records, *, owner: str, lease_s: float, clock: Callable[[], float] = time.time) -> None:
        self._records = records
        self._owner = owner
        self._lease_s = lease_s
        self._clock = clock

    # Submitting

    async def accept(
        self, token: str, key: Key, problem: str, answer: str, *, reserve_usd: float
    ) -> tuple[Submission, bool]:
        """Store an answer, claimed by this process, with the money for its judgement reserved.

        Returns:
            The submission and whether it is new; the earlier one if the key is known.

        Raises:
            RefusalError: The key belongs to another request, or the budget does not suffice.
        """
        if (old := await self._with_key(token, key)) is not None:
            return old, False
        values = self._new(token, problem, answer) | self._claimed() | {"key": key.text, "fingerprint": key.fingerprint}
        try:
            async with self._records.writing() as connection:
                await connection.execute(insert(SUBMISSIONS).values(values))
                await _reserve(connection, token, values["id"], reserve_usd)
        except IntegrityError:
            # A concurrent request used the same key.
            if (old := await self._with_key(token, key)) is None:
                raise
            return old, False
        submission = Submission(
            id=values["id"],
            token=token,
            problem=problem,
            answer=answer,
            state=State.RUNNING,
            created=values["created"],
            reserved_usd=reserve_usd,
        )
        return submission, True

    async def accept_batch(
        self, token: str, key: Key, items: Sequence[tuple[str, str]], *, most_waiting: int
    ) -> tuple[Batch, bool]:
        """Store a batch of (problem, answer), all or nothing.

        Returns:
            The batch and whether it is new.

        Raises:
            RefusalError: The key belongs to another request, or too many answers wait already.
        """
        if (old := await self._batch_with_key(token, key)) is not None:
            return old, False
        batch = Batch(id=uuid.uuid4().hex, token=token, created=self._clock(), total=len(items), done=0)
        rows = [
            self._new(token, problem, answer) | {"batch": batch.id, "position": position}
            for position, (problem, answer) in enumerate(items)
        ]
        try:
            async with self._records.writing() as connection:
                waiting = await connection.scalar(
                    select(func.count()).where(SUBMISSIONS.c.token == token, SUBMISSIONS.c.state == State.QUEUED)
                )
                if (waiting or 0) + len(items) > most_waiting:
                    raise RefusalError(
                        Kind.QUEUE_FULL,
                        f"{waiting} answers of this token are waiting; the limit is {most_waiting}.",
                        "Send the batch again when they have been judged.",
                        retry_after_s=30,
                    )
                await connection.execute(
                    insert(BATCHES).values(
                        id=batch.id,
                        token=token,
                        key=key.text,
                        fingerprint=key.fingerprint,
                        created=batch.created,
                        total=batch.total,
                    )
                )
                await connection.execute(insert(SUBMISSIONS), rows)
        except IntegrityError:
            if (old := await self._batch_with_key(token, key)) is None:
                raise
            return old, False
        return batch, True

    # Judging

    async def claim(self, count: int, but: Collection[str] = ()) -> Sequence[Submission]:
        """Claim waiting submissions and those that a process left behind, oldest first.

        Args:
            count: Number of submissions at most.
            but: Submissions being judged here: a process that was suspended may have let its own leases expire.
        """
        now = self._clock()
        free = (
            select(SUBMISSIONS.c.seq)
            .where(
                or_(
                    SUBMISSIONS.c.state == State.QUEUED,
                    and_(SUBMISSIONS.c.state == State.RUNNING, SUBMISSIONS.c.lease < now),
                )
            )
            .where(SUBMISSIONS.c.id.not_in(list(but)))
            .order_by(SUBMISSIONS.c.seq)
            .limit(count)
            # On PostgreSQL; SQLite has one writer at a time.
            .with_for_update(skip_locked=True)
        )
        async with self._records.writing() as connection:
            chosen = list((await connection.scalars(free)).all())
            if not chosen:
                return []
            await connection.execute(
                update(SUBMISSIONS)
                .where(SUBMISSIONS.c.seq.in_(chosen))
                .values(self._claimed() | {"claims": SUBMISSIONS.c.claims + 1})
            )
            rows = await connection.execute(
                select(SUBMISSIONS).where(SUBMISSIONS.c.seq.in_(chosen)).order_by(SUBMISSIONS.c.seq)
            )
            return [submission_of(row) for row in rows]

    async def renew(self, ids: Collection[str]) -> None:
        """Renew this process's leases on these submissions."""
        async with self._records.writing() as connection:
            await connection.execute(
                update(SUBMISSIONS)
                .where(self._lease_condition(), SUBMISSIONS.c.id.in_(list(ids)))
                .values(lease=self._clock() + self._lease_s)
            )

    async def reserve(self, submission: Submission, usd: float) -> float:
        """Reserve money for a judgement, unless an earlier process did.

        Returns:
            How much is reserved.

        Raises:
            RefusalError: The budget does not suffice.
        """
        if submission.reserved_usd or not usd:
            return submission.reserved_usd
        async with self._records.writing() as connection:
            await _reserve(connection, submission.token, submission.id, usd)
        return usd

    async def finish(self, submission: Submission, judgement: Judgement) -> Submission | None:
        """Store the judgement and charge its cost; None if another process has claimed the submission."""
        judged = self._clock()
        async with self._records.writing() as connection:
            reserved = await connection.scalar(
                select(SUBMISSIONS.c.reserved_usd)
                .where(SUBMISSIONS.c.id == submission.id, self._lease_condition())
                .with_for_update()
            )
            if reserved is None:
                return None
            finished = None
            if submission.batch is not None:
                # Locks the batch until the commit, so numbers become visible in their order.
                finished = await connection.scalar(
                    update(BATCHES)
                    .where(BATCHES.c.id == submission.batch)
                    .values(done=BATCHES.c.done + 1)
                    .returning(BATCHES.c.done)
                )
            await connection.execute(
                update(SUBMISSIONS)
                .where(SUBMISSIONS.c.id == submission.id)
                .values(
                    state=State.DONE,
                    owner=None,
                    lease=None,
                    reserved_usd=0.0,
                    judgement=judgement.model_dump_json(),
                    judged=judged,
                    finished=finished,
                )
            )
            if reserved or judgement.cost_usd:
                await connection.execute(
                    update(TOKENS)
                    .where(TOKENS.c.id == submission.token)
                    .values(
                        reserved_usd=TOKENS.c.reserved_usd - reserved,
                        spent_usd=TOKENS.c.spent_usd + judgement.cost_usd,
                    )
                )
        return replace(
            submission, state=State.DONE, reserved_usd=0.0, judgement=judgement, judged=judged, finished=finished
        )

    async def hand_back(self) -> None:
        """Return the submissions that this process claimed but did not finish to the queue."""
        async with self._records.writing() as connection:
            await connection.execute(
                update(SUBMISSIONS).where(self._lease_condition()).values(state=State.QUEUED, owner=None, lease=None)
            )

    # Reading

    async def find(self, submission_id: str) -> Submission | None:
        """The submission with this id."""
        async with self._records.reading() as connection:
            row = (await connection.execute(select(SUBMISSIONS).where(SUBMISSIONS.c.id == submission_id))).one_or_none()
        return submission_of(row) if row is not None else None

    async def find_batch(self, batch_id: str) -> Batch | None:
        """The batch with this id."""
        async with self._records.reading() as connection:
            row = (await connection.execute(select(BATCHES).where(BATCHES.c.id == batch_id))).one_or_none()
        return batch_of(row) if row is not None else None

    async def members(self, batch_id: str, *, last_number: int, count: int) -> Sequence[Submission]:
        """Submissions of a batch by position, beginning after `last_number`."""
        return await self._select(batch_id, SUBMISSIONS.c.position, last_number, count)

    async def finished(self, batch_id: str, *, last_number: int, count: int) -> Sequence[Submission]:
        """Submissions of a batch in order of completion, beginning after number `last_number`."""
        return await self._select(batch_id, SUBMISSIONS.c.finished, last_number, count)

    async def _select(
        self, batch_id: str, order_column: ColumnElement[int], last_number: int, count: int
    ) -> Sequence[Submission]:
        statement = (
            select(SUBMISSIONS)
            .where(SUBMISSIONS.c.batch == batch_id, order_column > last_number)
            .order_by(order_column)
            .limit(count)
        )
        async with self._records.reading() as connection:
            return [submission_of(row) for row in await connection.execute(statement)]

    async def _with_key(self, token: str, key: Key) -> Submission | None:
        row = await self._keyed(SUBMISSIONS, token, key)
        return submission_of(row) if row is not None else None

    async def _batch_with_key(self, token: str, key: Key) -> Batch | None:
        row = await self._keyed(BATCHES, token, key)
        return batch_of(row) if row is not None else None

    async def _keyed(self, table: Table, token: str, key: Key) -> Row[Any] | None:
        if key.text is None:
            return None
        async with self._records.reading() as connection:
            statement = select(table).where(table.c.token == token, table.c.key == key.text)
            row = (await connection.execute(statement)).one_or_none()
        if row is not None and row.fingerprint != key.fingerprint:
            raise RefusalError(
                Kind.KEY_REUSED,
                "This Idempotency-Key was used for another request.",
                "Use a new key for each request, and the same key only to repeat one.",
            )
        return row

    def _new(self, token: str, problem: str, answer: str) -> dict[str, Any]:
        return {
            "id": uuid.uuid4().hex,
            "token": token,
            "problem": problem,
            "answer": answer,
            "state": State.QUEUED,
            "created": self._clock(),
        }

    def _claimed(self) -> dict[str, Any]:
        return {"state": State.RUNNING, "owner": self._owner, "lease": self._clock() + self._lease_s}

    def _lease_condition(self) -> ColumnElement[bool]:
        return and_(SUBMISSIONS.c.owner == self._owner, SUBMISSIONS.c.state == State.RUNNING)


async def _reserve(connection: AsyncConnection, token: str, submission: str, usd: float) -> None:
    if not usd:
        return
    # One statement checks and reserves, so concurrent requests can't spend the same money.
    enough = or_(
        TOKENS.c.budget_usd.is_(None),
        TOKENS.c.spent_usd + TOKENS.c.reserved_usd + usd <= TOKENS.c.budget_usd + _DUST_USD,
    )
    changed = await connection.execute(
        update(TOKENS).where(TOKENS.c.id == token, enough).values(reserved_usd=TOKENS.c.reserved_usd + usd)
    )
    if changed.rowcount != 1:
        left = await connection.scalar(select(TOKENS.c.budget_usd - TOKENS.c.spent_usd).where(TOKENS.c.id == token))
        raise _too_dear(left or 0.0, usd)
    await connection.execute(update(SUBMISSIONS).where(SUBMISSIONS.c.id == submission).values(reserved_usd=usd))


def _too_dear(left: float, usd: float) -> RefusalError:
    if left + _DUST_USD >= usd:
        return RefusalError(
            Kind.BUDGET_RESERVED,
            "The rest of the token's budget is reserved for answers that are being judged.",
            "Repeat the request; money that they do not use is released.",
            retry_after_s=2,
        )
    return RefusalError(
        Kind.BUDGET_USED_UP,
        f"Judging this answer may cost {usd:.4f} USD, and {max(left, 0.0):.4f} USD of the token's budget are left.",
        "Ask the service's administrator for a token with a new budget.",
    )
