"""Rubrics, which judges follow: versioned files beside this module, identified by content hash in every judgement."""

from __future__ import annotations

import hashlib
import tomllib
from importlib import resources
from typing import Literal

from pydantic import ValidationError

from benchwright_foundation.model import Model
from benchwright_judges.errors import RubricError
from benchwright_judges.formats import rules_of
from benchwright_judges.scale import Scale
from benchwright_problems.category import Category
from benchwright_problems.problem import Problem

COMPARABLE = "cvdp-subjective"
"""Used in addition to our own rubric for CVDP's questions about code, if the panel is configured for it."""

_CODE_QUESTIONS = frozenset({Category.RTL_QUESTION, Category.TESTBENCH_QUESTION})


class _RubricFile(Model):
    name: str
    version: str
    scale: Scale
    prompt: str
    frame: Literal["frame.txt", "audit-frame.txt"] = "frame.txt"


class Rubric(Model):
    """A judge's instructions and scale."""

    name: str
    version: str
    scale: Scale
    prompt: str
    frame: str
    """The instructions common to all rubrics of a kind: that the material is data, and how to reply."""
    digest: str
    """sha256 of the file and the frame."""

    @property
    def reference(self) -> str:
        """Name and content hash, as recorded in judgements: `open-ended@3fa9c0d2b1e8`."""
        return f"{self.name}@{self.digest[:12]}"


def load_rubric(rubric_name: str) -> Rubric:
    """The rubric of this name.

    Raises:
        RubricError: The rubric does not exist, or its file is damaged.
    """
    try:
        folder = resources.files("benchwright_judges") / "rubrics"
        content = (folder / f"{rubric_name}.toml").read_bytes()
        file = _RubricFile.model_validate(tomllib.loads(content.decode()))
        frame = (folder / file.frame).read_bytes()
    except FileNotFoundError as error:
        raise RubricError(f"there is no rubric called {rubric_name!r}") from error
    except (ValueError, ValidationError) as error:
        raise RubricError(f"rubric {rubric_name!r} is damaged: {error}; reinstall Benchwright") from error
    rubric_fields = file.model_dump(exclude={"frame"})
    return Rubric(**rubric_fields, frame=frame.decode(), digest=hashlib.sha256(content + frame).hexdigest())


def rubric_for(problem: Problem) -> Rubric | None:
    """The rubric that a judge of this problem's answers follows; None if no judge is needed or can help."""
    question = problem.public.question
    if is_code_question(problem):
        return load_rubric("code-question")
    name = "" if question is None else rules_of(question.format).rubric
    return load_rubric(name) if name else None


def is_code_question(problem: Problem) -> bool:
    """True if CVDP scores the problem's answers subjectively (cid009 and cid010)."""
    return problem.category in _CODE_QUESTIONS
