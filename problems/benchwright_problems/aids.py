"""Aids: what helps a solver besides the language's features, the linters and the hidden tests."""

from __future__ import annotations

from enum import StrEnum


class Aid(StrEnum):
    """One kind of help, which a study's condition or an assignment can forbid."""

    HINTS = "hints"
    """The problem's own hints."""
    EXPLANATIONS = "explanations"
    """Explanations that rules give of a failure or a finding."""
    GENERATED = "generated"
    """Hints and explanations that a model writes."""
    OWN_TESTS = "own_tests"
    """The solver's own tests and testbenches, with their coverage."""
    WAVEFORMS = "waveforms"
    """Waveforms: of the solver's own runs, and of failed hidden tests where everything of them is shown."""
    DESIGN_VIEWS = "design_views"
    """Schematics, state machines, drivers and sizes of the solver's design."""
    AGENT_TOOLS = "agent_tools"
    """Tools by which an agent of the solver's works on the attempt."""


NAMED_ONLY = frozenset({Aid.HINTS, Aid.GENERATED, Aid.AGENT_TOOLS})
"""Aids that a study's condition allows only if it names them: they show more than the solver's own work."""
