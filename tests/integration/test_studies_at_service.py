"""Requests of a study's participants to a bench service, on SQLite and PostgreSQL, honest and not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from benchwright_remote.messages import Role
from benchwright_service.bench import open_administration, open_lab
from benchwright_studies.plan.study_file import parse_study

from ..support.service.bench_service import DATABASES, Service, running_service
from ..support.service.postgres import new_database

STUDY = """
study: small
title: A small study
problems: [starter/saturating-counter]
conditions: [{name: alone, solver: human}, {name: other, solver: human}]
participants: 6
randomisation: {seed: 4}
forecasts: []
consent: {version: "1", text: "You agree to what is written here."}
analysis: {primary: time}
data: {to: service}
"""


async def invitation_to(service: Service) -> str:
    async with open_lab(service.folders, service.database) as (lab, _):
        for _ in range(2):
            await lab.open_study(parse_study(STUDY, Path("study.yaml")))
    async with open_administration(service.folders, service.database) as parts:
        return await parts.accounts.make_invitation("small", Role.PARTICIPANT, uses=20)


@pytest.fixture(scope="module", params=DATABASES)
def service(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    database = new_database(request.getfixturevalue("postgres")) if request.param == "postgresql" else None
    with running_service(Service(tmp_path_factory.mktemp("service"), database, workers=0)) as started:
        yield started


@pytest.fixture(scope="module")
def tokens(service: Service) -> list[str]:
    """Of eight people who have joined a study for six."""
    code = asyncio.run(invitation_to(service))
    with service.client() as client:
        joined = [client.post("/api/v1/join", json={"code": code, "name": f"N{n}"}).json() for n in range(8)]
    return [reply["token"] for reply in joined]


def studies(service: Service, token: str) -> list[dict[str, Any]]:
    with service.client(token) as client:
        return list(client.post("/api/v1/studies", json={}).json())


@pytest.fixture(scope="module")
def places(service: Service, tokens: list[str]) -> dict[str, dict[str, Any] | None]:
    """Of each token its participant's file, all asked for at once and thrice."""
    with ThreadPoolExecutor(24) as pool:
        token_files = list(pool.map(lambda token: (token, studies(service, token)[0]["file"]), tokens * 3))
    for token, file in token_files:
        assert {
            other_file["participant"] if other_file else None
            for other_token, other_file in token_files
            if other_token == token
        } == {file["participant"] if file else None}
    return dict(token_files)


def test_each_place_is_given_to_one_person_however_many_ask_at_once(
    places: dict[str, dict[str, Any] | None],
) -> None:
    participants = [file["participant"] for file in places.values() if file is not None]
    assert sorted(participants) == ["P01", "P02", "P03", "P04", "P05", "P06"]
    assert list(places.values()).count(None) == 2


def test_an_assignment_of_a_study_is_worked_on_in_the_study_alone(
    service: Service, places: dict[str, dict[str, Any] | None]
) -> None:
    token = next(holder for holder, file in places.items() if file is not None)
    with service.client(token) as client:
        assert client.get("/api/v1/assignments").json() == []
        (assignment,) = studies(service, token)[0]["assignments"]
        header_fields = {
            **{"id": "0" * 32, "problem": "starter/saturating-counter", "problem_digest": "d", "workspace": "/w"},
            **{"solver": "human", "condition": "human", "created": "2026-01-01T00:00:00Z"},
        }
        body = {"assignment": assignment["id"], "lines": [], "now": "2026-01-01T00:00:00Z"}
        for changed_fields in ({}, {"study": "small", "solver": "P99"}, {"study": "other", "solver": "P01"}):
            reply = client.post(
                f"/api/v1/attempts/{'0' * 32}/events", json=body | {"header": header_fields | changed_fields}
            )
            assert reply.status_code == 422, reply.text
            assert "participant" in reply.json()["title"] + reply.json().get("detail", "")


@pytest.mark.parametrize(
    "journal_record",
    [
        {},
        {"study": "small", "participant": "P01", "seq": 1, "wall": "", "entry": {}, "prev_hash": "", "hash": ""},
        {"study": "small", "participant": "", "seq": 1, "wall": "", "entry": {"type": "closed"}, "hash": ""},
        {"entry": {"type": "enrolled"}, "study": "small"},
        {"entry": None, "study": 7, "participant": [], "seq": {}},
        {"entry": {"type": "registered", "study_sha256": "0" * 64, "text": "\ud800"}, "study": "small"},
    ],
)
def test_what_is_no_journal_is_refused(
    service: Service, places: dict[str, dict[str, Any] | None], journal_record: dict[str, Any]
) -> None:
    token = next(holder for holder, file in places.items() if file is not None)
    with service.client(token) as client:
        content = json.dumps({"lines": [journal_record]})
        reply = client.post(
            "/api/v1/studies/small/journal", content=content, headers={"Content-Type": "application/json"}
        )
        assert reply.status_code in (400, 409, 422), reply.text
        assert "code" not in reply.json()


def test_who_has_no_place_learns_nothing(service: Service, places: dict[str, dict[str, Any] | None]) -> None:
    token = next(holder for holder, file in places.items() if file is None)
    with service.client(token) as client:
        for study in ("small", "unknown"):
            reply = client.post(f"/api/v1/studies/{study}/journal", json={"lines": []})
            assert reply.status_code == 404
            assert reply.json()["detail"] == "There is no such study."
