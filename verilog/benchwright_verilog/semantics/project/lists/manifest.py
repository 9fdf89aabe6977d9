"""Descriptions of projects in YAML: their values with the places where they are written, however hostile the file."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright_verilog.semantics.project.lists.file_list import Complaint, FileList

if TYPE_CHECKING:
    from yaml import Node

TextIfOpen = Callable[[Path], str | None]
"""Gives the text of a file that an editor has open."""
_MOST_BYTES = 1 << 20
_MOST_NODES = 100_000
"""Largest number of nodes that are visited of one file: aliases can make a short file large."""
DESIGNS = frozenset({".v", ".sv", ".vh", ".svh", ".vs"})


class TooLargeError(Exception):
    """A file has more values than any project needs."""


class YamlManifest:
    """One file.

    Args:
        path: The file.
        text: Its text; None if it can't be read.
        complaints: Gets what is wrong with it.
    """

    def __init__(self, path: Path, text: str | None, complaints: list[Complaint]) -> None:
        self.path = path
        self._complaints = complaints
        self._visited = 0
        self.root = self._compose_tree(text)

    def complain(self, node: Node | None, message: str, *, is_error: bool = True) -> None:
        """Notes what is wrong, at the value; at the beginning of the file if there is none."""
        start, end = (node.start_mark.index, node.end_mark.index) if node is not None else (0, 0)
        self._complaints.append(Complaint(self.path, start, end, message, is_error))

    def fields_of(self, node: Node | None) -> dict[str, Node]:
        """The fields of a mapping, with those that it merges by `<<`; none of anything else."""
        import yaml

        if not isinstance(node, yaml.MappingNode):
            return {}
        own_fields: dict[str, Node] = {}
        merged: dict[str, Node] = {}
        self._require_values_within_limit(len(node.value))
        for key, value in node.value:
            name = self.scalar_text(key)
            if name == "<<":
                for merged_node in self.items_of(value):
                    merged |= self.fields_of(merged_node)
            elif name is not None:
                own_fields[name] = value
        return merged | own_fields

    def items_of(self, node: Node | None) -> list[Node]:
        """The values of a sequence; a lone value is one of one, and nothing is none."""
        import yaml

        if node is None or (isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"):
            return []
        if isinstance(node, yaml.SequenceNode):
            self._require_values_within_limit(len(node.value))
            return list(node.value)
        return [node]

    def scalar_text(self, node: Node | None) -> str | None:
        """A scalar as it is written. None of anything else."""
        import yaml

        return node.value if isinstance(node, yaml.ScalarNode) else None

    def scalars_of(self, node: Node | None) -> list[tuple[Node, str]]:
        """The scalars of a sequence."""
        return [
            (text_node, text) for text_node in self.items_of(node) if (text := self.scalar_text(text_node)) is not None
        ]

    def is_true(self, node: Node | None) -> bool:
        """True if a scalar says yes."""
        return (self.scalar_text(node) or "").lower() in ("true", "yes", "on")

    def _require_values_within_limit(self, value_count: int) -> None:
        self._visited += value_count
        if self._visited > _MOST_NODES:
            raise TooLargeError

    def _compose_tree(self, text: str | None) -> Node | None:
        import yaml

        if text is None:
            self.complain(None, f"{self.path} can't be read.")
            return None
        if len(text) > _MOST_BYTES:
            self.complain(None, f"{self.path.name} is larger than 1 MB, so it is not read.")
            return None
        try:
            return yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            offset = error.problem_mark.index if error.problem_mark is not None else 0
            self._complaints.append(Complaint(self.path, offset, offset + 1, f"This is not YAML: {error.problem}."))
        except (yaml.YAMLError, RecursionError, ValueError):
            self.complain(None, f"{self.path.name} is not YAML that can be read.")
        return None


@dataclass
class ProjectParts:
    """Parts that a project consists of, as far as it was read."""

    sources: dict[Path, None] = field(default_factory=dict)
    include_dirs: dict[Path, None] = field(default_factory=dict)
    defines: dict[str, None] = field(default_factory=dict)
    tops: dict[str, None] = field(default_factory=dict)
    parameters: dict[str, None] = field(default_factory=dict)
    verilog_files: dict[str, None] = field(default_factory=dict)
    complaints: list[Complaint] = field(default_factory=list)
    read_files: dict[Path, None] = field(default_factory=dict)
    targets: tuple[str, ...] = ()
    """Targets that can be chosen."""

    def as_file_list(self, manifest_path: Path) -> FileList:
        """The same as a file list says it."""
        return FileList(
            manifest_path,
            tuple(self.sources),
            tuple(self.include_dirs),
            tuple(self.defines),
            tops=tuple(self.tops),
            parameters=tuple(self.parameters),
            verilog_files=tuple(self.verilog_files),
            complaints=tuple(self.complaints),
            read_lists=tuple(dict.fromkeys([manifest_path, *self.read_files])),
            targets=self.targets,
        )


def normalized_path(path: Path) -> Path:
    """A path without `..`."""
    return Path(os.path.normpath(path))
