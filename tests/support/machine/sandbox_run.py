"""Trying a sandbox with small programs."""

from __future__ import annotations

import io
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchwright_harness.execution.process import ProcessEnd, StepEnd
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox import Sandbox, SandboxJob
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import RunLimits

from .waiting import comes

PATIENCE_S = 60.0
"""Long enough for a busy machine; whatever has to be cut off would run for longer."""

HIDDEN = {"/src/secret.txt": "CANARY-51ab", "/src/more/x.txt": "more"}


@dataclass(frozen=True)
class SandboxOutput:
    step_end: StepEnd
    printed: str
    code: Path

    @property
    def end(self) -> ProcessEnd:
        return self.step_end.end


Run = Callable[..., Awaitable[SandboxOutput]]


def runner(sandbox: Sandbox, code_folder: Path, toolchain: Toolchain) -> Run:
    async def run(
        script: str,
        *,
        python: bool = False,
        hidden: Mapping[str, str] = HIDDEN,
        env: Mapping[str, str] | None = None,
        **limits: float,
    ) -> SandboxOutput:
        user = sandbox.new_user()
        if user is not None:
            for path in (code_folder, *code_folder.rglob("*")):
                os.chown(path, user, user, follow_symlinks=False)
        log = io.BytesIO()
        job = SandboxJob(
            argv=("python3", "-c", script) if python else ("/bin/sh", "-c", script),
            env={"PATH": toolchain.environment(ToolSelection())["PATH"], "GREETING": "hello", **(env or {})},
            code=code_folder,
            hidden_files=hidden,
            limits=RunLimits.model_validate({"wall_s": 300.0, **limits}),
            toolchain=toolchain,
            user=user,
        )
        step_end = await sandbox.run(job, log)
        return SandboxOutput(step_end, log.getvalue().decode(errors="replace"), code_folder)

    return run


def processes_with(command_marker: str) -> list[psutil.Process]:
    matches = []
    for process in psutil.process_iter(["cmdline"]):
        # The pytest process has its own source nowhere in its arguments.
        if command_marker in " ".join(process.info["cmdline"] or ()):
            matches.append(process)
    return matches


def is_alive(process: psutil.Process) -> bool:
    try:
        # Whoever adopts a dead process may take its time to bury it.
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def has_started(command_marker: str) -> bool:
    return await comes(lambda: bool(processes_with(command_marker)), PATIENCE_S)


async def gone(command_marker: str) -> bool:
    """True if the processes end soon; by themselves they have to run for longer."""
    return await comes(lambda: not processes_with(command_marker), PATIENCE_S)
