"""Cost of one request to a bench service, in its own processor time.

    .venv/bin/python -m tests.benchmarks.service_requests [STUDENTS] [BATCHES] [--sqlite]

Students hand in batches of events as fast as the service takes them, each waiting for its receipt; then runs are
queued and read with no worker. Processor time is that of the service's process, so that a busy machine changes little.
"""

from __future__ import annotations

import asyncio
import resource
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx2
import psutil

from benchwright_remote.messages import Role
from benchwright_remote.service_client import ServiceClient, new_run_id

from ..support.service.bench_service import Course, Service, running_service
from .service_load import REF, Script, database, percentile, scripts

STUDENTS = 64
BATCHES = 12
RUNS = 5
AT_A_TIME = 16
PAGES = ("progress", "grades", "items")
LOOKS = 5


async def main() -> None:
    """Measures and prints."""
    numbers = [int(word) for word in sys.argv[1:] if not word.startswith("-")]
    students, batches = [*numbers, STUDENTS, BATCHES][0], [*numbers[1:], BATCHES][0]
    with tempfile.TemporaryDirectory(prefix="benchwright-requests-") as name:
        folder = Path(name)
        plan = scripts(folder, students, batches, batches - 1)
        with database(sqlite="--sqlite" in sys.argv) as url:
            service = Service(folder / "service", url, workers=0)
            course = await asyncio.to_thread(service.set_up, uses=students, problems=(REF.partition("/")[2],))
            with running_service(service):
                await measure(service, plan, course)


async def measure(service: Service, plan: list[Script], course: Course) -> None:
    """All kinds of requests."""
    assert service.process is not None
    print(f"Service's process: {service.process.pid}", file=sys.stderr)
    process = psutil.Process(service.process.pid)
    clients: dict[int, ServiceClient] = {}
    print("| request | number | processor time of the service, ms | of the load, ms | median, ms | p95, ms |")
    print("| --- | --- | --- | --- | --- | --- |")

    async def cost(title: str, student_action: Callable[[int], Awaitable[int]], took: list[float]) -> None:
        cpu_before, usage_before = process.cpu_times(), resource.getrusage(resource.RUSAGE_SELF)
        number = sum(await asyncio.gather(*(student_action(student) for student in range(len(plan)))))
        cpu_after, usage_after = process.cpu_times(), resource.getrusage(resource.RUSAGE_SELF)
        spent = cpu_after.user + cpu_after.system - cpu_before.user - cpu_before.system
        load = usage_after.ru_utime + usage_after.ru_stime - usage_before.ru_utime - usage_before.ru_stime
        cost_cells = f"{1000 * spent / number:.2f} | {1000 * load / number:.2f}"
        print(f"| {title} | {number:,} | {cost_cells} | {percentile(took, 0.5):.0f} | {percentile(took, 0.95):.0f} |")

    took: list[float] = []

    async def join(student: int) -> int:
        async with request_slots, ServiceClient(service.url) as visitor:
            began = time.monotonic()
            token = (await visitor.join(course.invitation, f"Student {student}")).token
            took.append(time.monotonic() - began)
            clients[student] = ServiceClient(service.url, token)
        return 1

    request_slots = asyncio.Semaphore(AT_A_TIME)
    await cost("join", join, took)
    took = []
    sheet = (await clients[0].assignments())[0]

    async def hand_in(student: int) -> int:
        for rows in plan[student].batches:
            began = time.monotonic()
            await clients[student].deliver_events_or_ask_position(plan[student].header, sheet.id, rows)
            took.append(time.monotonic() - began)
        return len(plan[student].batches)

    await cost("events", hand_in, took)
    took = []
    runs = {}

    async def run(student: int) -> int:
        for number in range(1, RUNS + 1):
            began = time.monotonic()
            runs[student] = new_run_id()
            text = f"// {student} {number}\nmodule x; endmodule\n".encode()
            await clients[student].request_run(
                runs[student], plan[student].header.id, number, {"rtl/sat_counter.sv": text}
            )
            took.append(time.monotonic() - began)
        return RUNS

    await cost("run queued", run, took)
    took = []

    async def read(student: int) -> int:
        for _ in range(2 * RUNS):
            began = time.monotonic()
            await clients[student].wait_for_run(runs[student], -1, 0)
            took.append(time.monotonic() - began)
        return 2 * RUNS

    await cost("run read", read, took)
    owner_code = await asyncio.to_thread(service.invitation, course.name, Role.OWNER)
    async with httpx2.AsyncClient(
        base_url=service.url, headers={"Origin": service.url}, timeout=60, trust_env=False
    ) as teacher:
        await teacher.post("/sign-in", data={"code": owner_code, "name": "Professor"})
        for page in PAGES:
            took, turn = [], asyncio.Semaphore(1)

            async def open_page(
                student: int, page: str = page, took: list[float] = took, turn: asyncio.Semaphore = turn
            ) -> int:
                if student >= LOOKS:
                    return 0
                async with turn:
                    began = time.monotonic()
                    (await teacher.get(f"/courses/{course.name}/{page}")).raise_for_status()
                    took.append(time.monotonic() - began)
                return 1

            await cost(f"page {page}", open_page, took)
    for client in clients.values():
        await client.close()


if __name__ == "__main__":
    asyncio.run(main())
