"""Question files with what nobody modelled: every text is in a question, or a loss names it, or the file is refused."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import pytest

from benchwright_authoring.question_files.file_format import QuestionFileFormat
from benchwright_authoring.question_files.question_files import pack_and_losses_of_file
from benchwright_authoring.question_files.question_parts import QuestionFileError

DOCUMENTS = 40
NIGHTLY_DOCUMENTS = 400

KNOWN_TYPES = ("multichoice", "truefalse", "shortanswer", "numerical", "essay")
MOODLE_TYPES = (*KNOWN_TYPES, "matching", "cloze", "ddwtos", "maze")
UNKNOWN = ("hint", "units", "partiallycorrectfeedback", "answer2", "coursenote", "subquestion", "dragbox", "plugin")
HTML = ("b", "i", "sub", "span", "p", "div", "li", "td", "h2", "blockquote", "code", "pre", "figcaption", "details")
MEDIA = ("video", "audio", "iframe", "object", "math", "svg", "script", "style")
INTERACTIONS = ("choiceInteraction", "textEntryInteraction", "extendedTextInteraction", "orderInteraction")
QTI_PARTS = ("templateDeclaration", "responseProcessing", "modalFeedback", "itemControl", "apipAccessibility")


@dataclass
class Draw:
    """A document while it is drawn, with the question that each of its words belongs to."""

    dice: random.Random
    question: str = ""
    owner_by_word: dict[str, str] = field(default_factory=dict)
    word_count: int = 0

    def word(self) -> str:
        self.word_count += 1
        new_word = f"w{self.word_count}z"
        self.owner_by_word[new_word] = self.question
        return new_word

    def chance(self, share: float) -> bool:
        return self.dice.random() < share

    def html(self, depth: int = 3) -> str:
        texts = []
        for _ in range(self.dice.randint(1, 3)):
            texts.append(self.word())
            if depth and self.chance(0.5):
                name = self.dice.choice(HTML if self.chance(0.8) else MEDIA)
                title = f' title="{self.word()}"' if self.chance(0.1) else ""
                # A script is one text, and a loss quotes the beginning of a text.
                inner_html = self.word() if name in ("script", "style") else self.html(depth - 1)
                texts.append(f"<{name}{title}>{inner_html}</{name}>")
            if self.chance(0.1):
                texts.append(f'<a href="http://{self.word()}">{self.word()}</a><img src="p.png" alt="{self.word()}"/>')
        return self.dice.choice((" ", "")).join(f"{text} " for text in texts)

    def add_unknown(self, parent_element: Element, names: tuple[str, ...], depth: int = 2) -> None:
        element = SubElement(parent_element, self.dice.choice(names))
        element.text = self.word()
        if self.chance(0.3):
            element.set(self.dice.choice(("note", "weight", "label")), self.word())
        if self.chance(0.2):
            element.tail = self.word()
        if depth and self.chance(0.5):
            self.add_unknown(element, (*names, "text"), depth - 1)


def moodle_file(draw: Draw) -> bytes:
    quiz = Element("quiz")
    if draw.chance(0.2):
        draw.add_unknown(quiz, ("meta", "glossary"))
    for number in range(1, draw.dice.randint(2, 4)):
        if draw.chance(0.3):
            draw.question = "file"
            category = SubElement(quiz, "question", type="category")
            path = f"$course$/top/{draw.word()}/{draw.word()}"
            SubElement(SubElement(category, "category"), "text").text = path
            SubElement(SubElement(category, "info"), "text").text = draw.word()
        draw.question = f"q{number}"
        add_moodle_question(draw, quiz)
    return ElementTree.tostring(quiz)


def add_moodle_question(draw: Draw, quiz: Element) -> None:
    question_element = SubElement(
        quiz, "question", type=draw.dice.choice(MOODLE_TYPES if draw.chance(0.3) else KNOWN_TYPES)
    )
    SubElement(question_element, "idnumber").text = draw.question
    SubElement(SubElement(question_element, "name"), "text").text = draw.word()
    for name in ("questiontext", "generalfeedback", "graderinfo"):
        if name == "questiontext" or draw.chance(0.5):
            add_moodle_text(draw, SubElement(question_element, name))
    for share in draw.dice.choice((("100", "0"), ("50", "50", "-100"), ("100", "37.5", "0"), ("0",), ("x",))):
        answer = SubElement(question_element, "answer", fraction=share)
        if draw.chance(0.3):
            SubElement(answer, "text").text = draw.dice.choice(("true", "false", "4.5"))
        else:
            add_moodle_text(draw, answer)
        if draw.chance(0.3):
            add_moodle_text(draw, SubElement(answer, "feedback"))
        if draw.chance(0.2):
            SubElement(answer, "tolerance").text = draw.dice.choice(("0", "0.5", "?"))
    if draw.chance(0.3):
        SubElement(question_element, "single").text = draw.dice.choice(("true", "false"))
    if draw.chance(0.3):
        SubElement(question_element, "defaultgrade").text = draw.dice.choice(("1", "2.5", "much"))
    for word in ("easy", "topic:", "language:"):
        if draw.chance(0.2):
            tags = SubElement(question_element, "tags")
            SubElement(SubElement(tags, "tag"), "text").text = f"{word}{draw.word()}"
    if draw.chance(0.4):
        draw.add_unknown(question_element, UNKNOWN)


def add_moodle_text(draw: Draw, element: Element) -> None:
    element.set("format", draw.dice.choice(("html", "markdown", "plain_text", "moodle_auto_format")))
    text = SubElement(element, "text")
    is_html = element.get("format") in ("html", "moodle_auto_format")
    text.text = draw.html() if is_html else f"{draw.word()} < {draw.word()} & *{draw.word()}*"
    if draw.chance(0.1):
        SubElement(element, "file", name=f"{draw.word()}.mp4", path="/", encoding="base64").text = "AAAA"
    if draw.chance(0.1):
        text.tail = draw.word()
    if draw.chance(0.1):
        draw.add_unknown(element, UNKNOWN)


def gift_file(draw: Draw) -> bytes:
    blocks = []
    for number in range(1, draw.dice.randint(2, 5)):
        draw.question = "file"
        if draw.chance(0.2):
            blocks.append(f"// {draw.word()}")
        category = f"$CATEGORY: $course$/{draw.word()}/{draw.word()}\n" if draw.chance(0.3) else ""
        draw.question = f"q{number}"
        comments = f"// [id:q{number}]" + (f" [tag:{draw.word()}]" if draw.chance(0.2) else "")
        comments += f" {draw.word()}" if draw.chance(0.2) else ""
        title = f"::{draw.word()}::" if draw.chance(0.7) else ""
        text_format = draw.dice.choice(("", "[html]", "[markdown]", "[plain]"))
        statement = draw.html(2).replace("=", "\\=").replace(":", "\\:") if draw.chance(0.5) else draw.word()
        rest = f" {draw.word()}" if draw.chance(0.2) else ""
        rest += f" {{={draw.word()}}}" if draw.chance(0.1) else ""
        directive = f"$OPTION: {draw.word()}\n" if draw.chance(0.1) else ""
        answers = gift_answers(draw)
        blocks.append(f"{category}{comments}\n{directive}{title}{text_format}{statement} {{{answers}}}{rest}")
    return "\n\n".join(blocks).encode()


def gift_answers(draw: Draw) -> str:
    feedback_word = draw.word()
    feedback = f"#{feedback_word}" if draw.chance(0.3) else ""
    explanation = f"####{draw.word()}" if draw.chance(0.3) else ""
    before = draw.word() if draw.chance(0.1) else ""
    forms: tuple[Callable[[], str], ...] = (
        lambda: f"={draw.word()}{feedback} ~{draw.word()} ~%37.5%{draw.word()}#{draw.word()}",
        lambda: f"~%50%{draw.word()} ~%50%{draw.word()}{feedback} ~%-100%{draw.word()}",
        lambda: f"={draw.word()} =%50%{draw.word()}{feedback}",
        lambda: f"={draw.word()} -> {draw.word()} ={draw.word()} -> {draw.word()}",
        lambda: f"T{feedback}" + (f"#{draw.word()}" if draw.chance(0.3) else ""),
        lambda: f"#4:0.5{feedback}",
        lambda: f"#=4:0.5{feedback} =%50%5:1#{draw.word()}",
        lambda: f"#1..5 {draw.word()}" if draw.chance(0.3) else "#1..5",
        lambda: "",
    )
    answers = draw.dice.choice(forms)()
    if feedback_word not in answers:
        del draw.owner_by_word[feedback_word]
    return before + answers + explanation


def qti_file(draw: Draw) -> bytes:
    manifest = Element("manifest")
    draw.question = "package"
    if draw.chance(0.3):
        draw.add_unknown(SubElement(manifest, "metadata"), ("lom", "general", "title"))
    resources = SubElement(manifest, "resources")
    files = {}
    for number in range(1, draw.dice.randint(2, 4)):
        draw.question = f"q{number}"
        files[f"{number}.xml"] = ElementTree.tostring(qti_item(draw))
        SubElement(resources, "resource", type="imsqti_item_xmlv2p1", href=f"{number}.xml")
    if draw.chance(0.3):
        draw.question = "package"
        files[f"{draw.word()}.xml"] = b"<assessmentTest/>"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in {"imsmanifest.xml": ElementTree.tostring(manifest), **files}.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def qti_item(draw: Draw) -> Element:
    item_element = Element("assessmentItem", identifier=draw.question, title=draw.word())
    if draw.chance(0.2):
        item_element.set(draw.dice.choice(("label", "note")), draw.word())
    kind = draw.dice.choice(INTERACTIONS)
    is_choice = kind == "choiceInteraction"
    response_declaration = SubElement(item_element, "responseDeclaration", identifier="R")
    correct = SubElement(response_declaration, "correctResponse")
    for number in range(draw.dice.choice((1, 1, 2))):
        SubElement(correct, "value").text = f"c{number}" if is_choice else draw.word()
    if draw.chance(0.3):
        mapping = SubElement(response_declaration, "mapping")
        for worth in ("1", "0.5", "0", "x")[: draw.dice.randint(1, 4)]:
            SubElement(mapping, "mapEntry", mapKey="c0" if is_choice else draw.word(), mappedValue=worth)
    item_body = SubElement(item_element, "itemBody")
    for _ in range(2):
        item_body.append(xhtml(draw))
    if draw.chance(0.2):
        block = SubElement(item_body, "rubricBlock", view=draw.dice.choice(("scorer", "candidate")))
        block.append(xhtml(draw))
    paragraph = SubElement(item_body, "p")
    paragraph.text = draw.word()
    interaction = SubElement(paragraph, kind, responseIdentifier="R", maxChoices=draw.dice.choice("10"))
    interaction.tail = draw.word() if draw.chance(0.5) else None
    if kind not in ("textEntryInteraction",) and draw.chance(0.5):
        SubElement(interaction, "prompt").append(xhtml(draw))
    if is_choice:
        for number in range(3):
            choice = SubElement(interaction, "simpleChoice", identifier=f"c{number}")
            choice.append(xhtml(draw))
            if draw.chance(0.3):
                feedback = SubElement(choice, draw.dice.choice(("feedbackInline", "feedbackBlock")), identifier="f")
                feedback.text, feedback.tail = draw.word(), draw.word()
    if draw.chance(0.2):
        draw.add_unknown(interaction, ("simpleAssociableChoice", "gapText", "extra"))
    if draw.chance(0.3):
        draw.add_unknown(item_element, QTI_PARTS)
    if draw.chance(0.3):
        SubElement(item_element, "modalFeedback", identifier="explanation").append(xhtml(draw))
    return item_element


def xhtml(draw: Draw) -> Element:
    return ElementTree.fromstring(f"<div>{draw.html(2)}</div>")


DRAWN: dict[QuestionFileFormat, tuple[str, Callable[[Draw], bytes]]] = {
    QuestionFileFormat.MOODLE: ("quiz.xml", moodle_file),
    QuestionFileFormat.GIFT: ("quiz.gift", gift_file),
    QuestionFileFormat.QTI: ("quiz.zip", qti_file),
}


def silent_losses(folder: Path, file_format: QuestionFileFormat, seed: int) -> list[Any]:
    """Words of a drawn file that no question has and no loss names, with the file."""
    name, draw_file = DRAWN[file_format]
    draw = Draw(random.Random(f"{file_format} {seed}"))
    content = draw_file(draw)
    file = folder / name
    file.write_bytes(content)
    try:
        pack, losses = pack_and_losses_of_file(file, file_format, "drawn", "CC0-1.0")
    except QuestionFileError:
        return []
    lost_questions = {loss.question for loss in losses if loss.lost.startswith("the whole question")}
    held = "\n".join([pack.model_dump_json(), *map(str, losses)]).replace("\\", "")
    missing = [word for word, owner in draw.owner_by_word.items() if word not in held and owner not in lost_questions]
    return [missing, seed, content] if missing else []


@pytest.mark.parametrize("file_format", QuestionFileFormat)
@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(DOCUMENTS), id="some"),
        pytest.param(range(DOCUMENTS, NIGHTLY_DOCUMENTS), id="many", marks=pytest.mark.nightly),
    ],
)
def test_no_text_of_an_unknown_form_is_lost_without_a_word(
    tmp_path: Path, file_format: QuestionFileFormat, seeds: range
) -> None:
    assert [missing for seed in seeds if (missing := silent_losses(tmp_path, file_format, seed))] == []


@pytest.mark.parametrize("file_format", QuestionFileFormat)
def test_most_of_the_drawn_files_are_read(tmp_path: Path, file_format: QuestionFileFormat) -> None:
    name, draw_file = DRAWN[file_format]
    read_count = 0
    for seed in range(DOCUMENTS):
        file = tmp_path / name
        file.write_bytes(draw_file(Draw(random.Random(f"{file_format} {seed}"))))
        try:
            pack_and_losses_of_file(file, file_format, "drawn", "CC0-1.0")
        except QuestionFileError:
            continue
        read_count += 1
    assert read_count > DOCUMENTS / 3
