"""Cost of every page of a bench service in a large course: processor time, size, and how long others wait meanwhile.

    .venv/bin/python -m tests.benchmarks.course_pages [--students N] [--assignments N] [--sqlite] [WORDS]

A course of 1,000 students and 30 assignments of two problems, with 180,000 runs, is written into a new database. Then
a teacher, an assistant, a grader and a student open every page that the service has, each three times with another
account. Processor time is that of the service and of the database, so that a busy machine changes little; that of
processes which the service starts for long work, at lower priority, is printed at the end. The first visit stands
beside the median of the others. Meanwhile somebody asks for the service's health every few milliseconds: `others wait`
is the longest that such a request took. Prints a Markdown table; words choose pages.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import MagicMock

import httpx2
import psutil
from starlette.routing import Route

from benchwright_remote.messages import Role
from benchwright_service.pages.app import page_routes
from benchwright_service.pages.visit import cookie_name

from ..support.service.bench_service import Service, running_service
from ..support.service.large_course import LargeCourse, Size, make_large_course
from .service_load import database

VISITS = 3
PAUSE_S = 0.01
IDLE_S = 2.0
MOST_MS = 300.0
MOST_OWN_MS = 50.0
MOST_KB = 300.0
ROLES = (Role.OWNER, Role.STAFF, Role.GRADER, Role.PARTICIPANT)
FOREIGN = ("/lti/", "/sign-in", "/studies/", "/device", "/assets/")
"""Beginnings of pages that are of no course."""
FILES = (".csv", "/export")
"""Endings of what may take longer, and must not keep others waiting."""
MORE = {
    "/courses/{course}/progress": ("?page=2&sort=passed&order=desc", "?q=ada&section=B"),
    "/courses/{course}/grades": ("?page=2&sort=sum&order=desc", "?q=ada&section=B"),
    "/courses/{course}/people": ("?page=2", "?q=ada"),
    "/courses/{course}/appeals": ("?page=2",),
    "/courses/{course}/items": ("?section=B",),
    "/courses/{course}/regrades/{regrade}": ("?page=2",),
}
"""Queries with which pages are opened as well."""


@dataclass(frozen=True)
class Cost:
    """The cost of one visit."""

    status: int
    service_ms: float
    database_ms: float
    kilobytes: float
    others_wait_ms: float

    @property
    def processor_ms(self) -> float:
        """All told."""
        return self.service_ms + self.database_ms


class Meter:
    """Reads processor times of the service and of its database.

    Args:
        service: Process of the service.
        database_folder: Folder of the database's socket; none for SQLite.
    """

    def __init__(self, service_process: psutil.Process, database_folder: str) -> None:
        self._service = service_process
        self._postmaster = next(
            (
                process
                for process in psutil.process_iter(["name", "cmdline"])
                if database_folder and process.info["name"] == "postgres" and database_folder in str(process.info)
            ),
            None,
        )

    def read_ms(self) -> tuple[float, float]:
        """Milliseconds of processor time so far: of the service, and of the database."""
        database_processes = [] if self._postmaster is None else self._postmaster.children()
        return _milliseconds([self._service]), _milliseconds(database_processes)

    def seconds_of_others(self) -> float:
        """Processor time of processes that the service has started and that have ended."""
        times = self._service.cpu_times()
        return float(times.children_user + times.children_system)


def _milliseconds(processes: list[psutil.Process]) -> float:
    nanoseconds = 0
    for process in processes:
        for thread in Path(f"/proc/{process.pid}/task").glob("*"):
            # A thread or process may end meanwhile.
            try:
                nanoseconds += int((thread / "schedstat").read_text().split()[0])
            except (OSError, ValueError, IndexError):
                continue
    return nanoseconds / 1e6


class Watchman:
    """Asks for the service's health all the time.

    Args:
        url: Address of the service.
    """

    def __init__(self, url: str) -> None:
        self._client = httpx2.Client(base_url=url, timeout=60, trust_env=False)
        self._longest_s = 0.0
        self.requests = 0
        """Number of requests so far."""
        self._has_ended = threading.Event()
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self._thread.start()

    def take_longest_ms(self) -> float:
        """The longest wait since the last call."""
        longest_s, self._longest_s = self._longest_s, 0.0
        return 1000 * longest_s

    def end(self) -> None:
        """Stops asking."""
        self._has_ended.set()
        self._thread.join()
        self._client.close()

    def _ask(self) -> None:
        while not self._has_ended.wait(PAUSE_S):
            start = time.monotonic()
            self._client.get("/api/v1/health/live")
            self.requests += 1
            self._longest_s = max(self._longest_s, time.monotonic() - start)


def paths(course: LargeCourse) -> Iterator[tuple[str, str]]:
    """Templates of all pages that can be opened, with their addresses in a course; an empty one if there is none."""
    assignment, problem, account, attempt = course.attempt
    values = {
        "course": course.name,
        "assignment": assignment,
        "problem": problem,
        "account": account,
        "attempt": attempt,
        "regrade": course.regrade,
        "events": "3",
        "chunk": "0",
    }
    # No page is answered here: only the addresses are asked for.
    for route in page_routes(MagicMock(), https_only=False):
        template = route.path
        if "GET" not in (route.methods or ()) or template.startswith(FOREIGN):
            continue
        for kind in ("canvas", "moodle", "table") if "{kind}" in template else ("",):
            address = _filled(route, {**values, "kind": kind})
            yield template, address
            for query in MORE.get(template, ()) if address else ():
                yield f"{template}{query}", f"{address}{query}"


def _filled(route: Route, values: Mapping[str, str]) -> str:
    if set(route.param_convertors) - set(values):
        return ""
    return route.path.format(**values)


def cost_of_watching(meter: Meter, watchman: Watchman) -> float:
    """Milliseconds of the service's processor time for each request of the watchman."""
    (before, _), requests_before = meter.read_ms(), watchman.requests
    time.sleep(IDLE_S)
    (after, _), requests = meter.read_ms(), watchman.requests
    return (after - before) / max(1, requests - requests_before)


