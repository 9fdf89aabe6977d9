"""A course at a bench service, in real time, up to and after a deadline.

    .venv/bin/python -m tests.benchmarks.service_load [STUDENTS] [MINUTES] [--web N] [--sqlite] [--json FILE]

The course has 30 assignments that all students have worked on before. They type, with a batch of events every five
seconds, save twice a minute, the last time within the last half minute, when they submit, and open pages of their own;
a teacher looks at three pages every five seconds. Most saves compile. Everything is real: a durable PostgreSQL, HTTP,
the service, its workers and their sandboxes.

The loop is open: what a student does has a time at which it is due, however long the service takes, and every duration
counts from that time. How late the load itself was is printed, with the load average, the processor time of each part,
and how long the disk takes for a write that lasts. Prints Markdown tables; `service_scaling.py` puts those of several
sizes into docs/explanation/scaling.md.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import resource
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import httpx2
import psutil
import psycopg

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.hand_clock import ManualClock
from benchwright_attempts.events.events import Edit, Save, Started, Submitted
from benchwright_attempts.events.file_text import Change, FileText, sha256
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.log.record import AttemptHeader, StoredRow
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import reference_solution_files, starting_solution_files
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.store import Store
from benchwright_remote.errors import ServiceError
from benchwright_remote.messages import Role, RunState
from benchwright_remote.service_client import ServiceClient, new_run_id
from benchwright_service.bench import open_administration
from benchwright_service.pages.visit import cookie_name

from ..support.service.bench_service import Service, running_service
from ..support.service.large_course import LargeCourse, Size, make_large_course
from ..support.service.postgres import new_database, restartable_cluster

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
STUDENTS_PAGE_S = 60.0
"""Between two pages that a student opens: the course's, and that of the assignment with the own points and runs."""
WINDOW_S = 30.0
WARM_UP_S = 10.0
DRAIN_S = 120.0
"""The longest that verdicts are waited for after the deadline."""
COMPILES = 0.9
"""Share of the saves that do; two thirds of them are solutions, the others the starting file."""
SYNCS = 50


@dataclass
class Script:
    """Actions of one student: batches of rows, some with a save at the end."""

    header: AttemptHeader
    batches: Sequence[Sequence[StoredRow]]
    saves: dict[int, str]
    """Text, by the batch that ends with it."""
    path: str
    """The file that is written."""


@dataclass(frozen=True)
class Seat:
    """A student of the course."""

    url: str
    """Of the process that answers them."""
    token: str
    cookie: str
    assignment: str


@dataclass
class Durations:
    """Seconds, from when something was due."""

    acknowledged: list[float] = field(default_factory=list)
    due_times: list[float] = field(default_factory=list)
    """Times at which each of these was due, after the beginning."""
    submitted: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    own_pages: list[float] = field(default_factory=list)
    """Those that students open."""
    verdicts: int = 0
    superseded: int = 0
    failed_requests: list[str] = field(default_factory=list)
    delays_s: list[float] = field(default_factory=list)
    """Lateness of the load itself: from when something was due to when it had the processor, the service apart."""
    load_averages: list[float] = field(default_factory=list)
    undecided_at_end: int = 0
    """Runs that had no verdict when the load gave up."""
    memory: list[int] = field(default_factory=list)
    cpu: dict[str, float] = field(default_factory=dict)


def design(ref: str) -> Problem:
    """A design problem of the starter pack."""
    return Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"})).unseal(ref)


def scripts(folder: Path, students: int, batches: int, saves_each: int, refs: Sequence[str] = (REF,)) -> list[Script]:
    """Makes all events beforehand; students take turns with the problems."""
    problems = [design(ref) for ref in refs]
    clock = ManualClock()
    student_scripts = []
    with contextlib.closing(
        EventLog(folder / "load.sqlite", wall_clock=clock.now, monotonic_ns=clock.monotonic_ns)
    ) as log:
        attempts = Attempts(log)
        for number in range(students):
            ref, problem = refs[number % len(refs)], problems[number % len(refs)]
            path = problem.public.expected[0]
            solved_text = reference_solution_files(problem)[path].decode()
            started_text = starting_solution_files(problem)[path].decode()
            header = attempts.create(ref, problem.public_digest, Path("/load"), {path: FileText.of_text("")})
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
                    # Nobody's text is known from before.
                    kind = chance.random()
                    begun_text = solved_text if kind < COMPILES * 2 / 3 else started_text
                    saves[batch] = f"{begun_text}{text}" if kind < COMPILES else f"{text}module x;\n"
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
            student_scripts.append(Script(stored, row_batches, saves, path))
    return student_scripts


