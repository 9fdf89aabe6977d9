"""Formats of question files: each writes questions and reads them; what is lost on the way is named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright_authoring.question_files.file_format import QuestionFileFormat
from benchwright_authoring.question_files.gift import read_gift, write_gift
from benchwright_authoring.question_files.moodle_xml import read_moodle_xml, write_moodle_xml
from benchwright_authoring.question_files.qti import read_qti, write_qti
from benchwright_authoring.question_files.question_parts import (
    QuestionFileError,
    QuestionLoss,
    QuestionParts,
    losses_after_reading_back,
    parts_of_problem,
)
from benchwright_foundation.plain_file import FileTooLargeError, NotPlainFileError, read_plain_file
from benchwright_problems.problem import Pack, Problem, Provenance

_LARGEST = 200_000_000


@dataclass(frozen=True)
class _Codec:
    write: Callable[[Sequence[QuestionParts]], bytes]
    read: Callable[[bytes], tuple[list[QuestionParts], list[QuestionLoss]]]


_CODECS = {
    QuestionFileFormat.MOODLE: _Codec(write_moodle_xml, read_moodle_xml),
    QuestionFileFormat.GIFT: _Codec(write_gift, read_gift),
    QuestionFileFormat.QTI: _Codec(write_qti, read_qti),
}
_FORMAT_BY_SUFFIX = {
    ".xml": QuestionFileFormat.MOODLE,
    ".gift": QuestionFileFormat.GIFT,
    ".txt": QuestionFileFormat.GIFT,
    ".zip": QuestionFileFormat.QTI,
}


def format_of_file(question_file: Path) -> QuestionFileFormat:
    """The format that a file's name stands for.

    Raises:
        QuestionFileError: It stands for none.
    """
    file_format = _FORMAT_BY_SUFFIX.get(question_file.suffix.lower())
    if file_format is None:
        raise QuestionFileError(f"{question_file}: its name does not say which format it has; give --format.")
    return file_format


def question_file_and_losses(
    problems: Sequence[Problem], file_format: QuestionFileFormat
) -> tuple[bytes, list[QuestionLoss]]:
    """A file with questions, and what it does not hold of them, as reading it again shows.

    A question that the format has no equivalent for is left out, and is a loss as a whole.
    """
    codec = _CODECS[file_format]
    kept_questions: list[QuestionParts] = []
    losses: list[QuestionLoss] = []
    for problem in problems:
        try:
            question_parts = parts_of_problem(problem)
            read_back, reading_losses = codec.read(codec.write([question_parts]))
            own_question = next((question for question in read_back if question.id == problem.id), None)
            returned_problem = own_question.as_problem(problem.provenance) if own_question is not None else None
            losses += losses_after_reading_back(problem, returned_problem)
            losses += reading_losses
        except QuestionFileError as error:
            losses.append(QuestionLoss(problem.id, f"the whole question: {error}"))
            continue
        kept_questions.append(question_parts)
    return codec.write(kept_questions), losses


def pack_and_losses_of_file(
    question_file: Path, file_format: QuestionFileFormat, pack_name: str, license_name: str
) -> tuple[Pack, list[QuestionLoss]]:
    """The questions of a file as a pack, and what they lose.

    Raises:
        QuestionFileError: The file can't be read, or has no question.
        BadPackNameError: No pack can be called so.
    """
    try:
        content = read_plain_file(question_file.parent, question_file.name, _LARGEST)
    except FileTooLargeError as error:
        raise QuestionFileError(f"{question_file} is larger than {_LARGEST:,} bytes.") from error
    except (OSError, NotPlainFileError) as error:
        reason = getattr(error, "strerror", None) or "it is no plain file"
        raise QuestionFileError(f"{question_file} can't be read: {reason}. Give an existing file.") from error
    provenance = Provenance(source=question_file.name, license=license_name, version="unknown")
    try:
        file_questions, losses = _CODECS[file_format].read(content)
    except QuestionFileError as error:
        raise QuestionFileError(f"{question_file}: {error}") from error
    problems: dict[str, Problem] = {}
    for question in file_questions:
        if question.id.lower() in {known.lower() for known in problems}:
            raise QuestionFileError(f"{question_file}: two questions have the id {question.id!r}. Give one another id.")
        try:
            problems[question.id] = question.as_problem(provenance)
        except QuestionFileError as error:
            losses.append(QuestionLoss(question.id, f"the whole question: {error}"))
    if not problems:
        reasons = "; ".join(map(str, losses[:3])) or "it holds none"
        raise QuestionFileError(f"{question_file} has no question that can be taken: {reasons}.")
    pack = Pack(
        name=pack_name,
        title=question_file.stem,
        version="1",
        license=license_name,
        source=question_file.name,
        problems=tuple(problems.values()),
    )
    return pack, losses
