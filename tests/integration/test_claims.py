"""One process at a time works on an attempt, with every database; its claim dies with it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.file_text import FileText
from benchwright_studies.conduct.study_log import StudyLog

from ..support.service.postgres import new_database

PATIENCE_S = 30.0
_HOLD = """
import sys
from pathlib import Path
from benchwright_studies.conduct.study_log import StudyLog

where = sys.argv[1] if "://" in sys.argv[1] else Path(sys.argv[1])
log = StudyLog(where)
claim = log.claim(sys.argv[2])
print("elsewhere" if isinstance(claim, str) else "ours", flush=True)
sys.stdin.readline()
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    if request.param == "sqlite":
        return tmp_path / "log" / "attempts.sqlite"
    return new_database(request.getfixturevalue("postgres"))


def begin(log: StudyLog) -> str:
    return Attempts(log).create("p/q", "d", Path("/w"), {"a.sv": FileText.of_text("")}).id


def test_an_attempt_is_claimed_once_until_it_is_let_go(where: str | Path) -> None:
    with StudyLog(where) as log, StudyLog(where) as other_log:
        attempt, second_attempt = begin(log), begin(log)
        claim = log.claim(attempt)
        assert not isinstance(claim, str) and claim.is_held
        assert isinstance(other_log.claim(attempt), str)
        second_claim = other_log.claim(second_attempt)
        assert not isinstance(second_claim, str)
        claim.release()
        claim.release()
        assert not claim.is_held
        later_claim = other_log.claim(attempt)
        assert not isinstance(later_claim, str)
        assert isinstance(log.claim(attempt), str)
        later_claim.release()
        second_claim.release()


def test_a_claim_dies_with_its_process(where: str | Path) -> None:
    with StudyLog(where) as log:
        attempt = begin(log)
        process = subprocess.Popen(
            [sys.executable, "-c", _HOLD, str(where), attempt], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        try:
            assert process.stdout is not None and process.stdout.readline() == "ours\n"
            holder = log.claim(attempt)
            assert isinstance(holder, str)
            assert isinstance(where, str) or f"process {process.pid} on " in holder
        finally:
            process.kill()
            process.wait()
        end = time.monotonic() + PATIENCE_S
        # PostgreSQL takes a moment to notice that a connection is gone.
        while isinstance(claim := log.claim(attempt), str):
            assert time.monotonic() < end, claim
            time.sleep(0.05)
        claim.release()


def test_a_claim_whose_connection_broke_off_is_lost_for_good(request: pytest.FixtureRequest) -> None:
    url = new_database(request.getfixturevalue("postgres"))
    with StudyLog(url) as log, StudyLog(url) as other_log:
        attempt = begin(log)
        claim = log.claim(attempt)
        assert not isinstance(claim, str) and claim.is_held
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory'")
        other_claim = other_log.claim(attempt)
        assert not isinstance(other_claim, str)
        assert [claim.is_held, claim.is_held] == [False, False]
        assert isinstance(log.claim(attempt), str)
        other_claim.release()


def test_a_claim_whose_file_was_deleted_is_lost(tmp_path: Path) -> None:
    with StudyLog(tmp_path / "log.sqlite") as log:
        attempt = begin(log)
        claim = log.claim(attempt)
        assert not isinstance(claim, str) and claim.is_held
        (tmp_path / "working" / attempt).unlink()
        assert not claim.is_held
        theirs = log.claim(attempt)
        claim.release()
        assert not isinstance(theirs, str) and theirs.is_held
        theirs.release()


def test_nothing_is_left_of_claims_on_a_file(tmp_path: Path) -> None:
    with StudyLog(tmp_path / "log.sqlite") as log:
        claim = log.claim(begin(log))
        assert not isinstance(claim, str)
        assert len(list((tmp_path / "working").iterdir())) == 1
        claim.release()
        assert list((tmp_path / "working").iterdir()) == []
