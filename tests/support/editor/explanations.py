"""Fixtures and helpers of the tests of explanations."""

from __future__ import annotations

from ..studies.study import study_allowing

FORBIDDING = study_allowing("own_tests")
