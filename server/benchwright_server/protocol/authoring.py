"""The `benchwright/*` messages for those who write problems; see `protocol`."""

from __future__ import annotations

from benchwright_problems.verdict import Outcome
from benchwright_server.protocol.messages import Wire


class NewProblemParams(Wire):
    """Parameters of `benchwright/newProblem`."""

    folder: str
    """URI of the pack's folder; one that is no pack yet becomes one of its name."""
    id: str
    """The problem's name, such as `round-robin-arbiter`."""
    form: str = "cocotb"
    """The form in which it begins: `cocotb` or `testbench` for a design problem; a format of questions,
    such as `multiple-choice`."""
    license: str = "CC-BY-4.0"
    """Of a new pack, as SPDX calls it."""


class NewProblem(Wire):
    """Result of `benchwright/newProblem`."""

    uri: str
    """The problem's folder."""
    statement: str
    """URI of its statement."""
    settings: str
    """URI of its `problem.toml`."""


class AuthoredParams(Wire):
    """Parameters of what is done with a problem that somebody writes."""

    uri: str
    """A file of the problem, or its folder."""


class ProvenSide(Wire):
    """The result of a problem's tests on one set of files."""

    name: str
    """`reference`, `starting`, `empty`, or a solution of the author's: `hidden/right/NAME`, `hidden/wrong/NAME`."""
    outcome: Outcome
    detail: str
    """The finding, a sentence."""


class ProblemProof(Wire):
    """Result of `benchwright/proveProblem`."""

    uri: str
    """The problem's folder."""
    problem: str
    proof: str
    """`proved`, `wrong`, `undecided`, or `executes` for a problem without a reference."""
    reasons: list[str]
    """The reasons why it is not proved; what to fix first comes first."""
    remarks: list[str]
    """Caveats of the runs."""
    sides: list[ProvenSide]
    wall_s: float
    """Seconds of all runs together."""


class ProblemPreview(Wire):
    """Result of `benchwright/previewProblem`."""

    uri: str
    """A folder with the files that a solver gets."""
    statement: str
    """URI of the statement in it."""
    files: list[str]
    """Paths in the folder."""
