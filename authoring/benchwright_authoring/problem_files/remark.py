"""A remark on an author's files."""

from __future__ import annotations

from dataclasses import dataclass

from benchwright_authoring.problem_files.toml_places import TomlPath, TomlSpan


@dataclass(frozen=True)
class Remark:
    """Something that an author should change."""

    file: str
    """Its name, such as `problem.toml`."""
    span: TomlSpan
    message: str
    is_error: bool
    """True if the pack can't be used as it is."""
    path: TomlPath = ()
    """The key that it is about, where the span need not be its place: a missing one has none."""
