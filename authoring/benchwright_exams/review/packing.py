"""The questions that an author accepted, as a pack."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from benchwright_exams.errors import ExamError
from benchwright_exams.items import ExamItems
from benchwright_exams.review.review import ITEMS
from benchwright_exams.review.review_form import (
    EXAM_FILE,
    FORM_FILE,
    ExamForm,
    ReviewDecision,
    ReviewForm,
    read_exam_form,
    read_review_form,
)
from benchwright_foundation.stage_file import StageFile
from benchwright_foundation.toml_text import toml_table_text
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import AnswerKind, Pack
from benchwright_problems.storage.pack_folder import read_pack_folder
from benchwright_problems.storage.pack_name import is_pack_name

_KEYED = (AnswerKind.CHOICE, AnswerKind.CHOICES, AnswerKind.TRUTH)
_NAMED = 5


def make_pack(exam_folder: Path, pack_name: str) -> Pack:
    """Write `folder/pack/` from the accepted questions, and read it back.

    Args:
        exam_folder: As `write_review_files` leaves it and the author has edited it.
        pack_name: Name of the pack.

    Raises:
        DatasetError: A file of the author's is wrong; names it.
        ExamError: Questions are not decided on, none is accepted, or there are no questions.
    """
    if not is_pack_name(pack_name):
        raise ExamError(f"{pack_name!r} can't name a pack; use lower-case letters, digits, '.', '_' and '-'.")
    forms = {
        label: read_review_form(exam_folder / ITEMS / label / FORM_FILE) for label in labels_with_form(exam_folder)
    }
    undecided = [label for label, form in forms.items() if form.decision is ReviewDecision.OPEN]
    if undecided:
        more_note = f" and {len(undecided) - _NAMED} more" if len(undecided) > _NAMED else ""
        raise ExamError(
            f"{len(undecided)} of {len(forms)} questions are not decided on: "
            f"{', '.join(undecided[:_NAMED])}{more_note}."
            f' Compare each with its page, and write decision = "accepted" or "left out" in {ITEMS}/LABEL/review.toml.'
        )
    accepted_forms = {label: form for label, form in forms.items() if form.decision is ReviewDecision.ACCEPTED}
    if not accepted_forms:
        raise ExamError("No question is accepted, so there is nothing to make a pack of.")
    exam_file = exam_folder / EXAM_FILE
    exam = read_exam_form(exam_file)
    require_exam_licence(exam_file, exam)
    target = exam_folder / "pack"
    shutil.rmtree(target, ignore_errors=True)
    return _write_and_read_pack(
        target,
        _pack_toml_text(exam, pack_name, list(accepted_forms)),
        {exam_folder / ITEMS / label: accepted_forms[label] for label in accepted_forms},
    )


def require_exam_licence(exam_file: Path, exam_form: ExamForm) -> None:
    """Refuse what `make_pack` would refuse of what the pack says of itself.

    Raises:
        DatasetError: Names the field.
    """
    if not exam_form.license:
        raise DatasetError(
            exam_file, "license", "is empty; say under which licence the exam's authors give it, or who may use it"
        )


def require_packable_question(question_folder: Path, form: ReviewForm) -> None:
    """Refuse what `make_pack` would refuse of one accepted question.

    Args:
        question_folder: The question's folder.
        form: Its form.

    Raises:
        DatasetError: Names the field.
    """
    with tempfile.TemporaryDirectory() as work:
        exam = ExamForm(title="-", license="-", source="-")
        _write_and_read_pack(
            Path(work) / "pack", _pack_toml_text(exam, "pack", [question_folder.name]), {question_folder: form}
        )


def _write_and_read_pack(
    pack_folder: Path, pack_toml_text: str, form_by_question_folder: dict[Path, ReviewForm]
) -> Pack:
    pack_folder.mkdir()
    (pack_folder / "pack.toml").write_text(pack_toml_text, "utf-8")
    for source, form in form_by_question_folder.items():
        _write_problem_folder(source, pack_folder / source.name, source.name, form)
    return read_pack_folder(pack_folder)


def labels_with_form(exam_folder: Path) -> list[str]:
    """Each question that has a form, in the order of the exam; questions that an author added come last.

    Raises:
        ExamError: No question has a form.
    """
    exam_items = StageFile(exam_folder / "items.json", ExamItems).last_output()
    order = [item.label for item in exam_items.items] if exam_items else []
    form_labels = sorted(path.parent.name for path in (exam_folder / ITEMS).glob("*/review.toml"))
    labels = [label for label in order if label in form_labels] + [label for label in form_labels if label not in order]
    if not labels:
        raise ExamError(
            f"{exam_folder} has no questions. Run `benchwright questions from-exam` with it as --out first."
        )
    return labels


def _pack_toml_text(exam_form: ExamForm, pack_name: str, question_labels: list[str]) -> str:
    return toml_table_text({"name": pack_name, **exam_form.model_dump(mode="json"), "order": question_labels})


def _write_problem_folder(question_folder: Path, problem_folder: Path, question_label: str, form: ReviewForm) -> None:
    problem_folder.mkdir()
    shutil.copyfile(question_folder / "statement.md", problem_folder / "statement.md")
    for pictures, subfolder in (
        (question_folder / "figures", "figures"),
        (question_folder / "solution" / "figures", "hidden/figures"),
    ):
        if pictures.is_dir():
            shutil.copytree(pictures, problem_folder / subfolder)
    (problem_folder / "problem.toml").write_text(
        toml_table_text(_problem_fields(question_folder, question_label, form)), "utf-8"
    )


def _problem_fields(question_folder: Path, question_label: str, form: ReviewForm) -> dict[str, object]:
    file = question_folder / "solution" / "solution.md"
    solution = file.read_text("utf-8").strip() if file.exists() else ""
    keyed = form.format.answered_by in _KEYED
    value = form.answer if keyed else solution
    if not value:
        error_file, field = (question_folder / FORM_FILE, "answer") if keyed else (file, "")
        raise DatasetError(error_file, field, 'is empty; write the answer, or decision = "left out" in review.toml')
    rubric_points = [rubric_item.model_dump(mode="json") for rubric_item in form.rubric]
    if not rubric_points and form.points and not keyed:
        rubric_points = [{"text": "The whole answer.", "points": form.points}]
    answer_table = {"value": value, "closed": keyed, "explanation": solution if keyed else ""}
    return {
        "id": question_label,
        "kind": "question",
        "difficulty": form.difficulty.value,
        "domain": form.domain,
        "question": {
            "format": form.format.value,
            "choices": form.choices,
            "topic": form.topic,
            **({"skill": form.skill.value} if form.skill else {}),
        },
        "answer": {**answer_table, **({"points": {"items": rubric_points}} if rubric_points else {})},
    }