async def attend(
    seat: Seat, number: int, script: Script, start_time: float, end_time: float, measurements: Durations
) -> None:
    """One student's editor, in real time."""
    async with ServiceClient(seat.url, seat.token) as client:
        await asyncio.sleep(random.Random(number).uniform(0, 0.9 * (start_time - time.monotonic())))
        await client.assignments()
        offset = random.Random(-number).uniform(0, BATCH_S)
        verdict_tasks: list[asyncio.Task[None]] = []
        for batch, rows in enumerate(script.batches):
            due = start_time + offset + batch * BATCH_S
            if batch == len(script.batches) - 1:
                due = end_time - LAST_S + random.Random(number).uniform(0, LAST_S)
            await until(due, measurements)
            await retry(
                client.deliver_events_or_ask_position, script.header, seat.assignment, rows, measurements=measurements
            )
            measurements.acknowledged.append(time.monotonic() - due)
            measurements.due_times.append(due - start_time)
            if batch in script.saves:
                run, run_number = new_run_id(), len(verdict_tasks) + 1
                files = {script.path: script.saves[batch].encode()}
                await retry(client.request_run, run, script.header.id, run_number, files, measurements=measurements)
                measurements.submitted.append(time.monotonic() - due)
                verdict_tasks.append(asyncio.create_task(verdict(client, run, measurements)))
        remaining_s = end_time + DRAIN_S - time.monotonic()
        _, unfinished_tasks = await asyncio.wait(verdict_tasks, timeout=max(0.0, remaining_s))
        measurements.undecided_at_end += len(unfinished_tasks)
        for task in unfinished_tasks:
            task.cancel()


async def until(due: float, measurements: Durations) -> None:
    """Waits until something is due, and notes how late the load is itself; at once if the service has held it up."""
    wait_s = due - time.monotonic()
    if wait_s > 0:
        await asyncio.sleep(wait_s)
        measurements.delays_s.append(time.monotonic() - due)


async def look(
    seat: Seat, course: str, number: int, start_time: float, end_time: float, measurements: Durations
) -> None:
    """One student's browser."""
    pages = (f"/courses/{course}", f"/courses/{course}/mine/{seat.assignment}")
    cookies = {cookie_name(is_https=False): seat.cookie}
    due = start_time + random.Random(f"page {number}").uniform(0, STUDENTS_PAGE_S)
    async with httpx2.AsyncClient(base_url=seat.url, cookies=cookies, timeout=60, trust_env=False) as client:
        for page in pages * 1_000:
            if due >= end_time:
                return
            await until(due, measurements)
            reply = await client.get(page)
            assert reply.status_code == 200, reply.text
            measurements.own_pages.append(time.monotonic() - due)
            due += STUDENTS_PAGE_S


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


async def teach(url: str, cookie: str, course: str, start_time: float, measurements: Durations) -> None:
    """A teacher who looks at pages."""
    cookies = {cookie_name(is_https=False): cookie}
    async with httpx2.AsyncClient(base_url=url, cookies=cookies, timeout=60, trust_env=False) as client:
        due = start_time
        while True:
            for page in ("progress", "grades", "items"):
                await until(due, measurements)
                reply = await client.get(f"/courses/{course}/{page}")
                assert reply.status_code == 200, reply.text
                measurements.pages.append(time.monotonic() - due)
                due += PAGE_S / 3


def spent(processes: Sequence[psutil.Process], database_folder: str) -> dict[str, float]:
    """Processor seconds of the service's web processes, of its database, and of all that this machine does."""
    web = sum(times.user + times.system for times in (process.cpu_times() for process in processes))
    database = 0.0
    for other_process in psutil.process_iter(["name", "cmdline", "cpu_times"]):
        if other_process.info["name"] != "postgres" or not database_folder:
            continue
        with contextlib.suppress(psutil.Error):
            parent = other_process.parent()
            if parent is not None and database_folder in " ".join([*other_process.info["cmdline"], *parent.cmdline()]):
                database += other_process.info["cpu_times"].user + other_process.info["cpu_times"].system
    machine_times = psutil.cpu_times()
    busy = machine_times.user + machine_times.nice + machine_times.system + machine_times.softirq
    return {"service": web, "database": database, "everything": busy}


