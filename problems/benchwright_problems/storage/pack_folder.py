"""Packs as folders of TOML, Markdown and source files, the form of built-in packs.

`pack.toml` names the pack and the order of its problems. Each problem is a folder with
`problem.toml`, `statement.md`, `public/` (files the solver gets), and for a design problem
`hidden/harness/`, `hidden/reference/`, `hidden/right/NAME/` (more solutions that must pass),
`hidden/wrong/NAME/` (solutions that must fail) and `hidden/explanation.md`. Problems that are whole repositories share
their files, which are in `trees/NAME/` of the pack.
`docs/reference/pack-format.md` describes every field.
"""

from __future__ import annotations

import base64
import os
import re
import stat
import tomllib
from importlib.resources import as_file, files
from pathlib import Path
from typing import TypeVar

from pydantic import JsonValue, ValidationError

from benchwright_foundation.home import Home
from benchwright_foundation.model import Model
from benchwright_foundation.plain_file import FileTooLargeError, NotPlainFileError, read_plain_file
from benchwright_problems.criterion import TESTBENCH_FILE
from benchwright_problems.equivalence import PROOF_FILE
from benchwright_problems.errors import DatasetError, PatchError
from benchwright_problems.figure import media_type_of_path
from benchwright_problems.problem import (
    Answer,
    Choice,
    Figure,
    Hidden,
    Pack,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    Question,
    digest,
)
from benchwright_problems.repository.changes import CHANGES, changed_content_by_path
from benchwright_problems.repository.named_tests import VERIFIER
from benchwright_problems.repository.tree import Tree, TreeError, TreeStore
from benchwright_problems.storage.pack_files_schema import PackToml, ProblemToml

BUILT_IN = ("starter", "architecture-labs", "small-core")
PACK_FILE = "pack.toml"
EXPLANATION = "hidden/explanation.md"
"""In the folder of a design problem."""
LARGEST_FILE_BYTES = 16 * 1024**2

_DESCRIPTIONS = frozenset({"docker-compose.yml", TESTBENCH_FILE, VERIFIER, PROOF_FILE})
"""Files of which a harness has one."""
TREES = "trees"
START = "start.patch"
"""The changes to its tree with which a repository problem starts."""
_LATER_FIELDS = ("hints", "test_groups", "dont_care", "proof", "published", "criterion", "tree", "editable", "tests")
"""Fields whose absence leaves a problem's digest as it was before there was such a field."""

_File = TypeVar("_File", bound=Model)


def read_pack_folder(pack_folder: Path) -> Pack:
    """Read a whole pack.

    Raises:
        DatasetError: Names the file, the field and what is wrong with it.
    """
    head = read_pack_toml(pack_folder)
    if len(set(head.order)) != len(head.order):
        raise DatasetError(pack_folder / PACK_FILE, "order", "names a problem twice")
    problems = tuple(read_problem(pack_folder / name, head) for name in head.order)
    try:
        return Pack(
            name=head.name,
            title=head.title,
            version=head.version,
            license=head.license,
            source=head.source,
            description=head.description,
            published=head.published,
            canary=head.canary,
            problems=problems,
        )
    except ValidationError as error:
        raise DatasetError.from_validation(pack_folder / PACK_FILE, error) from error


def read_pack_toml(pack_folder: Path) -> PackToml:
    """Return the content of a pack's own file.

    Raises:
        DatasetError: See `read_pack_folder`.
    """
    return _read_toml(pack_folder / PACK_FILE, PackToml)


def wrong_solutions_by_name(pack_folder: Path, problem_id: str) -> dict[str, dict[str, str]]:
    """The solutions that a problem's harness must fail, in the folder of its pack: name → path → text.

    Raises:
        DatasetError: A file can't be read.
    """
    return _solutions_by_name(pack_folder / problem_id / "hidden" / "wrong")


def right_solutions_by_name(pack_folder: Path, problem_id: str) -> dict[str, dict[str, str]]:
    """The solutions beside the reference that a problem's harness must pass, as `wrong_solutions_by_name`.

    Raises:
        DatasetError: A file can't be read.
    """
    return _solutions_by_name(pack_folder / problem_id / "hidden" / "right")


def _solutions_by_name(solutions_folder: Path) -> dict[str, dict[str, str]]:
    if not solutions_folder.is_dir():
        return {}
    return {
        solution_folder.name: _read_texts(solution_folder)
        for solution_folder in sorted(solutions_folder.iterdir())
        if solution_folder.is_dir()
    }


