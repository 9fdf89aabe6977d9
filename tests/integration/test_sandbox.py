"""Promises of bubblewrap alone; those that it shares with other sandboxes are in `test_sandbox_contract.py`."""

from __future__ import annotations

import asyncio
import ctypes.util
import os
import sys
import threading
from pathlib import Path

import pytest

from benchwright_harness.errors import SandboxUnavailableError
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.sandbox.native import NativeSandbox
from benchwright_harness.sandbox.seccomp import compiled_seccomp_filter
from benchwright_harness.toolchain import Toolchain

from ..support.machine.sandbox_run import Run, SandboxOutput, runner


@pytest.fixture
def bwrap(code: Path, toolchain: Toolchain) -> Run:
    return runner(BwrapSandbox(), code, toolchain)


@pytest.mark.parametrize(
    "path", ["/root", "/home", "/etc/shadow", "/etc/hostname", "/sys", "/mnt", "/boot", "/var/lib"]
)
async def test_the_hosts_files_are_not_there(path: str, bwrap: Run) -> None:
    assert (await bwrap(f"ls {path}")).step_end.exit_code != 0


async def test_no_file_of_the_host_is_open_inside(bwrap: Run) -> None:
    stdout = (await bwrap("for f in /proc/self/fd/* /proc/1/fd/*; do readlink $f; done")).printed
    assert "hidden" not in stdout
    assert all(line.startswith(("/dev/null", "pipe:", "/proc/", "anon_inode:", "socket:")) for line in stdout.split())


@pytest.mark.skipif(
    not Path("/proc/self/autogroup").is_file(), reason="this kernel has no scheduling groups of sessions"
)
def test_a_nice_runs_session_is_as_nice(code: Path, toolchain: Toolchain) -> None:
    outputs: list[str] = []

    def nicely() -> None:
        # Of this thread alone: nobody but root could take it back.
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 7)
        outputs.append(asyncio.run(run()).printed)

    async def run() -> SandboxOutput:
        return await runner(BwrapSandbox(), code, toolchain)("cat /proc/self/autogroup; nice")

    thread = threading.Thread(target=nicely)
    thread.start()
    thread.join()
    group, niceness = outputs[0].splitlines()
    assert group.endswith("nice 7")
    assert niceness == "7"


async def test_a_sandbox_that_can_not_start_is_an_error_of_its_own(bwrap: Run) -> None:
    with pytest.raises(SandboxUnavailableError, match="does not work on this machine"):
        await bwrap("true", hidden={"/usr/\0/x".replace("\0", "y"): "", "/proc/1/x": ""})


async def test_a_missing_bubblewrap_says_what_to_do(bwrap: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SandboxUnavailableError, match="not installed") as refused:
        await bwrap("true")
    assert "apt-get install bubblewrap" in refused.value.hint


def test_a_missing_library_of_system_call_filters_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    find_library = ctypes.util.find_library
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: None if name == "seccomp" else find_library(name))
    monkeypatch.delitem(sys.modules, "pyseccomp", raising=False)
    compiled_seccomp_filter.cache_clear()
    with pytest.raises(SandboxUnavailableError, match="libseccomp is not installed") as refused:
        BwrapSandbox().check()
    assert "apt-get install libseccomp2" in refused.value.hint


def test_the_sandboxs_own_check_works_here() -> None:
    BwrapSandbox().check()


def test_the_digest_names_the_sandbox() -> None:
    assert BwrapSandbox().digest == BwrapSandbox().digest != NativeSandbox().digest
    assert sys.platform == "linux"
