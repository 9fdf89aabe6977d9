"""The people of a course: groups, appeals, grading of answers by people, export and deletion of one person."""

from __future__ import annotations

import asyncio
import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import httpx2
import pytest

from benchwright_attempts.events.events import Started
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import reference_solution_files, starting_solution_files
from benchwright_problems.problem import Problem
from benchwright_problems.reveal import Reveal
from benchwright_problems.storage.store import Store
from benchwright_remote.messages import Role

from ..support.service.bench_service import Course, Service, Solver
from ..support.service.bench_service_pages import invitation, signed_in
from ..support.service.course_people import send
from ..support.service.rosters import merge_roster

DESIGN = "starter/saturating-counter"
OPEN_QUESTION = "starter/reorder-buffer"
SECRET = "the whole of what Ada wrote, which is nobody's business"


class Student:
    """Somebody who has joined and worked."""

    def __init__(self, service: Service, course: Course, folder: Path, name: str) -> None:
        folder.mkdir()
        self.name = name
        self.solver = Solver.joining(service, course, folder, name)
        with service.client(self.solver.token) as client:
            self.account = str(client.get("/api/v1/me").json()["account"])

    def work(self, ref: str, files: dict[str, str]) -> dict[str, Any]:
        """One run of a new attempt."""
        self.attempt = self.solver.begin(ref, files)
        self.solver.record(self.attempt, Started())
        assert self.solver.send(self.attempt).status_code == 200
        return self.solver.verdict(self.solver.run(self.attempt, 1, files).json()["id"])


def problem_of(ref: str) -> Problem:
    return Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(ref)


def design(*, is_right: bool) -> dict[str, str]:
    problem = problem_of(DESIGN)
    files = reference_solution_files(problem) if is_right else starting_solution_files(problem)
    return {path: files[path].decode() for path in problem.public.expected}


def points(teacher: httpx2.Client, course: Course, account: str) -> str:
    page = teacher.get(f"/courses/{course.name}/grades/{course.assignment}/{account}").text
    (grade_text,) = re.findall(r"<strong>([\d.]+)</strong> of", page)
    return str(grade_text)


@pytest.fixture
def course(service: Service) -> Course:
    return service.set_up(problems=("saturating-counter",))


@pytest.fixture
def teacher(service: Service, course: Course) -> httpx2.Client:
    return signed_in(service, invitation(service, course, Role.OWNER), "Professor")


def test_what_one_of_a_group_has_done_counts_for_all_of_it(
    service: Service, course: Course, teacher: httpx2.Client, tmp_path: Path
) -> None:
    ada, bob, eve = (Student(service, course, tmp_path / name, name) for name in ("Ada", "Bob", "Eve"))
    assert ada.work(DESIGN, design(is_right=True))["verdict"]["outcome"] == "passed"
    course_path = f"/courses/{course.name}"
    people_page = teacher.get(f"{course_path}/people").text
    assert all(name in people_page for name in ("Ada", "Bob", "Eve", "Professor"))
    groups = {f"group-{ada.account}": "north <1>", f"group-{bob.account}": "north <1>"}
    assert send(teacher, f"{course_path}/people", **groups).status_code == 303
    assert "north &lt;1&gt;" in teacher.get(f"{course_path}/people").text
    assert [points(teacher, course, student.account) for student in (ada, bob, eve)] == ["1", "0", "0"]
    rules = f"{course_path}/assignments/{course.assignment}/grading"
    assert send(teacher, rules, **{"worth": "4", "late": "0", "by-group": "on"}).status_code == 303
    assert [points(teacher, course, student.account) for student in (ada, bob, eve)] == ["4", "4", "0"]
    adjustment = f"{course_path}/grades/{course.assignment}/{bob.account}"
    # Also where the roster has dropped who did the work.
    roster = "name,email\nBob,bob@x.org\nEve,eve@x.org\n"
    merge_roster(service, course, f"{roster}Ada,ada@x.org\n")
    merge_roster(service, course, roster)
    assert "<h2>Dropped</h2>" in teacher.get(f"{course_path}/people").text
    assert [points(teacher, course, student.account) for student in (bob, eve)] == ["4", "0"]
    assert send(teacher, f"{course_path}/people/{ada.account}/delete", name="Ada").status_code == 303
    assert [points(teacher, course, student.account) for student in (bob, eve)] == ["4", "0"]
    assert "the data of who did it were deleted" in teacher.get(adjustment).text


