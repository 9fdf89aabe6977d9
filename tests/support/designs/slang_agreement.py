"""Agreement of the language server's answers with slang's elaboration, at random places of a project."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from benchwright_verilog.language.explanation.explanations import explain_name
from benchwright_verilog.semantics.names.branches import ProjectVariants
from benchwright_verilog.semantics.names.navigation import definitions, references
from benchwright_verilog.semantics.names.occurrence import Target, TargetKind
from benchwright_verilog.semantics.names.renaming import RenameEdit, RenameRefusedError, rename
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.syntax.documents import Documents

from .slang_names import Elaborated, NameLocation, elaborated

NEW = "newly_named"


@dataclass
class Agreement:
    """Results of asking.

    Attributes:
        asked: At how many places.
        missing: Where there was no answer, or a part of it missed.
        wrong: Where there was an answer that slang does not give.
        refused: Renames that were refused, with the reason.
    """

    question_count: int = 0
    missing: list[str] = field(default_factory=list)
    wrong_answers: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)

    @property
    def right(self) -> float:
        """The share of places with the whole answer."""
        return 1 - (len(self.missing) + len(self.wrong_answers)) / max(1, self.question_count)


@dataclass
class Sources:
    """A project on disk.

    Attributes:
        folder: Where.
        listed: The files in the order of compilation, relative to it.
        include: Folders of included files, relative to it.
        defines: Macros, `NAME=VALUE`.
        tops: The modules to elaborate.
    """

    folder: Path
    listed_files: Sequence[str]
    include: Sequence[str] = ()
    defines: Sequence[str] = ()
    tops: Sequence[str] = ()

    def elaborated(self, folder: Path | None = None, *, with_defaults: bool = False) -> Elaborated:
        """As slang elaborates it, or a copy of it in another folder."""
        design_folder = folder or self.folder
        files, include = (
            [design_folder / name for name in self.listed_files],
            [design_folder / name for name in self.include],
        )
        return elaborated(files, include, self.defines, self.tops, with_defaults=with_defaults)


class Asking:
    """Asks at random places that slang knows.

    Args:
        sources: Sources that it asks about.
        seed: Other places with another one.
    """

    def __init__(self, sources: Sources, seed: int = 1) -> None:
        self.sources = sources
        self.oracle = sources.elaborated()
        self.project = Project(sources.folder, Documents())
        self.project.refresh_if_stale()
        if self.project.inventory is not None:
            self.project.inventory.wait_for_background_reading()
        self._dice = random.Random(seed)
        self._known_places = sorted(
            location for location in self.oracle.means if location.path.is_relative_to(sources.folder)
        )

    def places(self, count: int) -> list[NameLocation]:
        """Random places, in the order of their files."""
        return sorted(self._dice.sample(self._known_places, min(count, len(self._known_places))))

    def definitions(self, locations: Iterable[NameLocation]) -> Agreement:
        """Compare where names are declared."""
        agreement = Agreement()
        for location in locations:
            agreement.question_count += 1
            analysis = self.project.analysis_of(location.path)
            targets = definitions(analysis, location.start) if analysis is not None else []
            if any(target.is_generated for target in targets):
                continue  # slang tells no place of what a macro wrote.
            answer_locations = {self._declared(target) for target in targets}
            answer_text = (
                f"{self._description(location)}: {', '.join(map(self._description, sorted(answer_locations)))}"
            )
            expected_text = f", not {', '.join(map(self._description, sorted(self.oracle.means[location])))}"
            if not answer_locations:
                agreement.missing.append(answer_text + expected_text)
            elif not answer_locations <= self.oracle.means[location]:
                agreement.wrong_answers.append(answer_text + expected_text)
        return agreement

    def references(self, locations: Iterable[NameLocation]) -> Agreement:
        """Compare where else things are named."""
        agreement = Agreement()
        for location in locations:
            for target in self._targets(location):
                agreement.question_count += 1
                answer_locations = {
                    NameLocation(occurrence.path, occurrence.start)
                    for occurrence in references(self.project, target)
                    if not occurrence.is_generated
                }
                declaration = self._declared(target)
                if missing := self.oracle.references(declaration) - answer_locations:
                    agreement.missing.append(
                        f"{self._description(declaration)}: {', '.join(map(self._description, sorted(missing)))}"
                    )
                wrong_locations = {
                    answer_location
                    for answer_location in answer_locations
                    if answer_location in self.oracle.means and declaration not in self.oracle.means[answer_location]
                }
                if wrong_locations := wrong_locations | {
                    answer_location
                    for answer_location in answer_locations
                    if self.oracle.name_at(answer_location) != target.name
                }:
                    agreement.wrong_answers.append(
                        f"{self._description(declaration)}: "
                        f"{', '.join(map(self._description, sorted(wrong_locations)))}"
                    )
        return agreement

    def compare_hovers(self, locations: Iterable[NameLocation]) -> Agreement:
        """Compare the width that a hover shows of a value."""
        agreement = Agreement()
        for location in locations:
            value_widths = self.oracle.value_widths.get(location)
            analysis = self.project.analysis_of(location.path)
            if not value_widths or analysis is None:
                continue
            agreement.question_count += 1
            documents = Documents()
            documents.open(location.path.as_uri(), 1, analysis.data.decode())
            open_document = documents.get(location.path.as_uri())
            offset = len(analysis.data[: location.start].decode())
            explanation = (
                explain_name(open_document, offset, analysis, lambda path: path.read_text()) if open_document else None
            )
            if explanation is None:
                agreement.missing.append(f"{self._description(location)}: nothing, not {value_widths}")
                continue
            widths = {int(width) for width in re.findall(r"(?<![\w`])(\d+) bits?\b", explanation.markdown)}
            expected_widths = {width for _, width in value_widths if width}
            # In a class with parameters nothing is known of a type that is one of them.
            depends = len(expected_widths) > 1 and not widths
            if expected_widths and not depends and not widths & (expected_widths | self._default_widths(location)):
                agreement.wrong_answers.append(
                    f"{self._description(location)}: {explanation.markdown!r}, not {value_widths}"
                )
        return agreement

    def renames(self, locations: Iterable[NameLocation], scratch: Path) -> Agreement:
        """Rename, and compare the elaboration of the edited copy."""
        agreement = Agreement()
        old_description = self.oracle.description_lines()
        for location in locations:
            agreement.question_count += 1
            analysis = self.project.analysis_of(location.path)
            assert analysis is not None
            try:
                edits = rename(ProjectVariants(self.project), analysis, location.start, NEW).edits
            except RenameRefusedError as error:
                agreement.refusals.append(f"{self._description(location)}: {error}")
                continue
            old_name = self.oracle.name_at(location)
            edited = self.sources.elaborated(self._edited(edits, scratch))
            new_description = [re.sub(rf"\b{NEW}\b", old_name, line) for line in edited.description_lines()]
            plain_description = [line.replace(f"\\{old_name} ", old_name) for line in old_description]
            if edited.errors != self.oracle.errors or new_description != plain_description:
                differing = next(
                    (pair for pair in zip(plain_description, new_description, strict=False) if pair[0] != pair[1]), None
                )
                agreement.wrong_answers.append(f"{self._description(location)}: {edited.errors or differing}")
        return agreement

    def errors(self) -> list[str]:
        """The errors that the server reports of the listed files."""
        errors = []
        for name in self.sources.listed_files:
            analysis = self.project.analysis_of(self.sources.folder / name)
            assert analysis is not None
            errors += [
                f"{name}: {diagnostic.message}"
                for diagnostic in analysis.diagnostics
                if diagnostic.severity.name == "ERROR"
            ]
        return errors

    def _default_widths(self, location: NameLocation) -> set[int]:
        """The widths with the default parameters of all modules: a hover shows them while no instance is chosen."""
        declarations = {location, *self.oracle.means[location]}
        return {width for declaration in declarations for _, width in self._defaults.value_widths.get(declaration, ())}

    @cached_property
    def _defaults(self) -> Elaborated:
        return self.sources.elaborated(with_defaults=True)

    def _edited(self, edits: Iterable[RenameEdit], scratch: Path) -> Path:
        shutil.rmtree(scratch, ignore_errors=True)
        shutil.copytree(self.sources.folder, scratch)
        for edit in sorted(edits, key=lambda replacement: (replacement.path, -replacement.start)):
            path = scratch / edit.path.relative_to(self.sources.folder)
            data = path.read_bytes()
            path.write_bytes(data[: edit.start] + edit.text.encode() + data[edit.end :])
        return scratch

    def _targets(self, location: NameLocation) -> set[Target]:
        analysis = self.project.analysis_of(location.path)
        occurrences = analysis.occurrences_at(location.start) if analysis is not None else ()
        return {occurrence.target for occurrence in occurrences if occurrence.target.target_kind is not TargetKind.FILE}

    def _declared(self, target: Target) -> NameLocation:
        location = NameLocation(target.path, target.start)
        return self.oracle.canonical.get(location, location)

    def _description(self, location: NameLocation) -> str:
        line = self.oracle.text(location.path).count(b"\n", 0, location.start) + 1
        return f"{self.oracle.name_at(location)} in {location.path.name}:{line}"
