"""One attempt's events to one row, in one pass over the stored JSON.

The rules are the steps that replay uses too: `clock`, `timeline`, `attribution` and `survival` of the attempts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from sys import intern
from typing import Any

from benchwright_analysis.report.rows.assistance_facts import NO_ASSISTANCE, AssistanceFold, AssistanceUse
from benchwright_analysis.report.rows.attempt_row import AttemptFacts, FoldedEvents
from benchwright_analysis.report.rows.edits import EditFold
from benchwright_analysis.report.rows.event_columns import EventColumns
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.rows.problem_facts import ProblemFacts
from benchwright_analysis.report.rows.stored_event import edit_evidence_with_version, parse_event
from benchwright_analysis.report.rows.verdicts import NewestJudgement, VerdictFold
from benchwright_attempts.attribution.actors import ACTOR_EVENTS, ActorFold, AttemptActors
from benchwright_attempts.clock.clock import TIME_EXCLUDED, AttemptClock
from benchwright_attempts.clock.time_source import TimeSource
from benchwright_attempts.clock.time_spent import ActiveTime, ActiveTimeFold
from benchwright_attempts.clock.time_with_agents import PresenceFold, TimeWithAgents, divide_time_with_agents
from benchwright_attempts.clock.timeline import MAIN_THRESHOLD_S, THRESHOLDS_S, TimeAtWork
from benchwright_attempts.errors import IllegalTransitionError
from benchwright_attempts.events.event_body import EditEvidence, TextEffect
from benchwright_attempts.events.events import EVENT_TYPES
from benchwright_attempts.hint_ladder import FEATURE
from benchwright_attempts.log.record import AttemptHeader, event_type_in_json
from benchwright_attempts.state import STUDY_CLOSED, AttemptState
from benchwright_attempts.terms import Solver
from benchwright_foundation.json_text import parse_untrusted_json
from benchwright_problems.aids import Aid


@dataclass(frozen=True, slots=True)
class Reflection:
    """A model's explanation of why an attempt failed."""

    text: str
    model: str
    """The model that was asked."""
    sent_and_received_tokens: tuple[int, int]
    """Sent and received; no part of what the attempt used."""


@dataclass(frozen=True, slots=True)
class NamedErrors:
    """The errors in a wrong answer, by one set of labels."""

    types: tuple[str, ...]
    """A person's labels, or those that more than half of the judges name; none if they agree on none."""
    judges: Mapping[str, tuple[str, ...]]
    """Judge → the labels that it names."""
    types_by_person: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Person → the labels that they name instead."""


@dataclass(frozen=True, slots=True)
class FoldedAttempt:
    """One attempt: its row, and what does not fit into a row."""

    observation: Observation
    trace: tuple[tuple[float, float], ...]
    """(analysed seconds, score) of every decided verdict, in order; none if no clock ran."""
    inserted_per_tenth_by_source: Mapping[str, tuple[int, ...]]
    """Source → code points inserted, by tenth of the clock's time."""
    failure: str
    """The part of the newest verdict that the solver saw, if the attempt did not pass."""
    judgement: NewestJudgement | None = None
    """Judgement of the newest answer; `None` if no answer was judged."""
    reflection: Reflection | None = None
    """The newest; none if nobody was asked."""
    errors: Mapping[str, NamedErrors] = field(default_factory=dict)
    """Set of labels → the errors in a wrong answer, of sets that judges were asked about."""
    assistance: AssistanceUse = NO_ASSISTANCE
    """Requests and offers of completions, and which program worked."""
    spent: ActiveTime = field(default_factory=ActiveTime)
    """Active time by what it was spent on."""
    actors: AttemptActors = field(default_factory=lambda: AttemptActors(()))
    """Those who made its changes and requests."""


