"""No event of any kind carries a participant's text below the level `full`; the log itself sees to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.events import (
    AssistAsked,
    Diagnostics,
    Edit,
    Event,
    Paused,
    ProblemCount,
    Save,
    Started,
    TextCause,
    TextSet,
)
from benchwright_attempts.events.evidence import (
    AssistAccepted,
    AssistRejected,
    AssistShown,
    CommandUsed,
    EditReason,
    Forecast,
    Recording,
    SelfEstimate,
)
from benchwright_attempts.events.file_text import Change, FileText
from benchwright_attempts.log.record import canonical_json
from benchwright_attempts.summary.replay import verify_attempt
from benchwright_studies.conduct.study_log import StudyLog

WORD = "xyzzy"
PATH = "rtl/plugh.sv"
TELLING: list[Event] = [
    Edit(
        path=PATH, version=3, changes=(Change(start=0, end=0, text=f"{WORD}\n{WORD}"), Change(start=0, end=2, text=""))
    ),
    TextSet(path=PATH, cause=TextCause.OPENED, file=FileText.of_text(WORD)),
    Save(path=PATH, sha256="0" * 64, size=9),
    AssistAsked(provider="p", path=PATH, version=3, outcome="shown", latency_ms=5),
    AssistShown(assist="1", provider="p", path=PATH, text=WORD, length=5),
    AssistAccepted(assist="1", provider="p", path=PATH),
    AssistRejected(assist="1", provider="p", path=PATH),
    EditReason(path=PATH, version=3, reason="cursor", metadata={"kind": "paste", "text": WORD}),
    CommandUsed(command="paste", path=PATH, length=5),
    Diagnostics(path=PATH, counts={"slang": ProblemCount(errors=1, warnings=0)}),
    Paused(reason=f"{WORD} called"),
    SelfEstimate(difficulty=3, help_note=WORD),
]


@pytest.mark.parametrize("level", list(Recording))
def test_what_a_level_does_not_allow_never_reaches_the_log(log: StudyLog, tmp_path: Path, level: Recording) -> None:
    attempt = Attempts(log).create("p/q", "d", tmp_path, {"rtl/top.sv": FileText.of_text("given")}, recording=level).id
    log.append_blocking(attempt, Started())
    recorded_events = [log.append_blocking(attempt, event).event for event in TELLING]
    stored_text = canonical_json([row.body for row in log.stored_attempt(attempt)[1]])
    assert (WORD in stored_text) == (level is Recording.FULL)
    assert ("plugh" in stored_text) == (level is not Recording.TIMING)
    assert [recorded.event for recorded in log.events(attempt)][2:] == recorded_events
    assert verify_attempt(*log.stored_attempt(attempt)).chain.ok
    if level is Recording.EDITS:
        assert recorded_events[0].model_dump()["changes"] == (
            {"start": 0, "end": 0, "length": 11, "lines": 1},
            {"start": 0, "end": 2, "length": 0, "lines": 0},
        )
    if level is Recording.TIMING:
        assert [event.type for event in recorded_events] == ["activity"] * 10 + ["paused", "self_estimate"]


def test_what_is_asked_for_is_kept_at_every_level(log: StudyLog, tmp_path: Path) -> None:
    attempt = Attempts(log).create("p/q", "d", tmp_path, {}, recording=Recording.TIMING).id
    forecast = Forecast(minutes=3, difficulty=2)
    assert log.append_blocking(attempt, forecast).event == forecast


def test_the_level_is_part_of_the_chain(log: StudyLog, tmp_path: Path) -> None:
    header = Attempts(log).create("p/q", "d", tmp_path, {}, recording=Recording.EDITS)
    assert header.as_json()["recording"] == "edits"
    full = header.model_copy(update={"recording": Recording.FULL})
    assert "recording" not in full.as_json() and full.chain_start_hash() != header.chain_start_hash()


def test_the_extension_that_made_an_edit_stays_known_without_the_text() -> None:
    """VS Code puts dollar signs before what it may report."""
    metadata = {"$extensionId": "github.copilot", "$$kind": "paste", "text": WORD, "$text": WORD}
    reason = EditReason(path=PATH, version=3, reason="inlineCompletionAccept", metadata=metadata).without_text()
    assert reason.metadata == {"$extensionId": "github.copilot", "$$kind": "paste"}
