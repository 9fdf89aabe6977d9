"""The sandbox that hidden tests run in, as a sandbox of Inspect's in which a command-line agent works.

`--agent-place benchwright:FOLDER` shows a folder with the agent's programs inside as `/agent`, read-only. One sandbox
serves a sample from its beginning to its end: what runs in it shares its processes, its files and its own loopback,
over which an agent reaches Inspect's bridge. There is no other network, and nothing of this machine's but the
toolchain, the folder with the agent, and the workspace.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import itertools
import json
import os
import stat
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, overload

from inspect_ai.util import ExecResult, OutputLimitExceededError, SandboxEnvironment, sandboxenv
from inspect_ai.util._sandbox.environment import (  # No public name: what a provider has to raise.
    SandboxEnvironmentConfigType,
    SandboxUnavailableError,
    SandboxUserUnsupportedError,
)
from inspect_ai.util._sandbox.limits import SandboxEnvironmentLimits

from benchwright_attempts.errors import EvaluationError
from benchwright_harness.errors import HarnessError
from benchwright_harness.plan import WORKDIR
from benchwright_harness.run_folder import new_run_folder, run_folder
from benchwright_harness.sandbox import Job
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.selection import selections
from benchwright_problems.problem import Limits
from benchwright_subjects.evaluation_services import EvaluationServices
from benchwright_subjects.inspect_runs import services_of_run

_Told = tuple[Mapping[str, object], bytes]

NAME = "benchwright"
AGENT = "/agent"
"""Where the agent's programs are seen."""
CODE = "/code"
_SERVICE = Path(__file__).with_name("sandbox_service.py")
_SOCKET = ".sandbox-service"
_LENGTHS = struct.Struct(">II")
_MOST_TOLD = 1 << 20
_START_S = 20.0
_STEP_S = 0.02
_LIMITS = Limits(wall_s=86_400, memory_mb=8192, processes=512, folder_mb=1000, file_mb=500)
"""Of everything in the sandbox together; Inspect's limits end a sample earlier."""


