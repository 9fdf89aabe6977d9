"""A participant's records come to the lab's database, also when it is down just then."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from benchwright_attempts.summary.replay import verify_attempt
from benchwright_foundation.home import Home
from benchwright_studies.conduct.delivery import Deliveries
from benchwright_studies.conduct.study_log import StudyLog

from ..lsp.session import SERVER, Editor
from ..support.service.postgres import Cluster, PostgresError, new_database, restartable_cluster

pytestmark = pytest.mark.asyncio

STUDY = """
study: far
title: A study of a lab far away
problems: [starter/saturating-counter]
conditions: [{name: alone, solver: human}]
participants: [ada]
randomisation: {seed: 1}
forecasts: []
self_estimates: []
consent: {version: "1", text: "You agree to what is written here."}
data: {to: "WHERE"}
"""

Editors = Callable[[], Awaitable[Editor]]


@pytest.fixture
def database() -> Iterator[Cluster]:
    try:
        with restartable_cluster() as running:
            yield running
    except PostgresError as error:
        pytest.skip(str(error))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest_asyncio.fixture
async def editors(home: Path) -> AsyncIterator[Editors]:
    started_editors: list[Editor] = []

    async def start() -> Editor:
        started_editors.append(await Editor.start(home))
        return started_editors[-1]

    yield start
    for editor in started_editors:
        if editor.process.returncode is None:
            await editor.kill()


async def benchwright(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "BENCHWRIGHT_HOME": str(home)}
    return await asyncio.to_thread(
        subprocess.run, [SERVER[0], "study", *words], env=environment, capture_output=True, text=True, check=False
    )


async def take_part(editor: Editor) -> dict[str, Any]:
    """Everything from the consent to the end; returns how the study looks then."""
    await editor.ask("giveConsent", study="far", version="1")
    opened = await editor.ask("openTask", study="far")
    await editor.ask("start", uri=opened["status"]["workspace"])
    await editor.ask("abandon", uri=opened["status"]["workspace"], reason="enough")
    return await look(editor)


async def look(editor: Editor) -> dict[str, Any]:
    view: dict[str, Any] = await editor.ask("study", study="far")
    return view


async def begin(home: Path, location: str) -> None:
    file = home.parent / "study.yaml"
    file.write_text(STUDY.replace("WHERE", location))
    run_process = await benchwright(home, "run", str(file), "--participant", "ada")
    assert run_process.returncode == 0, run_process.stderr


@pytest_asyncio.fixture
async def where(database: Cluster, home: Path) -> str:
    """The address of a new database, to which the records of a study go that ada has begun."""
    address = new_database(database.folder)
    await begin(home, address)
    return address


def arrived(location: str) -> list[int]:
    """Events of each attempt that has arrived; each is whole."""
    with StudyLog(location) as log:
        headers = log.headers()
        assert all(verify_attempt(*log.stored_attempt(header.id)).ok for header in headers)
        assert [entry.recorded_entry.type for entry in log.journal.entries("far", "ada")][-1:] == ["finished"]
        return [len(log.events(header.id)) for header in headers]


async def test_records_wait_for_a_database_that_is_down_and_arrive_once_it_is_up(
    database: Cluster, where: str, home: Path, editors: Editors
) -> None:
    editor = await editors()
    database.stop()

    view = await take_part(editor)
    # It was tried while the participant worked, too.
    assert (view["step"], view["delivery"]["arrived"], view["delivery"]["tries"] >= 1) == ("finished", False, True)
    assert "kept on this machine" in view["delivery"]["told"] and "can't be reached" in view["delivery"]["told"]
    assert await editor.quit() == 0

    status = await benchwright(home, "status", "far", "--json")
    waiting = json.loads(status.stdout)["not_handed_in"]["ada"]
    assert (waiting["tries"] > view["delivery"]["tries"], "can't be reached" in waiting["told"]) == (True, True)
    assert "not delivered yet, " in " ".join((await benchwright(home, "status", "far")).stdout.split())

    later_editor = await editors()
    await later_editor.wait_until(
        lambda: any("will try again" in message for message in later_editor.screen.messages), "the warning"
    )
    database.start()
    assert (await look(later_editor))["delivery"] == {"arrived": True, "tries": 0, "told": ""}
    (events,) = arrived(where)

    # Handing in again, as after a crash that came before the note of it, changes nothing.
    deliveries = Deliveries(Home.from_environment({"BENCHWRIGHT_HOME": str(home)}))
    deliveries.add_delivery_if_missing("far", "ada")
    last_editor = await editors()
    await last_editor.wait_until(
        lambda: any("have been delivered" in message for message in last_editor.screen.messages), "the news"
    )
    assert arrived(where) == [events]
    assert deliveries.waiting_deliveries() == []


async def test_a_command_hands_in_what_the_database_missed_while_it_restarted(
    database: Cluster, where: str, home: Path, editors: Editors
) -> None:
    editor = await editors()
    database.stop(signal.SIGINT)
    assert not (await take_part(editor))["delivery"]["arrived"]
    # It would try again by itself.
    await editor.quit()
    database.start()
    status = await benchwright(home, "status", "far", "--json")
    assert "delivered now" in " ".join(status.stderr.split())
    assert json.loads(status.stdout)["not_handed_in"] == {}
    assert len(arrived(where)) == 1
    assert (await look(await editors()))["delivery"]["arrived"]


async def test_what_waits_is_not_handed_in_once_consent_is_taken_back(
    database: Cluster, where: str, home: Path, editors: Editors
) -> None:
    editor = await editors()
    database.stop()
    await take_part(editor)
    await editor.ask("withdrawConsent", study="far", delete=False)
    database.start()
    status = await benchwright(home, "status", "far", "--json")
    assert (status.stderr, json.loads(status.stdout)["not_handed_in"]) == ("", {})
    with StudyLog(where) as log:
        assert (log.headers(), log.journal.studies()) == ([], [])


async def test_a_folder_that_is_not_there_yet_gets_the_records_later(
    tmp_path: Path, home: Path, editors: Editors
) -> None:
    share = tmp_path / "share"
    share.write_text("")
    await begin(home, f"{share}/far")
    editor = await editors()
    assert f"{share}/far: Not a directory" in (await take_part(editor))["delivery"]["told"]
    share.unlink()
    assert (await look(editor))["delivery"]["arrived"]
    assert (share / "far" / "ada" / "journal.jsonl").exists()
