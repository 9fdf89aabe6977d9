"""Extreme values in every field of every endpoint, and in files of others: refused or taken, and nothing breaks."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update
from typer.testing import CliRunner

from benchwright_attempts.events.events import Started
from benchwright_attempts.log.export import export_lines
from benchwright_attempts.log.record import StoredRow, record_hash
from benchwright_foundation.model import MOST_COUNTED
from benchwright_judges.service import app as judge_app
from benchwright_judges.service.token import TokenScope
from benchwright_server.cli.app import app_with_commands
from benchwright_service.app import make_api
from benchwright_service.bench import open_administration
from benchwright_service.storage.tables import TOKENS

from ..support.service.bench_service import DATABASES, Course, Service, Solver, running_service
from ..support.service.extreme_values import EXTREMES, extreme_bodies, valid_instance
from ..support.service.judge_service import judge_token
from ..support.service.postgres import new_database

pytestmark = pytest.mark.long

FILE = "rtl/sat_counter.sv"
REF = "starter/saturating-counter"
JSON = {"Content-Type": "application/json"}
DOCUMENTS = {"bench": make_api().openapi(), "judges": judge_app.make_api().openapi()}
WITH_BODY = [
    (service, method, path)
    for service, document in DOCUMENTS.items()
    for path, operations in document["paths"].items()
    for method, operation in operations.items()
    if "requestBody" in operation
]


@pytest.fixture(scope="module", params=DATABASES)
def service(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    database = new_database(request.getfixturevalue("postgres")) if request.param == "postgresql" else None
    with running_service(Service(tmp_path_factory.mktemp("service"), database, workers=0)) as started:
        yield started
        assert started.process is not None and started.process.poll() is None


@pytest.fixture(scope="module")
def course(service: Service) -> Course:
    return service.set_up()


@pytest.fixture(scope="module")
def solver(service: Service, course: Course, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Solver]:
    solver = Solver.joining(service, course, tmp_path_factory.mktemp("solver"))
    asyncio.run(_let_ask_often(service))
    yield solver
    solver.log.close()


async def _let_ask_often(service: Service) -> None:
    """What is refused for its number says nothing about values."""
    async with (
        open_administration(service.folders, service.database) as parts,
        parts.database.write_transaction() as connection,
    ):
        await connection.execute(update(TOKENS).values(per_minute=1_000_000))


@pytest.fixture(scope="module")
def tokens(service: Service, solver: Solver) -> dict[str, str]:
    return {
        "bench": solver.token,
        "jobs": service.worker_token(),
        "judges": judge_token(service, *TokenScope, per_minute=1_000_000),
    }


def schema_of(service_name: str, method: str, path: str) -> dict[str, Any]:
    body = DOCUMENTS[service_name]["paths"][path][method]["requestBody"]
    return dict(body["content"]["application/json"]["schema"])


def unbounded_integers(schema: Any, shapes: dict[str, Any], seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """Integers that no column of a database need have room for."""
    if isinstance(schema, list):
        for member in schema:
            yield from unbounded_integers(member, shapes, seen)
    elif isinstance(schema, dict):
        if (name := schema.get("$ref", "").rpartition("/")[2]) and name not in seen:
            yield from (f"{name}.{path}" for path in unbounded_integers(shapes[name], shapes, seen | {name}))
        if schema.get("type") == "integer" and not schema.get("maximum", 2**63) <= MOST_COUNTED:
            yield str(schema.get("title", ""))
        yield from unbounded_integers(
            [value for value in schema.values() if isinstance(value, dict | list)], shapes, seen
        )


@pytest.mark.parametrize(("service_name", "method", "path"), WITH_BODY)
def test_integers_of_a_request_fit_a_column(service_name: str, method: str, path: str) -> None:
    shapes = DOCUMENTS[service_name]["components"]["schemas"]
    # A verdict is kept as JSON.
    shapes = shapes | {"Verdict": {}}
    assert list(unbounded_integers(schema_of(service_name, method, path), shapes)) == []


@pytest.mark.parametrize(("service_name", "method", "path"), WITH_BODY)
def test_no_value_of_a_body_breaks_an_endpoint(
    service: Service, tokens: dict[str, str], service_name: str, method: str, path: str
) -> None:
    body = valid_instance(schema_of(service_name, method, path), DOCUMENTS[service_name]["components"]["schemas"])
    address = path.replace("{study}", "study").replace("{number}", "1")
    while "{" in address:
        address = address[: address.index("{")] + "0" * 32 + address[address.index("}") + 1 :]
    token = tokens["jobs" if "/jobs" in path else service_name]
    with service.client(token) as client:
        for what, text in extreme_bodies(body):
            reply = client.request(method.upper(), address, content=text, headers=JSON)
            assert reply.status_code < 500, (what, reply.text)
            reply.json() if reply.content else None


def test_no_value_of_an_event_or_a_run_breaks_what_is_kept_of_an_attempt(
    service: Service, course: Course, solver: Solver
) -> None:
    """With an attempt that is there, values reach the log and the database."""
    for what, text in EXTREMES.items():
        attempt = solver.begin(REF, {FILE: "module a; endmodule\n"})
        solver.record(attempt, Started())
        header, rows = solver.rows(attempt)
        for field in ("wall", "mono_ns", "process", "seq", "schema", "participant", "state", "event"):
            lines = [rows[0].as_json_line(), _line_with(rows[1], field, text)]
            reply = solver.send(attempt, first_event=0, lines=lines)
            assert reply.status_code < 500, (what, field, reply.text)
        # The chain holds: only the value is strange.
        for changed in (_chained(rows[1], header, field, text) for field in ("wall", "mono_ns", "process", "schema")):
            reply = solver.send(attempt, first_event=0, lines=[rows[0].as_json_line(), changed])
            assert reply.status_code < 500, (what, changed, reply.text)
        assert solver.send(attempt, first_event=0).status_code in (200, 409)
        digest = hashlib.sha256(b"").hexdigest()
        body = {
            "id": hashlib.md5(what.encode(), usedforsecurity=False).hexdigest(),
            "number": 1,
            "files": {FILE: digest},
            "contents": {digest: base64.b64encode(zlib.compress(b"")).decode()},
        }
        with service.client(solver.token) as client:
            for strange, run in extreme_bodies(body):
                if strange.startswith(what):
                    reply = client.post(f"/api/v1/attempts/{attempt}/runs", content=run, headers=JSON)
                    assert reply.status_code < 500, (strange, reply.text)
                    assert client.get("/api/v1/assignments").status_code == 200


def _line_with(row: StoredRow, field: str, text: str) -> str:
    return json.dumps(json.loads(row.as_json_line()) | {field: "MARK"}, sort_keys=True).replace('"MARK"', text)


def _chained(row: StoredRow, header: Any, field: str, text: str) -> str:
    """The record with another value and the hash of that."""
    line = _line_with(row, field, text)
    try:
        changed = StoredRow.from_json(json.loads(line))
        fields = (changed.attempt, changed.seq, changed.wall, changed.mono_ns, changed.process, changed.body)
        digest = record_hash(*fields, changed.prev_hash, changed.schema, header.solver, header.condition)
    except (ValueError, TypeError, RecursionError):
        return line
    return line.replace(row.hash, digest)


def test_an_exported_attempt_of_somebody_else_is_refused_in_a_sentence(
    solver: Solver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    attempt = solver.begin(REF, {FILE: "module a; endmodule\n"})
    header, rows = solver.rows(attempt)
    header_line, row_line = export_lines(header, list(rows))
    file = tmp_path / "attempt.jsonl"
    bodies = [
        *((f"row: {what}", f"{header_line}\n{text}\n") for what, text in extreme_bodies(json.loads(row_line))),
        *((f"header: {what}", f"{text}\n{row_line}\n") for what, text in extreme_bodies(json.loads(header_line))),
    ]
    for what, text in bodies:
        file.write_text(text)
        outcome = CliRunner().invoke(app_with_commands(), ["attempts", "verify", str(file)])
        assert outcome.exception is None or isinstance(outcome.exception, SystemExit), (what, outcome.exception)
        assert outcome.exit_code in (0, 1, 2), what
