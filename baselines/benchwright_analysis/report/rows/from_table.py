"""`benchwright report --from`: tables of attempts from elsewhere, analysed with the same estimators."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.page import report_page
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.exclusions import exclusion_count_by_words, with_exclusions_marked
from benchwright_analysis.report.rows.exports import write_attempts_and_codebook
from benchwright_analysis.report.rows.table_file import ForeignTable, read_table
from benchwright_analysis.report.section import (
    Cell,
    Section,
    SortableTable,
    counted,
    interval_text,
    json_value,
    p_value_text,
)
from benchwright_analysis.report.sections.ability_scale import ability_scale_section
from benchwright_analysis.report.sections.headline import headline_picture, headline_sentence
from benchwright_analysis.report.sections.main_result import compute_main_result, main_result_table
from benchwright_analysis.report.sections.models import human_minutes_and_unsolved_count
from benchwright_analysis.report.sections.success import success_section
from benchwright_analysis.report.sections.time_to_pass import time_to_pass_section
from benchwright_analysis.report.sections.times_left_out import left_out_sentences, reported_times_sentences
from benchwright_analysis.statistics.condition_effects import ConditionEffect, TimeModel, condition_effects
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.horizon import Weights, human_time_horizon
from benchwright_attempts.events.file_text import sha256
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.distribution import version
from benchwright_foundation.number_text import number
from benchwright_studies.plan.vocabulary import Population

FORMAT = 1
"""Version of `report.json`."""


@dataclass(frozen=True)
class TableOptions:
    """Subject of a report, and where to write it."""

    table: Path
    folder: Path
    mapping_file: Path | None = None
    """Meaning of the columns; without it they are the codebook's."""
    seed: int = 1


@dataclass(frozen=True)
class WrittenTableReport:
    """Files that were written."""

    page: Path
    attempts: int
    counted_attempts: int
    left_out: Mapping[str, int]
    """Why attempts do not count → how many."""


