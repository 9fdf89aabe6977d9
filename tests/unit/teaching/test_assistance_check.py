"""Help by models in records of attempts, beside what assignments allowed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from pydantic import ValidationError

from benchwright_attempts.events.events import Edit, Event
from benchwright_attempts.events.evidence import (
    AssistAccepted,
    CommandUsed,
    EditReason,
    Environment,
    InstalledExtension,
)
from benchwright_attempts.events.file_text import Change
from benchwright_attempts.log.record import Moment, RecordedEvent
from benchwright_problems.assistance import AllowedHelp, Assistance, DatedAssistance
from benchwright_teaching.assistance_check import AssistanceChecked, check_assistance

FILE = "rtl/mine.sv"
BEGAN = datetime(2026, 3, 2, 9, tzinfo=UTC)
NONE = Assistance(allowed=AllowedHelp.NONE)
COMPLETION = Assistance(allowed=AllowedHelp.COMPLETION)
CHAT = Assistance(allowed=AllowedHelp.CHAT)
COPILOT = Assistance(allowed=AllowedHelp.NAMED, extensions=("GitHub.copilot",))
REPORTING = Environment(editor="Visual Studio Code 1.105.1", change_reasons=True)


def recorded(*events: Event) -> list[RecordedEvent]:
    """These events, a minute apart."""
    return [
        RecordedEvent("a", seq, Moment(BEGAN + timedelta(minutes=seq), seq * 60 * 10**9, "p"), event, "", "")
        for seq, event in enumerate(events)
    ]


def inserted(version: int, text: str) -> Edit:
    return Edit(path=FILE, version=version, changes=(Change(start=0, end=0, text=text),))


def reason(version: int, name: str, **metadata: str) -> EditReason:
    dollar_metadata = {f"${key}": value for key, value in metadata.items()}
    return EditReason(path=FILE, version=version, reason=name, metadata=dollar_metadata)


def completed(version: int, text: str, extension: str = "GitHub.copilot") -> Iterator[Event]:
    yield inserted(version, text)
    yield reason(version, "inlineCompletionAccept", **({"extensionId": extension} if extension else {}))


def chatted(version: int, text: str, extension: str = "GitHub.copilot-chat") -> Iterator[Event]:
    yield inserted(version, text)
    yield reason(version, "Chat.applyEdits", **({"extensionId": extension} if extension else {}))


def checked(rule: Assistance | None, *events: Event) -> AssistanceChecked:
    return check_assistance(recorded(REPORTING, *events), [DatedAssistance(since=None, rule=rule)])


@pytest.mark.parametrize(
    ("rule", "completion", "chat", "codeium"),
    [(NONE, 412, 30, 7), (COMPLETION, 0, 30, 0), (CHAT, 0, 0, 0), (COPILOT, 0, 30, 7), (None, 0, 0, 0)],
)
def test_what_a_rule_does_not_allow_is_counted_by_extension(
    rule: Assistance | None, completion: int, chat: int, codeium: int
) -> None:
    events = (*completed(2, "a" * 412), *chatted(3, "b" * 30), *completed(4, "c" * 7, "codeium.codeium"))
    counts_by_extension = {finding.extension: finding.characters for finding in checked(rule, *events).findings}
    expected_counts = {"GitHub.copilot": completion, "GitHub.copilot-chat": chat, "codeium.codeium": codeium}
    assert counts_by_extension == {name: number for name, number in expected_counts.items() if number}


def test_a_finding_is_a_sentence_of_evidence_with_its_time() -> None:
    (finding,) = checked(NONE, *completed(2, "a" * 400), *completed(3, "b" * 12)).findings
    assert finding.sentence == "accepted 412 characters from GitHub.copilot, which the assignment does not allow"
    assert finding.edits == 2
    assert finding.first == (BEGAN + timedelta(minutes=1)).timestamp()


def test_typing_pasting_and_guesses_by_shape_are_no_findings() -> None:
    typed = (inserted(2, "a"), reason(2, "cursor", kind="type"))
    pasted = (inserted(3, "b" * 500), reason(3, "cursor", kind="paste"))
    assert checked(NONE, *typed, *pasted, inserted(4, "c" * 500)).findings == ()


def test_an_acceptance_without_the_editors_report_counts_too() -> None:
    accepted_event = AssistAccepted(assist="1", provider="benchwright", path=FILE, version=2, length=5)
    (finding,) = check_assistance(
        recorded(inserted(2, "a" * 5), accepted_event), [DatedAssistance(since=None, rule=NONE)]
    ).findings
    assert (finding.extension, finding.characters) == ("benchwright", 5)
    assert checked(
        Assistance(allowed=AllowedHelp.NAMED, extensions=("benchwright",)), inserted(2, "aaaaa"), accepted_event
    ) == (AssistanceChecked(is_reported=True))


def test_a_command_of_the_editor_that_accepts_counts_without_a_name() -> None:
    used_command = CommandUsed(command="editor.action.inlineSuggest.commit", path=FILE, version=1)
    (finding,) = checked(NONE, used_command, inserted(2, "a" * 9)).findings
    assert "accepted 9 characters from an extension that the editor did not name" in finding.sentence
    (unknown_finding,) = checked(COPILOT, used_command, inserted(2, "a" * 9)).findings
    assert unknown_finding.sentence.endswith("so it is not known whether the assignment allows it")


def test_text_is_compared_with_what_was_said_when_it_was_written() -> None:
    events = recorded(REPORTING, *completed(2, "a" * 10), *completed(3, "b" * 20))
    change_s = (BEGAN + timedelta(minutes=2)).timestamp()
    for old_rule, new_rule, characters in ((None, NONE, 20), (NONE, CHAT, 10), (NONE, None, 10), (CHAT, None, 0)):
        history = [DatedAssistance(since=None, rule=old_rule), DatedAssistance(since=change_s, rule=new_rule)]
        assert check_assistance(events, history).characters == characters
    # A solver's clock that is ten minutes behind.
    history = [DatedAssistance(since=None, rule=CHAT), DatedAssistance(since=change_s, rule=NONE)]
    assert check_assistance(events, history, clock_difference_s=600.0).characters == 30


def test_an_editor_that_does_not_report_is_told_apart_from_one_with_nothing_to_report() -> None:
    history = [DatedAssistance(since=None, rule=NONE)]
    silent = Environment(editor="NVIM v0.11")
    assert check_assistance(recorded(REPORTING, inserted(2, "a")), history).is_reported
    for environment_events in ((inserted(2, "a"),), (silent, inserted(2, "a")), (REPORTING, silent)):
        assert not check_assistance(recorded(*environment_events), history).is_reported


def test_extensions_that_were_active_are_named_and_are_no_findings() -> None:
    extensions = [
        InstalledExtension(id="GitHub.copilot", version="1", active=True, ai=True),
        InstalledExtension(id="x.rainbow", version="1", active=True),
        InstalledExtension(id="codeium.codeium", version="1", ai=True),
    ]
    environment = REPORTING.model_copy(update={"extensions": tuple(extensions)})
    for rule, active_extensions in ((NONE, ("GitHub.copilot",)), (COMPLETION, ()), (COPILOT, ()), (None, ())):
        assistance = check_assistance(recorded(environment), [DatedAssistance(since=None, rule=rule)])
        assert (assistance.active, assistance.findings) == (active_extensions, ())


@pytest.mark.parametrize("year", [1, 9999])
def test_a_clock_that_says_anything_leaves_a_time_that_can_be_shown(year: int) -> None:
    events = [
        replace(recorded_event, moment=replace(recorded_event.moment, wall=datetime(year, 1, 1, tzinfo=UTC)))
        for recorded_event in recorded(*completed(2, "a"))
    ]
    (finding,) = check_assistance(events, [DatedAssistance(since=None, rule=NONE)], clock_difference_s=1e12).findings
    assert datetime.fromtimestamp(finding.first, UTC).year in (1970, 2100)


def test_names_of_a_hostile_log_are_cut_and_few() -> None:
    names = (f"x{number}.{'y' * 300}" for number in count())
    events = [event for version in range(2, 300) for event in completed(version, "a", next(names))]
    findings = checked(NONE, *events).findings
    assert len(findings) == 100
    assert max(len(finding.extension) for finding in findings) == 100


@pytest.mark.parametrize(
    ("allowed", "extensions"),
    [
        ("named", ()),
        ("none", ("github.copilot",)),
        ("named", ("../x",)),
        ("named", ("a b",)),
        ("named", ("x\n",)),
        ("named", ("a",) * 21),
    ],
)
def test_a_rule_names_extensions_where_it_needs_them(allowed: str, extensions: tuple[str, ...]) -> None:
    with pytest.raises(ValidationError):
        Assistance.model_validate({"allowed": allowed, "extensions": extensions})


def test_our_own_completion_has_one_name() -> None:
    rule = Assistance(allowed=AllowedHelp.NAMED, extensions=("benchwright",))
    assert rule.allows_text_from("benchwright.benchwright", is_chat=False)
    assert rule.allows_text_from("Benchwright", is_chat=False)
    assert not rule.allows_text_from("", is_chat=False)
