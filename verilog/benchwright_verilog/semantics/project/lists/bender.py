"""`Bender.yml`: the sources of a package of Bender, of the packages that it depends on, and which of them apply.

Nothing is fetched: a dependency is where `Bender.local` or `Bender.yml` say, or where `bender checkout` has put it.
"""

from __future__ import annotations

import re
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

NAME = "Bender.yml"
TARGETS = ("rtl", "simulation", "test")
"""Targets that apply if nothing is chosen: those that one reads and simulates."""
_MOST_PACKAGES = 500
_WORD = re.compile(r"\s*([A-Za-z0-9_.:*-]+|[(),])")


def read_bender(
    manifest_path: Path,
    text_if_open: TextIfOpen | None = None,
    targets: tuple[str, ...] = (),
    files: ReadableFiles | None = None,
) -> FileList:
    """Reads a package and those that it depends on.

    Args:
        manifest_path: Its `Bender.yml`.
        text_if_open: See `TextIfOpen`.
        targets: Targets that apply; `TARGETS` if none is given.
        files: The files that may be read; all if none are given.
    """
    gathered = ProjectParts()
    reading = _BenderReading(
        manifest_path.parent,
        files or ReadableFiles.everywhere(),
        text_if_open,
        frozenset(name.lower() for name in targets or TARGETS),
        gathered,
    )
    reading.read_package(manifest_path)
    gathered.targets = tuple(sorted(reading.named_targets))
    return gathered.as_file_list(manifest_path)