def test_two_who_change_groups_at_once_do_not_undo_each_other(
    service: Service, course: Course, teacher: httpx2.Client, tmp_path: Path
) -> None:
    ada, bob = (Student(service, course, tmp_path / name, name).account for name in ("Ada", "Bob"))
    path = f"/courses/{course.name}/people"
    shown_groups = {f"shown-group-{account}": "" for account in (ada, bob)}
    assert send(teacher, path, **shown_groups, **{f"group-{ada}": "north"}).status_code == 303
    stale_page = send(teacher, path, **shown_groups, **{f"group-{ada}": "south", f"group-{bob}": "south"})
    assert stale_page.status_code == 422
    assert "changed the group of Ada meanwhile; your other changes are saved" in stale_page.text
    assert f'name="group-{ada}" value="north"' in stale_page.text
    assert f'name="group-{bob}" value="south"' in stale_page.text
    # A form that was shown before and changes nothing of Ada leaves her where she is.
    assert send(teacher, path, **shown_groups, **{f"group-{bob}": "south"}).status_code == 303
    assert f'name="group-{ada}" value="north"' in teacher.get(path).text


def test_an_appeal_is_answered_once_and_the_grade_keeps_its_history(
    service: Service, course: Course, teacher: httpx2.Client, tmp_path: Path
) -> None:
    ada = Student(service, course, tmp_path / "ada", "Ada")
    ada.work(DESIGN, design(is_right=False))
    own_path, grade = (f"/courses/{course.name}/{page_name}/{course.assignment}" for page_name in ("mine", "grades"))
    student = signed_in(service, ada.solver.token)
    page = student.get(own_path)
    assert (page.status_code, "You have <strong>0</strong> of 1 points" in page.text) == (200, True)
    assert "needs a reason" in send(student, own_path, text=" ").text
    assert send(student, own_path, text="It saturates <b>late</b>.").status_code == 303
    assert "waits for its answer already" in send(student, own_path, text="Again.").text
    assert re.search(r">Appeals <strong>1<", teacher.get(f"/courses/{course.name}").text)
    assert "Ada" in teacher.get(f"/courses/{course.name}/appeals").text
    person_grade = f"{grade}/{ada.account}"
    grade_page = teacher.get(person_grade).text
    assert "It saturates &lt;b&gt;late&lt;/b&gt;." in grade_page
    (number,) = re.findall(r'name="appeal" value="(\d+)"', grade_page)
    appeal_answer = {"appeal": number, "decision": "grant", "answer": "You are right."}
    assert send(student, f"{person_grade}/appeal", **appeal_answer).status_code == 404
    assert send(teacher, f"{person_grade}/appeal", **appeal_answer).status_code == 303
    assert send(teacher, f"{person_grade}/appeal", **appeal_answer).status_code == 409
    assert send(teacher, person_grade, points="0.5", reason="appeal").status_code == 303
    own_rules = f"/courses/{course.name}/assignments/{course.assignment}"
    assert send(teacher, own_rules, title="Week 1", due="2026-11-30T12:00").status_code == 303
    send(teacher, person_grade, due="2026-12-01T12:00", reason="ill")
    send(teacher, person_grade, due="2026-12-02T12:00", reason="still ill")
    for page_text in (student.get(own_path).text, teacher.get(person_grade).text):
        assert "granted by Professor" in page_text
        assert "The staff answered:" in page_text
        assert "<p>You are right.</p>" in page_text
        assert "+0.5 points" in page_text
        history = [page_text.index(f'extended: due <time datetime="2026-12-0{day}') for day in (1, 2)]
        assert history == sorted(history)
    other_student = signed_in(service, course.invitation, "Bob")
    assert "It saturates" not in other_student.get(own_path).text
    assert other_student.get(person_grade).status_code == 404


