"""From a cancelled run to the end of its last process, in each sandbox.

Run as `.venv/bin/python -m tests.benchmarks.cancel [RUNS]`; prints a Markdown table. Each run ignores every signal that
it can and has started a second program. *Gone* is when no process of it is left, *returned* when the sandbox has
cleaned up. Docker needs root, for it starts an engine of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchwright_foundation.home import Home
from benchwright_foundation.untrusted_folder import remove_folder_if_possible
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.sandbox.bwrap import BwrapSandbox
from benchwright_harness.sandbox.docker import DockerSandbox
from benchwright_harness.sandbox.native import NativeSandbox
from benchwright_harness.toolchain import Toolchain

from ..support.machine.docker_engine import EngineMissingError, docker_engine
from ..support.machine.sandbox_run import has_started, is_alive, processes_with, runner

RUNS = 20
_LOOK_S = 0.002


async def cancelled(sandbox: Sandbox, toolchain: Toolchain, number: int) -> tuple[float, float]:
    """Seconds until the processes are gone, and until the sandbox has returned."""
    folder = Path(tempfile.mkdtemp(prefix="benchwright-bench-"))
    folder.chmod(0o711)
    code = folder / "code"
    (code / "rundir").mkdir(parents=True)
    program = f"sleep {1000 + number}.5"
    try:
        sandbox_run = asyncio.ensure_future(
            runner(sandbox, code, toolchain)(f"trap '' TERM INT HUP; {program} & {program}")
        )
        assert await has_started(program)
        processes = processes_with(program)
        start = time.monotonic()
        sandbox_run.cancel()
        gone_s = None
        while gone_s is None or not sandbox_run.done():
            if gone_s is None and not any(map(is_alive, processes)):
                gone_s = time.monotonic() - start
            await asyncio.sleep(_LOOK_S)
        return gone_s, time.monotonic() - start
    finally:
        remove_folder_if_possible(folder)


@contextlib.contextmanager
def sandboxes(toolchain: Toolchain) -> Iterator[list[Sandbox]]:
    """Those that work here."""
    usable_sandboxes: list[Sandbox] = [BwrapSandbox(), NativeSandbox()]
    with contextlib.ExitStack() as running:
        try:
            docker = DockerSandbox({"DOCKER_HOST": running.enter_context(docker_engine())})
        except EngineMissingError as error:
            print(f"left out: docker: {error}", file=sys.stderr)
        else:
            docker.imported_image_name(toolchain)
            usable_sandboxes.append(docker)
        yield usable_sandboxes


async def main(runs: int) -> None:
    """Measure and print."""
    toolchain = Toolchain.find(Home.from_environment().cache)
    with sandboxes(toolchain) as usable_sandboxes:
        print("| sandbox | gone, median s | gone, longest s | returned, longest s |")
        print("| --- | --- | --- | --- |")
        for sandbox in usable_sandboxes:
            gone_times, returned = zip(
                *[await cancelled(sandbox, toolchain, number) for number in range(runs)], strict=True
            )
            print(
                f"| {sandbox.name} | {statistics.median(gone_times):.3f} | {max(gone_times):.3f} | "
                f"{max(returned):.3f} |"
            )
    print(f"\n{runs} runs each, at a load of {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS))
