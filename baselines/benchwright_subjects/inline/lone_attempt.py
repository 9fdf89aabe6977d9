"""An inline-completion server alone at a problem, as an attempt: the engine, the clock and the log of everybody."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from benchwright_attempts.errors import EvaluationError
from benchwright_attempts.events.events import AssistAsked
from benchwright_attempts.events.evidence import AssistAccepted, AssistShown, ModelUsage
from benchwright_attempts.grading.grading import GradingOutcome
from benchwright_attempts.grading.regrading import regrade
from benchwright_attempts.summary.summary import AttemptVerdict
from benchwright_attempts.terms import Terms
from benchwright_problems.problem import Problem
from benchwright_studies.plan.model_condition import ModelCondition
from benchwright_studies.plan.subject import Inline, Running
from benchwright_studies.plan.subject import Start as StartOf
from benchwright_subjects.evaluation.services import EvaluationServices, sealed
from benchwright_subjects.inline.failure import SubjectError
from benchwright_subjects.inline.policies import Refusal
from benchwright_subjects.inline.record import SHOWN, Decision
from benchwright_subjects.inline.run import visible_files
from benchwright_subjects.inline.server.served_model import served
from benchwright_subjects.inline.server.session import ServerName, connected
from benchwright_subjects.inline.site_run import Rules, Subject, play
from benchwright_subjects.inline.sites import Site, SiteKind
from benchwright_subjects.inline.text.document import Document
from benchwright_subjects.inline.text.start_text import StartText, start_texts
from benchwright_subjects.inline.witness import Hand, Witness, WitnessedRequest
from benchwright_subjects.inline.workplace import remove_leftovers, workplace
from benchwright_subjects.sample_attempt import SampleAttempt
from benchwright_subjects.sample_attempt import Subject as Solver
from benchwright_verilog.syntax.surrogates import encode_text

FAILED = "subject_failed: "
"""Reason for giving up an attempt whose server failed, before the name of the failure."""


@dataclass(frozen=True)
class LoneServer:
    """A server that a study's condition names, as it was found."""

    part: ModelCondition
    subject: Subject
    configuration: str
    """SHA-256 over what it is started with."""
    name: ServerName

    @property
    def title(self) -> str:
        """The study's name for it."""
        registered = self.part.condition.subject
        return registered.name if registered is not None else self.name.name

    @property
    def rules(self) -> Inline:
        """As the study file has them.

        Raises:
            EvaluationError: No server works alone under the condition.
        """
        registered = self.part.condition.subject
        if registered is None or registered.inline is None:
            raise EvaluationError(f"No inline-completion server works under {self.part.condition.name}.")
        return registered.inline

    @property
    def facts(self) -> dict[str, JsonValue]:
        """Facts about it that an attempt records."""
        return {
            "subject": self.title,
            "subject_kind": "inline-completion",
            "subject_version": self.name.version,
            "subject_says": self.name.name,
            "configuration_sha256": self.configuration,
            "policy": self.rules.policy.value,
            "start": self.rules.start.value,
        }


async def found_server(part: ModelCondition, subject: Subject, configuration: str) -> LoneServer:
    """Start a server once and compare it with what the study registers.

    Raises:
        StudyFileError: The server is another one, another version, or set up in another way.
        SubjectError: The server does not start.
    """
    remove_leftovers(subject.places)
    with workplace(subject.places, {}, subject.launch.profile) as work_folders:
        async with (
            served(subject.model, Witness().note_usage) as service,
            connected(subject.launched(service), subject.dialect, work_folders, subject.environ) as (_, name),
        ):
            registered = part.condition.subject
            server_name = registered.name if registered is not None else name.name
            part.check_subject(Running(name=server_name, version=name.version, configuration=configuration))
    return LoneServer(part, subject, configuration, name)


async def attempt_problems(
    services: EvaluationServices,
    server: LoneServer,
    problems: Sequence[tuple[str, int]],
    on_end: Callable[[int, int], None],
) -> list[AttemptVerdict | None]:
    """Have a server work on problems, one after the other; attempts that have ended are not played again.

    Args:
        services: Opened.
        server: The server that works.
        problems: PACK/ID and the sample's number, from 1.
        on_end: Called with how many have ended, and how many there are.

    Returns:
        The verdict of each.

    Raises:
        SubjectError: The server would fail at every problem.
    """
    verdicts = []
    for done_count, (ref, number) in enumerate(problems):
        on_end(done_count, len(problems))
        verdicts.append(await _attempt(services, server, ref, number))
    on_end(len(problems), len(problems))
    return verdicts


async def _attempt(services: EvaluationServices, server: LoneServer, ref: str, number: int) -> AttemptVerdict | None:
    part = server.part
    problem = services.store.problem(ref)
    is_cut = server.rules.start is StartOf.EMPTY_BODY
    texts = start_texts(ref, services.store.unseal(ref) if is_cut else problem, server.rules.start)
    assigned = part.assigned(ref, number)
    solver = Solver(
        part.solver,
        part.solver,
        Terms(assigned.condition, assigned),
        part.attempt(ref, number),
        part.condition.knowledge_cutoff or "",
        program=server.facts,
        files={start_text.path: encode_text(start_text.text) for start_text in texts},
    )
    sample = await SampleAttempt.begin(services, "", ref, problem, number, solver)
    if sample.earlier is not None or sample.attempt.ended:
        await sealed(ref, regrade(services, sample.header.id))
        return (await sample.attempt.writer.summary()).verdict
    try:
        failure = await _work(server, _of_sample(server.subject, number), sample, problem, texts)
        await sealed(ref, _end(sample, failure))
    finally:
        await sample.attempt.close("the run was interrupted")
    return (await sample.attempt.writer.summary()).verdict


