"""Runs a second that one machine's worker drains from a bench service's queue, and that two machines' workers drain.

    .venv/bin/python -m tests.benchmarks.second_machine [RUNS] [ROUNDS]

The service has no workers of its own. A machine is a `benchwright worker` with a home, a copy of the toolchains and
known verdicts of its own, which reaches the service by its address and token alone. All share this computer's cores, so
each machine has a processor of `SHARE` of a core, by a control group: together they leave room for the service. All
runs are queued before the first worker starts, none is like another, and the first of each machine do not count.
Needs root. Prints a Markdown table.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil

from benchwright_attempts.events.events import Started
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import reference_solution_files
from benchwright_problems.storage.store import Store

from ..support.service.bench_service import Service, Solver, running_service

RUNS = 60
ROUNDS = 3
FIRST = 5
"""Runs of each machine that do not count: it warms up."""
SHARE = 0.5
"""Of a core, that a machine has."""
PERIOD_US = 20_000
REF = "starter/saturating-counter"
PATIENCE_S = 600.0


def queued(service: Service, folder: Path, count: int) -> None:
    """One run for each of so many students."""
    course = service.set_up()
    problem = Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(REF)
    solved_texts = {path: reference_solution_files(problem)[path].decode() for path in problem.public.expected}
    for number in range(count):
        solver = Solver.joining(service, course, folder / str(number), str(number))
        attempt = solver.begin(REF, solved_texts)
        solver.record(attempt, Started())
        assert solver.send(attempt).status_code == 200
        files = {path: f"{text}// {folder.name} {number}\n" for path, text in solved_texts.items()}
        assert solver.run(attempt, 1, files).status_code == 202
        solver.log.close()


@contextlib.contextmanager
def processor(share: float) -> Iterator[Path]:
    """A control group of version 1 or 2 with so much of a core; yields the file that its processes are added by."""
    old_hierarchy = Path("/sys/fs/cgroup/cpu")
    group_folder = (
        old_hierarchy if old_hierarchy.is_dir() else Path("/sys/fs/cgroup")
    ) / f"benchwright-machine-{uuid.uuid4().hex[:8]}"
    group_folder.mkdir()
    quota = round(share * PERIOD_US)
    try:
        if old_hierarchy.is_dir():
            (group_folder / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (group_folder / "cpu.cfs_quota_us").write_text(str(quota))
        else:
            (group_folder / "cpu.max").write_text(f"{quota} {PERIOD_US}")
        yield group_folder / "cgroup.procs"
    finally:
        for _ in range(100):
            with contextlib.suppress(OSError):
                group_folder.rmdir()
                break
            time.sleep(0.1)


@contextlib.contextmanager
def machine(service: Service, folder: Path) -> Iterator[psutil.Process]:
    """A worker as on a computer of its own."""
    (folder / "token").write_text(service.worker_token())
    environment = os.environ | {
        "BENCHWRIGHT_HOME": str(folder / "home"),
        "BENCHWRIGHT_CACHE": str(folder / "cache"),
    }
    command = [str(Path(sys.executable).with_name("benchwright")), "worker", service.url]
    with processor(SHARE) as members:
        process = subprocess.Popen([*command, "--token-file", str(folder / "token")], env=environment)
        members.write_text(str(process.pid))
        try:
            yield psutil.Process(process.pid)
        finally:
            process.terminate()
            process.wait(60)


def ended(service: Service) -> list[float]:
    """Times at which runs ended, in order, in seconds since 1970."""
    file = service.folders.data / "service" / "service.sqlite"
    with contextlib.closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
        run_rows = connection.execute(
            "SELECT ended, outcome, verdict FROM service_runs WHERE state = 'done' ORDER BY ended"
        ).fetchall()
    # What could not be run is quick.
    assert all(outcome == "passed" for _, outcome, _ in run_rows), [verdict for *_, verdict in run_rows][:1]
    return [row[0] for row in run_rows]


def runs_per_second(machines: Sequence[Path], folder: Path, count: int) -> tuple[float, float]:
    """Of these machines together; and the cores that everything on this computer had busy meanwhile."""
    folder.mkdir()
    with running_service(Service(folder / "service", workers=0)) as service, contextlib.ExitStack() as working:
        queued(service, folder, count)
        for machine_folder in machines:
            working.enter_context(machine(service, machine_folder))
        give_up = time.monotonic() + PATIENCE_S
        psutil.cpu_percent()
        while len(times := ended(service)) < count:
            assert time.monotonic() < give_up, f"{len(times)} of {count} runs have ended"
            time.sleep(0.2)
        busy = psutil.cpu_percent() / 100 * (psutil.cpu_count() or 1)
    # At the end one machine may already be idle.
    counted_times = times[FIRST * len(machines) : -len(machines)]
    return (len(counted_times) - 1) / (counted_times[-1] - counted_times[0]), busy


def main(count: int = RUNS, rounds: int = ROUNDS) -> None:
    """Measures, in turn, so that what else the computer does meets both alike."""
    with tempfile.TemporaryDirectory(prefix="machines-") as name:
        root = Path(name)
        root.chmod(0o711)
        machine_folders = [root / "one", root / "two"]
        for machine_folder in machine_folders:
            machine_folder.mkdir(mode=0o711)
            ignored = shutil.ignore_patterns("downloads", "*.lock")
            shutil.copytree(
                Home.from_environment().cache / "toolchains",
                machine_folder / "cache" / "toolchains",
                symlinks=True,
                ignore=ignored,
            )
        measured: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
        for turn in range(rounds):
            for number in measured:
                measured[number].append(runs_per_second(machine_folders[:number], root / f"{turn}-{number}", count))
    print(f"{count} runs, median of {rounds} rounds\n")
    print("| machines with one worker each | runs a second | cores busy, all told |\n| --- | --- | --- |")
    for number, measurements in measured.items():
        rates, busy = zip(*measurements, strict=True)
        listed_rates = ", ".join(f"{rate:.2f}" for rate in rates)
        print(f"| {number} | {statistics.median(rates):.2f} ({listed_rates}) | {statistics.median(busy):.2f} |")
    single, double = (statistics.median(rate for rate, _ in measured[number]) for number in (1, 2))
    print(f"\nTwo machines drain the queue {double / single:.2f} times as fast as one.")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
