r"""The text of a reply without its wrapping: thoughts, JSON, `\boxed{…}`, `<answer>`, Markdown, LaTeX, HTML, controls.

An answer that is wrapped on purpose (`{"answer": "B"}`, `\boxed{B}`, `<answer>B</answer>`) becomes a line of its own
that begins with `GIVEN`. Every reader starts from here, whatever the question's format.

All expressions are linear, or bounded, in the length of a hostile reply.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from benchwright_judges import languages
from benchwright_judges.languages.language import AnswerLanguage, any_of

GIVEN = "\ue010"
"""Begins a line that is the answer."""
YES, NO = "\ue011", "\ue012"
"""A mark of right and of wrong, such as a tick and a cross."""

_MAX_START, _MAX_END, _MAX_GIVEN = 5_000, 15_000, 1_000
# Controls, bidirectional overrides, invisible characters, and the private use area, which the readers use themselves.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe0e\ufe0f\ufeff\ue000-\uf8ff]"
)
_BREAK = re.compile("\r\n?|\x85|\u2028|\u2029")
_THOUGHT = re.compile(
    r"<(/?)(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|rationale)>", re.IGNORECASE
)
_CHAT = re.compile(r"<\|[A-Za-z_]{1,30}\|>|</?s>|\[/?INST\]")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w-]*[ \t]*$", re.MULTILINE)
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~|<del>[^<\n]{1,200}</del>", re.IGNORECASE)
_BLANKS = re.compile(r"[^\S\n]{2,}")
_GAP = re.compile(r"\n[^\S\n]?(?:\n[^\S\n]?)+")
_HTML = re.compile(
    r"</?(?:b|i|u|em|strong|p|span|div|sup|sub|code|pre|li|ul|ol|h[1-6]|center|font|mark)(?:\s[^<>\n]{0,80})?>",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    r"\\(?:text|textbf|textit|textrm|textsf|mathrm|mathbf|mathsf|mathit|bf|rm)\s{0,3}\{([^{}\n]{0,300})\}"
)
_LATEX = re.compile(r"\\[()\[\],;!]|\\(?:left|right|quad|qquad|displaystyle|large|Large)(?![A-Za-z])|\$")
_TICK = re.compile(
    "(?:\u2190|<-{1,2})(?=[ \\t]*$)|[\u2705\u2714\u2713\u2611]|\u221a(?![\\w(])|^([ \t>*+-]{0,6})\\[[xX]\\](?=\\s)",
    re.MULTILINE,
)
_CROSS = re.compile("[\u274c\u2717\u2718\u2716\u2715\u274e]|^([ \t>*+-]{0,6})\\[ \\](?=\\s)", re.MULTILINE)
_ARROW = re.compile(
    "[\u27a1\u279c\u279e\u279d\u21d2\u27f9\U0001f449]|(?<![-=])[-=]{1,2}>|\\\\(?:right|Right)arrow(?![A-Za-z])"
)
_PICTURE = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u2704\u2706-\u2712\u2719-\u274b\u274d\u274f-\u279b\u27b0-\u27bf\u2b50\u2b55]"
)
_FLAGS = re.compile(r"\{\s{0,9}(?:\"[A-Z]\"\s{0,9}:\s{0,9}(?:true|false)\s{0,9},?\s{0,9}){2,26}\}")
_ASKED_AGAIN = re.compile(r"\A\W{0,4}(?:Q|Question):[^\n]{0,2000}\n+\s{0,9}A:", re.IGNORECASE)
_UNIT = re.compile(r"\"units?\"\s{0,5}:\s{0,5}\"([^\"\n]{1,12})\"", re.IGNORECASE)
_SINGLE = re.compile(
    r"(?:```\w*\s)?\s{0,9}\{\s{0,9}\"([^\"\n]{1,30})\"\s{0,9}:\s{0,9}(\"[^\"\n]{1,100}\"|-?\d[\d.eE+-]{0,30})\s{0,9}\}\s{0,9}(?:```)?"
)
_NO_ANSWER = re.compile(
    r"err|fehler|refus|status|quest|frage|confiden|reason|expla|thought|note|message|错误|题|理由|信息", re.IGNORECASE
)
_BOX = re.compile(r"\\f?boxed\s{0,3}\{")
_ROW = re.compile(r"^[ \t]*\|(.*?)\|?[ \t]*$", re.MULTILINE)


def answer_text(text: str) -> str:
    """A reply as the readers of letters and truth values take it: no wrapping, answers on lines of their own."""
    plain_text = _without_thoughts(_BREAK.sub("\n", text))
    if len(plain_text) > _MAX_START + _MAX_END:
        # A very long answer says it at the start, or concludes at the end.
        plain_text = f"{plain_text[:_MAX_START]}\n{plain_text[-_MAX_END:]}"
    plain_text = unicodedata.normalize(
        "NFKC", _CROSS.sub(rf"\1{NO}", _TICK.sub(rf"\1{YES}", _UNSEEN.sub("", plain_text)))
    )
    plain_text = _ASKED_AGAIN.sub("Answer:", plain_text.lstrip())
    plain_text = _mark_given(plain_text.replace("\u2019", "'").replace("\u02bc", "'"))
    plain_text = _FENCE.sub("", _STRUCK.sub("", plain_text))
    plain_text = _HTML.sub("", re.sub(r"<br\s*/?>", "\n", plain_text, flags=re.IGNORECASE))
    plain_text = _without_latex(plain_text)
    plain_text = _PICTURE.sub("", _ARROW.sub("\u2192", plain_text))
    # Runs of white space say nothing, and would cost the readers' expressions time.
    return _GAP.sub("\n\n", _BLANKS.sub(" ", _ROW.sub(_joined_cells, plain_text))).strip()


def given_answer(text: str) -> str | None:
    r"""The answer that a reply wraps on purpose, as it is written; None if it wraps none.

    Args:
        text: A reply; thoughts and comments in it do not count.
    """
    plain_text = _mark_given(_UNSEEN.sub("", without_thoughts(text)))
    return plain_text.rpartition(GIVEN)[2].partition("\n")[0].strip() if GIVEN in plain_text else None


def without_thoughts(text: str) -> str:
    """A reply without thoughts, comments, invisible characters and code fences; cut to a length that is read."""
    plain_text = _without_thoughts(_BREAK.sub("\n", text))
    if len(plain_text) > _MAX_START + _MAX_END:
        plain_text = f"{plain_text[:_MAX_START]}\n{plain_text[-_MAX_END:]}"
    return _FENCE.sub("", _UNSEEN.sub("", plain_text)).strip()


def _without_thoughts(text: str) -> str:
    if "<|message|>" in text:
        text = text.rpartition("<|message|>")[2]
    if "<" in text:
        text = _COMMENT.sub("", _CHAT.sub("", text))
        kept_parts, start, depth = [], 0, 0
        for tag in _THOUGHT.finditer(text):
            if not tag[1]:
                if depth == 0:
                    kept_parts.append(text[start : tag.start()])
                depth += 1
            elif depth:
                depth -= 1
            else:
                kept_parts = []  # The opening tag was part of the prompt.
            start = tag.end()
        if depth == 0:
            kept_parts.append(text[start:])
        text = "".join(kept_parts)
    return text


def _mark_given(text: str) -> str:
    for find in (_choice_flags, _field, _box, _tag):
        if given_span := find(text):
            start, end, content = given_span
            content = " ".join(content.split())
            text = f"{text[:start]}\n{GIVEN} {content}\n{text[end:]}"
    return text


def _choice_flags(text: str) -> tuple[int, int, str] | None:
    """The letters that a JSON object calls true: `{"A": false, "B": true}`."""
    match = _FLAGS.search(text) if '"' in text else None
    if not match:
        return None
    return *match.span(), ", ".join(re.findall(r"\"([A-Z])\"\s*:\s*true", match[0]))


def _field(text: str) -> tuple[int, int, str] | None:
    """The last answer in a JSON object; the object is cut out if its braces are found."""
    if ":" not in text:
        return None
    answer_fields, other_fields = (list(pattern.finditer(text)) for pattern in _patterns())
    if not answer_fields and not other_fields:
        return _only_member(text)
    if not answer_fields and len({member[1] for member in other_fields}) != 1:
        # Objects that each describe one choice.
        return None
    match = (answer_fields or other_fields)[-1]
    start = text.rfind("{", max(0, match.start() - 3_000), match.start())
    end = text.find("}", match.end(), match.end() + 3_000)
    object_span = (start, end + 1) if start >= 0 and end >= 0 else (match.start(), match.end())
    unit_match = _UNIT.search(text, *object_span) if start >= 0 and end >= 0 else None
    return *object_span, f"{_literal_text(match[1])} {unit_match[1]}" if unit_match and match[1][
        0
    ] in "-0123456789" else _literal_text(match[1])


def _only_member(text: str) -> tuple[int, int, str] | None:
    """The text or number that is all that a JSON object holds, whatever it is called: `{"lines": 512}`."""
    match = _SINGLE.fullmatch(text.strip())
    if not match or _NO_ANSWER.search(match[1]):
        return None
    return 0, len(text), _literal_text(match[2])


def _literal_text(literal: str) -> str:
    try:
        value = json.loads(literal, strict=False)
    except (ValueError, RecursionError):
        value = literal.strip("\"'")
        return re.sub(r"[\[\]\"']", "", literal) if literal[:1] == "[" else value
    json_members = value if isinstance(value, list) else [value]
    return ", ".join(
        "true" if member is True else "false" if member is False else "" if member is None else str(member)
        for member in json_members
    )


def _box(text: str) -> tuple[int, int, str] | None:
    boxes = list(_BOX.finditer(text)) if "boxed" in text else []
    if not boxes:
        return None
    match = boxes[-1]
    start = end = match.end()
    depth = 1
    while end < len(text) and depth and end - start < _MAX_GIVEN:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return match.start(), end, text[start : end - (not depth)]


def _tag(text: str) -> tuple[int, int, str] | None:
    tags = list(_tags().finditer(text)) if "<" in text or "[" in text else []
    return (*tags[-1].span(), tags[-1][1]) if tags else None


def _without_latex(text: str) -> str:
    if "\\" in text:
        for _ in range(3):
            text = _COMMAND.sub(r"\1", text)
    return _LATEX.sub(" ", text) if "\\" in text or "$" in text else text


def _joined_cells(row_match: re.Match[str]) -> str:
    cells = [cell.strip() for cell in row_match[1].split("|")]
    return "" if all(set(cell) <= set("-: ") for cell in cells) else " : ".join(cell for cell in cells if cell)


def _patterns() -> tuple[re.Pattern[str], ...]:
    return _compile(languages.LANGUAGES)


@cache
def _compile(known_languages: tuple[AnswerLanguage, ...]) -> tuple[re.Pattern[str], ...]:
    quoted = r"""\"(?:[^"\\\n]|\\.){0,1000}"|'(?:[^'\\\n]|\\.){0,1000}'"""
    value = rf"({quoted}|\[[^\[\]{{}}]{{0,300}}\]|true|false|True|False|-?\d[\d.eE+-]{{0,30}})"
    answer_names = any_of(name for language in known_languages for name in language.discourse.answer_fields)
    other_names = any_of(name for language in known_languages for name in language.discourse.other_fields)
    return tuple(
        re.compile(rf"""["'](?:[a-z]{{1,12}}[\s_-]?)?(?:{names})["']\s{{0,5}}:\s{{0,5}}{value}""", re.IGNORECASE)
        for names in (answer_names, other_names)
    )


def _tags() -> re.Pattern[str]:
    return _compile_tags(languages.LANGUAGES)


@cache
def _compile_tags(known_languages: tuple[AnswerLanguage, ...]) -> re.Pattern[str]:
    names = any_of(
        name for language in known_languages for name in (*language.discourse.answer_fields, *language.discourse.tags)
    )
    tag = rf"(?:[a-z]{{1,12}}[\s_-]?)?(?:{names})"
    return re.compile(rf"[<\[]{tag}[>\]]([^<>\[\]]{{1,300}})(?:[<\[]/{tag}[>\]]|\Z)", re.IGNORECASE)


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a reply that are not blank, with their positions."""
    for match in re.finditer(r"[^\n]*[^\s][^\n]*", text):
        yield match.start(), match[0]
