"""What the models behind inline-completion servers used, where the run served them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchwright_analysis.completion.played_runs import Part
from benchwright_analysis.report.section import Cell, Section, Table

_UNKNOWN = "unknown"


@dataclass(frozen=True)
class Tokens:
    """What a model used at some sites."""

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


def tokens(part: Part) -> Tokens | None:
    """What the model used; None if it is the server's own affair, so that nobody here knows."""
    uses = [one.model_use for one in part.records if one.model_use is not None]
    if not part.run.settings.model or len(uses) < len(part.records):
        return None
    requests = sum(one.requests for one in uses)
    answered, counted = sum(one.answered for one in uses), sum(one.counted for one in uses)
    is_known = counted > 0 or answered == 0
    return Tokens(
        part.run.settings.model,
        requests=requests,
        unanswered=requests - answered,
        uncounted=answered - counted,
        input_tokens=sum(one.input_tokens for one in uses) if is_known else None,
        output_tokens=sum(one.output_tokens for one in uses) if is_known else None,
    )


def tokens_section(parts: Sequence[Part], names: Sequence[str]) -> Section:
    """The section of the report.

    Args:
        parts: Of all runs.
        names: Columns for what a part is called.
    """
    found = [(part, tokens(part)) for part in parts]
    rows: list[Sequence[Cell]] = [(*part.name, *_cells(one)) for part, one in found]
    note = (
        "Unknown: the server asks a model by an account or address of its own. Unanswered: given up by the server, or "
        "the model could not be asked; what those used is unknown. Uncounted: the provider did not say what it used. "
        "Tokens in are those of prompts, also where the provider had them in a cache; out are those of answers."
    )
    columns = (*names, "model", "requests to it", "unanswered", "uncounted", "tokens in", "tokens out")
    table = Table("Tokens", columns, rows, note)
    numbers = {" | ".join(part.name): one for part, one in found if one is not None}
    without = "" if numbers else "The servers ask models by accounts or addresses of their own: tokens are unknown."
    return Section("tokens", "What its model used", tables=[table], numbers=numbers, without=without)


def _cells(one: Tokens | None) -> Sequence[Cell]:
    if one is None:
        return (_UNKNOWN,) * 6
    counts = (_UNKNOWN if value is None else value for value in (one.input_tokens, one.output_tokens))
    return (one.model, one.requests, one.unanswered, one.uncounted, *counts)
