"""Scripted attempts, each made by known actors, are named by them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from benchwright_attempts.actor import Actor, KnownActor
from benchwright_attempts.attribution.actors import (
    ACTOR_OF_ORIGIN,
    attempt_actors,
    condition_of,
    has_kept_to_condition,
    inserted_non_space_count,
)
from benchwright_attempts.attribution.origin import EditOrigin
from benchwright_attempts.attribution_method import AttributionMethod
from benchwright_attempts.events.events import (
    AgentConnection,
    AidUsed,
    Edit,
    Event,
    Focus,
    Opened,
    RunStarted,
    Save,
    Started,
    Submitted,
    TextCause,
    TextSet,
)
from benchwright_attempts.events.evidence import (
    AssistAccepted,
    AssistShown,
    CommandUsed,
    EditReason,
    Environment,
    InstalledExtension,
)
from benchwright_attempts.events.file_text import Change, FileText, sha256
from benchwright_attempts.log.record import Moment, RecordedEvent
from benchwright_attempts.terms import Solver

FILE = "rtl/a.sv"
MORNING = datetime(2026, 3, 1, 9, tzinfo=UTC)
LINE = "  assign q = d & enable;\n"
BY_PERSON = KnownActor(Actor.PERSON, AttributionMethod.CONNECTION)
BY_AGENT = KnownActor(Actor.AGENT, AttributionMethod.CONNECTION)


class Script:
    """The events of an attempt, as its ways in record them."""

    def __init__(self, seed: int, *, reports_reasons: bool) -> None:
        self.random = random.Random(seed)
        self.reports_reasons = reports_reasons
        self.events: list[Event] = [Opened(files={FILE: FileText.of_text("")}, actor=Actor.TERMINAL)]
        self.version = 1
        self.run_count = 0

    def edit(self, text: str, reason: str, **metadata: str) -> None:
        self.version += 1
        self.events.append(Edit(path=FILE, version=self.version, changes=(Change(start=0, end=0, text=text),)))
        if reason and self.reports_reasons:
            said = EditReason(path=FILE, version=self.version, reason=reason, metadata=metadata)
            # The editor's word comes before or after the edit.
            self.events.insert(len(self.events) - self.random.randint(0, 1), said)

    def person_types(self) -> None:
        for letter in LINE:
            self.edit(letter, "cursor", kind="type")

    def person_pastes(self) -> None:
        if not self.reports_reasons:
            self.events.append(CommandUsed(command="editor.action.clipboardPasteAction", path=FILE))
        self.edit(LINE * 3, "cursor", kind="paste")

    def person_undoes_and_formats(self) -> None:
        self.edit("x", "undo")
        self.edit("y", "format")

    def person_requests(self) -> None:
        hint = AidUsed(aid="hints", feature="hint")
        requests: list[Event] = [
            Started().with_actor_if_missing(BY_PERSON),
            Submitted().with_actor_if_missing(BY_PERSON),
            hint.with_actor_if_missing(BY_PERSON),
        ]
        self.events.append(self.random.choice(requests))

    def person_looks(self) -> None:
        self.events += [Focus(focused=False), Focus(focused=True)]

    def completion_is_accepted(self) -> None:
        provider = self.random.choice(["benchwright", "github.copilot"])
        shown = AssistShown(assist="p", provider=provider, path=FILE, version=self.version, length=len(LINE))
        accepted = AssistAccepted(assist="p", provider=provider, path=FILE, version=self.version + 1, length=len(LINE))
        self.events += [shown, accepted]
        self.edit(LINE, "inlineCompletionAccept")

    def chat_writes(self) -> None:
        if self.reports_reasons:
            self.edit(LINE * 2, "Chat.applyEdits", mode="edit")
        else:
            self.chat_is_asked()

    def chat_is_asked(self) -> None:
        self.events.append(AidUsed(aid="generated", feature="chat").with_actor_if_missing(BY_PERSON))

    def agent_mode_writes(self) -> None:
        if self.reports_reasons:
            self.edit(LINE * 2, "Chat.applyEdits", **{"$$mode": "agent"})
        else:
            self.agent_asks()

    def agent_asks(self) -> None:
        self.events.append(AidUsed(aid="agent_tools", feature="lint", detail="codex 1").with_actor_if_missing(BY_AGENT))

    def agent_works(self) -> None:
        """By `benchwright mcp`: it connects, starts, writes on the disk, runs."""
        self.events.append(AgentConnection(connection="c", agent="codex 1", connected=True))
        self.agent_asks()
        self.write_on_disk()
        self.run(BY_AGENT)
        self.events.append(AgentConnection(connection="c", agent="codex 1", connected=False))

    def outside_writes(self) -> None:
        self.write_on_disk()
        self.run(None)

    def outside_reloads(self) -> None:
        if self.reports_reasons:
            self.edit(LINE * 4, "reloadFromDisk")
        else:
            self.outside_writes()

    def write_on_disk(self) -> None:
        text = LINE * self.random.randint(1, 9)
        self.events.append(
            TextSet(path=FILE, cause=TextCause.OUTSIDE, file=FileText.of_text(text), put_in=len(text.replace(" ", "")))
        )

    def run(self, known_actor: KnownActor | None) -> None:
        self.run_count += 1
        digest = sha256(b"")
        self.events += [
            Save(path=FILE, sha256=digest, size=0),
            RunStarted(run=f"{self.run_count}", number=self.run_count, snapshot={FILE: digest}).with_actor_if_missing(
                known_actor
            ),
        ]

    def recorded(self) -> list[RecordedEvent]:
        return [
            RecordedEvent("a", seq, Moment(MORNING + timedelta(seconds=seq), seq * 10**9, "p"), event, "", "")
            for seq, event in enumerate(self.events, start=1)
        ]


PERSON = (Script.person_types, Script.person_pastes, Script.person_requests)
COPILOT = (Script.completion_is_accepted, Script.chat_writes, Script.chat_is_asked)
AGENT = (Script.agent_works, Script.agent_asks, Script.agent_mode_writes)
OUTSIDE = (Script.outside_writes, Script.outside_reloads)
NOBODY = (Script.person_looks,)

EXPECTED: dict[str, Solver | None] = {
    "person": Solver.HUMAN,
    "copilot": Solver.HUMAN_COPILOT,
    "agent": Solver.AGENT,
    "outside": None,
    "nobody": None,
    "person copilot": Solver.HUMAN_COPILOT,
    "person agent": Solver.HUMAN_AGENT,
    "person outside": None,
    "copilot agent": Solver.HUMAN_AGENT,
    "copilot outside": None,
    "agent outside": None,
    "person copilot agent": Solver.HUMAN_AGENT,
    "person copilot outside": None,
    "person agent outside": Solver.HUMAN_AGENT,
    "copilot agent outside": Solver.HUMAN_AGENT,
    "person copilot agent outside": Solver.HUMAN_AGENT,
}
"""Who acts → the condition."""
ACTS: dict[str, Sequence[Callable[[Script], None]]] = {
    "person": PERSON,
    "copilot": COPILOT,
    "agent": AGENT,
    "outside": OUTSIDE,
    "nobody": NOBODY,
}


def play_script(who: str, seed: int) -> Script:
    """An attempt in which these act, in a random order, some more than once."""
    script = Script(seed, reports_reasons=seed % 2 == 0)
    acts = [script.random.choice(ACTS[name]) for name in who.split() for _ in range(script.random.randint(1, 3))]
    script.random.shuffle(acts)
    for act in [*acts, Script.person_looks]:
        act(script)
    return script


@pytest.mark.parametrize("who", EXPECTED)
def test_scripted_attempts_are_named_by_those_who_made_them(who: str) -> None:
    named = [attempt_actors(play_script(who, seed).recorded()).condition for seed in range(24)]
    assert named == [EXPECTED[who]] * len(named)


def test_hardly_any_of_many_attempts_in_which_nobody_writes_from_outside_is_unknown() -> None:
    known = [who for who, condition in EXPECTED.items() if condition is not None]
    named = [attempt_actors(play_script(who, seed).recorded()).condition for who in known for seed in range(100, 120)]
    assert len(named) >= 100
    assert named.count(None) / len(named) <= 0.01


def test_every_origin_has_an_actor() -> None:
    assert set(ACTOR_OF_ORIGIN) == set(EditOrigin)


def test_an_attempt_of_an_older_log_says_nothing_by_its_requests() -> None:
    script = Script(1, reports_reasons=True)
    script.events += [Started(), Submitted()]
    assert attempt_actors(script.recorded()).condition is None


def test_an_agents_tool_in_an_older_log_is_the_agents() -> None:
    script = Script(1, reports_reasons=True)
    script.events += [Started(), AidUsed(aid="agent_tools", feature="submit", detail="codex 1", through="agent")]
    assert attempt_actors(script.recorded()).condition is Solver.AGENT
    assert attempt_actors(script.recorded()).agents == ("codex 1",)


def test_what_is_written_on_the_disk_is_the_agents_only_while_it_is_connected() -> None:
    script = Script(1, reports_reasons=True)
    script.agent_works()
    script.write_on_disk()
    shares = {(share.actor, share.method) for share in attempt_actors(script.recorded()).shares if share.inserted}
    assert shares == {
        (Actor.AGENT, AttributionMethod.WHILE_CONNECTED),
        (Actor.OUTSIDE, AttributionMethod.HEURISTIC),
    }


def test_the_shape_of_an_edit_says_nothing_where_an_assistant_could_have_written_it() -> None:
    script = Script(1, reports_reasons=False)
    script.edit(LINE * 4, "")
    assert attempt_actors(script.recorded()).condition is Solver.HUMAN
    copilot = InstalledExtension(id="github.copilot", version="1", active=True, ai=True)
    script.events.append(Environment(editor="Visual Studio Code", extensions=(copilot,)))
    assert attempt_actors(script.recorded()).condition is None


def test_white_space_and_what_was_there_before_are_nobodys() -> None:
    assert inserted_non_space_count("assign a = b;\r\n", "assign  a = b;\n") == 0
    assert inserted_non_space_count("assign a = b;", "assign a = bc;") == 1
    assert inserted_non_space_count(None, "ab c") == 3
    assert inserted_non_space_count("abcdef", "") == 0


@pytest.mark.parametrize(
    ("assigned", "worked_as", "fits"),
    [
        ("human", "human", True),
        ("human", "human+copilot", False),
        ("human", "agent", False),
        ("human+copilot", "human", True),
        ("human+copilot", "human+agent", False),
        ("human+agent", "human", True),
        ("human+agent", "agent", False),
        ("human+copilot", "unknown", False),
        ("agent", "agent", True),
    ],
)
def test_allowed_help_need_not_be_used_and_other_help_does_not_fit(assigned: str, worked_as: str, fits: bool) -> None:
    assert has_kept_to_condition(assigned, worked_as) is fits


def test_a_terminals_request_alone_is_nobodys() -> None:
    assert condition_of({Actor.TERMINAL}) is None
