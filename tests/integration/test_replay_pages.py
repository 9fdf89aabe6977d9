"""The replay of a student's attempt: what staff get of it, in chunks, and that nobody else gets any."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from benchwright_attempts.events.events import Edit, Event, Paused, Resumed, RunStarted, Started, Submitted
from benchwright_attempts.events.evidence import EditReason
from benchwright_attempts.events.file_text import Change
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import starting_solution_files
from benchwright_problems.storage.store import Store
from benchwright_remote.messages import Role

from ..support.service.bench_service import Course, Service, Solver
from ..support.service.bench_service_pages import invitation, signed_in
from ..support.studies.forged_row import forge_row

REF = "starter/saturating-counter"
MARKUP = "// </script><script>alert(1)</script> <b>\n"


@dataclass(frozen=True)
class Work:
    """A student's attempt, and its page."""

    course: Course
    attempt: str
    page: str
    path: str
    token: str

    @property
    def source(self) -> str:
        return f"{self.page}/{self.attempt}/replay"


def edits(path: str) -> list[Event]:
    """Typed text that is markup, a paste with half of a character, and an assistant's completion."""
    events: list[Event] = []
    origins: tuple[tuple[dict[str, str], str], ...]
    origins = ({"kind": "type"}, "cursor"), ({"kind": "paste"}, "cursor"), ({}, "inlineCompletionAccept")
    for version, ((metadata, reason), text) in enumerate(
        zip(origins, (MARKUP, "// \ud800 🙂\n", "// done\n"), strict=True), 2
    ):
        events.append(Edit(path=path, version=version, changes=(Change(start=0, end=0, text=text),)))
        events.append(EditReason(path=path, version=version, reason=reason, metadata=metadata))
    return events


@pytest.fixture(scope="module")
def work(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Work]:
    course = service.set_up(problems=("saturating-counter",))
    problem = Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(REF)
    solver = Solver.joining(service, course, tmp_path_factory.mktemp("ada"), "Ada")
    files = starting_solution_files(problem)
    start = {path: files[path].decode() for path in problem.public.expected}
    path = problem.public.expected[0]
    attempt = solver.begin(REF, start)
    run = "a" * 32
    run_start = RunStarted(run=run, number=1, snapshot={path: "0" * 64})
    solver.record(attempt, Started(), *edits(path), Paused(reason="<i>lunch</i>"), Resumed(), run_start)
    assert solver.send(attempt).status_code == 200
    assert solver.verdict(solver.run(attempt, 1, start, run).json()["id"])["verdict"]["outcome"] == "failed"
    solver.record(attempt, Submitted())
    assert solver.send(attempt).status_code == 200
    with service.client(solver.token) as client:
        account = client.get("/api/v1/me").json()["account"]
    page = f"/courses/{course.name}/attempts/{course.assignment}/saturating-counter/{account}"
    yield Work(course, attempt, page, path, solver.token)
    solver.log.close()


@pytest.fixture(scope="module")
def staff(service: Service, work: Work) -> httpx2.Client:
    return signed_in(service, invitation(service, work.course, Role.STAFF), "Professor")


