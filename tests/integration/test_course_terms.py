"""A course's dates over terms and time zones: forms in local time, late days, copies for a new term."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2

from benchwright_attempts.events.events import Started
from benchwright_problems.assistance import AllowedHelp, Assistance
from benchwright_problems.verdict import Reason
from benchwright_remote.messages import Role
from benchwright_remote.teaching_messages import Scope
from benchwright_service.bench import open_administration
from benchwright_studies.conduct.study_log import StudyLog

from ..support.service.bench_service import Course, Service, Solver
from ..support.service.bench_service_pages import invitation, signed_in
from ..support.service.course_people import send
from ..support.service.hand_worker import HandWorker
from ..support.service.teaching_api import new_token

WORKERS = 0
"""Runs stay queued."""
NOW = datetime.now(UTC)


def owner_of(service: Service, course: Course) -> httpx2.Client:
    return signed_in(service, invitation(service, course, Role.OWNER), "Professor")


def change_settings(owner: httpx2.Client, course: Course, **fields: str) -> httpx2.Response:
    usual = {"title": "Computer architecture", "zone": "UTC", "late-days": "0"}
    return send(owner, f"/courses/{course.name}/settings", **usual | fields)


def course_assignment(service: Service, owner: httpx2.Client, course: Course) -> dict[str, str]:
    """The only assignment of a course, as programs see it."""
    with service.client(new_token(owner, Scope.COURSE_READ)) as program:
        (taught,) = program.get(f"/api/v1/courses/{course.name}").json()["assignments"]
    return dict(taught["assignment"])


class Student:
    """A student in a browser."""

    def __init__(self, service: Service, course: Course, folder: Path, name: str) -> None:
        folder.mkdir()
        solver = Solver.joining(service, course, folder, name)
        with service.client(solver.token) as client:
            self.account = str(client.get("/api/v1/me").json()["account"])
        self.browser = signed_in(service, solver.token)
        self.page = f"/courses/{course.name}/mine/{course.assignment}"
        self._solver, self._folder = solver, folder
        solver.log.close()

    def pass_design(self, service: Service) -> None:
        """Has a run of the student pass."""
        log = StudyLog(self._folder / "attempts.sqlite")
        solver = Solver(service, self._solver.course, log, self._solver.token)
        files = {"rtl/sat_counter.sv": "module sat_counter; endmodule\n"}
        attempt = solver.begin("starter/saturating-counter", files)
        solver.record(attempt, Started())
        assert solver.send(attempt).status_code == 200
        assert solver.run(attempt, 1, files).status_code == 202
        token = service.worker_token()
        worker = HandWorker(lambda: service.client(token))
        job = worker.ask(10.0)
        assert job is not None
        assert worker.deliver(job, Reason.PASSED)
        log.close()

    def due(self, service: Service) -> datetime:
        """The due date that the student's editor knows."""
        with service.client(self._solver.token) as client:
            return datetime.fromisoformat(client.get("/api/v1/assignments").json()[0]["due"])

    def use_late_days(self, days: int) -> httpx2.Response:
        return send(self.browser, f"{self.page}/late-days", days=str(days))


