"""CS-Bench: questions on computer science in English, Chinese, French and German.

Format: https://github.com/csbench/csbench. A file is a JSON array or JSON Lines, whatever it is called. A record has
`ID`, `Split`, `Domain`, `SubDomain`, `Format`, `Tag`, `Language`, `Question`, `A` to `D` for multiple choice, `Answer`,
and some have an `Explanation`. Answers to assertions are JSON booleans, or words such as `Vrai` and `Falsch`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, StrictStr, ValidationError

from benchwright_problems.datasets.dataset_format import DatasetFormat, Excerpt
from benchwright_problems.datasets.jsonl import read_array_or_lines
from benchwright_problems.datasets.naming import require_pack_name
from benchwright_problems.datasets.record import Record, RecordLocation, keep, restore
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import (
    Answer,
    Choice,
    Difficulty,
    Hidden,
    Kind,
    Pack,
    Problem,
    Provenance,
    Public,
    Question,
    QuestionFormat,
)

SOURCE = "https://github.com/csbench/csbench"
LICENSE = "CC-BY-NC-4.0"
RECORD = "csbench"

LANGUAGES = {"English": "en", "Chinese": "zh", "French": "fr", "German": "de"}
_FORMATS = {
    "Multiple-choice": QuestionFormat.MULTIPLE_CHOICE,
    "Assertion": QuestionFormat.ASSERTION,
    "Fill-in-the-blank": QuestionFormat.FILL_IN_THE_BLANK,
    "Open-ended": QuestionFormat.OPEN_ENDED,
}
_TRUE = frozenset({"true", "vrai", "wahr", "richtig", "正确", "对"})
_FALSE = frozenset({"false", "faux", "falsch", "错误", "错"})
_LETTERS = "ABCDEFGH"
# The released Chinese set is the English one in the same order, numbered on from its end.
_CHINESE_OFFSET = 2419

_Text = Annotated[StrictStr, Field(min_length=1)]
_Scalar = _Text | StrictInt | StrictFloat


class _Record(BaseModel):
    # What a record has besides is kept in Hidden.record and written back by the exporter.
    model_config = ConfigDict(extra="ignore")

    ID: Annotated[StrictInt, Field(ge=0)]
    Domain: _Text
    SubDomain: _Text
    Format: _Text
    Tag: _Text
    Language: _Text
    Question: _Text
    Answer: StrictBool | _Scalar
    Explanation: StrictStr = ""


def import_csbench(files: Sequence[Path], pack: str) -> Pack:
    """Import data files as one pack, all or nothing.

    A question in several languages is one problem for each of them, with one `group`.

    Raises:
        DatasetError: Names file, record and field of the first thing that is wrong.
        BadPackNameError: No pack can be called so.
    """
    require_pack_name(pack)
    problems: dict[str, Problem] = {}
    locations: dict[str, RecordLocation] = {}
    for file in files:
        for prefix, line, record in read_array_or_lines(file):
            location = RecordLocation(file, prefix, line)
            problem = _problem(location, record)
            if problem.id in problems:
                raise location.error("ID", f"{problem.id!r} is already at {locations[problem.id]}")
            problems[problem.id] = problem
            locations[problem.id] = location
    if not problems:
        raise DatasetError(files[0], "", "holds no question")
    return Pack(
        name=pack,
        title="CS-Bench",
        version="unknown",
        license=LICENSE,
        source=SOURCE,
        description="Questions on computer science",
        problems=tuple(_grouped(problems)),
    )


def export_csbench(problem: Problem) -> Record:
    """The record a problem was imported from, as an equal JSON value.

    Raises:
        ValueError: The problem does not come from CS-Bench.
    """
    if problem.hidden.dataset_format != RECORD:
        raise ValueError(f"{problem.id} does not come from CS-Bench and has no record of it")
    return restore(problem, _plain(problem))


def _problem(location: RecordLocation, record: Record) -> Problem:
    try:
        parsed = _Record.model_validate(record)
    except ValidationError as error:
        wrong = DatasetError.from_validation(location.file, error, location.line)
        # Of a field with several types, the last part of the location names the type.
        field = wrong.field.partition(".")[0]
        raise location.error(field, wrong.reason) from error
    language = LANGUAGES.get(parsed.Language)
    if language is None:
        raise location.error("Language", f"is {parsed.Language!r}; known are {', '.join(LANGUAGES)}")
    style = _FORMATS.get(parsed.Format)
    if style is None:
        raise location.error("Format", f"is {parsed.Format!r}; known are {', '.join(_FORMATS)}")
    choices = _choices(location, record) if style is QuestionFormat.MULTIPLE_CHOICE else ()
    problem = Problem(
        id=f"{language}-{parsed.ID}",
        kind=Kind.QUESTION,
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
    return keep(problem, _plain(problem), record, location)


def _choices(location: RecordLocation, record: Record) -> tuple[Choice, ...]:
    found = []
    for letter in _LETTERS:
        text = record.get(letter)
        if text is None:
            continue
        if isinstance(text, bool) or not isinstance(text, str | int | float) or text == "":
            raise location.error(letter, "is not the text of a choice")
        found.append(Choice(letter=letter, text=str(text)))
    if len(found) < 2:
        raise location.error("B" if found else "A", "is missing; a multiple-choice question needs at least two choices")
    return tuple(found)


def _answer(location: RecordLocation, style: QuestionFormat, choices: tuple[Choice, ...], record: _Record) -> Answer:
    value = record.Answer
    if style is QuestionFormat.ASSERTION:
        word = str(value).strip().casefold()
        if word not in _TRUE | _FALSE:
            raise location.error("Answer", f"is {value!r}; an assertion is true or false")
        return Answer(value="true" if word in _TRUE else "false", closed=True, explanation=record.Explanation)
    if isinstance(value, bool):
        raise location.error("Answer", f"is {value}; only an assertion has such an answer")
    text = str(value)
    if style is QuestionFormat.MULTIPLE_CHOICE:
        letter = text.strip().upper()
        if letter not in {choice.letter for choice in choices}:
            letters = ", ".join(choice.letter for choice in choices)
            raise location.error("Answer", f"is {text!r}; it must be one of {letters}")
        return Answer(value=letter, closed=True, explanation=record.Explanation)
    if not text.strip():
        raise location.error("Answer", "is empty")
    blank = style is QuestionFormat.FILL_IN_THE_BLANK
    return Answer(value=text, alternatives=_alternatives(text) if blank else (), explanation=record.Explanation)


def _alternatives(answer: str) -> tuple[str, ...]:
    """Further answers that the answer to a blank names as right: `X or Y`, `X (Y)`."""
    parts = re.split(r"\s+(?:or|ou|oder|或)\s+|\s+/\s+|或者", answer.strip())
    # "Program counter (PC)", but no function of its argument.
    if named := re.fullmatch(r"([^()（）]{2,}?)(?:\s+\(|\s*（)([^()（）]{2,})[)）]", answer.strip()):
        parts = [named[1], named[2]]
    return tuple(part.strip() for part in parts if part.strip()) if len(parts) > 1 else ()


def _plain(problem: Problem) -> Record:
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


def _grouped(problems: dict[str, Problem]) -> list[Problem]:
    """Mark what is one question in several languages: one ID, or a Chinese one that belongs to an English one."""
    groups: dict[str, list[Problem]] = {}
    for problem in problems.values():
        language, _, number = problem.id.partition("-")
        english = problems.get(f"en-{int(number) - _CHINESE_OFFSET}")
        if language == "zh" and english is not None and _kin(problem) == _kin(english):
            number = str(int(number) - _CHINESE_OFFSET)
        groups.setdefault(number, []).append(problem)
    group_of = {problem.id: number for number, one in groups.items() if len(one) > 1 for problem in one}
    return [
        _in_group(problem, group_of[problem.id]) if problem.id in group_of else problem for problem in problems.values()
    ]


def _kin(problem: Problem) -> tuple[str, ...]:
    """What a question and its translation have in common."""
    question, key = problem.public.question, problem.hidden.answer
    if question is None or key is None:
        return ()
    answer = key.value if key.closed else ""
    return question.domain, question.subdomain, question.format, question.tag, answer


def _in_group(problem: Problem, group: str) -> Problem:
    question = problem.public.question
    if question is None:
        return problem
    grouped = question.model_copy(update={"group": group})
    return problem.model_copy(update={"public": problem.public.model_copy(update={"question": grouped})})


def _recognise(found: Excerpt) -> bool:
    return {"ID", "Domain", "Format", "Question"} <= found.fields


FORMAT = DatasetFormat(
    name="csbench",
    source=SOURCE,
    reads="JSON arrays or JSON Lines",
    importer=import_csbench,
    export=export_csbench,
    recognise=_recognise,
)
