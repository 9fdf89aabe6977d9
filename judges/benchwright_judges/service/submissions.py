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

from benchwright_foundation.refusals import RefusalError, RefusalKind
from benchwright_judges.judgement import Judgement
from benchwright_judges.records.records import Records
from benchwright_judges.service.submission import (
    AnswerBatch,
    RequestKey,
    Submission,
    SubmissionState,
    batch_of_row,
    submission_of_row,
)
from benchwright_judges.service.tables import BATCHES, SUBMISSIONS, TOKENS

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

_DUST_USD = 1e-9
"""Sums of floats differ by less than this."""


class SubmissionQueue:
    """The queue.

    Args:
        records: The database.
        process_name: A name unique to this process.
        lease_s: Duration of a lease, in seconds, before another process may claim the submission.
        clock: Seconds since 1970, the same for all processes.
    """

    def __init__(
        self, records: Records, *, process_name: str, lease_s: float, clock: Callable[[], float] = time.time
    ) -> None:
        self._records = records
        self._owner = process_name
        self._lease_s = lease_s
        self._clock = clock

    # Submitting

    async def add_claimed_or_find(
        self, token_id: str, request_key: RequestKey, problem_ref: str, answer: str, *, reserved_usd: float
    ) -> tuple[Submission, bool]:
        """Store an answer, claimed by this process, with the money for its judgement reserved.

        Returns:
            The submission and whether it is new; the earlier one if the key is known.

        Raises:
            RefusalError: The key belongs to another request, or the budget does not suffice.
        """
        if (old := await self._find_submission_with_key(token_id, request_key)) is not None:
            return old, False
        values = (
            self._new_submission_columns(token_id, problem_ref, answer)
            | self._claim_columns()
            | {"key": request_key.text, "fingerprint": request_key.fingerprint}
        )
        try:
            async with self._records.write_transaction() as connection:
                await connection.execute(insert(SUBMISSIONS).values(values))
                await _reserve_usd(connection, token_id, values["id"], reserved_usd)
        except IntegrityError:
            # A concurrent request used the same key.
            if (old := await self._find_submission_with_key(token_id, request_key)) is None:
                raise
            return old, False
        submission = Submission(
            id=values["id"],
            token=token_id,
            problem=problem_ref,
            answer=answer,
            state=SubmissionState.RUNNING,
            created=values["created"],
            reserved_usd=reserved_usd,
        )
        return submission, True

    async def add_or_find_batch(
        self,
        token_id: str,
        request_key: RequestKey,
        problem_refs_and_answers: Sequence[tuple[str, str]],
        *,
        most_waiting_submissions: int,
    ) -> tuple[AnswerBatch, bool]:
        """Store a batch of (problem, answer), all or nothing.

        Returns:
            The batch and whether it is new.

        Raises:
            RefusalError: The key belongs to another request, or too many answers wait already.
        """
        if (old := await self._find_batch_with_key(token_id, request_key)) is not None:
            return old, False
        batch = AnswerBatch(
            id=uuid.uuid4().hex, token=token_id, created=self._clock(), total=len(problem_refs_and_answers), done=0
        )
        rows = [
            self._new_submission_columns(token_id, problem, answer) | {"batch": batch.id, "position": position}
            for position, (problem, answer) in enumerate(problem_refs_and_answers)
        ]
        try:
            async with self._records.write_transaction() as connection:
                waiting_count = await connection.scalar(
                    select(func.count()).where(
                        SUBMISSIONS.c.token == token_id, SUBMISSIONS.c.state == SubmissionState.QUEUED
                    )
                )
                if (waiting_count or 0) + len(problem_refs_and_answers) > most_waiting_submissions:
                    raise RefusalError(
                        RefusalKind.QUEUE_FULL,
                        f"{waiting_count} answers of this token are waiting; the limit is {most_waiting_submissions}.",
                        "Send the batch again when they have been judged.",
                        retry_after_s=30,
                    )
                await connection.execute(
                    insert(BATCHES).values(
                        id=batch.id,
                        token=token_id,
                        key=request_key.text,
                        fingerprint=request_key.fingerprint,
                        created=batch.created,
                        total=batch.total,
                    )
                )
                await connection.execute(insert(SUBMISSIONS), rows)
        except IntegrityError:
            if (old := await self._find_batch_with_key(token_id, request_key)) is None:
                raise
            return old, False
        return batch, True

    # Judging

    async def claim_waiting(self, max_count: int, excluded_ids: Collection[str] = ()) -> Sequence[Submission]:
        """Claim waiting submissions and those that a process left behind: of each token in turn, its oldest first.

        Args:
            max_count: Number of submissions at most.
            excluded_ids: Submissions being judged here: a process that was suspended may have let its leases expire.
        """
        claim_time = self._clock()
        is_free = and_(
            or_(
                SUBMISSIONS.c.state == SubmissionState.QUEUED,
                and_(SUBMISSIONS.c.state == SubmissionState.RUNNING, SUBMISSIONS.c.lease < claim_time),
            ),
            SUBMISSIONS.c.id.not_in(list(excluded_ids)),
        )
        turn = func.row_number().over(partition_by=SUBMISSIONS.c.token, order_by=SUBMISSIONS.c.seq).label("turn")
        turns = select(SUBMISSIONS.c.seq, turn).where(is_free).subquery()
        free_query = (
            select(SUBMISSIONS.c.seq)
            .join(turns, turns.c.seq == SUBMISSIONS.c.seq)
            .where(is_free)
            .order_by(turns.c.turn, SUBMISSIONS.c.seq)
            .limit(max_count)
            # On PostgreSQL; SQLite has one writer at a time.
            .with_for_update(skip_locked=True, of=SUBMISSIONS)
        )
        async with self._records.write_transaction() as connection:
            chosen_seqs = list((await connection.scalars(free_query)).all())
            if not chosen_seqs:
                return []
            await connection.execute(
                update(SUBMISSIONS)
                .where(SUBMISSIONS.c.seq.in_(chosen_seqs))
                .values(self._claim_columns() | {"claims": SUBMISSIONS.c.claims + 1})
            )
            claimed_rows = await connection.execute(
                select(SUBMISSIONS).where(SUBMISSIONS.c.seq.in_(chosen_seqs)).order_by(SUBMISSIONS.c.seq)
            )
            return [submission_of_row(row) for row in claimed_rows]

    async def renew_leases(self, submission_ids: Collection[str]) -> None:
        """Renew this process's leases on these submissions."""
        async with self._records.write_transaction() as connection:
            await connection.execute(
                update(SUBMISSIONS)
                .where(self._own_lease_condition(), SUBMISSIONS.c.id.in_(list(submission_ids)))
                .values(lease=self._clock() + self._lease_s)
            )

    async def reserve_budget(self, submission: Submission, maximum_cost_usd: float) -> float:
        """Reserve money for a judgement, unless an earlier process did.

        Returns:
            How much is reserved.

        Raises:
            RefusalError: The budget does not suffice.
        """
        if submission.reserved_usd or not maximum_cost_usd:
            return submission.reserved_usd
        async with self._records.write_transaction() as connection:
            await _reserve_usd(connection, submission.token, submission.id, maximum_cost_usd)
        return maximum_cost_usd

    async def finish_unless_claimed(self, submission: Submission, judgement: Judgement) -> Submission | None:
        """Store the judgement and charge its cost; None if another process has claimed the submission."""
        judged_time = self._clock()
        async with self._records.write_transaction() as connection:
            reserved = await connection.scalar(
                select(SUBMISSIONS.c.reserved_usd)
                .where(SUBMISSIONS.c.id == submission.id, self._own_lease_condition())
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
                    state=SubmissionState.DONE,
                    owner=None,
                    lease=None,
                    reserved_usd=0.0,
                    judgement=judgement.model_dump_json(),
                    judged=judged_time,
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
            submission,
            state=SubmissionState.DONE,
            reserved_usd=0.0,
            judgement=judgement,
            judged=judged_time,
            finished=finished,
        )

    async def release_claims(self) -> None:
        """Return the submissions that this process claimed but did not finish to the queue."""
        async with self._records.write_transaction() as connection:
            await connection.execute(
                update(SUBMISSIONS)
                .where(self._own_lease_condition())
                .values(state=SubmissionState.QUEUED, owner=None, lease=None)
            )

    # Reading

    async def find_submission(self, submission_id: str) -> Submission | None:
        """The submission with this id."""
        async with self._records.read_transaction() as connection:
            row = (await connection.execute(select(SUBMISSIONS).where(SUBMISSIONS.c.id == submission_id))).one_or_none()
        return submission_of_row(row) if row is not None else None

    async def find_batch(self, batch_id: str) -> AnswerBatch | None:
        """The batch with this id."""
        async with self._records.read_transaction() as connection:
            row = (await connection.execute(select(BATCHES).where(BATCHES.c.id == batch_id))).one_or_none()
        return batch_of_row(row) if row is not None else None

    async def batch_submissions(self, batch_id: str, *, after_position: int, max_count: int) -> Sequence[Submission]:
        """Submissions of a batch by position, beginning after `after_position`."""
        return await self._page_of_batch(batch_id, SUBMISSIONS.c.position, after_position, max_count)

    async def finished_submissions(self, batch_id: str, *, after_number: int, max_count: int) -> Sequence[Submission]:
        """Submissions of a batch in order of completion, beginning after number `after_number`."""
        return await self._page_of_batch(batch_id, SUBMISSIONS.c.finished, after_number, max_count)

    async def _page_of_batch(
        self, batch_id: str, order_column: ColumnElement[int], last_number: int, max_count: int
    ) -> Sequence[Submission]:
        page_query = (
            select(SUBMISSIONS)
            .where(SUBMISSIONS.c.batch == batch_id, order_column > last_number)
            .order_by(order_column)
            .limit(max_count)
        )
        async with self._records.read_transaction() as connection:
            return [submission_of_row(row) for row in await connection.execute(page_query)]

    async def _find_submission_with_key(self, token_id: str, request_key: RequestKey) -> Submission | None:
        row = await self._row_with_key(SUBMISSIONS, token_id, request_key)
        return submission_of_row(row) if row is not None else None

    async def _find_batch_with_key(self, token_id: str, request_key: RequestKey) -> AnswerBatch | None:
        row = await self._row_with_key(BATCHES, token_id, request_key)
        return batch_of_row(row) if row is not None else None

    async def _row_with_key(self, table: Table, token_id: str, request_key: RequestKey) -> Row[Any] | None:
        if request_key.text is None:
            return None
        async with self._records.read_transaction() as connection:
            key_query = select(table).where(table.c.token == token_id, table.c.key == request_key.text)
            row = (await connection.execute(key_query)).one_or_none()
        if row is not None and row.fingerprint != request_key.fingerprint:
            raise RefusalError(
                RefusalKind.KEY_REUSED,
                "This Idempotency-RequestKey was used for another request.",
                "Use a new key for each request, and the same key only to repeat one.",
            )
        return row

    def _new_submission_columns(self, token_id: str, problem_ref: str, answer: str) -> dict[str, Any]:
        return {
            "id": uuid.uuid4().hex,
            "token": token_id,
            "problem": problem_ref,
            "answer": answer,
            "state": SubmissionState.QUEUED,
            "created": self._clock(),
        }

    def _claim_columns(self) -> dict[str, Any]:
        return {"state": SubmissionState.RUNNING, "owner": self._owner, "lease": self._clock() + self._lease_s}

    def _own_lease_condition(self) -> ColumnElement[bool]:
        return and_(SUBMISSIONS.c.owner == self._owner, SUBMISSIONS.c.state == SubmissionState.RUNNING)


