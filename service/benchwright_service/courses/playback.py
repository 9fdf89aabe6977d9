"""An attempt as a page plays it: steps in time, and in chunks the text before and what each step changed.

The rules are those of the log's other readers: `clock` for time, `attribution` for where text came from, `marked_text`
for what stays of it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from benchwright_analysis.report.rows.edits import EditFold
from benchwright_analysis.report.rows.stored_event import edit_evidence_with_version, parse_event
from benchwright_attempts.attribution.actors import ACTOR_EVENTS, ActorFold, AttemptActors
from benchwright_attempts.clock.clock import TIME_EXCLUDED, AttemptClock, AttemptState
from benchwright_attempts.errors import IllegalTransitionError
from benchwright_attempts.events.event_body import EditEvidence, TextEffect
from benchwright_attempts.events.events import EVENT_TYPES, TextCause
from benchwright_attempts.log.record import StoredEvent, event_type_in_json
from benchwright_attempts.summary.survival import TextChangePoint
from benchwright_foundation.json_text import parse_untrusted_json
from benchwright_service.courses.playback_text import ASSISTED, MARKS, PASTED, Labels, PlaybackStep, PlaybackText

_CHUNK = 64 << 10
"""Characters of changes after which a chunk ends, at least. It is longer where the files are: all texts at the
beginning of chunks take no more than all changes."""
_STEP = 48
"""Cost of a step, besides the text that it brings."""
_EVENT_BYTES = 300
"""Approximate size of an event in memory, in bytes."""
_KINDS = {"paste": PASTED, "assist": ASSISTED}
_MOST_MARKS = 200
"""Pauses, pastes, and accepted completions, that are listed: the longest."""
_NS = 1_000_000_000
_SETS = EVENT_TYPES.names_with_effect(TextEffect.SETS)
_EDITS = EVENT_TYPES.names_with_effect(TextEffect.EDITS)
_SHAPES = EVENT_TYPES.names_with_effect(TextEffect.HIDES_FILE)
_ABOUT = EVENT_TYPES.names_with_evidence(EditEvidence.SAME_VERSION)
_ANNOUNCING = EVENT_TYPES.names_with_evidence(EditEvidence.NEXT_EDIT)
_HIDING = EVENT_TYPES.names_with_effect(TextEffect.HIDES_ALL)
_QUIET = (
    frozenset({"tick", "assigned", "consent", "environment", "model_usage"}) | _ABOUT | _ANNOUNCING
) - EVENT_TYPES.names_with_effect(*(effect for effect in TextEffect if effect is not TextEffect.NONE))
"""Events that are no steps: they say nothing of the work, or something of another event. What changes a text is one."""
_OF_RUNS = frozenset({"run_started", "run_finished", "answered"})


class PlaybackError(Exception):
    """An event that no program of ours writes.

    Args:
        seq: Its number, or that of the last one if only all together make no attempt.
    """

    def __init__(self, seq: int) -> None:
        super().__init__(f"Event {seq} is none that an editor writes, so the attempt can't be replayed.")


@dataclass(frozen=True)
class PlaybackMark:
    """Something that a reader wants to find."""

    step: int
    at_s: float
    kind: str
    """`paste`, `assist` or `pause`."""
    path: str = ""
    characters: int = 0
    until_s: float | None = None
    """End of a pause."""
    text: str = ""
    """The reason of a pause, as its solver wrote it."""


@dataclass(frozen=True)
class ChunkStart:
    """Beginning of a chunk."""

    first_step: int
    """Number of its first step, from 0."""
    at_s: float
    wall_s: float
    """The solver's wall time, in seconds since 1970."""


