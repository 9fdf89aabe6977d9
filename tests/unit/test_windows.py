"""Modules that Windows lacks are missing here, too: everything but running designs has to work without them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

PREPARE = r'''
import asyncio, importlib, os, pkgutil, select, signal, socket, sys

packages = sys.argv.pop(1).split()
# Programs that run inside a sandbox, with its Python; and what Alembic runs.
NOT_IMPORTED = (
    "benchwright_harness.inside.", "benchwright_harness.toolchain.build.programs.", "benchwright_attempts.migrations."
)


def modules():
    for package in packages:
        folder = importlib.import_module(package).__path__
        yield package
        for module in pkgutil.walk_packages(folder, f"{package}."):
            if not module.name.startswith(NOT_IMPORTED) and not module.name.endswith("__main__"):
                yield module.name


# What is not ours is loaded as on this machine.
ours = list(modules())
for name in ours:
    importlib.import_module(name)
import portalocker
for name in [name for name in sys.modules if name.startswith("benchwright_")]:
    del sys.modules[name]

for name in ("fcntl", "grp", "pwd", "resource", "termios", "pty", "tty"):
    sys.modules[name] = None
# Windows has sockets of this kind too, and makes its pairs of others.
pair = socket.socketpair
local = socket.AF_UNIX
socket.socketpair = lambda: pair(local)
WITHOUT = {
    os: """O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK O_PATH chown fchmod fchown fork forkpty fwalk geteuid getegid
        getgid getgroups getpgid getuid killpg lchown memfd_create mkfifo pidfd_open pread sched_getaffinity setsid
        setuid statvfs sysconf uname""",
    signal: "SIGHUP SIGKILL SIGSTOP SIGUSR1 pidfd_send_signal",
    select: "epoll poll",
    socket: "AF_NETLINK AF_UNIX",
}
for module, names in WITHOUT.items():
    for name in names.split():
        delattr(module, name)
del asyncio.SelectorEventLoop.add_signal_handler
os.environ["SYSTEMROOT"] = "C:/Windows"
sys.platform = "win32"
'''

IMPORT = r"""
for name in ours:
    importlib.import_module(name)
print(len(ours))
"""


PACKAGES = (
    *("benchwright_analysis", "benchwright_attempts", "benchwright_foundation", "benchwright_harness"),
    *("benchwright_judges", "benchwright_problems", "benchwright_server", "benchwright_snippets"),
    *("benchwright_studies", "benchwright_subjects", "benchwright_verilog"),
)


def on_windows(program: str, packages: Sequence[str], *arguments: str) -> str:
    """Output of a program where the names that Windows lacks are gone."""
    command = [sys.executable, "-c", PREPARE + program, " ".join(packages), *arguments]
    completed_process = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert completed_process.returncode == 0, completed_process.stderr[-4000:]
    return completed_process.stdout


def test_every_module_can_be_imported() -> None:
    assert int(on_windows(IMPORT, PACKAGES)) > 300


SCORE = r"""
import json
from pathlib import Path

from benchwright_judges.score import score_by_rules
from benchwright_problems.datasets.quarch import import_quarch
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store

home = Home.from_environment({"BENCHWRIGHT_HOME": sys.argv[1], "BENCHWRIGHT_CACHE": sys.argv[1]})
record = {
    "question_id": 12, "question": "What is written back?", "options": ["a dirty line", "a clean line"],
    "answer": "A", "topic": "Memory",
}
file = Path(sys.argv[1], "records.json")
file.write_text(json.dumps([record]))
store = Store(home)
pack = import_quarch([file], "tiny")
store.add(pack)
store.add(pack, replace=True)
problem = Store(home).unseal(f"tiny/{pack.problems[0].id}")
print(*(score_by_rules(problem, letter).score for letter in "AB"))
"""


def test_a_data_set_is_imported_and_an_answer_scored(tmp_path: Path) -> None:
    console_text = on_windows(SCORE, ["benchwright_problems", "benchwright_judges"], str(tmp_path))
    assert console_text.split() == ["1.0", "0.0"]


READ_FILES = r"""
from pathlib import Path

