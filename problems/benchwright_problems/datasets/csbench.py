"""CS-Bench: questions on computer science in English, Chinese, French and German.

Format: https://github.com/csbench/csbench, which has `Dataset/CSBench-EN|CN|FR|DE/valid|test.json` and beside these
folders `croissant.json`, which describes the set. A file is a JSON array or JSON Lines, whatever it is called. A record
has `ID`, `Split`, `Domain`, `SubDomain`, `Format`, `Tag`, `Language`, `Question`, `A` to `D` for multiple choice,
`Answer`, and some have an `Explanation`. Answers to assertions are JSON booleans, or words such as `Vrai` and `Falsch`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    JsonValue,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    ValidationError,
)

from benchwright_problems.datasets.answer_key import integer_if_digits, nfkc_stripped, only_named_letter, stated_truth
from benchwright_problems.datasets.dataset_format import DatasetExcerpt, DatasetFormat
from benchwright_problems.datasets.folder import files_below
from benchwright_problems.datasets.invalid_records import InvalidRecords
from benchwright_problems.datasets.jsonl import read_array_or_lines
from benchwright_problems.datasets.naming import require_pack_name
from benchwright_problems.datasets.record import Record, RecordLocation, RecordModel, restored_record, with_record_patch
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import (
    Answer,
    Choice,
    Difficulty,
    Hidden,
    Pack,
    Problem,
    ProblemKind,
    Provenance,
    Public,
    Question,
    QuestionFormat,
)

SOURCE = "https://github.com/csbench/csbench"
LICENSE = "CC-BY-NC-4.0"
# The day of arXiv:2406.08587v1, which announces the data; French and German came later.
_PUBLISHED = "2024-06-12"
RECORD = "csbench"

LANGUAGES = {"English": "en", "Chinese": "zh", "French": "fr", "German": "de"}
_FORMATS = {
    "Multiple-choice": QuestionFormat.MULTIPLE_CHOICE,
    "Assertion": QuestionFormat.ASSERTION,
    "Fill-in-the-blank": QuestionFormat.FILL_IN_THE_BLANK,
    "Open-ended": QuestionFormat.OPEN_ENDED,
}
_LETTERS = "ABCDEFGH"
# The released Chinese set is the English one in the same order, numbered on from its end.
_CHINESE_OFFSET = 2419
_ENDINGS = (".json", ".jsonl")
_METADATA = "croissant.json"

_Text = Annotated[StrictStr, Field(min_length=1)]
_Label = Annotated[StrictStr, AfterValidator(nfkc_stripped), Field(min_length=1)]
_Scalar = _Text | StrictInt | StrictFloat


class _CsBenchRecord(RecordModel):
    ID: Annotated[StrictInt, Field(ge=0), BeforeValidator(integer_if_digits)]
    Domain: _Label
    SubDomain: _Label
    Format: _Label
    Tag: _Label
    Language: _Label
    Question: _Text
    Answer: StrictBool | _Scalar
    Explanation: StrictStr | None = None
    Split: JsonValue = None

    def unknown_fields(self) -> Iterator[str]:
        """Yield the other fields, but for the choices, which `_choices` reads."""
        return (field for field in super().unknown_fields() if field not in _LETTERS)


def import_csbench(dataset_files: Sequence[Path], pack_name: str, invalid: InvalidRecords | None = None) -> Pack:
    """Import data files, and those below folders, as one pack.

    A question in several languages is one problem for each of them, with one `group`.

    Args:
        dataset_files: Data files, or folders of them such as the released `Dataset/`.
        pack_name: Name of the new pack.
        invalid: Collects records that can't be read; without it, the data set is refused.

    Raises:
        DatasetError: Names file, record and field of the first thing that is wrong.
        BadPackNameError: No pack can be called so.
    """
    require_pack_name(pack_name)
    problems: dict[str, Problem] = {}
    locations: dict[str, RecordLocation] = {}
    invalid = invalid or InvalidRecords()
    for file in _data_files(dataset_files):
        for prefix, line, record in read_array_or_lines(file, invalid):
            location = RecordLocation(file, prefix, line)
            with invalid.collecting_record_error():
                problem = _problem_of_record(location, record, invalid)
                if problem.id in problems:
                    raise location.error("ID", f"{problem.id!r} is already at {locations[problem.id]}")
                problems[problem.id] = problem
                locations[problem.id] = location
    invalid.require_importable(len(problems))
    if not problems:
        raise DatasetError(dataset_files[0], "", "holds no question")
    return Pack(
        name=pack_name,
        title="CS-Bench",
        version="unknown",
        license=LICENSE,
        source=SOURCE,
        description="Questions on computer science",
        published=_PUBLISHED,
        problems=tuple(_with_translation_groups(problems)),
    )


def _data_files(files_or_folders: Sequence[Path]) -> list[Path]:
    data_files = []
    for path in files_or_folders:
        data_files += [path / name for name in files_below(path) if _is_data_file(name)] if path.is_dir() else [path]
    return data_files


def _is_data_file(file_name: str) -> bool:
    return file_name.endswith(_ENDINGS) and Path(file_name).name != _METADATA


def export_csbench(problem: Problem) -> Record:
    """The record a problem was imported from, as an equal JSON value.

    Raises:
        ValueError: The problem does not come from CS-Bench.
    """
    if problem.hidden.dataset_format != RECORD:
        raise ValueError(f"{problem.id} does not come from CS-Bench and has no record of it")
    return restored_record(problem, _record_without_patch(problem))


def _problem_of_record(location: RecordLocation, record_json: Record, invalid: InvalidRecords) -> Problem:
    try:
        parsed = _CsBenchRecord.model_validate(record_json)
    except ValidationError as error:
        field_error = DatasetError.from_validation(location.file, error, location.line)
        # Of a field with several types, the last part of the location names the type.
        field = field_error.field.partition(".")[0]
        raise location.error(field, field_error.reason) from error
    invalid.require_known_fields(location, parsed)
    language = LANGUAGES[_usual_spelling(location, "Language", parsed.Language, LANGUAGES)]
    style = _FORMATS[_usual_spelling(location, "Format", parsed.Format, _FORMATS)]
    choices = _choices(location, record_json) if style is QuestionFormat.MULTIPLE_CHOICE else ()
    if not choices and (letters := [letter for letter in _LETTERS if record_json.get(letter) not in (None, "")]):
        raise location.error(letters[0], f"is a choice, and the format is {parsed.Format}, which has none")
    problem = Problem(
        id=f"{language}-{parsed.ID}",
        kind=ProblemKind.QUESTION,
        title=f"{parsed.SubDomain} {parsed.ID}",
        # The set has no estimate of its own.
        difficulty=Difficulty.MEDIUM,
        provenance=Provenance(source=SOURCE, license=LICENSE, version="unknown"),
        public=Public(
            statement=parsed.Question,
            question=Question(
                format=style,
                choices=choices,
                domain=parsed.Domain,
                subdomain=parsed.SubDomain,
                tag=parsed.Tag,
                language=language,
            ),
        ),
        hidden=Hidden(answer=_answer(location, style, choices, parsed), dataset_format=RECORD),
    )
    return with_record_patch(problem, _record_without_patch(problem), record_json, location)


def _usual_spelling(location: RecordLocation, field_name: str, written_word: str, known_words: Collection[str]) -> str:
    """The word as the data set usually writes it."""
    word_by_letters = {re.sub(r"[\W_]", "", name).casefold(): name for name in known_words}
    usual_word = word_by_letters.get(re.sub(r"[\W_]", "", written_word).casefold())
    if usual_word is None:
        raise location.error(field_name, f"is {written_word!r}; known are {', '.join(known_words)}")
    return usual_word


def _choices(location: RecordLocation, record_json: Record) -> tuple[Choice, ...]:
    choices = []
    for letter in _LETTERS:
        text = record_json.get(letter)
        if text is None:
            continue
        if isinstance(text, bool) or not isinstance(text, str | int | float) or not str(text).strip():
            raise location.error(letter, "is not the text of a choice")
        choices.append(Choice(letter=letter, text=str(text)))
    if len(choices) < 2:
        raise location.error(
            "B" if choices else "A", "is missing; a multiple-choice question needs at least two choices"
        )
    return tuple(choices)


def _answer(
    location: RecordLocation, question_format: QuestionFormat, choices: tuple[Choice, ...], record: _CsBenchRecord
) -> Answer:
    value, explanation = record.Answer, record.Explanation or ""
    if question_format is QuestionFormat.ASSERTION:
        truth = stated_truth(value)
        if truth is None:
            raise location.error("Answer", f"is {value!r}; an assertion is true or false")
        return Answer(value="true" if truth else "false", closed=True, explanation=explanation)
    if isinstance(value, bool):
        raise location.error("Answer", f"is {value}; only an assertion has such an answer")
    text = str(value)
    if question_format is QuestionFormat.MULTIPLE_CHOICE:
        letter = only_named_letter(text, {choice.letter for choice in choices})
        if letter is None:
            letters = ", ".join(choice.letter for choice in choices)
            raise location.error("Answer", f"is {text!r}; it must be one of {letters}")
        return Answer(value=letter, closed=True, explanation=explanation)
    if not text.strip():
        raise location.error("Answer", "is empty")
    blank = question_format is QuestionFormat.FILL_IN_THE_BLANK
    return Answer(value=text, alternatives=_further_accepted_answers(text) if blank else (), explanation=explanation)


def _further_accepted_answers(blank_answer: str) -> tuple[str, ...]:
    """Further answers that the answer to a blank names as right: `X or Y`, `X (Y)`."""
    answer_parts = re.split(r"\s+(?:or|ou|oder|或)\s+|\s+/\s+|或者", blank_answer.strip())
    # "Program counter (PC)", but no function of its argument.
    if match := re.fullmatch(r"([^()（）]{2,}?)(?:\s+\(|\s*（)([^()（）]{2,})[)）]", blank_answer.strip()):
        answer_parts = [match[1], match[2]]
    return tuple(part.strip() for part in answer_parts if part.strip()) if len(answer_parts) > 1 else ()


def _record_without_patch(problem: Problem) -> Record:
    """The record as most of the data set writes it, from the model alone."""
    question, key = problem.public.question, problem.hidden.answer
    if question is None or key is None:
        raise ValueError(f"{problem.id} is no question with an answer")
    language, _, number = problem.id.partition("-")
    record: Record = {
        "ID": int(number),
        "Domain": question.domain,
        "SubDomain": question.subdomain,
        "Format": next(name for name, style in _FORMATS.items() if style is question.format),
        "Tag": question.tag,
        "Language": next(name for name, code in LANGUAGES.items() if code == language),
        "Question": problem.public.statement,
        "Answer": key.value == "true" if question.format is QuestionFormat.ASSERTION else key.value,
    }
    record |= {choice.letter: choice.text for choice in question.choices}
    if key.explanation:
        record["Explanation"] = key.explanation
    return record


def _with_translation_groups(problem_by_id: dict[str, Problem]) -> list[Problem]:
    """Mark what is one question in several languages: one ID, or a Chinese one that belongs to an English one."""
    groups: dict[str, list[Problem]] = {}
    for problem in problem_by_id.values():
        language, _, number = problem.id.partition("-")
        english = problem_by_id.get(f"en-{int(number) - _CHINESE_OFFSET}")
        if (
            language == "zh"
            and english is not None
            and _features_shared_with_translation(problem) == _features_shared_with_translation(english)
        ):
            number = str(int(number) - _CHINESE_OFFSET)
        groups.setdefault(number, []).append(problem)
    group_of = {problem.id: number for number, group in groups.items() if len(group) > 1 for problem in group}
    return [
        _with_group(problem, group_of[problem.id]) if problem.id in group_of else problem
        for problem in problem_by_id.values()
    ]


def _features_shared_with_translation(problem: Problem) -> tuple[str, ...]:
    """The features that a question and its translation have in common."""
    question, key = problem.public.question, problem.hidden.answer
    if question is None or key is None:
        return ()
    answer = key.value if key.closed else ""
    return question.domain, question.subdomain, question.format, question.tag, answer


def _with_group(problem: Problem, group_id: str) -> Problem:
    question = problem.public.question
    if question is None:
        return problem
    grouped = question.model_copy(update={"group": group_id})
    return problem.model_copy(update={"public": problem.public.model_copy(update={"question": grouped})})


def _is_csbench(excerpt: DatasetExcerpt) -> bool:
    return {"ID", "Domain", "Format", "Question"} <= excerpt.fields or "EN/test.json" in excerpt.files


FORMAT = DatasetFormat(
    name="csbench",
    source=SOURCE,
    reads="JSON arrays or JSON Lines, or folders of them",
    importer=import_csbench,
    export=export_csbench,
    recognise=_is_csbench,
)
