"""Time and memory of a report over a large log.

    .venv/bin/python tests/benchmarks/report.py [--attempts N] [--events N] [--check] [--keep DIR]

Generates a log of N attempts (10,000) with N events in all (5,000,000): edits with their reasons, completions, saves,
runs, focus, ticks, of 300 participants under two conditions and of a model. Then makes the whole report with
`benchwright report`, tables of events and all, in a process of its own. The log is made without its hash chains, and
they are not checked, as is the default for so many events; with --check they are both. Prints one JSON value. Exit
status: 1 if a limit is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select

from benchwright_attempts.log.database import engine_for_writing, open_database
from benchwright_attempts.log.record import SCHEMA, AttemptHeader, canonical_json, format_wall, record_hash
from benchwright_attempts.log.tables import ATTEMPTS, EVENTS
from benchwright_attempts.summary.kept_summary import summary_from_events, write_summaries

SECONDS, BYTES = 60, 2 * 1024**3
_WORK = (
    ("edit", 46),
    ("edit_reason", 30),
    ("tick", 8),
    ("save", 4),
    ("diagnostics", 5),
    ("focus", 3),
    ("run_finished", 1),
    ("assist_accepted", 3),
)
_ZERO = "0" * 64
_DIFFERENT = 200
"""Attempts whose events differ; others repeat them, as drawing takes longer than reading."""


def main() -> int:
    """Measure, print, and tell whether the limits were kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=10_000)
    parser.add_argument("--events", type=int, default=5_000_000)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--keep", type=Path, help="Where the log stays, or is.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = options.keep or Path(scratch)
        log = home / "data" / "attempts" / "log.sqlite"
        if not log.exists():
            generate(log, options.attempts, options.events, chained=options.check)
        result = measure(home, Path(scratch) / "out", check=options.check)
    result |= {"attempts": options.attempts, "events": options.events}
    print(json.dumps(result))
    return 0 if result["seconds"] <= SECONDS and result["most_memory_bytes"] <= BYTES else 1


def measure(home: Path, report_folder: Path, *, check: bool) -> dict[str, float]:
    """Make the report, and watch the memory of all its processes together."""
    check_option = "--check" if check else "--no-check"
    command = [
        str(Path(sys.executable).with_name("benchwright")),
        "report",
        check_option,
        "--out",
        str(report_folder),
        "--json",
    ]
    start_s = time.perf_counter()
    process = subprocess.Popen(command, env={**os.environ, "BENCHWRIGHT_HOME": str(home)}, stdout=subprocess.PIPE)
    peak_bytes = 0

    def watch() -> None:
        nonlocal peak_bytes
        while process.poll() is None:
            peak_bytes = max(peak_bytes, _memory(process.pid))
            # Reading it costs the watched processes: their page tables are walked.
            time.sleep(0.5)

    watcher = threading.Thread(target=watch)
    watcher.start()
    output, _ = process.communicate()
    watcher.join()
    elapsed = time.perf_counter() - start_s
    if process.returncode:
        raise SystemExit(f"benchwright report ended with {process.returncode}")
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "seconds": round(elapsed, 1),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "most_memory_bytes": peak_bytes,
        "counted": json.loads(output)["counted"],
        "page_bytes": (report_folder / "report.html").stat().st_size,
    }


def _memory(root_pid: int) -> int:
    """Memory of a process and those it started: what is shared counts once (Pss)."""
    family, total = [root_pid], 0
    for pid in family:
        try:
            family += [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) * 1024
        except OSError:
            continue
    return total


