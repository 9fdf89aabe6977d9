"""Closing a study at the service: its data are frozen, and then, never before, its report is made."""

from __future__ import annotations

import asyncio
from itertools import count
from pathlib import Path

from benchwright_analysis.report.report import STEPS, ReportOptions, write_report
from benchwright_attempts.attempts import Attempts
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.file_lock import file_lock
from benchwright_foundation.home import Home
from benchwright_judges.agreement.rated import RatedAnswer, answers_rated_by_people_and_models
from benchwright_judges.models.configuration import read_settings, records_location
from benchwright_judges.records.records import Records
from benchwright_problems.storage.store import Store
from benchwright_service.studies.lab_monitor import closing_lock_file, closing_step_file
from benchwright_studies.conduct.closing import close_study
from benchwright_studies.conduct.entry import Closed
from benchwright_studies.conduct.studies import Studies
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_subjects.evaluation.kept_evals import eval_logs_folder


async def close_and_report(
    log: StudyLog, home: Home, study_id: str, reports_folder: Path, *, end_open_attempts: bool = False
) -> tuple[Closed, Path]:
    """Closes a study unless it is closed, and makes its report. Waits for another process that does so.

    Args:
        log: The service's.
        home: Home folders with judgements and logs of evaluations.
        study_id: Its id.
        reports_folder: The report comes into a folder of the study's name in it.
        end_open_attempts: End attempts that are still going on.

    Returns:
        The seal, and the report's page.

    Raises:
        StudyError: No such study exists, or it can't be closed yet.
        NothingToReportError: The study has no attempts.
        StorageError: The judgements can't be read.
    """
    rated = await _rated_answers(home)
    folder = reports_folder / study_id
    options = ReportOptions(folder=folder, study=study_id, kept_eval_logs_folder=eval_logs_folder(home))

    def close_and_write() -> tuple[Closed, Path]:
        lock = closing_lock_file(home, study_id)
        lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with file_lock(lock):
            closed = Studies(log, Attempts(log)).study(study_id).closed or close_study(
                log, study_id, end_open_attempts=end_open_attempts
            )
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            number = count(1)
            step_file = closing_step_file(home, study_id)
            step_file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)

            def show_step(step: str) -> None:
                text = f"{next(number)} of {STEPS}: {step}"
                write_atomically(step_file, text.encode(), durable=False)

            try:
                return closed, write_report(log, Store(home), options, rated, show_step).page
            finally:
                step_file.unlink(missing_ok=True)

    return await asyncio.to_thread(close_and_write)


async def _rated_answers(home: Home) -> list[RatedAnswer]:
    records = await Records.open(records_location(read_settings(), home))
    try:
        return list(answers_rated_by_people_and_models(await records.answer_records()))
    finally:
        await records.close()
