"""The report's page in a real browser: long tables are paged, no table is cut, pictures have their own font."""

from __future__ import annotations

import json
import re
import zlib
from pathlib import Path

import pytest

from benchwright_analysis.report.charts import interval_chart
from benchwright_analysis.report.page import report_page
from benchwright_analysis.report.section import Section, SectionPicture, SortableTable

from ..support.editor.report_in_browser import browser

_GROUP = "human+copilot, ÄÖÜß in a label of some length"

_WIDE = """document.querySelectorAll("details").forEach((one) => (one.open = true));
const clipped = [...document.querySelectorAll(".wide")].filter((one) => one.scrollWidth > one.clientWidth);
document.body.dataset.found = clipped.map((one) => one.getAttribute("aria-label")).join();"""
_INTERVAL = "91.4 % (67.8 to 93.4 %)"

_FOLDS = """const states = () => [...document.querySelectorAll("details.fold")].map((one) => one.open);
const before = states();
location.hash = "attempts";
addEventListener("hashchange", () => setTimeout(() => {
  const linked = states();
  document.querySelector(".folds button").click();
  const found = [before, linked, states(), document.documentElement.scrollWidth <= innerWidth];
  document.body.dataset.found = JSON.stringify(found);
}));"""

_PROBE = """document.fonts.ready.then(() => {
  const cut = [...document.querySelectorAll("figure svg")].flatMap((svg) => {
    const box = svg.getBoundingClientRect();
    const isCut = (at) => at.left < box.left - 1 || at.right > box.right + 1;
    return [...svg.querySelectorAll("text")].filter((text) => isCut(text.getBoundingClientRect()));
  });
  const fonts = [...document.fonts].map((font) => `${font.family} ${font.status}`);
  document.body.dataset.found = `${cut.map((text) => text.textContent)};${fonts}`;
});"""


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A page with 400 attempts, and a picture."""
    attempt_rows = [(f"a{number:03}", f"P{number % 30:02}", number) for number in range(400)]
    attempt_table = SortableTable("All attempts", ("attempt", "who", "minutes"), attempt_rows)
    small_table = SortableTable("Few", ("group", "n"), [(_GROUP, 3)])
    wide = SortableTable(
        "The answer",
        (
            *("condition", "solved", "percentage points more than alone", "mean minutes up to 41 min"),
            *("change of time against alone", "attempts", "people", "problems"),
        ),
        [(_GROUP, *[_INTERVAL] * 4, 174, 30, 12)],
    )
    svg = interval_chart(
        [{"label": _GROUP, "group": _GROUP, "value": 0.5, "low": 0.2, "high": 0.7}], [_GROUP], x_title="x", y_title=""
    )
    sections = [
        Section("few", "Few", (), (SectionPicture("few", "Few", "Few.", svg, small_table),), (small_table,)),
        Section("answer", "Answer", (), (), (wide,)),
        Section("attempts", "Attempts", (), (), (attempt_table,)),
    ]
    file = tmp_path / "report.html"
    file.write_text(report_page("Report", "", sections, {}), encoding="utf-8")
    return file


def test_a_long_table_shows_its_first_rows_and_says_how_many_there_are(report: Path) -> None:
    dom = browser("--dump-dom", report.as_uri()).stdout.decode()
    row_matches = re.findall(r"<tr([^>]*)><td[^>]*>a(\d{3})</td>", dom)
    assert [number for attributes, number in row_matches if "hidden" not in attributes] == [
        f"{n:03}" for n in range(25)
    ]
    assert len(row_matches) == 400
    assert dom.count('role="status"') == 1
    assert "Rows 1 to 25, 400 in all" in dom
    assert 'aria-rowcount="401"' in dom
    assert 'aria-label="Next rows of All attempts"' in dom


def test_400_attempts_are_printed_on_few_pages(report: Path, tmp_path: Path) -> None:
    browser(f"--print-to-pdf={tmp_path / 'report.pdf'}", report.as_uri())
    page_marks = re.findall(rb"/Type\s*/Page\b", (tmp_path / "report.pdf").read_bytes())
    assert 1 <= len(page_marks) <= 3


def test_a_table_on_two_pages_has_its_heads_on_both(report: Path, tmp_path: Path) -> None:
    coloured = "<style>thead { color: rgb(255, 0, 0) !important; } tbody tr { line-height: 4 }</style></head>"
    report.write_text(report.read_text(encoding="utf-8").replace("</head>", coloured), encoding="utf-8")
    browser(f"--print-to-pdf={tmp_path / 'report.pdf'}", report.as_uri())
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", (tmp_path / "report.pdf").read_bytes(), re.DOTALL)
    page_contents = [content for content in map(inflated, streams) if b" Tf" in content]
    # The table of attempts goes over several pages; text in red is a head.
    assert len(page_contents) >= 3
    assert [b"1 0 0 rg" in content for content in page_contents[1:]] == [True] * (len(page_contents) - 1)


def inflated(stream: bytes) -> bytes:
    """A stream of a PDF file, or nothing if it is not compressed text."""
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return b""


def test_no_table_is_cut_at_the_width_of_a_small_screen(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    probe = report.with_name("probe.html")
    open_to_all = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    probe.write_text(open_to_all.replace("</body>", f"<script>{_WIDE}</script></body>"), encoding="utf-8")
    dom = browser("--window-size=1024,700", "--dump-dom", probe.as_uri()).stdout.decode()
    match = re.search(r'data-found="([^"]*)"', dom)
    assert match is not None
    assert match.group(1) == ""


def test_a_link_opens_what_it_leads_to_and_a_phone_needs_no_sideways_scrolling(report: Path) -> None:
    probe = report.with_name("probe.html")
    open_to_all = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", report.read_text(encoding="utf-8"))
    probe.write_text(open_to_all.replace("</body>", f"<script>{_FOLDS}</script></body>"), encoding="utf-8")
    dom = browser("--window-size=500,844", "--dump-dom", probe.as_uri()).stdout.decode()
    match = re.search(r'data-found="([^"]*)"', dom)
    assert match is not None
    before, linked, opened, fits = json.loads(match.group(1).replace("&quot;", '"'))
    assert (before, linked, opened, fits) == ([False, False], [False, True], [True, True], True)


def test_pictures_are_shown_with_the_font_that_they_were_measured_with(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    probe = report.with_name("probe.html")
    # The page's own policy lets no other script run.
    open_to_all = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    probe.write_text(open_to_all.replace("</body>", f"<script>{_PROBE}</script></body>"), encoding="utf-8")
    dom = browser("--dump-dom", probe.as_uri()).stdout.decode()
    match = re.search(r'data-found="([^"]*)"', dom)
    assert match is not None
    assert match.group(1).replace("&quot;", "") == ";Report Inter loaded"
