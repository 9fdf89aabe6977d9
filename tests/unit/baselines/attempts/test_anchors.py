from __future__ import annotations

import base64
import json
import textwrap
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from benchwright_attempts.events.file_text import sha256
from benchwright_attempts.log.anchors import (
    Anchor,
    AnchorCheck,
    Receipt,
    anchors_text,
    check_anchors,
    first_differing_seq,
    read_anchors,
)
from benchwright_attempts.log.published_keys import PublishedKey

CHAIN = [sha256(b"%d" % number) for number in range(1, 11)]
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER = [sha256(b"x%d" % number) for number in range(1, 11)]


def anchor(events: int, chain: list[str] = CHAIN, attempt: str = "6f1c", minute: int | None = None) -> Anchor:
    time = datetime(2026, 3, 1, 9, events if minute is None else minute, tzinfo=UTC)
    return Anchor(attempt=attempt, events=events, head=chain[events - 1], made=time)


def test_a_chain_that_has_grown_agrees_with_its_anchors_and_those_of_others_do_not_matter() -> None:
    anchors = [anchor(3), anchor(10), anchor(4, OTHER, "another")]
    assert check_anchors("6f1c", CHAIN, anchors) == AnchorCheck(2)
    assert check_anchors("nobody", CHAIN, anchors) == AnchorCheck(0)


def test_an_end_that_was_cut_off_is_named() -> None:
    check = check_anchors("6f1c", CHAIN[:6], [anchor(3), anchor(8), anchor(10)])
    assert check.agreeing_count == 1
    (flaw,) = check.flaws
    assert "cut off" in flaw and "event 10" in flaw and "there are 6" in flaw and "2026-03-01T09:10" in flaw


def test_what_was_rewritten_is_named_with_the_events_between_which_it_begins() -> None:
    rewritten = CHAIN[:5] + OTHER[5:]
    (flaw,) = check_anchors("6f1c", rewritten, [anchor(3), anchor(8), anchor(10)]).flaws
    assert "rewritten after event 3" in flaw and "event 8" in flaw
    (flaw,) = check_anchors("6f1c", OTHER, [anchor(3)]).flaws
    assert "rewritten from the beginning" in flaw


def test_a_log_that_was_rewritten_and_cut_off_is_named_as_both() -> None:
    flaws = check_anchors("6f1c", CHAIN[:4] + OTHER[4:6], [anchor(3), anchor(5), anchor(10)]).flaws
    assert ["rewritten" in flaws[0], "cut off" in flaws[1]] == [True, True]


def test_anchors_of_two_versions_of_an_attempt_are_named_as_such() -> None:
    flaws = check_anchors("6f1c", CHAIN, [anchor(7), anchor(7, OTHER, minute=30)]).flaws
    assert "two versions" in flaws[0] and "09:07" in flaws[0] and "09:30" in flaws[0]


def test_two_versions_part_at_the_first_event_that_differs() -> None:
    assert first_differing_seq(CHAIN, CHAIN[:4] + OTHER[4:]) == 5
    assert first_differing_seq(CHAIN, CHAIN[:4]) is None


def test_anchors_survive_an_email() -> None:
    receipt = Receipt(
        server="https://bench.example", time=datetime(2026, 3, 1, 9, 1, tzinfo=UTC), key="a2V5", signature="c2ln"
    )
    anchors = [anchor(3), anchor(8).model_copy(update={"receipt": receipt})]
    wrapped = "\n".join(line for row in anchors_text(anchors).splitlines() for line in textwrap.wrap(row, 60) or [""])
    quoted = "".join(f"> {line}\r\n" for line in f"Dear Ada,\n\n{wrapped}\n\n{{x}} Bob".splitlines())
    assert read_anchors(quoted) == anchors


