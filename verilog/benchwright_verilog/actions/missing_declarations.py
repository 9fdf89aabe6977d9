"""Fixes of names that another file of the project declares: include its header, or import from its package."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from benchwright_verilog.actions.action import (
    Action,
    CodeSelection,
    TextChange,
    newline,
    self_or_ancestor_of_kind,
    smallest_node_around,
)
from benchwright_verilog.actions.names import MODULES, UNKNOWN_NAME
from benchwright_verilog.findings.finding import Finding
from benchwright_verilog.findings.source import SLANG
from benchwright_verilog.semantics.names.navigation import header_macros
from benchwright_verilog.semantics.names.occurrence import TargetKind
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.syntax.uri import document_path

_UNKNOWN_MACRO = re.compile(r"unknown macro or compiler directive '`(?P<name>\w+)'")
_INCLUDE_LINE = re.compile(r"^[ \t]*`include\b[^\n]*\n?", re.MULTILINE)
_LEADING_COMMENTS = re.compile(r"(?:\s*(?://[^\n]*(?:\n|\Z)|/\*.*?\*/))*[^\S\n]*\n?", re.DOTALL)
_MODULE_NAME = re.compile(r"\b(?:module|interface|program)\s+(?:automatic\s+|static\s+)?(?:\w+|\\\S+)")
_PACKAGE_HEAD = re.compile(r"\bpackage\b[^;]*;")
_MOST_FILES = 8


def include_and_import_fixes(code_selection: CodeSelection, finding: Finding, project: Project) -> Iterator[Action]:
    """Fixes of a macro or name that is unknown here. Blocks on the disk."""
    if finding.source is not SLANG:
        return
    if match := _UNKNOWN_MACRO.match(finding.message):
        yield from _include_fixes(code_selection, finding, match["name"], project)
    elif (match := UNKNOWN_NAME.match(finding.message)) and match["name"].isidentifier():
        yield from _import_fixes(code_selection, finding, match["name"], project)


def _include_fixes(
    code_selection: CodeSelection, finding: Finding, macro_name: str, project: Project
) -> Iterator[Action]:
    document = code_selection.document
    includer = document_path(document.uri)
    for header in (target.path for target in header_macros(project, macro_name)):
        if header == includer:
            continue
        name = _name_to_include(header, includer, project)
        included = list(_INCLUDE_LINE.finditer(document.text))
        leading = _LEADING_COMMENTS.match(document.text)
        place = included[-1].end() if included else leading.end() if leading is not None else 0
        change = TextChange(place, place, f'`include "{name}"{newline(document)}')
        yield Action(f'Include "{name}", which defines `{macro_name}', (change,), finding=finding)


def _name_to_include(header: Path, includer: Path, project: Project) -> str:
    if project.find_include(includer, header.name) == header:
        return header.name
    return Path(os.path.relpath(header, includer.parent)).as_posix()


def _import_fixes(
    code_selection: CodeSelection, finding: Finding, missing_name: str, project: Project
) -> Iterator[Action]:
    document = code_selection.document
    node = smallest_node_around(document, finding.start, finding.start)
    unit = self_or_ancestor_of_kind(node, *MODULES, "package_declaration")
    unit_head = None
    if unit is not None:
        pattern = _PACKAGE_HEAD if unit.type == "package_declaration" else _MODULE_NAME
        unit_head = pattern.search(document.text, document.lines.from_byte(unit.start_byte))
    for package in _packages_declaring(missing_name, project):
        qualified = TextChange(finding.start, finding.end, f"{package}::{missing_name}")
        yield Action(f"Write '{package}::{missing_name}'", (qualified,), finding=finding)
        if unit_head is not None:
            import_change = TextChange(unit_head.end(), unit_head.end(), f" import {package}::{missing_name};")
            yield Action(f"Import '{package}::{missing_name}'", (import_change,), finding=finding)


def _packages_declaring(declared_name: str, project: Project) -> Iterator[str]:
    naming_paths = set(project.files_with_word(declared_name))
    packages_by_file = {
        path: [symbol.name for symbol in symbols if symbol.target_kind is TargetKind.PACKAGE]
        for path, symbols in project.declared_names_by_file()
        if path in naming_paths
    }
    paths = [path for path, package_names in packages_by_file.items() if package_names][:_MOST_FILES]
    for analysis in project.lookup_analyses_of(paths):
        candidates = map(analysis.lookup_compilation.getPackage, packages_by_file[analysis.path])
        yield from (
            package.name for package in candidates if package is not None and package.find(declared_name) is not None
        )
