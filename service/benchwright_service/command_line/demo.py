"""A course with invented students, who work at a running service: to see what its pages show.

Everything goes the way of a real course: they join by an invitation, their events are countersigned, and their files
run in the sandbox. Only their typing is invented, and the hours that it takes.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.clock.hand_clock import ManualClock
from benchwright_attempts.events.events import Edit, Event, RunStarted, Started, Submitted
from benchwright_attempts.events.evidence import EditReason
from benchwright_attempts.events.file_text import Change, FileText
from benchwright_attempts.log.log import EventLog
from benchwright_foundation.home import Home
from benchwright_harness.execution.run import reference_solution_files, starting_solution_files
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.reveal import Reveal
from benchwright_problems.storage.store import Store
from benchwright_remote.messages import MOST_EVENTS, AssignmentView, Role, RunState
from benchwright_remote.service_client import ServiceClient, new_run_id
from benchwright_service.bench import Administration

COURSE = "demo"
PACK = "starter"
_SHEETS = {
    "First sheet": ("saturating-counter", "load-use-stalls", "cache-tag-bits", "amdahl"),
    "Second sheet": ("sync-fifo", "vipt-synonyms", "memory-bandwidth"),
}
_DIFFICULTY = {"saturating-counter": -1.0, "sync-fifo": 0.5, "vipt-synonyms": 1.0, "memory-bandwidth": 0.8}
_NAMES = (
    "Ada Lovelace",
    "Alan Turing",
    "Barbara Liskov",
    "Claude Shannon",
    "Donald Knuth",
    "Edsger Dijkstra",
    "Frances Allen",
    "Gene Amdahl",
    "Grace Hopper",
    "Hedy Lamarr",
    "John Backus",
    "Katherine Johnson",
    "Konrad Zuse",
    "Lynn Conway",
    "Margaret Hamilton",
    "Maurice Wilkes",
    "Tony Hoare",
    "Radia Perlman",
    "Seymour Cray",
    "Sophie Wilson",
)
_COPIER = "Sophie Wilson"
_ASSISTED = "Grace Hopper"
"""Accepts an assistant's completions now and then."""
_MISTAKES = (("+ 1'b1", "+ 2'd2"), ("&& !", "|| !"), ("<= '0", "<= '1"), ("- 1'b1", "+ 1'b1"))
_WRONG = {"C": "B", "B": "A", "true": "false", "24": "22", "25.6 GB/s": "12.8 GB/s"}
_AT_ONCE = 4
_WAIT_S = 20.0


@dataclass(frozen=True)
class DemoCourse:
    """A course that was set up for its students."""

    staff: str
    """An invitation for whoever looks at the pages."""
    students: str
    """One for all students."""


async def set_up_course(administration: Administration) -> DemoCourse:
    """Makes the course with its assignments."""
    await administration.courses.create(COURSE, "Computer architecture (demo)")
    due = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)
    for days, (title, problems) in enumerate(_SHEETS.items()):
        await administration.courses.make_assignment(
            COURSE, PACK, title=title, problems=problems, due=due + timedelta(days=7 * days), reveal=Reveal.NAMES
        )
    staff = await administration.accounts.make_invitation(COURSE, Role.OWNER, uses=10)
    return DemoCourse(staff, await administration.accounts.make_invitation(COURSE, Role.PARTICIPANT, uses=len(_NAMES)))


async def play_students(service_address: str, demo_course: DemoCourse, home: Home, logs_folder: Path) -> None:
    """Has all students work, some at a time.

    Args:
        service_address: Address of the service.
        demo_course: The course.
        home: Home folders with the service's packs.
        logs_folder: Folder for the students' logs.

    Raises:
        ServiceError: The service refuses, or does not answer.
    """
    store = Store(home)
    copied: dict[str, str] = {}
    request_slots = asyncio.Semaphore(_AT_ONCE)

    async def attend(number: int, name: str) -> None:
        async with request_slots:
            await _DemoStudent(number, name, service_address, store, logs_folder / f"{number}.sqlite", copied).attend(
                demo_course.students
            )

    async with asyncio.TaskGroup() as group:
        for number, name in enumerate(_NAMES):
            group.create_task(attend(number, name))