class Playback:
    """An attempt up to an event. Its text is worked out when it is asked for: not from two threads at once.

    Args:
        event_count: Number of events.
        steps: Steps in order.
        duration_s: Time from the opening to the newest event, in seconds.
        chunk_starts: Beginnings of the chunks.
        marks: Marks in order.
        left_out_mark_count: Pauses, pastes and completions that are not among the marks.
        inserted_by_origin: Origin → code points put in, also those that were deleted later.
        actors: Those who made its changes and requests.
        step_and_time_by_run: Number of a run → the step at which it ended, or began if it did not, and when that was.
        paths: Paths of all files.
        playback_text: Makes the chunks.
        text_changes: All changes of text.
    """

    def __init__(
        self,
        event_count: int,
        steps: Sequence[PlaybackStep],
        duration_s: float,
        chunk_starts: Sequence[ChunkStart],
        marks: Sequence[PlaybackMark],
        left_out_mark_count: int,
        inserted_by_origin: Mapping[str, int],
        actors: AttemptActors,
        step_and_time_by_run: Mapping[int, tuple[int, float]],
        paths: Sequence[str],
        playback_text: PlaybackText,
        text_changes: Iterable[TextChangePoint],
    ) -> None:
        self.events = event_count
        self.steps = len(steps)
        self.duration_s = duration_s
        self.bounds = chunk_starts
        self.marks = marks
        self.left_out = left_out_mark_count
        self.inserted = inserted_by_origin
        self.actors = actors
        self.run_steps = step_and_time_by_run
        self.paths = paths
        self._text = playback_text
        self._chunks: list[bytes] = []
        chunk_ends = [bound.first_step for bound in chunk_starts[1:]] + [len(steps)]
        self._coming_chunks = playback_text.compressed_chunks(steps, chunk_ends if steps else [], iter(text_changes))

    @property
    def approximate_bytes(self) -> int:
        """Bytes that it takes, about."""
        return _EVENT_BYTES * self.events + sum(map(len, self._chunks))

    def find_chunk(self, chunk_index: int) -> bytes | None:
        """A chunk, as `PlaybackText.compressed_chunks` makes it; None if there is none."""
        while chunk_index >= len(self._chunks) and (next_chunk := next(self._coming_chunks, None)) is not None:
            self._chunks.append(next_chunk)
        return self._chunks[chunk_index] if chunk_index < len(self._chunks) else None

    def changed_files_at_end(self) -> Mapping[str, str]:
        """The files that differ from the start, at the end."""
        self._chunks.extend(self._coming_chunks)
        return self._text.changed_text_by_path()

    def step_and_time_at(self, wall_s: float) -> tuple[int, float]:
        """The step and the time that belong to the solver's wall time, about."""
        bound_index = bisect_right(self.bounds, wall_s, key=lambda bound: bound.wall_s) - 1
        if bound_index < 0:
            return 0, 0.0
        bound = self.bounds[bound_index]
        at_s = bound.at_s + wall_s - bound.wall_s
        return (self.steps - 1, self.duration_s) if at_s >= self.duration_s else (bound.first_step, at_s)


def read_playback(stored_events: Iterable[StoredEvent]) -> Playback:
    """Reads an attempt from its first event.

    Raises:
        PlaybackError: An event is none: what students' machines send is whatever they want.
    """
    reading = _PlaybackReading()
    seq = 0
    try:
        for stored_event in stored_events:
            seq = stored_event[0]
            reading.add_event(*stored_event)
        return reading.finish()
    except (AttributeError, IllegalTransitionError, LookupError, OverflowError, TypeError, ValueError) as error:
        raise PlaybackError(seq) from error


def _require_ordered_changes(edit_body: dict[str, Any]) -> None:
    for change in edit_body["changes"]:
        start, end = change.get("start"), change.get("end")
        if (start, end) != (None, None) and not 0 <= start <= end:
            raise ValueError("a change begins behind its end")


