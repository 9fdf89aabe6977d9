"""`benchwright/explainFailure`: what is known of a failure within what may be seen, and likely causes by rule."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from benchwright_attempts.events.events import AidUsed
from benchwright_attempts.standing import Standing
from benchwright_foundation.errors import ExtraMissingError
from benchwright_problems.aids import Aid
from benchwright_server.errors import ServerError, WaveformError
from benchwright_server.features.attempt import aids
from benchwright_server.features.design.module_views import file_range
from benchwright_server.features.editor.locations import Locations
from benchwright_server.features.editor.project_of import project_and_inner_path
from benchwright_server.own_tests.discovery import is_in_test_folder, require_project_folder
from benchwright_server.protocol.design import FileRange
from benchwright_server.protocol.explanations import (
    ExplainFailureParams,
    FailureExplanation,
    LikelyCause,
    UnknownSignal,
)
from benchwright_server.protocol.messages import StandingView

if TYPE_CHECKING:
    from benchwright_server.attempts.session import EditorSession
    from benchwright_server.editor_server import EditorServer
    from benchwright_verilog.causes.cause import Cause
    from benchwright_verilog.causes.evidence import FailureEvidence
    from benchwright_verilog.semantics.project.project import Project

_SHOWN = 2_000
"""Characters of a message on the page."""
_MOST_UNKNOWN = 12
_DESIGN = frozenset({".sv", ".v"})


@dataclass(frozen=True)
class ExplainedFailure:
    """The failure that is explained, as far as it may be seen."""

    own_or_hidden: str
    """`own` or `hidden`."""
    test_name: str = ""
    message: str = ""
    expected_value: str | None = None
    actual_value: str | None = None
    time_text: str | None = None
    test_location: FileRange | None = None
    waveform_uri: str | None = None
    """The URI of the waveform that ends where it failed."""
    run: int | None = None
    """Number of the run of the hidden tests."""
    ran: str = ""
    """What ran and when, such as `Counter, run 3, 18:22`."""
    note: str = ""
    """What has to be known before it is read: that a newer run continues, or that the files have changed."""


async def explain_failure(server: EditorServer, params: ExplainFailureParams) -> FailureExplanation:
    """The explanation of a failure: what is known of it, and its likely causes."""
    # Imported late, as all that imports slang.
    from benchwright_verilog.causes.evidence import FailureEvidence

    session = await aids.require_aid_allowed_now(server, params.uri, Aid.EXPLANATIONS)
    project, path = project_and_inner_path(server, params.uri)
    failure = await own_or_hidden_failure(server, session, project, params)
    unknown_signals = await _unknown_signals_if_allowed(server, session, failure)
    evidence = FailureEvidence.from_message(failure.message, failure.expected_value, failure.actual_value)
    if unknown_signals:
        evidence = replace(evidence, has_unknown_signals=True)
    causes = await asyncio.to_thread(_likely_causes_in_design, project, path, evidence)
    await aids.begin_uses_by_workspace(server, (cause.span.path for cause in causes), Aid.EXPLANATIONS)
    event = AidUsed(
        aid=Aid.EXPLANATIONS,
        feature="failure",
        detail=failure.test_name if failure.own_or_hidden == "own" else "hidden tests",
        outcome=causes[0].kind.value if causes else "none",
    )
    await aids.record_use_if_in_attempt(server, params.uri, event)
    locations = Locations(server)
    return FailureExplanation(
        about=failure.own_or_hidden,
        run=failure.run,
        test=failure.test_name,
        message=failure.message,
        expected=evidence.expected_value,
        got=evidence.actual_value,
        time=failure.time_text,
        cycle=evidence.cycle_in_message,
        place=failure.test_location,
        unknown=unknown_signals,
        causes=list(_located_cause_views(locations, causes)),
        markdown=_failure_page_markdown(
            locations, require_project_folder(project), failure, evidence, unknown_signals, causes
        ),
    )


async def own_or_hidden_failure(
    server: EditorServer, session: EditorSession | None, project: Project, params: ExplainFailureParams
) -> ExplainedFailure:
    """The failure that is meant.

    Raises:
        ServerError: Nothing failed, or what did is not shown.
    """
    folder = require_project_folder(project).as_uri()
    last_failure = None if params.hidden else server.last_results.newest_failure(folder, params.test)
    status = await session.status() if session is not None else None
    verdict = status.verdict if status is not None else None
    if last_failure is not None and params.test is None and verdict is not None and verdict.outcome == "failed":
        # The newest failure of both kinds is meant.
        is_older = last_failure.ran_at < datetime.fromisoformat(verdict.finished_at)
        last_failure = None if is_older else last_failure
    if last_failure is not None:
        test_result = last_failure.test_result
        time = f"{test_result.sim_time_ns:,.10g} ns" if test_result.sim_time_ns else None
        return ExplainedFailure(
            "own",
            test_result.id,
            test_result.message,
            test_result.expected,
            test_result.got,
            time,
            test_result.place,
            last_failure.waves,
            ran=f"{Path(require_project_folder(project)).name}, {_clock_time_text(last_failure.ran_at)}",
        )
    if params.test is not None:
        raise ServerError(f"{params.test} did not fail when it was last run here. Run it again.")
    if status is None or verdict is None:
        raise ServerError("Nothing has failed here yet. Run the tests first.")
    if verdict.outcome not in {"failed", "error"}:
        state = "passed" if verdict.outcome == "passed" else "is not shown"
        raise ServerError(f"The result of the hidden tests {state}, so there is no failure to explain.")
    # The view has gone through the reveal policy: nothing else of the verdict is read.
    failed_line = next((line for line in verdict.lines or () if not line.passed), None)
    message = (failed_line.message if failed_line is not None else None) or verdict.message
    return ExplainedFailure(
        "hidden",
        failed_line.name if failed_line is not None else "",
        message,
        time_text=failed_line.sim_time if failed_line is not None else None,
        run=verdict.number,
        ran=f"{status.title}, run {verdict.number}, {_clock_time_text(datetime.fromisoformat(verdict.finished_at))}",
        note=_staleness_note(status.view, verdict.number),
    )


def _staleness_note(view: StandingView, run_number: int) -> str:
    if view.newest_run is not None and view.newest_run > run_number:
        return f"{view.headline}. This page is about run {run_number}."
    if view.standing is Standing.STALE:
        return f"The files have changed since run {run_number}: the causes are looked for in the files as they are now."
    return ""


def _clock_time_text(time: datetime) -> str:
    return time.astimezone().strftime("%H:%M")


async def _unknown_signals_if_allowed(
    server: EditorServer, session: EditorSession | None, failure: ExplainedFailure
) -> list[UnknownSignal]:
    """The signals that are unknown where the test failed, as far as its waveform may be read."""
    may_read = session is None or session.terms.allows_aid(Aid.WAVEFORMS)
    if failure.waveform_uri is None or server.waveforms is None or not may_read:
        return []
    try:
        return await server.waveforms.signals_unknown_at_end(failure.waveform_uri, _MOST_UNKNOWN)
    except (WaveformError, ExtraMissingError):
        # The rules need no waveform.
        return []


def _likely_causes_in_design(project: Project, design_file: Path, evidence: FailureEvidence) -> list[Cause]:
    from benchwright_verilog.causes.catalogue import likely_causes

    return likely_causes(
        project.instance_tree_of(design_file), frozenset(design_files_without_tests(project)), evidence
    )


def design_files_without_tests(project: Project) -> Iterator[Path]:
    """The files of a folder that make its design, without tests."""
    folder = require_project_folder(project)
    # Unlike `paths`, this waits until all files of the folder have been read.
    for path, _ in project.declared_names_by_file():
        is_design = path.suffix in _DESIGN and path.is_relative_to(folder)
        if is_design and not is_in_test_folder(PurePosixPath(path.relative_to(folder).as_posix())):
            yield path


def _located_cause_views(locations: Locations, causes: Sequence[Cause]) -> Iterator[LikelyCause]:
    for cause in causes:
        cause_range = file_range(locations, cause.span)
        if cause_range is not None:
            yield LikelyCause(
                kind=cause.kind.value, title=cause.title, at=cause_range, why=cause.reason, advice=cause.advice
            )


def _failure_page_markdown(
    locations: Locations,
    project_folder: Path,
    failure: ExplainedFailure,
    evidence: FailureEvidence,
    unknown_signals: Sequence[UnknownSignal],
    causes: Sequence[Cause],
) -> str:
    test_name = (
        failure.test_name
        if failure.own_or_hidden == "own"
        else f"Hidden tests{f': {failure.test_name}' if failure.test_name else ''}"
    )
    page_parts = [
        "# Why it may fail",
        f"**{_shortened_without_markup(test_name)}**" + (f" after {failure.time_text}" if failure.time_text else ""),
    ]
    page_parts.append(f"Of {_shortened_without_markup(failure.ran)}.")
    if failure.note:
        page_parts.append(f"> {_shortened_without_markup(failure.note)}")
    if failure.message:
        page_parts.append(_shortened_code_block(failure.message))
    if evidence.expected_value is not None and evidence.actual_value is not None:
        expected, actual = map(_shortened_without_markup, (evidence.expected_value, evidence.actual_value))
        page_parts.append(f"Expected `{expected}`, got `{actual}`.")
    if evidence.cycle_in_message is not None:
        page_parts.append(f"In cycle {evidence.cycle_in_message}.")
    if unknown_signals:
        page_parts.append("## Unknown signals\n\nThese are x where the waveform ends, the first to be so at the top:")
        page_parts.append(
            "\n".join(
                f"- `{_shortened_without_markup(signal.path)}`, since {signal.since}" for signal in unknown_signals
            )
        )
    page_parts.append("## Likely causes" if causes else "No rule fits. Examine the waveform, or write a smaller test.")
    for number, cause in enumerate(causes, 1):
        cause_range = file_range(locations, cause.span)
        line = cause_range.start.line + 1 if cause_range is not None else 1
        name = cause.span.path.relative_to(project_folder).as_posix()
        link = f"[{_shortened_without_markup(name)}:{line}]({cause.span.path.as_uri()}#L{line})"
        page_parts.append(f"{number}. {cause.title}: {link}\n\n   {cause.reason}\n\n   **Try:** {cause.advice}")
    page_parts.append("These are guesses by rules about the design's text. The hidden tests are not read for them.")
    return "\n\n".join(page_parts) + "\n"


def _shortened_without_markup(file_or_test_name: str) -> str:
    """The text of a file or a test, which must not become markup."""
    return "".join(
        character for character in file_or_test_name if character.isprintable() and character not in "`*[]<>|\\"
    )[:200]


def _shortened_code_block(message: str) -> str:
    return "\n".join(f"    {line}" for line in message[:_SHOWN].splitlines())
