"""Starts `benchwright` as a fork of a process that has loaded its packages.

Loading them takes most of the time of a short command and of a server's start, and tests start thousands of both. The
fork is a process of its own, a child of the process that started it, with the arguments, environment, folder and
standard streams that it was given; it ends and is waited for like every other. Whatever asks for more than that, or has
variables that Python reads while it starts, starts as usual. So does everything with `--nightly`.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import inspect
import io
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, NoReturn, TypedDict

PROGRAM = Path(sys.executable).with_name("benchwright")
_PACKAGES = ("benchwright_server.features", "benchwright_server.protocol", "benchwright_verilog")
_MODULES = (
    "benchwright_server.server",
    "benchwright_server.protocol_types",
    "benchwright_service.server",
    "benchwright_judges.service.server",
    "benchwright_harness.execution.run",
    "benchwright_harness.sandbox.confinement",
    "aiosqlite",
    "alembic.command",
    "portalocker",
    "psycopg",
    "pyslang",
    "uvicorn.protocols.http.h11_impl",
)
_READ_AT_START = ("PYTHON", "LD_", "LC_", "LANG", "COVERAGE")
_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER: whoever is left without a parent becomes a child of this process."""
_NAME = 15
"""PR_SET_NAME."""
_STREAMS = 3
_LENGTH = struct.Struct("!I")
_READY = b"r"
_execute_as_usual = subprocess.Popen._execute_child  # type: ignore[attr-defined]
_PARAMETERS = inspect.signature(_execute_as_usual)


class _Start(TypedDict):
    """The start of one process."""

    arguments: list[str]
    environment: dict[str, str]
    folder: str
    session: bool


class PreloadedProgram:
    """`benchwright`, loaded by the first start of it; `install` has `subprocess` start its forks."""

    def __init__(self) -> None:
        self.is_used = False
        """False while everything starts as usual."""
        self._lock = threading.Lock()
        self._loaded: socket.socket | None = None
        self._system = ctypes.CDLL(None)

    def install(self) -> None:
        """Starts each `benchwright` of this process so from now on."""

        def execute(popen: Any, *positional: Any, **named: Any) -> None:
            asked = _PARAMETERS.bind(popen, *positional, **named).arguments
            if not self.is_used or not _is_plain_start(asked):
                _execute_as_usual(popen, *positional, **named)
                return
            popen.pid = self._fork(asked)
            popen._child_created = True
            popen._close_pipe_fds(
                *(asked[name] for name in ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite"))
            )

        subprocess.Popen._execute_child = execute  # type: ignore[attr-defined]

    def _fork(self, asked: Mapping[str, Any]) -> int:
        streams = [
            stream if stream != -1 else standard
            for standard, stream in enumerate((asked["p2cread"], asked["c2pwrite"], asked["errwrite"]))
        ]
        environment = os.environ if asked["env"] is None else asked["env"]
        process_start = _Start(
            arguments=[os.fsdecode(word) for word in asked["args"]],
            environment={os.fsdecode(name): os.fsdecode(value) for name, value in environment.items()},
            folder=os.fsdecode(asked["cwd"] or Path.cwd()),
            session=bool(asked["start_new_session"]),
        )
        start_message = json.dumps(process_start).encode("utf-8", "surrogatepass")
        with self._lock:
            loaded = self._loaded = self._loaded or _load()
            # Only now: what tests leave without a parent at other times is not for this process to wait for.
            self._system.prctl(_SUBREAPER, 1, 0, 0, 0)
            try:
                socket.send_fds(loaded, [_LENGTH.pack(len(start_message))], streams)
                loaded.sendall(start_message)
                (pid,) = _LENGTH.unpack(_received(loaded, _LENGTH.size))
            finally:
                self._system.prctl(_SUBREAPER, 0, 0, 0, 0)
        return int(pid)


def _is_plain_start(asked: Mapping[str, Any]) -> bool:
    words = asked["args"]
    if isinstance(words, (str, bytes, os.PathLike)) or not words or os.fsdecode(words[0]) != str(PROGRAM):
        return False
    environment = os.environ if asked["env"] is None else asked["env"]
    return (
        not (asked["shell"] or asked["preexec_fn"] or asked["pass_fds"] or asked["startupinfo"])
        and asked["close_fds"]
        and asked["gid"] is asked["gids"] is asked["uid"] is None
        and asked["umask"] == -1
        and asked.get("process_group", -1) == -1
        and (asked["cwd"] is None or Path(os.fsdecode(asked["cwd"])).is_dir())
        and all(
            os.environ.get(os.fsdecode(name)) == os.fsdecode(value)
            for name, value in environment.items()
            if os.fsdecode(name).startswith(_READ_AT_START)
        )
    )


def _load() -> socket.socket:
    ours, theirs = socket.socketpair()
    with theirs:
        subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno())], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL
        )
    _received(ours, len(_READY))
    return ours


