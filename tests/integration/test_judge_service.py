"""The judge service as a process of its own, on SQLite and on PostgreSQL: load, sudden death, and hostile requests."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
import schemathesis
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode

from benchwright_foundation.home import Home
from benchwright_judges.judgement import JudgementStatus
from benchwright_judges.service.client import RemoteJudge
from benchwright_judges.service.endpoints import router

from ..support.service.bench_service import DATABASES
from ..support.service.judge_endpoint import JudgeEndpoint, JudgeRequest, PlayedReply, says
from ..support.service.judge_service import CHOOSES, EXPLAINS, filled_store
from ..support.service.plain_http import NO_TLS
from ..support.service.postgres import new_database

pytestmark = pytest.mark.long

BENCHWRIGHT = str(Path(sys.executable).with_name("benchwright"))
PATIENCE_S = 180.0
JSON = {"Content-Type": "application/json"}


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest) -> str | None:
    """A database's URL; none for the file that is used where nothing else is said."""
    return new_database(request.getfixturevalue("postgres")) if request.param == "postgresql" else None


@dataclass
class Machine:
    """A user's folders, from which the service is started and ended."""

    home: Path
    database: str | None
    environment: dict[str, str]

    def run(self, *arguments: str) -> str:
        return subprocess.run(
            [BENCHWRIGHT, "judge", *arguments, *self._database_options()],
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE_S,
        ).stdout

    def token(self, *options: str) -> str:
        return self.run("token", "create", "ann", "--rate", "1000000", *(options or ("--scope", "submit"))).strip()

    @contextlib.contextmanager
    def serving(self) -> Iterator[Running]:
        log = self.home / "service.log"
        with log.open("ab") as stream:
            start = stream.tell()
            process = subprocess.Popen(
                [BENCHWRIGHT, "judge", "serve", "--port", "0", *self._database_options()],
                env=self.environment,
                stderr=stream,
            )
        try:
            deadline = time.monotonic() + PATIENCE_S
            while not (address_match := re.search(rb"Listening on (http://\S+)", log.read_bytes()[start:])):
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < deadline
                time.sleep(0.05)
            yield Running(process, address_match[1].decode())
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait(PATIENCE_S)

    def _database_options(self) -> list[str]:
        return ["--database", self.database] if self.database else []


@dataclass
class Running:
    process: subprocess.Popen[bytes]
    url: str

    def client(self, token: str) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(
            base_url=self.url,
            headers={"Authorization": f"Bearer {token}"},
            timeout=PATIENCE_S,
            limits=httpx2.Limits(max_connections=250),
            verify=NO_TLS,
        )


MakeMachine = Callable[..., Machine]


@pytest.fixture
def machine(tmp_path: Path) -> MakeMachine:
    def make(database: str | None = None, endpoint: str | None = None) -> Machine:
        environment = {"BENCHWRIGHT_HOME": str(tmp_path), "PATH": os.environ["PATH"]}
        if endpoint is not None:
            environment |= {"BENCHWRIGHT_JUDGE_URL": endpoint, "BENCHWRIGHT_JUDGE_MODEL": "scripted"}
        filled_store(Home.from_environment(environment))
        return Machine(tmp_path, database, environment)

    return make


async def results(client: httpx2.AsyncClient, batch: str) -> list[dict[str, Any]]:
    page = (await client.get(f"/v1/batches/{batch}/results?limit=1000")).json()
    submissions: list[dict[str, Any]] = page["results"]
    return submissions


async def follow(client: httpx2.AsyncClient, batch: str, judged_count: int | None = None) -> None:
    """Wait until so many of a batch are judged, or all of them."""
    last_line = f"id: {judged_count}" if judged_count is not None else "event: finished"
    async with client.stream("GET", f"/v1/batches/{batch}/events") as response:
        async for line in response.aiter_lines():
            if line == last_line:
                return
    raise AssertionError("the events ended before the batch")


