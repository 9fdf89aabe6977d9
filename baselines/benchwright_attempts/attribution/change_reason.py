"""Origin by the editor's own report: VS Code's `textDocumentChangeReason`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from benchwright_attempts.attribution.method import EditFacts, Finding, KnownOfEdit, finding
from benchwright_attempts.attribution.origin import OWN_PROVIDER, Origin
from benchwright_attempts.attribution_method import AttributionMethod
from benchwright_attempts.events.evidence import AssistAccepted, EditReason

_REASONS: Mapping[str, Origin] = {
    "inlinecompletionaccept": Origin.COMPLETION,
    "inlinecompletionpartialaccept": Origin.COMPLETION_PART,
    "inlinesuggestaccept": Origin.COMPLETION,
    "inlinechat.applyedits": Origin.CHAT,
    "inlinechat.applyedit": Origin.CHAT,
    "chat.applyedits": Origin.CHAT,
    "chat.undoedits": Origin.CHAT,
    "chat.reset": Origin.CHAT,
    "agent": Origin.CHAT,
    "suggest": Origin.SUGGESTION,
    "snippet": Origin.SNIPPET,
    "codeaction": Origin.FORMAT,
    "rename": Origin.FORMAT,
    "format": Origin.FORMAT,
    "eolchange": Origin.FORMAT,
    "reloadfromdisk": Origin.OUTSIDE,
    "undo": Origin.UNDO,
    "redo": Origin.UNDO,
}
"""VS Code's names for the source of an edit (`textModelEditSource.ts`), in lower case; ours is `agent`, a program."""

_KINDS: Mapping[str, Origin] = {
    "type": Origin.TYPED,
    "cut": Origin.TYPED,
    "paste": Origin.PASTE,
    "compositiontype": Origin.TYPED,
    "compositionend": Origin.TYPED,
    "executecommand": Origin.TYPED,
    "executecommands": Origin.TYPED,
}
"""Kinds of keyboard action, if the source is `cursor`."""


def origin_of_reason(reason: str, metadata: Mapping[str, object]) -> Origin:
    """Origin that an editor's name for the source of an edit means."""
    word = reason.lower()
    if word == "cursor":
        return _KINDS.get(str(metadata.get("kind", "")).lower(), Origin.TYPED)
    if word in _REASONS:
        return _REASONS[word]
    for begins, origin in (("chat", Origin.CHAT), ("inlinechat", Origin.CHAT), ("inlinecompletion", Origin.COMPLETION)):
        if word.startswith(begins):
            return origin
    return Origin.UNKNOWN


def extension_of_reason(metadata: Mapping[str, object]) -> str:
    """The id of the extension that an editor names as the source of an edit; empty if it names none.

    VS Code marks what it may report with a dollar sign: `$extensionId`.
    """
    extension_ids = (str(value) for name, value in metadata.items() if name.lstrip("$") == "extensionId")
    return next(extension_ids, "")


@lru_cache(maxsize=1024)
def _reported(reason: str, kind: str, method: AttributionMethod, is_own: bool) -> Finding | None:
    origin = origin_of_reason(reason, {"kind": kind})
    if is_own and origin in (Origin.COMPLETION, Origin.COMPLETION_PART):
        origin = Origin.OWN_COMPLETION
    return None if origin is Origin.UNKNOWN else finding(origin, method)


def by_change_reason(_edit: EditFacts, known_events: KnownOfEdit) -> Finding | None:
    """The reported source; whose completion it was, the acceptance says."""
    reason, accepted = known_events.get(EditReason), known_events.get(AssistAccepted)
    if not isinstance(reason, EditReason):
        return None
    is_own = isinstance(accepted, AssistAccepted) and accepted.provider == OWN_PROVIDER
    return _reported(reason.reason, str(reason.metadata.get("kind", "")), reason.method, is_own)
