"""A new name for a thing at every place, if that changes nothing else."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchwright_verilog.errors import VerilogError
from benchwright_verilog.semantics.compilation.analysis import FileAnalysis
from benchwright_verilog.semantics.compilation.diagnostics import DiagnosticSeverity
from benchwright_verilog.semantics.names.branches import (
    ProjectVariants,
    places_without_meaning,
    references_in_all_branches,
    targets_in_other_branches,
)
from benchwright_verilog.semantics.names.navigation import UNITS, ReportProgress, targets_renamed_with
from benchwright_verilog.semantics.names.occurrence import Occurrence, Target, TargetKind
from benchwright_verilog.semantics.names.wildcards import wildcard_bytes_and_is_port
from benchwright_verilog.semantics.project.index.outline import DIRECTIVES
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.syntax.documents import Documents
from benchwright_verilog.syntax.keywords import RESERVED
from benchwright_verilog.syntax.uri import is_unsaved

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")
_USE = re.compile(rb"`([A-Za-z_]\w*)")
_MAX_CHECKED_FILES = 100


class RenameRefusedError(VerilogError):
    """Something can't be renamed; the message says why."""


class RenameEdit(NamedTuple):
    """Bytes of a file that are replaced."""

    path: Path
    start: int
    end: int
    text: str
    is_inactive: bool = False
    """True if the present defines leave the place out."""


class Rename(NamedTuple):
    """The edits of a new name, and the places that a person has to decide on."""

    edits: list[RenameEdit]
    unresolved_places: list[tuple[Path, int]]
    """Places of the old name in code that mean nothing under any defines that were tried; files and bytes."""


def renamable_occurrence(project: Project, analysis: FileAnalysis, byte: int) -> Occurrence:
    """The name at a byte, if it can be renamed.

    Raises:
        RenameRefusedError: The name can't be renamed.
    """
    occurrences = analysis.occurrences_at(byte)
    if not occurrences:
        raise RenameRefusedError(_nothing_to_rename_reason(analysis, byte))
    # Of `.name`, which stands for `.name(name)`, the thing that is connected is what one means here.
    occurrence = next((candidate for candidate in occurrences if candidate.is_shorthand), occurrences[0])
    target = occurrence.target
    if target.target_kind is TargetKind.FILE:
        raise RenameRefusedError(f"{target.name} is a file. Rename it where your editor shows files.")
    for named_place in (occurrence, target):
        if named_place.is_generated:
            macro_use = _sentence_start_naming_macro(project, named_place.path, named_place.start)
            raise RenameRefusedError(f"{macro_use}, writes the name {target.name}, so it can't be renamed here.")
    _require_writable_in_project(project, target.path, f"{target.name} is declared in")
    return occurrence


