"""GIFT (https://docs.moodle.org/en/GIFT_format): questions as text.

`::Title::[markdown]Which gate? {=NAND ~OR ####Because.}`. Braces hold the answer: `=` right, `~` wrong, `~%50%` worth
a share, `T` or `F`, `#3.3:0.1` a number with its absolute tolerance, `####` the explanation, nothing for an essay.
`//` begins a comment, of which `[id:…]` and `[tag:…]` are read; `$CATEGORY:` names the place of those that follow; an
empty line ends a question; `~ = # { } :` in a text follow a backslash. No library of PyPI reads and writes it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from benchwright_authoring.question_files.lost_texts import (
    elements_without_markdown,
    quoted,
    texts_lost_unnamed,
    texts_of_html,
)
from benchwright_authoring.question_files.question_parts import (
    QuestionFileError,
    QuestionLoss,
    QuestionParts,
    category_and_wider_names,
    first_letters,
    labels_and_other_words,
    markdown_of_html,
)
from benchwright_problems.problem import AnswerKind, QuestionFormat

_SPECIAL = re.compile(r"([\\~=#{}:])")
_COMMENT_FIELD = re.compile(r"\[(id|tag):((?:[^\]\\]|\\.)*)\]")
_TITLE = re.compile(r"\s*::((?:[^\\:]|\\.|:(?!:))*)::", re.DOTALL)
_TEXT_FORMAT = re.compile(r"\s*\[(html|markdown|plain|moodle)\]", re.IGNORECASE)
_ANSWER = re.compile(r"(?<!\\)([=~])\s*(?:%(-?[\d.]+)%)?((?:\\.|[^\\=~])*)", re.DOTALL)
_PIECE_ENDS = re.compile(r"(?<!\\)(?:::|[{}=~#]+|->|%-?[\d.]+%)|\[(?:html|markdown|plain|moodle)\]", re.IGNORECASE)
"""Signs between the texts of a question."""
_NUMBER_WITH_TOLERANCE = re.compile(r"\s*[-+\d.eE]+(?::[-+\d.eE]+)?\s*")
_TRUTH = {"t": "true", "true": "true", "f": "false", "false": "false"}


def write_gift(file_questions: Sequence[QuestionParts]) -> bytes:
    """Questions as one file.

    Raises:
        QuestionFileError: A question is answered in words: GIFT has no place for its key.
    """
    return "\n\n".join(map(_question_gift, file_questions)).encode() + b"\n"


def _question_gift(question: QuestionParts) -> str:
    fields = {"id": question.id}
    words = [f"[{name}:{_escaped_in_brackets(value)}]" for name, value in fields.items()]
    words += [f"[tag:{_escaped_in_brackets(f'{name}:{value}')}]" for name, value in question.labels.items()]
    explanation = f" ####{_escaped_for_gift(question.explanation)}" if question.explanation else ""
    title, statement = _escaped_for_gift(question.title), _escaped_for_gift(question.statement)
    return f"// {' '.join(words)}\n::{title}::[markdown]{statement} {{{_answers_gift(question)}{explanation}}}"


def _answers_gift(question: QuestionParts) -> str:
    answered_by = question.format.answered_by
    if answered_by is AnswerKind.WORDS:
        raise QuestionFileError(
            f"question {question.id}: GIFT has no place for the model answer of a question that is answered in words; "
            "write it as Moodle XML."
        )
    if answered_by is AnswerKind.TRUTH:
        return "T" if question.key == "true" else "F"
    if question.choices and answered_by is AnswerKind.CHOICE:
        signed_texts = [("=" if letter == question.key else "~", text) for letter, text in question.choices.items()]
    elif question.choices:
        share = f"{100 / len(question.key):.5f}".rstrip("0").rstrip(".")
        signed_texts = [
            (f"~%{share}%" if letter in question.key else "~%-100%", text) for letter, text in question.choices.items()
        ]
    elif question.tolerance is not None:
        accepted = (question.key, *question.alternatives)
        try:
            return "#" + " ".join(f"=%100%{value}:{abs(float(value)) * question.tolerance!r}" for value in accepted)
        except ValueError as error:
            raise QuestionFileError(f"question {question.id}: {error}, and GIFT's tolerances need one.") from error
    else:
        signed_texts = [("=", text) for text in (question.key, *question.alternatives)]
    return " ".join(f"{sign}{_escaped_for_gift(text)}" for sign, text in signed_texts)


def _escaped_for_gift(plain_text: str) -> str:
    return _SPECIAL.sub(r"\\\1", plain_text.replace("\r\n", "\n")).replace("\n", "\\n")


def _escaped_in_brackets(plain_text: str) -> str:
    return plain_text.replace("\\", "\\\\").replace("]", "\\]")


def _unescaped(escaped_text: str) -> str:
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], escaped_text, flags=re.DOTALL).strip()


def read_gift(file_content: bytes) -> tuple[list[QuestionParts], list[QuestionLoss]]:
    """Questions of a file, and what they lose.

    Raises:
        QuestionFileError: It is no such file.
    """
    try:
        text = file_content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise QuestionFileError("it is not UTF-8. Save it with that encoding.") from error
    file_questions: list[QuestionParts] = []
    losses: list[QuestionLoss] = []
    category = ""
    for line, block_lines in _blocks_with_line_number(text):
        comments = [row for row in block_lines if row.lstrip().startswith("//")]
        rows = [row for row in block_lines if not row.lstrip().startswith("//")]
        if rows and rows[0].startswith("$CATEGORY:"):
            category, wider_names = category_and_wider_names(rows.pop(0).partition(":")[2])
            losses += [QuestionLoss("file", f"of the category {category!r}: {quoted(name)}") for name in wider_names]
        if not "".join(rows).strip():
            losses += [QuestionLoss("file", f"comment {quoted(comment)}") for comment in comments]
            continue
        number = len(file_questions) + 1
        question_reading = _QuestionReading("\n".join(rows), comments, f"question-{number}", line)
        question = question_reading.question()
        if question is not None:
            if category and "topic" not in question.labels:
                question.labels["topic"] = category
            elif category:
                question_reading.losses.append(QuestionLoss(question.id, f"the category {category!r}"))
            question_reading.note_unnamed_losses(question)
            file_questions.append(question)
        losses += question_reading.losses
    if not file_questions and not losses:
        raise QuestionFileError("it has no question with an answer in braces.")
    return file_questions, losses


def _blocks_with_line_number(file_text: str) -> Iterator[tuple[int, list[str]]]:
    """Lines between empty ones, with the number of the first."""
    block_lines: list[str] = []
    for number, line in enumerate([*file_text.split("\n"), ""], 1):
        if line.strip():
            block_lines.append(line)
        elif block_lines:
            yield number - len(block_lines), block_lines
            block_lines = []


class _QuestionReading:
    """One question while it is read."""

    def __init__(self, question_text: str, comment_lines: Sequence[str], default_id: str, line_number: int) -> None:
        comment_fields = [
            (name, _unescaped(value)) for row in comment_lines for name, value in _COMMENT_FIELD.findall(row)
        ]
        self._id = next((value for name, value in comment_fields if name == "id" and value), default_id)
        self._labels, plain_words = labels_and_other_words([value for name, value in comment_fields if name == "tag"])
        self._text, self._line, self._text_format = question_text, line_number, "moodle"
        self.losses = [QuestionLoss(self._id, f"tag {word!r}") for word in plain_words]
        comments = [_COMMENT_FIELD.sub("", row).strip().lstrip("/").strip() for row in comment_lines]
        self.losses += [QuestionLoss(self._id, f"comment {quoted(comment)}") for comment in comments if comment]
        ids = [value for name, value in comment_fields if name == "id" and value != self._id]
        self.losses += [QuestionLoss(self._id, f"id {value!r}") for value in ids if value]

    def _note_loss(self, lost_part: str) -> None:
        self.losses.append(QuestionLoss(self._id, lost_part))

    def _note_lost_question(self, reason: str) -> None:
        self._note_loss(f"the whole question (line {self._line}): {reason}")

    def note_unnamed_losses(self, question_parts: QuestionParts) -> None:
        """Names every text of the question's lines that is neither in the question nor named so far."""
        # Where a number is the answer, it is read, named or refused; so is its tolerance.
        pieces = [
            _unescaped(piece)
            for piece in _PIECE_ENDS.split(self._text)
            if question_parts.choices or not _NUMBER_WITH_TOLERANCE.fullmatch(piece)
        ]
        is_html = self._text_format in ("html", "moodle")
        texts = [text for piece in pieces for text in (texts_of_html(piece) if is_html else (piece,))]
        for text in list(texts_lost_unnamed(texts, question_parts, self.losses)):
            self._note_loss(f"text {quoted(text)}")

    def question(self) -> QuestionParts | None:
        """The question; None if there is nothing like it here."""
        try:
            return self._question()
        except ValueError as error:
            self._note_lost_question(f"a number in it is none: {error}")
            return None

    def _question(self) -> QuestionParts | None:
        title, text = "", self._text
        if match := _TITLE.match(text):
            title, text = _unescaped(match[1]), text[match.end() :]
        text_format = "moodle"
        if match := _TEXT_FORMAT.match(text):
            text_format, text = match[1].lower(), text[match.end() :]
        self._text_format = text_format
        begin = _first_unescaped_index(text, "{")
        end = _first_unescaped_index(text, "}", begin + 1) if begin >= 0 else -1
        if begin < 0 or end < 0:
            self._note_lost_question("it has no answer in braces")
            return None
        before, answers_text, after = text[:begin], text[begin + 1 : end], text[end + 1 :]
        statement = f"{before.rstrip()} ____ {after.strip()}" if after.strip() else before
        answers_text, mark, explanation = answers_text.partition("####")
        question_parts = QuestionParts(
            id=self._id,
            title=title or self._id,
            statement=self._markdown(statement, text_format),
            format=QuestionFormat.ASSERTION,
            explanation=self._markdown(explanation, text_format) if mark else "",
            labels=self._labels,
        )
        return (
            question_parts
            if self._fill_in_answers_if_readable(question_parts, answers_text.strip(), text_format)
            else None
        )

    def _markdown(self, gift_text: str, text_format: str) -> str:
        plain = _unescaped(gift_text)
        if text_format == "markdown":
            return plain
        if text_format == "plain":
            return markdown_of_html(html.escape(plain))
        for name in elements_without_markdown(plain):
            self._note_loss(f"<{name}> in a text")
        return markdown_of_html(plain)

    def _fill_in_answers_if_readable(self, question_parts: QuestionParts, answers_text: str, text_format: str) -> bool:
        word, has_feedback, feedback = answers_text.partition("#")
        if word.strip().lower() in _TRUTH:
            question_parts.key = _TRUTH[word.strip().lower()]
            if has_feedback:
                self._note_loss(f"feedback on one answer: {quoted(_unescaped(feedback))}")
            return True
        if answers_text.startswith("#"):
            return self._fill_in_numbers_if_readable(question_parts, answers_text[1:])
        # As Moodle decides: an arrow makes pairs only where no choice is marked as wrong.
        if "->" in answers_text and _first_unescaped_index(answers_text, "~") < 0:
            self._note_lost_question("matching questions have no equivalent")
            return False
        weighted_answers = [
            (sign, weight, self._without_feedback(text)) for sign, weight, text in _ANSWER.findall(answers_text)
        ]
        if not weighted_answers:
            self._note_lost_question("it has no key in the file")
            return False
        if any(sign == "~" for sign, *_ in weighted_answers):
            self._fill_in_choices(question_parts, weighted_answers, text_format)
        else:
            question_parts.format = QuestionFormat.FILL_IN_THE_BLANK
            whole = [_unescaped(text) for _, weight, text in weighted_answers if weight in ("", "100")]
            if len(whole) < len(weighted_answers):
                self._note_loss("answers that are worth a part of the points")
            if not whole:
                self._note_lost_question("no answer is worth all points")
                return False
            question_parts.key, *alternatives = whole
            question_parts.alternatives = tuple(alternatives)
        return True

    def _without_feedback(self, answer_text: str) -> str:
        feedback_offset = _first_unescaped_index(answer_text, "#")
        if feedback_offset < 0:
            return answer_text
        self._note_loss(f"feedback on one answer: {quoted(_unescaped(answer_text[feedback_offset + 1 :]))}")
        return answer_text[:feedback_offset]

    def _fill_in_choices(
        self, question_parts: QuestionParts, weighted_choices: Sequence[tuple[str, str, str]], text_format: str
    ) -> None:
        letters = first_letters(len(weighted_choices))
        worths = [float(weight) if weight else 100.0 * (sign == "=") for sign, weight, _ in weighted_choices]
        is_single = any(sign == "=" for sign, *_ in weighted_choices)
        question_parts.format = QuestionFormat.MULTIPLE_CHOICE if is_single else QuestionFormat.MULTIPLE_RESPONSE
        question_parts.choices = {
            letter: self._markdown(text, text_format)
            for letter, (*_, text) in zip(letters, weighted_choices, strict=True)
        }
        question_parts.key = "".join(
            letter for letter, worth in zip(letters, worths, strict=True) if (worth >= 100 if is_single else worth > 0)
        )
        for letter, worth in zip(letters, worths, strict=True):
            if is_single and 0 < worth < 100:
                self._note_loss(f"{worth:g} % for choice {letter}")
        if not is_single and len({round(worth, 3) for worth in worths if worth > 0}) > 1:
            self._note_loss("different points for right choices")

    def _fill_in_numbers_if_readable(self, question_parts: QuestionParts, answers_text: str) -> bool:
        question_parts.format = QuestionFormat.FILL_IN_THE_BLANK
        accepted_numbers: list[tuple[str, float]] = []
        for _, weight, text in _ANSWER.findall(answers_text) or [("", "", answers_text)]:
            value, _, tolerance = self._without_feedback(text).strip().partition(":")
            low, dots, high = value.partition("..")
            try:
                if dots:
                    middle, reach = (float(low) + float(high)) / 2, abs(float(high) - float(low)) / 2
                    value, tolerance = f"{middle:g}", repr(reach)
                float(value)
                reach = float(tolerance or 0)
            except ValueError:
                self._note_lost_question(f"{text.strip()[:40]!r} is no number with a tolerance")
                return False
            if weight in ("", "100"):
                accepted_numbers.append((value.strip(), reach))
            else:
                self._note_loss("answers that are worth a part of the points")
        if not accepted_numbers:
            self._note_lost_question("no number is worth all points")
            return False
        question_parts.key, question_parts.alternatives = (
            accepted_numbers[0][0],
            tuple(value for value, _ in accepted_numbers[1:]),
        )
        shares = {
            round(reach / abs(float(value)), 9) if float(value) else 2.0 for value, reach in accepted_numbers if reach
        }
        if (
            len(shares) == 1
            and len([reach for _, reach in accepted_numbers if reach]) == len(accepted_numbers)
            and max(shares) < 1
        ):
            question_parts.tolerance = shares.pop()
        elif shares:
            self._note_loss("the tolerance, which is no share below 1 of the value, or another for each answer")
        return True


def _first_unescaped_index(gift_text: str, searched_sign: str, start_offset: int = 0) -> int:
    """Index of the first such sign that follows no backslash; -1 if there is none."""
    index = start_offset
    while index < len(gift_text):
        if gift_text[index] == "\\":
            index += 2
        elif gift_text[index] == searched_sign:
            return index
        else:
            index += 1
    return -1
