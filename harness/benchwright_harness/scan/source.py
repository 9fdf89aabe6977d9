"""Contents of a Verilog file that some rule is about, whatever the problem."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from benchwright_harness.scan import characters, macros
from benchwright_harness.scan.rules import rule_for
from benchwright_harness.scan.tokens import Comment, Token, as_ascii, comments, lex


class RuleMatch(NamedTuple):
    """The rule, the words, and where they are in bytes from the start of the file."""

    rule: str
    words: str
    offset: int


_FORGED = re.compile(
    r"\*\* *TESTS=|</?test(?:case|suite)|Number of (?:cells|wires)|\d+ (?:passed|failed) in \d|%(?:Error|Warning)-",
    re.IGNORECASE,
)
_WITH_PATH = frozenset({"file", "load", "store", "wave"})
_TAKES_PATH = re.compile(r"open|readmem|writemem|dumpfile|dumpports$", re.IGNORECASE)
# Yosys takes a system task's text apart while it reads a design, and prints it into its log.
_PRINTS_WHILE_READ = re.compile(r"\$(?:display|write)[bho]?")
_TELL_TOOLS_APART = re.compile(
    r"SYNTHESIS|FORMAL|YOSYS|__ICARUS__|VERILATOR|verilator3?|SYSTEMVERILOG|coverage_block_off|COCOTB_SIM|SV_COV_\w+"
)
_TO_YOSYS = re.compile(
    r"\b(?:synthesis|synopsys|pragma|cadence)\s+(?:translate_off|synthesis_off|full_case|parallel_case)\b"
)
_TO_VERILATOR = re.compile(r"(?://|/\*)\s*verilator\s+(?:lint_|coverage_|tracing_|public)\w*", re.IGNORECASE)
OPAQUE = frozenset({"blackbox", "whitebox", "lib_whitebox", "abc9_box"})
"""Attributes by which Yosys does not count a module."""
_AMBIGUOUS_NAME = re.compile(r"//|/\*|[\"`]|\\$")
_UNUSUAL_ESCAPE = re.compile(r'(?:[^\\]|^)(?:\\\\)*(\\(?![nt"\\]|[0-7]{3}).)')
_ENCRYPTED = re.compile(r"`(?:end)?protect(?:ed)?")


def read(path: str, content: bytes) -> Iterator[RuleMatch]:
    """Everything in a file that some rule is about.

    Args:
        path: Path of the file in the workspace.
        content: Without a byte order mark.
    """
    yield from map(RuleMatch._make, characters.find(content))
    text = as_ascii(content)
    tokens = lex(text)
    yield from map(RuleMatch._make, macros.find(text, tokens))
    # Only what an `initial` does is done while a design is read; one can be put together from pieces.
    begins = any(token.kind in {"InitialKeyword", "MacroPaste"} for token in tokens)
    has_strays = "\x7f" in text
    last = len(tokens) - 1
    for index, token in enumerate(tokens):
        if text.find("/", token.previous_end, token.start) >= 0:
            for comment in comments(text, token):
                yield from _about_comment(comment)
        if has_strays and token.kind in _WITH_ANY_BYTE and (stray := token.text.find("\x7f")) >= 0:
            offset = token.start + stray
            yield RuleMatch("character", characters.outside_of_strings(content, offset), offset)
        examine = _ABOUT.get(token.kind)
        if examine is not None and (examine is not _identifier or token.text[0] == "\\" or token.text in OPAQUE):
            following = tokens[index + 1 : min(index + 5, last)]
            yield from (
                RuleMatch(rule, words, token.start)
                for rule, words in examine(_SourceSpan(path, token, following, begins))
            )


class _SourceSpan(NamedTuple):
    path: str
    token: Token
    following: list[Token]
    begins: bool


def _about_comment(comment: Comment) -> Iterator[RuleMatch]:
    if not comment.ends:
        yield RuleMatch("ambiguous", "a comment without its end", comment.start)
    if match := _TO_YOSYS.search(comment.text):
        yield RuleMatch("tool-branch", match[0], comment.start)
    if match := _TO_VERILATOR.match(comment.text):
        yield RuleMatch("tool-comment", match[0], comment.start)


def _task(context: _SourceSpan) -> Iterator[tuple[str, str]]:
    text, following = context.token.text, context.following
    rule = rule_for(text[1:])
    if rule != "plain":
        yield rule, text
    if context.begins and _PRINTS_WHILE_READ.fullmatch(text) and not _is_plain(text, following):
        yield "computed-print", text
    if rule in _WITH_PATH and _TAKES_PATH.search(text):
        yield from _path(text, following[1:2], "/code/rundir")


def _directive(context: _SourceSpan) -> Iterator[tuple[str, str]]:
    text, following = context.token.text, context.following
    if text == "`include":
        yield from _path(text, following[:1], posixpath.dirname(f"/code/{context.path}"))
    elif text == "`uselib":
        yield "outside", text
    elif text == "`line":
        yield "location", text
    elif _ENCRYPTED.fullmatch(text) or (text == "`pragma" and following and following[0].text == "protect"):
        yield "ambiguous", f"{text} {following[0].text}" if text == "`pragma" else text
    elif text in {"`ifdef", "`ifndef", "`elsif"}:
        name = following[0].text.removeprefix("\\") if following else ""
        if not following or following[0].kind not in _NAMES:
            yield "ambiguous", f"{text} {name}".strip()
        elif _TELL_TOOLS_APART.fullmatch(name):
            yield "tool-branch", f"{text} {name}"
    elif text.startswith(("`systemc_", "`verilator_config")):
        yield "native", text
    elif "\\" in text:
        yield "ambiguous", f"the name {text}"


def _string(context: _SourceSpan) -> Iterator[tuple[str, str]]:
    text = context.token.text
    touching = context.following[:1] and context.following[0].start == context.token.end
    if text.startswith('"""') or (text == '""' and touching and context.following[0].text.startswith('"')):
        yield "ambiguous", "three quotation marks in a row"
    elif len(text) < 2 or text[-1] != '"':
        yield "ambiguous", "a string without its end"
    elif "\n" in text:
        yield "tool-branch", "a string of several lines"
    elif match := _UNUSUAL_ESCAPE.search(text):
        yield "tool-branch", f"the escape {match[1]} in a string"
    if match := _FORGED.search(text):
        yield "forgery", match[0]
    if text.strip('"') in {"DPI", "DPI-C"}:
        yield "dpi", text


