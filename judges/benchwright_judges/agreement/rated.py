"""Answers rated by people and judges, for measuring agreement, from the database or from a file."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError, field_validator

from benchwright_foundation.model import Model
from benchwright_judges.errors import VotesFileError
from benchwright_judges.formats import rules_of
from benchwright_judges.judgement import ScoringMethod
from benchwright_judges.records.records import AnswerRecord
from benchwright_judges.scale import Scale
from benchwright_problems.category import Category
from benchwright_problems.problem import QuestionFormat

UNDECIDED = "undecided"
"""The label of a vote in a file that decides nothing."""
PANEL = "panel"
"""The votes of all models together."""

_SCALES = {
    **{style.value: rules_of(style).scale for style in QuestionFormat},
    Category.RTL_QUESTION.value: Scale.TIERS,
    Category.TESTBENCH_QUESTION.value: Scale.TIERS,
}


@dataclass(frozen=True)
class RatedAnswer:
    """One answer with people's grades and judges' votes."""

    answer_id: str
    problem: str
    format: str
    scale: Scale
    people: Mapping[str, str]
    """Pseudonym → label, in the order in which they graded."""
    judges: Mapping[str, Sequence[str]]
    """Judge → the labels of its votes; `panel` for all judges together."""
    tie_break: bool = False
    difficulty: Mapping[str, int] = field(default_factory=dict)
    """Pseudonym → how hard the answer was to grade, 1 to 5, where people said so."""
    attempt: str = ""
    """The attempt that the answer belongs to; empty if it belongs to none, or if it is not known."""
    undecided_count_by_rater: Mapping[str, int] = field(default_factory=dict)
    """Judge or pseudonym → its votes that decide nothing; they are in no list of labels."""


class _RaterKind(StrEnum):
    PERSON = "person"
    MODEL = "model"


class _RatedRow(Model):
    item: str
    format: str
    judge: str
    kind: _RaterKind
    label: str
    problem: str = ""
    difficulty: Annotated[int, Field(ge=1, le=5)] | None = None

    @field_validator("difficulty", mode="before")
    @classmethod
    def _none_if_empty_cell(cls, value: object) -> object:
        return None if value == "" else value


def scale_of(format_or_category: str) -> Scale | None:
    """The scale on which answers of a question's format, or to problems of a category, are judged; None if by rule."""
    return _SCALES.get(format_or_category)


def answers_rated_by_people_and_models(answer_records: Sequence[AnswerRecord]) -> Sequence[RatedAnswer]:
    """The answers of the database that both people and models have rated."""
    both_rated = []
    for answer_record in answer_records:
        scale = _SCALES.get(answer_record.answer.format)
        judgement = answer_record.judgement
        if (
            scale is None
            or judgement is None
            or judgement.method is not ScoringMethod.MODEL
            or not answer_record.grades
        ):
            continue
        all_votes = [vote for vote in judgement.votes if not vote.rubric]
        votes = [vote for vote in all_votes if vote.label and not vote.error]
        if not all_votes:
            continue
        both_rated.append(
            RatedAnswer(
                answer_id=answer_record.answer.id,
                problem=answer_record.answer.problem,
                format=answer_record.answer.format,
                scale=scale,
                people={grade.grader: grade.label for grade in answer_record.grades},
                judges=_labels_by_judge_and_of_panel(
                    [(vote.judge, vote.label) for vote in votes], [vote.judge for vote in all_votes]
                ),
                undecided_count_by_rater=_undecided_count_by_judge(
                    [vote.judge for vote in all_votes if vote not in votes]
                ),
                tie_break=judgement.tie_break,
                difficulty={grade.grader: grade.difficulty for grade in answer_record.grades},
                attempt=answer_record.answer.attempt,
            )
        )
    return both_rated


