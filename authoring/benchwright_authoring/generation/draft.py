"""A cloze question as a model proposes it, and what rules find wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from pydantic import Field, JsonValue, StringConstraints, ValidationError

from benchwright_authoring.generation.passages import Passage
from benchwright_authoring.written_question import LETTERS, WrittenQuestion
from benchwright_foundation.model import Model
from benchwright_judges.models.prompt import escape_hidden_characters, object_schema
from benchwright_judges.reading.words import normalise_short_answer

GAP = "____"
_SHORTEST_QUOTE = 20
_UNDERSCORES = re.compile(r"_{2,}")
_MARKUP = re.compile(r"!?\[[^\]]*\]\s*[(\[]|<[a-zA-Z/!?]|://|^\s*(?:```|~~~|#)", re.MULTILINE)
"""Links, pictures, HTML, headings and blocks of code."""
_MENTION_OF_PASSAGE = re.compile(
    r"\b(?:passage|excerpt"
    r"|(?:according to|in|by|from) (?:the|this)"
    r" (?:text(?! segment| section)|documents?|articles?|papers?|chapters?|authors?)"
    r"|(?:the|this) (?:text|document|article|paper|chapter|section|authors?)"
    r" (?:says?|states?|describes?|explains?|mentions?|above|below))\b",
    re.IGNORECASE,
)


def _line_constraints(max_length: int) -> StringConstraints:
    return StringConstraints(strip_whitespace=True, min_length=1, max_length=max_length, pattern=r"^[^\n]*$")


class Draft(Model):
    """Question that a model proposes for a passage."""

    topic: Annotated[str, _line_constraints(120)]
    """A few words, shown as the title."""
    sentence: Annotated[str, _line_constraints(1_000)]
    """A statement with a gap."""
    answer: Annotated[str, _line_constraints(200)]
    """Text that fills the gap."""
    distractors: Annotated[tuple[Annotated[str, _line_constraints(200)], ...], Field(min_length=3, max_length=3)]
    """Texts that do not fill the gap."""
    explanation: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]
    quote: Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000)]
    """Words of the passage that prove the statement."""

    @property
    def text_by_field(self) -> Mapping[str, str]:
        """The texts that people will read, by field."""
        return {
            "topic": self.topic,
            "sentence": self.sentence,
            "answer": self.answer,
            **{f"distractor {number}": text for number, text in enumerate(self.distractors, 1)},
            "explanation": self.explanation,
        }

    def shuffled_question(self, passage: Passage, option_order: Sequence[int]) -> WrittenQuestion:
        """The question as its solvers get it.

        Args:
            passage: Named in the explanation.
            option_order: Order in which the four options come; 0 is the right one.
        """
        options = (self.answer, *self.distractors)
        return WrittenQuestion(
            title=self.topic,
            statement=f"Which option fills the gap?\n\n{self.sentence}",
            choices=tuple(options[number] for number in option_order),
            answer=LETTERS[option_order.index(0)],
            explanation=f"{self.explanation}\n\nSource: {passage.place}.",
            topic=self.topic,
        )


def draft_reply_schema() -> dict[str, JsonValue]:
    """JSON Schema of a reply."""
    text: JsonValue = {"type": "string"}
    fields: dict[str, JsonValue] = dict.fromkeys(Draft.model_fields, text)
    return object_schema(fields | {"distractors": {"type": "array", "items": text}})


def draft_of_reply(draft_fields: Mapping[str, object]) -> Draft:
    """A reply as a draft.

    Raises:
        ValueError: The reply is no draft; the message says why.
    """
    if draft_fields.get("sentence") == "":
        raise ValueError("the model found nothing to ask about")
    try:
        return Draft.model_validate(draft_fields)
    except ValidationError as error:
        first_error = error.errors(include_url=False, include_input=False)[0]
        field = escape_hidden_characters(".".join(map(str, first_error["loc"])))[:40]
        raise ValueError(f"field {field} of the reply: {first_error['msg']}") from error


def draft_faults(draft: Draft, passage: Passage) -> Iterator[str]:
    """The faults of a draft, as far as rules can tell, as sentences without their full stops."""
    for field, text in draft.text_by_field.items():
        if escape_hidden_characters(text) != text:
            yield f"{field} has characters that can't be seen"
        elif _MARKUP.search(text):
            yield f"{field} has a link, a picture, HTML, a heading or a block of code"
        elif _MENTION_OF_PASSAGE.search(text):
            yield f"{field} speaks of the passage, which solvers don't have"
    gaps = _UNDERSCORES.findall(draft.sentence)
    if gaps != [GAP]:
        yield f"the sentence has {len(gaps)} gaps; it needs one, written {GAP}"
    gapped_fields = [
        field for field, text in draft.text_by_field.items() if field != "sentence" and _UNDERSCORES.search(text)
    ]
    if gapped_fields:
        yield f"{gapped_fields[0]} has a gap"
    for field, text in (("sentence", draft.sentence), ("topic", draft.topic)):
        if _contains_phrase(text, draft.answer):
            yield f"the {field} has the words that are asked for"
    yield from _faults_of_quote(draft, passage)
    option_texts = [normalise_short_answer(text) for text in (draft.answer, *draft.distractors)]
    if len(set(option_texts)) < len(option_texts) or not all(option_texts):
        yield "two options say the same, or one says nothing"


def _faults_of_quote(draft: Draft, passage: Passage) -> Iterator[str]:
    quote = " ".join(draft.quote.split())
    if len(quote) < _SHORTEST_QUOTE:
        yield f"the quote has fewer than {_SHORTEST_QUOTE} characters"
    elif quote not in " ".join(passage.text.split()):
        yield "the quote is not in the passage"
    elif not _contains_phrase(quote, draft.answer):
        yield "the quote does not have the words that are asked for"


def _contains_phrase(longer_text: str, phrase: str) -> bool:
    words_pattern = re.escape(" ".join(phrase.split()))
    return re.search(rf"(?<!\w){words_pattern}(?!\w)", " ".join(longer_text.split()), re.IGNORECASE) is not None
