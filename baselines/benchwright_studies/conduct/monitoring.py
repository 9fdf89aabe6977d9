"""Progress of a study, from what was delivered: by condition and by participant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.errors import StudyError
from benchwright_attempts.summary.summary import Summary
from benchwright_studies.conduct.archive import import_archive
from benchwright_studies.conduct.entry import ConsentEntry, Drawn, TaskBegun
from benchwright_studies.conduct.studies import Studies

if TYPE_CHECKING:
    from benchwright_studies.conduct.study_log import StudyLog


@dataclass(frozen=True, slots=True)
class ConditionProgress:
    """The tasks that were drawn for a condition, each counted once: the last four numbers add up to the first."""

    drawn: int
    """Tasks whose condition was drawn."""
    waiting: int
    """Not opened yet."""
    under_way: int
    """Opened and not ended."""
    finished: int
    """Submitted, given up or timed out by the participant."""
    dropped_out: int
    """Not finished by a participant who took consent back."""


@dataclass(frozen=True, slots=True)
class DeliveredParticipantProgress:
    """Progress of a participant, from what was delivered."""

    has_drawn: bool
    """True if the assignment was drawn. Who stops before it is in no condition."""
    has_withdrawn: bool
    asks_for_deletion: bool
    last_record: datetime
    """Time at which the newest record that arrived was written."""


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """Progress of a study."""

    study: str
    conditions: Mapping[str, ConditionProgress]
    participants: Mapping[str, DeliveredParticipantProgress]


def delivered_progress(log: StudyLog, study: str) -> StudyProgress:
    """Counts what a log has of a study.

    Raises:
        StudyError: The study does not exist.
    """
    attempts = Attempts(log)
    registered_study = Studies(log, attempts).study(study)
    counts: dict[str, Counter[str]] = {
        condition.name: Counter() for condition in registered_study.study.people_conditions
    }
    participant_progress: dict[str, DeliveredParticipantProgress] = {}
    summaries: dict[str, dict[str, Summary]] = {}
    for header in log.journal.attempts(study):
        summaries.setdefault(header.solver, {})[header.id] = attempts.summary(header.id)
    for participant in log.journal.participants(study):
        journal_entries = log.journal.entries(study, participant)
        entries = [journal_entry.recorded_entry for journal_entry in journal_entries]
        consents = [entry for entry in entries if isinstance(entry, ConsentEntry)]
        has_withdrawn = bool(consents) and not consents[-1].given
        drawn_entry = next((entry for entry in entries if isinstance(entry, Drawn)), None)
        begun_attempts = {entry.position: entry.attempt for entry in entries if isinstance(entry, TaskBegun)}
        attempt_summaries = summaries.get(participant, {})
        newest_record = max(
            (
                journal_entries[-1].wall,
                *filter(None, (summary.clock.newest_wall for summary in attempt_summaries.values())),
            )
        )
        for task in drawn_entry.assignment.tasks if drawn_entry is not None else ():
            attempt = begun_attempts.get(task.position, "")
            has_ended = attempt in attempt_summaries and attempt_summaries[attempt].state.ended
            state = (
                "finished" if has_ended else "dropped_out" if has_withdrawn else "under_way" if attempt else "waiting"
            )
            counts[task.condition][state] += 1
        participant_progress[participant] = DeliveredParticipantProgress(
            drawn_entry is not None, has_withdrawn, has_withdrawn and consents[-1].delete, newest_record
        )
    names = ("waiting", "under_way", "finished", "dropped_out")
    conditions = {
        name: ConditionProgress(sum(state_counts.values()), *(state_counts[state] for state in names))
        for name, state_counts in counts.items()
    }
    return StudyProgress(study, conditions, participant_progress)


@contextmanager
def open_delivered_log_and_studies(source: str) -> Iterator[tuple[StudyLog, list[str]]]:
    """Records delivered to a folder or a database, as a log that is only read, and the studies in it.

    Args:
        source: A folder, or a `postgresql://` address.

    Raises:
        StudyError: The source holds nothing.
        ExportError: A file is damaged.
    """
    from benchwright_studies.conduct.study_log import StudyLog

    if source.startswith("postgresql:"):
        with StudyLog(source) as log:
            yield log, log.journal.studies()
        return
    folder = Path(source)
    if not (folder / "study.jsonl").is_file():
        raise StudyError(f"{folder} holds no study yet: nothing was delivered there.")
    with TemporaryDirectory() as scratch, StudyLog(Path(scratch) / "log.sqlite") as log:
        yield log, [import_archive(log, folder).study]
