"""Populations: by intention to treat beside per protocol, and what each rule leaves out under each condition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.exclusions import one_sidedness_note, rule_sentence
from benchwright_analysis.report.section import Cell, Section, SortableTable
from benchwright_analysis.report.sections.main_result import compute_main_result, main_result_table
from benchwright_analysis.report.sections.success import success_section
from benchwright_analysis.report.sections.time_to_pass import time_to_pass_section
from benchwright_foundation.number_text import percent
from benchwright_studies.plan.vocabulary import Population

_TITLE = "Who counts"
_COMPARISON = "comparison"
"""The first column of tables that compare groups."""


def populations_section(data: Dataset) -> Section:
    """Attempts of people by intention to treat and per protocol."""
    study = data.study
    if study is None or not study.people_conditions or not data.drawn_task_count_by_condition:
        return Section("populations", _TITLE, empty_reason="Only a study draws conditions for people.")
    counts = _task_counts_by_condition(data)
    left_out, sided = _exclusion_counts_and_notes(data)
    tables = [_task_counts_table(counts)]
    if left_out:
        tables.append(_exclusions_table(left_out, sided, list(counts)))
    numbers: dict[str, object] = {
        "conditions": counts,
        "left_out": left_out,
        "one_sided": {rule: explanation for rule, explanation in sided.items() if explanation},
        "concealed": dict(data.participant_count_by_plan_kind),
    }
    lead = _lead_sentences(data, sided)
    if all(observation.is_analysed for observation in data.observations if observation.intended):
        lead.append("Nothing was left out, so both are the same here.")
        return Section("populations", _TITLE, lead, (), tables, numbers)
    other_population = _OTHER[data.population]
    other_result = compute_main_result(
        data if other_population is Population.PER_PROTOCOL else data.with_intention_to_treat()
    )
    numbers[f"answer_{_WORDS[other_population].replace(' ', '_')}"] = other_result
    tables.append(
        replace(main_result_table(other_result), title=f"The answer {_WORDS[other_population]}, by condition")
    )
    compared = _comparisons_table(data)
    if compared.rows:
        tables.append(compared)
    return Section("populations", _TITLE, lead, (), tables, numbers)


def _lead_sentences(data: Dataset, one_sided_notes: Mapping[str, str]) -> list[str]:
    lead = [
        "By intention to treat, every task counts under the condition that was drawn for it. Per protocol, rules "
        "of the study file leave attempts out. They depend on what happened after the draw, so they can favour one "
        "condition."
    ]
    if data.study is not None and data.study.analysis is not None:
        lead.append(f"The primary analysis is planned {_WORDS[data.population]}.")
    unequal = [f"“{rule}” {explanation}" for rule, explanation in one_sided_notes.items() if explanation]
    if unequal:
        lead.append(f"Rules that do not treat conditions alike: {'; '.join(unequal)}.")
    sealed, everybody = (
        data.participant_count_by_plan_kind.get("sealed", 0),
        sum(data.participant_count_by_plan_kind.values()),
    )
    lead.append(
        f"The allocation was concealed from {sealed} of {everybody} participants until they had given their forecasts."
        + ("" if sealed == everybody else " The other machines had the study file with its seed.")
    )
    return lead


_WORDS = {Population.INTENTION_TO_TREAT: "by intention to treat", Population.PER_PROTOCOL: "per protocol"}
_OTHER = dict(zip(_WORDS, reversed(_WORDS), strict=True))


def _task_counts_by_condition(data: Dataset) -> dict[str, dict[str, int | float]]:
    names = [condition.name for condition in data.study.people_conditions] if data.study is not None else []
    people_rows = [
        observation
        for observation in data.observations
        if observation.is_person and observation.study and not observation.practice
    ]
    counts_by_condition: dict[str, dict[str, int | float]] = {}
    for name in names:
        condition_rows = [observation for observation in people_rows if observation.condition == name]
        intended = [observation for observation in condition_rows if observation.intended]
        drawn_count = data.drawn_task_count_by_condition.get(name, 0)
        solved_count = sum(observation.passed for observation in intended)
        counts_by_condition[name] = {
            "drawn": drawn_count,
            "begun": len(condition_rows),
            "still_open": sum(not observation.intended for observation in condition_rows),
            "intention_to_treat": len(intended),
            "per_protocol": sum(observation.is_analysed for observation in condition_rows),
            "solved": solved_count,
            "solved_share_of_drawn": solved_count / drawn_count if drawn_count else 0.0,
        }
    return counts_by_condition


def _task_counts_table(counts_by_condition: Mapping[str, Mapping[str, int | float]]) -> SortableTable:
    rows: list[Sequence[Cell]] = [
        (name, *(counts_row[key] for key in list(counts_row)[:-1]), percent(float(counts_row["solved_share_of_drawn"])))
        for name, counts_row in counts_by_condition.items()
    ]
    return SortableTable(
        "Tasks of people, from the draw to the analysis",
        (
            *("condition", "drawn", "begun", "still open", "by intention to treat", "per protocol"),
            *("solved (intention to treat)", "solved, of all drawn"),
        ),
        rows,
        "The last column counts tasks that were drawn and never finished as not solved, so that dropping out can't "
        "make a condition look better.",
    )


def _exclusion_counts_and_notes(data: Dataset) -> tuple[dict[str, dict[str, int]], dict[str, str]]:
    study = data.study
    left_out_counts: dict[str, dict[str, int]] = {}
    sided: dict[str, str] = {}
    for rule in study.exclusions if study is not None else ():
        rule_text = rule_sentence(rule)
        hit = [observation for observation in data.observations if rule_text in observation.excluded_by.split("; ")]
        left_out_counts[rule_text] = dict(Counter(observation.condition for observation in hit))
        if study is not None:
            sided[rule_text] = one_sidedness_note(rule, study, hit)
    return left_out_counts, sided


def _exclusions_table(
    counts_by_rule: Mapping[str, Mapping[str, int]], one_sided_notes: Mapping[str, str], conditions: Sequence[str]
) -> SortableTable:
    rows: list[Sequence[Cell]] = [
        (rule, *(hits.get(name, 0) for name in conditions), one_sided_notes[rule] or "–")
        for rule, hits in counts_by_rule.items()
    ]
    note = "Attempts; one that several rules leave out is in each of their rows."
    return SortableTable("Left out per protocol, by condition", ("rule", *conditions, "one-sided"), rows, note)


def _comparisons_table(data: Dataset) -> SortableTable:
    """Every comparison of the report, over both sets of attempts, by the same estimators."""
    intended, protocol = _comparison_texts(data.with_intention_to_treat()), _comparison_texts(data)
    rows: list[Sequence[Cell]] = [
        (*comparison_key, intended.get(comparison_key, "–"), protocol.get(comparison_key, "–"))
        for comparison_key in dict.fromkeys([*intended, *protocol])
    ]
    return SortableTable(
        "Comparisons by intention to treat and per protocol",
        (_COMPARISON, "what", "by intention to treat", "per protocol"),
        rows,
        "The same estimators over both sets. Where the columns differ, the rules decide the result.",
    )


def _comparison_texts(data: Dataset) -> dict[tuple[str, str], str]:
    comparisons: dict[tuple[str, str], str] = {}
    # Rules for people leave no attempt of a model out.
    people = {
        f"{first_group} against {second_group}"
        for first_group in data.people_groups
        for second_group in data.people_groups
    }
    for section in (success_section(data), time_to_pass_section(data.with_time_source(data.shown_time_source))):
        for table in section.tables:
            if table.columns[0] != _COMPARISON:
                continue
            has_what = table.columns[1] == "what"
            for row in (row for row in table.rows if row[0] in people):
                quantity = str(row[1]) if has_what else table.title
                column_cells = zip(table.columns[2 if has_what else 1 :], row[2 if has_what else 1 :], strict=True)
                summary = "; ".join(
                    str(cell) if "interval" in column else f"{column} {cell}"
                    for column, cell in column_cells
                    if cell != "–"
                )
                comparisons[str(row[0]), quantity] = summary
    return comparisons
