"""Runs in an agent's sandbox: lays out its home, leads its requests to the bridge, starts it and says how it ended.

It needs nothing but Python. Its only argument is a JSON file: `argv`, `env` and `cwd` of the agent, `input` for it,
`home` with the `files` in it, `port` to listen on and the `bridge` behind it, and the `most` bytes of output to
report. It writes one line of JSON: `code`, and `stdout` and `stderr` with their ends.

An agent that speaks ACP has its client outside. Then `stdio` is the socket that its input comes from and its output
goes to, and `terminals` one that carries commands of the client's terminals into the sandbox: one connection each. The
client begins with a line of JSON, `argv`, `cwd` and `env`; lines come back with `out`, and the last one has `code`.
Whoever closes a connection ends what is at its other end.

An agent that can continue in another sandbox has a `session`: paths below its home. `copies` is a socket over which the
client asks for them, a byte each time, and gets the length of an archive, eight bytes, and the archive; a length of 0
if they are more than `most_session` bytes. `session_archive` is one to begin with.

Or its arguments are `--beside`, a port, the bridge, and the command of a program that keeps this one's streams: then it
leads requests to the bridge until the program ends, and ends with its status.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import io
import json
import os
import signal
import socket
import subprocess
import sys
import tarfile
import threading
from pathlib import Path
from typing import IO, Any

_NOT_DUMPABLE = 4
_CHUNK = 1 << 16
_LEFT_OPEN_S = 2.0
"""Seconds to wait for the output of an agent that has ended: what it left running may hold it open."""
_LEAVE_S = 1.0
"""Longest time for an agent to end after its client has left, in seconds."""


async def copy_to_bridge(stream_reader: asyncio.StreamReader, writer: asyncio.StreamWriter, bridge_socket: str) -> None:
    """Copy a connection to the bridge, both ways."""
    with contextlib.suppress(OSError):
        to_reader, to_writer = await asyncio.open_unix_connection(bridge_socket)
        await asyncio.gather(_copy_until_end(stream_reader, to_writer), _copy_until_end(to_reader, writer))


async def _copy_until_end(stream_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while chunk := await stream_reader.read(_CHUNK):
            writer.write(chunk)
            await writer.drain()
    except OSError:
        pass
    finally:
        with contextlib.suppress(OSError):
            writer.close()


class Tail:
    """The end of what an agent prints; the rest is read and forgotten, so that it never waits.

    Args:
        stream: Stream that it prints to.
        most_bytes: Bytes to keep.
    """

    def __init__(self, stream: IO[bytes] | None, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._content = bytearray()
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream: IO[bytes] | None) -> None:
        while stream is not None and (chunk := os.read(stream.fileno(), _CHUNK)):
            self._content += chunk
            if len(self._content) > 2 * self._most_bytes:
                del self._content[: -self._most_bytes]

    def text(self) -> str:
        """The text that is kept."""
        self._thread.join(_LEFT_OPEN_S)
        return bytes(self._content[-self._most_bytes :]).decode("utf-8", "replace")


def run_agent(launch: dict[str, Any]) -> dict[str, Any]:
    """Run the agent to its end."""
    # asyncio's own processes count as running while any descendant holds their output open.
    pipe = subprocess.PIPE
    argv, cwd, env = launch["argv"], launch["cwd"], launch["env"]
    # Before the agent is there, which could take its place.
    client_socket = _connect_to(launch["stdio"]) if launch["stdio"] else None
    copies = _connect_to(launch["copies"]) if launch["copies"] else None
    try:
        agent = subprocess.Popen(argv, cwd=cwd, env=env, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
    except OSError as error:
        return {"code": 126, "stdout": "", "stderr": f"{argv[0]}: {error.strerror}"}
    stderr = Tail(agent.stderr, launch["most"])
    if copies is not None:
        _start_thread(_send_session_copies, copies, launch)
    if client_socket is not None:
        _start_thread(_accept_terminal_commands, launch)
        return {"code": relay_until_agent_ends(agent, client_socket), "stdout": "", "stderr": stderr.text()}
    stdout = Tail(agent.stdout, launch["most"])
    _start_thread(_write_stdin, agent.stdin, launch["input"].encode())
    code = agent.wait()
    return {"code": code, "stdout": stdout.text(), "stderr": stderr.text()}


def _start_thread(target: Any, *arguments: Any) -> threading.Thread:
    thread = threading.Thread(target=target, args=arguments, daemon=True)
    thread.start()
    return thread


def _connect_to(address: str) -> socket.socket:
    client_socket = socket.socket(socket.AF_UNIX)
    client_socket.connect(address)
    return client_socket


def relay_until_agent_ends(agent: subprocess.Popen[bytes], client_socket: socket.socket) -> int:
    """Carry an agent's input and output from and to its client until it ends, or the client leaves; its exit status."""
    _start_thread(_relay_client_to_agent, client_socket, agent)
    carried = _start_thread(_relay_agent_to_client, agent.stdout, client_socket)
    code = agent.wait()
    carried.join(_LEFT_OPEN_S)
    with contextlib.suppress(OSError):
        client_socket.shutdown(socket.SHUT_WR)
    return code


def _relay_client_to_agent(client_socket: socket.socket, agent: subprocess.Popen[bytes]) -> None:
    stdin: Any = agent.stdin
    with contextlib.suppress(OSError):
        while chunk := client_socket.recv(_CHUNK):
            # It may have closed its input, and is there until its client leaves.
            with contextlib.suppress(OSError, ValueError):
                stdin.write(chunk)
                stdin.flush()
    with contextlib.suppress(OSError, ValueError):
        stdin.close()
    try:
        agent.wait(_LEAVE_S)
    except subprocess.TimeoutExpired:
        _kill_group(agent)


