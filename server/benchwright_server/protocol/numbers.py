"""The `benchwright/*` messages of a user's own times and results; see `protocol`."""

from __future__ import annotations

from benchwright_server.protocol.messages import StandingView, Wire


class NumbersParams(Wire):
    """Parameters of `benchwright/numbers`."""

    study: str | None = None
    """Only attempts of this study; those outside studies if omitted."""
    practice: bool = False
    """True if practice is among them: a study's, and the guided first problem."""


class OthersView(Wire):
    """Results of others, if the study shows them to participants and there are at least five."""

    attempts: int
    """Number of attempts that have ended."""
    solved: int
    quarter_min: float | None
    """Active minutes after which a quarter had solved it (Kaplan-Meier estimate); null if fewer did."""
    half_min: float | None
    three_quarters_min: float | None


class SpentView(Wire):
    """The use of an attempt's active time, in minutes."""

    writing_min: float
    """Up to ten seconds before each edit."""
    waiting_min: float
    """While hidden tests ran, and nothing was written."""
    reading_min: float
    """The rest: reading and thinking."""


class TimeWithAgentsView(Wire):
    """The use of the time on the clock of a person with agents, in minutes."""

    working_min: float
    """Up to ten seconds before each change or request, and being there while nothing else was going on."""
    supervising_min: float
    """There while an agent was active."""
    waiting_min: float
    """An agent was active or hidden tests ran while the person was elsewhere; or only hidden tests."""
    away_min: float
    """Elsewhere, and nothing was going on."""


class OwnNumber(Wire):
    """One of the user's own attempts."""

    attempt: str
    problem: str
    title: str
    condition: str
    worked_as: str
    """The condition that follows from who made its changes and requests: `human`, `human+copilot`, `human+agent`, \
`agent`, or `unknown`."""
    view: StandingView
    """Its standing."""
    passed: bool | None
    """Whether its newest verdict is a pass; null while that is undecided, and if the study shows no results."""
    score: float | None
    """The best score, 0 to 1; null before the first one, and if the study shows no results."""
    active_min: float | None
    """Minutes on the clock; a gap without activity counts up to the study's threshold (2 outside studies). Null if no \
clock ran, such as before an answer that was read from a file."""
    first_pass_min: float | None
    """Active minutes to the first pass."""
    runs: int
    forecast_min: float | None
    forecast_ratio: float | None
    """Active minutes to the first pass divided by the forecast; 2 is twice as long as expected."""
    share_by_assistant: float | None
    """Share of inserted text that came from completions or chat."""
    others: OthersView | None
    """Null if the study does not show it, until the attempt ends, and with fewer than five others."""
    category: str
    """The kind of work that the problem asks for, in words; empty if its pack does not say."""
    skill: str
    """Of a question; empty if its pack does not say."""
    started: str
    """The time at which its clock was started, ISO 8601; empty if it was not."""
    spent: SpentView
    with_agents: TimeWithAgentsView | None
    """Null where no agent worked with the person."""


class OwnNumbers(Wire):
    """Result of `benchwright/numbers`."""

    attempts: list[OwnNumber]
