"""Fixtures and helpers of the tests of bench service pages."""

from __future__ import annotations

import asyncio
import re

import httpx2
import pytest

from benchwright_remote.messages import Role
from benchwright_service.bench import open_administration

from .bench_service import Course, Service
from .plain_http import NO_TLS

REF = "starter/saturating-counter"


@pytest.fixture
def course(service: Service) -> Course:
    return service.set_up(problems=("saturating-counter", "sync-fifo"))


def invitation(service: Service, course: Course, role: Role) -> str:
    async def create_code() -> str:
        async with open_administration(service.folders, service.database) as parts:
            return await parts.accounts.make_invitation(course.name, role)

    return asyncio.run(create_code())


def browser(service: Service) -> httpx2.Client:
    return httpx2.Client(
        base_url=service.url, headers={"Origin": service.url}, timeout=60.0, trust_env=False, verify=NO_TLS
    )


def signed_in(service: Service, code: str, name: str = "Ada") -> httpx2.Client:
    client = browser(service)
    reply = client.post("/sign-in", data={"code": code, "name": name})
    assert (reply.status_code, reply.headers["location"]) == (303, "/")
    return client


def csrf(client: httpx2.Client) -> str:
    match = re.search(r'name="csrf" value="(\w+)"', client.get("/").text)
    assert match is not None
    return match[1]


def program_token(service: Service, client: httpx2.Client) -> str:
    """The token of a program that somebody who is signed in lets in."""
    with service.client() as program:
        # At the same address.
        program.headers.update({name: text for name, text in client.headers.items() if name == "x-forwarded-for"})
        code = program.post("/api/v1/devices", json={"name": "Emacs"}).raise_for_status().json()
        form = {"csrf": csrf(client), "code": code["code"], "decision": "grant"}
        client.post("/device", data=form).raise_for_status()
        state = program.post("/api/v1/devices/state", json={"secret": code["secret"]}).raise_for_status().json()
    return str(state["joined"]["token"])
