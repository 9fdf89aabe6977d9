"""The prompts that a model can be asked with, by name."""

from __future__ import annotations

from benchwright_attempts.errors import EvaluationError
from benchwright_subjects.prompt_sets.confidence import with_confidence_request
from benchwright_subjects.prompt_sets.csbench import CSBENCH
from benchwright_subjects.prompt_sets.cvdp import CVDP
from benchwright_subjects.prompt_sets.json_answers import JSON_ANSWERS
from benchwright_subjects.prompt_sets.prompt_set import PromptSet
from benchwright_subjects.prompt_sets.quarch import QUARCH
from benchwright_subjects.prompts.prompt import answer_prompt

BENCHWRIGHT = PromptSet(name="benchwright", source="", covers="all problems", make_prompt=answer_prompt)
_PLAIN = (BENCHWRIGHT, CVDP, CSBENCH, QUARCH)
"""A set has one module, one line here, and its name in `benchwright_studies.plan.vocabulary.Prompts`."""
PROMPT_SETS: tuple[PromptSet, ...] = (*_PLAIN, JSON_ANSWERS, *map(with_confidence_request, _PLAIN))


def prompt_set(name: str) -> PromptSet:
    """The set of this name; our own where empty.

    Raises:
        EvaluationError: No prompt set has this name.
    """
    for prompts in PROMPT_SETS:
        if prompts.name == (name or BENCHWRIGHT.name):
            return prompts
    known_names = ", ".join(prompts.name for prompts in PROMPT_SETS)
    raise EvaluationError(f"There are no prompts {name!r}; choose one of: {known_names}.")
