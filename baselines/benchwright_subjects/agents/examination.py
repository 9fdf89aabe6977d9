"""Examination of a subject: that it is installed, and that it starts in the sandbox."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from benchwright_attempts.errors import EvaluationError
from benchwright_harness.errors import HarnessError
from benchwright_harness.sandbox import Sandbox
from benchwright_harness.toolchain import Toolchain
from benchwright_subjects.agents.agent_sandbox import AgentSandbox
from benchwright_subjects.agents.launched import installed
from benchwright_subjects.agents.preset import Preset


class Condition(StrEnum):
    """Finding of an examination."""

    WORKS = "works"
    NOT_INSTALLED = "not installed"
    BROKEN = "does not start"


@dataclass(frozen=True)
class Examined:
    """One subject."""

    condition: Condition
    message: str = ""
    """The version that it prints, or the reason why it does not start."""


async def examine(preset: Preset, cache: Path, sandbox: Sandbox, toolchain: Toolchain) -> Examined:
    """Start an installed subject in the sandbox, without a bridge, and have it say its version."""
    launch = replace(installed(cache, preset.name), command=preset.version_command, acp=None)
    try:
        with AgentSandbox.opened(sandbox, toolchain, {}) as box:
            ended = await box.run(launch, None, "")
    except (EvaluationError, HarnessError) as error:
        return Examined(Condition.BROKEN, str(error))
    if ended.failure_reason:
        return Examined(Condition.BROKEN, ended.failure_reason)
    version_output = ended.stdout.strip() or ended.stderr.strip()
    if preset.version not in version_output:
        return Examined(
            Condition.BROKEN, f"it says that its version is {version_output[-200:]!r}, not {preset.version}"
        )
    return Examined(Condition.WORKS, version_output.splitlines()[-1])