def test_dates_are_typed_and_shown_where_the_reader_is_and_else_where_the_course_is(service: Service) -> None:
    course = service.set_up(problems=("saturating-counter",))
    owner = owner_of(service, course)
    assert "no time zone &#39;Berlin&#39;" in change_settings(owner, course, zone="Berlin").text
    assert change_settings(owner, course, zone="Europe/Berlin").status_code == 303
    form = f"/courses/{course.name}/assignments/{course.assignment}"
    assert send(owner, form, title="Week 1", due="2099-12-01T23:59").status_code == 303
    assert datetime.fromisoformat(course_assignment(service, owner, course)["due"]) == datetime(
        2099, 12, 1, 22, 59, tzinfo=UTC
    )
    page = owner.get(f"/courses/{course.name}").text
    assert '<time datetime="2099-12-01T22:59:00+00:00"' in page
    assert ">2099-12-01 23:59 CET</time>" in page
    assert 'value="2099-12-01T23:59"' in owner.get(form).text
    owner.cookies.set("benchwright_zone", "America%2FNew_York")
    page = owner.get(f"/courses/{course.name}").text
    assert 'title="2099-12-01 17:59 in America/New_York; 2099-12-01 23:59 in Europe/Berlin"' in page
    assert ">2099-12-01 17:59 EST</time>" in page
    form_page = owner.get(form).text
    assert 'value="2099-12-01T17:59"' in form_page
    assert "Times are those of America/New_York, where you are; the course is in Europe/Berlin." in form_page
    assert '<input type="hidden" name="form-zone" value="America/New_York">' in form_page
    for typed, moment in (("2099-12-01T17:59", (1, 22, 59)), ("2099-12-01T18:00", (1, 23, 0))):
        in_new_york = {"form-zone": "America/New_York", "due": typed}
        assert send(owner, form, title="Week 1", **in_new_york).status_code == 303
        assert datetime.fromisoformat(course_assignment(service, owner, course)["due"]) == datetime(
            2099, 12, *moment, tzinfo=UTC
        )
    assert send(owner, form, title="Week 1", due="2099-12-01T23:59", **{"form-zone": "Mars/Base"}).status_code == 303
    owner.cookies.set("benchwright_zone", "../../etc/passwd")
    assert ">2099-12-01 23:59 CET</time>" in owner.get(f"/courses/{course.name}").text


def test_a_time_that_no_clock_of_the_course_shows_is_refused_and_one_that_comes_twice_is_the_later(
    service: Service,
) -> None:
    course = service.set_up(problems=("saturating-counter",))
    owner = owner_of(service, course)
    assert change_settings(owner, course, zone="Europe/Berlin").status_code == 303
    form = f"/courses/{course.name}/assignments/{course.assignment}"
    refused = send(owner, form, title="Week 1", due="2027-03-28T02:30")
    assert refused.status_code == 422
    assert "does not exist in Europe/Berlin" in refused.text
    assert "the next time is 2027-03-28T03:00" in refused.text
    assert send(owner, form, title="Week 1", due="2027-10-31T02:30").status_code == 303
    due = datetime.fromisoformat(course_assignment(service, owner, course)["due"])
    assert due == datetime(2027, 10, 31, 1, 30, tzinfo=UTC)


def test_a_date_that_a_form_does_not_change_stays_the_same_moment(service: Service) -> None:
    # The first of two half past two, with seconds: no field can say it.
    due = datetime(2027, 10, 31, 0, 30, 59, tzinfo=UTC)
    course = service.set_up(problems=("saturating-counter",), due=due)
    owner = owner_of(service, course)
    assert change_settings(owner, course, zone="Europe/Berlin").status_code == 303
    form = f"/courses/{course.name}/assignments/{course.assignment}"
    assert 'value="2027-10-31T02:30"' in owner.get(form).text
    assert send(owner, form, title="Week 2", due="2027-10-31T02:30").status_code == 303
    assert datetime.fromisoformat(course_assignment(service, owner, course)["due"]) == due
    assert send(owner, form, title="Week 2", due="2027-10-31T02:31").status_code == 303
    moved_due = datetime(2027, 10, 31, 1, 31, tzinfo=UTC)
    assert datetime.fromisoformat(course_assignment(service, owner, course)["due"]) == moved_due


def test_only_owners_change_settings_and_copy(service: Service) -> None:
    course = service.set_up(problems=("saturating-counter",))
    for role in set(Role) - {Role.OWNER}:
        visitor = signed_in(service, invitation(service, course, role), role.value)
        for page in ("settings", "copy"):
            assert visitor.get(f"/courses/{course.name}/{page}").status_code == 404
            assert send(visitor, f"/courses/{course.name}/{page}", title="x", days="1").status_code == 404
        expected = 200 if role is Role.STAFF else 404
        assert visitor.get(f"/courses/{course.name}/late-days").status_code == expected


