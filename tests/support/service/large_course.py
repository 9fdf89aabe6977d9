"""A large course with its students' work, written straight into a service's database: seconds instead of weeks."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import random
import secrets
import sqlite3
import uuid
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import Table

from benchwright_attempts.events.events import Edit, Event, Opened, Started
from benchwright_attempts.events.file_text import Change, FileText
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.log.record import (
    SCHEMA,
    AttemptHeader,
    Moment,
    canonical_json,
    format_wall,
    record_hash,
)
from benchwright_attempts.log.tables import ATTEMPTS, EVENTS, SUMMARIES
from benchwright_attempts.summary.kept_summary import VERSION, summary_to_json
from benchwright_attempts.summary.summary import SummaryFold
from benchwright_foundation.access_token import hash_secret
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import reference_solution_files
from benchwright_problems.assistance import AllowedHelp, Assistance
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Digests, Outcome, Reason, TestResult, Verdict
from benchwright_remote.messages import AssignmentView, Role
from benchwright_service.bench import open_administration
from benchwright_service.points.kept_worth import recompute_worth
from benchwright_service.points.worth import CoursePart
from benchwright_service.storage.tables import (
    ACCOUNTS,
    ADJUSTMENTS,
    APPEALS,
    ASSIGNMENTS,
    ASSISTANCE_CHECKS,
    ATTEMPTS_HELD,
    AUDIT,
    EXTENSION_HISTORY,
    EXTENSIONS,
    HINTS,
    MEMBERS,
    REGRADED,
    REGRADES,
    RUNS,
    SESSIONS,
)
from benchwright_teaching.assistance_check import AssistanceChecked

from .bench_service import Service

PACK = "starter"
_SECTIONS = ("A", "B", "C", "D")
_TEXTS = 400
"""Different solutions of each design."""
_GIVEN = ("Ada", "Grace", "Edsger", "Barbara", "Donald", "Frances", "Alan", "Lynn", "John", "Radia")
_FAMILY = ("Lovelace", "Hopper", "Dijkstra", "Liskov", "Knuth", "Allen", "Turing", "Conway", "Hennessy", "Perlman")


@dataclass(frozen=True)
class LargeCourse:
    """A course that is in a service's database."""

    name: str
    assignments: Sequence[AssignmentView]
    students: Sequence[str]
    """Accounts."""
    cookies: Mapping[str, Sequence[str]]
    """Sessions of browsers, by role; each is another account."""
    attempt: tuple[str, str, str, str]
    """Assignment, problem, account and id of one of the attempts."""
    regrade: str


@dataclass(frozen=True)
class Size:
    """The numbers of a course."""

    students: int = 1_000
    assignments: int = 30
    problems: int = 2
    """Of each assignment."""
    runs: int = 3
    """Of each student at each problem."""


def make_large_course(service: Service, size: Size = Size(), browsers: int = 12, seed: int = 1) -> LargeCourse:
    """Makes a course; students have worked on all of it, some late, some in groups, some with more time.

    Args:
        service: Does not run.
        size: Numbers of the course.
        browsers: Number of accounts of each role that are signed in.
        seed: Makes the course.
    """
    return _Maker(service, size, random.Random(seed)).make(browsers)


