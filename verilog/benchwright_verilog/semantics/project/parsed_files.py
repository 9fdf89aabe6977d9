"""The parsed files of a project: each as an editor has it, with what it includes as far as that can be read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchwright_verilog.semantics.compilation.trees import SlangTree, SlangTrees
from benchwright_verilog.semantics.project.include_closure import IncludeClosures, RootFile
from benchwright_verilog.semantics.project.includes import IncludeFinder
from benchwright_verilog.semantics.project.lists.single_units import macro_definitions_at_end
from benchwright_verilog.semantics.project.texts import SourceText, SourceTexts


class ParsedFiles:
    """Parses files; a tree is kept as long as it is wanted and nothing in it changes. Not safe in several threads.

    Args:
        texts: The files as they are now.
        includes: Include folders and macros that they are read with.
    """

    def __init__(self, texts: SourceTexts, includes: IncludeFinder) -> None:
        self._texts = texts
        self._includes = includes
        self._closures = IncludeClosures(texts)
        self._trees: SlangTrees | None = None
        self._inheriting: Mapping[Path, Path] = {}
        self._macros: tuple[SlangTree, tuple[str, ...]] | None = None

    def set_inherited_macros(self, inherited_unit_by_file: Mapping[Path, Path]) -> None:
        """Have files begin with the macros that a unit ends with, if that is compiled together with them."""
        self._inheriting = inherited_unit_by_file

    def note_disk_change(self) -> None:
        """Notes that files on disk may have changed."""
        self._closures.note_disk_change()

    def parse(
        self,
        paths: Sequence[Path],
        kept_paths: Collection[Path],
        changed_file: Path | None = None,
        changed_text: SourceText | None = None,
    ) -> tuple[SlangTree, ...]:
        """The trees of files that are compiled together; those that can't be read are left out.

        Args:
            paths: The files.
            kept_paths: Files whose trees are kept besides.
            changed_file: A file of which another version counts.
            changed_text: Text of that version.
        """
        if self._trees is None:
            self._trees = SlangTrees()
        roots: list[RootFile] = []
        for path in paths:
            text = changed_text if path == changed_file and changed_text is not None else self._texts.current_text(path)
            if text is not None:
                roots.append(RootFile(path, text, self._includes.preprocessing_of(path)))
        reachable_files_and_paths, header_files = self._closures.reachable_files_and_paths(roots)
        self._trees.renew_if_files_changed(reachable_files_and_paths)
        by_path = {file_root.path: file_root for file_root in roots} if self._inheriting else {}
        parsed = tuple(self._tree(file_root, self._trees, by_path) for file_root in roots)
        wanted_paths = {file_root.path for file_root in roots}.union(kept_paths)
        self._trees.forget_all_but(wanted_paths)
        self._texts.forget_others_if_many(wanted_paths | header_files)
        return parsed

    def _tree(self, root: RootFile, trees: SlangTrees, roots_by_path: Mapping[Path, RootFile]) -> SlangTree:
        preprocessing = root.preprocessing
        unit_root = roots_by_path.get(self._inheriting.get(root.path, root.path))
        if unit_root is not None and unit_root is not root:
            unit_tree = self._tree(unit_root, trees, roots_by_path)
            if self._macros is None or self._macros[0] is not unit_tree:
                self._macros = unit_tree, macro_definitions_at_end(unit_tree.syntax)
            preprocessing = replace(preprocessing, defines=(*preprocessing.defines, *self._macros[1]))
        return trees.tree(root.path, root.text.text, preprocessing)
