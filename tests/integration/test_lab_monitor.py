"""A study at a bench service, watched by its monitors: blind while it goes on, with its report once it is closed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pytest_asyncio

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.file_text import sha256
from benchwright_foundation.home import Home
from benchwright_remote.messages import Role, Whereabouts
from benchwright_service.bench import open_administration, open_lab, sqlite_log_file
from benchwright_service.studies.lab_monitor import LabMonitor
from benchwright_studies.conduct.entry import ConsentEntry, TaskBegun
from benchwright_studies.conduct.studies import Studies
from benchwright_studies.conduct.study_log import StudyLog
from benchwright_studies.plan.study_file import parse_study

from ..lsp.session import Editor
from ..support.service.bench_service import DATABASES, Service, running_service
from ..support.service.postgres import new_database
from ..support.studies.conducted_study import STUDY, agree, benchwright, enrol, invite
from ..support.studies.study import ask, foresee, open_task

pytestmark = pytest.mark.asyncio

# Names that would be seen anywhere.
WATCHED = STUDY.replace("name: alone", "name: zqalone").replace("name: completion", "name: zqcompletion")
HIDDEN = ("zqalone", "zqcompletion", "passed", "failed", "verdict", "outcome", "active")
STUDY_PATH = "/api/v1/studies/small"


@pytest.fixture(params=DATABASES)
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    database = new_database(request.getfixturevalue("postgres")) if request.param == "postgresql" else None
    with running_service(Service(tmp_path / "service", database)) as started:
        yield started


@pytest_asyncio.fixture
async def editor(service: Service, tmp_path: Path) -> AsyncIterator[Editor]:
    """Of a participant who has joined."""
    enrol(tmp_path / "home", service, invite(service, WATCHED))
    started_editor = await Editor.start(tmp_path / "home")
    yield started_editor
    if started_editor.process.returncode is None:
        await started_editor.kill()


async def tokens(service: Service) -> dict[Role, str]:
    async with open_administration(service.folders, service.database) as parts:
        codes = {role: await parts.accounts.make_invitation("small", role) for role in Role}
        return {
            role: (await parts.accounts.sign_in_and_get_account_and_token(code, role.value))[1]
            for role, code in codes.items()
        }


def get(service: Service, token: str, path: str) -> httpx2.Response:
    with service.client(token) as client:
        return client.get(path)


def watched(service: Service, token: str) -> dict[str, Any]:
    """Whereabouts by participant; nothing hidden is in the answer."""
    reply = get(service, token, f"{STUDY_PATH}/watch")
    assert reply.status_code == 200, reply.text
    for word in HIDDEN:
        assert word not in reply.text
    return {participant["participant"]: participant for participant in reply.json()["participants"]}


async def comes(service: Service, token: str, whereabouts: Whereabouts) -> dict[str, Any]:
    """Waits until ada is somewhere: records reach the service as they grow."""
    for _ in range(300):
        participant_view: dict[str, Any] = watched(service, token)["ada"]
        if participant_view["where"] == whereabouts:
            return participant_view
        await asyncio.sleep(0.1)
    raise AssertionError(f"ada is not {whereabouts}: {participant_view}")


def command(service: Service, *words: str) -> tuple[int, str, str]:
    database = {"BENCHWRIGHT_SERVICE_DATABASE": service.database} if service.database else {}
    process = benchwright(service.home, "lab", *words, **database)
    return process.returncode, process.stdout, process.stderr


async def test_monitors_see_where_everybody_is_and_owners_the_report_after_the_closing(
    service: Service, editor: Editor
) -> None:
    by_role = await tokens(service)
    monitor, owner_token = by_role[Role.MONITOR], by_role[Role.OWNER]
    assert (await ask(editor, "studies")).studies[0].participant == "ada"
    # As the list of problems does: from now on records are handed in.
    await ask(editor, "packs")
    await agree(editor)
    at_forecasts = await comes(service, monitor, Whereabouts.BETWEEN_TASKS)
    assert (at_forecasts["done"], at_forecasts["total"]) == (0, 2)
    assert watched(service, monitor)["bob"]["where"] == Whereabouts.FREE
    await foresee(editor)
    desk = await open_task(editor)
    await desk.start()
    working = await comes(service, monitor, Whereabouts.WORKING)
    assert working["task"] == 1

    # Twenty minutes later, if nothing else has come.
    with StudyLog(service.database or sqlite_log_file(service.folders)) as log:
        async with open_administration(service.folders, service.database) as parts:
            later_monitor = LabMonitor(
                log,
                parts.database,
                parts.accounts,
                service.home,
                clock=lambda: datetime.now(UTC) + timedelta(minutes=20),
            )
            (ada, _) = (await later_monitor.study_watch("small")).participants
            assert ada.where is Whereabouts.SILENT
    await desk.ask("pause")
    await comes(service, owner_token, Whereabouts.PAUSED)
    status, output, _ = command(service, "status", "small")
    assert status == 0
    assert "1 paused, 1 free" in output
    assert not [word for word in HIDDEN if word in output]

    refusal = get(service, owner_token, f"{STUDY_PATH}/report")
    assert (refusal.status_code, refusal.headers["Content-Type"]) == (409, "application/problem+json")
    status, _, output = command(service, "close", "small")
    assert (status, "have not finished: ada" in output) == (1, True)

    await desk.ask("abandon")
    await editor.quit()
    status, output, complaint = command(service, "close", "small", "--yes", "--force")
    assert status == 0, complaint
    digest = output.splitlines()[0].split()[-1]
    report_reply = get(service, owner_token, f"{STUDY_PATH}/report")
    assert report_reply.status_code == 200
    assert "A small study" in report_reply.text
    assert report_reply.headers["Content-Security-Policy"].startswith("sandbox")
    assert get(service, monitor, f"{STUDY_PATH}/report").status_code == 404
    assert get(service, monitor, f"{STUDY_PATH}/watch").json()["digest"] == digest
    status, output, _ = command(service, "status", "small", "--json")
    assert (status, json.loads(output)["digest"]) == (0, digest)
    # Again, it changes nothing.
    assert digest in command(service, "close", "small")[1]


async def test_a_study_is_unknown_to_everybody_who_neither_owns_nor_watches_it(
    service: Service, tmp_path: Path
) -> None:
    invite(service, WATCHED)
    by_role = await tokens(service)
    for role in (Role.PARTICIPANT, Role.STAFF, Role.GRADER):
        for page_name in ("watch", "report"):
            study_reply = get(service, by_role[role], f"{STUDY_PATH}/{page_name}")
            absent = get(service, by_role[role], f"/api/v1/studies/absent/{page_name}")
            assert (study_reply.status_code, study_reply.json()) == (404, absent.json())
    course = await asyncio.to_thread(service.set_up)
    async with open_administration(service.folders, service.database) as parts:
        _, token = await parts.accounts.sign_in_and_get_account_and_token(
            await parts.accounts.make_invitation(course.name, Role.OWNER), "Ada"
        )
    for page_name in ("watch", "report"):
        # A course that is no study, and a study of others.
        assert get(service, token, f"/api/v1/studies/{course.name}/{page_name}").status_code == 404
        assert get(service, token, f"{STUDY_PATH}/{page_name}").status_code == 404


async def test_who_has_begun_a_task_whose_events_are_on_their_way_is_between_tasks(tmp_path: Path) -> None:
    home = Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path)})
    async with open_lab(home, None) as (lab, log), open_administration(home, None) as parts:
        registered_study = await lab.open_study(parse_study(WATCHED, Path("study.yaml")))
        assert registered_study.study.consent is not None
        Studies(log, Attempts(log)).enroll("small", "ada")
        for journal_entry in (
            ConsentEntry(version="2", sha256=sha256(registered_study.study.consent.text.encode()), given=True),
            TaskBegun(position=0, problem="starter/amdahl", attempt="a" * 32),
        ):
            log.journal.append_entry("small", "ada", journal_entry)
        ada, bob = (await LabMonitor(log, parts.database, parts.accounts, tmp_path).study_watch("small")).participants
    assert (ada.where, ada.heard is not None) == (Whereabouts.BETWEEN_TASKS, True)
    assert bob.where is Whereabouts.FREE


async def test_no_web_page_shows_who_is_which_participant_or_an_outcome(service: Service) -> None:
    invite(service, WATCHED)
    async with open_administration(service.folders, service.database) as parts:
        codes = [await parts.accounts.make_invitation("small", role) for role in Role]
    for code in codes:
        see_nothing(service, code)


def see_nothing(service: Service, code: str) -> None:
    with httpx2.Client(base_url=service.url, headers={"Origin": service.url}, trust_env=False, timeout=60.0) as browser:
        assert browser.post("/sign-in", data={"code": code, "name": "Ada"}).status_code == 303
        courses = browser.get("/")
        assert courses.status_code == 200
        assert "/courses/small" not in courses.text
        for page in ("", "/progress", "/audit"):
            assert browser.get(f"/courses/small{page}").status_code == 404
