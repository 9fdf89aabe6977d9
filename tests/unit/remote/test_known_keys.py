"""Receipts that come in: those that prove nothing are not kept as an acknowledgement."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from benchwright_attempts.log.anchors import Anchor, Receipt
from benchwright_attempts.log.published_keys import PublishedKey
from benchwright_remote.errors import ReceiptError, RefusedError
from benchwright_remote.known_keys import KnownKeys

NOON = datetime(2026, 9, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
SECRETS = [Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32) for number in range(3)]
KEYS = [base64.b64encode(secret.public_key().public_bytes_raw()).decode() for secret in SECRETS]


def countersigned(number: int, time: datetime = NOON) -> Anchor:
    """An anchor with a receipt of one of the keys."""
    receipt = Receipt(server="https://bench.example.org", time=time, key=KEYS[number], signature="")
    anchor = Anchor(attempt="6f1c", events=1, head="a" * 64, made=NOON, receipt=receipt)
    signature = base64.b64encode(SECRETS[number].sign(anchor.signed_bytes())).decode()
    return anchor.model_copy(update={"receipt": receipt.model_copy(update={"signature": signature})})


class Publishes:
    """A service with keys."""

    url = "https://bench.example.org"

    def __init__(self, *published_keys: PublishedKey) -> None:
        self.published_keys: Sequence[PublishedKey] = published_keys
        self.request_count = 0

    async def keys(self) -> Sequence[PublishedKey]:
        self.request_count += 1
        return self.published_keys


class Older(Publishes):
    """A service of a version that publishes no list."""

    async def keys(self) -> Sequence[PublishedKey]:
        raise RefusedError(404, "There is no such page.")


async def check(known_keys: KnownKeys, service: Any, anchor: Anchor) -> None:
    await known_keys.check_receipt_and_keep_keys(service, anchor)


async def test_a_receipt_of_a_published_key_is_taken_and_its_key_known_to_later_processes(tmp_path: Path) -> None:
    known_keys, service = KnownKeys(tmp_path), Publishes(PublishedKey(key=KEYS[0]))
    for _ in range(3):
        await check(known_keys, service, countersigned(0))
    assert service.request_count == 1
    assert [known_key.key for known_key in KnownKeys(tmp_path).all_keys()] == [KEYS[0]]


async def test_a_new_key_is_asked_for_once(tmp_path: Path) -> None:
    known_keys, service = KnownKeys(tmp_path), Publishes(PublishedKey(key=KEYS[0]))
    await check(known_keys, service, countersigned(0))
    service.published_keys = (PublishedKey(key=KEYS[0], ends=NOON), PublishedKey(key=KEYS[1], begins=NOON))
    await check(known_keys, service, countersigned(1))
    await check(known_keys, service, countersigned(1))
    assert service.request_count == 2
    assert [known_key.ends for known_key in known_keys.all_keys()] == [NOON, None]


async def test_a_process_learns_at_its_first_receipt_that_a_key_was_revoked(tmp_path: Path) -> None:
    service = Publishes(PublishedKey(key=KEYS[0]))
    await check(KnownKeys(tmp_path), service, countersigned(0))
    service.published_keys = (PublishedKey(key=KEYS[0], revoked=NOON),)
    with pytest.raises(ReceiptError, match="was revoked"):
        await check(KnownKeys(tmp_path), service, countersigned(0))
    await check(KnownKeys(tmp_path), service, countersigned(0, NOON - HOUR))


@pytest.mark.parametrize(
    ("published_key", "reason"),
    [
        (PublishedKey(key=KEYS[1]), "does not publish"),
        (PublishedKey(key=KEYS[0], begins=NOON + HOUR), "did not sign at that time"),
        (PublishedKey(key=KEYS[0], ends=NOON), "did not sign at that time"),
    ],
)
async def test_a_receipt_that_proves_nothing_is_refused_with_the_reason(
    tmp_path: Path, published_key: PublishedKey, reason: str
) -> None:
    with pytest.raises(ReceiptError, match=reason):
        await check(KnownKeys(tmp_path), Publishes(published_key), countersigned(0))
    assert list(KnownKeys(tmp_path).all_keys()) == []


async def test_a_receipt_without_signature_is_refused_whatever_is_published(tmp_path: Path) -> None:
    anchor = countersigned(0)
    assert anchor.receipt is not None
    forged = anchor.model_copy(update={"head": "b" * 64})
    bare = anchor.model_copy(update={"receipt": None})
    for bad_anchor in (forged, bare):
        with pytest.raises(ReceiptError, match="without the signature"):
            await check(KnownKeys(tmp_path), Publishes(PublishedKey(key=KEYS[0])), bad_anchor)


async def test_a_service_without_a_list_is_believed_its_own_key(tmp_path: Path) -> None:
    await check(KnownKeys(tmp_path), Older(), countersigned(2))


async def test_a_damaged_file_is_read_as_none_and_replaced(tmp_path: Path) -> None:
    (tmp_path / "keys.json").write_text("{")
    known_keys = KnownKeys(tmp_path)
    assert list(known_keys.all_keys()) == []
    await check(known_keys, Publishes(PublishedKey(key=KEYS[0])), countersigned(0))
    assert [known_key.key for known_key in known_keys.all_keys()] == [KEYS[0]]
