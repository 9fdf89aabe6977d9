"""Keys of receipts that are changed and revoked while students hand in, and what `attempts verify` says of them."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from benchwright_attempts import log_file
from benchwright_attempts.events.events import Tick
from benchwright_attempts.log.anchors import Anchor, anchors_text, check_anchors
from benchwright_attempts.log.published_keys import PublishedKeys
from benchwright_foundation.home import Home
from benchwright_service.bench import open_administration
from benchwright_service.errors import BenchServiceError
from benchwright_service.evidence.signing import Countersigner
from benchwright_service.storage.facts import Facts

from ..support.service.bench_service import Service, Solver, running_service
from ..support.service.postgres import new_database

BENCHWRIGHT = str(Path(sys.executable).with_name("benchwright"))
REF = "starter/saturating-counter"


def benchwright(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"BENCHWRIGHT_HOME": str(home)}
    return subprocess.run([BENCHWRIGHT, *words], env=environment, capture_output=True, text=True, timeout=60)


class HandingIn(threading.Thread):
    """A student whose events go up one by one."""

    def __init__(self, solver: Solver) -> None:
        super().__init__()
        self.solver = solver
        self.attempt = solver.begin(REF, {})
        self.anchors: list[Anchor] = []
        self.stop_signal = threading.Event()

    def run(self) -> None:
        while not self.stop_signal.wait(0.05):
            self.solver.record(self.attempt, Tick())
            reply = self.solver.send(self.attempt)
            assert reply.status_code == 200, reply.text
            self.anchors.append(Anchor.model_validate(reply.json()["anchor"]))


@pytest.fixture
def student_home(tmp_path: Path) -> Path:
    return tmp_path / "student"


def test_a_key_is_changed_while_students_hand_in_and_every_receipt_stays_valid(
    tmp_path: Path, student_home: Path
) -> None:
    with running_service(Service(tmp_path / "service", workers=0)) as service:
        student = HandingIn(Solver.joining(service, service.set_up(), tmp_path))
        student.start()
        key_change = benchwright(service.home, "course", "rotate-key")
        assert key_change.returncode == 0, key_change.stderr
        student.stop_signal.set()
        student.join()
        assert student.solver.send(student.attempt).status_code == 200
        with service.client() as client:
            published_reply = client.get("/api/v1/keys")
            present = client.get("/api/v1/key").json()["key"]
        student.solver.record(student.attempt, Tick())
        last_anchor = Anchor.model_validate(student.solver.send(student.attempt).json()["anchor"])
        assert last_anchor.receipt is not None and last_anchor.receipt.key == present and present in key_change.stdout
        anchors = [*student.anchors, last_anchor]
        keys = PublishedKeys.model_validate(published_reply.json()).keys
        assert [key.key for key in keys] == list(
            dict.fromkeys(anchor.receipt.key for anchor in anchors if anchor.receipt)
        )
        assert len(keys) == 2 and "secret" not in published_reply.text
        check = check_anchors(student.attempt, [r.hash for r in student.solver.rows(student.attempt)[1]], anchors, keys)
        assert (check.agreeing_count, check.flaws, check.unpublished_signers, check.revoked) == (
            len(anchors),
            (),
            (),
            (),
        )
        student.solver.log.close()

        own_log = log_file(Home.from_environment({"BENCHWRIGHT_HOME": str(student_home)}))
        own_log.parent.mkdir(parents=True)
        (tmp_path / "attempts.sqlite").rename(own_log)
        (tmp_path / "mail.txt").write_text(anchors_text(anchors))
        (tmp_path / "keys.json").write_bytes(published_reply.content)
        verify = ["attempts", "verify", student.attempt, "--anchors", str(tmp_path / "mail.txt")]
        verify += ["--keys", str(tmp_path / "keys.json")]
        process = benchwright(student_home, *verify)
        assert process.returncode == 0 and process.stdout.count("which the server has published") == 2, process.stdout

        # Somebody has the old key since yesterday: it proves nothing, which is no flaw of the log.
        yesterday = f"{datetime.now(UTC) - timedelta(days=1):%Y-%m-%d}"
        revoked = benchwright(service.home, "course", "revoke-key", keys[0].key, "--since", yesterday)
        assert revoked.returncode == 0, revoked.stderr
        with service.client() as client:
            (tmp_path / "keys.json").write_bytes(client.get("/api/v1/keys").content)
        process = benchwright(student_home, *verify, "--json")
        assert process.returncode == 0, process.stderr
        report = json.loads(process.stdout)
        assert (report["ok"], report["anchors"]) == (
            True,
            1 + sum(a.receipt.key == present for a in student.anchors if a.receipt),
        )
        assert len(report["revoked"]) == len(anchors) - report["anchors"]

        # A receipt of the new key from before its time was not made by the service.
        future_keys = [key.model_dump(mode="json") | {"begins": "2099-01-01T00:00:00Z"} for key in keys[1:]]
        (tmp_path / "keys.json").write_text(json.dumps({"keys": future_keys}))
        process = benchwright(student_home, *verify)
        assert process.returncode == 1 and "did not sign at that time" in process.stdout

        (tmp_path / "keys.json").write_text("{}")
        process = benchwright(student_home, *verify)
        assert process.returncode != 0 and "/api/v1/keys" in process.stderr


def test_a_key_is_not_revoked_by_mistake(tmp_path: Path) -> None:
    with running_service(Service(tmp_path / "service", workers=0)) as service, service.client() as client:
        old_keys = client.get("/api/v1/keys").json()
        refusal = benchwright(service.home, "course", "revoke-key", "nonsense", "--since", "2026-01-01")
        assert refusal.returncode == 1 and old_keys["keys"][0]["key"] in refusal.stderr
        assert client.get("/api/v1/keys").json() == old_keys


def test_where_the_keys_are_lost_for_good_a_service_goes_on_with_those_of_another_folder(
    postgres: Path, tmp_path: Path
) -> None:
    url = new_database(postgres)
    old, new = (Service(tmp_path / name, url, workers=0) for name in ("old", "new"))

    async def start_old() -> str:
        """What a process of the old folder does first; returns the key that it signs with."""
        folder = old.folders.data / "service"
        signer = Countersigner.from_folder("http://127.0.0.1", folder)
        async with open_administration(old.folders, url) as parts:
            await Facts(parts.database).require_common_keys_or_publish_newer(
                [key.key for key in signer.published_keys.keys], folder=folder
            )
        return signer.public_key

    old_key = asyncio.run(start_old())
    with pytest.raises(AssertionError, match=r"signing keys in .* are not those of the service.*accept-keys"):
        new.start()
    environment = os.environ | {"BENCHWRIGHT_HOME": str(new.home), "BENCHWRIGHT_SERVICE_DATABASE": url}
    command = (BENCHWRIGHT, "course", "accept-keys")
    accepted = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert accepted.returncode == 0, accepted.stderr
    with running_service(new), new.client() as client:
        key = client.get("/api/v1/key").json()["key"]
        assert key != old_key and f"The service signs with {key}." in accepted.stdout
        assert client.get("/api/v1/health/accepting").status_code == 200
    # The keys that were lost are a stranger's now.
    with pytest.raises(BenchServiceError, match="accept-keys"):
        asyncio.run(start_old())
