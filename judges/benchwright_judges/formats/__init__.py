"""The question formats: each has one module of its name, and one member of `QuestionFormat`."""

from __future__ import annotations

from importlib import import_module

from benchwright_judges.formats.question_rules import QuestionRules
from benchwright_problems.problem import QuestionFormat


def rules_of(style: QuestionFormat) -> QuestionRules:
    """The rules of a question format: what its module declares under its name."""
    rules: QuestionRules = getattr(import_module(f"{__name__}.{style.value.replace('-', '_')}"), style.name)
    return rules
