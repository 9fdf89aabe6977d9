"""The sandboxes that there are. A new one is a module that declares it and a line in `SANDBOXES`.

Only names are here: the language server checks its command line before it loads anything.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING

from benchwright_foundation.registration import Registration, alternatives_phrase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from benchwright_harness.sandbox import Sandbox
    from benchwright_harness.sandbox.confinement import FolderHider
    from benchwright_harness.sandbox.kind import SandboxKind
    from benchwright_harness.toolchain import Toolchain

SANDBOXES = (
    Registration("bwrap", "benchwright_harness.sandbox.bwrap:BWRAP"),
    Registration("docker", "benchwright_harness.sandbox.docker:DOCKER"),
    Registration("native", "benchwright_harness.sandbox.native:NATIVE", "which runs without protection"),
)
DEFAULT_SANDBOX = SANDBOXES[0].name


def sandbox_names() -> tuple[str, ...]:
    """The names of all sandboxes, the default first."""
    return tuple(registration.name for registration in SANDBOXES)


def sandbox_kind(name: str) -> SandboxKind:
    """The declaration of a sandbox.

    Raises:
        SandboxUnavailableError: No sandbox has this name.
    """
    from benchwright_harness.errors import SandboxUnavailableError
    from benchwright_harness.sandbox.kind import SandboxKind

    declaration_path = next(
        (registration.declaration_path for registration in SANDBOXES if registration.name == name), None
    )
    if declaration_path is None:
        raise SandboxUnavailableError(f"there is no sandbox {name!r}", f"choose {alternatives_phrase(SANDBOXES)}")
    kind = resolve_name(declaration_path)
    if not isinstance(kind, SandboxKind):
        raise TypeError(f"{declaration_path} is not a SandboxKind")
    return kind


def sandbox_names_with(capability: Callable[[SandboxKind], object]) -> tuple[str, ...]:
    """The names of the sandboxes that can do something.

    Args:
        capability: Part of a declaration that says so.
    """
    return tuple(name for name in sandbox_names() if capability(sandbox_kind(name)))


def folder_hiders() -> Iterator[FolderHider]:
    """All ways to keep folders from a program, whether or not they work on this machine."""
    return (hider for name in sandbox_names() if (hider := sandbox_kind(name).folder_hider))


def open_sandbox(name: str) -> Sandbox:
    """A sandbox to run jobs in.

    Raises:
        SandboxUnavailableError: No sandbox has this name.
    """
    return sandbox_kind(name).open()


def toolchain_for(sandbox_name: str, cache: Path) -> Toolchain:
    """Toolchain that a sandbox runs with.

    Args:
        sandbox_name: Name of the sandbox.
        cache: The cache folder, which holds toolchains.

    Raises:
        SandboxUnavailableError: No sandbox has this name.
        ToolMissingError: No toolchain is there, with the next step.
    """
    return sandbox_kind(sandbox_name).toolchain(cache)
