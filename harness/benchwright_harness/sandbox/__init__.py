"""Sandbox that a step runs in. Every sandbox keeps the contract of `Sandbox`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from benchwright_harness.plan.image_names import OSS_SIM

if TYPE_CHECKING:
    # The language server checks its command line before it loads anything.
    from benchwright_harness.execution.process import OutputReceiver, StepEnd
    from benchwright_harness.plan.plan import ImageBuild
    from benchwright_harness.toolchain import Toolchain
    from benchwright_problems.problem import RunLimits

_ADDRESS_SPACE_PER_RESIDENT = 4


@dataclass(frozen=True)
class SandboxJob:
    """One step, ready to run.

    Inside the sandbox the program sees `/code` (writable, with `/code/rundir` as working
    directory and HOME), the hidden files read-only, the toolchain read-only, and no network.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    code: Path
    """Folder of the host that becomes `/code`."""
    hidden_files: Mapping[str, str]
    """Absolute path inside the sandbox → content."""
    limits: RunLimits
    toolchain: Toolchain
    user: int | None = None
    """From `Sandbox.new_user`; owns `code`."""
    channel: str = ""
    """Text that the supervisor passes to the channel of a testbench."""
    image: str = OSS_SIM
    """Image that the harness asked for; only containers can run images other than the toolchain."""
    build: ImageBuild | None = None
    """Build of the image, where the harness brings a Dockerfile."""
    networks: tuple[str, ...] = ()
    """Networks of the host that the harness asks for by name."""
    needs_image: bool = False
    """True if nothing can stand in for the image, which the program may change as its root."""
    shown_folders: Mapping[str, Path] = field(default_factory=dict)
    """Absolute path inside the sandbox → folder of the host that is shown there read-only, where
    `SandboxKind.shows_folders`."""
    reserves_memory: bool = False
    """True of a browser, which maps far more memory than it may use: only what it uses is limited."""


class Sandbox(Protocol):
    """Runs jobs apart from the rest of the machine."""

    name: str
    runs_images: bool
    """True if it can run the images that a harness or a site names; elsewhere the toolchain stands in for them."""
    supervises: bool
    """True if the guard's supervisor hears what simulations tell."""

    @property
    def digest(self) -> str:
        """Names what this sandbox does to a run, for the verdict."""
        ...

    def new_user(self) -> int | None:
        """The user to own a job's folder and run it; `None` for the present one."""
        ...

    async def run(self, job: SandboxJob, log: OutputReceiver) -> StepEnd:
        """Run a job to its end; cancelling kills all its processes.

        Raises:
            SandboxUnavailableError: The sandbox does not work on this machine, with the next step.
        """
        ...


@runtime_checkable
class WarmSandbox(Sandbox, Protocol):
    """A sandbox that can be started before there is a job. It serves one job, and ends with it."""

    async def start_ahead(self, job: SandboxJob) -> None:
        """Start one ahead for a job like this, whatever its folder and user are; at most one waits."""
        ...

    async def end_warm_sandbox(self) -> None:
        """End the one that waits."""
        ...

    def claim_warm_folder_and_user_id(self, job: SandboxJob) -> tuple[Path, int | None] | None:
        """Take the one that waits for such a job: its folder and user. The caller runs a job there, or gives up."""
        ...

    async def end_claimed_if_unused(self, code_folder: Path) -> None:
        """End the one that was taken with this folder, if no job was run there."""
        ...


def address_space_bytes(limits: RunLimits) -> int:
    """Bytes that one process may map: far more than it may use, but limited."""
    return (limits.memory_mb << 20) * _ADDRESS_SPACE_PER_RESIDENT


def prlimit_command_prefix(limits: RunLimits, *prlimit_options: str) -> list[str]:
    """The words before a command that set its limits, besides those that are enforced from outside."""
    return [
        "/usr/bin/prlimit",
        *prlimit_options,
        f"--fsize={limits.file_mb << 20}",
        f"--as={address_space_bytes(limits)}",
        "--core=0",
        "--",
    ]