def test_two_people_grade_an_answer_blind_and_a_third_decides(service: Service, tmp_path: Path) -> None:
    course = service.set_up(problems=("reorder-buffer",))
    ada = Student(service, course, tmp_path / "ada", "Ada Lovelace")
    waits = ada.work(OPEN_QUESTION, {"answer.md": "So that registers change in program order."})
    assert waits["verdict"]["reason"] not in ("passed", "wrong_answer"), waits
    owner_client = signed_in(service, invitation(service, course, Role.OWNER), "Professor")
    first_grader, second_grader, three = (
        signed_in(service, invitation(service, course, Role.GRADER), name) for name in "CDE"
    )
    page = f"/courses/{course.name}/answers"
    assert signed_in(service, ada.solver.token).get(page).status_code == 404
    grading_page = first_grader.get(page).text
    assert "So that registers change in program order." in grading_page
    assert "Ada" not in grading_page
    (item,) = set(re.findall(r'name="item" value="(\w+)"', grading_page))
    labels = re.findall(r'name="label" value="([^"]+)"', grading_page)
    worst, best = labels[0], labels[-1]
    assert "not on the scale" in send(first_grader, page, item=item, label="splendid", difficulty="1").text
    assert send(first_grader, page, item=item, label=worst, difficulty="2", comment="no").status_code == 303
    assert "There is no answer for you to grade." in first_grader.get(page).text
    assert "needs no grade of yours" in send(first_grader, page, item=item, label=best, difficulty="2").text
    assert points(owner_client, course, ada.account) == "0"
    assert send(second_grader, page, item=item, label=best, difficulty="2").status_code == 303
    assert points(owner_client, course, ada.account) == "0"
    assert "1 answer waits for you" in three.get(page).text
    assert send(three, page, item=item, label=best, difficulty="1").status_code == 303
    assert "There is no answer for you to grade." in owner_client.get(page).text
    assert points(owner_client, course, ada.account) == "1"
    assert first_grader.get(f"/courses/{course.name}/grades").status_code == 404


