"""Answers of a bench service about its health."""

from __future__ import annotations

import time

from .bench_service import Service

WITHIN_S = 60.0


def asked(service: Service, check: str = "ready") -> tuple[int, str]:
    """Status and reason."""
    with service.client() as client:
        reply = client.get(f"/api/v1/health/{check}")
    return reply.status_code, reply.json().get("detail", "")


def until(service: Service, status: int, reason: str = "", check: str = "ready") -> None:
    """Waits for an answer."""
    give_up = time.monotonic() + WITHIN_S
    while (answer := asked(service, check))[0] != status or reason not in answer[1]:
        assert time.monotonic() < give_up, answer
        time.sleep(0.1)