def read_rated_answers(votes_file: Path) -> Sequence[RatedAnswer]:
    """Read votes from a file: CSV with a header, or JSON Lines, one vote a row.

    Fields: `item`, `format`, `judge`, `kind` (`person` or `model`), `label` (`undecided` for a vote that decides
    nothing), and `problem` if known; of people also `difficulty`, how hard the answer was to grade, from 1 to 5. A
    judge may vote several times on an item; a third vote of models means that the first two tied.

    Raises:
        VotesFileError: The file can't be read, or a row is not a vote; the message names line and field.
    """
    try:
        text = votes_file.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise VotesFileError(
            f"{votes_file} can't be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}"
        ) from error
    votes_by_item: dict[str, list[_RatedRow]] = {}
    for line, row in _numbered_csv_rows(text) if votes_file.suffix.lower() == ".csv" else _numbered_json_lines(text):
        try:
            vote_row = _RatedRow.model_validate_json(row) if isinstance(row, str) else _RatedRow.model_validate(row)
            scale = _SCALES.get(vote_row.format)
            if scale is None:
                raise VotesFileError(f"{votes_file}:{line}: field format: must be one of {', '.join(_SCALES)}")
            if vote_row.label != UNDECIDED:
                _require_label_on_scale(scale, vote_row.label)
        except ValidationError as error:
            first_error = error.errors(include_url=False, include_input=False)[0]
            field = ".".join(str(part) for part in first_error["loc"])
            raise VotesFileError(
                f"{votes_file}:{line}: {f'field {field}: ' if field else ''}{first_error['msg']}"
            ) from error
        except ValueError as error:
            raise VotesFileError(f"{votes_file}:{line}: field label: {error}") from error
        votes_by_item.setdefault(vote_row.item, []).append(vote_row)
    return [_rated_answer(votes) for votes in votes_by_item.values()]


def _numbered_csv_rows(csv_text: str) -> Sequence[tuple[int, dict[str, str]]]:
    csv_reader = csv.DictReader(io.StringIO(csv_text))
    return [(csv_reader.line_num, {name or "": value or "" for name, value in row.items()}) for row in csv_reader]


def _numbered_json_lines(json_lines_text: str) -> Sequence[tuple[int, str]]:
    return [(number, line) for number, line in enumerate(json_lines_text.splitlines(), start=1) if line.strip()]


def _require_label_on_scale(scale: Scale, vote_label: str) -> None:
    if scale is Scale.EXAM:
        scale.read_label(vote_label)
        return
    try:
        points = float(vote_label)
    except ValueError:
        points = -1
    low, high = (0.0, 1.0) if scale is Scale.BLANK else (1.0, 10.0)
    if not low <= points <= high:
        raise ValueError(f"must be one of {', '.join(scale.labels)}")


def _rated_answer(rated_rows: Sequence[_RatedRow]) -> RatedAnswer:
    first_vote = rated_rows[0]
    scale = _SCALES[first_vote.format]
    decided_votes = [vote for vote in rated_rows if vote.label != UNDECIDED]
    person_votes = [vote for vote in decided_votes if vote.kind is _RaterKind.PERSON]
    model_labels = [(vote.judge, vote.label) for vote in decided_votes if vote.kind is _RaterKind.MODEL]
    models = [vote.judge for vote in rated_rows if vote.kind is _RaterKind.MODEL]
    return RatedAnswer(
        answer_id=first_vote.item,
        problem=first_vote.problem,
        format=first_vote.format,
        scale=scale,
        people={vote.judge: vote.label for vote in person_votes},
        judges=_labels_by_judge_and_of_panel(model_labels, models),
        undecided_count_by_rater={
            **Counter(vote.judge for vote in rated_rows if vote.label == UNDECIDED and vote.kind is _RaterKind.PERSON),
            **_undecided_count_by_judge(
                [vote.judge for vote in rated_rows if vote.label == UNDECIDED and vote.kind is _RaterKind.MODEL]
            ),
        },
        tie_break=len(model_labels) > 2 and scale.decide([label for _, label in model_labels[:2]], 3) is None,
        difficulty={vote.judge: vote.difficulty for vote in person_votes if vote.difficulty is not None},
    )


def _undecided_count_by_judge(judge_names: Sequence[str]) -> dict[str, int]:
    counts = Counter(judge_names)
    return dict(counts) | ({PANEL: counts.total()} if counts else {})


def _labels_by_judge_and_of_panel(
    judges_and_labels: Sequence[tuple[str, str]], judge_names: Sequence[str]
) -> dict[str, list[str]]:
    """Judge → labels of its votes; none for a judge whose votes decide nothing."""
    judges: dict[str, list[str]] = {name: [] for name in judge_names}
    for judge, label in judges_and_labels:
        judges[judge].append(label)
    if len(judges) < 2:
        return judges
    return judges | {PANEL: [label for _, label in judges_and_labels]}
