"""The prompt of a judge: rubric, question and key as text, the answer as data behind a random code."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from benchwright_judges.rubric import Rubric
from benchwright_judges.scale import Scale
from benchwright_problems.figure import MediaType
from benchwright_problems.problem import Figure, Problem

ANSWER_CHARACTERS = 20_000
"""Length of the part of an answer that a judge sees, in characters."""
_CONTEXT_CHARACTERS = 120_000
_SAFE_CONTROLS = "\n\t"

Message = dict[str, JsonValue]


@dataclass(frozen=True)
class JudgePrompt:
    """The messages of one request, and the JSON Schema that the reply has to fit."""

    messages: Sequence[Message]
    schema: dict[str, JsonValue]

    @property
    def byte_count(self) -> int:
        """Bytes of all strings: an upper bound of their tokens."""
        return sum(len(text.encode()) for message in self.messages for text in _texts_of_content(message["content"]))

    @property
    def figure_count(self) -> int:
        """Number of pictures."""
        contents = (message["content"] for message in self.messages)
        return sum(
            isinstance(content_part, dict) and content_part.get("type") == "image_url"
            for content in contents
            if isinstance(content, list)
            for content_part in content
        )


def grading_prompt(
    problem: Problem, answer: str, rubric: Rubric, *, draw_code: Callable[[], str] = lambda: secrets.token_hex(16)
) -> JudgePrompt:
    """Ask for a verdict on an answer.

    Every request gets a new random code, so no answer can contain it and close its own block.

    Args:
        problem: Problem with its hidden part.
        answer: Hostile text.
        rubric: The rubric to follow.
        draw_code: Draws a random code.
    """
    schema = object_schema({"reason": {"type": "string"}, "verdict": rubric.scale.label_schema})
    system = f"{rubric.prompt.strip()}\n\n{rubric.frame.strip()}"
    return _prompt_with_answer(
        problem, answer, "Grade", JudgePrompt(({"role": "system", "content": system},), schema), draw_code
    )


def error_types_prompt(
    problem: Problem,
    model_reply: str,
    instructions: str,
    type_names: Sequence[str],
    *,
    draw_code: Callable[[], str] = lambda: secrets.token_hex(16),
) -> JudgePrompt:
    """Ask which types of error led to a wrong answer.

    Args:
        problem: Problem with its hidden part.
        model_reply: The whole reply, with its steps; hostile text.
        instructions: The system message.
        type_names: Those that there are.
        draw_code: Draws a random code.
    """
    types_field: dict[str, JsonValue] = {"type": "array", "items": {"type": "string", "enum": [*type_names]}}
    schema = object_schema({"reason": {"type": "string"}, "types": types_field})
    empty = JudgePrompt(({"role": "system", "content": instructions.strip()},), schema)
    return _prompt_with_answer(problem, model_reply, "Classify", empty, draw_code)


def reading_prompt(
    problem: Problem,
    answer: str,
    instructions: str,
    value_by_shown_name: Mapping[str, str],
    *,
    expected_value_kind: str,
    draw_code: Callable[[], str] = lambda: secrets.token_hex(16),
) -> JudgePrompt:
    """Ask which value a reply states. Nothing of the key is in it.

    Args:
        problem: Its public side is shown, without pictures.
        answer: Hostile text, already cut to a length that is read.
        instructions: The system message.
        value_by_shown_name: Name → value that can be stated; none if any words can.
        expected_value_kind: Kind of value that answers the question.
        draw_code: Draws a random code.
    """
    value: dict[str, JsonValue] = (
        {"type": "string", "enum": [*value_by_shown_name, ""]} if value_by_shown_name else {"type": "string"}
    )
    outcome: dict[str, JsonValue] = {"type": "string", "enum": ["stated", "ambiguous", "none"]}
    sections = [*_question_sections(problem), _titled_section("VALUE ASKED FOR", expected_value_kind)]
    sections += [
        _titled_section(f"NAME {name}", _sentence_about_value(problem, value_named))
        for name, value_named in value_by_shown_name.items()
    ]
    question_section = _cut_to_context("\n".join(sections))
    block = _quoted_block(escape_hidden_characters(answer), (question_section,), "Read", "", draw_code)
    return JudgePrompt(
        messages=(
            {"role": "system", "content": instructions.strip()},
            {"role": "user", "content": f"{question_section}\n{block}"},
        ),
        schema=object_schema({"quote": {"type": "string"}, "outcome": outcome, "value": value}),
    )


def _sentence_about_value(problem: Problem, value: str) -> str:
    question = problem.public.question
    has_choices = question is not None and question.choices
    return f"The reply gives choice {value}." if has_choices else f"The reply calls the statement {value}."


def _prompt_with_answer(
    problem: Problem, answer: str, task_verb: str, system_prompt: JudgePrompt, draw_code: Callable[[], str]
) -> JudgePrompt:
    """The prompt with what a judge sees of question, key and answer."""
    key = problem.hidden.answer
    if key is None:
        raise ValueError(f"problem {problem.id} has no key to grade by")
    answer_text = escape_hidden_characters(answer[:ANSWER_CHARACTERS])
    question = _question_sections(
        problem, [_titled_section(f"FILE {path}", text) for path, text in sorted(problem.public.files.items())]
    )
    solution = [_titled_section("REFERENCE ANSWER", key.value)]
    solution += [_titled_section("ALSO ACCEPTED", accepted) for accepted in key.alternatives]
    if key.explanation:
        solution.append(_titled_section("EXPLANATION OF THE REFERENCE", key.explanation))
    if key.rubric:
        solution.append(_titled_section("NOTES ON GRADING", key.rubric))
    if key.points:
        solution.append(_titled_section("POINTS", key.points.as_text))
    question_and_key = _cut_to_context("\n".join(question)), _cut_to_context("\n".join(solution))
    cut = len(answer) - ANSWER_CHARACTERS
    notice = f" Its last {cut} characters were cut off, as it is too long." if cut > 0 else ""
    block = _quoted_block(answer_text, question_and_key, task_verb, notice, draw_code)
    content = _message_content([question_and_key[0], *problem.public.figures, question_and_key[1], *key.figures, block])
    return JudgePrompt((*system_prompt.messages, {"role": "user", "content": content}), system_prompt.schema)


def _question_sections(problem: Problem, file_sections: Sequence[str] = ()) -> list[str]:
    choices = problem.public.question.choices if problem.public.question is not None else ()
    sections = [_titled_section("QUESTION", problem.public.statement), *file_sections]
    return sections + [_titled_section(f"CHOICE {choice.letter}", choice.text) for choice in choices]


def _quoted_block(
    answer_text: str, shown_texts: Sequence[str], task_verb: str, notice: str, draw_code: Callable[[], str]
) -> str:
    """Instructions, and the answer between two lines with a code that stands nowhere else."""
    marker = draw_code()
    while marker in answer_text or any(marker in text for text in shown_texts):
        marker = draw_code()
    task = (
        f"The code is {marker}.{notice} {task_verb} what stands between its two lines, and reply as you were told to."
    )
    return f"{task}\n\nBEGIN ANSWER {marker}\n{answer_text}\nEND ANSWER {marker}"


def audit_prompt(
    problem: Problem,
    aspect_names: Sequence[str],
    rubric: Rubric,
    *,
    draw_code: Callable[[], str] = lambda: secrets.token_hex(16),
) -> JudgePrompt:
    """Ask for a review of a problem, hidden part included.

    Args:
        problem: Problem with its hidden part; hostile text, as it comes from a data set.
        aspect_names: Aspects to rate.
        rubric: Rubric to rate by.
        draw_code: Draws a random code.
    """
    category = problem.category.label if problem.category else problem.kind.value
    sections = [_titled_section("CATEGORY", category), _titled_section("TASK", problem.public.statement)]
    sections += [_titled_section(f"STARTING FILE {path}", text) for path, text in sorted(problem.public.files.items())]
    sections.append(_titled_section("FILES TO WRITE", "\n".join(problem.public.expected) or "none"))
    sections += [
        _titled_section(f"HIDDEN REFERENCE {path}", text) for path, text in sorted(problem.hidden.reference.items())
    ]
    sections += [
        _titled_section(f"HIDDEN HARNESS {path}", text) for path, text in sorted(problem.hidden.harness.items())
    ]
    if problem.public.question is not None:
        sections += [
            _titled_section(f"CHOICE {choice.letter}", choice.text) for choice in problem.public.question.choices
        ]
    key = problem.hidden.answer
    if key is not None:
        sections.append(_titled_section("HIDDEN KEY", "\n".join((key.value, *key.alternatives))))
        sections.append(_titled_section("HIDDEN NOTES ON GRADING", key.rubric or "none"))
    text = _cut_to_context("\n".join(sections))
    marker = draw_code()
    while marker in text:
        marker = draw_code()
    aspect = object_schema({"finding": {"type": "string"}, "points": Scale.TIERS.label_schema})
    return JudgePrompt(
        messages=(
            {"role": "system", "content": f"{rubric.prompt.strip()}\n\n{rubric.frame.strip()}"},
            {
                "role": "user",
                "content": f"The code is {marker}.\n\nBEGIN PROBLEM {marker}\n{text}\nEND PROBLEM {marker}",
            },
        ),
        schema=object_schema(dict.fromkeys(aspect_names, aspect)),
    )


def question_prompt(
    problem: Problem,
    instructions: str,
    reply_schema: dict[str, JsonValue],
    figures: Sequence[Figure] = (),
    *,
    draw_code: Callable[[], str] = lambda: secrets.token_hex(16),
) -> JudgePrompt:
    """Ask something about the public side of a question.

    Args:
        problem: Hostile text, as it comes from a data set.
        instructions: Text of the system's message.
        reply_schema: Schema of the reply.
        figures: Those of its pictures that are sent.
        draw_code: Draws a random code.
    """
    return data_prompt(
        "QUESTION", "\n".join(_question_sections(problem)), instructions, reply_schema, figures, draw_code=draw_code
    )


def data_prompt(
    data_title: str,
    text: str,
    instructions: str,
    reply_schema: dict[str, JsonValue],
    figures: Sequence[Figure] = (),
    *,
    draw_code: Callable[[], str] = lambda: secrets.token_hex(16),
) -> JudgePrompt:
    """Ask something about a text that nobody vouches for, between two lines with a code that it can't hold.

    Args:
        data_title: Name of the text in those lines, in capitals.
        text: Hostile; cut to what a model is shown.
        instructions: Text of the system's message.
        reply_schema: Schema of the reply.
        figures: Shown after the text.
        draw_code: Draws a random code.
    """
    data_text = _cut_to_context(text)
    marker = draw_code()
    while marker in data_text:
        marker = draw_code()
    request = f"The code is {marker}.\n\nBEGIN {data_title} {marker}\n{data_text}\nEND {data_title} {marker}"
    return JudgePrompt(
        messages=(
            {"role": "system", "content": instructions.strip()},
            {"role": "user", "content": _message_content([request, *figures])},
        ),
        schema=reply_schema,
    )


def object_schema(property_schemas: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """A JSON Schema in the form that structured output requires: every field required, no others."""
    return {
        "type": "object",
        "properties": property_schemas,
        "required": [*property_schemas],
        "additionalProperties": False,
    }


def escape_hidden_characters(text: str) -> str:
    """Untrusted text, with invisible characters (controls, bidi marks, tags, unpaired surrogates) as escapes."""
    lines = text.replace("\r\n", "\n")
    return "".join(f"\\u{{{ord(c):x}}}" if _is_hidden(c) else c for c in lines)


def _is_hidden(character: str) -> bool:
    if character in _SAFE_CONTROLS:
        return False
    category = unicodedata.category(character)
    # Variation selectors are invisible, and each of the 256 can encode a byte.
    is_selector = "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
    return category[0] == "C" or category in ("Zl", "Zp") or is_selector


def _titled_section(section_title: str, section_text: str) -> str:
    return f"{section_title}:\n{escape_hidden_characters(section_text.strip())}\n"


def _cut_to_context(long_text: str) -> str:
    if len(long_text) <= _CONTEXT_CHARACTERS:
        return long_text
    return f"{long_text[:_CONTEXT_CHARACTERS]}\n[{len(long_text) - _CONTEXT_CHARACTERS} characters left out]\n"


def _message_content(texts_and_figures: Sequence[str | Figure]) -> JsonValue:
    """A string if there are no figures, as not every endpoint accepts a list; else strings and pictures in order."""
    if all(isinstance(piece, str) for piece in texts_and_figures):
        return "\n".join(piece for piece in texts_and_figures if isinstance(piece, str))
    content_parts: list[JsonValue] = []
    for piece in texts_and_figures:
        if isinstance(piece, str):
            content_parts.append({"type": "text", "text": piece})
        else:
            caption = f"FIGURE {piece.path}" + (f" ({escape_hidden_characters(piece.alt)})" if piece.alt else "") + ":"
            if piece.media_type is MediaType.SVG:
                # Endpoints don't accept SVG as a picture, but models can read its source.
                content_parts.append({"type": "text", "text": f"{caption}\n{piece.content.decode('utf-8', 'replace')}"})
                continue
            content_parts.append({"type": "text", "text": caption})
            url = f"data:{piece.media_type};base64,{piece.data}"
            content_parts.append({"type": "image_url", "image_url": {"url": url}})
    return content_parts


def _texts_of_content(message_content: JsonValue) -> list[str]:
    if isinstance(message_content, str):
        return [message_content]
    text_parts = (
        [part for part in message_content if isinstance(part, dict)] if isinstance(message_content, list) else []
    )
    return [text for part in text_parts if isinstance(text := part.get("text"), str)]
