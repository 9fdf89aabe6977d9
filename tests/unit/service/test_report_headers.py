"""The headers that a study's report is served with."""

from __future__ import annotations

import pytest

from benchwright_analysis.report.page import report_page
from benchwright_service.studies.lab_monitor import report_headers


def test_a_report_may_run_its_own_script_and_act_for_nobody() -> None:
    policy = report_headers(report_page("A <study>", "", [], {}).encode())["Content-Security-Policy"]
    assert policy.startswith("sandbox allow-scripts allow-downloads; ")
    assert "allow-same-origin" not in policy
    assert "frame-ancestors 'none'" in policy
    assert "script-src 'sha256-" in policy
    assert "default-src 'none'" in policy


@pytest.mark.parametrize(
    "head",
    [
        "",
        '<meta http-equiv="Content-Security-Policy" content="script-src *">',
        '<meta http-equiv="Content-Security-Policy" content="a\r\nSet-Cookie: b">',
        " " * 2_000 + '<meta http-equiv="Content-Security-Policy" content="script-src https:">',
    ],
)
def test_a_page_without_such_a_policy_runs_nothing(head: str) -> None:
    policy = report_headers(f"<!doctype html>{head}".encode())["Content-Security-Policy"]
    assert "script-src" not in policy
    assert "default-src 'none'" in policy
    assert "\n" not in policy
