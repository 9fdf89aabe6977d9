"""A term's first week at a real service, with a learning management system and an identity provider that are not ours.

Nobody exists twice, nothing that was acknowledged is lost, every run has one verdict, and every grade is right wherever
it went, although each process was killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import csv
import dataclasses
import io
import itertools
import re
import resource
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from benchwright_harness.execution.run import starting_solution_files
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Reason
from benchwright_remote.messages import Job, Role
from benchwright_remote.teaching_messages import Scope
from benchwright_service.bench import open_administration
from benchwright_service.courses.snapshots import unpack_content
from benchwright_studies.conduct.study_log import StudyLog

from ..support.service.bench_service import Course, Service
from ..support.service.bench_service_health import until
from ..support.service.bench_service_pages import REF, browser, invitation, signed_in
from ..support.service.course_class import LINE_ITEMS, Person, Student, Systems, canvas_roster
from ..support.service.course_people import send
from ..support.service.hand_worker import HandWorker, HandWorkerThread
from ..support.service.killable_service import killable_database
from ..support.service.lti_launch import CONTEXT, SECOND, TEACHER, Platform, School, platform
from ..support.service.mail_server import MailServer, mail_server
from ..support.service.persistent_solver import Acknowledged, until_all_runs_ended
from ..support.service.postgres import Cluster, new_database
from ..support.service.rosters import merged_roster
from ..support.service.sign_in_by_provider import SECRET, independent
from ..support.service.teaching_api import new_token

__all__ = ("independent", "mail_server", "platform")

pytestmark = pytest.mark.long

WORTH, LATE_PERCENT, DAYS_LATE = 4.0, 10, 2
NOW = datetime.now(UTC)
KINDS = ("right", "unusual", "wrong")
"""Solutions; the harness fails the unusual ones until it is corrected."""
AT_ONCE = 8
WITHIN_S = 600.0
MOST_BYTES = 100_000


class Judge:
    """Decides by what students write into their files."""

    def __init__(self) -> None:
        self.is_corrected = False

    def __call__(self, job: Job) -> Reason:
        (packed,) = job.files.values()
        text = unpack_content(packed, MOST_BYTES).decode()
        is_passed = text.endswith("right\n") or (self.is_corrected and text.endswith("unusual\n"))
        return Reason.PASSED if is_passed else Reason.TESTS_FAILED


class Week:
    """The service with its course and people, and the teacher's hands."""

    def __init__(self, cluster: Cluster, systems: Systems, folder: Path) -> None:
        self.cluster = cluster
        self.systems = systems
        self.processes, self.course = systems.processes, systems.course
        self.acknowledged = Acknowledged()
        self.corrections = Judge()
        self.workers: list[HandWorkerThread] = []
        self.students: list[Student] = []
        self._log = StudyLog(folder / "attempts.sqlite")
        self._pool = ThreadPoolExecutor(AT_ONCE)
        self._worker_token = self.processes[0].worker_token()
        self._asked = itertools.cycle(self.processes)
        owner_code = invitation(self.processes[0], self.course, Role.OWNER)
        self.teacher = signed_in(self.processes[0], owner_code, "Professor")
        token = new_token(self.teacher, *Scope)
        self.program = self.processes[0].client(token)
        self.path = f"/courses/{self.course.name}"

    # Students

    def take_roster(self, persons: Sequence[Person]) -> Sequence[Student]:
        """Uploads the school's list; returns the new students."""
        merged = merged_roster(self.processes[0], self.course, canvas_roster(persons))
        by_sis_id = {person.sis_id: person for person in persons}
        new_students = [
            Student(by_sis_id[invited.seat.ids.sis_id], invited.code, self.systems, self.acknowledged, self._log)
            for invited in merged.invited
        ]
        self.students += new_students
        return new_students

    def all_do(self, students: Sequence[Student], action: Callable[[Student], None]) -> Sequence[Future[None]]:
        """Begins it, a few at once."""
        return [self._pool.submit(action, student) for student in students]

    # What happens to processes

    def kill(self, service: Service) -> None:
        """Ends a web process without a word; it comes back at the same address."""
        port = int(service.url.rpartition(":")[2])
        service.stop(signal.SIGKILL)
        service.start(port)

    def begin_work(self) -> None:
        """Has the worker work."""
        hand = HandWorker(lambda: next(self._asked).client(self._worker_token))
        self.workers.append(HandWorkerThread(hand, self.corrections))
        self.workers[-1].start()

    def kill_worker(self) -> None:
        """Has one end in the middle of a run; another begins under its name."""
        assert HandWorker(lambda: self.processes[0].client(self._worker_token)).ask(20.0) is not None
        self.begin_work()

    def crash_database(self) -> None:
        """Ends PostgreSQL at once, and starts it again."""
        self.cluster.stop()
        self.cluster.start()
        for service in self.processes:
            until(service, 200, check="accepting")

    def work_while(self, students: Sequence[Student], happening: Callable[[], None]) -> None:
        """Has something happen while students work, once one of them has been heard."""
        anchor_count = self.acknowledged.anchor_count
        working = self.all_do(students, work)
        give_up = time.monotonic() + WITHIN_S
        while self.acknowledged.anchor_count == anchor_count:
            assert time.monotonic() < give_up
            time.sleep(0.01)
        happening()
        done(working)

    def fill_disk_for_a_while(self) -> None:
        """Lets web processes write nothing into files, until somebody was refused."""
        refused_count = sum(student.editor.failures for student in self.students)
        self._allow_file_bytes(0)
        until(self.processes[0], 503, "data folder", check="accepting")
        give_up = time.monotonic() + WITHIN_S
        while sum(student.editor.failures for student in self.students) == refused_count:
            assert time.monotonic() < give_up
            time.sleep(0.05)
        self._allow_file_bytes(resource.RLIM_INFINITY)
        for service in self.processes:
            until(service, 200, check="accepting")

    def _allow_file_bytes(self, most: int) -> None:
        for service in self.processes:
            assert service.process is not None
            resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

    # What the teacher does

    def call(self, method: str, path: str, **body: Any) -> Any:
        """A request of the teacher's program."""
        reply = self.program.request(method, f"/api/v1{self.path}/{path}", json=body or None)
        assert reply.is_success, reply.text
        return reply.json()

    def items(self, path: str, field: str) -> list[dict[str, Any]]:
        """All pages of a list."""
        listed: list[dict[str, Any]] = []
        after = ""
        while True:
            page = self.call("GET", f"{path}?limit=100&after={after}")
            listed += page[field]
            after = page["next"]
            if not after:
                return listed

    def points(self) -> dict[str, float]:
        """The gradebook's points for the first assignment, by account."""
        return {
            student["account"]: points["points"]
            for student in self.items("grades", "students")
            for points in student["assignments"]
            if points["assignment"] == self.course.assignment
        }

    def extend(self, students: Sequence[Student]) -> None:
        """Gives more time to students, all at once."""
        due = (NOW + timedelta(days=1)).isoformat()
        extensions = [
            {"assignment": self.course.assignment, "account": student.account, "due": due, "reason": "ill"}
            for student in students
        ]
        assert self.call("POST", "extensions", extensions=extensions) == {"changed": len(students)}

    def send_grades(self) -> None:
        """Sends them to the learning management system."""
        page = send(self.teacher, f"{self.path}/grades/send").text
        assert re.search(r"\b[1-9]\d* scores were sent", page), page

    def accept_regrade(self) -> None:
        """Has all be judged again, and takes it."""
        problem = REF.partition("/")[2]
        begun = send(self.teacher, f"{self.path}/items/{self.course.assignment}/{problem}/regrade")
        assert begun.status_code == 303, begun.text
        regrade, give_up = begun.headers["location"], time.monotonic() + WITHIN_S
        while "runs have ended.</strong> The old verdicts count" not in self.teacher.get(regrade).text:
            assert time.monotonic() < give_up
            # One account may look at so many pages a minute.
            time.sleep(0.5)
        assert send(self.teacher, regrade, decision="accept").status_code == 303

    def close(self) -> None:
        """Ends all that it has begun."""
        for student in self.students:
            student.stop()
        self._pool.shutdown()
        for worker in self.workers:
            worker.stop_event.set()
            worker.join()
        self._log.close()
        self.program.close()