def late_course(
    service: Service, *, by_group: bool = False, closes: datetime | None = None
) -> tuple[Course, httpx2.Client]:
    """A course with four late days for each, of which an assignment takes three, due an hour ago."""
    course = service.set_up(problems=("saturating-counter",), due=NOW - timedelta(hours=1), closes=closes)
    owner = owner_of(service, course)
    assert change_settings(owner, course, **{"late-days": "4"}).status_code == 303
    rules = {"worth": "1", "late": "10", "late-days": "3"} | ({"by-group": "on"} if by_group else {})
    path = f"/courses/{course.name}/assignments/{course.assignment}/grading"
    assert send(owner, path, **rules).status_code == 303
    return course, owner


def test_a_student_moves_her_own_date_as_far_as_her_late_days_go(service: Service, tmp_path: Path) -> None:
    course, owner = late_course(service)
    ada, bob = (Student(service, course, tmp_path / name, name) for name in ("Ada", "Bob"))
    usual_due = ada.due(service)
    assert "4 of 4 late days left" in ada.browser.get(ada.page).text
    assert ada.use_late_days(2).status_code == 303
    assert ada.due(service) == usual_due + timedelta(days=2)
    assert bob.due(service) == usual_due
    refused = ada.use_late_days(2)
    assert (refused.status_code, "takes 3 late days, and you have used 2 for it" in refused.text) == (409, True)
    assert ada.use_late_days(1).status_code == 303
    page = ada.browser.get(ada.page).text
    assert "1 of 4 late days left" in page
    assert "Use late days" not in page
    for fields in ({"days": "0"}, {"days": "-1"}, {"days": "1.5e9"}, {}):
        assert send(ada.browser, f"{ada.page}/late-days", **fields).status_code == 409
    overview = owner.get(f"/courses/{course.name}/late-days").text
    (row,) = [row for row in overview.split("<tr>") if ">Ada" in row]
    assert re.findall(r'<td class="number">(\d+)</td>', row) == ["3", "1"]
    grade = owner.get(f"/courses/{course.name}/grades/{course.assignment}/{ada.account}").text
    assert "used 2 late days" in grade
    assert "with 3 late days" in grade


def test_late_days_follow_an_extension_and_keep_an_assignment_open(service: Service, tmp_path: Path) -> None:
    closes = NOW + timedelta(hours=5)
    course, owner = late_course(service, closes=closes)
    ada = Student(service, course, tmp_path / "ada", "Ada")
    extended = NOW + timedelta(days=1)
    path = f"/courses/{course.name}/grades/{course.assignment}/{ada.account}"
    assert send(owner, path, due=f"{extended:%Y-%m-%dT%H:%M}", reason="ill").status_code == 303
    assert ada.use_late_days(1).status_code == 303
    due = extended.replace(second=0, microsecond=0) + timedelta(days=1)
    assert ada.due(service) == due
    with service.client(new_token(owner, Scope.GRADES_READ)) as program:
        (student,) = program.get(f"/api/v1/courses/{course.name}/grades").json()["students"]
    points = student["assignments"][0]
    assert (points["extended"], points["late_days"]) == (True, 1)
    assert datetime.fromisoformat(points["closes"]) == due


def test_an_assignment_that_is_closed_takes_no_late_days(service: Service, tmp_path: Path) -> None:
    course, _ = late_course(service, closes=NOW - timedelta(minutes=5))
    ada = Student(service, course, tmp_path / "ada", "Ada")
    assert "Use late days" not in ada.browser.get(ada.page).text
    refused = ada.use_late_days(1)
    assert (refused.status_code, "closed for you" in refused.text) == (409, True)


