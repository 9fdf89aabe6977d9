"""Tokens that the models behind inline-completion servers used, where the run served them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchwright_analysis.completion.played_runs import SiteGroup
from benchwright_analysis.report.section import Cell, Section, Table

_UNKNOWN = "unknown"


@dataclass(frozen=True)
class Tokens:
    """Tokens that a model used at some sites."""

    model: str
    """As Inspect names it."""
    requests: int
    """Of the server to the model."""
    unanswered: int
    """Given up by the server, or failed."""
    uncounted: int
    """Answered, and the provider did not say how many tokens they used."""
    input_tokens: int | None
    """Of the prompts of the counted answers; None if there are answers and none of them is counted."""
    output_tokens: int | None


def tokens(part: SiteGroup) -> Tokens | None:
    """Tokens that the model used; None if it is the server's own affair, so that nobody here knows."""
    uses = [record.model_use for record in part.records if record.model_use is not None]
    if not part.run.settings.model or len(uses) < len(part.records):
        return None
    requests = sum(model_use.requests for model_use in uses)
    answered_count, counted = (
        sum(model_use.answered for model_use in uses),
        sum(model_use.counted for model_use in uses),
    )
    is_known = counted > 0 or answered_count == 0
    return Tokens(
        part.run.settings.model,
        requests=requests,
        unanswered=requests - answered_count,
        uncounted=answered_count - counted,
        input_tokens=sum(model_use.input_tokens for model_use in uses) if is_known else None,
        output_tokens=sum(model_use.output_tokens for model_use in uses) if is_known else None,
    )


def tokens_section(parts: Sequence[SiteGroup], names: Sequence[str]) -> Section:
    """The section of the report.

    Args:
        parts: Parts of all runs.
        names: Columns for what a part is called.
    """
    part_tokens = [(part, tokens(part)) for part in parts]
    rows: list[Sequence[Cell]] = [(*part.name, *_cells(usage)) for part, usage in part_tokens]
    note = (
        "Unknown: the server asks a model by an account or address of its own. Unanswered: given up by the server, or "
        "the model could not be asked; what those used is unknown. Uncounted: the provider did not say what it used. "
        "Tokens in are those of prompts, also where the provider had them in a cache; out are those of answers."
    )
    columns = (*names, "model", "requests to it", "unanswered", "uncounted", "tokens in", "tokens out")
    table = Table("Tokens", columns, rows, note)
    numbers = {" | ".join(part.name): usage for part, usage in part_tokens if usage is not None}
    empty_note = "" if numbers else "The servers ask models by accounts or addresses of their own: tokens are unknown."
    return Section("tokens", "What its model used", tables=[table], numbers=numbers, empty_reason=empty_note)


def _cells(usage: Tokens | None) -> Sequence[Cell]:
    if usage is None:
        return (_UNKNOWN,) * 6
    counts = (_UNKNOWN if value is None else value for value in (usage.input_tokens, usage.output_tokens))
    return (usage.model, usage.requests, usage.unanswered, usage.uncounted, *counts)
