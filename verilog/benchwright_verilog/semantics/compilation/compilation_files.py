"""Choice of the files that are compiled together with a file.

In a folder with

    top.sv      module top; fifo u_fifo (); endmodule
    fifo.sv     `include "ports.svh"
                module fifo; ram u_ram (); endmodule
    ram.sv      module ram; endmodule
    other.sv    module other; endmodule

`top.sv` is compiled with `fifo.sv` and `ram.sv`, and the header `ports.svh` as a part of `fifo.sv`.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from benchwright_verilog.semantics.compilation.instance_paths import DEFAULTS, InstanceChoice
from benchwright_verilog.semantics.names.declaring_files import DeclaringFileChoices
from benchwright_verilog.semantics.names.occurrence import TargetKind
from benchwright_verilog.semantics.project.black_boxes import BlackBoxes
from benchwright_verilog.semantics.project.index.entry import Stamp
from benchwright_verilog.semantics.project.index.inventory import Inventory, nearest_path
from benchwright_verilog.semantics.project.index.outline import DeclaredName, Outline
from benchwright_verilog.semantics.project.lists.file_list import FileList
from benchwright_verilog.semantics.project.lists.single_units import SingleUnits
from benchwright_verilog.semantics.project.plain_files import stamp_of
from benchwright_verilog.semantics.project.texts import SourceText, SourceTexts
from benchwright_verilog.syntax.documents import Document
from benchwright_verilog.syntax.suffixes import HEADERS
from benchwright_verilog.syntax.surrogates import encode_text

_MAX_FILES = 200
_MAX_BYTES = 1024**2
"""Up to how much is compiled together: all files of a workspace or list that has no more, else what is nearest. slang
elaborates a megabyte in a twentieth of a second."""
_MAX_DEPTH = 20
_PATH = re.compile(rb"\w\s*(?:\[[^\]]*\]\s*)?\.\s*\w+\s*(?:\[[^\]]*\]\s*)?\.\s*\w")
"""Three names of a path."""
_TYPE_PARAMETER = re.compile(rb"(?:\bparameter|[(,])\s*type\s+\w")

DeclaringFilesByUnit = Mapping[str, Sequence[Path]]
"""The files that declare a name."""


class CompilationFiles:
    """Chooses files; what it found out about a file is kept until the file changes. Not safe in several threads.

    Args:
        texts: The files as they are now.
        inventory: All files of the project's folder; None for a file by itself.
        find_include: Gives the file that an `include` of a file means.
        declaring_files: Decides where several files declare a unit.
        takes_all_files: True if all files of the folder belong together, as in a problem's workspace.
        black_boxes: Models of what no file declares.
        read_foreign_units: Gives the files of other open folders that declare a unit; without a list they are taken
            where no file of the folder declares it.
    """

    def __init__(
        self,
        texts: SourceTexts,
        inventory: Inventory | None,
        find_include: Callable[[Path, str], Path | None],
        declaring_files: DeclaringFileChoices,
        *,
        takes_all_files: bool,
        black_boxes: BlackBoxes | None = None,
        read_foreign_units: Callable[[], DeclaringFilesByUnit] = dict,
    ) -> None:
        self.instance_choice: InstanceChoice = DEFAULTS
        self._texts = texts
        self._inventory = inventory
        self._lists: Sequence[FileList] = ()
        self._sources: dict[Path, None] = {}
        self._libraries: list[Path] = []
        self._version: object = None
        self._is_short = True
        self.single_units = SingleUnits()
        self._members: dict[Path, None] = {}
        self._declared: dict[int, tuple[object, DeclaringFilesByUnit]] = {}
        self._open_units: tuple[dict[Path, Document], dict[Path, frozenset[str]]] = {}, {}
        """The open documents, and the units that each declares."""
        self._find_include = find_include
        self._takes_all = takes_all_files
        self._declaring_files = declaring_files
        self._corrected: tuple[DeclaringFilesByUnit, object, DeclaringFilesByUnit] = {}, None, {}
        self._names: dict[Path, tuple[Stamp | Outline, DeclaringFilesByUnit, tuple[str, ...]]] = {}
        self._black_boxes = black_boxes
        self._model_files: dict[Path, tuple[Stamp | Outline, int | None, Mapping[str, Path]]] = {}
        self._read_foreign_units = read_foreign_units
        self._names_of_other_folders: dict[Path, tuple[Stamp | Outline, object, frozenset[str]]] = {}
        self._modules_by_model_file: dict[Path, set[str]] = {}
        self._model_texts: dict[Path, SourceText] = {}

    def use_lists_and_forget_findings(self, lists: Sequence[FileList]) -> None:
        """Take the project's file lists, and what is on disk, as they are now."""
        if lists != self._lists:
            self._lists = lists
            self._sources = dict.fromkeys(path for file_list in lists for path in file_list.sources)
            self._libraries = [path for file_list in lists for path in file_list.libraries]
        listed_paths = (*self._sources, *self._libraries)
        known_stamps = self._inventory.stamps if self._inventory is not None else {}
        number = self._inventory.version if self._inventory is not None else 0
        version = (lists, number, [stamp_of(path) for path in listed_paths if path not in known_stamps])
        if version != self._version:
            is_first, self._version = self._version is None, version
            self._declared.clear()
            self._is_short = self._total_size(self._sources) <= _MAX_BYTES
            self.single_units = SingleUnits(lists, self._total_size)
            self._members = dict.fromkeys(self.single_units.merge_units(self._sources))
            self._modules_by_model_file.clear()
            self._model_texts.clear()
            # A variant of a project shares its models, which are not older than it.
            if self._black_boxes is not None and not is_first:
                self._black_boxes.note_disk_change()
            self._texts.stand_in_texts = self.single_units.unit_texts

    def file_to_compile_for(self, path: Path) -> Path:
        """The file to compile for a file: itself, the single unit that it is in, or the nearest that includes it."""
        seen_files = {path}
        current = path
        while current.suffix in HEADERS and self._inventory is not None:
            candidates = [
                includer
                for includer in self._inventory.including_files_by_base_name.get(current.name, ())
                if includer not in seen_files and self._includes_header(includer, current)
            ]
            next_file = nearest_path(candidates, current)
            if next_file is None:
                return path
            seen_files.add(next_file)
            current = next_file
        return self.single_units.unit_or_file(current)

    def files_compiled_with(self, root: Path) -> list[Path]:
        """The files to compile for a file or unit: those of the lists, of the workspace, or those that it needs.

        What other folders declare, and the models of what no file declares, come last.
        """
        return self._with_black_box_models(self._with_files_of_other_folders(self._own_files_compiled_with(root)))

    def _own_files_compiled_with(self, root: Path) -> list[Path]:
        listed_files = self._members
        if listed_files and self._is_short:
            # slang's own order is the list's, and a file that is in no list comes last.
            compiled_files = list(listed_files if root in listed_files else {**listed_files, root: None})
            return (
                self._needed_files(compiled_files, self._declaring_files_among(self._libraries))
                if self._libraries
                else compiled_files
            )
        if self._inventory is None:
            return [root]
        if self._takes_all:
            sources = list(self._inventory.files_but_headers())
            if len(sources) <= _MAX_FILES and self._total_size(sources) <= _MAX_BYTES:
                return [root, *(path for path in sources if path != root)]
        files_below = self.single_units.merge_units(self._files_needed_by_chosen_top())
        if root in files_below:
            return [root, *(path for path in files_below if path != root)]
        is_listed = bool(listed_files or self._libraries)
        declaring = (
            self._declaring_files_by_unit()
            if is_listed
            else self._corrected_by_open_files(self._inventory.declaring_files_by_unit, root)
        )
        ancestors = self._files_above_viewed_instances(root, declaring)
        if not ancestors and (is_listed or self._has_type_parameters(root)):
            ancestors = self._instantiating_files(root, declaring)
        return self.single_units.merge_units(
            self._needed_files([root, *ancestors], declaring, lambda path: path not in ancestors)
        )

    def _with_files_of_other_folders(self, files: list[Path]) -> list[Path]:
        foreign_units = self._read_foreign_units() if not (self._sources or self._libraries or self._takes_all) else {}
        if not foreign_units:
            return files
        own_names = self._declaring_files_by_unit().keys()
        all_files = dict.fromkeys(files)
        pending_files = deque(files)
        while pending_files and len(all_files) < _MAX_FILES + len(files):
            path = pending_files.popleft()
            for name in self._foreign_unit_names_in(path, foreign_units):
                candidates = foreign_units[name]
                if name in own_names or any(candidate in all_files for candidate in candidates):
                    continue
                chosen_file = nearest_path(candidates, path)
                if chosen_file is not None:
                    all_files[chosen_file] = None
                    pending_files.append(chosen_file)
        return list(all_files)

    def _with_black_box_models(self, files: list[Path]) -> list[Path]:
        if self._black_boxes is None:
            return files
        own_files = set(files)
        model_files: dict[Path, None] = {}
        for path in files:
            for name, model_file in self._model_files_named_in(path, self._black_boxes).items():
                if name in self._declaring_files_by_unit() or model_file in own_files:
                    continue
                model_files[model_file] = None
                self._add_model(model_file, name)
        return [*files, *model_files]

    def _foreign_unit_names_in(self, path: Path, foreign_units: Mapping[str, object]) -> frozenset[str]:
        """The names of units that other folders declare, in a file."""
        text = self._texts.current_text(path)
        if text is None:
            return frozenset()
        version = text.stamp or text.outline
        cached = self._names_of_other_folders.get(path)
        if cached is None or cached[0] != version or cached[1] is not foreign_units:
            cached = version, foreign_units, frozenset(text.outline.code_words & foreign_units.keys())
            self._names_of_other_folders[path] = cached
        return cached[2]

    def _model_files_named_in(self, path: Path, black_boxes: BlackBoxes) -> Mapping[str, Path]:
        """The models that a file names, each with the file that declares it."""
        text = self._texts.current_text(path)
        if text is None:
            return {}
        version = text.stamp or text.outline
        cached = self._model_files.get(path)
        if cached is None or cached[0] != version or cached[1] not in (None, black_boxes.looks):
            cached = version, None, {}
            if black_boxes.may_be_named_in(text.outline):
                looks, file_by_module = black_boxes.looks, black_boxes.file_by_module
                names = text.outline.code_words & file_by_module.keys()
                cached = version, looks, {name: file_by_module[name] for name in names}
            self._model_files[path] = cached
        return cached[2]

    def _add_model(self, model_file: Path, module_name: str) -> None:
        """Gives slang one module more of a model's file."""
        modules = self._modules_by_model_file.setdefault(model_file, set())
        if module_name in modules or self._black_boxes is None:
            return
        modules.add(module_name)
        text = self._black_boxes.text_with_only_modules(model_file, modules)
        self._model_texts[model_file] = SourceText(text, Outline(encode_text(text)), None)
        self._texts.stand_in_texts = {**self.single_units.unit_texts, **self._model_texts}

    def files_of_design(self, path: Path) -> list[Path]:
        """The files to compile for the hierarchy of instances that a file belongs to."""
        return self._with_black_box_models(self._with_files_of_other_folders(self._own_files_of_design(path)))

    def _own_files_of_design(self, path: Path) -> list[Path]:
        if self._inventory is None:
            return [path]
        if files_below := self._files_needed_by_chosen_top(has_limit=False):
            return self.single_units.merge_units(files_below)
        if self._sources:
            listed_files = list(self._members)
            return self._needed_files(listed_files, self._declaring_files_among(self._libraries), has_limit=False)
        return list(self._inventory.files_but_headers())

    def _files_needed_by_chosen_top(self, *, has_limit: bool = True) -> list[Path]:
        """The files that the chosen top needs, its own first; none if no top is chosen, or nothing declares it."""
        declaring = self._declaring_files_by_unit() if self.instance_choice.top_name is not None else {}
        candidates = declaring.get(self.instance_choice.top_name or "", ())
        first_file = min(candidates, key=lambda path: (len(path.parts), path), default=None)
        return self._needed_files([first_file], declaring, has_limit=has_limit) if first_file is not None else []

    def _files_above_viewed_instances(self, root: Path, files_by_unit: DeclaringFilesByUnit) -> list[Path]:
        """The files of the modules around the instances that the modules of a file are viewed as."""
        chosen_files: dict[Path, None] = {}
        entries = self._inventory.entries if self._inventory is not None else {}
        known_files = {*self._sources, *self._libraries} or entries.keys()
        for name in sorted(_unit_names(self._texts.outline(root)) & self.instance_choice.instances.keys()):
            chosen_instance = self.instance_choice.instances[name]
            chosen_files |= dict.fromkeys(file for file in reversed(chosen_instance.files) if file in known_files)
            for module in chosen_instance.modules[:-1]:
                candidates = files_by_unit.get(module, ())
                # The module has moved since then.
                if (
                    not any(file in chosen_files for file in candidates)
                    and (path := nearest_path(candidates, root)) is not None
                ):
                    chosen_files[path] = None
        chosen_files.pop(root, None)
        return list(chosen_files)

    def _has_type_parameters(self, path: Path) -> bool:
        """True if what a module of a file means is known only where it is instantiated."""
        outline = self._texts.outline(path)
        return outline is not None and _TYPE_PARAMETER.search(outline.data) is not None

    def joint_and_separate_files(self, paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
        """The files to compile to look up names in many files at once.

        Args:
            paths: The files.

        Returns:
            Those of them that can be compiled together, with what they need; and those that can't, since a name in
            them is declared in several files.
        """
        declaring = self._declaring_files_by_unit()
        apart: list[Path] = []
        joint_files: list[Path] = []
        for path in paths:
            names = {*self._unit_names_in(path, declaring), *_unit_names(self._texts.outline(path))}
            is_alone = (
                path.suffix in HEADERS
                or path in self.single_units
                or any(len(declaring.get(name, ())) > 1 for name in names)
            )
            (apart if is_alone else joint_files).append(path)
        if not joint_files:
            return [], apart
        # `u_a.u_b.signal` leads through modules of which no file needs to name `signal`.
        deep = {path for path in joint_files if self._has_hierarchical_names(path)}
        own_files = set(joint_files)
        needed_files = self._needed_files(
            joint_files,
            declaring,
            lambda path: path in own_files or path in deep,
            has_limit=False,
            files_with_modules=deep,
        )
        return self._with_files_of_other_folders(self.single_units.merge_units(needed_files)), apart

    def _has_hierarchical_names(self, path: Path) -> bool:
        outline = self._texts.outline(path)
        return outline is not None and _PATH.search(outline.data) is not None

    def _declaring_files_by_unit(self) -> DeclaringFilesByUnit:
        if self._sources or self._libraries:
            return self._declaring_files_among([*self._sources, *self._libraries])
        return (
            self._corrected_by_open_files(self._inventory.declaring_files_by_unit, None)
            if self._inventory is not None
            else {}
        )

    def _includes_header(self, includer: Path, header: Path) -> bool:
        inventory_entry = self._inventory.entries[includer] if self._inventory is not None else None
        names = inventory_entry.includes if inventory_entry is not None else ()
        return any(
            name.rpartition("/")[2] == header.name and self._find_include(includer, name) == header for name in names
        )

    def _needed_files(
        self,
        roots: Sequence[Path],
        files_by_unit: DeclaringFilesByUnit,
        takes_modules: Callable[[Path], bool] = lambda path: True,
        *,
        has_limit: bool = True,
        files_with_modules: set[Path] | None = None,
    ) -> list[Path]:
        """Files, those that declare what they name, and so on; the nearest first.

        Args:
            roots: The files to begin with; what is near is so to the first.
            files_by_unit: Files that may be taken.
            takes_modules: True if the modules that a file names are taken; packages and the like always are.
            has_limit: True to stop where they are many.
            files_with_modules: Files whose modules are taken with their own modules, and so on; these are added to it.
        """
        root = roots[0]
        own_units = _unit_names(self._texts.outline(root))
        needed_files = dict.fromkeys(roots)
        room = _MAX_BYTES - self._total_size(needed_files)
        pending_files = deque(needed_files)
        while pending_files:
            path = pending_files.popleft()
            for name in self._unit_names_in(path, files_by_unit):
                candidates = files_by_unit[name]
                if name in own_units or any(candidate in needed_files for candidate in candidates):
                    continue
                chosen_file = (
                    candidates[0] if len(candidates) == 1 else self._chosen_declaring_file(name, candidates, root)
                )
                if chosen_file is None or (
                    self._declares_module_named(name, chosen_file) and not (takes_modules(path) and room >= 0)
                ):
                    continue
                if has_limit:
                    if len(needed_files) >= _MAX_FILES:
                        return list(needed_files)
                    room -= self._size_of(chosen_file)
                elif files_with_modules is not None and path in files_with_modules:
                    room -= self._size_of(chosen_file)
                    files_with_modules.add(chosen_file)
                needed_files[chosen_file] = None
                pending_files.append(chosen_file)
        return list(needed_files)

    def _chosen_declaring_file(self, unit_name: str, candidates: Sequence[Path], root: Path) -> Path | None:
        if self._sources or self._libraries:
            return nearest_path(candidates, root)
        return self._declaring_files.chosen_or_nearest_file(unit_name, candidates, root)

    def _instantiating_files(self, root: Path, files_by_unit: DeclaringFilesByUnit) -> list[Path]:
        """The file that instantiates a module of a file, that which instantiates that one, and so on up to a top."""
        ancestors: dict[Path, None] = {root: None}
        current: Path | None = root
        while current is not None and len(ancestors) < _MAX_DEPTH:
            names = {
                name for name in _unit_names(self._texts.outline(current)) if self._declares_module_named(name, current)
            }
            parents = {
                path
                for name in names & files_by_unit.keys()
                for path in self._files_with_word(name)
                if path not in ancestors and path.suffix not in HEADERS and self._declares_module(path, files_by_unit)
            }
            current = nearest_path(parents, current)
            if current is not None:
                ancestors[current] = None
        return list(ancestors)[1:]

    def _files_with_word(self, name: str) -> Iterator[Path]:
        """The files that have a name, as they are now."""
        open_documents = dict(self._texts.opened_design_files())
        changed_paths = [*open_documents, *self._texts.rewritten_texts]
        if self._inventory is not None:
            changed_set = set(changed_paths)
            yield from (path for path in self._inventory.files_naming(name) if path not in changed_set)
        for path in dict.fromkeys(changed_paths):
            text = self._texts.current_text(path, open_documents.get(path))
            if text is not None and name.encode() in text.outline.data and name in text.outline.code_words:
                yield path

    def _declares_module(self, path: Path, files_by_unit: DeclaringFilesByUnit) -> bool:
        return any(
            path in files_by_unit.get(unit.name, ())
            for unit in self._units_of(path)
            if unit.target_kind is TargetKind.MODULE
        )

    def _declares_module_named(self, name: str, path: Path) -> bool:
        return any(unit.name == name and unit.target_kind is TargetKind.MODULE for unit in self._units_of(path))

    def _units_of(self, path: Path) -> Iterable[DeclaredName]:
        inventory_entry = self._inventory.entries.get(path) if self._inventory is not None else None
        last_read_text = self._texts.last_read_text(path)
        if inventory_entry is not None and (last_read_text is None or last_read_text.stamp == inventory_entry.stamp):
            return inventory_entry.units
        if (
            inventory_entry is None
            and last_read_text is None
            and self._inventory is not None
            and path in self._inventory.stamps
        ):
            return ()  # The background will read it.
        outline = self._texts.outline(path)
        return outline.units if outline is not None else ()

    def _declaring_files_among(self, paths: Sequence[Path]) -> DeclaringFilesByUnit:
        """The units that the libraries, or all listed files, declare as they are now."""
        open_documents = dict(self._texts.opened_design_files())
        if open_documents != self._open_units[0]:
            units_by_path = {path: frozenset(_unit_names(self._texts.outline(path))) for path in open_documents}
            self._open_units = open_documents, units_by_path
        units_by_path = self._open_units[1]
        cached = self._declared.get(len(paths))
        if cached is None or cached[0] != units_by_path:
            declaring: dict[str, list[Path]] = {}
            by_name = frozenset().union(*(file_list.libraries_found_by_name for file_list in self._lists))
            for path in paths:
                for name in (
                    units_by_path[path] if path in units_by_path else {unit.name for unit in self._units_of(path)}
                ):
                    if path not in by_name or name == path.stem:
                        declaring.setdefault(name, []).append(path)
            cached = self._declared[len(paths)] = units_by_path, declaring
        return cached[1]

    def _corrected_by_open_files(self, files_by_unit: DeclaringFilesByUnit, root: Path | None) -> DeclaringFilesByUnit:
        """The units on disk, corrected by what is open; what `root` itself declares does not matter."""
        entries = self._inventory.entries if self._inventory is not None else {}
        changed_units = []
        for path, document in self._texts.opened_design_files():
            inventory_entry, text = entries.get(path), self._texts.current_text(path, document)
            if path.suffix in HEADERS or path == root or text is None:
                continue
            new_units = _unit_names(text.outline)
            if new_units != ({unit.name for unit in inventory_entry.units} if inventory_entry is not None else set()):
                changed_units.append((path, frozenset(new_units)))
        if not changed_units:
            return files_by_unit
        if self._corrected[0] is not files_by_unit or self._corrected[1] != changed_units:
            corrected = dict(files_by_unit)
            for path, units in changed_units:
                corrected = {name: [path_ for path_ in paths if path_ != path] for name, paths in corrected.items()}
                for name in units:
                    corrected[name] = [*corrected.get(name, ()), path]
            remaining = {name: paths for name, paths in corrected.items() if paths}
            self._corrected = files_by_unit, changed_units, remaining
        return self._corrected[2]

    def _unit_names_in(self, path: Path, files_by_unit: DeclaringFilesByUnit) -> Iterable[str]:
        """The names of units in a file and in what it includes."""
        names: dict[str, None] = {}
        seen_files: set[Path] = set()
        pending_files = [path]
        while pending_files:
            current = pending_files.pop()
            text = self._texts.current_text(current)
            if text is None or current in seen_files:
                continue
            seen_files.add(current)
            # The text of a file that is not open would be kept in memory with its outline.
            version = text.stamp or text.outline
            cached = self._names.get(current)
            if cached is None or cached[0] != version or cached[1] is not files_by_unit:
                cached = version, files_by_unit, tuple(sorted(text.outline.code_words & files_by_unit.keys()))
                self._names[current] = cached
            names |= dict.fromkeys(cached[2])
            for include in text.outline.includes:
                header = self._find_include(current, include.name)
                if header is not None:
                    pending_files.append(header)
        return names

    def _total_size(self, paths: Iterable[Path]) -> int:
        return sum(self._size_of(path) for path in paths)

    def _size_of(self, path: Path) -> int:
        known_stamp = self._inventory.stamps.get(path) if self._inventory is not None else None
        stamp = known_stamp or stamp_of(path)
        return stamp[1] if stamp is not None else 0


def _unit_names(outline: Outline | None) -> set[str]:
    return {unit.name for unit in outline.units} if outline is not None else set()
