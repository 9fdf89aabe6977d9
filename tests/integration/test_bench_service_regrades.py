"""A corrected problem at a running service: its runs again, who that changes, and from when it counts."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from benchwright_attempts.events.events import Started
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import reference_solution_files, starting_solution_files
from benchwright_problems.problem import Pack, Problem
from benchwright_problems.storage.store import Store
from benchwright_remote.messages import Role

from ..support.service.bench_service import Course, Service, Solver
from ..support.service.bench_service_pages import csrf, invitation, signed_in

BENCH = "src/test_sat_counter.py"
DESIGN = "saturating-counter"
QUESTION = "load-use-stalls"


@dataclass(frozen=True)
class Class:
    """A course whose pack has a mistake in each problem, and who worked on it."""

    course: Course
    teacher: httpx2.Client
    right_solver: Solver
    right_run: str
    wrong_solver: Solver
    wrong_run: str

    def page(self, path: str) -> str:
        """A page of the course."""
        reply = self.teacher.get(f"/courses/{self.course.name}/{path}")
        assert reply.status_code == 200, reply.text
        return str(reply.text)

    def send(self, path: str, **fields: str) -> httpx2.Response:
        """A form of the course."""
        return self.teacher.post(f"/courses/{self.course.name}/{path}", data={"csrf": csrf(self.teacher)} | fields)

    def points(self) -> list[str]:
        """Of each student, by name."""
        return re.findall(r'<td class="number"><a[^>]*>([\d.]+)', self.page("grades"))


def original(problem: str) -> Problem:
    return Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(f"starter/{problem}")


def midterm(service: Service, *, is_correct: bool, has_question: bool = True) -> None:
    design, question = original(DESIGN), original(QUESTION)
    if not is_correct:
        bench = design.hidden.harness[BENCH].replace("TOP = 2**WIDTH - 1", "TOP = 2**WIDTH - 2")
        harness = {**design.hidden.harness, BENCH: bench}
        design = design.model_copy(update={"hidden": design.hidden.model_copy(update={"harness": harness})})
        assert question.hidden.answer is not None
        key = question.hidden.answer.model_copy(update={"value": "B"})
        question = question.model_copy(update={"hidden": question.hidden.model_copy(update={"answer": key})})
    exam_problems = (design, question) if has_question else (design,)
    pack = Pack(name="midterm", title="Midterm", version="1", license="MIT", source="us", problems=exam_problems)
    Store(service.folders).add(pack, replace=True)


def begun(solver: Solver, problem: str, files: dict[str, str]) -> str:
    attempt = solver.begin(f"midterm/{problem}", files)
    solver.record(attempt, Started())
    assert solver.send(attempt).status_code == 200
    return attempt


def submit_answer(solver: Solver, problem: str, files: dict[str, str]) -> str:
    attempt = begun(solver, problem, files)
    run: str = solver.run(attempt, 1, files).json()["id"]
    solver.verdict(run)
    return run


@pytest.fixture
def taught(service: Service, tmp_path: Path) -> Class:
    midterm(service, is_correct=False)
    course = service.set_up("midterm")
    design = original(DESIGN)
    (path,) = design.public.expected
    right_solver = Solver.joining(service, course, tmp_path / "ada", "Ada")
    wrong_solver = Solver.joining(service, course, tmp_path / "bob", "Bob")
    right_run = submit_answer(right_solver, DESIGN, {path: reference_solution_files(design)[path].decode()})
    wrong_run = submit_answer(wrong_solver, DESIGN, {path: starting_solution_files(design)[path].decode()})
    submit_answer(right_solver, QUESTION, {"answer.md": "C"})
    submit_answer(wrong_solver, QUESTION, {"answer.md": "B"})
    teacher = signed_in(service, invitation(service, course, Role.OWNER), "Professor")
    return Class(course, teacher, right_solver, right_run, wrong_solver, wrong_run)


def regraded(taught: Class, problem: str) -> str:
    """Begins a regrade, and waits until all runs have ended; returns its page's path."""
    regrade_reply = taught.send(f"items/{taught.course.assignment}/{problem}/regrade")
    assert regrade_reply.status_code == 303
    path = regrade_reply.headers["location"].removeprefix(f"/courses/{taught.course.name}/")
    give_up = time.monotonic() + 120
    while "runs have ended.</strong> The old verdicts count" not in (page := taught.page(path)):
        # It follows the runs by itself, and is loaded again when all have ended.
        assert f'data-live="/courses/{taught.course.name}/{path}?page=1"' in page
        assert time.monotonic() < give_up, page
        time.sleep(0.2)
    assert "data-over" in page
    assert "live.js" not in page
    return str(path)