class _PlaybackReading:
    def __init__(self) -> None:
        self._clock = AttemptClock()
        self._edits = EditFold()
        self._actors = ActorFold()
        self._steps: list[PlaybackStep] = []
        self._by_model: set[int] = set()
        self._set: dict[int, dict[str, int]] = {}
        """Number of an event that sets files → how long each is."""
        self._paths: set[str] = set()
        self._runs: dict[int, tuple[int, float]] = {}
        self._pauses: list[tuple[int, float, str]] = []
        self._ends: list[float] = []
        self._events = 0

    def add_event(self, seq: int, wall_time: str, mono_ns: int, process: str, event_json: str) -> None:
        kind, clock = event_type_in_json(event_json), self._clock
        earlier_state = clock.state
        excluded_s = float(parse_untrusted_json(event_json)["excluded_s"]) if kind == TIME_EXCLUDED else 0.0
        clock.follow_event(kind, mono_ns, process, excluded_s)
        self._events = seq
        path = self._add_text_event_and_get_path(kind, seq, wall_time, event_json)
        if kind in ACTOR_EVENTS:
            self._actors.take_event(seq, parse_untrusted_json(event_json))
        if kind in _QUIET:
            return
        step, at_s = len(self._steps), clock.at_ns / _NS
        if earlier_state is not AttemptState.PAUSED and clock.state is AttemptState.PAUSED:
            self._pauses.append((step, at_s, str(parse_untrusted_json(event_json).get("reason") or "")))
        elif earlier_state is AttemptState.PAUSED and clock.state is not AttemptState.PAUSED:
            self._ends.append(at_s)
        if kind in _OF_RUNS:
            self._runs[parse_untrusted_json(event_json)["number"]] = step, at_s
        self._steps.append(PlaybackStep(seq, clock.at_ns, wall_time, kind, path))

    def _add_text_event_and_get_path(self, kind: str, seq: int, wall_time: str, event_json: str) -> str:
        """Takes what an event says of text; the path if it is about one file."""
        clock, attempt_edits = self._clock, self._edits
        if kind in _EDITS or kind in _SHAPES:
            value = parse_untrusted_json(event_json)
            _require_ordered_changes(value)
            attempt_edits.add_edit(
                value, seq, wall_time, since_opening_ns=clock.at_ns, active_ns=clock.active_ns, has_text=kind in _EDITS
            )
            self._paths.add(value["path"])
            if kind in _SHAPES:
                attempt_edits.set_files({value["path"]: None}, seq, clock.at_ns)
            return str(value["path"])
        if kind in _SETS:
            value = parse_untrusted_json(event_json)
            contents = parse_event(value).contents()
            files = {path: file.text if file is not None else None for path, file in contents.items()}
            attempt_edits.set_files(files, seq, clock.at_ns)
            self._set[seq] = {path: len(text or "") for path, text in files.items()}
            self._paths.update(files)
            if value.get("cause") == TextCause.WRITTEN.value:
                self._by_model.add(seq)
            return next(iter(contents)) if len(contents) == 1 else ""
        if kind in _HIDING:
            attempt_edits.set_files(dict.fromkeys(self._paths), seq, clock.at_ns)
        elif kind in _ABOUT:
            event, edited_path, version = edit_evidence_with_version(event_json)
            if version is not None:
                attempt_edits.attributor.add_evidence_of_edit(edited_path, version, event)
        elif kind in _ANNOUNCING:
            attempt_edits.attributor.add_evidence_of_next_edit(parse_event(parse_untrusted_json(event_json)), wall_time)
        return ""

    def finish(self) -> Playback:
        labelled = self._edits.labelled_edits(self._clock.at_ns, self._clock.active_ns)
        edits = labelled.edits
        labels = {
            seq: (label.origin, total)
            for seq, total, label in zip(edits.seq, edits.total, labelled.labels, strict=True)
        }
        inserted: Counter[str] = Counter()
        for origin, total in labels.values():
            inserted[origin] += total
        marks_by_kind = [
            self._pause_marks(),
            *(self._insertion_marks(labels, kind, mark) for kind, mark in _KINDS.items()),
        ]
        marks = [mark for kind_marks in marks_by_kind for mark in kind_marks[:_MOST_MARKS]]
        return Playback(
            self._events,
            self._steps,
            self._clock.at_ns / _NS,
            self._chunk_starts(labels, dict(zip(edits.seq, edits.deleted_counts(), strict=True))),
            sorted(marks, key=lambda mark: mark.step),
            sum(map(len, marks_by_kind)) - len(marks),
            inserted,
            self._actors.add_edits_and_finish(edits, labelled.findings),
            self._runs,
            sorted(self._paths),
            PlaybackText(labels, frozenset(self._by_model)),
            labelled.contents,
        )

    def _pause_marks(self) -> list[PlaybackMark]:
        pause_ends = [*self._ends, self._clock.at_ns / _NS]
        marks = [
            PlaybackMark(step, at_s, "pause", until_s=pause_ends[step_index], text=reason)
            for step_index, (step, at_s, reason) in enumerate(self._pauses)
        ]
        return sorted(marks, key=lambda mark: mark.at_s - (mark.until_s or 0))

    def _insertion_marks(self, labels: Labels, mark_kind: str, text_mark: str) -> list[PlaybackMark]:
        """Edits that put in text with a mark, the longest first."""
        marks = [
            PlaybackMark(step_index, step.at_ns / _NS, mark_kind, step.path, label[1])
            for step_index, step in enumerate(self._steps)
            if (label := labels.get(step.seq)) and label[1] and MARKS.get(label[0]) == text_mark
        ]
        return sorted(marks, key=lambda mark: -mark.characters)

    def _chunk_starts(self, labels: Labels, deleted: Mapping[int, int | None]) -> list[ChunkStart]:
        bounds: list[ChunkStart] = []
        sizes: dict[str, int] = {}
        weight = bound_weight = total = 0
        for step_index, step in enumerate(self._steps):
            if weight >= bound_weight:
                wall_s = datetime.fromisoformat(step.wall).timestamp()
                bounds.append(ChunkStart(step_index, step.at_ns / _NS, wall_s))
                weight, bound_weight = 0, max(_CHUNK, total)
            weight += _STEP
            lengths = self._set.get(step.seq, {})
            if step.seq in labels:
                new_size, old_size = labels[step.seq][1], sizes.get(step.path, 0)
                deleted_count = deleted[step.seq]
                lengths = {
                    step.path: new_size + max(0, old_size - deleted_count) if deleted_count is not None else new_size
                }
                weight += new_size
            for path, length in lengths.items():
                total += length - sizes.get(path, 0)
                sizes[path] = length
        return bounds
