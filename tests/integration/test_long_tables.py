"""Tables of a large course: a page at a time, and every row can be reached, found and sorted without a script."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import httpx2
import pytest

from benchwright_remote.messages import Role
from benchwright_service.pages.long_tables import LIST_ROWS, MATRIX_COLUMNS, matrix_row_limit
from benchwright_service.pages.visit import cookie_name

from ..support.service.bench_service import Service
from ..support.service.bench_service_pages import csrf
from ..support.service.large_course import LargeCourse, Size, make_large_course

STUDENTS = 110
ASSIGNMENTS = 16
_ROW = re.compile(r'<tr><th scope="row">([^<]+?)(?: <small>(\w)</small>)?</th>(.*?)</tr>', re.DOTALL)
_NEXT = r'<nav class="pager" aria-label="{label}">(?:(?!</nav>).)*href="([^"]*)" rel="next"'
_AUDIT_ROW = re.compile(r"<tr><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td>")
_NUMBER = re.compile(r'<td class="number">(?:<a [^>]*>)?([\d.]+)')


COLUMN_PROBLEM = re.compile(r'<th scope="col"[^>]*><a href="[^"]*%2F([a-z-]+)["&]')
"""The problem of a column, from the link that sorts by it."""


@pytest.fixture(scope="module")
def course(service: Service) -> LargeCourse:
    return make_large_course(service, Size(STUDENTS, ASSIGNMENTS, problems=2, runs=1), browsers=1)


@pytest.fixture
def teacher(service: Service, course: LargeCourse) -> Iterator[httpx2.Client]:
    cookies = {cookie_name(is_https=False): course.cookies[Role.OWNER.value][0]}
    headers = {"Origin": service.url}
    with httpx2.Client(base_url=service.url, cookies=cookies, headers=headers, timeout=60.0, trust_env=False) as client:
        yield client


def all_pages(teacher: httpx2.Client, path: str, query: str = "", label: str = "Pages") -> list[str]:
    """Pages of a table, as somebody sees them who follows its links."""
    pages = [teacher.get(f"{path}{query}").text]
    while match := re.search(_NEXT.format(label=label), pages[-1], re.DOTALL):
        pages.append(teacher.get(f"{path}{html.unescape(match[1])}").text)
    return pages


def names(page: str) -> list[str]:
    return [match[1] for match in _ROW.finditer(page)]


@pytest.mark.parametrize(
    ("table", "row_limit", "people"),
    [
        ("progress", matrix_row_limit(2 * ASSIGNMENTS), STUDENTS),
        ("grades", matrix_row_limit(ASSIGNMENTS), STUDENTS),
        ("people", LIST_ROWS, STUDENTS + 3),
    ],
)
def test_every_row_is_reached_by_the_links_below_a_table(
    teacher: httpx2.Client, course: LargeCourse, table: str, row_limit: int, people: int
) -> None:
    pages = all_pages(teacher, f"/courses/{course.name}/{table}")
    shown_names = [name for page in pages for name in names(page)]
    assert len(shown_names) == len(set(shown_names)) == people
    assert {len(names(page)) for page in pages[:-1]} == {row_limit}
    assert shown_names == sorted(shown_names, key=str.lower)
    assert f"Page 2 of {len(pages)}" in pages[1]


def test_a_heading_sorts_by_its_column_and_once_more_in_reverse(teacher: httpx2.Client, course: LargeCourse) -> None:
    path = f"/courses/{course.name}/grades"
    for heading in ("Sum", course.assignments[3].title):
        first_page = teacher.get(path).text
        match = re.search(rf'<a href="([^"]*)">{heading}</a>', first_page)
        assert match is not None
        ascending = html.unescape(match[1])
        reversed_match = re.search(
            rf'aria-sort="ascending"><a href="([^"]*)">{heading}', teacher.get(path + ascending).text
        )
        assert reversed_match is not None
        for query, is_descending in ((ascending, False), (html.unescape(reversed_match[1]), True)):
            numbers = [
                float(_NUMBER.findall(match[3])[-1 if heading == "Sum" else 3])
                for page in all_pages(teacher, path, query)
                for match in _ROW.finditer(page)
            ]
            assert len(numbers) == STUDENTS
            assert numbers == sorted(numbers, reverse=is_descending)
            assert numbers[0] != numbers[-1]


def test_progress_is_sorted_by_what_is_passed(teacher: httpx2.Client, course: LargeCourse) -> None:
    for sort in ("passed", f"{course.assignments[0].id}/{course.assignments[0].problems[0]}"):
        pages = all_pages(teacher, f"/courses/{course.name}/progress", f"?sort={sort}&order=desc")
        cells = [match[3] for page in pages for match in _ROW.finditer(page)]
        values = [
            int(_NUMBER.findall(cell)[0]) if sort == "passed" else 'class="passed"' in cell.split("</td>")[1]
            for cell in cells
        ]
        assert len(values) == STUDENTS
        assert values == sorted(values, reverse=True)
        assert values[0] != values[-1]


def test_a_name_is_found_in_its_section(teacher: httpx2.Client, course: LargeCourse) -> None:
    everybody = [
        match for page in all_pages(teacher, f"/courses/{course.name}/grades") for match in _ROW.finditer(page)
    ]
    for table in ("progress", "grades", "people"):
        page = teacher.get(f"/courses/{course.name}/{table}?q=LOVELACE&section=B").text
        expected = {match[1] for match in everybody if "Lovelace" in match[1] and match[2] == "B"}
        assert set(names(page)) == expected
        assert expected
        nobody = teacher.get(f"/courses/{course.name}/{table}?q=%25").text
        assert names(nobody) == []


def test_columns_beyond_the_first_thirty_have_pages_of_their_own(teacher: httpx2.Client, course: LargeCourse) -> None:
    path = f"/courses/{course.name}/progress"
    first_columns, other_columns = (COLUMN_PROBLEM.findall(page) for page in all_pages(teacher, path, label="Columns"))
    assert len(first_columns) == MATRIX_COLUMNS
    assert first_columns + other_columns == [problem for view in course.assignments for problem in view.problems]
    view = course.assignments[-1]
    chosen = teacher.get(f"{path}?assignment={view.id}").text
    assert COLUMN_PROBLEM.findall(chosen) == list(view.problems)


def test_groups_of_one_page_are_saved_without_those_of_others(teacher: httpx2.Client, course: LargeCourse) -> None:
    path = f"/courses/{course.name}/people"
    field_pattern = re.compile(r'name="(shown-group-\w+)" value="([^"]*)"')
    groups_before = {name: group for page in all_pages(teacher, path) for name, group in field_pattern.findall(page)}
    last_page = all_pages(teacher, path)[-1]
    form = dict(field_pattern.findall(last_page))
    form |= {name.removeprefix("shown-"): "north" for name in form}
    reply = teacher.post(f"{path}?page=2", data={"csrf": csrf(teacher), **form})
    assert reply.status_code == 303
    group_by_field = {name: group for page in all_pages(teacher, path) for name, group in field_pattern.findall(page)}
    assert group_by_field == groups_before | {name: "north" for name in form if name.startswith("shown-")}


@pytest.mark.parametrize("table", ["appeals", "audit", "regrades"])
def test_long_lists_have_pages(teacher: httpx2.Client, course: LargeCourse, table: str) -> None:
    path = f"/courses/{course.name}/{table}" + (f"/{course.regrade}" if table == "regrades" else "")
    pages = all_pages(teacher, path)
    row_counts = [len(re.findall(r"<tr>", page)) - 1 for page in pages]
    assert max(row_counts) <= LIST_ROWS
    assert (len(pages) > 1) == (table == "audit")
    assert sum(row_counts) >= STUDENTS // 4


def test_all_pages_of_a_filtered_audit_log_have_the_wanted_entries_alone(
    teacher: httpx2.Client, course: LargeCourse
) -> None:
    path = f"/courses/{course.name}/audit"
    teacher.get(f"/courses/{course.name}/people")
    pages = all_pages(teacher, path, "?action=saw+work&since=2000-01-01")
    actions = [row[2] for page in pages for row in _AUDIT_ROW.findall(page)]
    assert len(pages) > 1
    assert set(actions) == {"saw work"}
    assert "saw people" in teacher.get(path).text


def test_a_page_that_there_is_not_is_the_last_one(teacher: httpx2.Client, course: LargeCourse) -> None:
    for table in ("progress", "grades", "people", "appeals", "audit"):
        for page in ("0", "-1", "x", "999999999", "9" * 40):
            reply = teacher.get(f"/courses/{course.name}/{table}?page={page}&columns={page}&sort=nothing&order=x")
            assert reply.status_code == 200
