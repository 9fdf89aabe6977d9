"""Fixtures and helpers of the tests of sandbox contract."""

from __future__ import annotations

from benchwright_problems.verdict import Verdict


def facts(verdict: Verdict) -> object:
    digests = (verdict.digests.problem, verdict.digests.harness, verdict.digests.toolchain)
    return verdict.reason, verdict.detail, verdict.tests, verdict.tools, verdict.remarks, verdict.seed, digests
