"""Tokens that the models behind inline-completion servers used, where the run served them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchwright_analysis.completion.played_runs import SiteGroup
from benchwright_analysis.report.section import Cell, Section, SortableTable

_UNKNOWN = "unknown"


@dataclass(frozen=True)
class SiteTokens:
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


def token_use_if_model_served_here(site_group: SiteGroup) -> SiteTokens | None:
    """Tokens that the model used; None if it is the server's own affair, so that nobody here knows."""
    uses = [record.model_use for record in site_group.records if record.model_use is not None]
    if not site_group.run.settings.model or len(uses) < len(site_group.records):
        return None
    requests = sum(model_use.requests for model_use in uses)
    answered_count, counted_replies = (
        sum(model_use.answered for model_use in uses),
        sum(model_use.counted for model_use in uses),
    )
    is_known = counted_replies > 0 or answered_count == 0
    return SiteTokens(
        site_group.run.settings.model,
        requests=requests,
        unanswered=requests - answered_count,
        uncounted=answered_count - counted_replies,
        input_tokens=sum(model_use.input_tokens for model_use in uses) if is_known else None,
        output_tokens=sum(model_use.output_tokens for model_use in uses) if is_known else None,
    )


def tokens_section(site_groups: Sequence[SiteGroup], name_headings: Sequence[str]) -> Section:
    """The section of the report.

    Args:
        site_groups: Parts of all runs.
        name_headings: Headings of the columns for what a part is called.
    """
    part_tokens = [(site_group, token_use_if_model_served_here(site_group)) for site_group in site_groups]
    rows: list[Sequence[Cell]] = [(*site_group.name_cells, *_token_cells(usage)) for site_group, usage in part_tokens]
    note = (
        "Unknown: the server asks a model by an account or address of its own. Unanswered: given up by the server, or "
        "the model could not be asked; what those used is unknown. Uncounted: the provider did not say what it used. "
        "Tokens in are those of prompts, also where the provider had them in a cache; out are those of answers."
    )
    columns = (*name_headings, "model", "requests to it", "unanswered", "uncounted", "tokens in", "tokens out")
    table = SortableTable("Tokens", columns, rows, note)
    named_usages = {" | ".join(site_group.name_cells): usage for site_group, usage in part_tokens if usage is not None}
    empty_note = (
        "" if named_usages else "The servers ask models by accounts or addresses of their own: tokens are unknown."
    )
    return Section("tokens", "What its model used", tables=[table], numbers=named_usages, empty_reason=empty_note)


def _token_cells(site_tokens: SiteTokens | None) -> Sequence[Cell]:
    if site_tokens is None:
        return (_UNKNOWN,) * 6
    counts = (_UNKNOWN if value is None else value for value in (site_tokens.input_tokens, site_tokens.output_tokens))
    return (site_tokens.model, site_tokens.requests, site_tokens.unanswered, site_tokens.uncounted, *counts)
