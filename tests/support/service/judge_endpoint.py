"""An OpenAI-compatible endpoint on loopback that plays the judges a test writes for it: real HTTP, no network."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class PlayedReply:
    """Reply that goes over the wire."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    """Before it is sent; over at once where the endpoint closes."""
    endless: bool = False
    """True if the body is sent again and again, until the client hangs up."""
    pause_s: float = 0.0
    """Between two times."""
    cut_at: int | None = None
    """Bytes of the body after which the connection is closed; -1 to close it before any header."""


@dataclass(frozen=True)
class JudgeRequest:
    """A request as it came in."""

    body: dict[str, Any]
    headers: Mapping[str, str]
    """Names in lower case."""

    @property
    def system(self) -> str:
        return str(self.body["messages"][0]["content"])

    @property
    def user(self) -> str:
        """All text of the user's message."""
        content = self.body["messages"][1]["content"]
        return content if isinstance(content, str) else "\n".join(p["text"] for p in content if p["type"] == "text")

    @property
    def seed(self) -> int:
        return int(self.body["seed"])


Play = Callable[[JudgeRequest], PlayedReply]


def content(text: str | None, *, token_counts: tuple[int, int] | None = (100, 20), **message: Any) -> PlayedReply:
    """A well-formed completion with this text."""
    completion: dict[str, Any] = {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "finish_reason": message.pop("finish_reason", "stop"),
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
    }
    if token_counts is not None:
        completion["usage"] = {
            "prompt_tokens": token_counts[0],
            "completion_tokens": token_counts[1],
            "total_tokens": sum(token_counts),
        }
    return PlayedReply(json.dumps(completion).encode(), headers={"Content-Type": "application/json"})


def echoes(prompt: str, log_probabilities: Sequence[float | None]) -> PlayedReply:
    """A prompt with the log-probabilities of its tokens and, in the end, of one that is added."""
    echo_choice = {
        "index": 0,
        "text": prompt,
        "finish_reason": "length",
        "logprobs": {"token_logprobs": log_probabilities},
    }
    token_count = len(log_probabilities) - 1
    usage = {"prompt_tokens": token_count, "completion_tokens": 1, "total_tokens": token_count + 1}
    echo_reply = {"id": "1", "object": "text_completion", "created": 0, "model": "scripted", "choices": [echo_choice]}
    return PlayedReply(json.dumps(echo_reply | {"usage": usage}).encode(), headers={"Content-Type": "application/json"})


def says(judge_verdict: object, reason: str = "Because.") -> PlayedReply:
    """A verdict as a good judge gives it."""
    return content(json.dumps({"reason": reason, "verdict": judge_verdict}))


def fails(status: int, message: str = "", **headers: str) -> PlayedReply:
    """An error as the API has them."""
    error = {"error": {"message": message, "type": "scripted", "param": None, "code": None}}
    extra_headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return PlayedReply(json.dumps(error).encode(), status, {"Content-Type": "application/json", **extra_headers})


def in_turn(*plays: PlayedReply) -> Play:
    """One after the other; the last for ever."""
    pending_plays = list(plays)
    return lambda request: pending_plays.pop(0) if len(pending_plays) > 1 else pending_plays[0]


class JudgeEndpoint:
    """Serves until the `with` block ends.

    Args:
        play: Called for every request.
    """

    def __init__(self, play: Play) -> None:
        self.play = play
        self.requests: list[JudgeRequest] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                request = JudgeRequest(body, {name.lower(): value for name, value in self.headers.items()})
                with endpoint._lock:
                    endpoint.requests.append(request)
                    played_reply = endpoint.play(request)
                endpoint._closing.wait(played_reply.delay_s)
                if played_reply.cut_at == -1:
                    self.close_connection = True
                    return
                try:
                    self.send_response(played_reply.status)
                    for name, value in played_reply.headers.items():
                        self.send_header(name, value)
                    if not played_reply.endless:
                        self.send_header("Content-Length", str(len(played_reply.body)))
                    self.end_headers()
                    self.wfile.write(played_reply.body[: played_reply.cut_at])
                    while played_reply.endless and not endpoint._closing.wait(played_reply.pause_s):
                        self.wfile.write(played_reply.body)
                except OSError:
                    self.close_connection = True
                if played_reply.endless or played_reply.cut_at is not None:
                    self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
