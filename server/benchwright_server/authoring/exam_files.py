"""Faults in the TOML files of an exam, `review.toml` and `exam.toml`, and the meaning of their fields."""

from __future__ import annotations

from pathlib import Path

from benchwright_authoring.problem_files.fields import FileFields
from benchwright_authoring.problem_files.problem_folder import ProblemFolder
from benchwright_authoring.problem_files.remark import Remark
from benchwright_authoring.problem_files.remarks import field_remark, parse_toml_or_remarks
from benchwright_authoring.problem_files.toml_places import TomlPlaces
from benchwright_exams.review.packing import require_exam_licence
from benchwright_exams.review.review import ITEMS
from benchwright_exams.review.review_form import EXAM_FILE, FORM_FILE, ExamForm, ReviewDecision, ReviewForm
from benchwright_foundation.home import Home
from benchwright_problems.errors import DatasetError
from benchwright_server.authoring.exam_folder import SOLUTION, STATEMENT, ExamFolder, FormRefusal, has_exam_files
from benchwright_server.errors import ServerError

REVIEW_FIELDS = FileFields(
    ReviewForm,
    {
        "decision": "Whether the question becomes part of the pack. No pack is made while one is `open`.",
        "findings": "What to check; for the author alone.",
        "format": "How it is asked and answered.",
        "difficulty": "The author's estimate.",
        "domain": "Subject of the question, free text.",
        "topic": "Free text.",
        "skill": "What it asks of the solver.",
        "answer": "The letter of a choice, or letters such as `AC`, or `true` or `false`; of other formats it is in"
        " `solution/solution.md`.",
        "points": "Of the whole answer.",
        "rubric": "What a part of the points is given for; `points` for all of it if not given.",
        "rubric.text": "Something that an answer has to say.",
        "rubric.points": "For all of it; 1 if not given.",
        "choices": "Letter → Markdown, for multiple choice and multiple response.",
    },
)
"""Of `review.toml`."""
EXAM_FIELDS = FileFields(
    ExamForm,
    {
        "title": "Of the pack, for people.",
        "version": "Of the pack, raised with every published change: reports name it.",
        "license": "Under which licence the exam's authors give it, or who may use it. No pack is made without it.",
        "source": "Where the questions come from.",
        "description": "For people.",
    },
)
"""Of `exam.toml`."""


def is_exam_file(file: Path) -> bool:
    """True if a file is an exam's `exam.toml`, or the `review.toml` of one of its questions."""
    if file.name == EXAM_FILE:
        return has_exam_files(file.parent)
    return file.name == FORM_FILE and file.parent.parent.name == ITEMS and has_exam_files(file.parent.parent.parent)


def review_remarks(question_folder: Path, review_toml: str, home: Home) -> list[Remark]:
    """Everything that is wrong with a `review.toml`; of a saved one also why the accepted question is refused.

    Args:
        question_folder: Folder of the question.
        review_toml: Text of the file.
        home: No exam is reviewed where solvers work.
    """
    toml_places = TomlPlaces(review_toml)
    form, remarks = parse_toml_or_remarks(FORM_FILE, review_toml, ReviewForm, toml_places)
    if form is None or form.decision is not ReviewDecision.ACCEPTED:
        return remarks
    if not ProblemFolder(question_folder, {f"{question_folder.name}/{FORM_FILE}": review_toml}).is_saved:
        return remarks
    try:
        exam = ExamFolder(question_folder, home)
        return [_refusal_remark(refusal, toml_places) for refusal in exam.refusals(exam.current)]
    except ServerError as error:
        return [Remark(FORM_FILE, toml_places.nearest_span(("decision",)), str(error), True)]


def exam_remarks(file: Path, exam_toml: str) -> list[Remark]:
    """Everything that is wrong with an `exam.toml`, and what no pack is made without."""
    toml_places = TomlPlaces(exam_toml)
    exam, remarks = parse_toml_or_remarks(EXAM_FILE, exam_toml, ExamForm, toml_places)
    try:
        if exam is not None:
            require_exam_licence(file, exam)
    except DatasetError as error:
        remarks.append(field_remark(EXAM_FILE, toml_places, error.field, error.reason, is_error=False))
    return remarks


def _refusal_remark(refusal: FormRefusal, toml_places: TomlPlaces) -> Remark:
    """At its field; where that is in another file, at the decision, which can't be kept."""
    names_by_field = {Path(name).stem: name for name in (STATEMENT, SOLUTION)}
    if refusal.field and refusal.field not in names_by_field:
        return field_remark(FORM_FILE, toml_places, refusal.field, refusal.reason)
    name = names_by_field.get(refusal.field, "")
    message = f"{name}: {refusal.reason}." if name else f"{refusal.reason[:1].upper()}{refusal.reason[1:]}."
    return Remark(FORM_FILE, toml_places.nearest_span(("decision",)), message, True, ("decision",))