def test_in_a_group_each_pays_with_late_days_of_their_own(service: Service, tmp_path: Path) -> None:
    course, owner = late_course(service, by_group=True)
    ada, bob, eve = (Student(service, course, tmp_path / name, name) for name in ("Ada", "Bob", "Eve"))
    usual_due = ada.due(service)
    groups = {f"group-{student.account}": "north" for student in (ada, bob)}
    assert send(owner, f"/courses/{course.name}/people", **groups).status_code == 303
    assert "ask the others first" in ada.browser.get(ada.page).text
    assert ada.use_late_days(2).status_code == 303
    assert [student.due(service) - usual_due for student in (ada, bob, eve)] == [timedelta(days=2)] * 2 + [timedelta()]
    assert "2 of 4 late days left" in bob.browser.get(bob.page).text
    refused = bob.use_late_days(2)
    assert refused.status_code == 409
    # Eve, who joins later with days of hers, can't pay for what the others have used up.
    assert send(owner, f"/courses/{course.name}/people", **{f"group-{eve.account}": "north"}).status_code == 303
    refused = eve.use_late_days(2)
    assert (refused.status_code, "somebody of your group has used 2" in refused.text) == (409, True)
    assert eve.due(service) == usual_due


def test_points_follow_late_days_and_extensions_of_work_that_is_there_already(service: Service, tmp_path: Path) -> None:
    course, owner = late_course(service, by_group=True)
    ada, bob, eve = (Student(service, course, tmp_path / name, name) for name in ("Ada", "Bob", "Eve"))
    groups = {f"group-{student.account}": "north" for student in (ada, bob)}
    assert send(owner, f"/courses/{course.name}/people", **groups).status_code == 303
    for student in (ada, eve):
        student.pass_design(service)
    path = f"/api/v1/courses/{course.name}"
    with service.client(new_token(owner, *Scope)) as program:

        def points() -> list[float]:
            students = program.get(f"{path}/grades").json()["students"]
            points_by_account = {student["account"]: student["assignments"][0]["points"] for student in students}
            return [points_by_account[student.account] for student in (ada, bob, eve)]

        assert points() == [0.9, 0.9, 0.9]
        assert bob.use_late_days(1).status_code == 303
        assert points() == [1, 1, 0.9]
        extension = {"assignment": course.assignment, "account": eve.account, "due": "2099-01-01T00:00:00Z"}
        assert program.post(f"{path}/extensions", json={"extensions": [extension]}).status_code == 200
        assert points() == [1, 1, 1]
        assert program.patch(f"{path}/roster/{bob.account}", json={"group": ""}).status_code == 200
        assert points() == [1, 0, 1]


async def test_late_days_that_are_used_at_once_are_used_once(service: Service, tmp_path: Path) -> None:
    course, _ = await asyncio.to_thread(late_course, service)
    ada = await asyncio.to_thread(Student, service, course, tmp_path / "ada", "Ada")
    late_day_replies = await asyncio.gather(*(asyncio.to_thread(ada.use_late_days, 2) for _ in range(4)))
    assert sorted(reply.status_code for reply in late_day_replies) == [303, 409, 409, 409]


async def source_course(service: Service) -> Course:
    """A course in Berlin with two assignments, people, and a student's extension."""
    course = await asyncio.to_thread(
        lambda: service.set_up(
            problems=("saturating-counter",),
            title="Week 1",
            opens=datetime(2026, 10, 12, 6, tzinfo=UTC),
            due=datetime(2026, 10, 20, 21, 59, tzinfo=UTC),
            assistance=Assistance(allowed=AllowedHelp.NONE),
            most_runs=7,
        )
    )
    async with open_administration(service.folders, service.database) as parts:
        await parts.courses.make_assignment(
            course.name, "starter", title="Week 2", closes=datetime(2026, 11, 3, 12, tzinfo=UTC)
        )
    return course


