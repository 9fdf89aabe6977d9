"""Texts of a question file that neither its question has nor a loss names, so that none is lost without a word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from benchwright_authoring.question_files.question_parts import QuestionLoss, QuestionParts
from benchwright_problems.problem import AnswerKind

_LONGEST = 40
"""Characters of a text that a loss quotes."""
_SAME_IN_MARKDOWN = frozenset("+=%$/")
"""ASCII signs that Markdown neither adds nor takes away; of the others, only letters and digits count."""
_TEXT_ATTRIBUTES = ("alt", "title", "aria-label")
_UNHELD_ELEMENTS = ("audio", "embed", "iframe", "math", "object", "script", "style", "svg", "video")
"""Elements of HTML that Markdown has no equivalent for."""


def quoted(text: str) -> str:
    """The beginning of a text, as losses quote it."""
    return repr(" ".join(text.split())[:_LONGEST])


def texts_of_html(html: str) -> Iterator[str]:
    """The texts of HTML, also those of attributes."""
    from bs4 import BeautifulSoup, Comment

    soup = BeautifulSoup(html, "html.parser")
    for string in soup.find_all(string=True):
        if not isinstance(string, Comment):
            yield str(string)
    for element in soup.find_all(True):
        yield from (str(element[name]) for name in _TEXT_ATTRIBUTES if element.get(name))
        # Markdown has the address of a link to itself once.
        if element.get("href") and element["href"] != element.get_text():
            yield str(element["href"])


def elements_without_markdown(html: str) -> list[str]:
    """Names of the elements of HTML that Markdown has no equivalent for."""
    from bs4 import BeautifulSoup

    return [element.name for element in BeautifulSoup(html, "html.parser").find_all(_UNHELD_ELEMENTS)]


def texts_lost_unnamed(
    file_texts: Iterable[str], question: QuestionParts, losses: Sequence[QuestionLoss]
) -> Iterator[str]:
    """Texts of a file that are neither in its question nor named by a loss.

    A text that the file has twice has to be held or named twice.

    Args:
        file_texts: Texts of the file that belong to the question.
        question: The question that was made of them.
        losses: Losses that are named already.
    """
    held_texts = [_compared_characters(text) for text in _texts_of_question(question)]
    named_texts = [_compared_characters(loss.lost) for loss in losses]
    texts = [text for text in file_texts if not _take_out(_compared_characters(text), held_texts, is_whole=True)]
    # The longest first: a short text can stand inside a longer one.
    for text in sorted(texts, key=lambda text: (-len(_compared_characters(text)), text)):
        quotation = _compared_characters(" ".join(text.split())[:_LONGEST])
        if not _take_out(_compared_characters(text), held_texts) and not _take_out(quotation, named_texts):
            yield text


def _take_out(searched_text: str, texts: list[str], *, is_whole: bool = False) -> bool:
    """Takes a text out of the first that is it, or that has it; false if there is none."""
    for index, text in enumerate(texts):
        if searched_text == text if is_whole else searched_text in text:
            texts[index] = text.replace(searched_text, "\n", 1)
            return True
    return not searched_text


def _texts_of_question(question: QuestionParts) -> Iterator[str]:
    yield from (question.statement, *question.choices.values(), question.explanation, *question.alternatives)
    if not question.choices:
        yield question.key
    if question.format.answered_by is AnswerKind.TRUTH:
        yield from ("true", "false")
    yield from (question.title, question.id, f"form:{question.format.value}")
    yield from (f"{name}:{value}" for name, value in question.labels.items())
    yield from (figure.path for figure in question.figures)


def _compared_characters(text: str) -> str:
    return "".join(
        character
        for character in text.casefold()
        if character.isalnum()
        or character in _SAME_IN_MARKDOWN
        or (not character.isascii() and not character.isspace())
    )
