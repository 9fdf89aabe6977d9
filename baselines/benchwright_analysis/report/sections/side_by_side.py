"""People, people with a copilot, copilots, agents and models beside each other, on one clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchwright_analysis.completion.tables import told
from benchwright_analysis.report import charts
from benchwright_analysis.report.fold import Folded
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.section import Cell, Picture, Section, Table, number, percent
from benchwright_analysis.report.sections.time_compared import minutes_of, passed_of
from benchwright_analysis.statistics.crossed import crossed_mean, crossed_share
from benchwright_analysis.statistics.survival import kaplan_meier
from benchwright_judges.agreement.estimators import Estimate

_BOUNDS = {"never": "floor", "matches": "ceiling"}
_ANY = "–"


@dataclass(frozen=True)
class Column:
    """One group."""

    solver: str
    subjects: Sequence[Mapping[str, str]]
    """Programs that worked, each with name, version, configuration and policy."""
    registered: Mapping[str, object] | None
    """What the study file names."""
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
    tokens: float | None
    """Per attempt; None if nobody counted."""
    cost_usd: float | None
    """Per attempt."""
    failures: Mapping[str, int]
    """Why attempts were not solved → how many."""


def side_by_side(data: Dataset) -> Section | None:
    """Every group as a column; None if all who worked are of one kind, and the study plans nothing else."""
    if not data.analysed:
        return None
    missing = _missing(data)
    columns = {group: _column(data, group) for group in data.groups}
    kinds = {(one.solver, bool(one.subjects)) for one in columns.values()}
    if len(kinds) < 2 and not missing and not any(one.subjects for one in columns.values()):
        return None
    table = Table(
        "Side by side",
        ("measure", *columns),
        [(name, *(cell(one) for one in columns.values())) for name, cell in _ROWS],
        "Solved: of the attempts with a verdict. Minutes are on the attempt's clock; of people without the time in "
        "which nothing happened. The median to the first pass is Kaplan and Meier's: unsolved attempts count for as "
        "long as they lasted. Intervals are 95 % and hold for other problems, and other people.",
    )
    failed = _failures(columns)
    tables = [table, failed] if failed.rows else [table]
    pictures = [_picture(data, columns)]
    numbers = {"columns": columns, "missing": missing}
    return Section("side-by-side", "Side by side", _lead(data, columns, missing), pictures, tables, numbers)


def _column(data: Dataset, group: str) -> Column:
    found = data.of(group)
    rows = [one.observation for one in found]
    decided = sorted((one for one in rows if one.censored_by != "not_decided"), key=lambda one: one.attempt)
    timed = [one for one in decided if one.time_s > 0]
    subjects = sorted({tuple(sorted(one.assistance.program.items())) for one in found if one.assistance.program})
    policies = {dict(one).get("policy", "") for one in subjects}
    return Column(
        solver=rows[0].solver,
        subjects=[dict(one) for one in subjects],
        registered=_registered(data, group),
        bound=_BOUNDS.get(next(iter(policies)), "") if len(policies) == 1 else "",
        # A server whose model nobody knows is recorded by its own name.
        model=" ".join(sorted({one.model for one in rows} - {"", *(dict(one)["subject"] for one in subjects)})),
        attempts=len(rows),
        problems=len({one.problem for one in rows}),
        solved=crossed_share([one.passed for one in decided], data.cells(decided)).estimate if decided else None,
        minutes_to_pass=kaplan_meier(minutes_of(timed), passed_of(timed), data.cells(timed)).median if timed else None,
        minutes=crossed_mean([one.time_s / 60 for one in timed], data.cells(timed)).estimate if timed else None,
        tokens=_mean([one.total_tokens for one in rows if one.total_tokens]),
        cost_usd=_mean([one.cost_usd for one in rows if one.cost_usd is not None]),
        failures=_kinds(found),
    )


def _registered(data: Dataset, group: str) -> Mapping[str, object] | None:
    conditions = data.study.conditions if data.study is not None else ()
    subject = next((one.subject for one in conditions if one.name == group), None)
    return None if subject is None else subject.model_dump(mode="json", exclude_defaults=True)


def _differ(data: Dataset) -> bool:
    """Whether groups worked on different problems."""
    return len({frozenset(one.observation.problem for one in data.of(group)) for group in data.groups}) > 1


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _kinds(found: Sequence[Folded]) -> dict[str, int]:
    """Why attempts did not pass: how the program failed, else the newest verdict's reason."""
    return dict(
        sorted(
            Counter(
                f"subject: {one.assistance.failure}"
                if one.assistance.failure
                else one.observation.reason or one.observation.censored_by
                for one in found
                if not one.observation.passed
            ).items()
        )
    )


