"""A trace as one HTML file. What is in it comes from elsewhere, such as from a model: it is put in as text only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources

from benchwright_analysis.html_file import html_file_text
from benchwright_analysis.trace.step import AttemptTrace, ExcerptLine, StepExcerpt, StepKind, TracePart, TraceStep
from benchwright_foundation.number_text import clock_text
from benchwright_judges.models.prompt import escape_hidden_characters

_MOST_LINES = 400
_LONGEST_LINE = 1000
_MOST_CHARACTERS = 2000
"""Of a fact or title."""
_MARKS = {"+": ("ins", "+"), "-": ("del", "\N{MINUS SIGN}"), "~": ("em", "")}
_NOTE = (
    "Each entry is one step. Open them one by one, or use Previous and Next; the left and right arrow keys do the same."
)


def trace_page(trace: AttemptTrace) -> str:
    """The whole file: no address is asked for anything, and nothing in it runs but our own script."""
    style, script = _resource_text("trace.css"), _resource_text("trace.js")
    parts_html = "".join(_part_html(number, part) for number, part in enumerate(trace.trace_parts))
    choices = "".join(
        f'<option value="{number}">{_shortened_html(part.title)}</option>'
        for number, part in enumerate(trace.trace_parts)
    )
    choice_label = f'<label>Site <select id="part">{choices}</select></label>' if len(trace.trace_parts) > 1 else ""
    kind_options = "".join(f'<option value="{kind}">{kind}</option>' for kind in StepKind)
    body = f"""<header>
<h1>{_shortened_html(trace.title)}</h1>
{_facts_html(trace.fact_texts)}
<p class="soft">{_NOTE}</p>
</header>
<nav id="controls" aria-label="Steps" hidden>
{choice_label}
<button type="button" id="previous">Previous</button>
<button type="button" id="next">Next</button>
<button type="button" id="play">Play</button>
<label>Only <select id="kind"><option value="">all steps</option>{kind_options}</select></label>
<button type="button" id="all" aria-pressed="false">Open all</button>
<span id="told" role="status"></span>
</nav>
<main>
{parts_html}
</main>"""
    return html_file_text(
        _visible_and_shortened(trace.title), style, script, body, extra_policy_directives="base-uri 'none'"
    )


def _resource_text(file_name: str) -> str:
    return (resources.files("benchwright_analysis.trace") / file_name).read_text(encoding="utf-8")


def _part_html(part_number: int, trace_part: TracePart) -> str:
    title = trace_part.title or "Steps"
    steps_html = "".join(_step_html(step_number, step) for step_number, step in enumerate(trace_part.steps, 1))
    section_content = f"<ol>{steps_html}</ol>" if trace_part.steps else "<p>Nothing happened.</p>"
    return (
        f'<section class="part" id="part-{part_number}" aria-labelledby="part-{part_number}-title">'
        f'<h2 id="part-{part_number}-title">{_shortened_html(title)}</h2>{section_content}</section>\n'
    )


def _step_html(step_number: int, trace_step: TraceStep) -> str:
    time_label = "" if trace_step.at_s is None else f'<span class="at">{clock_text(trace_step.at_s)}</span> '
    summary = f'{time_label}<span class="kind">{trace_step.kind}</span> {_shortened_html(trace_step.title)}'
    excerpts_html = "".join(map(_excerpt_html, trace_step.excerpts))
    is_turn = trace_step.kind is StepKind.TURN
    body = _facts_html(trace_step.fact_texts) + (
        f'<div class="row">{excerpts_html}</div>' if is_turn else excerpts_html
    )
    step_content = body or '<p class="soft">No details.</p>'
    return (
        f'<li class="{trace_step.kind}"><details class="step"{" open" if is_turn else ""}>'
        f'<summary><span class="number">{step_number}</span> {summary}</summary>{step_content}</details></li>'
    )


def _facts_html(fact_texts: Mapping[str, str]) -> str:
    if not fact_texts:
        return ""
    rows_html = "".join(
        f"<div><dt>{_shortened_html(name)}</dt><dd>{_shortened_html(value)}</dd></div>"
        for name, value in fact_texts.items()
    )
    return f"<dl>{rows_html}</dl>"


def _excerpt_html(excerpt: StepExcerpt) -> str:
    lines = excerpt.lines[:_MOST_LINES]
    if left := len(excerpt.lines) - len(lines):
        lines = [*lines, ExcerptLine(f"{left:,} more lines", "~")]
    name = _shortened_html(excerpt.caption)
    return (
        f"<figure><figcaption>{name}</figcaption>"
        f'<pre tabindex="0" role="group" aria-label="{name}">{_lines_html(lines)}</pre></figure>'
    )


def _lines_html(lines: Sequence[ExcerptLine]) -> str:
    return "".join(_line_html(line) for line in lines) if lines else "<em>Nothing.</em>"


def _line_html(line: ExcerptLine) -> str:
    text = line.text if len(line.text) <= _LONGEST_LINE else f"{line.text[:_LONGEST_LINE]}…"
    tag, sign = _MARKS.get(line.mark, ("span", " "))
    return f'<{tag} class="line">{sign} {_visible_html(text)}\n</{tag}>'


def _shortened_html(text: str) -> str:
    return escape(_visible_and_shortened(text))


def _visible_and_shortened(text: str) -> str:
    return escape_hidden_characters(text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…")


def _visible_html(text: str) -> str:
    return escape(escape_hidden_characters(text))
