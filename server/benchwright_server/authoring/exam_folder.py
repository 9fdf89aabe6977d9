"""The folder of an exam while its author reviews it in a form: what its files say, and how a change gets into them."""

from __future__ import annotations

import os
import shutil
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from benchwright_authoring.problem_files.toml_edit import TomlEditError, with_toml_values
from benchwright_exams.items import ExamItems
from benchwright_exams.review.packing import labels_with_form, require_packable_question
from benchwright_exams.review.review import ITEMS
from benchwright_exams.review.review_form import EXAM_FILE, FORM_FILE, ReviewDecision, ReviewForm, read_review_form
from benchwright_foundation.home import Home
from benchwright_foundation.stage_file import StageFile
from benchwright_problems.errors import DatasetError
from benchwright_server.authoring.form_files import FormFiles, forms_lock
from benchwright_server.errors import ServerError

STATEMENT = "statement.md"
SOLUTION = "solution/solution.md"
_FILES = (STATEMENT, SOLUTION, FORM_FILE)
"""The decision comes last: a crash half-way leaves no question accepted with another statement."""
_DEPTH = 5
"""From the folder to a picture of a solution, and one more."""


@dataclass(frozen=True)
class FormRefusal:
    """A reason for which a form is refused."""

    field: str
    reason: str


class SavedQuestion(NamedTuple):
    """What saving a question led to: nothing is written if its files had been changed, or something is refused."""

    current_files: FormFiles
    was_changed_on_disk: bool
    refusals: tuple[FormRefusal, ...]


class ExamFolder:
    """A folder that `benchwright questions from-exam` wrote.

    Args:
        path_in_exam: The folder or a file in it, as a client names it.
        home: No exam is reviewed where solvers work.

    Raises:
        ServerError: No such folder exists, a solver could read it, or something in it is a link.
    """

    def __init__(self, path_in_exam: Path, home: Home) -> None:
        resolved_file = path_in_exam.resolve()
        root = next(
            (parent for parent in (resolved_file, *resolved_file.parents)[:_DEPTH] if _is_exam_with_items(parent)), None
        )
        if root is None:
            raise ServerError(
                f"{path_in_exam} belongs to no exam. "
                "Choose the folder that `benchwright questions from-exam` wrote with --out."
            )
        if root.is_relative_to(home.workspaces.resolve()):
            raise ServerError(
                f"{root} is among the workspaces of solvers, who must not see solutions. Move the folder elsewhere."
            )
        self.root, self._home = root, home
        for name in (EXAM_FILE, ITEMS, "pack"):
            _refuse_link(root / name)
        for around_items, folders, files in os.walk(root / ITEMS):
            for name in (*folders, *files):
                _refuse_link(Path(around_items) / name)
            for name in files:
                if not (Path(around_items) / name).is_file():
                    raise ServerError(f"{Path(around_items) / name} is no plain file. Remove it.")
        self.labels = labels_with_form(root)
        self.current = self.question_label_of(resolved_file)

    def question_folder(self, question_label: str) -> Path:
        """The folder of a question.

        Raises:
            ServerError: The exam has no such question.
        """
        if question_label not in self.labels:
            raise ServerError(
                f"The exam in {self.root} has no question {question_label!r}. Reload the list of questions."
            )
        return self.root / ITEMS / question_label

    def read_question(self, question_label: str) -> tuple[FormFiles, ReviewForm]:
        """The files of a question and what its form says.

        Raises:
            DatasetError: Its form is wrong; names the field.
            ServerError: A file can't be read.
        """
        folder = self.question_folder(question_label)
        return FormFiles.read(folder, _FILES), read_review_form(folder / FORM_FILE)

    def save_question_if_unchanged(
        self,
        question_label: str,
        shown_digest: str,
        statement_and_solution: tuple[str, str],
        review_values: dict[str, object],
    ) -> SavedQuestion:
        """Write what the form says, unless the files are others than it shows or something is refused.

        Args:
            question_label: Label of the question.
            shown_digest: Digest of the files that the form shows.
            statement_and_solution: Statement and solution.
            review_values: Values of `review.toml`; all others and the comments stay.
        """
        folder = self.question_folder(question_label)
        with forms_lock(self._home):
            current_files = FormFiles.read(folder, _FILES)
            if current_files.digest != shown_digest:
                return SavedQuestion(current_files, True, ())
            new_texts = {
                path: current_files.with_line_ends_of(path, text)
                for path, text in zip((STATEMENT, SOLUTION), statement_and_solution, strict=True)
            }
            try:
                text = with_toml_values(
                    current_files.texts[FORM_FILE],
                    _values_without_new_defaults(current_files.texts[FORM_FILE], review_values),
                )
            except (TomlEditError, tomllib.TOMLDecodeError) as error:
                return SavedQuestion(current_files, False, (FormRefusal("", f"{FORM_FILE}: {error}"),))
            if refused := _question_refusals(folder, {**new_texts, FORM_FILE: text}):
                return SavedQuestion(current_files, False, refused)
            return SavedQuestion(current_files.write_changed_texts({**new_texts, FORM_FILE: text}), False, ())

    def refusals(self, question_label: str) -> tuple[FormRefusal, ...]:
        """The refusals that keep a question, as it is, from being saved; if it is accepted, also from being packed.

        Raises:
            ServerError: A file can't be read.
        """
        folder = self.question_folder(question_label)
        return _question_refusals(folder, FormFiles.read(folder, _FILES).texts)

    def question_label_of(self, file_of_exam: Path) -> str:
        """The question that a file of the exam or of its pack belongs to; empty if none."""
        for folder in (self.root / ITEMS, self.root / "pack"):
            if file_of_exam != folder and file_of_exam.is_relative_to(folder):
                label = file_of_exam.relative_to(folder).parts[0]
                return label if label in self.labels else ""
        return ""


