"""A course after its term: everybody reads what they could read, and nothing changes until it is restored."""

from __future__ import annotations

import subprocess
import sys
import uuid
from pathlib import Path

from benchwright_attempts.events.events import Started
from benchwright_remote.messages import Role

from ..support.service.bench_service import Course, Service, Solver
from ..support.service.bench_service_pages import csrf, invitation, signed_in

REF = "starter/load-use-stalls"


def test_an_archived_course_is_read_by_all_and_changed_by_nobody(service: Service, tmp_path: Path) -> None:
    course = service.set_up(problems=("load-use-stalls",))
    solver = Solver.joining(service, course, tmp_path)
    attempt = solver.begin(REF, {"answer.md": ""})
    solver.record(attempt, Started())
    assert solver.send(attempt).status_code == 200
    run = solver.run(attempt, 1, {"answer.md": "C"}).json()["id"]
    assert solver.verdict(run)["verdict"]["outcome"] == "passed"
    course_path = f"/courses/{course.name}"
    with service.client(solver.token) as client:
        account = client.get("/api/v1/me").json()["account"]
    owner_client = signed_in(service, invitation(service, course, Role.OWNER), "Professor")
    staff = signed_in(service, invitation(service, course, Role.STAFF), "Assistant")
    student = signed_in(service, invitation(service, course, Role.PARTICIPANT), "Bob")
    for client_ in (staff, student):
        assert client_.post(f"{course_path}/archive", data={"csrf": csrf(client_)}).status_code == 404
    assert owner_client.post(f"{course_path}/archive", data={"csrf": csrf(owner_client)}).status_code == 303

    for page in (
        course_path,
        f"{course_path}/progress",
        f"{course_path}/grades",
        f"{course_path}/items",
        f"{course_path}/audit",
        f"{course_path}/grades.canvas.csv",
    ):
        assert staff.get(page).status_code == 200
    assert "archived" in student.get("/").text
    assert "0 of 1 passed" in student.get(course_path).text
    forms = {
        "assignments": {"pack": "starter"},
        f"assignments/{course.assignment}/grading": {"worth": "3"},
        f"grades/{course.assignment}/{account}": {"points": "1", "reason": "x"},
        f"items/{course.assignment}/load-use-stalls/regrade": {},
        "people": {f"group-{account}": "north"},
        f"grades/{course.assignment}/{account}/appeal": {"appeal": "1", "decision": "grant", "answer": "x"},
    }
    for form, fields in forms.items():
        refusal = owner_client.post(f"{course_path}/{form}", data={"csrf": csrf(owner_client)} | fields)
        assert (refusal.status_code, "The course is archived." in refusal.text) == (409, True), form

    # What was recorded before still comes in; nothing runs, begins, or joins.
    assert solver.send(attempt, first_event=0).status_code == 200
    assert solver.run(attempt, 2, {"answer.md": "B"}, run=uuid.uuid4().hex).status_code == 404
    second_attempt = solver.begin(REF, {"answer.md": ""})
    assert solver.send(second_attempt).status_code == 404
    with service.client(solver.token) as client:
        assert client.get("/api/v1/assignments").json() == []
        assert client.get(f"/api/v1/runs/{run}", params={"seen": -1, "wait_s": 0}).json()["state"] == "done"
    with service.client() as client:
        assert client.post("/api/v1/join", json={"code": course.invitation, "name": "Late"}).status_code == 404

    assert (
        owner_client.post(f"{course_path}/archive", data={"csrf": csrf(owner_client), "restore": "yes"}).status_code
        == 303
    )
    assert solver.run(attempt, 2, {"answer.md": "B"}, run=uuid.uuid4().hex).status_code == 202
    assert "restored course" in owner_client.get(f"{course_path}/audit").text
    solver.log.close()


def test_the_command_archives_and_restores(service: Service) -> None:
    course: Course = service.set_up()

    def archive(*options: str) -> subprocess.CompletedProcess[str]:
        command = [str(Path(sys.executable).parent / "benchwright"), "course", "archive", *options]
        environment = {"BENCHWRIGHT_HOME": str(service.home)}
        if service.database is not None:
            environment["BENCHWRIGHT_SERVICE_DATABASE"] = service.database
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert f"{course.name} is archived" in archive(course.name).stdout
    assert joining(service, course) == 404
    assert "goes on" in archive(course.name, "--restore").stdout
    assert joining(service, course) == 200
    assert "there is no course 'nowhere'" in archive("nowhere").stderr


def joining(service: Service, course: Course) -> int:
    """Status code with which joining is answered now."""
    with service.client() as client:
        return client.post("/api/v1/join", json={"code": course.invitation, "name": "Ada"}).status_code
