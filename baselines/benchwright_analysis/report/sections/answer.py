"""The answer of a report in one table: by condition, how many solved it, how fast, how sure."""

from __future__ import annotations

from dataclasses import dataclass

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.section import Cell, Section, Table, with_interval
from benchwright_analysis.report.sections.success_compared import solved_difference
from benchwright_analysis.report.sections.time_compared import (
    Limit,
    TimeComparison,
    by_condition,
    compare,
    in_percent,
    in_percentage_points,
    limit_of,
    minutes_of,
    passed_of,
)
from benchwright_analysis.statistics.crossed import Crossed, crossed_share
from benchwright_analysis.statistics.restricted_mean import restricted_mean
from benchwright_studies.plan.vocabulary import Population


@dataclass(frozen=True)
class Answer:
    """One condition, or one model."""

    group: str
    attempts: int
    people: int
    problems: int
    solved: Crossed
    solved_difference: Crossed | None
    """Against the first condition, as a share; `None` for the first one, or where it can't be compared."""
    minutes: Crossed | None
    """Mean up to the limit; `None` for models, and where no clock ran."""
    time: TimeComparison | None
    """Against the first condition of people."""


@dataclass(frozen=True)
class Answers:
    """All conditions, the baseline first."""

    rows: tuple[Answer, ...]
    limit: Limit | None
    """Up to when times are averaged; `None` if there are none."""


def answers(data: Dataset) -> Answers:
    """What the table at the top of the page says."""
    timed = by_condition(data)
    limit = limit_of(timed) if timed else None
    times = {one.other: one for one in compare(data, timed, limit)[0]} if limit is not None else {}
    groups = [group for group in data.groups if any(one.group == group for one in data.decided)]
    found = []
    first = [one for one in data.decided if groups and one.group == groups[0]]
    for group in groups:
        rows = [one for one in data.decided if one.group == group]
        mean = None
        if limit is not None and group in timed:
            own = timed[group]
            mean = restricted_mean(minutes_of(own), passed_of(own), limit.minutes, Dataset.cells(own))
        found.append(
            Answer(
                group=group,
                attempts=len(rows),
                people=len({one.participant for one in rows if one.is_person}),
                problems=len({one.problem for one in rows}),
                solved=crossed_share(passed_of(rows), Dataset.cells(rows)),
                solved_difference=None if group == groups[0] else solved_difference(first, rows),
                minutes=mean,
                time=times.get(group),
            )
        )
    return Answers(tuple(found), limit)


def answer_table(found: Answers) -> Table:
    """For the page."""
    up_to = f" up to {found.limit.told} min" if found.limit is not None else ""
    first = found.rows[0].group if found.rows else ""
    rows: list[list[Cell]] = []
    digits = 1 if found.limit is None or found.limit.minutes >= 2 else 3
    for one in found.rows:
        change = one.time.change if one.time is not None else None
        rows.append(
            [
                one.group,
                with_interval(one.solved.estimate, share=True),
                "–"
                if one.solved_difference is None
                else with_interval(in_percentage_points(one.solved_difference), digits=1),
                "–" if one.minutes is None else with_interval(one.minutes.estimate, digits=digits),
                "–" if change is None else in_percent(change),
                one.attempts,
                one.people or "–",
                one.problems,
            ]
        )
    columns = (
        "condition",
        "solved",
        f"percentage points more than {first}",
        f"mean minutes{up_to}",
        f"change of time against {first}",
        "attempts",
        "people",
        "problems",
    )
    notes = {one.note for row in found.rows for one in (row.solved, row.minutes) if one is not None and one.note}
    why = f"Times are averaged up to {found.limit.told} minutes, {found.limit.why}. " if found.limit else ""
    note = (
        f"{why}Differences are over the problems that both tried. In brackets 95 % intervals, for other people at "
        f"other problems. {' '.join(sorted(notes))}"
    ).strip()
    return Table("The answer, by condition", columns, rows, note)


def answer(data: Dataset) -> Section:
    """What the report begins with: over the attempts that the study planned its primary analysis for."""
    title = "The answer"
    counted = data.as_planned()
    if not counted.decided:
        return Section("answer", title, without="No attempt that counts has a verdict, so there is no answer yet.")
    found = answers(counted)
    numbers = {"conditions": found.rows, "limit": found.limit, "population": data.population.value}
    return Section("answer", title, _lead(data), (), (answer_table(found),), numbers)


def _lead(data: Dataset) -> list[str]:
    study = data.study
    if study is None or not study.people_conditions:
        return []
    planned = study.analysis
    if data.registration is None or planned is None:
        told = "Exploratory: the study was not preregistered."
    else:
        secondary = ", ".join(one.value for one in planned.secondary)
        told = f"Preregistered. Primary outcome: {planned.primary.value}. Secondary: {secondary or 'none'}."
    if all(one.is_analysed for one in data.observations if one.intended):
        return [told]
    return [f"{told} {_COUNTED[data.population]}"]


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