async def watch(processes: Sequence[psutil.Process], measurements: Durations) -> None:
    """Memory of the service, and the load average."""
    while True:
        measurements.memory.append(sum(process.memory_info().rss for process in processes))
        measurements.load_averages.append(os.getloadavg()[0])
        await asyncio.sleep(10)


async def load(
    services: Sequence[Service],
    plan: Sequence[Script],
    minutes: float,
    course: LargeCourse,
    seats: Sequence[Seat],
) -> Durations:
    """All of it."""
    measurements = Durations()
    processes = [psutil.Process(service.process.pid) for service in services if service.process is not None]
    database_folder = (services[0].database or "").partition("host=")[2]
    start_time = time.monotonic() + WARM_UP_S + len(plan) / 50
    end_time = start_time + 60 * minutes
    students = [
        asyncio.create_task(attend(seat, number, script, start_time, end_time, measurements))
        for number, (seat, script) in enumerate(zip(seats, plan, strict=True))
    ]
    browsers = [
        asyncio.create_task(look(seat, course.name, number, start_time, end_time, measurements))
        for number, seat in enumerate(seats)
    ]
    await asyncio.sleep(max(0.0, start_time - time.monotonic()))
    cpu_before = spent(processes, database_folder)
    usage_before = resource.getrusage(resource.RUSAGE_SELF)
    owner_cookie = course.cookies[Role.OWNER.value][0]
    observers = [
        asyncio.create_task(teach(services[0].url, owner_cookie, course.name, start_time, measurements)),
        asyncio.create_task(watch(processes, measurements)),
    ]
    await asyncio.sleep(max(0.0, end_time - time.monotonic()))
    usage_after = resource.getrusage(resource.RUSAGE_SELF)
    cpu_after = spent(processes, database_folder)
    measurements.cpu = {name: value - cpu_before[name] for name, value in cpu_after.items()}
    measurements.cpu["load"] = (
        usage_after.ru_utime + usage_after.ru_stime - usage_before.ru_utime - usage_before.ru_stime
    )
    for task in observers[:1]:
        if task.done():
            # What went wrong.
            task.result()
        task.cancel()
    await asyncio.gather(*students, *browsers)
    observers[1].cancel()
    measurements.memory.append(sum(process.memory_info().rss for process in processes))
    return measurements


def sync_ms(folder: Path) -> float:
    """Median milliseconds until a write of 8 KiB is on disk: what a receipt waits for at least."""
    times = []
    with (folder / "sync").open("wb") as file:
        for _ in range(SYNCS):
            file.write(os.urandom(8192))
            file.flush()
            start = time.monotonic()
            os.fdatasync(file.fileno())
            times.append(time.monotonic() - start)
    return 1000 * statistics.median(times)


RunTimes = tuple[float, float | None, float, str, str | None]
"""When a run was queued, began and ended, whose it is, and its verdict."""


def queue(service: Service) -> list[RunTimes]:
    """Of each run that has ended."""
    query = "SELECT queued, began, ended, account, verdict FROM service_runs WHERE ended IS NOT NULL ORDER BY queued"
    if service.database is not None:
        with psycopg.connect(service.database) as connection:
            return connection.execute(query).fetchall()
    with sqlite3.connect(service.folders.data / "service" / "service.sqlite") as file:
        return file.execute(query).fetchall()


def fairness(run_times: Sequence[RunTimes], workers: int) -> float:
    """The longest wait, as a multiple of what a fair share would have been: one run of each who waited before."""
    started_runs = [
        (queued, began, ended, account) for queued, began, ended, account, _ in run_times if began is not None
    ]
    if not started_runs:
        return 0.0
    mean = statistics.mean(ended - began for _, began, ended, _ in started_runs)
    worst = 0.0
    for queued, began, _, account in started_runs:
        rivals = {
            rival
            for rival_queued, rival_began, end_time, rival, _ in run_times
            if rival != account and rival_queued < began and (end_time if rival_began is None else rival_began) > queued
        }
        fair = (len(rivals) + 1) * mean / workers
        if began - queued > 2 * mean:
            worst = max(worst, (began - queued) / fair)
    return worst


