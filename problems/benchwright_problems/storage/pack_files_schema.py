"""Schema of the TOML files of a pack folder; `docs/reference/pack-format.md` describes every field."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from benchwright_foundation.model import Model
from benchwright_problems.canary import Canary
from benchwright_problems.category import Category
from benchwright_problems.criterion import CriterionTable
from benchwright_problems.equivalence import NO_DONT_CARES, DontCares, ProofTable
from benchwright_problems.hints import MOST_HINTS, Hint, require_affordable_hints
from benchwright_problems.partial_date import PartialDate
from benchwright_problems.problem import (
    Answer,
    Difficulty,
    Language,
    Letter,
    ProblemKind,
    QuestionFormat,
    RunLimits,
    ScanAction,
    Skill,
)
from benchwright_problems.relative_path import RelativeFolder, RelativePath
from benchwright_problems.repository.named_tests import NamedTests
from benchwright_problems.reveal import Reveal
from benchwright_problems.storage.pack_name import PackName
from benchwright_problems.test_groups import TestGroups


class PackToml(Model):
    """`pack.toml`."""

    name: PackName
    title: str
    version: str
    license: str
    source: str
    description: str = ""
    published: PartialDate | None = None
    canary: Canary | None = None
    order: Annotated[list[str], Field(min_length=1)]


class QuestionTable(Model):
    """`[question]` of `problem.toml`."""

    format: QuestionFormat
    choices: dict[Letter, str] = Field(default_factory=dict)
    subdomain: str = ""
    topic: str = ""
    tag: str = ""
    skill: Skill | None = None
    language: Language = "en"
    group: str = ""


class ProblemToml(Model):
    """`problem.toml`."""

    id: str
    kind: ProblemKind
    category: Category | None = None
    difficulty: Difficulty
    published: PartialDate | None = None
    domain: str = ""
    expected: tuple[RelativePath, ...] = ()
    tree: PackName | None = None
    editable: tuple[RelativeFolder, ...] = ()
    tests: NamedTests | None = None
    reveal: Reveal = Reveal.VERDICT
    limits: RunLimits = RunLimits()
    scan: dict[str, ScanAction] = Field(default_factory=dict)
    criterion: CriterionTable | None = None
    question: QuestionTable | None = None
    answer: Answer | None = None
    dont_care: DontCares = NO_DONT_CARES
    proof: ProofTable = ProofTable()
    test_groups: TestGroups = ()
    hints: Annotated[tuple[Hint, ...], Field(max_length=MOST_HINTS), AfterValidator(require_affordable_hints)] = ()
