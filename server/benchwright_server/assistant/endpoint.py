"""One request to an endpoint that implements OpenAI's chat API."""

from __future__ import annotations

import asyncio
import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from typing import IO

from benchwright_server.errors import ServerError
from benchwright_server.settings import Assistant

_MAX_REPLY_BYTES = 1024**2


class AssistantError(ServerError):
    """The assistant's model can't be reached, or does not answer."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Sends the key to the configured address only."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> None:
        """Do not follow redirects."""


async def ask(assistant: Assistant, messages: Sequence[Mapping[str, str]], environ: Mapping[str, str]) -> str:
    """The model's reply.

    Args:
        assistant: Which model.
        messages: The chat.
        environ: Has the key.

    Raises:
        AssistantError: There is no reply; the message names the setting to check.
    """
    return await asyncio.to_thread(_ask, assistant, messages, environ)


def _ask(assistant: Assistant, messages: Sequence[Mapping[str, str]], environ: Mapping[str, str]) -> str:
    headers = {"Content-Type": "application/json"}
    if assistant.api_key_variable:
        key = environ.get(assistant.api_key_variable)
        if not key:
            raise AssistantError(
                f"The assistant's API key is missing: set the environment variable {assistant.api_key_variable}, or"
                " change benchwright.assistant.apiKeyVariable."
            )
        headers["Authorization"] = f"Bearer {key}"
    body = {
        "model": assistant.model,
        "messages": list(messages),
        "max_tokens": assistant.max_tokens,
        "temperature": 0,
        "stream": False,
    }
    address = f"{assistant.url.rstrip('/')}/chat/completions"
    try:
        if not address.startswith(("http://", "https://")):
            raise ValueError(address)
        request = urllib.request.Request(address, json.dumps(body).encode(), headers, method="POST")  # noqa: S310
        opener = urllib.request.build_opener(_NoRedirect)
        with opener.open(request, timeout=assistant.timeout_ms / 1000) as response:
            reply = json.loads(response.read(_MAX_REPLY_BYTES))
        content = reply["choices"][0]["message"]["content"]
    except urllib.error.HTTPError as error:
        error.close()
        raise AssistantError(
            f"The assistant at {assistant.url} answered with HTTP status {error.code}. Check"
            " benchwright.assistant.url, model and apiKeyVariable."
        ) from None
    except (OSError, http.client.HTTPException) as error:
        raise AssistantError(
            f"The assistant at {assistant.url} can't be reached ({type(error).__name__}). Check"
            " benchwright.assistant.url, or turn benchwright.assistant.enabled off."
        ) from None
    except (ValueError, KeyError, IndexError, TypeError):
        raise AssistantError(
            f"The server at {assistant.url or 'the empty address'} does not implement OpenAI's chat API. Check"
            " benchwright.assistant.url."
        ) from None
    return content if isinstance(content, str) else ""
