"""Programs that want the processor."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Collection, Iterator


@contextlib.contextmanager
def crowd(count: int, processors: Collection[int]) -> Iterator[list[int]]:
    """So many endless loops on these processors; their process ids."""
    # Linux shares the processor out among sessions first.
    command = ["/bin/sh", "-c", "while :; do :; done"]
    loops = [subprocess.Popen(command, start_new_session=True) for _ in range(count)]
    try:
        for loop in loops:
            os.sched_setaffinity(loop.pid, processors)
        yield [loop.pid for loop in loops]
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
