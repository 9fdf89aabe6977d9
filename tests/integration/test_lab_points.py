"""A lab at a service: points by groups of hidden tests, and an explanation once the assignment has closed."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path

import httpx2
import pytest

from benchwright_attempts.events.events import Started
from benchwright_foundation.home import Home
from benchwright_problems.problem import Problem
from benchwright_problems.storage.pack_folder import wrong_solutions_by_name
from benchwright_problems.storage.store import Store
from benchwright_remote.messages import Role
from benchwright_service.bench import open_administration
from benchwright_service.courses.courses import AssignmentRules
from benchwright_teaching.points import GradingRules

from ..support.service.bench_service import Course, Service, Solver
from ..support.service.bench_service_pages import browser, csrf, invitation, program_token, signed_in

PACK, LAB = "architecture-labs", "alu-flags"
FOLDER = Path(str(files("benchwright_problems") / "packs" / PACK))
EARNED = {
    "Sums, differences and bitwise operations": "2 of 2",
    "Shifts": "2 of 2",
    "Comparisons": "2 of 2",
    "Flags": "0 of 2",
    "All operations together": "0 of 2",
}
"""Groups of the lab with the points of a design that mistakes overflow for carry."""


@pytest.fixture(scope="module")
def lab() -> Problem:
    return Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(f"{PACK}/{LAB}")


@pytest.fixture
def course(service: Service) -> Course:
    return service.set_up(PACK, problems=(LAB,), grading=GradingRules(points=10, partial=True))


@pytest.fixture
def student(service: Service, course: Course) -> httpx2.Client:
    return signed_in(service, course.invitation)


def own_page(student: httpx2.Client, course: Course) -> str:
    return student.get(f"/courses/{course.name}/mine/{course.assignment}").text


def problem_page(student: httpx2.Client, course: Course) -> str:
    page = student.get(f"/courses/{course.name}/problems/{PACK}/{LAB}")
    assert page.status_code == 200
    return page.text


def groups_on(page: str) -> dict[str, str]:
    items = re.findall(r"<li>[✓✗]<span[^>]*>[^<]*</span> ([^:<]+): (\d+ of \d+)</li>", page)
    return dict(items)


@pytest.mark.nightly
def test_a_run_that_passes_some_groups_of_tests_brings_their_points(
    service: Service, course: Course, student: httpx2.Client, lab: Problem, tmp_path: Path
) -> None:
    solver = Solver.joining(service, course, tmp_path)
    solver.token = program_token(service, student)
    attempt = solver.begin(f"{PACK}/{LAB}", dict(lab.public.files))
    solver.record(attempt, Started())
    assert solver.send(attempt).status_code == 200
    design = wrong_solutions_by_name(FOLDER, LAB)["overflow-is-carry"]
    assert solver.verdict(solver.run(attempt, 1, design).json()["id"])["verdict"]["outcome"] == "failed"
    with service.client(solver.token) as client:
        account = client.get("/api/v1/me").json()["account"]
    solver.log.close()

    page = own_page(student, course)
    assert "You have <strong>6</strong> of 10 points" in page
    assert groups_on(page) == EARNED
    teacher = signed_in(service, invitation(service, course, Role.OWNER))
    work = teacher.get(f"/courses/{course.name}/attempts/{course.assignment}/{LAB}/{account}").text
    assert groups_on(work) == EARNED


def change_closing_time(service: Service, course: Course, closes: datetime) -> None:
    async def move_closing_time() -> None:
        async with open_administration(service.folders, service.database) as parts:
            rules = AssignmentRules(closes=closes)
            await parts.courses.change_assignment(course.name, course.assignment, rules)

    asyncio.run(move_closing_time())


def test_the_explanation_is_shown_to_students_once_the_assignment_has_closed(
    service: Service, course: Course, student: httpx2.Client, lab: Problem
) -> None:
    sentences = [line for line in lab.hidden.explanation.splitlines() if len(line) > 60]
    assert sentences

    def is_anywhere(client: httpx2.Client) -> bool:
        with service.client(program_token(service, client)) as program:
            texts = [
                own_page(client, course),
                problem_page(client, course),
                program.get("/api/v1/assignments").raise_for_status().text,
                program.get(f"/api/v1/packs/{PACK}").raise_for_status().text,
            ]
        return any(sentence[:40] in text for text in texts for sentence in sentences)

    title = "Explanation of the solution"
    assert not is_anywhere(student) and title not in problem_page(student, course)
    change_closing_time(service, course, datetime.now(UTC) + timedelta(days=1))
    assert not is_anywhere(student) and title not in problem_page(student, course)
    change_closing_time(service, course, datetime.now(UTC) - timedelta(seconds=1))
    page = problem_page(student, course)
    assert title in page and "One adder is enough." in page
    next_term = service.set_up(PACK, problems=(LAB,))
    form = {"csrf": csrf(student), "code": next_term.invitation}
    assert student.post("/sign-in", data=form).status_code == 303
    assert not is_anywhere(student)
    assert b"One adder is enough." not in service.log.read_bytes()


def test_the_staff_reads_the_explanation_at_any_time_and_strangers_never(service: Service, course: Course) -> None:
    teacher = signed_in(service, invitation(service, course, Role.STAFF))
    assert "One adder is enough." in problem_page(teacher, course)
    assert "One adder is enough." not in browser(service).get(f"/courses/{course.name}/problems/{PACK}/{LAB}").text