from benchwright_foundation.plain_file import FileTooLargeError, NotPlainFileError, read_plain_file

folder = Path(sys.argv[1])
(folder / "in").mkdir()
(folder / "in" / "file").write_bytes(b"1234")
(folder / "link").symlink_to("in/file")
(folder / "around").symlink_to("in")
print(read_plain_file(folder, "in/file", 4).decode())
for path, limit in (("in/file", 3), ("in", 9), ("link", 9), ("around/file", 9), ("none", 9)):
    try:
        read_plain_file(folder, path, limit)
    except (OSError, NotPlainFileError, FileTooLargeError) as error:
        print(type(error).__name__)
"""


def test_links_are_not_followed(tmp_path: Path) -> None:
    printed_words = on_windows(READ_FILES, ["benchwright_problems"], str(tmp_path)).split()
    assert printed_words == [
        "1234",
        "FileTooLargeError",
        "IsADirectoryError",
        "OSError",
        "OSError",
        "FileNotFoundError",
    ]


START_AND_END = r"""
from benchwright_foundation.operating_system import MINIMAL_ENVIRONMENT, PROGRAM_SUFFIX, termination_event


async def end(number):
    end_event = termination_event()
    os.kill(os.getpid(), number)
    await end_event.wait()


for number in (signal.SIGTERM, signal.SIGINT):
    asyncio.run(end(number))
print(PROGRAM_SUFFIX, MINIMAL_ENVIRONMENT["SYSTEMROOT"])
"""


def test_programs_start_and_signals_end_them() -> None:
    assert on_windows(START_AND_END, ["benchwright_foundation"]).split() == [".exe", "C:/Windows"]


SERVE = r"""
import benchwright_server.cli.machine.lsp

benchwright_server.cli.machine.lsp.serve(["--sandbox", "native"])
"""


def test_the_language_server_reports_a_syntax_error(tmp_path: Path) -> None:
    uri = (tmp_path / "m.sv").as_uri()
    text_document = {"uri": uri, "languageId": "systemverilog", "version": 1, "text": "module m(;\nendmodule\n"}
    environment = dict(os.environ) | {"BENCHWRIGHT_HOME": str(tmp_path), "BENCHWRIGHT_CACHE": str(tmp_path)}
    server = subprocess.Popen(
        [sys.executable, "-c", PREPARE + SERVE, "benchwright_server.features benchwright_server.cli"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    assert server.stdin is not None and server.stdout is not None and server.stderr is not None
    try:
        client_messages: tuple[Mapping[str, object], ...] = (
            {"id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None, "rootUri": None}},
            {"method": "initialized", "params": {}},
            {"method": "textDocument/didOpen", "params": {"textDocument": text_document}},
        )
        for message in client_messages:
            send(server.stdin, message)
        notification = answer(server, lambda message: message.get("method") == "textDocument/publishDiagnostics")
        assert notification["params"]["diagnostics"]
        send(server.stdin, {"id": 2, "method": "shutdown"})
        answer(server, lambda message: message.get("id") == 2)
        send(server.stdin, {"method": "exit"})
        assert server.wait(30) == 0, server.stderr.read().decode()
    finally:
        server.kill()
        server.wait()


def send(stream: IO[bytes], message: Mapping[str, object]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    stream.flush()


def answer(server: subprocess.Popen[bytes], is_answer: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    assert server.stdout is not None and server.stderr is not None
    for message in received_messages(server.stdout):
        if is_answer(message):
            return message
    raise AssertionError(server.stderr.read().decode())


def received_messages(stream: IO[bytes]) -> Iterator[dict[str, Any]]:
    length = 0
    while header := stream.readline():
        name, _, header_value = header.partition(b":")
        if name == b"Content-Length":
            length = int(header_value)
        elif not header.strip():
            yield json.loads(stream.read(length))
