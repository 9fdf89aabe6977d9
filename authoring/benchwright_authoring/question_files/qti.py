"""QTI 2.1 (https://www.imsglobal.org/question/qtiv2p1): a package as Canvas, and other platforms, read it.

A ZIP archive with `imsmanifest.xml`, which names a file for each question. A file is an `assessmentItem` with an
interaction in its `itemBody`: `choiceInteraction` (`maxChoices="1"`, or 0 for any number), `textEntryInteraction`,
`extendedTextInteraction`; `correctResponse` has the key. Texts are XHTML. Pictures are files of the package.
"""

from __future__ import annotations

import base64
import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import PurePosixPath
from urllib.parse import unquote
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from defusedxml import ElementTree as SafeTree
from defusedxml.common import DefusedXmlException
from pydantic import ValidationError

from benchwright_authoring.question_files.lost_texts import quoted, texts_lost_unnamed
from benchwright_authoring.question_files.question_parts import (
    QuestionFileError,
    QuestionLoss,
    QuestionParts,
    first_letters,
    labels_and_other_words,
    markdown_of_html,
    pop_format_of_words_question,
    rendered_xhtml,
)
from benchwright_problems.figure import media_type_of_path
from benchwright_problems.problem import AnswerKind, Figure, QuestionFormat

_ITEM = "http://www.imsglobal.org/xsd/imsqti_v2p1"
_PACKAGE = "http://www.imsglobal.org/xsd/imscp_v1p1"
_RULES = "http://www.imsglobal.org/question/qti_v2p1/rptemplates"
_LARGEST = 200_000_000
_BLANK = "____"
_INTERACTIONS = ("choiceInteraction", "textEntryInteraction", "extendedTextInteraction")
_TRUTHS = ("true", "false")
_PARTS = frozenset(
    {"responseDeclaration", "outcomeDeclaration", "itemBody", "responseProcessing", "modalFeedback", "stylesheet"}
)
"""Parts of an item that are read, or say how it looks."""
_UNHELD_ELEMENTS = ("object", "video", "audio", "iframe", "math", "script", "style")
_ATTRIBUTES = frozenset(
    {
        *("identifier", "title", "adaptive", "timeDependent", "toolName", "toolVersion", "label", "cardinality"),
        *("baseType", "responseIdentifier", "maxChoices", "minChoices", "shuffle", "fixed", "showHide", "template"),
        *("outcomeIdentifier", "mapKey", "mappedValue", "caseSensitive", "defaultValue", "view", "alt", "src", "href"),
        *("expectedLength", "expectedLines", "format", "type", "class", "style", "id", "width", "height", "colspan"),
        *("rowspan", "orientation", "schemaLocation"),
    }
)
"""Attributes that are read, that join parts of an item, or that say how it looks."""


def write_qti(file_questions: Sequence[QuestionParts]) -> bytes:
    """Questions as a package; the same questions make the same bytes."""
    files: dict[str, bytes] = {}
    manifest = Element("manifest", xmlns=_PACKAGE, identifier="benchwright-questions")
    metadata = SubElement(manifest, "metadata")
    SubElement(metadata, "schema").text = "QTIv2.1 Package"
    SubElement(metadata, "schemaversion").text = "2.1"
    SubElement(manifest, "organizations")
    resources = SubElement(manifest, "resources")
    for number, question in enumerate(file_questions, 1):
        name = f"items/{number}.xml"
        files[name] = _xml_bytes(_item_element(question))
        resource = SubElement(resources, "resource", identifier=f"item-{number}", type="imsqti_item_xmlv2p1", href=name)
        SubElement(resource, "file", href=name)
        for figure in question.figures:
            path = f"items/{number}/{figure.path}"
            files[path] = figure.content
            SubElement(resource, "file", href=path)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {"imsmanifest.xml": _xml_bytes(manifest), **files}.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)
    return buffer.getvalue()


