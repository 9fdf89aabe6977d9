"""Consent to the recording of work in a course: what is taken of who has not agreed, and what a withdrawal deletes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.events import Edit, Event, Started
from benchwright_attempts.events.evidence import Recording
from benchwright_attempts.events.file_text import Change, FileText
from benchwright_attempts.log.record import AttemptHeader, StoredRow
from benchwright_remote.messages import Role

from ..support.service.bench_service import Course, Service, Solver
from ..support.service.bench_service_pages import REF, invitation, signed_in
from ..support.service.course_people import send

WORKERS = 0
"""Runs stay queued."""
SECRET = "typed by Ada, and thought better of"
FILES = {"rtl/sat_counter.sv": "module sat_counter; endmodule\n"}


@pytest.fixture
def course(service: Service) -> Course:
    return service.set_up(problems=("saturating-counter",))


@pytest.fixture
def owner(service: Service, course: Course) -> httpx2.Client:
    """The owner of a course that asks."""
    client = signed_in(service, invitation(service, course, Role.OWNER), "Professor")
    fields = {"title": "Computer architecture", "zone": "UTC", "asks-recording": "on"}
    assert send(client, f"/courses/{course.name}/settings", **fields).status_code == 303
    return client


@pytest.fixture
def ada(service: Service, course: Course, owner: httpx2.Client, tmp_path: Path) -> Iterator[Solver]:
    solver = Solver.joining(service, course, tmp_path, "Ada")
    yield solver
    solver.log.close()


def attempt_at_level(solver: Solver, recording: Recording) -> str:
    """An attempt with an edit in it, in the solver's own log."""
    texts = {path: FileText.of_text(text) for path, text in FILES.items()}
    attempt = Attempts(solver.log).create(REF, "d" * 64, Path("/w"), texts, recording=recording).id
    solver.record(attempt, Started(), secret_edit())
    return attempt


def secret_edit() -> Edit:
    change = Change(start=0, end=0, text=SECRET)
    return Edit(path="rtl/sat_counter.sv", version=2, changes=(change,))


def account_of(service: Service, solver: Solver) -> str:
    with service.client(solver.token) as client:
        return str(client.get("/api/v1/me").json()["account"])


def records_less(service: Service, solver: Solver) -> bool:
    with service.client(solver.token) as client:
        return bool(client.get("/api/v1/assignments").json()[0]["records_less"])


def choose(service: Service, solver: Solver, choice: str) -> httpx2.Response:
    return send(signed_in(service, solver.token), f"/courses/{solver.course.name}/recording", choice=choice)


