"""Labels that models and people give to the questions of a pack, beside the pack: skill, topic, difficulty.

`DATA/labels/PACK.jsonl` has a line for each label, newest last. Lines are only added: a correction never replaces what
a model said, and a process that is killed loses no line. A label counts for the text that it was given for, as a digest
of the question's public side says; no hidden part is read here.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, BinaryIO

from pydantic import Field, ValidationError, model_validator

from benchwright_foundation.atomic import sync_folder
from benchwright_foundation.file_lock import file_lock
from benchwright_foundation.home import Home
from benchwright_foundation.model import Model
from benchwright_problems.errors import DatasetError, StoreError
from benchwright_problems.problem import Difficulty, Problem, ProblemId, Skill

LONGEST_TOPIC = 100
"""Characters of a topic's name."""


class LabelKind(StrEnum):
    """The property that a label states."""

    SKILL = "skill"
    TOPIC = "topic"
    DIFFICULTY = "difficulty"

    @property
    def possible_values(self) -> tuple[str, ...]:
        """The values that it can have; empty for topics, which have any name."""
        match self:
            case LabelKind.SKILL:
                return tuple(skill.value for skill in Skill)
            case LabelKind.DIFFICULTY:
                return tuple(level.value for level in Difficulty)
            case LabelKind.TOPIC:
                return ()

    def require_value(self, label_value: str) -> str:
        """The value.

        Raises:
            ValueError: The value is none of this kind.
        """
        if self.possible_values and label_value not in self.possible_values:
            raise ValueError(f"is {label_value!r}; known are {', '.join(self.possible_values)}")
        if not self.possible_values and not (
            0 < len(label_value.strip()) <= LONGEST_TOPIC and label_value.isprintable()
        ):
            raise ValueError(f"must be a name of 1 to {LONGEST_TOPIC} printable characters")
        return label_value


class LabelSource(StrEnum):
    """The source of a label."""

    MODEL = "model"
    TF_IDF = "tf-idf"
    """The likeness of words alone, without a model."""
    PERSON = "person"


class LabelVote(Model):
    """One model's vote."""

    judge: str
    """Its name in `judges.toml`."""
    model: str
    value: str
    second: str = ""
    """Of a topic, the second choice."""
    reason: str = ""
    """Withheld if it may give the answer away."""
    second_reason: str = ""


class QuestionLabel(Model):
    """A statement of somebody about a question."""

    problem: ProblemId
    public_digest: str
    """Of the question as it was labelled."""
    kind: LabelKind
    value: str
    source: LabelSource
    by: str
    """Models, joined by a comma, or a person's name."""
    stated: str = ""
    """The label that the data set itself states; empty if none."""
    reason: str = ""
    """A person's."""
    votes: tuple[LabelVote, ...] = ()
    shortlist: tuple[str, ...] = ()
    """Of a topic, what models could choose from."""
    shortlist_by: str = ""
    """The way in which the shortlist was made: `tf-idf`, or the name of the model of embeddings."""
    prompt: str = ""
    """Name of the instructions, and the beginning of their SHA-256."""
    made: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT")]
    """ISO 8601, UTC."""

    @model_validator(mode="after")
    def _require_value_of_kind(self) -> QuestionLabel:
        self.kind.require_value(self.value)
        return self


@dataclass(frozen=True)
class SettledLabel:
    """The label that counts."""

    value: str
    by: str
    """`people`, `data set`, or what gave it: models and prompt, or `tf-idf`."""