@pytest.fixture
def week(independent: str, mail_server: MailServer, platform: Platform, tmp_path: Path) -> Iterator[Week]:
    with contextlib.ExitStack() as ending:
        cluster = ending.enter_context(killable_database("postgresql"))
        assert cluster is not None
        url = new_database(cluster.folder)
        processes = [Service(tmp_path / "service", url, workers=0, log_name=name) for name in ("first", "second")]
        course = processes[0].set_up(
            problems=("saturating-counter",), title="Week 1", due=NOW - timedelta(days=DAYS_LATE - 1, hours=1)
        )
        asyncio.run(make_second_assignment(processes[0], course))
        file = platform.as_settings(tmp_path, course.name, CONTEXT, SECOND)
        (tmp_path / "secret").write_text(SECRET)
        provider = ["[oidc]", 'name = "University"', f'issuer = "{independent}"', 'client_id = "benchwright"']
        provider += ['client_secret_file = "secret"', f'course = "{course.name}"', ""]
        file.write_text("\n".join([file.read_text(), *provider, mail_server.settings]))
        for service in processes:
            service.options = ("--sign-in", str(file))
            ending.callback(service.stop, signal.SIGKILL)
        with ThreadPoolExecutor(len(processes)) as pool:
            list(pool.map(Service.start, processes))
        platform.tool = processes[0].url
        started = Week(cluster, Systems(processes, course, platform, independent, mail_server), tmp_path)
        ending.callback(started.close)
        yield started


