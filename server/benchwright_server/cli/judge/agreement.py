"""`benchwright judge agreement`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.errors import explain_missing_extra
from benchwright_foundation.number_text import number, percent
from benchwright_server.cli.judge.records import opened_records
from benchwright_server.cli.terminal.options import Json
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.table import TerminalTable

if TYPE_CHECKING:
    # NumPy and SciPy take seconds to import.
    from benchwright_judges.agreement.agreement import FormatAgreement, PeopleAgreement
    from benchwright_judges.agreement.estimators import Estimate, Share
    from benchwright_judges.agreement.rated import RatedAnswer

_COLUMNS = (
    "format",
    "judge",
    "n",
    "agreement",
    "false accept",
    "false reject",
    "kappa",
    "same label",
    "weighted kappa",
    "alpha",
    "Pearson",
    "undecided",
)


def agreement(
    votes_file: Annotated[
        Path | None,
        typer.Option(
            "--votes", help="A CSV or JSON Lines file of votes to measure instead of the database; one vote per row."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap intervals.")] = 1,
    resamples: Annotated[int, typer.Option(min=100, max=100_000, help="Resamples of the bootstrap.")] = 1000,
    disagreements: Annotated[bool, typer.Option("--disagreements", help="List the answers they differ on.")] = False,
    json_output: Json = False,
) -> None:
    """Measure how well judges agree with people, by format and judge.

    Exit status: 0 measured, 1 nothing to measure.
    """
    with exit_on_expected_error(), explain_missing_extra("`benchwright judge agreement`", "judges"):
        from benchwright_judges.agreement.agreement import measure_agreement
        from benchwright_judges.agreement.rated import read_rated_answers

        rated = asyncio.run(rated_answers_from_database()) if votes_file is None else read_rated_answers(votes_file)
        formats = measure_agreement(rated, seed=seed, resamples=resamples)
    if json_output:
        print_json([measured_format.model_dump(mode="json") for measured_format in formats])
    elif not formats:
        console.print("Nothing was rated by both people and judges. `benchwright judge grade --all` lets people grade.")
    else:
        _print_agreement(formats, disagreements)
    raise typer.Exit(0 if formats else 1)


async def rated_answers_from_database() -> Sequence[RatedAnswer]:
    """The answers that people and judges rated, from the database of judgements."""
    from benchwright_judges.agreement.rated import answers_rated_by_people_and_models

    async with opened_records() as records:
        return answers_rated_by_people_and_models(await records.answer_records())


def _print_agreement(format_agreements: Sequence[FormatAgreement], with_disagreements: bool) -> None:
    table = TerminalTable(*_COLUMNS)
    for measured_format in format_agreements:
        for judge in measured_format.judges:
            judge_shares = (judge.agreement, judge.false_accept, judge.false_reject)
            undecided = f"{judge.undecided} answers, {judge.undecided_votes} votes"
            table.add_row(
                measured_format.format,
                judge.judge,
                str(judge.items),
                *map(share_with_interval_text, judge_shares),
                _estimate_text(judge.kappa),
                share_with_interval_text(judge.same_label),
                *map(_estimate_text, (judge.weighted_kappa, judge.alpha, judge.pearson)),
                undecided,
            )
    table.print_rows()
    for measured_format in format_agreements:
        people = measured_format.people
        coefficients = (
            [f"same label in {share_with_interval_text(people.same_label)} pairs"] if people.same_label.total else []
        )
        coefficients += [f"alpha {number(people.alpha)}"] if people.alpha is not None else []
        coefficients += [cronbach_text(people)] if people.items else []
        fact_texts = [
            f"{measured_format.format}: {measured_format.items} answers, {measured_format.people.people} people"
        ]
        fact_texts += [f"among them {', '.join(coefficients)}"] if coefficients else []
        fact_texts += [
            f"no majority of people on {measured_format.undecided}",
            f"{measured_format.undecided_grades} grades undecided",
            f"ties broken {share_with_interval_text(measured_format.tie_breaks)}",
        ]
        console.print("; ".join(fact_texts), soft_wrap=True)
    console.print("Intervals: 95 %; Wilson's for shares, percentile bootstrap for the rest.")
    if with_disagreements:
        for measured_format in format_agreements:
            for judge in measured_format.judges:
                for disagreement in judge.disagreements:
                    people_labels = ", ".join(f"{name} {label}" for name, label in disagreement.people.items())
                    votes_text = f"{judge.judge} {', '.join(disagreement.votes)}; people: {people_labels}"
                    console.print(
                        f"{measured_format.format} {disagreement.item} {disagreement.problem}: {votes_text}",
                        markup=False,
                        soft_wrap=True,
                    )


def cronbach_text(people_agreement: PeopleAgreement) -> str:
    """Cronbach's alpha with whom it is of, or why there is none."""
    if people_agreement.cronbach_people < 2:
        return f"no Cronbach's alpha, since no two people graded all {people_agreement.items} answers that two graded"
    whom = f"of {people_agreement.cronbach_people} who graded all {people_agreement.items} answers"
    if people_agreement.cronbach is None:
        return f"Cronbach's alpha undefined {whom}"
    return f"Cronbach's alpha {number(people_agreement.cronbach)} {whom}"


def share_with_interval_text(share: Share) -> str:
    """A proportion with its interval."""
    if share.value is None:
        return "-"
    return f"{share.count}/{share.total} = {percent(share.value)} [{percent(share.low)}, {percent(share.high)}]"


def _estimate_text(estimate: Estimate | None) -> str:
    if estimate is None or estimate.value is None:
        return "-"
    return number(estimate.value) + (
        "" if estimate.low is None else f" [{number(estimate.low)}, {number(estimate.high)}]"
    )