def test_a_corrected_problem_is_judged_again_and_counts_when_accepted(service: Service, taught: Class) -> None:
    item_path = f"items/{taught.course.assignment}/{DESIGN}"
    assert taught.points() == ["0", "1"]
    assert "All 2 verdicts are by the problem as it is now" in taught.page(item_path)
    midterm(service, is_correct=True)
    assert "2 of 2 verdicts are not known to be by the problem as it is now" in taught.page(item_path)

    path = regraded(taught, DESIGN)
    page = taught.page(path)
    assert re.search(r"Ada</a></th>\s*<td[^>]*>0</td><td[^>]*><strong>1</strong>", page)
    assert re.search(r"failed, [\d.]+ % <small><code>[0-9a-f]{12}</code></small></td>\s*<td>passed, 100 %", page)
    assert "Bob" not in page
    assert taught.points() == ["0", "1"]
    assert taught.right_solver.verdict(taught.right_run)["verdict"]["outcome"] == "failed"
    second_reply = taught.send(f"{item_path}/regrade")
    assert (second_reply.status_code, "accept or drop it first" in second_reply.text) == (409, True)

    assert taught.send(path, decision="accept").status_code == 303
    assert taught.points() == ["1", "1"]
    assert taught.right_solver.verdict(taught.right_run)["verdict"]["outcome"] == "passed"
    assert "Accepted" in taught.page(path)
    assert "<strong>1</strong>" in taught.page(path)
    assert taught.send(path, decision="drop").status_code == 409
    assert "All 2 verdicts are by the problem as it is now" in taught.page(item_path)
    assert "accepted regrade" in taught.page("audit")


def test_answers_are_judged_again_by_the_corrected_key(service: Service, taught: Class) -> None:
    midterm(service, is_correct=True)
    path = regraded(taught, QUESTION)
    page = taught.page(path)
    assert re.search(r"Ada</a></th>\s*<td[^>]*>0</td><td[^>]*><strong>1</strong>", page)
    assert re.search(r"Bob</a></th>\s*<td[^>]*>1</td><td[^>]*><strong>0</strong>", page)
    assert taught.send(path, decision="accept").status_code == 303
    assert taught.points() == ["1", "0"]
    assert "All 2 verdicts are by the problem as it is now" in taught.page(
        f"items/{taught.course.assignment}/{QUESTION}"
    )


def test_a_problem_that_its_pack_has_no_more_is_refused_and_keeps_nothing_else_waiting(
    service: Service, taught: Class
) -> None:
    design = original(DESIGN)
    reference = {path: text.decode() for path, text in reference_solution_files(design).items()}
    ungraded = begun(taught.wrong_solver, QUESTION, {"answer.md": "C"})
    midterm(service, is_correct=True, has_question=False)
    refusal = taught.wrong_solver.run(ungraded, 1, {"answer.md": "C"})
    assert (refusal.status_code, "no longer in the service" in refusal.text) == (404, True)
    absent_page = taught.teacher.get(f"/courses/{taught.course.name}/items/{taught.course.assignment}/{QUESTION}")
    assert absent_page.status_code == 404
    assert "Bob" in taught.page(f"items/{taught.course.assignment}/{DESIGN}")
    run = taught.wrong_solver.run(begun(taught.wrong_solver, DESIGN, reference), 1, reference).json()["id"]
    assert taught.wrong_solver.verdict(run)["verdict"]["outcome"] == "passed"


def test_a_dropped_regrade_changes_nothing_and_leaves_students_alone(service: Service, taught: Class) -> None:
    midterm(service, is_correct=True)
    regrade_path = taught.send(f"items/{taught.course.assignment}/{DESIGN}/regrade").headers["location"]
    path = regrade_path.removeprefix(f"/courses/{taught.course.name}/")
    # Whether the runs have ended or not: a solver neither sees nor ends them.
    with service.client(taught.right_solver.token) as client:
        client.post(f"/api/v1/runs/{taught.right_run}/cancel")
    assert taught.right_solver.verdict(taught.right_run)["verdict"]["outcome"] == "failed"
    assert taught.send(path, decision="drop").status_code == 303
    assert "Dropped" in taught.page(path)
    assert taught.points() == ["0", "1"]
    path = regraded(taught, DESIGN)
    assert "Ada" in taught.page(path)


def test_runs_that_are_judged_again_survive_the_end_of_the_service(service: Service, taught: Class) -> None:
    midterm(service, is_correct=True)
    regrade_path = taught.send(f"items/{taught.course.assignment}/{DESIGN}/regrade").headers["location"]
    service.stop()
    service.start(port=int(service.url.rpartition(":")[2]))
    give_up = time.monotonic() + 120
    path = regrade_path.removeprefix(f"/courses/{taught.course.name}/")
    while "<strong>All 2 runs have ended.</strong>" not in taught.page(path):
        assert time.monotonic() < give_up
        time.sleep(0.2)
    assert taught.send(path, decision="accept").status_code == 303
    assert taught.points() == ["1", "1"]


def test_regrades_are_for_staff(service: Service, taught: Class) -> None:
    path = regraded(taught, DESIGN)
    for role in (Role.GRADER, Role.MONITOR, Role.PARTICIPANT):
        client = signed_in(service, invitation(service, taught.course, role))
        course_path = f"/courses/{taught.course.name}"
        assert client.get(f"{course_path}/{path}").status_code == 404
        for form in (path, f"items/{taught.course.assignment}/{DESIGN}/regrade"):
            form_fields = {"csrf": csrf(client), "decision": "accept"}
            assert client.post(f"{course_path}/{form}", data=form_fields).status_code == 404
    assert "No verdict changes" in taught.page(path)
