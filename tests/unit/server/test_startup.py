from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import IO, Any

import pytest
from typer.main import get_group

from benchwright_server.cli.app import COMMANDS, app_with_commands, load_command_modules
from benchwright_server.server import AHEAD

HEAVY = ["sqlalchemy", "pyslang", "typer", "rich"]
"""Packages that the server needs for its work but not to greet a client."""

FOR_HELP = {
    "benchwright_foundation",
    "benchwright_foundation.distribution",
    "benchwright_server",
    "benchwright_server.cli",
    "benchwright_server.cli.app",
    "benchwright_server.cli.terminal",
    "benchwright_server.cli.terminal.exit_status",
}
"""All modules of ours that the list of commands needs."""

OTHERS = ["dask", "distributed", "docker", "openai", "fastapi", "inspect_ai", "pandas", "numpy", "yaml", "psutil"]
"""Packages that only some commands need, or only a run."""

GREETING = """
import io, json, sys
from pathlib import Path
from benchwright_foundation.home import Home
import benchwright_server.cli
from benchwright_server.cli.machine.lsp import serve
body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params":
    {"processId": None, "rootUri": None, "capabilities": {}}}).encode()
sys.stdin = io.TextIOWrapper(io.BytesIO(b"Content-Length: %d\\r\\n\\r\\n%s" % (len(body), body)))
try:
    serve([])
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


FIRST_ANSWERS = """
import json, sys
import benchwright_server.server
from benchwright_server.cli.machine.lsp import serve
benchwright_server.server.REST_S = 3600.0
try:
    serve([])
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""
"""A server that loads nothing ahead, and prints its modules on standard error when it ends."""

OF_ATTEMPTS = ["pydantic", "sqlalchemy", "typer", "benchwright_attempts.engine", "benchwright_problems.problem"]
"""Packages and modules that problems and attempts need, and a file that belongs to none does not."""


@pytest.fixture(scope="module")
def greeting() -> subprocess.CompletedProcess[bytes]:
    """A server that answered `initialize` and then lost its client; it prints its modules on standard error."""
    return subprocess.run([sys.executable, "-c", GREETING], capture_output=True, timeout=300, check=False)


def test_greeting_a_client_loads_nothing_that_is_not_needed_yet(greeting: subprocess.CompletedProcess[bytes]) -> None:
    load_command_modules = set(json.loads(greeting.stderr.decode().splitlines()[-1]))
    assert "benchwright_server.server" in load_command_modules
    assert [name for name in HEAVY if name in load_command_modules] == []


def framed(method: str, number: int | None = None, **params: object) -> bytes:
    message = {"jsonrpc": "2.0", "method": method, "params": params} | ({"id": number} if number is not None else {})
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def next_answer(stream: IO[bytes]) -> dict[str, Any]:
    """The next answer to a request."""
    while True:
        length = 0
        while (line := stream.readline()).strip():
            length = int(line.split(b":")[1]) if line.lower().startswith(b"content-length") else length
        message: dict[str, Any] = json.loads(stream.read(length))
        if "method" not in message:
            return message