def rename(
    project_variants: ProjectVariants,
    analysis: FileAnalysis,
    byte: int,
    new_name: str,
    report_progress: ReportProgress = lambda searched, number: None,
    other_projects: Sequence[Project] = (),
) -> Rename:
    """Give the thing at a byte a new name, in all branches.

    Args:
        project_variants: Branches of the project.
        analysis: The file.
        byte: The place.
        new_name: The name.
        report_progress: Called before each file that is searched or checked.
        other_projects: Other open folders, where the thing may be named too.

    Raises:
        RenameRefusedError: The thing can't be renamed, or not to this.
    """
    project = project_variants.project
    target = renamable_occurrence(project, analysis, byte).target
    _require_valid_name(new_name, target)
    if new_name == target.name:
        return Rename([], [])
    edits: dict[tuple[Path, int], RenameEdit] = {}
    open_places: set[tuple[Path, int]] = set()
    targets: dict[RenameEdit, Target] = {}
    renamed_targets = targets_renamed_with(project, analysis, target)
    for renamed_target in renamed_targets:
        target_edits, open_target_places = _edits_and_open_places(
            project_variants, renamed_target, new_name, report_progress
        )
        open_places |= open_target_places
        target_edits |= _wildcard_edits(project_variants, renamed_target, new_name)
        for place, edit in target_edits.items():
            known_edit = edits.get(place)
            # What the present defines show of a place goes before what others do.
            if known_edit is None or (known_edit.is_inactive and not edit.is_inactive):
                if known_edit is not None:
                    del targets[known_edit]
                edits[place], targets[edit] = edit, renamed_target
        # Another branch may declare what the same places mean then: that is renamed too.
        renamed_targets += [
            alternative
            for alternative in targets_in_other_branches(project_variants, renamed_target, target_edits.keys())
            if alternative not in renamed_targets
        ]
    checked_projects = [project]
    for other_project in other_projects:
        other_branches = ProjectVariants(other_project)
        other_edits, open_places_there = _edits_and_open_places(other_branches, target, new_name, report_progress)
        open_places.update(places_without_meaning(other_branches, target.name, open_places_there))
        if edits_there := {place: edit for place, edit in other_edits.items() if place not in edits}:
            checked_projects.append(other_project)
            edits |= edits_there
            targets |= dict.fromkeys(edits_there.values(), target)
    _require_all_macro_uses_edited(project, target, edits)
    for checked_project in checked_projects:
        _RenameCheck(checked_project, target, new_name, targets, report_progress).require_same_meanings()
    unresolved_places = places_without_meaning(project_variants, target.name, sorted(open_places - edits.keys()))
    return Rename(list(edits.values()), unresolved_places)


def _edits_and_open_places(
    project_variants: ProjectVariants, target: Target, new_name: str, report_progress: ReportProgress
) -> tuple[dict[tuple[Path, int], RenameEdit], set[tuple[Path, int]]]:
    """The edits that rename a thing, by place, and the places of its name whose meaning is unknown."""
    edits: dict[tuple[Path, int], RenameEdit] = {}
    open_places: set[tuple[Path, int]] = set()
    project = project_variants.project
    is_own = project.folder is None or target.path.is_relative_to(project.folder)
    for file_references in references_in_all_branches(project_variants, target, report_progress):
        if not is_own and file_references.path == target.path:
            continue
        if file_references.analysis is not None and not file_references.is_inactive:
            path, outline = file_references.path, file_references.analysis.outline
            open_places |= {(path, byte) for byte in outline.word_byte_offsets_in_code(target.name)}
        open_places -= {(file_references.path, byte) for byte in file_references.other_target_bytes}
        for occurrence in file_references.occurrences:
            if occurrence.is_generated:
                macro_use = _sentence_start_naming_macro(project, occurrence.path, occurrence.start)
                raise RenameRefusedError(
                    f"{macro_use}, writes the name {target.name}. Write it without the macro there, then rename it."
                )
            text = _replacing_text(file_references.analysis, occurrence, new_name)
            edits[occurrence.path, occurrence.start] = RenameEdit(
                occurrence.path, occurrence.start, occurrence.end, text, file_references.is_inactive
            )
        if file_references.occurrences:
            _require_writable_in_project(project, file_references.path, f"{target.name} is also used in")
    return edits, open_places - edits.keys()


def _wildcard_edits(
    project_variants: ProjectVariants, target: Target, new_name: str
) -> dict[tuple[Path, int], RenameEdit]:
    """What is written before each `.*` that connects the thing, so that it connects what it did."""
    scope = target.symbol.parentScope if target.symbol is not None else None
    body = scope.containingInstance if scope is not None else None
    if body is None or target.is_generated:
        return {}
    project = project_variants.project
    paths = list(dict.fromkeys([target.path, *project.files_with_word(body.definition.name)]))
    paths = [path for path in paths if (outline := project.outline(path)) is not None and b".*" in outline.data]
    edits: dict[tuple[Path, int], RenameEdit] = {}
    for tried_project in (project, *project_variants.variants(project_variants.files_with_conditions(paths))):
        for analysis in tried_project.lookup_analyses_of(paths):
            for byte, is_port in wildcard_bytes_and_is_port(analysis, target):
                names = (new_name, target.name) if is_port else (target.name, new_name)
                text = f".{names[0]}({names[1]}), "
                is_inactive = tried_project is not project
                edits.setdefault((analysis.path, byte), RenameEdit(analysis.path, byte, byte, text, is_inactive))
    for path, _ in edits:
        _require_writable_in_project(project, path, f"{target.name} is also connected in")
    return edits


