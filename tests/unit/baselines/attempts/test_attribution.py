from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright_attempts.attribution import (
    CLASSIFIER,
    EditColumns,
    EditFacts,
    EditOrigin,
    attributions_of_edits,
    origin_of_change_reason,
)
from benchwright_attempts.attribution_method import AttributionMethod
from benchwright_attempts.events.events import Edit, Event, Opened, Started, Submitted, TextCause, TextSet
from benchwright_attempts.events.evidence import AssistAccepted, CommandUsed, EditReason
from benchwright_attempts.events.file_text import Change, FileText, apply_changes
from benchwright_attempts.log.record import Moment, RecordedEvent
from benchwright_attempts.summary.replay import replay
from benchwright_attempts.summary.survival import AFTER_S, InsertionSurvival, TextChangePoint, TextSurvival

FILE = "a.sv"
MORNING = datetime(2026, 3, 1, 9, tzinfo=UTC)


def recorded_events(*timed: tuple[float, Event]) -> list[RecordedEvent]:
    """Events at these seconds."""
    return [
        RecordedEvent(
            "a", seq, Moment(MORNING + timedelta(seconds=offset_s), round(offset_s * 1e9), "p"), event, "", ""
        )
        for seq, (offset_s, event) in enumerate(timed, start=1)
    ]


def edit_event(text: str, version: int = 2, start: int = 0, end: int = 0) -> Edit:
    return Edit(path=FILE, version=version, changes=(Change(start=start, end=end, text=text),))


def reason_event(word: str, version: int = 2, **metadata: str) -> EditReason:
    return EditReason(path=FILE, version=version, reason=word, metadata=metadata)


def accepted_event(provider: str, version: int = 2, partial: bool = False) -> AssistAccepted:
    return AssistAccepted(assist="x", provider=provider, path=FILE, version=version, partial=partial)


def command_event(name: str, version: int | None = 1) -> CommandUsed:
    return CommandUsed(command=name, path=FILE, version=version)


def survival_of_origins(
    events: Sequence[RecordedEvent], origins: Sequence[EditOrigin]
) -> tuple[int, InsertionSurvival]:
    """Code points that edits of these origins inserted, and what became of them."""
    attributions = {label.seq: label for label in attributions_of_edits(events)}
    contents: list[TextChangePoint] = []
    for recorded in events:
        match recorded.event:
            case Edit(path=path) as event:
                changes = [(change.start, change.end, change.text) for change in event.changes]
                contents.append(TextChangePoint(recorded.moment.mono_ns, recorded.seq, None, path, changes))
            case Opened() | TextSet() as event:
                files = {path: file.text if file else None for path, file in event.contents().items()}
                contents.append(TextChangePoint(recorded.moment.mono_ns, recorded.seq, files))
            case _:
                pass
    followed = {
        seq: label.inserted for seq, label in attributions.items() if label.origin in origins and label.inserted
    }
    return sum(followed.values()), TextSurvival(followed).count_survival(contents, events[-1].moment.mono_ns)


PASTE = "editor.action.clipboardPasteAction"


@pytest.mark.parametrize(
    ("fact_events", "origin", "method"),
    [
        ([edit_event("x")], "typed", "heuristic"),
        ([edit_event("x" * 40)], "paste", "heuristic"),
        ([edit_event("a;\nb;\n")], "paste", "heuristic"),
        ([edit_event("suggested")], "unknown", "heuristic"),
        ([edit_event("", 2, 0, 9)], "typed", "heuristic"),
        ([edit_event("x" * 40), reason_event("cursor", kind="type")], "typed", "change_reason"),
        ([reason_event("cursor", kind="paste"), edit_event("x")], "paste", "change_reason"),
        ([edit_event("x" * 40), reason_event("inlineCompletionAccept")], "completion", "change_reason"),
        ([edit_event("x"), reason_event("inlineCompletionPartialAccept")], "completion-part", "change_reason"),
        ([edit_event("x"), reason_event("Chat.applyEdits")], "chat", "change_reason"),
        ([edit_event("x"), reason_event("Chat.applyEdits", mode="agent")], "agent", "change_reason"),
        ([edit_event("x"), reason_event("Chat.applyEdits", mode="edit")], "chat", "change_reason"),
        ([edit_event("x"), reason_event("snippet")], "snippet", "change_reason"),
        ([edit_event("x"), reason_event("undo")], "undo", "change_reason"),
        ([edit_event("x" * 40), reason_event("somethingNew")], "paste", "heuristic"),
        ([edit_event("x"), reason_event("inlineCompletionAccept", version=3)], "typed", "heuristic"),
        ([edit_event("long text"), accepted_event("benchwright")], "own-completion", "own_provider"),
        ([edit_event("long text"), accepted_event("github.copilot")], "completion", "own_provider"),
        ([edit_event("x"), accepted_event("github.copilot", partial=True)], "completion-part", "own_provider"),
        (
            [edit_event("x"), accepted_event("benchwright"), reason_event("inlineCompletionAccept")],
            "own-completion",
            "change_reason",
        ),
        (
            [edit_event("x"), accepted_event("benchwright"), reason_event("cursor", kind="type")],
            "typed",
            "change_reason",
        ),
        ([command_event(PASTE), edit_event("x")], "paste", "wrapped_command"),
        ([command_event(PASTE, 7), edit_event("x")], "typed", "heuristic"),
        ([command_event(PASTE, None), edit_event("x")], "paste", "wrapped_command"),
        ([command_event("editor.action.inlineSuggest.commit"), edit_event("x")], "completion", "wrapped_command"),
        ([command_event("some.other.command"), edit_event("x")], "typed", "heuristic"),
        ([command_event(PASTE), edit_event("x"), reason_event("cursor", kind="type")], "typed", "change_reason"),
    ],
)
def test_the_best_fact_labels_an_edit(fact_events: Sequence[Event], origin: str, method: str) -> None:
    (label,) = attributions_of_edits(recorded_events(*((0.1 * index, fact) for index, fact in enumerate(fact_events))))
    assert (label.origin, label.method) == (EditOrigin(origin), AttributionMethod(method))
    assert label.classifier_version == CLASSIFIER


