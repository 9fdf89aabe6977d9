"""Reasons why a harness could not be run; each is an `error` verdict, never a failure of the solver."""

from __future__ import annotations

from benchwright_foundation.errors import BenchwrightError
from benchwright_problems.verdict import Reason


class HarnessError(BenchwrightError):
    """Base; the message is a sentence for people."""

    reason = Reason.BAD_HARNESS
    hint = ""
    """The next step, where there is one."""


class BadHarnessError(HarnessError):
    """The harness itself can't be understood, naming the file and the field."""


class MissingCriterionError(BadHarnessError):
    """Nothing says when a testbench's run passes."""


class ToolMissingError(HarnessError):
    """A program that the harness needs is not installed."""

    reason = Reason.TOOL_MISSING

    def __init__(self, tool: str, hint: str) -> None:
        self.tool = tool
        self.hint = hint
        super().__init__(f"tool missing ({tool})")


class SandboxUnavailableError(HarnessError):
    """The sandbox does not work on this machine."""

    reason = Reason.SANDBOX_UNAVAILABLE

    def __init__(self, complaint: str, hint: str) -> None:
        self.hint = hint
        super().__init__(complaint)


class ToolchainError(HarnessError):
    """A toolchain can't be built, found or checked."""

    reason = Reason.TOOL_MISSING

    def __init__(self, complaint: str, hint: str) -> None:
        self.hint = hint
        super().__init__(complaint)


class DebuggerError(HarnessError):
    """A test can't be debugged."""

    def __init__(self, complaint: str, hint: str) -> None:
        self.hint = hint
        super().__init__(complaint)


class ClusterError(HarnessError):
    """The cluster can't be used, or was lost."""

    def __init__(self, complaint: str, hint: str) -> None:
        self.hint = hint
        super().__init__(complaint)
