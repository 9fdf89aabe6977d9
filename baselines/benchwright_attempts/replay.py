"""Rebuilds every file of an attempt from its log alone, and compares it with each save."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from benchwright_attempts.chain import ChainCheck, check_chain
from benchwright_attempts.events import Edit, Opened, Save, TextSet
from benchwright_attempts.evidence import Activity, EditShape
from benchwright_attempts.file_text import FileText, apply_changes, sha256
from benchwright_attempts.record import SCHEMA, AttemptHeader, RecordedEvent, Row
from benchwright_verilog.syntax.surrogates import encode_text


@dataclass(frozen=True, slots=True)
class ReplayedFile:
    """One file at one point of an attempt, as the editor held it."""

    text: str | None
    """`None` if the log does not know it: the file was not UTF-8, or an event about it is wrong."""
    bom: bool = False

    @property
    def data(self) -> bytes | None:
        """The bytes that saving it writes."""
        return None if self.text is None else encode_text(self.text, bom=self.bom)


@dataclass(frozen=True, slots=True)
class ReplayFlaw:
    """An event that does not fit the ones before it."""

    seq: int
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Replay:
    """Every file at one point of an attempt."""

    seq: int
    """The event after which this is so; 0 if there was none."""
    files: Mapping[str, ReplayedFile]
    saves: int
    """Saves whose bytes were compared with the rebuilt ones."""
    flaws: tuple[ReplayFlaw, ...]

    @property
    def ok(self) -> bool:
        """Whether every event fitted and every save was the same to the byte."""
        return not self.flaws


def replay(events: Iterable[RecordedEvent], *, until: int | None = None) -> Replay:
    """Replays an attempt from its first event.

    Args:
        events: All events of one attempt in order.
        until: Number of the last event to replay; all of them if not given.
    """
    files: dict[str, ReplayedFile] = {}
    flaws: list[ReplayFlaw] = []
    seq = saves = 0
    for recorded in events:
        if until is not None and recorded.seq > until:
            break
        seq = recorded.seq
        event = recorded.event
        match event:
            case Opened():
                contents: Mapping[str, FileText | None] = event.files
            case TextSet():
                contents = {event.path: event.file}
            case Edit():
                try:
                    files[event.path] = _edited(files.pop(event.path, _UNKNOWN), event)
                except ValueError as error:
                    flaws.append(ReplayFlaw(seq, event.path, str(error)))
                continue
            case EditShape():
                # Its text was never recorded.
                files[event.path] = _UNKNOWN
                continue
            case Activity():
                # Nor is it known which file it was.
                files = dict.fromkeys(files, _UNKNOWN)
                continue
            case Save():
                data = files.get(event.path, _UNKNOWN).data
                saves += data is not None
                if data is not None and sha256(data) != event.sha256:
                    reason = "the saved bytes are not the ones that the events before make"
                    flaws.append(ReplayFlaw(seq, event.path, reason))
                continue
            case _:
                continue
        for path, content in contents.items():
            files.pop(path, None)
            if content is None:
                continue
            files[path] = ReplayedFile(content.text, content.bom)
            data = files[path].data
            if data is not None and sha256(data) != content.sha256:
                flaws.append(ReplayFlaw(seq, path, "the recorded text does not have the recorded digest"))
    return Replay(seq, files, saves, tuple(flaws))


_UNKNOWN = ReplayedFile(None)


def _edited(file: ReplayedFile, event: Edit) -> ReplayedFile:
    if file.text is not None:
        return ReplayedFile(apply_changes(file.text, event.changes), file.bom)
    if event.changes and event.changes[0].start is None:
        return ReplayedFile(apply_changes("", event.changes), file.bom)
    raise ValueError("the edit changes a text that the log does not know")


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether a log is as written, and rebuilds what was saved."""

    header: AttemptHeader
    chain: ChainCheck
    replay: Replay
    """Of the events before the first bad one."""
    schemas: Mapping[int, int] = field(default_factory=dict)
    """Version of a record → how many there are; several after an update of Benchwright."""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return self.chain.ok and self.replay.ok

    @property
    def problem(self) -> str | None:
        """What is wrong first, as a sentence; `None` if nothing is."""
        flaws = [(flaw.seq, f"{flaw.path}: {flaw.reason}") for flaw in self.replay.flaws[:1]]
        if self.chain.bad_seq is not None and self.chain.reason is not None:
            flaws.append((self.chain.bad_seq, self.chain.reason))
        if not flaws:
            return None
        seq, reason = min(flaws)
        return f"Event {seq} is not as it should be: {reason}."


def verify(header: AttemptHeader, rows: Iterable[Row]) -> Verification:
    """Checks the hash chain of an attempt, then replays what is intact."""
    rows = list(rows)
    chain = check_chain(header, rows)
    events: list[RecordedEvent] = []
    for row in rows[: chain.events]:
        try:
            events.append(row.parse())
        except ValueError as error:
            newer = row.schema > SCHEMA
            reason = str(error) if newer else "it is of a kind that this version does not know"
            chain = replace(chain, events=row.seq - 1, bad_seq=row.seq, reason=reason)
            break
    return Verification(header, chain, replay(events), dict(Counter(row.schema for row in rows)))