async def test_a_copy_has_rules_and_shifted_dates_and_nobody_but_its_owner(service: Service) -> None:
    course = await source_course(service)

    def play() -> None:
        owner = owner_of(service, course)
        signed_in(service, course.invitation, "Ada")
        fields = {"zone": "Europe/Berlin", "late-days": "3", "ends": "2027-02-01T00:00", "kept-days": "90"}
        assert change_settings(owner, course, **fields).status_code == 303
        grading = f"/courses/{course.name}/assignments/{course.assignment}/grading"
        assert send(owner, grading, worth="5", late="20", **{"late-days": "2"}).status_code == 303
        call_fields = {"title": "Our questions", "license": "CC-BY-4.0", "reviewers": "3", "closes": "2026-10-20T12:00"}
        assert send(owner, f"/courses/{course.name}/questions", **call_fields).status_code == 303
        page = f"/courses/{course.name}/copy"
        new_name = f"{course.name}-2027"
        preview = send(owner, page, course=new_name, days="14")
        assert preview.status_code == 200
        # After clocks were set back, midnight is still midnight.
        assert ">2026-11-03 23:59 CET</time> <small>was" in preview.text
        assert owner.get(f"/courses/{new_name}").status_code == 404
        assert send(owner, page, course=new_name, days="14", make="yes").status_code == 303
        questions_page = owner.get(f"/courses/{new_name}/questions").text
        assert 'value="Our questions"' in questions_page
        assert 'value="2026-11-03T12:00"' in questions_page
        with service.client(new_token(owner, Scope.COURSE_READ, Scope.ROSTER_READ, Scope.RUNS_READ)) as program:
            copied, source = (program.get(f"/api/v1/courses/{name}").json() for name in (new_name, course.name))
            (person,) = program.get(f"/api/v1/courses/{new_name}/roster").json()["people"]
        assert (person["name"], person["role"]) == ("Professor", "owner")
        assert (copied["zone"], copied["late_days"]) == ("Europe/Berlin", 3)
        for new, old in zip(copied["assignments"], source["assignments"], strict=True):
            assert new["grading"] == old["grading"]
            own = {"id", "course", "opens", "due", "closes"}
            new_rules, old_rules = (
                {name: value for name, value in taught["assignment"].items() if name not in own}
                for taught in (new, old)
            )
            assert new_rules == old_rules
        assert [taught["assignment"]["title"] for taught in copied["assignments"]] == ["Week 1", "Week 2"]
        assert copied["assignments"][0]["assignment"]["most_runs"] == 7
        refused = send(owner, page, course=new_name, days="14", make="yes")
        assert (refused.status_code, "already; choose another name" in refused.text) == (422, True)

    await asyncio.to_thread(play)


async def test_a_program_copies_a_course_to_a_day(service: Service) -> None:
    course = await source_course(service)

    def play() -> None:
        owner = owner_of(service, course)
        with service.client(new_token(owner, Scope.COURSE_WRITE)) as program:
            path = f"/api/v1/courses/{course.name}/copies"
            body = {"course": f"{course.name}-next", "starts": "2027-04-12"}
            previewed = program.post(path, json=body | {"preview": True}).json()
            assert (previewed["made"], previewed["days"]) == (False, 182)
            made = program.post(path, json=body).json()
            assert made == previewed | {"made": True}
            assert made["assignments"][0]["opens"] == "2027-04-12T06:00:00Z"
            for wrong in (
                {"course": "Capital"},
                {"course": "x y"},
                {"days": 3},
                {"starts": None},
                {"starts": None, "days": 3651},
                {"starts": "9999-01-01"},
            ):
                assert program.post(path, json=body | wrong).status_code == 422
        staff = signed_in(service, invitation(service, course, Role.STAFF), "Assistant")
        with service.client(new_token(staff, Scope.COURSE_WRITE)) as program:
            assert program.post(path, json=body | {"course": "mine"}).status_code == 404

    await asyncio.to_thread(play)
