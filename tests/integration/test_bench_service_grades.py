"""Grades of a course in the browser: points, extensions, adjustments, files, and how good the problems are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest

from benchwright_attempts.events.events import Started
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import reference_solution_files
from benchwright_problems.storage.store import Store
from benchwright_remote.messages import Role

from ..support.service.bench_service import Course, Service, Solver
from ..support.service.bench_service_grades import QUESTION, REF, account, change, course, points, teacher, texts
from ..support.service.bench_service_pages import invitation, signed_in

__all__ = ("account", "course", "teacher")

OTHER_QUESTION = "starter/vipt-synonyms"


def test_points_follow_the_rules_of_the_assignment_at_once(
    teacher: httpx2.Client, course: Course, account: str
) -> None:
    rules = f"/courses/{course.name}/assignments/{course.assignment}/grading"
    assert change(teacher, rules, worth="4", counting="best", late="0").status_code == 303
    assert points(teacher, course, account) == "4"
    assert change(teacher, rules, worth="4", counting="best", late="10").status_code == 303
    assert points(teacher, course, account) == "3.2"
    wrong_change = change(teacher, rules, worth="4", counting="best", late="101")
    assert (wrong_change.status_code, "“late” is no number from 0 to 100" in wrong_change.text) == (422, True)
    assert points(teacher, course, account) == "3.2"


def test_an_extension_takes_the_lateness_away_and_an_adjustment_adds_to_the_points(
    service: Service, teacher: httpx2.Client, course: Course, account: str
) -> None:
    rules = f"/courses/{course.name}/assignments/{course.assignment}/grading"
    change(teacher, rules, worth="4", late="10")
    path = f"/courses/{course.name}/grades/{course.assignment}/{account}"
    for field in ("due", "closes"):
        for typed_time in ("0026-12-01T23:59", "2016-12-01T23:59", (datetime.now(UTC) - timedelta(days=9)).isoformat()):
            refused_page = change(teacher, path, reason="ill", **{field: typed_time})
            assert (refused_page.status_code, points(teacher, course, account)) == (422, "3.2")
            assert "and an extension is not earlier" in refused_page.text or "never closes" in refused_page.text
    due = (datetime.now(UTC) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    assert change(teacher, path, due=due, reason="ill").status_code == 303
    assert points(teacher, course, account) == "4"
    assert "needs a reason" in change(teacher, path, points="-1").text
    assert change(teacher, path, points="-1", reason="copied <3 lines>").status_code == 303
    assert points(teacher, course, account) == "3"
    page = teacher.get(path).text
    assert "copied &lt;3 lines&gt;" in page
    assert "Adjusted by Professor" in page
    audit = teacher.get(f"/courses/{course.name}/audit").text
    assert "adjusted by -1" in audit
    assert "extended" in audit
    student_page = teacher.get(f"/courses/{course.name}/grades/{course.assignment}/nobody")
    assert student_page.status_code == 404


@pytest.mark.parametrize("kind", ["canvas", "moodle"])
def test_the_gradebook_is_a_file_without_formulas(
    teacher: httpx2.Client, course: Course, account: str, kind: str
) -> None:
    assert account
    reply = teacher.get(f"/courses/{course.name}/grades.{kind}.csv")
    assert reply.headers["content-disposition"] == f'attachment; filename="{course.name}-{kind}.csv"'
    assert "'=Ada <b>" in reply.text
    assert teacher.get(f"/courses/{course.name}/grades.xlsx.csv").status_code == 404


def test_problems_show_what_they_catch_and_what_was_answered(
    teacher: httpx2.Client, course: Course, account: str
) -> None:
    assert account
    items = teacher.get(f"/courses/{course.name}/items").text
    links = re.findall(r'href="(/courses/[^"]*/items/[^"]*)"', items)
    assert len(links) == 2
    design, question = (teacher.get(link).text for link in links)
    assert "1, of whom 1 passed" in design
    assert "2 (median)" in design
    assert "&lt;i&gt;nothing&lt;/i&gt;" in question


@pytest.mark.parametrize("role", [Role.GRADER, Role.MONITOR, Role.PARTICIPANT])
def test_grades_are_for_staff(service: Service, course: Course, account: str, role: Role) -> None:
    client = signed_in(service, invitation(service, course, role))
    course_path = f"/courses/{course.name}"
    for page in ("grades", "grades.canvas.csv", "items", f"items/{course.assignment}/saturating-counter"):
        assert client.get(f"{course_path}/{page}").status_code == 404
    for form in (f"grades/{course.assignment}/{account}", f"assignments/{course.assignment}/grading"):
        assert change(client, f"{course_path}/{form}", points="5", reason="x", worth="5").status_code == 404


def test_solutions_that_are_alike_are_shown_to_staff(
    service: Service, teacher: httpx2.Client, course: Course, account: str, tmp_path: Path
) -> None:
    problem = Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(REF)
    solver = Solver.joining(service, course, tmp_path, "Mallory")
    files = texts(problem, reference_solution_files(problem))
    copied = {path: f"// mine\n{text}" for path, text in files.items()}
    attempt = solver.begin(REF, files)
    solver.record(attempt, Started())
    assert solver.send(attempt).status_code == 200
    solver.verdict(solver.run(attempt, 1, copied).json()["id"])
    page = ""
    while not page or "still being compared" in page:
        page = teacher.get(f"/courses/{course.name}/items/{course.assignment}/saturating-counter/alike").text
    assert "1 pair<" in page
    assert "Mallory" in page
    assert "=Ada &lt;b&gt;" in page
    assert re.search(r"100 %", page)
    pair_path = re.findall(r'href="([^"]*/alike/[^"]*)"', page)[0]
    pair_page = teacher.get(pair_path).text
    first_lines, second_lines = (
        re.findall(r'class="line match [^"]*">.*?<code>(.*)\n', side) for side in pair_page.split("</section>")[:2]
    )
    assert first_lines == second_lines, "the comment of one of them is in no passage"
    assert "assign" in " ".join(first_lines) or "always" in " ".join(first_lines)
    for side, other in (("one", "two"), ("two", "one")):
        assert f'id="{side}-1" href="#{other}-1"' in pair_page
    assert teacher.get(pair_path + "x").status_code == 404
    question_page = teacher.get(f"/courses/{course.name}/items/{course.assignment}/load-use-stalls/alike")
    assert question_page.status_code == 404
    assert account
    solver.log.close()


def answer_questions(service: Service, course: Course, folder: Path, answer_pairs: Sequence[tuple[str, str]]) -> None:
    """Each of as many students answers both questions of a course."""
    for number, student_answers in enumerate(answer_pairs):
        (folder / str(number)).mkdir()
        solver = Solver.joining(service, course, folder / str(number), f"Student {number}")
        for ref, answer in zip((QUESTION, OTHER_QUESTION), student_answers, strict=True):
            attempt = solver.begin(ref, {"answer.md": ""})
            solver.record(attempt, Started())
            assert solver.send(attempt).status_code == 200
            solver.verdict(solver.run(attempt, 1, {"answer.md": answer}).json()["id"])
        solver.log.close()


def options(page: str) -> dict[str, tuple[str, str]]:
    """By option, its discrimination and what is said of it as a distractor."""
    table = page.partition('aria-label="Options"')[2].partition("</table>")[0]
    option_rows = re.findall(r'<th scope="row">([^<]*)</th>(.*?)</tr>', table)
    option_cells = {option: re.findall(r"<td[^>]*>((?:(?!</td>).)*)</td>", row) for option, row in option_rows}
    assert len(re.findall(r"<th scope=\"col\"", table)) == 7
    return {option: (columns[-2], columns[-1]) for option, columns in option_cells.items()}


def test_an_option_shows_whether_the_better_select_it_and_whether_hardly_anybody_does(
    service: Service, tmp_path: Path
) -> None:
    course = service.set_up(problems=("load-use-stalls", "vipt-synonyms"))
    teacher = signed_in(service, invitation(service, course, Role.OWNER), "Professor")
    # Sixteen know the other question; twelve of them select C, which is right, two A and two B. The others select A.
    answer_pairs = [("C", "true")] * 12 + [("A", "true")] * 2 + [("B", "true")] * 2 + [("A", "false")] * 4
    answer_questions(service, course, tmp_path, answer_pairs)
    of_question, of_other = (
        options(teacher.get(f"/courses/{course.name}/items/{course.assignment}/{name}").text)
        for name in ("load-use-stalls", "vipt-synonyms")
    )
    assert of_question == {
        "A": ("\N{MINUS SIGN}0.76", "functional"),
        "B": ("+0.17", "functional"),
        "C (right)": ("+0.61", "–"),
        "D": ("–", "non-functional"),
    }
    assert of_other == {"true (right)": ("+0.61", "–"), "false": ("\N{MINUS SIGN}0.61", "functional")}


def test_options_that_nobody_selects_do_not_tell_the_key_while_nobody_has_passed(
    service: Service, tmp_path: Path
) -> None:
    course = service.set_up(problems=("load-use-stalls", "vipt-synonyms"))
    teacher = signed_in(service, invitation(service, course, Role.OWNER), "Professor")
    answer_questions(service, course, tmp_path, [("A", "true")] * 10 + [("D", "false")] * 10)
    page = teacher.get(f"/courses/{course.name}/items/{course.assignment}/load-use-stalls").text
    assert {option: idle for option, (_, idle) in options(page).items()} == dict.fromkeys("ABCD", "–")
    assert "non-functional if fewer than 5 % select it" in page
