"""One language server as a process group of its own, with an own home, its standard error drained."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchwright_foundation.operating_system import MINIMAL_ENVIRONMENT
from benchwright_foundation.process_group import kill_process_group
from benchwright_subjects.agents.launch import LAUNCHER, MODEL_VARIABLES, PORT
from benchwright_subjects.inline.failure import EndedBy, ServerEnd, ServerFailure, SubjectError, printable_words
from benchwright_subjects.inline.server.confinement import (
    can_confine,
    confined_command_if_possible,
    exit_status_in_report,
)
from benchwright_subjects.inline.server.framing import MAX_HEADER_BYTES
from benchwright_subjects.inline.workplace import Workplace

_LIFELINE = Path(__file__).with_name("lifeline.py")
MAX_STDERR_BYTES = 64 << 20
_TAIL_BYTES = 2000
_GRACE_S = 2.0
_POLL_S = 0.02
_STATUS_BYTES = 4096
"""More than a sandbox writes."""
_PASSED_ALWAYS = (*MINIMAL_ENVIRONMENT, "LC_ALL", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS")
_SECRET_NAME = re.compile(r"TOKEN|KEY|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)
_SECRET_FORM = re.compile(r"\b(?:gh[opsur]_|github_pat_|sk-|glpat-|xox[bp]-|eyJ)[\w.-]{8,}")


@dataclass(frozen=True)
class ServerLaunch:
    """The start of a server."""

    command: tuple[str, ...]
    variable_names: tuple[str, ...] = ()
    """Names of environment variables that it gets, besides `PATH` and the language."""
    profile: Path | None = None
    """Its home begins as a copy of this folder; empty if None."""
    secrets: tuple[Path, ...] = ()
    """Folders that it must not see."""
    is_offline: bool = False
    """True if it has no network, not even loopback."""
    bridge: Path | None = None
    """The socket of the model that it may ask at `BRIDGE`, and nothing else; None if its model is its own affair."""

    @property
    def command_words(self) -> tuple[str, ...]:
        """Program and arguments, with what leads its requests to the model."""
        if self.bridge is None:
            return self.command
        return (sys.executable, "-I", "-S", str(LAUNCHER), "--beside", str(PORT), str(self.bridge), *self.command)


class ServerProcess:
    """A running server.

    Args:
        process: Process with pipes for all three streams.
        transport: Its pipes.
        environment: Environment from which the values of its variables come.
        status_file: Number of the open file from which its sandbox's account of its end is read; None without sandbox.
    """

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        transport: asyncio.SubprocessTransport,
        environment: Mapping[str, str],
        status_file: int | None = None,
    ) -> None:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise TypeError("a server is started with pipes")
        self._process = process
        self._transport = transport
        self._status_file = status_file
        self.stdin = process.stdin
        self.stdout = process.stdout
        self._secrets = [value for name, value in environment.items() if _SECRET_NAME.search(name) and len(value) > 3]
        self._tail = b""
        self.stderr_bytes = 0
        self.flooded = asyncio.Event()
        self._draining = asyncio.create_task(self._drain_stderr(process.stderr))

    @property
    def stderr_tail(self) -> str:
        """The end of its standard error, without secrets, for the user's eyes."""
        text = self._tail.decode("utf-8", "replace")
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return printable_words(_SECRET_FORM.sub("***", text)).strip()

    async def end_after_failure(self, exceeded_limit: str) -> ServerEnd:
        """Who ends it, now that it has failed: a server that closed its output gets a moment to end by itself.

        Args:
            exceeded_limit: The limit that it went over, for people; empty for none.
        """
        if self.stdout.at_eof() and not self.flooded.is_set():
            await self._wait_for_exit()
        exit_code = self._transport.get_returncode()
        if exit_code is None or self.flooded.is_set():
            return ServerEnd(ended_by=EndedBy.DRIVER, limit=exceeded_limit)
        exit_status = exit_code if exit_code >= 0 else 128 - exit_code
        if self._status_file is None:
            return ServerEnd(ended_by=EndedBy.SERVER, exit_status=exit_status)
        own_status = exit_status_in_report(os.read(self._status_file, _STATUS_BYTES))
        if own_status is None:
            return ServerEnd(ended_by=EndedBy.SANDBOX, exit_status=exit_status)
        return ServerEnd(ended_by=EndedBy.SERVER, exit_status=own_status)

    async def _wait_for_exit(self) -> None:
        # `wait` also waits for the pipes' ends, which what it started may hold open.
        for _ in range(round(_GRACE_S / _POLL_S)):
            if self._transport.get_returncode() is not None:
                return
            await asyncio.sleep(_POLL_S)

    async def stop(self) -> None:
        """Let it end by itself for a moment if its input is closed, then kill its group."""
        self.stdin.close()
        try:
            async with asyncio.timeout(_GRACE_S):
                await self._process.wait()
        except TimeoutError:
            pass
        finally:
            # Also when it has ended: what it started may be there still, and keeps the number of its group taken.
            kill_process_group(self._process.pid)
            # asyncio sees the end of a process only at the end of its pipes, and reads none that is full.
            self._transport.close()
            self._draining.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._draining
            await self._process.wait()

    async def _drain_stderr(self, stream: asyncio.StreamReader) -> None:
        while chunk := await stream.read(1 << 16):
            self.stderr_bytes += len(chunk)
            self._tail = (self._tail + chunk)[-_TAIL_BYTES:]
            if self.stderr_bytes > MAX_STDERR_BYTES and not self.flooded.is_set():
                self.flooded.set()
                kill_process_group(self._process.pid)


