"""The parsed files of a project: each as an editor has it, with what it includes as far as that can be read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchwright_verilog.semantics.compilation.trees import Tree, Trees
from benchwright_verilog.semantics.project.include_closure import Closures, Root
from benchwright_verilog.semantics.project.includes import Includes
from benchwright_verilog.semantics.project.lists.single_units import macros_after
from benchwright_verilog.semantics.project.texts import SourceText, SourceTexts


class ParsedFiles:
    """Parses files; a tree is kept as long as it is wanted and nothing in it changes. Not safe in several threads.

    Args:
        texts: The files as they are now.
        includes: What they are read with.
    """

    def __init__(self, texts: SourceTexts, includes: Includes) -> None:
        self._texts = texts
        self._includes = includes
        self._closures = Closures(texts)
        self._trees: Trees | None = None
        self._inheriting: Mapping[Path, Path] = {}
        self._macros: tuple[Tree, tuple[str, ...]] | None = None

    def inherit(self, inheriting: Mapping[Path, Path]) -> None:
        """Files that begin with the macros that others end with, if these are compiled together with them."""
        self._inheriting = inheriting

    def outdate(self) -> None:
        """What is on disk may have changed."""
        self._closures.outdate()

    def parse(
        self, members: Sequence[Path], kept: Collection[Path], root: Path | None = None, own: SourceText | None = None
    ) -> tuple[Tree, ...]:
        """The trees of files that are compiled together; those that can't be read are left out.

        Args:
            members: The files.
            kept: Files whose trees are kept besides.
            root: A file of which another version counts.
            own: That version.
        """
        if self._trees is None:
            self._trees = Trees()
        roots: list[Root] = []
        for path in members:
            text = own if path == root and own is not None else self._texts.get(path)
            if text is not None:
                roots.append(Root(path, text, self._includes.preprocessing(path)))
        reached, headers = self._closures.reached(roots)
        self._trees.prepare(reached)
        by_path = {one.path: one for one in roots} if self._inheriting else {}
        parsed = tuple(self._tree(one, self._trees, by_path) for one in roots)
        wanted = {one.path for one in roots}.union(kept)
        self._trees.keep(wanted)
        self._texts.trim(wanted | headers)
        return parsed

    def _tree(self, root: Root, trees: Trees, roots: Mapping[Path, Root]) -> Tree:
        preprocessing = root.preprocessing
        unit = roots.get(self._inheriting.get(root.path, root.path))
        if unit is not None and unit is not root:
            before = self._tree(unit, trees, roots)
            if self._macros is None or self._macros[0] is not before:
                self._macros = before, macros_after(before.syntax)
            preprocessing = replace(preprocessing, defines=(*preprocessing.defines, *self._macros[1]))
        return trees.tree(root.path, root.text.text, preprocessing)
