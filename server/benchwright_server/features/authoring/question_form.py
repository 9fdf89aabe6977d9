"""The form in which somebody writes a question of a pack's folder."""

from __future__ import annotations

import asyncio
import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from benchwright_server.errors import ServerError
from benchwright_server.features.requests import register_operation
from benchwright_server.operations.operation import Operation
from benchwright_server.protocol.authoring import AuthoredParams, NewProblem
from benchwright_server.protocol.question_form import (
    AddedFigure,
    AddFigureParams,
    CheckedQuestionForm,
    CheckQuestionFormParams,
    FormRemark,
    QuestionForm,
    QuestionTwinParams,
    SavedQuestionForm,
    SaveQuestionFormParams,
    ShownQuestion,
)
from benchwright_verilog.syntax.uri import local_path_of

if TYPE_CHECKING:
    from benchwright_authoring.problem_files.remark import Remark
    from benchwright_foundation.home import Home
    from benchwright_server.authoring.form_files import FormFiles
    from benchwright_server.editor_server import EditorServer

_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 80


def register_question_form(server: EditorServer) -> None:
    """Serves it; a part of the feature `authoring`."""
    for operation in QUESTION_FORM_OPERATIONS:
        register_operation(server, operation, lambda: server.home)


async def _read_form_in_thread(home: Home, params: AuthoredParams) -> ShownQuestion:
    return await asyncio.to_thread(_read_form, params)


def _read_form(params: AuthoredParams) -> ShownQuestion:
    from benchwright_authoring.problem_files.problem_folder import PROBLEM_FILE, STATEMENT
    from benchwright_authoring.problem_files.question_form import form_values, remarks_with_form_field
    from benchwright_server.authoring.form_files import picture_uris_by_path

    folder = question_folder_or_error(params.uri)
    with _form_errors_explained(folder):
        form_files = _read_form_files(folder)
        text, statement = form_files.texts[PROBLEM_FILE], form_files.texts[STATEMENT]
        form = QuestionForm.model_validate(form_values(text))
    return ShownQuestion(
        uri=folder.as_uri(),
        id=folder.name,
        digest=form_files.digest,
        statement=statement,
        form=form,
        remarks=_form_remarks(remarks_with_form_field(folder, text, statement)),
        figures=picture_uris_by_path(folder, "figures/**/*.*"),
        answer_figures=picture_uris_by_path(folder / "hidden", "figures/**/*.*"),
    )


async def _check_form_in_thread(home: Home, params: CheckQuestionFormParams) -> CheckedQuestionForm:
    return await asyncio.to_thread(_remarks_if_form_were_saved, params)


def _remarks_if_form_were_saved(params: CheckQuestionFormParams) -> CheckedQuestionForm:
    from benchwright_authoring.problem_files.problem_folder import PROBLEM_FILE
    from benchwright_authoring.problem_files.question_form import remarks_with_form_field, with_form_values
    from benchwright_authoring.problem_files.toml_edit import TomlEditError

    folder = question_folder_or_error(params.uri)
    with _form_errors_explained(folder):
        try:
            text = with_form_values(_read_form_files(folder).texts[PROBLEM_FILE], params.form.model_dump(mode="json"))
        except TomlEditError as error:
            return CheckedQuestionForm(remarks=[FormRemark(field="", reason=str(error), is_error=True)])
    return CheckedQuestionForm(remarks=_form_remarks(remarks_with_form_field(folder, text, params.statement)))


async def _save_form_in_thread(home: Home, params: SaveQuestionFormParams) -> SavedQuestionForm:
    return await asyncio.to_thread(_save_form_if_unchanged, home, params)


def _save_form_if_unchanged(home: Home, params: SaveQuestionFormParams) -> SavedQuestionForm:
    from benchwright_authoring.problem_files.problem_folder import PROBLEM_FILE, STATEMENT
    from benchwright_authoring.problem_files.question_form import remarks_with_form_field, with_form_values
    from benchwright_authoring.problem_files.toml_edit import TomlEditError
    from benchwright_problems.storage.pack_files_schema import ProblemToml
    from benchwright_server.authoring.form_files import forms_lock

    folder = question_folder_or_error(params.uri)
    with forms_lock(home), _form_errors_explained(folder):
        form_files = _read_form_files(folder)
        if form_files.digest != params.digest:
            return SavedQuestionForm(is_saved=False, changed_on_disk=True, digest=form_files.digest, remarks=[])
        statement, is_saved = form_files.with_line_ends_of(STATEMENT, params.statement), True
        try:
            text = with_form_values(form_files.texts[PROBLEM_FILE], params.form.model_dump(mode="json"))
        except TomlEditError as error:
            remarks, is_saved = [FormRemark(field="", reason=str(error), is_error=True)], False
        else:
            try:
                ProblemToml.model_validate(tomllib.loads(text))
                form_files = form_files.write_changed_texts({PROBLEM_FILE: text, STATEMENT: statement})
            except ValidationError:
                is_saved = False
            remarks = _form_remarks(remarks_with_form_field(folder, text, statement))
    return SavedQuestionForm(is_saved=is_saved, changed_on_disk=False, digest=form_files.digest, remarks=remarks)


async def _copy_figure_in_thread(home: Home, params: AddFigureParams) -> AddedFigure:
    return await asyncio.to_thread(_copy_figure, params)


