"""Renames compared with slang's elaboration before and after, under several sets of defines, and with a text search.

A rename is right if the design elaborates to the same but for the name, under each set of defines, and if every
occurrence of the old name in code is renamed, means something else, or is listed for the person to decide.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

import pyslang
from pyslang.ast import Compilation, CompilationOptions, Expression, Symbol, VisitAction
from pyslang.syntax import SyntaxTree

from benchwright_verilog.semantics.names.branches import ProjectVariants
from benchwright_verilog.semantics.names.navigation import UNITS
from benchwright_verilog.semantics.names.occurrence import Target, TargetKind
from benchwright_verilog.semantics.names.renaming import (
    RenameEdit,
    RenameRefusedError,
    renamable_occurrence,
    rename,
)
from benchwright_verilog.semantics.project.index.outline import Outline
from benchwright_verilog.semantics.project.project import Project
from benchwright_verilog.settings import ProjectSettings
from benchwright_verilog.syntax.documents import Documents
from benchwright_verilog.syntax.keywords import RESERVED

_NAME = re.compile(rb"(?<![\w$`'])[A-Za-z_]\w*")


@dataclass(frozen=True)
class DesignFolder:
    """A design on disk."""

    folder: Path
    sources: tuple[Path, ...]
    """The files that are compiled, in their order."""
    include_dirs: tuple[Path, ...]
    tops: tuple[str, ...]
    define_sets: tuple[tuple[str, ...], ...]

    def elaboration(self, defines: Sequence[str], renamed: Mapping[str, str] = MappingProxyType({})) -> str:
        """The symbols, what each name in an expression means, and the diagnostics, as slang elaborates the files.

        Args:
            defines: Macros that are defined.
            renamed: New names of modules, which may be tops.
        """
        sources = pyslang.SourceManager()
        for include_dir in self.include_dirs:
            sources.addUserDirectories(str(include_dir))
        preprocessing = pyslang.parsing.PreprocessorOptions()
        preprocessing.predefines = list(defines)
        compilation_options = CompilationOptions()
        compilation_options.topModules = {renamed.get(top, top) for top in self.tops}
        bag = pyslang.Bag([preprocessing, compilation_options])
        compilation = Compilation(bag)
        for path in self.sources:
            compilation.addSyntaxTree(SyntaxTree.fromFile(str(path), sources, bag))
        lines: list[str] = []

        def visit(node: object) -> object:
            symbol = getattr(node, "symbol", None) if isinstance(node, Expression) else node
            if isinstance(symbol, Symbol):
                value_type = getattr(symbol, "type", "") if symbol.isValue else ""
                lines.append(f"{type(node).__name__} {symbol.kind} {symbol.hierarchicalPath} {value_type}")
            return VisitAction.Advance

        compilation.getRoot().visit(visit)
        for diagnostic in compilation.getAllDiagnostics():
            location = sources.getFullyExpandedLoc(diagnostic.location)
            name, line = sources.getFileName(location), sources.getLineNumber(location)
            lines.append(f"{diagnostic.code} {name}:{line}")
        # slang takes modules in the order of their names.
        return "\n".join(sorted(lines))


@dataclass
class RenameResults:
    """What became of some renames."""

    done: int = 0
    edits: int = 0
    inactive_edits: int = 0
    listed_places: int = 0
    refusals: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def rename_at_random(design_folder: DesignFolder, count: int, seed: int) -> RenameResults:
    """Rename names at random places, each in the design as it was.

    Args:
        design_folder: The design; its files are as before afterwards.
        count: Number of renames that are carried out.
        seed: Of the choice of places.
    """
    results = RenameResults()
    project = Project(
        design_folder.folder, Documents(), ProjectSettings(include_dirs=tuple(map(str, design_folder.include_dirs)))
    )
    before = {defines: design_folder.elaboration(defines) for defines in design_folder.define_sets}
    places = [(path, name, byte) for path in design_folder.sources for name, byte in _names_in(path)]
    place_generator = random.Random(seed)
    attempts = 0
    while results.done < count and attempts < 3 * count:
        attempts += 1
        path, name, byte = place_generator.choice(places)
        _try_rename(design_folder, project, before, results, (path, name, byte), f"zz_renamed_{attempts}")
    return results


def _names_in(path: Path) -> Iterator[tuple[str, int]]:
    outline = Outline(path.read_bytes())
    for match in _NAME.finditer(outline.code):
        if (name := match[0].decode()) not in RESERVED:
            yield name, match.start()


def _try_rename(
    design_folder: DesignFolder,
    project: Project,
    before: dict[tuple[str, ...], str],
    results: RenameResults,
    path_name_and_byte: tuple[Path, str, int],
    new_name: str,
) -> None:
    path, name, byte = path_name_and_byte
    where = f"{name} at {_shown_line(design_folder.folder, path, byte)}"
    branches = ProjectVariants(project)
    analysis = project.analysis_of(path)
    for variant in branches.variants([path]):
        if analysis is None or analysis.occurrences_at(byte):
            break
        analysis = variant.analysis_of(path)
    if analysis is None or not analysis.occurrences_at(byte):
        results.refusals["no meaning there"] += 1
        return
    try:
        target = renamable_occurrence(project, analysis, byte).target
        if target.name != name:
            return
        edits, unresolved_places = rename(branches, analysis, byte, new_name)
    except RenameRefusedError as error:
        results.refusals[re.sub(r"[\w.$/`]*\d+|\b\w+\.svh?\b", "…", str(error).replace(name, "NAME"))[:70]] += 1
        return
    listed = set(unresolved_places)
    results.done += 1
    results.edits += len(edits)
    results.inactive_edits += sum(edit.is_inactive for edit in edits)
    results.listed_places += len(listed)
    edited = {(edit.path, edit.start) for edit in edits}
    for lost_path, lost_byte in _unexplained_places(project, branches, name, edited | listed, target):
        results.faults.append(f"{where}: lost in {_shown_line(design_folder.folder, lost_path, lost_byte)}")
    for defines, after in _elaborations_after(design_folder, edits, {name: new_name}).items():
        # slang takes modules in the order of their names.
        if sorted(after.replace(new_name, name).split("\n")) != sorted(before[defines].split("\n")):
            results.faults.append(f"{where}: another design under {defines or 'no defines'}")


def _can_be_named_in(project: Project, target: Target) -> set[Path] | None:
    """The files that can name a thing, besides text that they include; None for all.

    What a module or package declares can be named only where that is named too, and a subroutine's own variables
    only in its file.
    """
    symbol = target.symbol
    if symbol is None or target.target_kind in UNITS:
        return None
    definition = symbol.declaringDefinition
    package, _, path_in_package = symbol.hierarchicalPath.partition("::")
    if definition is None and target.target_kind is TargetKind.VARIABLE and "." in path_in_package:
        return {target.path}
    unit = definition.name if definition is not None else package if path_in_package else ""
    return set(project.files_with_word(unit)) if unit else None


def _shown_line(folder: Path, path: Path, byte: int) -> str:
    line_end = b"\n"
    return f"{path.relative_to(folder)}:{path.read_bytes().count(line_end, 0, byte) + 1}"


def _unexplained_places(
    project: Project, branches: ProjectVariants, name: str, explained: set[tuple[Path, int]], target: Target
) -> list[tuple[Path, int]]:
    """Places of a name in code that are neither explained nor mean something else under any defines."""
    size = len(name.encode())
    naming_paths = _can_be_named_in(project, target)
    paths = [path for path in project.files_with_word(name) if naming_paths is None or path in naming_paths]
    open_places = {
        (path, byte)
        for path in paths
        if (outline := project.outline(path)) is not None
        for byte in outline.word_byte_offsets(name)
        if outline.code[byte : byte + size].strip()
    } - explained
    if open_places:
        open_paths = sorted({path for path, _ in open_places})
        for tried in (project, *branches.variants(branches.files_with_conditions(open_paths))):
            for analysis in tried.lookup_analyses_of(open_paths):
                open_places -= {
                    (occurrence.path, occurrence.start)
                    for occurrence in analysis.occurrences_of(name)
                    if occurrence.target != target
                }
    return sorted(open_places)


def _elaborations_after(
    design_folder: DesignFolder, edits: Sequence[RenameEdit], renamed: Mapping[str, str]
) -> dict[tuple[str, ...], str]:
    originals = {edit.path: edit.path.read_bytes() for edit in edits}
    try:
        for path, data in originals.items():
            for edit in sorted((edit for edit in edits if edit.path == path), key=lambda edit: -edit.start):
                data = data[: edit.start] + edit.text.encode() + data[edit.end :]
            path.write_bytes(data)
        return {defines: design_folder.elaboration(defines, renamed) for defines in design_folder.define_sets}
    finally:
        for path, data in originals.items():
            path.write_bytes(data)


def conditional_design(folder: Path) -> DesignFolder:
    """A copy of our own design with many conditions."""
    shutil.copytree(Path(__file__).parents[1] / "designs" / "conditional", folder)
    sources = tuple(folder / f"{name}.sv" for name in ("types", "bus", "fifo", "sender", "top"))
    define_sets = ((), ("FPGA", "SIM"), ("SLOW", "SYNTHESIS"))
    return DesignFolder(folder, sources, (folder / "inc",), ("top",), define_sets)


def stored_design(project_file: Path, folder: Path) -> DesignFolder:
    """The core in a JSON file of paths and contents, unpacked: what its `rtl` folder and the primitives declare."""
    for name, text in json.loads(project_file.read_text()).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    packages = sorted(folder.glob("rtl/*_pkg.sv"))
    primitives = sorted(folder.glob("vendor/lowrisc_ip/ip/prim/rtl/*.sv"))
    sources = [*primitives, *packages, *(path for path in sorted(folder.glob("rtl/*.sv")) if path not in packages)]
    include_dirs = tuple(sorted({path.parent for path in folder.glob("**/*.svh")}))
    define_sets = ((), ("SYNTHESIS", "RVFI"), ("RVFI", "DV_FCOV", "FORMAL"))
    return DesignFolder(folder, tuple(sources), include_dirs, ("ibex_top",), define_sets)
