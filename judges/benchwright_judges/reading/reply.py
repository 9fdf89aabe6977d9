"""The text of a reply without what is not its own words: thoughts, comments, invisible characters, Markdown, LaTeX."""

from __future__ import annotations

import re
import unicodedata

_LONGEST = 40_000
# Controls, marks of direction, characters of no width, and pictures.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe0e\ufe0f\ufeff"
    "\U0001f300-\U0001faff]"
)
_BREAK = re.compile("\r\n?|\x85|\u2028|\u2029")
_THOUGHT = re.compile(
    r"<(/?)(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|rationale)>", re.IGNORECASE
)
_TOKEN = re.compile(r"<\|[A-Za-z_]{1,30}\|>|</?s>")
# Full-width letters, digits and signs that Chinese is written with.
_NARROW = {0xFEE0 + code: code for code in range(0x21, 0x7F) if chr(code).isalnum() or chr(code) in ":()"} | {
    0x2019: "'"
}
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w-]*[ \t]*$", re.MULTILINE)
_EMPHASIS = re.compile(r"(?<![\w)])(?:\*\*|__)|(?:\*\*|__)(?![\w(])|`")
_STRESS = re.compile(r"(?<![\w*])\*([^*\s](?:[^*\n]{0,300}[^*\s])?)\*(?![\w*])")
_MARKUP = (
    (re.compile(r"\\[dt]?frac\{(\w{1,40})\}\{(\w{1,40})\}"), r"\1/\2"),
    (re.compile(r"\\[dt]?frac\{([^{}]{1,40})\}\{([^{}]{1,40})\}"), r"(\1)/(\2)"),
    (
        re.compile(
            r"\\(?:f?boxed|text|textbf|textit|textrm|mathrm|mathbf|mathit|mathcal|operatorname)\s?\{([^{}]{0,200})\}"
        ),
        r"\1",
    ),
    (re.compile(r"\{,\}"), ","),
    (re.compile(r"</?(?:b|i|em|strong|u|code)>"), ""),
    (re.compile(r"\\(?:times|cdot)(?![A-Za-z])"), "×"),
    (re.compile(r"\\mu(?![A-Za-z])\s?"), "u"),
    (re.compile(r"\\(log|ln|lg|min|max|sqrt)(?![A-Za-z])"), r"\1"),
    (re.compile(r"\\([%&#_{}$])"), r"\1"),
    (re.compile(r"\\[()\[\]]|\$"), ""),
    (re.compile(r"\\[,;!: ]|(?<=\w)~(?=\w)"), " "),
)


def finished_reply_text_if_not_too_long(model_reply: str) -> str | None:
    """The words of a reply that are meant for its reader; None if it breaks off in its thoughts, or is too long.

    Args:
        model_reply: Hostile text.
    """
    text = _BREAK.sub("\n", model_reply)
    if "<|message|>" in text:
        header, _, text = text.rpartition("<|message|>")
        if "<|channel|>" in header and not header.rpartition("<|channel|>")[2].startswith("final"):
            return None
    if "<" in text:
        finished_text = _text_without_thoughts_if_finished(_COMMENT.sub("", _TOKEN.sub("", text)))
        if finished_text is None:
            return None
        text = finished_text
    text = _FENCE.sub("", _UNSEEN.sub("", text)).translate(_NARROW).strip()
    return text if len(text) <= _LONGEST else None


def _text_without_thoughts_if_finished(reply_text: str) -> str | None:
    kept_parts, start, depth = [], 0, 0
    for tag in _THOUGHT.finditer(reply_text):
        if not tag[1]:
            if depth == 0:
                kept_parts.append(reply_text[start : tag.start()])
            depth += 1
        elif depth:
            depth -= 1
        else:
            kept_parts = []  # The opening tag was part of the prompt.
        start = tag.end()
    return None if depth else "".join((*kept_parts, reply_text[start:]))


def plain_text(markdown_text: str) -> str:
    """A passage without emphasis and LaTeX, in NFKC, with single spaces."""
    if any(sign in markdown_text for sign in "\\$~<"):
        for pattern, replacement in _MARKUP:
            markdown_text = pattern.sub(replacement, markdown_text)
    # NFKC makes plain digits of superscripts.
    markdown_text = re.sub("([0-9A-Za-z)])([\u2070\u2071\u00b9\u00b2\u00b3\u2074-\u207f]+)", r"\1^\2", markdown_text)
    markdown_text = re.sub(r"(\d)(?=[\u00bc-\u00be\u2150-\u215e])", r"\1 ", markdown_text)
    markdown_text = (
        unicodedata.normalize("NFKC", markdown_text)
        .replace("\u2044", "/")
        .replace("\u2212", "-")
        .replace("\u2019", "'")
    )
    return " ".join(_STRESS.sub(r"\1", _EMPHASIS.sub("", markdown_text)).split())
