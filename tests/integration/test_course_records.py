"""What a course keeps of people: the audit log as a file, figures for research, clean-up after its end, statements."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import Executable, update

from benchwright_attempts.events.events import Started
from benchwright_remote.messages import Role
from benchwright_service.bench import open_administration
from benchwright_service.storage.tables import COURSES, RECORDING_CHOICES, RUNS

from ..support.service.bench_service import Course, Service, Solver
from ..support.service.bench_service_pages import REF, browser, invitation, signed_in
from ..support.service.course_people import send
from ..support.service.rosters import merge_roster

WORKERS = 0
"""Runs stay queued."""
FILES = {"rtl/sat_counter.sv": "module sat_counter; endmodule\n"}
PEOPLE = 12


@pytest.fixture
def course(service: Service) -> Course:
    return service.set_up(problems=("saturating-counter", "sync-fifo"))


@pytest.fixture
def owner(service: Service, course: Course) -> httpx2.Client:
    return signed_in(service, invitation(service, course, Role.OWNER), "=Professor")


def work(service: Service, course: Course, folder: Path, name: str, ref: str = REF) -> str:
    """A student with an attempt, and with a run of the first problem; returns the account."""
    folder.mkdir(parents=True)
    solver = Solver.joining(service, course, folder, name)
    attempt = solver.begin(ref, FILES)
    solver.record(attempt, Started())
    assert solver.send(attempt).status_code == 200
    if ref == REF:
        assert solver.run(attempt, 1, FILES).status_code == 202
    solver.log.close()
    with service.client(solver.token) as client:
        return str(client.get("/api/v1/me").json()["account"])


def change_database(service: Service, *statements: Executable) -> None:
    async def execute() -> None:
        async with (
            open_administration(service.folders, service.database) as parts,
            parts.database.write_transaction() as connection,
        ):
            for update_statement in statements:
                await connection.execute(update_statement)

    asyncio.run(execute())


def test_the_audit_log_is_exported_as_it_was_filtered(service: Service, course: Course, owner: httpx2.Client) -> None:
    assistant = signed_in(service, invitation(service, course, Role.STAFF), "Assistant")
    path = f"/courses/{course.name}/audit"
    assert assistant.get(f"/courses/{course.name}/grades").status_code == 200
    assert owner.get(f"/courses/{course.name}/people").status_code == 200
    audit_lines = [json.loads(line) for line in owner.get(f"{path}.jsonl").text.splitlines()]
    assert {(line["name"], line["action"]) for line in audit_lines} >= {
        ("Assistant", "saw grades"),
        ("=Professor", "saw people"),
        ("=Professor", "exported audit log"),
    }
    csv_rows = list(csv.DictReader(io.StringIO(owner.get(f"{path}.csv", params={"action": "GRADES"}).text)))
    assert [(row["name"], row["action"]) for row in csv_rows] == [("Assistant", "saw grades")]
    # A name is no formula of a spreadsheet.
    csv_rows = list(csv.DictReader(io.StringIO(owner.get(f"{path}.csv", params={"name": "professor"}).text)))
    assert {row["name"] for row in csv_rows} == {"'=Professor"}
    assert owner.get(f"{path}.csv", params={"until": "2020-01-01"}).text.count("\r\n") == 1
    today = time.strftime("%Y-%m-%d", time.gmtime())
    assert "saw people" in owner.get(path, params={"since": today, "until": today, "action": "people"}).text
    for name in ("since", "until"):
        for kind in ("", ".csv"):
            assert owner.get(f"{path}{kind}", params={name: "tomorrow"}).status_code == 422
    assert owner.get(f"{path}.xml").status_code == 404
    student = signed_in(service, course.invitation, "Ada")
    assert [student.get(f"{path}{kind}").status_code for kind in ("", ".csv", ".jsonl")] == [404, 404, 404]


def exported_tables(archive: bytes) -> tuple[Mapping[str, list[dict[str, str]]], str]:
    """The tables by name, and the codebook."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        tables = {
            name: list(csv.DictReader(io.StringIO(opened.read(f"{name}.csv").decode())))
            for name in ("attempts", "runs")
        }
        return tables, opened.read("codebook.md").decode()


