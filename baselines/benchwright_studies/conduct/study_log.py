"""The log of attempts as everybody opens it: it knows the rules of studies, and holds their journal."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select

from benchwright_attempts.log.log import EventLog
from benchwright_attempts.log.record import AttemptHeader
from benchwright_attempts.log.tables import TOMBSTONES
from benchwright_studies.conduct.deletion import delete_attempts, delete_participant
from benchwright_studies.conduct.journal import Journal, refuse_closed_or_without_consent


class StudyLog(EventLog):
    """An event log that records attempts of studies too, as far as consent and the studies' rules allow it."""

    @property
    def journal(self) -> Journal:
        """The journal of studies, in the same database."""
        return Journal(self._engine, self.path, self._now)

    def event_counts_of_deleted_attempts(self) -> dict[str, int]:
        """Attempts that were deleted, with the number of their events."""
        query = select(TOMBSTONES.c.id, TOMBSTONES.c.events).where(TOMBSTONES.c.kind == "attempt")
        with self._transaction() as connection:
            return {row.id: row.events for row in connection.execute(query)}

    def delete_participant(self, study: str, participant: str, reason: str) -> list[str]:
        """Deletes everything that was recorded of a participant, and leaves a tombstone; returns the attempts' ids.

        Raises:
            StudyError: Nothing is there of this participant.
            LogError: Nothing was deleted.
        """
        return delete_participant(self._engine, self.path, study, participant, reason=reason, deleted_at=self._now())

    def delete_attempts(self, attempts: Sequence[str], reason: str) -> None:
        """Deletes attempts that belong to no study, and leaves a tombstone for each.

        Raises:
            StudyError: An attempt belongs to a study.
            LogError: Nothing was deleted.
        """
        delete_attempts(self._engine, self.path, attempts, reason=reason, deleted_at=self._now())

    def _check_recordable(self, connection: Connection, header: AttemptHeader) -> None:
        refuse_closed_or_without_consent(connection, header)
