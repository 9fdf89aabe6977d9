"""A student's language server and a course's bench service: nothing hidden comes here, everything else does."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from pathlib import Path

import httpx2
import pytest

from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store

from ..support.service.bench_service import Course, Service, running_service
from ..support.studies.assignments import acknowledged_events, course, service, sign_in
from .conftest import Editors
from .session import reference, wrong

__all__ = ("course", "service")

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILE = "rtl/sat_counter.sv"


async def test_an_assignment_is_opened_saved_failed_passed_and_submitted_as_any_other_problem(
    editors: Editors, home: Path, service: Service, course: Course
) -> None:
    pack = sign_in(home, service, course)
    editor = await editors()
    listed = await editor.ask("packs")
    assert [listed_pack["title"] for listed_pack in listed["packs"] if listed_pack["name"] == pack] == ["Week 1"]
    desk = await editor.open_problem(f"{pack}/saturating-counter")
    await desk.start()
    file = desk.open()
    file.paste(wrong("saturating-counter", "wraps"))
    file.save()
    verdict = await desk.verdict(1)
    assert verdict.outcome == "failed"
    assert verdict.tests is not None
    assert 0 < verdict.tests.passed < verdict.tests.total
    # The assignment shows names; the problem itself would show messages as well.
    assert verdict.reveal == "names"
    assert verdict.lines is not None
    assert {line.message for line in verdict.lines} == {None}
    assert any(not line.passed and "stops_at_both_ends" in line.name for line in verdict.lines)
    file.paste(reference("saturating-counter"))
    file.save()
    assert (await desk.verdict(2)).outcome == "passed"
    assert (await desk.submit()).first_pass_run == 2
    await editor.quit()
    assert acknowledged_events(home) == {desk.attempt: len(desk.events())}


async def test_an_answer_is_scored_where_the_key_is(
    editors: Editors, home: Path, service: Service, course: Course
) -> None:
    pack = sign_in(home, service, course)
    editor = await editors()
    desk = await editor.open_problem(f"{pack}/load-use-stalls")
    await desk.start()
    file = desk.open()
    outcomes = []
    for letter in "AC":
        file.paste(letter)
        file.save()
        outcomes.append((await desk.run()).outcome)
    assert outcomes == ["failed", "passed"]


async def test_nothing_hidden_of_an_assignment_is_on_the_students_machine(
    editors: Editors, home: Path, service: Service, course: Course
) -> None:
    pack = sign_in(home, service, course)
    editor = await editors()
    desk = await editor.open_problem(f"{pack}/saturating-counter")
    await desk.start()
    file = desk.open()
    file.paste(wrong("saturating-counter", "wraps"))
    file.save()
    await desk.verdict(1)
    await editor.quit()
    hidden_part = (
        Store(Home.from_environment({"BENCHWRIGHT_HOME": str(service.home)}))
        .unseal("starter/saturating-counter")
        .hidden
    )
    lines = {line.strip() for text in hidden_part.harness.values() for line in text.splitlines() if len(line) > 30}
    assert len(lines) > 10
    for path in home.rglob("*"):
        if path.is_file():
            content = path.read_bytes().decode("utf-8", "replace")
            assert not [line for line in lines if line in content], path


async def test_work_goes_on_while_the_service_is_away_and_nothing_is_lost(
    editors: Editors, home: Path, tmp_path: Path
) -> None:
    with running_service(Service(tmp_path / "service")) as service:
        course = await asyncio.to_thread(service.set_up, title="Week 2")
        pack = sign_in(home, service, course)
        editor = await editors()
        desk = await editor.open_problem(f"{pack}/saturating-counter")
        await desk.start()
        port = int(service.url.rpartition(":")[2])
        service.stop(signal.SIGKILL)
        file = desk.open()
        file.paste(reference("saturating-counter"))
        file.save()
        await editor.wait_until(
            lambda: any("does not answer" in json.dumps(value) for _, value in editor.screen.progress),
            "word that the service is away",
        )
        file.type("// more\n", before_text="module sat_counter")
        await asyncio.to_thread(service.start, port)
        assert (await desk.verdict(1)).outcome == "passed"
        await desk.submit()
        await editor.quit()
        assert acknowledged_events(home) == {desk.attempt: len(desk.events())}


async def test_what_a_killed_editor_left_behind_is_handed_in_once_its_problem_is_open_again(
    editors: Editors, home: Path, service: Service, course: Course
) -> None:
    pack = sign_in(home, service, course)
    # Neither the list of problems is asked for nor a run, which editors other than VS Code need not do.
    editor = await editors()
    desk = await editor.open_problem(f"{pack}/saturating-counter")
    await desk.start()
    desk.open().type("// more\n", before_text="module sat_counter")
    await editor.wait_until(lambda: bool(desk.events_of_kind("edit")), "the edit")
    await editor.kill()
    second_editor = await editors()
    await second_editor.open_problem(f"{pack}/saturating-counter")
    await second_editor.wait_until(lambda: acknowledged_events(home).get(desk.attempt, 0) > 2, "the service to have it")


async def test_a_confirmation_in_the_browser_signs_the_editor_in(
    editors: Editors, service: Service, course: Course
) -> None:
    editor = await editors()
    begun = await editor.ask("signInByBrowser", url=service.url)
    assert begun["address"] == f"{service.url}/device?code={begun['code']}"
    sign_in_task = asyncio.ensure_future(editor.ask("signInFinish", url=service.url))
    headers = {"Origin": service.url}
    async with httpx2.AsyncClient(base_url=service.url, headers=headers, trust_env=False, timeout=60) as browser:
        await browser.post("/sign-in", data={"code": course.invitation, "name": "Ada"})
        page = (await browser.get(begun["address"])).text
        (token,) = set(re.findall(r'name="csrf" value="(\w+)"', page))
        form_fields = {"csrf": token, "code": begun["code"], "decision": "grant"}
        assert (await browser.post("/device", data=form_fields)).status_code == 200
    assert await sign_in_task == {"url": service.url, "name": "Ada", "courses": ["Computer architecture"]}
    packs = (await editor.ask("packs"))["packs"]
    assert any(pack["service"] == service.url for pack in packs)
    _, message = await editor.refusal("signInFinish", url=service.url)
    assert "Send benchwright/signInByBrowser first" in message
    assert await editor.ask("accounts") == {"accounts": [{"url": service.url, "name": "Ada"}]}
    assert await editor.ask("signOut", url=service.url) == {"accounts": []}
    assert await editor.ask("accounts") == {"accounts": []}
