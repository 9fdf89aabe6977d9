"""`benchwright judge error-types`."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_attempts.events.events import ErrorsClassified
from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_server.cli.judge.records import opened_records
from benchwright_server.cli.study.log import opened_study_log
from benchwright_server.cli.terminal.options import AnswersAtOnce, Budget, Json
from benchwright_server.cli.terminal.output import console, err, exit_on_expected_error, explain_unwritable, print_json
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    # Inspect and the client library take seconds to import.
    from benchwright_judges.agreement.error_labels import ErrorLabels
    from benchwright_judges.agreement.error_types import ErrorClassification
    from benchwright_judges.models.budget import JudgingBudget
    from benchwright_judges.models.endpoint import ModelEndpoint
    from benchwright_judges.records.records import Records
    from benchwright_studies.conduct.study_log import StudyLog
    from benchwright_subjects.wrong_answers import WrongAnswer, WrongAnswers


@dataclass
class _Classification:
    """The result of a run of the command."""

    pack_answers: WrongAnswers
    classified_answers: list[tuple[WrongAnswer, ErrorClassification]]
    """Those with a usable reply of a judge."""
    failure_counts: Counter[str]
    """Reasons why judges' replies could not be used."""
    unpaid: int


@dataclass(frozen=True)
class _Classifier:
    """Everything that it takes to classify an answer."""

    store: Store
    log: StudyLog
    records: Records
    labels: ErrorLabels
    endpoints: Sequence[ModelEndpoint]
    budget: JudgingBudget
    offline: bool

    async def classify_and_record(self, answer: WrongAnswer) -> ErrorClassification:
        """Asks the judges, and records with the attempt what they say if a reply can be used."""
        from benchwright_judges.agreement.error_types import classify_errors, types_named_by_vote

        problem = await asyncio.to_thread(self.store.unseal, answer.header.problem)
        classified = await classify_errors(
            problem,
            answer.reply,
            self.labels,
            self.endpoints,
            self.records,
            budget=self.budget,
            is_offline=self.offline,
        )
        usable = {vote.judge: types_named_by_vote(vote) for vote in classified.votes if not vote.error}
        if usable:
            event = ErrorsClassified(
                number=answer.number,
                types=classified.types,
                judges=usable,
                rubric=classified.rubric,
                cost_usd=classified.cost_usd,
            )
            await self.log.append(answer.header.id, event)
        return classified


def error_types(
    pack: Annotated[str, typer.Argument(help="The pack whose questions were answered.")],
    solver: Annotated[str, typer.Option(help="Only this model's answers, as `attempts list` names it.")] = "",
    labels_file: Annotated[
        Path | None,
        typer.Option("--labels", metavar="FILE", help="Your own set of labels instead of CS-Bench's types of error."),
    ] = None,
    sheet: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the wrong answers for a person to correct; ask no judge."),
    ] = None,
    corrections: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Record what a person wrote into such a sheet; needs --as.")
    ] = None,
    person: Annotated[str, typer.Option("--as", metavar="NAME", help="Your pseudonym, the same every time.")] = "",
    budget: Budget = None,
    jobs: AnswersAtOnce = 4,
    json_output: Json = False,
) -> None:
    """Have the model judges name the errors that led models to wrong answers, and let a person correct them.

    The labels are CS-Bench's types of error, for choices of runs with `eval --think`, or those of a file, also for
    answers in words. A judge may name several for one answer; those that more than half of the judges name are recorded
    with the attempt, until a person corrects them. Run the command again to go on after an interruption: what was
    classified is not asked about again.

    Exit status: 0 every wrong answer is classified, 1 some are not, 2 there is nothing to classify or no judge.
    """
    with exit_on_expected_error(), explain_missing_extra("`benchwright judge error-types`", "baselines"):
        labels = _read_or_default_labels(labels_file)
        if sheet is not None or corrections is not None:
            _record_corrections_and_write_sheet(
                pack, solver, labels, sheet, corrections, person, json_output=json_output
            )
            return
        classification = asyncio.run(_classify_wrong_answers(pack, solver, labels, budget, jobs))
    counts = Counter(name for _, classified in classification.classified_answers for name in classified.types)
    summary_fields = {
        "labels": labels.name,
        "classified": len(classification.classified_answers),
        "classified_before": len(classification.pack_answers.classified_answers),
        "without_steps": classification.pack_answers.without_steps_count,
        "missing": len(classification.pack_answers.unclassified_answers) - len(classification.classified_answers),
        "types": dict(counts.most_common()),
        "agreed_on_none": sum(not classified.types for _, classified in classification.classified_answers),
        "cost_usd": round(sum(classified.cost_usd for _, classified in classification.classified_answers), 6),
    }
    if json_output:
        print_json(summary_fields)
    else:
        _print_error_types(summary_fields, counts)
    if classification.failure_counts:
        err.print(
            "; ".join(
                f"{count} votes failed: {reason}" for reason, count in classification.failure_counts.most_common(3)
            ),
            markup=False,
        )
    if classification.unpaid:
        err.print(f"The budget is used up: {classification.unpaid} answers are left. Run again with a larger --budget.")
    raise typer.Exit(1 if summary_fields["missing"] else 0)


def _read_or_default_labels(file: Path | None) -> ErrorLabels:
    from benchwright_judges.agreement.error_labels import csbench_error_labels, read_error_labels

    if file is None:
        return csbench_error_labels()
    labels = read_error_labels(file)
    if labels.name == csbench_error_labels().name:
        raise ServerError(
            f"{file}: field name: {labels.name} is the name of CS-Bench's types of error. Name yours otherwise."
        )
    return labels


