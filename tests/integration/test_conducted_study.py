"""A study that a bench service conducts: enrolling, concealed allocation, grading there, and what the lab then has."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from benchwright_attempts import log_file as attempts_file
from benchwright_foundation.home import Home
from benchwright_remote.hosted_studies import HostedStudies
from benchwright_service.bench import sqlite_log_file
from benchwright_studies.conduct.archive import journal_json_lines
from benchwright_studies.conduct.entry import Drawn, Enrolled
from benchwright_studies.conduct.study_log import StudyLog

from ..lsp.session import Editor, reference, starter, wrong
from ..support.editor.report_in_browser import browser
from ..support.service.bench_service import Service, running_service
from ..support.service.postgres import new_database
from ..support.studies.conducted_study import STUDY, agree, benchwright, enrol, home, invitation, invite, service
from ..support.studies.study import ask, foresee, open_task, step

__all__ = ("home", "invitation", "service")

pytestmark = [pytest.mark.asyncio, pytest.mark.long]

Editors = Callable[..., Awaitable[Editor]]


@pytest_asyncio.fixture
async def editors(home: Path) -> AsyncIterator[Editors]:
    started_editors: list[Editor] = []

    async def start(folder: Path = home) -> Editor:
        started_editors.append(await Editor.start(folder))
        return started_editors[-1]

    yield start
    for editor in started_editors:
        if editor.process.returncode is None:
            await editor.kill()


def own_log(home: Path) -> Path:
    return attempts_file(Home.from_environment({"BENCHWRIGHT_HOME": str(home)}))


def lab_log(service: Service) -> StudyLog:
    return StudyLog(sqlite_log_file(service.folders))


async def take_part(editor: Editor) -> None:
    """Everything after the consent: forecasts, both tasks failed once and then passed, and the end."""
    assert len(await foresee(editor)) == 2
    for _ in range(20):
        # What a busy service does not answer at once is there when the page is tried again.
        if (step_name := (await step(editor))[0]) != "unlock":
            break
    assert step_name == "open"
    task_outcomes = {}
    for _ in range(2):
        desk = await open_task(editor)
        name = desk.opened_problem.status.problem.partition("/")[2]
        await desk.start()
        file = desk.open()
        is_question = name == "load-use-stalls"
        task_contents = ("A", "C") if is_question else (wrong(name, "wraps"), reference(name))
        for number, content in enumerate(task_contents, start=1):
            file.paste(content)
            file.save()
            verdict = await (desk.run() if is_question else desk.verdict(number))
        task_outcomes[name] = verdict.outcome
        await desk.submit()
    assert task_outcomes == {"saturating-counter": "passed", "load-use-stalls": "passed"}


async def test_a_participant_enrols_forecasts_works_and_the_lab_has_it_all(
    editors: Editors, home: Path, service: Service, invitation: str
) -> None:
    assert "A small study" in enrol(home, service, invitation)
    editor = await editors()
    for _ in range(20):
        # What a busy service does not answer at once is there when the list is asked for again.
        if studies := (await ask(editor, "studies")).studies:
            break
    assert [study.participant for study in studies] == ["ada"]
    # The pack is offered as the study's tasks alone.
    assert not [pack for pack in (await ask(editor, "packs")).packs if pack.service]
    await agree(editor)
    await take_part(editor)
    view = await ask(editor, "study", study="small")
    assert (view.step, view.data_to, view.delivery.arrived) == ("finished", service.url, True)
    await editor.quit()
    with lab_log(service) as log:
        assert len(log.journal.attempts("small")) == 3
        assert {header.solver for header in log.journal.attempts("small")} == {"ada"}
        entry_types = [journal_entry.recorded_entry.type for journal_entry in log.journal.entries("small", "ada")]
        assert entry_types[0] == "enrolled"
        assert entry_types[-1] == "finished"


@pytest.mark.nightly
async def test_six_take_part_at_once_on_postgresql_and_the_study_closes_with_its_report(
    editors: Editors, tmp_path: Path, postgres: Path
) -> None:
    names = ["ada", "bob", "eve", "ida", "max", "ute"]

    async def walk(service: Service, code: str, own_home: Path) -> Editor:
        editor = await editors(own_home)
        await ask(editor, "signIn", url=service.url, code=code, name="Somebody")
        await agree(editor)
        await take_part(editor)
        assert (await ask(editor, "study", study="small")).delivery.arrived
        await editor.quit()
        return editor

    with running_service(Service(tmp_path / "service", new_database(postgres))) as service:
        code = invite(service, STUDY.replace("[ada, bob]", f"[{', '.join(names)}]"))
        # All at once, as in a room.
        walked = await asyncio.gather(*(walk(service, code, tmp_path / name) for name in names))
        lab = {"BENCHWRIGHT_LOG": str(service.database)}
        closed = benchwright(service.home, "study", "close", "small", "--json", **lab)
        assert closed.returncode == 0, closed.stderr
        sealed = json.loads(closed.stdout)
        assert sealed["attempts"] == 3 * len(names)
        status = json.loads(benchwright(service.home, "study", "status", "small", "--json", **lab).stdout)
        assert (status["digest"], status["flaws"]) == (sealed["digest"], [])
        assert {name: participant["done"] for name, participant in status["participants"].items()} == dict.fromkeys(
            names, 2
        )
        report_folder = tmp_path / "report"
        reported = benchwright(service.home, "report", "--study", "small", "--out", str(report_folder), **lab)
        assert reported.returncode == 0, reported.stderr
    for editor in walked:
        assert hidden_in(editor) == []
    page_text = browser("--dump-dom", (report_folder / "report.html").as_uri()).stdout.decode()
    assert "The allocation was concealed from 6 of 6 participants" in page_text
    assert sealed["digest"] in page_text
    assert all(re.search(rf"<td[^>]*>{name}</td>", page_text) for name in names)


def hidden_in(editor: Editor) -> list[str]:
    """Tests and keys that a participant's machine was given; the reference is what the participant typed."""
    counter, question = starter("saturating-counter"), starter("load-use-stalls")
    assert question.hidden.answer is not None
    texts = (*counter.hidden.harness.values(), question.hidden.answer.explanation.replace(". ", "\n"))
    public_text = "\n".join((counter.public.statement, *counter.public.files.values(), question.public.statement))
    lines = {line.strip() for text in texts for line in text.splitlines()}
    secrets = [
        line.encode() for line in lines if len(line) >= 20 and not set(line) & set('"\\') and line not in public_text
    ]
    assert len(secrets) > 50
    files = {str(file): file.read_bytes() for file in editor.home.rglob("*") if file.is_file()}
    assert any(b"sat_counter" in content for content in files.values())
    files["standard error"] = bytes(editor.stderr)
    return [f"{name}: {secret.decode()}" for name, content in files.items() for secret in secrets if secret in content]


