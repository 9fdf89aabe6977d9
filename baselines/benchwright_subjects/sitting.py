"""One sample of Inspect's as an attempt in the log that people's attempts are in.

The attempt's name follows from Inspect's task, the problem and the epoch. So a sample that is tried again, in the same
run or by `inspect eval-retry`, goes on with its attempt, and one whose attempt has ended is not asked again.
"""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass, field

from benchwright_attempts.attempts import AttemptVerdict, Summary, summarize
from benchwright_attempts.clock import AttemptState
from benchwright_attempts.errors import UnknownAttemptError
from benchwright_attempts.events import (
    Abandoned,
    Answered,
    Event,
    Interrupted,
    JudgedBy,
    Opened,
    Paused,
    Resumed,
    RunCancelled,
    RunFinished,
    RunStarted,
    Save,
    Started,
    Submitted,
    TextCause,
    TextSet,
)
from benchwright_attempts.evidence import Assigned, ClockHeld, ClockReleased, ModelUsage, TimedOut
from benchwright_attempts.file_text import FileText, sha256
from benchwright_attempts.record import AttemptHeader
from benchwright_problems.problem import Kind, Problem, Reveal
from benchwright_problems.verdict import Verdict
from benchwright_studies.study_log import StudyLog
from benchwright_studies.vocabulary import Feedback, Machine

ANSWER = "answer.md"


@dataclass(frozen=True)
class Solver:
    """Who solves."""

    name: str
    """The model, or the agent and its model."""
    condition: str
    """`model` or `agent`; in a study the condition's name."""
    assigned: Assigned | None = None
    """What a study's plan says about the attempt."""
    attempt: str = ""
    """Its id in a study, which does not follow from Inspect's task."""


