"""Quotas of one account at a service."""

from __future__ import annotations

import base64
import hashlib
import zlib
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchwright_foundation.rate import Allowances
from benchwright_foundation.refusals import RefusalError
from benchwright_remote.messages import NewRun
from benchwright_service.courses.quotas import QuotaKeeper, Quotas
from benchwright_service.courses.snapshots import Snapshots, StoredFiles
from benchwright_service.storage.database import open_service_database


@dataclass
class Clock:
    time_s: float = 1000.0

    def __call__(self) -> float:
        return self.time_s


def keeper(clock: Clock, quotas: Quotas, limit_names: list[str] | None = None) -> QuotaKeeper:
    refused_limits: list[str] = [] if limit_names is None else limit_names
    return QuotaKeeper(quotas, refused_limits.append, Allowances(clock))


def test_an_allowance_is_used_at_once_and_renewed_evenly() -> None:
    clock, refused_limits = Clock(), list[str]()
    quotas = keeper(clock, Quotas(attempts_per_hour=60), refused_limits)
    for _ in range(60):
        quotas.count_attempt_or_refuse("ada")
    with pytest.raises(RefusalError, match="new attempts is 60 an hour") as refusal:
        quotas.count_attempt_or_refuse("ada")
    assert refusal.value.refusal_kind.status == 429
    assert refusal.value.headers["Retry-After"] == "60"
    assert refused_limits == ["attempts_per_hour"]
    quotas.count_attempt_or_refuse("lin")
    clock.time_s += 60
    quotas.count_attempt_or_refuse("ada")
    with pytest.raises(RefusalError):
        quotas.count_attempt_or_refuse("ada")


def test_a_request_that_is_refused_takes_nothing_and_comes_through_after_the_time_it_is_told() -> None:
    clock = Clock()
    quotas = keeper(clock, Quotas(events_per_day=6_000))
    quotas.count_events_or_refuse("ada", 5_000)
    with pytest.raises(RefusalError) as refusal:
        quotas.count_events_or_refuse("ada", 5_000)
    quotas.count_events_or_refuse("ada", 1_000)
    clock.time_s += float(refusal.value.headers["Retry-After"]) + 3_600 * 4
    quotas.count_events_or_refuse("ada", 5_000)


def test_what_is_larger_than_an_allowance_comes_through_when_it_is_full() -> None:
    quotas = keeper(Clock(), Quotas(events_per_day=10))
    quotas.count_events_or_refuse("ada", 5_000)
    with pytest.raises(RefusalError):
        quotas.count_events_or_refuse("ada", 1)
    quotas.count_events_or_refuse("ada", 0)


def test_runs_that_wait_are_counted_with_those_on_their_way_into_the_queue() -> None:
    quotas = keeper(Clock(), Quotas(runs_waiting=3))
    with ExitStack() as on_their_way:
        on_their_way.enter_context(quotas.counting_run("ada", 1))
        on_their_way.enter_context(quotas.counting_run("ada", 1))
        with pytest.raises(RefusalError, match="wait at once is 3"), quotas.counting_run("ada", 1):
            pass
        with quotas.counting_run("lin", 0):
            pass
    with quotas.counting_run("ada", 2):
        pass
    with pytest.raises(ZeroDivisionError), quotas.counting_run("ada", 0):
        raise ZeroDivisionError
    with quotas.counting_run("ada", 2):
        pass


async def test_files_are_kept_as_long_as_there_is_room_and_known_ones_take_none(tmp_path: Path) -> None:
    refused_limits = list[str]()
    database = await open_service_database(tmp_path / "service.sqlite")
    snapshots = Snapshots(tmp_path / "snapshots")
    stored = StoredFiles(database, snapshots, keeper(Clock(), Quotas(stored_mb=1), refused_limits))
    noise = [hashlib.shake_256(bytes([number])).digest(400_000) for number in range(3)]
    packed = {
        hashlib.sha256(content).hexdigest(): base64.b64encode(zlib.compress(content)).decode() for content in noise
    }
    first_digest, second_digest, third_digest = packed

    async def keep(account: str, digest: str) -> None:
        contents = {digest: packed[digest]}
        new_run = NewRun(id="0" * 32, number=1, files={"rtl/a.sv": digest}, contents=contents)
        assert await stored.keep_and_list_missing(account, f"attempt of {account}", new_run) == []

    for digest in (first_digest, second_digest, first_digest):
        await keep("ada", digest)
    with pytest.raises(RefusalError, match="stored is 1 MB") as refusal:
        await keep("ada", third_digest)
    assert refusal.value.refusal_kind.status == 413
    assert snapshots.missing_digests(packed) == [third_digest]
    assert refused_limits == ["stored_mb"]
    await keep("lin", third_digest)
    await keep("ada", third_digest)
    await database.close()
