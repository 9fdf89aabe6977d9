"""The first program of a run: puts the harness in place, starts the command, and hears what simulations tell.

It reads one request from standard input, a line of JSON, when there is a run to serve, and if it has to wait for that,
it does so with pytest and cocotb's runner imported. The command runs in a fork of it, so that it starts with
these at hand. What the command prints goes to standard output; standard error is for reports alone, one
JSON value a line, and nothing but this program can write there.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import resource
import select
import shutil
import signal
import socket
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import landlock
import run_files
import supervision
from supervision import HIDDEN, VARIABLE

_HERE = os.path.dirname(os.path.abspath(__file__))
_PRELOADED = ("pytest", "cocotb_tools.runner", "cocotb_tools.check_results")
# SIGXCPU: see confine.
_TIME_USED_UP = 128 + 24
_WRITABLE = ("/code", "/tmp", "/rundir", "/dev")  # noqa: S108 - the sandbox's
_LIMITS = {
    "fsize": resource.RLIMIT_FSIZE,
    "as": resource.RLIMIT_AS,
    "core": resource.RLIMIT_CORE,
    "nproc": resource.RLIMIT_NPROC,
    "nofile": resource.RLIMIT_NOFILE,
}
_GIVEN = "BENCHWRIGHT_GIVEN"
_NOT_DUMPABLE = 4
_MAX_LINE = 1 << 20
_MAX_SESSIONS = 1000


def main() -> int:
    """Serve one run; returns the command's exit status."""
    _keep_niceness_in_session()
    # Its memory and its file descriptors are no business of programs of the same user.
    ctypes.CDLL(None).prctl(_NOT_DUMPABLE, 0, 0, 0, 0)
    # Nobody needs pytest for what has to be run at once and is something else.
    if not select.select([sys.stdin], [], [], 0)[0]:
        _preload_modules()
    line = sys.stdin.buffer.readline()
    if not line:
        return 0
    request = json.loads(line)
    if os.path.basename(request["argv"][0]) == "pytest":
        _preload_modules()
    _write_hidden_files(request["hidden"])
    # `secrets` would import many modules.
    name = os.urandom(8).hex()
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    listening.bind("\0" + name)
    listening.listen(64)
    listening.setblocking(False)
    roots = sorted({"/" + path.split("/")[1] for path in request["hidden"]})
    request["env"] |= {VARIABLE: name, HIDDEN: ":".join(roots)}
    reports = os.dup(2)
    program = shutil.which(request["argv"][0], path=request["env"].get("PATH", os.defpath))
    beginning = run_files.FilesAtBeginning(request["env"].get(_GIVEN, "").splitlines())
    pid = os.fork()
    if pid == 0:
        os.close(reports)
        listening.close()
        _become_harness_command(request, program)
    supervisor = _Supervisor(listening, reports, pid, roots, request["channel"], beginning)
    status = supervisor.serve(None if program else request["argv"][0])
    # Not the end of Python: what is left of it has nothing to do any more.
    os._exit(status)


def _keep_niceness_in_session() -> None:
    """Pass on this process's niceness to its session.

    Linux may schedule each session as a group of its own (`sched(7)`, autogroups): niceness counts within it alone.
    """
    if nice := os.nice(0):
        # There are no such groups, or another session's niceness was just set.
        with contextlib.suppress(OSError), open("/proc/self/autogroup", "w") as group:
            group.write(str(nice))


def _preload_modules() -> None:
    for name in _preloaded_module_names():
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.freeze()


def _preloaded_module_names() -> Iterator[str]:
    """Modules that pytest and the harness's runner are going to import."""
    yield from _PRELOADED
    if "_pytest.config" in sys.modules:
        yield from (f"_pytest.{name}" for name in sys.modules["_pytest.config"].default_plugins)


