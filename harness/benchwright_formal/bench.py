"""Runs the tools of the toolchain on designs in a sandbox, one after another in one folder."""

from __future__ import annotations

import contextlib
import re
import secrets
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path

from benchwright_formal.errors import NotModelledError
from benchwright_foundation.plain_file import FileTooLargeError, NotPlainFileError, read_plain_file
from benchwright_harness.errors import SandboxUnavailableError
from benchwright_harness.execution.process import ProcessEnd
from benchwright_harness.execution.run_folder import filled_run_folder, new_run_folder
from benchwright_harness.plan.plan import WORKDIR
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.sandbox import Sandbox, SandboxJob
from benchwright_harness.toolchain import Toolchain
from benchwright_harness.toolchain.tree import INSIDE
from benchwright_problems.problem import RunLimits

INPUT_FOLDER = "/formal"
"""Folder in which scripts and testbenches are shown: not in the designs' folder, which a design could change."""
_MEMORY_MB = 2048
_FOLDER_MB = 256
_MAX_FILE_BYTES = 64 << 20
_TOOLS = {"iverilog", "vvp", "yosys", "yosys-abc"}


class DesignFolder:
    """A folder with the files of designs in a sandbox.

    Args:
        sandbox: Sandbox in which the tools run.
        toolchain: Toolchain to use.
        folder: The folder.
        owner_user_id: Owner of the folder.
    """

    def __init__(self, sandbox: Sandbox, toolchain: Toolchain, folder: Path, owner_user_id: int | None) -> None:
        self._sandbox = sandbox
        self._toolchain = toolchain
        self._code = folder
        self._user = owner_user_id

    async def run_shell_script(
        self, script: str, input_text_by_name: Mapping[str, str], wall_s: float
    ) -> tuple[ProcessEnd, int, str]:
        """Run a script of the shell.

        Args:
            script: Script to run in the folder `rundir`.
            input_text_by_name: Name → text of what it reads below `INPUT_FOLDER`.
            wall_s: Seconds that it may take.

        Returns:
            How it ended, its exit code, what it printed.
        """
        selection = ToolSelection()
        tools = self._toolchain.environment(selection)
        # The guards of compilers keep a design from a harness; there is none here.
        tools["PATH"] = ":".join(
            search_folder for search_folder in tools["PATH"].split(":") if not search_folder.startswith(INSIDE)
        )
        job = SandboxJob(
            argv=("/bin/sh", "-c", script),
            env={"LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", **tools, "HOME": WORKDIR, "PWD": WORKDIR},
            code=self._code,
            hidden_files={f"{INPUT_FOLDER}/{name}": text for name, text in input_text_by_name.items()},
            limits=RunLimits(wall_s=wall_s, memory_mb=_MEMORY_MB, file_mb=64, folder_mb=_FOLDER_MB),
            toolchain=self._toolchain,
            user=self._user,
        )
        output = BytesIO()
        step_end = await self._sandbox.run(job, output)
        return step_end.end, step_end.exit_code, output.getvalue().decode(errors="replace")

    def file_left_by_script(self, file_name: str) -> bytes | None:
        """A file that a script left in `rundir`; None if there is no such plain file of a sensible size."""
        with contextlib.suppress(OSError, NotPlainFileError, FileTooLargeError):
            return read_plain_file(self._code, f"rundir/{file_name}", _MAX_FILE_BYTES)
        return None


@contextlib.contextmanager
def temporary_design_folder(
    design_content_by_path: Mapping[str, bytes], sandbox: Sandbox, toolchain: Toolchain
) -> Iterator[DesignFolder]:
    """A bench with files, by path below `/code`.

    Raises:
        HarnessError: The sandbox or the tools do not work on this machine, with the next step.
    """
    toolchain.require_tools(_TOOLS, ToolSelection())
    try:
        code, user = new_run_folder(), sandbox.new_user()
        with filled_run_folder(code, design_content_by_path, user):
            yield DesignFolder(sandbox, toolchain, code, user)
    except OSError as error:
        raise SandboxUnavailableError(
            f"this machine could not create the run's folder ({error.strerror or type(error).__name__})",
            "Check that the folder for temporary files has room and can be written to.",
        ) from error


def random_unguessable_name() -> str:
    """A name that a design can't know."""
    return f"b{secrets.token_hex(16)}"


def require_tool_success(end: ProcessEnd, exit_code: int, tool_output: str, tool_name: str) -> None:
    """Raises NotModelledError if a tool did not end well, with its first error."""
    if end in (ProcessEnd.TIMEOUT, ProcessEnd.STARVED):
        raise NotModelledError(f"{tool_name} took longer than it may")
    if end is not ProcessEnd.EXITED:
        raise NotModelledError(f"{tool_name} reached its limit of {'memory' if end is ProcessEnd.MEMORY else 'output'}")
    if exit_code != 0:
        match = re.search(
            r"^(?:\S*?:\d+: )?(?:ERROR|error|sorry): .+|^\S+:\d+: (?!Warning).+", tool_output, re.MULTILINE
        )
        message = re.sub(r"\S*b[0-9a-f]{32}[./]", "", match[0]) if match else "it names no reason"
        raise NotModelledError(f"{tool_name} refuses it: {message[:200]}")
