"""FuseSoC's `.core` files (CAPI2): the files of a target of a core, and of the cores that it depends on.

Dependencies are the cores below the project's folder. Conditions such as `tool_icarus ? (…)` are taken for no tool.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_verilog.semantics.project.lists.file_list import FileList, open_or_disk_text
from benchwright_verilog.semantics.project.lists.manifest import (
    DESIGNS,
    ProjectParts,
    TextIfOpen,
    TooLargeError,
    YamlManifest,
    normalized_path,
)
from benchwright_verilog.semantics.project.plain_files import ReadableFiles

if TYPE_CHECKING:
    from yaml import Node

SUFFIX = ".core"
_MOST_CORES = 2_000
_CONDITION = re.compile(r"^\s*(!?)\s*([\w.-]+)\s*\?\s*\((.*)\)\s*$", re.DOTALL)
_VERILOG_KIND = re.compile(r"verilogSource-(?:1995|2001|2005)$")
_VERSION = re.compile(r"^(?:[<>=~^]*)(.*)$", re.DOTALL)
_FIRST_LINE = re.compile(r"\A(\s*CAPI=2):?[ \t]*$", re.MULTILINE)


def read_core(
    core_path: Path,
    dependency_folder: Path,
    text_if_open: TextIfOpen | None = None,
    target: str = "",
    files: ReadableFiles | None = None,
) -> FileList:
    """Reads a core and those that it depends on.

    Args:
        core_path: Its file.
        dependency_folder: Cores below it may be depended on.
        text_if_open: See `TextIfOpen`.
        target: Target of the core; `default` if not given, else the first.
        files: The files that may be read; all if none are given.
    """
    gathered = ProjectParts()
    reading = _FusesocReading(dependency_folder, files or ReadableFiles.everywhere(), text_if_open, gathered)
    reading.read_top(core_path, target)
    return gathered.as_file_list(core_path)


class _Core:
    def __init__(self, path: Path, text: str | None, project_parts: ProjectParts) -> None:
        # The first line is a key without a value, which some write without its colon.
        spelled = _FIRST_LINE.sub(lambda match: match[1].replace("=", "_") + ":", text, count=1) if text else text
        self.manifest = YamlManifest(path, spelled, project_parts.complaints)
        self.folder = path.parent
        self.fields = self.manifest.fields_of(self.manifest.root)
        self.filesets = self.manifest.fields_of(self.fields.get("filesets"))
        self.targets = self.manifest.fields_of(self.fields.get("targets"))

    @property
    def name(self) -> str:
        return _core_name_without_version(self.manifest.scalar_text(self.fields.get("name")) or "")


class _FusesocReading:
    def __init__(
        self, folder: Path, files: ReadableFiles, text_if_open: TextIfOpen | None, project_parts: ProjectParts
    ) -> None:
        self._folder = folder
        self._files = files
        self._text_of = text_if_open
        self._gathered = project_parts
        self._flags: frozenset[str] = frozenset()
        self._seen_cores: set[str] = set()
        self._found_cores: dict[str, Path] | None = None

    def read_top(self, path: Path, requested_target: str) -> None:
        core = self._read_core(path)
        try:
            self._gathered.targets = tuple(core.targets)
            target = requested_target or ("default" if "default" in core.targets else next(iter(core.targets), ""))
            if requested_target and requested_target not in core.targets:
                known_targets = ", ".join(core.targets) or "none"
                core.manifest.complain(
                    None, f"{path.name} has no target {requested_target}; there are: {known_targets}."
                )
                target = next(iter(core.targets), "")
            self._flags = frozenset({f"target_{target}"})
            self._seen_cores.add(core.name)
            self._read_target(core, target)
        except TooLargeError:
            core.manifest.complain(None, f"{path.name} has more entries than can be read.")

    def _read_core(self, path: Path) -> _Core:
        self._gathered.read_files[path] = None
        return _Core(path, open_or_disk_text(path, self._files, self._text_of), self._gathered)

    def _read_target(self, core: _Core, target_name: str) -> None:
        fields = core.manifest.fields_of(core.targets.get(target_name))
        for key in ("filesets", "filesets_append"):
            for node, fileset in self._items_whose_conditions_hold(core, fields.get(key)):
                self._read_fileset(core, node, fileset)
        for _, top_name in self._items_whose_conditions_hold(core, fields.get("toplevel")):
            self._gathered.tops[top_name] = None
        known_parameters = core.manifest.fields_of(core.fields.get("parameters"))
        for key in ("parameters", "parameters_append"):
            for _, parameter in self._items_whose_conditions_hold(core, fields.get(key)):
                self._read_parameter(core, known_parameters, parameter)

    def _read_parameter(self, core: _Core, known_parameters: dict[str, Node], parameter_name: str) -> None:
        name, sign, value = parameter_name.partition("=")
        fields = core.manifest.fields_of(known_parameters.get(name))
        kind = core.manifest.scalar_text(fields.get("paramtype"))
        usual = core.manifest.scalar_text(fields.get("default"))
        value = value if sign else usual or ""
        if kind == "vlogdefine":
            if core.manifest.scalar_text(fields.get("datatype")) == "bool":
                if value.lower() == "true":
                    self._gathered.defines[name] = None
            else:
                self._gathered.defines[f"{name}={value}" if value else name] = None
        elif kind == "vlogparam" and value:
            self._gathered.parameters[f"{name}={value}"] = None

    def _read_fileset(self, core: _Core, node: Node, fileset_name: str) -> None:
        if fileset_name not in core.filesets:
            core.manifest.complain(node, f"There is no fileset {fileset_name}.")
            return
        fields = core.manifest.fields_of(core.filesets[fileset_name])
        for dependency_node, dependency in self._items_whose_conditions_hold(core, fields.get("depend")):
            self._read_dependency(core, dependency_node, dependency)
        file_type = core.manifest.scalar_text(fields.get("file_type")) or ""
        for key in ("files", "files_append"):
            for file_node in core.manifest.items_of(fields.get(key)):
                self._read_file_entry(core, file_node, file_type)

    def _read_file_entry(self, core: _Core, file_node: Node, default_file_type: str) -> None:
        text = core.manifest.scalar_text(file_node)
        if text is not None:
            applied = self._text_if_condition_holds(text)
            if applied is not None:
                self._add_file(core, file_node, applied, default_file_type, None, is_include=False)
            return
        for name, node in core.manifest.fields_of(file_node).items():
            fields = core.manifest.fields_of(node)
            applied = self._text_if_condition_holds(name)
            if applied is not None:
                file_type = core.manifest.scalar_text(fields.get("file_type")) or default_file_type
                include_path = core.manifest.scalar_text(fields.get("include_path"))
                is_include = core.manifest.is_true(fields.get("is_include_file"))
                self._add_file(core, file_node, applied, file_type, include_path, is_include=is_include)

    def _add_file(
        self, core: _Core, node: Node, written_path: str, file_type: str, include_path: str | None, *, is_include: bool
    ) -> None:
        path = normalized_path(core.folder / written_path)
        if not (
            file_type.startswith(("verilogSource", "systemVerilogSource")) or (not file_type and path.suffix in DESIGNS)
        ):
            return
        if not self._files.is_file(path):
            core.manifest.complain(node, f"There is no file {path}.")
        elif is_include or path.suffix in (".vh", ".svh"):
            self._gathered.include_dirs[
                normalized_path(core.folder / include_path) if include_path else path.parent
            ] = None
        else:
            self._gathered.sources[path] = None
            if _VERILOG_KIND.match(file_type):
                self._gathered.verilog_files[str(path)] = None

    def _read_dependency(self, core: _Core, node: Node, dependency: str) -> None:
        name = _core_name_without_version(dependency)
        if name in self._seen_cores or len(self._seen_cores) >= _MOST_CORES:
            return
        self._seen_cores.add(name)
        path = self._core_files_by_name().get(name)
        if path is None:
            message = f"There is no core {name} below {self._folder}."
            core.manifest.complain(node, message, is_error=False)
            return
        dependency_core = self._read_core(path)
        # What a core gives to others is its default target.
        self._read_target(dependency_core, "default")

    def _core_files_by_name(self) -> dict[str, Path]:
        if self._found_cores is None:
            self._found_cores = {}
            for path in self._files.files_matching(self._folder, f"**/*{SUFFIX}")[:_MOST_CORES]:
                name = _Core(path, open_or_disk_text(path, self._files, self._text_of), ProjectParts()).name
                # The later of two versions is named later.
                self._found_cores[name] = path
        return self._found_cores

    def _items_whose_conditions_hold(self, core: _Core, node: Node | None) -> Iterator[tuple[Node, str]]:
        for text_node, text in core.manifest.scalars_of(node):
            applied = self._text_if_condition_holds(text)
            if applied:
                yield text_node, applied

    def _text_if_condition_holds(self, conditional_text: str) -> str | None:
        """The rest of `flag ? (…)`; None if the flag is not set."""
        for _ in range(8):
            match = _CONDITION.match(conditional_text)
            if match is None:
                return conditional_text.strip()
            if (match[2] in self._flags) == bool(match[1]):
                return None
            conditional_text = match[3]
        return None


def _core_name_without_version(name: str) -> str:
    """`vendor:library:name` of `>=vendor:library:name:1.0`."""
    match = _VERSION.match(name.strip())
    return ":".join((match[1] if match else name).split(":")[:3])
