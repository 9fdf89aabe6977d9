"""Actors of an attempt's changes and requests, and the condition that follows from them."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from benchwright_attempts.actor import Actor, KnownActor
from benchwright_attempts.attribution.attributor import Attributor, add_edit_or_evidence
from benchwright_attempts.attribution.method import EditFacts, OriginFinding
from benchwright_attempts.attribution.origin import EditOrigin
from benchwright_attempts.attribution_method import AttributionMethod
from benchwright_attempts.log.record import RecordedEvent
from benchwright_attempts.terms import Solver
from benchwright_problems.aids import Aid

ACTOR_OF_ORIGIN: Mapping[EditOrigin, Actor] = {
    EditOrigin.TYPED: Actor.PERSON,
    EditOrigin.PASTE: Actor.PERSON,
    EditOrigin.COMPLETION: Actor.COMPLETION,
    EditOrigin.COMPLETION_PART: Actor.COMPLETION,
    EditOrigin.OWN_COMPLETION: Actor.COMPLETION,
    EditOrigin.CHAT: Actor.CHAT,
    EditOrigin.AGENT: Actor.AGENT,
    EditOrigin.SUGGESTION: Actor.PERSON,
    EditOrigin.SNIPPET: Actor.PERSON,
    EditOrigin.UNDO: Actor.PERSON,
    EditOrigin.FORMAT: Actor.PERSON,
    EditOrigin.OUTSIDE: Actor.OUTSIDE,
    EditOrigin.UNKNOWN: Actor.UNKNOWN,
}
"""Origin of an edit → who made it."""
NOT_KNOWN = frozenset({Actor.OUTSIDE, Actor.UNKNOWN, Actor.TERMINAL})
"""Actors of whom nobody can say whether they are a person or a program."""
UNKNOWN_CONDITION = "unknown"
"""Word for the condition of an attempt whose actors are not known."""

_AT_WORK: Mapping[str, str] = {
    **dict.fromkeys(("started", "paused", "resumed", "run_started", "answered"), "request"),
    **dict.fromkeys(("submitted", "abandoned", "activity"), "request"),
    "aid_used": "aid",
    "text": "text",
    "agent_connection": "connection",
    "environment": "environment",
    **dict.fromkeys(("assist_shown", "assist_asked", "assist_accepted", "assist_rejected"), "assistant"),
}
ACTOR_EVENTS = frozenset(_AT_WORK)
"""Types of events, edits and what is said about them aside, that say something about actors."""
_BY_OTHERS = frozenset({"opened", "outside", "deleted", "written", "created"})
"""Causes of a whole text that are somebody's change; the others keep the record in step."""


@dataclass(frozen=True, slots=True)
class ActorShare:
    """The part that an actor has in an attempt, by how it is known."""

    actor: Actor
    method: str
    """Name of the method."""
    requests: int
    changes: int
    inserted: int
    """Code points that its changes put in."""


@dataclass(frozen=True, slots=True)
class AttemptActors:
    """The actors of one attempt."""

    shares: tuple[ActorShare, ...]
    agents: tuple[str, ...] = ()
    """Names of the agents, as they say."""

    @property
    def actors(self) -> frozenset[Actor]:
        """Those who had a part: who is not known counts only if it put in text or asked for something."""
        return frozenset(
            share.actor for share in self.shares if share.actor not in NOT_KNOWN or share.inserted or share.requests
        )

    @property
    def condition(self) -> Solver | None:
        """The condition that follows from them; None if it is unknown."""
        return condition_of(self.actors)

    @property
    def inserted_by_unknown(self) -> int:
        """Code points that were put in by nobody knows whom."""
        return sum(share.inserted for share in self.shares if share.actor in NOT_KNOWN)


def condition_of(actors: Collection[Actor]) -> Solver | None:
    """The condition of an attempt that these actors made in an editor; None if it is unknown.

    Who asks a chat, or accepts a completion, is a person. Who is not known could be anybody: that makes no difference
    where a person and an agent worked together, and else leaves the condition unknown.
    """
    has_copilot = Actor.COMPLETION in actors or Actor.CHAT in actors
    has_person = Actor.PERSON in actors or has_copilot
    if Actor.AGENT in actors and has_person:
        return Solver.HUMAN_AGENT
    if NOT_KNOWN & set(actors):
        return None
    if Actor.AGENT in actors:
        return Solver.AGENT
    if has_copilot:
        return Solver.HUMAN_COPILOT
    return Solver.HUMAN if has_person else None