def _replacing_text(analysis: FileAnalysis | None, occurrence: Occurrence, new_name: str) -> str:
    """What is written instead of a name."""
    if analysis is None:
        return new_name
    # Where the module is missing, only the connected thing of `.name` means something.
    if not occurrence.is_shorthand and len(analysis.occurrences_at(occurrence.start)) == 1:
        return new_name
    # `.name` for `.name(name)`, and in a clocking block `name` for `name = name`.
    old_name = occurrence.target.name
    outer_name, inner_name = (old_name, new_name) if occurrence.is_shorthand else (new_name, old_name)
    is_connection = analysis.outline.code[: occurrence.start].rstrip().endswith(b".")
    return f"{outer_name}({inner_name})" if is_connection else f"{outer_name} = {inner_name}"


def _nothing_to_rename_reason(analysis: FileAnalysis, byte: int) -> str:
    word = _word_at(analysis.data, byte)
    if word in RESERVED:
        return f"{word} is a keyword of the language."
    if word.startswith("$"):
        return f"{word} is a system task or function."
    if word:
        return f"It is unknown what {word} means here, so it can't be renamed."
    return "There is no name here."


def _word_at(data: bytes, name_byte: int) -> str:
    start = end = name_byte
    while start > 0 and re.match(rb"[\w$`]", data[start - 1 : start]):
        start -= 1
    while end < len(data) and re.match(rb"[\w$]", data[end : end + 1]):
        end += 1
    return data[start:end].decode(errors="replace")


def _require_valid_name(new_name: str, target: Target) -> None:
    if not _IDENTIFIER.fullmatch(new_name):
        raise RenameRefusedError(
            f"{new_name!r} is not a name: it has to start with a letter or underscore; letters, digits, _ and $ may "
            "follow."
        )
    if target.target_kind is TargetKind.MACRO:
        if new_name.encode() in DIRECTIVES:
            raise RenameRefusedError(f"`{new_name} is a directive of the language. Choose another name.")
    elif new_name in RESERVED:
        raise RenameRefusedError(f"{new_name} is a keyword of the language. Choose another name.")


def _require_writable_in_project(project: Project, path: Path, sentence_start: str) -> None:
    # Words are compared: making the paths of all folders around takes longer than asking the disk.
    if project.folder is not None and not str(path).startswith(f"{project.folder}{os.sep}"):
        raise RenameRefusedError(
            f"{sentence_start} {path}, outside of the folder {project.folder}. Open its folder to rename it."
        )
    if not is_unsaved(path) and not os.access(path, os.W_OK):
        raise RenameRefusedError(f"{sentence_start} {path}, which can't be written.")


def _require_all_macro_uses_edited(project: Project, target: Target, edits: dict[tuple[Path, int], RenameEdit]) -> None:
    """Refuse if a macro's body has the name and the macro is used in a file of the thing."""
    if target.target_kind is not TargetKind.MACRO:
        return
    for path in project.files_with_word(target.name):
        outline = project.outline(path)
        if outline is None:
            continue
        for offset in outline.word_byte_offsets(target.name):
            byte_before = outline.code[max(0, offset - 1) : offset]
            if byte_before == b"`" and (path, offset) not in edits:
                line = _line_number(project, path, offset)
                raise RenameRefusedError(
                    f"In {path.name}, line {line}, another definition of {target.name} may be meant. "
                    "Rename it by hand there, then here."
                )


