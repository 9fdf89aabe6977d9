"""How well each group answers questions by skill and by topic (QuArch, section 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.questions.attempts import at_questions, rows_of
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Figure, Picture, Section, Table, count, number
from benchwright_analysis.report.sections.matrix import accuracy, by_label, figure, matrix
from benchwright_problems.problem import Skill

_FEWEST_SPOKES, _MOST_SPOKES = 3, 16
_REASONING = (Skill.ANALYZE.value, Skill.DESIGN.value, Skill.IMPLEMENT.value)


def profile(data: Dataset) -> Section | None:
    """Mean score by skill, over the skills that need reasoning, and by topic."""
    groups = rows_of(at_questions(data))
    skills = by_label(groups, lambda one: one.skill, [skill.value for skill in Skill], _score)
    topics = by_label(groups, lambda one: one.topic, value=_score)
    if not skills and not topics:
        return None
    pictures: list[Picture] = []
    numbers: dict[str, object] = {}
    if skills:
        whole = [*skills, *_together(groups)]
        table = matrix("skills", "Score by skill", whole, groups=data.groups, rows_are="group", note=_NOTE)
        pictures += _pictures("skill", skills, table, data.groups)
        numbers["skill"] = whole
    if topics:
        table = matrix("topics", "Score by topic", topics, groups=data.groups)
        pictures += _pictures("topic", topics, table, data.groups)
        numbers["topic"] = topics
    lead = (
        "Mean score of questions by what they ask for; each question counts alike. The dots show the same numbers with "
        "their intervals.",
    )
    numbers["labelled_by"] = by = _labelled_by(data, groups)
    told = [_told(kind, counts) for kind, counts in by.items() if list(counts) != ["data set"]]
    return Section("profile", "Skills and topics", [*lead, *told], pictures, (), numbers)


_NOTE = (
    "Reasoning: the questions of every skill but recall together, so that a skill counts by its number of questions, "
    "as in QuArch."
)


def _labelled_by(data: Dataset, groups: Mapping[str, Sequence[Observation]]) -> dict[str, Counter[str]]:
    """Kind of label → who gave it → questions."""
    found: dict[str, Counter[str]] = {}
    for problem in sorted({one.problem for rows in groups.values() for one in rows}):
        facts = data.facts.get(problem)
        for kind, by in facts.labelled_by if facts is not None else ():
            found.setdefault(kind, Counter())[by] += 1
    return found


def _told(kind: str, counts: Mapping[str, int]) -> str:
    named = ", ".join(f"{who} ({count(amount, 'question')})" for who, amount in counts.items())
    return f"Who says which {kind} a question has: {named}."


def _score(one: Observation) -> float:
    return one.score or 0.0


def _together(groups: Mapping[str, Sequence[Observation]]) -> list[Figure]:
    """The reasoning skills together, and all skills."""
    kinds = (("reasoning", _REASONING), ("all skills", tuple(skill.value for skill in Skill)))
    return [
        figure(group, name, accuracy(chosen, _score))
        for name, among in kinds
        for group, rows in groups.items()
        if (chosen := [one for one in rows if one.skill in among])
    ]


def _pictures(name: str, found: Sequence[Figure], table: Table, among: Sequence[str]) -> list[Picture]:
    everything = [group for group in among if any(one.row == group for one in found)]
    groups = everything[: charts.MOST_GROUPS]
    rows: list[charts.Row] = [
        {"label": one.column, "group": one.row, "value": one.value, "low": one.low, "high": one.high}
        for one in found
        if one.row in groups
    ]
    dots = Picture(
        f"{name}-dots",
        f"Score by {name}, with intervals",
        _best_and_worst(found, name, groups) + charts.drawn(groups, everything),
        charts.intervals(rows, groups, among=among, x="mean score", y=""),
        table,
    )
    labels = {one.column for one in found}
    complete = [group for group in groups if {one.column for one in found if one.row == group} == labels]
    if not _FEWEST_SPOKES <= len(labels) <= _MOST_SPOKES or not complete:
        return [dots]
    web = Picture(
        f"{name}-radar",
        f"Profile by {name}",
        f"A radar with one spoke for each {name}, from 0 in the middle to 1 at the rim. {dots.alt}",
        charts.radar([row for row in rows if row["group"] in complete], complete, among=among),
        table,
    )
    return [web, dots]


def _best_and_worst(found: Sequence[Figure], name: str, groups: Sequence[str]) -> str:
    told_of = []
    for group in groups:
        mine = sorted((one.value or 0.0, one.column) for one in found if one.row == group)
        (low, worst), (high, best) = mine[0], mine[-1]
        if len(mine) == 1:
            told_of.append(f"{group}: {number(high)} at {best}.")
        else:
            told_of.append(f"{group}: best at {best} ({number(high)}), worst at {worst} ({number(low)}).")
    return f"Mean score by {name}. " + " ".join(told_of)