class PackLabels:
    """The labels of one pack.

    Args:
        labels: Oldest first.
    """

    def __init__(self, labels: Sequence[QuestionLabel] = ()) -> None:
        self._newest: dict[tuple[str, LabelKind, bool], QuestionLabel] = {}
        for label in labels:
            self._newest[label.problem, label.kind, label.source is LabelSource.PERSON] = label
        self._labelled = {label.problem for label in labels}

    def newest_machine_label(self, problem: Problem, kind: LabelKind) -> QuestionLabel | None:
        """The newest label of the present text that a model gave, or TF-IDF."""
        return self._newest_label(problem, kind, by_person=False)

    def newest_person_label(self, problem: Problem, kind: LabelKind) -> QuestionLabel | None:
        """The newest label of the present text that a person gave."""
        return self._newest_label(problem, kind, by_person=True)

    def settled_label(self, problem: Problem, kind: LabelKind) -> SettledLabel | None:
        """Return the label that counts: what people said, else the data set, else a model; None if nothing is known.

        Of difficulty, None also stands for the problem's own.
        """
        if (person := self.newest_person_label(problem, kind)) is not None:
            return SettledLabel(person.value, "people")
        machine = self.newest_machine_label(problem, kind)
        stated_value = data_set_label(problem, kind) or (machine.stated if machine is not None else "")
        if stated_value:
            return SettledLabel(stated_value, "data set") if kind is not LabelKind.DIFFICULTY else None
        if machine is None:
            return None
        origin = f"{machine.by} with {machine.prompt}" if machine.source is LabelSource.MODEL else machine.source.value
        return SettledLabel(machine.value, origin)

    def settled_labels(self, problem: Problem) -> dict[LabelKind, SettledLabel]:
        """Every label that counts; see `settled_label`."""
        settled_labels = {kind: self.settled_label(problem, kind) for kind in LabelKind}
        return {kind: settled_label for kind, settled_label in settled_labels.items() if settled_label is not None}

    def _newest_label(self, problem: Problem, kind: LabelKind, *, by_person: bool) -> QuestionLabel | None:
        if problem.id not in self._labelled:
            return None
        label = self._newest.get((problem.id, kind, by_person))
        return label if label is not None and label.public_digest == problem.public_digest else None


def data_set_label(problem: Problem, kind: LabelKind) -> str:
    """Return the data set's label of a question; empty if none, and of difficulty, which every problem has."""
    question = problem.public.question
    if question is None:
        return ""
    match kind:
        case LabelKind.SKILL:
            return question.skill.value if question.skill is not None else ""
        case LabelKind.TOPIC:
            return question.topic or question.subdomain
        case LabelKind.DIFFICULTY:
            return ""


class LabelFile:
    """The file in which a pack's labels are kept.

    Args:
        home: The user's folders.
        pack_name: The pack's name.
    """

    def __init__(self, home: Home, pack_name: str) -> None:
        self.path = home.data / "labels" / f"{pack_name}.jsonl"

    def read(self) -> PackLabels:
        """All labels.

        Raises:
            DatasetError: A line is not a label; the message names it.
        """
        return PackLabels(self.all_labels())

    def all_labels(self) -> list[QuestionLabel]:
        """Every label that was ever given, oldest first; see `read`."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StoreError(f"the labels {self.path} can't be read: {error.strerror}") from error
        # What follows the last line end was cut off when a process was killed.
        whole_lines = content.split(b"\n")[:-1]
        return [_read_label(self.path, number, line) for number, line in enumerate(whole_lines, start=1)]

    def append_labels(self, labels: Sequence[QuestionLabel]) -> None:
        """Add labels; on disk when this returns.

        Raises:
            StoreError: The labels can't be written.
        """
        added_lines = b"".join(label.model_dump_json().encode() + b"\n" for label in labels)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with file_lock(self.path.parent / ".lock"):
                is_new = not self.path.exists()
                with os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as stream:
                    _truncate_after_last_whole_line(stream)
                    stream.write(added_lines)
                    stream.flush()
                    os.fsync(stream.fileno())
                if is_new:
                    sync_folder(self.path.parent)
        except OSError as error:
            raise StoreError(f"the labels can't be written to {self.path}: {error.strerror}") from error


def _truncate_after_last_whole_line(labels_stream: BinaryIO) -> None:
    """Go to the end of the last whole line, and remove what follows it."""
    if not labels_stream.seek(0, os.SEEK_END):
        return
    labels_stream.seek(-1, os.SEEK_END)
    if labels_stream.read(1) != b"\n":
        labels_stream.seek(0)
        labels_stream.truncate(labels_stream.seek(labels_stream.read().rfind(b"\n") + 1))


def _read_label(labels_file: Path, line_number: int, json_line: bytes) -> QuestionLabel:
    try:
        return QuestionLabel.model_validate_json(json_line)
    except ValidationError as error:
        raise DatasetError.from_validation(labels_file, error, line_number) from error
