"""A Dockerfile as far as it says which files of its folder are where: WORKDIR and COPY.

    FROM somebody/tools:1
    WORKDIR /code
    COPY workspace/ /code/

What RUN makes is in the image alone.
"""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright_problems.errors import DatasetError


@dataclass(frozen=True)
class DockerfileCopy:
    """One COPY of a Dockerfile."""

    line: int
    sources: Sequence[str]
    target: str
    """Absolute, without a slash at its end."""
    names_folder: bool
    """True if what is copied gets into the target, whatever that is."""


def copies_and_workspace(file: Path, dockerfile: str) -> tuple[list[DockerfileCopy], str]:
    """What a Dockerfile copies, and its last WORKDIR; `/` if there is none."""
    copies: list[DockerfileCopy] = []
    folder, stage_count = "/", 0
    for line, instruction in _instructions(dockerfile):
        name, _, argument = instruction.partition(" ")
        keyword, argument = name.upper(), argument.strip()
        if keyword == "FROM":
            stage_count += 1
            if stage_count > 1:
                raise DatasetError(file, "FROM", "comes twice; a Dockerfile of one stage can be imported", line)
        elif keyword == "WORKDIR":
            folder = posixpath.normpath(posixpath.join(folder, _words(file, line, "WORKDIR", argument)[0]))
        elif keyword == "ADD":
            raise DatasetError(file, "ADD", "is not read; copy files with COPY", line)
        elif keyword == "COPY":
            copies.append(_copy(file, line, argument, folder))
    if not stage_count:
        raise DatasetError(file, "FROM", "is missing")
    return copies, folder


def _instructions(dockerfile: str) -> list[tuple[int, str]]:
    """The lines with instructions, continued ones joined, with their numbers."""
    instructions: list[tuple[int, str]] = []
    started, parts = 0, list[str]()
    for number, line in enumerate(dockerfile.split("\n"), 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        started = started if parts else number
        parts.append(text.removesuffix("\\").strip())
        if not text.endswith("\\"):
            instructions.append((started, " ".join(parts)))
            parts = []
    return instructions


def _words(file: Path, line: int, instruction: str, argument: str) -> list[str]:
    try:
        words = json.loads(argument) if argument.startswith("[") else shlex.split(argument)
    except ValueError as error:
        raise DatasetError(file, instruction, f"can't be read: {error}", line) from error
    if not words or not all(isinstance(word, str) for word in words):
        raise DatasetError(file, instruction, "names nothing", line)
    if bad := next((word for word in words if re.search(r"[*?\[$]|<<", word)), None):
        raise DatasetError(file, instruction, f"has {bad!r}; write plain paths", line)
    return words


def _copy(file: Path, line: int, argument: str, folder: str) -> DockerfileCopy:
    option_match = re.match(r"(?:--\S+\s+)*", argument)
    option_text = option_match[0] if option_match else ""
    if re.search(r"--(?!chown=|chmod=)", option_text):
        raise DatasetError(file, "COPY", f"has the option {option_text.split()[0]!r}, which is not read", line)
    *sources, target = _words(file, line, "COPY", argument.removeprefix(option_text))
    if not sources:
        raise DatasetError(file, "COPY", "needs a source and a target", line)
    absolute = posixpath.normpath(posixpath.join(folder, target))
    return DockerfileCopy(line, sources, absolute, target.endswith(("/", "/.")) or target == "." or absolute == folder)
