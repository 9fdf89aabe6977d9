"""Rules of an assignment on help by models and on what is shown when, in the browser and over the API."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from benchwright_attempts.events.events import Edit, Started
from benchwright_attempts.events.evidence import EditReason, Environment
from benchwright_attempts.events.file_text import Change
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import starting_solution_files
from benchwright_problems.assistance import AllowedHelp, Assistance
from benchwright_problems.problem import Problem
from benchwright_problems.reveal import Reveal
from benchwright_problems.storage.store import Store
from benchwright_remote.messages import Role

from ..support.service.bench_service import Course, Service, Solver
from ..support.service.bench_service_pages import browser, csrf, invitation, signed_in

REF = "starter/saturating-counter"
FILE = "rtl/sat_counter.sv"
NONE = Assistance(allowed=AllowedHelp.NONE)
SAID = "No model may help"
REPORTING = Environment(editor="Visual Studio Code 1.105.1", change_reasons=True)


@pytest.fixture(scope="module")
def problem() -> Problem:
    return Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(REF)


@pytest.fixture
def course(service: Service) -> Course:
    return service.set_up(problems=("saturating-counter",), assistance=NONE)


@pytest.fixture
def teacher(service: Service, course: Course) -> httpx2.Client:
    return signed_in(service, invitation(service, course, Role.OWNER), "Professor")


@pytest.fixture
def solver(service: Service, course: Course, tmp_path: Path) -> Iterator[Solver]:
    solver = Solver.joining(service, course, tmp_path)
    yield solver
    solver.log.close()


def worked(solver: Solver, problem: Problem, *attempt_events: Any) -> str:
    """An attempt with these events and a failed run; the run's id."""
    files = {path: starting_solution_files(problem)[path].decode() for path in problem.public.expected}
    attempt = solver.begin(REF, files)
    solver.record(attempt, Started(), *attempt_events)
    assert solver.send(attempt).status_code == 200
    run: str = solver.run(attempt, 1, files).json()["id"]
    assert solver.verdict(run)["verdict"]["outcome"] == "failed"
    return run


def accepted(version: int, text: str) -> tuple[Edit, EditReason]:
    edit = Edit(path=FILE, version=version, changes=(Change(start=0, end=0, text=text),))
    metadata = {"$extensionId": "GitHub.copilot"}
    return edit, EditReason(path=FILE, version=version, reason="inlineCompletionAccept", metadata=metadata)


def student_browser(service: Service, solver: Solver) -> httpx2.Client:
    client = browser(service)
    client.post("/sign-in", data={"code": solver.token})
    return client


def change(teacher: httpx2.Client, course: Course, **fields: str) -> httpx2.Response:
    path = f"/courses/{course.name}/assignments/{course.assignment}"
    return teacher.post(path, data={"csrf": csrf(teacher)} | fields)


def minutes(count: int) -> str:
    return (datetime.now(UTC) + timedelta(minutes=count)).strftime("%Y-%m-%dT%H:%M")


def shown_verdict(solver: Solver, run: str) -> dict[str, Any]:
    with solver.service.client(solver.token) as client:
        return dict(client.get(f"/api/v1/runs/{run}").json()["verdict"])


def cell(page: str) -> str:
    (content,) = re.findall(r'<td><a class="\w+"[^>]*>(.*?)</a>', page, re.DOTALL)
    return shown_text(content)


def shown_text(page: str) -> str:
    """Without tags, whose attributes may hold any digits."""
    return re.sub(r"<[^>]*>", "", page)


def test_what_was_accepted_against_the_rule_is_told_to_staff_and_the_rule_to_the_student(
    service: Service, course: Course, teacher: httpx2.Client, solver: Solver, problem: Problem
) -> None:
    with service.client(solver.token) as client:
        (assignment,) = client.get("/api/v1/assignments").json()
    assert assignment["assistance"] == {"allowed": "none", "extensions": []}
    student = student_browser(service, solver)
    assert SAID in student.get(f"/courses/{course.name}").text
    own_page = student.get(f"/courses/{course.name}/mine/{course.assignment}").text
    assert SAID in own_page
    assert "The record of your attempt says where text came from" in own_page

    worked(solver, problem, REPORTING, *accepted(2, "a" * 412))

    progress = teacher.get(f"/courses/{course.name}/progress").text
    assert "412 characters of models that are not allowed, as reported" in cell(progress)
    (link,) = re.findall(r'href="(/courses/[^"]*/attempts/[^"]*)"', progress)
    attempt_page = teacher.get(link).text
    assert "Accepted 412 characters from GitHub.copilot, which the assignment does not allow (1 edit" in attempt_page
    assert "no proof of anything" in attempt_page
    table_reply = teacher.get(f"/courses/{course.name}/grades.table.csv")
    head, ada = csv.reader(io.StringIO(table_reply.text))
    assert head[4].endswith("characters of models that were not allowed, as reported")
    assert ada[:1] + ada[3:] == ["Ada", "0", "412"]
    assert "412" not in teacher.get(f"/courses/{course.name}/grades.canvas.csv").text
    # Nobody else learns of it: not the student, not who is not of the course.
    assert "412 characters" not in student.get(f"/courses/{course.name}/mine/{course.assignment}").text
    assert student.get(f"/courses/{course.name}/grades.table.csv").status_code == 404
    assert student.get(f"/courses/{course.name}/assignments/{course.assignment}").status_code == 404
    assert change(student, course, title="Mine").status_code == 404