async def make_second_assignment(service: Service, course: Course) -> None:
    """One that opens later."""
    async with open_administration(service.folders, service.database) as parts:
        await parts.courses.make_assignment(course.name, "starter", title="Week 2", opens=NOW + timedelta(days=7))


def done(begun: Sequence[Future[None]]) -> None:
    """Waits for all of them."""
    for future in begun:
        future.result()


def work(student: Student) -> None:
    """Types and saves."""
    student.editor.type_line()
    student.editor.type_line()
    student.editor.save(f"{student.person.sis_id} {kind_of(student)}")


def kind_of(student: Student) -> str:
    """What a student's solution is like."""
    return KINDS[student.person.number % 3]


def test_the_first_week_loses_nothing_and_nobody_is_there_twice(week: Week, nightly: bool) -> None:
    number_of_people = 300 if nightly else 12
    first, second = week.processes
    late_rules = {"worth": f"{WORTH:g}", "late": str(LATE_PERCENT)}
    send(week.teacher, f"{week.path}/assignments/{week.course.assignment}/grading", **late_rules)
    problem = Store(first.folders).unseal(REF)
    (path,) = problem.public.expected
    files = {path: starting_solution_files(problem)[path].decode()}
    persons = [Person.numbered(number) for number in range(number_of_people)]

    # Monday: the roster, and everybody joins.
    assert len(week.take_roster(persons)) == number_of_people
    done(week.all_do(week.students, Student.join))
    for student in week.students:
        student.begin(REF, files)

    # Tuesday: everybody works, and every process is killed once.
    accidents = [week.kill_worker, lambda: week.kill(first), week.crash_database]
    if nightly:
        # To start a web process takes longest.
        accidents.append(lambda: week.kill(second))
    for index, accident in enumerate(accidents):
        week.work_while(week.students[index :: len(accidents)], accident)
    until_all_runs_ended(first)
    teaching = School(first, week.course, week.systems.platform, week.systems.platform.url)
    assert teaching.launch(browser(first), "grace", TEACHER).status_code == 303
    week.send_grades()

    # Wednesday: another list, with other names and addresses; some have gone and some come late.
    dropped = [student for student in week.students if student.person.number % 12 == 11]
    stayed = [student for student in week.students if student not in dropped]
    for student in stayed:
        if student.person.number % 6 == 0:
            name = f"Married-{student.person.name}"
            student.person = dataclasses.replace(student.person, name=name)
        if student.person.number % 3 == 0:
            student.person = dataclasses.replace(student.person, email=f"new.{student.person.email}")
    late_people = [Person.numbered(number_of_people + number) for number in range(len(dropped))]
    late = week.take_roster([*(student.person for student in stayed), *late_people])
    assert [student.person.sis_id for student in late] == [person.sis_id for person in late_people]
    for student in dropped:
        assert student.launch(second, browser(second), CONTEXT).status_code == 422
    done(week.all_do(stayed, Student.come_back))
    done(week.all_do(late, Student.join))
    for student in late:
        student.begin(REF, files)

    # Thursday: more time for some, and a full disk while everybody works.
    present = [*stayed, *late]
    extended = [student for student in present if student.person.number % 5 == 0]
    week.extend(extended[:1])
    week.extend(extended[1:])
    week.work_while(present, week.fill_disk_for_a_while)
    states = until_all_runs_ended(first)
    assert set(states.values()) == {("done", True)}
    week.acknowledged.require_runs(states, week.workers)

    # Friday: the harness was wrong. Grades go out, and the course is copied for the next term.
    week.corrections.is_corrected = True
    week.accept_regrade()
    assert until_all_runs_ended(first) == states
    week.send_grades()
    new_term = f"{week.course.name}-next"
    copied = week.call("POST", "copies", course=new_term, days=182)

    # Nobody is there twice.
    roster = [entry for entry in week.items("roster", "people") if entry["role"] == Role.PARTICIPANT]
    assert sorted(entry["account"] for entry in roster) == sorted(student.account for student in present)
    names = {entry["account"]: entry["name"] for entry in roster}
    assert all(names[student.account] == student.person.name for student in present)
    assert len(set(week.acknowledged.accounts.values())) == number_of_people + len(late)
    with psycopg.connect(first.database or "") as connection:
        (accounts,) = connection.execute("SELECT count(*) FROM service_accounts").fetchone() or (0,)
    # With the professor, and the teacher of the learning management system.
    assert accounts == number_of_people + len(late) + 2

    # Nothing is lost.
    week.acknowledged.require_events(first, [student.editor for student in week.students])

    # Every grade is right, in the gradebook, in both courses of the learning management system, and in the files.
    points = week.points()
    assert points == {student.account: points_of(student, extended) for student in present}
    for context, place in LINE_ITEMS.items():
        from_there = {f"lms-{student.person.number}": student for student in present if context in student.contexts}
        scores = {
            score["userId"]: score
            for score_path, score in week.systems.platform.scores
            if score_path.startswith(f"{place}/items") and score["userId"] in from_there
        }
        assert {user: score["scoreGiven"] for user, score in scores.items()} == {
            user: points[student.account] for user, student in from_there.items()
        }
    by_sis_id = {student.person.sis_id: student for student in present}
    for kind, number_column, login_column in (
        ("canvas", "SIS User ID", "SIS Login ID"),
        ("moodle", "ID number", "Email address"),
    ):
        text = week.teacher.get(f"{week.path}/grades.{kind}.csv").text
        rows = [row for row in csv.DictReader(io.StringIO(text)) if "Possible" not in next(iter(row.values()))]
        score_by_number = {row[number_column]: (row[login_column].casefold(), float(row["Week 1"])) for row in rows}
        assert len(rows) == len(score_by_number)
        assert score_by_number == {
            sis_id: (student.person.email, points[student.account]) for sis_id, student in by_sis_id.items()
        }

    # The next term has the assignments and nobody.
    assert [assignment["title"] for assignment in copied["assignments"]] == ["Week 1", "Week 2"]
    copied_roster = week.program.get(f"/api/v1/courses/{new_term}/roster").json()["people"]
    assert [entry["role"] for entry in copied_roster] == ["owner"]


def points_of(student: Student, extended: Sequence[Student]) -> float:
    """What a student's work is worth by the course's rules."""
    if kind_of(student) == "wrong":
        return 0.0
    return WORTH if student in extended else WORTH * (1 - DAYS_LATE * LATE_PERCENT / 100)
