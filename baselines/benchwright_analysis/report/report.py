"""`benchwright report`: from the event log to a folder with everything."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.page import report_page
from benchwright_analysis.report.questions.selections import read_selection_by_attempt
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.exclusions import exclusion_count_by_words, with_exclusions_marked
from benchwright_analysis.report.rows.exports import (
    copy_eval_logs,
    move_and_join_event_files,
    write_attempts_and_codebook,
    write_cvdp_folders,
    write_figure_tables,
)
from benchwright_analysis.report.rows.model_facts import ModelFacts
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.rows.problem_facts import ProblemFacts, facts_by_problem_ref
from benchwright_analysis.report.rows.reading import LogJob, count_events, fold_attempts_and_write_events
from benchwright_analysis.report.rows.study_context import (
    read_participant_facts,
    registered_study_of,
    remarks_on_result,
    study_deviations,
)
from benchwright_analysis.report.section import Section, counted, json_value
from benchwright_analysis.report.sections.preregistration import with_role_and_population_note
from benchwright_analysis.report.sections.registration import (
    CountedAllocation,
    read_allocation,
    registration_with_deviations,
)
from benchwright_analysis.report.sections.registry import SECTIONS
from benchwright_analysis.statistics.failures import Embedding, Namer
from benchwright_analysis.statistics.horizon import Weights
from benchwright_attempts.attribution import CLASSIFIER
from benchwright_attempts.errors import AttemptError
from benchwright_attempts.grading.second_opinions import SecondOpinions
from benchwright_attempts.log.record import AttemptHeader
from benchwright_formal.second_opinion import SecondOpinion
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.distribution import version
from benchwright_judges.agreement.rated import RatedAnswer
from benchwright_problems.storage.store import Store
from benchwright_problems.verdict import Outcome
from benchwright_studies.conduct.closing import sealed_attempts_if_closed
from benchwright_studies.conduct.studies import RegisteredStudy
from benchwright_subjects.evaluation.kept_evals import eval_logs_covering

if TYPE_CHECKING:
    from benchwright_studies.conduct.study_log import StudyLog

FORMAT = 1
"""Version of `report.json`."""
CHECKED_UP_TO = 1_000_000
"""Hash chains of more events are checked only when asked for: it takes longer than the report."""
_MACHINES = ("model", "agent")
STEPS = len(SECTIONS) + 4
"""Number of the steps that `write_report` shows."""


@dataclass(frozen=True)
class ReportOptions:
    """Subject of a report, and where to write it."""

    folder: Path
    study: str = ""
    """Id; empty for attempts outside studies."""
    attempts: Sequence[str] = ()
    """Only these, by the beginnings of their ids."""
    excluded_attempt_id_prefixes: Sequence[str] = ()
    """Not these."""
    models: bool = True
    """True if models' attempts at the same problems, outside studies, are compared with a study's people."""
    events: bool = True
    """True if tables of events are written."""
    check: bool | None = None
    """True if hash chains are checked; `None` leaves it to the number of events."""
    logs: Sequence[Path] = ()
    """Inspect's logs, or folders of them, to copy beside the report."""
    kept_eval_logs_folder: Path | None = None
    """Folder of the logs that were kept; those of the report's attempts are put beside."""
    second_opinions: SecondOpinions | None = None
    """Second opinions that were kept."""
    model_facts: Sequence[ModelFacts] = ()
    """Facts about models that runs do not know."""
    is_problem_kept: Mapping[str, bool] = field(default_factory=dict)
    """Problem → whether a filter kept it; empty without a filter."""
    embed: Embedding | None = None
    """Turns failures into vectors."""
    name_failures: Namer | None = None
    """Names kinds of failure, if given."""
    seed: int = 1
    weights: str = "attempts"
    """Weights of attempts in models' horizons: a value of `Weights`."""
    simulated: bool = False


@dataclass(frozen=True)
class WrittenReportFiles:
    """Files that were written."""

    page: Path
    attempts: int
    counted_attempts: int
    events: int
    left_out: Mapping[str, int]
    """Why attempts do not count → how many."""


