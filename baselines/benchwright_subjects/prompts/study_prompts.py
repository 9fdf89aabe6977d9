"""The prompts that a study file chooses for its models."""

from __future__ import annotations

from benchwright_problems.storage.store import Store
from benchwright_studies.plan.registration import installed_problems_by_ref
from benchwright_studies.plan.study_file import StudyFile, StudyFileError, StudyFlaw
from benchwright_subjects.prompt_sets import PROMPT_SETS, prompt_set
from benchwright_subjects.prompt_sets.forms import digest_of_prompt_forms


def refuse_uncovered_prompts(store: Store, file: StudyFile) -> None:
    """Refuses prompts that have no form for a problem of the study.

    Raises:
        StudyFileError: Names each condition and its first such problem; or a problem is not installed.
    """
    problems = installed_problems_by_ref(store, file)
    flaws = []
    for index, condition in enumerate(file.study.conditions):
        if condition.prompts is None:
            continue
        field, prompts = f"conditions[{index}].prompts", prompt_set(condition.prompts)
        lacking = [task.problem for task in file.study.problems if prompts.make_prompt(problems[task.problem]) is None]
        if lacking:
            message = (
                f"{prompts.name} is for {prompts.covers}, and {lacking[0]} is none of them ({len(lacking)} of "
                f"{len(file.study.problems)} problems). Choose other prompts, or other problems."
            )
            flaws.append(StudyFlaw(file.line_of(field), field, message))
    if flaws:
        raise StudyFileError(file.path, flaws)


def prompt_digests() -> dict[str, str]:
    """The digest of each set of prompts, by name."""
    return {prompts.name: digest_of_prompt_forms(prompts) for prompts in PROMPT_SETS}
