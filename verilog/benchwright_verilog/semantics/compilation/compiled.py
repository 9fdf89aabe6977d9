"""Files as slang compiles them together, in two ways: as they are, for its diagnostics, and for looking up names."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_verilog.semantics.compilation.diagnostics import (
    DiagnosticSeverity,
    SlangDiagnostic,
    diagnostics_by_file,
    module_names_with_includes,
)
from benchwright_verilog.semantics.compilation.instance_paths import DEFAULTS, InstanceReference
from benchwright_verilog.semantics.compilation.parsing import parse
from benchwright_verilog.semantics.compilation.unknown_bases import unknown_base_diagnostics

if TYPE_CHECKING:
    from pyslang.ast import Compilation

    from benchwright_verilog.semantics.compilation.trees import SlangTree
    from benchwright_verilog.semantics.names.resolution import Resolver
    from benchwright_verilog.semantics.names.scopes import Scopes


class Compiled:
    """One version of some files. Everything is worked out when it is first asked for.

    Args:
        trees: The files.
        is_alone: True if it is unknown which other files there are; then unknown modules are not reported.
        is_partial: True if files that these may need have not been read yet.
        top_names: The modules to elaborate, as far as they are in the files; else those that no other instantiates.
        parameter_assignments: Their parameters, `NAME=VALUE`.
        instances_by_module: The instances that stand for modules where names are looked up, by the modules' names.
        warning_options: As of `diagnostics_by_file`.
        reports_clock_crossings: True to look for candidates for clock-domain crossings.
    """

    def __init__(
        self,
        trees: Sequence[SlangTree],
        *,
        is_alone: bool,
        is_partial: bool = False,
        top_names: Sequence[str] = (),
        parameter_assignments: Sequence[str] = (),
        instances_by_module: Mapping[str, InstanceReference] = DEFAULTS.instances,
        warning_options: Sequence[str] = (),
        reports_clock_crossings: bool = False,
    ) -> None:
        self.trees = tuple(trees)
        self._tops = tuple(top_names)
        self._parameters = tuple(parameter_assignments)
        self.instances = instances_by_module
        self._is_alone = is_alone
        self._is_partial = is_partial
        self._warnings = tuple(warning_options)
        self._crossings = reports_clock_crossings and not is_partial
        # slang takes no two threads in one compilation.
        self._lock = threading.Lock()
        self._lookup: tuple[Compilation, Scopes, Resolver] | None = None
        self._requested: set[Path] = set()
        self._diagnostics: dict[Path, tuple[SlangDiagnostic, ...]] = {}

    def is_made_of(self, trees: Sequence[SlangTree]) -> bool:
        """True if these are the files, in this version."""
        return len(trees) == len(self.trees) and all(
            left is right for left, right in zip(trees, self.trees, strict=True)
        )

    def request_diagnostics_of(self, path: Path) -> None:
        """Diagnostics of a file are likely to be asked for: they come with those of any other."""
        self._requested.add(path)

    def elaborate(self) -> Compilation:
        """All files as slang elaborates them by itself, from the tops."""
        tops: set[str] = set()
        if self._tops:
            tops = {name for tree in self.trees for name in module_names_with_includes(tree.syntax)} & {*self._tops}
        return self._compile(tops)

    def _compilation_for_diagnostics(self) -> Compilation:
        """All files, with placeholders of the tops replaced by unknown types."""
        import pyslang

        from benchwright_verilog.semantics.compilation.placeholders import HOLDER, wrapper_text_and_tops

        compilation = self.elaborate()
        if not self._parameters:
            elaborated = compilation.getRoot().topInstances
            holder, held_tops = wrapper_text_and_tops(elaborated)
            if holder:
                other_tops = {top.name for top in elaborated} - held_tops
                compilation = self._compile({*other_tops, HOLDER})
                compilation.addSyntaxTree(parse(holder, self.trees[0].sources, HOLDER, pyslang.Bag()))
        return compilation

    def _compile(self, tops: set[str]) -> Compilation:
        import pyslang
        from pyslang.ast import Compilation, CompilationOptions

        compilation_options = CompilationOptions()
        compilation_options.topModules = tops
        compilation_options.paramOverrides = list(self._parameters)
        compilation = Compilation(pyslang.Bag([compilation_options]))
        for tree in self.trees:
            compilation.addSyntaxTree(tree.syntax)
        return compilation

    def diagnostics(self, path: Path) -> tuple[SlangDiagnostic, ...]:
        """Slang's diagnostics of a file, in its order."""
        with self._lock:
            if path not in self._diagnostics:
                self._requested.add(path)
                first_tree = self.trees[0]
                # All that was elaborated takes much memory, and few ask for more of it.
                compilation = self._compilation_for_diagnostics()
                by_path = diagnostics_by_file(
                    compilation,
                    first_tree.sources,
                    first_tree.locations,
                    self._requested,
                    is_alone=self._is_alone,
                    is_partial=self._is_partial,
                    warning_options=self._warnings,
                )
                unknown_bases = self._unknown_base_diagnostics(compilation)
                crossing = self._crossing_diagnostics()
                self._diagnostics = {
                    requested_path: (
                        *by_path.get(requested_path, ()),
                        *(diagnostic for path_, diagnostic in unknown_bases if path_ == requested_path),
                        *withheld_text_diagnostics(self.trees, requested_path),
                        *crossing.get(requested_path, ()),
                    )
                    for requested_path in self._requested
                }
            return self._diagnostics[path]

    def _unknown_base_diagnostics(self, compilation: Compilation) -> list[tuple[Path, SlangDiagnostic]]:
        requested_trees = (
            tree for tree in self.trees if not self._requested.isdisjoint({tree.path, *tree.included_files})
        )
        return [
            path_and_diagnostic
            for tree in (() if self._is_partial else requested_trees)
            for path_and_diagnostic in unknown_base_diagnostics(compilation, tree, self._warnings)
        ]

    def _crossing_diagnostics(self) -> dict[Path, tuple[SlangDiagnostic, ...]]:
        if not self._crossings:
            return {}
        from benchwright_verilog.semantics.behaviour.clock_crossings import clock_crossing_candidates

        # The compilation that was asked for diagnostics is frozen.
        return clock_crossing_candidates(self.elaborate(), self.trees[0].locations, self._requested)

    @property
    def lookup(self) -> tuple[Compilation, Scopes, Resolver]:
        """The same files for looking up names: every module is a top, with its default parameters or as it was chosen.

        Scopes are elaborated when they are looked into. The compilation's diagnostics mean nothing.
        """
        from benchwright_verilog.semantics.names.resolution import Resolver
        from benchwright_verilog.semantics.names.scopes import Scopes, compile_for_lookup

        with self._lock:
            if self._lookup is None:
                first_tree = self.trees[0]
                compilation, bodies = compile_for_lookup(
                    [tree.syntax for tree in self.trees], first_tree.sources, self.instances
                )
                scopes = Scopes(compilation, bodies)
                self._lookup = compilation, scopes, Resolver(compilation, scopes, first_tree.locations)
            return self._lookup


def withheld_text_diagnostics(trees: Iterable[SlangTree], path: Path) -> Iterator[SlangDiagnostic]:
    """Yield diagnostics of the parts of a file that slang was not given: unread headers, and what ends slang.

    Args:
        trees: The files that were compiled.
        path: The file.
    """
    withheld_texts = dict.fromkeys(text for tree in trees for text in tree.withheld_texts if text.path == path)
    return (
        SlangDiagnostic(text.start, text.end, DiagnosticSeverity.ERROR, "", text.message) for text in withheld_texts
    )
