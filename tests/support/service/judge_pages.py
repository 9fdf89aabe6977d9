"""Fixtures and helpers of the tests of judge pages."""

from __future__ import annotations

import re
import socket

from .judge_endpoint import JudgeRequest


def labels(request: JudgeRequest) -> bool:
    """True if a label of a question is asked for."""
    return re.search(r"by the one skill|how hard|by topic", request.system) is not None


def free_port() -> int:
    """A port that nobody listens to."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
