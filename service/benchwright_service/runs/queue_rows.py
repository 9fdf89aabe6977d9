"""The queue of runs and the leases of workers, in the database: every process of a service has the same.

The order is start-time fair queueing over owners, who are accounts and regrades: next is the oldest run of the owner
whose runs have cost the least. Who comes back after a pause starts where the one that has used least is, so that a
pause saves nothing up. What runs now counts with a guess, so who has many runs does not get all workers at once.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Row,
    ScalarSelect,
    Select,
    Subquery,
    Update,
    bindparam,
    case,
    delete,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_foundation.database import Database
from benchwright_remote.messages import RunState
from benchwright_service.storage.database import database_time
from benchwright_service.storage.tables import RUNS, SHARES, WORKERS

TERM_S = 60.0
"""Time that a worker may be silent, in seconds."""
SCORING_TERM_S = 15.0
"""The same of a process that scores an answer."""
GUESSED_COST_S = 2.0
"""Time in seconds that a run is taken to cost until it has ended."""
_FORGOTTEN_S = 3600.0
"""Time after which a silent worker is forgotten."""
_MOST_AT_ONCE = 100
GOING = (RunState.QUEUED.value, RunState.RUNNING.value)
"""States of a run that has not ended."""

OWNER = case((RUNS.c.regrade != "", RUNS.c.regrade), else_=RUNS.c.account)
"""Whose share of the workers a run takes."""
_WAITS_FOR_WORKER = (RUNS.c.state == RunState.QUEUED.value) & (RUNS.c.scored == 0)
_HAS_WORKER = (RUNS.c.state == RunState.RUNNING.value) & (RUNS.c.scored == 0)


class QueueSize(NamedTuple):
    """Runs and workers, over all processes."""

    waiting: int
    running: int
    workers: int
    """Workers that were heard of within a lease's term."""


class QueueRows:
    """Gives runs to workers, and takes them back.

    Args:
        database: Database of the service.
        clock: Seconds since 1970.
    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = clock
        self._time = database_time(database, clock)

    async def claim_next(self, worker: str) -> Row[Any] | None:
        """Gives the next run to a worker, by a lease; None if none waits. No run is given twice."""
        running = _running_counts_by_owner()
        cost = func.coalesce(SHARES.c.used_s, 0.0) + GUESSED_COST_S * func.coalesce(running.c.number, 0)
        first_waiting = (
            select(RUNS.c.id)
            .outerjoin(SHARES, SHARES.c.owner == OWNER)
            .outerjoin(running, running.c.owner == OWNER)
            .where(_WAITS_FOR_WORKER)
            .order_by(cost, RUNS.c.queued, RUNS.c.id)
            .limit(1)
            # On PostgreSQL, which has several writers: those that another process is about to give are passed over.
            .with_for_update(of=RUNS, skip_locked=True)
            .scalar_subquery()
        )
        async with self._database.write_transaction() as connection:
            claim = self._lease_update(worker, TERM_S).where(RUNS.c.id == first_waiting)
            claimed: Row[Any] | None = (await connection.execute(claim.returning(RUNS))).one_or_none()
        return claimed

    async def claim_answers(self, process_id: str, only_run: str = "") -> Sequence[Row[Any]]:
        """Gives answers that wait to a process that scores them.

        Args:
            process_id: Unique id of the process.
            only_run: This one alone. Empty for all that wait.
        """
        waiting = select(RUNS.c.id).where(RUNS.c.state == RunState.QUEUED.value, RUNS.c.scored == 1)
        if only_run:
            waiting = waiting.where(RUNS.c.id == only_run)
        waiting = waiting.order_by(RUNS.c.queued).limit(_MOST_AT_ONCE).with_for_update(skip_locked=True)
        async with self._database.write_transaction() as connection:
            ids = (await connection.execute(waiting)).scalars().all()
            claim = self._lease_update(process_id, SCORING_TERM_S).where(RUNS.c.id.in_(ids))
            return (await connection.execute(claim.returning(RUNS))).all() if ids else ()

    async def renew_if_leased(self, run: str, lease: str, step: str) -> bool:
        """Lets a lease go on for another term, and notes the step; False if the run is not this lease's any more."""
        values: dict[str, Any] = {"lease_until": self._time + TERM_S}
        if step:
            values |= {"step": step, "revision": RUNS.c.revision + 1}
        renewal = _leased_run_update(run, lease).values(values).returning(RUNS.c.worker)
        async with self._database.write_transaction() as connection:
            worker = (await connection.execute(renewal)).scalar()
            if worker is not None:
                await self._mark_alive(connection, worker)
        return worker is not None

    async def renew_scoring(self, leases: Collection[str]) -> None:
        """Lets the leases of answers that are being scored go on."""
        if not leases:
            return
        renewal = update(RUNS).where(RUNS.c.scored == 1, RUNS.c.state == RunState.RUNNING.value)
        async with self._database.write_transaction() as connection:
            await connection.execute(
                renewal.where(RUNS.c.lease.in_(leases)).values(lease_until=self._time + SCORING_TERM_S)
            )

    async def mark_alive_and_list_runs(self, worker: str) -> Sequence[Row[Any]]:
        """Notes that a worker is alive and has nothing to do; returns the runs that it has nevertheless."""
        abandoned = select(RUNS).where(RUNS.c.worker == worker, _HAS_WORKER)
        async with self._database.write_transaction() as connection:
            await self._mark_alive(connection, worker)
            return (await connection.execute(abandoned)).all()

    async def expired_runs(self) -> Sequence[Row[Any]]:
        """Runs whose worker was silent for too long."""
        is_expired = or_(RUNS.c.lease_until.is_(None), RUNS.c.lease_until < self._time)
        query = select(RUNS).where(RUNS.c.state == RunState.RUNNING.value, is_expired)
        async with self._database.read_transaction() as connection:
            return (await connection.execute(query)).all()

    async def runs_being_scored(self) -> Sequence[Row[Any]]:
        """Answers that any process scores."""
        query = select(RUNS).where(RUNS.c.state == RunState.RUNNING.value, RUNS.c.scored == 1)
        async with self._database.read_transaction() as connection:
            return (await connection.execute(query)).all()

    async def requeue_if_leased(self, run_row: Row[Any]) -> bool:
        """Puts a run back into the queue, unless its lease has changed since it was read."""
        values = {"state": RunState.QUEUED.value, "lease": "", "step": "", "revision": RUNS.c.revision + 1}
        async with self._database.write_transaction() as connection:
            return (
                await connection.execute(_leased_run_update(run_row.id, run_row.lease).values(values))
            ).rowcount == 1

    async def queue_rank(self, run: str) -> int | None:
        """Rank of a waiting run, from 1, if nobody else comes. None if it does not wait for a worker."""
        async with self._database.read_transaction() as connection:
            return (await connection.execute(_rank_query(), {"run": run})).scalar()

    async def waiting_count(self, account: str) -> int:
        """Number of runs of an account that wait for a worker, or are being scored."""
        waits = or_(RUNS.c.state == RunState.QUEUED.value, RUNS.c.scored == 1)
        query = select(func.count()).where(RUNS.c.account == account, RUNS.c.state.in_(GOING), RUNS.c.regrade == "")
        async with self._database.read_transaction() as connection:
            return int((await connection.execute(query.where(waits))).scalar_one())

    async def size(self) -> QueueSize:
        """The queue's size now."""
        live = select(func.count()).select_from(WORKERS).where(WORKERS.c.heard >= self._time - TERM_S)
        query = select(_run_count_query(_WAITS_FOR_WORKER), _run_count_query(_HAS_WORKER), live.scalar_subquery())
        async with self._database.read_transaction() as connection:
            return QueueSize(*(await connection.execute(query)).one())

    async def forget_silent_workers(self) -> None:
        """Forgets workers that have gone."""
        async with self._database.write_transaction() as connection:
            await connection.execute(delete(WORKERS).where(WORKERS.c.heard < self._time - _FORGOTTEN_S))

    def _lease_update(self, worker: str, term_s: float) -> Update:
        return update(RUNS).values(
            state=RunState.RUNNING.value,
            worker=worker,
            # Of all that are claimed together, which is one process's doing.
            lease=uuid.uuid4().hex,
            lease_until=self._time + term_s,
            began=self._now(),
            tries=RUNS.c.tries + 1,
            step="",
            revision=RUNS.c.revision + 1,
        )

    async def _mark_alive(self, connection: AsyncConnection, worker: str) -> None:
        insertion = self._database.insert_into(WORKERS).values(name=worker, heard=self._time)
        await connection.execute(
            insertion.on_conflict_do_update(index_elements=["name"], set_={"heard": insertion.excluded.heard})
        )