class _BenderReading:
    def __init__(
        self,
        root: Path,
        files: ReadableFiles,
        text_if_open: TextIfOpen | None,
        targets: frozenset[str],
        project_parts: ProjectParts,
    ) -> None:
        self._root = root
        self._files = files
        self._text_of = text_if_open
        self._targets = targets
        self._gathered = project_parts
        self._seen_packages: set[str] = set()
        self._checkouts = root / ".bender" / "git" / "checkouts"
        self._checkout_dir: Path | None = None
        self._local = self._overrides()
        self.named_targets: set[str] = set()

    def read_package(self, path: Path) -> None:
        self._gathered.read_files[path] = None
        manifest = YamlManifest(path, open_or_disk_text(path, self._files, self._text_of), self._gathered.complaints)
        try:
            self._read_manifest(manifest, path.parent)
        except TooLargeError:
            manifest.complain(None, f"{path.name} has more entries than can be read.")

    def _read_manifest(self, manifest: YamlManifest, folder: Path) -> None:
        fields = manifest.fields_of(manifest.root)
        if folder == self._root:
            self._seen_packages.add(
                (manifest.scalar_text(manifest.fields_of(fields.get("package")).get("name")) or "").lower()
            )
            workspace = manifest.fields_of(fields.get("workspace"))
            if (checkout_dir := manifest.scalar_text(workspace.get("checkout_dir"))) is not None:
                self._checkout_dir = normalized_path(folder / checkout_dir)
        # Bender gives a package's sources after those that it depends on.
        for name, node in manifest.fields_of(fields.get("dependencies")).items():
            self._read_dependency(manifest, folder, name.lower(), node)
        for node, name in manifest.scalars_of(fields.get("export_include_dirs")):
            self._add_include_dir(manifest, folder, node, name)
        self._read_source_group(manifest, folder, fields.get("sources"))

    def _read_dependency(self, manifest: YamlManifest, folder: Path, package_name: str, node: Node) -> None:
        if package_name in self._seen_packages or len(self._seen_packages) >= _MOST_PACKAGES:
            return
        self._seen_packages.add(package_name)
        package_folder = self._package_folder(manifest, folder, package_name, node)
        if package_folder is None:
            message = f"The dependency {package_name} is not here. Run `bender checkout`, then its files are read."
            manifest.complain(node, message, is_error=False)
        elif self._files.is_file(package_folder / NAME):
            self.read_package(package_folder / NAME)

    def _package_folder(self, manifest: YamlManifest, folder: Path, package_name: str, node: Node) -> Path | None:
        if package_name in self._local:
            return self._local[package_name]
        given_path = manifest.scalar_text(manifest.fields_of(node).get("path"))
        candidate_folders = [normalized_path(folder / given_path)] if given_path is not None else []
        if self._checkout_dir is not None:
            candidate_folders.append(self._checkout_dir / package_name)
        checkouts = [
            path
            for path, is_folder in self._files.readable_entries(self._checkouts)
            if is_folder and path.name.startswith(f"{package_name}-")
        ]
        candidate_folders += sorted(checkouts, key=lambda checkout: checkout.stat().st_mtime, reverse=True)
        return next(filter(self._files.is_folder, candidate_folders), None)

    def _overrides(self) -> dict[str, Path]:
        path = self._root / "Bender.local"
        text = open_or_disk_text(path, self._files, self._text_of)
        if text is None:
            return {}
        self._gathered.read_files[path] = None
        manifest = YamlManifest(path, text, self._gathered.complaints)
        overrides = {}
        for name, node in manifest.fields_of(manifest.fields_of(manifest.root).get("overrides")).items():
            given_path = manifest.scalar_text(manifest.fields_of(node).get("path"))
            if given_path is not None:
                overrides[name.lower()] = normalized_path(self._root / given_path)
        return overrides

    def _read_source_group(self, manifest: YamlManifest, folder: Path, node: Node | None, depth: int = 0) -> None:
        for source_node in manifest.items_of(node):
            file = manifest.scalar_text(source_node)
            if file is not None:
                self._add_file(manifest, folder, source_node, file)
                continue
            fields = manifest.fields_of(source_node)
            if not self._does_target_apply(manifest, fields.get("target")):
                continue
            if "files" in fields and depth < 32:
                for name_node, name in manifest.scalars_of(fields.get("include_dirs")):
                    self._add_include_dir(manifest, folder, name_node, name)
                for name, value_node in manifest.fields_of(fields.get("defines")).items():
                    text = manifest.scalar_text(value_node)
                    self._gathered.defines[f"{name}={text}" if text not in (None, "", "~", "null") else name] = None
                self._read_source_group(manifest, folder, fields["files"], depth + 1)
            else:
                # An entry may say what kind of file it is.
                for kind in ("sv", "v"):
                    for name_node, name in manifest.scalars_of(fields.get(kind)):
                        self._add_file(manifest, folder, name_node, name)

    def _does_target_apply(self, manifest: YamlManifest, node: Node | None) -> bool:
        text = manifest.scalar_text(node)
        if text is None:
            return True
        try:
            return self._evaluate_condition(_BenderWords(text))
        except ValueError as error:
            manifest.complain(node, f"This target can't be read: {error}. Write a name, all(…), any(…) or not(…).")
            return True

    def _evaluate_condition(self, condition_words: _BenderWords, depth: int = 0) -> bool:
        name = condition_words.take_next_word()
        if depth > 32:
            raise ValueError("it is too deep")
        if condition_words.next_word_if_any != "(":
            if name == "*":
                return True
            self.named_targets.add(name)
            return name.lower() in self._targets
        condition_words.take_next_word()
        operand_values = []
        while condition_words.next_word_if_any != ")":
            operand_values.append(self._evaluate_condition(condition_words, depth + 1))
            if condition_words.next_word_if_any == ",":
                condition_words.take_next_word()
        condition_words.take_next_word()
        match name:
            case "all":
                return all(operand_values)
            case "any":
                return any(operand_values)
            case "not" if len(operand_values) == 1:
                return not operand_values[0]
        raise ValueError(f"{name} is none of all, any and not")

    def _add_include_dir(self, manifest: YamlManifest, folder: Path, node: Node, written_path: str) -> None:
        path = normalized_path(folder / written_path)
        if self._files.is_folder(path):
            self._gathered.include_dirs[path] = None
        else:
            manifest.complain(node, f"There is no folder {path}.", is_error=False)

    def _add_file(self, manifest: YamlManifest, folder: Path, node: Node, written_path: str) -> None:
        path = normalized_path(folder / written_path)
        if any(character in written_path for character in "*?"):
            paths = [] if Path(written_path).is_absolute() else self._files.files_matching(folder, written_path)
            self._gathered.sources |= dict.fromkeys(normalized_path(path) for path in paths if path.suffix in DESIGNS)
        elif path.suffix not in DESIGNS:
            return
        elif self._files.is_file(path):
            self._gathered.sources[path] = None
        else:
            manifest.complain(node, f"There is no file {path}.")


class _BenderWords:
    def __init__(self, text: str) -> None:
        self._words: list[str] = []
        offset = 0
        while text[offset:].strip():
            match = _WORD.match(text, offset)
            if match is None:
                raise ValueError(f"{text[offset:].strip()[0]} is not part of it")
            self._words.append(match[1])
            offset = match.end()
        self._index = 0

    @property
    def next_word_if_any(self) -> str | None:
        return self._words[self._index] if self._index < len(self._words) else None

    def take_next_word(self) -> str:
        word = self.next_word_if_any
        if word is None:
            raise ValueError("it ends too early")
        self._index += 1
        return word
