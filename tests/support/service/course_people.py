"""Fixtures and helpers of the tests of course people."""

from __future__ import annotations

import httpx2

from .bench_service_pages import csrf


def send(client: httpx2.Client, path: str, **fields: str | list[str]) -> httpx2.Response:
    return client.post(path, data={"csrf": csrf(client)} | fields)
