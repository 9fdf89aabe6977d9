"""Accuracy of each group at questions by skill and by topic (QuArch, section 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from benchwright_analysis.report import charts
from benchwright_analysis.report.questions.attempts import observations_by_group, question_attempts_by_group
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Section, SectionPicture, SortableTable, TableNumber, counted
from benchwright_analysis.report.sections.matrix import (
    accuracy_by_label,
    mean_over_problems,
    table_number_of_share,
    table_of_numbers,
)
from benchwright_foundation.number_text import number
from benchwright_problems.problem import Skill

_FEWEST_SPOKES, _MOST_SPOKES = 3, 16
_REASONING = (Skill.ANALYZE.value, Skill.DESIGN.value, Skill.IMPLEMENT.value)


def skills_and_topics_section(data: Dataset) -> Section | None:
    """Mean score by skill, over the skills that need reasoning, and by topic."""
    groups = observations_by_group(question_attempts_by_group(data))
    skills = accuracy_by_label(
        groups, lambda observation: observation.skill, [skill.value for skill in Skill], _score_or_0
    )
    topics = accuracy_by_label(groups, lambda observation: observation.topic, score_of=_score_or_0)
    if not skills and not topics:
        return None
    pictures: list[SectionPicture] = []
    numbers: dict[str, object] = {}
    if skills:
        skill_figures = [*skills, *_skill_set_numbers(groups)]
        table = table_of_numbers(
            "skills", "Score by skill", skill_figures, first_row_names=data.groups, row_heading="group", note=_NOTE
        )
        pictures += _label_pictures("skill", skills, table, data.groups)
        numbers["skill"] = skill_figures
    if topics:
        table = table_of_numbers("topics", "Score by topic", topics, first_row_names=data.groups)
        pictures += _label_pictures("topic", topics, table, data.groups)
        numbers["topic"] = topics
    crossed = _topic_and_skill_numbers(groups)
    tables = []
    if crossed:
        numbers["topic_and_skill"] = crossed
        tables = [
            table_of_numbers(
                "topics-and-skills",
                "Score by topic and skill",
                crossed,
                first_row_names=sorted({figure.row for figure in crossed}),
                row_heading="topic, group",
            )
        ]
    lead = (
        "Mean score of questions by what they ask for; each question counts alike. The dots show the same numbers with "
        "their intervals.",
    )
    numbers["labelled_by"] = labellers = _counts_by_label_kind_and_labeller(data, groups)
    label_notes = [
        _labellers_sentence(kind, counts) for kind, counts in labellers.items() if list(counts) != ["data set"]
    ]
    return Section("profile", "Skills and topics", [*lead, *label_notes], pictures, tables, numbers)


_NOTE = (
    "Reasoning: the questions of every skill but recall together, so that a skill counts by its number of questions, "
    "as in QuArch."
)


def _counts_by_label_kind_and_labeller(
    data: Dataset, groups: Mapping[str, Sequence[Observation]]
) -> dict[str, Counter[str]]:
    """Kind of label → who gave it → questions."""
    counts_by_kind: dict[str, Counter[str]] = {}
    for problem in sorted({observation.problem for rows in groups.values() for observation in rows}):
        problem_facts = data.problem_facts.get(problem)
        for kind, labeller in problem_facts.labelled_by if problem_facts is not None else ():
            counts_by_kind.setdefault(kind, Counter())[labeller] += 1
    return counts_by_kind


def _labellers_sentence(label_kind: str, count_by_labeller: Mapping[str, int]) -> str:
    labeller_counts = ", ".join(
        f"{labeller} ({counted(amount, 'question')})" for labeller, amount in count_by_labeller.items()
    )
    return f"Who says which {label_kind} a question has: {labeller_counts}."


def _score_or_0(observation: Observation) -> float:
    return observation.score or 0.0


def _skill_set_numbers(groups: Mapping[str, Sequence[Observation]]) -> list[TableNumber]:
    """The reasoning skills together, and all skills."""
    skill_sets = (("reasoning", _REASONING), ("all skills", tuple(skill.value for skill in Skill)))
    return [
        table_number_of_share(group, name, mean_over_problems(chosen, _score_or_0))
        for name, kind_skills in skill_sets
        for group, rows in groups.items()
        if (chosen := [observation for observation in rows if observation.skill in kind_skills])
    ]


def _topic_and_skill_numbers(groups: Mapping[str, Sequence[Observation]]) -> list[TableNumber]:
    """A row for each topic of a group, a column for each skill; questions that have both labels."""
    labelled = {group: [row for row in rows if row.topic and row.skill] for group, rows in groups.items()}
    topics = sorted({observation.topic for rows in labelled.values() for observation in rows})
    return accuracy_by_label(
        {
            f"{topic}, {group}": chosen
            for topic in topics
            for group, rows in labelled.items()
            if (chosen := [observation for observation in rows if observation.topic == topic])
        },
        lambda observation: observation.skill,
        [skill.value for skill in Skill],
        _score_or_0,
    )


def _label_pictures(
    label_kind: str, table_numbers: Sequence[TableNumber], table: SortableTable, report_groups: Sequence[str]
) -> list[SectionPicture]:
    all_groups = [group for group in report_groups if any(cell.row == group for cell in table_numbers)]
    groups = all_groups[: charts.MOST_GROUPS]
    rows: list[charts.Row] = [
        {"label": cell.column, "group": cell.row, "value": cell.value, "low": cell.low, "high": cell.high}
        for cell in table_numbers
        if cell.row in groups
    ]
    dots = SectionPicture(
        f"{label_kind}-dots",
        f"Score by {label_kind}, with intervals",
        _best_and_worst_sentence(table_numbers, label_kind, groups) + charts.note_if_omitted(groups, all_groups),
        charts.interval_chart(rows, groups, colour_order=report_groups, x_title="mean score", y_title=""),
        table,
    )
    labels = {cell.column for cell in table_numbers}
    complete = [group for group in groups if {cell.column for cell in table_numbers if cell.row == group} == labels]
    if not _FEWEST_SPOKES <= len(labels) <= _MOST_SPOKES or not complete:
        return [dots]
    web = SectionPicture(
        f"{label_kind}-radar",
        f"Profile by {label_kind}",
        f"A radar with one spoke for each {label_kind}, from 0 in the middle to 1 at the rim. {dots.alt}",
        charts.radar_chart([row for row in rows if row["group"] in complete], complete, colour_order=report_groups),
        table,
    )
    return [web, dots]


def _best_and_worst_sentence(table_numbers: Sequence[TableNumber], label_kind: str, groups: Sequence[str]) -> str:
    told_of = []
    for group in groups:
        group_scores = sorted((cell.value or 0.0, cell.column) for cell in table_numbers if cell.row == group)
        (low, worst), (high, best) = group_scores[0], group_scores[-1]
        if len(group_scores) == 1:
            told_of.append(f"{group}: {number(high)} at {best}.")
        else:
            told_of.append(f"{group}: best at {best} ({number(high)}), worst at {worst} ({number(low)}).")
    return f"Mean score by {label_kind}. " + " ".join(told_of)
