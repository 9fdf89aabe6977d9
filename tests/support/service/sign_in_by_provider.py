"""Fixtures and helpers of the tests of sign in by provider."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import httpx2
import pytest

SECRET = "s3cret-of-the-client-which-is-long-enough"


@pytest.fixture(scope="module")
def independent() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}"
        give_up = time.monotonic() + 30
        while not _answers(url):
            assert time.monotonic() < give_up
            time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait(30)


def _answers(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/.well-known/openid-configuration", trust_env=False).is_success
    except httpx2.TransportError:
        return False


def sign_in(client: httpx2.Client, subject: str, path: str = "/sign-in/provider") -> httpx2.Response:
    """Does what a browser does: goes to the provider, says who it is there, and comes back."""
    redirect = client.get(path)
    assert redirect.status_code in (302, 307), redirect.text
    with httpx2.Client(trust_env=False, timeout=60) as elsewhere:
        back = elsewhere.post(redirect.headers["location"], data={"sub": subject})
    return client.get(back.headers["location"])