@asynccontextmanager
async def start_server(
    launch: ServerLaunch, workplace: Workplace, environ: Mapping[str, str]
) -> AsyncIterator[ServerProcess]:
    """A server that runs for as long as the context is entered.

    Args:
        launch: Command and settings of the start.
        workplace: Its folders.
        environ: Environment from which the values of variables come.

    Raises:
        SubjectError: `NOT_STARTED`.
    """
    environment = {name: environ[name] for name in (*_PASSED_ALWAYS, *launch.variable_names) if name in environ}
    environment |= {"HOME": str(workplace.home), "TMPDIR": str(workplace.temporary_folder)}
    if launch.bridge is not None:
        environment |= MODEL_VARIABLES
    is_offline = launch.is_offline or launch.bridge is not None
    with _pipe_if_confined() as (status_file, status_end), _pipe_if_confined() as (lifeline, _):
        command = confined_command_if_possible(
            launch.command_words, workplace, launch.secrets, is_offline=is_offline, status_file=status_end
        )
        passed_files: tuple[int, ...] = ()
        if status_end is not None and lifeline is not None:
            command = (sys.executable, "-I", "-S", str(_LIFELINE), str(lifeline), *command)
            passed_files = (status_end, lifeline)
        started = await _start_process(command, workplace, environment, passed_files)
        process = ServerProcess(*started, environ, status_file)
        try:
            yield process
        finally:
            await process.stop()


@contextmanager
def _pipe_if_confined() -> Iterator[tuple[int | None, int | None]]:
    """Ends of a pipe to read and to write; null without a sandbox, which needs them."""
    if not can_confine():
        yield None, None
        return
    reading_end, writing_end = os.pipe()
    os.set_blocking(reading_end, False)
    try:
        yield reading_end, writing_end
    finally:
        os.close(reading_end)
        os.close(writing_end)


async def _start_process(
    command: Sequence[str], workplace: Workplace, environment: Mapping[str, str], passed_files: Sequence[int]
) -> tuple[asyncio.subprocess.Process, asyncio.SubprocessTransport]:
    loop = asyncio.get_running_loop()
    try:
        transport, protocol = await loop.subprocess_exec(
            lambda: asyncio.subprocess.SubprocessStreamProtocol(limit=MAX_HEADER_BYTES, loop=loop),
            *command,
            cwd=workplace.workspace,
            env=dict(environment),
            start_new_session=True,
            pass_fds=passed_files,
        )
        return asyncio.subprocess.Process(transport, protocol, loop), transport
    except OSError as error:
        raise SubjectError(
            ServerFailure.NOT_STARTED, f"The server {command[0]!r} can't be started: {error.strerror}. Check --server."
        ) from None
