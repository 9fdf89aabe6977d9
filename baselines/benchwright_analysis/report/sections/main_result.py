"""The answer of a report in one table: by condition, how many solved it, how fast, how sure."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.exclusions import exclusion_count_by_words
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, Section, SortableTable, text_with_interval
from benchwright_analysis.report.sections.group_result import GroupResult, MainResult
from benchwright_analysis.report.sections.headline import headline_picture, headline_sentence
from benchwright_analysis.report.sections.success_compared import have_own_tasks, solved_difference
from benchwright_analysis.report.sections.time_compared import (
    as_percentage_points,
    compare_times_with_first,
    comparison_limit,
    minutes_of,
    pass_flags_of,
    percent_change_text,
    timed_observations_by_condition,
)
from benchwright_analysis.report.sections.times_left_out import left_out_sentences
from benchwright_analysis.statistics.crossed import crossed_share
from benchwright_analysis.statistics.crossed_design import FEWEST_CLUSTERS
from benchwright_analysis.statistics.restricted_mean import restricted_mean
from benchwright_studies.plan.vocabulary import Population


def compute_main_result(data: Dataset) -> MainResult:
    """Content of the table at the top of the page."""
    timed = timed_observations_by_condition(data)
    limit = comparison_limit(timed) if timed else None
    comparisons_by_group = (
        {comparison.other: comparison for comparison in compare_times_with_first(data, timed, limit)[0]}
        if limit is not None
        else {}
    )
    groups = [
        group for group in data.groups if any(observation.group == group for observation in data.decided_observations)
    ]
    group_results = []
    baseline_observations = [
        observation for observation in data.decided_observations if groups and observation.group == groups[0]
    ]
    for group in groups:
        rows = [observation for observation in data.decided_observations if observation.group == group]
        mean = None
        if limit is not None and group in timed:
            timed_rows = timed[group]
            mean = restricted_mean(
                minutes_of(timed_rows), pass_flags_of(timed_rows), limit.minutes, Dataset.crossed_cells(timed_rows)
            )
        group_results.append(
            GroupResult(
                group=group,
                attempts=len(rows),
                people=len({observation.participant for observation in rows if observation.is_person}),
                problems=len({observation.problem for observation in rows}),
                solved=crossed_share(pass_flags_of(rows), Dataset.crossed_cells(rows)),
                solved_difference=None if group == groups[0] else solved_difference(baseline_observations, rows),
                minutes=mean,
                time=comparisons_by_group.get(group),
            )
        )
    people_rows = [observation for observation in data.decided_observations if observation.is_person]
    return MainResult(
        tuple(group_results),
        limit,
        data.shown_time_source,
        tuple(left_out_sentences(people_rows, data.shown_time_source, "of the times")),
        " ".join(filter(None, (_own_tasks_sentence(people_rows), _cluster_sentence(people_rows)))),
    )


def _own_tasks_sentence(people_rows: Sequence[Observation]) -> str:
    """Of designs in which nobody shares a task; empty for others."""
    if not have_own_tasks(people_rows):
        return ""
    return (
        "Each task is one person's own, so people are compared with themselves, and intervals hold for other people "
        "with tasks of their own."
    )


def _cluster_sentence(people_rows: Sequence[Observation]) -> str:
    """Of sites or sections: whether the intervals hold for others; empty if there are none."""
    clusters = {observation.cluster for observation in people_rows} - {""}
    if not clusters:
        return ""
    if len(clusters) >= FEWEST_CLUSTERS:
        return (
            f"Participants come from {len(clusters)} sites or sections, whose members have something in common: "
            "intervals of people hold for other sites or sections."
        )
    return (
        f"Participants come from {len(clusters)} sites or sections. It takes {FEWEST_CLUSTERS} to see how much these "
        "vary, so intervals hold for other people at the same ones."
    )


def main_result_table(result: MainResult) -> SortableTable:
    """For the page."""
    up_to = f" up to {result.limit.minutes_text} min" if result.limit is not None else ""
    baseline_name = result.rows[0].group if result.rows else ""
    rows: list[list[Cell]] = []
    digits = 1 if result.limit is None or result.limit.minutes >= 2 else 3
    for group_result in result.rows:
        time_change = group_result.time.change if group_result.time is not None else None
        rows.append(
            [
                group_result.group,
                text_with_interval(group_result.solved.estimate, as_share=True),
                "–"
                if group_result.solved_difference is None
                else text_with_interval(as_percentage_points(group_result.solved_difference), digits=1),
                "–"
                if group_result.minutes is None
                else text_with_interval(group_result.minutes.estimate, digits=digits),
                "–" if time_change is None else percent_change_text(time_change),
                group_result.attempts,
                group_result.people or "–",
                group_result.problems,
            ]
        )
    columns = [
        "condition",
        "solved",
        f"percentage points more than {baseline_name}",
        f"mean minutes{up_to}",
        f"change of time against {baseline_name}",
        "attempts",
        "people",
        "problems",
    ]
    has_others = len(rows) > 1
    if not has_others:
        # Nothing is compared with itself.
        columns = [columns[place] for place in (0, 1, 3, 5, 6, 7)]
        rows = [[row[place] for place in (0, 1, 3, 5, 6, 7)] for row in rows]
    notes = {
        crossed.note
        for group_result in result.rows
        for crossed in (group_result.solved, group_result.minutes)
        if crossed is not None and crossed.note
    }
    limit_note = (
        f"Times are averaged up to {result.limit.minutes_text} minutes, {result.limit.why}. " if result.limit else ""
    )
    if result.limit:
        limit_note += "".join(f"{sentence} " for sentence in result.left_out)
    note = (
        f"{limit_note}{'Differences are over the problems that both tried. ' if has_others else ''}In brackets 95 % "
        f"intervals, for other people at other problems. {' '.join(filter(None, (result.scope, *sorted(notes))))}"
    ).strip()
    return SortableTable("The answer, by condition", tuple(columns), rows, note)


def main_result_section(data: Dataset) -> Section:
    """First section of the report: over the attempts that the study planned its primary analysis for."""
    title = "The answer"
    data_of_planned_population = data.in_planned_population()
    if not data_of_planned_population.decided_observations:
        reasons = ", ".join(f"{n} {reason}" for reason, n in exclusion_count_by_words(data.observations).items())
        why = f" Left out: {reasons}." if reasons else ""
        empty_reason = f"No attempt that counts has a verdict, so there is no answer yet.{why}"
        return Section(
            "answer", title, empty_reason=empty_reason, headline=headline_sentence(data_of_planned_population, None)
        )
    result = compute_main_result(data_of_planned_population)
    numbers = {"conditions": result.rows, "limit": result.limit, "population": data.population.value}
    table = main_result_table(result)
    return Section(
        "answer",
        title,
        _registration_sentences(data),
        (headline_picture(data_of_planned_population, result, table),),
        (table,),
        numbers,
        headline=headline_sentence(data_of_planned_population, result),
    )


def _registration_sentences(data: Dataset) -> list[str]:
    study = data.study
    if study is None or not study.people_conditions:
        return []
    planned = study.analysis
    if data.registration is None or planned is None:
        sentence = "Exploratory: the study was not preregistered."
    else:
        secondary = ", ".join(measure.value for measure in planned.secondary)
        sentence = f"Preregistered. Primary outcome: {planned.primary.value}. Secondary: {secondary or 'none'}."
    if all(observation.is_analysed for observation in data.observations if observation.intended):
        return [sentence]
    return [f"{sentence} {_COUNTED[data.population]}"]


_COUNTED = {
    Population.INTENTION_TO_TREAT: (
        "By intention to treat, as planned: nobody is left out by a rule of the study file. “Who counts” has the same "
        "per protocol."
    ),
    Population.PER_PROTOCOL: (
        "Per protocol: without the attempts that rules of the study file leave out. “Who counts” has the same by "
        "intention to treat."
    ),
}
