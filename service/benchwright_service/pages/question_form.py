"""The form of a question: its fields as a page shows them, and the question that they make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from starlette.datastructures import UploadFile

from benchwright_authoring.written_question import (
    LETTERS,
    MOST_ALTERNATIVES,
    MOST_CHARACTERS,
    MOST_FIGURES,
    MOST_OPTION_CHARACTERS,
    WrittenQuestion,
)
from benchwright_problems.problem import AnswerKind, QuestionFormat, Skill
from benchwright_service.errors import BenchServiceError
from benchwright_service.pages.visit import Visit
from benchwright_service.questions.pictures import MOST_BYTES, UploadedPicture

FORMATS: Mapping[QuestionFormat, str] = {style: style.label for style in QuestionFormat}
"""As people call them."""
_MOST_POINTS = 6
_ANSWERS = tuple(f"answer-{answered_by.value}" for answered_by in AnswerKind)
"""Fields with what was the answer before the format was changed."""
_TEXTS = ("title", "statement", "answer", "alternatives", "explanation", "topic", "skill", "enough")
_NAMES = {
    "title": "The title",
    "statement": "The question",
    "choices": "An option",
    "answer": "The right answer",
    "alternatives": "What else is right",
    "rubric": "What there are points for",
    "explanation": "The explanation",
    "topic": "The topic",
    "skill": "The skill",
    "figures": "A figure",
}


def chosen_format(format_name: str) -> QuestionFormat:
    """The format that an address or a form names; multiple choice if it names none."""
    return next(
        (candidate for candidate in QuestionFormat if candidate.value == format_name), QuestionFormat.MULTIPLE_CHOICE
    )


def format_of_fields(fields: Mapping[str, Any]) -> QuestionFormat:
    """The format that a form's fields are of."""
    return chosen_format(str(fields["format"]))


def fields_in_format(fields: Mapping[str, Any], question_format: QuestionFormat) -> Mapping[str, Any]:
    """The fields of a form in another format; what this one does not ask for stays with them.

    Args:
        fields: Fields as they were typed.
        question_format: The other format.
    """
    answered_by, answer = format_of_fields(fields).answered_by, str(fields["answer"])
    kept_fields = {**fields, f"answer-{answered_by.value}": answer, "format": question_format.value}
    if answered_by.has_choices and not question_format.answered_by.has_choices and answer in LETTERS:
        answer = str(fields[answer])
    if question_format.unmet_key_rule_in_words(answer, LETTERS):
        answer = ""
    return kept_fields | {"answer": kept_fields[f"answer-{question_format.answered_by.value}"] or answer}


def unasked_fields(fields: Mapping[str, Any]) -> Mapping[str, str]:
    """What was typed for other formats: the form has it out of sight."""
    return {name: str(fields[name]) for name in _unasked_names(format_of_fields(fields)) if fields[name]}


def _unasked_names(question_format: QuestionFormat) -> Sequence[str]:
    asked_names = {
        AnswerKind.CHOICE: {*LETTERS},
        AnswerKind.CHOICES: {*LETTERS},
        AnswerKind.BLANK: {"alternatives"},
        AnswerKind.WORDS: {"enough", *_point_field_names()},
    }.get(question_format.answered_by, set())
    return sorted({*LETTERS, "alternatives", "enough", *_point_field_names(), *_ANSWERS} - asked_names)


def empty_fields(question_format: QuestionFormat) -> Mapping[str, Any]:
    """The fields of a form that nobody has filled in."""
    return _form_fields(question_format, {}, credited=True, has_consent=False)