def _copy_figure(params: AddFigureParams) -> AddedFigure:
    from benchwright_foundation.atomic import write_atomically
    from benchwright_foundation.plain_file import FileTooLargeError, NotPlainFileError, read_plain_file
    from benchwright_problems.figure import MAX_BYTES, media_type_of_path, require_harmless_picture

    folder, picture = question_folder_or_error(params.uri), local_path_of(params.picture)
    try:
        content = read_plain_file(picture.parent, picture.name, MAX_BYTES)
        require_harmless_picture(content, media_type_of_path(picture.name))
    except FileTooLargeError as error:
        raise ServerError(f"{picture} is larger than {MAX_BYTES >> 20} MiB. Make it smaller.") from error
    except (NotPlainFileError, OSError) as error:
        raise ServerError(f"{picture} can't be read. Choose a file that is no link.") from error
    except ValueError as error:
        raise ServerError(f"{picture}: {error}.") from error
    figures = folder / ("hidden/figures" if params.of_answer else "figures")
    if figures.is_symlink() or figures.parent.is_symlink():
        raise ServerError(f"{figures} is a link, or in one. Put what it leads to there.")
    name = _NAME.sub("-", picture.stem).strip("-.")[:_LONGEST_NAME] or "figure"
    candidate_names = (f"{name}{number or ''}{picture.suffix.lower()}" for number in (0, *range(2, 1000)))
    free_name = next((candidate for candidate in candidate_names if not (figures / candidate).exists()), None)
    if free_name is None:
        raise ServerError(f"{figures} has too many pictures called {name}. Rename {picture}.")
    try:
        figures.mkdir(parents=True, exist_ok=True)
        write_atomically(figures / free_name, content)
    except OSError as error:
        raise ServerError(
            f"{figures / free_name} can't be written: {error.strerror}. Make its folder writable."
        ) from error
    return AddedFigure(path=f"figures/{free_name}", uri=(figures / free_name).as_uri())


async def _create_free_response_twin(home: Home, params: QuestionTwinParams) -> NewProblem:
    from benchwright_authoring.new_problem import write_free_response_twin

    folder = question_folder_or_error(params.uri)
    try:
        twin_folder = await asyncio.to_thread(write_free_response_twin, folder.parent, folder.name, params.id)
    except OSError as error:
        raise ServerError(f"{folder.parent} can't be written: {error.strerror}.") from error
    return NewProblem(
        uri=twin_folder.as_uri(),
        statement=(twin_folder / "statement.md").as_uri(),
        settings=(twin_folder / "problem.toml").as_uri(),
    )


QUESTION_FORM_OPERATIONS: tuple[Operation[Any, Any, Any], ...] = (
    Operation(
        "questionForm",
        AuthoredParams,
        ShownQuestion,
        "Reads a question of a pack's folder for its author, with its answer.",
        _read_form_in_thread,
    ),
    Operation(
        "checkQuestionForm",
        CheckQuestionFormParams,
        CheckedQuestionForm,
        "Says what an editor would mark if the form were saved; writes nothing.",
        _check_form_in_thread,
    ),
    Operation(
        "saveQuestionForm",
        SaveQuestionFormParams,
        SavedQuestionForm,
        "Writes a question to its files, if they are still those that were read.",
        _save_form_in_thread,
    ),
    Operation(
        "addFigure",
        AddFigureParams,
        AddedFigure,
        "Copies a picture to the figures of a question, or of its answer.",
        _copy_figure_in_thread,
    ),
    Operation(
        "questionTwin",
        QuestionTwinParams,
        NewProblem,
        "Makes a free-response question of a multiple-choice one: its right option becomes the model answer.",
        _create_free_response_twin,
    ),
)
"""Every operation of the form."""


def question_folder_or_error(folder_or_file_uri: str) -> Path:
    """The folder of a question that somebody writes.

    Args:
        folder_or_file_uri: The folder's, or that of a file in it.

    Raises:
        ServerError: The path belongs to no problem of a pack's folder.
    """
    from benchwright_authoring.problem_files.problem_folder import PROBLEM_FILE, authored_problem_folder

    file = local_path_of(folder_or_file_uri)
    try:
        folder = authored_problem_folder(file)
    except OSError as error:
        raise ServerError(f"{file} can't be looked up: {error.strerror}. Choose another file.") from error
    if folder is None:
        raise ServerError(
            f"{file} belongs to no question of a pack's folder. Open a file below a folder with {PROBLEM_FILE}."
        )
    return folder


@contextmanager
def _form_errors_explained(folder: Path) -> Iterator[None]:
    from benchwright_authoring.problem_files.problem_folder import PROBLEM_FILE

    try:
        yield
    except ValidationError as error:
        first_error = error.errors(include_url=False)[0]
        field = ".".join(map(str, first_error["loc"]))
        raise ServerError(
            f"{folder / PROBLEM_FILE}: {field}: {first_error['msg']}, so no form can show it. Correct it in the file."
        ) from error
    except RecursionError as error:
        raise ServerError(f"{folder / PROBLEM_FILE} is nested too deep. Correct it in the file.") from error
    except ValueError as error:
        # Besides what is not TOML, numbers of thousands of digits.
        raise ServerError(f"{folder / PROBLEM_FILE} is not TOML: {error}. Correct it in the file.") from error


def _read_form_files(question_folder: Path) -> FormFiles:
    from benchwright_authoring.problem_files.problem_folder import PROBLEM_FILE, STATEMENT
    from benchwright_server.authoring.form_files import FormFiles

    # The text comes first: a crash half-way leaves no key to a question that is not there yet.
    form_files = FormFiles.read(question_folder, (STATEMENT, PROBLEM_FILE))
    if tomllib.loads(form_files.texts[PROBLEM_FILE]).get("kind") != "question":
        raise ServerError(f"{question_folder} is no question, and the form is only for questions. Edit its files.")
    return form_files


def _form_remarks(field_remarks: Iterable[tuple[str, Remark]]) -> list[FormRemark]:
    return [FormRemark(field=field, reason=remark.message, is_error=remark.is_error) for field, remark in field_remarks]