@pytest.mark.nightly
async def test_of_200_submissions_at_once_none_is_lost_and_none_judged_twice(
    machine: MakeMachine, database: str | None
) -> None:
    with JudgeEndpoint(lambda request: says("correct")) as endpoint:
        computer = machine(database, endpoint.url)
        token = computer.token()
        with computer.serving() as service:
            async with service.client(token) as client:

                async def submit(number: int) -> httpx2.Response:
                    problem, answer = (EXPLAINS, f"Because {number}.") if number % 2 else (CHOOSES, "ABCD"[number % 4])
                    body = {"problem": problem, "answer": answer}
                    headers = {"Idempotency-Key": f"key-{number}"}

                    async def send() -> httpx2.Response:
                        # On a slow machine a judgement may take longer than a request waits.
                        while True:
                            response = await client.post("/v1/submissions", json=body, headers=headers)
                            if response.status_code != 202:
                                return response

                    # Each twice at the same time, as a client that lost patience does.
                    first_response, second_response = await asyncio.gather(send(), send())
                    assert first_response.json()["id"] == second_response.json()["id"]
                    return first_response

                responses = await asyncio.gather(*map(submit, range(200)))
                assert Counter(response.status_code for response in responses) == {200: 200}
                submissions = [response.json() for response in responses]
                assert len({submission["id"] for submission in submissions}) == 200
                assert Counter(submission["judgement"]["status"] for submission in submissions) == {"scored": 200}
                assert Counter(submission["judgement"]["passed"] for submission in submissions) == {
                    True: 100,
                    False: 100,
                }
        assert len(endpoint.requests) == 2 * 100


async def test_killed_in_the_middle_of_a_batch_it_goes_on_where_it_was(
    machine: MakeMachine, database: str | None
) -> None:
    is_stuck = True

    def play(request: JudgeRequest) -> PlayedReply:
        # So slow from some answer on that none of a busy machine's is the last before the kill.
        is_late = is_stuck and len(endpoint.requests) > 2 * 20
        return PlayedReply(says("correct").body, headers=JSON, delay_s=PATIENCE_S if is_late else 0)

    with JudgeEndpoint(play) as endpoint:
        computer = machine(database, endpoint.url)
        token = computer.token("--scope", "submit", "--budget", "1000")
        items = [
            {"problem": EXPLAINS if number % 3 else CHOOSES, "answer": "B" if number % 3 == 0 else f"Because {number}."}
            for number in range(60)
        ]
        with computer.serving() as service:
            async with service.client(token) as client:
                batch_response = await client.post(
                    "/v1/batches", json={"items": items}, headers={"Idempotency-Key": "all"}
                )
                batch = batch_response.json()["id"]
                await follow(client, batch, judged_count=10)
                early_results = {
                    submission["id"]: submission
                    for submission in await results(client, batch)
                    if submission["state"] == "done"
                }
            service.process.send_signal(signal.SIGKILL)
            service.process.wait(PATIENCE_S)
        is_stuck = False
        with computer.serving() as service:
            async with service.client(token) as client:
                second_response = await client.post(
                    "/v1/batches", json={"items": items}, headers={"Idempotency-Key": "all"}
                )
                assert second_response.json()["id"] == batch
                await follow(client, batch)
                final_results = await results(client, batch)
                status = (await client.get(f"/v1/batches/{batch}")).json()
    assert 10 <= len(early_results) < 60
    assert (status["done"], status["total"], status["finished"]) == (60, 60, True)
    assert [submission["position"] for submission in final_results] == list(range(60))
    assert {submission["judgement"]["status"] for submission in final_results} == {"scored"}
    assert {
        submission["id"]: submission for submission in final_results if submission["id"] in early_results
    } == early_results
    # Votes are kept as they come: what is asked for again is at most what was under way.
    assert 2 * 40 <= len(endpoint.requests) <= 2 * 40 + 2 * 16


