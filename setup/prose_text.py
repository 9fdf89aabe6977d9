"""The prose of a file: what people read, at its own line and column, with everything else blotted out.

count = 3  # of retries          ¦¦¦¦¦¦¦¦¦¦¦¦ of retries
raise Stop("No run is "     →    ¦¦¦¦¦¦¦¦¦¦¦¦No run is
           f"in {place}.")       ¦            ¦¦in ¦¦¦¦¦¦¦.¦¦
"""

import re
from collections.abc import Iterator
from pathlib import Path

BLOT = "¦"
"""Replaces each character that is not prose. It is neither a letter nor white space, so no phrase reaches over it."""

_NOT_PROSE_IN_MARKDOWN = re.compile(
    r"""
      ^(?P<fence>[ ]*(?:```+|~~~+)).*?^(?P=fence)`*[ ]*$  # fenced code
    | <!--.*?-->
    | (?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)         # inline code
    | \]\([^)\s]*\)                                      # the target of a link
    | ^\[[^\]]+\]:[ ]\S+                                 # a link's definition
    | <[^<>\s][^<>]*>                                    # HTML, automatic links
    | https?://\S+
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_PYTHON = re.compile(
    r"""
      \#(?P<comment>[^\n]*)
    | (?P<prefix>\b[rbfuRBFU]{1,2})?
      (?: \"{3}(?P<long>(?:\\.|.)*?)\"{3} | '{3}(?P<long1>(?:\\.|.)*?)'{3}
        | "(?P<short>(?:\\.|[^"\\\n])*)"  | '(?P<short1>(?:\\.|[^'\\\n])*)' )
    """,
    re.VERBOSE | re.DOTALL,
)
_TYPESCRIPT = re.compile(
    r"""
      //(?P<comment>[^\n]*)
    | /\*(?P<long>.*?)\*/
    | (?<=[=(,:!&|?;{}])\s*/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\n\\\[])+/  # a regular expression
    | "(?P<short>(?:\\.|[^"\\\n])*)" | '(?P<short1>(?:\\.|[^'\\\n])*)'
    | `(?P<template>(?:\\.|\$\{(?:[^`}]|`[^`]*`)*\}|[^`\\])*)`
    """,
    re.VERBOSE | re.DOTALL,
)
_MANIFEST = re.compile(
    r'"(?:description|displayName|title|markdownDescription|contents|label)":\s*"(?P<short>(?:[^"\\]|\\.)*)"'
    r'|"(?:markdown)?[eE]numDescriptions":\s*\[(?P<many>[^\]]*)\]'
)
_PATTERNS = {".py": _PYTHON, ".ts": _TYPESCRIPT, ".json": _MANIFEST}
_NOT_PROSE_IN_CODE = re.compile(
    r"`[^`\n]*`|https?://\S+|\\[nt\"']|\$?\{(?:[^{}]|\{[^{}]*\})*\}|(?<!\S)--[a-z-]+|[\w.*-]*[/_][\w./*-]*"
)
_BLOTS = re.compile(rf"{BLOT}[{BLOT}\s]*{BLOT}")
_NOTE_TO_TOOLS = re.compile(r"!|\s*(?:noqa|type:|pragma|ruff:|eslint|@ts-)")
_TWO_WORDS = re.compile(r"[A-Za-z]{2,}[,;:]?\s+[A-Za-z]{2,}")
# What separates the literals of one string, and the lines of one comment.
_GLUE = re.compile(r"""["'`]?\s*(?:\+\s*)?(?:[rbfuRBFU]{1,2}(?=["']))?(?:["'`]|\#|//)?""")


def blot_out_all_but_prose(path: Path, text: str) -> str:
    """Blots out every character that is not prose; lines and columns stay."""
    if path.suffix == ".md":
        return _NOT_PROSE_IN_MARKDOWN.sub(_blot_out, text)
    pieces, last_end = [], 0
    for start, end, glued in _prose_spans(text, _PATTERNS[path.suffix]):
        gap = text[last_end:start]
        pieces.append(re.sub(r"[^\n]", " " if glued else BLOT, gap))
        pieces.append(_NOT_PROSE_IN_CODE.sub(_blot_out, text[start:end]))
        last_end = end
    return "".join(pieces) + re.sub(r"[^\n]", BLOT, text[last_end:])


def squeeze_blots(visible: str) -> str:
    """Leaves a single blot of those that have only white space between them, so that all phrases stay as they are."""
    return _BLOTS.sub(BLOT, visible)


def _blot_out(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", BLOT, match[0])


def _prose_spans(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int, bool]]:
    """Comments, and literals of two words or more; whether each continues the one before it."""
    for span_run in _span_runs(text, pattern):
        if _TWO_WORDS.search(" ".join(text[start:end] for start, end in span_run)):
            for index, (start, end) in enumerate(span_run):
                yield start, end, index > 0


def _span_runs(text: str, pattern: re.Pattern[str]) -> Iterator[list[tuple[int, int]]]:
    span_run: list[tuple[int, int]] = []
    for match in pattern.finditer(text):
        kind = next((name for name in reversed(match.groupdict()) if name != "prefix" and match[name]), None)
        if kind is None or (kind == "comment" and _NOTE_TO_TOOLS.match(match[kind])):
            continue
        start, end = match.span(kind)
        if span_run and not _GLUE.fullmatch(text, span_run[-1][1], start):
            yield span_run
            span_run = []
        span_run.append((start, end))
    yield span_run
