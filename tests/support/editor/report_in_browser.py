"""Fixtures and helpers of the tests of report in browser."""

from __future__ import annotations

import shutil
import subprocess

import pytest

_BROWSERS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def browser(*words: str) -> subprocess.CompletedProcess[bytes]:
    chromium = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if chromium is None:
        pytest.skip("Chromium is needed")
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", *words]
    return subprocess.run(command, check=True, capture_output=True, timeout=120)
