"""Questions judged by a service: the editor's side, and a service in a process of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import Editors
from .session import PATIENCE_S, SERVER

pytestmark = pytest.mark.asyncio(loop_scope="module")

BENCHWRIGHT = SERVER[0]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], str, str]]:
    """Process, address and token of a service that knows the built-in packs."""
    environment = {"BENCHWRIGHT_HOME": str(tmp_path / "service"), "PATH": os.environ["PATH"]}
    token_process = subprocess.run(
        [BENCHWRIGHT, "judge", "token", "create", "ann", "--scope", "submit", "--json"],
        env=environment,
        capture_output=True,
        check=True,
    )
    log = tmp_path / "service.log"
    with log.open("wb") as stream:
        process = subprocess.Popen([BENCHWRIGHT, "judge", "serve", "--port", "0"], env=environment, stderr=stream)
    deadline = time.monotonic() + PATIENCE_S
    while not (match := re.search(rb"Listening on (\S+)", log.read_bytes())):
        assert process.poll() is None
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)
    yield process, match[1].decode(), json.loads(token_process.stdout)["token"]
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)


@pytest.mark.parametrize("channel", ["argument", "initializationOptions"])
async def test_a_service_judges_where_one_is_named(
    editors: Editors, home: Path, service: tuple[subprocess.Popen[bytes], str, str], channel: str
) -> None:
    process, url, token = service
    file = home / "config" / "judge-token"
    file.parent.mkdir(parents=True)
    file.touch(mode=0o600)
    file.write_text(token)
    server_command = (*SERVER, "--judge-url", url) if channel == "argument" else SERVER
    editor = await editors(
        home, command=server_command, options=None if channel == "argument" else {"judge": {"url": url}}
    )
    desk = await editor.open_problem("starter/load-use-stalls")
    await desk.start()
    answer_file = desk.open()
    answer_file.paste("The answer is (B).")
    answer_file.save()
    assert (await desk.verdict(1)).reason == "wrong_answer"
    answer_file.paste("C")
    answer_file.save()
    assert (await desk.verdict(2)).reason == "passed"
    long = await editor.open_problem("starter/reorder-buffer")
    await long.start()
    essay = long.open()
    essay.paste("Because.")
    essay.save()
    assert (await long.run()).reason == "judge_unavailable"
    # Away: the answer stays, and the verdict says what is the matter.
    process.kill()
    process.wait(PATIENCE_S)
    # The clock of the other question has paused this one's.
    await desk.ask("resume")
    answer_file.paste("B")
    answer_file.save()
    verdict = await desk.verdict(3)
    assert (verdict.outcome, verdict.reason) == ("error", "judge_unavailable")
    assert "can't be reached" in verdict.message
    assert "kept and pending" in verdict.message
    assert token.encode() not in bytes(editor.stderr)
    assert desk.replayed_content("answer.md") == b"B"


async def test_without_a_token_the_answer_waits(editors: Editors, home: Path) -> None:
    editor = await editors(home, command=(*SERVER, "--judge-url", "http://127.0.0.1:9"))
    desk = await editor.open_problem("starter/load-use-stalls")
    await desk.start()
    answer_file = desk.open()
    answer_file.paste("C")
    answer_file.save()
    verdict = await desk.verdict(1)
    assert verdict.reason == "judge_unavailable"
    assert "BENCHWRIGHT_JUDGE_TOKEN" in verdict.message