def write_table_report(table_options: TableOptions) -> WrittenTableReport:
    """Writes `report.html`, `report.json` and the table as it was understood.

    Raises:
        TableError: The table or the mapping is not as it has to be.
        OSError: The folder can't be written.
    """
    foreign_table = read_table(table_options.table, table_options.mapping_file)
    sources = {"Benchwright": version(), "seed of the intervals": str(table_options.seed)}
    sources[table_options.table.name] = f"SHA-256 {sha256(table_options.table.read_bytes())}"
    if table_options.mapping_file is not None:
        sources[table_options.mapping_file.name] = f"SHA-256 {sha256(table_options.mapping_file.read_bytes())}"
    data = table_dataset(foreign_table, table_options.seed, sources)
    sections = [
        _answer_section(data_of_planned_population(data, foreign_table), foreign_table, table_options),
        success_section(data),
        time_to_pass_section(data),
        _regression_section(data),
        _horizon_section(data, foreign_table),
        *filter(None, [ability_scale_section(data)]),
    ]
    table_options.folder.mkdir(parents=True, exist_ok=True)
    write_attempts_and_codebook(table_options.folder, data.observations)
    report_content = {
        "format": FORMAT,
        "made": data.made_at,
        "sources": sources,
        "groups": list(data.groups),
        "sections": {
            section.id: {"title": section.title, "says": list(section.lead), "numbers": json_value(section.numbers)}
            for section in sections
        },
    }
    text = json.dumps(report_content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    write_atomically(table_options.folder / "report.json", text.encode(), durable=False)
    file = table_options.folder / "report.html"
    subtitle = f"Benchwright report of {data.made_at[:16].replace('T', ' ')} UTC"
    title = f"Attempts of {table_options.table.name}"
    write_atomically(file, report_page(title, subtitle, sections, sources).encode(), durable=False)
    return WrittenTableReport(
        file, len(data.observations), len(data.counted_attempts), exclusion_count_by_words(data.observations)
    )


def table_dataset(foreign_table: ForeignTable, seed: int, version_by_source: Mapping[str, str]) -> Dataset:
    """The attempts of a table, as reports take them.

    Args:
        foreign_table: The table.
        seed: Of the intervals.
        version_by_source: Name → version or digest of what the report is made from.
    """
    rows = with_exclusions_marked(list(foreign_table.rows), None, None)
    return Dataset(
        [FoldedAttempt(row, (), {}, "") for row in rows],
        {},
        seed=seed,
        baseline=foreign_table.plan.baseline,
        conditions=foreign_table.plan.conditions,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        sources=version_by_source,
    )


def data_of_planned_population(data: Dataset, foreign_table: ForeignTable) -> Dataset:
    """The same data, with the attempts that count in the primary analysis of the study that the table is of."""
    by_intention = foreign_table.plan.population is Population.INTENTION_TO_TREAT
    return data.with_intention_to_treat() if by_intention else data


def _answer_section(data: Dataset, foreign_table: ForeignTable, table_options: TableOptions) -> Section:
    result = compute_main_result(data)
    left_out = len(data.observations) - len(data.counted_attempts)
    lead = [
        f"{counted(len(data.counted_attempts), 'attempt')} of {table_options.table.name} count"
        + (f"; {left_out} are left out by its column `excluded_by` or as practice." if left_out else "."),
        *foreign_table.assumption_sentences,
    ]
    if foreign_table.plan.population is Population.INTENTION_TO_TREAT:
        lead.append("This section is by intention to treat, as the study planned; the others are per protocol.")
    if foreign_table.ignored:
        lead.append(f"Columns that were not used: {', '.join(foreign_table.ignored)}.")
    table = main_result_table(result)
    return Section(
        "support",
        "What the table says",
        lead,
        [headline_picture(data, result, table)] if result.rows else [],
        [table],
        {"answers": result},
        is_list=True,
        headline=headline_sentence(data, result, table_options.table.name),
    )


def _regression_section(data: Dataset) -> Section:
    """The regression that published studies use, with each kind of error."""
    title = "Regression of log time"
    rows = list(data.timed_observations)
    baseline = data.people_groups[0] if data.people_groups else ""
    forecasts = [observation.forecast_blind_minutes for observation in rows]
    known_forecasts = [forecast for forecast in forecasts if forecast]
    adjusted = bool(rows) and len(known_forecasts) == len(rows)
    try:
        model = condition_effects(
            [observation.minutes for observation in rows],
            [observation.group for observation in rows],
            baseline,
            forecasts=known_forecasts if adjusted else None,
            participants=[observation.participant for observation in rows],
        )
    except StatisticsError as error:
        return Section("regression", title, empty_reason=f"There is no regression: {error}")
    cells = [row for effect in model.effects for row in _effect_table_rows(effect, model)]
    formula = "log(time) ~ condition" + (" + log(forecast)" if adjusted else "")
    people_rows = [observation for observation in data.decided_observations if observation.is_person]
    source_notes = [
        *reported_times_sentences(data.shown_time_source),
        *left_out_sentences(people_rows, data.shown_time_source),
    ]
    note = (
        f"{formula} by least squares, as published trials have it. HC3 takes attempts as independent; clustered errors "
        "let those of one participant vary together; neither counts that problems vary, and both take the time of "
        "attempts without a pass for a time to pass. The comparisons of times above do neither."
    )
    columns = ("comparison", "errors", "distribution", "change of time in percent (95 % interval)", "p")
    table = SortableTable(
        "Change of time by regression", columns, cells, " ".join(filter(None, (note, *source_notes, model.note)))
    )
    return Section("regression", title, (), (), [table], {"model": model})


def _effect_table_rows(effect: ConditionEffect, model: TimeModel) -> list[Sequence[Cell]]:
    rows: list[Sequence[Cell]] = []
    for error_kind, bounds in (("HC3", effect.hc3), ("clustered by participant", effect.clustered)):
        if bounds is None:
            continue
        comparison_name = f"{effect.condition} against {model.baseline}"
        for name, effect_bounds in (
            (f"t, {bounds.degrees_of_freedom:g} degrees of freedom", bounds),
            ("z", bounds.normal),
        ):
            change_text = (
                f"{number(effect.percent, 1)} % ({interval_text(effect_bounds.low, effect_bounds.high, digits=1)})"
            )
            rows.append((comparison_name, error_kind, name, change_text, p_value_text(effect_bounds.p_value)))
    return rows


def _horizon_section(data: Dataset, foreign_table: ForeignTable) -> Section:
    """Horizons with and without METR's weights."""
    title = "Human time horizon"
    minutes: Mapping[str, float] = foreign_table.human_minutes_by_problem or human_minutes_and_unsolved_count(data)[0]
    numbers: dict[str, object] = {}
    cells: list[Sequence[Cell]] = []
    unaided_rows = [observation for observation in data.decided_observations if observation.solver == "human"]
    notices = (
        ["Human times are those of the column `human_minutes`."]
        if foreign_table.human_minutes_by_problem
        else [
            *reported_times_sentences(data.shown_time_source),
            *left_out_sentences(unaided_rows, data.shown_time_source),
        ]
    )
    fit_errors = []
    for group in data.groups:
        rows = [
            observation
            for observation in data.decided_observations
            if observation.group == group and not observation.is_person and observation.problem in minutes
        ]
        for weights in Weights if rows else ():
            try:
                fit = human_time_horizon(
                    [minutes[observation.problem] for observation in rows],
                    [observation.passed for observation in rows],
                    [observation.problem for observation in rows],
                    [observation.family for observation in rows],
                    weights=weights,
                    seed=data.seed,
                )
            except StatisticsError as error:
                fit_errors.append(f"{group}: {error}")
                continue
            numbers[f"{group}, {weights.value}"] = fit
            kind = "METR's" if weights is Weights.METR else "each attempt alike"
            for horizon in fit.horizons:
                beyond = "yes" if horizon.beyond_data else "no"
                horizon_cells = (
                    f"{100 * horizon.level:g} %",
                    number(horizon.minutes, 1),
                    interval_text(horizon.low, horizon.high, digits=1),
                    beyond,
                )
                cells.append((group, kind, *horizon_cells, fit.note))
    if not cells:
        explanation = (
            " ".join(fit_errors)
            or "It needs models' attempts (`solver`) and `human_minutes`, or people's at the same problems."
        )
        return Section("horizon", title, empty_reason=f"There is no horizon to fit. {explanation}")
    columns = ("model", "weights", "success rate", "minutes of people", "95 % interval", "outside the problems tried")
    return Section(
        "horizon",
        title,
        [*notices, *fit_errors],
        (),
        [SortableTable("Horizon, by model", (*columns, "note"), cells)],
        numbers,
    )
