"""A new problem in a pack folder: a small one that is whole and proves itself, to be changed from there."""

from __future__ import annotations

import re
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from importlib.resources import as_file, files
from pathlib import Path
from typing import TypeAlias

from benchwright_authoring.twin_key import free_response_key
from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.toml_text import toml_table_text
from benchwright_problems.errors import DatasetError, ProblemsError
from benchwright_problems.problem import AnswerKind, QuestionFormat
from benchwright_problems.storage.pack_folder import PACK_FILE, read_pack_folder
from benchwright_problems.storage.pack_name import is_pack_name

_ID = re.compile(r"[a-z][a-z0-9-]{0,60}")
_ORDER = re.compile(r"^order = \[(.*?)\]", re.MULTILINE | re.DOTALL)


class NewProblemError(ProblemsError):
    """A problem can't be made there."""


class DesignForm(StrEnum):
    """Form that a new design problem begins with."""

    COCOTB = "cocotb"
    """With cocotb tests."""
    TESTBENCH = "testbench"
    """With a testbench in SystemVerilog."""


Form: TypeAlias = DesignForm | QuestionFormat
FORMS: Mapping[str, Form] = {form.value: form for form in (*DesignForm, *QuestionFormat)}
"""Forms that a new problem can begin with, by name."""
_CHOICES = 'choices = { A = "First", B = "Second", C = "Third", D = "Fourth" }\n'
_RUBRIC = "Up to 2 points; 2 count as a right answer. 1 point for …; 1 point for …"
_QUESTIONS: Mapping[AnswerKind, Mapping[str, str]] = {
    AnswerKind.CHOICE: {"CHOICES": _CHOICES, "ANSWER": "A", "RUBRIC": ""},
    AnswerKind.CHOICES: {"CHOICES": _CHOICES, "ANSWER": "AC", "RUBRIC": ""},
    AnswerKind.TRUTH: {"CHOICES": "", "ANSWER": "true", "RUBRIC": ""},
    AnswerKind.BLANK: {"CHOICES": "", "ANSWER": "24", "RUBRIC": ""},
    AnswerKind.WORDS: {"CHOICES": "", "ANSWER": "A model answer.", "RUBRIC": _RUBRIC},
}
_KEPT = {"subdomain", "topic", "tag", "skill", "language"}
"""Fields that a twin takes from its question."""
_STATEMENT = "# Title\n\nThe question, with all that is needed to answer it.\n"


def write_new_problem(
    pack_folder: Path, problem_id: str, problem_form: Form, *, license_name: str = "CC-BY-4.0"
) -> Path:
    """Makes a problem in a pack folder, and the pack too if there is none yet; all or nothing.

    Args:
        pack_folder: The pack's; its name is that of a new pack.
        problem_id: The new problem's id: lower-case letters, digits and hyphens.
        problem_form: Form that it begins with.
        license_name: Licence of a new pack, as SPDX calls it.

    Returns:
        The problem's folder.

    Raises:
        NewProblemError: The name can't be used, or is taken.
        DatasetError: The folder holds a pack that can't be read.
        OSError: The folder can't be written.
    """
    require_new_problem_id(pack_folder, problem_id)
    return place_problem(
        pack_folder,
        problem_id,
        lambda new_folder: _write_problem_folder(new_folder, problem_id, problem_form),
        license_name=license_name,
    )


def place_problem(
    pack_folder: Path, problem_id: str, write_problem_folder: Callable[[Path], object], *, license_name: str
) -> Path:
    """Places a problem's folder in a pack, and makes the pack if there is none yet; see `write_new_problem`.

    Args:
        pack_folder: The pack's.
        problem_id: The new problem's id.
        write_problem_folder: Makes the problem's folder, by the path that it is given.
        license_name: Licence of a new pack, as SPDX calls it.
    """
    if (pack_folder / PACK_FILE).exists():
        read_pack_folder(pack_folder)
        pack = _pack_toml_text_with_problem(pack_folder / PACK_FILE, problem_id)
    else:
        pack = _new_pack_toml_text(pack_folder, problem_id, license_name)
    return _place_problem_and_pack_file(pack_folder, problem_id, pack, write_problem_folder)


