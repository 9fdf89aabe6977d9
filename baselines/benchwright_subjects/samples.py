"""The problems of a pack as Inspect's samples: public parts only, so that no log of Inspect's can hold a key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
)

from benchwright_attempts.errors import EvaluationError
from benchwright_problems.datasets.cvdp import AGENTIC
from benchwright_problems.figure import MediaType
from benchwright_problems.problem import Figure, Problem
from benchwright_problems.storage.store import Store
from benchwright_subjects.evaluation.examples import Examples
from benchwright_subjects.prompt_sets import BENCHWRIGHT, prompt_set
from benchwright_subjects.prompts.passages import Passages
from benchwright_subjects.prompts.prompt import ModelPrompt, Part, answer_prompt, prompt_parts_text
from benchwright_subjects.prompts.template import PromptTemplate


def select_problems(
    store: Store, pack: str, problem_names: str | Sequence[str], excluded_ids: frozenset[str] = frozenset()
) -> list[Problem]:
    """The public parts of the problems that are asked for, in the pack's order.

    Args:
        store: Has the pack.
        pack: Its name.
        problem_names: Names or patterns such as `cvdp_*`, a list or with commas between them; all where empty.
        excluded_ids: Left out: they serve as examples.

    Raises:
        EvaluationError: A name fits no problem, or nothing is left.
    """
    problems = list(store.public_pack(pack).problems)
    words = problem_names.split(",") if isinstance(problem_names, str) else problem_names
    patterns = [word.strip().removeprefix(f"{pack}/") for word in words if word.strip()]
    for pattern in patterns:
        if not any(fnmatchcase(problem.id, pattern) for problem in problems):
            raise EvaluationError(f"The pack {pack!r} has no problem {pattern!r}; `benchwright problems list {pack}`.")
    selected_problems = [
        _without_tool_descriptions(store, pack, problem)
        for problem in problems
        if problem.id not in excluded_ids
        and (not patterns or any(fnmatchcase(problem.id, name_pattern) for name_pattern in patterns))
    ]
    if not selected_problems:
        raise EvaluationError(f"Nothing of the pack {pack!r} is left to ask: all of it serves as examples.")
    return selected_problems


@dataclass(frozen=True)
class RequestForm:
    """The problems that are asked, and the form of the request."""

    problem_names: str | Sequence[str] = ""
    """Names or patterns, a list or with commas between them; all where empty."""
    shots: int = 0
    """Solved questions that are shown before each one."""
    examples_pack: str = ""
    """The pack whose validation split they come from; that of the problems where empty."""
    asks_for_steps: bool = False
    """True to ask for steps before the answer of a question."""
    template_file: str = ""
    """A file with a prompt in place of ours."""
    seed: int = 0
    """Decides which examples are shown."""
    prompt_set_name: str = ""
    """The name of a prompt set; our own where empty."""
    passages_file: str = ""
    """A file of passages that are shown before each question, if not empty."""

    def problems_and_prompt_maker(
        self, store: Store, pack: str
    ) -> tuple[list[Problem], Callable[[Problem], ModelPrompt]]:
        """The problems of a pack that are asked, and what makes the request of each, with passages if there are any.

        Raises:
            EvaluationError: As `_problems_and_bare_prompt_maker`, or the passages can't be used.
        """
        problems, make_prompt = self._problems_and_bare_prompt_maker(store, pack)
        if not self.passages_file:
            return problems, make_prompt
        return problems, Passages.read_for(Path(self.passages_file), problems).with_passages_before(make_prompt)

    def _problems_and_bare_prompt_maker(
        self, store: Store, pack: str
    ) -> tuple[list[Problem], Callable[[Problem], ModelPrompt]]:
        """The problems of a pack that are asked, and what makes the request of each.

        Raises:
            EvaluationError: No problems or no examples exist, the template is wrong, or the prompts are not for them.
        """
        prompts = prompt_set(self.prompt_set_name)
        template = PromptTemplate.read_template(Path(self.template_file)) if self.template_file else None
        source = self.examples_pack or pack
        examples = Examples.from_pack(store, source, self.shots, has_steps=self.asks_for_steps, seed=self.seed)
        problems = select_problems(store, pack, self.problem_names, examples.ids if source == pack else frozenset())
        if template is not None:
            return problems, template.make_prompt
        if prompts is not BENCHWRIGHT:
            if self.shots or self.asks_for_steps:
                raise EvaluationError(f"The prompts {prompts.name!r} have no form with examples or thinking.")
            return problems, prompts.prompt_for
        return problems, lambda problem: answer_prompt(
            problem, asks_for_steps=self.asks_for_steps, examples=examples.example_turns_before(problem)
        )


def problem_dataset(
    pack: str, problems: Sequence[Problem], prompt_for: Callable[[Problem], ModelPrompt]
) -> MemoryDataset:
    """The samples of problems.

    Args:
        pack: Pack that they come from.
        problems: Public parts.
        prompt_for: Makes the request of each.
    """
    samples = [
        Sample(
            id=problem.id,
            input=chat_messages(prompt_for(problem)),
            target="",
            metadata={
                "problem": f"{pack}/{problem.id}",
                "problem_sha256": problem.public_digest,
                "kind": problem.kind.value,
                "category": problem.category.value if problem.category else "",
                "difficulty": problem.difficulty.value,
                "format": problem.public.question.format.value if problem.public.question else "",
                "language": problem.public.question.language if problem.public.question else "",
            },
        )
        for problem in problems
    ]
    return MemoryDataset(samples, name=pack)


def chat_messages(prompt: ModelPrompt) -> list[ChatMessage]:
    """A prompt as a conversation."""
    conversation: list[ChatMessage] = [ChatMessageSystem(content=prompt.system)] if prompt.system else []
    for turn in prompt.examples:
        conversation += [
            ChatMessageUser(content=_message_content(turn.question)),
            ChatMessageAssistant(content=turn.answer),
        ]
    return [*conversation, ChatMessageUser(content=_message_content(prompt.user))]


def _message_content(prompt_parts: Sequence[Part]) -> str | list[Content]:
    # Not every endpoint takes a list.
    if all(isinstance(part, str) for part in prompt_parts):
        return prompt_parts_text(prompt_parts)
    return [ContentText(text=part) if isinstance(part, str) else _figure_content(part) for part in prompt_parts]


def _figure_content(figure: Figure) -> Content:
    if figure.media_type is MediaType.SVG:
        # Endpoints take no SVG as a picture, but models read it.
        return ContentText(text=f"\n{figure.path}:\n{figure.content.decode('utf-8', 'replace')}\n")
    return ContentImage(image=f"data:{figure.media_type};base64,{figure.data}")


def _without_tool_descriptions(store: Store, pack: str, problem: Problem) -> Problem:
    """A problem without the system message of CVDP's agentic set, which describes tools that are not here."""
    if problem.public.system_message is None or problem.category is None:
        return problem
    if store.unseal(f"{pack}/{problem.id}").hidden.dataset_format != AGENTIC:
        return problem
    return problem.model_copy(update={"public": problem.public.model_copy(update={"system_message": None})})