def _xml_bytes(root: Element) -> bytes:
    text: bytes = ElementTree.tostring(root, encoding="utf-8")
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + text + b"\n"


def _item_element(question: QuestionParts) -> Element:
    answered_by = question.format.answered_by
    has_choices = bool(question.choices) or answered_by is AnswerKind.TRUTH
    item_element = Element(
        "assessmentItem",
        xmlns=_ITEM,
        identifier=f"i-{question.id}",
        title=question.title,
        adaptive="false",
        timeDependent="false",
        label=" ".join(f"{name}:{value}".replace(" ", "_") for name, value in question.labels.items()),
        toolName="benchwright",
    )
    several = answered_by is AnswerKind.CHOICES
    response_declaration = SubElement(
        item_element,
        "responseDeclaration",
        identifier="RESPONSE",
        cardinality="multiple" if several else "single",
        baseType="identifier" if has_choices else "string",
    )
    correct = SubElement(response_declaration, "correctResponse")
    for value in question.key if question.choices else (question.key,):
        SubElement(correct, "value").text = value
    if answered_by is AnswerKind.BLANK:
        mapping = SubElement(response_declaration, "mapping", defaultValue="0")
        for accepted in (question.key, *question.alternatives):
            SubElement(mapping, "mapEntry", mapKey=accepted, mappedValue="1", caseSensitive="false")
    outcome_declaration = SubElement(
        item_element, "outcomeDeclaration", identifier="SCORE", cardinality="single", baseType="float"
    )
    SubElement(SubElement(outcome_declaration, "defaultValue"), "value").text = "0"
    body_element = SubElement(item_element, "itemBody")
    _add_xhtml(SubElement(body_element, "div"), question.statement)
    if has_choices:
        interaction = SubElement(
            body_element,
            "choiceInteraction",
            responseIdentifier="RESPONSE",
            shuffle="false",
            maxChoices="0" if several else "1",
        )
        texts = question.choices or {truth: truth.capitalize() for truth in _TRUTHS}
        for identifier, text in texts.items():
            _add_xhtml(SubElement(interaction, "simpleChoice", identifier=identifier), text)
    elif answered_by is AnswerKind.BLANK:
        SubElement(SubElement(body_element, "p"), "textEntryInteraction", responseIdentifier="RESPONSE")
    else:
        SubElement(body_element, "extendedTextInteraction", responseIdentifier="RESPONSE")
    if answered_by is not AnswerKind.WORDS:
        template = "map_response" if answered_by is AnswerKind.BLANK else "match_correct"
        SubElement(item_element, "responseProcessing", template=f"{_RULES}/{template}")
    if question.explanation:
        feedback = SubElement(
            item_element, "modalFeedback", outcomeIdentifier="SCORE", showHide="hide", identifier="explanation"
        )
        _add_xhtml(feedback, question.explanation)
    return item_element


def _add_xhtml(parent_element: Element, markdown: str) -> None:
    # Our own renderer's output, in which every tag of the text is escaped.
    for child in SafeTree.fromstring(f"<div>{rendered_xhtml(markdown)}</div>"):
        parent_element.append(child)


