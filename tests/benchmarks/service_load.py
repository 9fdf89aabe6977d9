"""A course of 500 at a bench service, in real time, up to and after a deadline.

    .venv/bin/python -m tests.benchmarks.service_load [STUDENTS] [MINUTES] [--sqlite]

Students open the assignment, one after the other, and then work together: they type, with a batch of events every five
seconds, save twice a minute, the last time within the last half minute, when they submit; a teacher looks at three
pages every five seconds. Everything is real: PostgreSQL, HTTP, the service, its workers and their sandboxes. Events are
made before it begins, and the load's own processor time is told apart. Prints Markdown tables.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import resource
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import psutil
import psycopg

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.hand_clock import HandClock
from benchwright_attempts.events.events import Edit, Save, Started, Submitted
from benchwright_attempts.events.file_text import Change, FileText, sha256
from benchwright_attempts.grading.grading import run_harness, start_sandbox_ahead
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.log.record import AttemptHeader, StoredRow
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import reference_solution_files
from benchwright_harness.sandbox.registry import open_sandbox
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome
from benchwright_remote.errors import ServiceError
from benchwright_remote.messages import Role, RunState
from benchwright_remote.service_client import ServiceClient, new_run_id

from ..support.service.bench_service import Service, running_service
from ..support.service.postgres import cluster, new_database

STUDENTS = 500
MINUTES = 5.0
SAVES_A_MINUTE = 2
REF = "starter/saturating-counter"
BATCH_S = 5.0
EDITS = 8
"""Of a batch: somebody who types."""
LAST_S = 30.0
"""Within which all save and submit."""
PAGE_S = 5.0
WINDOW_S = 30.0
ARRIVALS_A_SECOND = 10
BASELINE_RUNS = 40


@dataclass
class Script:
    """Actions of one student: batches of rows, some with a save at the end."""

    header: AttemptHeader
    batches: Sequence[Sequence[StoredRow]]
    saves: dict[int, str]
    """Text, by the batch that ends with it."""


@dataclass
class Durations:
    """Seconds."""

    acknowledged: list[float] = field(default_factory=list)
    sent_times: list[float] = field(default_factory=list)
    """Times at which each of these was sent, after the beginning."""
    submitted: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    verdicts: int = 0
    superseded: int = 0
    failed_requests: list[str] = field(default_factory=list)
    delays_s: list[float] = field(default_factory=list)
    """Delay of each batch against the plan: the load itself could not keep up."""
    memory: list[int] = field(default_factory=list)
    cpu: dict[str, float] = field(default_factory=dict)


def scripts(folder: Path, students: int, batches: int, saves_each: int) -> list[Script]:
    """Makes all events beforehand."""
    problem = Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(REF)
    path = problem.public.expected[0]
    solved_text = reference_solution_files(problem)[path].decode()
    clock = HandClock()
    student_scripts = []
    with contextlib.closing(
        EventLog(folder / "load.sqlite", wall_clock=clock.now, monotonic_ns=clock.monotonic_ns)
    ) as log:
        attempts = Attempts(log)
        for number in range(students):
            header = attempts.create(REF, problem.public_digest, Path("/load"), {path: FileText.of_text("")})
            chance = random.Random(number)
            saved = {*chance.sample(range(1, batches - 1), min(saves_each - 1, batches - 2)), batches - 1}
            pending_appends = [log.append_nowait(header.id, Started())]
            batch_ends, saves, text, version = [], {}, "", 1
            for batch in range(batches):
                for _ in range(EDITS):
                    clock.pass_s(BATCH_S / EDITS)
                    version += 1
                    piece = f"// {number} {version}\n"
                    change = Change(start=len(text), end=len(text), text=piece)
                    pending_appends.append(
                        log.append_nowait(header.id, Edit(path=path, version=version, changes=(change,)))
                    )
                    text += piece
                if batch in saved:
                    # Half of them would not compile; nobody's text is known from before.
                    saves[batch] = f"{solved_text}{text}" if chance.random() < 0.5 else f"{text}module x;\n"
                    content = saves[batch].encode()
                    pending_appends.append(
                        log.append_nowait(header.id, Save(path=path, sha256=sha256(content), size=len(content)))
                    )
                if batch == batches - 1:
                    pending_appends.append(log.append_nowait(header.id, Submitted()))
                batch_ends.append(len(pending_appends) + 1)
            for future in pending_appends:
                future.result()
            stored, rows = log.stored_attempt(header.id)
            row_batches = [rows[start:end] for start, end in zip([0, *batch_ends[:-1]], batch_ends, strict=True)]
            student_scripts.append(Script(stored, row_batches, saves))
    return student_scripts


async def attend(
    url: str, code: str, number: int, script: Script, start_time: float, end_time: float, measurements: Durations
) -> None:
    """One student, in real time."""
    await asyncio.sleep(random.Random(number).uniform(0, 0.9 * (start_time - time.monotonic())))
    async with ServiceClient(url) as visitor:
        token = (await visitor.join(code, f"Student {number}")).token
    async with ServiceClient(url, token) as client:
        sheet = (await client.assignments())[0]
        await client.fetch_pack(sheet.pack)
        offset = random.Random(-number).uniform(0, BATCH_S)
        verdict_tasks: list[asyncio.Task[None]] = []
        path = "rtl/sat_counter.sv"
        for batch, rows in enumerate(script.batches):
            planned = start_time + offset + batch * BATCH_S
            if batch == len(script.batches) - 1:
                planned = end_time - LAST_S + random.Random(number).uniform(0, LAST_S)
            await asyncio.sleep(max(0.0, planned - time.monotonic()))
            measurements.delays_s.append(time.monotonic() - planned)
            request_start = time.monotonic()
            await retry(client.deliver_events_or_ask_position, script.header, sheet.id, rows, measurements=measurements)
            measurements.acknowledged.append(time.monotonic() - request_start)
            measurements.sent_times.append(request_start - start_time)
            if batch in script.saves:
                run, run_number = new_run_id(), len(verdict_tasks) + 1
                request_start = time.monotonic()
                files = {path: script.saves[batch].encode()}
                await retry(client.request_run, run, script.header.id, run_number, files, measurements=measurements)
                measurements.submitted.append(time.monotonic() - request_start)
                verdict_tasks.append(asyncio.create_task(verdict(client, run, measurements)))
        await asyncio.gather(*verdict_tasks)


async def retry(ask: object, *arguments: object, measurements: Durations) -> None:
    """Asks until the service answers, as an editor does."""
    while True:
        try:
            await ask(*arguments)  # type: ignore[operator]
            return
        except ServiceError as error:
            measurements.failed_requests.append(str(error))
            await asyncio.sleep(1)


async def verdict(client: ServiceClient, run: str, measurements: Durations) -> None:
    """Waits for the end of a run."""
    revision = -1
    while True:
        try:
            view = await client.wait_for_run(run, revision, 20)
        except ServiceError as error:
            measurements.failed_requests.append(str(error))
            await asyncio.sleep(1)
            continue
        revision = view.revision
        if view.state in (RunState.DONE, RunState.CANCELLED):
            measurements.verdicts += view.state is RunState.DONE
            measurements.superseded += view.state is RunState.CANCELLED
            return


async def teach(url: str, code: str, course: str, measurements: Durations) -> None:
    """A teacher who looks at pages."""
    async with httpx2.AsyncClient(base_url=url, headers={"Origin": url}, timeout=60, trust_env=False) as client:
        await client.post("/sign-in", data={"code": code, "name": "Professor"})
        while True:
            for page in ("progress", "grades", "items"):
                request_start = time.monotonic()
                reply = await client.get(f"/courses/{course}/{page}")
                assert reply.status_code == 200, reply.text
                measurements.pages.append(time.monotonic() - request_start)
            await asyncio.sleep(PAGE_S)


def spent(process: psutil.Process) -> dict[str, float]:
    """Processor seconds of the service itself, of PostgreSQL, and of all that this machine does."""
    service_times = process.cpu_times()
    database = 0.0
    for other_process in psutil.process_iter(["name", "cpu_times"]):
        if other_process.info["name"] == "postgres" and other_process.info["cpu_times"] is not None:
            database += other_process.info["cpu_times"].user + other_process.info["cpu_times"].system
    machine_times = psutil.cpu_times()
    busy = machine_times.user + machine_times.nice + machine_times.system + machine_times.softirq
    return {"service": service_times.user + service_times.system, "database": database, "everything": busy}


async def watch(process: psutil.Process, measurements: Durations) -> None:
    """Memory of the service."""
    while True:
        measurements.memory.append(process.memory_info().rss)
        await asyncio.sleep(10)


async def load(
    service: Service, plan: Sequence[Script], minutes: float, code: str, owner_code: str, course: str
) -> Durations:
    """All of it."""
    assert service.process is not None
    measurements = Durations()
    process = psutil.Process(service.process.pid)
    start_time = time.monotonic() + max(10.0, len(plan) / ARRIVALS_A_SECOND)
    end_time = start_time + 60 * minutes
    students = [
        asyncio.create_task(attend(service.url, code, number, script, start_time, end_time, measurements))
        for number, script in enumerate(plan)
    ]
    await asyncio.sleep(max(0.0, start_time - time.monotonic()))
    cpu_before = spent(process)
    usage_before = resource.getrusage(resource.RUSAGE_SELF)
    observers = [
        asyncio.create_task(teach(service.url, owner_code, course, measurements)),
        asyncio.create_task(watch(process, measurements)),
    ]
    await asyncio.sleep(max(0.0, end_time - time.monotonic()))
    usage_after = resource.getrusage(resource.RUSAGE_SELF)
    measurements.cpu = {name: value - cpu_before[name] for name, value in spent(process).items()}
    measurements.cpu["load"] = (
        usage_after.ru_utime + usage_after.ru_stime - usage_before.ru_utime - usage_before.ru_stime
    )
    for task in observers[:1]:
        task.cancel()
    await asyncio.gather(*students)
    observers[1].cancel()
    measurements.memory.append(process.memory_info().rss)
    return measurements


def alone(number: int) -> float:
    """Seconds for runs on one core without a service, as a worker does them."""

    async def runs() -> float:
        home = Home.from_environment()
        problem = Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(REF)
        sandbox = open_sandbox("bwrap")
        solved_contents = reference_solution_files(problem)
        path = problem.public.expected[0]
        start_s = time.monotonic()
        for run_index in range(BASELINE_RUNS):
            text = f"// {number} {run_index} {time.time_ns()}\n".encode()
            files = {path: solved_contents[path] + text if run_index % 2 else text + b"module x;\n"}
            with tempfile.TemporaryFile() as log:
                verdict = await run_harness(problem, files, home=home, sandbox=sandbox, log=log)
            if verdict.outcome is Outcome.ERROR:
                message = f"Nothing can be measured: {verdict.detail} {verdict.hint}"
                raise SystemExit(message)
            await start_sandbox_ahead(problem, home=home, sandbox=sandbox)
        return time.monotonic() - start_s

    return asyncio.run(runs())


def queue(service: Service) -> list[tuple[float, float | None, float, str]]:
    """Of each run that has ended: when it was queued, began and ended, and whose it is."""
    query = "SELECT queued, began, ended, account FROM service_runs WHERE ended IS NOT NULL ORDER BY queued"
    if service.database is not None:
        with psycopg.connect(service.database) as connection:
            return connection.execute(query).fetchall()
    with sqlite3.connect(service.folders.data / "service" / "service.sqlite") as file:
        return file.execute(query).fetchall()


def fairness(run_times: Sequence[tuple[float, float | None, float, str]], workers: int) -> float:
    """The longest wait, as a multiple of what a fair share would have been: one run of each who waited before."""
    started_runs = [(queued, began, ended, account) for queued, began, ended, account in run_times if began is not None]
    if not started_runs:
        return 0.0
    mean = statistics.mean(ended - began for _, began, ended, _ in started_runs)
    worst = 0.0
    for queued, began, _, account in started_runs:
        rivals = {
            rival
            for rival_queued, rival_began, end_time, rival in run_times
            if rival != account and rival_queued < began and (end_time if rival_began is None else rival_began) > queued
        }
        fair = (len(rivals) + 1) * mean / workers
        if began - queued > 2 * mean:
            worst = max(worst, (began - queued) / fair)
    return worst


def percentile(values: Sequence[float], share: float) -> float:
    """In milliseconds."""
    return 1000 * sorted(values)[int(share * (len(values) - 1))]


@contextlib.contextmanager
def database(*, sqlite: bool) -> Iterator[str | None]:
    """A new one."""
    if sqlite:
        yield None
        return
    with cluster() as folder:
        yield new_database(folder)


def main() -> None:
    """Measures and prints."""
    numbers = [word for word in sys.argv[1:] if not word.startswith("-")]
    students = int(numbers[0]) if numbers else STUDENTS
    minutes = float(numbers[1]) if len(numbers) > 1 else MINUTES
    workers = os.cpu_count() or 1
    with tempfile.TemporaryDirectory(prefix="benchwright-load-") as name:
        folder = Path(name)
        plan = scripts(folder, students, int((60 * minutes - LAST_S) / BATCH_S), int(SAVES_A_MINUTE * minutes))
        with ProcessPoolExecutor(workers) as pool:
            possible = workers * BASELINE_RUNS / max(pool.map(alone, range(workers)))
        with database(sqlite="--sqlite" in sys.argv) as url:
            service = Service(folder / "service", url, workers=workers)
            course = service.set_up(uses=students, problems=(REF.partition("/")[2],))

            owner_code = service.invitation(course.name, Role.OWNER)
            with running_service(service):
                measurements = asyncio.run(load(service, plan, minutes, course.invitation, owner_code, course.name))
                run_times = queue(service)
    report(students, minutes, workers, possible, measurements, run_times)


def report(
    students: int,
    minutes: float,
    workers: int,
    possible: float,
    measurements: Durations,
    run_times: Sequence[tuple[float, float | None, float, str]],
) -> None:
    """Prints the tables."""
    last_queued = max(queued for queued, *_ in run_times)
    drained = [ended for _, began, ended, _ in run_times if began is not None and ended > last_queued]
    rate = len(drained) / (max(drained) - last_queued) if drained else 0.0
    print(f"{students} students, {minutes:g} minutes, {os.cpu_count()} cores, {workers} workers.\n")
    print("| | median | 95th percentile | most | number |\n| --- | --- | --- | --- | --- |")
    named_times = {
        "events acknowledged": measurements.acknowledged,
        "run taken": measurements.submitted,
        "page of the teacher": measurements.pages,
    }
    named_times["batch sent late by the load"] = measurements.delays_s
    for title, values in named_times.items():
        percentiles = (percentile(values, 0.5), percentile(values, 0.95), percentile(values, 1.0))
        print(f"| {title}, ms | {percentiles[0]:.0f} | {percentiles[1]:.0f} | {percentiles[2]:.0f} | {len(values):,} |")
    by_window: dict[int, list[float]] = {}
    for sent_time, took in zip(measurements.sent_times, measurements.acknowledged, strict=True):
        by_window.setdefault(int(sent_time // WINDOW_S), []).append(took)
    for window, values in sorted(by_window.items()):
        percentiles = (percentile(values, 0.5), percentile(values, 0.95), percentile(values, 1.0))
        name = f"of them sent in the {WINDOW_S:g} s from {window * WINDOW_S:g} s"
        print(f"| {name}, ms | {percentiles[0]:.0f} | {percentiles[1]:.0f} | {percentiles[2]:.0f} | {len(values):,} |")
    print("\n| | |\n| --- | --- |")
    print(f"| verdicts; superseded by a newer save | {measurements.verdicts:,}; {measurements.superseded:,} |")
    print(f"| requests that had to be sent again | {len(measurements.failed_requests):,} |")
    cores = ", ".join(f"{value / 60 / minutes:.2f}" for value in measurements.cpu.values())
    print(f"| cores busy: service, database, everything, of it the load | {cores} |")
    print(f"| runs a second after the deadline; without a service | {rate:.2f}; {possible:.2f} |")
    print(f"| longest wait, as a multiple of a fair share | {fairness(run_times, workers):.2f} |")
    sizes = [
        f"{memory_bytes >> 20}"
        for memory_bytes in (
            measurements.memory[0],
            measurements.memory[len(measurements.memory) // 2],
            measurements.memory[-1],
        )
    ]
    print(f"| memory of the service at the start, half-way, at the end, MiB | {', '.join(sizes)} |")


if __name__ == "__main__":
    main()