class AttemptFold:
    """Takes an attempt's events in order.

    Args:
        header: Header of the attempt.
        problem_facts: Facts of its problem.
        idle_threshold_s: Part of a gap without activity that counts in the main analysis, in seconds.
        event_columns: Takes a row for each event, if given.
    """

    __slots__ = (
        "_activity",
        "_actors",
        "_assistance",
        "_clock",
        "_clock_changes",
        "_edits",
        "_errors",
        "_facts",
        "_first_row",
        "_header",
        "_presence",
        "_problem",
        "_readers",
        "_reflection",
        "_rows",
        "_spent",
        "_threshold_s",
        "_verdicts",
        "_work",
    )

    def __init__(
        self,
        header: AttemptHeader,
        problem_facts: ProblemFacts,
        *,
        idle_threshold_s: float = MAIN_THRESHOLD_S,
        event_columns: EventColumns | None = None,
    ) -> None:
        self._header = header
        self._problem = problem_facts
        self._readers = _reader_by_event_type()
        self._activity, self._clock_changes = EVENT_TYPES.activity, EVENT_TYPES.clock_changes
        self._clock = AttemptClock()
        self._work = TimeAtWork((*THRESHOLDS_S, idle_threshold_s))
        self._spent = ActiveTimeFold(idle_threshold_s)
        self._edits = EditFold()
        self._actors = ActorFold()
        self._presence = PresenceFold()
        self._threshold_s = idle_threshold_s
        self._verdicts = VerdictFold()
        self._facts = AttemptFacts()
        self._assistance = AssistanceFold()
        self._reflection: Reflection | None = None
        self._errors: dict[str, NamedErrors] = {}
        self._rows = event_columns
        self._first_row = 0
        if event_columns is not None:
            self._first_row = len(event_columns) - 1
            event_columns.begin_attempt(header.id)
            event_columns.begin_state(self._clock.state.value)

    def take_event(self, seq: int, wall: str, mono_ns: int, process: str, body: str) -> None:
        """Takes one more event.

        Raises:
            ValueError: The body is not that of an event.
        """
        step = event_type_in_json(body)
        clock, time_at_work, event_columns = self._clock, self._work, self._rows
        previous_ns = clock.active_ns
        self._facts.event_types.add(intern(step))
        if not clock.has_ended:
            self._facts.newest_wall = wall
        try:
            excluded_s = float(parse_untrusted_json(body)["excluded_s"]) if step == TIME_EXCLUDED else 0.0
            clock.follow_event(step, mono_ns, process, excluded_s)
        except IllegalTransitionError as error:
            raise ValueError(str(error)) from error
        now_ns = clock.active_ns
        if not time_at_work.focused:
            time_at_work.unfocused_ns += now_ns - previous_ns
        is_activity = step in self._activity
        if is_activity:
            time_at_work.add_activity(now_ns)
        self._spent.take_event(step, now_ns, is_activity=is_activity)
        if event_columns is not None and step in self._clock_changes:
            event_columns.begin_state(clock.state.value)
        event_reader = self._readers.get(step)
        if event_reader is not None:
            event_reader(self, seq, wall, body)
        if step in ACTOR_EVENTS:
            known_actor = self._actors.take_event(seq, parse_untrusted_json(body), now_ns)
            if event_columns is not None and known_actor is not None:
                event_columns.fill_next_row_cell("actor", known_actor.actor.value)
                event_columns.fill_next_row_cell("actor_known_by", str(known_actor.method))
        if event_columns is not None:
            event_columns.add_row(intern(step), wall, clock.at_ns, now_ns)

    def finish(self) -> FoldedAttempt:
        """The attempt after all events that were taken."""
        edits = self._edits.labelled_edits(self._clock.at_ns, self._clock.active_ns)
        if self._rows is not None:
            edits.fill_edit_cells(self._rows, self._first_row, self._actors.actor_of_edit)
        actors = self._actors.add_edits_and_finish(edits.edits, edits.findings, edits.edit_clock_ns)
        with_agents = self._time_with_agents() if actors.condition is Solver.HUMAN_AGENT else None
        folded_events = FoldedEvents(
            self._header, self._facts, self._clock, self._work, self._verdicts, edits, actors, with_agents
        )
        verdicts = self._verdicts
        has_clock = self._facts.time_source is TimeSource.CLOCK
        return FoldedAttempt(
            folded_events.observation(self._problem),
            verdicts.scores_over_time if has_clock else (),
            edits.inserted_per_tenth_by_source(),
            verdicts.failure_message,
            verdicts.newest_judgement,
            self._reflection,
            self._errors,
            self._assistance.summary(),
            self._spent.active_time_until(self._clock.active_ns) if has_clock else ActiveTime(),
            actors,
        )

    def _time_with_agents(self) -> TimeWithAgents:
        end_ns, actor_fold = self._clock.active_ns, self._actors
        return divide_time_with_agents(
            actor_fold.action_times_ns(of_agents=False),
            actor_fold.action_times_ns(of_agents=True),
            self._presence.away_intervals_until(end_ns),
            self._presence.run_intervals_until(end_ns),
            end_ns,
            idle_threshold_s=self._threshold_s,
        )

    # Readers of events, by what their types declare

    def read_set_files(self, seq: int, _wall: str, body: str) -> None:
        """Whole files are set."""
        value = parse_untrusted_json(body)
        contents = parse_event(value).contents()
        files = {path: file.text if file is not None else None for path, file in contents.items()}
        self._edits.set_files(files, seq, self._clock.at_ns)
        self._fill_event_cells(value)

    def read_edit(self, seq: int, wall: str, body: str) -> None:
        """A file is edited; the text is recorded."""
        self._add_edit(seq, wall, body, has_text=True)

    def read_edit_shape(self, seq: int, wall: str, body: str) -> None:
        """A file is edited; the text is not recorded."""
        self._add_edit(seq, wall, body, has_text=False)

    def _add_edit(self, seq: int, wall: str, body: str, *, has_text: bool) -> None:
        clock = self._clock
        self._edits.add_edit(
            parse_untrusted_json(body),
            seq,
            wall,
            since_opening_ns=clock.at_ns,
            active_ns=clock.active_ns,
            has_text=has_text,
        )

    def read_edit_evidence(self, _seq: int, _wall: str, body: str) -> None:
        """Something is said about one edit."""
        event, path, version = edit_evidence_with_version(body)
        self._assistance.count_if_completion_accepted(event)
        if version is not None:
            self._edits.attributor.add_evidence_of_edit(path, version, event)
        if self._rows is not None:
            for name, column in event.columns.items():
                self._rows.fill_next_row_cell(column, getattr(event, name))

    def read_next_edit_evidence(self, _seq: int, wall: str, body: str) -> None:
        """Something is said about the next edit."""
        value = parse_untrusted_json(body)
        self._edits.attributor.add_evidence_of_next_edit(parse_event(value), wall)
        self._fill_event_cells(value)

    def read_declared_columns(self, _seq: int, _wall: str, body: str) -> None:
        """The event has columns of its own in the table of events, and nothing else to read."""
        self._fill_event_cells(parse_untrusted_json(body))

    def _fill_event_cells(self, event_fields: dict[str, Any]) -> None:
        """Fills the cells of the event that is being read."""
        event = EVENT_TYPES.classes[event_fields["type"]]
        if self._rows is not None:
            for name, column in event.columns.items():
                self._rows.fill_next_row_cell(column, event_fields.get(name))

    # Readers of events by type

    def read_clock_started(self, _seq: int, wall: str, _body: str) -> None:
        """The clock was started."""
        self._facts.started_wall = wall

    def read_given(self, _seq: int, wall: str, body: str) -> None:
        """The answer was read from a file."""
        self._facts.started_wall = self._facts.started_wall or wall
        self._facts.reported_s = parse_untrusted_json(body).get("reported_s")

    def read_opened(self, seq: int, wall: str, body: str) -> None:
        """The problem was opened."""
        self._facts.opened_with_files = bool(parse_untrusted_json(body)["files"])
        self.read_set_files(seq, wall, body)

    def read_restart(self, _seq: int, _wall: str, _body: str) -> None:
        """Another process went on; a sample, which has no folder of its own, starts over from the starting files."""
        if not self._header.workspace:
            self._facts.restart_ns = self._clock.active_ns

    def read_clock_paused(self, _seq: int, _wall: str, _body: str) -> None:
        """The clock was paused."""
        self._facts.pauses += 1

    def read_window_focus(self, _seq: int, _wall: str, body: str) -> None:
        """The window gained or lost focus."""
        self._work.focused = '"focused":true' in body
        self._presence.add_focus_change(self._clock.active_ns, is_focused=self._work.focused)

    def read_idle(self, _seq: int, _wall: str, body: str) -> None:
        """The person became idle, or active again."""
        value = parse_untrusted_json(body)
        self._presence.add_idle_change(self._clock.active_ns, value.get("after_s", 0.0), is_idle=value["idle"])

    def read_run_start(self, _seq: int, _wall: str, body: str) -> None:
        """Hidden tests began to run."""
        self._presence.add_run_start(self._clock.active_ns, parse_untrusted_json(body)["run"])

    def read_run_cancelled(self, _seq: int, _wall: str, body: str) -> None:
        """A run ended without a verdict."""
        self._presence.add_run_end(self._clock.active_ns, parse_untrusted_json(body)["run"])

    def read_verdict(self, _seq: int, _wall: str, body: str) -> None:
        """A run or an answer got a verdict."""
        value, now_ns = parse_untrusted_json(body), self._clock.active_ns
        self._presence.add_run_end(now_ns, value.get("run", ""))
        is_person = self._facts.is_person(self._header)
        active_ns = self._work.active_ns(now_ns, len(THRESHOLDS_S)) if is_person else now_ns - self._facts.restart_ns
        self._verdicts.add_verdict(value, active_ns=active_ns, clock_ns=now_ns)
        self._fill_event_cells(value)

    def read_late_verdict(self, _seq: int, _wall: str, body: str) -> None:
        """A verdict came later than its try."""
        value = parse_untrusted_json(body)
        self._verdicts.add_late_verdict(value)
        self._fill_event_cells(value)

    def read_model_usage(self, _seq: int, _wall: str, body: str) -> None:
        """A model was used."""
        value = parse_untrusted_json(body)
        self._facts.add_usage(value)
        self._assistance.keep_program_if_named(value)

    def read_failure_reflection(self, _seq: int, _wall: str, body: str) -> None:
        """A model was asked why the attempt failed."""
        value = parse_untrusted_json(body)
        token_counts = (value.get("input_tokens", 0), value.get("output_tokens", 0))
        self._reflection = Reflection(value["text"], value["model"], token_counts)

    def read_classified_errors(self, _seq: int, _wall: str, body: str) -> None:
        """Judges, or a person, named the errors in a wrong answer."""
        value = parse_untrusted_json(body)
        by_judge, by_person = (
            {name: tuple(types) for name, types in value.get(namers, {}).items()} for namers in ("judges", "people")
        )
        label_set = value["rubric"].partition("@")[0]
        earlier = self._errors.get(label_set, NamedErrors((), {}))
        self._errors[label_set] = NamedErrors(
            tuple(value["types"]), {**earlier.judges, **by_judge}, {**earlier.types_by_person, **by_person}
        )

    def read_completion_shown(self, _seq: int, _wall: str, _body: str) -> None:
        """A completion was shown."""
        self._facts.shown_offer_count += 1

    def read_completion_asked(self, _seq: int, _wall: str, body: str) -> None:
        """A completion was asked for."""
        self._assistance.add_request(parse_untrusted_json(body))

    def read_attempt_abandoned(self, _seq: int, _wall: str, body: str) -> None:
        """The attempt was given up."""
        value = parse_untrusted_json(body)
        self._facts.abandon_reason = value.get("reason") or ""
        self._assistance.keep_program_failure(value)

    def read_attempt_timed_out(self, _seq: int, _wall: str, body: str) -> None:
        """A limit ended it, or the end of the study."""
        self._facts.was_ended_by_study = parse_untrusted_json(body)["reason"] == STUDY_CLOSED

    def read_guided(self, _seq: int, _wall: str, _body: str) -> None:
        """A guide led through the attempt."""
        self._facts.is_guided = True

    def read_computer_suspended(self, _seq: int, _wall: str, _body: str) -> None:
        """The computer slept."""
        self._facts.suspension_count += self._clock.state is AttemptState.RUNNING

    def read_condition_violation(self, _seq: int, _wall: str, body: str) -> None:
        """The condition was violated."""
        self._facts.violations.append(parse_untrusted_json(body)["rule"])

    def read_hint_use(self, _seq: int, _wall: str, body: str) -> None:
        """An aid was used."""
        value = parse_untrusted_json(body)
        if (value["aid"], value["feature"]) == (Aid.HINTS, FEATURE):
            self._facts.hint_costs.append(value.get("cost", 0.0))

    def read_assigned_terms(self, _seq: int, _wall: str, body: str) -> None:
        """The terms of the attempt."""
        self._facts.assigned = parse_untrusted_json(body)

    def read_forecast(self, _seq: int, _wall: str, body: str) -> None:
        """Reads the solver's forecast."""
        self._facts.forecast = parse_untrusted_json(body)

    def read_self_estimate(self, _seq: int, _wall: str, body: str) -> None:
        """Reads the solver's estimate afterwards."""
        self._facts.estimate = parse_untrusted_json(body)

    def read_environment(self, _seq: int, _wall: str, body: str) -> None:
        """Reads the environment that the solver works with."""
        self._facts.has_change_reasons = bool(parse_untrusted_json(body).get("change_reasons"))


