"""slang's diagnostics of a large file, computed again only for the modules that typing can have affected.

Elaborating ten thousand lines takes slang a tenth of a second, whatever was typed. Modules that name each other, in
any way, make a group; what slang says about a group depends on nothing outside it, as long as every module is whole
and no directive or declaration is between them. What is between them is added to every group, and when it changes all
groups are analysed again. So the result is always what slang reports for the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_verilog.semantics.compilation.diagnostics import SlangDiagnostic
from benchwright_verilog.semantics.project.plain_files import ReadableFiles
from benchwright_verilog.syntax.surrogates import encode_text

if TYPE_CHECKING:
    from benchwright_verilog.syntax.units import ItemText, TopLevelItem

_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_$]*")
_MACRO = re.compile(rb"`([A-Za-z_]\w*)")
_CODE = re.compile(rb"//[^\r\n]*|/\*.*?\*/|\s+", re.DOTALL)
_DIRECTIVES = frozenset(
    b"begin_keywords celldefine default_decay_time default_nettype default_trireg_strength define "
    b"delay_mode_distributed delay_mode_path delay_mode_unit delay_mode_zero else elsif end_keywords endcelldefine "
    b"endif endprotect endprotected ifdef ifndef include line nounconnected_drive pragma protect protected resetall "
    b"timescale unconnected_drive undef undefineall".split()
)
_USES_MACROS = b"`"
_GLOBAL = frozenset({b"$unit", b"$root"})
_MOST_JOINED = 3
_FOLLOWER = "module follower; endmodule"
_TOPS = ("ModuleDeclaration", "InterfaceDeclaration", "ProgramDeclaration", "PackageDeclaration")


@dataclass(frozen=True)
class _ItemFacts:
    """Facts that are known of one top-level item by itself."""

    declared_module_names: frozenset[bytes]
    used_words: frozenset[bytes]
    has_only_whole_modules: bool
    """True if it is nothing but modules and the like, each with its end, and changes nothing for what follows."""
    is_closed: bool
    """True if it ends where it seems to: what follows can't belong to it."""

    def declares_same_and_uses_same_of(self, other_facts: _ItemFacts, names: frozenset[bytes]) -> bool:
        """True if another item declares the same, and of some names uses the same."""
        return (
            self.declared_module_names == other_facts.declared_module_names
            and self.used_words & names == other_facts.used_words & names
        )


@dataclass(frozen=True)
class _Chunk:
    """One item, or some that only make sense together."""

    start: int
    item_texts: tuple[ItemText, ...]
    item_facts: _ItemFacts

    @property
    def data(self) -> bytes:
        """Its text."""
        return b"".join(shape.data for shape in self.item_texts)


@dataclass
class _ChunkGroup:
    """Items that name each other, by their places among all."""

    chunk_indices: list[int]


