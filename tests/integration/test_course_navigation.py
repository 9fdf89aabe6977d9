"""The navigation inside a course, and the problems that can be read there: by role."""

from __future__ import annotations

import re

import httpx2
import pytest

from benchwright_foundation.home import Home
from benchwright_problems.problem import Problem
from benchwright_problems.storage.store import Store
from benchwright_remote.messages import Role

from ..support.service.bench_service import Course, Service
from ..support.service.bench_service_pages import REF, course, csrf, invitation, signed_in

__all__ = ("course",)

OWNERS = ("settings", "copy")
STAFF = ("progress", "grades", "answers", "appeals", "late-days", "items", "questions", "people", "audit")
PLACES = {
    Role.OWNER: {"", *STAFF, *OWNERS},
    Role.STAFF: {"", *STAFF},
    Role.GRADER: {"", "answers"},
    Role.PARTICIPANT: {"", "mine"},
    # One place alone needs no navigation.
    Role.MONITOR: set(),
}


def places(page: str, course: Course) -> dict[str, str]:
    """The places that a page's navigation leads to, with their `aria-current`."""
    navigation_match = re.search(r'<nav aria-label="[^"]*" class="places">(.*?)</nav>', page, re.DOTALL)
    links = re.findall(r'<a href="([^"]*)"(?: aria-current="(\w+)")?>', navigation_match[1]) if navigation_match else []
    return {
        path.removeprefix(f"/courses/{course.name}").removesuffix(course.assignment).strip("/"): current
        for path, current in links
    }


@pytest.mark.parametrize("role", list(Role))
def test_the_navigation_leads_to_what_a_role_may_see_and_to_nothing_else(
    service: Service, course: Course, role: Role
) -> None:
    client = signed_in(service, invitation(service, course, role))
    assert set(places(client.get(f"/courses/{course.name}").text, course)) == PLACES[role]
    for place in (*STAFF, *OWNERS):
        page = client.get(f"/courses/{course.name}/{place}")
        if place in PLACES[role]:
            assert (page.status_code, places(page.text, course)[place]) == (200, "page")
        elif place != "questions":
            assert page.status_code == 404


def test_a_page_below_a_place_names_the_place_and_the_way_back(service: Service, course: Course) -> None:
    owner = signed_in(service, invitation(service, course, Role.OWNER))
    path = f"/courses/{course.name}"
    pages = {
        f"{path}/assignments/{course.assignment}": "",
        f"{path}/assignments/new": "",
        f"{path}/problems/{REF}": "",
        f"{path}/items/{course.assignment}/saturating-counter": "items",
    }
    for page_path, place in pages.items():
        page = owner.get(page_path)
        assert page.status_code == 200, page_path
        marked_places = {name: value for name, value in places(page.text, course).items() if value}
        assert marked_places == {place: "true"}
        assert f'<li><a href="{path}">' in page.text


def test_students_find_questions_once_the_course_collects_them(service: Service, course: Course) -> None:
    owner, student = (signed_in(service, invitation(service, course, role)) for role in (Role.OWNER, Role.PARTICIPANT))
    form = {"csrf": csrf(owner), "title": "Questions", "license": "CC-BY-4.0", "reviewers": "2"}
    assert owner.post(f"/courses/{course.name}/questions", data=form).status_code == 303
    assert set(places(student.get(f"/courses/{course.name}").text, course)) == {"", "mine", "questions"}


@pytest.fixture(scope="module")
def problem() -> Problem:
    return Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(REF)


def page_of_problem(client: httpx2.Client, course: Course, problem_ref: str) -> httpx2.Response:
    return client.get(f"/courses/{course.name}/problems/{problem_ref}")


def test_a_problem_is_read_by_whom_it_is_assigned_to_and_by_staff_and_nothing_hidden_is_in_it(
    service: Service, course: Course, problem: Problem
) -> None:
    staff, student, grader = (
        signed_in(service, invitation(service, course, role)) for role in (Role.STAFF, Role.PARTICIPANT, Role.GRADER)
    )
    stranger = signed_in(service, service.set_up(problems=("saturating-counter",)).invitation)
    own = student.get(f"/courses/{course.name}/mine/{course.assignment}").text
    assert places(own, course)["mine"] == "page"
    assert f'href="/courses/{course.name}/problems/{REF}"' in own
    hidden_lines = {
        line.strip()
        for text in (*problem.hidden.harness.values(), *problem.hidden.reference.values())
        for line in text.splitlines()
        if len(line.strip()) > 30
    } - {line.strip() for text in problem.public.files.values() for line in text.splitlines()}
    assert hidden_lines
    for client in (staff, student, grader):
        page = page_of_problem(client, course, REF)
        assert page.status_code == 200
        assert problem.title in page.text
        assert problem.public.expected[0] in page.text
        assert not [line for line in hidden_lines if line in page.text]
    # It is in the pack, and not in the assignment.
    assert page_of_problem(staff, course, "starter/amdahl").status_code == 200
    assert page_of_problem(student, course, "starter/amdahl").status_code == 404
    assert page_of_problem(staff, course, "starter/no-such-problem").status_code == 404
    assert page_of_problem(staff, course, "no-such-pack/amdahl").status_code == 404
    assert page_of_problem(stranger, course, REF).status_code == 404


def test_a_problem_can_be_read_only_once_its_assignment_opens(service: Service, course: Course) -> None:
    owner, student = (signed_in(service, invitation(service, course, role)) for role in (Role.OWNER, Role.PARTICIPANT))
    form = {"csrf": csrf(owner), "pack": "starter", "problems": "amdahl"}
    for opens, status in (("2099-01-01T00:00", 404), ("2020-01-01T00:00", 200)):
        assert owner.post(f"/courses/{course.name}/assignments", data=form | {"opens": opens}).status_code == 303
        assert page_of_problem(student, course, "starter/amdahl").status_code == status


def test_several_ticked_problems_are_assigned_and_all_of_the_pack_if_none_is(service: Service, course: Course) -> None:
    owner = signed_in(service, invitation(service, course, Role.OWNER))
    path = f"/courses/{course.name}/assignments"
    page = owner.get(f"{path}/new?pack=starter").text
    offered_names = re.findall(r'name="problems" value="([^"]*)"', page)
    assert {"saturating-counter", "sync-fifo", "amdahl"} <= set(offered_names)
    form = {"csrf": csrf(owner), "pack": "starter"}
    for title, ticked in (("Two", ["amdahl", "sync-fifo"]), ("All", [])):
        assert owner.post(path, data=form | {"title": title, "problems": ticked}).status_code == 303
        row_match = re.search(
            rf">{title}</a></th><td class=\"number\">(\d+)<", owner.get(f"/courses/{course.name}").text
        )
        assert row_match is not None
        assert int(row_match[1]) == (len(ticked) or len(offered_names))