def test_figures_for_research_show_nobody(
    service: Service, course: Course, owner: httpx2.Client, tmp_path: Path
) -> None:
    path = f"/courses/{course.name}/research.zip"
    accounts = [work(service, course, tmp_path / str(number), f"Name{number}") for number in range(PEOPLE - 3)]
    refused = owner.get(path)
    assert (refused.status_code, "Fewer than 10 people" in refused.text) == (409, True)
    accounts += [work(service, course, tmp_path / str(number), f"Name{number}") for number in range(PEOPLE - 3, PEOPLE)]
    few = [work(service, course, tmp_path / f"few{number}", f"Few{number}", "starter/sync-fifo") for number in range(3)]
    change_database(service, update(RUNS).values(outcome="passed", share=0.756))
    first, second = (owner.get(path) for _ in range(2))
    tables, codebook = exported_tables(first.content)
    assert {row["problem"] for table in tables.values() for row in table} == {REF}
    assert [len(tables["attempts"]), len(tables["runs"])] == [PEOPLE, PEOPLE]
    people = {row["person"] for row in tables["attempts"]}
    assert len(people) == PEOPLE
    assert {(row["runs"], row["passed"], row["hints"]) for row in tables["attempts"]} == {("1", "1", "0")}
    assert {(row["outcome"], row["share"]) for row in tables["runs"]} == {("passed", "0.76")}
    for column in (*tables["attempts"][0], *tables["runs"][0]):
        assert f"| {column}" in codebook or f", {column}" in codebook
    assert "1 of 2 problems here" in codebook
    assert f"{PEOPLE} people are in it" in codebook
    # Names of one export are in no other, and rows come in their order.
    assert people.isdisjoint(row["person"] for row in exported_tables(second.content)[0]["attempts"])
    assert [row["person"] for row in tables["attempts"]] == sorted(people)
    texts = json.dumps(tables) + codebook
    assert not [word for word in (*accounts, *few, "Name", "Few", course.assignment, "2026-") if word in texts]
    assert "exported for research" in owner.get(f"/courses/{course.name}/audit").text
    staff = signed_in(service, invitation(service, course, Role.STAFF), "Assistant")
    assert staff.get(path).status_code == 404
    # Where the course asks, only those who have agreed are in it.
    choice_rows = [{"course": course.name, "account": account, "agrees": 1, "at": 1.0} for account in accounts[1:]]
    asks = update(COURSES).where(COURSES.c.id == course.name).values(asks_recording=1)
    change_database(service, asks, RECORDING_CHOICES.insert().values(choice_rows))
    agreed, _ = exported_tables(owner.get(path).content)
    assert len(agreed["attempts"]) == PEOPLE - 1


def clean_up(service: Service, *options: str) -> str:
    environment = os.environ | {"BENCHWRIGHT_HOME": str(service.home)}
    if service.database is not None:
        environment["BENCHWRIGHT_SERVICE_DATABASE"] = service.database
    program = str(Path(sys.executable).with_name("benchwright"))
    finished = subprocess.run(
        [program, "course", "clean-up", *options],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return finished.stdout


def test_records_of_who_was_dropped_from_the_roster_are_deleted_too(
    service: Service, course: Course, owner: httpx2.Client, tmp_path: Path
) -> None:
    codes = merge_roster(service, course, "name,email\nAda,ada@x.org\n")
    invited = replace(course, invitation=codes["Ada"])
    ada = work(service, invited, tmp_path / "ada", "Ada")
    merge_roster(service, course, "name,email\nBob,bob@x.org\n")
    assert "Dropped" in owner.get(f"/courses/{course.name}/people").text
    settings = {"title": "Computer architecture", "zone": "UTC", "ends": "2020-01-31T00:00", "kept-days": "30"}
    assert send(owner, f"/courses/{course.name}/settings", **settings).status_code == 303
    assert "2 students with 1 attempt" in clean_up(service)
    assert ada not in owner.get(f"/courses/{course.name}/people").text


def test_records_are_deleted_once_they_have_been_kept_long_enough(
    service: Service, course: Course, owner: httpx2.Client, tmp_path: Path
) -> None:
    ada = work(service, course, tmp_path / "ada", "Ada")
    settings = {"title": "Computer architecture", "zone": "UTC", "ends": "2020-01-31T00:00"}
    page = f"/courses/{course.name}/settings"
    refused = send(owner, page, title="x", **{"kept-days": "30"})
    assert (refused.status_code, "give the day on which it ends" in refused.text) == (422, True)
    assert send(owner, page, **settings, **{"kept-days": "3650"}).status_code == 303
    assert clean_up(service, "--dry-run") == "No course has records that are kept no longer.\n"
    assert send(owner, page, **settings, **{"kept-days": "30"}).status_code == 303
    line = f"{course.name}: ended 2020-01-31, kept 30 days; 1 student with 1 attempt"
    assert clean_up(service, "--dry-run") == f"{line} would be deleted\n"
    assert "Ada" in owner.get(f"/courses/{course.name}/people").text

    assert clean_up(service) == f"{line} deleted\n"

    people_page = owner.get(f"/courses/{course.name}/people").text
    assert "Ada" not in people_page
    assert ada not in people_page
    assert "=Professor" in people_page
    assert "Week" not in owner.get(f"/courses/{course.name}/grades").text
    assert course.assignment in owner.get(f"/courses/{course.name}").text
    audit_row = owner.get(f"/courses/{course.name}/audit").text
    assert "<td>operator</td><td>deleted records after the course</td><td>1 student</td>" in audit_row
    assert clean_up(service) == "No course has records that are kept no longer.\n"


def test_statements_have_what_the_operator_says_and_name_what_is_missing(service: Service) -> None:
    visitor = browser(service)
    assert '<a href="/privacy">' in visitor.get("/sign-in").text
    for path, title in (("/privacy", "Data protection officer"), ("/accessibility", "Known barriers")):
        page = visitor.get(path)
        assert page.status_code == 200
        assert "Not stated by who operates this service" in page.text
        assert f"<li>{title}</li>" in page.text
    file = service.folders.data / "service" / "statements.toml"
    file.write_text('[privacy]\ncontroller = """The <University>\nof Somewhere"""\n')
    page_text = visitor.get("/privacy").text
    assert "The &lt;University&gt;\nof Somewhere" in page_text
    assert "<li>Who is responsible</li>" not in page_text
    assert "<li>Data protection officer</li>" in page_text
    for wrong in ("[privacy]\nowner = 'x'\n", "[privacy", "privacy = 3"):
        file.write_text(wrong)
        assert "<li>Who is responsible</li>" in visitor.get("/privacy").text
        assert str(file) in service.log.read_text().splitlines()[-1]
    file.unlink()
