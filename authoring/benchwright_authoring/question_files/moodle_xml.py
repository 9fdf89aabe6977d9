"""Moodle XML (https://docs.moodle.org/en/Moodle_XML_format): questions of Moodle's question bank.

`<quiz>` holds `<question type="…">`: `multichoice` (`<single>`, `<answer fraction="100">`), `truefalse`, `shortanswer`,
`numerical` (`<tolerance>`, absolute), `essay` (`<graderinfo>`), and `category`, which names the place of those that
follow. Texts have a `format`: `markdown`, `html`, `plain_text`, `moodle_auto_format`. Pictures are `<file>` in base64,
shown by `@@PLUGINFILE@@/path`.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from defusedxml import ElementTree as SafeTree
from defusedxml.common import DefusedXmlException
from pydantic import ValidationError

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
    pop_format_of_words_question,
)
from benchwright_problems.figure import media_type_of_path
from benchwright_problems.problem import AnswerKind, Figure, QuestionFormat

_PICTURES = "@@PLUGINFILE@@/"
_LOOK = frozenset(
    {
        *("penalty", "hidden", "answernumbering", "showstandardinstruction", "shownumcorrect", "responseformat"),
        *("responserequired", "responsefieldlines", "attachments", "attachmentsrequired", "maxbytes", "filetypeslist"),
        *("shuffleanswers", "unitgradingtype", "unitpenalty", "showunits", "unitsleft", "minwordlimit", "maxwordlimit"),
    }
)
"""How a question looks and what a wrong try costs: nothing of the question itself."""
_STRUCTURE = _LOOK | {"single", "tolerance", "defaultgrade", "usecase", "file"}
"""Elements whose content is no text of the question, or is named on its own."""
_ATTRIBUTES = frozenset({"type", "format", "fraction", "name", "path", "encoding"})
_READ = frozenset({"name", "questiontext", "generalfeedback", "answer", "tags", "idnumber", "single", "graderinfo"})


def write_moodle_xml(file_questions: Sequence[QuestionParts]) -> bytes:
    """Questions as one file."""
    quiz = Element("quiz")
    for question in file_questions:
        quiz.append(_question_element(question))
    ElementTree.indent(quiz)
    text: bytes = ElementTree.tostring(quiz, encoding="utf-8")
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + text + b"\n"


def _question_element(question: QuestionParts) -> Element:
    answered_by = question.format.answered_by
    type_name = {
        AnswerKind.CHOICE: "multichoice",
        AnswerKind.CHOICES: "multichoice",
        AnswerKind.TRUTH: "truefalse",
        AnswerKind.BLANK: "numerical" if question.tolerance is not None else "shortanswer",
        AnswerKind.WORDS: "essay",
    }[answered_by]
    element = Element("question", type=type_name)
    _add_text(SubElement(element, "name"), question.title)
    statement_element = SubElement(element, "questiontext", format="markdown")
    _add_text(statement_element, _with_picture_prefix(question.statement, question.figures))
    for figure in question.figures:
        path = PurePosixPath(figure.path)
        folder = "/" if path.parent == PurePosixPath(".") else f"/{path.parent}/"
        SubElement(statement_element, "file", name=path.name, path=folder, encoding="base64").text = figure.data
    _add_text(SubElement(element, "generalfeedback", format="markdown"), question.explanation)
    SubElement(element, "idnumber").text = question.id
    if question.choices:
        SubElement(element, "single").text = "true" if answered_by is AnswerKind.CHOICE else "false"
        SubElement(element, "shuffleanswers").text = "false"
        SubElement(element, "answernumbering").text = "ABCD"
        # A wrong choice takes what all right ones give: nothing is left for who ticks everything.
        right, wrong = f"{100 / len(question.key):.5f}".rstrip("0").rstrip("."), "-100"
        if answered_by is AnswerKind.CHOICE:
            wrong = "0"
        for letter, text in question.choices.items():
            fraction = right if letter in question.key else wrong
            answer_element = SubElement(element, "answer", fraction=fraction, format="markdown")
            _add_text(answer_element, _with_picture_prefix(text, question.figures))
    elif answered_by is AnswerKind.TRUTH:
        for truth in ("true", "false"):
            _add_text(SubElement(element, "answer", fraction="100" if truth == question.key else "0"), truth)
    elif answered_by is AnswerKind.BLANK:
        for accepted in (question.key, *question.alternatives):
            answer_element = SubElement(element, "answer", fraction="100", format="plain_text")
            _add_text(answer_element, accepted)
            if question.tolerance is not None:
                SubElement(answer_element, "tolerance").text = repr(abs(_number_or_0(accepted)) * question.tolerance)
    else:
        _add_text(SubElement(element, "graderinfo", format="markdown"), question.key)
    if question.labels:
        tags = SubElement(element, "tags")
        for name, value in question.labels.items():
            _add_text(SubElement(tags, "tag"), f"{name}:{value}")
    return element


def _add_text(parent_element: Element, text_content: str) -> None:
    SubElement(parent_element, "text").text = text_content


def _with_picture_prefix(markdown: str, figures: Sequence[Figure]) -> str:
    for figure in figures:
        markdown = markdown.replace(f"]({figure.path}", f"]({_PICTURES}{figure.path}")
    return markdown


def _number_or_0(number_text: str) -> float:
    try:
        value = float(number_text)
    except ValueError:
        return 0.0
    return value if math.isfinite(value) else 0.0


def read_moodle_xml(file_content: bytes) -> tuple[list[QuestionParts], list[QuestionLoss]]:
    """Questions of a file, and what they lose.

    Raises:
        QuestionFileError: It is no such file.
    """
    try:
        quiz = SafeTree.fromstring(file_content)
    except (SafeTree.ParseError, DefusedXmlException, ValueError) as error:
        raise QuestionFileError(f"it is no XML: {error}. Export the questions from Moodle as Moodle XML.") from error
    if quiz.tag != "quiz":
        raise QuestionFileError(f"its root is <{quiz.tag}>, and that of Moodle XML is <quiz>.")
    file_questions: list[QuestionParts] = []
    losses: list[QuestionLoss] = []
    category = ""
    losses += [QuestionLoss("file", f"text {quoted(text)}") for text in _texts_beside_questions(quiz)]
    for number, element in enumerate(quiz.iterfind("question"), 1):
        if element.get("type") == "category":
            category, category_losses = _category_and_losses(element)
            losses += category_losses
            continue
        question_reading = _QuestionReading(element, number)
        question = question_reading.question()
        if question is not None:
            if category and "topic" not in question.labels:
                question.labels["topic"] = category
            elif category:
                question_reading.losses.append(QuestionLoss(question.id, f"the category {category!r}"))
            question_reading.note_unnamed_losses(question)
            file_questions.append(question)
        losses += question_reading.losses
    return file_questions, losses


def _texts_beside_questions(quiz: Element) -> Iterator[str]:
    """Texts of a file that stand in no question."""
    yield from (text for text in (quiz.text or "", *quiz.attrib.values()) if text.strip())
    for child in quiz:
        elements = list(child.iter()) if child.tag != "question" else []
        texts = [child.tail or "", *(element.text or "" for element in elements)]
        texts += [element.tail or "" for element in elements if element is not child]
        texts += [value for element in elements for value in element.attrib.values()]
        yield from (text for text in texts if text.strip())


def _category_and_losses(category_element: Element) -> tuple[str, list[QuestionLoss]]:
    """The last name of a category's path, and what else is said of the category."""
    category, lost_texts = category_and_wider_names(category_element.findtext("category/text") or "")
    read_text = category_element.find("category/text")
    lost_texts += [
        text
        for element in category_element.iter()
        for text in ("" if element is read_text else element.text or "", element.tail or "")
        if text.strip() and element is not category_element
    ]
    return category, [QuestionLoss("file", f"of the category {category!r}: {quoted(text)}") for text in lost_texts]


