"""Keys that sign receipts: each in its time, the secret of no other, and whatever a change is interrupted at."""

from __future__ import annotations

import base64
import os
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from benchwright_attempts.log.anchors import Anchor
from benchwright_attempts.log.published_keys import KeyStanding, key_standing
from benchwright_service.errors import BenchServiceError
from benchwright_service.evidence.signing import Countersigner
from benchwright_service.evidence.signing_keys import (
    NOTICE,
    existing_or_new_keys_file,
    read_keys,
    revoke_signing_key,
    rotate_signing_key,
)

START = datetime(2026, 9, 1, 8, tzinfo=UTC)
SECOND = timedelta(seconds=1)
ANCHOR = Anchor(attempt="6f1c", events=1, head="a" * 64, made=START)


class Machine:
    """A clock that goes on while somebody waits, and what happens then."""

    def __init__(self) -> None:
        self.clock_time = START
        self.meanwhile: Callable[[], object] = lambda: None

    def __call__(self) -> datetime:
        return self.clock_time

    def wait(self, seconds: float) -> None:
        self.meanwhile()
        self.clock_time += timedelta(seconds=seconds)


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def folder(tmp_path: Path, machine: Machine) -> Path:
    """Of a service that has started."""
    existing_or_new_keys_file(tmp_path / "service", machine)
    return tmp_path / "service"


def signed(signer: Countersigner, time: datetime) -> KeyStanding:
    """Standing that is published of a receipt that is made now."""
    anchor = signer.sign(ANCHOR, time)
    assert anchor.is_signed and anchor.receipt is not None
    return key_standing(anchor.receipt.key, anchor.receipt.time, signer.published_keys.keys)


def test_a_first_start_makes_a_key_that_only_the_services_user_can_read(folder: Path, machine: Machine) -> None:
    file = folder / "keys.json"
    assert (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(folder.stat().st_mode)) == (0o600, 0o700)
    (signing_key,) = read_keys(file).keys
    assert (signing_key.begins, signing_key.ends) == (START, None)
    old_keys = file.read_bytes()
    assert existing_or_new_keys_file(folder, machine).read_bytes() == old_keys


def test_a_service_that_runs_signs_with_each_key_in_its_time_alone(folder: Path, machine: Machine) -> None:
    signer = Countersigner("https://bench.example.org", folder / "keys.json")
    old_receipt = signer.sign(ANCHOR, machine.clock_time).receipt
    receipts = []
    machine.clock_time += SECOND
    machine.meanwhile = lambda: receipts.append(signer.sign(ANCHOR, machine.clock_time).receipt)
    new_key = rotate_signing_key(folder, machine, machine.wait)
    new_receipt = signer.sign(ANCHOR, machine.clock_time).receipt
    assert old_receipt is not None and new_receipt is not None and receipts[0] is not None
    # Until its time has come, the new key is not used, though it is known.
    assert [old_receipt.key, receipts[0].key, new_receipt.key] == [old_receipt.key, old_receipt.key, new_key.key]
    assert old_receipt.key != new_key.key
    assert {
        key_standing(receipt.key, receipt.time, signer.published_keys.keys)
        for receipt in (old_receipt, receipts[0], new_receipt)
        if receipt is not None
    } == {KeyStanding.VALID}
    assert signer.public_key == new_key.key


def test_what_was_on_its_way_while_the_key_changed_gets_a_receipt_within_the_new_keys_time(
    folder: Path, machine: Machine
) -> None:
    signer = Countersigner("https://bench.example.org", folder / "keys.json")
    rotate_signing_key(folder, machine, machine.wait)
    assert signed(signer, machine.clock_time - NOTICE - SECOND) is KeyStanding.VALID


def test_the_secret_of_a_key_that_signs_no_more_is_deleted_and_published_is_none(
    folder: Path, machine: Machine
) -> None:
    (first_key,) = read_keys(folder / "keys.json").keys
    rotate_signing_key(folder, machine, machine.wait)
    keys_text = (folder / "keys.json").read_text()
    assert first_key.secret not in keys_text and first_key.key in keys_text
    published_text = read_keys(folder / "keys.json").published().model_dump_json()
    assert read_keys(folder / "keys.json").keys[-1].secret not in published_text


