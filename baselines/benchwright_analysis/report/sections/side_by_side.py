"""People, people with a copilot, copilots, agents and models beside each other, on one clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchwright_analysis.completion.tables import estimate_or_dash
from benchwright_analysis.report import charts
from benchwright_analysis.report.fold import FoldedAttempt
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Cell, Section, SectionPicture, SortableTable
from benchwright_analysis.report.sections.time_compared import minutes_of, pass_flags_of
from benchwright_analysis.report.sections.times_left_out import SOURCE_WORDS
from benchwright_analysis.statistics.crossed import crossed_mean, crossed_share
from benchwright_analysis.statistics.survival import kaplan_meier
from benchwright_attempts.clock.time_source import TimeSource
from benchwright_foundation.number_text import number, percent
from benchwright_judges.agreement.estimators import Estimate

_BOUNDS = {"never": "floor", "matches": "ceiling"}
_ANY = "–"


@dataclass(frozen=True)
class GroupColumn:
    """One group."""

    solver: str
    subjects: Sequence[Mapping[str, str]]
    """Programs that worked, each with name, version, configuration and policy."""
    registered: Mapping[str, object] | None
    """Values that the study file names."""
    bound: str
    """`floor` or `ceiling`, of an inline server that refuses everything or knows the reference; else empty."""
    model: str
    attempts: int
    problems: int
    solved: Estimate | None
    """Share of the attempts with a verdict."""
    minutes_to_pass: Estimate | None
    """Median, of all attempts with a verdict."""
    minutes: Estimate | None
    """Mean time on the clock, solved or not."""
    reported_minutes_to_pass: Estimate | None
    """Median of the attempts whose time a file reports."""
    reported_minutes: Estimate | None
    """Mean of these, solved or not."""
    times: Mapping[str, int]
    """Source of the time → how many attempts with a verdict have it."""
    tokens: float | None
    """Per attempt; None if nobody counted."""
    cost_usd: float | None
    """Per attempt."""
    failures: Mapping[str, int]
    """Reasons why attempts were not solved → how many."""


def side_by_side_section(data: Dataset) -> Section | None:
    """Every group as a column; None if all who worked are of one kind, and the study plans nothing else."""
    if not data.counted_attempts:
        return None
    missing = _conditions_without_attempts(data)
    columns = {group: _group_column(data, group) for group in data.groups}
    solver_kinds = {(column.solver, bool(column.subjects)) for column in columns.values()}
    if len(solver_kinds) < 2 and not missing and not any(column.subjects for column in columns.values()):
        return None
    table = SortableTable(
        "Side by side",
        ("measure", *columns),
        [
            (name, *(cell(column) for column in columns.values()))
            for name, cell in _ROWS
            if name not in _REPORTED_ROWS or any(column.reported_minutes for column in columns.values())
        ],
        "Solved: of the attempts with a verdict. Minutes are on the attempt's clock; of people without the time in "
        "which nothing happened. The median to the first pass is Kaplan and Meier's: unsolved attempts count for as "
        "long as they lasted. Intervals are 95 % and hold for other problems, and other people. Times that files "
        "report have rows of their own; attempts without a time are in none of them.",
    )
    failure_table = _failures_table(columns)
    tables = [table, failure_table] if failure_table.rows else [table]
    pictures = [_solved_shares_picture(data, columns)]
    numbers = {"columns": columns, "missing": missing}
    return Section("side-by-side", "Side by side", _lead_sentences(data, columns, missing), pictures, tables, numbers)


def _group_column(data: Dataset, group: str) -> GroupColumn:
    attempts = data.counted_attempts_in(group)
    rows = [attempt.observation for attempt in attempts]
    decided_observations = sorted(
        (observation for observation in rows if observation.censored_by != "not_decided"),
        key=lambda observation: observation.attempt,
    )
    with_time = [observation for observation in decided_observations if observation.time_s]
    timed = [observation for observation in with_time if observation.time_source == TimeSource.CLOCK]
    reported = [observation for observation in with_time if observation.time_source == TimeSource.REPORTED]
    subjects = sorted(
        {tuple(sorted(attempt.assistance.program.items())) for attempt in attempts if attempt.assistance.program}
    )
    policies = {dict(subject).get("policy", "") for subject in subjects}
    return GroupColumn(
        solver=rows[0].solver,
        subjects=[dict(subject) for subject in subjects],
        registered=_registered_subject_values(data, group),
        bound=_BOUNDS.get(next(iter(policies)), "") if len(policies) == 1 else "",
        # A server whose model nobody knows is recorded by its own name.
        model=" ".join(
            sorted({subject.model for subject in rows} - {"", *(dict(subject)["subject"] for subject in subjects)})
        ),
        attempts=len(rows),
        problems=len({observation.problem for observation in rows}),
        solved=crossed_share(
            [observation.passed for observation in decided_observations], data.crossed_cells(decided_observations)
        ).estimate
        if decided_observations
        else None,
        minutes_to_pass=_median_minutes(timed),
        minutes=_mean_minutes(timed),
        reported_minutes_to_pass=_median_minutes(reported),
        reported_minutes=_mean_minutes(reported),
        times=dict(Counter(observation.time_source for observation in decided_observations)),
        tokens=_mean_if_any([observation.total_tokens for observation in rows if observation.total_tokens]),
        cost_usd=_mean_if_any([observation.cost_usd for observation in rows if observation.cost_usd is not None]),
        failures=_failure_counts_by_reason(attempts),
    )


def _median_minutes(rows: Sequence[Observation]) -> Estimate | None:
    return kaplan_meier(minutes_of(rows), pass_flags_of(rows), Dataset.crossed_cells(rows)).median if rows else None


def _mean_minutes(rows: Sequence[Observation]) -> Estimate | None:
    return crossed_mean(minutes_of(rows), Dataset.crossed_cells(rows)).estimate if rows else None


def _registered_subject_values(data: Dataset, group: str) -> Mapping[str, object] | None:
    conditions = data.study.conditions if data.study is not None else ()
    subject = next((condition.subject for condition in conditions if condition.name == group), None)
    return None if subject is None else subject.model_dump(mode="json", exclude_defaults=True)


def _have_different_problems(data: Dataset) -> bool:
    """True if groups worked on different problems."""
    return (
        len(
            {
                frozenset(attempt.observation.problem for attempt in data.counted_attempts_in(group))
                for group in data.groups
            }
        )
        > 1
    )


def _mean_if_any(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _failure_counts_by_reason(attempts: Sequence[FoldedAttempt]) -> dict[str, int]:
    """Reasons why attempts did not pass: how the program failed, else the newest verdict's reason."""
    return dict(
        sorted(
            Counter(
                f"subject: {attempt.assistance.failure}"
                if attempt.assistance.failure
                else attempt.observation.reason or attempt.observation.censored_by
                for attempt in attempts
                if not attempt.observation.passed
            ).items()
        )
    )


