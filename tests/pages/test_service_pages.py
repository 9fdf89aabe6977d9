"""The page about operating a bench service, on this machine's own PostgreSQL where it needs one."""

from __future__ import annotations

import base64
import json
import urllib.request

import pytest

from ..support.service.judge_pages import free_port
from ..support.service.postgres import new_database
from .walk import Reader, Walk

PAGE = "docs/how-to/operate-the-service.md"
COURSE = "docs/how-to/teach-a-course.md"
SERVE = "benchwright serve --port 8443 --metrics-port 9464"
_ROOT = "needs root and systemd; tests/unit/setup/test_service_files.py reads what is installed"


def _is_ready(script: str) -> bool:
    port = script.split("--port ")[1].split()[0]
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/health/ready", timeout=5) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


def _has_metrics(page_reader: Reader) -> None:
    assert '"status":"ok"' in page_reader.last_output
    assert "benchwright_runs_queued 0.0" in page_reader.last_output


def _lose_everything(page_reader: Reader) -> None:
    data_folder = page_reader.home.data
    (page_reader.folder / "keys").write_bytes((data_folder / "service/keys.json").read_bytes())
    data_folder.rename(page_reader.folder / "lost")
    page_reader.words["dbname postgresql://127.0.0.1/bench"] = f"dbname {page_reader.words['restored']}"


def _is_back(page_reader: Reader) -> None:
    assert (page_reader.home.data / "service/keys.json").read_bytes() == (page_reader.folder / "keys").read_bytes()
    assert (page_reader.home.data / "service/service.sqlite").is_file()


def _write_roster(page_reader: Reader) -> None:
    (page_reader.folder / "roster.csv").write_text("name,email\nAda Lovelace,ada@example.edu\n")


def _has_two_keys(page_reader: Reader) -> None:
    keys = json.loads(page_reader.last_output)["keys"]
    assert [len(base64.b64decode(key["key"])) for key in keys] == [32, 32]
    assert keys[0]["ends"] == keys[1]["begins"]


WALKS = {
    PAGE: Walk(
        steps_before={"course restore": _lose_everything},
        steps_after={"/metrics": _has_metrics, "course restore": _is_back, "/api/v1/keys": _has_two_keys},
        not_run={
            "systemctl": _ROOT,
            "course link": "nobody is on a roster; tests/integration/test_coming_back.py signs in by a printed link",
            "createuser": "needs the machine's PostgreSQL; the tests have one of their own",
            "docker compose": "needs a registry; tests/integration/test_service_processes_in_containers.py types it",
            "revoke-key KEY": "has no key of its own; tests/integration/test_signing_key_rotation.py revokes one",
        },
    ),
    COURSE: Walk(
        steps_before={"course roster": _write_roster},
        not_run={
            "benchwright serve": "tests/integration/test_bench_service_pages.py starts services of its own",
            "course people": "nobody has joined; tests/integration/test_course_people.py exports and deletes people",
        },
    ),
}


def test_a_course_is_made(reader: Reader) -> None:
    WALKS[COURSE].go(COURSE, reader)


@pytest.mark.nightly
def test_a_service_is_operated(reader: Reader, request: pytest.FixtureRequest) -> None:
    postgres = request.getfixturevalue("postgres")
    port, metrics = free_port(), free_port()
    reader.words |= {
        SERVE: f"benchwright serve --port {port} --metrics-port {metrics} --workers 0",
        ":8443": f":{port}",
        ":9464": f":{metrics}",
        "bench-2026-11-23.dump postgresql://127.0.0.1/bench": f"bench-2026-11-23.dump {new_database(postgres)}",
        "restored": new_database(postgres),
    }
    reader.servers[SERVE] = _is_ready
    WALKS[PAGE].go(PAGE, reader)
