"""Endpoints whose bodies are read as what anybody may have written: see `benchwright_foundation.json_text`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

from benchwright_foundation.json_text import parse_untrusted_json

_HALF_CHARACTER = re.compile(rb"\\u[dD][89a-fA-F]")


class _JsonRequest(Request):
    async def json(self) -> Any:
        """The body.

        Raises:
            ValueError: It is not JSON, or none of which every value can be stored and sent on.
        """
        body = await self.body()
        value = parse_untrusted_json(body)
        if _HALF_CHARACTER.search(body):
            # A lone surrogate is no text in UTF-8.
            json.dumps(value, ensure_ascii=False).encode()
        return value


class JsonRoute(APIRoute):
    """An endpoint, for `APIRouter(route_class=…)`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """As of any endpoint, with bodies read strictly."""
        handle = super().get_route_handler()

        async def handle_strictly(request: Request) -> Response:
            return await handle(_JsonRequest(request.scope, request.receive))

        return handle_strictly