def test_a_change_that_was_killed_half_way_is_completed_by_the_next_start(folder: Path, machine: Machine) -> None:
    (first_key,) = read_keys(folder / "keys.json").keys

    def killed(seconds: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rotate_signing_key(folder, machine, killed)
    signer = Countersigner("https://bench.example.org", folder / "keys.json")
    assert signed(signer, machine.clock_time) is KeyStanding.VALID
    machine.clock_time += NOTICE
    existing_or_new_keys_file(folder, machine)
    assert first_key.secret not in (folder / "keys.json").read_text()
    assert signed(signer, machine.clock_time) is KeyStanding.VALID
    assert len(signer.published_keys.keys) == 2


def test_the_key_of_an_older_version_goes_on_and_its_receipts_have_no_earliest_time(tmp_path: Path) -> None:
    secret = bytes(range(32))
    (tmp_path / "key").write_bytes(base64.b64encode(secret) + b"\n")
    signer = Countersigner.from_folder("https://bench.example.org", tmp_path)
    public = Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()
    assert signer.public_key == base64.b64encode(public).decode()
    assert signed(signer, START - timedelta(days=400)) is KeyStanding.VALID
    assert not (tmp_path / "key").exists()


def test_receipts_of_a_revoked_key_prove_nothing_from_then_on_and_the_present_key_is_replaced(
    folder: Path, machine: Machine
) -> None:
    signer = Countersigner("https://bench.example.org", folder / "keys.json")
    machine.clock_time += timedelta(days=2)
    revoked_from = START + timedelta(days=1)
    (first_key,) = read_keys(folder / "keys.json").keys
    assert revoke_signing_key(folder, first_key.key[:8], revoked_from, machine, machine.wait).key == first_key.key
    keys = signer.published_keys.keys
    assert [
        key_standing(first_key.key, time, keys)
        for time in (START, revoked_from - SECOND, revoked_from, machine.clock_time)
    ] == [
        KeyStanding.VALID,
        KeyStanding.VALID,
        KeyStanding.REVOKED,
        KeyStanding.REVOKED,
    ]
    assert signed(signer, machine.clock_time) is KeyStanding.VALID
    # A later date does not make any of them valid again, and no other key is made.
    revoke_signing_key(folder, first_key.key, revoked_from + SECOND, machine, machine.wait)
    assert key_standing(first_key.key, revoked_from, signer.published_keys.keys) is KeyStanding.REVOKED
    assert len(signer.published_keys.keys) == 2


def test_a_wrong_key_or_time_changes_nothing(folder: Path, machine: Machine, tmp_path: Path) -> None:
    old_keys = (folder / "keys.json").read_bytes()
    (signing_key,) = read_keys(folder / "keys.json").keys
    for wrong_key, revoked_from in (("", START), ("no-key", START), (signing_key.key, START + timedelta(days=1))):
        with pytest.raises(BenchServiceError):
            revoke_signing_key(folder, wrong_key, revoked_from, machine, machine.wait)
    assert (folder / "keys.json").read_bytes() == old_keys
    with pytest.raises(BenchServiceError, match="makes its first one when it starts"):
        rotate_signing_key(tmp_path / "elsewhere", machine, machine.wait)
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_without_keys_stops_the_service_and_is_left_as_it_is(folder: Path) -> None:
    for content in ("", "{}", '{"keys": []}', '{"keys": [{"key": "AAAA"}]}'):
        (folder / "keys.json").write_text(content)
        with pytest.raises(BenchServiceError, match="restore it from a backup"):
            Countersigner.from_folder("https://bench.example.org", folder)
        assert (folder / "keys.json").read_text() == content


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a folder away")
def test_another_user_does_not_change_keys_that_the_service_could_not_read_then(folder: Path) -> None:
    os.chown(folder, 10_001, 10_001)
    with pytest.raises(BenchServiceError, match="as the service's user"):
        rotate_signing_key(folder)