class PiecewiseDiagnostics:
    """The newest diagnostics of one file.

    Args:
        path: The file.
        readable_files: The files that may be read; those of its folder if none are given.
        is_alone: True if it is unknown which other files there are; then unknown modules are not reported.
    """

    def __init__(self, path: Path, readable_files: ReadableFiles | None = None, *, is_alone: bool) -> None:
        self._path = path
        self._files = readable_files or ReadableFiles.below(path.parent)
        self._is_alone = is_alone
        self._joined: Mapping[tuple[ItemText, ...], _ItemFacts] = {}
        self._grouping: tuple[list[_ItemFacts], list[int], frozenset[bytes], list[_ChunkGroup]] | None = None
        self._known_diagnostics: Mapping[tuple[ItemText, ...], tuple[tuple[int, SlangDiagnostic], ...]] = {}

    def diagnostics(self, all_items: Sequence[TopLevelItem]) -> tuple[SlangDiagnostic, ...]:
        """Return slang's diagnostics of the whole file.

        Args:
            all_items: Its top-level items, in order and without a gap.
        """
        chunks = self._chunks_of_items(all_items)
        chunk_facts = [chunk.item_facts for chunk in chunks]
        base_indices = [index for index, fact in enumerate(chunk_facts) if not fact.has_only_whole_modules]
        is_closed = all(fact.is_closed for fact in chunk_facts)
        groups = (
            self._kept_or_new_groups(chunk_facts, base_indices)
            if is_closed
            else [_ChunkGroup(list(range(len(chunks))))]
        )
        base_shapes = tuple(shape for index in base_indices for shape in chunks[index].item_texts)
        group_keys = [
            (*(shape for index in group.chunk_indices for shape in chunks[index].item_texts), *base_shapes)
            for group in groups
        ]
        new_groups = [
            group for group, key in zip(groups, group_keys, strict=True) if key not in self._known_diagnostics
        ]
        fresh = self._diagnostics_by_group_id(chunks, new_groups, base_indices) if new_groups else {}
        known_diagnostics = {}
        moved: list[SlangDiagnostic] = []
        for group, group_key in zip(groups, group_keys, strict=True):
            known_diagnostics[group_key] = (
                fresh[id(group)] if id(group) in fresh else self._known_diagnostics[group_key]
            )
            for ordinal, diagnostic in known_diagnostics[group_key]:
                chunk_start = chunks[group.chunk_indices[ordinal]].start
                moved.append(_shift_diagnostic(diagnostic, chunk_start))
        self._known_diagnostics = known_diagnostics
        return tuple(moved)

    def _chunks_of_items(self, units: Sequence[TopLevelItem]) -> list[_Chunk]:
        """The items, each with what goes before it if that does not end by itself: attributes, comments."""
        chunks: list[_Chunk] = []
        joined: dict[tuple[ItemText, ...], _ItemFacts] = {}
        for unit in units:
            last_chunk = chunks[-1] if chunks else None
            if last_chunk is None or last_chunk.item_facts.is_closed or len(last_chunk.item_texts) >= _MOST_JOINED:
                chunks.append(_Chunk(unit.start, (unit.item_text,), unit.item_text.kept_result(_item_facts)))
                continue
            shapes = (*last_chunk.item_texts, unit.item_text)
            joined_facts = self._joined.get(shapes) or _parse_item_facts(b"".join(shape.data for shape in shapes))
            joined[shapes] = joined_facts
            chunks[-1] = _Chunk(last_chunk.start, shapes, joined_facts)
        self._joined = joined
        return chunks

    def _kept_or_new_groups(self, chunk_facts: list[_ItemFacts], shared_chunk_indices: list[int]) -> list[_ChunkGroup]:
        """The groups; the same as before where no name that means something came or went."""
        if self._grouping is not None:
            old_facts, old_base, names, groups = self._grouping
            if (
                old_base == shared_chunk_indices
                and len(old_facts) == len(chunk_facts)
                and all(
                    left is right or left.declares_same_and_uses_same_of(right, names)
                    for left, right in zip(chunk_facts, old_facts, strict=True)
                )
            ):
                return groups
        groups = _groups_of_chunks_naming_each_other(chunk_facts, shared_chunk_indices)
        self._grouping = (
            chunk_facts,
            shared_chunk_indices,
            frozenset().union(*(fact.declared_module_names for fact in chunk_facts)) | {_USES_MACROS},
            groups,
        )
        return groups

    def _diagnostics_by_group_id(
        self, chunks: Sequence[_Chunk], groups: Sequence[_ChunkGroup], shared_chunk_indices: Sequence[int]
    ) -> dict[int, tuple[tuple[int, SlangDiagnostic], ...]]:
        """The diagnostics of groups by `id(group)`, each with its item's ordinal, offsets from where that begins."""
        owner_by_index = {
            index: (group, ordinal) for group in groups for ordinal, index in enumerate(group.chunk_indices)
        }
        indices = sorted({*owner_by_index, *shared_chunk_indices})
        chunk_texts = [chunks[index].data for index in indices]
        chunk_starts = [0, *accumulate(len(part) for part in chunk_texts)]
        text = b"".join(chunk_texts).decode("utf-8", "surrogatepass")
        by_group: dict[int, list[tuple[int, SlangDiagnostic]]] = {id(group): [] for group in groups}
        position = 0
        for diagnostic in sorted(self._slang_diagnostics(text), key=lambda diagnostic: diagnostic.start):
            while position + 1 < len(indices) and diagnostic.start >= chunk_starts[position + 1]:
                position += 1
            if indices[position] in owner_by_index:
                group, ordinal = owner_by_index[indices[position]]
                by_group[id(group)].append((ordinal, _shift_diagnostic(diagnostic, -chunk_starts[position])))
        return {group: tuple(group_diagnostics) for group, group_diagnostics in by_group.items()}

    def _slang_diagnostics(self, text: str) -> tuple[SlangDiagnostic, ...]:
        from pyslang.ast import Compilation

        from benchwright_verilog.semantics.compilation.compiled import withheld_text_diagnostics
        from benchwright_verilog.semantics.compilation.diagnostics import diagnostics_by_file
        from benchwright_verilog.semantics.compilation.trees import Preprocessing, SlangTrees
        from benchwright_verilog.semantics.compilation.unknown_bases import unknown_base_diagnostics
        from benchwright_verilog.semantics.project.include_closure import IncludeClosures, RootFile
        from benchwright_verilog.semantics.project.index.outline import Outline
        from benchwright_verilog.semantics.project.texts import SourceText, SourceTexts
        from benchwright_verilog.syntax.documents import Documents

        root = RootFile(self._path, SourceText(text, Outline(encode_text(text)), None), Preprocessing())
        trees = SlangTrees()
        trees.renew_if_files_changed(
            IncludeClosures(SourceTexts(None, Documents(), self._files)).reachable_files_and_paths([root])[0]
        )
        tree = trees.tree(self._path, text, root.preprocessing)
        compilation = Compilation()
        compilation.addSyntaxTree(tree.syntax)
        size = len(encode_text(text))
        by_path = diagnostics_by_file(compilation, tree.sources, tree.locations, {self._path}, is_alone=self._is_alone)
        unknown_bases = unknown_base_diagnostics(compilation, tree)
        diagnostics = (
            *by_path.get(self._path, ()),
            *(diagnostic for path, diagnostic in unknown_bases if path == self._path),
            *withheld_text_diagnostics([tree], self._path),
        )
        return tuple(
            diagnostic if diagnostic.end <= size else replace(diagnostic, end=size) for diagnostic in diagnostics
        )


