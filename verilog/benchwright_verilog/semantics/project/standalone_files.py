r"""The files that an instance needs, as source code without `include`s: for a tool that must open no other file.

What is included is written where it is included, between `line` directives. These name files by numbers:

    `line 1 "f3" 1
    typedef logic [3:0] nibble_t;
    `line 2 "f0" 2
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_verilog.errors import VerilogError
from benchwright_verilog.semantics.compilation.instances import DesignInstance, FileSpan

if TYPE_CHECKING:
    from pyslang import BufferID

    from benchwright_verilog.semantics.compilation.instances import InstanceTree
    from benchwright_verilog.semantics.compilation.trees import SlangTree

_Includes = dict[int, list[tuple[int, int, "BufferID"]]]
"""By the number of a buffer: where its `include`s begin and end, and what each includes."""
_SOURCE = re.compile(r"f(\d+):(\d+)\.(\d+)(?:-(\d+)\.(\d+))?")


@dataclass(frozen=True)
class StandaloneFiles:
    """Source code that needs no others."""

    texts: tuple[str, ...]
    defines: tuple[tuple[str, ...], ...]
    """Of each text: `NAME` or `NAME=text`."""
    source_files: tuple[tuple[Path, bytes], ...]
    """Files and their contents that the numbers in `line` directives stand for."""

    def location_of_tool_span(self, tool_span: str) -> FileSpan | None:
        """The place that a tool calls `f0:3.5-3.9`: lines and bytes from 1."""
        match = _SOURCE.match(tool_span)
        if match is None or int(match[1]) >= len(self.source_files):
            return None
        path, data = self.source_files[int(match[1])]
        lines = data.split(b"\n")

        def offset(line: str, column: str) -> int:
            bytes_before = sum(len(line_bytes) + 1 for line_bytes in lines[: int(line) - 1])
            return min(bytes_before + int(column) - 1, len(data))

        start = offset(match[2], match[3])
        return FileSpan(path, start, max(start, offset(match[4], match[5])) if match[4] else start)


def standalone_files(design: InstanceTree, instances: Iterable[DesignInstance]) -> StandaloneFiles:
    """The files that declare the modules of some instances, and the packages that they name.

    Raises:
        VerilogError: A file's name comes from a macro.
    """
    with design.lock:
        trees = {tree.path: tree for tree in design.compiled.trees}
        trees_by_package = {name: tree for tree in trees.values() for name in _package_names(tree)}
        paths = {instance.declaration.path for instance in instances if instance.declaration is not None}
        # What is declared in a header is compiled where that is included.
        pending_trees = [tree for tree in trees.values() if tree.path in paths or tree.included_files & paths]
        expander = _Expander()
        needed_texts: dict[Path, str] = {}
        while pending_trees:
            tree = pending_trees.pop()
            if tree.path not in needed_texts:
                needed_texts[tree.path] = expander.expanded_text(tree)
                package_names = set(re.findall(r"\b([A-Za-z_][\w$]*)\s*::", needed_texts[tree.path]))
                pending_trees += [trees_by_package[name] for name in sorted(package_names & trees_by_package.keys())]
        ordered_trees = [tree for tree in trees.values() if tree.path in needed_texts]
        return StandaloneFiles(
            tuple(needed_texts[tree.path] for tree in ordered_trees),
            tuple(tree.preprocessing.defines for tree in ordered_trees),
            tuple(expander.source_files),
        )


def _package_names(tree: SlangTree) -> Iterator[str]:
    from pyslang.syntax import CompilationUnitSyntax, ModuleDeclarationSyntax, SyntaxKind

    root = tree.syntax.root
    root_members = root.members if isinstance(root, CompilationUnitSyntax) else [root]
    for root_member in root_members:
        if isinstance(root_member, ModuleDeclarationSyntax) and root_member.kind == SyntaxKind.PackageDeclaration:
            yield root_member.header.name.valueText


class _Expander:
    def __init__(self) -> None:
        self.source_files: list[tuple[Path, bytes]] = []

    def expanded_text(self, tree: SlangTree) -> str:
        """A file with what it includes."""
        inclusions: _Includes = {}
        own_buffer = None
        for include in tree.syntax.getIncludeDirectives():
            source_range = include.syntax.sourceRange
            if tree.sources.isMacroLoc(source_range.start) or tree.sources.isMacroLoc(source_range.end):
                raise VerilogError(
                    f"{tree.path.name} has an `include whose file name is a macro. Write the name there."
                )
            buffer = source_range.start.buffer
            own_buffer = buffer.id if tree.locations.path_of_buffer(buffer) == tree.path else own_buffer
            inclusions.setdefault(buffer.id, []).append(
                (source_range.start.offset, source_range.end.offset, include.buffer.id)
            )
        return self._expand_includes(tree, own_buffer, tree.text.encode(errors="replace"), tree.path, inclusions)

    def _expand_includes(
        self, tree: SlangTree, buffer_id: int | None, data: bytes, path: Path, inclusions: _Includes
    ) -> str:
        number = self._file_number(path, data)
        text_parts, last_end = [f'`line 1 "f{number}" 1\n'], 0
        for start, end, included in sorted(
            inclusions.get(buffer_id, ()) if buffer_id is not None else (), key=lambda inclusion: inclusion[0]
        ):
            text = tree.sources.getSourceText(included).rstrip("\0").encode(errors="replace")
            text_parts.append(data[last_end:start].decode(errors="replace") + "\n")
            text_parts.append(
                self._expand_includes(
                    tree, included.id, text, tree.locations.path_of_buffer(included) or path, inclusions
                )
            )
            text_parts.append(f'\n`line {data.count(10, 0, end) + 1} "f{number}" 2\n')
            last_end = end
        return "".join((*text_parts, data[last_end:].decode(errors="replace"), "\n"))

    def _file_number(self, path: Path, data: bytes) -> int:
        if (path, data) not in self.source_files:
            self.source_files.append((path, data))
        return self.source_files.index((path, data))
