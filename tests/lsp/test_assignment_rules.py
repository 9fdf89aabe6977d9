"""Rules of an assignment on help by models, and a service's quotas, in the student's editor."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio

from benchwright_problems.assistance import AllowedHelp, Assistance
from benchwright_problems.reveal import Reveal
from benchwright_service.bench import open_administration
from benchwright_service.courses.courses import AssignmentRules

from ..support.models.inline_completion import Model, inline_capabilities, offers, options
from ..support.service.bench_service import Course, Service, running_service
from ..support.studies.assignments import acknowledged_events, sign_in
from .conftest import Editors
from .session import Desk, Editor, reference

pytestmark = pytest.mark.asyncio(loop_scope="module")

PROBLEM = "saturating-counter"
TEXT = "module mine(input a, output y);\n  assign y = \nendmodule\n"
COPILOT = Assistance(allowed=AllowedHelp.NAMED, extensions=("GitHub.copilot",))
HELPED = {"uri": "", "editor": "VS Code", "extensions": [], "aiFeatures": {}, "settings": {}, "changeReasons": True}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(Service(tmp_path_factory.mktemp("service"))) as started:
        yield started


@pytest.fixture
def model() -> Iterator[Model]:
    with Model() as model:
        yield model


@pytest_asyncio.fixture(loop_scope="module")
async def assisted(editors: Editors, model: Model) -> AsyncIterator[Editor]:
    yield await editors(capabilities=inline_capabilities(), options=options(model))


async def begun(editor: Editor, pack: str) -> Desk:
    desk = await editor.open_problem(f"{pack}/{PROBLEM}")
    await desk.start()
    return desk


@pytest.mark.parametrize("rule", [Assistance(allowed=AllowedHelp.NONE), COPILOT], ids=["none", "others"])
async def test_our_own_completion_is_absent_and_asks_no_model_where_the_assignment_forbids_it(
    assisted: Editor, home: Path, service: Service, model: Model, rule: Assistance
) -> None:
    course = await asyncio.to_thread(service.set_up, title="Alone", assistance=rule)
    desk = await begun(assisted, sign_in(home, service, course))
    file = desk.open(text=TEXT)
    assert await offers(file) == []
    assert model.requests == []
    assert desk.events_of_kind("assist_shown") == []


@pytest.mark.parametrize("allowed", [AllowedHelp.COMPLETION, AllowedHelp.CHAT])
async def test_our_own_completion_helps_where_the_assignment_lets_it(
    assisted: Editor, home: Path, service: Service, allowed: AllowedHelp
) -> None:
    course = await asyncio.to_thread(service.set_up, title="Helped", assistance=Assistance(allowed=allowed))
    desk = await begun(assisted, sign_in(home, service, course))
    (inline_item,) = await offers(desk.open(text=TEXT))
    assert inline_item.insert_text == "a;"
    assert desk.events_of_kind("violation") == []


async def test_the_rule_stands_in_list_statement_and_status_before_the_clock_starts(
    assisted: Editor, home: Path, service: Service
) -> None:
    rule = Assistance(allowed=AllowedHelp.NONE)
    course = await asyncio.to_thread(service.set_up, title="Told", assistance=rule)
    pack = sign_in(home, service, course)
    (listed,) = (listed_pack for listed_pack in (await assisted.ask("packs"))["packs"] if listed_pack["name"] == pack)
    assert listed["assistance"] == rule.rule_and_check_notice
    desk = await assisted.open_problem(f"{pack}/{PROBLEM}")
    assert desk.events_of_kind("started") == []
    assert (desk.opened_problem.status.assistance, desk.opened_problem.status.without_help) == (
        rule.rule_and_check_notice,
        True,
    )
    statement = desk.folder / "README.md"
    assert statement.read_text().endswith(f"**Help by models:** {rule.rule_and_check_notice}\n")
    question_desk = await assisted.open_problem(f"{pack}/load-use-stalls")
    assert rule.rule_and_check_notice in (question_desk.folder / "question.md").read_text()
    assert rule.rule_and_check_notice in (await assisted.ask("question", uri=question_desk.uri))["question"]

    # Staff change it: the statement says so when it is opened again, and all else in it stays.
    statement.write_text(f"My notes.\n\n{statement.read_text()}")
    await asyncio.to_thread(_change, service, course)
    await assisted.ask("packs")
    assisted.always_fresh = False
    await assisted.open_problem(f"{pack}/{PROBLEM}")
    text = statement.read_text()
    assert text.startswith("My notes.\n\n")
    assert text.count("**Help by models:**") == 1
    assert COPILOT.rule_and_check_notice in text


def _progress_has(editor: Editor, word: str) -> bool:
    return word in json.dumps(editor.screen.progress)


def _change(service: Service, course: Course) -> None:
    async def changed() -> None:
        async with open_administration(service.folders, service.database) as parts:
            await parts.courses.change_assignment(course.name, course.assignment, AssignmentRules(assistance=COPILOT))

    asyncio.run(changed())


async def test_what_the_editor_reports_against_the_rule_is_flagged_in_the_students_own_record(
    assisted: Editor, home: Path, service: Service
) -> None:
    course = await asyncio.to_thread(service.set_up, title="Flagged", assistance=Assistance(allowed=AllowedHelp.NONE))
    desk = await begun(assisted, sign_in(home, service, course))
    extension = {"id": "GitHub.copilot", "version": "1", "active": True, "ai": True}
    environment = HELPED | {"uri": desk.uri, "extensions": [extension]}
    assisted.client.protocol.notify("benchwright/environment", environment)
    await assisted.wait_until(lambda: bool(desk.events_of_kind("violation")), "a violation")
    assert [(violation.rule, violation.detail) for violation in desk.events_of_kind("violation")] == [
        ("ai_extension", "GitHub.copilot")
    ]


async def test_the_most_of_all_phases_is_what_the_students_machine_may_show(
    assisted: Editor, home: Path, service: Service
) -> None:
    course = await asyncio.to_thread(
        service.set_up, title="Phases", reveal=Reveal.VERDICT, reveal_after_closing=Reveal.NAMES
    )
    desk = await begun(assisted, sign_in(home, service, course))
    file = desk.open()
    file.paste("module sat_counter; endmodule\n")
    file.save()
    verdict = await desk.verdict(1)
    # The service sends what may be shown now; the machine would show more when it does.
    assert (verdict.outcome, verdict.lines) == ("failed", None)


@pytest.mark.nightly
async def test_who_has_too_many_runs_waiting_is_told_so_and_loses_nothing(
    editors: Editors, home: Path, tmp_path: Path
) -> None:
    with running_service(Service(tmp_path / "service", workers=0, options=["--runs-waiting", "1"])) as service:
        course = await asyncio.to_thread(service.set_up, title="Quota")
        pack = sign_in(home, service, course)
        editor = await editors()
        desks = []
        for problem, word in ((PROBLEM, "in the queue"), ("sync-fifo", "wait at once is 1")):
            desk = await editor.open_problem(f"{pack}/{problem}")
            await desk.start()
            file = desk.open()
            file.paste(reference(problem))
            file.save()
            await editor.wait_until(partial(_progress_has, editor, word), word)
            desks.append(desk)
        token_file = tmp_path / "token"
        token_file.write_text(await asyncio.to_thread(service.worker_token))
        program = str(Path(sys.executable).parent / "benchwright")
        worker = await asyncio.create_subprocess_exec(
            *(program, "worker", service.url, "--token-file", str(token_file)),
            env=os.environ | {"BENCHWRIGHT_HOME": str(service.home)},
        )
        try:
            assert [(await desk.verdict(1)).outcome for desk in desks] == ["passed"] * 2
        finally:
            worker.terminate()
            await worker.wait()
        await editor.quit()
        assert acknowledged_events(home) == {desk.attempt: len(desk.events()) for desk in desks}


@pytest.mark.nightly
async def test_who_begins_too_many_attempts_is_told_so_once_and_goes_on_working(
    editors: Editors, home: Path, tmp_path: Path
) -> None:
    with running_service(Service(tmp_path / "service", workers=0, options=["--attempts-per-hour", "1"])) as service:
        course = await asyncio.to_thread(service.set_up, title="Quota")
        pack = sign_in(home, service, course)
        editor = await editors()
        await editor.ask("packs")
        first_desk = await begun(editor, pack)
        second_desk = await editor.open_problem(f"{pack}/sync-fifo")
        await second_desk.start()
        second_desk.open().paste("module sync_fifo; endmodule\n")
        await editor.wait_until(
            lambda: any("takes no more of your work for now" in message for message in editor.screen.messages),
            "word of it",
        )
        (notice,) = (message for message in editor.screen.messages if "takes no more" in message)
        assert "The limit of new attempts is 1 an hour for one person." in notice
        assert "It is recorded here, and is delivered later; go on working." in notice
        assert len(acknowledged_events(home)) == 1
        port = int(service.url.rpartition(":")[2])
        service.stop()
        await editor.quit()
        service.options = ()
        await asyncio.to_thread(service.start, port)
        # The next session hands in what waited.
        second_editor = await editors()
        await second_editor.ask("packs")
        await second_editor.wait_until(lambda: len(acknowledged_events(home)) == 2, "all attempts at the service")
        await second_editor.quit()
        assert acknowledged_events(home) == {desk.attempt: len(desk.events()) for desk in (first_desk, second_desk)}