def mean_core_seconds(run_times: Sequence[RunTimes]) -> float:
    """Processor time of a run, as its verdict has it; a busy machine changes it little."""
    usages = [json.loads(verdict).get("usage") or {} for *_, verdict in run_times if verdict is not None]
    processor_seconds = [usage["cpu_s"] for usage in usages if usage.get("cpu_s") is not None]
    return statistics.mean(processor_seconds) if processor_seconds else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """In milliseconds."""
    return 1000 * sorted(values)[int(share * (len(values) - 1))]


@contextlib.contextmanager
def database(*, sqlite: bool) -> Iterator[str | None]:
    """A new one, as durable as a service's."""
    if sqlite:
        yield None
        return
    with restartable_cluster(durable=True) as postgres_cluster:
        yield new_database(postgres_cluster.folder)


def design_refs() -> list[str]:
    """The design problems of the pack that all courses have here."""
    store = Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"}))
    problems = store.public_pack("starter").problems
    return [f"starter/{problem.id}" for problem in problems if problem.kind is ProblemKind.DESIGN]


async def take_seats(service: Service, course: LargeCourse, urls: Sequence[str], plan: Sequence[Script]) -> list[Seat]:
    """Signs all students in, each to work on a problem of the plan."""
    seats = []
    async with open_administration(service.folders, service.database) as parts:
        for number, script in enumerate(plan):
            problem = script.header.problem.partition("/")[2]
            assigned = [view.id for view in course.assignments if problem in view.problems]
            async with parts.database.write_transaction() as connection:
                token = await parts.accounts.new_person_token(connection, course.students[number], "editor")
            cookie = course.cookies[Role.PARTICIPANT.value][number]
            seats.append(Seat(urls[number % len(urls)], token, cookie, assigned[number % len(assigned)]))
    return seats