def _shift_diagnostic(diagnostic: SlangDiagnostic, offset_shift: int) -> SlangDiagnostic:
    # What ends in a macro ends nowhere in the file.
    return SlangDiagnostic(
        diagnostic.start + offset_shift,
        max(diagnostic.start, diagnostic.end) + offset_shift,
        diagnostic.severity,
        diagnostic.rule,
        diagnostic.message,
    )


def words_of(units: Sequence[TopLevelItem]) -> frozenset[bytes]:
    """Every word of a file."""
    return frozenset().union(*(unit.item_text.kept_result(_item_facts).used_words for unit in units))


def declared_module_names(units: Sequence[TopLevelItem]) -> frozenset[bytes]:
    """The modules and the like of a file."""
    return frozenset().union(*(unit.item_text.kept_result(_item_facts).declared_module_names for unit in units))


def _groups_of_chunks_naming_each_other(
    chunk_facts: Sequence[_ItemFacts], shared_chunk_indices: Sequence[int]
) -> list[_ChunkGroup]:
    """Items that name each other, directly or not; those that are no whole modules are one group with all they name."""
    parents = list(range(len(chunk_facts)))

    def root(index: int) -> int:
        while parents[index] != index:
            parents[index] = parents[parents[index]]
            index = parents[index]
        return index

    owners: dict[bytes, int] = {}
    for index, fact in enumerate(chunk_facts):
        for name in fact.declared_module_names:
            parents[root(index)] = root(owners.setdefault(name, index))
    for index in shared_chunk_indices:
        parents[root(index)] = root(shared_chunk_indices[0])
        owners.setdefault(_USES_MACROS, shared_chunk_indices[0])
    declared_names = owners.keys()
    for index, fact in enumerate(chunk_facts):
        for name in fact.used_words & declared_names:
            parents[root(index)] = root(owners[name])
    groups: dict[int, _ChunkGroup] = {}
    for index in range(len(chunk_facts)):
        groups.setdefault(root(index), _ChunkGroup([])).chunk_indices.append(index)
    return list(groups.values())


def _item_facts(item_text: ItemText) -> _ItemFacts:
    return _parse_item_facts(item_text.data)


def _parse_item_facts(data: bytes) -> _ItemFacts:
    found_words = set(_WORD.findall(data))
    if b"`" in data:
        found_words.add(_USES_MACROS)
    if not _CODE.sub(b"", data):
        return _ItemFacts(frozenset(), frozenset(), has_only_whole_modules=True, is_closed=True)
    is_global = not _DIRECTIVES.isdisjoint(_MACRO.findall(data)) or any(word in data for word in _GLOBAL)
    declares, are_modules, is_closed = _module_names_has_only_modules_and_is_closed(
        data.decode("utf-8", "surrogatepass")
    )
    return _ItemFacts(declares, frozenset(found_words), is_closed and are_modules and not is_global, is_closed)


def _module_names_has_only_modules_and_is_closed(text: str) -> tuple[frozenset[bytes], bool, bool]:
    """Return what a file has outside of its modules.

    Returns:
        The names of its modules and the like, whether there is nothing else, and whether what follows is read as if
        nothing had come before.
    """
    import pyslang
    from pyslang.syntax import CompilationUnitSyntax

    from benchwright_verilog.semantics.compilation.trees import parse_alone

    # The default one would keep the source forever; this one has to outlive the tree.
    sources = pyslang.SourceManager()
    # What follows shows it. No header is needed for that.
    try:
        tree = parse_alone(f"{text}\n{_FOLLOWER}", sources)
    except RuntimeError:  # It is nested deeper than slang parses.
        return frozenset(), False, False
    root = tree.root
    if not isinstance(root, CompilationUnitSyntax) or not len(root.members):
        return frozenset(), False, False
    *members, follower = root.members
    modules = [member for member in members if member.kind.name in _TOPS]
    names = frozenset(module.header.name.valueText.encode() for module in modules)
    are_modules = len(modules) == len(members)
    is_apart = (
        follower.kind.name == "ModuleDeclaration"
        and str(follower).endswith(_FOLLOWER)
        and not any("Skipped" in str(trivia.kind) for trivia in follower.getFirstToken().trivia)
    )
    are_whole = are_modules and not any(module.endmodule.isMissing for module in modules)
    return names, are_modules, is_apart and (are_whole or not len(tree.diagnostics))
