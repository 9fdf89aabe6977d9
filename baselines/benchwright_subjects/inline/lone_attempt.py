"""An inline-completion server alone at a problem, as an attempt: the engine, the clock and the log of everybody."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from benchwright_attempts.errors import EvaluationError
from benchwright_attempts.events.events import AssistAsked
from benchwright_attempts.events.evidence import AssistAccepted, AssistShown, ModelUsage
from benchwright_attempts.grading.grading import GradingOutcome
from benchwright_attempts.grading.regrading import regrade_if_undecided
from benchwright_attempts.summary.summary import AttemptVerdict
from benchwright_attempts.terms import Terms
from benchwright_problems.problem import Problem
from benchwright_studies.plan.model_condition import ModelCondition
from benchwright_studies.plan.subject import InitialText as StartOf
from benchwright_studies.plan.subject import InlineWork, RunningSubject
from benchwright_subjects.evaluation.provider_failure import ProviderError
from benchwright_subjects.evaluation.services import EvaluationServices, run_without_leaking_frames
from benchwright_subjects.inline.failure import SubjectError
from benchwright_subjects.inline.policies import RefusalConsequence
from benchwright_subjects.inline.record import SHOWN, OfferOutcome
from benchwright_subjects.inline.run import visible_files
from benchwright_subjects.inline.server.served_model import open_model_service
from benchwright_subjects.inline.server.session import ServerName, open_connection
from benchwright_subjects.inline.site_run import InlineSubject, PlayRules, play_site
from benchwright_subjects.inline.sites import Site, SiteKind
from benchwright_subjects.inline.text.document import DocumentVersion
from benchwright_subjects.inline.text.start_text import StartText, start_texts
from benchwright_subjects.inline.witness import TextOrigin, Witness, WitnessedRequest
from benchwright_subjects.inline.workplace import remove_abandoned_workplaces, temporary_workplace
from benchwright_subjects.sample_attempt import SampleAttempt
from benchwright_subjects.sample_attempt import SolvingSubject as Solver
from benchwright_verilog.syntax.surrogates import encode_text

FAILED = "subject_failed: "
"""Reason for giving up an attempt whose server failed, before the name of the failure."""


@dataclass(frozen=True)
class RegisteredServer:
    """A server that a study's condition names, as it was found."""

    study_condition: ModelCondition
    subject: InlineSubject
    configuration: str
    """SHA-256 over what it is started with."""
    name: ServerName

    @property
    def title(self) -> str:
        """The study's name for it."""
        registered = self.study_condition.condition.subject
        return registered.name if registered is not None else self.name.name

    @property
    def rules(self) -> InlineWork:
        """As the study file has them.

        Raises:
            EvaluationError: No server works alone under the condition.
        """
        registered = self.study_condition.condition.subject
        if registered is None or registered.inline is None:
            raise EvaluationError(f"No inline-completion server works under {self.study_condition.condition.name}.")
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


async def require_registered_server(
    study_condition: ModelCondition, subject: InlineSubject, configuration_sha256: str
) -> RegisteredServer:
    """Start a server once and compare it with what the study registers.

    Raises:
        StudyFileError: The server is another one, another version, or set up in another way.
        SubjectError: The server does not start.
    """
    remove_abandoned_workplaces(subject.workplaces_folder)
    with temporary_workplace(subject.workplaces_folder, {}, subject.launch.profile) as work_folders:
        async with (
            open_model_service(subject.served_model, Witness().on_model_used) as service,
            open_connection(subject.launch_with(service), subject.dialect, work_folders, subject.environ) as (_, name),
        ):
            registered = study_condition.condition.subject
            server_name = registered.name if registered is not None else name.name
            study_condition.refuse_other_subject(
                RunningSubject(name=server_name, version=name.version, configuration=configuration_sha256)
            )
    return RegisteredServer(study_condition, subject, configuration_sha256, name)


