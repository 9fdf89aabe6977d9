"""Origin by the editor's own report: VS Code's `textDocumentChangeReason`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from benchwright_attempts.attribution.method import EditFacts, EventsAboutEdit, OriginFinding, origin_finding
from benchwright_attempts.attribution.origin import OWN_PROVIDER, EditOrigin
from benchwright_attempts.attribution_method import AttributionMethod
from benchwright_attempts.events.evidence import AssistAccepted, EditReason

_REASONS: Mapping[str, EditOrigin] = {
    "inlinecompletionaccept": EditOrigin.COMPLETION,
    "inlinecompletionpartialaccept": EditOrigin.COMPLETION_PART,
    "inlinesuggestaccept": EditOrigin.COMPLETION,
    "inlinechat.applyedits": EditOrigin.CHAT,
    "inlinechat.applyedit": EditOrigin.CHAT,
    "chat.applyedits": EditOrigin.CHAT,
    "chat.undoedits": EditOrigin.CHAT,
    "chat.reset": EditOrigin.CHAT,
    "agent": EditOrigin.AGENT,
    "suggest": EditOrigin.SUGGESTION,
    "snippet": EditOrigin.SNIPPET,
    "codeaction": EditOrigin.FORMAT,
    "rename": EditOrigin.FORMAT,
    "format": EditOrigin.FORMAT,
    "eolchange": EditOrigin.FORMAT,
    "reloadfromdisk": EditOrigin.OUTSIDE,
    "undo": EditOrigin.UNDO,
    "redo": EditOrigin.UNDO,
}
"""VS Code's names for the source of an edit (`textModelEditSource.ts`), in lower case; ours is `agent`, a program."""

_KINDS: Mapping[str, EditOrigin] = {
    "type": EditOrigin.TYPED,
    "cut": EditOrigin.TYPED,
    "paste": EditOrigin.PASTE,
    "compositiontype": EditOrigin.TYPED,
    "compositionend": EditOrigin.TYPED,
    "executecommand": EditOrigin.TYPED,
    "executecommands": EditOrigin.TYPED,
}
"""Kinds of keyboard action, if the source is `cursor`."""


def origin_of_change_reason(change_reason: str, reason_metadata: Mapping[str, object]) -> EditOrigin:
    """Origin that an editor's name for the source of an edit means."""
    word = change_reason.lower()
    if word == "cursor":
        return _KINDS.get(str(reason_metadata.get("kind", "")).lower(), EditOrigin.TYPED)
    origin = _REASONS.get(word)
    if word == "chat.applyedits" and _chat_mode_in(reason_metadata) == "agent":
        return EditOrigin.AGENT
    if origin is not None:
        return origin
    for prefix, origin in (
        ("chat", EditOrigin.CHAT),
        ("inlinechat", EditOrigin.CHAT),
        ("inlinecompletion", EditOrigin.COMPLETION),
    ):
        if word.startswith(prefix):
            return origin
    return EditOrigin.UNKNOWN


def _chat_mode_in(reason_metadata: Mapping[str, object]) -> str:
    """The mode of the editor's chat: `ask`, `edit`, `agent`; empty if it names none."""
    return next((str(value).lower() for name, value in reason_metadata.items() if name.lstrip("$") == "mode"), "")


def extension_id_of_change_reason(reason_metadata: Mapping[str, object]) -> str:
    """The id of the extension that an editor names as the source of an edit; empty if it names none.

    VS Code marks what it may report with a dollar sign: `$extensionId`.
    """
    extension_ids = (str(value) for name, value in reason_metadata.items() if name.lstrip("$") == "extensionId")
    return next(extension_ids, "")


@lru_cache(maxsize=1024)
def _finding_of_reason(
    change_reason: str, keyboard_kind: str, chat_mode: str, method: AttributionMethod, is_own_completion: bool
) -> OriginFinding | None:
    origin = origin_of_change_reason(change_reason, {"kind": keyboard_kind, "mode": chat_mode})
    if is_own_completion and origin in (EditOrigin.COMPLETION, EditOrigin.COMPLETION_PART):
        origin = EditOrigin.OWN_COMPLETION
    return None if origin is EditOrigin.UNKNOWN else origin_finding(origin, method)


def origin_by_change_reason(_edit: EditFacts, known_events: EventsAboutEdit) -> OriginFinding | None:
    """The reported source; whose completion it was, the acceptance says."""
    reason, acceptance = known_events.get(EditReason), known_events.get(AssistAccepted)
    if not isinstance(reason, EditReason):
        return None
    is_own = isinstance(acceptance, AssistAccepted) and acceptance.provider == OWN_PROVIDER
    kind, mode = str(reason.metadata.get("kind", "")), _chat_mode_in(reason.metadata)
    return _finding_of_reason(reason.reason, kind, mode, reason.method, is_own)
