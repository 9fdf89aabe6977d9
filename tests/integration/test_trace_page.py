"""A trace's page in a real browser: stepped through by buttons and keys, with its own policy, in light and dark."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

from benchwright_analysis.trace.page import trace_page
from benchwright_analysis.trace.step import AttemptTrace, StepKind, TracePart, TraceStep, change_excerpt, whole_excerpt
from benchwright_attempts import log_file
from benchwright_attempts.attempts import Attempts
from benchwright_attempts.events.events import Started, TextCause, TextSet
from benchwright_attempts.events.evidence import ModelUsage
from benchwright_attempts.events.file_text import FileText
from benchwright_attempts.log.log import EventLog
from benchwright_foundation.home import Home

from ..support.editor.axe import faults
from ..support.editor.report_in_browser import browser

BENCHWRIGHT = Path(sys.executable).with_name("benchwright")
HOSTILE = "</pre></script><script>document.body.dataset.found = 'ran'</script>\u202e<img src=x onerror=alert(1)>"
SHOWN = TraceStep(
    StepKind.SHOWN, f"An offer {HOSTILE}", 2.0, {"latency": "3 ms"}, [whole_excerpt("What was offered", HOSTILE)]
)
STEPS = [
    TraceStep(StepKind.ASKED, "Request 1", 1.0),
    SHOWN,
    TraceStep(StepKind.REFUSED, "The policy refused it", 2.5),
    TraceStep(StepKind.EDITED, "rtl/m.sv: typed", 3.0, {}, [change_excerpt("What changed", "a\nb\n", "a\nc\n")]),
    TraceStep(StepKind.RAN, "Run 1 passed, 3 of 3 tests", 4.0),
]
TRACE = AttemptTrace("Trace of starter/m", {"solver": HOSTILE}, [TracePart("one", STEPS), TracePart("two", STEPS[:2])])
_PROBE = """{ const seen = [];
const told = () => seen.push(document.getElementById("told").textContent);
const opened = () => seen.push([...document.querySelectorAll("details.step")].filter((one) => one.open).length);
const key = (name) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
const choose = (id, value) => {
  const select = document.getElementById(id);
  select.value = value;
  select.dispatchEvent(new Event("change"));
};
told();
document.getElementById("next").click();
key("ArrowRight");
told();
opened();
key("ArrowLeft");
told();
choose("kind", "edited");
told();
key("ArrowRight");
told();
choose("kind", "");
choose("part", "1");
told();
document.getElementById("all").click();
opened();
seen.push(document.querySelectorAll("img").length);
document.body.dataset.found = JSON.stringify(seen); }"""


def without_policy(page: str) -> str:
    return re.sub(r"<meta http-equiv[^>]*>", "", page)


def test_buttons_keys_kinds_and_sites_lead_through_the_steps(tmp_path: Path) -> None:
    file = tmp_path / "trace.html"
    page = without_policy(trace_page(TRACE)).replace("</body>", f"<script>{_PROBE}</script></body>")
    file.write_text(page, encoding="utf-8")
    dom = browser("--dump-dom", file.as_uri()).stdout.decode()
    match = re.search(r'data-found="([^"]*)"', dom)
    assert match is not None
    offer_text = "An offer </pre></script><script>document.body.dataset.found = 'ran'</script>"
    first, second, opened, back, kinds, edited, other_kind, step_total, images = json.loads(unescape(match[1]))
    assert first == "5 steps"
    assert second.startswith(f"Step 2 of 5: 00:02 shown {offer_text}")
    assert opened == 1
    assert back == "Step 1 of 5: 00:01 asked Request 1"
    assert kinds == "1 step"
    assert edited == "Step 1 of 1: 00:03 edited rtl/m.sv: typed"
    assert other_kind == "2 steps"
    assert step_total == 7
    assert images == 0


def test_the_pages_policy_lets_its_own_script_run_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "trace.html"
    page = trace_page(TRACE)
    file.write_text(page.replace("</body>", "<script>document.body.dataset.found = 'ran';</script></body>"), "utf-8")
    dom = browser("--dump-dom", file.as_uri()).stdout.decode()
    assert '<span id="told" role="status">5 steps</span>' in dom
    assert "data-found" not in dom.partition("<script>")[0]


def test_axe_finds_nothing_in_light_and_dark(tmp_path: Path) -> None:
    page = without_policy(trace_page(TRACE)).replace(' aria-label="Steps" hidden', ' aria-label="Steps"')
    opened_page = page.replace('<details class="step">', '<details class="step" open>')
    assert faults(opened_page, "", tmp_path) == []
    assert faults(page, "", tmp_path) == []


def test_the_command_writes_the_page_of_an_attempt(tmp_path: Path) -> None:
    environ = {**os.environ, "BENCHWRIGHT_HOME": str(tmp_path / "home")}
    with EventLog(log_file(Home.from_environment(environ))) as log:
        starting_files = {"m.sv": FileText.of_text("module m;\nendmodule\n")}
        attempt = (
            Attempts(log).create("starter/m", "d" * 64, tmp_path, starting_files, solver="x", condition="agent").id
        )
        log.append_blocking(attempt, Started())
        log.append_blocking(attempt, ModelUsage(model="openai/x", calls=1))
        new_file = FileText.of_text("module m;\nassign y = a;\nendmodule\n")
        log.append_blocking(attempt, TextSet(path="m.sv", cause=TextCause.WRITTEN, file=new_file))
    page_file = tmp_path / "trace.html"
    command = [str(BENCHWRIGHT), "attempts", "trace", attempt[:8], "--out", str(page_file)]
    subprocess.run(command, env=environ, check=True, capture_output=True, timeout=60)
    assert "openai/x was asked" in page_file.read_text()
    assert "+ assign y = a;" in page_file.read_text()
    assert page_file.stat().st_mode & 0o077 == 0
    refusal = subprocess.run(
        [*command[:3], "nosuch", "--out", str(page_file)],
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert refusal.returncode == 2
    assert "nosuch" in refusal.stderr