_Reader = Callable[[AttemptFold, int, str, str], None]

_BY_TYPE: dict[str, _Reader] = {
    "opened": AttemptFold.read_opened,
    "started": AttemptFold.read_clock_started,
    "given": AttemptFold.read_given,
    "interrupted": AttemptFold.read_restart,
    "resumed": AttemptFold.read_restart,
    "paused": AttemptFold.read_clock_paused,
    "abandoned": AttemptFold.read_attempt_abandoned,
    "assist_asked": AttemptFold.read_completion_asked,
    "assist_shown": AttemptFold.read_completion_shown,
    "focus": AttemptFold.read_window_focus,
    "idle": AttemptFold.read_idle,
    "run_started": AttemptFold.read_run_start,
    "run_cancelled": AttemptFold.read_run_cancelled,
    "run_finished": AttemptFold.read_verdict,
    "answered": AttemptFold.read_verdict,
    "judged": AttemptFold.read_late_verdict,
    "regraded": AttemptFold.read_late_verdict,
    "model_usage": AttemptFold.read_model_usage,
    "reflected": AttemptFold.read_failure_reflection,
    "errors_classified": AttemptFold.read_classified_errors,
    "timed_out": AttemptFold.read_attempt_timed_out,
    "guided": AttemptFold.read_guided,
    "suspended": AttemptFold.read_computer_suspended,
    "violation": AttemptFold.read_condition_violation,
    "aid_used": AttemptFold.read_hint_use,
    "assigned": AttemptFold.read_assigned_terms,
    "forecast": AttemptFold.read_forecast,
    "self_estimate": AttemptFold.read_self_estimate,
    "environment": AttemptFold.read_environment,
}
"""Events that a column of the table of attempts is made from."""


def _reader_by_event_type() -> dict[str, _Reader]:
    """Type of event → its reader; the others only let time pass."""
    columns = frozenset(name for name, event_class in EVENT_TYPES.classes.items() if event_class.columns)
    by_declaration: tuple[tuple[frozenset[str], _Reader], ...] = (
        (columns, AttemptFold.read_declared_columns),
        (EVENT_TYPES.names_with_evidence(EditEvidence.SAME_VERSION), AttemptFold.read_edit_evidence),
        (EVENT_TYPES.names_with_evidence(EditEvidence.NEXT_EDIT), AttemptFold.read_next_edit_evidence),
        (EVENT_TYPES.names_with_effect(TextEffect.SETS), AttemptFold.read_set_files),
        (EVENT_TYPES.names_with_effect(TextEffect.EDITS), AttemptFold.read_edit),
        (EVENT_TYPES.names_with_effect(TextEffect.HIDES_FILE), AttemptFold.read_edit_shape),
    )
    readers_by_type: dict[str, _Reader] = {}
    for names, event_reader in by_declaration:
        readers_by_type |= dict.fromkeys(names, event_reader)
    return readers_by_type | _BY_TYPE
