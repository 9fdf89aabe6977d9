"""Anchors: how far an attempt's chain was at some time, noted where its owner can't change it.

A chain shows that nothing was changed in the middle. That its end was cut off, or that all of it was rewritten,
shows only against an anchor from outside: printed, sent by e-mail, or in somebody else's hands.

An anchor is one object of canonical JSON. A server that countersigns adds `receipt`; its signature (Ed25519, RFC 8032)
is over the canonical JSON of the anchor, whose receipt has no `signature` then: see `docs/reference/event-log.md`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from benchwright_attempts.events.file_text import Sha256
from benchwright_attempts.log.published_keys import KeyStanding, PublishedKey, key_standing
from benchwright_attempts.log.record import canonical_json, format_wall
from benchwright_foundation.json_text import parse_untrusted_json
from benchwright_foundation.model import Model, UtcTime

FORMAT = "benchwright-anchor"
_OBJECT = re.compile(r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)?\}")
_QUOTED = re.compile(r"^[> ]+", re.MULTILINE)


class Receipt(Model):
    """Statement of a server that has seen a chain's head, at a time by its own clock."""

    server: str
    """Its address."""
    time: UtcTime
    """Time at which it saw the head."""
    key: str
    """The public key, base64."""
    signature: str
    """Base64; see the module."""


class Anchor(Model):
    """Position that a chain had reached."""

    format: Literal["benchwright-anchor"] = "benchwright-anchor"
    version: Literal[1] = 1
    attempt: Annotated[str, Field(min_length=1)]
    events: Annotated[int, Field(ge=1)]
    """Number of the newest event."""
    head: Sha256
    """Its hash."""
    made: UtcTime
    """Time by the clock of the computer that made the anchor."""
    receipt: Receipt | None = None

    def as_line(self) -> str:
        """Canonical JSON, without line end."""
        return canonical_json(self._json_fields())

    @property
    def is_signed(self) -> bool:
        """True if its receipt has the signature of the receipt's own key; whose key that is, is not known here."""
        # Imported late: most anchors have no receipt.
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        if self.receipt is None:
            return False
        try:
            public_key = Ed25519PublicKey.from_public_bytes(base64.b64decode(self.receipt.key, validate=True))
            public_key.verify(base64.b64decode(self.receipt.signature, validate=True), self.signed_bytes())
        except (ValueError, InvalidSignature):
            return False
        return True

    def signed_bytes(self) -> bytes:
        """Bytes that a receipt's signature is over; see the module."""
        value = self._json_fields()
        value.get("receipt", {}).pop("signature", None)
        return canonical_json(value).encode()

    def _json_fields(self) -> dict[str, Any]:
        value = self.model_dump(mode="json", exclude_none=True) | {"made": format_wall(self.made)}
        if self.receipt is not None:
            value["receipt"]["time"] = format_wall(self.receipt.time)
        return value


def anchors_text(anchors: Sequence[Anchor]) -> str:
    """Anchors as text to print, or to paste into an e-mail."""
    counted_attempts = "1 attempt" if len(anchors) == 1 else f"{len(anchors)} attempts"
    lines = [
        f"How far {counted_attempts} had come in Benchwright's log: the number of events, and the hash of the last.",
        "Keep this where the solver can't change it. To compare it: benchwright attempts verify --anchors FILE",
        "",
        *(anchor.as_line() for anchor in anchors),
    ]
    return "".join(f"{line}\n" for line in lines)


def read_anchors(text_with_anchors: str) -> list[Anchor]:
    """The anchors in a string, such as a saved e-mail; other words, marks of quotation and wrapped lines do no harm.

    Raises:
        ValueError: No anchor is there, or something that calls itself an anchor is none.
    """
    anchors = []
    for match in _OBJECT.finditer(_QUOTED.sub("", text_with_anchors)):
        # An anchor has no white space, so any was put in by what wrapped its line.
        anchor_text = re.sub(r"\s+", "", match.group())
        if FORMAT not in anchor_text:
            continue
        try:
            anchors.append(Anchor.model_validate(parse_untrusted_json(anchor_text)))
        except ValidationError as error:
            flaw = error.errors()[0]
            field_path = ".".join(map(str, flaw["loc"]))
            raise ValueError(f"anchor {len(anchors) + 1}: {field_path}: {flaw['msg']}") from None
        except ValueError:
            raise ValueError(f"anchor {len(anchors) + 1} is not whole") from None
    if not anchors:
        raise ValueError("there is no anchor in it")
    return anchors


@dataclass(frozen=True, slots=True)
class AnchorCheck:
    """A chain held against its anchors."""

    agreeing_count: int
    """Anchors that the chain contains."""
    flaws: tuple[str, ...] = ()
    """Disagreements, as sentences."""
    unpublished_signers: tuple[str, ...] = ()
    """Servers that signed an agreeing anchor, each with a key that nobody is known to have published."""
    published_signers: tuple[str, ...] = ()
    """The same with keys that the server has published."""
    revoked: tuple[str, ...] = ()
    """Receipts that prove nothing, as sentences: their keys were revoked."""