def _conditions_without_attempts(data: Dataset) -> list[str]:
    """Conditions of the study of which no attempt counts."""
    planned = data.study.conditions if data.study is not None else ()
    return [condition.name for condition in planned if condition.name not in data.groups]


def _lead_sentences(
    data: Dataset, column_by_group: Mapping[str, GroupColumn], conditions_without_attempts: Sequence[str]
) -> list[str]:
    sentences = []
    if conditions_without_attempts:
        verb = "has" if len(conditions_without_attempts) == 1 else "have"
        sentences.append(
            f"{', '.join(conditions_without_attempts)} {verb} no attempt that counts: the study plans them, "
            "and they are missing."
        )
    if _have_different_problems(data):
        sentences.append(
            "Not every group worked on the same problems, so compare shares and times only of columns with "
            "the same problems."
        )
    for group, column in column_by_group.items():
        subject_settings = {
            (subject.get("subject_version", ""), subject.get("configuration_sha256", "")) for subject in column.subjects
        }
        if len(subject_settings) > 1:
            sentences.append(f"Under {group} a program worked in {len(subject_settings)} versions or configurations.")
        left_open = [name for name in ("version", "configuration") if not (column.registered or {}).get(name)]
        if column.registered is not None and left_open:
            sentences.append(
                f"The study file leaves open the {' and the '.join(left_open)} of {column.registered['name']} "
                f"({group})."
            )
    inline = [
        column for column in column_by_group.values() if any(subject.get("policy") for subject in column.subjects)
    ]
    if inline:
        for policy, bound in _BOUNDS.items():
            if not any(column.bound == bound for column in inline):
                sentences.append(f"No inline server was played with the policy {policy}, so there is no {bound} here.")
    return sentences