async def _reserve_usd(connection: AsyncConnection, token_id: str, submission_id: str, reserved_usd: float) -> None:
    if not reserved_usd:
        return
    # One statement checks and reserves, so concurrent requests can't spend the same money.
    enough = or_(
        TOKENS.c.budget_usd.is_(None),
        TOKENS.c.spent_usd + TOKENS.c.reserved_usd + reserved_usd <= TOKENS.c.budget_usd + _DUST_USD,
    )
    token_update = await connection.execute(
        update(TOKENS).where(TOKENS.c.id == token_id, enough).values(reserved_usd=TOKENS.c.reserved_usd + reserved_usd)
    )
    if token_update.rowcount != 1:
        left = await connection.scalar(select(TOKENS.c.budget_usd - TOKENS.c.spent_usd).where(TOKENS.c.id == token_id))
        raise _budget_refusal(left or 0.0, reserved_usd)
    await connection.execute(
        update(SUBMISSIONS).where(SUBMISSIONS.c.id == submission_id).values(reserved_usd=reserved_usd)
    )


def _budget_refusal(usd_left: float, needed_usd: float) -> RefusalError:
    if usd_left + _DUST_USD >= needed_usd:
        return RefusalError(
            RefusalKind.BUDGET_RESERVED,
            "The rest of the token's budget is reserved for answers that are being judged.",
            "Repeat the request; money that they do not use is released.",
            retry_after_s=2,
        )
    return RefusalError(
        RefusalKind.BUDGET_USED_UP,
        f"Judging this answer may cost {needed_usd:.4f} USD, and {max(usd_left, 0.0):.4f} USD of the token's"
        " budget are left.",
        "Ask the service's administrator for a token with a new budget.",
    )
