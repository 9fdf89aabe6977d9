"""The process that closes a study: `python -m benchwright_service.studies.closing_process`.

What to do is JSON on stdin. The database holds how it ended. If it is killed, nothing is half-done: the study is
closed or it is not.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from pathlib import Path
from typing import Any

from benchwright_foundation.errors import BenchwrightError
from benchwright_foundation.home import Home
from benchwright_service.bench import open_monitor, study_reports_folder
from benchwright_service.content_free_log import log_without_contents
from benchwright_service.runs.niceness import lower_own_priority
from benchwright_service.studies.lab_closing import close_and_record_end


async def _close_study(request: dict[str, Any]) -> None:
    home = Home(*(Path(request[name]) for name in ("data", "state", "workspaces", "cache")))
    async with open_monitor(home, request["database"]) as (monitor, log):
        await close_and_record_end(
            monitor.database,
            log,
            home,
            study_reports_folder(home),
            request["study"],
            request["account"],
            force=request["force"],
        )


if __name__ == "__main__":
    log_without_contents()
    # Participants come first.
    lower_own_priority()
    try:
        asyncio.run(_close_study(json.load(sys.stdin)))
    except BenchwrightError as error:
        logging.getLogger("benchwright_service.studies.closing_process").warning(
            "a study was not closed: %s", type(error).__name__
        )
        sys.exit(1)