def test_a_replay_has_runs_as_staff_see_them_and_text_by_where_it_came_from(staff: httpx2.Client, work: Work) -> None:
    view = staff.get(work.source).json()
    (run,) = view["runs"]
    assert (run["number"], run["outcome"], run["passed"], run["of"] > 0) == (1, "failed", 0, True)
    marks_by_kind: dict[str, Any] = {mark["kind"]: mark for mark in view["marks"]}
    assert set(marks_by_kind) == {"paste", "assist", "pause"}
    assert (marks_by_kind["paste"]["characters"], marks_by_kind["assist"]["characters"]) == (7, 8)
    assert marks_by_kind["pause"]["text"] == "<i>lunch</i>"
    assert "always_ff" in view["keywords"]
    reply = staff.get(f"{work.source}/{view['events']}/0")
    assert reply.headers["content-encoding"] == "gzip"
    replay = reply.json()
    assert len(replay["steps"]) == view["steps"]
    changes = [change for step in replay["steps"] for change in step[5].get(work.path) or ()]
    assert [change[3] for change in changes] == ["g", "t", "p", "a"]
    assert changes[1][2] == MARKUP
    assert changes[2][2] == "// \ud800 🙂\n"
    assert run["step"] == next(index for index, step in enumerate(replay["steps"]) if step[1] == "run_started")
    plain_reply = staff.get(f"{work.source}/{view['events']}/0", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain_reply.headers
    assert plain_reply.json() == replay


def test_what_was_written_is_text_on_every_page(staff: httpx2.Client, work: Work) -> None:
    page = staff.get(work.page)
    assert re.search(rf'data-source="{re.escape(work.source)}"', page.text)
    assert "connect-src 'self'" in page.headers["content-security-policy"]
    final = staff.get(f"{work.page}/{work.attempt}/final").text
    assert "// done\n// ? 🙂\n// &lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; &lt;b&gt;\n" in final
    assert "<script>alert" not in final


def test_who_watches_a_replay_is_noted_once(service: Service, work: Work) -> None:
    watcher = signed_in(service, invitation(service, work.course, Role.STAFF), "Watcher")
    events = watcher.get(work.source).json()["events"]
    for _ in range(3):
        assert watcher.get(f"{work.source}/{events}/0").status_code == 200
    audit = watcher.get(f"/courses/{work.course.name}/audit").text
    assert len(re.findall(r"Watcher(?s:.){1,80}saw replay", audit)) == 1


@pytest.mark.parametrize("role", list(Role))
def test_a_replay_is_for_staff_of_the_course(service: Service, work: Work, role: Role) -> None:
    expected_status = 200 if role in (Role.OWNER, Role.STAFF) else 404
    client = signed_in(service, invitation(service, work.course, role))
    stranger = signed_in(service, invitation(service, service.set_up(), role))
    student = signed_in(service, work.token)
    for page_end in ("replay", "replay/1/0", "final"):
        page = f"{work.page}/{work.attempt}/{page_end}"
        assert client.get(page).status_code == expected_status
        for outsider in (stranger, student):
            hidden_page = outsider.get(page)
            assert (hidden_page.status_code, hidden_page.text) == (404, outsider.get("/courses/none").text)


@pytest.mark.parametrize("page_end", ["replay/0/0", "replay/999999/0", "replay/3/9", "replay/x/0", "replay/3/-1"])
def test_what_a_replay_does_not_have_is_no_page(staff: httpx2.Client, work: Work, page_end: str) -> None:
    assert staff.get(f"{work.page}/{work.attempt}/{page_end}").status_code == 404
    assert staff.get(f"{work.page}/{'b' * 32}/{page_end}").status_code == 404


def test_an_event_that_no_editor_writes_is_told_and_hides_nothing_else(
    service: Service, work: Work, staff: httpx2.Client, tmp_path: Path
) -> None:
    solver = Solver.joining(service, work.course, tmp_path, "Mallory")
    attempt = solver.begin(REF, {work.path: "module m;\n"})
    solver.record(attempt, Started(), Edit(path=work.path, version=2, changes=(Change(start=0, end=0, text="x"),)))
    _, rows = solver.rows(attempt)
    body = rows[-1].body.replace('"start":0', '"start":9')
    lines = [row.as_json_line() for row in (*rows[:-1], forge_row(rows[-1], body=body))]
    assert solver.send(attempt, lines=lines).status_code == 200
    with service.client(solver.token) as client:
        account = client.get("/api/v1/me").json()["account"]
    page = work.page.rpartition("/")[0] + f"/{account}"
    response = staff.get(page)
    assert "Event 3 is none that an editor writes" in response.text
    assert "Active time" in response.text
    assert [staff.get(f"{page}/{attempt}/{end}").status_code for end in ("replay", "replay/3/0", "final")] == [409] * 3
    assert staff.get(f"{page}/{attempt}/replay/2/0").status_code == 200
    solver.log.close()