class _Maker:
    def __init__(self, service: Service, size: Size, chance: random.Random) -> None:
        self._service = service
        self._size = size
        self._chance = chance
        self._store = Store(Home.from_environment({"BENCHWRIGHT_HOME": "/nonexistent"}))
        self._now = datetime.now(UTC).timestamp()
        self._rows: dict[str, list[dict[str, Any]]] = {}

    def make(self, browsers: int) -> LargeCourse:
        name = f"large-{uuid.uuid4().hex[:8]}"
        assignments = asyncio.run(self._make_assignments(name))
        students = self._add_people(name, self._size.students)
        cookies = {
            role.value: self._add_browsers([(name, role)] * browsers) for role in (Role.OWNER, Role.STAFF, Role.GRADER)
        }
        cookies[Role.PARTICIPANT.value] = [self._add_session(account) for account in students[:browsers]]
        digests = self._keep_contents()
        for assignment in assignments:
            for problem in assignment.problems:
                self._add_work(assignment, self._problems[problem], students, digests)
        self._add_decisions(assignments, students)
        regrade = self._add_regrade(assignments[0])
        self._add_audit(name, students)
        self._write()
        asyncio.run(self._keep_worth(name, assignments))
        attempt = self._rows[ATTEMPTS_HELD.name][0]
        return LargeCourse(
            name,
            assignments,
            students,
            cookies,
            (attempt["assignment"], assignments[0].problems[0], attempt["account"], attempt["attempt"]),
            regrade,
        )

    def _add(self, table: Table, **column_names: Any) -> None:
        self._rows.setdefault(table.name, []).append(column_names)

    async def _make_assignments(self, name: str) -> Sequence[AssignmentView]:
        ids = [problem.id for problem in self._store.public_pack(PACK).problems]
        # Designs first: they have runs with hidden tests.
        self._problems = {problem: self._store.unseal(f"{PACK}/{problem}") for problem in ids}
        async with open_administration(self._service.folders, self._service.database) as parts:
            await parts.courses.create(name, "Computer architecture")
            for number in range(self._size.assignments):
                chosen = [ids[(self._size.problems * number + rank) % len(ids)] for rank in range(self._size.problems)]
                due = datetime.fromtimestamp(self._now, UTC) - timedelta(days=self._size.assignments - number)
                await parts.courses.make_assignment(
                    name,
                    PACK,
                    title=f"Week {number + 1}",
                    problems=chosen,
                    due=due,
                    closes=due + timedelta(days=60),
                    assistance=Assistance(allowed=AllowedHelp.NONE) if number % 3 == 0 else None,
                )
            views = await parts.courses.all_assignments(name)
            async with parts.database.write_transaction() as connection:
                for number, view in enumerate(views):
                    grading_values = {
                        "points": 10,
                        "partial": number % 2,
                        "late_percent": 10,
                        "by_group": int(number % 5 == 4),
                    }
                    counting = "last" if number % 7 == 3 else "best"
                    grading_update = ASSIGNMENTS.update().where(ASSIGNMENTS.c.id == view.id)
                    await connection.execute(grading_update.values(grading_values | {"counting": counting}))
            return views

    def _add_people(self, name: str, number: int) -> Sequence[str]:
        accounts = []
        for index in range(number):
            person = f"{self._chance.choice(_GIVEN)} {self._chance.choice(_FAMILY)} {index}"
            account = self._add_account(person)
            team = f"Team {index // 3}" if index < number // 5 else ""
            self._add_member(name, account, Role.PARTICIPANT, _SECTIONS[index % len(_SECTIONS)], team)
            accounts.append(account)
        return accounts

    def _add_account(self, person: str) -> str:
        account = uuid.UUID(int=self._chance.getrandbits(128)).hex
        self._add(ACCOUNTS, id=account, name=person, created=self._now, disabled=None)
        return account

    def _add_member(self, course: str, account: str, role: Role, section: str = "", team: str = "") -> None:
        self._add(MEMBERS, course=course, account=account, role=role.value, section=section, team=team)

    def _add_browsers(self, seats: Sequence[tuple[str, Role]]) -> list[str]:
        cookies: list[str] = []
        for course, role in seats:
            account = self._add_account(f"Dr. {role.value} {len(cookies)}")
            self._add_member(course, account, role)
            cookies.append(self._add_session(account))
        return cookies

    def _add_session(self, account: str) -> str:
        cookie = secrets.token_urlsafe(32)
        self._add(
            SESSIONS, digest=hash_secret(cookie), account=account, created=self._now, expires=self._now + 1_000_000
        )
        return cookie

    def _keep_contents(self) -> dict[str, Sequence[str]]:
        """Contents of runs, on disk; by problem, the digests."""
        folder = self._service.folders.data / "service" / "snapshots"
        digests: dict[str, Sequence[str]] = {}
        for problem in self._problems.values():
            if problem.kind is ProblemKind.QUESTION:
                texts = [f"{letter}\n" for letter in "ABCD"]
            else:
                solution = reference_solution_files(problem)[problem.public.expected[0]].decode()
                texts = [
                    f"{solution}{_extra_module(self._chance, number)}"
                    for number in range(min(_TEXTS, self._size.students))
                ]
            digests[problem.id] = [_keep_content(folder, text.encode()) for text in texts]
        return digests

    def _add_work(
        self, assignment: AssignmentView, problem: Problem, students: Sequence[str], digests: dict[str, Sequence[str]]
    ) -> None:
        assert assignment.due is not None
        path = _answered_path(problem)
        ref = f"{PACK}/{problem.id}"
        verdicts = _verdicts(problem)
        for rank, account in enumerate(students):
            begun = assignment.due.timestamp() - self._chance.uniform(-2 * 86_400, 6 * 86_400)
            attempt = uuid.UUID(int=self._chance.getrandbits(128)).hex
            self._add(
                ATTEMPTS_HELD,
                attempt=attempt,
                account=account,
                assignment=assignment.id,
                problem=ref,
                created=begun,
                clock_difference_s=self._chance.uniform(-1, 1),
            )
            self._add_log(attempt, ref, problem.public_digest, path, begun)
            skill = (rank % 97) / 97
            for number in range(1, self._size.runs + 1):
                is_passed = self._chance.random() < skill * number / self._size.runs
                verdict, share = verdicts[0] if is_passed else self._chance.choice(verdicts[1:])
                queued = begun + 60 * number
                self._add(
                    RUNS,
                    id=uuid.UUID(int=self._chance.getrandbits(128)).hex,
                    attempt=attempt,
                    account=account,
                    number=number,
                    files=json.dumps({path: digests[problem.id][(rank + number) % len(digests[problem.id])]}),
                    state="done",
                    why="",
                    queued=queued,
                    began=queued + 1,
                    ended=queued + 2,
                    worker="",
                    lease="",
                    lease_until=None,
                    tries=1,
                    scored=int(problem.kind is ProblemKind.QUESTION),
                    verdict=verdict,
                    outcome=(Outcome.PASSED if share == 1 else Outcome.FAILED).value,
                    share=share,
                    regrade="",
                )
            if assignment.assistance is not None:
                checked = AssistanceChecked(is_reported=rank % 50 > 0).model_dump_json()
                column_values = {"runs": self._size.runs, "rules": 1, "found": checked}
                self._add(ASSISTANCE_CHECKS, attempt=attempt, **column_values)
            if self._chance.random() < 0.02:
                self._add(HINTS, attempt=attempt, number=1, cost=0.25, at=begun + 90)

    def _add_log(self, attempt: str, ref: str, digest: str, path: str, begun: float) -> None:
        created = datetime.fromtimestamp(begun, UTC)
        header = AttemptHeader(
            id=attempt,
            problem=ref,
            problem_digest=digest,
            workspace="/work",
            solver="human",
            condition="human",
            created=created,
        )
        self._add(ATTEMPTS, **header.as_row())
        head, summarizing = header.chain_start_hash(), SummaryFold()
        for seq, (event, body, state) in enumerate(_events(path), 1):
            moment = Moment(created + timedelta(seconds=10 * seq), 10_000_000_000 * seq, "editor")
            place_values = (attempt, seq, format_wall(moment.wall), moment.mono_ns, moment.process, body, head)
            names = ("attempt", "seq", "wall", "mono_ns", "process", "body", "prev_hash")
            head = record_hash(*place_values, SCHEMA, header.solver, header.condition)
            self._add(EVENTS, **dict(zip(names, place_values, strict=True)), hash=head, state=state, schema=SCHEMA)
            summarizing.take_event(seq, head, moment, event.type, event)
        summary = summarizing.summary()
        self._add(SUMMARIES, attempt=attempt, seq=summary.seq, version=VERSION, body=summary_to_json(summary))

    def _add_decisions(self, assignments: Sequence[AssignmentView], students: Sequence[str]) -> None:
        """Extensions, adjustments and appeals."""
        for number, account in enumerate(students):
            view = assignments[number % len(assignments)]
            facts = {"assignment": view.id, "account": account}
            assert view.due is not None
            if number % 5 == 0:
                times = {"due": view.due.timestamp() + 3 * 86_400, "closes": None, "reason": "ill"}
                self._add(EXTENSIONS, **facts, **times)
                self._add(EXTENSION_HISTORY, **facts, **times, by="staff", at=self._now)
            if number % 7 == 0:
                points = self._chance.choice((-1.5, 2.0))
                self._add(ADJUSTMENTS, **facts, points=points, reason="by hand", by="staff", at=self._now)
            if number % 2 == 0:
                state = "open" if number % 4 else "denied"
                answered = None if state == "open" else self._now
                decision_values = {"state": state, "answer": "", "by": "", "answered": answered}
                self._add(APPEALS, **facts, text="It passes on my machine.", at=self._now, **decision_values)

    def _add_regrade(self, assignment: AssignmentView) -> str:
        """A regrade of a whole problem, complete and neither accepted nor dropped."""
        regrade, problem = uuid.UUID(int=self._chance.getrandbits(128)).hex, assignment.problems[0]
        facts = {"state": "begun", "harness": "h", "by": "staff", "created": self._now, "ended": None}
        self._add(REGRADES, id=regrade, assignment=assignment.id, problem=problem, **facts)
        passed, _ = _verdicts(self._problems[problem])[0]
        attempt_values = {
            row["attempt"]
            for row in self._rows[ATTEMPTS_HELD.name]
            if row["assignment"] == assignment.id and row["problem"] == f"{PACK}/{problem}"
        }
        for run_values in self._rows[RUNS.name]:
            if run_values["attempt"] in attempt_values:
                old = {
                    "old_verdict": run_values["verdict"],
                    "old_outcome": run_values["outcome"],
                    "old_share": run_values["share"],
                }
                keeps = self._chance.random() < 0.5
                new = {f"{key.removeprefix('old_')}": value for key, value in old.items()}
                if not keeps:
                    new = {"verdict": passed, "outcome": Outcome.PASSED.value, "share": 1.0}
                self._add(REGRADED, regrade=regrade, run=run_values["id"], **old, **new)
        return regrade

    def _add_audit(self, name: str, students: Sequence[str]) -> None:
        for number in range(5 * len(students)):
            account = self._chance.choice(students)
            column_values = {"at": self._now + number, "account": "staff", "course": name}
            self._add(AUDIT, **column_values, action="saw work", object=f"{account} {PACK}/sync-fifo")

    async def _keep_worth(self, name: str, assignments: Sequence[AssignmentView]) -> None:
        """As the service does with every run."""
        async with open_administration(self._service.folders, self._service.database) as parts:
            for assignment in assignments:
                async with parts.database.write_transaction() as connection:
                    await recompute_worth(connection, CoursePart(name, [assignment.id]))

    def _write(self) -> None:
        log_tables = [ATTEMPTS, EVENTS, SUMMARIES]
        service_tables = [
            *(ACCOUNTS, MEMBERS, SESSIONS, ATTEMPTS_HELD, RUNS, HINTS, EXTENSIONS, EXTENSION_HISTORY),
            *(ADJUSTMENTS, APPEALS, REGRADES, REGRADED, AUDIT, ASSISTANCE_CHECKS),
        ]
        folder = self._service.folders.data / "service"
        log_location = self._service.database or folder / "attempts.sqlite"
        EventLog(log_location).close()
        for location, tables in (
            (log_location, log_tables),
            (self._service.database or folder / "service.sqlite", service_tables),
        ):
            _insert(location, tables, self._rows)