def write_free_response_twin(pack_folder: Path, problem_id: str, twin_id: str) -> Path:
    """Makes a free-response question of a multiple-choice one of the same pack; all or nothing.

    The right option is its model answer. People and models who answer both show what the options give away.

    Args:
        pack_folder: The pack's.
        problem_id: The multiple-choice question's id.
        twin_id: The new question's id: lower-case letters, digits and hyphens.

    Returns:
        The new question's folder.

    Raises:
        NewProblemError: The name can't be used or is taken, or the problem is no multiple-choice question.
        DatasetError: The folder holds a pack that can't be read.
        OSError: The folder can't be written.
    """
    require_new_problem_id(pack_folder, twin_id)
    original = next(
        (candidate for candidate in read_pack_folder(pack_folder).problems if candidate.id == problem_id), None
    )
    question, key = (original.public.question, original.hidden.answer) if original is not None else (None, None)
    if original is None or question is None or key is None or question.format.answered_by is not AnswerKind.CHOICE:
        raise NewProblemError(f"{pack_folder / problem_id} is no multiple-choice question")
    right_text = next(choice.text for choice in question.choices if choice.letter == key.value)
    values: dict[str, object] = {
        "id": twin_id,
        "kind": "question",
        "difficulty": original.difficulty.value,
        "domain": question.domain,
        "question": {
            "format": QuestionFormat.FREE_RESPONSE.value,
            **question.model_dump(mode="json", include=_KEPT, exclude_defaults=True),
        },
        "answer": free_response_key(right_text, key.explanation, problem_id).model_dump(
            mode="json", exclude_defaults=True
        ),
    }

    def write(new_folder: Path) -> None:
        new_folder.mkdir()
        for path in ("statement.md", "figures", "hidden/figures"):
            source, target = pack_folder / problem_id / path, new_folder / path
            if source.is_dir():
                shutil.copytree(source, target)
            elif source.is_file():
                shutil.copyfile(source, target)
        (new_folder / "problem.toml").write_text(toml_table_text(values), encoding="utf-8")

    return _place_problem_and_pack_file(
        pack_folder, twin_id, _pack_toml_text_with_problem(pack_folder / PACK_FILE, twin_id), write
    )


def require_new_problem_id(pack_folder: Path, problem_id: str) -> None:
    """Refuses a name that can't be used, or is taken.

    Raises:
        NewProblemError: It says which.
    """
    if not _ID.fullmatch(problem_id):
        raise NewProblemError(f"{problem_id!r} can't be a problem's name; use lower-case letters, digits and hyphens")
    if (pack_folder / problem_id).exists():
        raise NewProblemError(f"{pack_folder / problem_id} is there already; choose another name")


def _place_problem_and_pack_file(
    pack_folder: Path, problem_id: str, pack_toml_text: str, write_problem_folder: Callable[[Path], object]
) -> Path:
    """Writes a problem's folder and its pack's file, both or neither."""
    target = pack_folder / problem_id
    pack_folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".new-", dir=pack_folder) as temporary:
        new_folder = Path(temporary, problem_id)
        write_problem_folder(new_folder)
        new_folder.replace(target)
    try:
        write_atomically(pack_folder / PACK_FILE, pack_toml_text.encode())
    except OSError:
        shutil.rmtree(target, ignore_errors=True)
        raise
    return target


def _pack_toml_text_with_problem(pack_file: Path, problem_id: str) -> str:
    """The text of `pack.toml` with one more problem; everything else of it stays as its author wrote it."""
    text = pack_file.read_text(encoding="utf-8")
    match = _ORDER.search(text)
    if match is None:
        raise DatasetError(pack_file, "order", f'is not written as `order = ["…"]`; add "{problem_id}" to it by hand')
    order_names = match[1].rstrip().rstrip(",")
    line = "\n    " if "\n" in match[1] else " " if order_names else ""
    order_end = ",\n" if "\n" in match[1] else ""
    order = f"{order_names},{line}" if order_names else line
    return f'{text[: match.start(1)]}{order}"{problem_id}"{order_end}{text[match.end(1) :]}'


def _new_pack_toml_text(pack_folder: Path, problem_id: str, license_name: str) -> str:
    name = pack_folder.absolute().name
    if not is_pack_name(name):
        raise NewProblemError(
            f"{name!r} can't be a pack's name; give a folder called by lower-case letters, digits, '.', '_' and '-'"
        )
    if not re.fullmatch(r"[A-Za-z0-9.+() -]+", license_name):
        raise NewProblemError(f"{license_name!r} is not the name of a licence; SPDX lists them, such as CC-BY-4.0")
    title = name.replace("-", " ").replace("_", " ").capitalize()
    fields = {"name": name, "title": title, "version": "0.1.0", "license": license_name, "source": name}
    lines = [f'{field} = "{value}"\n' for field, value in fields.items()]
    # It is in the file that is published, and no part of what solvers and models get.
    lines += ["# Benchmark data, not for training. The canary shows whether a model was trained on it.\n"]
    lines += [f'canary = "{uuid.uuid4()}"\n', f'order = [\n    "{problem_id}",\n]\n']
    return "".join(lines)


def _write_problem_folder(problem_folder: Path, problem_id: str, problem_form: Form) -> None:
    question = _QUESTIONS[problem_form.answered_by] if isinstance(problem_form, QuestionFormat) else {}
    words = {"ID": problem_id, "TOP": problem_id.replace("-", "_"), "FORMAT": problem_form.value, **question}
    for name in ("question",) if question else ("design", problem_form.value):
        for path, text in _template_files(name):
            file = problem_folder / _filled_template(path, words)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(_filled_template(text, words), encoding="utf-8")
    if question:
        (problem_folder / "statement.md").write_text(_STATEMENT, encoding="utf-8")


def _template_files(template_name: str) -> Iterator[tuple[str, str]]:
    with as_file(files("benchwright_authoring") / "templates" / template_name) as folder:
        for file in sorted(folder.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                yield file.relative_to(folder).as_posix(), file.read_text(encoding="utf-8")


def _filled_template(template_text: str, value_by_placeholder: Mapping[str, str]) -> str:
    return re.sub(r"@([A-Z]+)@", lambda match: value_by_placeholder.get(match[1], match[0]), template_text)
