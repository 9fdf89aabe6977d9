"""Forms of what a prompt set sends, with placeholders in place of problems: everything it sends has one of them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from pydantic import JsonValue

from benchwright_judges.languages import LANGUAGES
from benchwright_problems.category import Category
from benchwright_problems.problem import (
    Choice,
    Difficulty,
    Hidden,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    Question,
    QuestionFormat,
    digest,
)
from benchwright_problems.repository.changes import CHANGES
from benchwright_problems.repository.tree import TreeStore
from benchwright_subjects.prompt_sets.prompt_set import PromptSet


def form_by_problem_kind(prompts: PromptSet) -> dict[str, str]:
    """Everything that a set can send, by the kind of problem: system message and request as one text."""
    forms = {}
    for problem in _placeholder_problems():
        prompt = prompts.make_prompt(problem)
        if prompt is not None:
            forms[problem.id] = prompt.plain_text
    return forms


def digest_of_prompt_forms(prompts: PromptSet) -> str:
    """sha256 of all forms: two sets with the same digest ask alike."""
    forms: dict[str, JsonValue] = dict(form_by_problem_kind(prompts))
    return digest(forms)


def _placeholder_problems() -> Iterator[Problem]:
    for category in Category:
        if category.is_comprehension:
            yield _placeholder_problem(
                category.value, ProblemKind.TEXT, Public(statement="{statement}", files=_GIVEN), category
            )
            continue
        for count in (1, 2):
            expected_paths = tuple(f"rtl/{{expected_{number}}}.sv" for number in range(1, count + 1))
            public = Public(statement="{statement}", files=_GIVEN, expected=expected_paths)
            yield _placeholder_problem(f"{category.value}-{count}", ProblemKind.DESIGN, public, category)
    with tempfile.TemporaryDirectory() as folder:
        tree = TreeStore(Path(folder)).add({"rtl/{given}.sv": b"{content}"})
        public = Public(statement="{statement}", expected=(CHANGES,), tree=tree, editable=("{editable}",))
        yield _placeholder_problem("repository", ProblemKind.DESIGN, public, Category.BUG_FIX)
    for style in QuestionFormat:
        for language in LANGUAGES:
            choices = tuple(Choice(letter=letter, text=f"{{choice_{letter}}}") for letter in "ABCD")
            if not style.answered_by.has_choices:
                choices = ()
            question = Question(format=style, choices=choices, language=language.code)
            public = Public(statement="{statement}", question=question)
            yield _placeholder_problem(f"{style.value}-{language.code}", ProblemKind.QUESTION, public, None)


_GIVEN = {"docs/{given}.md": "{content}"}


def _placeholder_problem(name: str, kind: ProblemKind, public: Public, category: Category | None) -> Problem:
    return Problem(
        id=name,
        kind=kind,
        title=name,
        category=category,
        difficulty=Difficulty.EASY,
        provenance=Provenance(source="", license="", version=""),
        public=public,
        hidden=Hidden(),
    )