async def level_queue_share(database: Database, connection: AsyncConnection, owner: str, new_run: str = "") -> None:
    """Has an owner start where the one that has used least is of those who have runs, unless it has used more.

    Who has other runs already goes on where they are.

    Args:
        database: Database of the service.
        connection: Transaction that queues the run; runs first, shares last, so that no two wait for each other.
        owner: An account or a regrade.
        new_run: The run that is queued. Empty if the owner has never had any.
    """
    active_owners = select(OWNER).where(RUNS.c.state.in_(GOING), RUNS.c.scored == 0, RUNS.c.id != new_run)
    least = select(func.min(SHARES.c.used_s)).where(SHARES.c.owner.in_(active_owners)).scalar_subquery()
    insertion = database.insert_into(SHARES).values(owner=owner, used_s=func.coalesce(least, 0.0))
    more = case((SHARES.c.used_s > insertion.excluded.used_s, SHARES.c.used_s), else_=insertion.excluded.used_s)
    await connection.execute(insertion.on_conflict_do_update(index_elements=["owner"], set_={"used_s": more}))


def _leased_run_update(run: str, lease: str) -> Update:
    return update(RUNS).where(RUNS.c.id == run, RUNS.c.lease == lease, RUNS.c.state == RunState.RUNNING.value)


@cache
def _rank_query() -> Select[int]:
    """Rank of the waiting run `run`. Made once: making it takes longer than asking, and all who wait ask for it."""
    running = _running_counts_by_owner()
    turn = func.row_number().over(partition_by=OWNER, order_by=(RUNS.c.queued, RUNS.c.id)) - 1
    cost = func.coalesce(SHARES.c.used_s, 0.0) + GUESSED_COST_S * (func.coalesce(running.c.number, 0) + turn)
    costs = (
        select(RUNS.c.id, RUNS.c.queued, cost.label("cost"))
        .outerjoin(SHARES, SHARES.c.owner == OWNER)
        .outerjoin(running, running.c.owner == OWNER)
        .where(_WAITS_FOR_WORKER)
        .subquery()
    )
    rank = func.row_number().over(order_by=(costs.c.cost, costs.c.queued, costs.c.id)).label("rank")
    ranks = select(costs.c.id, rank).subquery()
    return select(ranks.c.rank).where(ranks.c.id == bindparam("run"))


def _running_counts_by_owner() -> Subquery:
    return select(OWNER.label("owner"), func.count().label("number")).where(_HAS_WORKER).group_by(OWNER).subquery()


def _run_count_query(condition: ColumnElement[bool]) -> ScalarSelect[int]:
    return select(func.count()).select_from(RUNS).where(condition).scalar_subquery()
