"""A trace as one HTML file. What is in it comes from elsewhere, such as from a model: it is put in as text only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources

from benchwright_analysis.html_file import html_file
from benchwright_analysis.trace.step import Excerpt, Line, StepKind, Trace, TracePart, TraceStep
from benchwright_judges.models.prompt import visible

_MOST_LINES = 400
_LONGEST_LINE = 1000
_MOST_CHARACTERS = 2000
"""Of a fact or title."""
_MARKS = {"+": ("ins", "+"), "-": ("del", "\N{MINUS SIGN}"), "~": ("em", "")}
_NOTE = (
    "Each entry is one step. Open them one by one, or use Previous and Next; the left and right arrow keys do the same."
)


def trace_page(trace: Trace) -> str:
    """The whole file: no address is asked for anything, and nothing in it runs but our own script."""
    style, script = _resource("trace.css"), _resource("trace.js")
    parts = "".join(_part(number, part) for number, part in enumerate(trace.parts))
    choices = "".join(
        f'<option value="{number}">{_text(part.title)}</option>' for number, part in enumerate(trace.parts)
    )
    choice_label = f'<label>Site <select id="part">{choices}</select></label>' if len(trace.parts) > 1 else ""
    kinds = "".join(f'<option value="{kind}">{kind}</option>' for kind in StepKind)
    body = f"""<header>
<h1>{_text(trace.title)}</h1>
{_facts(trace.facts)}
<p class="soft">{_NOTE}</p>
</header>
<nav id="controls" aria-label="Steps" hidden>
{choice_label}
<button type="button" id="previous">Previous</button>
<button type="button" id="next">Next</button>
<button type="button" id="play">Play</button>
<label>Only <select id="kind"><option value="">all steps</option>{kinds}</select></label>
<button type="button" id="all" aria-pressed="false">Open all</button>
<span id="told" role="status"></span>
</nav>
<main>
{parts}
</main>"""
    return html_file(_cut(trace.title), style, script, body, policy="base-uri 'none'")


def _resource(name: str) -> str:
    return (resources.files("benchwright_analysis.trace") / name).read_text(encoding="utf-8")


def _part(number: int, part: TracePart) -> str:
    title = part.title or "Steps"
    steps = "".join(_step(step_number, step) for step_number, step in enumerate(part.steps, 1))
    inside = f"<ol>{steps}</ol>" if part.steps else "<p>Nothing happened.</p>"
    return (
        f'<section class="part" id="part-{number}" aria-labelledby="part-{number}-title">'
        f'<h2 id="part-{number}-title">{_text(title)}</h2>{inside}</section>\n'
    )


def _step(number: int, step: TraceStep) -> str:
    time_label = "" if step.at_s is None else f'<span class="at">{_clock(step.at_s)}</span> '
    summary = f'{time_label}<span class="kind">{step.kind}</span> {_text(step.title)}'
    body = _facts(step.facts) + "".join(map(_excerpt, step.excerpts))
    inside = body or '<p class="soft">No details.</p>'
    return (
        f'<li class="{step.kind}"><details class="step">'
        f'<summary><span class="number">{number}</span> {summary}</summary>{inside}</details></li>'
    )


def _facts(facts: Mapping[str, str]) -> str:
    if not facts:
        return ""
    rows = "".join(f"<div><dt>{_text(name)}</dt><dd>{_text(value)}</dd></div>" for name, value in facts.items())
    return f"<dl>{rows}</dl>"


def _excerpt(excerpt: Excerpt) -> str:
    lines = excerpt.lines[:_MOST_LINES]
    if left := len(excerpt.lines) - len(lines):
        lines = [*lines, Line(f"{left:,} more lines", "~")]
    name = _text(excerpt.caption)
    return (
        f"<figure><figcaption>{name}</figcaption>"
        f'<pre tabindex="0" role="group" aria-label="{name}">{_code(lines)}</pre></figure>'
    )


def _code(lines: Sequence[Line]) -> str:
    return "".join(_line(line) for line in lines) if lines else "<em>Nothing.</em>"


def _line(line: Line) -> str:
    text = line.text if len(line.text) <= _LONGEST_LINE else f"{line.text[:_LONGEST_LINE]}…"
    tag, sign = _MARKS.get(line.mark, ("span", " "))
    return f'<{tag} class="line">{sign} {_escaped(text)}\n</{tag}>'


def _text(text: str) -> str:
    return escape(_cut(text))


def _cut(text: str) -> str:
    return visible(text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…")


def _escaped(text: str) -> str:
    return escape(visible(text))


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
