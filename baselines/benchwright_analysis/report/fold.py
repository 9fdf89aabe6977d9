"""One attempt's events to one row, in one pass over the stored texts.

The rules are those of `clock`, `timeline`, `attribution` and `survival`; tests hold the two to the same numbers.
Those read every event as a model, which takes minutes for millions of them; this reads the few fields it needs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from pydantic_core import from_json

from benchwright_analysis.report.event_columns import EventColumns
from benchwright_analysis.report.followed_text import FollowedText
from benchwright_analysis.report.observation import Observation
from benchwright_analysis.report.problem_facts import ProblemFacts
from benchwright_attempts.attribution import Origin, origin_of_command, origin_of_reason, origin_of_shape
from benchwright_attempts.clock import AttemptState, next_state
from benchwright_attempts.errors import IllegalTransitionError
from benchwright_attempts.events import EVENT_TYPES
from benchwright_attempts.record import AttemptHeader
from benchwright_attempts.survival import FOLLOWED
from benchwright_attempts.timeline import THRESHOLDS_S
from benchwright_verilog.syntax.surrogates import join_surrogates

BINS = 10
"""Parts of an attempt's time for the picture of where text came from."""
_NS = 1_000_000_000
_COMMAND_REACH_S = 2.0
_OWN = "benchwright"
_BY_ASSISTANT = (Origin.COMPLETION, Origin.COMPLETION_PART, Origin.OWN_COMPLETION, Origin.CHAT)
_COLUMN: Mapping[Origin, str] = {
    Origin.TYPED: "typed",
    Origin.PASTE: "paste",
    Origin.COMPLETION: "completion",
    Origin.COMPLETION_PART: "completion",
    Origin.OWN_COMPLETION: "own_completion",
    Origin.CHAT: "chat",
    Origin.SUGGESTION: "tool",
    Origin.SNIPPET: "tool",
    Origin.FORMAT: "tool",
    Origin.UNDO: "other",
    Origin.OUTSIDE: "other",
    Origin.UNKNOWN: "other",
}
SOURCES = ("typed", "paste", "completion", "own_completion", "chat", "tool", "other")
_EXPOSURES = ("", "none", "similar", "same")
_STEPS = frozenset(
    [
        "started",
        "paused",
        "resumed",
        "interrupted",
        "clock_held",
        "clock_released",
        "timed_out",
        "submitted",
        "abandoned",
    ]
)
_LETS_GO = frozenset(["clock_released", "interrupted", "paused", "submitted", "abandoned", "timed_out"])


@dataclass(frozen=True, slots=True)
class Folded:
    """One attempt: its row, and what does not fit into a row."""

    observation: Observation
    trace: tuple[tuple[float, float], ...]
    """(analysed seconds, score) of every decided verdict, in order."""
    sources: Mapping[str, tuple[int, ...]]
    """Source → code points put in, by tenth of the clock's time."""
    failure: str
    """What the solver saw of the newest verdict, where the attempt did not pass."""


@dataclass(slots=True)
class _Edit:
    seq: int
    path: str
    version: int | None
    total: int
    """Code points put in."""
    inserted: list[int]
    """Of these, by each change."""
    lines: list[int]
    deleted: int | None
    clock_ns: int
    command: str | None


@dataclass(frozen=True, slots=True)
class _Label:
    """What an edit's origin means here; made once for all edits of a kind, as an enumeration is slow to look up by."""

    origin: Origin
    method: str
    name: str
    source: str
    is_followed: bool


@lru_cache(maxsize=128)
def _labelled(origin: Origin, method: str) -> _Label:
    return _Label(origin, method, origin.value, _COLUMN[origin], origin in FOLLOWED and origin in _BY_ASSISTANT)


@dataclass(slots=True)
class _Verdict:
    number: int
    outcome: str
    score: float | None
    message: str
    reason: str
    active_ns: int
    clock_ns: int


