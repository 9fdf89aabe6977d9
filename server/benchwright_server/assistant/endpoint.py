"""One request to an endpoint that implements OpenAI's chat API."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, BinaryIO

from benchwright_foundation.json_text import parse_untrusted_json
from benchwright_server.errors import ServerError
from benchwright_server.settings import Assistant

_MAX_REPLY_BYTES = 1024**2
_MOST_TOKENS = 10**9
_DONE = b"[DONE]"


class AssistantError(ServerError):
    """The assistant's model can't be reached, or does not answer."""


@dataclass(frozen=True)
class AssistantReply:
    """The reply of a model."""

    text: str
    input_tokens: int | None = None
    """As the endpoint counts them; None if it does not say."""
    output_tokens: int | None = None


class _StreamFailedError(Exception):
    """The endpoint said in the middle of a reply that it can't go on."""


@dataclass(frozen=True)
class _StreamedReply:
    """The whole reply."""

    text: str
    usage: object
    """As the endpoint gives it; None if it does not."""


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


async def request_reply_text(
    assistant: Assistant, messages: Sequence[Mapping[str, str]], environ: Mapping[str, str]
) -> str:
    """The model's reply.

    Args:
        assistant: The model to ask.
        messages: The chat.
        environ: Has the key.

    Raises:
        AssistantError: No reply came; the message names the setting to check.
    """
    return (await request_reply(assistant, messages, environ)).text


async def request_reply(
    assistant: Assistant,
    messages: Sequence[Mapping[str, str]],
    environ: Mapping[str, str],
    on_text_so_far: Callable[[str], None] | None = None,
) -> AssistantReply:
    """The reply with its number of tokens; see `request_reply_text`.

    Once it is cancelled, nobody waits for the endpoint.

    Args:
        assistant: The model to ask.
        messages: The chat.
        environ: Has the key.
        on_text_so_far: Called with the text so far as it comes, if the endpoint sends it in pieces; they are asked for
            if this is given.
    """
    loop = asyncio.get_running_loop()
    future_reply: asyncio.Future[AssistantReply] = loop.create_future()

    def settle(reply: AssistantReply | None, error: Exception | None) -> None:
        if future_reply.done():
            return
        if error is not None:
            future_reply.set_exception(error)
        elif reply is not None:
            future_reply.set_result(reply)

    deadline = time.monotonic() + assistant.timeout_ms / 1000

    def report_before_deadline(text: str) -> None:
        if future_reply.cancelled() or time.monotonic() > deadline:
            raise TimeoutError
        if on_text_so_far is not None:
            loop.call_soon_threadsafe(on_text_so_far, text)

    def request_and_settle() -> None:
        reply, failure = None, None
        try:
            reply = _request_reply_blocking(
                assistant, messages, environ, report_before_deadline if on_text_so_far is not None else None
            )
        except Exception as error:
            failure = error
        with contextlib.suppress(RuntimeError):  # The server has ended meanwhile.
            loop.call_soon_threadsafe(settle, reply, failure)

    # Not one of the pool: the end of the server would wait for it.
    threading.Thread(target=request_and_settle, name="assistant", daemon=True).start()
    return await future_reply


def _request_reply_blocking(
    assistant: Assistant,
    messages: Sequence[Mapping[str, str]],
    environ: Mapping[str, str],
    on_text_so_far: Callable[[str], None] | None,
) -> AssistantReply:
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
        "stream": on_text_so_far is not None,
        **({"stream_options": {"include_usage": True}} if on_text_so_far is not None else {}),
    }
    address = f"{assistant.url.rstrip('/')}/chat/completions"
    try:
        if not address.startswith(("http://", "https://")):
            raise ValueError(address)
        chat_request = urllib.request.Request(address, json.dumps(body).encode(), headers, method="POST")  # noqa: S310
        opener = urllib.request.build_opener(_NoRedirect)
        with opener.open(chat_request, timeout=assistant.timeout_ms / 1000) as response:
            if on_text_so_far is not None and response.headers.get_content_type() == "text/event-stream":
                streamed = _read_event_stream(response, _MAX_REPLY_BYTES, on_text_so_far)
                content, usage = streamed.text, streamed.usage
            else:
                reply = parse_untrusted_json(response.read(_MAX_REPLY_BYTES))
                content, usage = reply["choices"][0]["message"]["content"], reply.get("usage")
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
    except _StreamFailedError:
        raise AssistantError(
            f"The assistant at {assistant.url} failed in the middle of its reply. Ask again."
        ) from None
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        raise AssistantError(
            f"The server at {assistant.url or 'the empty address'} does not implement OpenAI's chat API. Check"
            " benchwright.assistant.url."
        ) from None
    text = content if isinstance(content, str) else ""
    return AssistantReply(
        text, _token_count_if_valid(usage, "prompt_tokens"), _token_count_if_valid(usage, "completion_tokens")
    )


def _token_count_if_valid(usage: object, usage_field: str) -> int | None:
    count = usage.get(usage_field) if isinstance(usage, dict) else None
    return count if isinstance(count, int) and 0 <= count < _MOST_TOKENS else None


def _read_event_stream(event_stream: BinaryIO, max_bytes: int, on_text_so_far: Callable[[str], None]) -> _StreamedReply:
    """Read a reply of the chat API that comes in pieces, as server-sent events, to its end.

        data: {"choices": [{"delta": {"content": "Look at "}}]}
        data: {"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 20}}
        data: [DONE]

    Args:
        event_stream: The body of the response.
        max_bytes: Bytes that are read of it at most.
        on_text_so_far: Called with the text so far after each piece; may raise to end it.

    Raises:
        _StreamFailedError: The endpoint reported an error.
        ValueError: An event is not JSON.
        TypeError: An event is not of this API, and so are KeyError, IndexError and AttributeError.
    """
    text, usage, remaining_bytes = "", None, max_bytes
    while remaining_bytes > 0 and (line := event_stream.readline(remaining_bytes)):
        remaining_bytes -= len(line)
        name, _, content = line.strip().partition(b":")
        if name != b"data" or not content.strip():
            continue
        if content.strip() == _DONE:
            break
        event = parse_untrusted_json(content)
        if event.get("error"):
            raise _StreamFailedError
        usage = event.get("usage") or usage
        for choice in event.get("choices", ())[:1]:
            piece = choice["delta"].get("content")
            if isinstance(piece, str) and piece:
                text += piece
                on_text_so_far(text)
    return _StreamedReply(text, usage)
