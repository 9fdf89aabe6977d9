"""Registration of a study file: its problems are looked up in the installed packs, its rules and plan are fixed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.errors import StudyError
from benchwright_problems.errors import ProblemsError
from benchwright_problems.problem import Problem, ProblemKind
from benchwright_problems.storage.store import Store
from benchwright_studies.conduct.studies import RegisteredStudy, Studies
from benchwright_studies.plan.allocation import ParticipantFile
from benchwright_studies.plan.claims import refuse_contradicted_claims
from benchwright_studies.plan.study_file import StudyFile, StudyFileError, StudyFlaw, parse_study

if TYPE_CHECKING:
    from benchwright_studies.conduct.study_log import StudyLog


def installed_problems_by_ref(store: Store, file: StudyFile) -> dict[str, Problem]:
    """The public parts of a study's problems, practice included, by `pack/id`.

    Raises:
        StudyFileError: Names each that is not installed.
    """
    problems: dict[str, Problem] = {}
    flaws: list[StudyFlaw] = []
    field_problems = [(f"problems[{index}]", task.problem) for index, task in enumerate(file.study.problems)]
    if file.study.practice is not None:
        field_problems.append(("practice", file.study.practice))
    for field, problem in field_problems:
        try:
            problems[problem] = store.problem(problem)
        except ProblemsError as error:
            flaws.append(StudyFlaw(file.line_of(field), field, str(error)))
    if flaws:
        raise StudyFileError(file.path, flaws)
    return problems


def register_study(log: StudyLog, store: Store, file: StudyFile) -> RegisteredStudy:
    """Registers a study and the version of each problem; doing it again changes nothing.

    Raises:
        StudyFileError: A problem is not installed, or the author's sentences contradict the file.
        StudyError: A study of this id was registered with other content.
    """
    problems = installed_problems_by_ref(store, file)
    _refuse_unwritable_inline_problems(file, problems)
    if file.study.study not in log.journal.studies():
        # The sentences of a study that has begun can't be changed any more.
        refuse_contradicted_claims(file)
    return Studies(log, Attempts(log)).register(
        file,
        {ref: problem.difficulty for ref, problem in problems.items()},
        {ref: problem.public_digest for ref, problem in problems.items()},
    )


def _refuse_unwritable_inline_problems(file: StudyFile, problems: Mapping[str, Problem]) -> None:
    """Refuses problems that an inline-completion server can't write.

    Raises:
        StudyFileError: Names each.
    """
    flaws = []
    for index, condition in enumerate(file.study.conditions):
        refs = file.study.problems_of(condition) if condition.is_inline else ()
        if unfit := [ref for ref in refs if not inline_writable_paths(problems[ref])]:
            field = f"conditions[{index}].problems"
            message = (
                f"{', '.join(unfit)}: an inline-completion server can't work there, since no Verilog file is asked "
                "for. Name the others."
            )
            flaws.append(StudyFlaw(file.line_of(field), field, message))
    if flaws:
        raise StudyFileError(file.path, flaws)


def inline_writable_paths(problem: Problem) -> list[str]:
    """The files of a problem that an inline-completion server can write."""
    if problem.kind is not ProblemKind.DESIGN:
        return []
    return sorted(path for path in problem.public.expected if path.endswith((".v", ".sv")))


def join_study(log: StudyLog, store: Store, file: ParticipantFile) -> RegisteredStudy:
    """Registers a study on a participant's machine and lets the participant begin; doing it again changes nothing.

    Raises:
        StudyError: A problem is not installed, or in another version; or the study is here with other rules.
    """
    parsed = parse_study(file.text, Path(f"{file.study}.json"))
    problems = installed_problems_by_ref(store, parsed)
    changed_problems = [
        ref for ref, digest in file.problems.items() if ref in problems and problems[ref].public_digest != digest
    ]
    if changed_problems:
        raise StudyError(
            f"{', '.join(changed_problems)}: not the version of the study. Ask the organisers for their packs."
        )
    return Studies(log, Attempts(log)).join(file)
