"""The question formats: each has one module of its name, and one member of `QuestionFormat`."""

from __future__ import annotations

from importlib import import_module

from benchwright_judges.formats.question_rules import QuestionRules
from benchwright_problems.problem import QuestionFormat


def rules_of(question_format: QuestionFormat) -> QuestionRules:
    """The rules of a question format: what its module declares under its name."""
    rules: QuestionRules = getattr(
        import_module(f"{__name__}.{question_format.value.replace('-', '_')}"), question_format.name
    )
    return rules