async def let_server_attempt_problems(
    services: EvaluationServices,
    registered_server: RegisteredServer,
    refs_and_sample_numbers: Sequence[tuple[str, int]],
    report_progress: Callable[[int, int], None],
) -> list[AttemptVerdict | None]:
    """Have a server work on problems, one after the other; attempts that have ended are not played again.

    Args:
        services: Opened.
        registered_server: The server that works.
        refs_and_sample_numbers: PACK/ID and the sample's number, from 1.
        report_progress: Called with how many have ended, and how many there are.

    Returns:
        The verdict of each. Those at which the provider of the server's model failed have none, and are played again.

    Raises:
        SubjectError: The server would fail at every problem.
    """
    attempt_verdicts = []
    for done_count, (ref, number) in enumerate(refs_and_sample_numbers):
        report_progress(done_count, len(refs_and_sample_numbers))
        attempt_verdicts.append(await _let_server_attempt_problem(services, registered_server, ref, number))
    report_progress(len(refs_and_sample_numbers), len(refs_and_sample_numbers))
    return attempt_verdicts


async def _let_server_attempt_problem(
    services: EvaluationServices, registered_server: RegisteredServer, ref: str, sample_number: int
) -> AttemptVerdict | None:
    study_condition = registered_server.study_condition
    problem = services.store.problem(ref)
    is_cut = registered_server.rules.start is StartOf.EMPTY_BODY
    texts = start_texts(ref, services.store.unseal(ref) if is_cut else problem, registered_server.rules.start)
    assigned = study_condition.assigned_terms(ref, sample_number)
    solver = Solver(
        study_condition.solver,
        study_condition.solver,
        Terms(assigned.condition, assigned),
        study_condition.attempt_id(ref, sample_number),
        study_condition.condition.knowledge_cutoff or "",
        program_facts=registered_server.facts,
        start_files={start_text.path: encode_text(start_text.text) for start_text in texts},
    )
    sample = await SampleAttempt.begin_or_continue(services, "", ref, problem, sample_number, solver)
    if sample.earlier_verdict is not None or sample.attempt.ended:
        await run_without_leaking_frames(ref, regrade_if_undecided(services, sample.header.id))
        return (await sample.attempt.writer.summary()).verdict
    try:
        failure = await _fill_places_until_failure(
            registered_server,
            _subject_with_sample_seed(registered_server.subject, sample_number),
            sample,
            problem,
            texts,
        )
        await run_without_leaking_frames(ref, _end_attempt(sample, failure))
    except ProviderError:
        # It is played again the next time.
        return None
    finally:
        await sample.attempt.suspend(sample.provider_failure or "the run was interrupted")
    return (await sample.attempt.writer.summary()).verdict


async def _end_attempt(sample: SampleAttempt, server_failure: SubjectError | None) -> GradingOutcome | None:
    if sample.out_of_time_s is not None:
        return await sample.attempt.time_out("time_limit", sample.out_of_time_s)
    if server_failure is None:
        return await sample.attempt.submit()
    grading_outcome = await sample.attempt.run_until_verdict_is_current()
    end = "" if server_failure.end is None else f" ({server_failure.end.sentence.rstrip('.')})"
    await sample.attempt.abandon(f"{FAILED}{server_failure.failure.value}{end}")
    return grading_outcome


def _subject_with_sample_seed(subject: InlineSubject, sample_number: int) -> InlineSubject:
    """The server at the sample of this number, whose model gets another seed than at the others."""
    if subject.served_model is None or subject.served_model.seed is None:
        return subject
    return replace(
        subject, served_model=replace(subject.served_model, seed=subject.served_model.seed + sample_number - 1)
    )


async def _fill_places_until_failure(
    registered_server: RegisteredServer,
    subject: InlineSubject,
    sample: SampleAttempt,
    problem: Problem,
    start_texts_of_files: Sequence[StartText],
) -> SubjectError | None:
    """Fill the places of each file. Returns how the server failed; None if it behaved, or its time was over.

    Raises:
        ProviderError: The provider of the server's model failed.
    """
    rules = PlayRules(
        RefusalConsequence.ALONE,
        timeout_s=registered_server.rules.timeout_s,
        most_asks=registered_server.rules.most_asks,
    )
    present = visible_files(problem, has_statement=True) | {
        start_text.path: start_text.text for start_text in start_texts_of_files
    }
    failure: SubjectError | None = None
    async with sample.solving_within_time_limit():
        for cut_file in start_texts_of_files:
            witness = _LogRecorder(sample, cut_file.path, registered_server.title)
            for site in _sites_in_turn(sample.header.problem, cut_file, present):
                other_files = {path: content for path, content in present.items() if path != cut_file.path}
                played_site = await play_site(
                    site, other_files, subject, registered_server.rules.policy, rules, witness
                )
                if played_site.provider_error is not None:
                    raise played_site.provider_error
                present[cut_file.path] = played_site.document.text
                if played_site.failure is not None:
                    failure = played_site.failure
                    break
            if failure is not None:
                break
    return failure