def _sentence_start_naming_macro(project: Project, path: Path, byte: int) -> str:
    """The macro that is used at a byte, and its place, as the beginning of a sentence."""
    outline = project.outline(path)
    match = _USE.match(outline.data, byte) if outline is not None else None
    name = f"The macro {match[1].decode()}" if match else "A macro"
    return f"{name} in {path.name}, line {_line_number(project, path, byte)}"


def _line_number(project: Project, path: Path, byte: int) -> int:
    outline = project.outline(path)
    return outline.data.count(b"\n", 0, byte) + 1 if outline is not None else 1


class _ErrorInFile(NamedTuple):
    start: int
    """First byte."""
    rule: str
    line: int
    """Counted from 1."""
    message: str


class _NewNameInFile(NamedTuple):
    occurrences: list[Occurrence]
    errors: list[_ErrorInFile]
    """slang's, in its order."""


class _RewrittenTexts(Mapping[Path, str]):
    """Source files after edits, each made when it is asked for.

    Args:
        project: The files as they are.
        edits_by_path: The edits of each, in their order.
    """

    def __init__(self, project: Project, edits_by_path: Mapping[Path, Sequence[RenameEdit]]) -> None:
        self._project = project
        self._edits_by_path = edits_by_path

    def __getitem__(self, path: Path) -> str:
        edits = self._edits_by_path[path]
        outline = self._project.outline_for_search(path)
        data = outline.data if outline is not None else b""
        for edit in reversed(edits):
            data = data[: edit.start] + edit.text.encode() + data[edit.end :]
        return data.decode("utf-8", "replace")

    def __contains__(self, edited_path: object) -> bool:
        return edited_path in self._edits_by_path

    def __iter__(self) -> Iterator[Path]:
        return iter(self._edits_by_path)

    def __len__(self) -> int:
        return len(self._edits_by_path)