def check_anchors(
    attempt: str,
    event_hashes: Sequence[str],
    anchors: Iterable[Anchor],
    published_keys: Sequence[PublishedKey] = (),
) -> AnchorCheck:
    """Holds an attempt against the anchors of it.

    Args:
        attempt: Its id.
        event_hashes: The hash of each event, from the first; the chain has been checked.
        anchors: Anchors of any attempts.
        published_keys: Keys of servers; a receipt counts if its key is none of them, or signed at its time.
    """
    attempt_anchors = sorted(
        {anchor for anchor in anchors if anchor.attempt == attempt}, key=lambda anchor: (anchor.events, anchor.made)
    )
    unsigned = [anchor.receipt for anchor in attempt_anchors if anchor.receipt is not None and not anchor.is_signed]
    by_standing: dict[KeyStanding, list[Receipt]] = {key_standing: [] for key_standing in KeyStanding}
    for anchor in attempt_anchors:
        if anchor.receipt is not None and anchor.receipt not in unsigned:
            by_standing[key_standing(anchor.receipt.key, anchor.receipt.time, published_keys)].append(anchor.receipt)
    void = [*unsigned, *by_standing[KeyStanding.OUTSIDE], *by_standing[KeyStanding.REVOKED]]
    valid_anchors = [anchor for anchor in attempt_anchors if anchor.receipt is None or anchor.receipt not in void]
    agreeing = [
        anchor
        for anchor in valid_anchors
        if anchor.events <= len(event_hashes) and event_hashes[anchor.events - 1] == anchor.head
    ]
    flaws = [
        f"The receipt of {receipt.server} of {format_wall(receipt.time)} does not have the signature of its key, so "
        "the anchor "
        "or the receipt was changed. Ask the server's owner for it again."
        for receipt in unsigned
    ]
    flaws += [
        f"The receipt of {receipt.server} of {format_wall(receipt.time)} has the signature of the key "
        f"{receipt.key}, which did not "
        "sign at that time: somebody else made it. Ask the server's owner."
        for receipt in by_standing[KeyStanding.OUTSIDE]
    ]
    revoked = [
        f"The receipt of {receipt.server} of {format_wall(receipt.time)} proves nothing: its key {receipt.key} was "
        "revoked."
        for receipt in by_standing[KeyStanding.REVOKED]
    ]
    flaws += _fork_flaws(valid_anchors)
    last_agreed = max((anchor.events for anchor in agreeing), default=0)
    rewritten = next(
        (anchor for anchor in valid_anchors if anchor.events <= len(event_hashes) and anchor not in agreeing), None
    )
    if rewritten is not None:
        beginning = f"after event {last_agreed}" if 0 < last_agreed < rewritten.events else "from the beginning on"
        flaws.append(
            f"The log was rewritten {beginning}: event {rewritten.events} is not the one that the anchor of "
            f"{format_wall(rewritten.made)} names."
        )
    cut = max(
        (anchor for anchor in valid_anchors if anchor.events > len(event_hashes)),
        key=lambda anchor: anchor.events,
        default=None,
    )
    if cut is not None:
        flaws.append(
            f"The end of the log was cut off: the anchor of {format_wall(cut.made)} names event {cut.events}, and "
            f"there are {len(event_hashes)}."
        )
    signed = [anchor.receipt for anchor in agreeing if anchor.receipt is not None]
    return AnchorCheck(
        len(agreeing),
        tuple(flaws),
        _signer_phrases(receipt for receipt in signed if receipt in by_standing[KeyStanding.UNKNOWN]),
        _signer_phrases(receipt for receipt in signed if receipt in by_standing[KeyStanding.VALID]),
        tuple(revoked),
    )


def _signer_phrases(receipts: Iterable[Receipt]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{receipt.server} with the key {receipt.key}" for receipt in receipts))


def _fork_flaws(anchors: Sequence[Anchor]) -> list[str]:
    """Anchors that can't be of one chain."""
    flaws = []
    first_anchors: dict[int, Anchor] = {}
    for anchor in anchors:
        first_anchor = first_anchors.setdefault(anchor.events, anchor)
        if first_anchor.head != anchor.head:
            flaws.append(
                f"There are two versions of the attempt: the anchors of {format_wall(first_anchor.made)} and "
                f"{format_wall(anchor.made)} name different events {anchor.events}."
            )
    return flaws


def first_differing_seq(first_hashes: Sequence[str], second_hashes: Sequence[str]) -> int | None:
    """Number of the first event in which two versions of a chain differ; `None` if one continues the other."""
    return next(
        (
            seq
            for seq, (first_hash, second_hash) in enumerate(zip(first_hashes, second_hashes, strict=False), start=1)
            if first_hash != second_hash
        ),
        None,
    )
