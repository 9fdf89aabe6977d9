"""The log says where something failed, and quotes nothing."""

from __future__ import annotations

import errno
import io
import logging
import subprocess
import sys
from collections.abc import Iterator

import pytest

from benchwright_foundation.errors import StorageError
from benchwright_service.content_free_log import REPETITIONS_COUNTED_S, ContentFreeFormatter, RepetitionCountingHandler

CANARY = "zqcanary"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(ContentFreeFormatter())
    root_logger = logging.getLogger()
    root_logger.addHandler(handler)
    yield stream
    root_logger.removeHandler(handler)


def fail() -> None:
    raise ValueError(CANARY) from KeyError(CANARY)


def test_an_exception_is_its_kind_and_its_places(log: io.StringIO) -> None:
    try:
        fail()
    except ValueError:
        logging.getLogger("benchwright_service.runs.runs").exception("run %s could not be judged", "a1")
    assert "run a1 could not be judged\nbuiltins.ValueError\n" in log.getvalue()
    assert "in fail" in log.getvalue()
    assert CANARY not in log.getvalue()


@pytest.mark.parametrize("name", ["asyncio", "sqlalchemy.pool", "py.warnings", "openai"])
def test_messages_of_other_packages_are_their_place_alone(log: io.StringIO, name: str) -> None:
    logging.getLogger(name).error(f"{CANARY} %s", CANARY)
    assert f"ERROR {name}: test_content_free_log.py:" in log.getvalue()
    assert CANARY not in log.getvalue()


def test_a_plain_sentence_stays_without_what_is_filled_in(log: io.StringIO, caplog: pytest.LogCaptureFixture) -> None:
    # Another server of this process may have silenced it.
    caplog.set_level(logging.ERROR, "uvicorn.error")
    logging.getLogger("uvicorn.error").error("Invalid request %s\nmore", CANARY)
    assert log.getvalue().endswith("uvicorn.error: Invalid request %s\n")


def test_a_process_that_ends_by_an_error_and_its_warnings_quote_nothing() -> None:
    script = f"""
import warnings
from benchwright_service.content_free_log import log_without_contents
log_without_contents()
warnings.warn("{CANARY[:4]}" + "{CANARY[4:]}")
raise ValueError("{CANARY[:4]}" + "{CANARY[4:]}")
"""
    completed_process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert completed_process.returncode == 1
    assert "builtins.ValueError" in completed_process.stderr
    assert "py.warnings" in completed_process.stderr
    assert CANARY not in completed_process.stderr


def test_what_repeats_itself_is_a_line_and_a_count_and_a_failing_disk_has_no_traceback() -> None:
    stream, time_s = io.StringIO(), 0.0
    handler = RepetitionCountingHandler(stream, lambda: time_s)
    handler.setFormatter(ContentFreeFormatter())
    logger = logging.Logger("benchwright_service.runs.runs")
    logger.addHandler(handler)
    for _ in range(300):
        try:
            raise StorageError(CANARY) from OSError(errno.ENOSPC, CANARY)
        except StorageError:
            logger.exception("runs can't be looked after")
    time_s += REPETITIONS_COUNTED_S
    logger.error("another")
    line = "ERROR benchwright_service.runs.runs: runs can't be looked after: StorageError (ENOSPC)"
    lines = [text.partition("ERROR")[1] + text.partition("ERROR")[2] for text in stream.getvalue().splitlines()]
    assert lines == [line, f"{line} (again: 299 times)", "ERROR benchwright_service.runs.runs: another"]
    assert CANARY not in stream.getvalue()
