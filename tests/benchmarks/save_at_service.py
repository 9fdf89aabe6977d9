"""From a save to its verdict at a bench service on loopback, against the same on this machine.

    .venv/bin/python -m tests.benchmarks.save_at_service [ROUNDS]

One language server, one design; saves here and there take turns, so that both meet the same load. Prints a Markdown
table of the time from the save to the verdict in the editor, in milliseconds.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ..lsp.session import Desk, Editor, File, reference
from ..support.service.bench_service import Service, running_service

ROUNDS = 20
PROBLEM = "saturating-counter"
_PAUSE_S = 1.5


async def saved(desk: Desk, file: File, number: int) -> float:
    """Seconds from a save to the editor's verdict; the text is new, so no verdict of it is known."""
    # Sandboxes that are started ahead are ready, as when somebody types between two saves.
    await asyncio.sleep(_PAUSE_S)
    file.paste(f"{reference(PROBLEM)}// {number} {time.time_ns()}\n")
    began = time.perf_counter()
    file.save()
    await desk.verdict(number)
    return time.perf_counter() - began


async def measured(home: Path, packs: dict[str, str], rounds: int) -> dict[str, list[float]]:
    """Times by place."""
    editor = await Editor.start(home)
    times_by_location: dict[str, list[float]] = {}
    try:
        for number in range(1, rounds + 1):
            for location, pack in packs.items():
                desk = await editor.open_problem(f"{pack}/{PROBLEM}")
                if number == 1:
                    await desk.start()
                elif (await desk.ask("status")).state == "paused":
                    await desk.ask("resume")
                file = desk.open()
                times_by_location.setdefault(location, []).append(await saved(desk, file, number))
                file.close()
    finally:
        await editor.quit()
    return times_by_location


def main() -> None:
    """Measures and prints."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with tempfile.TemporaryDirectory(prefix="benchwright-bench-") as folder:
        home = Path(folder) / "student"
        with running_service(Service(Path(folder) / "service")) as service:
            course = service.set_up(title="Week 1")
            command = (Path(sys.executable).parent / "benchwright", "login", service.url)
            arguments = ("--code", course.invitation, "--name", "Ada")
            environment = os.environ | {"BENCHWRIGHT_HOME": str(home)}
            output = subprocess.run(
                (*command, *arguments), env=environment, capture_output=True, text=True, check=True
            ).stdout
            pack = next(line for line in output.splitlines() if "\t" in line).partition("\t")[0]
            times_by_location = asyncio.run(measured(home, {"here": "starter", "at the service": pack}, rounds))
    print(f"Load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {rounds} saves each.\n")
    print("| save → verdict, ms | median | 95th percentile |\n| --- | --- | --- |")
    for location, location_times in times_by_location.items():
        sorted_times = sorted(location_times)
        print(
            f"| {location} | {1000 * statistics.median(location_times):.0f} | "
            f"{1000 * sorted_times[int(0.95 * (rounds - 1))]:.0f} |"
        )


if __name__ == "__main__":
    main()