def generate(path: Path, attempts: int, events: int, *, chained: bool = False) -> None:
    """Writes the log straight into its tables: what is measured is the reading."""
    chance = random.Random(1)
    engine = open_database(path, busy_timeout_s=10)
    event_kinds = [kind for kind, weight in _WORK for _ in range(weight)]
    columns = [column.name for column in EVENTS.columns]
    statement = f"INSERT INTO events ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
    start_time = datetime(2026, 1, 5, 9, tzinfo=UTC)
    with engine_for_writing(engine).begin() as connection:
        event_variants = [
            _events(start_time, events // attempts, event_kinds, chance) for _ in range(min(attempts, _DIFFERENT))
        ]
        variants = [[tuple(row[name] for name in columns[1:]) for row in rows] for rows in event_variants]
        for number in range(attempts):
            header = _header(number, start_time + timedelta(minutes=number), chance)
            connection.execute(insert(ATTEMPTS), header.as_row())
            rows = variants[number % len(variants)]
            if chained:
                rows = _chained(header, event_variants[number % len(event_variants)], columns[1:])
            connection.exec_driver_sql(statement, [(header.id, *row) for row in rows])
        for attempt in connection.execute(select(ATTEMPTS.c.id)).scalars().all():
            write_summaries(connection, {attempt: summary_from_events(connection, attempt)})
    engine.dispose()


def _chained(header: AttemptHeader, rows: list[dict[str, Any]], columns: list[str]) -> list[tuple[object, ...]]:
    head, chained_rows = header.chain_start_hash(), []
    for row in rows:
        values = row | {"prev_hash": head}
        hashed_fields = row["seq"], row["wall"], row["mono_ns"], row["process"], row["body"], head, row["schema"]
        head = record_hash(header.id, *hashed_fields, header.solver, header.condition)
        chained_rows.append(tuple((values | {"hash": head})[name] for name in columns))
    return chained_rows


def _header(number: int, created: datetime, chance: random.Random) -> AttemptHeader:
    is_model = number % 5 == 0
    condition = "model" if is_model else chance.choice(("human", "human+copilot"))
    return AttemptHeader(
        id=f"{number:032x}",
        problem=chance.choice(
            ("starter/sync-fifo", "starter/round-robin-arbiter", "starter/uart-parity", "other/gone")
        ),
        problem_digest=_ZERO,
        workspace="/w",
        solver="simulated/model" if is_model else f"P{chance.randrange(300):03}",
        condition=condition,
        created=created,
    )


def _events(start_time: datetime, count: int, event_kinds: list[str], chance: random.Random) -> list[dict[str, Any]]:
    text = "module m;\nendmodule\n"
    opened_event: dict[str, object] = {
        "type": "opened",
        "files": {"rtl/a.sv": {"sha256": _ZERO, "text": text, "bom": False}},
    }
    bodies: list[tuple[dict[str, object], str]] = [(opened_event, "open"), ({"type": "started"}, "running")]
    length, version, reason = len(text), 1, ""
    for index in range(count - 3):
        kind = chance.choice(event_kinds)
        body: dict[str, object] = {"type": kind}
        if kind == "edit":
            version += 1
            inserted_text = chance.choice(("a", "b", ";", "\n", "assign q = d;\n"))
            start = chance.randrange(length + 1)
            text_change = {"start": start, "end": start, "text": inserted_text}
            body |= {"path": "rtl/a.sv", "version": version, "changes": [text_change]}
            length += len(inserted_text)
        elif kind == "edit_reason":
            reason = chance.choice(("cursor", "cursor", "cursor", "inlineCompletionAccept"))
            metadata = {"kind": "type"} if reason == "cursor" else {}
            body |= {"path": "rtl/a.sv", "version": version, "reason": reason, "metadata": metadata}
            body["method"] = "change_reason"
        elif kind == "save":
            body |= {"path": "rtl/a.sv", "sha256": _ZERO, "size": length}
        elif kind == "diagnostics":
            body |= {"path": "rtl/a.sv", "counts": {"slang": {"errors": 1, "warnings": 2}}}
        elif kind == "focus":
            body |= {"focused": chance.random() < 0.5}
        elif kind == "assist_accepted":
            body |= {"assist": "a", "provider": "github.copilot", "path": "rtl/a.sv", "version": version, "length": 1}
            body["partial"] = False
        elif kind == "run_finished":
            has_passed = chance.random() < 0.15
            body |= {"run": f"r{index}", "number": index + 1, "outcome": "passed" if has_passed else "failed"}
            body |= {"reason": "passed" if has_passed else "tests_failed", "message": "", "passed": 3, "total": 5}
            body |= {"wall_s": 1.5, "digests": {"toolchain": _ZERO, "sandbox": "bwrap"}}
        bodies.append((body, "running"))
    end_type = chance.choice(("submitted", "submitted", "abandoned"))
    bodies.append(({"type": end_type} | ({"reason": None} if end_type == "abandoned" else {}), end_type))
    mono, event_rows = 0, []
    for seq, (body, state) in enumerate(bodies, start=1):
        mono += round(chance.expovariate(1 / 4) * 1e9)
        event_rows.append(
            {
                "seq": seq,
                "wall": format_wall(start_time + timedelta(microseconds=mono // 1000)),
                "mono_ns": mono,
                "process": "one",
                "body": canonical_json(body),
                "prev_hash": _ZERO,
                "hash": _ZERO,
                "state": state,
                "schema": SCHEMA,
            }
        )
    return event_rows


if __name__ == "__main__":
    sys.exit(main())