@contextlib.contextmanager
def web_processes(service: Service, number: int) -> Iterator[list[Service]]:
    """The service in so many processes; the first one has the workers."""
    with contextlib.ExitStack() as running:
        others = [
            Service(service.home, service.database, workers=0, log_name=f"web{rank}") for rank in range(2, number + 1)
        ]
        services = [service, *others]
        yield [running.enter_context(running_service(process)) for process in services]


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("students", type=int, nargs="?", default=STUDENTS)
    parser.add_argument("minutes", type=float, nargs="?", default=MINUTES)
    parser.add_argument("--web", type=int, default=1, metavar="N", help="web processes")
    parser.add_argument("--sqlite", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE", help="the numbers, for service_scaling.py")
    options = parser.parse_args()
    students, minutes = options.students, options.minutes
    workers = os.cpu_count() or 1
    with tempfile.TemporaryDirectory(prefix="benchwright-load-") as name, database(sqlite=options.sqlite) as url:
        folder = Path(name)
        batches, saves = int((60 * minutes - LAST_S) / BATCH_S), int(SAVES_A_MINUTE * minutes)
        plan = scripts(folder, students, batches, saves, design_refs())
        service = Service(folder / "service", url, workers=workers)
        course = make_large_course(service, Size(students=students), browsers=students)
        begun = time.time()
        with web_processes(service, options.web) as services:
            seats = asyncio.run(take_seats(service, course, [process.url for process in services], plan))
            measurements = asyncio.run(load(services, plan, minutes, course, seats))
            # The course came with runs of its own, some of them with times to come.
            run_times = [run_time for run_time in queue(service) if begun <= run_time[0] <= time.time()]
        results = Results.of(students, minutes, options.web, sync_ms(folder), measurements, run_times)
    report(results)
    if options.json is not None:
        options.json.write_text(json.dumps(asdict(results), indent=1))


@dataclass(frozen=True)
class Results:
    """What was measured, in milliseconds unless it is said otherwise."""

    students: int
    minutes: float
    web: int
    cores: int
    times: dict[str, dict[str, float]]
    """By what took time: `median`, `p95`, `most` and `number`."""
    windows: dict[str, dict[str, float]]
    """The same of the batches that were due in each half minute."""
    cpu: dict[str, float]
    """Cores busy."""
    verdicts: int
    superseded: int
    undecided_at_end: int
    failed_requests: int
    runs_a_second: float
    possible_runs_a_second: float
    longest_wait: float
    memory_mib: list[int]
    load_averages: list[float]
    sync_ms: float

    @classmethod
    def of(
        cls,
        students: int,
        minutes: float,
        web: int,
        sync: float,
        measurements: Durations,
        run_times: Sequence[RunTimes],
    ) -> Results:
        """Sums up."""
        last_queued = max((queued for queued, *_ in run_times), default=0.0)
        drained = [ended for _, began, ended, *_ in run_times if began is not None and ended > last_queued]
        named_times = {
            "events acknowledged": measurements.acknowledged,
            "run taken": measurements.submitted,
            "page of a student": measurements.own_pages,
            "page of the teacher": measurements.pages,
            "lateness of the load itself": measurements.delays_s,
        }
        by_window: dict[int, list[float]] = {}
        for due_time, took in zip(measurements.due_times, measurements.acknowledged, strict=True):
            by_window.setdefault(int(due_time // WINDOW_S), []).append(took)
        memory, averages = measurements.memory, measurements.load_averages
        return cls(
            students,
            minutes,
            web,
            os.cpu_count() or 1,
            {title: summary(values) for title, values in named_times.items()},
            {
                f"of them due in the {WINDOW_S:g} s from {window * WINDOW_S:g} s": summary(values)
                for window, values in sorted(by_window.items())
            },
            {name: value / 60 / minutes for name, value in measurements.cpu.items()},
            measurements.verdicts,
            measurements.superseded,
            measurements.undecided_at_end,
            len(measurements.failed_requests),
            len(drained) / (max(drained) - last_queued) if drained else 0.0,
            (os.cpu_count() or 1) / core_seconds if (core_seconds := mean_core_seconds(run_times)) else 0.0,
            fairness(run_times, os.cpu_count() or 1),
            [size >> 20 for size in (memory[0], memory[len(memory) // 2], memory[-1])],
            [averages[0], max(averages)],
            sync,
        )


def summary(values: Sequence[float]) -> dict[str, float]:
    """Of durations in seconds."""
    shares = {"median": 0.5, "p95": 0.95, "most": 1.0}
    return {name: percentile(values, share) if values else 0.0 for name, share in shares.items()} | {
        "number": len(values)
    }


def report(results: Results) -> None:
    """Prints the tables."""
    print(
        f"{results.students} students, {results.minutes:g} minutes, {results.cores} cores and workers, "
        f"{results.web} web {'process' if results.web == 1 else 'processes'}.\n"
    )
    print("| from when it was due, ms | median | 95th percentile | most | number |\n| --- | --- | --- | --- | --- |")
    for title, times in {**results.times, **results.windows}.items():
        row_text = " | ".join(f"{times[name]:,.0f}" for name in ("median", "p95", "most", "number"))
        print(f"| {title} | {row_text} |")
    cores = ", ".join(f"{value:.2f}" for value in results.cpu.values())
    rows = {
        "verdicts; superseded by a newer save; none at the end": f"{results.verdicts:,}; {results.superseded:,}; "
        f"{results.undecided_at_end:,}",
        "requests that had to be sent again": f"{results.failed_requests:,}",
        "cores busy: service, database, everything, of it the load": cores,
        "load average at the start, at most": ", ".join(f"{value:.1f}" for value in results.load_averages),
        "a write is on disk after, ms": f"{results.sync_ms:.1f}",
        "runs a second after the deadline; by their processor time": f"{results.runs_a_second:.2f}; "
        f"{results.possible_runs_a_second:.2f}",
        "longest wait, as a multiple of a fair share": f"{results.longest_wait:.2f}",
        "memory of the service at the start, half-way, at the end, MiB": ", ".join(map(str, results.memory_mib)),
    }
    print("\n| | |\n| --- | --- |")
    for title, text in rows.items():
        print(f"| {title} | {text} |")


if __name__ == "__main__":
    main()