def files_with_secret(service: Service) -> list[Path]:
    return [path for path in service.home.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


@pytest.mark.parametrize("choice", ["", "decline"])
def test_of_who_has_not_agreed_nothing_that_shows_what_was_typed_is_taken(
    service: Service, ada: Solver, choice: str
) -> None:
    if choice:
        assert choose(service, ada, choice).status_code == 303
    assert records_less(service, ada)
    for recording in (Recording.FULL, Recording.EDITS):
        refused = ada.send(attempt_at_level(ada, recording))
        assert (refused.status_code, "not agreed to the recording" in refused.json()["detail"]) == (422, True)
    attempt = attempt_at_level(ada, Recording.TIMING)
    assert ada.send(attempt).status_code == 200
    assert ada.run(attempt, 1, FILES).status_code == 202
    assert files_with_secret(service) == []


@pytest.mark.parametrize("is_in_first_events", [True, False])
def test_a_client_that_says_less_than_it_sends_is_refused(
    service: Service, ada: Solver, is_in_first_events: bool
) -> None:
    header, rows = ada.rows(attempt_at_level(ada, Recording.TIMING))
    dishonest = replaced_last_event(header, rows, secret_edit())
    body: dict[str, Any] = {
        "header": header.model_dump(mode="json"),
        "assignment": ada.course.assignment,
        "now": datetime.now(UTC).isoformat(),
    }
    with service.client(ada.token) as client:
        path = f"/api/v1/attempts/{header.id}/events"
        lines = [row.as_json_line() for row in dishonest]
        if not is_in_first_events:
            assert client.post(path, json=body | {"lines": lines[:-1]}).status_code == 200
            lines = lines[-1:]
        refused = client.post(path, json=body | {"lines": lines})
    assert (refused.status_code, "this attempt records it" in refused.json()["detail"]) == (422, True)
    assert files_with_secret(service) == []


def replaced_last_event(header: AttemptHeader, rows: Any, event: Event) -> list[StoredRow]:
    """The chain with another last event, as a program of somebody's own would make it."""
    recorded = rows[-1].parse()
    forged = StoredRow.from_event(header, recorded.seq, recorded.moment, event, recorded.prev_hash, rows[-1].state)
    return [*rows[:-1], forged]


def test_who_agrees_is_recorded_and_who_declines_later_has_it_deleted(
    service: Service, course: Course, owner: httpx2.Client, ada: Solver
) -> None:
    assert choose(service, ada, "agree").status_code == 303
    assert not records_less(service, ada)
    attempt = attempt_at_level(ada, Recording.FULL)
    assert ada.send(attempt).status_code == 200
    assert ada.run(attempt, 1, FILES).status_code == 202
    # A database of its own is in no file here.
    assert files_with_secret(service) or service.database is not None
    work = f"/courses/{course.name}/attempts/{course.assignment}/saturating-counter/{account_of(service, ada)}"
    assert "<dt>Text and edits</dt><dd>recorded</dd>" in owner.get(work).text
    replay = owner.get(f"{work}/{attempt}/replay")
    assert replay.json()["hasText"]

    assert choose(service, ada, "decline").status_code == 303

    assert files_with_secret(service) == []
    page = owner.get(work).text
    for name in ("Active time", "Text and edits", "Events"):
        assert f"<dt>{name}</dt><dd>not recorded</dd>" in page
    assert "declined the recording" in page
    # The run was handed in, and stays.
    assert "<caption>Runs</caption>" in page
    progress = owner.get(f"/courses/{course.name}/progress").text
    assert "Saturating up/down counter: waiting" in progress or "Saturating up/down counter: queued" in progress
    assert owner.get(f"/courses/{course.name}/items/{course.assignment}/saturating-counter").status_code == 200
    assert owner.get(f"{work}/{attempt}/replay").status_code == 404
    assert owner.get(f"{work}/{attempt}/final").status_code == 404
    assert "1 recording deleted" in owner.get(f"/courses/{course.name}/audit").text
    # Neither does it come back.
    ada.record(attempt, secret_edit())
    for first_event in (0, None):
        assert ada.send(attempt, first_event=first_event).status_code == 422
    assert files_with_secret(service) == []
    assert ada.send(attempt_at_level(ada, Recording.TIMING)).status_code == 200


def test_of_an_attempt_without_text_the_pages_say_not_recorded(
    service: Service, course: Course, owner: httpx2.Client, ada: Solver
) -> None:
    attempt = attempt_at_level(ada, Recording.TIMING)
    assert ada.send(attempt).status_code == 200
    work = f"/courses/{course.name}/attempts/{course.assignment}/saturating-counter/{account_of(service, ada)}"
    page = owner.get(work).text
    assert "<dt>Text and edits</dt><dd>not recorded</dd>" in page
    assert "Where the text came from" not in page
    assert not owner.get(f"{work}/{attempt}/replay").json()["hasText"]
    assert "Not recorded" in owner.get(f"{work}/{attempt}/final").text


def test_only_students_of_a_course_that_asks_choose(service: Service, owner: httpx2.Client, ada: Solver) -> None:
    silent_course = service.set_up(problems=("saturating-counter",))
    with service.client(ada.token) as client:
        assert client.post("/api/v1/me/courses", json={"code": silent_course.invitation}).status_code == 200
    browser = signed_in(service, ada.token)
    assert send(browser, f"/courses/{silent_course.name}/recording", choice="decline").status_code == 409
    assert "Recording of your work" not in browser.get(f"/courses/{silent_course.name}").text
    assert "Recording of your work" in browser.get(f"/courses/{ada.course.name}").text
    assert send(browser, f"/courses/{ada.course.name}/recording", choice="maybe").status_code == 404
    assert send(owner, f"/courses/{ada.course.name}/recording", choice="decline").status_code == 404
