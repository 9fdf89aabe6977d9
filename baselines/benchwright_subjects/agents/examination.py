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
from benchwright_subjects.agents.launch import AgentLaunch
from benchwright_subjects.agents.launched import installed_launch
from benchwright_subjects.agents.preset import Preset


class ExaminationFinding(StrEnum):
    """Finding of an examination."""

    WORKS = "works"
    NOT_INSTALLED = "not installed"
    BROKEN = "does not start"


@dataclass(frozen=True)
class ExaminedSubject:
    """One subject."""

    condition: ExaminationFinding
    message: str = ""
    """The version that it prints, or the reason why it does not start."""


async def examine_subject(preset: Preset, cache: Path, sandbox: Sandbox, toolchain: Toolchain) -> ExaminedSubject:
    """Start an installed subject in the sandbox, without a bridge, and have it say its version."""
    launch = installed_launch(cache, preset.name)
    return await examine_launch(launch, preset.version_command, preset.version, sandbox, toolchain)


async def examine_launch(
    launch: AgentLaunch, version_command: str, expected_version: str, sandbox: Sandbox, toolchain: Toolchain
) -> ExaminedSubject:
    """Have a program say its version in the sandbox.

    Args:
        launch: Its start.
        version_command: Command in its place that prints its version.
        expected_version: Version that it has to be.
        sandbox: Sandbox in which it runs.
        toolchain: Tools that it finds there.
    """
    try:
        with AgentSandbox.temporary_with_files(sandbox, toolchain, {}) as box:
            agent_end = await box.run(replace(launch, command=version_command, acp=None), None, "")
    except (EvaluationError, HarnessError) as error:
        return ExaminedSubject(ExaminationFinding.BROKEN, str(error))
    if agent_end.failure_reason:
        return ExaminedSubject(ExaminationFinding.BROKEN, agent_end.failure_reason)
    version_output = agent_end.stdout.strip() or agent_end.stderr.strip()
    if expected_version not in version_output:
        return ExaminedSubject(
            ExaminationFinding.BROKEN, f"it says that its version is {version_output[-200:]!r}, not {expected_version}"
        )
    return ExaminedSubject(ExaminationFinding.WORKS, version_output.splitlines()[-1])
