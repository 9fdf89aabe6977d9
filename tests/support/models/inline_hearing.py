"""Hears what the doubles of inline-completion servers are told, whatever becomes of them and of whoever drives them."""

from __future__ import annotations

import json
import socket
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class HeardMessage:
    """One message to a double."""

    home: str
    """Of the process: each has its own."""
    method: str
    params: Any


class Hearing:
    """Listens until the `with` block ends.

    Args:
        socket_path: Folder in which the socket is made.
    """

    def __init__(self, socket_path: Path) -> None:
        self.socket_path = socket_path
        self.heard_messages: list[HeardMessage] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self._socket.bind(str(socket_path))
        self._socket.settimeout(0.05)
        self._is_over = False
        self._thread = threading.Thread(target=self._listen, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over = True
        self._thread.join()
        self._socket.close()

    def params_of(self, method: str) -> list[Any]:
        """The parameters of the messages of a method, once nothing more has come for a moment."""
        count = -1
        while count != len(self.heard_messages):
            count = len(self.heard_messages)
            time.sleep(0.06)
        return [message.params for message in self.heard_messages if message.method == method]

    def wait_for(self, method: str) -> None:
        """Returns once a message of this method has come.

        Raises:
            AssertionError: None came in half a minute.
        """
        deadline_s = time.monotonic() + 30
        while not any(message.method == method for message in self.heard_messages):
            assert time.monotonic() < deadline_s, f"no {method}"
            time.sleep(0.02)

    def _listen(self) -> None:
        while not self._is_over:
            try:
                message = json.loads(self._socket.recv(1 << 20))
            except TimeoutError:
                continue
            self.heard_messages.append(HeardMessage(message["home"], message["method"], message["params"]))