async def test_nothing_of_the_assignment_is_on_the_participants_machine_before_the_forecasts(
    editors: Editors, home: Path, service: Service, invitation: str
) -> None:
    enrol(home, service, invitation)
    editor = await editors()
    await agree(editor)
    with StudyLog(own_log(home)) as log:
        entries = [journal_entry.recorded_entry for journal_entry in log.journal.entries("small", "ada")]
    (enrolled,) = (entry for entry in entries if isinstance(entry, Enrolled))
    assert enrolled.sealed
    assert not enrolled.code
    assert not [entry for entry in entries if isinstance(entry, Drawn)]
    # Nor does the service give the code away before it has the forecasts.
    (connection,) = json.loads((home / "data" / "connections.json").read_text())
    hosted = HostedStudies(Home.from_environment({"BENCHWRIGHT_HOME": str(home)})).find_study("small")
    assert hosted is not None
    with StudyLog(own_log(home)) as log, service.client(connection["token"]) as client:
        journal_records = [json.loads(line) for line in journal_json_lines(log.journal.entries("small", "ada"))]
        reply = client.post("/api/v1/studies/small/journal", json={"lines": journal_records})
        assert reply.json() == {"entries": len(journal_records), "code": ""}
        # Another participant's journal is none of theirs.
        other_lines = [line | {"participant": "bob"} for line in journal_records]
        assert client.post("/api/v1/studies/small/journal", json={"lines": other_lines}).status_code == 409
        plan = client.post("/api/v1/studies", json={}).json()[0]["file"]
        assert "seed" not in plan["text"] or '"seed": null' in plan["text"]
        assert plan["code"] == ""


@pytest.mark.nightly
async def test_two_participants_have_a_place_each_and_a_third_has_none(
    tmp_path: Path, service: Service, invitation: str
) -> None:
    outputs = [enrol(tmp_path / name, service, invitation) for name in ("one", "two", "three")]
    assert ["no place is left" in output for output in outputs] == [False, False, True]


@pytest.mark.nightly
async def test_work_waits_for_a_service_that_is_down_and_arrives_once_it_is_up(
    editors: Editors, home: Path, service: Service, invitation: str
) -> None:
    enrol(home, service, invitation)
    editor = await editors()
    await agree(editor)
    port = int(service.url.rpartition(":")[2])
    service.stop()
    await foresee(editor)
    view = await ask(editor, "study", study="small")
    assert (view.step, view.receipt, view.data_to) == ("unlock", None, service.url)
    service.start(port)
    assert (await step(editor))[0] == "open"
    await editor.quit()
    with lab_log(service) as log:
        assert "task_forecast" in [
            journal_entry.recorded_entry.type for journal_entry in log.journal.entries("small", "ada")
        ]


async def test_a_study_whose_records_go_elsewhere_is_refused(service: Service, tmp_path: Path) -> None:
    file = tmp_path / "other.yaml"
    file.write_text(STUDY.replace("data: {to: service}\n", ""))
    refused_command = benchwright(service.home, "lab", "open", str(file))
    assert refused_command.returncode == 1
    assert "data.to" in refused_command.stderr
    assert "Traceback" not in refused_command.stderr
