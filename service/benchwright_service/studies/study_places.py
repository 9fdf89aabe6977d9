"""Accounts of the participants of the studies at this service. Nobody but the service knows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from benchwright_foundation.database import Database
from benchwright_remote.messages import Role
from benchwright_service.storage.tables import COURSES, MEMBERS, PLACES


class StudyPlaces:
    """The places of all studies.

    Args:
        database: Database of the service.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def make_places(self, study: str, pseudonyms: Sequence[str]) -> None:
        """Makes the places of a study that has a course; those that are there stay as they are."""
        place_rows = [{"study": study, "pseudonym": name, "number": n} for n, name in enumerate(pseudonyms)]
        async with self._database.write_transaction() as connection:
            await connection.execute(self._database.insert_into(PLACES).on_conflict_do_nothing(), place_rows)

    async def is_study(self, course: str) -> bool:
        """True if a course is a study's."""
        async with self._database.read_transaction() as connection:
            place_rows = await connection.execute(select(PLACES.c.study).where(PLACES.c.study == course).limit(1))
            return place_rows.scalar() is not None

    async def find_pseudonym(self, study: str, account: str) -> str | None:
        """Returns the pseudonym of a participant; None if they have no place."""
        query = select(PLACES.c.pseudonym).where(PLACES.c.study == study, PLACES.c.account == account)
        async with self._database.read_transaction() as connection:
            return (await connection.execute(query)).scalar()

    async def claim_free_places(self, account: str) -> Mapping[str, str | None]:
        """Gives somebody the next free place in each study whose course they have joined as a participant.

        Returns:
            Study → pseudonym; None where no place was left.
        """
        joined = (
            select(MEMBERS.c.course)
            .join(COURSES, COURSES.c.id == MEMBERS.c.course)
            .where(MEMBERS.c.account == account, MEMBERS.c.role == Role.PARTICIPANT.value)
            .where(COURSES.c.archived.is_(None))
            .where(MEMBERS.c.course.in_(select(PLACES.c.study)))
            .order_by(MEMBERS.c.course)
        )
        async with self._database.read_transaction() as connection:
            studies = list((await connection.execute(joined)).scalars())
        pseudonyms = {study: await self.find_pseudonym(study, account) for study in studies}
        if None in pseudonyms.values():
            async with self._database.write_transaction() as connection:
                for study in (study for study, name in pseudonyms.items() if name is None):
                    pseudonyms[study] = await _claim_next_pseudonym(connection, study, account)
        return pseudonyms


async def _claim_next_pseudonym(connection: AsyncConnection, study: str, account: str) -> str | None:
    # On PostgreSQL two may ask at once: the second one waits for the row of the course.
    await connection.execute(select(COURSES.c.id).where(COURSES.c.id == study).with_for_update())
    query = select(PLACES.c.pseudonym).where(PLACES.c.study == study, PLACES.c.account == account)
    if (pseudonym := (await connection.execute(query)).scalar()) is not None:
        return str(pseudonym)
    free_query = (
        select(PLACES.c.pseudonym)
        .where(PLACES.c.study == study, PLACES.c.account.is_(None))
        .order_by(PLACES.c.number)
        .limit(1)
    )
    name = (await connection.execute(free_query)).scalar()
    if name is not None:
        place_update = update(PLACES).where(PLACES.c.study == study, PLACES.c.pseudonym == name)
        await connection.execute(place_update.values(account=account))
    return name
