"""Hints at a service: handed out in order, to who may have them, and taken off the points of later runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import select

from benchwright_attempts.events.events import Started, Submitted
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import starting_solution_files
from benchwright_problems.aids import Aid
from benchwright_problems.problem import Problem
from benchwright_problems.storage.store import Store
from benchwright_remote.messages import Role
from benchwright_service.bench import open_administration, open_lab
from benchwright_service.storage.tables import PLACES
from benchwright_studies.plan.study_file import parse_study

from ..support.service.bench_service import Course, Service, Solver
from ..support.service.bench_service_pages import csrf, invitation, signed_in

REF = "starter/saturating-counter"


@pytest.fixture(scope="module")
def problem() -> Problem:
    return Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(REF)


@pytest.fixture
def course(service: Service) -> Course:
    return service.set_up(problems=("saturating-counter",))


@pytest.fixture
def solver(service: Service, course: Course, tmp_path: Path) -> Iterator[Solver]:
    solver = Solver.joining(service, course, tmp_path)
    yield solver
    solver.log.close()


def begun(solver: Solver, problem: Problem) -> str:
    files = {path: starting_solution_files(problem)[path].decode() for path in problem.public.expected}
    attempt = solver.begin(REF, files)
    solver.record(attempt, Started())
    assert solver.send(attempt).status_code == 200
    return attempt


def ran(solver: Solver, problem: Problem, attempt: str, number: int, *, is_right: bool) -> tuple[str, str]:
    """Outcome and message of a run."""
    files = {path: starting_solution_files(problem)[path].decode() for path in problem.public.expected}
    run_view = solver.verdict(
        solver.run(attempt, number, dict(problem.hidden.reference) if is_right else files).json()["id"]
    )
    verdict = run_view["verdict"]
    return verdict["outcome"], verdict["message"]


def take(solver: Solver, attempt: str, number: int) -> httpx2.Response:
    with solver.service.client(solver.token) as client:
        return client.post(f"/api/v1/attempts/{attempt}/hints/{number}", headers={"Content-Type": "application/json"})


def test_hints_are_handed_out_in_order_once_they_are_due(solver: Solver, problem: Problem) -> None:
    attempt = begun(solver, problem)
    assert "Hint 1 comes next" in take(solver, attempt, 2).json()["detail"]
    first_hint = take(solver, attempt, 1)
    assert first_hint.json() == {"number": 1, "text": problem.hidden.hints[0], "cost": 0.0}
    assert take(solver, attempt, 1).json() == first_hint.json()
    refusal = take(solver, attempt, 2)
    assert (refusal.status_code, "after 1 run (0 so far)" in refusal.json()["detail"]) == (409, True)
    assert problem.hidden.hints[1] not in refusal.text
    assert ran(solver, problem, attempt, 1, is_right=False)[0] == "failed"
    assert take(solver, attempt, 2).json()["cost"] == 0.1
    assert take(solver, attempt, 9).status_code == 404
    solver.record(attempt, Submitted())
    assert solver.send(attempt).status_code == 200
    assert ran(solver, problem, attempt, 2, is_right=False)[0] == "failed"
    assert "clock does not run" in take(solver, attempt, 3).json()["detail"]
    assert take(solver, attempt, 2).status_code == 200


def test_somebody_else_s_attempt_is_answered_like_none(
    service: Service, course: Course, solver: Solver, problem: Problem, tmp_path: Path
) -> None:
    attempt = begun(solver, problem)
    take(solver, attempt, 1)
    (tmp_path / "other").mkdir()
    other_solver = Solver.joining(service, course, tmp_path / "other", "Eve")
    known_reply, unknown_reply = take(other_solver, attempt, 1), take(other_solver, "0" * 32, 1)
    other_solver.log.close()
    assert (known_reply.status_code, known_reply.json()) == (404, unknown_reply.json())


def test_an_assignment_without_hints_refuses_them(service: Service, problem: Problem, tmp_path: Path) -> None:
    course = service.set_up(problems=("saturating-counter",), aids=(Aid.EXPLANATIONS,))
    solver = Solver.joining(service, course, tmp_path)
    refusal = take(solver, begun(solver, problem), 1)
    solver.log.close()
    assert (refusal.status_code, refusal.json()["detail"]) == (409, "The assignment does not allow hints.")


STUDY = """
study: bare
title: A study without hints
problems: [starter/saturating-counter]
conditions: [{name: alone, solver: human, aids: []}]
participants: 1
randomisation: {seed: 4}
forecasts: []
consent: {version: "1", text: "You agree to what is written here."}
analysis: {primary: time}
data: {to: service}
"""


async def test_the_plan_of_a_study_says_who_may_have_hints(service: Service) -> None:
    async with open_lab(service.folders, service.database) as (lab, _):
        await lab.open_study(parse_study(STUDY, Path("study.yaml")))
        async with open_administration(service.folders, service.database) as parts:
            code = await parts.accounts.make_invitation("bare", Role.PARTICIPANT, uses=1)
            with service.client() as client:
                token = client.post("/api/v1/join", json={"code": code, "name": "Ada"}).json()["token"]
            with service.client(token) as client:
                assert client.post("/api/v1/studies", json={}).status_code == 200
            async with parts.database.read_transaction() as connection:
                account = (
                    await connection.execute(select(PLACES.c.account).where(PLACES.c.study == "bare"))
                ).scalar_one()
        assigned = await lab.planned_terms(account, "bare", REF)
        assert assigned is not None
        assert (assigned.condition, assigned.aids) == ("alone", ())
        assert await lab.planned_terms("nobody", "bare", REF) is None
        assert await lab.planned_terms(account, "no study", REF) is None


def test_a_hint_takes_its_cost_off_later_runs_also_of_other_attempts(
    service: Service, course: Course, solver: Solver, problem: Problem
) -> None:
    teacher = signed_in(service, invitation(service, course, Role.OWNER), "Professor")
    attempt = begun(solver, problem)
    assert ran(solver, problem, attempt, 1, is_right=False)[0] == "failed"
    assert [take(solver, attempt, number).status_code for number in (1, 2)] == [200, 200]
    assert ran(solver, problem, attempt, 2, is_right=True)[0] == "passed"
    assert "0.9" in teacher.get(f"/courses/{course.name}/grades").text
    second_attempt = begun(solver, problem)
    assert ran(solver, problem, second_attempt, 1, is_right=True)[0] == "passed"
    assert "0.9" in teacher.get(f"/courses/{course.name}/grades").text


def test_staff_choose_the_aids_with_check_boxes(service: Service, course: Course) -> None:
    teacher = signed_in(service, invitation(service, course, Role.OWNER), "Professor")
    path = f"/courses/{course.name}/assignments/{course.assignment}"
    page = teacher.get(path).text
    assert page.count('name="aids"') == page.count(" checked>") == len(Aid)
    form_fields = {"csrf": csrf(teacher), "aids-said": "yes", "aids": ["explanations", "waveforms"]}
    assert teacher.post(path, data=form_fields).status_code == 303
    page = teacher.get(path).text
    assert page.count(" checked>") == 2
    teacher.post(path, data={"csrf": csrf(teacher), "aids-said": "yes"})
    assert teacher.get(path).text.count(" checked>") == 0