def has_exam_files(folder: Path) -> bool:
    """True if a folder has the files of an exam, whatever is in them."""
    return all((folder / name).is_file() for name in (EXAM_FILE, "items.json")) and (folder / ITEMS).is_dir()


def _is_exam_with_items(folder: Path) -> bool:
    return has_exam_files(folder) and StageFile(folder / "items.json", ExamItems).last_output() is not None


def _refuse_link(file: Path) -> None:
    if file.is_symlink():
        raise ServerError(f"{file} is a link. Put what it leads to there, or remove it.")


def _values_without_new_defaults(saved_toml: str, form_values: dict[str, object]) -> dict[str, object]:
    """Values to write: what a file leaves out and the form has as it is by default stays out."""
    present_values = tomllib.loads(saved_toml)
    empty: tuple[object, ...] = ("", None, [], {})
    return {
        name: value
        for name, value in form_values.items()
        if name in present_values or not (value in empty or value == ReviewForm.model_fields[name].default)
    }


def _question_refusals(question_folder: Path, texts_by_path: Mapping[str, str]) -> tuple[FormRefusal, ...]:
    """The faults of a question whose files hold this."""
    try:
        form = ReviewForm.model_validate(tomllib.loads(texts_by_path[FORM_FILE]))
        if form.decision is ReviewDecision.ACCEPTED:
            _require_packable_copy(question_folder, texts_by_path, form)
    except ValidationError as error:
        return tuple(_form_refusals(error))
    except DatasetError as error:
        return (_pack_refusal(error),)
    except tomllib.TOMLDecodeError as error:
        return (FormRefusal("", f"{FORM_FILE}: {error}"),)
    return ()


def _require_packable_copy(question_folder: Path, texts_by_path: Mapping[str, str], form: ReviewForm) -> None:
    with tempfile.TemporaryDirectory() as work:
        copy = Path(work) / question_folder.name
        shutil.copytree(question_folder, copy, ignore=shutil.ignore_patterns("page-*.png"))
        (copy / "solution").mkdir(exist_ok=True)
        for path, text in texts_by_path.items():
            (copy / path).write_text(text, "utf-8")
        require_packable_question(copy, form)


def _form_refusals(error: ValidationError) -> list[FormRefusal]:
    return [
        FormRefusal(
            ".".join(str(part) for part in detail["loc"] if part != "[key]"),
            detail["msg"].removeprefix("Value error, "),
        )
        for detail in error.errors(include_url=False)
    ]


_FIELDS = {"answer.points": "rubric", "answer": "answer", "question.choices": "choices", "question": "format"}
"""Of a form, by the beginning of those of the problem that is made of it."""


def _pack_refusal(error: DatasetError) -> FormRefusal:
    if error.file.name in ("solution.md", STATEMENT):
        return FormRefusal(error.file.stem, error.reason)
    if error.file.parent.name == "figures":
        return FormRefusal("", f"picture {error.file.name}: {error.reason}")
    field = next((ours for theirs, ours in _FIELDS.items() if error.field.startswith(theirs)), error.field)
    return FormRefusal(field, error.reason)
