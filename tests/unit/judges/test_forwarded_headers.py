"""No header says where a request comes from, whoever sent it: not even a proxy on the same machine."""

from __future__ import annotations

import asyncio

import httpx2
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from benchwright_judges.service.server import open_listener, serve_app

FORGED = {
    "X-Forwarded-For": "203.0.113.9",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "evil.example",
    "X-Real-IP": "203.0.113.9",
    "Forwarded": "for=203.0.113.9;proto=https;host=evil.example",
}


async def answer_with_seen_address(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        request = Request(scope)
        assert request.client is not None
        answer = [request.client.host, request.url.scheme, request.url.hostname]
        await JSONResponse(answer)(scope, receive, send)


@pytest.mark.asyncio
async def test_forwarded_headers_change_nothing() -> None:
    listener = open_listener("127.0.0.1", 0)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    listener.listen()
    serving = asyncio.create_task(serve_app(answer_with_seen_address, listener, grace_s=1, on_closing=lambda: None))
    try:
        async with httpx2.AsyncClient(trust_env=False, timeout=30) as client:
            assert (await client.get(url, headers=FORGED)).json() == ["127.0.0.1", "http", "127.0.0.1"]
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        listener.close()