def read_qti(archive_content: bytes) -> tuple[list[QuestionParts], list[QuestionLoss]]:
    """Questions of a package, and what they lose.

    Raises:
        QuestionFileError: It is no such package.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(archive_content)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _LARGEST:
                raise QuestionFileError(f"its files have more than {_LARGEST:,} bytes.")
            files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise QuestionFileError(f"it is no ZIP archive that can be read: {error}.") from error
    if "imsmanifest.xml" not in files:
        raise QuestionFileError("it has no imsmanifest.xml. Export the quiz as a QTI 2.1 package.")
    file_questions: list[QuestionParts] = []
    losses: list[QuestionLoss] = []
    read_names = {"imsmanifest.xml"}
    for name in _item_file_names(files):
        item_reading = _ItemReading(name, files)
        question = item_reading.question()
        if question is not None:
            item_reading.note_unnamed_losses(question)
            file_questions.append(question)
        losses += item_reading.losses
        read_names |= {name, *item_reading.picture_names}
    losses += [QuestionLoss("package", f"the file {name!r}") for name in sorted(files.keys() - read_names)]
    losses += _losses_of_manifest(files["imsmanifest.xml"])
    if not file_questions and not losses:
        raise QuestionFileError("its manifest names no item of QTI 2.1.")
    return file_questions, losses


def _xml_root_without_namespaces(file_name: str, file_content: bytes) -> Element:
    """A file's root, with tags without their namespaces.

    Raises:
        QuestionFileError: It is no XML.
    """
    try:
        root: Element = SafeTree.fromstring(file_content)
    except (SafeTree.ParseError, DefusedXmlException, ValueError) as error:
        raise QuestionFileError(f"{file_name} is no XML: {error}.") from error
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def _losses_of_manifest(manifest_content: bytes) -> list[QuestionLoss]:
    """Texts of the manifest, such as a title; none is read."""
    elements = list(_xml_root_without_namespaces("imsmanifest.xml", manifest_content).iter())
    texts_with_place = [
        (element.tag, element.text or "") for element in elements if element.tag not in ("schema", "schemaversion")
    ]
    texts_with_place += [(element.tag, element.tail or "") for element in elements]
    texts_with_place += [
        (f"{element.tag} {name}", value)
        for element in elements
        for name, value in element.attrib.items()
        if name.rpartition("}")[2] not in {*_ATTRIBUTES, "version", "base", "identifierref", "default"} - {"label"}
    ]
    return [QuestionLoss("package", f"<{tag}>: {quoted(text)}") for tag, text in texts_with_place if text.strip()]


def _item_file_names(content_by_path: Mapping[str, bytes]) -> Iterator[str]:
    for resource in _xml_root_without_namespaces("imsmanifest.xml", content_by_path["imsmanifest.xml"]).iter(
        "resource"
    ):
        name = unquote(resource.get("href", ""))
        if resource.get("type", "").startswith("imsqti_item_xmlv2p"):
            if name not in content_by_path:
                raise QuestionFileError(f"imsmanifest.xml names {name!r}, which is not in the package.")
            yield name


class _ItemReading:
    """One item while it is read."""

    def __init__(self, item_file_name: str, content_by_path: Mapping[str, bytes]) -> None:
        self._item, self._files = (
            _xml_root_without_namespaces(item_file_name, content_by_path[item_file_name]),
            content_by_path,
        )
        self._folder = PurePosixPath(item_file_name)
        identifier = self._item.get("identifier", "")
        self._id = re.sub(r"[^A-Za-z0-9._-]", "-", identifier.removeprefix("i-")).lstrip("._-") or self._folder.stem
        self._figures: dict[str, Figure] = {}
        self.picture_names: set[str] = set()
        self.losses: list[QuestionLoss] = []

    def _note_loss(self, lost_part: str) -> None:
        self.losses.append(QuestionLoss(self._id, lost_part))

    def _note_lost_question(self, reason: str) -> None:
        self._note_loss(f"the whole question: {reason}")

    def note_unnamed_losses(self, question_parts: QuestionParts) -> None:
        """Names every text of the item that is neither in its question nor named so far."""
        is_own = self._item.get("toolName") == "benchwright"
        for text in list(texts_lost_unnamed(self._texts(self._item, question_parts), question_parts, self.losses)):
            self._note_loss(f"text {quoted(text)}")
        for child in self._item:
            if child.tag not in _PARTS:
                self._note_loss(f"<{child.tag}>")
        for element in self._item.iter():
            for name, value in element.attrib.items():
                is_label = name == "label" and not is_own
                if is_label or name.rpartition("}")[2] not in _ATTRIBUTES:
                    self._note_loss(f"<{element.tag} {name.rpartition('}')[2]}>: {quoted(value)}")

    def _texts(self, element: Element, question_parts: QuestionParts) -> Iterator[str]:
        for child in element:
            # Identifiers of choices are read as letters.
            is_identifier = child.tag == "correctResponse" and not self._has_key_in_words(question_parts)
            if not is_identifier and child.tag != "outcomeDeclaration":
                yield child.text or ""
                yield from (child.get(name, "") for name in ("alt", "title", "href"))
                yield from self._texts(child, question_parts)
            if child.tag == "mapEntry" and self._has_key_in_words(question_parts):
                is_repeated = child.get("mapKey", "") in self._correct_values("RESPONSE")
                yield "" if is_repeated else child.get("mapKey", "")
            yield child.tail or ""

    def _has_key_in_words(self, question_parts: QuestionParts) -> bool:
        return question_parts.format.answered_by in (AnswerKind.BLANK, AnswerKind.WORDS)

    def question(self) -> QuestionParts | None:
        """The question; None if there is nothing like it here."""
        try:
            return self._question()
        except ValueError as error:
            self._note_lost_question(f"a number in it is none: {error}")
            return None

    def _question(self) -> QuestionParts | None:
        body_element = self._item.find("itemBody")
        if self._item.tag != "assessmentItem" or body_element is None:
            self._note_lost_question("it is no assessmentItem with a body")
            return None
        interactions = [element for element in body_element.iter() if element.tag.endswith("Interaction")]
        if len(interactions) != 1 or interactions[0].tag not in _INTERACTIONS:
            kinds = ", ".join(element.tag for element in interactions) or "none"
            self._note_lost_question(f"its interactions are {kinds}; one of {', '.join(_INTERACTIONS)} is read")
            return None
        (interaction,) = interactions
        values = self._correct_values(interaction.get("responseIdentifier", ""))
        if not values:
            self._note_lost_question("it has no correctResponse, which would be the key")
            return None
        words = [word.replace("_", " ") for word in self._item.get("label", "").split()]
        is_own = self._item.get("toolName") == "benchwright"
        labels, _ = labels_and_other_words(words) if is_own else ({}, [])
        prompt = interaction.find("prompt")
        question_parts = QuestionParts(
            id=self._id,
            title=self._item.get("title", "") or self._id,
            statement="\n\n".join(
                filter(None, (self._markdown(body_element), self._markdown(prompt) if prompt is not None else ""))
            ),
            format=QuestionFormat.FREE_RESPONSE,
            explanation="\n\n".join(self._explanations()),
            labels=labels,
        )
        if interaction.tag == "choiceInteraction":
            self._fill_in_choices(question_parts, interaction, values)
        elif interaction.tag == "textEntryInteraction":
            question_parts.format, question_parts.key = QuestionFormat.FILL_IN_THE_BLANK, values[0]
            question_parts.alternatives = tuple(self._alternative_answers(values))
        else:
            question_parts.format, question_parts.key = pop_format_of_words_question(labels), values[0]
        question_parts.figures = tuple(self._figures.values())
        return question_parts

    def _correct_values(self, response_identifier: str) -> list[str]:
        for response_declaration in self._item.iterfind("responseDeclaration"):
            if response_declaration.get("identifier") == response_identifier:
                return [(value.text or "").strip() for value in response_declaration.iterfind("correctResponse/value")]
        return []

    def _alternative_answers(self, correct_values: Sequence[str]) -> Iterator[str]:
        accepted = list(correct_values)
        for map_entry in self._item.iterfind("responseDeclaration/mapping/mapEntry"):
            key, worth = map_entry.get("mapKey", ""), float(map_entry.get("mappedValue", "0"))
            if worth not in (0.0, 1.0):
                self._note_loss(f"{worth:g} points for the answer {key!r}")
            elif worth and key not in accepted:
                accepted.append(key)
        return iter(accepted[1:])

    def _fill_in_choices(
        self, question_parts: QuestionParts, interaction: Element, correct_values: Sequence[str]
    ) -> None:
        choice_elements = list(interaction.iterfind("simpleChoice"))
        identifiers = [choice_element.get("identifier", "") for choice_element in choice_elements]
        if interaction.get("maxChoices", "1") == "1" and sorted(map(str.lower, identifiers)) == sorted(_TRUTHS):
            question_parts.format, question_parts.key = QuestionFormat.ASSERTION, correct_values[0].lower()
            return
        letters = dict(zip(identifiers, first_letters(len(choice_elements)), strict=True))
        is_single = interaction.get("maxChoices", "1") == "1"
        question_parts.format = QuestionFormat.MULTIPLE_CHOICE if is_single else QuestionFormat.MULTIPLE_RESPONSE
        question_parts.choices = {
            letters[choice_element.get("identifier", "")]: self._markdown(choice_element)
            for choice_element in choice_elements
        }
        question_parts.key = "".join(sorted(letters.get(value, "?") for value in correct_values))
        if self._item.find("responseDeclaration/mapping") is not None:
            self._note_loss("the points of single choices")

    def _explanations(self) -> Iterator[str]:
        for feedback in self._item.iterfind("modalFeedback"):
            if feedback.get("identifier") != "explanation":
                self._note_loss(f"that the feedback {feedback.get('identifier')!r} is shown only after some answers")
            yield self._markdown(feedback)

    def _markdown(self, xhtml_element: Element) -> str:
        copy = deepcopy(xhtml_element)
        copy.tag, copy.tail = "div", None
        for parent_element in list(copy.iter()):
            for child in list(parent_element):
                if child.tag == "textEntryInteraction":
                    # Where the blank is inside a sentence; at its end, the form of the answer says it.
                    blank = f" {_BLANK} " if (child.tail or "").strip() else ""
                    _remove_keeping_tail(parent_element, child, blank)
                elif child.tag in _INTERACTIONS:
                    _remove_keeping_tail(parent_element, child, " ")
                elif child.tag.startswith("feedback"):
                    self._note_loss(f"feedback on one answer: {quoted(''.join(child.itertext()))}")
                    _remove_keeping_tail(parent_element, child, " ")
                elif child.tag == "rubricBlock" and "candidate" not in child.get("view", "").split():
                    # It is for who scores, and not for who solves.
                    self._note_loss(f"<rubricBlock>: {quoted(''.join(child.itertext()))}")
                    _remove_keeping_tail(parent_element, child, " ")
                elif child.tag in _UNHELD_ELEMENTS:
                    self._note_loss(f"<{child.tag}> in a text")
        for image in copy.iter("img"):
            self._add_figure_of_image(image)
        return markdown_of_html(ElementTree.tostring(copy, encoding="unicode"))

    def _add_figure_of_image(self, image_element: Element) -> None:
        source = unquote(image_element.get("src", ""))
        for base in (self._folder.with_suffix(""), self._folder.parent, PurePosixPath(".")):
            path = (base / source).as_posix()
            if path in self._files:
                self.picture_names.add(path)
                break
        else:
            return self._note_loss(f"the picture {source!r}, which is not in the package")
        try:
            data = base64.b64encode(self._files[path]).decode()
            media_type = media_type_of_path(source)
            self._figures[source] = Figure(
                path=source, media_type=media_type, data=data, alt=image_element.get("alt", "")
            )
        except (ValueError, ValidationError) as error:
            reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
            self._note_loss(f"the picture {source!r}: {reason}")


def _remove_keeping_tail(parent_element: Element, child: Element, replacement: str) -> None:
    """Removes an element, and puts a text in its place; what follows it stays."""
    following_text = replacement + (child.tail or "")
    index = list(parent_element).index(child)
    if index:
        parent_element[index - 1].tail = (parent_element[index - 1].tail or "") + following_text
    else:
        parent_element.text = (parent_element.text or "") + following_text
    parent_element.remove(child)
