"""QuArch: questions on computer architecture, multiple choice and free response, with figures.

Format: https://github.com/harvard-edge/quarch-eval. Multiple choice comes as JSON Lines of {`question_id` (number),
`question`, `options`, `answer` (letter), `difficulty`, `topic`}; answers may be in a separate file, as lines of
{`question_id`, `answer`}. Free responses come as a JSON list of {`question_id` ("exam/Problem_1/a"), `context`,
`context_figures`, `question`, `solution`, `solution_figures`, `passed_llm_verification`, `reasoning`,
`passed_human_verification`}. Pictures are beside the JSON; Markdown image links may also show them.
Both may say which `skill` (`recall`, `analyze`, `design`, `implement`) and `topic` they are about; the released set has
the skill as `human_labeled_skills.primary_skill`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, TypeVar
from urllib.parse import unquote

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    JsonValue,
    StrictBool,
    StrictInt,
    StrictStr,
    TypeAdapter,
    ValidationError,
)

from benchwright_problems.datasets.answer_key import integer_if_digits, nfkc_stripped, only_named_letter
from benchwright_problems.datasets.dataset_format import DatasetExcerpt, DatasetFormat, FileOption
from benchwright_problems.datasets.folder import read_bytes
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.datasets.jsonl import read_array_or_lines
from benchwright_problems.datasets.naming import require_pack_name
from benchwright_problems.datasets.record import Record, RecordLocation, RecordModel, restored_record, with_record_patch
from benchwright_problems.errors import DatasetError
from benchwright_problems.figure import media_type_of_path
from benchwright_problems.problem import (
    Answer,
    Choice,
    Difficulty,
    Figure,
    Hidden,
    Pack,
    Problem,
    ProblemId,
    ProblemKind,
    Provenance,
    Public,
    Question,
    QuestionFormat,
    Skill,
)
from benchwright_problems.relative_path import RelativePath

SOURCE = "https://github.com/harvard-edge/quarch-eval"
# The released set comes with terms of its own, on request.
LICENSE = "LicenseRef-QuArch"
# The day of arXiv:2501.01892v1, which announces the multiple-choice questions.
_CHOICE_PUBLISHED = "2025-01-03"
CHOICE = "quarch-multiple-choice"
FREE = "quarch-free-response"

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_Text = Annotated[StrictStr, Field(min_length=1)]
_Figures = Annotated[list[_Text], BeforeValidator(lambda value: [] if value is None else value)]
_ID: TypeAdapter[str] = TypeAdapter(ProblemId)

_FERNET = b"gAAAA"
"""The first bytes of a Fernet token."""

_IMAGE = re.compile(
    r"!\[([^\]]{0,500})\]\(\s{0,9}(?:<([^<>\n]{1,500})>|([^)\s<>]{1,500}))[^)]{0,300}\)"
    r"|<img\b[^>]{0,300}?\bsrc\s{0,9}=\s{0,9}[\"']?([^\"'\s>]{1,500})",
    re.IGNORECASE,
)

_PATH: TypeAdapter[str] = TypeAdapter(RelativePath)


class _Skills(BaseModel):
    # People's labels of one question: those besides the first change nothing about it.
    primary_skill: StrictStr | None = None


class _QuestionRecord(RecordModel):
    question: _Text
    topic: Annotated[StrictStr, BeforeValidator(lambda value: "" if value is None else value)] = ""
    skill: StrictStr | None = None
    human_labeled_skills: _Skills | None = None
    difficulty: StrictStr | None = None
    context: StrictStr | None = None
    context_figures: _Figures = []


class _MultipleChoiceRecord(_QuestionRecord):
    question_id: Annotated[StrictInt, BeforeValidator(integer_if_digits)]
    options: Annotated[list[_Text], Field(min_length=2, max_length=len(_LETTERS))]
    answer: _Text | None = None


class _FreeResponseRecord(_QuestionRecord):
    question_id: _Text
    solution: _Text
    solution_figures: _Figures = []
    reasoning: JsonValue = None
    passed_llm_verification: StrictBool | None = None
    passed_llm_image_verification: JsonValue = None
    passed_human_verification: StrictBool | None = None


_Kind = TypeVar("_Kind", bound=_QuestionRecord)


def import_quarch(
    dataset_files: Sequence[Path], pack_name: str, answers: Path | None = None, invalid: InvalidRecords | None = None
) -> Pack:
    """Import data files as one pack.

    Args:
        dataset_files: Questions of either kind; what a record is, its fields say.
        pack_name: Name of the new pack.
        answers: Answers to the multiple-choice questions, where they are kept apart.
        invalid: Collects records that can't be read; without it, the data set is refused.

    Raises:
        DatasetError: Names file, record and field of the first thing that is wrong.
        BadPackNameError: No pack can be called so.
    """
    require_pack_name(pack_name)
    invalid = invalid or InvalidRecords()
    known_answers = _read_answers_by_question_id(answers) if answers is not None else {}
    problems: dict[str, Problem] = {}
    locations: dict[str, RecordLocation] = {}
    for file in dataset_files:
        _refuse_encrypted(file)
        for prefix, line, record in read_array_or_lines(file, invalid):
            location = RecordLocation(file, prefix, line)
            with invalid.collecting_record_error():
                problem = _problem_of_record(location, record, known_answers, invalid)
                # A file system may not tell cases apart.
                key = problem.id.lower()
                if key in problems:
                    raise location.error(
                        "question_id", f"gives the name {problem.id!r}, which is taken by {locations[key]}"
                    )
                problems[key] = problem
                locations[key] = location
    invalid.require_importable(len(problems))
    if not problems:
        raise DatasetError(dataset_files[0], "", "holds no question")
    has_choices = any(problem.hidden.dataset_format == CHOICE for problem in problems.values())
    return Pack(
        name=pack_name,
        title="QuArch",
        version="unknown",
        license=LICENSE,
        source=SOURCE,
        description="Questions on computer architecture",
        published=_CHOICE_PUBLISHED if has_choices else None,
        problems=tuple(problems.values()),
    )


def export_quarch(problem: Problem) -> Record:
    """The record a problem was imported from, as an equal JSON value; an answer kept apart is put in.

    Raises:
        ValueError: The problem does not come from QuArch.
    """
    return restored_record(problem, _record_without_patch(problem))


def _problem_of_record(
    location: RecordLocation, record_json: Record, answer_by_question_id: dict[int, str], invalid: InvalidRecords
) -> Problem:
    if "options" in record_json:
        parsed = _parse_record(location, record_json, _MultipleChoiceRecord)
        invalid.require_known_fields(location, parsed)
        if parsed.answer is None:
            answer = answer_by_question_id.get(parsed.question_id)
            if answer is None:
                raise location.error("answer", "is missing; give the file that has it with --answers")
            record_json = record_json | {"answer": answer}
            parsed = parsed.model_copy(update={"answer": answer})
        problem = _problem_of_multiple_choice_record(location, parsed)
    else:
        parsed_free = _parse_record(location, record_json, _FreeResponseRecord)
        invalid.require_known_fields(location, parsed_free)
        problem = _problem_of_free_response_record(location, parsed_free)
    return with_record_patch(problem, _record_without_patch(problem), record_json, location)


def _parse_record(location: RecordLocation, record_json: Record, model: type[_Kind]) -> _Kind:
    try:
        return model.model_validate(record_json)
    except ValidationError as error:
        field_error = DatasetError.from_validation(location.file, error, location.line)
        raise location.error(field_error.field, field_error.reason) from error


def _problem_of_multiple_choice_record(location: RecordLocation, record: _MultipleChoiceRecord) -> Problem:
    letters = _LETTERS[: len(record.options)]
    answer = _letter_of_answer(record.answer or "", dict(zip(letters, record.options, strict=True)))
    if answer is None:
        raise location.error("answer", f"is {record.answer!r}; it must be one of {', '.join(letters)}")
    choices = [Choice(letter=letter, text=text) for letter, text in zip(letters, record.options, strict=True)]
    field_texts = [("context", record.context or ""), ("question", record.question)]
    field_texts += [(f"options.{number}", text) for number, text in enumerate(record.options)]
    return _build_problem(
        location,
        record,
        problem_id=f"mcq-{record.question_id}",
        title=f"{record.topic or 'Question'} {record.question_id}",
        figures=_figures_of(location, [("context_figures", record.context_figures)], field_texts),
        question=_question_of_record(location, record, QuestionFormat.MULTIPLE_CHOICE, tuple(choices), ""),
        hidden_part=Hidden(answer=Answer(value=answer, closed=True), dataset_format=CHOICE),
    )


def _letter_of_answer(answer: str, option_by_letter: Mapping[str, str]) -> str | None:
    """The letter of an answer that is one, or the text of one option."""
    letters = [
        letter
        for letter, text in option_by_letter.items()
        if nfkc_stripped(text).casefold() == nfkc_stripped(answer).casefold()
    ]
    return letters[0] if len(letters) == 1 else only_named_letter(answer, option_by_letter)


def _problem_of_free_response_record(location: RecordLocation, record: _FreeResponseRecord) -> Problem:
    verified = "unverified"
    if record.passed_human_verification:
        verified = "verified by people"
    elif record.passed_llm_verification:
        verified = "verified by a model"
    field_texts = [("context", record.context or ""), ("question", record.question)]
    solution = _figures_of(location, [("solution_figures", record.solution_figures)], [("solution", record.solution)])
    return _build_problem(
        location,
        record,
        problem_id=re.sub(r"[^A-Za-z0-9._-]+", "-", record.question_id).strip("-._"),
        title=re.sub(r"\s+", " ", record.question_id.replace("/", " · ").replace("_", " ")).strip(),
        figures=_figures_of(location, [("context_figures", record.context_figures)], field_texts),
        question=_question_of_record(location, record, QuestionFormat.FREE_RESPONSE, (), verified),
        hidden_part=Hidden(answer=Answer(value=record.solution, figures=solution), dataset_format=FREE),
    )


def _build_problem(
    location: RecordLocation,
    record: _QuestionRecord,
    *,
    problem_id: str,
    title: str,
    figures: tuple[Figure, ...],
    question: Question,
    hidden_part: Hidden,
) -> Problem:
    try:
        _ID.validate_python(problem_id)
        return Problem(
            id=problem_id,
            kind=ProblemKind.QUESTION,
            title=title,
            difficulty=_difficulty(location, record.difficulty),
            provenance=Provenance(source=SOURCE, license=LICENSE, version="unknown"),
            public=Public(statement=_statement(record, figures), question=question, figures=figures),
            hidden=hidden_part,
        )
    except ValidationError as error:
        model_error = DatasetError.from_validation(location.file, error)
        field = "context_figures" if model_error.field.startswith("public") else "question_id"
        raise location.error(field, model_error.reason) from error


def _question_of_record(
    location: RecordLocation,
    record: _QuestionRecord,
    question_format: QuestionFormat,
    choices: tuple[Choice, ...],
    question_tag: str,
) -> Question:
    skill = None
    if record.skill is not None:
        try:
            skill = Skill(record.skill.strip().lower())
        except ValueError:
            raise location.error("skill", f"is {record.skill!r}; known are {', '.join(Skill)}") from None
    elif record.human_labeled_skills is not None:
        # The released set may have more skills than the paper: those questions can still be labelled.
        primary_skill = (record.human_labeled_skills.primary_skill or "").strip().lower()
        skill = Skill(primary_skill) if primary_skill in (*Skill,) else None
    return Question(
        format=question_format,
        choices=choices,
        domain="Computer Architecture",
        topic=record.topic,
        tag=question_tag,
        skill=skill,
    )


def _difficulty(location: RecordLocation, difficulty_word: str | None) -> Difficulty:
    if difficulty_word is None:
        return Difficulty.MEDIUM
    try:
        return Difficulty(difficulty_word.strip().lower())
    except ValueError:
        raise location.error("difficulty", f"is {difficulty_word!r}; known are EASY, MEDIUM and HARD") from None


def _statement(record: _QuestionRecord, figures: Sequence[Figure]) -> str:
    """Context, its figures where the context does not show them itself, and the question."""
    statement_text = f"{record.context or ''}\n{record.question}"
    linked = _linked_picture_paths(statement_text)
    loose = [figure for figure in figures if figure.path in record.context_figures and figure.path not in linked]
    images = "\n\n".join(f"![{figure.alt}]({_markdown_link_path(figure.path)})" for figure in loose)
    return "\n\n".join(part for part in (record.context or "", images, record.question) if part)


def _read_answers_by_question_id(answers_file: Path) -> dict[int, str]:
    _refuse_encrypted(answers_file)
    answers: dict[int, str] = {}
    for prefix, line, record in read_array_or_lines(answers_file):
        location = RecordLocation(answers_file, prefix, line)
        number, answer = integer_if_digits(record.get("question_id")), record.get("answer")
        if isinstance(number, bool) or not isinstance(number, int):
            raise location.error("question_id", "is not a whole number")
        if not isinstance(answer, str):
            raise location.error("answer", "is not a letter")
        if answers.setdefault(number, answer) != answer:
            raise location.error("answer", f"is {answer!r}, but another line gives {answers[number]!r} to {number}")
    return answers


def _record_without_patch(problem: Problem) -> Record:
    """The record as most of the data set writes it, from the model alone."""
    question, key = problem.public.question, problem.hidden.answer
    if question is None or key is None or problem.hidden.dataset_format not in (CHOICE, FREE):
        raise ValueError(f"{problem.id} does not come from QuArch and has no record of it")
    if problem.hidden.dataset_format == CHOICE:
        return {
            "question_id": int(problem.id.removeprefix("mcq-")),
            "question": problem.public.statement,
            "options": [choice.text for choice in question.choices],
            "answer": key.value,
            "difficulty": problem.difficulty.value.upper(),
            "topic": question.topic,
        }
    return {
        "question_id": problem.id,
        "context": "",
        "context_figures": [figure.path for figure in problem.public.figures],
        "question": problem.public.statement,
        "solution": key.value,
        "solution_figures": [figure.path for figure in key.figures],
    }


def _is_quarch(excerpt: DatasetExcerpt) -> bool:
    return {"question_id", "question"} <= excerpt.fields


FORMAT = DatasetFormat(
    name="quarch",
    source=SOURCE,
    reads="JSON Lines of multiple choice, JSON arrays of free responses",
    importer=import_quarch,
    export=export_quarch,
    recognise=_is_quarch,
    file_options=(FileOption("answers", "Answers kept apart from the questions, as QuArch has them."),),
)


def _refuse_encrypted(dataset_file: Path) -> None:
    """Refuse a file that is still encrypted.

    Raises:
        DatasetError: The file is encrypted, or can't be read.
    """
    try:
        with dataset_file.open("rb") as stream:
            first_bytes = stream.read(len(_FERNET))
    except OSError as error:
        raise DatasetError(dataset_file, "", f"can't be read: {error.strerror}") from error
    if first_bytes == _FERNET:
        raise DatasetError(
            dataset_file, "", "is encrypted; decrypt it with the key that the set's authors give, then import it"
        )


def _linked_picture_paths(markdown_text: str) -> set[str]:
    """The paths of the pictures that a string shows."""
    return {_picture_path(match) for match in _IMAGE.finditer(markdown_text)}


def _figures_of(
    location: RecordLocation,
    fields_and_picture_paths: Sequence[tuple[str, list[str]]],
    fields_and_texts: Sequence[tuple[str, str]],
) -> tuple[Figure, ...]:
    """The pictures that a record lists, and those that its fields show by links.

    Args:
        location: Place of the record; pictures are beside its file.
        fields_and_picture_paths: Field → names of files.
        fields_and_texts: Field → Markdown or HTML.

    Raises:
        DatasetError: A picture is missing, is elsewhere, or is not what it claims to be.
    """
    picture_origins: dict[str, tuple[str, str]] = {}
    for field, names in fields_and_picture_paths:
        for number, name in enumerate(names):
            picture_origins.setdefault(name, (f"{field}.{number}", f"Figure {number + 1}"))
    for field, text in fields_and_texts:
        for match in _IMAGE.finditer(text):
            path = _picture_path(match)
            if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|//", path):
                raise location.error(field, f"shows a picture from elsewhere, {path!r}; put it beside the file instead")
            picture_origins.setdefault(path, (field, match[1] or "Figure"))
    return tuple(_figure_of_picture(location, field, name, alt) for name, (field, alt) in picture_origins.items())


def _figure_of_picture(location: RecordLocation, field_name: str, picture_path: str, alternative_text: str) -> Figure:
    folder = location.file.parent
    try:
        path = _PATH.validate_python(picture_path)
        media = media_type_of_path(path)
    except ValidationError as error:
        raise location.error(field_name, DatasetError.from_validation(location.file, error).reason) from error
    except ValueError as error:
        raise location.error(field_name, str(error)) from error
    if not (folder / path).resolve().is_relative_to(folder.resolve()):
        raise location.error(field_name, f"names {picture_path!r}, which a link leads out of {folder}")
    try:
        content = read_bytes(folder, path)
        return Figure(path=path, media_type=media, data=base64.b64encode(content).decode(), alt=alternative_text)
    except ValidationError as error:
        raise location.error(field_name, DatasetError.from_validation(location.file, error).reason) from error
    except DatasetError as error:
        raise location.error(field_name, f"names the picture {error}") from error


def _picture_path(link_match: re.Match[str]) -> str:
    return unquote(link_match[2] or link_match[3] or link_match[4])


def _markdown_link_path(picture_path: str) -> str:
    """A path as Markdown links have it."""
    return picture_path if re.fullmatch(r"[\w./-]+", picture_path) else f"<{picture_path}>"