def test_an_editor_that_reports_nothing_is_said_to(
    service: Service, course: Course, teacher: httpx2.Client, solver: Solver, problem: Problem
) -> None:
    worked(solver, problem, accepted(2, "a" * 412)[0])
    progress = teacher.get(f"/courses/{course.name}/progress").text
    assert "where text came from was not reported" in cell(progress)
    (link,) = re.findall(r'href="(/courses/[^"]*/attempts/[^"]*)"', progress)
    assert "This editor does not report where text comes from" in teacher.get(link).text
    assert "not reported" in teacher.get(f"/courses/{course.name}/grades.table.csv").text


def test_a_changed_rule_holds_from_then_on(
    service: Service, course: Course, teacher: httpx2.Client, solver: Solver, problem: Problem
) -> None:
    assert change(teacher, course, assistance="chat").status_code == 303
    worked(solver, problem, REPORTING, *accepted(2, "a" * 412))
    assert "412" not in cell(teacher.get(f"/courses/{course.name}/progress").text)
    assert change(teacher, course, assistance="none").status_code == 303
    # What was written before the change was allowed.
    assert "412" not in cell(teacher.get(f"/courses/{course.name}/progress").text)
    (attempt,) = solver.sent_counts
    solver.record(attempt, *accepted(3, "b" * 31))
    assert solver.send(attempt).status_code == 200
    files = {path: starting_solution_files(problem)[path].decode() for path in problem.public.expected}
    solver.verdict(solver.run(attempt, 2, files).json()["id"])
    assert "31 characters" in cell(teacher.get(f"/courses/{course.name}/progress").text)
    assert "changed assignment" in teacher.get(f"/courses/{course.name}/audit").text


def test_more_is_shown_once_it_is_due_and_closed_also_of_older_verdicts(
    service: Service, course: Course, teacher: httpx2.Client, solver: Solver, problem: Problem
) -> None:
    policies = {"reveal": "verdict", "reveal-after-due": "names", "reveal-after-closing": "messages"}
    deadlines = {"due": minutes(60), "closes": minutes(120)}
    assert change(teacher, course, **policies, **deadlines).status_code == 303
    run = worked(solver, problem)
    own_path = f"/courses/{course.name}/mine/{course.assignment}"
    student = student_browser(service, solver)
    name = json.loads(shown_to_staff(service, run))["tests"][0]["name"]
    assert (shown_verdict(solver, run)["policy"], shown_verdict(solver, run)["tests"]) == ("verdict", [])
    assert name not in student.get(own_path).text
    assert change(teacher, course, **policies, **deadlines | {"due": minutes(-60)}).status_code == 303
    late_verdict = shown_verdict(solver, run)
    assert (late_verdict["policy"], {test["message"] for test in late_verdict["tests"]}) == ("names", {None})
    assert name in student.get(own_path).text
    assert change(teacher, course, **policies, due=minutes(-60), closes=minutes(-30)).status_code == 303
    closed = shown_verdict(solver, run)
    assert (closed["policy"], closed["log"]) == ("messages", None)
    message = next(test["message"] for test in closed["tests"] if test["message"])
    assert message.splitlines()[0][:20] in student.get(own_path).text.replace("&#39;", "'").replace("&#34;", '"')
    # Who was given more time sees no more than before it is over.
    with service.client(solver.token) as client:
        account = client.get("/api/v1/me").json()["account"]
    extension = {"csrf": csrf(teacher), "due": minutes(60), "reason": "ill"}
    grade = f"/courses/{course.name}/grades/{course.assignment}/{account}"
    assert teacher.post(grade, data=extension).status_code == 303
    assert shown_verdict(solver, run)["policy"] == "verdict"
    assert name not in student.get(own_path).text


