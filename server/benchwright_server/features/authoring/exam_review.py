"""The review of an exam's questions in a form."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright_server.features.requests import register_operation
from benchwright_server.operations.operation import Operation
from benchwright_server.protocol.exams import (
    ExamParams,
    ExamQuestion,
    ExamQuestionForm,
    ExamQuestionParams,
    ExamQuestions,
    ExamQuestionState,
    MadeExamPack,
    MakeExamPackParams,
    SavedExamQuestion,
    SaveExamQuestionParams,
)
from benchwright_server.protocol.question_form import FieldError
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_foundation.home import Home
    from benchwright_server.authoring.exam_folder import ExamFolder
    from benchwright_server.editor_server import EditorServer


def register_exam_review(server: EditorServer) -> None:
    """Serves it; a part of the feature `authoring`."""
    for operation in EXAM_OPERATIONS:
        register_operation(server, operation, lambda: server.home)


async def _read_questions_in_thread(home: Home, params: ExamParams) -> ExamQuestions:
    return await asyncio.to_thread(_read_questions, home, params)


def _read_questions(home: Home, params: ExamParams) -> ExamQuestions:
    from benchwright_exams.review.review_form import EXAM_FILE, read_exam_form

    exam = _exam_folder(home, params.uri)
    return ExamQuestions(
        uri=exam.root.as_uri(),
        title=read_exam_form(exam.root / EXAM_FILE).title,
        current=exam.current,
        questions=[_question_state(exam, label) for label in exam.labels],
    )


def _question_state(exam: ExamFolder, question_label: str) -> ExamQuestionState:
    from benchwright_exams.review.review_form import FORM_FILE, read_review_form
    from benchwright_problems.errors import DatasetError

    try:
        form = read_review_form(exam.question_folder(question_label) / FORM_FILE)
    except DatasetError as error:
        return ExamQuestionState(label=question_label, decision="", findings=0, trouble=str(error))
    return ExamQuestionState(
        label=question_label, decision=form.decision.value, findings=len(form.findings), trouble=""
    )


async def _read_question_in_thread(home: Home, params: ExamQuestionParams) -> ExamQuestion:
    return await asyncio.to_thread(_read_question, home, params)


def _read_question(home: Home, params: ExamQuestionParams) -> ExamQuestion:
    from benchwright_server.authoring.exam_folder import SOLUTION, STATEMENT
    from benchwright_server.authoring.form_files import picture_uris_by_path

    exam = _exam_folder(home, params.uri)
    folder = exam.question_folder(params.label)
    form_files, form = exam.read_question(params.label)
    form_fields = form.model_dump(mode="json", include=set(ExamQuestionForm.model_fields))
    return ExamQuestion(
        label=params.label,
        digest=form_files.digest,
        statement=form_files.texts[STATEMENT],
        solution=form_files.texts[SOLUTION],
        form=ExamQuestionForm.model_validate(form_fields),
        findings=list(form.findings),
        pages=list(picture_uris_by_path(folder, "page-*.png").values()),
        figures=picture_uris_by_path(folder, "figures/*"),
        solution_figures=picture_uris_by_path(folder / "solution", "figures/*"),
    )


async def _write_question_in_thread(home: Home, params: SaveExamQuestionParams) -> SavedExamQuestion:
    return await asyncio.to_thread(_write_question_if_unchanged, home, params)


def _write_question_if_unchanged(home: Home, params: SaveExamQuestionParams) -> SavedExamQuestion:
    saved_question = _exam_folder(home, params.uri).save_question_if_unchanged(
        params.label, params.digest, (params.statement, params.solution), params.form.model_dump(mode="json")
    )
    errors = [FieldError(field=refusal.field, reason=refusal.reason) for refusal in saved_question.refusals]
    return SavedExamQuestion(
        digest=saved_question.current_files.digest, changed_on_disk=saved_question.was_changed_on_disk, errors=errors
    )


async def _make_pack_in_thread(home: Home, params: MakeExamPackParams) -> MadeExamPack:
    return await asyncio.to_thread(_make_pack_or_refuse, home, params)


def _make_pack_or_refuse(home: Home, params: MakeExamPackParams) -> MadeExamPack:
    from benchwright_exams.errors import ExamError
    from benchwright_exams.review.packing import make_pack
    from benchwright_problems.errors import DatasetError, PackExistsError
    from benchwright_problems.storage.store import Store

    exam = _exam_folder(home, params.uri)
    try:
        exam_pack = make_pack(exam.root, params.pack)
        Store(home).add(exam_pack, replace=params.replace)
    except DatasetError as error:
        return _refused_pack_message(exam, error.reason, error.file)
    except PackExistsError as error:
        return _refused_pack_message(exam, str(error)).model_copy(update={"exists": True})
    except ExamError as error:
        undecided = next((label for label in exam.labels if _question_state(exam, label).decision == "open"), "")
        return _refused_pack_message(exam, str(error)).model_copy(update={"label": undecided})
    return MadeExamPack(
        questions=[problem.id for problem in exam_pack.problems],
        folder=(exam.root / "pack").as_uri(),
        refused="",
        label="",
        file="",
        exists=False,
    )


def _refused_pack_message(exam: ExamFolder, reason: str, flawed_file: Path | None = None) -> MadeExamPack:
    label = exam.question_label_of(flawed_file) if flawed_file else ""
    location = (
        f"{flawed_file.relative_to(exam.root)}: " if flawed_file and flawed_file.is_relative_to(exam.root) else ""
    )
    file_uri = flawed_file.as_uri() if flawed_file else ""
    return MadeExamPack(questions=[], folder="", refused=location + reason, label=label, file=file_uri, exists=False)


EXAM_OPERATIONS: tuple[Operation[Any, Any, Any], ...] = (
    Operation(
        "examQuestions",
        ExamParams,
        ExamQuestions,
        "Lists the questions of an exam that `benchwright questions from-exam` took apart, and what was decided.",
        _read_questions_in_thread,
    ),
    Operation(
        "examQuestion",
        ExamQuestionParams,
        ExamQuestion,
        "Reads a question of an exam for its author to review, with its pages and its solution.",
        _read_question_in_thread,
    ),
    Operation(
        "saveExamQuestion",
        SaveExamQuestionParams,
        SavedExamQuestion,
        "Writes a reviewed question to its files, if they are still those that were read.",
        _write_question_in_thread,
    ),
    Operation(
        "makeExamPack",
        MakeExamPackParams,
        MadeExamPack,
        "Makes a pack of the questions that their author accepted.",
        _make_pack_in_thread,
    ),
)
"""Every operation for those who review an exam."""


def _exam_folder(home: Home, exam_uri: str) -> ExamFolder:
    from benchwright_server.authoring.exam_folder import ExamFolder

    return ExamFolder(local_path_of(exam_uri), home)