def read_built_in(pack_name: str) -> Pack:
    """Read a pack that ships with Benchwright."""
    with as_file(files("benchwright_problems") / "packs" / pack_name) as folder:
        return read_pack_folder(folder)


def read_problem(problem_folder: Path, pack_toml: PackToml) -> Problem:
    """Read one problem.

    Raises:
        DatasetError: See `read_pack_folder`.
    """
    file = problem_folder / "problem.toml"
    spec = _read_toml(file, ProblemToml)
    if spec.id != problem_folder.name:
        raise DatasetError(file, "id", f"is {spec.id!r} but the folder is called {problem_folder.name!r}")
    statement = _read_file_text(problem_folder / "statement.md")
    heading = statement.splitlines()[0] if statement else ""
    if not heading.startswith("# "):
        raise DatasetError(problem_folder / "statement.md", "", "the first line must be '# Title'", 1)
    public_files = _read_texts(problem_folder / "public")
    harness = _read_texts(problem_folder / "hidden" / "harness")
    reference = _read_texts(problem_folder / "hidden" / "reference")
    visible_text = "\n".join((statement, *(spec.question.choices.values() if spec.question else ())))
    figures = _figures_below(problem_folder / "figures", visible_text)
    answer = _answer_key(problem_folder, spec)
    if spec.kind is ProblemKind.DESIGN and not _DESCRIPTIONS & harness.keys():
        raise DatasetError(problem_folder / "hidden/harness/docker-compose.yml", "", "is missing")
    tree = _store_tree_at_start(problem_folder, spec.tree) if spec.tree else None
    content: dict[str, JsonValue] = {
        "spec": spec.model_dump(
            mode="json",
            exclude={name for name in _LATER_FIELDS if not getattr(spec, name)},
        ),
        "statement": statement,
        "public": dict(public_files),
        "harness": dict(harness),
        "reference": dict(reference),
    }
    if tree is not None:
        content["tree"] = tree.id
    if figures:
        content["figures"] = {figure.path: figure.data for figure in figures}
    try:
        return Problem(
            id=spec.id,
            kind=spec.kind,
            title=heading.removeprefix("# ").strip(),
            category=spec.category,
            difficulty=spec.difficulty,
            reveal=spec.reveal,
            limits=spec.limits,
            published=spec.published,
            provenance=Provenance(source=pack_toml.source, license=pack_toml.license, version=pack_toml.version),
            public=Public(
                statement=statement,
                files=public_files,
                expected=spec.expected if tree is None else (*spec.expected, CHANGES),
                tree=tree,
                editable=spec.editable,
                question=_question(spec),
                figures=figures,
                hints=tuple(hint.rule for hint in spec.hints),
                test_groups=spec.test_groups,
            ),
            hidden=Hidden(
                harness=harness,
                reference=reference,
                answer=answer,
                scan=spec.scan,
                criterion=spec.criterion,
                tests=spec.tests,
                hints=tuple(hint.text.strip() for hint in spec.hints),
                explanation=_read_file_text(problem_folder / EXPLANATION)
                if (problem_folder / EXPLANATION).is_file()
                else "",
                dont_cares=spec.dont_care,
                parameter_sets=spec.proof.parameters,
                sha256=digest(content),
            ),
        )
    except ValidationError as error:
        raise DatasetError.from_validation(file, error) from error


def _store_tree_at_start(problem_folder: Path, tree_name: str) -> Tree:
    """The files that a repository problem starts with: those of its tree, with its own changes."""
    tree_folder, start_diff = problem_folder.parent / TREES / tree_name, problem_folder / START
    if not tree_folder.is_dir():
        raise DatasetError(
            problem_folder / "problem.toml", "tree", f"there is no folder {TREES}/{tree_name} in the pack"
        )
    trees = TreeStore.from_home(Home.from_environment())
    try:
        files = _tree_files(tree_folder)
        tree = trees.add(files)
        if not start_diff.exists():
            return tree
        content_by_changed_path = changed_content_by_path(tree, _read_file_text(start_diff))
        return trees.add({path: text for path, text in (files | content_by_changed_path).items() if text is not None})
    except PatchError as error:
        raise DatasetError(start_diff, "", str(error)) from error
    except TreeError as error:
        raise DatasetError(tree_folder, "", str(error)) from error
    except OSError as error:
        raise DatasetError(tree_folder, "", f"can't be kept: {error.strerror}") from error