def _received(connection: socket.socket, size: int) -> bytes:
    received = b""
    while len(received) < size:
        if not (part := connection.recv(size - len(received))):
            raise EOFError("the process that has loaded benchwright is gone")
        received += part
    return received


def _fork_on_demand(connection: socket.socket) -> _Start:
    """Returns in each fork, with its start; ends with the process that asks for them."""
    while True:
        header, streams, _, _ = socket.recv_fds(connection, _LENGTH.size, _STREAMS)
        if not header:
            os._exit(0)
        process_start: _Start = json.loads(
            _received(connection, _LENGTH.unpack(header)[0]).decode("utf-8", "surrogatepass")
        )
        reading_end, writing_end = os.pipe()
        if not (between := os.fork()):
            if pid := os.fork():
                os.write(writing_end, _LENGTH.pack(pid))
                os._exit(0)
            connection.detach()
            _redirect(streams)
            return process_start
        # Once the process between them is gone, the fork has its new parent, who may wait for it.
        os.waitpid(between, 0)
        connection.sendall(os.read(reading_end, _LENGTH.size))
        for descriptor in (*streams, reading_end, writing_end):
            os.close(descriptor)


def _redirect(streams: Sequence[int]) -> None:
    for standard, stream in enumerate(streams):
        os.dup2(stream, standard)
    os.closerange(_STREAMS, os.sysconf("SC_OPEN_MAX"))
    sys.stdin = _opened_like(sys.stdin, 0, "r")
    sys.stdout = _opened_like(sys.stdout, 1, "w")
    sys.stderr = _opened_like(sys.stderr, 2, "w")


def _opened_like(old_stream: Any, standard: int, mode: str) -> io.TextIOWrapper:
    is_unbuffered = mode == "w" and bool(os.environ.get("PYTHONUNBUFFERED"))
    return io.TextIOWrapper(
        open(standard, f"{mode}b", buffering=0 if is_unbuffered else -1, closefd=False),
        encoding=old_stream.encoding,
        errors=old_stream.errors,
        newline="\n",
        line_buffering=standard == 2 or os.isatty(standard),
        write_through=is_unbuffered,
    )


def _become(process_start: _Start) -> None:
    """Makes a fork what a new process is."""
    if process_start["session"]:
        os.setsid()
    os.environ.clear()
    os.environ.update(process_start["environment"])
    os.chdir(process_start["folder"])
    sys.argv = process_start["arguments"]
    sys.path[0] = str(PROGRAM.parent)
    # The processes that it spawns look into this file.
    sys.modules["__main__"].__file__ = str(PROGRAM)
    ctypes.CDLL(None).prctl(_NAME, PROGRAM.name.encode(), 0, 0, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _exit_after(work: Callable[[], None]) -> NoReturn:
    """Ends as Python does, but for taking all modules apart: nanobind prints what is left of slang's."""
    exit_value: object = 0
    try:
        work()
    except SystemExit as error:
        exit_value = error.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
        exit_value = 1
    if exit_value is not None and not isinstance(exit_value, int):
        print(exit_value, file=sys.stderr)
        exit_value = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit((exit_value or 0) & 0xFF)


if __name__ == "__main__":
    # It ends with the process that asks, not by what a terminal says to both.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from benchwright_server.cli import main
    from benchwright_server.cli.app import load_command_modules

    for module in _MODULES:
        import_module(module)
    for package in _PACKAGES:
        for module_info in walk_packages(import_module(package).__path__, f"{package}."):
            import_module(module_info.name)
    load_command_modules()
    gc.collect()
    gc.freeze()
    asking = socket.socket(fileno=int(sys.argv[1]))
    asking.sendall(_READY)
    _become(_fork_on_demand(asking))
    _exit_after(main)
