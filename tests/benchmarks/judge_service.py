"""Deterministic scoring through the judge service, against the same in-process; ratios within one session.

Run as `.venv/bin/python tests/benchmarks/judge_service.py [ANSWERS]`; prints a Markdown table. *Rules alone* is `score`
on problems that are read already, *kept* the same with problem and judgement read from and written to the disk as
`judge` does it, and the rest goes through `benchwright judge serve` on SQLite over loopback: one request after the
other, 32 at a time, and as one batch.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx2

from benchwright_foundation.home import Home
from benchwright_judges.records.recorded_judging import judge_and_record
from benchwright_judges.records.records import Records
from benchwright_judges.score import score_by_rules
from benchwright_problems.storage.store import Store

ANSWERS = 1000
AT_ONCE = 32
REF, ANSWER = "starter/load-use-stalls", "The answer is (C)."
BENCHWRIGHT = str(Path(sys.executable).with_name("benchwright"))

Row = tuple[str, int, float, list[float]]
"""Title, number of answers, seconds in all, seconds of each."""


async def timed(title: str, answer_count: int, at_once: int, action: Callable[[], Awaitable[object]]) -> Row:
    """So many times the same, so many at once."""
    times: list[float] = []
    turn = asyncio.Semaphore(at_once)

    async def run() -> None:
        async with turn:
            action_start_s = time.perf_counter()
            await action()
            times.append(time.perf_counter() - action_start_s)

    start_s = time.perf_counter()
    await asyncio.gather(*(run() for _ in range(answer_count)))
    return title, answer_count, time.perf_counter() - start_s, times


async def in_process(home: Home, answer_count: int) -> list[Row]:
    store = Store(home)
    problem = store.unseal(REF)

    async def rules() -> None:
        score_by_rules(problem, ANSWER)

    records = await Records.open(home.data / "bench.sqlite")

    async def judge_and_keep() -> None:
        await judge_and_record(store.unseal(REF), ANSWER, None, records, problem_ref=REF)

    try:
        return [
            await timed("in-process, rules alone", answer_count, 1, rules),
            await timed("in-process, kept", answer_count, 1, judge_and_keep),
        ]
    finally:
        await records.close()


async def through_the_service(url: str, token: str, answer_count: int) -> list[Row]:
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(base_url=url, headers=headers, timeout=120) as client:

        async def submit() -> None:
            response = await client.post("/v1/submissions", json={"problem": REF, "answer": ANSWER})
            assert response.json()["judgement"]["passed"], response.text

        async def batch() -> None:
            items = [{"problem": REF, "answer": ANSWER}] * min(answer_count, 1000)
            batch_reply = await client.post("/v1/batches", json={"items": items})
            async with client.stream("GET", f"/v1/batches/{batch_reply.json()['id']}/events") as events:
                async for line in events.aiter_lines():
                    if line == "event: finished":
                        return

        await submit()
        single_row = await timed("service, one after the other", answer_count, 1, submit)
        parallel_row = await timed(f"service, {AT_ONCE} at a time", answer_count, AT_ONCE, submit)
        _, _, seconds, _ = await timed("", 1, 1, batch)
        return [single_row, parallel_row, ("service, a batch", min(answer_count, 1000), seconds, [])]


def main() -> None:
    answer_count = int(sys.argv[1]) if len(sys.argv) > 1 else ANSWERS
    with tempfile.TemporaryDirectory() as folder:
        environment = {"BENCHWRIGHT_HOME": folder, "PATH": os.environ["PATH"]}
        home = Home.from_environment(environment)
        home.data.mkdir()
        create = [BENCHWRIGHT, "judge", "token", "create", "bench", "--scope", "submit", "--rate", "100000000"]
        token = subprocess.run(create, env=environment, capture_output=True, text=True, check=True).stdout.strip()
        log = Path(folder, "log")
        with log.open("wb") as stream:
            judge_process = subprocess.Popen(
                [BENCHWRIGHT, "judge", "serve", "--port", "0"], env=environment, stderr=stream
            )
        try:
            while not (match := re.search(r"Listening on (\S+)", log.read_text())):
                time.sleep(0.05)
            timed_rows = [
                *asyncio.run(in_process(home, answer_count)),
                *asyncio.run(through_the_service(match[1], token, answer_count)),
            ]
        finally:
            judge_process.send_signal(signal.SIGTERM)
            judge_process.wait()
    print("| how | answers a second | median ms | 99 % within ms | time per answer, × kept |")
    print("| --- | --- | --- | --- | --- |")
    kept_s = timed_rows[1][2] / timed_rows[1][1]
    for title, count, seconds, times in timed_rows:
        median = f"{1e3 * statistics.median(times):.2f}" if times else ""
        p99 = f"{1e3 * sorted(times)[int(0.99 * len(times))]:.2f}" if times else ""
        print(f"| {title} | {count / seconds:.0f} | {median} | {p99} | {seconds / count / kept_s:.2f} |")


if __name__ == "__main__":
    main()
