"""Contents of a Verilog file that some rule is about, whatever the problem."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from benchwright_harness.scan import characters, macros
from benchwright_harness.scan.rules import rule_of_system_task
from benchwright_harness.scan.tokens import Comment, SourceToken, as_ascii, comments_before, lexed_tokens


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


def rule_matches(path: str, content: bytes) -> Iterator[RuleMatch]:
    """Everything in a file that some rule is about.

    Args:
        path: Path of the file in the workspace.
        content: Without a byte order mark.
    """
    yield from map(RuleMatch._make, characters.character_findings(content))
    text = as_ascii(content)
    tokens = lexed_tokens(text)
    yield from map(RuleMatch._make, macros.macro_findings(text, tokens))
    # Only what an `initial` does is done while a design is read; one can be put together from pieces.
    runs_while_read = any(token.kind in {"InitialKeyword", "MacroPaste"} for token in tokens)
    has_strays = "\x7f" in text
    last_index = len(tokens) - 1
    for index, token in enumerate(tokens):
        if text.find("/", token.previous_end, token.start) >= 0:
            for comment in comments_before(text, token):
                yield from _comment_matches(comment)
        if has_strays and token.kind in _WITH_ANY_BYTE and (stray := token.text.find("\x7f")) >= 0:
            offset = token.start + stray
            yield RuleMatch("character", characters.non_ascii_character_name(content, offset), offset)
        examine = _ABOUT.get(token.kind)
        if examine is not None and (
            examine is not _identifier_findings or token.text[0] == "\\" or token.text in OPAQUE
        ):
            next_tokens = tokens[index + 1 : min(index + 5, last_index)]
            yield from (
                RuleMatch(rule, words, token.start)
                for rule, words in examine(_TokenContext(path, token, next_tokens, runs_while_read))
            )


class _TokenContext(NamedTuple):
    path: str
    token: SourceToken
    next_tokens: list[SourceToken]
    may_run_while_read: bool


def _comment_matches(comment: Comment) -> Iterator[RuleMatch]:
    if not comment.is_closed:
        yield RuleMatch("ambiguous", "a comment without its end", comment.start)
    if match := _TO_YOSYS.search(comment.text):
        yield RuleMatch("tool-branch", match[0], comment.start)
    if match := _TO_VERILATOR.match(comment.text):
        yield RuleMatch("tool-comment", match[0], comment.start)


def _task_findings(context: _TokenContext) -> Iterator[tuple[str, str]]:
    text, next_tokens = context.token.text, context.next_tokens
    rule = rule_of_system_task(text[1:])
    if rule != "plain":
        yield rule, text
    if context.may_run_while_read and _PRINTS_WHILE_READ.fullmatch(text) and not _prints_plain_line(text, next_tokens):
        yield "computed-print", text
    if rule in _WITH_PATH and _TAKES_PATH.search(text):
        yield from _path_findings(text, next_tokens[1:2], "/code/rundir")


def _directive_findings(context: _TokenContext) -> Iterator[tuple[str, str]]:
    text, next_tokens = context.token.text, context.next_tokens
    if text == "`include":
        yield from _path_findings(text, next_tokens[:1], posixpath.dirname(f"/code/{context.path}"))
    elif text == "`uselib":
        yield "outside", text
    elif text == "`line":
        yield "location", text
    elif _ENCRYPTED.fullmatch(text) or (text == "`pragma" and next_tokens and next_tokens[0].text == "protect"):
        yield "ambiguous", f"{text} {next_tokens[0].text}" if text == "`pragma" else text
    elif text in {"`ifdef", "`ifndef", "`elsif"}:
        name = next_tokens[0].text.removeprefix("\\") if next_tokens else ""
        if not next_tokens or next_tokens[0].kind not in _NAMES:
            yield "ambiguous", f"{text} {name}".strip()
        elif _TELL_TOOLS_APART.fullmatch(name):
            yield "tool-branch", f"{text} {name}"
    elif text.startswith(("`systemc_", "`verilator_config")):
        yield "native", text
    elif "\\" in text:
        yield "ambiguous", f"the name {text}"


def _string_findings(context: _TokenContext) -> Iterator[tuple[str, str]]:
    text = context.token.text
    touching = context.next_tokens[:1] and context.next_tokens[0].start == context.token.end
    if text.startswith('"""') or (text == '""' and touching and context.next_tokens[0].text.startswith('"')):
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


def _identifier_findings(context: _TokenContext) -> Iterator[tuple[str, str]]:
    text = context.token.text
    if text[0] != "\\":
        if text in OPAQUE:
            yield "opaque", text
        return
    if _AMBIGUOUS_NAME.search(text):
        yield "ambiguous", f"the name {text}"
    # For Icarus this is a call of that task.
    if text[1:2] == "$" and rule_of_system_task(text[2:]) not in {"plain", "print", "unknown"}:
        yield from _task_findings(context._replace(token=context.token._replace(text=text[1:])))


def _import_findings(context: _TokenContext) -> Iterator[tuple[str, str]]:
    next_tokens = context.next_tokens
    next_kinds = [token.kind for token in next_tokens[:2]]
    if next_kinds[:1] == ["StringLiteral"] or (next_kinds[:1] == ["Directive"] and next_kinds[1:] != ["DoubleColon"]):
        yield "dpi", f"{context.token.text} {next_tokens[0].text}"


def _bind_findings(context: _TokenContext) -> Iterator[tuple[str, str]]:
    yield "bind", context.token.text


def _root_findings(context: _TokenContext) -> Iterator[tuple[str, str]]:
    yield "root", context.token.text


_NAMES = frozenset({"Identifier"})
_WITH_ANY_BYTE = frozenset({"Unknown", "Identifier"})
_ABOUT = {
    "SystemIdentifier": _task_findings,
    "Directive": _directive_findings,
    "StringLiteral": _string_findings,
    "Identifier": _identifier_findings,
    "ImportKeyword": _import_findings,
    "ExportKeyword": _import_findings,
    "BindKeyword": _bind_findings,
    "RootSystemName": _root_findings,
}


def _prints_plain_line(task_name: str, next_tokens: list[SourceToken]) -> bool:
    """True if a task prints one literal line without a number, which can be checked on its own."""
    words = [token.text for token in next_tokens[:3]]
    return (task_name.startswith("$display") and words[:1] == [";"]) or (
        task_name.startswith("$display")
        and len(words) == 3
        and words[0] == "("
        and words[2] == ")"
        and words[1][:1] == '"'
        and not re.search(r"[%\\0-9]", words[1])
    )


def _path_findings(
    task_or_directive: str, file_name_tokens: list[SourceToken], source_folder: str
) -> Iterator[tuple[str, str]]:
    """Findings on a file name after a task or directive."""
    if not file_name_tokens:
        return
    if file_name_tokens[0].kind == "StringLiteral":
        name = file_name_tokens[0].text.strip('"')
        # A simulator may start in a folder below the working one.
        if (name.startswith(("/", "~", "\\")) and not name.startswith("/code/")) or _leads_outside(source_folder, name):
            yield "outside", name
    elif file_name_tokens[0].text[:1] != "<" or task_or_directive != "`include":
        yield "computed-path", task_or_directive


def _leads_outside(source_folder: str, file_name: str) -> bool:
    if "\\" in file_name:
        return True
    full_path = posixpath.normpath(posixpath.join(source_folder, file_name))
    return not full_path.startswith("/code/") or full_path.startswith("/code/src")
