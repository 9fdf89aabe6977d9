"""Measures of one played site, in numbers. Definitions with their sources: docs/reference/completion-metrics.md."""

from __future__ import annotations

from benchwright_subjects.inline.record import SHOWN, Efforts, Likeness
from benchwright_subjects.inline.site_run import PlayedSite
from benchwright_subjects.inline.sites import Site, SiteKind
from benchwright_subjects.inline.text import similarity


def offer_likeness(site: Site, played_site: PlayedSite) -> Likeness | None:
    """The first offer beside what was expected; None if nothing was shown, or where every character was asked for."""
    first_offer = next((step.offer for step in played_site.steps if step.decision in SHOWN), None)
    if first_offer is None or site.kind is SiteKind.TYPE_THROUGH:
        return None
    expected_text = _expected_text_for_offer(site, first_offer)
    kept_count, lines = None, None
    if site.kind is SiteKind.REPLAY and site.final is not None:
        kept_count, lines = similarity.lines_found_and_total(
            first_offer, site.final, site.text_before + site.text_after
        )
    return Likeness(
        exact=similarity.squeeze_spaces(first_offer) == similarity.squeeze_spaces(expected_text),
        edit_similarity=round(similarity.edit_similarity(first_offer, expected_text), 6),
        identifier_f1=_round_measure(similarity.identifier_f1(first_offer, expected_text)),
        parses=similarity.parses_without_error(site.text_before + first_offer + site.text_after),
        lines_kept=kept_count,
        lines=lines,
    )


def measure_efforts(site: Site, played_site: PlayedSite) -> Efforts:
    """Characters that were expected, typed, accepted, kept and deleted."""
    texts = [step.accepted for step in played_site.steps if step.accepted]
    accepted_effort = sum(similarity.non_space_count(text) for text in texts)
    kept_effort = similarity.kept_non_space_count(texts, site.expected_text)
    return Efforts(
        expected=similarity.non_space_count(site.expected_text),
        typed=sum(similarity.non_space_count(step.typed) for step in played_site.steps),
        accepted=accepted_effort,
        kept=kept_effort,
        deleted=accepted_effort - kept_effort + sum(step.deleted for step in played_site.steps),
    )


def filled_line_count(text: str) -> int:
    """Lines that are not blank."""
    return sum(bool(line.strip()) for line in text.splitlines())


def _expected_text_for_offer(site: Site, offer_text: str) -> str:
    """The text that the offer is compared with: of an open end, as many lines as the offer has."""
    if site.kind not in (SiteKind.EMPTY_BODY, SiteKind.REPLAY):
        return site.expected_text
    lines = max(1, filled_line_count(offer_text))
    taken_lines: list[str] = []
    for line in site.expected_text.strip("\n").splitlines():
        if filled_line_count("\n".join(taken_lines)) == lines:
            break
        taken_lines.append(line)
    return "\n".join(taken_lines)


def _round_measure(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