def countersigned_anchor(unsigned_anchor: Anchor, private_key: Ed25519PrivateKey) -> Anchor:
    public = base64.b64encode(private_key.public_key().public_bytes_raw()).decode()
    time = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
    receipt = Receipt(server="https://bench.example", time=time, key=public, signature="")
    unsigned = json.loads(unsigned_anchor.model_copy(update={"receipt": receipt}).as_line())
    del unsigned["receipt"]["signature"]
    text = json.dumps(unsigned, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    signature = base64.b64encode(private_key.sign(text.encode())).decode()
    return unsigned_anchor.model_copy(update={"receipt": receipt.model_copy(update={"signature": signature})})


def test_a_signed_receipt_agrees_and_names_its_server_and_key() -> None:
    signed = countersigned_anchor(anchor(3), KEY)
    (read_anchor,) = read_anchors(anchors_text([signed]))
    check = check_anchors("6f1c", CHAIN, [read_anchor, anchor(5)])
    public = base64.b64encode(KEY.public_key().public_bytes_raw()).decode()
    assert check == AnchorCheck(2, unpublished_signers=(f"https://bench.example with the key {public}",))


PUBLIC = base64.b64encode(KEY.public_key().public_bytes_raw()).decode()
SIGNED_AT = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("published_key", "agreeing", "flaws"),
    [
        (PublishedKey(key=PUBLIC), 1, 0),
        (PublishedKey(key=PUBLIC, begins=SIGNED_AT, ends=SIGNED_AT + timedelta(seconds=1)), 1, 0),
        (PublishedKey(key=PUBLIC, begins=SIGNED_AT + timedelta(seconds=1)), 0, 1),
        (PublishedKey(key=PUBLIC, ends=SIGNED_AT), 0, 1),
        (PublishedKey(key=PUBLIC, revoked=SIGNED_AT + timedelta(seconds=1)), 1, 0),
        (PublishedKey(key=PUBLIC, revoked=SIGNED_AT), 0, 0),
    ],
)
def test_a_receipt_counts_in_the_time_of_its_published_key(
    published_key: PublishedKey, agreeing: int, flaws: int
) -> None:
    check = check_anchors("6f1c", CHAIN, [countersigned_anchor(anchor(3), KEY)], [published_key])
    assert (check.agreeing_count, len(check.flaws), len(check.published_signers)) == (agreeing, flaws, agreeing)
    assert check.unpublished_signers == ()
    assert all("2026-03-01T09:30" in flaw and PUBLIC in flaw for flaw in (*check.flaws, *check.revoked))
    # A revoked key says nothing against the log.
    assert len(check.revoked) == (agreeing == 0 and flaws == 0)


def test_a_later_list_of_keys_counts_more_than_an_earlier_one() -> None:
    signed = countersigned_anchor(anchor(3), KEY)
    lists = [PublishedKey(key=PUBLIC), PublishedKey(key=PUBLIC, revoked=SIGNED_AT)]
    assert check_anchors("6f1c", CHAIN, [signed], lists).agreeing_count == 0
    assert check_anchors("6f1c", CHAIN, [signed], lists[::-1]).agreeing_count == 1


@pytest.mark.parametrize("change", ["head", "time", "key", "signature", "none"])
def test_a_receipt_that_its_key_did_not_sign_is_named_and_counts_for_nothing(change: str) -> None:
    signed = countersigned_anchor(anchor(3), KEY)
    assert signed.receipt is not None
    stranger = countersigned_anchor(anchor(3), Ed25519PrivateKey.from_private_bytes(bytes(32))).receipt
    assert stranger is not None
    anchor_changes: dict[str, dict[str, Any]] = {
        "head": {"head": OTHER[2]},
        "time": {"receipt": signed.receipt.model_copy(update={"time": datetime(2026, 1, 1, tzinfo=UTC)})},
        "key": {"receipt": signed.receipt.model_copy(update={"key": stranger.key})},
        "signature": {"receipt": signed.receipt.model_copy(update={"signature": stranger.signature})},
        "none": {"receipt": signed.receipt.model_copy(update={"key": "no key", "signature": "\u00e4"})},
    }
    check = check_anchors("6f1c", CHAIN, [signed.model_copy(update=anchor_changes[change])])
    assert (check.agreeing_count, check.unpublished_signers) == (0, ())
    (flaw,) = check.flaws
    assert "https://bench.example" in flaw and "signature" in flaw


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nothing", "there is no anchor"),
        (anchor(3).as_line().replace('"version":1', '"version":2'), "anchor 1: version"),
        (anchor(3).as_line().replace(CHAIN[2], "0"), "anchor 1: head"),
        (anchor(3).as_line().replace(",", ",,"), "not whole"),
    ],
)
def test_what_is_no_anchor_is_refused_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_anchors(text)
