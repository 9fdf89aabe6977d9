"""What one caller uses up is that caller's alone, and who names a file by its SHA-256 does not have it."""

from __future__ import annotations

import base64
import hashlib
import uuid
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchwright_attempts.events.events import Started
from benchwright_remote.messages import Role

from ..support.service.bench_service import Course, Service, Solver
from ..support.service.bench_service_pages import browser, invitation, signed_in

pytestmark = pytest.mark.long

FILE = "rtl/sat_counter.sv"
REF = "starter/saturating-counter"
CONNECTIONS = 20
SECRET = "module sat_counter; // Ada's solution\nendmodule\n"


@pytest.fixture(scope="module")
def course(service: Service) -> Course:
    return service.set_up()


@pytest.fixture
def ada(service: Service, course: Course, tmp_path: Path) -> Iterator[Solver]:
    solver = Solver.joining(service, course, tmp_path / "ada")
    yield solver
    solver.log.close()


@pytest.fixture
def lin(service: Service, course: Course, tmp_path: Path) -> Iterator[Solver]:
    solver = Solver.joining(service, course, tmp_path / "lin", "Lin")
    yield solver
    solver.log.close()


def test_wrong_invitations_from_many_connections_keep_nobody_out(service: Service, course: Course) -> None:
    def try_codes(caller: int) -> set[int]:
        statuses = set()
        with service.client() as client, browser(service) as page:
            for number in range(40):
                wrong = f"{caller}-{number}"
                statuses.add(client.post("/api/v1/join", json={"code": wrong, "name": "x"}).status_code)
                statuses.add(page.post("/sign-in", data={"code": wrong, "name": "x"}).status_code)
        return statuses

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        assert set().union(*pool.map(try_codes, range(CONNECTIONS))) == {404, 422}
    with service.client() as client:
        assert client.post("/api/v1/join", json={"code": course.invitation, "name": "Ada"}).status_code == 200
        assert client.post("/api/v1/devices", json={"name": "laptop"}).status_code == 200
    signed_in(service, invitation(service, course, Role.PARTICIPANT))


def _run_body(number: int, digest: str, content: bytes | None = None) -> dict[str, object]:
    body: dict[str, object] = {"id": uuid.uuid4().hex, "number": number, "files": {FILE: digest}}
    if content is not None:
        body["contents"] = {digest: base64.b64encode(zlib.compress(content)).decode()}
    return body


def _begun(solver: Solver) -> str:
    attempt = solver.begin(REF, {FILE: "module a; endmodule\n"})
    solver.record(attempt, Started())
    assert solver.send(attempt).status_code == 200
    return attempt


def test_a_file_of_somebody_else_has_to_be_sent(service: Service, ada: Solver, lin: Solver) -> None:
    attempt, other_attempt = _begun(ada), _begun(lin)
    assert ada.run(attempt, 1, {FILE: SECRET}).status_code == 202
    digest = hashlib.sha256(SECRET.encode()).hexdigest()
    with service.client(lin.token) as client:
        path = f"/api/v1/attempts/{other_attempt}/runs"
        absent = hashlib.sha256(b"nobody has this").hexdigest()
        for unknown in (digest, absent):
            reply = client.post(path, json=_run_body(1, unknown))
            assert (reply.status_code, reply.json()) == (424, {"missing": [unknown]})
        # Other bytes under its SHA-256 are not the file, though the file is here.
        assert client.post(path, json=_run_body(1, digest, b"module sat_counter; endmodule")).status_code == 422
        assert client.post(path, json=_run_body(1, digest)).status_code == 424
        assert client.post(path, json=_run_body(1, digest, SECRET.encode())).status_code == 202
    with service.client(ada.token) as client:
        # What the attempt's newest run has need not be sent again.
        assert client.post(f"/api/v1/attempts/{attempt}/runs", json=_run_body(2, digest)).status_code == 202


def test_a_content_that_came_before_the_others_were_asked_for_is_known(service: Service, ada: Solver) -> None:
    attempt = _begun(ada)
    content = f"module a; endmodule // {uuid.uuid4()}".encode()
    digest = hashlib.sha256(content).hexdigest()
    with service.client(ada.token) as client:
        path = f"/api/v1/attempts/{attempt}/runs"
        assert client.post(path, json=_run_body(1, digest)).status_code == 424
        assert client.post(path, json=_run_body(1, digest, content)).status_code == 202