def shown_to_staff(service: Service, run: str) -> str:
    """The whole verdict, as the database has it."""
    from sqlalchemy import create_engine, text

    database_url = service.database
    if database_url is None:
        url = f"sqlite:///{service.folders.data / 'service' / 'service.sqlite'}"
    else:
        url = database_url.replace("postgresql:", "postgresql+psycopg:")
    engine = create_engine(url)
    with engine.connect() as connection:
        verdict = connection.execute(
            text("SELECT verdict FROM service_runs WHERE id = :run"), {"run": run}
        ).scalar_one()
    engine.dispose()
    return str(verdict)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ({"due": "2026-12-02T10:00", "closes": "2026-12-01T10:00"}, "does not close before it is due"),
        ({"assistance": "named"}, "at least one"),
        ({"assistance": "named", "extensions": "<b> x"}, "an id such as github.copilot"),
        ({"assistance": "none", "extensions": "github.copilot"}, "only there"),
        ({"runs": "-1"}, "“runs” is no number"),
    ],
)
def test_rules_that_do_not_fit_are_told_and_change_nothing(
    service: Service, course: Course, teacher: httpx2.Client, field: dict[str, str], message: str
) -> None:
    reply = change(teacher, course, title="Week <9>", **field)
    assert (reply.status_code, message in reply.text) == (422, True)
    assert 'value="Week &lt;9&gt;"' in reply.text
    creation = teacher.post(
        f"/courses/{course.name}/assignments", data={"csrf": csrf(teacher), "pack": "starter"} | field
    )
    assert (creation.status_code, message in creation.text) == (422, True)
    page = teacher.get(f"/courses/{course.name}/assignments/{course.assignment}").text
    assert "Week" not in page
    assert re.search(r'<option value="none" selected>', page)


def test_a_section_is_chosen_on_each_page_and_stays_in_the_address(
    service: Service, course: Course, teacher: httpx2.Client, tmp_path: Path
) -> None:
    import asyncio

    from benchwright_service.bench import open_administration

    async def seats() -> list[str]:
        async with open_administration(service.folders, service.database) as parts:
            roles_and_sections = [(Role.PARTICIPANT, "A & B"), (Role.PARTICIPANT, "C")]
            return list(await parts.accounts.make_invitations(course.name, roles_and_sections))

    for code, name in zip(asyncio.run(seats()), ("Ada", "Lin"), strict=True):
        signed_in(service, code, name)
    course_path = f"/courses/{course.name}"
    for page in ("progress", "grades", "grades.canvas.csv", "grades.moodle.csv", "grades.table.csv"):
        course_page, section_page = (
            teacher.get(f"{course_path}/{page}").text,
            teacher.get(f"{course_path}/{page}?section=A+%26+B").text,
        )
        assert ("Ada" in course_page, "Lin" in course_page) == (True, True), page
        assert ("Ada" in section_page, "Lin" in section_page) == (True, False), page
    grades = teacher.get(f"{course_path}/grades?section=A+%26+B").text
    assert '<option value="A &amp; B" selected>' in grades
    assert f'href="{course_path}/grades.canvas.csv?section=A%20%26%20B"' in grades
    items = teacher.get(f"{course_path}/items?section=C").text
    assert '<option value="C" selected>' in items
    assert f"{course_path}/items/{course.assignment}/saturating-counter?section=C" in items
    problem_page = teacher.get(f"{course_path}/items/{course.assignment}/saturating-counter?section=C").text
    assert '<option value="C" selected>' in problem_page


def test_what_was_found_is_in_the_persons_export_and_goes_with_the_person(
    service: Service, course: Course, teacher: httpx2.Client, solver: Solver, problem: Problem
) -> None:
    worked(solver, problem, REPORTING, *accepted(2, "a" * 412))
    assert "412" in cell(teacher.get(f"/courses/{course.name}/progress").text)
    with service.client(solver.token) as client:
        account = client.get("/api/v1/me").json()["account"]
    person_path = f"/courses/{course.name}/people/{account}"
    archive = zipfile.ZipFile(io.BytesIO(teacher.get(f"{person_path}/export").content))
    (name,) = (file_name for file_name in archive.namelist() if file_name.endswith("assistance.json"))
    assert json.loads(archive.read(name))["findings"][0]["characters"] == 412
    page = teacher.post(f"{person_path}/delete", data={"csrf": csrf(teacher), "name": "Ada", "reason": "asked"})
    assert page.status_code == 303, page.text
    assert "412" not in shown_text(teacher.get(f"/courses/{course.name}/progress").text)


def test_an_older_assignment_says_nothing_and_nothing_is_checked(
    service: Service, problem: Problem, tmp_path: Path
) -> None:
    course = service.set_up(problems=("saturating-counter",), reveal=Reveal.NAMES)
    teacher = signed_in(service, invitation(service, course, Role.OWNER), "Professor")
    solver = Solver.joining(service, course, tmp_path)
    worked(solver, problem, REPORTING, *accepted(2, "a" * 412))
    solver.log.close()
    assert cell(teacher.get(f"/courses/{course.name}/progress").text).strip() == "✗ 1 run, failed, run 1"
    assert "Help by models" not in teacher.get(f"/courses/{course.name}/progress").text
