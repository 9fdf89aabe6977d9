"""Fixtures and helpers of the tests of subjects."""

from __future__ import annotations

import re

import pytest

from benchwright_attempts.errors import EvaluationError
from benchwright_foundation.home import Home
from benchwright_subjects.agents.installation import install_subject_if_missing, is_installed
from benchwright_subjects.agents.preset import Preset, preset_named

LIGHT = ("gemini", "gemini-acp")


HEAVY = ("aider", "claude-code", "cn", "codex", "codex-acp", "mini-swe-agent", "opencode", "opencode-acp")


_REFUSED = re.compile(r"E40\d|ENOTFOUND|ECONN|ETIMEDOUT|EAI_AGAIN|ETARGET|No matching distribution|[Cc]onnection")


def installed_preset(name: str) -> Preset:
    """A subject, installed at the first time; the test is skipped where the registry refuses."""
    subject, cache = preset_named(name), Home.from_environment().cache
    if not is_installed(subject, cache):
        try:
            install_subject_if_missing(subject, cache, print)
        except EvaluationError as error:
            if _REFUSED.search(str(error)):
                pytest.skip(f"not installed: the registry refused {subject.package} {subject.version}")
            raise
    return subject
