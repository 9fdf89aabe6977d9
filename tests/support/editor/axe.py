"""Faults that axe finds in a page, in headless Chromium, in light and in dark colours."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import pytest

_AXE = Path(__file__).parents[3] / "node_modules" / "axe-core" / "axe.min.js"
_BROWSERS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
_RUN = """axe.run(document).then(({ violations, passes }) => {
  const said = ({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 160)}`);
  const found = violations.flatMap(said);
  if (!passes.length) found.push("axe has checked nothing");
  document.body.dataset.found = JSON.stringify(found);
});"""
_SCHEMES = {"dark": 0, "light": 1}


def faults(page: str, style: str, folder: Path) -> list[str]:
    """Faults of a page, each as one line.

    Args:
        page: HTML; its own scripts do not run.
        style: The style sheet of the service's pages.
        folder: Folder for files.
    """
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None or not _AXE.is_file():
        pytest.skip("Chromium and axe-core are needed")
    page_without_scripts = re.sub(r"<script.*?</script>|<link [^>]*>", "", page, flags=re.DOTALL)
    scripts = f"<script>{_AXE.read_text()}</script><script>{_RUN}</script>"
    file = folder / "page.html"
    head, body, tail = page_without_scripts.partition("</head>")
    file.write_text(f"{head}<style>{style}</style>{body}{tail.replace('</body>', f'{scripts}</body>')}", "utf-8")
    findings = []
    for name, scheme in _SCHEMES.items():
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000", "--dump-dom"]
        command += [f"--blink-settings=preferredColorScheme={scheme}", file.as_uri()]
        dom = subprocess.run(command, check=True, capture_output=True, timeout=120).stdout.decode()
        found_faults = re.search(r'<body data-found="([^"]*)"', dom)
        assert found_faults is not None, "axe has not ended"
        findings += [f"{name}: {finding}" for finding in json.loads(unescape(found_faults[1]))]
    return findings
