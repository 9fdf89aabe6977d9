"""The `benchwright/*` messages that explain findings and failures; see `protocol`."""

from __future__ import annotations

from pydantic import Field

from benchwright_server.protocol.design import FileRange
from benchwright_server.protocol.messages import Wire


class ExplainFindingParams(Wire):
    """Parameters of `benchwright/explainFinding`."""

    uri: str
    """The file with the finding."""
    code: str = Field(max_length=200)
    """The rule, as `Diagnostic.code`."""
    source: str = ""
    """The tool, as `Diagnostic.source`; empty for the first that has such a rule."""


class FindingExplanation(Wire):
    """Result of `benchwright/explainFinding`."""

    code: str
    source: str
    about: str
    """The finding and why it matters; Markdown."""
    fix: str
    """The thing to do; Markdown."""
    wrong: str
    """SystemVerilog that has the finding."""
    right: str
    """SystemVerilog that does not."""
    markdown: str
    """All of it as a page."""
    page: str
    """The tool's own page about the rule."""


class ExplainFailureParams(Wire):
    """Parameters of `benchwright/explainFailure`."""

    uri: str
    """A file of the design, or its folder."""
    test: str | None = Field(None, max_length=1_000)
    """The id of an own test that failed when it was last run; null for the newest that did, else the hidden tests."""
    hidden: bool = False
    """Explain the newest verdict of the hidden tests instead."""


class LikelyCause(Wire):
    """A fault of the design that may have caused a failure."""

    kind: str
    """`reset_polarity`, `missing_reset`, `unreset_register`, `blocking_in_clocked`, `non_blocking_in_combinational`,
    `latch`, `truncation`, `out_of_range`, `off_by_one`, `undriven`, `several_drivers`."""
    title: str
    """Markdown, as `why` and `advice`."""
    at: FileRange
    why: str
    advice: str
    """The thing to try."""


class UnknownSignal(Wire):
    """A signal with a bit that is x where a waveform ends."""

    path: str
    since: str
    """The simulated time, such as `20 ns`."""


class FailureExplanation(Wire):
    """Result of `benchwright/explainFailure`: what is known of the first failure, and likely causes by rule."""

    about: str
    """`own` or `hidden`."""
    run: int | None
    """Number of the run of the hidden tests; null for an own test. The page names it, and says if it is not the newest.
    """
    test: str
    """The test that failed first; empty if the reveal policy hides it."""
    message: str
    """The failure's message, as far as the policy shows it."""
    expected: str | None
    got: str | None
    time: str | None
    """The simulated time, such as `1,230 ns`."""
    cycle: int | None
    """As the message names it."""
    place: FileRange | None
    """The line of the own test that failed."""
    unknown: list[UnknownSignal]
    """In the own test's waveform, where one was kept; the first to be unknown come first, at most 12."""
    causes: list[LikelyCause]
    """The likeliest first, at most 12."""
    markdown: str
    """All of it as a page."""


class GeneratedHelpParams(Wire):
    """Parameters of `benchwright/generatedHelp`."""

    uri: str
    """A file of the design, or its folder."""
    about: str = Field(pattern="^(failure|hint)$")
    """`failure` explains the newest failure; `hint` says what to do next."""
    partial_result_token: str | int | None = None
    """With it, the text so far is sent while the model writes: `$/progress` whose value is a `GeneratedPart`."""


class GeneratedPart(Wire):
    """The text that a model has written so far; each replaces the one before, and the result the last."""

    markdown: str


class GeneratedHelp(Wire):
    """Result of `benchwright/generatedHelp`: what the assistant's model wrote, without links, images and HTML."""

    model: str
    markdown: str
    input_tokens: int | None
    """Null if the endpoint does not say."""
    output_tokens: int | None