async def test_ended_politely_it_hands_back_what_it_has_not_judged(machine: MakeMachine) -> None:
    is_slow = True

    def play(request: JudgeRequest) -> PlayedReply:
        # After the first answers so slow that a busy machine asks it to end in the middle; what runs may end then.
        is_late = is_slow and len(endpoint.requests) > 2 * 10
        return PlayedReply(says("correct").body, headers=JSON, delay_s=1.5 if is_late else 0)

    with JudgeEndpoint(play) as endpoint:
        computer = machine(None, endpoint.url)
        token = computer.token()
        items = [{"problem": EXPLAINS, "answer": f"Because {number}."} for number in range(40)]
        with computer.serving() as service:
            async with service.client(token) as client:
                batch = (await client.post("/v1/batches", json={"items": items})).json()["id"]
                await follow(client, batch, judged_count=1)
            service.process.send_signal(signal.SIGTERM)
            assert service.process.wait(PATIENCE_S) == 0
        is_slow = False
        # Nobody has to wait for a lease to run out.
        (file,) = computer.home.rglob("judges.sqlite")
        with contextlib.closing(sqlite3.connect(file)) as connection:
            state_counts = dict(connection.execute("SELECT state, count(*) FROM submissions GROUP BY state"))
        assert set(state_counts) == {"done", "queued"}
        with computer.serving() as service:
            async with service.client(token) as client:
                await follow(client, batch)
                assert {submission["judgement"]["status"] for submission in await results(client, batch)} == {"scored"}
    assert 80 <= len(endpoint.requests) <= 80 + 2 * 16
    assert b"Traceback" not in (computer.home / "service.log").read_bytes()


async def test_two_processes_share_a_database(machine: MakeMachine, postgres: Path) -> None:
    with JudgeEndpoint(lambda request: says("correct")) as endpoint:
        computer = machine(new_database(postgres), endpoint.url)
        token = computer.token()
        items = [{"problem": EXPLAINS, "answer": f"Because {number}."} for number in range(100)]
        with computer.serving() as first_service, computer.serving() as second_service:
            async with first_service.client(token) as first, second_service.client(token) as second:
                batch = (await first.post("/v1/batches", json={"items": items})).json()["id"]
                await asyncio.gather(follow(first, batch), follow(second, batch))
                submissions = await results(second, batch)
    assert [submission["judgement"]["status"] for submission in submissions] == ["scored"] * 100
    assert len(endpoint.requests) == 200


async def test_a_remote_judge_says_what_the_service_says(machine: MakeMachine) -> None:
    computer = machine()
    token = computer.token()
    with computer.serving() as service:
        async with RemoteJudge(service.url, token) as judge:
            right_judgement, wrong_judgement, pending_judgement = [
                await judge.request_judgement(problem, answer)
                for problem, answer in ((CHOOSES, "B"), (CHOOSES, "C"), (EXPLAINS, "Because."))
            ]
            assert (right_judgement.passed, wrong_judgement.passed, pending_judgement.status) == (
                True,
                False,
                JudgementStatus.PENDING,
            )
    async with RemoteJudge(service.url, token, patience_s=2) as judge:
        unreached_judgement = await judge.request_judgement(CHOOSES, "B")
    assert unreached_judgement.status is JudgementStatus.PENDING
    assert "can't be reached" in unreached_judgement.message


def test_an_answer_is_scored_from_a_terminal(machine: MakeMachine) -> None:
    computer = machine()
    environment = {**computer.environment, "BENCHWRIGHT_JUDGE_TOKEN": computer.token()}
    (computer.home / "answer.md").write_text("The answer is B.")
    with computer.serving() as service:
        answer = [BENCHWRIGHT, "answer", CHOOSES, str(computer.home / "answer.md"), "--judge-url", service.url]
        process = subprocess.run(answer, env=environment, capture_output=True, text=True, timeout=PATIENCE_S)
    assert (process.returncode, process.stdout[:6]) == (0, "passed"), process.stderr


