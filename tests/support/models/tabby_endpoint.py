"""Server for tabby-agent, on loopback: a health check, and completions that a test decides."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class TabbyEndpoint:
    """A running one."""

    address: str = ""
    completion_requests: list[dict[str, Any]] = field(default_factory=list)
    """The requests for completions."""

    @property
    def settings(self) -> str:
        """The `config.toml` that leads tabby-agent here."""
        return f'[server]\nendpoint = "{self.address}"\ntoken = "x"\n[anonymousUsageTracking]\ndisable = true\n'


@contextmanager
def tabby_endpoint(say: Callable[[str], str]) -> Iterator[TabbyEndpoint]:
    """Serves while the block lasts.

    Args:
        say: The completion of a prefix.
    """
    endpoint = TabbyEndpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._say({"model": "scripted", "device": "cpu", "version": {"git_describe": "v0.30.0"}})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
            text = ""
            if self.path.endswith("/completions"):
                endpoint.completion_requests.append(body)
                text = say(body["segments"]["prefix"])
            self._say({"id": "c-1", "choices": [{"index": 0, "text": text}]})

        def _say(self, value: object) -> None:
            body = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        endpoint.address = f"http://127.0.0.1:{serving.server_port}"
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield endpoint
        serving.shutdown()
