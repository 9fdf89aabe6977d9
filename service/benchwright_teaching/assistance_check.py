"""Help by models in an attempt's record, beside what its assignment allowed: evidence, and no judgement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from pydantic import Field

from benchwright_attempts.attribution import (
    BY_MODEL,
    CHATS,
    EditOrigin,
    attributions_of_edits,
    extension_id_of_change_reason,
)
from benchwright_attempts.attribution.origin import OWN_PROVIDER
from benchwright_attempts.attribution_method import AttributionMethod
from benchwright_attempts.events.evidence import AssistAccepted, EditReason, Environment
from benchwright_attempts.log.record import RecordedEvent
from benchwright_foundation.model import Model
from benchwright_problems.assistance import AllowedHelp, Assistance, DatedAssistance

_MOST_SHOWN = 100
_LONGEST_NAME = 100
_LATEST = 4_102_444_800.0
"""The year 2100."""

Name: TypeAlias = Annotated[str, Field(max_length=_LONGEST_NAME)]


class AssistanceFinding(Model):
    """Text that a model wrote, by the editor's own report, where the assignment did not allow it."""

    extension: Name
    """Empty if the editor did not name one."""
    is_chat: bool
    """True if a chat or an agent made the edits, and not an inline completion."""
    characters: int
    """Inserted, also those that were deleted later."""
    edits: int
    first: float
    """Time at which the first of them was made: seconds since 1970, by the service's clock."""
    is_unknown: bool = False
    """True if named extensions are allowed, and this one was not named."""

    @property
    def sentence(self) -> str:
        """Sentence that says what was seen."""
        source = self.extension or "an extension that the editor did not name"
        did = "received edits of" if self.is_chat else "accepted"
        count = f"{self.characters:,} {'character' if self.characters == 1 else 'characters'}"
        sentence_end = "so it is not known whether the assignment allows it" if self.is_unknown else _NOT_ALLOWED
        return f"{did} {count} from {source}, {sentence_end}"


_NOT_ALLOWED = "which the assignment does not allow"


class AssistanceChecked(Model):
    """Result of checking the record of an attempt."""

    findings: tuple[AssistanceFinding, ...] = ()
    """The most characters first."""
    active: tuple[Name, ...] = ()
    """Extensions of models that were active and that the assignment does not allow; no sign that they were used."""
    is_reported: bool = False
    """True if the editor reported where text came from, all the time."""

    @property
    def characters(self) -> int:
        """All that the findings are about."""
        return sum(finding.characters for finding in self.findings)


@dataclass(frozen=True, slots=True)
class _ModelSource:
    extension: str
    is_chat: bool
    is_unknown: bool


def rule_at(dated_rules: Sequence[DatedAssistance], unix_time_s: float) -> Assistance | None:
    """Rule of an assignment at a time.

    Args:
        dated_rules: Oldest first.
        unix_time_s: Seconds since 1970.
    """
    rules = [ruled.rule for ruled in dated_rules if ruled.since is None or ruled.since <= unix_time_s]
    return rules[-1] if rules else None


def check_assistance(
    events: Sequence[RecordedEvent], dated_rules: Sequence[DatedAssistance], clock_difference_s: float = 0.0
) -> AssistanceChecked:
    """Compares the record of an attempt with what its assignment allowed when the text was written.

    Only what the editor or a completion provider reported counts; guesses by the shape of an edit don't.

    Args:
        events: All of one attempt, in order.
        dated_rules: Rules of the assignment, oldest first.
        clock_difference_s: The service's clock minus the solver's, in seconds.
    """
    reasons: dict[tuple[str, int], EditReason] = {}
    providers: dict[tuple[str, int], str] = {}
    active_extensions: dict[str, None] = {}
    reason_reports: list[bool] = []
    times: dict[int, float] = {}
    for recorded in events:
        # A solver's clock may say anything; what a page can't show would hide the page.
        times[recorded.seq] = min(max(0.0, recorded.moment.wall.timestamp() + clock_difference_s), _LATEST)
        match recorded.event:
            case EditReason() as event:
                reasons[event.path, event.version] = event
            case AssistAccepted(version=int(version)) as event:
                providers[event.path, version] = event.provider
            case Environment() as event:
                reason_reports.append(event.change_reasons)
                rule = rule_at(dated_rules, times[recorded.seq])
                names = (
                    installed_extension.id
                    for installed_extension in event.extensions
                    if installed_extension.ai and installed_extension.active
                )
                active_extensions |= {
                    name[:_LONGEST_NAME]: None
                    for name in names
                    if rule is not None and not rule.allows_active_extension(name)
                }
    characters: Counter[_ModelSource] = Counter()
    edit_counts: Counter[_ModelSource] = Counter()
    first_times: dict[_ModelSource, float] = {}
    for label in attributions_of_edits(events):
        if label.origin not in BY_MODEL or label.method == AttributionMethod.HEURISTIC.value or not label.inserted:
            continue
        edit_key = label.path, -1 if label.version is None else label.version
        reason = reasons.get(edit_key)
        extension = providers.get(edit_key) or (
            extension_id_of_change_reason(reason.metadata) if reason is not None else ""
        )
        if label.origin is EditOrigin.OWN_COMPLETION:
            extension = OWN_PROVIDER
        is_chat = label.origin in CHATS
        rule = rule_at(dated_rules, times[label.seq])
        if rule is None or rule.allows_text_from(extension, is_chat=is_chat):
            continue
        source = _ModelSource(extension[:_LONGEST_NAME], is_chat, rule.allowed is AllowedHelp.NAMED and not extension)
        characters[source] += label.inserted
        edit_counts[source] += 1
        first_times.setdefault(source, times[label.seq])
    findings = [
        AssistanceFinding(
            extension=source.extension,
            is_chat=source.is_chat,
            characters=count,
            edits=edit_counts[source],
            first=first_times[source],
            is_unknown=source.is_unknown,
        )
        for source, count in characters.most_common(_MOST_SHOWN)
    ]
    return AssistanceChecked(
        findings=tuple(findings),
        active=tuple(active_extensions)[:_MOST_SHOWN],
        is_reported=bool(reason_reports) and all(reason_reports),
    )