async def _end(sample: SampleAttempt, failure: SubjectError | None) -> GradingOutcome | None:
    if sample.out_of_time_s is not None:
        return await sample.attempt.time_out("time_limit", sample.out_of_time_s)
    if failure is None:
        return await sample.attempt.submit()
    graded = await sample.attempt.settle()
    await sample.attempt.abandon(f"{FAILED}{failure.failure.value}")
    return graded


def _of_sample(subject: Subject, number: int) -> Subject:
    """The server at the sample of this number, whose model gets another seed than at the others."""
    if subject.model is None or subject.model.seed is None:
        return subject
    return replace(subject, model=replace(subject.model, seed=subject.model.seed + number - 1))


async def _work(
    server: LoneServer, subject: Subject, sample: SampleAttempt, problem: Problem, texts: Sequence[StartText]
) -> SubjectError | None:
    """Fill the places of each file. Returns how the server failed; None if it behaved, or its time was over."""
    rules = Rules(Refusal.ALONE, timeout_s=server.rules.timeout_s, most_asks=server.rules.most_asks)
    present = visible_files(problem, statement=True) | {start_text.path: start_text.text for start_text in texts}
    failure: SubjectError | None = None
    async with sample.solving():
        for text in texts:
            witness = _Recorder(sample, text.path, server.title)
            for site in _sites(sample.header.problem, text, present):
                other_files = {path: content for path, content in present.items() if path != text.path}
                played = await play(site, other_files, subject, server.rules.policy, rules, witness)
                present[text.path] = played.document.text
                if played.failure is not None:
                    failure = played.failure
                    break
            if failure is not None:
                break
    return failure


def _sites(ref: str, text: StartText, present: Mapping[str, str]) -> Iterator[Site]:
    """The places of a file, each with what was written at those before it.

    Args:
        ref: PACK/ID.
        text: The file.
        present: Its content, by path, once a place was played.
    """
    finished_text = ""
    for fragment_index, expected in enumerate(text.expected):
        text_before, text_after = (
            finished_text + text.fragments[fragment_index],
            "".join(text.fragments[fragment_index + 1 :]),
        )
        name = f"{ref}/{text.path}#{SiteKind.EMPTY_BODY}-{fragment_index + 1}"
        yield Site(name, ref, text.path, SiteKind.EMPTY_BODY, text_before, text_after, expected)
        whole = present[text.path]
        if not whole.endswith(text_after):
            # An offer took away what follows, so nobody can say where the next place is.
            return
        finished_text = whole.removesuffix(text_after)


class _Recorder(Witness):
    """Writes into the attempt's log.

    Args:
        sample: The attempt.
        path: The file that is written.
        provider: Name of the one who offers.
    """

    def __init__(self, sample: SampleAttempt, path: str, provider: str) -> None:
        self._sample = sample
        self._path = path
        self._provider = provider
        self._shown_count = 0

    async def request(self, request: WitnessedRequest) -> None:
        """Records the request, and what was shown."""
        decision = request.step.decision
        is_shown = decision in SHOWN
        outcome = "shown" if is_shown else "timed_out" if decision is Decision.TIMED_OUT else "nothing"
        await self._sample.record(
            AssistAsked(
                provider=self._provider,
                path=self._path,
                version=self._sample.version(self._path),
                outcome=outcome,
                latency_ms=None if request.latency_ms is None else round(request.latency_ms, 3),
            )
        )
        if not is_shown:
            return
        self._shown_count += 1
        await self._sample.record(
            AssistShown(
                assist=self._assist,
                provider=self._provider,
                path=self._path,
                version=self._sample.version(self._path),
                offset=request.document.cursor,
                length=len(request.step.offer),
                text=request.step.offer,
                trigger="invoked",
            )
        )

    async def changed(self, old_document: Document, new_document: Document, hand: Hand) -> None:
        """Records the edit, and the acceptance that it is."""
        is_offer = hand is not Hand.DRIVER
        reason = _REASONS[hand]
        metadata: dict[str, JsonValue] = {"extensionId": self._provider} if is_offer else {"kind": "type"}
        content = encode_text(new_document.text)
        await self._sample.edit(self._path, content, self._provider, reason=reason, metadata=metadata)
        if is_offer:
            await self._sample.record(
                AssistAccepted(
                    assist=self._assist,
                    provider=self._provider,
                    path=self._path,
                    version=self._sample.version(self._path),
                    length=max(0, new_document.cursor - old_document.cursor),
                    partial=hand is Hand.PARTLY_ACCEPTED,
                )
            )

    async def note_usage(self, usage: ModelUsage) -> None:
        """Records what the model used."""
        await self._sample.record_usage(usage)

    @property
    def _assist(self) -> str:
        return f"{self._path}:{self._shown_count}"


_REASONS = {
    Hand.ACCEPTED: "inlineCompletionAccept",
    Hand.PARTLY_ACCEPTED: "inlineCompletionPartialAccept",
    Hand.DRIVER: "cursor",
}
