"""Slang's knowledge of one version of a file, together with the files that it needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_verilog.semantics.compilation.compiled import Compiled
from benchwright_verilog.semantics.compilation.diagnostics import ModuleNamePlace, SlangDiagnostic, module_name_places
from benchwright_verilog.semantics.compilation.macros import Macros
from benchwright_verilog.semantics.names.occurrence import Occurrence
from benchwright_verilog.semantics.project.index.outline import Outline
from benchwright_verilog.separate_results import log_failure

if TYPE_CHECKING:
    from pyslang import SourceManager
    from pyslang.ast import Compilation, InstanceBodySymbol
    from pyslang.parsing import Token
    from pyslang.syntax import SyntaxNode, SyntaxTree

    from benchwright_verilog.semantics.compilation.trees import SlangTree
    from benchwright_verilog.semantics.names.resolution import Resolver
    from benchwright_verilog.semantics.names.scopes import Scopes
    from benchwright_verilog.semantics.project.file_locations import FileLocations


class FileAnalysis:
    """One version of one file. Everything is worked out when it is first asked for.

    Args:
        path: The file.
        outline: Its text.
        root_tree: The tree it is in: its own, or that of a file that includes it.
        compiled: All files that are compiled together, with `root` among them; other files may have it too.
        macros: The macros and included files of `root`.
    """

    def __init__(
        self,
        path: Path,
        outline: Outline,
        root_tree: SlangTree,
        compiled: Compiled,
        *,
        macros: Macros,
    ) -> None:
        self.path = path
        self.outline = outline
        self.macros = macros
        self.compiled = compiled
        self._root = root_tree

    @property
    def trees(self) -> tuple[SlangTree, ...]:
        """All files that are compiled together."""
        return self.compiled.trees

    @property
    def tree(self) -> SyntaxTree:
        """Slang's syntax of the file, or of the file that includes it."""
        return self._root.syntax

    @property
    def tree_path(self) -> Path:
        """The file that the syntax is of: itself, or the one that includes it."""
        return self._root.path

    @property
    def sources(self) -> SourceManager:
        """The source files that locations are in."""
        return self._root.sources

    @property
    def locations(self) -> FileLocations:
        """The resolver of slang's locations."""
        return self._root.locations

    @property
    def data(self) -> bytes:
        """The text as UTF-8."""
        return self.outline.data

    # What slang reports

    @cached_property
    def full_compilation(self) -> Compilation:
        """All files as slang elaborates them by itself, from the modules that no other instantiates."""
        return self.compiled.elaborate()

    @cached_property
    def diagnostics(self) -> tuple[SlangDiagnostic, ...]:
        """Slang's diagnostics of the file, in its order."""
        size = len(self.data)
        diagnostics = self.compiled.diagnostics(self.path)
        return tuple(
            diagnostic if diagnostic.end <= size else replace(diagnostic, end=size) for diagnostic in diagnostics
        )

    @cached_property
    def declared_modules(self) -> tuple[ModuleNamePlace, ...]:
        """The modules that the file declares."""
        return tuple(module_name_places(self.tree, self._root.locations, self.path))

    # Names

    @property
    def lookup_compilation(self) -> Compilation:
        """The same files for looking up names: every module is a top, with its default parameters.

        Scopes are elaborated when they are looked into. Its diagnostics mean nothing.
        """
        return self.compiled.lookup[0]

    @property
    def scopes(self) -> Scopes:
        """Finds the scope of a node."""
        return self.compiled.lookup[1]

    @property
    def resolver(self) -> Resolver:
        """Finds what a name means."""
        return self.compiled.lookup[2]

    def module_body(self, module_name: str) -> InstanceBodySymbol | None:
        """The inside of a module, interface or program, with default parameters."""
        return self.scopes.module_body(module_name)

    def occurrence_at(self, byte: int) -> Occurrence | None:
        """The name at a byte or ending there, if it means anything."""
        return next(iter(self.occurrences_at(byte)), None)

    def occurrences_at(self, byte: int) -> tuple[Occurrence, ...]:
        """All that a name means: `.name` stands for a port and for what is connected to it."""
        directive = self.macros.occurrence_at(self.path, byte)
        if directive is not None:
            return (directive,)
        named_node = self.name_at(byte)
        return tuple(self._occurrences_of_token(*named_node)) if named_node is not None else ()

    def occurrences(self, start_byte: int = 0, end_byte: int | None = None) -> Sequence[Occurrence]:
        """Every name between two bytes of the file that means something, in order."""
        end_byte = len(self.data) if end_byte is None else end_byte
        occurrences = list(self.macros.occurrences(self.path, start_byte, end_byte))
        occurrences += self._visit_occurrences(byte_range=(start_byte, end_byte))
        return sorted(set(occurrences), key=lambda occurrence: (occurrence.start, occurrence.is_shorthand))

    def occurrences_of(self, name: str) -> list[Occurrence]:
        """Every occurrence of a name in the file, including those in macros' expansions, whatever it means."""
        if self.path == self._root.path and not self.macros.may_generate_name(name):
            return list(self.file_occurrences_outside_macros(name))
        occurrences = [
            occurrence
            for occurrence in self.macros.occurrences(self.path, 0, len(self.data))
            if occurrence.target.name == name
        ]
        return occurrences + self._visit_occurrences(name)

    def file_occurrences_outside_macros(self, name: str) -> Iterator[Occurrence]:
        """Like `occurrences_of`, but quick, and without what macros wrote."""
        seen_occurrences = set()
        for offset in self.outline.word_byte_offsets(name):
            for occurrence in self.occurrences_at(offset):
                if occurrence not in seen_occurrences and occurrence.start <= offset < occurrence.end:
                    seen_occurrences.add(occurrence)
                    yield occurrence

    def name_at(self, byte: int) -> tuple[Token, SyntaxNode] | None:
        """The name token at a byte or ending there, with the node that holds it."""
        from benchwright_verilog.semantics.names.position import name_at

        if self.path != self._root.path:
            # The way down goes by the bytes of the including file.
            return self._included_name_nodes_by_byte.get(byte)
        return name_at(self.tree.root, self._root.locations, self.path, byte)

    @cached_property
    def _included_name_nodes_by_byte(self) -> dict[int, tuple[Token, SyntaxNode]]:
        from benchwright_verilog.semantics.names.names import visit_names

        names_by_byte: dict[int, tuple[Token, SyntaxNode]] = {}

        def visit(token: Token, node: SyntaxNode) -> None:
            location = self._root.locations.file_location_of(token.location)
            if location is not None and location.path == self.path and not location.is_generated:
                for byte in range(location.offset, location.offset + len(token.rawText.encode()) + 1):
                    if byte == location.offset or byte not in names_by_byte:
                        names_by_byte[byte] = token, node

        visit_names(self.tree.root, visit)
        return names_by_byte

    def node_at(self, byte: int) -> SyntaxNode | None:
        """The innermost node around a byte; in an included file that of the last name before it."""
        from benchwright_verilog.semantics.names.position import node_at

        if self.path != self._root.path:
            names_before = [offset for offset in self._included_name_nodes_by_byte if offset <= byte]
            return self._included_name_nodes_by_byte[max(names_before)][1] if names_before else None
        return node_at(self.tree.root, self._root.locations, self.path, byte)

    def item_extent_at(self, byte: int) -> tuple[int, int]:
        """Start and end of the top-level item around a byte; of the whole file if they are unknown."""
        from pyslang.syntax import SyntaxKind

        node = self.node_at(byte)
        while node is not None and node.parent is not None and node.parent.kind != SyntaxKind.CompilationUnit:
            node = node.parent
        if node is not None and node.kind != SyntaxKind.CompilationUnit:
            start, end = (
                self.locations.byte_in_file(location, self.path)
                for location in (node.sourceRange.start, node.sourceRange.end)
            )
            if start is not None and end is not None and start <= byte < end:
                return start, end
        return 0, len(self.data)

    def _visit_occurrences(
        self, name: str | None = None, byte_range: tuple[int, int] | None = None
    ) -> list[Occurrence]:
        """The occurrences of one name, or of all, in a part of the file, or in all of it."""
        from benchwright_verilog.semantics.names.names import visit_names

        occurrences: list[Occurrence] = []
        locations, path = self._root.locations, self.path
        start, end = byte_range or (0, len(self.data))

        def visit(token: Token, node: SyntaxNode) -> None:
            if name is not None and token.valueText != name:
                return
            location = locations.file_location_of(token.location)
            if location is not None and location.path == path and start <= location.offset < end:
                try:
                    occurrences.extend(self._occurrences_of_token(token, node))
                except RuntimeError as error:
                    log_failure(error)

        for node in self._overlapping_items(start, end) if byte_range else (self.tree.root,):
            visit_names(node, visit)
        return occurrences

    def _overlapping_items(self, start_byte: int, end_byte: int) -> Iterator[SyntaxNode]:
        """The top-level items that overlap a part of the file, and those whose extent is unknown."""
        from pyslang.syntax import CompilationUnitSyntax

        root, locations = self.tree.root, self._root.locations
        if self.path != self._root.path or not isinstance(root, CompilationUnitSyntax):
            yield root
            return
        for member in root.members:
            span = member.sourceRange
            first_location, last_location = locations.file_location_of(span.start), locations.file_location_of(span.end)
            is_here = (
                first_location is not None
                and last_location is not None
                and first_location.path == last_location.path == self.path
            )
            if (
                is_here
                and first_location
                and last_location
                and (first_location.offset >= end_byte or last_location.offset < start_byte)
            ):
                continue
            yield member

    def _occurrences_of_token(self, token: Token, node: SyntaxNode) -> Iterator[Occurrence]:
        location = self._root.locations.file_location_of(token.location)
        if location is None:
            return
        end = location.offset + (0 if location.is_generated else len(token.rawText.encode()))
        for meaning in self.resolver.meanings(token, node):
            yield Occurrence(
                location.path,
                location.offset,
                end,
                meaning.target,
                meaning.role,
                meaning.is_shorthand,
                location.is_generated,
            )
