"""An agent's files, and commands that it runs on them in the sandbox that harnesses run in.

Each command gets a folder of its own with the files as they are, no network and nothing hidden; what it leaves in the
folder are the files afterwards. Only `rundir`, where it may build, is emptied.
"""

from __future__ import annotations

import asyncio
import os
import shlex
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.tool import ToolError
from pydantic import TypeAdapter, ValidationError

from benchwright_attempts.errors import AttemptError, EvaluationError
from benchwright_attempts.events.events import TextCause
from benchwright_attempts.grading.grading_runs import hold_harness_slot
from benchwright_foundation.plain_file import open_plain_file_in
from benchwright_harness.errors import HarnessError
from benchwright_harness.execution.process import ProcessEnd
from benchwright_harness.execution.run_folder import filled_run_folder, new_run_folder
from benchwright_harness.plan.plan import WORKDIR
from benchwright_harness.plan.selection import selections
from benchwright_harness.sandbox import SandboxJob
from benchwright_problems.problem import ProblemKind, RunLimits
from benchwright_problems.relative_path import RelativePath
from benchwright_problems.repository.build_output import is_left_out_of_solution
from benchwright_subjects.evaluation.services import EvaluationServices, run_without_leaking_frames
from benchwright_subjects.sample_attempt import SampleAttempt
from benchwright_subjects.tree_folder import TreeFolder

MOST_FILES = 400
MOST_BYTES = 1 << 20
"""Of one file."""
_FOLDER_MB = 100
_SHOWN = 16_000
"""Characters of a command's output that an agent sees: the beginning and the end."""
_MOST_LISTED, _LISTED_DEPTH = 1_000, 3
_PATH: TypeAdapter[str] = TypeAdapter(RelativePath)
_LINT = (
    "verilator --lint-only -Wall -Wno-MULTITOP -Wno-DECLFILENAME --timing -y rtl -y verif -Irtl -Iverif +libext+.sv+.v"
)