def _insert(location: Path | str, tables: Sequence[Table], rows_by_table: dict[str, list[dict[str, Any]]]) -> None:
    """Inserts rows; by `COPY` on PostgreSQL."""
    if isinstance(location, Path):
        with contextlib.closing(sqlite3.connect(location)) as file, file:
            for table in tables:
                if rows := rows_by_table.get(table.name):
                    names = ", ".join(f'"{name}"' for name in rows[0])
                    values = ", ".join("?" * len(rows[0]))
                    statement = f"INSERT INTO {table.name} ({names}) VALUES ({values})"
                    file.executemany(statement, [tuple(row.values()) for row in rows])
        return
    with psycopg.connect(location) as connection:
        for table in tables:
            if rows := rows_by_table.get(table.name):
                names = ", ".join(f'"{name}"' for name in rows[0])
                with connection.cursor().copy(f"COPY {table.name} ({names}) FROM STDIN") as copy:
                    for row in rows:
                        copy.write_row(tuple(row.values()))
    with psycopg.connect(location, autocommit=True) as connection:
        # As the server itself does once it has time.
        connection.execute("ANALYZE")


@cache
def _events(path: str) -> Sequence[tuple[Event, str, str]]:
    """Events of an attempt, with their bodies and the states behind them."""
    events: Sequence[Event] = (
        Opened(files={path: FileText.of_text("")}),
        Started(),
        Edit(path=path, version=2, changes=(Change(start=0, end=0, text="// a line\n"),)),
    )
    states = ("open", "running", "running")
    return [(event, canonical_json(event.model_dump()), state) for event, state in zip(events, states, strict=True)]


