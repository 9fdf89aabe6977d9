"""A toy event, registered as `docs/how-to/extend.md` describes: recorded, reduced, replayed, exported, explained."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Literal

import pytest

from benchwright_analysis.report.fold import AttemptFold
from benchwright_analysis.report.rows.codebook import codebook_markdown
from benchwright_analysis.report.rows.event_columns import EventColumns
from benchwright_analysis.report.rows.problem_facts import ProblemFacts
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.event_body import EventBody, TextEffect
from benchwright_attempts.events.event_types import EventTypes
from benchwright_attempts.events.events import EVENT_TYPES, Started
from benchwright_attempts.events.evidence import Recording
from benchwright_attempts.events.file_text import FilePath, FileText
from benchwright_attempts.log.export import read_export, write_export
from benchwright_attempts.log.log import EventLog
from benchwright_attempts.summary.replay import verify_attempt

from ...support.studies.active_time import active_time


class Generated(EventBody):
    """A generator wrote a file."""

    is_activity = True
    reveals_content = True
    text_effect = TextEffect.SETS
    columns: ClassVar[Mapping[str, str]] = {"path": "path"}

    type: Literal["generated"] = "generated"
    path: FilePath
    file: FileText
    prompt: str = ""

    def contents(self) -> dict[FilePath, FileText | None]:
        """The generated file."""
        return {self.path: self.file}

    def without_text(self) -> Generated:
        """The file that it was, without its text."""
        return self.model_copy(update={"prompt": "", "file": self.file.model_copy(update={"text": None})})


EVENT = Generated(path="rtl/made.sv", file=FileText.of_text("module made;\nendmodule\n"), prompt="a secret wish")


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in vars(EventTypes([*EVENT_TYPES.classes.values(), Generated])).items():
        monkeypatch.setattr(EVENT_TYPES, name, value)


@pytest.mark.parametrize("level", list(Recording))
def test_a_new_event_is_recorded_reduced_replayed_and_exported(tmp_path: Path, level: Recording) -> None:
    with EventLog(tmp_path / "log.sqlite") as log:
        attempt = Attempts(log).create("p/q", "d", tmp_path, {"top.sv": FileText.of_text("")}, recording=level).id
        log.append_blocking(attempt, Started())
        stored_event = log.append_blocking(attempt, EVENT).event  # type: ignore[arg-type]
        header, rows = log.stored_attempt(attempt)
        events = log.events(attempt)
    assert stored_event.type == ("activity" if level is Recording.TIMING else "generated")
    assert ("secret" in rows[-1].body) == (level is Recording.FULL)

    verified = verify_attempt(header, rows)
    assert verified.ok
    if level is Recording.FULL:
        assert verified.replay.files["rtl/made.sv"].text == EVENT.file.text
    assert active_time(events).running_s == active_time(events, (1e9,)).active_s[1e9]

    write_export(tmp_path / "attempt.jsonl", header, rows)
    assert verify_attempt(*read_export(tmp_path / "attempt.jsonl")).ok

    event_columns = EventColumns()
    fold = AttemptFold(header, ProblemFacts(), event_columns=event_columns)
    for row in rows:
        fold.take_event(row.seq, row.wall, row.mono_ns, row.process, row.body)
    fold.finish()
    last_event = event_columns.table().to_pylist()[-1]
    assert (last_event["type"], last_event["path"]) == (
        ("activity", "") if level is Recording.TIMING else ("generated", "rtl/made.sv")
    )

    assert (
        "| `generated` | A generator wrote a file. | `path`, `file`, `prompt` | without text |" in codebook_markdown()
    )