def _relay_agent_to_client(stream: Any, client_socket: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while chunk := os.read(stream.fileno(), _CHUNK):
            client_socket.sendall(chunk)


def _kill_group(program: subprocess.Popen[bytes]) -> None:
    if program.poll() is None:
        with contextlib.suppress(OSError):
            os.killpg(program.pid, signal.SIGKILL)


def _accept_terminal_commands(launch: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        while True:
            client_socket = _connect_to(launch["terminals"])
            line = client_socket.makefile("rb").readline()
            if not line:
                return
            _start_thread(_run_in_terminal, client_socket, json.loads(line), launch["env"])


def _run_in_terminal(client_socket: socket.socket, command_request: dict[str, Any], env: dict[str, str]) -> None:
    with contextlib.suppress(OSError), client_socket:
        try:
            program = subprocess.Popen(
                command_request["argv"],
                cwd=command_request["cwd"],
                env=env | command_request["env"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            _send_json_line(client_socket, out=f"{command_request['argv'][0]}: {error}", code=127)
            return
        end_thread = _start_thread(_kill_when_client_leaves, client_socket, program)
        output_thread = _start_thread(_send_output, program.stdout, client_socket)
        code = program.wait()
        output_thread.join(_LEFT_OPEN_S)
        _send_json_line(client_socket, code=code)
        client_socket.shutdown(socket.SHUT_WR)
        end_thread.join()


def _send_output(stream: Any, client_socket: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while chunk := os.read(stream.fileno(), _CHUNK):
            _send_json_line(client_socket, out=chunk.decode("latin-1"))


def _send_json_line(client_socket: socket.socket, **message_fields: Any) -> None:
    client_socket.sendall(json.dumps(message_fields).encode() + b"\n")


def _kill_when_client_leaves(client_socket: socket.socket, program: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        while client_socket.recv(_CHUNK):
            pass
    _kill_group(program)


def _send_session_copies(client_socket: socket.socket, launch: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        while client_socket.recv(1):
            archive = session_archive(Path(launch["home"]), launch["session"], launch["most_session"])
            client_socket.sendall(len(archive).to_bytes(8, "big") + archive)


def session_archive(home: Path, session_paths: list[str], most_bytes: int) -> bytes:
    """Files below a home as a tar archive, without links and pipes; empty if they are too large."""
    archive = io.BytesIO()
    size = 0
    with tarfile.open(fileobj=archive, mode="w:gz", compresslevel=1) as tar:
        for path in session_paths:
            for file in sorted([home / path, *(home / path).rglob("*")]):
                with contextlib.suppress(OSError):
                    if file.is_file() and not file.is_symlink():
                        content = file.read_bytes()
                        size += len(content)
                        if size > most_bytes:
                            return b""
                        member = tarfile.TarInfo(file.relative_to(home).as_posix())
                        member.size, member.mode = len(content), file.stat().st_mode
                        tar.addfile(member, io.BytesIO(content))
    return archive.getvalue()


def _write_stdin(stdin: Any, content: bytes) -> None:
    with contextlib.suppress(OSError), stdin:
        stdin.write(content)


async def run_agent_with_bridge(launch: dict[str, Any]) -> dict[str, Any]:
    """Listen for the agent's requests while it runs."""
    if launch["session_archive"]:
        with tarfile.open(launch["session_archive"]) as tar:
            # What it says reaches this sandbox only, as all that the agent does.
            tar.extractall(launch["home"])  # noqa: S202
    for path, text in launch["files"].items():
        file = Path(launch["home"], path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    Path(launch["home"]).mkdir(parents=True, exist_ok=True)
    if not launch["bridge"]:
        return run_agent(launch)
    await asyncio.start_server(lambda r, w: copy_to_bridge(r, w, launch["bridge"]), "127.0.0.1", launch["port"])
    return await asyncio.to_thread(run_agent, launch)


async def run_beside_bridge(listening_port: int, bridge_socket: str, argv: list[str]) -> int:
    """Lead requests to the bridge while a program runs that has this one's streams; its exit status."""
    await asyncio.start_server(lambda r, w: copy_to_bridge(r, w, bridge_socket), "127.0.0.1", listening_port)
    try:
        program = await asyncio.create_subprocess_exec(*argv)
    except OSError as error:
        sys.stderr.write(f"{argv[0]}: {error.strerror}\n")
        return 127
    # The program alone decides when its streams end.
    null_device = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(null_device, stream)
    code = await program.wait()
    # As a shell does: only 8 bits arrive.
    return code if code >= 0 else 128 - code


def main(launch_file: str) -> None:
    """Do what the file says."""
    # The agent has the same user; it must not reach this program's memory or its output.
    ctypes.CDLL(None).prctl(_NOT_DUMPABLE, 0, 0, 0, 0)
    loop = asyncio.new_event_loop()
    report = loop.run_until_complete(run_agent_with_bridge(json.loads(Path(launch_file).read_text(encoding="utf-8"))))
    sys.stdout.write(json.dumps(report) + "\n")
    sys.stdout.flush()
    # Threads may wait for what the agent has left running; it ends with the sandbox.
    os._exit(0)


if __name__ == "__main__":
    if sys.argv[1] == "--beside":
        os._exit(asyncio.run(run_beside_bridge(int(sys.argv[2]), sys.argv[3], sys.argv[4:])))
    main(sys.argv[1])
