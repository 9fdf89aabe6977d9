"""Signing a program in by a browser: real service, real language server, a browser's requests."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import create_engine, select, update

from benchwright_service.storage.tables import ACCOUNTS, DEVICES

from ..support.service.bench_service import Course, Service
from ..support.service.bench_service_pages import browser, csrf, signed_in


@pytest.fixture
def course(service: Service) -> Course:
    return service.set_up()


@pytest.fixture
def person(service: Service, course: Course) -> httpx2.Client:
    return signed_in(service, course.invitation, "Ada Lovelace")


def begin(service: Service, name: str = "laptop <1>") -> dict[str, str]:
    with service.client() as client:
        device_code: dict[str, str] = client.post("/api/v1/devices", json={"name": name}).json()
    return device_code


def state(service: Service, secret: str) -> httpx2.Response:
    with service.client() as client:
        return client.post("/api/v1/devices/state", json={"secret": secret})


def decide(person: httpx2.Client, code: str, decision: str) -> httpx2.Response:
    return person.post("/device", data={"csrf": csrf(person), "code": code, "decision": decision})


def test_a_confirmed_code_brings_a_token_once(service: Service, person: httpx2.Client) -> None:
    device_code = begin(service)
    page = person.get("/device", params={"code": device_code["code"].lower().replace("-", " ")}).text
    assert device_code["code"] in page
    assert "“laptop &lt;1&gt;” shows the code" in page
    assert state(service, device_code["secret"]).json() == {"state": "waiting", "joined": None}
    assert "signed in" in decide(person, device_code["code"], "grant").text
    assert decide(person, device_code["code"], "grant").status_code == 422
    too_often = state(service, device_code["secret"])
    assert (too_often.status_code, too_often.headers["retry-after"]) == (429, "5")
    service_time()
    joined = state(service, device_code["secret"]).json()["joined"]
    with service.client(joined["token"]) as client:
        assert client.get("/api/v1/me").json()["name"] == "Ada Lovelace"
    service_time()
    assert state(service, device_code["secret"]).status_code == 404


def service_time() -> None:
    """Longer than the service wants between two questions."""
    asyncio.run(asyncio.sleep(1.1))


def test_a_confirmation_while_the_program_asks_is_not_lost(service: Service, person: httpx2.Client) -> None:
    device_code = begin(service)
    file = service.folders.data / "service" / "service.sqlite"
    engine = create_engine(service.database or f"sqlite:///{file}")
    condition = DEVICES.c.code == device_code["code"].replace("-", "")
    ada_id = select(ACCOUNTS.c.id).where(ACCOUNTS.c.name == "Ada Lovelace").limit(1).scalar_subquery()
    with engine.connect() as connection, ThreadPoolExecutor(1) as pool:
        # A confirmation that has been written, and not committed yet.
        connection.execute(update(DEVICES).where(condition).values(state="granted", account=ada_id))
        future = pool.submit(state, service, device_code["secret"])
        service_time()
        assert not future.done()
        connection.commit()
        assert future.result(30).json()["state"] == "granted"
    engine.dispose()


def test_a_refused_code_brings_none(service: Service, person: httpx2.Client) -> None:
    device_code = begin(service)
    assert "not signed in" in decide(person, device_code["code"], "deny").text
    assert state(service, device_code["secret"]).json() == {"state": "denied", "joined": None}


def test_codes_and_secrets_that_nobody_has_are_worth_nothing(service: Service, person: httpx2.Client) -> None:
    device_code = begin(service)
    for code in ("", "BBBB-BBBB", "%", device_code["secret"]):
        assert decide(person, code, "grant").status_code == 422
    assert state(service, device_code["code"]).status_code == 404
    stranger = browser(service)
    assert stranger.get("/device").headers["location"] == "/sign-in?device"
    forged = stranger.post("/device", data={"code": device_code["code"], "decision": "grant"})
    assert forged.headers["location"].startswith("/sign-in")
    assert state(service, device_code["secret"]).json()["state"] == "waiting"


def test_who_signs_in_for_a_program_comes_back_to_it(service: Service, course: Course) -> None:
    client = browser(service)
    page = client.get("/sign-in?device").text
    assert '<input type="hidden" name="onward" value="device">' in page
    reply = client.post("/sign-in", data={"code": course.invitation, "name": "Ada", "onward": "device"})
    assert reply.headers["location"] == "/device"
    other_browser = browser(service)
    reply = other_browser.post("/sign-in", data={"code": course.invitation, "name": "A", "onward": "//evil.example"})
    assert reply.headers["location"] == "/"


def test_the_command_line_waits_until_the_browser_has_confirmed(
    service: Service, person: httpx2.Client, tmp_path: Path
) -> None:
    command = [str(Path(sys.executable).parent / "benchwright"), "login", service.url, "--browser"]
    environment = os.environ | {"BENCHWRIGHT_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as login:
        assert login.stdout is not None
        first_line = login.stdout.readline()
        code = re.search(r"confirm the code (\w{4}-\w{4})", first_line)
        assert code is not None, first_line
        assert f"{service.url}/device?code={code[1]}" in first_line
        decide(person, code[1], "grant")
        remaining_output, _ = login.communicate(timeout=60)
    assert login.returncode == 0
    assert "as Ada Lovelace: Computer architecture" in remaining_output
    assert (tmp_path / "data" / "connections.json").stat().st_mode & 0o777 == 0o600