def command(service: Service, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {"BENCHWRIGHT_HOME": str(service.home), "PATH": "/usr/bin:/bin"}
    if service.database is not None:
        environment["BENCHWRIGHT_SERVICE_DATABASE"] = service.database
    program = str(Path(sys.executable).with_name("benchwright"))
    return subprocess.run(
        [program, "course", *words], env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def contents(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def test_an_export_has_what_a_person_may_see_and_nothing_else(service: Service, tmp_path: Path) -> None:
    # The problem's own policy shows the log, in which a traceback quotes the harness.
    course = service.set_up(problems=("saturating-counter",), reveal=Reveal.NAMES)
    teacher = signed_in(service, invitation(service, course, Role.OWNER), "Professor")
    ada, bob = (Student(service, course, tmp_path / name, name) for name in ("Ada", "Bob"))
    ada.work(DESIGN, design(is_right=False))
    bob.work(DESIGN, design(is_right=True))
    path = f"/courses/{course.name}/people/{ada.account}"
    assert signed_in(service, invitation(service, course, Role.STAFF), "Staff").get(f"{path}/export").status_code == 404
    files = contents(teacher.get(f"{path}/export").content)
    assert json.loads(files["person.json"])["name"] == "Ada"
    folder = f"attempts/{ada.attempt}"
    assert len(files[f"{folder}/events.jsonl"].splitlines()) >= 2
    assert b'"signature"' in files[f"{folder}/receipts.jsonl"]
    (run,) = json.loads(files[f"{folder}/runs.json"])["runs"]
    assert run["verdict"]["outcome"] == "failed"
    assert files[f"{folder}/runs/1/rtl/sat_counter.sv"].decode() == design(is_right=False)["rtl/sat_counter.sv"]
    archive_bytes = b"".join(files.values())
    assert b"Bob" not in archive_bytes
    lines = {
        line for text in problem_of(DESIGN).hidden.harness.values() for line in text.splitlines() if len(line) > 40
    }
    assert not [line for line in lines if line.encode() in archive_bytes]
    target = tmp_path / "ada.zip"
    exported = command(service, "export-person", course.name, ada.account, str(target))
    assert exported.returncode == 0, exported.stderr
    assert set(contents(target.read_bytes())) == set(files)
    assert target.stat().st_mode & 0o777 == 0o600
    second_process = command(service, "export-person", course.name, ada.account, str(target))
    assert (second_process.returncode, "choose another name" in second_process.stderr) == (1, True)


def test_a_deletion_takes_all_of_one_person_and_nothing_of_others(
    service: Service, course: Course, teacher: httpx2.Client, tmp_path: Path
) -> None:
    ada, bob = (Student(service, course, tmp_path / name, name) for name in ("Ada", "Bob"))
    text = design(is_right=False)
    ada.work(DESIGN, {path: f"// {SECRET}\n{content}" for path, content in text.items()})
    bob.work(DESIGN, design(is_right=True))
    page = f"/courses/{course.name}/people/{ada.account}/delete"
    assert "not that of the person" in send(teacher, page, name="Bob").text
    assert points(teacher, course, ada.account) == "0"
    if service.database is None:
        deleted = command(service, "delete-person", course.name, ada.account)
        assert (deleted.returncode, "Give --yes" in deleted.stderr) == (1, True)
        deleted = command(service, "delete-person", course.name, ada.account, "--yes")
        assert deleted.stdout == "Deleted, with 1 attempt.\n", deleted.stderr
    else:
        assert send(teacher, page, name="Ada").status_code == 303
    people_listing = command(service, "people", course.name).stdout
    assert "Bob" in people_listing
    assert "Ada" not in people_listing
    assert points(teacher, course, bob.account) == "1"
    assert teacher.get(f"/courses/{course.name}/grades/{course.assignment}/{ada.account}").status_code == 404
    with service.client(ada.solver.token) as client:
        assert client.get("/api/v1/me").status_code == 401
    # Neither does it come back.
    assert ada.solver.send(ada.attempt, first_event=0).status_code == 401
    assert bob.solver.send(bob.attempt, first_event=0).status_code == 200
    for file in (path for path in service.home.rglob("*") if path.is_file()):
        assert SECRET.encode() not in file.read_bytes(), file
    kept_names = [path.name for path in service.home.rglob("*") if ada.attempt in path.name]
    assert kept_names == []


async def test_a_person_who_is_in_another_course_keeps_the_account(
    service: Service, course: Course, teacher: httpx2.Client, tmp_path: Path
) -> None:
    other_course = await asyncio.to_thread(service.set_up, problems=("saturating-counter",))
    ada = await asyncio.to_thread(Student, service, course, tmp_path / "ada", "Ada")
    with service.client(ada.solver.token) as client:
        assert client.post("/api/v1/me/courses", json={"code": other_course.invitation}).status_code == 200
        joined = client.get("/api/v1/me").json()["courses"]
        page = f"/courses/{course.name}/people/{ada.account}/delete"
        assert (await asyncio.to_thread(send, teacher, page, name="Ada")).status_code == 303
        left = client.get("/api/v1/me").json()
    assert (len(joined), [membership["course"] for membership in left["courses"]], left["name"]) == (
        2,
        [other_course.name],
        "Ada",
    )