def _identifier(context: _SourceSpan) -> Iterator[tuple[str, str]]:
    text = context.token.text
    if text[0] != "\\":
        if text in OPAQUE:
            yield "opaque", text
        return
    if _AMBIGUOUS_NAME.search(text):
        yield "ambiguous", f"the name {text}"
    # For Icarus this is a call of that task.
    if text[1:2] == "$" and rule_for(text[2:]) not in {"plain", "print", "unknown"}:
        yield from _task(context._replace(token=context.token._replace(text=text[1:])))


def _import(context: _SourceSpan) -> Iterator[tuple[str, str]]:
    following = context.following
    kinds = [token.kind for token in following[:2]]
    if kinds[:1] == ["StringLiteral"] or (kinds[:1] == ["Directive"] and kinds[1:] != ["DoubleColon"]):
        yield "dpi", f"{context.token.text} {following[0].text}"


def _bind(context: _SourceSpan) -> Iterator[tuple[str, str]]:
    yield "bind", context.token.text


def _root(context: _SourceSpan) -> Iterator[tuple[str, str]]:
    yield "root", context.token.text


_NAMES = frozenset({"Identifier"})
_WITH_ANY_BYTE = frozenset({"Unknown", "Identifier"})
_ABOUT = {
    "SystemIdentifier": _task,
    "Directive": _directive,
    "StringLiteral": _string,
    "Identifier": _identifier,
    "ImportKeyword": _import,
    "ExportKeyword": _import,
    "BindKeyword": _bind,
    "RootSystemName": _root,
}


def _is_plain(task: str, following: list[Token]) -> bool:
    """True if a task prints one literal line without a number, which can be checked on its own."""
    words = [token.text for token in following[:3]]
    return (task.startswith("$display") and words[:1] == [";"]) or (
        task.startswith("$display")
        and len(words) == 3
        and words[0] == "("
        and words[2] == ")"
        and words[1][:1] == '"'
        and not re.search(r"[%\\0-9]", words[1])
    )


def _path(task: str, name_tokens: list[Token], folder: str) -> Iterator[tuple[str, str]]:
    """Findings on a file name after a task or directive."""
    if not name_tokens:
        return
    if name_tokens[0].kind == "StringLiteral":
        name = name_tokens[0].text.strip('"')
        # A simulator may start in a folder below the working one.
        if (name.startswith(("/", "~", "\\")) and not name.startswith("/code/")) or _leaves(folder, name):
            yield "outside", name
    elif name_tokens[0].text[:1] != "<" or task != "`include":
        yield "computed-path", task


def _leaves(folder: str, name: str) -> bool:
    if "\\" in name:
        return True
    full_path = posixpath.normpath(posixpath.join(folder, name))
    return not full_path.startswith("/code/") or full_path.startswith("/code/src")
