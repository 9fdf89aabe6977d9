"""The pilot of a study: a study of its own, whose id follows from the study's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchwright_studies.conduct.progress import is_finished

if TYPE_CHECKING:
    from benchwright_studies.conduct.study_log import StudyLog

_LONGEST_ID = 58


def pilot_id(study: str) -> str:
    """The id of a study's pilot."""
    return f"{study[:_LONGEST_ID]}-pilot"


def finished_pilot_count(log: StudyLog, study: str) -> int:
    """Number of people who have finished a study's pilot."""
    pilot = pilot_id(study)
    return sum(
        is_finished([entry.recorded_entry for entry in log.journal.entries(pilot, participant)])
        for participant in log.journal.participants(pilot)
    )
