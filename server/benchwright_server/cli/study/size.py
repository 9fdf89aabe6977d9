"""`benchwright study size`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright_foundation.errors import explain_missing_extra
from benchwright_server.cli.study.planning import difficulty_by_problem_ref
from benchwright_server.cli.terminal.interruption import end_cleanly_on_signal
from benchwright_server.cli.terminal.options import Json, StudyFilePath
from benchwright_server.cli.terminal.output import console, exit_on_expected_error, print_json
from benchwright_server.cli.terminal.progress import progress
from benchwright_server.cli.terminal.table import TerminalTable

if TYPE_CHECKING:
    from benchwright_analysis.study_size import PowerRate, StudyPrecision, StudySize


def size(
    file: StudyFilePath,
    effect: Annotated[
        float,
        typer.Option(
            help="The effect that the study is to find, against the baseline: percent of time, or percentage points "
            "solved, as `analysis.primary` says."
        ),
    ] = -20.0,
    dropout: Annotated[float, typer.Option(help="Share of participants who leave before their last task.")] = 0.1,
    people: Annotated[
        int | None, typer.Option(min=1, help="This many participants in place of the file's; without clusters.")
    ] = None,
    solved: Annotated[float, typer.Option(help="Share solved in the baseline, if success decides.")] = 0.6,
    minutes: Annotated[float, typer.Option(help="Median time in the baseline, if time decides.")] = 20.0,
    give_ups: Annotated[float, typer.Option(help="Give-ups in an hour, if time decides.")] = 0.2,
    participant_spread: Annotated[float, typer.Option(help="Between participants, of log time.")] = 0.4,
    problem_spread: Annotated[float, typer.Option(help="Between problems.")] = 0.5,
    cluster_spread: Annotated[float, typer.Option(help="Between clusters, if the file has some.")] = 0.2,
    effect_spread: Annotated[float, typer.Option(help="Of the effect, between people and between problems.")] = 0.1,
    noise: Annotated[float, typer.Option(help="Within a person at a problem.")] = 0.45,
    studies: Annotated[int, typer.Option(min=20, help="Simulated studies for each effect.")] = 1000,
    seed: Annotated[int, typer.Option(help="Of all chance.")] = 1,
    json_output: Json = False,
) -> None:
    """Simulate the planned study: how often it would find the effect, and which effect it would find in 4 of 5 cases.

    Plans are drawn as the real one is, people leave, and the attempts go through the report's primary analysis. A study
    of one condition has no effect to find: then it is how sure its share solved or its mean time would be.
    """
    with (
        exit_on_expected_error(),
        explain_missing_extra("`benchwright study size`", "baselines"),
        end_cleanly_on_signal("Nothing was kept. Fewer --studies take less time."),
    ):
        from benchwright_analysis.statistics.errors import StatisticsError
        from benchwright_analysis.study_size import (
            EFFECTS_TRIED,
            SIZES_TRIED,
            Expectations,
            StudyPrecision,
            simulate_study_precision,
            simulate_study_size,
        )
        from benchwright_attempts.errors import StudyError
        from benchwright_studies.plan.study_file import read_study

        study_file = read_study(file)
        difficulties = difficulty_by_problem_ref(study_file)
        study = study_file.study
        if people is not None:
            if study.clusters:
                raise StudyError(f"{file} says who is in which cluster. Change participants and clusters there.")
            study = study.model_copy(update={"participants": people})
        expectations = Expectations(
            effect=effect,
            dropout=dropout,
            solved=solved,
            median_minutes=minutes,
            give_ups_per_hour=give_ups,
            participant_spread=participant_spread,
            problem_spread=problem_spread,
            cluster_spread=cluster_spread,
            effect_spread=effect_spread,
            noise=noise,
        )
        has_effect = len(study.people_conditions) > 1
        with progress("simulating", (EFFECTS_TRIED if has_effect else SIZES_TRIED) * studies, "studies") as meter:
            simulate = simulate_study_size if has_effect else simulate_study_precision
            try:
                precision_or_size = simulate(
                    study,
                    difficulties,
                    expectations,
                    simulated_studies=studies,
                    seed=seed,
                    on_study_simulated=meter.advance,
                )
            except StatisticsError as error:
                raise StudyError(str(error)) from error
    if json_output:
        print_json(asdict(precision_or_size))
    elif isinstance(precision_or_size, StudyPrecision):
        _print_precision(precision_or_size, len(study.problems))
    else:
        _print_size(precision_or_size, len(study.pseudonyms), len(study.problems))


def _print_precision(precision: StudyPrecision, problem_count: int) -> None:
    from benchwright_studies.plan.vocabulary import Measure

    unit = "minutes" if precision.measure is Measure.TIME else "percentage points solved"
    console.print(
        f"One condition of people, {problem_count} problems; {precision.rates[0].studies} simulated studies for each "
        f"number of participants; primary outcome: {precision.measure.value}.",
        soft_wrap=True,
    )
    table = TerminalTable("participants", "tasks", f"± {unit} (95 %)", "interval holds the truth", "no interval")
    for rate in precision.rates:
        with_interval = rate.studies - rate.without_interval
        table.add_row(
            str(rate.people),
            str(rate.tasks),
            "–" if rate.reach is None else f"{rate.reach:.1f}",
            "–" if rate.held is None or not with_interval else f"{100 * rate.held / with_interval:.1f} %",
            f"{100 * rate.without_interval / rate.studies:.0f} %" if rate.without_interval else "–",
        )
    table.print_rows()
    for rate in precision.rates:
        if rate.reason:
            console.print(f"With {rate.people} participants: {rate.reason}", soft_wrap=True)
    console.print(
        "There is no effect to find without a second condition of people: add one to `conditions` to simulate power.",
        soft_wrap=True,
    )


def _print_size(size_estimate: StudySize, participant_count: int, problem_count: int) -> None:
    from benchwright_studies.plan.vocabulary import Measure

    unit = "% of time" if size_estimate.measure is Measure.TIME else "percentage points solved"
    console.print(
        f"{participant_count} participants, {problem_count} problems, {size_estimate.tasks} tasks; "
        f"{size_estimate.power.studies} simulated studies for each effect; "
        f"primary outcome: {size_estimate.measure.value}.",
        soft_wrap=True,
    )
    table = TerminalTable(f"effect ({unit})", "power", "± (95 %)", "no test possible")
    rates = {rate.effect: rate for rate in (size_estimate.false_alarms, size_estimate.power, *size_estimate.tried)}
    for rate in sorted(rates.values(), key=lambda rate: abs(rate.effect)):
        table.add_row(*_power_rate_cells(rate))
    table.print_rows()
    if size_estimate.detectable is None:
        console.print("No effect was seen to be found in 4 of 5 studies: take more people or problems.")
        return
    error = "" if size_estimate.detectable_error is None else f" ± {1.96 * size_estimate.detectable_error:.1f}"
    console.print(f"Found in 4 of 5 studies: {size_estimate.detectable:.1f}{error} {unit}.", soft_wrap=True)


def _power_rate_cells(rate: PowerRate) -> tuple[str, ...]:
    label = "none: false alarms" if rate.effect == 0 else f"{rate.effect:.1f}"
    without = f"{100 * rate.without_interval / rate.studies:.0f} %" if rate.without_interval else "–"
    return label, f"{100 * rate.power:.1f} %", f"{196 * rate.error:.1f}", without
