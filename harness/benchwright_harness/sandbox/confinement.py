"""Programs that a sandbox starts without a job: no toolchain, no supervisor, no folder of a run.

Bytes come in and go out by open files. A sandbox declares in its `SandboxKind` which of them it can start.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


@dataclass(frozen=True)
class Confinement:
    """Files and resources that a confined program gets.

    Args:
        shown_paths: Files and folders of the host that it can read, each at its own path.
        env: All of its environment.
        processes: Number of processes that it may have at a time.
        scratch_mb: MiB of its folder for temporary files, the only one that it can write to; gone afterwards.
        file_mb: MiB of any file that it writes, standard output included.
    """

    shown_paths: Sequence[Path]
    env: Mapping[str, str]
    processes: int
    scratch_mb: int
    file_mb: int


class ConfinedProgram(NamedTuple):
    """Command that starts a confined program."""

    argv: list[str]
    open_files: list[int]
    """To be passed to it."""
    env: dict[str, str]
    """Of the command."""


@dataclass(frozen=True)
class Confiner:
    """Runs a small program of ours that reads hostile bytes, such as a PDF: it sees what it needs, and no more."""

    confined_program: Callable[[Sequence[str], Confinement], AbstractContextManager[ConfinedProgram]]
    """May raise `SandboxUnavailableError`."""
    check: Callable[[], None] = lambda: None
    """Tries it; raises `SandboxUnavailableError` if it does not work on this machine."""
    remedy: str = ""
    """Next step where it does not work."""
    search_path: str | None = None
    """Path on which the program finds others; `None` if that of this process."""


@dataclass(frozen=True)
class ProgramRestriction:
    """Restriction of a third-party program, which otherwise sees this machine and its network.

    Args:
        hidden_folders: Folders that are empty for it.
        writable: The only folder that it can write to, at its own path.
        workdir: Folder that it starts in, in `writable`.
        is_offline: Without network.
        status_file: Number of an open file that the sandbox writes to what `FolderHider.read_exit_code` reads; None for
            none.
    """

    hidden_folders: Sequence[Path]
    writable_folder: Path
    workdir: Path
    is_offline: bool
    status_fd: int | None = None


@dataclass(frozen=True)
class FolderHider:
    """Runs a third-party program, such as a language server, that must not see some folders."""

    needs: str
    """The program that does it, for messages."""
    works: Callable[[], bool]
    """True if it works on this machine."""
    command_hiding_folders: Callable[[Sequence[str], ProgramRestriction], tuple[str, ...]]
    """The command line around another. What the program leaves behind ends with it."""
    read_exit_code: Callable[[bytes], int | None] = lambda written: None
    """The program's own exit status, from what was written to `ProgramRestriction.status_file`. None if the program
    did not end by itself: it was never started, or the sandbox was ended around it."""


def own_python_folders() -> list[Path]:
    """Folders of this process's Python, besides `/usr`: its environment, and the packages installed in it."""
    packages = [Path(entry) for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")]
    python_folders = [Path(sys.prefix), Path(sys.base_prefix), *packages]
    existing_folders = dict.fromkeys(
        folder for folder in python_folders if folder.is_dir() and not folder.is_relative_to("/usr")
    )
    return [
        folder
        for folder in existing_folders
        if not any(outer_folder in folder.parents for outer_folder in existing_folders)
    ]