class BenchSandboxEnvironment(SandboxEnvironment):
    """One sandbox. `open` starts it.

    Args:
        services: Have sandbox and toolchain.
        environment: What programs inside find in their environment.
        agent: The folder with the agent's programs; None if the toolchain has all it needs.
    """

    def __init__(self, services: EvaluationServices, environment: Mapping[str, str], agent: Path | None) -> None:
        super().__init__()
        self._services = services
        self._environment = environment
        self._agent = agent
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[_Told]] = {}
        self._undo = contextlib.AsyncExitStack()
        self._writer: asyncio.StreamWriter | None = None
        self._why = "it is closed"

    async def open(self) -> None:
        """Start the sandbox, and the service inside.

        Raises:
            EvaluationError: It does not start.
        """
        sandbox = self._services.sandbox
        user = sandbox.new_user()
        async with contextlib.AsyncExitStack() as undo:
            folder = new_run_folder()
            undo.enter_context(run_folder(folder, {}, user))
            job = Job(
                argv=("/usr/bin/python3", "-c", _SERVICE.read_text(encoding="utf-8"), f"{WORKDIR}/{_SOCKET}"),
                env=self._environment,
                code=folder,
                hidden={},
                limits=_LIMITS,
                toolchain=self._services.toolchain,
                user=user,
                shown={AGENT: self._agent} if self._agent else {},
            )
            printed = io.BytesIO()
            running = asyncio.create_task(sandbox.run(job, printed))
            undo.push_async_callback(_end, running)
            socket = folder / Path(WORKDIR).relative_to(CODE) / _SOCKET
            reader, self._writer = await _connected(socket, running, printed)
            undo.callback(self._writer.close)
            hearing = asyncio.create_task(self._hear(reader, running))
            undo.push_async_callback(_end, hearing)
            self._undo = undo.pop_all()

    async def close(self) -> None:
        """End everything inside."""
        await self._undo.aclose()

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,  # noqa: ASYNC109 - Inspect's name
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """See `SandboxEnvironment.exec`."""
        if user not in (None, "solver", "1000"):
            raise SandboxUserUnsupportedError(f"There is no user {user!r} in this sandbox, only solver.")
        order = {
            "do": "run",
            "argv": cmd,
            "cwd": _inside(cwd or "."),
            "env": {**self._environment, **(env or {})},
            "timeout_s": timeout,
            "most": SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE,
        }
        told, content = await self._ask(order, input.encode() if isinstance(input, str) else input or b"")
        if told.get("late"):
            raise TimeoutError(f"The command took longer than {timeout} seconds.")
        _check(told, str(cwd or CODE))
        code, printed = int(str(told["code"])), int(str(told["printed"]))
        texts = [part.decode("utf-8", "replace") for part in (content[:printed], content[printed:])]
        return ExecResult(code == 0, code, *texts)

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """See `SandboxEnvironment.write_file`."""
        content = contents.encode() if isinstance(contents, str) else contents
        told, _ = await self._ask({"do": "write", "path": _inside(file)}, content)
        _check(told, file)

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        """See `SandboxEnvironment.read_file`."""
        most = SandboxEnvironmentLimits.MAX_READ_FILE_SIZE
        told, content = await self._ask({"do": "read", "path": _inside(file), "most": most})
        if told.get("error") == "ValueError":
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, None)
        _check(told, file)
        return content.decode() if text else content

    def default_polling_interval(self) -> float:
        """How often the bridge is polled; nothing is sent over a network for it."""
        return 0.2

    @classmethod
    def default_concurrency(cls) -> int | None:
        """As many sandboxes at once as there are cores."""
        return os.cpu_count()

    @classmethod
    async def sample_init(
        cls, task_name: str, config: SandboxEnvironmentConfigType | None, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        """Start the sandbox of a sample.

        Raises:
            EvaluationError: It does not start.
        """
        services = services_of_run()
        if not isinstance(services.sandbox, BwrapSandbox):
            raise EvaluationError("Agents work in the bwrap sandbox only. Leave --sandbox out, or give --agent-place.")
        agent = _programs(config) if isinstance(config, str) and config else None
        problem = await asyncio.to_thread(services.store.problem, str(metadata["problem"]))
        chosen = services.toolchain.environment(selections(problem)[0])
        path = ":".join(filter(None, (f"{AGENT}/bin" if agent else "", chosen.get("PATH", os.defpath))))
        environment = {"LANG": "C.UTF-8", **chosen, "PATH": path, "HOME": WORKDIR}
        box = cls(services, environment, agent)
        await box.open()
        return {"default": box}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        """End the sandbox of a sample."""
        for environment in environments.values():
            await environment.as_type(BenchSandboxEnvironment).close()

    async def _ask(self, order: Mapping[str, object], content: bytes = b"") -> _Told:
        if self._writer is None or self._writer.is_closing():
            raise SandboxUnavailableError(f"The agent's sandbox can't be used: {self._why}.")
        number = next(self._numbers)
        reply: asyncio.Future[_Told] = asyncio.get_running_loop().create_future()
        self._waiting[number] = reply
        try:
            self._send({**order, "number": number}, content)
            await self._writer.drain()
            return await reply
        except asyncio.CancelledError:
            self._send({"do": "kill", "number": number}, b"")
            raise
        except ConnectionError as error:
            raise SandboxUnavailableError(f"The agent's sandbox can't be used: {self._why}.") from error
        finally:
            del self._waiting[number]

    def _send(self, order: Mapping[str, object], content: bytes) -> None:
        if self._writer is not None and not self._writer.is_closing():
            head = json.dumps(order).encode()
            self._writer.write(_LENGTHS.pack(len(head), len(content)) + head)
            self._writer.write(content)

    async def _hear(self, reader: asyncio.StreamReader, running: asyncio.Task[object]) -> None:
        most = SandboxEnvironmentLimits.MAX_READ_FILE_SIZE + 2 * SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE
        try:
            while True:
                head, body = _LENGTHS.unpack(await reader.readexactly(_LENGTHS.size))
                if head > _MOST_TOLD or body > most:
                    raise ValueError
                told = json.loads(await reader.readexactly(head))
                content = await reader.readexactly(body)
                reply = self._waiting.get(told["number"])
                if reply is not None and not reply.done():
                    reply.set_result((told, content))
        except (asyncio.IncompleteReadError, ConnectionError):
            self._why = await _end_of(running)
        except (ValueError, KeyError, TypeError):
            self._why = "its service sent an invalid reply"
        finally:
            if self._writer is not None:
                self._writer.close()
            for reply in self._waiting.values():
                if not reply.done():
                    reply.set_exception(SandboxUnavailableError(f"The agent's sandbox has ended: {self._why}."))


sandboxenv(name=NAME)(BenchSandboxEnvironment)


def _programs(folder: str) -> Path:
    """The folder of an agent; as root, a user without rights has to get there.

    Raises:
        EvaluationError: It is not there, or can't be read.
    """
    place = Path(folder).resolve()
    if not place.is_dir():
        raise EvaluationError(f"There is no folder {place} with the agent's programs.")
    if os.geteuid() == 0 and any(not one.stat().st_mode & stat.S_IXOTH for one in (place, *place.parents)):
        raise EvaluationError(
            f"Agents run as a user of their own, who can't enter {place}. Put it where everybody may read."
        )
    return place


async def _connected(
    socket: Path, running: asyncio.Task[object], printed: io.BytesIO
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Nothing of the agent's runs yet, so what listens there is the service."""
    for _ in range(round(_START_S / _STEP_S)):
        if running.done():
            break
        with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
            return await asyncio.open_unix_connection(socket)
        await asyncio.sleep(_STEP_S)
    why = await _end_of(running) if running.done() else "nothing answers inside"
    raise EvaluationError(f"The agent's sandbox does not start: {why}. {printed.getvalue()[-500:].decode()}".strip())


async def _end_of(running: asyncio.Task[object]) -> str:
    """How a sandbox came to its end."""
    with contextlib.suppress(TimeoutError):
        try:
            ended = await asyncio.wait_for(asyncio.shield(running), 5)
        except HarnessError as error:
            return str(error)
        return f"{getattr(ended, 'end', 'exited')}".replace("_", " ")
    return "it does not answer any more"


async def _end(task: asyncio.Task[object] | asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError, HarnessError):
        await task


def _inside(path: str) -> str:
    return path if path.startswith("/") else f"{CODE}/{path}"


_ERRORS: Mapping[str, type[OSError]] = {
    "FileNotFoundError": FileNotFoundError,
    "PermissionError": PermissionError,
    "IsADirectoryError": IsADirectoryError,
    "NotADirectoryError": NotADirectoryError,
}


def _check(told: Mapping[str, object], path: str) -> None:
    if error := told.get("error"):
        raise _ERRORS.get(str(error), OSError)(f"{path}: {told.get('message')}")
