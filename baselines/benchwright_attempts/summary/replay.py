"""Rebuilds every file of an attempt from its log alone, and compares it with each save."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from benchwright_attempts.events.event_body import EventBody, TextEffect
from benchwright_attempts.events.events import Edit, Save
from benchwright_attempts.events.evidence import EditShape
from benchwright_attempts.events.file_text import FileText, apply_changes, sha256
from benchwright_attempts.log.chain import ChainCheck, check_chain
from benchwright_attempts.log.record import SCHEMA, AttemptHeader, RecordedEvent, StoredRow
from benchwright_verilog.syntax.surrogates import encode_text


@dataclass(frozen=True, slots=True)
class ReplayedFile:
    """One file at one point of an attempt, as the editor held it."""

    text: str | None
    """`None` if it is unknown: the file was not UTF-8, or an event about it is wrong or has no text."""
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
    """Number of the last event that was replayed; 0 if there was none."""
    files: Mapping[str, ReplayedFile]
    saves: int
    """Saves that were compared with the rebuilt bytes."""
    flaws: tuple[ReplayFlaw, ...]

    @property
    def is_intact(self) -> bool:
        """True if every event fits and every save matches to the byte."""
        return not self.flaws


def replay(events: Iterable[RecordedEvent], *, last_seq: int | None = None) -> Replay:
    """Replays an attempt from its first event.

    Args:
        events: All events of one attempt in order.
        last_seq: Number of the last event to replay; all of them if not given.
    """
    replayed_files = _ReplayedFiles()
    for recorded in events:
        if last_seq is not None and recorded.seq > last_seq:
            break
        replayed_files.apply_event(recorded.seq, recorded.event)
    return Replay(replayed_files.seq, replayed_files.files, replayed_files.saves, tuple(replayed_files.flaws))


def replayed_states(events: Iterable[RecordedEvent]) -> Iterator[tuple[RecordedEvent, Mapping[str, ReplayedFile]]]:
    """Each event of an attempt, with every file as it is after it: always the same mapping, which changes.

    Args:
        events: All events of one attempt in order.
    """
    replayed_files = _ReplayedFiles()
    for recorded in events:
        replayed_files.apply_event(recorded.seq, recorded.event)
        yield recorded, replayed_files.files


def recorded_contents(events: Iterable[RecordedEvent], digest_by_path: Mapping[str, str]) -> dict[str, bytes]:
    """The content of files as they once were on disk; those that the log does not have are left out.

    Args:
        events: All events of one attempt in order.
        digest_by_path: Path → SHA-256 of the content that is wanted.
    """
    replayed_files = _ReplayedFiles()
    contents: dict[str, bytes] = {}
    for recorded in events:
        replayed_files.apply_event(recorded.seq, recorded.event)
        if recorded.event.text_effect not in (TextEffect.SETS, TextEffect.CHECKS):
            continue
        for path in digest_by_path.keys() - contents.keys():
            data = replayed_files.files.get(path, _UNKNOWN).data
            if data is not None and sha256(data) == digest_by_path[path]:
                contents[path] = data
    return contents


_UNKNOWN = ReplayedFile(None)


class _ReplayedFiles:
    """The files of an attempt, event by event."""

    def __init__(self) -> None:
        self.seq = self.saves = 0
        self.files: dict[str, ReplayedFile] = {}
        self.flaws: list[ReplayFlaw] = []

    def apply_event(self, seq: int, event: EventBody) -> None:
        """Does what the event's type declares as its effect on text."""
        self.seq = seq
        match event.text_effect, event:
            case TextEffect.SETS, _:
                self._set_contents(event.contents())
            case TextEffect.EDITS, Edit():
                self._apply_edit(event)
            case TextEffect.CHECKS, Save():
                self._compare_with_save(event)
            case TextEffect.HIDES_FILE, EditShape():
                self.files[event.path] = _UNKNOWN
            case TextEffect.HIDES_ALL, _:
                self.files = dict.fromkeys(self.files, _UNKNOWN)
            case TextEffect.NONE, _:
                pass
            case effect, _:
                raise TypeError(f"{type(event).__name__} declares {effect}, and is no such event")

    def _set_contents(self, contents: Mapping[str, FileText | None]) -> None:
        for path, content in contents.items():
            self.files.pop(path, None)
            if content is None:
                continue
            self.files[path] = ReplayedFile(content.text, content.bom)
            data = self.files[path].data
            if data is not None and sha256(data) != content.sha256:
                self._add_flaw(path, "the recorded text does not have the recorded digest")

    def _apply_edit(self, event: Edit) -> None:
        replayed_file = self.files.pop(event.path, _UNKNOWN)
        text = (
            ""
            if replayed_file.text is None and event.changes and event.changes[0].start is None
            else replayed_file.text
        )
        if text is None:
            self._add_flaw(event.path, "the edit changes a file whose text is not in the log")
            return
        try:
            self.files[event.path] = ReplayedFile(apply_changes(text, event.changes), replayed_file.bom)
        except ValueError as error:
            self._add_flaw(event.path, str(error))

    def _compare_with_save(self, event: Save) -> None:
        data = self.files.get(event.path, _UNKNOWN).data
        if data is None:
            return
        self.saves += 1
        if sha256(data) != event.sha256:
            self._add_flaw(event.path, "the saved bytes differ from the ones that the events before produce")

    def _add_flaw(self, path: str, reason: str) -> None:
        self.flaws.append(ReplayFlaw(self.seq, path, reason))


@dataclass(frozen=True, slots=True)
class Verification:
    """Result of checking that a log is as it was written, and that it rebuilds what was saved."""

    header: AttemptHeader
    chain: ChainCheck
    replay: Replay
    """Of the events before the first bad one."""
    record_counts_by_schema: Mapping[int, int] = field(default_factory=dict)
    """Version of a record → number of records; several after an update of Benchwright."""

    @property
    def ok(self) -> bool:
        """True if chain and replay are intact."""
        return self.chain.ok and self.replay.is_intact

    @property
    def first_fault(self) -> str | None:
        """The first fault, as a sentence; `None` if there is none."""
        flaws = [(flaw.seq, f"{flaw.path}: {flaw.reason}") for flaw in self.replay.flaws[:1]]
        if self.chain.bad_seq is not None and self.chain.reason is not None:
            flaws.append((self.chain.bad_seq, self.chain.reason))
        if not flaws:
            return None
        seq, reason = min(flaws)
        return f"Event {seq} is faulty: {reason}."


def verify_attempt(header: AttemptHeader, rows: Iterable[StoredRow]) -> Verification:
    """Checks the hash chain of an attempt, then replays what is intact."""
    rows = list(rows)
    chain = check_chain(header, rows)
    events: list[RecordedEvent] = []
    for row in rows[: chain.events]:
        try:
            events.append(row.parse())
        except ValueError as error:
            newer = row.schema > SCHEMA
            reason = str(error) if newer else "it is of a type that this version does not know"
            chain = replace(chain, events=row.seq - 1, bad_seq=row.seq, reason=reason)
            break
    return Verification(header, chain, replay(events), dict(Counter(row.schema for row in rows)))