def condition_made_under(assigned_solver: str, attempt_actors: AttemptActors) -> str:
    """The condition that an attempt was made under: a value of `Solver`, or `UNKNOWN_CONDITION`.

    A model or an agent that Benchwright runs is the only writer of its files, so no actor says otherwise.

    Args:
        assigned_solver: The solver that the attempt is for, a value of `Solver`.
        attempt_actors: Those who made it.
    """
    if assigned_solver in (Solver.MODEL, Solver.AGENT):
        return assigned_solver
    return attempt_actors.condition.value if attempt_actors.condition is not None else UNKNOWN_CONDITION


def has_kept_to_condition(assigned_solver: str, actual_solver: str) -> bool:
    """True if an attempt that was assigned one condition, and made as another, kept to the first.

    Help that a condition allows need not be used.

    Args:
        assigned_solver: Value of `Solver`.
        actual_solver: Value of `Solver`, or `UNKNOWN_CONDITION`.
    """
    helped = (Solver.HUMAN, Solver.HUMAN_COPILOT, Solver.HUMAN_AGENT)
    if assigned_solver in helped:
        return actual_solver in helped[: helped.index(Solver(assigned_solver)) + 1]
    return assigned_solver == actual_solver


class ActorFold:
    """Takes the events of an attempt in order, edits aside, and then the edits with their origins."""

    def __init__(self) -> None:
        self._requests: Counter[KnownActor] = Counter()
        self._changes: Counter[KnownActor] = Counter()
        self._inserted: Counter[KnownActor] = Counter()
        self._agents: dict[str, None] = {}
        self._connections: set[str] = set()
        self._connection_changes: list[int] = []
        """Numbers of the events at which the first agent came or the last one went, in turn."""
        self._has_assistant = False
        self._clock_ns = 0
        self._act_clock_ns: Mapping[bool, array[int]] = {True: array("q"), False: array("q")}
        """Times of the acts of agents, and of people."""

    def take_event(self, seq: int, event_fields: Mapping[str, Any], clock_ns: int = 0) -> KnownActor | None:
        """Takes one event as JSON has it, and returns its actor if it is a change or a request.

        Args:
            seq: Number of the event.
            event_fields: One of `ACTOR_EVENTS`; others say nothing here.
            clock_ns: Time of the attempt's clock.
        """
        self._clock_ns = clock_ns
        match _AT_WORK.get(event_fields["type"]):
            case "request":
                known_actor = _recorded_actor(event_fields)
                self._add_request(known_actor)
                return known_actor
            case "aid":
                return self._add_aid_use(event_fields)
            case "text":
                return self._add_whole_text(event_fields)
            case "connection":
                self._add_agent_connection(seq, event_fields)
            case "environment":
                self._has_assistant |= any(
                    extension["ai"] and extension["active"] for extension in event_fields.get("extensions", ())
                )
            case "assistant":
                self._has_assistant = True
        return None

    def add_edits_and_finish(
        self,
        edit_facts: Iterable[EditFacts],
        findings: Iterable[OriginFinding],
        edit_clock_ns: Sequence[int] = (),
    ) -> AttemptActors:
        """The actors, with those of the edits.

        Args:
            edit_facts: All edits in order.
            findings: Their origins.
            edit_clock_ns: Times of the clock at each, where the times of acts are wanted.
        """
        for edit, edit_finding, clock_ns in zip(edit_facts, findings, edit_clock_ns or repeat(0), strict=False):
            actor = self.actor_of_edit(edit, edit_finding)
            self._changes[actor] += 1
            self._inserted[actor] += edit.total
            self._add_action_time(actor.actor, clock_ns)
        shares = [
            ActorShare(
                actor.actor, str(actor.method), self._requests[actor], self._changes[actor], self._inserted[actor]
            )
            for actor in sorted(
                {*self._requests, *self._changes},
                key=lambda actor: (list(Actor).index(actor.actor), str(actor.method)),
            )
        ]
        return AttemptActors(tuple(shares), tuple(self._agents))

    def action_times_ns(self, *, of_agents: bool) -> list[int]:
        """Times of the clock at which agents, or people, changed or asked for something; in order."""
        return sorted(self._act_clock_ns[of_agents])

    def _add_action_time(self, actor: Actor, clock_ns: int) -> None:
        if actor is Actor.AGENT or actor not in NOT_KNOWN:
            self._act_clock_ns[actor is Actor.AGENT].append(clock_ns)

    def actor_of_edit(self, edit: EditFacts, edit_finding: OriginFinding) -> KnownActor:
        """The actor of one edit, once all events are taken."""
        origin, method = edit_finding.origin, edit_finding.method
        if origin is EditOrigin.OUTSIDE and self._is_agent_connected(edit.seq):
            return _WHILE_CONNECTED
        if method != AttributionMethod.HEURISTIC or origin is EditOrigin.TYPED:
            return KnownActor(ACTOR_OF_ORIGIN[origin], method)
        # Its shape alone says that it was no single key: a person's, where no program could have written it.
        is_person = not self._has_assistant and not self._connection_changes
        return KnownActor(Actor.PERSON if is_person else Actor.UNKNOWN, method)

    def _is_agent_connected(self, seq: int) -> bool:
        return bisect_right(self._connection_changes, seq) % 2 == 1

    def _add_request(self, known_actor: KnownActor | None) -> None:
        if known_actor is not None:
            self._requests[known_actor] += 1
            self._add_action_time(known_actor.actor, self._clock_ns)

    def _add_aid_use(self, event_fields: Mapping[str, Any]) -> KnownActor | None:
        known_actor = _recorded_actor(event_fields)
        if known_actor is None and event_fields.get("through") == "agent":
            known_actor = KnownActor(Actor.AGENT, AttributionMethod.CONNECTION)
        if known_actor is not None and known_actor.actor is Actor.AGENT and event_fields["aid"] == Aid.AGENT_TOOLS:
            self._add_agent(str(event_fields.get("detail", "")))
        self._add_request(known_actor)
        if event_fields["aid"] == Aid.GENERATED and (known_actor is None or known_actor.actor is not Actor.AGENT):
            self._add_request(KnownActor(Actor.CHAT, AttributionMethod.CONNECTION))
        return known_actor

    def _add_whole_text(self, event_fields: Mapping[str, Any]) -> KnownActor | None:
        if event_fields["cause"] not in _BY_OTHERS:
            return None
        known_actor = _recorded_actor(event_fields)
        if known_actor is None and self._connections:
            known_actor = _WHILE_CONNECTED
        if known_actor is None:
            is_outside = event_fields["cause"] not in ("written", "created")
            known_actor = KnownActor(Actor.OUTSIDE if is_outside else Actor.UNKNOWN, AttributionMethod.HEURISTIC)
        put_in, file = event_fields.get("put_in"), event_fields.get("file")
        if put_in is None:
            # Older logs did not count.
            put_in = len("".join((file or {}).get("text") or "").split())
        self._changes[known_actor] += 1
        self._inserted[known_actor] += put_in
        self._add_action_time(known_actor.actor, self._clock_ns)
        return known_actor

    def _add_agent_connection(self, seq: int, event_fields: Mapping[str, Any]) -> None:
        was_connected = bool(self._connections)
        if event_fields["connected"]:
            self._connections.add(event_fields["connection"])
            self._add_agent(str(event_fields.get("agent", "")))
        else:
            self._connections.discard(event_fields["connection"])
        if bool(self._connections) != was_connected:
            self._connection_changes.append(seq)

    def _add_agent(self, agent_name: str) -> None:
        if agent_name:
            self._agents[agent_name] = None


