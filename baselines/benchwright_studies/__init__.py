"""Studies: what the study file says, who does what in which order, and how far everybody is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchwright_studies.conduct.study_log import StudyLog

__all__ = ["open_log"]


def open_log(path: Path | str) -> StudyLog:
    """Opens the log of attempts, makes it if there is none.

    Raises:
        LogError: The log cannot be made, opened or understood.
    """
    # The database library costs a third of a second: nobody pays before a log is needed.
    from benchwright_studies.conduct.study_log import StudyLog

    return StudyLog(path)
