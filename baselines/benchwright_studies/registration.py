"""Registration of a study file: its problems are looked up in the installed packs, its rules and plan are fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchwright_attempts.attempts import Attempts
from benchwright_problems.errors import ProblemsError
from benchwright_problems.problem import Problem
from benchwright_problems.store import Store
from benchwright_studies.studies import RegisteredStudy, Studies
from benchwright_studies.study_file import Flaw, StudyFile, StudyFileError

if TYPE_CHECKING:
    from benchwright_studies.study_log import StudyLog


def problems_of(store: Store, file: StudyFile) -> dict[str, Problem]:
    """The public parts of a study's problems, practice included, by `pack/id`.

    Raises:
        StudyFileError: Names each that is not installed.
    """
    found: dict[str, Problem] = {}
    flaws: list[Flaw] = []
    named = [(f"problems[{place}]", task.problem) for place, task in enumerate(file.study.problems)]
    if file.study.practice is not None:
        named.append(("practice", file.study.practice))
    for field, problem in named:
        try:
            found[problem] = store.problem(problem)
        except ProblemsError as error:
            flaws.append(Flaw(file.line_of(field), field, str(error)))
    if flaws:
        raise StudyFileError(file.path, flaws)
    return found


def register_study(log: StudyLog, store: Store, file: StudyFile) -> RegisteredStudy:
    """Registers a study and the version of each problem; doing it again changes nothing.

    Raises:
        StudyFileError: A problem is not installed.
        StudyError: A study of this id was registered with other content.
    """
    problems = problems_of(store, file)
    return Studies(log, Attempts(log)).register(
        file,
        {ref: problem.difficulty for ref, problem in problems.items()},
        {ref: problem.public_digest for ref, problem in problems.items()},
    )
