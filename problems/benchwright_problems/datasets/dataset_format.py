"""Declarations of each data set's format about itself, for the command line and its help."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from benchwright_problems.datasets.folder import files_below
from benchwright_problems.datasets.jsonl import read_array_or_lines
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import Pack, Problem


@dataclass(frozen=True)
class DatasetExcerpt:
    """As much of a data set as is needed to recognise its format."""

    files: tuple[str, ...]
    """The name of the file; of a folder, the relative paths of the files below it."""
    fields: frozenset[str]
    """The names of the first record's fields; empty if there are no records."""


@dataclass(frozen=True)
class FileOption:
    """An option of an import that names one more file."""

    name: str
    """As on the command line without its dashes, and as the importer's keyword."""
    help: str


@dataclass(frozen=True)
class DatasetFormat:
    """One format that packs are imported from and exported to."""

    name: str
    """As on the command line."""
    source: str
    """The address in the provenance of every imported problem, by which the exporter is found."""
    reads: str
    """The files that the importer takes, in a few words."""
    importer: Callable[..., Pack]
    """Called with the paths, the new pack's name, and as keywords `invalid` (InvalidRecords) and the options given.
    Raises DatasetError."""
    export: Callable[[Problem], dict[str, JsonValue]]
    """The record of a problem; raises ValueError if the problem has none."""
    recognise: Callable[[DatasetExcerpt], bool]
    """True if a data set is of this format, from its content."""
    file_options: tuple[FileOption, ...] = ()
    runs_images: bool = False
    """True if tests of its problems may run in images of their own."""


def read_excerpt(file_or_folder: Path) -> DatasetExcerpt:
    """The names of the files, and the first record if there is one; empty if nothing can be read."""
    with contextlib.suppress(DatasetError):
        if file_or_folder.is_dir():
            return DatasetExcerpt(tuple(files_below(file_or_folder)), frozenset())
        for _, _, record in read_array_or_lines(file_or_folder):
            return DatasetExcerpt((file_or_folder.name,), frozenset(record))
    return DatasetExcerpt((file_or_folder.name,), frozenset())


def recognised_format(dataset_paths: Sequence[Path], formats: Sequence[DatasetFormat]) -> DatasetFormat | None:
    """The format of a data set as its first file or folder shows it."""
    first_excerpt = read_excerpt(dataset_paths[0])
    return next((dataset_format for dataset_format in formats if dataset_format.recognise(first_excerpt)), None)
