"""The message at the first start on a machine without a sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_foundation.home import Home
from benchwright_harness.errors import SandboxUnavailableError
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_server.attempts.sandbox_notice import sandbox_notice_unless_shown


def test_it_is_shown_once_and_again_when_a_sandbox_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        BwrapSandbox().check()
    except SandboxUnavailableError as error:
        pytest.skip(str(error))
    home = Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path)})
    assert sandbox_notice_unless_shown(home, "bwrap") == ""
    for _ in range(2):
        with monkeypatch.context() as lost:
            lost.setenv("PATH", "/nowhere")
            assert "bubblewrap is not installed" in sandbox_notice_unless_shown(home, "bwrap")
            assert sandbox_notice_unless_shown(home, "bwrap") == ""
        assert sandbox_notice_unless_shown(home, "bwrap") == ""


def test_who_chose_no_sandbox_is_told_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert sandbox_notice_unless_shown(Home.from_environment({"BENCHWRIGHT_HOME": str(tmp_path)}), "native") == ""
