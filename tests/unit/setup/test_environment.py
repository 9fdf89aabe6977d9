"""The environment that checks and set-up run in."""

from __future__ import annotations

import installation
import pytest


def test_programs_that_are_started_may_keep_what_they_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("BENCHWRIGHT_HOME", "/home/ada")
    environment = installation.environment()
    assert "PYTHONDONTWRITEBYTECODE" not in environment
    assert environment["BENCHWRIGHT_HOME"] == "/home/ada"