def visit(client: httpx2.Client, meter: Meter, watchman: Watchman, watching_ms: float, address: str) -> Cost:
    """Opens a page; what the watchman costs meanwhile is taken off."""
    watchman.take_longest_ms()
    before, requests_before = meter.read_ms(), watchman.requests
    reply = client.get(address)
    after, requests = meter.read_ms(), watchman.requests
    time.sleep(2 * PAUSE_S)
    service_ms, database_ms = (end - start for start, end in zip(before, after, strict=True))
    service_ms = max(0.0, service_ms - (requests - requests_before) * watching_ms)
    return Cost(reply.status_code, service_ms, database_ms, len(reply.content) / 1000, watchman.take_longest_ms())


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--students", type=int, default=Size.students)
    parser.add_argument("--assignments", type=int, default=Size.assignments)
    parser.add_argument("--sqlite", action="store_true")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    size = Size(students=options.students, assignments=options.assignments)
    with tempfile.TemporaryDirectory(prefix="benchwright-pages-") as name, database(sqlite=options.sqlite) as url:
        service = Service(Path(name) / "service", url, workers=0)
        start = time.monotonic()
        course = make_large_course(service, size, browsers=VISITS)
        print(f"The course was made in {time.monotonic() - start:.0f} s.", file=sys.stderr)
        with running_service(service):
            measure(service, course, options.words)


def measure(service: Service, course: LargeCourse, words: list[str]) -> None:
    """Opens all pages and prints what they cost."""
    assert service.process is not None
    meter = Meter(psutil.Process(service.process.pid), (service.database or "").partition("host=")[2])
    watchman = Watchman(service.url)
    print("| who | page | answer | processor, ms: first | median | of it the database | kB | others wait, ms | |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    watching_ms = cost_of_watching(meter, watchman)
    over = 0
    for role in ROLES:
        clients = [
            httpx2.Client(base_url=service.url, cookies={cookie_name(is_https=False): cookie}, timeout=300)
            for cookie in course.cookies[role.value]
        ]
        for template, address in paths(course):
            if words and not any(word in template for word in words):
                continue
            if role is Role.PARTICIPANT and "/notices" in template:
                continue
            if not address:
                if role is Role.OWNER:
                    print(f"| {role.value} | {template} | not opened: the course has none | | | | | | |")
                continue
            costs = [visit(client, meter, watchman, watching_ms, address) for client in clients]
            if costs[0].status == 404 and role is not Role.OWNER:
                continue
            over += print_row(role, template, costs)
        for client in clients:
            client.close()
    watchman.end()
    print(f"\nProcesses that the service has started took {meter.seconds_of_others():.1f} s.")
    print(f"\n{over} over the bar of {MOST_MS:g} ms (a student's {MOST_OWN_MS:g} ms) and {MOST_KB:g} kB.")


def print_row(role: Role, template: str, costs: list[Cost]) -> bool:
    """Prints the row of a page; True if it is over the bar."""
    usual = costs[1:]
    median = statistics.median(cost.processor_ms for cost in usual)
    most_ms = MOST_OWN_MS if role is Role.PARTICIPANT else MOST_MS
    is_file = template.endswith(FILES)
    kilobytes = max(cost.kilobytes for cost in costs)
    is_over = not is_file and (median > most_ms or kilobytes > MOST_KB)
    cells = [
        role.value,
        template,
        str(costs[0].status),
        f"{costs[0].processor_ms:.0f}",
        f"{median:.0f}",
        f"{statistics.median(cost.database_ms for cost in usual):.0f}",
        f"{kilobytes:.0f}",
        f"{max(cost.others_wait_ms for cost in costs):.0f}",
        "**over**" if is_over else "file" if is_file else "",
    ]
    print(f"| {' | '.join(cells)} |", flush=True)
    return is_over


if __name__ == "__main__":
    main()