def _missing(data: Dataset) -> list[str]:
    """Conditions of the study of which no attempt counts."""
    planned = data.study.conditions if data.study is not None else ()
    return [one.name for one in planned if one.name not in data.groups]


def _lead(data: Dataset, columns: Mapping[str, Column], missing: Sequence[str]) -> list[str]:
    found = []
    if missing:
        verb = "has" if len(missing) == 1 else "have"
        found.append(f"{', '.join(missing)} {verb} no attempt that counts: the study plans them, and they are missing.")
    if _differ(data):
        found.append(
            "Not every group worked on the same problems, so compare shares and times only of columns with "
            "the same problems."
        )
    for group, one in columns.items():
        settings = {(each.get("subject_version", ""), each.get("configuration_sha256", "")) for each in one.subjects}
        if len(settings) > 1:
            found.append(f"Under {group} a program worked in {len(settings)} versions or configurations.")
        left_open = [name for name in ("version", "configuration") if not (one.registered or {}).get(name)]
        if one.registered is not None and left_open:
            found.append(
                f"The study file leaves open the {' and the '.join(left_open)} of {one.registered['name']} ({group})."
            )
    inline = [one for one in columns.values() if any(each.get("policy") for each in one.subjects)]
    if inline:
        for policy, bound in _BOUNDS.items():
            if not any(one.bound == bound for one in inline):
                found.append(f"No inline server was played with the policy {policy}, so there is no {bound} here.")
    return found


def _subject(one: Column) -> Cell:
    named = [
        f"{each['subject']} {each.get('subject_version', '')}".rstrip()
        + (f" [{each['configuration_sha256'][:8]}]" if each.get("configuration_sha256") else "")
        for each in one.subjects
    ]
    if not named and one.registered is not None:
        named = [f"{one.registered['name']} {one.registered.get('version', '')}".rstrip()]
    return "; ".join(named) or _ANY


def _policy(one: Column) -> Cell:
    policies = sorted({each["policy"] for each in one.subjects if each.get("policy")})
    return "; ".join(policies) + (f" ({one.bound})" if one.bound else "") or _ANY


_ROWS: Sequence[tuple[str, Callable[[Column], Cell]]] = (
    ("solver", lambda one: one.solver),
    ("subject", _subject),
    ("policy", _policy),
    ("model", lambda one: one.model or _ANY),
    ("attempts", lambda one: one.attempts),
    ("problems", lambda one: one.problems),
    ("solved (95 % interval)", lambda one: told(one.solved, share=True)),
    ("median minutes to the first pass (95 % interval)", lambda one: told(one.minutes_to_pass)),
    ("mean minutes, solved or not (95 % interval)", lambda one: told(one.minutes)),
    ("tokens per attempt", lambda one: _ANY if one.tokens is None else f"{one.tokens:,.0f}"),
    ("US$ per attempt", lambda one: number(one.cost_usd, 4)),
)


def _failures(columns: Mapping[str, Column]) -> Table:
    rows: list[Sequence[Cell]] = [
        (group, kind.replace("_", " "), amount)
        for group, one in columns.items()
        for kind, amount in one.failures.items()
    ]
    note = "The reason of the newest verdict of an attempt that never passed; `subject:` is a failure of the program."
    return Table("Not solved, by kind of failure", ("group", "kind", "attempts"), rows, note)


def _picture(data: Dataset, columns: Mapping[str, Column]) -> Picture:
    shown = list(columns)[: charts.MOST_GROUPS]
    rows: list[charts.Row] = [
        {"label": "solved", "group": group, "value": one.value, "low": one.low, "high": one.high}
        for group in shown
        if (one := columns[group].solved) is not None
    ]
    words = " ".join(f"{row['group']}: {percent(float(row['value'] or 0))}." for row in rows)
    table = Table(
        "Solved",
        ("group", "attempts", "solved (95 % interval)"),
        [(group, one.attempts, told(one.solved, share=True)) for group, one in columns.items()],
    )
    return Picture(
        "solved-side-by-side",
        "Solved, side by side",
        f"Share solved by each group. {words}{charts.drawn(shown, columns)}",
        charts.intervals(rows, shown, among=data.groups, x="solved", y=""),
        table,
    )
