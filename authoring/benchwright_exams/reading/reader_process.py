"""The process that reads a page: in a sandbox, with the PDF as its input and an answer as its output, and no more."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

import benchwright_exams
import benchwright_foundation
from benchwright_exams.errors import ExamError
from benchwright_foundation.operating_system import MINIMAL_ENVIRONMENT
from benchwright_foundation.process_group import kill_process_group
from benchwright_harness.errors import SandboxUnavailableError
from benchwright_harness.sandbox.confinement import ConfinedProgram, Confinement, Confiner, own_python_folders
from benchwright_harness.sandbox.registry import sandbox_kind, sandbox_names, sandbox_names_with

_WALL_S = 120.0
_SAID_BYTES = 16 << 20
_FILE_MB = 160
"""Of an answer: as many pixels as a page may have, three bytes each, and what was said."""
_SCRATCH_MB = 256
_PROCESSES = 16
_ENV = {**MINIMAL_ENVIRONMENT, "OMP_THREAD_LIMIT": "1"}
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from benchwright_exams.inside.reader import carry_out_request; carry_out_request(sys.argv[2:])"
)
"""The search path is handed over, so that nothing in the working directory is imported."""


class ReaderAnswer(NamedTuple):
    """Answer of the process about a file or a page; its failure as an `error`."""

    reply: dict[str, Any]
    pixels: bytes = b""
    """Of the page's picture: red, green and blue, row by row."""


@dataclass(frozen=True)
class ReaderProcess:
    """Starts a process for each thing that is asked.

    Args:
        sandbox: One that confines programs; `native` has limits alone, which a hostile file may be able to get around.
    """

    sandbox: str

    def check(self) -> None:
        """Make sure that the sandbox works here.

        Raises:
            ExamError: Exams are not read in this sandbox.
            SandboxUnavailableError: The sandbox does not work on this machine, with the next step.
        """
        confiner = self._confiner
        try:
            confiner.check()
        except SandboxUnavailableError as error:
            raise SandboxUnavailableError(
                f"the sandbox that reads PDFs does not work here: {error}",
                f"{confiner.remedy}, or, for an exam whose author you trust, read it with `--sandbox native`, which has"
                " limits and no protection",
            ) from error

    def tesseract_path_or_empty(self) -> str:
        """The path of Tesseract; empty if there is none that the process can start."""
        return shutil.which("tesseract", path=self._confiner.search_path) or ""

    def run_reader(self, pdf_file: Path, reader_arguments: Sequence[str]) -> ReaderAnswer:
        """Start a process and wait for its answer.

        Args:
            pdf_file: The PDF, which the process has as its standard input.
            reader_arguments: Arguments of the program.

        Raises:
            SandboxUnavailableError: The sandbox does not work on this machine.
        """
        search_path = json.dumps([entry for entry in sys.path if Path(entry).is_absolute()])
        argv = [sys.executable, "-I", "-c", _START, search_path, *reader_arguments]
        with pdf_file.open("rb") as pdf, tempfile.TemporaryFile() as answer, self._confined_command(argv) as command:
            exit_status = _run_and_wait_unless_late(command, pdf, answer)
            if exit_status is None:
                return ReaderAnswer({"error": f"reading it takes more than {_WALL_S:.0f} s"})
            if exit_status < 0 or exit_status > 128:
                return ReaderAnswer(
                    {"error": "reading it takes more time or memory than an exam needs, or the library failed on it"}
                )
            return _read_answer(answer)

    @property
    def _confiner(self) -> Confiner:
        if self.sandbox in sandbox_names() and (confiner := sandbox_kind(self.sandbox).confiner):
            return confiner
        names = " or ".join(sandbox_names_with(lambda sandbox_kind: sandbox_kind.confiner))
        raise ExamError(f"Exams are read in the sandbox {names}, not in {self.sandbox}.")

    def _confined_command(self, reader_command: list[str]) -> AbstractContextManager[ConfinedProgram]:
        package_folders = [Path(package.__path__[0]) for package in (benchwright_exams, benchwright_foundation)]
        readable_folders = own_python_folders()
        readable_folders += [
            folder
            for folder in package_folders
            if not any(readable_folder in folder.parents for readable_folder in readable_folders)
        ]
        return self._confiner.confined_program(
            reader_command, Confinement(readable_folders, _ENV, _PROCESSES, _SCRATCH_MB, _FILE_MB)
        )


def _run_and_wait_unless_late(
    confined_program: ConfinedProgram, pdf_stream: IO[bytes], answer_file: IO[bytes]
) -> int | None:
    """The exit status of a process; None if it took too long."""
    # Its own group, so that Tesseract ends with it.
    with subprocess.Popen(
        confined_program.argv,
        stdin=pdf_stream,
        stdout=answer_file,
        stderr=subprocess.DEVNULL,
        env=confined_program.env,
        pass_fds=confined_program.open_files,
        start_new_session=True,
    ) as program:
        try:
            return program.wait(_WALL_S)
        except subprocess.TimeoutExpired:
            return None
        finally:
            kill_process_group(program.pid)


def _read_answer(answer_file: IO[bytes]) -> ReaderAnswer:
    answer_file.seek(0)
    line = answer_file.readline(_SAID_BYTES)
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        reply = None
    if not isinstance(reply, dict):
        return ReaderAnswer({"error": "the library failed on it"})
    return ReaderAnswer(reply, answer_file.read(_FILE_MB << 20))
