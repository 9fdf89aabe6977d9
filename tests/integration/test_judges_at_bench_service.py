"""The judge service at the bench service's address: old clients work, and no token of one opens the other."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from benchwright_judges.judgement import JudgementStatus
from benchwright_judges.service.admission import OPEN
from benchwright_judges.service.app import make_api
from benchwright_judges.service.client import RemoteJudge
from benchwright_judges.service.token import TokenScope
from benchwright_service.app import OPEN as OPEN_AT_BENCH
from benchwright_service.app import make_api as make_bench_api

from ..support.service.bench_service import Course, Service, Solver, running_service
from ..support.service.judge_service import CANARY, CHOOSES, EXPLAINS, filled_store, judge_token

BENCHWRIGHT = str(Path(sys.executable).with_name("benchwright"))
SCOPES = {
    ("POST", "/v1/submissions"): TokenScope.SUBMIT,
    ("GET", "/v1/submissions/{submission_id}"): TokenScope.SUBMIT,
    ("POST", "/v1/batches"): TokenScope.SUBMIT,
    ("GET", "/v1/batches/{batch_id}"): TokenScope.SUBMIT,
    ("GET", "/v1/batches/{batch_id}/results"): TokenScope.SUBMIT,
    ("GET", "/v1/batches/{batch_id}/events"): TokenScope.SUBMIT,
    ("GET", "/v1/pending"): TokenScope.GRADE,
    ("GET", "/v1/pending/next"): TokenScope.GRADE,
    ("PUT", "/v1/pending/{item_id}/grade"): TokenScope.GRADE,
    ("GET", "/v1/agreement"): TokenScope.ADMIN,
}
"""Scopes that each endpoint of the judge service needs."""
GUARDED_AT_BENCH = [
    (method.upper(), path)
    for path, operations in make_bench_api().openapi()["paths"].items()
    for method in operations
    if path not in OPEN_AT_BENCH
]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    new_service = Service(tmp_path_factory.mktemp("service"), workers=0)
    filled_store(new_service.folders)
    with running_service(new_service) as started:
        yield started


@pytest.fixture(scope="module")
def course(service: Service) -> Course:
    return service.set_up()


@pytest.fixture(scope="module")
def tokens(service: Service, course: Course, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """By what they are called in the tables below."""
    person = Solver.joining(service, course, tmp_path_factory.mktemp("ada"))
    person.log.close()
    return {
        "none": "",
        "person": person.token,
        "worker": service.worker_token(),
        "disguised": person.token.replace("bws_", "bwj_"),
        **{scope.value: judge_token(service, scope) for scope in TokenScope},
    }


def ask(service: Service, token: str, method: str, path: str) -> httpx2.Response:
    with service.client(token) as client:
        return client.request(method, re.sub(r"\{\w+\}", "a" * 32, path), json={})


def test_the_table_has_every_endpoint_that_needs_a_token() -> None:
    paths = make_api().openapi()["paths"]
    assert set(SCOPES) == {
        (m.upper(), path) for path, operations in paths.items() for m in operations if path not in OPEN
    }


@pytest.mark.parametrize(("method", "path"), SCOPES)
@pytest.mark.parametrize("holder", ["none", "person", "worker", "disguised", *TokenScope])
def test_only_the_judge_services_own_tokens_open_it_and_each_as_far_as_its_scope(
    service: Service, tokens: dict[str, str], holder: str, method: str, path: str
) -> None:
    status = ask(service, tokens[holder], method, path).status_code
    if holder not in list(TokenScope):
        assert status == 401
    elif TokenScope(holder) in (SCOPES[method, path], TokenScope.ADMIN):
        assert status in (200, 204, 404, 422)
    else:
        assert status == 403


@pytest.mark.parametrize(("method", "path"), GUARDED_AT_BENCH)
@pytest.mark.parametrize("token_scope", TokenScope)
def test_no_token_of_the_judge_service_opens_the_bench_service(
    service: Service, tokens: dict[str, str], token_scope: TokenScope, method: str, path: str
) -> None:
    assert ask(service, tokens[token_scope], method, path).status_code == 401
    assert ask(service, tokens[token_scope].replace("bwj_", "bws_"), method, path).status_code == 401


async def test_a_client_of_the_judge_service_gets_its_judgements(service: Service, tokens: dict[str, str]) -> None:
    async with RemoteJudge(service.url, tokens["submit"]) as judge:
        right_judgement, wrong_judgement, pending_judgement = [
            await judge.request_judgement(problem, answer)
            for problem, answer in ((CHOOSES, "B"), (CHOOSES, "C"), (EXPLAINS, "Because."))
        ]
    assert (right_judgement.passed, wrong_judgement.passed, pending_judgement.status) == (
        True,
        False,
        JudgementStatus.PENDING,
    )


def test_an_answer_is_scored_from_a_terminal(service: Service, tokens: dict[str, str], tmp_path: Path) -> None:
    environment = {"BENCHWRIGHT_HOME": str(tmp_path), "BENCHWRIGHT_JUDGE_TOKEN": tokens["submit"]}
    filled_store(Service(tmp_path).folders)
    (tmp_path / "answer.md").write_text("The answer is B.")
    command = [BENCHWRIGHT, "answer", CHOOSES, str(tmp_path / "answer.md"), "--judge-url", service.url]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert (process.returncode, process.stdout[:6]) == (0, "passed"), process.stderr


def test_health_and_descriptions_of_both_need_no_token(service: Service) -> None:
    with service.client() as client:
        for path in (*OPEN, "/api/v1/health/ready", "/api/v1/openapi.json"):
            reply = client.get(path)
            assert reply.status_code == 200
            assert CANARY not in reply.text
        titles = [client.get(path).json()["info"]["title"] for path in ("/v1/openapi.json", "/api/v1/openapi.json")]
    assert titles == ["Benchwright judge service", "Benchwright bench service"]


def test_a_client_of_one_that_asks_too_often_takes_nothing_from_the_other(
    service: Service, tokens: dict[str, str]
) -> None:
    eager = judge_token(service, TokenScope.ADMIN, per_minute=2)
    assert [ask(service, eager, "GET", "/v1/agreement").status_code for _ in range(3)] == [200, 200, 429]
    assert ask(service, tokens["admin"], "GET", "/v1/agreement").status_code == 200
    assert ask(service, tokens["person"], "GET", "/api/v1/me").status_code == 200