def _record_corrections_and_write_sheet(
    pack_name: str,
    solver_name: str,
    labels: ErrorLabels,
    sheet_file: Path | None,
    corrections_file: Path | None,
    person: str,
    *,
    json_output: bool,
) -> None:
    """Record a person's corrections, and write the sheet."""
    from benchwright_judges.people.error_sheet import ErrorSheetRow, read_error_sheet, write_error_sheet
    from benchwright_subjects.evaluation.kept_evals import eval_logs_folder
    from benchwright_subjects.wrong_answers import wrong_answers

    if corrections_file is not None and not person:
        raise ServerError("--corrections needs --as with the pseudonym of the person who corrected.")
    home = Home.from_environment()
    store = Store(home)
    recorded_count = written_count = 0
    with opened_study_log() as log:
        read_wrong_answers = partial(
            wrong_answers, log, store, eval_logs_folder(home), pack_name, labels, solver=solver_name
        )
        if corrections_file is not None:
            corrected_types = read_error_sheet(corrections_file, labels)
            failed_answers = read_wrong_answers().all_answers
            if unknown := corrected_types.keys() - {answer.header.id for answer in failed_answers}:
                raise ServerError(
                    f"{corrections_file}: there is no wrong answer of the attempt {min(unknown)!r} at {pack_name}."
                )
            recorded_count = asyncio.run(_record_corrections(log, failed_answers, corrected_types, labels, person))
        if sheet_file is not None:
            failed_answers = read_wrong_answers().all_answers
            sheet_rows = []
            for answer in failed_answers:
                problem = store.unseal(answer.header.problem)
                key = problem.hidden.answer
                sheet_rows.append(
                    ErrorSheetRow(
                        attempt=answer.header.id,
                        problem=answer.header.problem,
                        question=problem.public.statement,
                        reference=key.value if key is not None else "",
                        reply=answer.reply,
                        types=answer.label_names,
                    )
                )
            with explain_unwritable(sheet_file):
                write_error_sheet(sheet_file, sheet_rows)
            written_count = len(sheet_rows)
    counts = {"corrected": recorded_count, "written": written_count}
    if json_output:
        print_json(counts)
    else:
        console.print(f"{counts['corrected']} corrections recorded, {counts['written']} answers written.")


async def _record_corrections(
    log: StudyLog,
    failed_answers: Sequence[WrongAnswer],
    corrected_types_by_attempt_id: Mapping[str, tuple[str, ...]],
    labels: ErrorLabels,
    person: str,
) -> int:
    recorded_count = 0
    for answer in failed_answers:
        types = corrected_types_by_attempt_id.get(answer.header.id)
        if types is None or answer.labels_by_person.get(person) == types:
            continue
        event = ErrorsClassified(
            number=answer.number, types=types, people={person: types}, judges={}, rubric=labels.reference
        )
        await log.append(answer.header.id, event)
        recorded_count += 1
    return recorded_count


def _print_error_types(summary_fields: dict[str, object], count_by_type: Counter[str]) -> None:
    table = TerminalTable("type of error", "answers")
    for name, count in count_by_type.most_common():
        table.add_row(name, str(count))
    if count_by_type:
        table.print_rows()
    console.print(
        f"{summary_fields['classified']} wrong answers classified now, {summary_fields['classified_before']} before; "
        f"{summary_fields['without_steps']} have no kept reply with steps.",
        soft_wrap=True,
    )


async def _classify_wrong_answers(
    pack_name: str, solver_name: str, labels: ErrorLabels, budget_usd: float | None, jobs: int
) -> _Classification:
    from benchwright_judges.models.budget import JudgingBudget
    from benchwright_judges.models.configuration import open_all_endpoints, read_settings
    from benchwright_subjects.evaluation.kept_evals import eval_logs_folder
    from benchwright_subjects.wrong_answers import wrong_answers

    home = Home.from_environment()
    store = Store(home)
    settings = read_settings()
    with opened_study_log() as log:
        pack_answers = wrong_answers(log, store, eval_logs_folder(home), pack_name, labels, solver=solver_name)
        if not pack_answers.all_answers:
            raise ServerError(
                f"There is no wrong answer of a model at {pack_name} with its steps. Ask for steps with "
                f"`benchwright eval --pack {pack_name} --think --model …`."
            )
        endpoints = await asyncio.to_thread(open_all_endpoints, settings)
        if pack_answers.unclassified_answers and not endpoints:
            raise ServerError("No model judge is available. docs/how-to/judges.md shows how to set one up.")
        spending = JudgingBudget(settings.budget_usd if budget_usd is None else budget_usd)
        try:
            async with opened_records() as records:
                classifier = _Classifier(store, log, records, labels, endpoints, spending, settings.offline)
                return await _classify_all(classifier, pack_answers, jobs)
        finally:
            for endpoint in endpoints:
                await endpoint.close()


async def _classify_all(classifier: _Classifier, pack_answers: WrongAnswers, jobs: int) -> _Classification:
    from benchwright_judges.models.budget import OutOfBudgetError

    classification = _Classification(pack_answers, [], Counter(), 0)
    turn = asyncio.Semaphore(jobs)
    with progress("classifying", len(pack_answers.unclassified_answers), "answers") as meter:

        async def classify_answer(answer: WrongAnswer) -> None:
            async with turn:
                try:
                    classified = await classifier.classify_and_record(answer)
                except OutOfBudgetError:
                    classification.unpaid += 1
                    return
                classification.failure_counts.update(vote.error for vote in classified.votes if vote.error)
                if any(not vote.error for vote in classified.votes):
                    classification.classified_answers.append((answer, classified))
                meter.advance()

        await asyncio.gather(*(classify_answer(answer) for answer in pack_answers.unclassified_answers))
    return classification