@cache
def _verdicts_of(problem: str, tests: int, harness: str) -> Sequence[tuple[str, float]]:
    digests = Digests(problem="p" * 64, harness=harness, toolchain="t" * 64, sandbox="s" * 64)
    verdicts = []
    for passed in range(tests, -1, -1):
        results = tuple(
            TestResult(name=f"test_{problem}_{number}", passed=number < passed, message="" if number < passed else "x")
            for number in range(tests)
        )
        reason = Reason.PASSED if passed == tests else Reason.TESTS_FAILED
        verdict = Verdict(reason=reason, detail=f"{passed} of {tests} tests passed.", tests=results, digests=digests)
        verdicts.append((verdict.model_dump_json(), passed / tests))
    return verdicts


def _verdicts(problem: Problem) -> Sequence[tuple[str, float]]:
    """Verdicts with their shares, a pass first."""
    return _verdicts_of(problem.id, 1 if problem.kind is ProblemKind.QUESTION else 8, problem.harness_digest)


def _answered_path(problem: Problem) -> str:
    return "answer.md" if problem.kind is ProblemKind.QUESTION else problem.public.expected[0]


def _keep_content(folder: Path, content: bytes) -> str:
    digest = hashlib.sha256(content).hexdigest()
    file = folder / digest[:2] / digest[2:]
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.write_bytes(zlib.compress(content))
    return digest


def _extra_module(chance: random.Random, number: int) -> str:
    """A module that hardly two solutions share."""
    lines = "".join(
        f"  assign w{index} = {chance.choice(('a & b', 'a | ~b', 'a ^ (b + 1)', '{a, b} >> 2', 'b ? a : 3'))};\n"
        for index in range(12)
    )
    return f"module extra_{number}(input wire a, b);\n{lines}endmodule\n"
