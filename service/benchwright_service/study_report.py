"""Closing a study at the service: its data are frozen, and then, never before, its report is made."""

from __future__ import annotations

import asyncio
from pathlib import Path

from benchwright_analysis.report.report import ReportOptions, write_report
from benchwright_attempts.attempts import Attempts
from benchwright_judges.configuration import read_settings, records_location
from benchwright_judges.rated import Rated, rated_answers
from benchwright_judges.records import Records
from benchwright_problems.home import Home
from benchwright_problems.store import Store
from benchwright_studies.closing import close_study
from benchwright_studies.entry import Closed
from benchwright_studies.studies import Studies
from benchwright_studies.study_log import StudyLog
from benchwright_subjects.kept_evals import folder_of


async def close_and_report(
    log: StudyLog, home: Home, study: str, reports: Path, *, force: bool = False
) -> tuple[Closed, Path]:
    """Closes a study unless it is closed, and makes its report.

    Args:
        log: The service's.
        home: Where judgements and logs of evaluations are.
        study: Its id.
        reports: The report comes into a folder of the study's name in it.
        force: End attempts that are still going on.

    Returns:
        The seal, and the report's page.

    Raises:
        StudyError: There is no such study, or it can't be closed yet.
        NothingToReportError: It has no attempts.
        RecordsError: The judgements can't be read.
    """
    closed = await asyncio.to_thread(_closed, log, study, force=force)
    rated = await _rated(home)
    folder = reports / study
    options = ReportOptions(folder=folder, study=study, kept=folder_of(home))

    def written() -> Path:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return write_report(log, Store(home), options, rated).page

    return closed, await asyncio.to_thread(written)


def _closed(log: StudyLog, study: str, *, force: bool) -> Closed:
    return Studies(log, Attempts(log)).study(study).closed or close_study(log, study, force=force)


async def _rated(home: Home) -> list[Rated]:
    records = await Records.open(records_location(read_settings(), home))
    try:
        return list(rated_answers(await records.judged()))
    finally:
        await records.close()
