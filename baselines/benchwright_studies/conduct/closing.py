"""Closing a study: its rules and data get one digest, and nothing can be added or changed any more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import JsonValue

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.clock import AttemptState
from benchwright_attempts.errors import StudyClosedError, StudyError
from benchwright_attempts.events.events import Abandoned
from benchwright_attempts.events.evidence import TimedOut
from benchwright_attempts.events.file_text import sha256
from benchwright_attempts.log.chain import check_chain
from benchwright_attempts.log.record import AttemptHeader, canonical_json
from benchwright_attempts.state import STUDY_CLOSED
from benchwright_studies.conduct.entry import Closed, ConsentEntry
from benchwright_studies.conduct.studies import RegisteredStudy, Studies

if TYPE_CHECKING:
    from benchwright_studies.conduct.study_log import StudyLog


@dataclass(frozen=True, slots=True)
class SealCheck:
    """Result of checking that a closed study is as it was when it was closed."""

    digest: str
    attempts: int
    deleted: int
    """Attempts of which only a tombstone is left."""
    flaws: tuple[str, ...]
    """Differences from the study as it was closed, as sentences."""

    @property
    def ok(self) -> bool:
        """True if nothing has changed."""
        return not self.flaws


def close_study(log: StudyLog, study: str, *, end_open_attempts: bool = False) -> Closed:
    """Freezes a study.

    Args:
        log: The event log.
        study: Its id.
        end_open_attempts: End attempts that are still going on (as timed out, reason `study_closed`); close a
            study without any.

    Raises:
        StudyError: Attempts are going on, there are none, or a chain is broken.
        StudyClosedError: The study was closed before.
    """
    attempts = Attempts(log)
    registered_study = Studies(log, attempts).study(study)
    if registered_study.closed is not None:
        raise StudyClosedError(study)
    headers = log.journal.attempts(study)
    if not headers and not end_open_attempts:
        raise StudyError(
            f"There is no attempt of {study} here. Bring the records together first (`benchwright study collect`), "
            "or close it without any by --force."
        )
    going = unended_attempts_with_consent(log, study)
    if going and not end_open_attempts:
        attempt_list = ", ".join(f"{header.solver} ({header.problem})" for header in going[:5])
        raise StudyError(
            f"{len(going)} attempts of {study} are still going on: {attempt_list}. Wait for them, or end them with "
            "--force."
        )
    for header in going:
        if attempts.summary(header.id).state is AttemptState.OPEN:
            log.append_blocking(header.id, Abandoned(reason=STUDY_CLOSED))
        else:
            log.append_blocking(header.id, TimedOut(reason=STUDY_CLOSED))
    sealed: dict[str, JsonValue] = {
        "study_sha256": registered_study.sha256,
        "plan_sha256": registered_study.plan.sha256,
        "attempts": {header.id: _event_count_and_head_if_intact(log, header) for header in headers},
        "journals": {
            participant: [entries[-1].seq, entries[-1].hash]
            for participant in log.journal.participants(study)
            if (entries := log.journal.entries(study, participant))
        },
    }
    closed = Closed(digest=sha256(canonical_json(sealed).encode()), seal=sealed)
    log.journal.append_entry(study, "", closed)
    return closed


def unended_attempts_with_consent(log: StudyLog, study: str) -> Sequence[AttemptHeader]:
    """The attempts of a study that have not ended, of people, models and agents.

    Of who has taken their consent back nothing more is recorded: their attempts stay as they are.
    """
    attempts = Attempts(log)
    studies = Studies(log, attempts)

    def may_go_on(header: AttemptHeader) -> bool:
        entries = studies.entries(study, header.solver)
        newest_consent = next((entry for entry in reversed(entries) if isinstance(entry, ConsentEntry)), None)
        return newest_consent is None or newest_consent.given

    open_ = [header for header in log.journal.attempts(study) if not attempts.summary(header.id).state.ended]
    return [header for header in open_ if may_go_on(header)]


def _event_count_and_head_if_intact(log: StudyLog, header: AttemptHeader) -> list[JsonValue]:
    check = check_chain(*log.stored_attempt(header.id))
    if not check.ok:
        raise StudyError(
            f"Attempt {header.id} of {header.solver} is damaged at event {check.bad_seq}: {check.reason}. "
            "Restore it from a backup, or delete this participant's data; then close the study."
        )
    return [check.events, check.head]


def check_seal(log: StudyLog, study: str) -> SealCheck:
    """Compares a closed study with its seal.

    Raises:
        StudyError: The study is not closed.
    """
    registered_study = Studies(log, Attempts(log)).study(study)
    if registered_study.closed is None:
        raise StudyError(f"The study {study} is not closed yet. Close it with `benchwright study close {study}`.")
    seal = registered_study.closed.seal
    flaws: list[str] = []
    if sha256(canonical_json(seal).encode()) != registered_study.closed.digest:
        flaws.append("The seal does not have the digest that was noted with it.")
    if (seal.get("study_sha256"), seal.get("plan_sha256")) != (registered_study.sha256, registered_study.plan.sha256):
        flaws.append("The study file or the plan is another one than the one that was sealed.")
    stones = {(stone.kind, stone.id): [stone.events, stone.head] for stone in log.journal.tombstones(study)}
    headers = {header.id: header for header in log.journal.attempts(study)}
    sealed = _count_and_head_by_name(seal.get("attempts"))
    deleted = 0
    for attempt, head in sealed.items():
        if attempt in headers:
            header, rows = log.stored_attempt(attempt)
            check = check_chain(header, rows)
            if [check.events, check.head] != head or not check.ok:
                flaws.append(f"Attempt {attempt} of {header.solver} is not as it was sealed.")
        elif stones.get(("attempt", attempt)) == head:
            deleted += 1
        else:
            flaws.append(f"Attempt {attempt} is missing, and no tombstone records its deletion.")
    flaws += [f"Attempt {attempt} was added after the closing." for attempt in headers if attempt not in sealed]
    for participant, head in _count_and_head_by_name(seal.get("journals")).items():
        # Taking consent back is noted behind what was sealed, also before a deletion.
        entry_heads = [[entry.seq, entry.hash] for entry in log.journal.entries(study, participant)]
        tombstone = stones.get(("participant", f"{study}/{participant}"))
        if head not in entry_heads and (tombstone is None or entry_heads):
            flaws.append(f"The journal of {participant} is not as it was sealed.")
    return SealCheck(registered_study.closed.digest, len(sealed), deleted, tuple(flaws))


def sealed_attempts_if_closed(registered_study: RegisteredStudy) -> frozenset[str] | None:
    """The attempts that a closed study consists of; None if it is not closed."""
    return (
        frozenset(_count_and_head_by_name(registered_study.closed.seal.get("attempts")))
        if registered_study.closed is not None
        else None
    )


def _count_and_head_by_name(sealed_heads: JsonValue) -> Mapping[str, Sequence[JsonValue]]:
    return (
        {name: head for name, head in sealed_heads.items() if isinstance(head, list)}
        if isinstance(sealed_heads, dict)
        else {}
    )
