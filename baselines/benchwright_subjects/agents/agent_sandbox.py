"""One agent in one sandbox: the problem's files in `/code`, the bridge on its loopback, and nothing else to reach."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import stat
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

from benchwright_attempts.errors import EvaluationError
from benchwright_attempts.grading.grading import judged_paths
from benchwright_foundation.json_text import parse_untrusted_json
from benchwright_foundation.untrusted_folder import remove_folder_if_possible
from benchwright_harness.errors import HarnessError
from benchwright_harness.execution.process import ProcessEnd, StepEnd
from benchwright_harness.execution.run_folder import filled_run_folder, new_run_folder
from benchwright_harness.plan.selection import selections
from benchwright_harness.sandbox import Sandbox, SandboxJob
from benchwright_harness.sandbox.registry import sandbox_names_with
from benchwright_harness.toolchain import Toolchain
from benchwright_problems.problem import Problem, RunLimits
from benchwright_subjects.agents.launch import HOME, LAUNCHER, PORT, AgentEnd, AgentEnding, AgentLaunch
from benchwright_subjects.checkpoint import MOST_BYTES

_GIVEN = "/bench"
"""Path at which the sandbox shows the launcher, its orders, and the bridge's socket."""
_SOCKET = "bridge"
_STDIO = "stdio"
_TERMINALS = "terminals"
_COPIES = "copies"
_SESSION = "session.tar.gz"
_MOST_PRINTED = 64_000
_LIMITS = RunLimits(wall_s=86_400, memory_mb=8192, processes=512, folder_mb=1000, file_mb=500)
"""Of everything in the sandbox together; the attempt's own limits end it earlier."""
_ENDINGS = {
    ProcessEnd.MEMORY: AgentEnding.MEMORY,
    ProcessEnd.FOLDER_QUOTA: AgentEnding.FOLDER,
    ProcessEnd.TIMEOUT: AgentEnding.TIME,
    ProcessEnd.STARVED: AgentEnding.TIME,
    ProcessEnd.OUTPUT_QUOTA: AgentEnding.KILLED_LAUNCHER,
}


