"""The `benchwright/*` messages of hints and explanations; see `protocol`."""

from __future__ import annotations

from benchwright_server.protocol.messages import Wire, WorkspaceParams


class HintParams(WorkspaceParams):
    """Parameters of `benchwright/hint`."""

    number: int | None = None
    """The hint that the solver agreed to take, from 1; refused if another is next, and free if it was taken before.
    The next one if not given."""


class HintView(Wire):
    """A hint that the solver has taken."""

    number: int
    """From 1."""
    text: str
    """Markdown."""
    cost: float
    """Share of the problem's points that it cost, 0 to 1."""


class NextHint(Wire):
    """The hint that comes next, without its text."""

    number: int
    cost: float
    """Share of the problem's points that it costs, 0 to 1."""
    price: str
    """The cost in words, such as `10 % of the points`."""
    waits_for: str = ""
    """The condition that is missing before it can be taken, in words; empty if it can be taken now."""


class HintsView(Wire):
    """Result of `benchwright/hints` and `hint`: how far the attempt is on the problem's ladder of hints."""

    of: int
    """Number of hints that the problem has."""
    taken: list[HintView]
    """In order; with `benchwright/hint`, the last is the one that was asked for."""
    next: NextHint | None = None
    """Null after the last, and once the attempt has ended."""
