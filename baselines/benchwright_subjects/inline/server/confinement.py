"""Reach of a server's process: where a sandbox can hide folders, it writes to its own only and sees no secrets.

The network stays: most copilots are services. What the process leaves behind ends with it, also when Benchwright is
killed.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from benchwright_foundation.home import Home
from benchwright_harness.sandbox.confinement import FolderHider, ProgramRestriction
from benchwright_harness.sandbox.registry import folder_hiders
from benchwright_subjects.inline.failure import ServerFailure, SubjectError
from benchwright_subjects.inline.workplace import Workplace


def secret_folders(home: Home, run_folder: Path) -> tuple[Path, ...]:
    """The folders that hold hidden parts or other people's work."""
    built_in = Path(str(resources.files("benchwright_problems"))) / "packs"
    return (home.data, home.state, home.workspaces, built_in, run_folder)


def workplaces_folder_of(home: Home) -> Path:
    """Folder in which workplaces are made: one that `secret_folders` names."""
    return home.state / "completion"


def confined_command_if_possible(
    command: Sequence[str],
    workplace: Workplace,
    hidden_folders: Sequence[Path],
    *,
    is_offline: bool,
    status_file: int | None = None,
) -> tuple[str, ...]:
    """The command line that runs a server where it sees none of these folders; the same where that can't be done.

    Args:
        command: The server's.
        workplace: The folders it may write to.
        hidden_folders: See `secret_folders`.
        is_offline: Without network.
        status_file: Number of an open file in which the sandbox leaves what `exit_status_in_report` reads, if any.

    Raises:
        SubjectError: `NOT_STARTED`: it can't be kept off the network here.
    """
    hider = _first_working_hider()
    if hider is not None:
        return hider.command_hiding_folders(
            command, ProgramRestriction(hidden_folders, workplace.root, workplace.workspace, is_offline, status_file)
        )
    if is_offline:
        raise SubjectError(
            ServerFailure.NOT_STARTED,
            f"Without {_hider_program_names()} no server can be kept off the network. Leave out --offline and --model.",
        )
    return tuple(command)


def can_confine() -> bool:
    """True if a server can be kept from folders on this machine."""
    return _first_working_hider() is not None


def exit_status_in_report(sandbox_report: bytes) -> int | None:
    """Exit status of a confined server that ended by itself, from what its sandbox wrote; None if it did not."""
    hider = _first_working_hider()
    return None if hider is None else hider.read_exit_code(sandbox_report)


def missing_protection_remark() -> str:
    """The remark that a server can see everything on this machine; empty if it can't."""
    if can_confine():
        return ""
    return f"The server runs without protection: {_hider_program_names()} is missing, so it can read the hidden tests."


def _first_working_hider() -> FolderHider | None:
    return next((hider for hider in folder_hiders() if hider.works()), None)


def _hider_program_names() -> str:
    return " or ".join(hider.needs for hider in folder_hiders())
