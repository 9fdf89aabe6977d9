"""A condition of a study: who works, and what may help."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from benchwright_attempts.terms import OWN_ASSISTANT, Solver
from benchwright_problems.aids import Aid
from benchwright_problems.partial_date import PartialDate
from benchwright_studies.plan.study_part import Id, ProblemRef, StudyPart
from benchwright_studies.plan.subject import Subject
from benchwright_studies.plan.vocabulary import Prompts


class Condition(StudyPart):
    """One way of working that is compared with the others."""

    name: Id
    solver: Solver
    assistants: tuple[str, ...] = ()
    """Ids of the extensions that help, such as `github.copilot`; `benchwright` for its own completion. \
Only with `human+copilot` and `human+agent`."""
    aids: tuple[Aid, ...] | None = None
    """Aids allowed besides the language's features and the linters: of `hints`, `explanations`, `generated` (by \
Benchwright's own model), `own_tests`, `waveforms`, `design_views` and `agent_tools` (`benchwright mcp`). All but \
`hints`, `generated` and `agent_tools` if not given, with `agent_tools` for `human+agent`; `[]` for none. Not with \
`model`."""
    model: str = ""
    """Provider and name as `benchwright eval` takes them, such as `openai/gpt-5`. Only with `model` and `agent`."""
    subject: Subject | None = None
    """The program that works, or with `human+copilot` helps. None if the model works with Benchwright's own tools. \
Not with `human` and `model`."""
    knowledge_cutoff: PartialDate | None = None
    """The end of what the model was trained on, as its provider states it: `YYYY-MM-DD` or `YYYY-MM`; what Inspect \
knows of the model if not given. Only with `model` and `agent`."""
    prompts: Prompts | None = None
    """Prompts of the model, as `benchwright eval --prompts` takes them; `benchwright` if not given. Only with \
`model`."""
    samples: int = Field(default=1, ge=1, le=10_000)
    """Tries per problem. Only with `model` and `agent`."""
    problems: tuple[ProblemRef, ...] = ()
    """Only these of the study's problems; all if empty. Only with `model` and `agent`."""

    @property
    def model_or_subject_name(self) -> str:
        """The worker where no person works: the model; the subject, if its model is its own affair."""
        return self.model or (self.subject.name if self.subject is not None else "")

    @property
    def is_inline(self) -> bool:
        """True if an inline-completion server works alone."""
        return self.subject is not None and self.subject.inline is not None

    @model_validator(mode="after")
    def _check_subject_fits_solver(self) -> Self:
        if self.subject is None:
            return self
        if self.solver not in (Solver.HUMAN_COPILOT, Solver.AGENT):
            raise ValueError(f"a subject does not go with solver {self.solver.value}. Write agent or human+copilot")
        if self.solver is Solver.HUMAN_COPILOT:
            if self.subject.name not in self.assistants:
                raise ValueError(
                    f"subject.name {self.subject.name} is none of the assistants {', '.join(self.assistants)}"
                )
            if wrong := [name for name in ("command", "acp", "refuses", "inline") if getattr(self.subject, name)]:
                raise ValueError(
                    f"subject.{wrong[0]} does not go with human+copilot: the participant decides. Remove it"
                )
        return self

    @model_validator(mode="after")
    def _check_help_fits_solver(self) -> Self:
        if self.solver is Solver.HUMAN_COPILOT and not self.assistants:
            raise ValueError("assistants is empty. Name the extensions that help, such as [github.copilot]")
        if self.solver not in (Solver.HUMAN_COPILOT, Solver.HUMAN_AGENT) and self.assistants:
            raise ValueError(
                f"assistants do not go with solver {self.solver.value}. Remove them, or write human+copilot"
            )
        if self.solver.is_person and self.model:
            raise ValueError(f"a model does not go with solver {self.solver.value}. Name assistants, or remove it")
        if not self.solver.is_person and not self.model and not self.is_inline:
            raise ValueError("model is missing. Name one, such as openai/gpt-5")
        if self.solver.is_person and self.knowledge_cutoff is not None:
            raise ValueError(f"knowledge_cutoff does not go with solver {self.solver.value}. Remove it")
        if self.solver is not Solver.MODEL and self.prompts is not None:
            raise ValueError(f"prompts do not go with solver {self.solver.value}. Remove them")
        if self.solver is Solver.MODEL and self.aids is not None:
            raise ValueError("aids do not go with solver model. Remove them")
        if Aid.GENERATED in (self.aids or ()) and OWN_ASSISTANT not in self.assistants:
            raise ValueError("the aid generated needs benchwright among the assistants. Add it there, or remove this")
        if self.solver.is_person and self.problems:
            raise ValueError("the plan says who works on which problem. Remove problems here")
        if self.solver.is_person and self.samples != 1:
            raise ValueError("a person tries each problem once. Remove samples")
        return self
