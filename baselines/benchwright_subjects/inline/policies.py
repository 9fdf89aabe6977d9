"""Policies for accepting offers. The policy is fixed before a run and knows no hidden test."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from benchwright_studies.plan.accept_policy import AcceptPolicy
from benchwright_subjects.inline.text.similarity import edit_similarity

if TYPE_CHECKING:
    from benchwright_subjects.inline.offer import NextEdit, Offer
    from benchwright_subjects.inline.text.document import DocumentVersion

_WORD = re.compile(r"\s*(?:[\w$]+|[^\w\s])")


class RefusalConsequence(StrEnum):
    """Consequence of a refusal."""

    ASSISTED = "assisted"
    """The driver types the reference's next line, and asks again."""
    ALONE = "alone"
    """It stops."""


@dataclass(frozen=True)
class AcceptedPart:
    """A part of an offer."""

    text: str
    """Of what appears at the cursor; all of it if the offer changes what was typed before."""
    is_whole: bool


Adds: TypeAlias = "Callable[[DocumentVersion], bool]"
"""True if a version of the document has errors that the present one has not."""


def part_to_accept(
    policy: AcceptPolicy, document: DocumentVersion, offer: Offer, reference_rest: str, adds_errors: Adds
) -> AcceptedPart | None:
    """The part that the policy takes; None if it refuses.

    Args:
        policy: Policy that decides.
        document: Document in which it was offered.
        offer: The offer.
        reference_rest: Text of the reference from the cursor on. Only the oracle uses it.
        adds_errors: See `Adds`. Only *survives lint* asks.
    """
    inserted = offer.insertion
    whole_offer = AcceptedPart(offer.text if inserted is None else inserted, is_whole=True)
    if not whole_offer.text.strip():
        return None
    match policy:
        case AcceptPolicy.NEVER:
            return None
        case AcceptPolicy.ALWAYS:
            return whole_offer
        case AcceptPolicy.FIRST_LINE:
            return (
                whole_offer if inserted is None else _part_unless_blank(inserted, through_first_filled_line(inserted))
            )
        case AcceptPolicy.MATCHES:
            return (
                None if inserted is None else _part_unless_blank(inserted, shared_beginning(inserted, reference_rest))
            )
        case AcceptPolicy.SURVIVES_LINT:
            new_document = document.replace_and_move_cursor(offer.start, offer.end, offer.text)
            return None if adds_errors(new_document) else whole_offer


def accepts_edit(
    policy: AcceptPolicy,
    old_document: DocumentVersion,
    new_document: DocumentVersion,
    edit: NextEdit,
    reference_text: str,
    adds_errors: Adds,
) -> bool:
    """True if the policy takes an edit, which is taken whole or not at all.

    Args:
        policy: Policy. The oracle takes what makes the text more like the reference; *first line*, one-line edits.
        old_document: The document without it.
        new_document: The document with it.
        edit: The edit.
        reference_text: Text of the reference up to here. Only the oracle uses it.
        adds_errors: See `Adds`. Only *survives lint* asks.
    """
    match policy:
        case AcceptPolicy.NEVER:
            return False
        case AcceptPolicy.ALWAYS:
            return True
        case AcceptPolicy.FIRST_LINE:
            return "\n" not in edit.text + old_document.text[edit.start : edit.end]
        case AcceptPolicy.MATCHES:
            return edit_similarity(new_document.text, reference_text) > edit_similarity(
                old_document.text, reference_text
            )
        case AcceptPolicy.SURVIVES_LINT:
            return not adds_errors(new_document)


def _part_unless_blank(offered_text: str, accepted_text: str) -> AcceptedPart | None:
    if not accepted_text.strip():
        return None
    # An editor accepts white space at the end with the rest.
    return (
        AcceptedPart(offered_text, True)
        if accepted_text.rstrip() == offered_text.rstrip()
        else AcceptedPart(accepted_text, False)
    )


def through_first_filled_line(offered_text: str) -> str:
    """Text that is offered, up to the end of its first line that is not blank."""
    start = len(offered_text) - len(offered_text.lstrip())
    end = offered_text.find("\n", start)
    return offered_text if end < 0 else offered_text[:end]


def shared_beginning(offered_text: str, reference_rest: str) -> str:
    """The words at the beginning of an offer that the rest begins with too, whatever the white space between."""
    taken_length, reference_offset = 0, 0
    for word in _WORD.finditer(offered_text):
        reference_match = _WORD.match(reference_rest, reference_offset)
        if reference_match is None or reference_match[0].strip() != word[0].strip():
            break
        taken_length, reference_offset = word.end(), reference_match.end()
    return offered_text[:taken_length]
