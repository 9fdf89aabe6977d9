"""Delivery of records to where a study collects them, as they grow: what could not be delivered is tried again."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from benchwright_attempts.errors import AttemptError
from benchwright_foundation.atomic import write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchwright_foundation.home import Home
    from benchwright_studies.conduct.study_log import StudyLog


class Delivery(BaseModel):
    """A participant's records that have to be delivered."""

    model_config = ConfigDict(frozen=True)

    study: str
    participant: str
    since: datetime
    """From when on records are delivered (UTC)."""
    delivered: datetime | None = None
    """Time at which what there was had last been delivered (UTC)."""
    tries: int = 0
    """Number of failed tries."""
    told: str = ""
    """Message of the last failed try."""


class DeliveryRound(NamedTuple):
    """The result of the deliveries that were tried."""

    arrived: list[Delivery]
    """As a whole: nothing of them is waiting any more."""
    undelivered: list[Delivery]
    """Those that could not be delivered now."""


class Deliveries:
    """Deliveries of this machine: one small file each, from consent until a finished participant's records arrived.

    Delivering twice changes nothing, so several processes may try at once.

    Args:
        home: The folders of this user.
    """

    def __init__(self, home: Home) -> None:
        self._folder = home.data / "studies" / "deliveries"

    def add_delivery_if_missing(self, study: str, participant: str) -> None:
        """From now on these records have to be delivered, as they grow."""
        if (self._folder / _delivery_file_name(study, participant)).exists():
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._write_delivery(Delivery(study=study, participant=participant, since=datetime.now(UTC)))

    def drop_delivery(self, study: str, participant: str) -> None:
        """These records no longer have to be delivered."""
        (self._folder / _delivery_file_name(study, participant)).unlink(missing_ok=True)

    def waiting_deliveries(self) -> list[Delivery]:
        """Deliveries that are still to be made."""
        return [self._read_delivery(*file.stem.split("@", 1)) for file in sorted(self._folder.glob("*@*.json"))]

    def find_delivery(self, study: str, participant: str) -> Delivery | None:
        """The delivery that waits for a participant; `None` if nothing is waiting."""
        return next(
            (
                delivery
                for delivery in self.waiting_deliveries()
                if (delivery.study, delivery.participant) == (study, participant)
            ),
            None,
        )

    def deliver_waiting(
        self,
        event_log: StudyLog,
        is_wanted: Callable[[Delivery], bool] = lambda delivery: True,
    ) -> DeliveryRound:
        """Tries to deliver what is waiting. Blocks on disk and network.

        Args:
            event_log: The event log that has the records.
            is_wanted: True for the deliveries to try.
        """
        arrived: list[Delivery] = []
        failed_deliveries: list[Delivery] = []
        for delivery in filter(is_wanted, self.waiting_deliveries()):
            try:
                delivery_state = _deliver_as_far_as_agreed(event_log, delivery)
            except AttemptError as error:
                failed_deliveries.append(delivery.model_copy(update={"tries": delivery.tries + 1, "told": str(error)}))
                self._write_delivery(failed_deliveries[-1])
                continue
            if delivery_state is _DeliveryState.GOES_ON:
                delivered_at = datetime.now(UTC)
                self._write_delivery(delivery.model_copy(update={"tries": 0, "told": "", "delivered": delivered_at}))
                continue
            self.drop_delivery(delivery.study, delivery.participant)
            if delivery_state is _DeliveryState.FINISHED:
                arrived.append(delivery)
        return DeliveryRound(arrived, failed_deliveries)

    def _read_delivery(self, study: str, participant: str) -> Delivery:
        file = self._folder / _delivery_file_name(study, participant)
        try:
            return Delivery.model_validate_json(file.read_bytes())
        except (OSError, ValidationError):
            # The name alone says what has to be done.
            return Delivery(study=study, participant=participant, since=datetime.now(UTC))

    def _write_delivery(self, delivery: Delivery) -> None:
        file = self._folder / _delivery_file_name(delivery.study, delivery.participant)
        write_atomically(file, delivery.model_dump_json(indent=1).encode(), 0o600)


def _delivery_file_name(study: str, participant: str) -> str:
    # Neither has an @ in it.
    return f"{study}@{participant}.json"


class _DeliveryState(Enum):
    GOES_ON = "goes on"
    FINISHED = "finished"
    ENDED = "ended"
    """Nobody agrees to it any more."""


def _deliver_as_far_as_agreed(log: StudyLog, delivery: Delivery) -> _DeliveryState:
    """Hands records in, as far as they go.

    Raises:
        AttemptError: The records can't be delivered now.
    """
    # The database library takes a third of a second to import, and mostly nothing waits.
    from benchwright_attempts.attempts import Attempts
    from benchwright_studies.conduct.archive import deliver_records
    from benchwright_studies.conduct.progress import is_finished
    from benchwright_studies.conduct.studies import Studies

    study, participant = delivery.study, delivery.participant
    studies = Studies(log, Attempts(log))
    if participant not in log.journal.participants(study):
        return _DeliveryState.ENDED
    if studies.standing_consent(study, participant) is None:
        # Who has records there is owed that the lab learns of the withdrawal; nothing else goes.
        if delivery.delivered is not None:
            deliver_records(log, study, participant, only_journal=True)
        return _DeliveryState.ENDED
    studies.record_finish_if_finished(study, participant)
    deliver_records(log, study, participant)
    return _DeliveryState.FINISHED if is_finished(studies.entries(study, participant)) else _DeliveryState.GOES_ON