@dataclass
class Sitting:
    """An attempt while its sample runs."""

    log: StudyLog
    problem: Problem
    header: AttemptHeader
    files: dict[str, bytes]
    """What the solver has written so far, and what was given."""
    summary: Summary
    told: dict[str, ModelUsage] = field(default_factory=dict)
    """What each model is known to have used."""
    handed_in: bool = False
    """Whether the solver says that it is done."""
    runs: int = 0
    """Verdicts since the sample began."""
    over: bool = False
    """Whether the end of the attempt is recorded."""
    assigned: Assigned | None = None
    """What a study's plan says about it."""
    out_of_time_s: float | None = None
    """The study's time limit, once it has passed."""

    @classmethod
    async def begin(cls, log: StudyLog, task: str, ref: str, problem: Problem, epoch: int, solver: Solver) -> Sitting:
        """Begin the attempt of a sample, or go on with it from the starting files.

        Args:
            log: Where it is recorded.
            task: Inspect's name of the task, which retries keep.
            ref: `pack/id`.
            problem: Public part.
            epoch: Which sample of the problem, from 1.
            solver: Who solves.
        """
        name = solver.attempt or sha256(f"{task}\n{ref}\n{epoch}\n{solver.condition}".encode())[:32]
        files = starting(problem)
        try:
            header = await asyncio.to_thread(log.header, name)
        except UnknownAttemptError:
            header = AttemptHeader(
                id=name,
                problem=ref,
                problem_digest=problem.public_digest,
                workspace="",
                solver=solver.name,
                condition=solver.condition,
                created=log.moment().wall,
                study=solver.assigned.study if solver.assigned else "",
            )
            opened = Opened(files={path: FileText.of_bytes(content) for path, content in files.items()})
            await asyncio.to_thread(log.create, header, opened)
            sitting = cls(log, problem, header, files, Summary(), assigned=solver.assigned)
            if solver.assigned is not None:
                await sitting.tell(solver.assigned)
            await sitting.tell(Started())
            return sitting
        events = await asyncio.to_thread(log.events, name)
        sitting = cls(log, problem, header, files, summarize(events), assigned=solver.assigned)
        if not sitting.ended:
            await sitting._go_on()
        return sitting

    @property
    def ended(self) -> bool:
        """Whether the attempt had ended before this sample began."""
        return self.summary.state.ended

    @property
    def earlier(self) -> AttemptVerdict | None:
        """The verdict of an attempt that had ended before."""
        return self.summary.verdict if self.ended else None

    async def tell(self, event: Event) -> None:
        """Record an event; returns when it is on disk."""
        await self.log.append(self.header.id, event)

    async def write(self, path: str, content: bytes, cause: TextCause = TextCause.WRITTEN) -> None:
        """The solver has written a file."""
        if self.files.get(path) == content:
            return
        self.files[path] = content
        await self.tell(TextSet(path=path, cause=cause, file=FileText.of_bytes(content)))
        await self.tell(Save(path=path, sha256=sha256(content), size=len(content)))

    async def remove(self, path: str) -> None:
        """The solver has deleted a file."""
        del self.files[path]
        await self.tell(TextSet(path=path, cause=TextCause.DELETED, file=None))

    async def use(self, usage: ModelUsage) -> None:
        """A model was asked."""
        await self.tell(usage)
        known = self.told.get(usage.model)
        self.told[usage.model] = add(known, usage) if known else usage

    @property
    def wanted(self) -> tuple[str, ...]:
        """The files that count."""
        return self.problem.public.expected if self.problem.kind is Kind.DESIGN else (ANSWER,)

    @property
    def judged_files(self) -> dict[str, bytes]:
        """The files that the verdict is about."""
        return {path: self.files[path] for path in self.wanted if path in self.files}

    @property
    def number(self) -> int:
        """Which try of the attempt the next verdict is."""
        return self.summary.next_number + self.runs

    @property
    def shown(self) -> Reveal | None:
        """What the solver gets to see of a run before the last one; none where a study shows nothing."""
        own = self.problem.reveal
        return own if self.assigned is None else Feedback(self.assigned.feedback).limit(own)

    def runs_before_the_last(self, otherwise: int) -> int | None:
        """How often the solver may have the hidden tests run before it hands in; none for any number.

        Args:
            otherwise: Outside studies.
        """
        if self.problem.kind is not Kind.DESIGN:
            return 0
        if self.assigned is None:
            return otherwise
        return None if self.assigned.runs_allowed is None else max(0, self.assigned.runs_allowed - self.number)

    async def hold(self, machine: Machine) -> None:
        """Stop the clock while a machine works, where a study does not let it run on."""
        if self._stops_for(machine):
            await self.tell(ClockHeld(reason=machine.value))

    async def release(self, machine: Machine) -> None:
        """Let the clock run again."""
        if self._stops_for(machine):
            await self.tell(ClockReleased(reason=machine.value))

    def _stops_for(self, machine: Machine) -> bool:
        if self.assigned is None:
            return machine is Machine.HARNESS
        return machine.value in self.assigned.clock_stops_for

    async def start_run(self) -> str:
        """The hidden tests begin."""
        run = uuid.uuid4().hex
        await self.hold(Machine.HARNESS)
        await self.tell(RunStarted(run=run, number=self.number, snapshot=self._digests()))
        return run

    async def cancel_run(self, run: str, reason: str) -> None:
        """They were stopped."""
        await self.tell(RunCancelled(run=run, number=self.number, reason=reason))
        await self.release(Machine.HARNESS)

    async def finish_run(self, run: str, verdict: Verdict) -> None:
        """They came to a verdict."""
        await self.tell(
            RunFinished(
                run=run,
                number=self.number,
                outcome=verdict.outcome,
                reason=verdict.reason.value,
                message=verdict.detail,
                passed=verdict.passed_tests if verdict.tests else None,
                total=len(verdict.tests) or None,
                wall_s=verdict.wall_s,
                digests=verdict.digests.model_dump(),
            )
        )
        await self.release(Machine.HARNESS)
        self.runs += 1

    async def answered(self, verdict: Verdict, by: JudgedBy) -> None:
        """The answer was judged, or kept to be judged later."""
        await self.tell(
            Answered(
                number=self.number,
                outcome=verdict.outcome,
                reason=verdict.reason.value,
                message=verdict.detail,
                snapshot=self._digests(),
                wall_s=verdict.wall_s,
                digests=verdict.digests.model_dump(),
                judged_by=by,
            )
        )
        self.runs += 1

    async def end(self, limit: str = "", at: float | None = None) -> None:
        """The attempt is over: handed in, or out of a limit such as `time_limit`."""
        await self.tell(TimedOut(reason=limit, limit=at or None) if limit else Submitted())
        self.over = True

    async def give_up(self, reason: str) -> None:
        """The solver gave up."""
        await self.tell(Abandoned(reason=reason))
        self.over = True

    async def interrupt(self, reason: str) -> None:
        """The sample ends without the attempt being over: it goes on when the sample is tried again."""
        if not self.over and not self.ended:
            await self.tell(Paused(reason=reason))

    async def _go_on(self) -> None:
        if self.assigned is not None and self.assigned.type not in self.summary.kinds:
            await self.tell(self.assigned)
        if self.summary.state is AttemptState.RUNNING:
            await self.tell(Interrupted())
        else:
            await self.tell(Started() if self.summary.state is AttemptState.OPEN else Resumed())
        for run in self.summary.snapshots:
            await self.tell(RunCancelled(run=run, number=self.number, reason="interrupted"))
        for path in self.summary.files.keys() - self.files.keys():
            await self.tell(TextSet(path=path, cause=TextCause.DELETED, file=None))
        for path, content in self.files.items():
            if self.summary.files.get(path) != sha256(content):
                await self.tell(TextSet(path=path, cause=TextCause.RESYNC, file=FileText.of_bytes(content)))
                await self.tell(Save(path=path, sha256=sha256(content), size=len(content)))

    def _digests(self) -> dict[str, str]:
        return {path: sha256(content) for path, content in self.judged_files.items()}


def starting(problem: Problem) -> dict[str, bytes]:
    """The files that a solver begins with."""
    files = {path: text.encode() for path, text in problem.public.files.items()}
    return files if problem.kind is Kind.DESIGN else files | {ANSWER: b""}


def add(one: ModelUsage, other: ModelUsage) -> ModelUsage:
    """What two requests to a model used together."""
    numbers = (
        "calls",
        "input_tokens",
        "output_tokens",
        "reasoning_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "total_tokens",
    )
    sums: dict[str, int | float | None] = {name: getattr(one, name) + getattr(other, name) for name in numbers}
    for name in ("cost_usd", "wall_s"):
        known = [value for value in (getattr(one, name), getattr(other, name)) if value is not None]
        sums[name] = sum(known) if known else None
    return one.model_copy(update=sums)