def test_a_command_labels_one_edit_only_and_not_one_that_comes_late() -> None:
    attributions = attributions_of_edits(
        recorded_events(
            (0, command_event(PASTE, None)),
            (5, edit_event("x", 2)),
            (6, command_event(PASTE, 2)),
            (6, edit_event("y", 3)),
            (6, edit_event("z", 4)),
        )
    )
    assert [label.origin for label in attributions] == [EditOrigin.TYPED, EditOrigin.PASTE, EditOrigin.TYPED]


def test_words_are_read_whatever_their_case_and_unknown_ones_stay_unknown() -> None:
    assert origin_of_change_reason("ChatEdit.something", {}) is EditOrigin.CHAT
    assert origin_of_change_reason("inlineCompletion:nes", {}) is EditOrigin.COMPLETION
    assert origin_of_change_reason("", {}) is EditOrigin.UNKNOWN


def test_survival_counts_what_is_left_after_half_a_minute_two_minutes_and_at_the_end() -> None:
    events = recorded_events(
        (0, Opened(files={FILE: FileText.of_text("<>")})),
        (0, Started()),
        (1, edit_event("abcdefghij" * 2, 2, 1, 1)),
        (1, reason_event("inlineCompletionAccept", 2)),
        (20, edit_event("", 3, 1, 6)),
        (31.5, edit_event("XX", 4, 4, 6)),
        (140, edit_event("", 5, 1, 3)),
        (150, TextSet(path=FILE, cause=TextCause.OUTSIDE, file=FileText.of_text("new"))),
        (151, Submitted()),
    )
    inserted, survival = survival_of_origins(events, (EditOrigin.COMPLETION,))
    assert AFTER_S == (30.0, 120.0)
    assert (inserted, survival) == (
        20,
        InsertionSurvival(inserted_reaching_age=(20, 20), left_at_age=(15, 13), at_end=0),
    )
    assert survival_of_origins(events[:5], (EditOrigin.COMPLETION,)) == (
        20,
        InsertionSurvival(inserted_reaching_age=(0, 0), left_at_age=(0, 0), at_end=15),
    )


PIECES = st.text(alphabet=st.sampled_from(["a", "\n", "é", "𝄞", "\ud834", "\udd1e", "\r"]), max_size=6)
STEPS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), PIECES), min_size=1, max_size=12)


@settings(max_examples=150, deadline=None)
@given(PIECES, STEPS)
def test_replay_rebuilds_the_buffer_behind_every_event_and_provenance_covers_it(
    first: str, steps: list[tuple[float, float, str]]
) -> None:
    """At every moment: the text an editor has, to the byte; and as many code points followed as there are."""
    text = FileText.of_text(first).text or ""
    timed_events: list[tuple[float, Event]] = [(0, Opened(files={FILE: FileText.of_text(first)}))]
    buffers = [text]
    for index, (start_share, end_share, inserted_text) in enumerate(steps):
        start, end = sorted((round(start_share * len(text)), round(end_share * len(text))))
        change = Change(start=start, end=end, text=inserted_text)
        text = apply_changes(text, [change])
        buffers.append(text)
        timed_events.append((index + 1, Edit(path=FILE, version=index + 2, changes=(change,))))
    recorded = recorded_events(*timed_events)
    for seq, buffer in enumerate(buffers, start=1):
        assert replay(recorded, last_seq=seq).files[FILE].data == saved_bytes(buffer)
    inserted, survival = survival_of_origins(recorded, tuple(EditOrigin))
    assert 0 <= survival.at_end <= min(len(text), inserted)


def saved_bytes(text: str) -> bytes:
    """Bytes that an editor that counts in UTF-16 saves."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def test_edits_in_columns_come_back_as_they_were_given() -> None:
    all_edit_facts = [
        EditFacts(3, FILE, 2, (1,), (0,), 1, 0),
        EditFacts(4, "b.sv", None, (1, 20), (0, 2), 21, None),
        EditFacts(9, FILE, -1, (), (), 0, 7, command_event("paste")),
    ]
    edit_columns = EditColumns()
    for edit_facts in all_edit_facts:
        edit_columns.append(edit_facts)
    assert list(edit_columns) == all_edit_facts


def test_a_version_that_no_editor_has_is_as_good_as_none() -> None:
    edit_columns = EditColumns()
    edit_columns.append(EditFacts(3, FILE, 2**70, (1,), (0,), 1, 0))
    (edit_facts,) = edit_columns
    assert edit_facts.version is None
