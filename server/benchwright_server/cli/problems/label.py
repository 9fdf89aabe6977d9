"""`benchwright problems label`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.home import Home
from benchwright_foundation.number_text import UNKNOWN, number, percent
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.label_sheet import read_label_sheet, write_label_sheet
from benchwright_problems.storage.labels import LabelFile, LabelKind
from benchwright_problems.storage.store import Store
from benchwright_server.cli.problems.label_run import LabelFailure, LabellingResult, LabelRequest, label_questions
from benchwright_server.cli.terminal.interruption import end_cleanly_on_signal
from benchwright_server.cli.terminal.options import Budget, Json
from benchwright_server.cli.terminal.output import console, err, exit_on_expected_error, explain_unwritable, print_json
from benchwright_server.cli.terminal.table import TerminalTable
from benchwright_server.errors import ServerError

if TYPE_CHECKING:
    from benchwright_judges.agreement.estimators import Estimate, Share
    from benchwright_judges.labelling.agreement import LabelAgreement

_MOST_SHOWN = 20
"""Failures that are listed; with --json all."""


@dataclass(frozen=True)
class LabelOptions:
    """A labelling task: its subject, and its method."""

    only: Annotated[
        list[LabelKind] | None, typer.Option(help="Only this kind of label; may be repeated. All three if not given.")
    ] = None
    includes_stated: Annotated[
        bool,
        typer.Option(
            "--all", help="Label also what the data set labels itself, to measure how far models agree with it."
        ),
    ] = False
    is_repeated: Annotated[bool, typer.Option("--again", help="Label again what was labelled already.")] = False
    topics: Annotated[
        Path | None,
        typer.Option(help="A file of topics, a line each: `name: words that tell it`. The pack's own if not given."),
    ] = None
    offline: Annotated[
        bool, typer.Option("--offline", help="Ask no model: the likeliest topics by TF-IDF, and nothing else.")
    ] = False
    votes: Annotated[
        int | None, typer.Option(min=1, max=9, help="Votes on a label, odd; `votes` of judges.toml if not given.")
    ] = None


@dataclass(frozen=True)
class CorrectionOptions:
    """Labels by people, instead of labelling."""

    export: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the labels as CSV with room for corrections.")
    ] = None
    correct: Annotated[Path | None, typer.Option(metavar="FILE", help="Take the corrections of such a file.")] = None
    by: Annotated[str, typer.Option(help="With --correct: your name or pseudonym.")] = ""


def label_command(
    pack: Annotated[str, typer.Argument(help="The pack whose questions are labelled.")],
    label_task: LabelOptions,
    corrections: CorrectionOptions,
    budget: Budget = None,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Labels at a time.")] = 8,
    json_output: Json = False,
) -> None:
    """Label questions with skill, topic and difficulty where the data set does not, by votes of the model judges.

    Labels are kept beside the pack. Reports, `problems list` and `problems show` use them; people's corrections come
    first.
    Exit status: 0 everything is labelled, 2 some could not be.
    """
    with exit_on_expected_error(), explain_missing_extra("`benchwright problems label`", "judges"):
        home = Home.from_environment()
        store = Store(home)
        questions = [problem for problem in store.public_pack(pack).problems if problem.kind is ProblemKind.QUESTION]
        if not questions:
            raise ServerError(f"The pack {pack} has no questions; design problems have categories instead.")
        label_file = LabelFile(home, pack)
        if corrections.export is not None or corrections.correct is not None:
            _export_or_import_corrections(questions, label_file, corrections)
            return
        if label_task.votes is not None and label_task.votes % 2 == 0:
            raise ServerError("--votes has to be odd, so that there can be a majority.")
        go_on = f"What is labelled is kept. Go on: benchwright problems label {pack}"
        with end_cleanly_on_signal(go_on):
            outcome = asyncio.run(label_questions(home, pack, questions, _label_request(label_task, budget, jobs)))
        from benchwright_judges.labelling.agreement import measure_label_agreement

        # The table has no intervals.
        agreement = measure_label_agreement(questions, label_file.read(), resamples=1000 if json_output else 0)
        _print_labelling(outcome, agreement, json_output=json_output)
    if outcome.failures:
        raise typer.Exit(2)


def _label_request(label_options: LabelOptions, budget_usd: float | None, jobs: int) -> LabelRequest:
    return LabelRequest(
        label_kinds=tuple(dict.fromkeys(label_options.only or LabelKind)),
        includes_stated=label_options.includes_stated,
        is_repeated=label_options.is_repeated,
        topics=label_options.topics,
        offline=label_options.offline,
        votes=label_options.votes,
        budget_usd=budget_usd,
        jobs=jobs,
    )


def _export_or_import_corrections(
    questions: Sequence[Problem], label_file: LabelFile, correction_options: CorrectionOptions
) -> None:
    if correction_options.export is not None and correction_options.correct is not None:
        raise ServerError("Give --export or --correct, not both.")
    if correction_options.export is not None:
        with explain_unwritable(correction_options.export):
            row_count = write_label_sheet(correction_options.export, questions, label_file.read())
        console.print(
            f"{row_count} labels written to {correction_options.export}. "
            "Fill in corrected and reason where one is wrong."
        )
        return
    if correction_options.correct is None:
        return
    if not correction_options.by.strip() or len(correction_options.by) > 60 or not correction_options.by.isprintable():
        raise ServerError("Say who corrects: --by with a name or pseudonym of at most 60 characters.")
    by_id: Mapping[str, Problem] = {problem.id: problem for problem in questions}
    labels = read_label_sheet(correction_options.correct, by_id, correction_options.by.strip(), datetime.now(UTC))
    if labels:
        label_file.append_labels(labels)
    console.print(
        f"{len(labels)} corrections by {correction_options.by.strip()} kept; what models said is kept beside them."
    )


def _print_labelling(outcome: LabellingResult, agreement: Sequence[LabelAgreement], *, json_output: bool) -> None:
    if json_output:
        print_json(
            {
                "labelled": {kind.value: count for kind, count in outcome.labelled.items()},
                "known": {kind.value: count for kind, count in outcome.known_counts.items()},
                "failures": [
                    {"problem": failure.problem, "kind": failure.kind.value, "why": failure.reason}
                    for failure in outcome.failures
                ],
                "shortlists": outcome.shortlists,
                "cost_usd": outcome.cost_usd,
                "agreement": [label_agreement.model_dump(mode="json") for label_agreement in agreement],
            }
        )
        return
    table = TerminalTable(
        "label", "new", "known before", "first two votes agree", "agrees with people", "with the data set"
    )
    by_kind = {label_agreement.kind: label_agreement for label_agreement in agreement}
    for kind in LabelKind:
        if kind not in outcome.labelled:
            continue
        label_agreement = by_kind.get(kind)
        cells = (
            [
                _agreement_text(likeness.same, likeness.alpha)
                for likeness in (label_agreement.votes, label_agreement.people, label_agreement.data_set)
            ]
            if label_agreement
            else ["–"] * 3
        )
        table.add_row(kind.value, str(outcome.labelled[kind]), str(outcome.known_counts[kind]), *cells)
    table.print_rows()
    if outcome.shortlists:
        console.print(outcome.shortlists, markup=False, soft_wrap=True)
    _print_failures(outcome.failures)


def _print_failures(failures: Sequence[LabelFailure]) -> None:
    for failure in failures[:_MOST_SHOWN]:
        err.print(f"{failure.problem}: {failure.kind.value}: {failure.reason}", markup=False, soft_wrap=True)
    if len(failures) > _MOST_SHOWN:
        err.print(f"… and {len(failures) - _MOST_SHOWN} more; --json lists all.", markup=False)
    if failures:
        err.print(f"{len(failures)} labels are missing. The same command tries these again.", markup=False)


def _agreement_text(agreeing_share: Share, alpha: Estimate) -> str:
    if agreeing_share.value is None:
        return UNKNOWN
    coefficient = f", alpha {number(alpha.value)}" if alpha.value is not None else ""
    return f"{percent(agreeing_share.value)} of {agreeing_share.total}{coefficient}"
