"""Configuration that a server is started with, as a digest: the same digest, the same subject."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from pydantic import JsonValue

from benchwright_problems.problem import digest
from benchwright_subjects.inline.server.server_process import ServerLaunch

_LARGEST_BYTES = 1 << 30


def configuration_digest(launch: ServerLaunch, dialect: str, options: JsonValue) -> str:
    """SHA-256 over command line, files that it names, names of variables, profile's files, dialect and its options."""
    programs: dict[str, JsonValue] = {str(file): _file_sha256(file) for file in _files_named_in_command(launch.command)}
    profile: dict[str, JsonValue] = {}
    if launch.profile is not None:
        files = sorted(file for file in launch.profile.rglob("*") if file.is_file() and not file.is_symlink())
        profile = {file.relative_to(launch.profile).as_posix(): _file_sha256(file) for file in files}
    return digest(
        [
            *launch.command,
            programs,
            ",".join(sorted(launch.variable_names)),
            profile,
            dialect,
            options,
            launch.is_offline,
        ]
    )


def _files_named_in_command(command: tuple[str, ...]) -> Iterator[Path]:
    for number, word in enumerate(command):
        program_path = shutil.which(word) if number == 0 else word
        file = Path(program_path) if program_path else None
        if file is not None and file.is_file() and file.stat().st_size <= _LARGEST_BYTES:
            yield file


def _file_sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