@dataclass(slots=True)
class _Facts:
    """Said once or few times in an attempt."""

    assigned: dict[str, Any] = field(default_factory=dict)
    forecast: dict[str, Any] = field(default_factory=dict)
    estimate: dict[str, Any] = field(default_factory=dict)
    models: dict[str, None] = field(default_factory=dict)
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0
    cost_usd: float | None = None
    violations: list[str] = field(default_factory=list)
    judged_by: dict[str, Any] = field(default_factory=dict)
    judge_cost_usd: float = 0.0
    digests: dict[str, str] = field(default_factory=dict)
    tests: tuple[int | None, int | None] = (None, None)
    change_reasons: bool | None = None
    shown: int = 0
    pauses: int = 0
    suspensions: int = 0


class Fold:
    """Takes an attempt's events in order.

    Args:
        header: Of the attempt.
        facts: Of its problem.
        threshold_s: From how long a gap does not count, in the main analysis.
        events: Takes a row for each event, if given.
    """

    __slots__ = (
        "_accepted",
        "_active",
        "_all_active",
        "_at",
        "_clock",
        "_command",
        "_contents",
        "_counting",
        "_edits",
        "_ended",
        "_facts",
        "_first_row",
        "_focused",
        "_header",
        "_held",
        "_mark",
        "_marks",
        "_newest",
        "_newest_activity",
        "_problem",
        "_process",
        "_reasons",
        "_rows",
        "_shortest",
        "_started",
        "_state",
        "_thresholds",
        "_undecided",
        "_unfocused",
        "_verdicts",
    )

    def __init__(
        self,
        header: AttemptHeader,
        facts: ProblemFacts,
        *,
        threshold_s: float = 120.0,
        events: EventColumns | None = None,
    ) -> None:
        self._header = header
        self._problem = facts
        self._thresholds = tuple(round(each * _NS) for each in (*THRESHOLDS_S, threshold_s))
        self._shortest = min(self._thresholds)
        self._active = [0] * len(self._thresholds)
        self._all_active = 0
        self._rows = events
        self._state = AttemptState.OPEN
        if events is not None:
            self._first_row = len(events) - 1
            events.begin(header.id)
            events.state(self._state.value)
        self._ended = False
        self._held = False
        self._counting = False
        self._at = self._clock = self._newest_activity = self._unfocused = 0
        self._marks: dict[str, tuple[int, int]] = {}
        self._process, self._mark = "", 0
        self._focused = True
        self._started = self._newest = ""
        self._verdicts: list[_Verdict] = []
        self._undecided: dict[int, _Verdict] = {}
        self._edits: list[_Edit] = []
        self._contents: list[tuple[int, int, dict[str, Any]]] = []
        self._reasons: dict[tuple[str, int], _Label] = {}
        self._accepted: dict[tuple[str, int], tuple[bool, bool]] = {}
        self._command: tuple[dict[str, Any], str] | None = None
        self._facts = _Facts()

    def take(self, seq: int, wall: str, mono_ns: int, process: str, body: str) -> None:
        """Takes one more event.

        Raises:
            ValueError: It is not what an event is.
        """
        # Keys are sorted, and none behind `type` holds an object; a quotation mark inside a text is escaped.
        begin = body.rfind('"type":"') + 8
        step = body[begin : body.index('"', begin)]
        before = clock = self._clock
        if not self._ended:
            if process != self._process:
                self._switch(mono_ns, process)
            passed = mono_ns - self._mark
            self._mark = mono_ns
            if passed > 0:
                self._at += passed
                if self._counting:
                    self._clock = clock = before + passed
            self._newest = wall
        if not self._focused:
            self._unfocused += clock - before
        if step in EVENT_TYPES.activity:
            gap = clock - self._newest_activity
            if gap <= self._shortest:
                self._all_active += gap
            else:
                self._count(gap)
            self._newest_activity = clock
        if step in _STEPS:
            self._step(step, wall)
        reader = _READERS.get(step)
        if reader is not None:
            reader(self, seq, wall, body)
        rows = self._rows
        if rows is not None:
            rows.wall.append(wall)
            rows.at.append(self._at)
            rows.clock.append(clock)
            rows.kind.append(step)

    def _switch(self, mono_ns: int, process: str) -> None:
        """Another process records: where its clock was seen before, its time since then counts from there."""
        if self._process:
            self._marks[self._process] = (self._mark, self._at)
        mono, at = self._marks.get(process, (mono_ns, self._at))
        seen = at + max(0, mono_ns - mono)
        self._process, self._mark = process, mono_ns - (seen - self._at)

    def _step(self, step: str, wall: str) -> None:
        if step == "started":
            self._started = wall
        elif step == "paused":
            self._facts.pauses += 1
        try:
            self._state = next_state(self._state, step)
        except IllegalTransitionError as error:
            raise ValueError(str(error)) from error
        self._held = step == "clock_held" or (self._held and step not in _LETS_GO)
        self._ended = self._state.ended
        if self._rows is not None:
            self._rows.state(self._state.value)
        self._counting = self._state is AttemptState.RUNNING and not self._held

    def _count(self, gap: int) -> None:
        for place, threshold in enumerate(self._thresholds):
            self._active[place] += gap if gap < threshold else threshold

    def _main_active(self) -> int:
        """Analysed time up to now."""
        if not self._is_person:
            return self._clock
        return self._all_active + self._active[-1] + min(self._clock - self._newest_activity, self._thresholds[-1])

    @property
    def _is_person(self) -> bool:
        # A study's attempt has its condition's name in the header, and who solves in what it was assigned.
        return self._facts.assigned.get("solver", self._header.condition) not in ("model", "agent")

    # Events

    def _put(self, column: str, value: object) -> None:
        """Fills a cell of the row of the event that is being read."""
        if self._rows is not None:
            self._rows.put(column, value)

    def _read_content(self, seq: int, _wall: str, body: str) -> None:
        value = _read(body)
        self._contents.append((self._at, seq, value))
        self._put("path", value.get("path", ""))

    def _read_edit(self, seq: int, wall: str, body: str) -> None:
        value = _read(body)
        path, version = value["path"], value.get("version")
        has_text = value["type"] == "edit"
        inserted: list[int] = []
        lines: list[int] = []
        total = 0
        deleted: int | None = 0
        for change in value["changes"]:
            if has_text:
                text = change["text"]
                # Characters count, not the halves that JSON writes some of them in.
                length = len(text if text.isascii() else join_surrogates(text))
                lines.append(text.count("\n"))
            else:
                length = change["length"]
                lines.append(change["lines"])
            inserted.append(length)
            total += length
            start, end = change.get("start"), change.get("end")
            deleted = None if deleted is None or start is None or end is None else deleted + end - start
        if has_text:
            self._contents.append((self._at, seq, value))
        command = self._command_of(path, version, wall) if self._command is not None else None
        self._edits.append(_Edit(seq, path, version, total, inserted, lines, deleted, self._clock, command))

    def _command_of(self, path: str, version: int | None, wall: str) -> str | None:
        if self._command is None:
            return None
        value, ran = self._command
        if value.get("path") not in (None, path):
            return None
        if value.get("version") is not None and version is not None:
            found = version == value["version"] + 1
        else:
            late = (datetime.fromisoformat(wall) - datetime.fromisoformat(ran)).total_seconds()
            found = 0 <= late <= _COMMAND_REACH_S
        if not found:
            return None
        self._command = None
        return str(value["command"])

    def _read_reason(self, _seq: int, _wall: str, body: str) -> None:
        # Only the version, which stands last, differs from one event to the next.
        said, _, version = body.rpartition(',"version":')
        path, label = _reason(said + "}")
        self._reasons[path, int(version[:-1])] = label
        self._put("path", path)

    def _read_accepted(self, _seq: int, _wall: str, body: str) -> None:
        value = _read(body)
        if value.get("version") is not None:
            self._accepted[value["path"], value["version"]] = (value["provider"] == _OWN, value.get("partial", False))

    def _read_command(self, _seq: int, wall: str, body: str) -> None:
        self._command = (_read(body), wall)

    def _read_focus(self, _seq: int, _wall: str, body: str) -> None:
        self._focused = '"focused":true' in body

    def _read_verdict(self, _seq: int, _wall: str, body: str) -> None:
        value = _read(body)
        judged = value.get("judged_by") or {}
        passed, total = value.get("passed"), value.get("total")
        score = _score(value["outcome"], judged.get("score"), passed, total)
        verdict = _Verdict(
            value["number"],
            value["outcome"],
            score,
            value.get("message", ""),
            value["reason"],
            self._main_active(),
            self._clock,
        )
        self._verdicts.append(verdict)
        if value["type"] == "answered" and verdict.outcome == "error":
            self._undecided[verdict.number] = verdict
        if total is not None:
            self._facts.tests = (passed, total)
        self._facts.digests = value.get("digests") or self._facts.digests
        self._judgement(judged)
        for column, cell in (("tests_passed", passed), ("tests_total", total)):
            self._put(column, cell)
        self._put_outcome(value)

    def _read_judged(self, _seq: int, _wall: str, body: str) -> None:
        value = _read(body)
        verdict = self._undecided.get(value["number"])
        if verdict is not None:
            verdict.outcome, verdict.message = value["outcome"], value.get("message", "")
            verdict.reason = value["reason"]
            verdict.score = _score(verdict.outcome, value["judged_by"].get("score"), None, None)
            if verdict.outcome != "error":
                del self._undecided[verdict.number]
        self._judgement(value["judged_by"])
        self._put_outcome(value)

    def _put_outcome(self, value: dict[str, Any]) -> None:
        self._put("outcome", value["outcome"])
        self._put("reason", value["reason"])

    def _judgement(self, judged: dict[str, Any]) -> None:
        if judged:
            self._facts.judged_by = judged
            self._facts.judge_cost_usd += judged.get("cost_usd", 0.0)

    def _read_usage(self, _seq: int, _wall: str, body: str) -> None:
        value, facts = _read(body), self._facts
        facts.models[value["model"]] = None
        facts.calls += value.get("calls", 0)
        facts.input_tokens += value.get("input_tokens", 0)
        facts.output_tokens += value.get("output_tokens", 0)
        facts.total_tokens += value.get("total_tokens", 0)
        if value.get("cost_usd") is not None:
            facts.cost_usd = (facts.cost_usd or 0.0) + value["cost_usd"]

    def _read_shown(self, _seq: int, _wall: str, _body: str) -> None:
        self._facts.shown += 1

    def _read_suspended(self, _seq: int, _wall: str, _body: str) -> None:
        self._facts.suspensions += self._state is AttemptState.RUNNING

    def _read_violation(self, _seq: int, _wall: str, body: str) -> None:
        self._facts.violations.append(_read(body)["rule"])

    def _read_assigned(self, _seq: int, _wall: str, body: str) -> None:
        self._facts.assigned = _read(body)

    def _read_forecast(self, _seq: int, _wall: str, body: str) -> None:
        self._facts.forecast = _read(body)

    def _read_estimate(self, _seq: int, _wall: str, body: str) -> None:
        self._facts.estimate = _read(body)

    def _read_environment(self, _seq: int, _wall: str, body: str) -> None:
        self._facts.change_reasons = bool(_read(body).get("change_reasons"))

    # The row

    def finish(self) -> Folded:
        """The attempt as it stands after what was taken."""
        self._count(self._clock - self._newest_activity)
        self._newest_activity = self._clock
        self._active = [active + self._all_active for active in self._active]
        self._all_active = 0
        labels = [self._label(edit) for edit in self._edits]
        if self._rows is not None:
            self._put_edits(self._rows, labels)
        observation = self._observation(labels)
        return Folded(observation, self._trace(), self._sources(labels), self._failure())

    def _put_edits(self, rows: EventColumns, labels: Sequence[_Label]) -> None:
        places = [self._first_row + edit.seq for edit in self._edits]
        rows.fill("path", places, [edit.path for edit in self._edits])
        rows.fill("inserted", places, [edit.total for edit in self._edits])
        rows.fill("deleted", places, [edit.deleted for edit in self._edits])
        rows.fill("origin", places, [label.name for label in labels])
        rows.fill("method", places, [label.method for label in labels])

    def _label(self, edit: _Edit) -> _Label:
        place = (edit.path, -1 if edit.version is None else edit.version)
        reason, assist = self._reasons.get(place), self._accepted.get(place)
        own = assist is not None and assist[0]
        if reason is not None:
            if own and reason.origin in (Origin.COMPLETION, Origin.COMPLETION_PART):
                return _labelled(Origin.OWN_COMPLETION, reason.method)
            if reason.origin is not Origin.UNKNOWN:
                return reason
        if assist is not None:
            part = Origin.COMPLETION_PART if assist[1] else Origin.COMPLETION
            return _labelled(Origin.OWN_COMPLETION if own else part, "own_provider")
        if edit.command is not None and (known := origin_of_command(edit.command)) is not None:
            return _labelled(known, "wrapped_command")
        return _labelled(origin_of_shape(edit.inserted, edit.lines), "heuristic")

    def _first_pass(self) -> _Verdict | None:
        return min((one for one in self._verdicts if one.outcome == "passed"), key=lambda one: one.number, default=None)

    def _trace(self) -> tuple[tuple[float, float], ...]:
        return tuple((one.active_ns / _NS, one.score) for one in self._verdicts if one.score is not None)

    def _failure(self) -> str:
        return self._verdicts[-1].message if self._verdicts and self._first_pass() is None else ""

    def _sources(self, labels: Sequence[_Label]) -> dict[str, tuple[int, ...]]:
        found: dict[str, list[int]] = {}
        clock = self._clock
        for edit, label in zip(self._edits, labels, strict=True):
            if edit.total:
                tenth = min(BINS - 1, edit.clock_ns * BINS // clock) if clock else 0
                if label.source not in found:
                    found[label.source] = [0] * BINS
                found[label.source][tenth] += edit.total
        return {source: tuple(counts) for source, counts in found.items()}

    def _observation(self, labels: Sequence[_Label]) -> Observation:
        header, facts, problem = self._header, self._facts, self._problem
        assigned, forecast, estimate = facts.assigned, facts.forecast, facts.estimate
        first = self._first_pass()
        verdict = self._verdicts[-1] if self._verdicts else None
        inserted = dict.fromkeys(SOURCES, 0)
        guessed = 0
        for edit, label in zip(self._edits, labels, strict=True):
            inserted[label.source] += edit.total
            guessed += edit.total if label.method == "heuristic" else 0
        total = sum(inserted.values())
        helped = inserted["completion"] + inserted["own_completion"] + inserted["chat"]
        followed = self._follow(labels) if header.recording.value == "full" else None
        active = self._active[-1] if self._is_person else self._clock
        scores = [one.score for one in self._verdicts if one.score is not None]
        exposure = max(forecast.get("prior_exposure") or "", estimate.get("prior_exposure") or "", key=_EXPOSURES.index)
        # An attempt of a study names its condition in what it was assigned; a model's has it in its header.
        condition = assigned.get("condition", header.condition)
        return Observation(
            attempt=header.id,
            study=header.study,
            participant=assigned.get("participant", header.solver),
            problem=header.problem,
            pack=header.problem.partition("/")[0],
            **problem.columns(header.problem),
            condition=condition,
            solver=assigned.get("solver", header.condition),
            model=" ".join(facts.models) or ("" if self._is_person else header.solver),
            position=assigned.get("position"),
            practice=bool(assigned.get("practice")),
            recording=header.recording.value,
            started=self._started,
            state=self._state.value,
            clock_s=self._clock / _NS,
            elapsed_s=self._elapsed(),
            active_60_s=self._active[0] / _NS,
            active_120_s=self._active[1] / _NS,
            active_300_s=self._active[2] / _NS,
            active_s=active / _NS,
            unfocused_s=self._unfocused / _NS,
            time_s=(first.active_ns if first else active) / _NS,
            limit_s=assigned.get("time_limit_s"),
            passed=first is not None,
            outcome=verdict.outcome if verdict else "",
            first_pass_s=first.active_ns / _NS if first else None,
            first_pass_clock_s=first.clock_ns / _NS if first else None,
            censored_by="" if first else self._censoring(verdict),
            reason=verdict.reason if verdict else "",
            score=max(scores, default=None),
            tests_passed=facts.tests[0],
            tests_total=facts.tests[1],
            runs=len(self._verdicts),
            undecided_runs=sum(one.outcome == "error" for one in self._verdicts),
            submissions=int(self._state is AttemptState.SUBMITTED),
            pauses=facts.pauses,
            suspensions=facts.suspensions,
            edits=len(self._edits),
            inserted=total,
            **{f"inserted_{source}": count for source, count in inserted.items()},
            share_by_assistant=helped / total if total else None,
            guessed_share=guessed / total if total else None,
            shown=facts.shown,
            **(followed or _unfollowed(helped)),
            forecast_minutes=forecast.get("minutes"),
            forecast_difficulty=forecast.get("difficulty"),
            forecast_success=forecast.get("success"),
            prior_exposure=exposure,
            self_minutes=estimate.get("minutes"),
            self_difficulty=estimate.get("difficulty"),
            self_success=estimate.get("solved"),
            external_help=estimate.get("external_help"),
            calls=facts.calls,
            input_tokens=facts.input_tokens,
            output_tokens=facts.output_tokens,
            total_tokens=facts.total_tokens,
            cost_usd=facts.cost_usd,
            violations=len(facts.violations),
            violation_rules=" ".join(sorted(set(facts.violations))),
            judge_method=facts.judged_by.get("method", ""),
            judge_votes="; ".join(f"{vote['judge']}={vote['label']}" for vote in facts.judged_by.get("votes", ())),
            judge_cost_usd=facts.judge_cost_usd,
            problem_digest=header.problem_digest,
            toolchain=facts.digests.get("toolchain", ""),
            sandbox=facts.digests.get("sandbox", ""),
            change_reasons=facts.change_reasons,
        )

    def _elapsed(self) -> float:
        if not self._started:
            return 0.0
        wall = (datetime.fromisoformat(self._newest) - datetime.fromisoformat(self._started)).total_seconds()
        return max(self._clock / _NS, wall)

    def _censoring(self, verdict: _Verdict | None) -> Any:
        if self._state is AttemptState.ABANDONED:
            return "gave_up"
        if self._state is AttemptState.TIMED_OUT:
            return "timed_out"
        if self._state is not AttemptState.SUBMITTED:
            return "still_open"
        return "not_decided" if verdict is None or verdict.outcome == "error" else "handed_in_unsolved"

    def _follow(self, labels: Sequence[_Label]) -> dict[str, int]:
        """What became of accepted text."""
        mine = {
            edit.seq: edit.total
            for edit, label in zip(self._edits, labels, strict=True)
            if label.is_followed and edit.total > 0
        }
        reached, survived, at_end = FollowedText(mine).follow(self._contents, self._at)
        return {
            "accepted": sum(mine.values()),
            "reached_30s": reached[0],
            "survived_30s": survived[0],
            "reached_120s": reached[1],
            "survived_120s": survived[1],
            "survived_end": at_end,
        }


def _unfollowed(accepted: int) -> dict[str, int | None]:
    names = ("reached_30s", "survived_30s", "reached_120s", "survived_120s", "survived_end")
    return {"accepted": accepted, **dict.fromkeys(names)}


_READERS: Mapping[str, Any] = {
    "opened": Fold._read_content,
    "text": Fold._read_content,
    "edit": Fold._read_edit,
    "edit_shape": Fold._read_edit,
    "edit_reason": Fold._read_reason,
    "assist_accepted": Fold._read_accepted,
    "assist_shown": Fold._read_shown,
    "command": Fold._read_command,
    "focus": Fold._read_focus,
    "run_finished": Fold._read_verdict,
    "answered": Fold._read_verdict,
    "judged": Fold._read_judged,
    "model_usage": Fold._read_usage,
    "suspended": Fold._read_suspended,
    "violation": Fold._read_violation,
    "assigned": Fold._read_assigned,
    "forecast": Fold._read_forecast,
    "self_estimate": Fold._read_estimate,
    "environment": Fold._read_environment,
}


def _read(body: str) -> Any:
    try:
        return from_json(body)
    except ValueError:
        # Lone surrogates, which editors can send, are beyond it.
        return json.loads(body)


@lru_cache(maxsize=4096)
def _reason(body: str) -> tuple[str, _Label]:
    """The path, and what was said of the edit there."""
    value = _read(body)
    kind = value.get("metadata", {}).get("kind", "")
    origin = origin_of_reason(value["reason"], {"kind": str(kind)})
    return value["path"], _labelled(origin, value.get("method", "change_reason"))


def _score(outcome: str, judged: float | None, passed: int | None, total: int | None) -> float | None:
    if outcome == "error":
        return None
    if judged is not None:
        return min(1.0, max(0.0, judged))
    if outcome == "passed":
        return 1.0
    return passed / total if passed is not None and total else 0.0