@dataclass(frozen=True)
class AgentWorkspace:
    """The files of one attempt.

    Args:
        services: Have sandbox and toolchain.
        sample: Records what happens to the files.
        wall_s: Time limit of a command in seconds.
    """

    services: EvaluationServices
    sample: SampleAttempt
    wall_s: float

    def file_listing(self) -> str:
        """Path and size of every file; of a large repository, folders with the number of their files."""
        files = self.sample.files
        if len(files) <= _MOST_LISTED:
            return "\n".join(f"{path}  {len(content)} bytes" for path, content in sorted(files.items()))
        counts = Counter("/".join(path.split("/")[:-1][:_LISTED_DEPTH]) or "." for path in files)
        lines = "\n".join(f"{folder}/  {count} files" for folder, count in sorted(counts.items()))
        return f"{lines}\nThese are {len(files)} files in all; run_command with find or grep shows single ones."

    def file_text(self, path: str) -> str:
        """The text of a file."""
        content = self.sample.files.get(path)
        if content is None:
            raise ToolError(f"There is no file {path!r}. list_files shows all.")
        return content.decode("utf-8", "replace")

    async def write_file(self, path: str, text: str) -> None:
        """Write a file, a new one or over an old one."""
        content = text.encode("utf-8", "replace")
        if len(content) > MOST_BYTES:
            raise ToolError(f"A file can have {MOST_BYTES} bytes at most.")
        await self.sample.write_file(self._writable_path(path), content)

    async def replace_only_occurrence(self, path: str, old_text: str, new_text: str) -> None:
        """Replace the only occurrence of a string in a file."""
        text = self.file_text(path)
        count = text.count(old_text) if old_text else 0
        if count != 1:
            raise ToolError(f"The text to replace occurs {count} times in {path}; it must occur exactly once.")
        await self.write_file(path, text.replace(old_text, new_text))

    async def lint(self, path: str) -> str:
        """Verilator's messages about a file."""
        self.file_text(path)
        return await self.run_command(f"{_LINT} {shlex.quote(path)}")

    async def run_command(self, command: str) -> str:
        """Run a shell command and take over what it changed."""
        text, left_files = await self._run_on_files(command, self.sample.files)
        await self._record_differences(left_files)
        return text

    async def run_python(self, script: str) -> str:
        """Run a Python script in a folder of its own, of which nothing is kept."""
        text, _ = await self._run_on_files("python3 script.py", {"script.py": script.encode("utf-8", "replace")})
        return text

    async def _run_on_files(self, command: str, files: Mapping[str, bytes]) -> tuple[str, Mapping[str, bytes]]:
        """The output of a command, with its status, and the files that it left."""
        command_output = _OutputEnds()
        code = new_run_folder()
        user = self.services.sandbox.new_user()
        try:
            with filled_run_folder(code, files, user):
                async with hold_harness_slot(self.services.grading.slots, self.sample.attempt.clock):
                    step_end = await self.services.sandbox.run(self._sandbox_job(command, code, user), command_output)
                left_files = await asyncio.to_thread(self._files_left_in, code)
        except HarnessError as error:
            raise ToolError(f"The command could not be run: {error}.") from error
        status = f"exit status {step_end.exit_code}"
        if step_end.end is not ProcessEnd.EXITED:
            status = f"stopped: {step_end.end.value} ({self.wall_s:g} s, {self._command_limits.memory_mb} MiB)"
        return f"{command_output.text()}\n[{status}]".lstrip(), left_files

    @property
    def runs_allowed(self) -> int | None:
        """Number of runs of the hidden tests the solver may ask for. None for any number."""
        return self.sample.terms.runs_allowed if self.sample.problem.kind is ProblemKind.DESIGN else 0

    async def run_hidden_tests(self) -> str:
        """Runs the hidden tests; returns what the problem's policy reveals."""
        attempt = self.sample.attempt
        unseen_verdict, self.sample.unseen_verdict = self.sample.unseen_verdict, None
        try:
            if unseen_verdict is None or not await attempt.runs.is_verdict_about_present_files():
                await run_without_leaking_frames(self.sample.header.problem, attempt.run())
        except AttemptError as error:
            if isinstance(error, EvaluationError):
                raise
            raise ToolError(str(error)) from error
        summary = await attempt.writer.summary()
        if summary.verdict is None:
            raise ToolError("The run was stopped before there was a verdict.")
        revealed_text = (await asyncio.to_thread(attempt.runs.reveal, summary.verdict)).as_prompt_text()
        runs_left = self.sample.terms.runs_left(summary.verdict_count)
        return revealed_text if runs_left is None else f"{revealed_text}\n[{runs_left} runs left]"

    def _files_left_in(self, code_folder: Path) -> dict[str, bytes]:
        if self.sample.tree_files:
            return TreeFolder(code_folder, self.sample.tree_files).read_files()
        return plain_files_below(code_folder)

    async def _record_differences(self, files_after_command: Mapping[str, bytes]) -> None:
        for path in [path for path in self.sample.files if path not in files_after_command]:
            await self.sample.remove_file(path)
        for path, content in files_after_command.items():
            await self.sample.write_file(path, content, TextCause.OUTSIDE)

    def _sandbox_job(self, command: str, code_folder: Path, user_id: int | None) -> SandboxJob:
        toolchain = self.services.toolchain
        environment = toolchain.environment(selections(self.sample.problem)[0])
        return SandboxJob(
            argv=("/bin/sh", "-c", f"cd /code && ({command}\n)"),
            env={
                "LANG": "C.UTF-8",
                "PYTHONDONTWRITEBYTECODE": "1",
                **environment,
                "HOME": WORKDIR,
                "PWD": WORKDIR,
            },
            code=code_folder,
            hidden_files={},
            limits=self._command_limits,
            toolchain=toolchain,
            user=user_id,
        )

    @property
    def _command_limits(self) -> RunLimits:
        problem_limits = self.sample.problem.limits
        folder_mb = problem_limits.folder_mb if self.sample.tree_files else _FOLDER_MB
        return RunLimits(wall_s=self.wall_s, memory_mb=4096, folder_mb=folder_mb)

    def _writable_path(self, path: str) -> str:
        try:
            _PATH.validate_python(path)
        except ValidationError as error:
            raise ToolError(f"{path!r} is not a plain relative path such as rtl/top.sv.") from error
        other_paths = self.sample.files.keys() - {path}
        if any(other_path.startswith(f"{path}/") or path.startswith(f"{other_path}/") for other_path in other_paths):
            raise ToolError(f"{path!r} is a file and a folder at once.")
        if self.sample.tree_files:
            if path not in self.sample.tree_files and is_left_out_of_solution(path):
                raise ToolError(f"{path!r} is where builds write: no part of a solution. Choose another name.")
        elif len(other_paths) >= MOST_FILES:
            raise ToolError(f"There are {MOST_FILES} files already, and no more can be made.")
        elif path.startswith(("rundir/", "src/")):
            raise ToolError("rundir is emptied after each command, and src is not yours: choose another folder.")
        return path


class _OutputEnds:
    """The beginning and the end of what a command prints."""

    def __init__(self) -> None:
        self._head = b""
        self._tail = b""
        self._size = 0

    def write(self, content: bytes, /) -> int:
        self._size += len(content)
        room = _SHOWN // 2 - len(self._head)
        self._head += content[:room]
        self._tail = (self._tail + content[max(0, room) :])[-_SHOWN // 2 :]
        return len(content)

    def text(self) -> str:
        cut = self._size - len(self._head) - len(self._tail)
        middle = f"\n[{cut} bytes left out]\n".encode() if cut > 0 else b""
        return (self._head + middle + self._tail).decode("utf-8", "replace").rstrip()


def plain_files_below(code_folder: Path) -> dict[str, bytes]:
    """The plain files that a command left, as far as they can be an agent's; links are not followed."""
    contents: dict[str, bytes] = {}
    for folder, folders, names, handle in os.fwalk(code_folder, follow_symlinks=False):
        relative_folder = Path(folder).relative_to(code_folder)
        if relative_folder == Path():
            folders[:] = [name for name in folders if name not in ("rundir", "src")]
        for name in sorted(names):
            path = (relative_folder / name).as_posix()
            if len(contents) == MOST_FILES or not _is_relative_utf8_path(path):
                continue
            if (stream := open_plain_file_in(handle, name, MOST_BYTES)) is not None:
                with stream:
                    contents[path] = stream.read(MOST_BYTES)
    return contents


def _is_relative_utf8_path(path: str) -> bool:
    try:
        path.encode()
        _PATH.validate_python(path)
    except (ValidationError, UnicodeEncodeError):
        return False
    return True