def _write_hidden_files(text_by_path: dict[str, str]) -> None:
    """Write the harness's files, which are in memory here, and let nobody change them."""
    folders = set()
    for path, text in text_by_path.items():
        file = Path(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        folders.update(parent for parent in file.parents if len(parent.parts) > 1)
        file.write_bytes(text.encode())
        file.chmod(0o444)
    for folder in folders:
        folder.chmod(0o555)


def _become_harness_command(request: dict[str, Any], program_path: str | None) -> None:
    """The command itself; does not return."""
    try:
        os.dup2(1, 2)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.chdir(request["cwd"])
        landlock.restrict_to_files(readable=["/"], writable=_WRITABLE)
        for name, value in request["limits"].items():
            _, most = resource.getrlimit(_LIMITS[name])
            value = value if most == resource.RLIM_INFINITY else min(value, most)
            resource.setrlimit(_LIMITS[name], (value, value))
        argv, env = request["argv"], request["env"]
        if program_path is not None and _can_go_on_as_pytest(program_path, env):
            _become_pytest(program_path, argv, env)
        try:
            os.execve(program_path or argv[0], argv, env)
        except OSError as error:
            print(f"{argv[0]}: {error.strerror}", flush=True)
            os._exit(126 if isinstance(error, PermissionError) else 127)
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(125)


def _can_go_on_as_pytest(program_path: str, env: dict[str, str]) -> bool:
    """True if a fresh Python would come to where this one is."""
    if (
        "pytest" not in sys.modules
        or os.path.basename(program_path) != "pytest"
        or not _is_run_by_this_python(program_path)
    ):
        return False
    mine = {name: value for name, value in os.environ.items() if _influences_python(name)}
    if mine != {name: value for name, value in env.items() if _influences_python(name)}:
        return False
    return not any(
        _top_level_name(name) in sys.modules
        for entry in _module_folders_added_by_job(env)
        for name in _entry_names_if_folder(entry)
    )


def _influences_python(variable_name: str) -> bool:
    return (variable_name.startswith(("PYTHON", "LC_")) and variable_name != "PYTHONPATH") or variable_name in {
        "LANG",
        "LD_LIBRARY_PATH",
    }


def _is_run_by_this_python(script_path: str) -> bool:
    with open(script_path, "rb") as file:
        interpreter = file.readline().removeprefix(b"#!").strip()
    return os.path.realpath(interpreter) == os.path.realpath(sys.executable).encode()


def _module_folders_added_by_job(env: dict[str, str]) -> list[str]:
    """Folders that the job adds to the path of modules."""
    already = {os.path.abspath(entry) for entry in os.environ.get("PYTHONPATH", "").split(":") if entry}
    entries = env.get("PYTHONPATH", "").split(":") if env.get("PYTHONPATH") else []
    return [path for entry in entries if (path := os.path.abspath(entry)) not in already]


def _entry_names_if_folder(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _top_level_name(file_name: str) -> str:
    return file_name.split(".", 1)[0]


def _become_pytest(pytest_script: str, argv: list[str], env: dict[str, str]) -> None:
    """Do the same as the program `pytest`, from where its imports are done."""
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    # It was loaded before there was a run to serve.
    sys.modules["sitecustomize"]._install_guards()
    sys.argv = [pytest_script, *argv[1:]]
    given = [os.path.abspath(entry) for entry in env.get("PYTHONPATH", "").split(":") if entry]
    rest = [entry for entry in sys.path if entry != _HERE and entry not in given]
    sys.path[:] = [os.path.dirname(pytest_script), *given, *rest]
    # A module of the next supervisor's must not be taken for the harness's.
    sys.modules["__main__"].__dict__.pop("__file__", None)
    import pytest

    status: int = 1
    try:
        status = int(pytest.console_main())
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(status)


@dataclass
class _RunningProgram:
    """A tool, or a simulation with cocotb or of a testbench."""

    number: int
    states_before: dict[str, run_files.State] | None
    """The run's files at its beginning; none where it can't be said who changes them."""
    own_paths: set[str]
    """Files that its harness lets it write."""
    folder: tuple[str, str] | None = None
    """The folder that it has to itself, and the one that it stands for."""
    compiles: bool = False
    finished: bool = False


class _Supervisor:
    """Hears what tools and simulations tell until the command has ended."""

    def __init__(
        self,
        listening_socket: socket.socket,
        reports_fd: int,
        command_pid: int,
        harness_folders: list[str],
        channel_secret: str,
        files_at_beginning: run_files.FilesAtBeginning,
    ) -> None:
        self._listening = listening_socket
        self._reports = reports_fd
        self._pid = command_pid
        self._roots = harness_folders
        self._channel = channel_secret
        self._beginning = files_at_beginning
        self._left_behind: dict[str, run_files.State] = {}
        """Files that simulations have left, as they left them."""
        self._stash = run_files.Stash(())
        self._received: dict[socket.socket, bytes] = {}
        self._running: dict[socket.socket, _RunningProgram] = {}
        self._sessions = 0

    def serve(self, missing_program: str | None) -> int:
        """Until the command's end; its exit status, as a shell would tell it.

        Args:
            missing_program: The command, where there is no such program.
        """
        if missing_program is not None:
            self._write_report_line(harness=supervision.MISSING, said=missing_program)
        command = os.pidfd_open(self._pid)
        while True:
            ready, _, _ = select.select([command, self._listening, *self._received], [], [])
            self._receive_from_sources(ready)
            if command in ready:
                break
        self._receive_pending_messages()
        for connection in list(self._received):
            # What it has left running is about to be killed, in the middle of its tests.
            self._end_connection(connection)
        _, status = os.waitpid(self._pid, 0)
        code = os.waitstatus_to_exitcode(status)
        code = 128 - code if code < 0 else code
        took = resource.getrusage(resource.RUSAGE_CHILDREN)
        # getrusage(2): kilobytes, of the largest one of all processes that have ended.
        self._write_report_line(ended=code, largest_bytes=took.ru_maxrss << 10, cpu_s=took.ru_utime + took.ru_stime)
        return code

    def _receive_pending_messages(self) -> None:
        """Everything that has been said so far."""
        while ready := select.select([self._listening, *self._received], [], [], 0)[0]:
            self._receive_from_sources(ready)

    def _receive_from_sources(self, ready_sources: list[Any]) -> None:
        for source in ready_sources:
            if source is self._listening:
                with contextlib.suppress(BlockingIOError):
                    connection, _ = self._listening.accept()
                    connection.setblocking(False)
                    self._received[connection] = b""
            elif source in self._received:
                self._receive_messages(source)

    def _receive_messages(self, connection: socket.socket) -> None:
        try:
            content = connection.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            content = b""
        if not content:
            self._end_connection(connection)
            return
        *lines, rest = (self._received[connection] + content).split(b"\n")
        self._received[connection] = rest
        if len(rest) > _MAX_LINE:
            self._write_report_line(strange="a message without end")
            self._end_connection(connection)
            return
        for line in lines:
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                self._write_report_line(strange="a message that is none")
                continue
            self._handle_message(connection, message)

    def _handle_message(self, connection: socket.socket, message: dict[str, Any]) -> None:
        running = self._running.get(connection)
        answer = ""
        if "synchronise" in message:
            self._receive_pending_messages()
        elif "tests" in message or "tool" in message:
            answer = self._begin_program_and_answer(connection, message)
        elif "testbench" in message and not running:
            # What only the testbench's own module learns, and only once. Nothing depends on what its simulation writes.
            answer, self._channel = self._channel, ""
            self._running[connection] = _RunningProgram(self._sessions, None, set())
            self._write_report_line(session=self._sessions, **message)
            self._sessions += 1
        elif "wrote" in message and running:
            running.own_paths.add(message["wrote"])
            return
        elif "status" in message and running:
            self._finish_program(running, **message)
        elif "harness" in message:
            # From a program of the harness, or one of ours that it calls: no design can speak here.
            self._write_report_line(**message)
            if message["harness"] == supervision.STANDSTILL:
                # Whatever is simulated next, the run has failed, and each simulation would stand still for as long.
                os.kill(self._pid, signal.SIGKILL)
        elif running:
            self._write_report_line(session=running.number, **message)
            return
        else:
            self._write_report_line(strange="results of no simulation")
            return
        with contextlib.suppress(OSError):
            connection.sendall(answer.encode() + b"\n")

    def _begin_program_and_answer(self, connection: socket.socket, message: dict[str, Any]) -> str:
        """Note a program; returns what one that has a folder to itself may read or write besides."""
        if connection in self._running or self._sessions >= _MAX_SESSIONS:
            self._write_report_line(strange="a simulation that begins twice")
            return ""
        kind = message.get("kind", "")
        simulates = kind != "compile"
        own = set(message.pop("own", "").split("\n"))
        folder, stands_for = message.pop("folder", ""), message.pop("stands_for", "")
        needed = set(message.pop("needed", "").split("\n"))
        # With two at once nobody could say whose file a file is.
        others = [other for other in self._running.values() if not other.finished]
        for other in others:
            other.states_before = None
        self._stash.put_back()
        answer: list[str] = []
        if kind == "alone":
            answer = self._beginning.unchanged_files()
            run_files.link_entries_into(folder, stands_for, answer)
            # Else it is the others' folder too.
            answer += [] if others else ["/tmp"]  # noqa: S108 - the sandbox's
        if simulates and not others:
            if kind:
                needed |= run_files.names_read_by_verilog(self._roots) if kind == "simulate" else {folder}
                self._stash = run_files.Stash(self._beginning.paths_added(stands_for, needed))
            elif self._left_behind:
                self._stash = run_files.Stash(run_files.unchanged_paths(self._left_behind))
        before = run_files.state_by_path() if simulates and not others else None
        self._running[connection] = _RunningProgram(
            self._sessions, before, own, (folder, stands_for) if folder else None, compiles=kind == "compile"
        )
        self._write_report_line(session=self._sessions, **message)
        self._sessions += 1
        return "\0".join(path for path in answer if "\n" not in path)

    def _end_connection(self, connection: socket.socket) -> None:
        self._received.pop(connection, None)
        connection.close()
        running = self._running.pop(connection, None)
        if running is not None and not running.finished:
            self._finish_program(running)

    def _finish_program(self, running_program: _RunningProgram, **message: object) -> None:
        """At its end: the program has exited, what started it has not gone on yet."""
        changed: list[str] = []
        if running_program.states_before is not None:
            changed = run_files.forbidden_changes(running_program.states_before, running_program.own_paths, self._roots)
            self._left_behind |= run_files.written_files_nobody_reads(
                running_program.states_before, running_program.own_paths, self._roots
            )
            self._stash.put_back()
        if running_program.folder is not None:
            changed = [path.replace(*running_program.folder) for path in changed]
        running_program.finished = True
        running_program.states_before = None
        self._write_report_line(session=running_program.number, finished=True, changed=changed[:10], **message)
        if running_program.compiles and message.get("status") == _TIME_USED_UP:
            # As with a standstill.
            os.kill(self._pid, signal.SIGKILL)

    def _write_report_line(self, **message: object) -> None:
        content = memoryview(json.dumps(message).encode() + b"\n")
        while content:
            content = content[os.write(self._reports, content) :]


if __name__ == "__main__":
    sys.exit(main())
