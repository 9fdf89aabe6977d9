"""Fixtures and helpers of the tests of study pages."""

from __future__ import annotations

import time

import httpx2

from ..service.bench_service_pages import csrf


def post(client: httpx2.Client, path: str, **fields: str) -> httpx2.Response:
    return client.post(path, data={"csrf": csrf(client)} | fields)


def page_once_closed(owner_client: httpx2.Client, study: str) -> str:
    """Waits for the end of a closing; returns its page."""
    for _ in range(600):
        if "data-over" in owner_client.get(f"/studies/{study}/closing/state").text:
            return owner_client.get(f"/studies/{study}/closing").text
        time.sleep(0.2)
    raise AssertionError(owner_client.get(f"/studies/{study}/closing").text)


def page(client: httpx2.Client, study: str, path: str = "") -> str:
    reply = client.get(f"/studies/{study}{path}")
    assert reply.status_code == 200, reply.text
    return reply.text
