"""Accuracy at questions with and without pictures, with and without choices (QuArch's Table 6)."""

from __future__ import annotations

from benchwright_analysis.report.questions.attempts import observations_by_group, question_attempts_by_group
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.rows.problem_facts import ProblemFacts
from benchwright_analysis.report.section import Section
from benchwright_analysis.report.sections.matrix import accuracy_by_label, table_of_numbers
from benchwright_problems.problem import QuestionFormat

_FORMATS = {
    QuestionFormat.MULTIPLE_CHOICE.value: "multiple choice",
    QuestionFormat.FREE_RESPONSE.value: "free response",
}
_SEEN = ("text", "image")
_ORDER = [f"{medium}, {form}" for form in _FORMATS.values() for medium in _SEEN]


def question_forms_section(data: Dataset) -> Section | None:
    """Accuracy by picture and format; nothing if no question has a picture, and only one of the formats is there."""
    unknown_facts = ProblemFacts()

    def form(observation: Observation) -> str:
        medium = _SEEN[data.problem_facts.get(observation.problem, unknown_facts).has_pictures]
        return f"{medium}, {_FORMATS[observation.format]}" if observation.format in _FORMATS else ""

    figures = accuracy_by_label(observations_by_group(question_attempts_by_group(data)), form, _ORDER)
    if len({figure.column for figure in figures}) < 2:
        return None
    table = table_of_numbers(
        "question-forms",
        "Right answers, by picture and format",
        figures,
        first_row_names=data.groups,
        note="Image: the question shows at least one picture. Each question counts alike.",
    )
    lead = ("Whether pictures, or having to write the answer instead of choosing it, make questions harder.",)
    return Section("question-forms", "Questions with and without pictures", lead, (), [table], {"forms": figures})
