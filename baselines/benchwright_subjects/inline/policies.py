"""What is accepted of an offer. The policy is fixed before a run and knows no hidden test."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from benchwright_studies.plan.accept_policy import Policy
from benchwright_subjects.inline.text.similarity import edit_similarity

if TYPE_CHECKING:
    from benchwright_subjects.inline.offer import NextEdit, Offer
    from benchwright_subjects.inline.text.document import Document

_WORD = re.compile(r"\s*(?:[\w$]+|[^\w\s])")


class Refusal(StrEnum):
    """What happens after a refusal."""

    ASSISTED = "assisted"
    """The driver types the reference's next line, and asks again."""
    ALONE = "alone"
    """It stops."""


@dataclass(frozen=True)
class Accepted:
    """A part of an offer."""

    text: str
    """Of what appears at the cursor; all of it if the offer changes what was typed before."""
    is_whole: bool


Adds: TypeAlias = "Callable[[Document], bool]"
"""Whether a version of the document has errors that the present one has not."""


def accepted(policy: Policy, document: Document, offer: Offer, rest: str, adds_errors: Adds) -> Accepted | None:
    """What the policy takes; None if it refuses.

    Args:
        policy: Which.
        document: Where it was offered.
        offer: The offer.
        rest: What the reference has at the cursor. Only the oracle uses it.
        adds_errors: See `Adds`. Only *survives lint* asks.
    """
    inserted = offer.insertion
    whole = Accepted(offer.text if inserted is None else inserted, is_whole=True)
    if not whole.text.strip():
        return None
    match policy:
        case Policy.NEVER:
            return None
        case Policy.ALWAYS:
            return whole
        case Policy.FIRST_LINE:
            return whole if inserted is None else _limited(inserted, first_line(inserted))
        case Policy.MATCHES:
            return None if inserted is None else _limited(inserted, matching(inserted, rest))
        case Policy.SURVIVES_LINT:
            after = document.replaced(offer.start, offer.end, offer.text)
            return None if adds_errors(after) else whole


def takes_edit(policy: Policy, before: Document, after: Document, edit: NextEdit, wanted: str, adds: Adds) -> bool:
    """Whether the policy takes an edit, which is taken whole or not at all.

    Args:
        policy: Which. The oracle takes what makes the text more like the reference; *first line*, an edit of one line.
        before: The document without it.
        after: The document with it.
        edit: The edit.
        wanted: What the reference has up to here. Only the oracle uses it.
        adds: See `Adds`. Only *survives lint* asks.
    """
    match policy:
        case Policy.NEVER:
            return False
        case Policy.ALWAYS:
            return True
        case Policy.FIRST_LINE:
            return "\n" not in edit.text + before.text[edit.start : edit.end]
        case Policy.MATCHES:
            return edit_similarity(after.text, wanted) > edit_similarity(before.text, wanted)
        case Policy.SURVIVES_LINT:
            return not adds(after)


def _limited(inserted: str, taken: str) -> Accepted | None:
    if not taken.strip():
        return None
    # An editor accepts white space at the end with the rest.
    return Accepted(inserted, True) if taken.rstrip() == inserted.rstrip() else Accepted(taken, False)


def first_line(text: str) -> str:
    """What is offered, up to the end of its first line that is not blank."""
    start = len(text) - len(text.lstrip())
    end = text.find("\n", start)
    return text if end < 0 else text[:end]


def matching(text: str, rest: str) -> str:
    """The words at the beginning of an offer that the rest begins with too, whatever the white space between."""
    taken, place = 0, 0
    for word in _WORD.finditer(text):
        following = _WORD.match(rest, place)
        if following is None or following[0].strip() != word[0].strip():
            break
        taken, place = word.end(), following.end()
    return text[:taken]