@dataclass(frozen=True)
class AgentSandbox:
    """The folders of one agent while it works.

    Args:
        sandbox: Sandbox in which it runs.
        toolchain: Tools that it finds there.
        user: Owner of the folders.
        code: Is `/code` inside.
        given: Is shown read-only.
    """

    sandbox: Sandbox
    toolchain: Toolchain
    user: int | None
    code: Path
    given_folder: Path

    @classmethod
    @contextlib.contextmanager
    def temporary_with_files(
        cls, sandbox: Sandbox, toolchain: Toolchain, files: Mapping[str, bytes]
    ) -> Iterator[AgentSandbox]:
        """Folders with these files, which are deleted at the end of the block.

        Raises:
            EvaluationError: Agents can't work in this sandbox.
        """
        fitting = sandbox_names_with(lambda sandbox_kind: sandbox_kind.shows_folders)
        if sandbox.name not in fitting:
            names = " or ".join(fitting)
            raise EvaluationError(f"Agents that are programs work in the {names} sandbox only. Leave --sandbox out.")
        user = sandbox.new_user()
        code, given_folder = new_run_folder(), new_run_folder()
        try:
            with filled_run_folder(code, files, user):
                if user is not None:
                    os.chown(given_folder, user, user)
                yield cls(sandbox, toolchain, user, code, given_folder)
        finally:
            remove_folder_if_possible(given_folder)

    @property
    def bridge_address(self) -> Path:
        """Address at which the bridge is to listen."""
        return self.given_folder / _SOCKET

    @property
    def stdio_address(self) -> Path:
        """Address at which the client of an agent that speaks ACP is to listen for its input and output."""
        return self.given_folder / _STDIO

    @property
    def terminals_address(self) -> Path:
        """Address at which such a client is to listen for connections that carry commands into the sandbox."""
        return self.given_folder / _TERMINALS

    @property
    def copies_address(self) -> Path:
        """Address at which a client that copies the agent's session is to listen."""
        return self.given_folder / _COPIES

    async def run(
        self, launch: AgentLaunch, problem: Problem | None, prompt: str, session_copy: bytes = b""
    ) -> AgentEnd:
        """Run an agent to its end; cancelling ends everything inside.

        Args:
            launch: The program to start.
            problem: Decides which tools it finds; None for the newest.
            prompt: Its task.
            session_copy: The session that it continues; empty if it begins one.

        Raises:
            EvaluationError: The sandbox does not work, or the agent's programs can't be read.
        """
        for folder in launch.read_only_folders.values():
            refuse_unreadable_folder(folder)
        tools = self.toolchain.environment(selections(problem)[0]) if problem else {}
        self._write_given_file("launcher.py", LAUNCHER.read_bytes())
        if session_copy:
            self._write_given_file(_SESSION, session_copy)
        launch_document = {
            "argv": launch.argv(prompt, judged_paths(problem) if problem else ()),
            "env": launch.full_environment(tools),
            "cwd": "/code",
            "input": launch.stdin_text(prompt),
            "home": HOME,
            "files": dict(launch.files),
            "port": PORT,
            "bridge": f"{_GIVEN}/{_SOCKET}" if self.bridge_address.exists() else "",
            "stdio": f"{_GIVEN}/{_STDIO}" if launch.acp else "",
            "terminals": f"{_GIVEN}/{_TERMINALS}" if launch.acp else "",
            "most": _MOST_PRINTED,
            "session": launch.session_paths,
            "copies": f"{_GIVEN}/{_COPIES}" if self.copies_address.exists() else "",
            "session_archive": f"{_GIVEN}/{_SESSION}" if session_copy else "",
            "most_session": MOST_BYTES,
        }
        self._write_given_file("launch.json", json.dumps(launch_document).encode())
        job = SandboxJob(
            argv=("/usr/bin/python3", "-I", f"{_GIVEN}/launcher.py", f"{_GIVEN}/launch.json"),
            env={"LANG": "C.UTF-8", **tools},
            code=self.code,
            hidden_files={},
            limits=_LIMITS,
            toolchain=self.toolchain,
            user=self.user,
            shown_folders={**launch.read_only_folders, _GIVEN: self.given_folder},
            reserves_memory=launch.reserves_memory,
        )
        output_buffer = io.BytesIO()
        try:
            step_end = await self.sandbox.run(job, output_buffer)
        except HarnessError as error:
            raise EvaluationError(f"The agent's sandbox does not work: {error}.") from error
        return _agent_end_of(step_end, output_buffer.getvalue())

    def _write_given_file(self, name: str, content: bytes) -> None:
        file = self.given_folder / name
        file.write_bytes(content)
        file.chmod(0o644)


def _agent_end_of(step_end: StepEnd, launcher_output: bytes) -> AgentEnd:
    if step_end.end is not ProcessEnd.EXITED:
        return AgentEnd(_ENDINGS[step_end.end])
    try:
        report = parse_untrusted_json(launcher_output.splitlines()[-1])
        code, stdout, stderr = int(report["code"]), str(report["stdout"]), str(report["stderr"])
    except (ValueError, LookupError, TypeError):
        return AgentEnd(AgentEnding.KILLED_LAUNCHER, stderr=launcher_output[-1000:].decode("utf-8", "replace"))
    return AgentEnd(AgentEnding.DONE if code == 0 else AgentEnding.FAILED, code, stdout, stderr)


def refuse_unreadable_folder(folder: Path) -> None:
    """Refuse a folder of programs that an agent could not read.

    Raises:
        EvaluationError: The folder is not there, or a user without rights can't get there.
    """
    if not folder.is_dir():
        raise EvaluationError(f"There is no folder {folder} with the agent's programs.")
    programs_folder = folder.resolve()
    if os.geteuid() == 0 and any(
        not parent.stat().st_mode & stat.S_IXOTH for parent in (programs_folder, *programs_folder.parents)
    ):
        raise EvaluationError(
            f"Agents run as a user of their own, who can't enter {programs_folder}. Put it where everybody may read."
        )


@contextlib.asynccontextmanager
async def cancelled_at_block_end(task: asyncio.Task[Any]) -> AsyncIterator[None]:
    """A task that ends with the block."""
    try:
        yield
    finally:
        task.cancel()
        # Whatever is cancelled around it: what runs in the sandbox must have ended before its folder is removed.
        with anyio.CancelScope(shield=True):
            await asyncio.wait({task})
