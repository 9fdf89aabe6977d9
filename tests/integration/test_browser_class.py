"""Two students in a browser: the hub of `setup/browser-class` signs them in, and their editors are in the course."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ..support.service.browser_class import ROOT, TOOLS, browser_class

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


@pytest.mark.nightly
@pytest.mark.alone
def test_two_students_are_in_the_course_by_signing_in_and_see_nothing_of_each_other(
    tmp_path: Path,
) -> None:
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome-stable"))), None)
    if chromium is None:
        pytest.skip("Chromium is needed")
    script = ROOT / "tests" / "e2e" / "artifacts" / "class.mjs"
    script.parent.mkdir(exist_ok=True)
    script.write_text(BROWSER)
    with browser_class(tmp_path, CLASS_PASSWORD="class-secret") as started:
        browser_process = subprocess.run(
            [(TOOLS / "node").resolve(), script, started.hub, chromium], capture_output=True, text=True, timeout=400
        )
        assert browser_process.returncode == 0, browser_process.stderr + started.log.read_text()[-3000:]
        assert browser_process.stdout.strip() == "another's editor: 403"