class _QuestionReading:
    """One question while it is read."""

    def __init__(self, question_element: Element, question_number: int) -> None:
        self._element = question_element
        self._id = (question_element.findtext("idnumber") or "").strip() or f"question-{question_number}"
        self.losses: list[QuestionLoss] = []

    def _note_loss(self, lost_part: str) -> None:
        self.losses.append(QuestionLoss(self._id, lost_part))

    def note_unnamed_losses(self, question_parts: QuestionParts) -> None:
        """Names every text of the element that is neither in its question nor named so far."""
        for text in list(texts_lost_unnamed(self._texts(self._element), question_parts, self.losses)):
            self._note_loss(f"text {quoted(text)}")
        for element in self._element.iter():
            for name, value in element.attrib.items():
                if name not in _ATTRIBUTES:
                    self._note_loss(f"<{element.tag} {name}>: {quoted(value)}")

    def _texts(self, element: Element) -> Iterator[str]:
        is_html = element.get("format") not in ("markdown", "plain_text")
        for child in element:
            text = (child.text or "").replace(_PICTURES, "")
            if child.tag not in _STRUCTURE:
                yield from texts_of_html(text) if child.tag == "text" and is_html else (text,)
            yield from self._texts(child)
            yield child.tail or ""
        if element is self._element:
            yield element.text or ""

    def question(self) -> QuestionParts | None:
        """The question; None if there is nothing like it here."""
        try:
            return self._question()
        except ValueError as error:
            self._note_lost_question(f"a number in it is none: {error}")
            return None

    def _question(self) -> QuestionParts | None:
        type_name = self._element.get("type", "")
        answer_elements = list(self._element.iterfind("answer"))
        labels = self._labels()
        statement = self._markdown(self._element.find("questiontext"))
        question_parts = QuestionParts(
            id=self._id,
            title=(self._element.findtext("name/text") or self._id).strip(),
            statement=statement,
            format=QuestionFormat.FREE_RESPONSE,
            explanation=self._markdown(self._element.find("generalfeedback")),
            figures=tuple(self._figures(statement)),
            labels=labels,
        )
        self._note_loss_of_unread_fields(type_name)
        fractions = [float(answer_element.get("fraction", "0")) for answer_element in answer_elements]
        right_elements = [
            answer_element for answer_element, fraction in zip(answer_elements, fractions, strict=True) if fraction > 0
        ]
        if type_name == "multichoice" and len(answer_elements) > 1:
            is_single = (self._element.findtext("single") or "true").strip() in ("true", "1")
            letters = first_letters(len(answer_elements))
            question_parts.format = QuestionFormat.MULTIPLE_CHOICE if is_single else QuestionFormat.MULTIPLE_RESPONSE
            question_parts.choices = {
                letter: self._markdown(answer_element)
                for letter, answer_element in zip(letters, answer_elements, strict=True)
            }
            question_parts.key = "".join(
                letter
                for letter, fraction in zip(letters, fractions, strict=True)
                if (fraction >= 100 if is_single else fraction > 0)
            )
            self._note_loss_of_partial_credit(letters, fractions, is_single=is_single)
        elif type_name == "truefalse" and len(right_elements) == 1:
            question_parts.format, question_parts.key = (
                QuestionFormat.ASSERTION,
                (right_elements[0].findtext("text") or "").strip().lower(),
            )
        elif type_name in ("shortanswer", "numerical") and right_elements:
            question_parts.format = QuestionFormat.FILL_IN_THE_BLANK
            accepted = [
                (answer_element.findtext("text") or "").strip()
                for answer_element, fraction in zip(answer_elements, fractions, strict=True)
                if fraction == 100
            ]
            if len(accepted) < len(answer_elements):
                self._note_loss("answers that are worth a part of the points, or nothing")
            if not accepted:
                self._note_lost_question("no answer is worth all points")
                return None
            question_parts.key, *alternatives = accepted
            question_parts.alternatives = tuple(alternatives)
            self._fill_in_tolerance(question_parts, right_elements)
        elif type_name == "essay":
            question_parts.format = pop_format_of_words_question(labels)
            question_parts.key = self._markdown(self._element.find("graderinfo"))
            if not question_parts.key:
                self._note_lost_question("it has no information for graders, which would be the model answer")
                return None
        else:
            self._note_lost_question(f"questions of type {type_name!r} with such answers have no equivalent")
            return None
        return question_parts

    def _note_lost_question(self, reason: str) -> None:
        self._note_loss(f"the whole question: {reason}")

    def _labels(self) -> dict[str, str]:
        words = [(tag.findtext("text") or "").strip() for tag in self._element.iterfind("tags/tag")]
        labels, plain_words = labels_and_other_words(words)
        for word in plain_words:
            self._note_loss(f"tag {word!r}")
        return labels

    def _markdown(self, text_element: Element | None) -> str:
        text = (text_element.findtext("text") or "") if text_element is not None else ""
        text_format = text_element.get("format", "html") if text_element is not None else ""
        if text_format == "plain_text":
            text = markdown_of_html(html.escape(text))
        elif text_format != "markdown":
            for name in elements_without_markdown(text):
                self._note_loss(f"<{name}> in a text")
            text = markdown_of_html(text)
        return text.replace(_PICTURES, "")

    def _figures(self, statement: str) -> Iterator[Figure]:
        for element in self._element.iter("file"):
            path = f"{element.get('path', '/').strip('/')}/{element.get('name', '')}".strip("/")
            try:
                data = "".join((element.text or "").split())
                picture_match = re.search(rf"!\[([^\]]*)\]\({re.escape(path)}", statement)
                alt = picture_match[1] if picture_match is not None else ""
                yield Figure(path=path, media_type=media_type_of_path(path), data=data, alt=alt)
            except (ValueError, ValidationError) as error:
                reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
                self._note_loss(f"file {path!r}: {reason}")

    def _note_loss_of_unread_fields(self, type_name: str) -> None:
        for child in self._element:
            text = "".join(child.itertext()).strip()
            if child.tag in _READ | _LOOK or not text:
                continue
            if child.tag == "defaultgrade" and float(text) == 1:
                continue
            if child.tag == "usecase" and text == "0":
                continue
            self._note_loss(f"<{child.tag}>: {text[:40]!r}")
        for answer_element in self._element.iterfind("answer"):
            if feedback := (answer_element.findtext("feedback/text") or "").strip():
                self._note_loss(f"feedback on one answer: {feedback[:40]!r}")

    def _note_loss_of_partial_credit(
        self, choice_letters: str, percentages: Sequence[float], *, is_single: bool
    ) -> None:
        for letter, fraction in zip(choice_letters, percentages, strict=True):
            if is_single and 0 < fraction < 100:
                self._note_loss(f"{fraction:g} % for choice {letter}")
        worths = {round(fraction, 3) for fraction in percentages if fraction > 0}
        if not is_single and len(worths) > 1:
            self._note_loss("different points for right choices")

    def _fill_in_tolerance(self, question_parts: QuestionParts, right_elements: Sequence[Element]) -> None:
        accepted_numbers = [
            (_number_or_0(answer_element.findtext("text") or ""), answer_element.findtext("tolerance"))
            for answer_element in right_elements
        ]
        tolerances = [(value, float(tolerance)) for value, tolerance in accepted_numbers if tolerance is not None]
        if not tolerances or not any(tolerance for _, tolerance in tolerances):
            return
        shares = {round(tolerance / abs(value), 9) if value else math.inf for value, tolerance in tolerances}
        share = shares.pop()
        if shares or not share < 1:
            self._note_loss("the tolerance, which is no share below 1 of the value, or another for each answer")
        else:
            question_parts.tolerance = share
