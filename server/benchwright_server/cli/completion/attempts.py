"""The recorded attempts that `benchwright completion run` replays, and what they say of the offers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchwright_attempts.events.evidence import Recording
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.log.record import AttemptHeader
from benchwright_foundation.errors import explain_missing_extra
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_server.cli.study.log import opened_event_log, opened_study_log
from benchwright_server.cli.terminal.output import err
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.errors import ServerError
from benchwright_subjects.inline.grading import GradingPlace
from benchwright_subjects.inline.record import Hindsight, SiteRecord
from benchwright_subjects.inline.recorded_pauses import pause_sites
from benchwright_subjects.inline.sites import Site
from benchwright_subjects.inline.text.hindsight import PauseOffer, hindsight_at_pauses, run_tests_on_wrong_offers


@dataclass(frozen=True)
class OfferTestOptions:
    """The wrong offers that the hidden tests run on."""

    grading_place: GradingPlace
    most_tested: int
    seed: int


def recorded_attempt_ids_of_study(study_id: str) -> list[str]:
    """The ids of all attempts of people in a closed study whose text was recorded, oldest first; practice is left out.

    Raises:
        ServerError: The study is going on, or its log has no text of files.
        StudyError: No study has this id.
    """
    with opened_study_log() as log, explain_missing_extra("`benchwright completion run --study`", "baselines"):
        from benchwright_attempts.attempts import Attempts
        from benchwright_studies.conduct.closing import sealed_attempts_if_closed
        from benchwright_studies.conduct.studies import Studies

        registered_study = Studies(log, Attempts(log)).study(study_id)
        sealed = sealed_attempts_if_closed(registered_study)
        if sealed is None:
            raise ServerError(
                f"The study {study_id} is not closed yet. Close it with `benchwright study close {study_id}`."
            )
        conditions = {condition.name for condition in registered_study.study.conditions if condition.solver.is_person}
        tasks = {task.problem for task in registered_study.study.problems}
        person_headers = [
            header
            for header in log.headers()
            if header.id in sealed and header.condition in conditions and header.problem in tasks
        ]
    if not person_headers:
        raise ServerError(f"The study {study_id} has no attempts of people.")
    attempts_with_text = _headers_with_recorded_text(person_headers)
    if not attempts_with_text:
        raise ServerError(
            f"The study {study_id} recorded no text (its level is `{person_headers[0].recording}`), so nobody can know "
            "what a "
            "server would have been asked. Only attempts recorded at the level `full` can be replayed."
        )
    if textless_count := len(person_headers) - len(attempts_with_text):
        err.print(f"{textless_count} of {len(person_headers)} attempts have no text and are left out.", soft_wrap=True)
    return [header.id for header in reversed(attempts_with_text)]


def problem_refs_of_attempts(attempt_id_prefixes: Sequence[str]) -> list[str]:
    """PACK/ID of the problems that some attempts are at."""
    with opened_event_log() as log:
        return sorted({log.header_with_id_prefix(attempt).problem for attempt in attempt_id_prefixes})


def replayed_sites(
    attempt_id_prefixes: Sequence[str] | None, problems_by_ref: Mapping[str, Problem], pause_ms: int
) -> list[Site]:
    """The pauses of recorded attempts.

    Args:
        attempt_id_prefixes: The beginnings of their ids; None for all at the problems.
        problems_by_ref: Problems by PACK/ID.
        pause_ms: Time between two edits from which on it is a pause.

    Raises:
        ServerError: An attempt is at another problem, or has no text.
    """
    designs = {ref for ref, problem in problems_by_ref.items() if problem.kind is ProblemKind.DESIGN}
    with opened_event_log() as log:
        headers = _replayable_headers(log, attempt_id_prefixes, problems_by_ref)
        return [
            site
            for header in headers
            if header.problem in designs
            for site in pause_sites(header.problem, header.id, log.events(header.id), pause_ms)
        ]


def _replayable_headers(
    log: EventLog, attempt_id_prefixes: Sequence[str] | None, problems_by_ref: Mapping[str, Problem]
) -> list[AttemptHeader]:
    if not attempt_id_prefixes:
        return [
            header
            for ref in problems_by_ref
            for header in _headers_with_recorded_text([*reversed(log.headers(problem=ref))])
        ]
    headers = [log.header_with_id_prefix(name) for name in attempt_id_prefixes]
    if foreign_header := next((header for header in headers if header.problem not in problems_by_ref), None):
        raise ServerError(f"The attempt {foreign_header.id} is at {foreign_header.problem}, which this run leaves out.")
    if textless_header := next((header for header in headers if header.recording is not Recording.FULL), None):
        raise ServerError(
            f"The attempt {textless_header.id} was recorded at the level `{textless_header.recording}`, which keeps "
            "no text, so it "
            "can't be replayed."
        )
    return headers


def _headers_with_recorded_text(headers: Sequence[AttemptHeader]) -> list[AttemptHeader]:
    return [header for header in headers if header.recording is Recording.FULL]


def hindsight_on_offers(
    sites: Sequence[Site],
    records: Sequence[SiteRecord],
    problems_by_ref: Mapping[str, Problem],
    pause_ms: int,
    offer_test_options: OfferTestOptions | None,
) -> list[Hindsight]:
    """The hindsight of the attempts on what was offered at their pauses.

    Args:
        sites: All of the run.
        records: Records of the run.
        problems_by_ref: Problems by PACK/ID.
        pause_ms: Time after an edit at which the server was asked.
        offer_test_options: The wrong offers that are tested; None for none.
    """
    records_by_site = {record.site: record for record in records}
    records_by_attempt: dict[str, list[tuple[Site, SiteRecord]]] = {}
    for site in sites:
        if site.pause is not None and site.id in records_by_site:
            records_by_attempt.setdefault(site.pause.attempt, []).append((site, records_by_site[site.id]))
    offers: list[tuple[PauseOffer, Hindsight]] = []
    with opened_event_log() as log:
        for attempt, site_records in records_by_attempt.items():
            header = log.header(attempt)
            public = problems_by_ref[header.problem].public.files
            offers += hindsight_at_pauses(header, log.events(attempt), site_records, pause_ms, public)
    if offer_test_options is None:
        return [lookback for _, lookback in offers]
    with progress(
        "testing wrong offers",
        2 * min(offer_test_options.most_tested, sum(bool(lookback.is_wrong) for _, lookback in offers)),
        "runs",
    ) as meter:
        return asyncio.run(
            run_tests_on_wrong_offers(
                offers,
                problems_by_ref,
                offer_test_options.grading_place,
                offer_test_options.most_tested,
                offer_test_options.seed,
                lambda run_progress: meter.show_counts(
                    run_progress.finished_runs, run_progress.planned_runs, run_progress.known_runs
                ),
            )
        )