_WHILE_CONNECTED = KnownActor(Actor.AGENT, AttributionMethod.WHILE_CONNECTED)


def _recorded_actor(event_fields: Mapping[str, Any]) -> KnownActor | None:
    actor, method = event_fields.get("actor"), event_fields.get("actor_known_by")
    if actor is None:
        return None
    return KnownActor(Actor(actor), str(method or AttributionMethod.CONNECTION))


def attempt_actors(events: Iterable[RecordedEvent]) -> AttemptActors:
    """The actors of one attempt.

    Args:
        events: All its events in order.
    """
    attributor, actor_fold = Attributor(), ActorFold()
    for recorded in events:
        add_edit_or_evidence(attributor, recorded)
        if recorded.event.type in ACTOR_EVENTS:
            actor_fold.take_event(recorded.seq, recorded.event.model_dump(mode="json"))
    return actor_fold.add_edits_and_finish(attributor.edits, attributor.findings())


def inserted_non_space_count(old_text: str | None, new_text: str) -> int:
    """Code points that a string puts in place of another; white space is nobody's work, and does not count.

    Args:
        old_text: None if it is not known.
        new_text: The text that took its place.
    """
    old_letters, new_letters = "".join((old_text or "").split()), "".join(new_text.split())
    shared = min(len(old_letters), len(new_letters))
    begin = next((index for index in range(shared) if old_letters[index] != new_letters[index]), shared)
    shared -= begin
    end = next((index for index in range(shared) if old_letters[-1 - index] != new_letters[-1 - index]), shared)
    return len(new_letters) - begin - end
