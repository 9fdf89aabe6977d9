"""The process that reads a page: in bubblewrap, with the PDF as its input and an answer as its output, and no more."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

import benchwright_exams
import benchwright_foundation
from benchwright_exams.errors import ExamError
from benchwright_foundation.process_group import kill_group
from benchwright_harness.errors import SandboxUnavailableError

_WALL_S = 120.0
_SAID_BYTES = 16 << 20
_FILE_MB = 160
"""Of an answer: as many pixels as a page may have, three bytes each, and what was said."""
_SCRATCH_MB = 256
_PROCESSES = 16
_ENV = {"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "OMP_THREAD_LIMIT": "1"}
_SANDBOXES = ("bwrap", "native")
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from benchwright_exams.inside.reader import run; run(sys.argv[2:])"
)
"""The search path is handed over, so that nothing in the working directory is imported."""


class Answer(NamedTuple):
    """What the process said about a file or a page; its failure as an `error`."""

    said: dict[str, Any]
    pixels: bytes = b""
    """Of the page's picture: red, green and blue, row by row."""


class _Command(NamedTuple):
    argv: list[str]
    open_files: list[int]
    env: dict[str, str] | None


@dataclass(frozen=True)
class ReaderProcess:
    """Starts a process for each thing that is asked.

    Args:
        sandbox: `bwrap`, or `native`: with limits alone, which a hostile file may be able to get around.
    """

    sandbox: str

    def check(self) -> None:
        """Make sure that the sandbox works here.

        Raises:
            ExamError: Exams are not read in this sandbox.
            SandboxUnavailableError: It does not work on this machine, with the next step.
        """
        if self.sandbox not in _SANDBOXES:
            raise ExamError(f"Exams are read in the sandbox {' or '.join(_SANDBOXES)}, not in {self.sandbox}.")
        if self.sandbox == "native":
            return
        from benchwright_harness.sandbox.bwrap import BwrapSandbox

        try:
            BwrapSandbox().check()
        except SandboxUnavailableError as error:
            raise SandboxUnavailableError(
                f"the sandbox that reads PDFs does not work here: {error}",
                "install bubblewrap (Debian and Ubuntu: apt-get install bubblewrap), or, for an exam whose author you"
                " trust, read it with `--sandbox native`, which has limits and no protection",
            ) from error

    def tesseract(self) -> str:
        """Where Tesseract is; empty if there is none that the process can start."""
        return shutil.which("tesseract", path=None if self.sandbox == "native" else "/usr/local/bin:/usr/bin") or ""

    def ask(self, file: Path, arguments: Sequence[str]) -> Answer:
        """Start a process and wait for its answer.

        Args:
            file: The PDF, which the process has as its standard input.
            arguments: Of the program.

        Raises:
            SandboxUnavailableError: bubblewrap is not there.
        """
        search_path = json.dumps([entry for entry in sys.path if Path(entry).is_absolute()])
        argv = [sys.executable, "-I", "-c", _START, search_path, *arguments]
        with file.open("rb") as pdf, tempfile.TemporaryFile() as answer, self._command(argv) as command:
            ended = _ended(command, pdf, answer)
            if ended is None:
                return Answer({"error": f"reading it takes more than {_WALL_S:.0f} s"})
            if ended < 0 or ended > 128:
                return Answer(
                    {"error": "reading it takes more time or memory than an exam needs, or the library failed on it"}
                )
            return _answer(answer)

    @contextlib.contextmanager
    def _command(self, argv: list[str]) -> Iterator[_Command]:
        if self.sandbox == "native":
            with tempfile.TemporaryDirectory() as scratch:
                yield _Command(argv, [], {**_ENV, "TMPDIR": scratch} if os.name == "posix" else None)
            return
        from benchwright_harness.sandbox.bwrap import BwrapSandbox
        from benchwright_harness.sandbox.confined import Confinement, confined, own_python

        ours = [Path(package.__path__[0]) for package in (benchwright_exams, benchwright_foundation)]
        shown = own_python()
        shown += [place for place in ours if not any(other in place.parents for other in shown)]
        confinement = Confinement(shown, _ENV, _PROCESSES, _SCRATCH_MB, _FILE_MB)
        with confined(BwrapSandbox(), argv, confinement) as (whole, open_files):
            yield _Command(whole, open_files, {})


def _ended(command: _Command, pdf: IO[bytes], answer: IO[bytes]) -> int | None:
    """The exit status of a process; None if it took too long."""
    # Its own group, so that Tesseract ends with it.
    with subprocess.Popen(
        command.argv,
        stdin=pdf,
        stdout=answer,
        stderr=subprocess.DEVNULL,
        env=command.env,
        pass_fds=command.open_files,
        start_new_session=True,
    ) as program:
        try:
            return program.wait(_WALL_S)
        except subprocess.TimeoutExpired:
            return None
        finally:
            kill_group(program.pid)


def _answer(file: IO[bytes]) -> Answer:
    file.seek(0)
    line = file.readline(_SAID_BYTES)
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        return Answer({"error": "the library failed on it"})
    return Answer(said, file.read(_FILE_MB << 20))
