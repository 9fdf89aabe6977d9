"""The problem model: what a solver may see, what stays hidden, and where both come from."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection
from enum import Enum, StrEnum
from typing import Annotated, Self

from pydantic import (
    Field,
    JsonValue,
    model_validator,
)

from benchwright_foundation.model import Model
from benchwright_problems.canary import Canary
from benchwright_problems.category import Category
from benchwright_problems.criterion import CriterionTable
from benchwright_problems.equivalence import NO_DONT_CARES, PROOF_FILE, DontCares, ParameterSets
from benchwright_problems.figure import MediaType, decode_base64, media_type_of_path, require_harmless_picture
from benchwright_problems.hints import HintRules, HintTexts
from benchwright_problems.partial_date import PartialDate
from benchwright_problems.relative_path import RelativeFolder, RelativePath, WorkspacePath
from benchwright_problems.repository.changes import CHANGES
from benchwright_problems.repository.named_tests import NamedTests
from benchwright_problems.repository.tree import Tree, folders_around
from benchwright_problems.reveal import Reveal
from benchwright_problems.rubric_points import OptionalPoints
from benchwright_problems.storage.pack_name import PackName
from benchwright_problems.test_groups import TestGroups


class ProblemKind(StrEnum):
    """The way in which a problem is solved and scored."""

    DESIGN = "design"
    TEXT = "text"
    QUESTION = "question"


class Difficulty(StrEnum):
    """The author's estimate."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


class ScanAction(StrEnum):
    """The action to take when a rule of the scan matches a submission."""

    REFUSE = "refuse"
    """The submission is not run."""
    FLAG = "flag"
    """The verdict carries a remark."""
    ALLOW = "allow"


class AnswerKind(Enum):
    """The kind of answer to a question: all that packs, forms and reports have to know of its format."""

    CHOICE = "choice"
    """The letter of one of the question's choices."""
    CHOICES = "choices"
    """The letters of all right ones, in order."""
    TRUTH = "truth"
    """`true` or `false`."""
    BLANK = "blank"
    """A few words or a number, which a rule compares with all that the key accepts."""
    WORDS = "words"
    """Sentences, about which rules rarely decide."""

    @property
    def has_choices(self) -> bool:
        """True if its questions have choices with letters."""
        return self in (AnswerKind.CHOICE, AnswerKind.CHOICES)


class QuestionFormat(StrEnum):
    """The way in which a question is asked and answered."""

    MULTIPLE_CHOICE = "multiple-choice", "multiple choice", AnswerKind.CHOICE
    MULTIPLE_RESPONSE = "multiple-response", "multiple response", AnswerKind.CHOICES
    ASSERTION = "assertion", "true or false", AnswerKind.TRUTH
    FILL_IN_THE_BLANK = "fill-in-the-blank", "fill in the blank", AnswerKind.BLANK
    OPEN_ENDED = "open-ended", "open-ended", AnswerKind.WORDS
    FREE_RESPONSE = "free-response", "free response", AnswerKind.WORDS

    _value_: str
    label: str
    """As people call it."""
    answered_by: AnswerKind

    # The defaults are never used: to type checkers, finding a member by its value looks like a call of this.
    def __new__(cls, value: str, label: str = "", answered_by: AnswerKind = AnswerKind.WORDS) -> Self:
        """Its value as packs write it, and what is known of it."""
        question_format = str.__new__(cls, value)
        question_format._value_, question_format.label, question_format.answered_by = value, label, answered_by
        return question_format

    @property
    def fixed_keys(self) -> tuple[str, ...]:
        """The keys that its questions can have; empty if they are a question's choices, or any words."""
        return ("true", "false") if self.answered_by is AnswerKind.TRUTH else ()

    def unmet_key_rule_in_words(self, written_key: str, choice_letters: Collection[str]) -> str:
        """What a key has to be, in words; empty if it is that.

        Args:
            written_key: A key that somebody wrote.
            choice_letters: Those of the question's choices.
        """
        if self.answered_by is AnswerKind.CHOICES:
            if not choice_letters or (
                written_key and written_key == "".join(sorted({*written_key} & {*choice_letters}))
            ):
                return ""
            some = "".join(sorted(choice_letters)[::2])
            letter_list = ", ".join(choice_letters)
            return f"the letters of all right choices, of {letter_list}, each once and in order, such as {some}"
        values = choice_letters if self.answered_by is AnswerKind.CHOICE else self.fixed_keys
        return f"one of {', '.join(values)}" if values and written_key not in values else ""