def _subjects_cell(column: GroupColumn) -> Cell:
    subject_names = [
        f"{subject['subject']} {subject.get('subject_version', '')}".rstrip()
        + (f" [{subject['configuration_sha256'][:8]}]" if subject.get("configuration_sha256") else "")
        for subject in column.subjects
    ]
    if not subject_names and column.registered is not None:
        subject_names = [f"{column.registered['name']} {column.registered.get('version', '')}".rstrip()]
    return "; ".join(subject_names) or _ANY


def _policies_cell(column: GroupColumn) -> Cell:
    policies = sorted({subject["policy"] for subject in column.subjects if subject.get("policy")})
    return "; ".join(policies) + (f" ({column.bound})" if column.bound else "") or _ANY


_REPORTED_ROWS = (
    "median minutes to the first pass, as reported (95 % interval)",
    "mean minutes, solved or not, as reported (95 % interval)",
)


def _minutes_cell(minutes: Estimate | None) -> Cell:
    """A time with its interval: a digit after the point, and two where that would be too few."""
    is_short = minutes is None or (minutes.value or 0.0) < 10
    return estimate_or_dash(minutes, digits=2 if is_short else 1)


def _time_sources_cell(attempts_by_time_source: Mapping[str, int]) -> Cell:
    """The sources of a group's times, with their numbers of attempts."""
    return (
        ", ".join(
            f"{attempts_by_time_source[source]} {SOURCE_WORDS[source]}"
            for source in TimeSource
            if attempts_by_time_source.get(source)
        )
        or _ANY
    )


_ROWS: Sequence[tuple[str, Callable[[GroupColumn], Cell]]] = (
    ("solver", lambda column: column.solver),
    ("subject", _subjects_cell),
    ("policy", _policies_cell),
    ("model", lambda column: column.model or _ANY),
    ("attempts", lambda column: column.attempts),
    ("problems", lambda column: column.problems),
    ("solved (95 % interval)", lambda column: estimate_or_dash(column.solved, as_share=True)),
    ("median minutes to the first pass (95 % interval)", lambda column: _minutes_cell(column.minutes_to_pass)),
    ("mean minutes, solved or not (95 % interval)", lambda column: _minutes_cell(column.minutes)),
    (_REPORTED_ROWS[0], lambda column: _minutes_cell(column.reported_minutes_to_pass)),
    (_REPORTED_ROWS[1], lambda column: _minutes_cell(column.reported_minutes)),
    ("times", lambda column: _time_sources_cell(column.times)),
    ("tokens per attempt", lambda column: _ANY if column.tokens is None else f"{column.tokens:,.0f}"),
    ("US$ per attempt", lambda column: number(column.cost_usd, 4)),
)


def _failures_table(column_by_group: Mapping[str, GroupColumn]) -> SortableTable:
    rows: list[Sequence[Cell]] = [
        (group, kind.replace("_", " "), amount)
        for group, column in column_by_group.items()
        for kind, amount in column.failures.items()
    ]
    note = "The reason of the newest verdict of an attempt that never passed; `subject:` is a failure of the program."
    return SortableTable("Not solved, by kind of failure", ("group", "kind", "attempts"), rows, note)


def _solved_shares_picture(data: Dataset, column_by_group: Mapping[str, GroupColumn]) -> SectionPicture:
    shown_groups = list(column_by_group)[: charts.MOST_GROUPS]
    rows: list[charts.Row] = [
        {"label": "solved", "group": group, "value": estimate.value, "low": estimate.low, "high": estimate.high}
        for group in shown_groups
        if (estimate := column_by_group[group].solved) is not None
    ]
    words = " ".join(f"{row['group']}: {percent(float(row['value'] or 0))}." for row in rows)
    table = SortableTable(
        "Solved",
        ("group", "attempts", "solved (95 % interval)"),
        [
            (group, column.attempts, estimate_or_dash(column.solved, as_share=True))
            for group, column in column_by_group.items()
        ],
    )
    return SectionPicture(
        "solved-side-by-side",
        "Solved, side by side",
        f"Share solved by each group. {words}{charts.note_if_omitted(shown_groups, column_by_group)}",
        charts.interval_chart(rows, shown_groups, colour_order=data.groups, x_title="solved", y_title=""),
        table,
    )
