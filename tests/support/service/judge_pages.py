"""Fixtures and helpers of the tests of judge pages."""

from __future__ import annotations

import re
import socket

from .judge_endpoint import Asked


def labels(asked: Asked) -> bool:
    """Whether a label of a question is asked for."""
    return re.search(r"by the one skill|how hard|by topic", asked.system) is not None


def free_port() -> int:
    """A port that nobody listens to."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
