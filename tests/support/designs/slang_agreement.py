"""How far the language server's answers agree with slang's elaboration, at random places of a project."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from benchwright_verilog.language.explanation.explanations import explain_name
from benchwright_verilog.semantics.names.navigation import definitions, references
from benchwright_verilog.semantics.names.occurrence import Target, TargetKind
from benchwright_verilog.semantics.names.renaming import Edit, RenameRefusedError, rename
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.syntax.documents import Documents

from .slang_names import Elaborated, Place, elaborated

NEW = "newly_named"


@dataclass
class Agreement:
    """What came of asking.

    Attributes:
        asked: At how many places.
        missing: Where there was no answer, or a part of it missed.
        wrong: Where there was an answer that slang does not give.
        refused: Renames that were refused, with the reason.
    """

    asked: int = 0
    missing: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    @property
    def right(self) -> float:
        """The share of places with the whole answer."""
        return 1 - (len(self.missing) + len(self.wrong)) / max(1, self.asked)


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
    listed: Sequence[str]
    include: Sequence[str] = ()
    defines: Sequence[str] = ()
    tops: Sequence[str] = ()

    def elaborated(self, folder: Path | None = None, *, with_defaults: bool = False) -> Elaborated:
        """As slang elaborates it, or a copy of it in another folder."""
        at = folder or self.folder
        files, include = [at / name for name in self.listed], [at / name for name in self.include]
        return elaborated(files, include, self.defines, self.tops, with_defaults=with_defaults)


class Asking:
    """Asks at random places that slang knows.

    Args:
        sources: Of what.
        seed: Other places with another one.
    """

    def __init__(self, sources: Sources, seed: int = 1) -> None:
        self.sources = sources
        self.oracle = sources.elaborated()
        self.project = Project(sources.folder, Documents())
        self.project.refresh()
        if self.project.inventory is not None:
            self.project.inventory.wait()
        self._dice = random.Random(seed)
        self._known = sorted(place for place in self.oracle.means if place.path.is_relative_to(sources.folder))

    def places(self, count: int) -> list[Place]:
        """Random places, in the order of their files."""
        return sorted(self._dice.sample(self._known, min(count, len(self._known))))

    def definitions(self, places: Iterable[Place]) -> Agreement:
        """Compare where names are declared."""
        found = Agreement()
        for place in places:
            found.asked += 1
            analysis = self.project.analysis_of(place.path)
            targets = definitions(analysis, place.start) if analysis is not None else []
            if any(target.generated for target in targets):
                continue  # slang tells no place of what a macro wrote.
            answers = {self._declared(target) for target in targets}
            said = f"{self._named(place)}: {', '.join(map(self._named, sorted(answers)))}"
            expected = f", not {', '.join(map(self._named, sorted(self.oracle.means[place])))}"
            if not answers:
                found.missing.append(said + expected)
            elif not answers <= self.oracle.means[place]:
                found.wrong.append(said + expected)
        return found

    def references(self, places: Iterable[Place]) -> Agreement:
        """Compare where else things are named."""
        found = Agreement()
        for place in places:
            for target in self._targets(place):
                found.asked += 1
                answers = {Place(one.path, one.start) for one in references(self.project, target) if not one.generated}
                declared = self._declared(target)
                if missing := self.oracle.references(declared) - answers:
                    found.missing.append(f"{self._named(declared)}: {', '.join(map(self._named, sorted(missing)))}")
                wrong = {one for one in answers if one in self.oracle.means and declared not in self.oracle.means[one]}
                if wrong := wrong | {one for one in answers if self.oracle.name_at(one) != target.name}:
                    found.wrong.append(f"{self._named(declared)}: {', '.join(map(self._named, sorted(wrong)))}")
        return found

    def hovers(self, places: Iterable[Place]) -> Agreement:
        """Compare the width that a hover shows of a value."""
        found = Agreement()
        for place in places:
            values = self.oracle.values.get(place)
            analysis = self.project.analysis_of(place.path)
            if not values or analysis is None:
                continue
            found.asked += 1
            document = Documents()
            document.open(place.path.as_uri(), 1, analysis.data.decode())
            opened = document.get(place.path.as_uri())
            offset = len(analysis.data[: place.start].decode())
            shown = explain_name(opened, offset, analysis, lambda path: path.read_text()) if opened else None
            if shown is None:
                found.missing.append(f"{self._named(place)}: nothing, not {values}")
                continue
            widths = {int(width) for width in re.findall(r"(?<![\w`])(\d+) bits?\b", shown.markdown)}
            expected = {width for _, width in values if width}
            # In a class with parameters nothing is known of a type that is one of them.
            depends = len(expected) > 1 and not widths
            if expected and not depends and not widths & (expected | self._default_widths(place)):
                found.wrong.append(f"{self._named(place)}: {shown.markdown!r}, not {values}")
        return found

    def renames(self, places: Iterable[Place], scratch: Path) -> Agreement:
        """Rename, and compare the elaboration of the edited copy."""
        found = Agreement()
        before = self.oracle.described()
        for place in places:
            found.asked += 1
            analysis = self.project.analysis_of(place.path)
            assert analysis is not None
            try:
                edits = rename(self.project, analysis, place.start, NEW)
            except RenameRefusedError as error:
                found.refused.append(f"{self._named(place)}: {error}")
                continue
            old = self.oracle.name_at(place)
            edited = self.sources.elaborated(self._edited(edits, scratch))
            after = [re.sub(rf"\b{NEW}\b", old, line) for line in edited.described()]
            plain = [line.replace(f"\\{old} ", old) for line in before]
            if edited.errors != self.oracle.errors or after != plain:
                differing = next((pair for pair in zip(plain, after, strict=False) if pair[0] != pair[1]), None)
                found.wrong.append(f"{self._named(place)}: {edited.errors or differing}")
        return found

    def errors(self) -> list[str]:
        """The errors that the server reports of the listed files."""
        found = []
        for name in self.sources.listed:
            analysis = self.project.analysis_of(self.sources.folder / name)
            assert analysis is not None
            found += [f"{name}: {one.message}" for one in analysis.diagnostics if one.severity.name == "ERROR"]
        return found

    def _default_widths(self, place: Place) -> set[int]:
        """The widths with the default parameters of all modules: a hover shows them while no instance is chosen."""
        declared = {place, *self.oracle.means[place]}
        return {width for one in declared for _, width in self._defaults.values.get(one, ())}

    @cached_property
    def _defaults(self) -> Elaborated:
        return self.sources.elaborated(with_defaults=True)

    def _edited(self, edits: Iterable[Edit], scratch: Path) -> Path:
        shutil.rmtree(scratch, ignore_errors=True)
        shutil.copytree(self.sources.folder, scratch)
        for edit in sorted(edits, key=lambda one: (one.path, -one.start)):
            path = scratch / edit.path.relative_to(self.sources.folder)
            data = path.read_bytes()
            path.write_bytes(data[: edit.start] + edit.text.encode() + data[edit.end :])
        return scratch

    def _targets(self, place: Place) -> set[Target]:
        analysis = self.project.analysis_of(place.path)
        found = analysis.occurrences_at(place.start) if analysis is not None else ()
        return {one.target for one in found if one.target.kind is not TargetKind.FILE}

    def _declared(self, target: Target) -> Place:
        place = Place(target.path, target.start)
        return self.oracle.same.get(place, place)

    def _named(self, place: Place) -> str:
        line = self.oracle.text(place.path).count(b"\n", 0, place.start) + 1
        return f"{self.oracle.name_at(place)} in {place.path.name}:{line}"
