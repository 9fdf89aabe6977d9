"""Fixes of unknown names: correct the spelling, declare the name, or add a port."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright_verilog.actions.action import (
    Action,
    CodeSelection,
    TextChange,
    code_point_range,
    first_child_of_kind,
    line_indentation,
    newline,
    self_or_ancestor_of_kind,
    smallest_node_around,
)
from benchwright_verilog.actions.headers import ansi_port_addition
from benchwright_verilog.findings.finding import Finding
from benchwright_verilog.findings.source import SLANG

UNKNOWN_NAME = re.compile(r"use of undeclared identifier '(?P<name>[^']+)'")
_IMPLICIT = re.compile(r"implicit net '(?P<name>[^']+)' created")
_MEANT = re.compile(r"did you mean '(?P<name>[^']+)'\?")
_EXPECTED = re.compile(r"expected '(?P<text>[^']+)'")
_HEADERS = ("module_ansi_header", "module_nonansi_header", "interface_ansi_header", "program_ansi_header")
MODULES = ("module_declaration", "interface_declaration", "program_declaration")


def name_or_missing_token_fixes(code_selection: CodeSelection, finding: Finding) -> Iterator[Action]:
    """Fixes of an unknown name or a missing symbol."""
    if finding.source is not SLANG:
        return
    if match := _MEANT.search(finding.message):
        name = match["name"]
        change = TextChange(finding.start, finding.end, name)
        yield Action(f"Change to '{name}'", (change,), finding=finding, is_preferred=True)
    if match := UNKNOWN_NAME.match(finding.message) or _IMPLICIT.match(finding.message):
        name = match["name"]
        if name.isidentifier():
            yield from _declaration_and_port_fixes(code_selection, finding, name)
    elif (match := _EXPECTED.fullmatch(finding.message)) and not match["text"].startswith("<"):
        text = match["text"]
        character_before = code_selection.document_text[finding.start - 1 : finding.start]
        glued = text[0].isalnum() and character_before and not character_before.isspace()
        change = TextChange(finding.start, finding.start, f" {text}" if glued else text)
        yield Action(f"Insert '{text}'", (change,), finding=finding, is_preferred=text == ";")


def _declaration_and_port_fixes(
    code_selection: CodeSelection, finding: Finding, undeclared_name: str
) -> Iterator[Action]:
    document = code_selection.document
    node = smallest_node_around(document, finding.start, finding.start)
    scope = self_or_ancestor_of_kind(node, *MODULES)
    if scope is None:
        return
    scope_member = node
    while scope_member.parent is not None and scope_member.parent != scope:
        scope_member = scope_member.parent
    module_header = first_child_of_kind(scope, *_HEADERS)
    if scope_member.parent == scope and scope_member != module_header:
        start, _ = code_point_range(document, scope_member)
        line_start, _ = document.lines.line_bounds(document.lines.line_index(start) + 1)
        indent, eol = line_indentation(document, start), newline(document)
        text_before = document.text[line_start:start].strip()
        is_alone = not text_before or (text_before.startswith("/*") and text_before.endswith("*/"))
        change = (
            TextChange(line_start, line_start, f"{indent}logic {undeclared_name};{eol}")
            if is_alone
            else TextChange(start, start, f"logic {undeclared_name}; ")
        )
        yield Action(f"Declare 'logic {undeclared_name}'", (change,), finding=finding)
    for direction in ("input", "output"):
        if (
            added := ansi_port_addition(code_selection.document, scope, f"{direction} logic {undeclared_name}")
        ) is not None:
            yield Action(f"Add the {direction} port '{undeclared_name}'", (added,), finding=finding)