@pytest.mark.parametrize("method", ["documentSymbol", "hover", "diagnostic", "definition"])
def test_the_first_answer_waits_for_nothing_that_attempts_need(method: str, tmp_path: Path) -> None:
    file = tmp_path / "m.sv"
    text = "module m;\n  wire [7:0] data = 8'd1;\nendmodule\n"
    document = {"uri": file.as_uri()}
    methods = ("documentSymbol", "hover", "diagnostic", "definition")
    capabilities: dict[str, Any] = {"textDocument": {name: {} for name in methods}}
    with subprocess.Popen(
        [sys.executable, "-c", FIRST_ANSWERS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        item = document | {"languageId": "systemverilog", "version": 1, "text": text}
        process.stdin.write(framed("initialize", 1, processId=None, rootUri=None, capabilities=capabilities))
        process.stdin.write(framed("initialized"))
        process.stdin.write(framed("textDocument/didOpen", textDocument=item))
        position = {"line": 1, "character": 14}
        process.stdin.write(framed(f"textDocument/{method}", 2, textDocument=document, position=position))
        process.stdin.flush()
        server_messages = [next_answer(process.stdout) for _ in range(2)]
        process.stdin.write(framed("shutdown", 3) + framed("exit"))
        process.stdin.flush()
        loaded = json.loads(process.stderr.read().decode().splitlines()[-1])
    assert server_messages[1]["id"] == 2
    assert server_messages[1]["result"]
    assert "pyslang" in loaded
    assert [name for name in OF_ATTEMPTS if name in loaded] == []


def test_the_greeting_is_answered(greeting: subprocess.CompletedProcess[bytes]) -> None:
    answer = json.loads(greeting.stdout.partition(b"\r\n\r\n")[2])
    assert answer["result"]["serverInfo"]["name"] == "benchwright"


def test_an_unknown_sandbox_is_refused_by_name() -> None:
    command = [
        sys.executable,
        "-c",
        "from benchwright_server.cli.machine.lsp import serve; serve(['--sandbox', 'none'])",
    ]
    refused_process = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert refused_process.returncode == 2
    assert "invalid choice: 'none'" in refused_process.stderr


def test_the_command_line_does_without_the_protocol() -> None:
    code = "import sys, benchwright_server.cli.app; print('lsprotocol.types' in sys.modules)"
    completed_process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True
    )
    assert completed_process.stdout.strip() == "False"


@pytest.mark.parametrize("module", ["cli.machine.lsp", "server", "cli.app"])
def test_nothing_heavy_comes_with(module: str) -> None:
    code = (
        f"import sys, benchwright_server.{module}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    )
    completed_process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True
    )
    assert [name for name in OTHERS if name in completed_process.stdout.split()] == []


def test_the_version_is_told_without_the_command_lines_libraries() -> None:
    code = (
        "import sys; sys.argv = ['benchwright', '--version']\n"
        "from benchwright_server.cli import main\n"
        "main()\n"
        "print(*[name for name in ('typer', 'rich', 'pydantic', 'benchwright_harness') if name in sys.modules])"
    )
    completed_process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True
    )
    version, loaded = completed_process.stdout.splitlines()
    assert version.count(".") == 2
    assert loaded == ""


def loaded_by(*words: str) -> set[str]:
    """The modules that a command has loaded when it ends."""
    code = (
        f"import sys; sys.argv = ['benchwright', *{words!r}]\n"
        "from benchwright_server.cli import main\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    print(*sys.modules, file=sys.stderr)\n"
    )
    completed_process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    return set(completed_process.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("words", [("--help",), (), ("--no-such-option",), ("no-such-command",)])
def test_the_list_of_commands_loads_none_of_them(words: tuple[str, ...]) -> None:
    own_modules = {name for name in loaded_by(*words) if name.startswith("benchwright_")}
    assert own_modules == FOR_HELP


def test_a_commands_help_loads_no_other_command() -> None:
    loaded = loaded_by("judge", "--help")
    load_command_modules = {entry.module for entry in COMMANDS.values()}
    assert {name for name in load_command_modules if {name, f"benchwright_server.cli.{name}"} & loaded} == {
        "judge.judge"
    }


@pytest.mark.parametrize("words", ["completion run", "completion sign-in", "run-tests"])
def test_a_help_does_without_the_types_of_the_protocol(words: str) -> None:
    assert not {"lsprotocol.types", "sqlalchemy", "psutil"} & loaded_by(*words.split(), "--help")


def test_the_list_of_commands_is_what_the_commands_say() -> None:
    lists = [get_group(app).commands for app in (app_with_commands(), app_with_commands(load_command_modules()))]
    assert lists[0].keys() == lists[1].keys() == COMMANDS.keys()
    for name, command in lists[0].items():
        first_paragraph, *_ = (lists[1][name].help or "").partition("\n\n")
        assert command.help == first_paragraph.replace("\n", " "), name


def test_an_interrupt_while_loading_shows_no_traceback() -> None:
    code = (
        "import sys; sys.argv = ['benchwright', 'doctor']\n"
        "import benchwright_server.cli as cli, builtins\n"
        "real = builtins.__import__\n"
        "def interrupted(name, *rest):\n"
        "    if name == 'typer': raise KeyboardInterrupt\n"
        "    return real(name, *rest)\n"
        "builtins.__import__ = interrupted\n"
        "cli.main()\n"
    )
    completed_process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert (completed_process.returncode, completed_process.stderr) == (130, "")


@pytest.mark.parametrize("name", AHEAD)
def test_what_is_loaded_ahead_of_the_first_request_exists(name: str) -> None:
    import_module(name)