def test_tokens_are_listed_and_revoked(machine: MakeMachine) -> None:
    computer = machine()
    created_token = json.loads(
        computer.run("token", "create", "bob", "--scope", "grade", "--expires", "never", "--json")
    )
    (listed,) = json.loads(computer.run("token", "list", "--json"))
    assert (listed["id"], listed["name"], listed["scopes"]) == (created_token["id"], "bob", ["grade"])
    assert listed["expires"] is None
    secret = created_token["token"].split("_", 2)[2]
    assert secret not in json.dumps(listed)
    computer.run("token", "revoke", created_token["id"])
    assert json.loads(computer.run("token", "list", "--json"))[0]["revoked"]
    assert "revoked" in computer.run("token", "list")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("serve", "--host", "0.0.0.0"), "--allow-remote"),
        (("serve", "--host", "::"), "TLS"),
        (("serve", "--database", "mysql://x/y"), "SQLite or PostgreSQL"),
        (("token", "create", "x", "--scope", "root"), "choose from submit, grade, admin"),
        (("token", "create", "x", "--scope", "grade", "--expires", "soon"), "12h, 90d"),
        (("token", "create", "\n", "--scope", "grade"), "printable"),
        (("token", "revoke", "none"), "token list"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_next_step(
    machine: MakeMachine, arguments: tuple[str, ...], message: str
) -> None:
    process = subprocess.run(
        [BENCHWRIGHT, "judge", *arguments],
        env=machine().environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert process.returncode == 2
    assert message in process.stderr
    assert "Traceback" not in process.stderr


def test_a_port_that_is_taken_is_said_so(machine: MakeMachine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        process = subprocess.run(
            [BENCHWRIGHT, "judge", "serve", "--port", str(port)],
            env=machine().environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
    assert process.returncode == 2
    assert "choose another --port" in process.stderr


def test_a_body_of_unknown_length_is_cut_off_at_the_limit(machine: MakeMachine) -> None:
    computer = machine()
    token = computer.token()
    with computer.serving() as service:
        host, port = service.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=PATIENCE_S) as connection:
            head = "POST /v1/submissions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            head += f"Authorization: Bearer {token}\r\nTransfer-Encoding: chunked\r\n\r\n"
            connection.sendall(head.encode())
            sent_bytes = 0
            chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
            connection.settimeout(0.2)
            response_bytes, unsent_bytes = b"", b""
            while not response_bytes and sent_bytes < 64 << 20:
                try:
                    # A part of a chunk is all that goes where the other side is slow to read.
                    went = connection.send(unsent_bytes or chunk)
                    unsent_bytes = (unsent_bytes or chunk)[went:]
                    sent_bytes += went
                    response_bytes = connection.recv(4096) if sent_bytes > 1 << 20 else b""
                except TimeoutError:
                    continue
                except ConnectionError:
                    break
    assert sent_bytes < 8 << 20
    assert not response_bytes or b" 413 " in response_bytes


# Whatever a schema allows, and what it does not


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("fuzzed")
    environment = {"BENCHWRIGHT_HOME": str(folder), "PATH": os.environ["PATH"]}
    filled_store(Home.from_environment(environment))
    computer = Machine(folder, None, environment)
    token = computer.token("--scope", "admin")
    with computer.serving() as service:
        headers = {"Authorization": f"Bearer {token}"}
        loaded = schemathesis.openapi.from_url(f"{service.url}/v1/openapi.json", headers=headers)
        yield loaded
        assert service.process.poll() is None
    assert b"Traceback" not in (folder / "service.log").read_bytes()


REQUESTS = [
    (method, route.path, mode)
    for route in router.routes
    if isinstance(route, APIRoute)
    for method in route.methods or ()
    for mode in GenerationMode
    # Without parameters nothing can be wrong.
    if mode is GenerationMode.POSITIVE or "/health/" not in route.path
]


@pytest.mark.sampled
@pytest.mark.parametrize(("method", "path", "mode"), REQUESTS)
def test_no_request_breaks_the_service(
    schema: Any, method: str, path: str, mode: GenerationMode, nightly: bool
) -> None:
    operation = schema[path][method]

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=500 if nightly else 10, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    def holds(case: Any) -> None:
        case.call_and_validate(timeout=PATIENCE_S)

    holds()


@pytest.mark.nightly
def test_schemathesis_own_command_finds_nothing(machine: MakeMachine, tmp_path: Path, nightly: bool) -> None:
    computer = machine()
    token = computer.token("--scope", "admin")
    options = ["--max-examples", "500"] if nightly else ["--phases", "examples,coverage"]
    with computer.serving() as service:
        process = subprocess.run(
            [
                *(str(Path(sys.executable).with_name("st")), "run", f"{service.url}/v1/openapi.json"),
                *("-H", f"Authorization: Bearer {token}", "--checks", "all", "--mode", "all", "--no-color", *options),
                "--continue-on-failure",
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
    assert process.returncode == 0, process.stdout