class Skill(StrEnum):
    """The skill that a question asks of the solver (QuArch's four)."""

    RECALL = "recall"
    ANALYZE = "analyze"
    DESIGN = "design"
    IMPLEMENT = "implement"


def _require_no_file_as_folder(paths: Collection[str]) -> None:
    for inside in paths:
        if path := next((folder for folder in folders_around(inside) if folder in paths), None):
            raise ValueError(f"{path!r} can't be a file: {inside!r} is inside it")


ProblemId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=120)]
Letter = Annotated[str, Field(pattern=r"^[A-Z]$")]
Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]
"""ISO 639 code."""
OptionalText = Annotated[str, Field(exclude_if=lambda text: not text)]
"""Left out of records where it is empty."""


_MIN_COMPILE_S, _COMPILE_SHARE = 60.0, 0.25


class RunLimits(Model):
    """Resources that one run may use. Defaults are CVDP's where it has them."""

    wall_s: Annotated[float, Field(gt=0, le=86_400)] = 600.0
    """Wall time of one step in seconds."""
    memory_mb: Annotated[int, Field(gt=0, le=1 << 20)] = 4096
    """Address space of one process, MiB."""
    processes: Annotated[int, Field(gt=0, le=1 << 16)] = 256
    """Processes and threads alive at once."""
    file_mb: Annotated[int, Field(gt=0, le=1 << 20)] = 100
    """Size of one written file, MiB."""
    folder_mb: Annotated[int, Field(gt=0, le=1 << 20)] = 100
    """Size of the run's folder, MiB."""

    @property
    def compile_cpu_s(self) -> int:
        """Processor time in seconds that one process of a compiler may take."""
        return math.ceil(max(_MIN_COMPILE_S, _COMPILE_SHARE * self.wall_s))


class Provenance(Model):
    """The origin of a problem."""

    source: str
    """Name or address of the data set."""
    license: str
    version: str


class Figure(Model):
    """A picture, shown by a Markdown image link to its path."""

    path: WorkspacePath
    """Its path in the workspace."""
    media_type: MediaType
    data: str
    """Base64."""
    alt: str = ""
    """Alternative text, for readers who can't see the picture."""

    @model_validator(mode="after")
    def _require_declared_picture(self) -> Figure:
        try:
            if media_type_of_path(self.path) is not self.media_type:
                raise ValueError(f"is called so but said to be {self.media_type}")
            require_harmless_picture(self.content, self.media_type)
        except ValueError as error:
            raise ValueError(f"the picture {self.path!r} {error}") from error
        return self

    @property
    def content(self) -> bytes:
        """The picture's bytes."""
        return decode_base64(self.data)


class Choice(Model):
    """One choice of a question."""

    letter: Letter
    text: str
    """Markdown; may show a figure."""


class Question(Model):
    """The public side of a question."""

    format: QuestionFormat
    choices: tuple[Choice, ...] = ()
    domain: str = ""
    subdomain: str = ""
    topic: str = ""
    tag: str = ""
    """The data set's own label, such as CS-Bench's `Knowledge` and `Reasoning`."""
    skill: Skill | None = None
    language: Language = "en"
    group: str = ""
    """The same in all languages of one question; empty if there is only one language."""

    @model_validator(mode="after")
    def _require_choices_of_format(self) -> Question:
        letters = [choice.letter for choice in self.choices]
        has_choices = self.format.answered_by.has_choices
        if has_choices and len(letters) < 2:
            raise ValueError(f"a {self.format} question needs at least two choices")
        if not has_choices and letters:
            raise ValueError(f"a question of format {self.format} has no choices")
        if len(set(letters)) != len(letters):
            raise ValueError("two choices have the same letter")
        return self