class _DemoStudent:
    def __init__(
        self,
        student_index: int,
        name: str,
        service_address: str,
        store: Store,
        log_file: Path,
        solution_to_copy_by_problem: dict[str, str],
    ) -> None:
        self._name = name
        self._url = service_address
        self._store = store
        self._file = log_file
        self._copied = solution_to_copy_by_problem
        self._random = np.random.default_rng(student_index)
        self._ability = self._random.normal(0.8, 1.2)
        start_time = datetime.now(UTC) - timedelta(days=2, hours=self._random.uniform(0, 20))
        self._clock = ManualClock(wall=start_time)

    async def attend(self, invitation_code: str) -> None:
        async with ServiceClient(self._url) as anonymous_client:
            token = (await anonymous_client.join(invitation_code, self._name)).token
        log = await asyncio.to_thread(
            EventLog, self._file, wall_clock=self._clock.now, monotonic_ns=self._clock.monotonic_ns
        )
        with contextlib.closing(log):
            async with ServiceClient(self._url, token) as client:
                for sheet in await client.assignments():
                    # Not everybody has come to the second sheet.
                    if sheet.title in _SHEETS and (sheet.title == "First sheet" or self._random.random() < 0.5):
                        for problem in sheet.problems:
                            await self._work_on_problem(client, log, sheet, problem)

    async def _work_on_problem(
        self, client: ServiceClient, log: EventLog, sheet: AssignmentView, problem_id: str
    ) -> None:
        problem = await asyncio.to_thread(self._store.unseal, f"{PACK}/{problem_id}")
        is_design = problem.kind is ProblemKind.DESIGN
        path = problem.public.expected[0] if is_design else "answer.md"
        starting_text = starting_solution_files(problem)[path].decode() if is_design else ""
        wrong_solution, right_solution = self._wrong_and_right_solution(problem, path)
        chance = 1 / (1 + math.exp(_DIFFICULTY.get(problem_id, -0.5) - self._ability))
        tries = [right_solution] if self._random.random() < chance else [wrong_solution]
        if tries[0] != right_solution and is_design and self._random.random() < 0.6:
            tries.append(right_solution)
        if self._name == _COPIER and problem_id in self._copied:
            tries = [f"// my own solution\n{self._copied[problem_id]}"]
        elif tries == [wrong_solution] and is_design:
            self._copied.setdefault(problem_id, wrong_solution)
        ref, texts = f"{PACK}/{problem_id}", {path: FileText.of_text(starting_text)}
        attempt = (await asyncio.to_thread(Attempts(log).create, ref, problem.public_digest, Path("/demo"), texts)).id
        await log.append(attempt, Started())
        old_text = starting_text
        for number, text in enumerate(tries, 1):
            for event in self._typing_events(path, old_text, text, number, at_once=self._name == _COPIER):
                await log.append(attempt, event)
            old_text = text
            self._clock.pass_s(self._random.exponential(20))
            run = new_run_id()
            snapshot = {path: FileText.of_text(text).sha256}
            await log.append(attempt, RunStarted(run=run, number=number, snapshot=snapshot))
            await self._deliver_new_events(client, log, sheet, attempt)
            run_view = await client.request_run(run, attempt, number, {path: text.encode()})
            while run_view.state not in (RunState.DONE, RunState.CANCELLED):
                run_view = await client.wait_for_run(run_view.id, run_view.revision, _WAIT_S)
        await log.append(attempt, Submitted())
        await self._deliver_new_events(client, log, sheet, attempt)

    def _wrong_and_right_solution(self, problem: Problem, path: str) -> tuple[str, str]:
        if problem.kind is not ProblemKind.DESIGN:
            key = problem.hidden.answer.value if problem.hidden.answer is not None else ""
            return _WRONG.get(str(key), "0"), str(key)
        right_text = reference_solution_files(problem)[path].decode()
        possible = [mistake for mistake in _MISTAKES if mistake[0] in right_text]
        old_words, new_words = possible[self._random.integers(len(possible))]
        return right_text.replace(old_words, new_words, 1), right_text

    def _typing_events(
        self, path: str, old_text: str, new_text: str, try_number: int, *, at_once: bool
    ) -> Iterator[Event]:
        """Events that turn one text into the other: all behind what they have in common, in pieces as people type."""
        common_length = next(
            (index for index, (a, b) in enumerate(zip(old_text, new_text, strict=False)) if a != b), None
        )
        start = min(len(old_text), len(new_text)) if common_length is None else common_length
        version = try_number * 1_000
        size = len(new_text) if at_once else 24
        for offset in range(start, len(new_text), size):
            self._clock.pass_s(self._random.exponential(9))
            version += 1
            change = Change(
                start=offset, end=len(old_text) if offset == start else offset, text=new_text[offset : offset + size]
            )
            edit_metadata = {"kind": "paste" if at_once else "type"}
            is_accepted = self._name == _ASSISTED and version % 3 == 0
            reason = "inlineCompletionAccept" if is_accepted else "cursor"
            yield Edit(path=path, version=version, changes=(change,))
            yield EditReason(path=path, version=version, reason=reason, metadata=edit_metadata)

    async def _deliver_new_events(
        self, client: ServiceClient, log: EventLog, sheet: AssignmentView, attempt: str
    ) -> None:
        await log.wait_until_settled()
        header = await asyncio.to_thread(log.header, attempt)
        receipt = await client.deliver_events_or_ask_position(header, sheet.id, ())
        last_event = receipt.anchor.events if receipt.anchor is not None else 0
        while rows := await asyncio.to_thread(log.rows, attempt, after_seq=last_event, limit=MOST_EVENTS):
            await client.deliver_events_or_ask_position(header, sheet.id, rows)
            last_event += len(rows)
