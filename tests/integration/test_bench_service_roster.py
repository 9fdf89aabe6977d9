"""A roster becomes one-use invitations by the command, and people join with them."""

from __future__ import annotations

import csv
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..support.service.bench_service import DATABASES, Service, running_service
from ..support.service.bench_service_backup import command
from ..support.service.postgres import new_database

ROSTER = 'email,name,section,role\r\nada@example.org,=Ada,A,\r\ngrace@example.org,"Hopper, Grace",B,staff\r\n'


@pytest.fixture(scope="module", params=DATABASES)
def service(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    database = new_database(request.getfixturevalue("postgres")) if request.param == "postgresql" else None
    with running_service(Service(tmp_path_factory.mktemp("service"), database, workers=0)) as started:
        yield started


def database_options(service: Service) -> list[str]:
    return ["--database", service.database] if service.database is not None else []


def test_each_row_gets_an_invitation_that_works_once_with_its_role_and_section(
    service: Service, tmp_path: Path
) -> None:
    course = service.set_up()
    (tmp_path / "roster.csv").write_bytes(b"\xef\xbb\xbf" + ROSTER.encode())
    csv_paths = (str(tmp_path / "roster.csv"), str(tmp_path / "invitations.csv"))
    process = command(
        service.home,
        "roster",
        course.name,
        *csv_paths,
        "--address",
        "https://bench.example.org/",
        *database_options(service),
    )
    assert process.returncode == 0, process.stderr
    invitation_file = tmp_path / "invitations.csv"
    assert stat.S_IMODE(invitation_file.stat().st_mode) == 0o600
    with invitation_file.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["name"] for row in rows] == ["'=Ada", "Hopper, Grace"]
    assert {row["sign_in"] for row in rows} == {"https://bench.example.org/sign-in"}
    joined = []
    for row in rows:
        body = {"code": row["invitation"], "name": "Somebody"}
        with service.client() as client:
            token = client.post("/api/v1/join", json=body).json()["token"]
            assert client.post("/api/v1/join", json=body).status_code == 404
        with service.client(token) as client:
            joined += client.get("/api/v1/me").json()["courses"]
    assert [(membership["course"], membership["role"], membership["section"]) for membership in joined] == [
        (course.name, "participant", "A"),
        (course.name, "staff", "B"),
    ]
    second_process = command(service.home, "roster", course.name, *csv_paths, *database_options(service))
    assert second_process.returncode == 1
    assert "there already" in second_process.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("email,name\na@x.org,A,B\n", ":2: more cells"),
        ("email,name,role\na@x.org,A,emperor\n", "'emperor' is no role"),
        ("email,name\na@x.org,A\nA@x.org,B\n", "twice"),
        ("name\nA\n", "no column 'email'"),
        ("email,name\n", "no rows"),
        ("email,name\n,A\n", ":2: a row needs"),
    ],
)
def test_a_wrong_roster_makes_no_invitation_and_says_where(
    service: Service, tmp_path: Path, content: str, message: str
) -> None:
    (tmp_path / "roster.csv").write_text(content)
    output = tmp_path / "invitations.csv"
    refused_command = command(
        service.home, "roster", "any", str(tmp_path / "roster.csv"), str(output), *database_options(service)
    )
    assert refused_command.returncode == 1
    assert message in refused_command.stderr
    assert not output.exists()
