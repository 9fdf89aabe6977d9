"""Additions of `pip install 'benchwright[all]'`."""

from __future__ import annotations

import contextlib
import http.client
import re
import signal
import subprocess

import pytest

from .installed import Installed

pytestmark = pytest.mark.nightly

_START_S = 120


def test_a_report_is_made(everything: Installed) -> None:
    process = everything.run("report", "--demo", "--people", "8", "--out", "report")
    assert process.returncode == 0, process.stderr
    assert (everything.working_folder / "report" / "report.html").is_file()


def test_docker_is_no_longer_missing_a_package(everything: Installed) -> None:
    (docker,) = [item for item in everything.ask("doctor")["items"] if item["name"] == "Docker"]
    assert "pip install" not in (docker.get("hint") or "")


def test_the_judge_service_serves_and_ends_cleanly(everything: Installed) -> None:
    command = [str(everything.bin / "benchwright"), "judge", "serve", "--port", "0"]
    with subprocess.Popen(
        command,
        cwd=everything.working_folder,
        env=everything.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as service:
        try:
            assert service.stdout is not None
            output = ""
            for line in service.stdout:
                output += line
                if match := re.search(r"http://127\.0\.0\.1:(\d+)", output):
                    break
            else:
                raise AssertionError(output)
            with contextlib.closing(http.client.HTTPConnection("127.0.0.1", int(match[1]), timeout=_START_S)) as client:
                client.request("GET", "/v1/health")
                assert client.getresponse().status < 500
            service.send_signal(signal.SIGINT)
            assert service.wait(_START_S) in (0, 130, -signal.SIGINT)
        finally:
            service.kill()
