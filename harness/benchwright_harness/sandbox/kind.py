"""Facts that Benchwright has to know of a sandbox besides how it runs a job; `registry.py` lists them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from benchwright_harness.sandbox import Sandbox
from benchwright_harness.sandbox.confinement import Confiner, FolderHider
from benchwright_harness.toolchain import Toolchain


class MachineHealth(StrEnum):
    """State of something on this machine: it says if it can be used."""

    OK = "ok"
    MISSING = "missing"
    """It can't, and Benchwright does not do its main job without it."""
    WARNING = "warning"
    """It can't, but there is another way."""


@dataclass(frozen=True)
class HealthFinding:
    """One line of `benchwright doctor`."""

    name: str
    health: MachineHealth
    needed_for: str
    version: str | None = None
    hint: str | None = None
    """Fault and the next step; `None` if all is well."""


@dataclass(frozen=True)
class SandboxKind:
    """The declaration of a sandbox."""

    open: Callable[[], Sandbox]
    """Makes one with what the environment says; it starts nothing yet."""
    description: str
    """What it is, for those who choose one in their editor."""
    toolchain: Callable[[Path], Toolchain] = Toolchain.find
    """Finds the toolchain that it runs with, given the cache folder; raises `ToolMissingError`."""
    examine: Callable[[], Sequence[HealthFinding]] = lambda: ()
    """Findings that `benchwright doctor` shows; may start programs, and raises nothing."""
    check: Callable[[], None] = lambda: None
    """Tries it; raises `SandboxUnavailableError`, with the next step, if it does not work on this machine."""
    shows_folders: bool = False
    """True if a job sees the folders of `Job.shown`. Agents that are programs and debuggers come in that way."""
    confiner: Confiner | None = None
    """Confiner that runs one program of ours without a job; `None` if it can't."""
    folder_hider: FolderHider | None = None
    """Means to keep folders from a third-party program; `None` if it can't."""
