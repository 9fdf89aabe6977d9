"""`benchwright serve --demo`: a course with invented students at a real service, which leaves nothing behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import pytest

WORKED = "All students have worked."


def wait_for_text(file: Path, pattern: str, process: subprocess.Popen[bytes], within_s: float) -> str:
    """Text that the demo prints, once it prints it."""
    give_up = time.monotonic() + within_s
    while (match := re.search(pattern, file.read_text())) is None:
        assert process.poll() is None, file.read_text()
        assert time.monotonic() < give_up, file.read_text()
        time.sleep(0.1)
    return match[1]


# Everything else of the demo is seen by the tests in the browser.
@pytest.mark.nightly
def test_twenty_students_work_and_their_teacher_sees_them(tmp_path: Path, open_folder: Path) -> None:
    output, scratch_folder = tmp_path / "output", open_folder
    command = [str(Path(sys.executable).parent / "benchwright"), "serve", "--demo", "--port", "0"]
    environment = os.environ | {
        "TMPDIR": str(scratch_folder),
        "BENCHWRIGHT_SERVICE_DATABASE": "postgresql://nobody@127.0.0.1:1/x",
    }
    with output.open("wb") as stream:
        process = subprocess.Popen(command, env=environment, stdout=stream, stderr=stream)
    try:
        url = wait_for_text(output, r"students: (http\S+)/sign-in", process, 60)
        code = wait_for_text(output, r"teacher with (\S+)", process, 60)
        wait_for_text(output, f"({re.escape(WORKED)})", process, 180)
        with httpx2.Client(base_url=url, headers={"Origin": url}, trust_env=False, timeout=30) as client:
            assert client.post("/sign-in", data={"code": code, "name": "Professor"}).status_code == 303
            progress = client.get("/courses/demo/progress").text
            assert "20 students" in progress
            assert len(re.findall(r'class="passed"', progress)) > 20
            assert len(re.findall(r'class="failed"', progress)) > 5
            first = re.findall(r'href="(/courses/demo/items/[^"]*)"', client.get("/courses/demo/items").text)[0]
            assert re.search(r"20, of whom \d+ passed", client.get(first).text)
            assert "Sophie Wilson" in client.get(f"{first}/alike").text
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    assert list(scratch_folder.iterdir()) == []
