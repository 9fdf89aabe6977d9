"""Requests of one token that wait for their answers are a part of those that there may be."""

from __future__ import annotations

import asyncio

import pytest
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from benchwright_foundation import access_token
from benchwright_foundation.access_token import BearerToken
from benchwright_judges.service.admission import AdmissionControl

SECRETS = {name: access_token.new_id_and_secret() for name in ("ann", "bob")}


class Tokens:
    prefix = "bwj"

    async def find_token(self, token_id: str) -> BearerToken | None:
        secret = dict(SECRETS.values())[token_id]
        return BearerToken(id=token_id, digest=access_token.hash_secret(secret), created=0.0, per_minute=600)


async def status_of_request(app: AdmissionControl, name: str) -> int:
    token_id, secret = SECRETS[name]
    authorization = f"Bearer {access_token.token_text(token_id, secret, 'bwj')}".encode()
    asgi_scope = {"type": "http", "method": "GET", "path": "/wait", "headers": [(b"authorization", authorization)]}
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(asgi_scope, receive, send)
    return int(sent[0]["status"])


@pytest.mark.asyncio
async def test_a_token_with_a_tenth_of_its_requests_open_has_to_wait_and_others_do_not() -> None:
    answered = asyncio.Event()

    async def waiting_app(scope: Scope, receive: Receive, send: Send) -> None:
        await answered.wait()
        await JSONResponse({})(scope, receive, send)

    app = AdmissionControl(waiting_app, Tokens(), is_served=lambda scope: True)
    waiting = [asyncio.create_task(status_of_request(app, "ann")) for _ in range(60)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert await status_of_request(app, "ann") == 429
    other = asyncio.create_task(status_of_request(app, "bob"))
    await asyncio.sleep(0)
    answered.set()
    assert await asyncio.gather(*waiting, other) == [200] * 61
    assert await status_of_request(app, "ann") == 200
