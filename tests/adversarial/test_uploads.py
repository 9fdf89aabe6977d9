"""Uploads that students send to a bench service to break it: too large, too many, too well packed, badly named."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import socket
import uuid
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from benchwright_attempts.events.events import Started
from benchwright_remote.messages import MOST_ENTRIES, MOST_EVENTS
from benchwright_service.courses.snapshots import LARGEST

from ..support.service.bench_service import Service, Solver, running_service

FILE = "rtl/sat_counter.sv"
REF = "starter/saturating-counter"
MIB = 1 << 20
MOST_GROWTH = 200 * MIB
"""Of the service's memory, whatever is sent: some bodies at once, and what is made of them."""


@dataclass(frozen=True)
class Student:
    """Somebody who has begun an attempt, and what the service's folder had at that time."""

    solver: Solver
    attempt: str

    def ask(self, path: str, body: Any = None, **options: Any) -> httpx2.Response:
        """A request, with a JSON body or whatever else."""
        with self.solver.service.client(self.solver.token) as client:
            return client.post(f"/api/v1/{path}", **({"json": body} if body is not None else {}), **options)

    def run(self, files: dict[str, str], contents: dict[str, str] | None = None) -> httpx2.Response:
        """A run of files by their digests."""
        body = {"id": uuid.uuid4().hex, "number": 1, "files": files, "contents": contents or {}}
        return self.ask(f"attempts/{self.attempt}/runs", body)

    def files(self) -> set[Path]:
        """All that the service has on its disk."""
        return {file for file in self.solver.service.home.rglob("*") if file.is_file()}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(Service(tmp_path_factory.mktemp("service"), workers=0)) as started:
        yield started
        assert started.process is not None and started.process.poll() is None
        with started.client() as client:
            assert client.get("/api/v1/health/ready").status_code == 200


@pytest.fixture(scope="module")
def student(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Student]:
    solver = Solver.joining(service, service.set_up(), tmp_path_factory.mktemp("student"))
    attempt = solver.begin(REF, {FILE: ""})
    solver.record(attempt, Started())
    assert solver.send(attempt).status_code == 200
    yield Student(solver, attempt)
    solver.log.close()


def peak(service: Service) -> int:
    """The most memory that the service's web process has had, in bytes."""
    assert service.process is not None
    status = Path(f"/proc/{service.process.pid}/status").read_text()
    return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM"))


def packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, 9)).decode()


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def zeros(size: int) -> bytes:
    """So many zeros, compressed without ever being there."""
    packer = zlib.compressobj(9)
    zero_block = bytes(MIB)
    return b"".join([*(packer.compress(zero_block) for _ in range(size // MIB)), packer.flush()])


def answered_at_once(student: Student, path: str, length: str) -> bytes:
    """The first line of the answer to a request whose body does not come."""
    address = httpx2.URL(student.solver.service.url)
    head = f"POST /api/v1/{path} HTTP/1.1\r\nHost: {address.host}\r\nAuthorization: Bearer {student.solver.token}\r\n"
    with socket.create_connection((address.host, address.port or 0), timeout=10) as connection:
        connection.sendall(f"{head}Content-Type: application/json\r\n{length}\r\n\r\n".encode())
        return connection.recv(MIB).partition(b"\r\n")[0]


def test_an_upload_of_any_size(service: Service, student: Student) -> None:
    old_files, old_peak = student.files(), peak(service)
    path = f"attempts/{student.attempt}/runs"
    as_json = {"Content-Type": "application/json"}
    # By what it says of its length, without being sent; and in pieces that never end.
    assert b" 413 " in answered_at_once(student, path, f"Content-Length: {1 << 40}")
    pieces = (bytes(MIB) for _ in range(MOST_GROWTH // MIB * 3))
    assert student.ask(path, content=pieces, headers=as_json).status_code == 413
    content = bytes(LARGEST + 1)
    assert student.run({FILE: digest(content)}, {digest(content): packed(content)}).status_code == 422
    assert student.ask("join", {"code": "x" * MIB, "name": "x"}).status_code == 413
    assert peak(service) - old_peak < MOST_GROWTH
    assert student.files() == old_files


def test_an_upload_of_many_parts(student: Student) -> None:
    empty_digest = digest(b"")
    files = {f"rtl/{number}.sv": empty_digest for number in range(1_001)}
    assert student.run(files).status_code == 422
    assert (
        student.run({FILE: empty_digest}, {digest(path.encode()): packed(path.encode()) for path in files}).status_code
        == 422
    )
    header, rows = student.solver.rows(student.attempt)
    events_body = {
        "header": header.model_dump(mode="json"),
        "assignment": student.solver.course.assignment,
        "lines": [rows[0].as_json_line()] * (MOST_EVENTS + 1),
        "now": "2026-01-01T00:00:00Z",
    }
    assert student.ask(f"attempts/{student.attempt}/events", events_body).status_code == 422
    assert student.ask("studies/none/journal", {"lines": [{}] * (MOST_ENTRIES + 1)}).status_code == 422
    as_json = {"Content-Type": "application/json"}
    for deep in (b"[" * 400_000, b'{"files":' * 40_000, b'{"number": ' + b"9" * 400_000 + b"}"):
        reply = student.ask(f"attempts/{student.attempt}/runs", content=deep, headers=as_json)
        assert reply.status_code in (400, 422), reply.text


def test_an_upload_that_unpacks_to_gigabytes(service: Service, student: Student) -> None:
    old_peak, files = peak(service), student.files()
    gigabyte = zeros(1024 * MIB)
    assert len(gigabyte) < 2 * MIB
    twice = zlib.compress(gigabyte, 9)
    bombs = {
        "plain": gigabyte,
        "packed twice": twice,
        "followed by another": zlib.compress(b"module m; endmodule\n") + gigabyte,
        "cut off": gigabyte[: len(gigabyte) // 2],
        "as gzip": gzip.compress(b"module m; endmodule\n"),
    }

    def thrown(bomb: bytes) -> int:
        return student.run({FILE: digest(b"x")}, {digest(b"x"): base64.b64encode(bomb).decode()}).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(thrown, [*bombs.values()] * 4)) == {422}
    # A body that is packed itself is taken as it is, which is no JSON.
    body = gzip.compress(json.dumps({"id": "a" * 32}).encode())
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    assert student.ask(f"attempts/{student.attempt}/runs", content=body, headers=headers).status_code == 400
    assert peak(service) - old_peak < MOST_GROWTH
    assert student.files() == files


NAMES = [
    *("../escaped", "rtl/../../escaped", "/etc/passwd", "//etc/passwd", "C:\\escaped", "rtl\\..\\escaped"),
    *(".", "..", "", "rtl", "rtl/", f"{FILE}/", f"./{FILE}", f"rtl//{FILE[4:]}", FILE.upper(), f"{FILE} ", f"{FILE}\0"),
    *(
        "\0",
        "\n",
        "\u202e",
        "\ud800",
        "con",
        "x" * 1_001,
        "a/" * 400 + "a",
        "%2e%2e/escaped",
        "~/escaped",
        "$HOME/escaped",
    ),
]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name)[:30])
def test_an_upload_with_a_name_of_its_own(student: Student, name: str) -> None:
    old_files = student.files()
    content = b"module escaped; endmodule\n"
    run_body = {"id": uuid.uuid4().hex, "number": 1, "contents": {digest(content): packed(content)}}
    # As ASCII, because the surrogate has no bytes of its own.
    body = json.dumps(run_body | {"files": {name: digest(content)}}).encode("ascii")
    reply = student.ask(f"attempts/{student.attempt}/runs", content=body, headers={"Content-Type": "application/json"})
    assert reply.status_code in (400, 422), reply.text
    assert student.files() == old_files


@pytest.mark.parametrize(
    "name", ["../escaped", "%2e%2e%2fescaped", "..%5cescaped", "a" * 33, "A" * 32, "a%00", "é" * 32]
)
def test_an_upload_with_an_id_of_its_own(student: Student, name: str) -> None:
    old_files = student.files()
    content = b"module escaped; endmodule\n"
    body = {"id": name, "number": 1, "files": {FILE: digest(content)}, "contents": {digest(content): packed(content)}}
    for path in (f"attempts/{student.attempt}/runs", f"attempts/{name}/runs", f"attempts/{name}/events"):
        assert student.ask(path, body).status_code in (404, 405, 422)
    for short in ("../" + "a" * 61, "/" * 64, digest(b"x").upper()):
        assert student.run({FILE: short}, {short: packed(content)}).status_code == 422
    assert student.files() == old_files