def _sites_in_turn(ref: str, cut_file: StartText, present_text_by_path: Mapping[str, str]) -> Iterator[Site]:
    """The places of a file, each with what was written at those before it.

    Args:
        ref: PACK/ID.
        cut_file: The file.
        present_text_by_path: Its content, by path, once a place was played.
    """
    finished_text = ""
    for fragment_index, expected_text in enumerate(cut_file.expected_texts):
        text_before, text_after = (
            finished_text + cut_file.fragments[fragment_index],
            "".join(cut_file.fragments[fragment_index + 1 :]),
        )
        name = f"{ref}/{cut_file.path}#{SiteKind.EMPTY_BODY}-{fragment_index + 1}"
        yield Site(name, ref, cut_file.path, SiteKind.EMPTY_BODY, text_before, text_after, expected_text)
        whole_text = present_text_by_path[cut_file.path]
        if not whole_text.endswith(text_after):
            # An offer took away what follows, so nobody can say where the next place is.
            return
        finished_text = whole_text.removesuffix(text_after)


class _LogRecorder(Witness):
    """Writes into the attempt's log.

    Args:
        sample: The attempt.
        path: The file that is written.
        provider_name: Name of the one who offers.
    """

    def __init__(self, sample: SampleAttempt, path: str, provider_name: str) -> None:
        self._sample = sample
        self._path = path
        self._provider = provider_name
        self._shown_count = 0

    async def on_request_ended(self, witness_request: WitnessedRequest) -> None:
        """Records the request, and what was shown."""
        decision = witness_request.step.decision
        is_shown = decision in SHOWN
        outcome = "shown" if is_shown else "timed_out" if decision is OfferOutcome.TIMED_OUT else "nothing"
        await self._sample.record_event(
            AssistAsked(
                provider=self._provider,
                path=self._path,
                version=self._sample.file_version(self._path),
                outcome=outcome,
                latency_ms=None if witness_request.latency_ms is None else round(witness_request.latency_ms, 3),
            )
        )
        if not is_shown:
            return
        self._shown_count += 1
        await self._sample.record_event(
            AssistShown(
                assist=self._proposal_id,
                provider=self._provider,
                path=self._path,
                version=self._sample.file_version(self._path),
                offset=witness_request.document.cursor,
                length=len(witness_request.step.offer),
                text=witness_request.step.offer,
                trigger="invoked",
            )
        )

    async def on_text_changed(
        self, old_document: DocumentVersion, new_document: DocumentVersion, hand: TextOrigin
    ) -> None:
        """Records the edit, and the acceptance that it is."""
        is_offer = hand is not TextOrigin.DRIVER
        reason = _REASONS[hand]
        metadata: dict[str, JsonValue] = {"extensionId": self._provider} if is_offer else {"kind": "type"}
        content = encode_text(new_document.text)
        await self._sample.record_program_edit(self._path, content, self._provider, reason=reason, metadata=metadata)
        if is_offer:
            await self._sample.record_event(
                AssistAccepted(
                    assist=self._proposal_id,
                    provider=self._provider,
                    path=self._path,
                    version=self._sample.file_version(self._path),
                    length=max(0, new_document.cursor - old_document.cursor),
                    partial=hand is TextOrigin.PARTLY_ACCEPTED,
                )
            )

    async def on_model_used(self, usage: ModelUsage) -> None:
        """Records what the model used."""
        await self._sample.record_usage(usage)

    @property
    def _proposal_id(self) -> str:
        return f"{self._path}:{self._shown_count}"


_REASONS = {
    TextOrigin.ACCEPTED: "inlineCompletionAccept",
    TextOrigin.PARTLY_ACCEPTED: "inlineCompletionPartialAccept",
    TextOrigin.DRIVER: "cursor",
}