class Public(Model):
    """The part of a problem that a solver may see."""

    statement: str
    """The task, Markdown."""
    files: dict[WorkspacePath, str] = {}
    """Files the workspace starts with."""
    expected: tuple[WorkspacePath, ...] = ()
    """Files the solver writes or changes; a harness takes these and no others."""
    tree: Tree | None = None
    """Files of a repository problem, whose solution is a diff against them; `files` is empty then."""
    editable: tuple[RelativeFolder, ...] = ()
    """Files and folders of the tree that the solution may change; empty for all."""
    system_message: str | None = None
    """Instructions to a model in addition to the statement."""
    question: Question | None = None
    figures: tuple[Figure, ...] = ()
    hints: HintRules = ()
    """The public part of its hints; no part of the task, so in no digest."""
    test_groups: TestGroups = ()
    """Its hidden tests by what they bring; no part of the task either."""

    @model_validator(mode="after")
    def _require_consistent_paths(self) -> Public:
        figures = [figure.path for figure in self.figures]
        taken_paths = {*self.files, *self.expected}
        if twice := next((path for path in figures if path in taken_paths or figures.count(path) > 1), None):
            raise ValueError(f"two files are called {twice!r}")
        _require_no_file_as_folder({*taken_paths, *figures})
        if self.tree is not None and (self.files or self.expected != (CHANGES,)):
            raise ValueError(f"a repository problem has no other files, and expects {CHANGES} alone")
        if self.tree is None and self.editable:
            raise ValueError("editable: is for a problem with a tree")
        return self


class Answer(Model):
    """The answer key of a question or text problem."""

    value: str
    """Letter, or letters such as `AC`; `true`/`false`; accepted text; or the reference answer."""
    alternatives: tuple[str, ...] = ()
    """Other accepted answers."""
    closed: bool = False
    """True if value and alternatives are the only right answers, so that no judge is needed."""
    unit: str = ""
    """Unit of a number that the question asks for, so that a bare number counts in it."""
    tolerance: Annotated[float, Field(ge=0, lt=1)] | None = None
    """Relative tolerance of a number; by default it has to be equal, and a judge decides on roundings."""
    rubric: str = ""
    points: OptionalPoints = None
    """The points that people who grade an answer give; without them they choose a label."""
    explanation: str = ""
    figures: tuple[Figure, ...] = ()


class Hidden(Model):
    """The part of a problem that a solver must never see."""

    harness: dict[RelativePath, str] = {}
    """Files of the harness; `docker-compose.yml` says what runs, `src/` is mounted at `/src`."""
    reference: dict[RelativePath, str] = {}
    """The reference solution, whole files."""
    patches: dict[RelativePath, str] = {}
    """The same as unified diffs without file headers, if the data set ships it like that."""
    answer: Answer | None = None
    scan: dict[str, ScanAction] = {}
    """Actions on submissions, if different from the defaults; the rules are in `scan.json` of the harness."""
    criterion: CriterionTable | None = None
    """The author's criterion of a run that passes; None for that of the harness."""
    tests: NamedTests | None = None
    """The tests that decide; None if all that the harness runs do."""
    hints: HintTexts = ()
    explanation: OptionalText = ""
    """Why the reference of a design is as it is, and what is often wrong, Markdown; no part of the task, so in no
    digest."""
    dont_cares: DontCares = NO_DONT_CARES
    parameter_sets: ParameterSets = ()
    """Parameters with which proofs compare designs besides the defaults."""
    record: list[dict[str, JsonValue]] = []
    """The rest of the source record beside the fields above: an RFC 6902 patch from its export to the original."""
    sha256: str = ""
    """Digest of the record or pack folder as it was imported. Hidden: it would give away a key of one letter."""
    dataset_format: str = ""
    """The exporter that writes it back: `cvdp-agentic`, `cvdp-nonagentic`, or none."""

    @model_validator(mode="after")
    def _require_consistent_paths(self) -> Hidden:
        _require_no_file_as_folder(self.harness)
        return self


