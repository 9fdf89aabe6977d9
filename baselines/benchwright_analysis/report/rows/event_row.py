"""An event as a row of the exported table: when, which type, how much; no text of files or people."""

from __future__ import annotations

from pydantic import ConfigDict

from benchwright_foundation.model import Model


class EventRow(Model):
    """One event. Columns that do not apply to its type are empty."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    attempt: str
    """Id of the attempt."""
    seq: int
    """Number of the event, from 1."""
    wall: str
    """Wall time, ISO 8601 in UTC."""
    at_s: float
    """Seconds since the attempt was opened, by monotonic clocks."""
    clock_s: float
    """Seconds the attempt's clock had run."""
    type: str
    """Type of the event: `opened`, `edit`, `run_finished` …; see below."""
    state: str
    """State of the attempt after the event."""
    path: str
    """File that was edited or set."""
    inserted: int | None
    """Code points that an edit inserted."""
    deleted: int | None
    """Code points that an edit deleted; empty if the whole text was replaced."""
    origin: str
    """Origin of an edit: `typed`, `paste`, `completion` …"""
    method: str
    """Method that found the origin: `change_reason`, `only_writer`, `own_provider`, `wrapped_command`,
    `heuristic`."""
    classifier: str
    """Version of the rules that the origin was found by."""
    actor: str
    """Who made the change or request: `person`, `completion`, `chat`, `agent`, `terminal`, `outside`, `unknown`; empty
    if that is not recorded, or if it is neither."""
    actor_known_by: str
    """How that is known: a method as above, `connection`, `while_connected` or `reported`."""
    outcome: str
    """Of a verdict: `passed`, `failed`, `error`."""
    reason: str
    """Of a verdict: a stable word, such as `tests_failed`."""
    tests_passed: int | None
    """Hidden tests passed in a run."""
    tests_total: int | None
    """Hidden tests of a run."""
