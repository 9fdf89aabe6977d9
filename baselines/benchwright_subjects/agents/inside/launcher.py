"""Runs in an agent's sandbox: lays out its home, leads its requests to the bridge, starts it and says how it ended.

It needs nothing but Python. Its only argument is a JSON file: `argv`, `env` and `cwd` of the agent, `input` for it,
`home` with the `files` in it, `port` to listen on and the `bridge` behind it, and the `most` bytes of output to
report. It writes one line of JSON: `code`, and `stdout` and `stderr` with their ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any

_NOT_DUMPABLE = 4
_CHUNK = 1 << 16
_LEFT_OPEN_S = 2.0
"""How long the output of an agent that has ended is waited for: what it left running may hold it open."""


async def lead(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, bridge: str) -> None:
    """Copy a connection to the bridge, both ways."""
    with contextlib.suppress(OSError):
        to_reader, to_writer = await asyncio.open_unix_connection(bridge)
        await asyncio.gather(_copy(reader, to_writer), _copy(to_reader, writer))


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while chunk := await reader.read(_CHUNK):
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
        stream: What it prints to.
        most: Bytes to keep.
    """

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

    def text(self) -> str:
        """What is kept."""
        self._thread.join(_LEFT_OPEN_S)
        return bytes(self._content[-self._most :]).decode("utf-8", "replace")


def run(launch: dict[str, Any]) -> dict[str, Any]:
    """Run the agent to its end."""
    # asyncio's own processes count as running while any descendant holds their output open.
    pipe = subprocess.PIPE
    argv, cwd, env = launch["argv"], launch["cwd"], launch["env"]
    try:
        agent = subprocess.Popen(argv, cwd=cwd, env=env, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
    except OSError as error:
        return {"code": 126, "stdout": "", "stderr": f"{argv[0]}: {error.strerror}"}
    tails = [Tail(stream, launch["most"]) for stream in (agent.stdout, agent.stderr) if stream]
    threading.Thread(target=_feed, args=(agent.stdin, launch["input"].encode()), daemon=True).start()
    code = agent.wait()
    stdout, stderr = (tail.text() for tail in tails)
    return {"code": code, "stdout": stdout, "stderr": stderr}


def _feed(stdin: Any, content: bytes) -> None:
    with contextlib.suppress(OSError), stdin:
        stdin.write(content)


async def serve(launch: dict[str, Any]) -> dict[str, Any]:
    """Listen for the agent's requests while it runs."""
    for path, text in launch["files"].items():
        file = Path(launch["home"], path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    Path(launch["home"]).mkdir(parents=True, exist_ok=True)
    if not launch["bridge"]:
        return run(launch)
    await asyncio.start_server(lambda r, w: lead(r, w, launch["bridge"]), "127.0.0.1", launch["port"])
    return await asyncio.to_thread(run, launch)


def main(path: str) -> None:
    """Do what the file says."""
    # The agent has the same user; it must not reach this program's memory or its output.
    ctypes.CDLL(None).prctl(_NOT_DUMPABLE, 0, 0, 0, 0)
    loop = asyncio.new_event_loop()
    told = loop.run_until_complete(serve(json.loads(Path(path).read_text(encoding="utf-8"))))
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()
    # Threads may wait for what the agent has left running; it ends with the sandbox.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