class Problem(Model):
    """One thing to solve."""

    id: ProblemId
    kind: ProblemKind
    title: str
    category: Category | None = None
    difficulty: Difficulty
    reveal: Reveal = Reveal.VERDICT
    limits: RunLimits = RunLimits()
    published: PartialDate | None = None
    """The date when it could first be read in public; None if that is the date of its pack."""
    provenance: Provenance
    public: Public
    hidden: Hidden

    @model_validator(mode="after")
    def _require_parts_of_kind(self) -> Problem:
        if (self.kind is ProblemKind.QUESTION) != (self.public.question is not None):
            raise ValueError("a question, and nothing else, has public.question")
        if self.kind is ProblemKind.DESIGN and not self.public.expected:
            raise ValueError("a design problem names the files it expects")
        if self.public.test_groups and (self.kind is not ProblemKind.DESIGN or self.reveal is Reveal.VERDICT):
            raise ValueError("test_groups name hidden tests: only a design problem with reveal names or more has some")
        return self

    @property
    def has_solution(self) -> bool:
        """True if the hidden part has what passes: a reference for a design, a key for anything else."""
        return bool(self.hidden.reference) if self.kind is ProblemKind.DESIGN else self.hidden.answer is not None

    @property
    def public_digest(self) -> str:
        """sha256 of everything a solver sees, without hints, groups of tests and dates."""
        unseen = {"hints", "test_groups"} | (set() if self.public.tree is not None else {"tree", "editable"})
        return digest(self.model_dump(mode="json", exclude={"hidden": True, "published": True, "public": unseen}))

    @property
    def harness_digest(self) -> str:
        """sha256 of everything that decides: harness files, answer key and limits.

        A question's is as hidden as its key: of four letters, the right one is soon found by trying.
        """
        proof_parts: dict[str, JsonValue] = (
            self.hidden.model_dump(mode="json", include={"reference", "dont_cares", "parameter_sets"})
            if PROOF_FILE in self.hidden.harness
            else {}
        )
        return digest(
            {
                **proof_parts,
                "harness": dict(self.hidden.harness),
                "answer": self.hidden.answer.model_dump(mode="json") if self.hidden.answer else None,
                "limits": self.limits.model_dump(mode="json"),
                **({"scan": dict(self.hidden.scan)} if self.hidden.scan else {}),
                **({"criterion": self.hidden.criterion.model_dump(mode="json")} if self.hidden.criterion else {}),
                **({"tests": self.hidden.tests.model_dump(mode="json")} if self.hidden.tests else {}),
            }
        )


class Pack(Model):
    """A versioned set of problems."""

    name: PackName
    title: str
    version: str
    license: str
    source: str
    description: str = ""
    published: PartialDate | None = None
    """The date when the first of its problems could be read in public; None if that is unknown."""
    canary: Canary | None = None
    problems: tuple[Problem, ...]

    @model_validator(mode="after")
    def _require_unique_ids(self) -> Pack:
        seen_ids: set[str] = set()
        for problem in self.problems:
            # A file system may not tell cases apart.
            if problem.id.lower() in seen_ids:
                raise ValueError(f"two problems are called {problem.id!r}")
            seen_ids.add(problem.id.lower())
        return self


def digest(json_value: JsonValue) -> str:
    """sha256 of a value's canonical JSON: sorted keys, no spaces, ASCII."""
    text = json.dumps(json_value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