def exam_question_fields(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields of a question that was read of an exam."""
    values = {name: question[name] for name in ("title", "statement", "answer", "explanation")}
    values |= dict(zip(LETTERS, question["choices"], strict=False))
    return _form_fields(chosen_format(question["format"]), values, credited=True, has_consent=False)


def question_fields(
    content: WrittenQuestion, earlier_versions: Iterable[WrittenQuestion], *, credited: bool
) -> Mapping[str, Any]:
    """The fields of a question as it is.

    Args:
        content: The question.
        earlier_versions: Versions before it, newest first; what this one's format does not ask for comes from them.
        credited: True if the pack may name the author.
    """
    fields = {**_fields_of_version(content, credited=credited)}
    for earlier_content in earlier_versions:
        earlier_fields = {
            **_fields_of_version(earlier_content, credited=credited),
            f"answer-{earlier_content.format.answered_by.value}": earlier_content.answer,
        }
        missing_names = [name for name in _unasked_names(content.format) if earlier_fields[name] and not fields[name]]
        fields |= {name: earlier_fields[name] for name in missing_names}
    return fields


def _fields_of_version(content: WrittenQuestion, *, credited: bool) -> Mapping[str, Any]:
    values: dict[str, Any] = content.model_dump(mode="json", include={*_TEXTS} - {"alternatives", "enough"})
    values |= {"skill": content.skill or "", "alternatives": "\n".join(content.alternatives)}
    values |= dict(zip(LETTERS, content.choices, strict=False))
    if content.rubric is not None:
        values["enough"] = f"{content.rubric.enough:g}" if content.rubric.enough is not None else ""
        for number, rubric_item in enumerate(content.rubric.items, 1):
            values |= {f"item-{number}": rubric_item.text, f"points-{number}": f"{rubric_item.points:g}"}
    for number, figure in enumerate(content.figures, 1):
        values |= {f"alt-{number}": figure.alt, f"kept-{number}": figure.sha256}
    return _form_fields(content.format, values, credited=credited, has_consent=True)


def sent_fields(visit: Visit, question_format: QuestionFormat) -> Mapping[str, Any]:
    """The fields as they were sent."""
    values = {name: form_text(visit, name, MOST_CHARACTERS) for name in _field_names()}
    values["answer"] = sent_answer(visit)
    for number in range(1, MOST_FIGURES + 1):
        if visit.form_field(f"remove-{number}") == "yes":
            values |= {f"kept-{number}": "", f"alt-{number}": ""}
    return _form_fields(
        question_format, values, credited=is_author_credited(visit), has_consent=visit.form_field("consent") == "yes"
    )


def form_text(visit: Visit, field_name: str, limit: int) -> str:
    """A text of the form, with one character for a line's end as browsers count it; one that is too long stays so."""
    return visit.form_field(field_name, 2 * limit + 2).replace("\r\n", "\n")


def sent_answer(visit: Visit) -> str:
    """The answer of a form: a text, or the letters that are ticked."""
    ticked_values = visit.ticked_values("answer")
    return "".join(ticked_values) if len(ticked_values) > 1 else form_text(visit, "answer", MOST_CHARACTERS)


def is_author_credited(visit: Visit) -> bool:
    """True if the pack may name the author."""
    return visit.form_field("credited") == "yes"


async def sent_question_and_pictures(
    visit: Visit, question_format: QuestionFormat, previous_version: WrittenQuestion | None
) -> tuple[WrittenQuestion, Sequence[UploadedPicture]]:
    """The question of the form, and the pictures that came with it.

    Args:
        visit: The request.
        question_format: Format of the question.
        previous_version: The version that it is a change of; its pictures can be kept.

    Raises:
        BenchServiceError: A picture can't be taken, or the author has not agreed.
        ValueError: A field is empty, too long or none of its values.
    """
    if visit.form_field("consent") != "yes":
        raise BenchServiceError("a question is taken only if it is yours to give away; confirm that below the form")
    fields = sent_fields(visit, question_format)
    values: dict[str, Any] = {name: fields[name] for name in ("title", "statement", "answer", "explanation", "topic")}
    values |= {"format": question_format, "skill": fields["skill"] or None}
    if question_format.answered_by.has_choices:
        values["choices"] = tuple(fields[letter] for letter in LETTERS)
    if question_format.answered_by is AnswerKind.BLANK:
        lines = fields["alternatives"].split("\n")
        values["alternatives"] = tuple(line.strip() for line in lines if line.strip())
    if question_format.answered_by is AnswerKind.WORDS:
        values["rubric"] = _rubric_values_or_none(fields)
    # Texts first: decoding is for forms that can be taken.
    _checked_question(values)
    figures, pictures = await _sent_figures_and_pictures(visit, fields, previous_version)
    return _checked_question(values | {"figures": figures}), pictures


def form_template_values(shown_format: QuestionFormat, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Values that the form's template names."""
    return {
        "style": shown_format.value,
        "formats": {question_format.value: name for question_format, name in FORMATS.items()},
        "answered_by": shown_format.answered_by.value,
        "fields": fields,
        "unasked": unasked_fields(fields),
        "letters": LETTERS,
        "skills": [skill.value for skill in Skill],
        "most": MOST_CHARACTERS,
        "most_option": MOST_OPTION_CHARACTERS,
        "most_alternatives": MOST_ALTERNATIVES,
        "points": range(1, _MOST_POINTS + 1),
        "figures": range(1, MOST_FIGURES + 1),
    }


def _field_names() -> Sequence[str]:
    figures = [f"{name}-{number}" for name in ("alt", "kept") for number in range(1, MOST_FIGURES + 1)]
    return [*_TEXTS, *LETTERS, *_ANSWERS, *_point_field_names(), *figures]


def _point_field_names() -> Sequence[str]:
    return [f"{name}-{number}" for name in ("item", "points") for number in range(1, _MOST_POINTS + 1)]


def _form_fields(
    question_format: QuestionFormat, values: Mapping[str, Any], *, credited: bool, has_consent: bool
) -> Mapping[str, Any]:
    return (
        dict.fromkeys(_field_names(), "")
        | dict(values)
        | {"format": question_format.value, "credited": credited, "consent": has_consent}
    )


def _rubric_values_or_none(fields: Mapping[str, Any]) -> Mapping[str, Any] | None:
    rubric_items = [
        {"text": fields[f"item-{number}"], "points": fields[f"points-{number}"] or 1}
        for number in range(1, _MOST_POINTS + 1)
        if fields[f"item-{number}"]
    ]
    return {"items": tuple(rubric_items), "enough": fields["enough"] or None} if rubric_items else None


async def _sent_figures_and_pictures(
    visit: Visit, fields: Mapping[str, Any], previous_version: WrittenQuestion | None
) -> tuple[Sequence[Mapping[str, Any]], Sequence[UploadedPicture]]:
    kept_figures = (
        {figure.sha256: figure for figure in previous_version.figures} if previous_version is not None else {}
    )
    figures: list[Mapping[str, Any]] = []
    pictures: list[UploadedPicture] = []
    for number in range(1, MOST_FIGURES + 1):
        name, alt = fields[f"kept-{number}"], fields[f"alt-{number}"]
        upload = visit.form.get(f"figure-{number}")
        content = await upload.read(MOST_BYTES + 1) if isinstance(upload, UploadFile) else b""
        if content:
            picture = await visit.bench.collecting.pictures.read(content)
            pictures.append(picture)
            figures.append({"sha256": picture.sha256, "media_type": picture.media_type, "alt": alt})
        elif name in kept_figures:
            figures.append({"sha256": name, "media_type": kept_figures[name].media_type, "alt": alt})
        elif name or alt:
            raise BenchServiceError(f"figure {number} has a description and no picture; choose the picture again")
    return figures, pictures


def _checked_question(values: Mapping[str, Any]) -> WrittenQuestion:
    try:
        return WrittenQuestion.model_validate(values)
    except ValidationError as error:
        first_error = error.errors(include_url=False, include_input=False)[0]
        reason = first_error["msg"].removeprefix("Value error, ")
        raise ValueError(
            f"{_NAMES[str(first_error['loc'][0])]} can't be like that: {reason[:1].lower()}{reason[1:]}"
        ) from None
