"""The mutants of a reference: which there are, which are tried, and which slang refuses."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import PurePosixPath

import pyslang
from pyslang.ast import Compilation
from pyslang.syntax import SyntaxTree

from benchwright_authoring.mutation.catalogue import KINDS
from benchwright_authoring.mutation.mutant import Mutant
from benchwright_authoring.mutation.source import ReferenceSource
from benchwright_verilog.semantics.compilation.trees import Preprocessing, parse_options_bag

_SUFFIXES = (".sv", ".v")


def is_design_file(path: str) -> bool:
    """True if slang reads a file of this name as SystemVerilog."""
    return PurePosixPath(path).suffix in _SUFFIXES


def possible_mutants_by_kind(
    content_by_path: Mapping[str, bytes], text_by_changed_path: Mapping[str, str]
) -> dict[str, list[Mutant]]:
    """All mutants by kind, in the order of the text; each changed file comes up once.

    Args:
        content_by_path: All files that are compiled, path → content.
        text_by_changed_path: Those of them that are the reference's own; faults are put into these.
    """
    mutants_by_kind: dict[str, list[Mutant]] = {kind.name: [] for kind in KINDS}
    for path in filter(is_design_file, text_by_changed_path):
        source = ReferenceSource(path, content_by_path[path].decode(errors="replace"))
        if source.content != content_by_path[path]:
            # Its offsets would be those of another text.
            continue
        seen_contents = {content_by_path[path]}
        for mutant in _mutants_of_source(source):
            content = mutant.apply_to(content_by_path)[path]
            if content not in seen_contents:
                seen_contents.add(content)
                mutants_by_kind[mutant.kind].append(mutant)
    return {kind: kind_mutants for kind, kind_mutants in mutants_by_kind.items() if kind_mutants}


def _mutants_of_source(source: ReferenceSource) -> Iterator[Mutant]:
    nodes = list(source.changeable_nodes())
    for fault_kind in KINDS:
        for node in nodes:
            for edit in fault_kind.fault_edits(source, node):
                span = (edit.start, edit.end)
                yield Mutant.of(
                    source.path, source.content, kind_name=fault_kind.name, byte_span=span, new_text=edit.text
                )


def mutants_in_trial_order(mutants_by_kind: Mapping[str, list[Mutant]], order_seed: str) -> Iterator[Mutant]:
    """Mutants in the order in which they are tried: one of each kind after the other, of each kind by chance.

    Args:
        mutants_by_kind: As of `possible_mutants_by_kind`.
        order_seed: The same seed gives the same order, so that fewer are the first of more.
    """
    shuffled = [
        random.Random(f"{order_seed} {kind}").sample(mutants, len(mutants))  # noqa: S311
        for kind, mutants in sorted(mutants_by_kind.items())
    ]
    for mutant_round in zip_longest(*shuffled):
        yield from (mutant for mutant in mutant_round if mutant is not None)


class MutantCompiler:
    """Tells whether slang accepts a changed reference. Where it refuses the reference itself, it accepts everything.

    Args:
        reference_files: All files that are compiled, path → content.
    """

    def __init__(self, reference_files: Mapping[str, bytes]) -> None:
        self._reference = reference_files
        self._is_of_use = not _has_errors(_compilation_of(reference_files))

    def compiles(self, mutant: Mutant) -> bool:
        """True if slang finds no error in the reference with this fault."""
        return not self._is_of_use or not _has_errors(_compilation_of(mutant.apply_to(self._reference)))

    @property
    def path_by_top_module(self) -> dict[str, str]:
        """The modules that no other instantiates, with the paths of their files."""
        compilation = _compilation_of(self._reference)
        sources = compilation.sourceManager
        return {
            top.name: sources.getFileName(top.definition.location) if sources is not None else ""
            for top in compilation.getRoot().topInstances
        }


def _compilation_of(content_by_path: Mapping[str, bytes]) -> Compilation:
    sources = pyslang.SourceManager()
    compilation = Compilation()
    for path in filter(is_design_file, content_by_path):
        text = content_by_path[path].decode(errors="replace")
        compilation.addSyntaxTree(
            SyntaxTree.fromFileInMemory(text, sources, path, path, parse_options_bag(Preprocessing(), 0))
        )
    return compilation


def _has_errors(compilation: Compilation) -> bool:
    return any(diagnostic.isError() for diagnostic in compilation.getAllDiagnostics())
