"""Two students in a browser: the hub of `setup/browser-class` signs them in, and their editors are in the course."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLASS = ROOT / "setup" / "browser-class"
TOOLS = Path("/opt/benchwright-class-test")
PATIENCE_S = 180
SCRIPT = """
set -e
benchwright course create arch --title "Computer architecture"
benchwright course assign arch starter --title "Week 1"
benchwright serve --port $SERVICE_PORT --workers 1 &
cd $HUB
exec $CLASS_TOOLS/hub/bin/jupyterhub -f $CONFIG
"""
BROWSER = """
import { chromium } from "playwright-core";
const [, , address, path] = process.argv;
const browser = await chromium.launch({ executablePath: path, args: ["--no-sandbox"] });
const enter = async (name) => {
  const page = await (await browser.newContext()).newPage();
  await page.goto(address);
  await page.fill("input[name=username]", name);
  await page.fill("input[name=password]", "class-secret");
  await page.click("#login_submit");
  await page.waitForURL((url) => url.pathname.startsWith("/user/"), { timeout: 120_000 });
  await page.locator(".activitybar .action-label[aria-label^=Benchwright]").first().click({ timeout: 120_000 });
  await page.locator(".monaco-list-row", { hasText: "Week 1" }).waitFor({ timeout: 120_000 });
  return page;
};
const [ada] = await Promise.all([enter("ada"), enter("bob")]);
const other = await ada.goto(`${address}user/bob/`);
console.log(`another's editor: ${other.status()}`);
await browser.close();
"""


def _free_ports() -> tuple[int, int]:
    """The first of three in a row for the hub, and one for the service."""
    for first in range(23_000, 24_000, 10):
        with socket.socket() as one, socket.socket() as two, socket.socket() as three, socket.socket() as four:
            try:
                for place, each in enumerate((one, two, three, four)):
                    each.bind(("127.0.0.1", first + place))
            except OSError:
                continue
            return first, first + 3
    raise AssertionError("no free ports")


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Of a hub that runs."""
    if os.geteuid() != 0 or not shutil.which("useradd") or not Path("/var/cache/benchwright/code-server").is_dir():
        pytest.skip("needs root, useradd, and an editor that ./run --setup has installed as root")
    subprocess.run(["sh", CLASS / "install.sh", TOOLS], check=True, timeout=600)
    port, service = _free_ports()
    (tmp_path / "hub").mkdir(mode=0o700)
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "BENCHWRIGHT_HOME": str(tmp_path / "service"),
        "CLASS_TOOLS": str(TOOLS),
        "CLASS_COURSE": "arch",
        "CLASS_SERVICE": f"http://127.0.0.1:{service}",
        "CLASS_PORT": str(port),
        "CLASS_PASSWORD": "class-secret",
        "SERVICE_PORT": str(service),
        "HUB": str(tmp_path / "hub"),
        "CONFIG": str(CLASS / "jupyterhub_config.py"),
    }
    with (tmp_path / "log").open("wb") as log:
        command = ["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc"]
        hub = subprocess.Popen(
            [*command, "sh", ROOT / "tests" / "browser_class.sh", "sh", "-c", SCRIPT],
            env=environment,
            stdout=log,
            stderr=log,
        )
        try:
            until = time.monotonic() + PATIENCE_S
            while True:
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/hub/login", timeout=5).close()
                    break
                except OSError:
                    assert hub.poll() is None and time.monotonic() < until, (tmp_path / "log").read_text()[-3000:]
                    time.sleep(0.5)
            yield f"http://127.0.0.1:{port}/"
        finally:
            # The first process of the namespace ends with it, and so do all others.
            hub.kill()
            hub.wait(60)


@pytest.mark.nightly
@pytest.mark.alone
def test_two_students_are_in_the_course_by_signing_in_and_see_nothing_of_each_other(
    address: str, tmp_path: Path
) -> None:
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome-stable"))), None)
    if chromium is None:
        pytest.skip("Chromium is needed")
    script = ROOT / "tests" / "e2e" / "artifacts" / "class.mjs"
    script.parent.mkdir(exist_ok=True)
    script.write_text(BROWSER)
    played = subprocess.run(
        [(TOOLS / "node").resolve(), script, address, chromium], capture_output=True, text=True, timeout=400
    )
    assert played.returncode == 0, played.stderr + (tmp_path / "log").read_text()[-3000:]
    assert played.stdout.strip() == "another's editor: 403"
