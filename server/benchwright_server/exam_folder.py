"""The folder of an exam while its author reviews it in a form: what its files say, and how a change gets into them."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from benchwright_authoring.problem_files.toml_edit import TomlEditError, with_values
from benchwright_exams.items import Items
from benchwright_exams.packing import check_question, labels_of
from benchwright_exams.review import ITEMS
from benchwright_exams.review_form import EXAM_FILE, FORM_FILE, Decision, Form, read_form
from benchwright_problems.atomic import write_atomically
from benchwright_problems.errors import DatasetError
from benchwright_problems.file_lock import file_lock
from benchwright_problems.kept import Kept
from benchwright_problems.plain_file import FileTooLargeError, NotPlainFileError, read_plain_file
from benchwright_server.errors import ServerError

_STATEMENT = "statement.md"
_SOLUTION = "solution/solution.md"
_MOST_BYTES = 2_000_000
_DEPTH = 5
"""From the folder to a picture of a solution, and one more."""


@dataclass(frozen=True)
class QuestionFiles:
    """The files of a question that a form changes."""

    statement: str
    solution: str
    form: str
    digest: str
    """Of all three."""


@dataclass(frozen=True)
class Refused:
    """What a form is refused for."""

    field: str
    reason: str


class ExamFolder:
    """A folder that `benchwright questions from-exam` wrote.

    Args:
        file: The folder or a file in it, as a client names it.
        workspaces: Where solvers work; no exam is reviewed there.

    Raises:
        ServerError: There is no such folder, a solver could read it, or something in it is a link.
    """

    def __init__(self, file: Path, workspaces: Path) -> None:
        around = file.resolve()
        found = next((one for one in (around, *around.parents)[:_DEPTH] if _is_exam(one)), None)
        if found is None:
            raise ServerError(
                f"{file} belongs to no exam. Choose the folder that `benchwright questions from-exam` wrote with --out."
            )
        if found.is_relative_to(workspaces.resolve()):
            raise ServerError(
                f"{found} is among the workspaces of solvers, who must not see solutions. Move the folder elsewhere."
            )
        self.root = found
        for name in (EXAM_FILE, ITEMS, "pack"):
            _refuse_link(found / name)
        for around_items, folders, files in os.walk(found / ITEMS):
            for name in (*folders, *files):
                _refuse_link(Path(around_items) / name)
        self.labels = labels_of(found)
        self.current = self.label_of(around)

    def question(self, label: str) -> Path:
        """The folder of a question.

        Raises:
            ServerError: There is no such question.
        """
        if label not in self.labels:
            raise ServerError(f"The exam in {self.root} has no question {label!r}. Reload the list of questions.")
        return self.root / ITEMS / label

    def read(self, label: str) -> tuple[QuestionFiles, Form]:
        """The files of a question and what its form says.

        Raises:
            DatasetError: Its form is wrong; names the field.
            ServerError: A file can't be read.
        """
        folder = self.question(label)
        return _read_files(folder), read_form(folder / FORM_FILE)

    def save(
        self, label: str, digest: str, texts: tuple[str, str], values: dict[str, object]
    ) -> tuple[QuestionFiles, bool, tuple[Refused, ...]]:
        """Write what the form says, if the files are still those that it shows.

        Args:
            label: Of the question.
            digest: Of the files that the form shows.
            texts: Statement and solution.
            values: Of `review.toml`; all others and the comments stay.

        Returns:
            The files as they are now, whether they are others than the form shows, and what is refused.
        """
        folder = self.question(label)
        with file_lock(self.root / "review.lock"):
            now = _read_files(folder)
            if now.digest != digest:
                return now, True, ()
            statement, solution = (
                _like(new, old) for new, old in zip(texts, (now.statement, now.solution), strict=True)
            )
            try:
                text = with_values(now.form, _changes(now.form, values))
                form = Form.model_validate(tomllib.loads(text))
                if form.decision is Decision.ACCEPTED:
                    _check(folder, statement, solution, form)
            except ValidationError as error:
                return now, False, tuple(_refused(error))
            except DatasetError as error:
                return now, False, (_refused_by_pack(error),)
            except (TomlEditError, tomllib.TOMLDecodeError) as error:
                return now, False, (Refused("", f"{FORM_FILE}: {error}"),)
            # The decision comes last: a crash half-way leaves no question accepted with another statement.
            for name, new, old in (
                (_STATEMENT, statement, now.statement),
                (_SOLUTION, solution, now.solution),
                (FORM_FILE, text, now.form),
            ):
                if new != old:
                    (folder / name).parent.mkdir(exist_ok=True)
                    write_atomically(folder / name, new.encode())
            return _read_files(folder), False, ()

    def label_of(self, file: Path) -> str:
        """The question that a file of the exam or of its pack belongs to; empty if none."""
        for place in (self.root / ITEMS, self.root / "pack"):
            if file != place and file.is_relative_to(place):
                label = file.relative_to(place).parts[0]
                return label if label in self.labels else ""
        return ""


def pictures(folder: Path, pattern: str) -> dict[str, str]:
    """URIs of the pictures in a folder by their paths below it."""
    return {file.relative_to(folder).as_posix(): file.as_uri() for file in sorted(folder.glob(pattern))}


def _is_exam(folder: Path) -> bool:
    is_written = (folder / EXAM_FILE).is_file() and (folder / ITEMS).is_dir()
    return is_written and Kept(folder / "items.json", Items).last() is not None


def _refuse_link(file: Path) -> None:
    if file.is_symlink():
        raise ServerError(f"{file} is a link. Put what it leads to there, or remove it.")


def _read_files(folder: Path) -> QuestionFiles:
    data = [_content(folder, name) for name in (_STATEMENT, _SOLUTION, FORM_FILE)]
    whole = hashlib.sha256()
    for one in data:
        whole.update(f"{len(one)}:".encode() + one)
    try:
        statement, solution, form = (one.decode() for one in data)
    except UnicodeDecodeError as error:
        raise ServerError(f"A file in {folder} is not UTF-8. Save it as UTF-8.") from error
    return QuestionFiles(statement, solution, form, whole.hexdigest())


def _content(folder: Path, name: str) -> bytes:
    """Of a file; nothing if there is none."""
    try:
        return read_plain_file(folder, name, _MOST_BYTES)
    except FileNotFoundError:
        return b""
    except FileTooLargeError as error:
        raise ServerError(f"{folder / name} has more than {_MOST_BYTES:,} bytes. Shorten it.") from error
    except NotPlainFileError as error:
        raise ServerError(f"{folder / name} is no plain file. Remove it.") from error
    except OSError as error:
        raise ServerError(f"{folder / name} can't be read: {error.strerror}.") from error


def _like(new: str, old: str) -> str:
    """What was typed, with the line ends of the file; a form in a browser has only line feeds."""
    plain = new.replace("\r\n", "\n")
    return plain.replace("\n", "\r\n") if "\r\n" in old else plain


def _changes(text: str, values: dict[str, object]) -> dict[str, object]:
    """Values to write: what a file leaves out and the form has as it is by default stays out."""
    there = tomllib.loads(text)
    empty: tuple[object, ...] = ("", None, [], {})
    return {
        name: value
        for name, value in values.items()
        if name in there or not (value in empty or value == Form.model_fields[name].default)
    }


def _check(folder: Path, statement: str, solution: str, form: Form) -> None:
    with tempfile.TemporaryDirectory() as work:
        copy = Path(work) / folder.name
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("page-*.png"))
        (copy / _STATEMENT).write_text(statement, "utf-8")
        (copy / "solution").mkdir(exist_ok=True)
        (copy / _SOLUTION).write_text(solution, "utf-8")
        check_question(copy, form)


def _refused(error: ValidationError) -> list[Refused]:
    return [
        Refused(".".join(str(part) for part in one["loc"] if part != "[key]"), one["msg"].removeprefix("Value error, "))
        for one in error.errors(include_url=False)
    ]


_FIELDS = {"answer.points": "rubric", "answer": "answer", "question.choices": "choices", "question": "format"}
"""Of a form, by the beginning of those of the problem that is made of it."""


def _refused_by_pack(error: DatasetError) -> Refused:
    if error.file.name in ("solution.md", _STATEMENT):
        return Refused(error.file.stem, error.reason)
    found = next((ours for theirs, ours in _FIELDS.items() if error.field.startswith(theirs)), error.field)
    return Refused(found, error.reason)
