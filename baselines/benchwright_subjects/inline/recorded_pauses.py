"""Sites of a recorded attempt: the text as it was at each pause, what its author wrote next, and how it ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from benchwright_attempts.events.events import Edit
from benchwright_attempts.log.record import RecordedEvent
from benchwright_attempts.summary.replay import replayed_states
from benchwright_subjects.inline.sites import PausePoint, Site, SiteKind
from benchwright_verilog.syntax.suffixes import DESIGN_SUFFIXES


@dataclass(frozen=True)
class _RecordedPause:
    seq: int
    path: str
    text: str
    cursor: int
    gap_ms: float = 0.0


def pause_sites(ref: str, attempt_name: str, events: Iterable[RecordedEvent], pause_ms: int) -> list[Site]:
    """The pauses of an attempt at which somebody could have been helped.

    A pause that is followed by an edit elsewhere is left out: what its author would have accepted there is unknown.

    Args:
        ref: PACK/ID of the problem.
        attempt_name: Name of the attempt, for the sites' names.
        events: All of the attempt, in order.
        pause_ms: Time between two edits from which on it is a pause.
    """
    pauses, final = _pauses_and_final_texts(events, pause_ms)
    sites = []
    for pause, next_pause in zip(pauses, [*pauses[1:], None], strict=False):
        later_text = (
            next_pause.text if next_pause is not None and next_pause.path == pause.path else final.get(pause.path)
        )
        text_before, text_after = pause.text[: pause.cursor], pause.text[pause.cursor :]
        written_text = _written_between(text_before, text_after, later_text)
        if written_text is not None and written_text.strip():
            site = f"{ref}/{pause.path}#{SiteKind.REPLAY}@{attempt_name}-{pause.seq}"
            final_text = final.get(pause.path)
            pause_record = PausePoint(attempt_name, pause.seq, pause.gap_ms)
            sites.append(
                Site(
                    site,
                    ref,
                    pause.path,
                    SiteKind.REPLAY,
                    text_before,
                    text_after,
                    written_text,
                    final=final_text,
                    pause=pause_record,
                )
            )
    return sites


def _pauses_and_final_texts(
    events: Iterable[RecordedEvent], pause_ms: int
) -> tuple[list[_RecordedPause], dict[str, str]]:
    pauses: list[_RecordedPause] = []
    last_edit: tuple[RecordedEvent, _RecordedPause | None] | None = None
    final: dict[str, str] = {}
    for recorded, files in replayed_states(events):
        final = {path: file.text for path, file in files.items() if file.text is not None}
        if not isinstance(recorded.event, Edit):
            continue
        gap_ms = 0.0 if last_edit is None else _gap_ms(last_edit[0], recorded)
        if last_edit is not None and last_edit[1] is not None and gap_ms >= pause_ms:
            pauses.append(replace(last_edit[1], gap_ms=gap_ms))
        last_edit = (recorded, _pause_after_edit(recorded.seq, recorded.event, final))
    if last_edit is not None and last_edit[1] is not None:
        pauses.append(replace(last_edit[1], gap_ms=float(pause_ms)))
    return pauses, final


def _pause_after_edit(seq: int, edit: Edit, texts: dict[str, str]) -> _RecordedPause | None:
    if edit.path not in texts or not edit.path.endswith(tuple(DESIGN_SUFFIXES)) or not edit.changes:
        return None
    change = edit.changes[-1]
    if change.start is None:
        return None
    return _RecordedPause(seq, edit.path, texts[edit.path], change.start + len(change.text))


def _gap_ms(first_event: RecordedEvent, second_event: RecordedEvent) -> float:
    if first_event.moment.process == second_event.moment.process:
        return (second_event.moment.mono_ns - first_event.moment.mono_ns) / 1e6
    return (second_event.moment.wall - first_event.moment.wall).total_seconds() * 1000


def _written_between(text_before: str, text_after: str, later_text: str | None) -> str | None:
    """Text that was written between two parts that are still there; None if they are not."""
    if later_text is None or len(later_text) < len(text_before) + len(text_after):
        return None
    if not (later_text.startswith(text_before) and later_text.endswith(text_after)):
        return None
    return later_text[len(text_before) : len(later_text) - len(text_after)]
