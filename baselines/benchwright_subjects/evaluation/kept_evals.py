"""Inspect's logs as they are kept beside the event log, so that a report finds those of its attempts."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.home import Home

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample


def eval_logs_folder(home: Home) -> Path:
    """Folder in which they are kept."""
    return home.data / "evals"


def keep_eval_log(folder: Path, eval_log: Path, attempt_ids: Iterable[str]) -> None:
    """Keep a log, and note beside it which attempts it covers.

    Args:
        folder: Folder in which the log is kept.
        eval_log: An `.eval` file, which stays where it is.
        attempt_ids: Their ids.

    Raises:
        OSError: The folder can't be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kept_log = folder / eval_log.name
    if not (kept_log.exists() and kept_log.samefile(eval_log)):
        kept_log.unlink(missing_ok=True)
        try:
            os.link(eval_log, kept_log)
        except OSError:
            shutil.copyfile(eval_log, kept_log)
    write_atomically(_attempts_note_file(kept_log), json.dumps(sorted(attempt_ids)).encode())


def eval_logs_covering(folder: Path, covered_attempt_ids: Iterable[str]) -> Sequence[Path]:
    """The logs that cover any of these attempts, the oldest first."""
    attempt_ids = set(covered_attempt_ids)
    return [log for log in sorted(folder.glob("*.eval")) if attempt_ids.intersection(_noted_attempts(log))]


def kept_log_and_sample(folder: Path, attempt_id: str) -> tuple[EvalLog, EvalSample] | None:
    """The newest log with an attempt, and its sample there; None if it is in none of them."""
    log_files = eval_logs_covering(folder, [attempt_id])
    if not log_files:
        return None
    # It takes seconds to import, and most attempts are a person's.
    from inspect_ai.log import read_eval_log

    for file in reversed(log_files):
        log = read_eval_log(str(file), resolve_attachments=True)
        for sample in log.samples or ():
            if any((score.metadata or {}).get("attempt") == attempt_id for score in (sample.scores or {}).values()):
                return log, sample
    return None


def kept_sample(folder: Path, attempt_id: str) -> EvalSample | None:
    """The sample of an attempt in the newest log that has it; None if none has."""
    log_and_sample = kept_log_and_sample(folder, attempt_id)
    return log_and_sample[1] if log_and_sample is not None else None


def _attempts_note_file(log: Path) -> Path:
    return log.with_suffix(".attempts.json")


def _noted_attempts(log: Path) -> list[str]:
    try:
        noted_attempts = json.loads(_attempts_note_file(log).read_bytes())
    except (OSError, ValueError):
        return []
    return [str(attempt) for attempt in noted_attempts] if isinstance(noted_attempts, list) else []