class NothingToReportError(AttemptError):
    """No attempt is what was asked for."""


def write_report(
    log: StudyLog,
    store: Store,
    options: ReportOptions,
    rated_answers: Sequence[RatedAnswer] = (),
    show_step: Callable[[str], object] = lambda step: None,
) -> WrittenReportFiles:
    """Makes the whole report.

    Args:
        log: The event log.
        store: Store with what is public of problems.
        options: Subject of the report, and where to write it.
        rated_answers: Answers that people and judges rated.
        show_step: Gets the name of each step as it begins.

    Raises:
        NothingToReportError: No such attempts exist.
        LogDamagedError: An attempt is not as it was written; the message names it.
        StudyError: No such study exists.
        OSError: The folder can't be written.
    """
    registered_study = registered_study_of(log, options.study) if options.study else None
    headers = _selected_headers(log, options)
    options.folder.mkdir(parents=True, exist_ok=True)
    problem_facts = dict(facts_by_problem_ref(store, {header.problem for header in headers}))
    total = count_events(log.path)
    is_chain_checked = options.check if options.check is not None else total <= CHECKED_UP_TO
    show_step(f"{counted(len(headers), 'attempt')} of a log with {counted(total, 'event')}")
    with tempfile.TemporaryDirectory(dir=options.folder, prefix=".events-") as scratch:
        events_file = Path(scratch) / "events.parquet" if options.events else None
        job = LogJob(
            log.path,
            headers,
            problem_facts,
            _idle_threshold_s_by_study(registered_study),
            events_file,
            is_chain_checked,
        )
        folded, event_files = fold_attempts_and_write_events(job, expected_event_count=total)
        if options.events:
            move_and_join_event_files(options.folder, event_files)
    data = _build_dataset(
        log, registered_study, folded, problem_facts, options, rated_answers, is_chain_checked=is_chain_checked
    )
    show_step("answers to questions")
    data = replace(data, selections=read_selection_by_attempt(log, store, data.observations))
    del folded
    made_at = datetime.fromisoformat(data.made_at)
    show_step("tables and files of other programs")
    write_attempts_and_codebook(options.folder, data.observations)
    cvdp = write_cvdp_folders(options.folder / "cvdp", data, made_at)
    kept_logs = (
        eval_logs_covering(options.kept_eval_logs_folder, (header.id for header in headers))
        if options.kept_eval_logs_folder is not None
        else ()
    )
    logs = copy_eval_logs(options.folder / "inspect", [*options.logs, *kept_logs])
    sections = _make_sections(data, show_step)
    show_step("the page")
    write_figure_tables(options.folder, sections)
    content = _report_json(data, sections, options, cvdp, logs)
    write_atomically(
        options.folder / "report.json",
        (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode(),
        durable=False,
    )
    title = registered_study.study.title if registered_study is not None else "Attempts outside studies"
    subtitle = f"Benchwright report of {data.made_at[:16].replace('T', ' ')} UTC" + (
        f", study {options.study}" if options.study else ""
    )
    file = options.folder / "report.html"
    write_atomically(file, report_page(title, subtitle, sections, data.sources).encode(), durable=False)
    return WrittenReportFiles(
        file, len(data.observations), len(data.counted_attempts), total, exclusion_count_by_words(data.observations)
    )


def read_study_dataset(log: StudyLog, store: Store, study: str) -> Dataset:
    """Attempts of a study, and of models at its problems, without their events.

    Raises:
        NothingToReportError: The study has no attempts.
        LogDamagedError: An attempt is not as it was written; the message names it.
        StudyError: No such study exists.
    """
    registered_study = registered_study_of(log, study)
    options = ReportOptions(Path(), study=study)
    headers = _selected_headers(log, options)
    problem_facts = dict(facts_by_problem_ref(store, {header.problem for header in headers}))
    job = LogJob(log.path, headers, problem_facts, _idle_threshold_s_by_study(registered_study))
    folded, _ = fold_attempts_and_write_events(job, expected_event_count=count_events(log.path))
    return _build_dataset(log, registered_study, folded, problem_facts, options, (), is_chain_checked=True)


def _make_sections(data: Dataset, show_step: Callable[[str], object]) -> list[Section]:
    sections: list[Section] = []
    for make in SECTIONS:
        show_step(make.__name__.removesuffix("_section").replace("_", " "))
        section = make(data)
        if section is not None:
            sections.append(with_role_and_population_note(section, data))
    return sections


def _selected_headers(log: StudyLog, options: ReportOptions) -> list[AttemptHeader]:
    """The attempts, oldest first."""
    all_headers = log.headers()[::-1]
    if options.attempts:
        chosen_headers = [header for header in all_headers if header.id.startswith(tuple(options.attempts))]
    elif options.study:
        study_headers = [header for header in all_headers if header.study == options.study]
        problems = {header.problem for header in study_headers}
        model_headers = [
            header
            for header in all_headers
            if options.models and not header.study and header.condition in _MACHINES and header.problem in problems
        ]
        chosen_headers = [*study_headers, *model_headers]
    else:
        chosen_headers = [header for header in all_headers if not header.study]
    chosen_headers = [
        header
        for header in chosen_headers
        if not (
            options.excluded_attempt_id_prefixes and header.id.startswith(tuple(options.excluded_attempt_id_prefixes))
        )
    ]
    if not chosen_headers:
        raise NothingToReportError(_empty_report_advice(options.study, log.journal.studies()))
    return chosen_headers


def _empty_report_advice(study: str, studies: Sequence[str]) -> str:
    """Advice if there is nothing to report on."""
    if study:
        advice = (
            f"`benchwright study status {study}` shows the progress of its participants." if study in studies else ""
        )
        return f"There are no attempts of the study {study} to report on. {advice}"
    if studies:
        advice = f"Give --study with one of: {', '.join(studies)}."
    else:
        advice = "`benchwright report --demo --out DIR` shows what a report looks like."
    return f"There are no attempts outside studies to report on. {advice}"


def _idle_threshold_s_by_study(registered_study: RegisteredStudy | None) -> dict[str, float]:
    return (
        {registered_study.study.study: registered_study.study.idle_minutes * 60} if registered_study is not None else {}
    )


def _build_dataset(
    log: StudyLog,
    registered_study: RegisteredStudy | None,
    folded_attempts: Sequence[FoldedAttempt],
    problem_facts: Mapping[str, ProblemFacts],
    options: ReportOptions,
    rated_answers: Sequence[RatedAnswer],
    *,
    is_chain_checked: bool,
) -> Dataset:
    rows = [folded_attempt.observation for folded_attempt in folded_attempts]
    if registered_study is not None:
        rows = [_with_planned_labels(observation, registered_study) for observation in rows]
        rows = with_exclusions_marked(
            rows,
            registered_study.study,
            read_participant_facts(log, registered_study, rows),
            sealed_attempts_if_closed(registered_study),
        )
    else:
        rows = with_exclusions_marked(rows, None, None)
    undecided = Counter(
        observation.reason
        for observation in rows
        if observation.is_analysed and observation.censored_by == "not_decided"
    )
    allocation = (
        read_allocation(log, registered_study) if registered_study is not None else CountedAllocation({}, {}, ())
    )
    return Dataset(
        folded=[
            replace(folded_attempt, observation=row) for row, folded_attempt in zip(rows, folded_attempts, strict=True)
        ],
        problem_facts=problem_facts,
        study=registered_study.study if registered_study is not None else None,
        rated=rated_answers,
        second_opinion_by_attempt=_valid_opinions_on_passed(rows, options.second_opinions)
        if options.second_opinions is not None
        else {},
        model_facts=options.model_facts,
        is_problem_kept=options.is_problem_kept,
        embed=options.embed,
        name_failures=options.name_failures,
        deviations=[*study_deviations(log, registered_study, rows), *allocation.deviations]
        if registered_study is not None
        else (),
        drawn_task_count_by_condition=allocation.task_count_by_condition,
        drawn=allocation.allocated_tasks,
        participant_count_by_plan_kind=allocation.participant_count_by_plan_kind,
        baseline=registered_study.study.analysis.baseline
        if registered_study is not None and registered_study.study.analysis is not None
        else "",
        registration=registration_with_deviations(
            registered_study, rows, manual_choices=_manual_choice_options(options)
        )
        if registered_study is not None
        else None,
        remarks=remarks_on_result(rows, undecided),
        closing_digest=registered_study.closed.digest
        if registered_study is not None and registered_study.closed is not None
        else "",
        is_chain_checked=is_chain_checked,
        seed=options.seed,
        weights=Weights(options.weights),
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        simulated=options.simulated,
        sources=_report_sources(registered_study, options),
    )


def _valid_opinions_on_passed(
    observations: Sequence[Observation], second_opinions: SecondOpinions
) -> dict[str, SecondOpinion]:
    passed_rows = [row for row in observations if row.outcome == Outcome.PASSED.value]
    opinions_by_attempt = {
        row.attempt: second_opinions.opinion_if_problem_unchanged(row.attempt, row.problem) for row in passed_rows
    }
    return {attempt: opinion for attempt, opinion in opinions_by_attempt.items() if opinion is not None}


def _manual_choice_options(options: ReportOptions) -> list[str]:
    return [
        f"--{name} {' '.join(ids)}"
        for name, ids in (("attempts", options.attempts), ("without", options.excluded_attempt_id_prefixes))
        if ids
    ]


def _with_planned_labels(observation: Observation, registered_study: RegisteredStudy) -> Observation:
    """Difficulty as the plan blocked by, the cluster, and a study's model attempts under their condition's name."""
    changes: dict[str, str] = {}
    if observation.study and (cluster := registered_study.study.cluster_by_participant.get(observation.participant)):
        changes["cluster"] = cluster
    task = next((task for task in registered_study.study.problems if task.problem == observation.problem), None)
    if task is not None and task.difficulty is not None:
        changes["difficulty"] = task.difficulty.value
    if observation.study and not observation.is_person and observation.condition == observation.solver:
        name = next(
            (
                c.name
                for c in registered_study.study.conditions
                if c.solver == observation.solver and c.model in (observation.participant, observation.model)
            ),
            None,
        )
        if name is not None:
            changes["condition"] = name
    return observation.model_copy(update=changes) if changes else observation


def _report_sources(registered_study: RegisteredStudy | None, options: ReportOptions) -> dict[str, str]:
    sources = {
        "Benchwright": version(),
        "classifier of edits": CLASSIFIER,
        "seed of the intervals": str(options.seed),
    }
    if registered_study is not None:
        sources |= {
            "study file": f"SHA-256 {registered_study.sha256}",
            "plan": f"SHA-256 {registered_study.plan.sha256}",
        }
    return sources | {name: metadata.version(name) for name in ("scipy", "statsmodels", "scikit-learn", "altair")}


def _report_json(
    data: Dataset,
    sections: Sequence[Section],
    options: ReportOptions,
    written_cvdp_folders: Sequence[str],
    written_inspect_logs: Sequence[str],
) -> dict[str, JsonValue]:
    """Content of `report.json`."""
    return {
        "format": FORMAT,
        "made": data.made_at,
        "study": options.study or None,
        "simulated": data.simulated,
        "headline": next((section.headline for section in sections if section.headline), ""),
        "seed": options.seed,
        "sources": dict(data.sources),
        "groups": list(data.groups),
        "files": {
            "cvdp": [f"cvdp/{name}" for name in written_cvdp_folders],
            "inspect": [f"inspect/{name}" for name in written_inspect_logs],
        },
        "sections": {
            section.id: {
                "title": section.title,
                "role": section.role or None,
                "says": list(section.lead),
                "without": section.empty_reason or None,
                "numbers": json_value(section.numbers),
                "tables": [
                    {"title": table.title, "columns": list(table.columns), "rows": [list(row) for row in table.rows]}
                    for table in section.all_tables
                ],
                "pictures": [
                    {"id": picture.id, "title": picture.title, "alt": picture.alt} for picture in section.pictures
                ],
            }
            for section in sections
            if section.is_in_json
        },
    }
