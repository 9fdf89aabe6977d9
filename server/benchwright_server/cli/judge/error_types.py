"""`benchwright judge error-types`."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_attempts.events.events import ErrorsClassified
from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_problems.storage.store import Store
from benchwright_server.cli.judge.records import opened_records
from benchwright_server.cli.study.log import opened_study_log
from benchwright_server.cli.terminal.options import AnswersAtOnce, Budget, Json
from benchwright_server.cli.terminal.output import console, err, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    # Inspect and the client library take seconds to import.
    from benchwright_judges.agreement.error_types import ErrorClassification
    from benchwright_judges.models.budget import JudgingBudget
    from benchwright_judges.models.endpoint import ModelEndpoint
    from benchwright_judges.records.records import Records
    from benchwright_studies.conduct.study_log import StudyLog
    from benchwright_subjects.wrong_choices import WrongChoice, WrongChoices


@dataclass
class _ClassifiedChoices:
    """The result of a run of the command."""

    choices: WrongChoices
    classified_answers: list[tuple[WrongChoice, ErrorClassification]]
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
    endpoints: Sequence[ModelEndpoint]
    budget: JudgingBudget
    offline: bool

    async def classify_and_record(self, choice: WrongChoice) -> ErrorClassification:
        """Asks the judges, and records with the attempt what they say if a reply can be used."""
        from benchwright_judges.agreement.error_types import classify_errors, types_named_by_vote

        problem = await asyncio.to_thread(self.store.unseal, choice.header.problem)
        classified = await classify_errors(
            problem, choice.reply, self.endpoints, self.records, budget=self.budget, offline=self.offline
        )
        usable = {vote.judge: types_named_by_vote(vote) for vote in classified.votes if not vote.error}
        if usable:
            event = ErrorsClassified(
                number=choice.number,
                types=classified.types,
                judges=usable,
                rubric=classified.rubric,
                cost_usd=classified.cost_usd,
            )
            await self.log.append(choice.header.id, event)
        return classified


def error_types(
    pack: Annotated[str, typer.Argument(help="The pack whose multiple-choice questions were answered.")],
    solver: Annotated[str, typer.Option(help="Only this model's answers, as `attempts list` names it.")] = "",
    budget: Budget = None,
    jobs: AnswersAtOnce = 4,
    json_output: Json = False,
) -> None:
    """Have the model judges name the types of error that led models to wrong choices, of runs with `eval --think`.

    A judge may name several for one answer; those that more than half of the judges name are recorded with the attempt.
    Run the command again to go on after an interruption: what was classified is not asked about again.

    Exit status: 0 every wrong choice is classified, 1 some are not, 2 there is nothing to classify or no judge.
    """
    with exit_on_expected_error(), explain_missing_extra("`benchwright judge error-types`", "baselines"):
        classification = asyncio.run(_classify_wrong_choices(pack, solver, budget, jobs))
    counts = Counter(name.value for _, classified in classification.classified_answers for name in classified.types)
    summary_fields = {
        "classified": len(classification.classified_answers),
        "classified_before": classification.choices.classified_count,
        "without_steps": classification.choices.without_steps_count,
        "missing": len(classification.choices.unclassified_choices) - len(classification.classified_answers),
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


def _print_error_types(summary_fields: dict[str, object], count_by_type: Counter[str]) -> None:
    table = TerminalTable("type of error", "answers")
    for name, count in count_by_type.most_common():
        table.add_row(name, str(count))
    if count_by_type:
        table.print_rows()
    console.print(
        f"{summary_fields['classified']} wrong choices classified now, {summary_fields['classified_before']} before; "
        f"{summary_fields['without_steps']} have no kept reply with steps.",
        soft_wrap=True,
    )


async def _classify_wrong_choices(
    pack_name: str, solver_name: str, budget_usd: float | None, jobs: int
) -> _ClassifiedChoices:
    from benchwright_judges.models.budget import JudgingBudget
    from benchwright_judges.models.configuration import open_all_endpoints, read_settings
    from benchwright_subjects.evaluation.kept_evals import eval_logs_folder
    from benchwright_subjects.wrong_choices import wrong_choices

    home = Home.from_environment()
    store = Store(home)
    settings = read_settings()
    with opened_study_log() as log:
        choices = wrong_choices(log, store, eval_logs_folder(home), pack_name, solver=solver_name)
        if not choices.unclassified_choices and not choices.classified_count:
            raise ServerError(
                f"There is no wrong choice of a model at {pack_name} with its steps. Ask for steps with "
                f"`benchwright eval --pack {pack_name} --think --model …`."
            )
        endpoints = await asyncio.to_thread(open_all_endpoints, settings)
        if choices.unclassified_choices and not endpoints:
            raise ServerError("No model judge is available. docs/how-to/judges.md shows how to set one up.")
        spending = JudgingBudget(settings.budget_usd if budget_usd is None else budget_usd)
        try:
            async with opened_records() as records:
                classifier = _Classifier(store, log, records, endpoints, spending, settings.offline)
                return await _classify_all(classifier, choices, jobs)
        finally:
            for endpoint in endpoints:
                await endpoint.close()


async def _classify_all(classifier: _Classifier, choices: WrongChoices, jobs: int) -> _ClassifiedChoices:
    from benchwright_judges.models.budget import OutOfBudgetError

    classification = _ClassifiedChoices(choices, [], Counter(), 0)
    turn = asyncio.Semaphore(jobs)
    with progress("classifying", len(choices.unclassified_choices), "answers") as meter:

        async def classify_choice(choice: WrongChoice) -> None:
            async with turn:
                try:
                    classified = await classifier.classify_and_record(choice)
                except OutOfBudgetError:
                    classification.unpaid += 1
                    return
                classification.failure_counts.update(vote.error for vote in classified.votes if vote.error)
                if any(not vote.error for vote in classified.votes):
                    classification.classified_answers.append((choice, classified))
                meter.advance()

        await asyncio.gather(*(classify_choice(choice) for choice in choices.unclassified_choices))
    return classification
