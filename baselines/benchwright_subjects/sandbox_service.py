"""What runs inside the sandbox of a command-line agent: starts programs, reads and writes files on request.

It needs nothing but Python. It takes one connection at the socket named on its command line, before anything of an
agent's runs, and no other. Messages go both ways as two numbers of four bytes, a JSON text of the first length, and
bytes of the second: a request's are a program's input or a file's content, a reply's are what was printed or read.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any

_NOT_DUMPABLE = 4
_LENGTHS = struct.Struct(">II")
_CHUNK = 1 << 16
_LEFT_OPEN_S = 5.0
"""How long the output of a program that has ended is waited for: what it left running may hold it open."""


class Service:
    """Serves one connection.

    Args:
        connection: To whoever gives the orders.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._stream = connection.makefile("rb")
        self._connection = connection
        self._sending = threading.Lock()
        self._running: dict[int, subprocess.Popen[bytes]] = {}

    def serve(self) -> None:
        """Until the other side hangs up."""
        while lengths := self._stream.read(_LENGTHS.size):
            head, body = _LENGTHS.unpack(lengths)
            order = json.loads(self._stream.read(head))
            content = self._stream.read(body)
            if order["do"] == "kill":
                self._kill(order["number"])
            else:
                threading.Thread(target=self._obey, args=(order, content), daemon=True).start()

    def _obey(self, order: dict[str, Any], content: bytes) -> None:
        told: dict[str, object] = {"number": order["number"]}
        found = b""
        try:
            if order["do"] == "run":
                more, found = self._run(order, content)
                told |= more
            elif order["do"] == "write":
                path = Path(order["path"])
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            else:
                found = self._read(Path(order["path"]), order["most"])
        except OSError as error:
            told |= {"error": type(error).__name__, "message": error.strerror or str(error)}
        except ValueError as error:
            told |= {"error": "ValueError", "message": str(error)}
        self._tell(told, found)

    def _read(self, path: Path, most: int) -> bytes:
        with path.open("rb") as file:
            content = file.read(most + 1)
        if len(content) > most:
            raise ValueError("the file is too large")
        return content

    def _run(self, order: dict[str, Any], content: bytes) -> tuple[dict[str, object], bytes]:
        try:
            program = subprocess.Popen(
                order["argv"],
                cwd=order["cwd"],
                env=order["env"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            return {"code": 127, "printed": 0}, f"{error.filename}: not found".encode()
        except PermissionError as error:
            return {"code": 126, "printed": 0}, f"{error.filename}: can't be executed".encode()
        self._running[order["number"]] = program
        outputs = [_Output(stream, order["most"]) for stream in (program.stdout, program.stderr) if stream]
        threading.Thread(target=_feed, args=(program.stdin, content), daemon=True).start()
        late = False
        try:
            program.wait(order["timeout_s"])
        except subprocess.TimeoutExpired:
            late = True
            self._kill(order["number"])
            program.wait()
        finally:
            del self._running[order["number"]]
        printed, complained = (output.content() for output in outputs)
        return {"code": program.returncode, "late": late, "printed": len(printed)}, printed + complained

    def _kill(self, number: int) -> None:
        program = self._running.get(number)
        if program is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)

    def _tell(self, told: dict[str, object], content: bytes) -> None:
        head = json.dumps(told).encode()
        with self._sending, contextlib.suppress(OSError):
            self._connection.sendall(_LENGTHS.pack(len(head), len(content)) + head + content)


class _Output:
    """The end of what a program prints, as much of it as is wanted."""

    def __init__(self, stream: IO[bytes], most: int) -> None:
        self._most = most
        self._content = bytearray()
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream: IO[bytes]) -> None:
        while chunk := os.read(stream.fileno(), _CHUNK):
            self._content += chunk
            if len(self._content) > 2 * self._most:
                del self._content[: -self._most]

    def content(self) -> bytes:
        self._thread.join(_LEFT_OPEN_S)
        return bytes(self._content[-self._most :])


def _feed(stream: Any, content: bytes) -> None:
    with contextlib.suppress(OSError), stream:
        stream.write(content)


def main(path: str) -> None:
    """Wait for the connection and serve it."""
    # Programs of the same user must not reach its memory or its connection.
    ctypes.CDLL(None).prctl(_NOT_DUMPABLE, 0, 0, 0, 0)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen(1)
    connection, _ = listening.accept()
    Path(path).unlink()
    listening.close()
    Service(connection).serve()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
