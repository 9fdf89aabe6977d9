"""Stands between an editor and a server, and keeps every byte that passes.

Run as `python tee.py FOLDER COMMAND...`; writes `to-server`, `from-server` and `stderr` into the folder.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO


def copy(source_stream: IO[bytes], target_stream: IO[bytes], record_path: Path) -> None:
    with record_path.open("wb", buffering=0) as record_file:
        # Not through the buffer of `source_stream`, which would be locked while the interpreter ends.
        while chunk := os.read(source_stream.fileno(), 1 << 16):
            record_file.write(chunk)
            target_stream.write(chunk)
            target_stream.flush()
    target_stream.close()


def main(folder: Path, command: list[str]) -> int:
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert server.stdin is not None
    assert server.stdout is not None
    assert server.stderr is not None
    threading.Thread(target=copy, args=(sys.stdin.buffer, server.stdin, folder / "to-server"), daemon=True).start()
    copies = [
        threading.Thread(target=copy, args=(server.stdout, sys.stdout.buffer, folder / "from-server")),
        threading.Thread(target=copy, args=(server.stderr, sys.stderr.buffer, folder / "stderr")),
    ]
    for thread in copies:
        thread.start()
    for thread in copies:
        thread.join()
    return server.wait()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