def _tree_files(tree_folder: Path) -> dict[str, bytes]:
    """The files below a folder, without those whose name begins with a dot, and links to none."""
    files = {}
    for parent, folders, names in os.walk(tree_folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for file in (Path(parent, name) for name in names if not name.startswith(".")):
            path = file.relative_to(tree_folder).as_posix()
            try:
                files[path] = read_plain_file(tree_folder, path, LARGEST_FILE_BYTES)
            except FileTooLargeError as error:
                raise DatasetError(file, "", f"is larger than {LARGEST_FILE_BYTES >> 20} MiB") from error
            except (NotPlainFileError, OSError) as error:
                raise DatasetError(file, "", "is not a plain file; links are not followed") from error
    return files


def _answer_key(problem_folder: Path, problem_toml: ProblemToml) -> Answer | None:
    """The answer key with its pictures."""
    file, answer = problem_folder / "problem.toml", problem_toml.answer
    if answer is None:
        if problem_toml.kind is ProblemKind.QUESTION:
            raise DatasetError(file, "answer", "is missing")
        return None
    if problem_toml.question is not None:
        expected = problem_toml.question.format.unmet_key_rule_in_words(
            answer.value, tuple(problem_toml.question.choices)
        )
        if expected:
            raise DatasetError(file, "answer.value", f"is {answer.value!r}; it must be {expected}")
    if not (problem_folder / "hidden" / "figures").is_dir():
        return answer
    solution_figures = _figures_below(problem_folder / "hidden" / "figures", f"{answer.value}\n{answer.explanation}")
    return answer.model_copy(update={"figures": solution_figures})


def _question(problem_toml: ProblemToml) -> Question | None:
    if problem_toml.question is None:
        return None
    choices = tuple(Choice(letter=letter, text=text) for letter, text in problem_toml.question.choices.items())
    return Question(
        **problem_toml.question.model_dump(exclude={"choices"}),
        choices=choices,
        domain=problem_toml.domain,
    )


def _figures_below(figures_folder: Path, showing_markdown: str) -> tuple[Figure, ...]:
    """The pictures below a folder, under the path by which Markdown shows them: `figures/NAME`."""
    if not figures_folder.is_dir():
        return ()
    figures = []
    for file in sorted(path for path in figures_folder.rglob("*") if path.is_file()):
        path = f"figures/{file.relative_to(figures_folder).as_posix()}"
        alt = re.search(rf"!\[([^\]]*)\]\(<?{re.escape(path)}>?\)", showing_markdown)
        if alt is None:
            raise DatasetError(file, "", f"is not shown anywhere; add ![what it shows]({path}) where it belongs")
        try:
            encoded_picture = base64.b64encode(_read_file_bytes(file)).decode()
            figures.append(Figure(path=path, media_type=media_type_of_path(path), data=encoded_picture, alt=alt[1]))
        except OSError as error:
            raise DatasetError(file, "", f"can't be read: {error.strerror}") from error
        except ValidationError as error:
            raise DatasetError.from_validation(file, error) from error
        except ValueError as error:
            raise DatasetError(file, "", str(error)) from error
    return tuple(figures)


def _read_toml(toml_file: Path, model: type[_File]) -> _File:
    try:
        return model.model_validate(tomllib.loads(_read_file_text(toml_file)))
    except tomllib.TOMLDecodeError as error:
        raise DatasetError(toml_file, "", f"is not TOML: {error}") from error
    except ValidationError as error:
        raise DatasetError.from_validation(toml_file, error) from error


def _read_texts(folder: Path) -> dict[str, str]:
    if not folder.is_dir():
        return {}
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    return {path.relative_to(folder).as_posix(): _read_file_text(path) for path in paths}


def _read_file_text(file: Path) -> str:
    try:
        return _read_file_bytes(file).decode()
    except OSError as error:
        raise DatasetError(file, "", f"can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DatasetError(file, "", f"byte {error.start + 1} is not UTF-8") from error


def _read_file_bytes(file: Path) -> bytes:
    status = file.stat()
    if not stat.S_ISREG(status.st_mode):
        # A pipe would never end.
        raise DatasetError(file, "", "is no plain file")
    if status.st_size > LARGEST_FILE_BYTES:
        raise DatasetError(file, "", f"is larger than {LARGEST_FILE_BYTES >> 20} MiB")
    return file.read_bytes()
