"""Each dialect's servers for a minute, at twenty sites: a server that watches its parent lives as long as its user."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from pydantic import JsonValue

from benchwright_subjects.inline.dialects.copilot import CopilotDialect
from benchwright_subjects.inline.dialects.lsp import StandardDialect, Trigger
from benchwright_subjects.inline.dialects.registered import DIALECTS
from benchwright_subjects.inline.dialects.tabby import TabbyDialect
from benchwright_subjects.inline.dialects.vscode import VSCodeDialect
from benchwright_subjects.inline.failure import SubjectError
from benchwright_subjects.inline.server.confinement import can_confine
from benchwright_subjects.inline.server.server_process import ServerLaunch
from benchwright_subjects.inline.server.session import UserSession, open_connection
from benchwright_subjects.inline.text.document import DocumentVersion
from benchwright_subjects.inline.vscode.editor_launch import driver_command, write_probe_extension
from benchwright_subjects.inline.vscode.vsix import read_vsix, vsix_of_folder
from benchwright_subjects.inline.workplace import temporary_workplace

from ..support.models.inline_hearing import Hearing
from ..support.models.inline_packages import NotInstalledError, node_modules
from ..support.models.inline_site import SITE
from ..support.models.tabby_endpoint import tabby_endpoint
from ..support.models.vscode_subjects import EXTENSION, programs
from ..support.service.judge_endpoint import JudgeEndpoint, content

SOAK_S = 60.0
SITES = 20
SUPPORT = Path(__file__).parents[1] / "support" / "models"
BENCHWRIGHT = Path(sys.executable).with_name("benchwright")
GITHUBS = "@github/copilot-language-server-linux-x64/copilot-language-server"
pytestmark = pytest.mark.skipif(not can_confine(), reason="bubblewrap is missing or does not work here")

Ask = Callable[[UserSession, DocumentVersion], Awaitable[int]]
"""Asks for completions at a site; how many were offered."""


async def ask(session: UserSession, document: DocumentVersion) -> int:
    return len((await session.request_completions(document, Trigger.INVOKED)).offers)


async def ask_status(session: UserSession, document: DocumentVersion) -> int:
    """Asks a server of GitHub's to which nobody signed in: it offers nothing, and says so."""
    with pytest.raises(SubjectError) as caught:
        await session.request_completions(document, Trigger.INVOKED)
    assert caught.value.code == 1000
    return 1


async def soak(
    launch: ServerLaunch, dialect: StandardDialect, folder: Path, share: float = 1.0, asks: Ask = ask
) -> list[int]:
    """Ask one process at each site, spread over the whole time.

    Args:
        launch: Start of the server.
        dialect: Dialect of the server.
        folder: Folder for its workplace.
        share: Share of the minute, and of the sites.
        asks: How it is asked.

    Returns:
        The offers at each site.
    """
    names = [SITE.path] if dialect.draws else [f"rtl/m{number}.sv" for number in range(SITES)]
    text = SITE.text_before + SITE.text_after
    offer_counts = []
    with temporary_workplace(folder, {name: text.encode() for name in names}, launch.profile) as workplace:
        async with open_connection(launch, dialect, workplace, os.environ) as (connection, server_name):
            session = UserSession(connection, dialect, server_name, 30.0)
            start_s = time.monotonic()
            for number in range(round(SITES * share)):
                uri = (workplace.workspace / names[number % len(names)]).as_uri()
                document = DocumentVersion(uri, text, len(SITE.text_before))
                if number < len(names):
                    session.open_document(document)
                offer_counts.append(await asks(session, document))
                next_s = start_s + (number + 1) * SOAK_S / SITES
                await asyncio.sleep(max(0.0, next_s - time.monotonic()))
            assert (await connection.request("shutdown", None, 10)).result is None
    return offer_counts


def test_each_dialect_has_a_soak() -> None:
    assert set(DIALECTS) == {"lsp", "copilot", "tabby", "vscode"}


async def test_servers_that_watch_their_parent_live_as_long_as_they_are_asked(tmp_path: Path, nightly: bool) -> None:
    share = 1.0 if nightly else 0.1
    with Hearing(tmp_path / "socket") as hearing:
        program = str(SUPPORT / "plain_inline_server.py")
        launch = ServerLaunch((sys.executable, program, "watches", str(hearing.socket_path)))
        dialects = [StandardDialect(), CopilotDialect(), TabbyDialect()]
        soaks = await asyncio.gather(*(soak(launch, dialect, tmp_path / "places", share) for dialect in dialects))
    assert soaks == [[1] * round(SITES * share)] * len(dialects)


@pytest.mark.nightly
async def test_tabbys_agent_lives_for_a_minute(tmp_path: Path) -> None:
    cli = installed_packages() / "tabby-agent" / "dist" / "cli.js"
    with tabby_endpoint(lambda prefix: "assign y = a & b;") as tabby:
        settings_file = tmp_path / "profile" / ".tabby-client" / "agent" / "config.toml"
        settings_file.parent.mkdir(parents=True)
        settings_file.write_text(tabby.settings)
        launch = ServerLaunch(("node", str(cli), "--lsp", "--stdio"), profile=tmp_path / "profile")
        assert await soak(launch, TabbyDialect(), tmp_path / "places") == [1] * SITES


@pytest.mark.nightly
async def test_githubs_server_lives_for_a_minute_without_a_sign_in(tmp_path: Path) -> None:
    launch = ServerLaunch((str(installed_packages() / GITHUBS), "--stdio"), is_offline=True)
    assert await soak(launch, CopilotDialect(), tmp_path / "places", asks=ask_status) == [1] * SITES


@pytest.mark.nightly
async def test_our_own_server_lives_for_a_minute(tmp_path: Path) -> None:
    with JudgeEndpoint(lambda request: content("assign y = a & b;")) as endpoint:
        assistant: JsonValue = {"enabled": True, "url": endpoint.url, "model": "any"}
        launch = ServerLaunch((str(BENCHWRIGHT), "lsp"))
        assert await soak(launch, StandardDialect({"assistant": assistant}), tmp_path / "places") == [1] * SITES


@pytest.mark.nightly
async def test_a_real_editor_lives_for_a_minute(tmp_path: Path) -> None:
    editor_programs = programs()
    vsix = tmp_path / "subject.vsix"
    vsix.write_bytes(vsix_of_folder(EXTENSION))
    command = driver_command(editor_programs, [read_vsix(vsix)], write_probe_extension(tmp_path / "probe"))
    script: JsonValue = {"rules": [{"after": ");", "say": "assign y = a & b;"}]}
    dialect = VSCodeDialect({"subject.script": script})
    assert await soak(ServerLaunch(command), dialect, tmp_path / "places") == [1] * SITES


def installed_packages() -> Path:
    try:
        return node_modules()
    except NotInstalledError as error:
        pytest.skip(str(error))