class _RenameCheck:
    """Analyses the files as they would be: every name has to mean what it meant before.

    Args:
        project: As it is.
        target: The thing that gets a new name.
        new_name: The name.
        targets_by_edit: Places of the edits, each with the thing that it renames: this, or another that needs the same
            name.
        report_progress: Called before each file that is checked.
    """

    def __init__(
        self,
        project: Project,
        target: Target,
        new_name: str,
        targets_by_edit: dict[RenameEdit, Target],
        report_progress: ReportProgress,
    ) -> None:
        self._project = project
        self._target = target
        self._new = new_name
        self._report = report_progress
        self._targets = targets_by_edit
        self._renamed = set(targets_by_edit.values())
        self._edits: dict[Path, list[RenameEdit]] = {}
        for edit in sorted(targets_by_edit, key=lambda edit_: edit_.start):
            self._edits.setdefault(edit.path, []).append(edit)

    def require_same_meanings(self) -> None:
        """Raise `RenameRefusedError` if something would mean something else."""
        if self._target.target_kind in UNITS | {TargetKind.MACRO}:
            self._require_unused_new_name()
        paths = dict.fromkeys([*self._edits, *self._project.files_with_word(self._new)])
        checked_paths = list(paths)[:_MAX_CHECKED_FILES]
        old_occurrences = self._new_name_by_file(self._project, checked_paths)
        renamed_project = self._renamed_project(checked_paths)
        renamed_occurrences = self._new_name_by_file(renamed_project, checked_paths)
        for path, (occurrences, old_errors) in old_occurrences.items():
            expected_uses = {
                (self._byte_after_edits(path, occurrence.start), self._target_after_edits(occurrence.target))
                for occurrence in occurrences
            }
            expected_uses |= {
                (self._byte_after_edits(path, edit.start, edit), self._target_after_edits(self._targets[edit]))
                for edit in self._edits.get(path, ())
                if not edit.is_inactive
            }
            new_occurrences, new_errors = renamed_occurrences[path]
            actual = {(occurrence.start, occurrence.target) for occurrence in new_occurrences}
            for start, target in sorted(actual ^ expected_uses, key=lambda start_and_target: start_and_target[0]):
                raise RenameRefusedError(self._clash_message(renamed_project, path, start, target))
            expected_errors = {
                (self._edit_start_after_edits(path, file_error.start), file_error.rule) for file_error in old_errors
            }
            for file_error in new_errors:
                if (file_error.start, file_error.rule) not in expected_errors:
                    raise RenameRefusedError(
                        f"With the name {self._new}, {path.name} would be wrong in line {file_error.line}: "
                        f"{file_error.message}."
                    )

    def _require_unused_new_name(self) -> None:
        for path in self._project.files_with_word(self._new):
            outline = self._project.outline(path)
            names = {unit.name for unit in outline.units} if outline is not None else set()
            if self._target.target_kind is TargetKind.MACRO and outline is not None:
                names = {macro.name for macro in outline.macros}
            if self._new in names:
                raise RenameRefusedError(f"{self._new} is already there, in {path.name}. Choose another name.")

    def _new_name_by_file(self, project: Project, paths: list[Path]) -> dict[Path, _NewNameInFile]:
        """What the new name means in each file, before or after the edits."""
        by_path = {}
        for analysis in project.lookup_analyses_of(paths):
            self._report(len(paths), len(paths))
            occurrences = [
                occurrence for occurrence in analysis.occurrences_of(self._new) if not occurrence.is_generated
            ]
            by_path[analysis.path] = _NewNameInFile(occurrences, list(self._errors(analysis)))
        return by_path

    def _errors(self, analysis: FileAnalysis) -> Iterator[_ErrorInFile]:
        for diagnostic in analysis.diagnostics:
            if diagnostic.severity is DiagnosticSeverity.ERROR:
                line = analysis.data.count(b"\n", 0, diagnostic.start) + 1
                yield _ErrorInFile(diagnostic.start, diagnostic.rule, line, diagnostic.message)

    def _renamed_project(self, checked_paths: Iterable[Path]) -> Project:
        """The project with the edits. Files that are neither checked nor declare it are rewritten as they are read."""
        rewritten = _RewrittenTexts(self._project, self._edits)
        opened_paths = {*checked_paths, *(target.path for target in self._renamed), *self._project.open_paths}
        opened_texts = {path: rewritten[path] for path in self._edits if path in opened_paths}
        return self._project.with_texts(Documents(), opened_texts, rewritten_texts=rewritten)

    def _byte_after_edits(self, path: Path, byte: int, edit: RenameEdit | None = None) -> int:
        """The place of a byte after the edits; the new name's first byte for the byte of an edit."""
        edits = self._edits.get(path, [])
        index = bisect_right([file_edit.start for file_edit in edits], byte)
        if edit is not None:
            index -= 1
        shift = sum(len(file_edit.text.encode()) - (file_edit.end - file_edit.start) for file_edit in edits[:index])
        if edit is None or edit.text == self._new:
            return byte + shift
        name_match = re.search(rf"(?<![\w$]){re.escape(self._new)}(?![\w$])", edit.text)
        return byte + shift + (name_match.start() if name_match is not None else 0)

    def _edit_start_after_edits(self, path: Path, byte: int) -> int:
        """The place of a byte that may be the first of an edit."""
        edit = next((file_edit for file_edit in self._edits.get(path, []) if file_edit.start == byte), None)
        return self._byte_after_edits(path, byte, edit)

    def _target_after_edits(self, target: Target) -> Target:
        if target in self._renamed:
            start = self._edit_start_after_edits(target.path, target.start)
            return Target(target.path, start, start + len(self._new.encode()), self._new)
        start = self._byte_after_edits(target.path, target.start)
        return Target(target.path, start, start + target.end - target.start, target.name)

    def _clash_message(self, renamed_project: Project, path: Path, start: int, target: Target) -> str:
        line = _line_number(renamed_project, path, start)
        return (
            f"{self._new} would not mean the same in {path.name}, line {line}: something else has that name there. "
            "Choose another name."
        )
