"""What one played site comes to, in numbers. Definitions with their sources: docs/reference/completion-metrics.md."""

from __future__ import annotations

from benchwright_subjects.inline.record import SHOWN, Efforts, Likeness
from benchwright_subjects.inline.site_run import Played
from benchwright_subjects.inline.sites import Site, SiteKind
from benchwright_subjects.inline.text import similarity


def likeness(site: Site, played: Played) -> Likeness | None:
    """The first offer beside what was expected; None if nothing was shown, or where every character was asked for."""
    first = next((step.offer for step in played.steps if step.decision in SHOWN), None)
    if first is None or site.kind is SiteKind.TYPE_THROUGH:
        return None
    expected = _as_long(site, first)
    kept, lines = None, None
    if site.kind is SiteKind.REPLAY and site.final is not None:
        kept, lines = similarity.lines_in(first, site.final, site.before + site.after)
    return Likeness(
        exact=similarity.squeezed(first) == similarity.squeezed(expected),
        edit_similarity=round(similarity.edit_similarity(first, expected), 6),
        identifier_f1=_rounded(similarity.identifier_f1(first, expected)),
        parses=similarity.parses(site.before + first + site.after),
        lines_kept=kept,
        lines=lines,
    )


def efforts(site: Site, played: Played) -> Efforts:
    """Characters that were expected, typed, accepted, kept and deleted."""
    texts = [step.accepted for step in played.steps if step.accepted]
    accepted = sum(similarity.effort(text) for text in texts)
    kept = similarity.kept_effort(texts, site.expected)
    return Efforts(
        expected=similarity.effort(site.expected),
        typed=sum(similarity.effort(step.typed) for step in played.steps),
        accepted=accepted,
        kept=kept,
        deleted=accepted - kept + sum(step.deleted for step in played.steps),
    )


def filled_lines(text: str) -> int:
    """Lines that are not blank."""
    return sum(bool(line.strip()) for line in text.splitlines())


def _as_long(site: Site, offer: str) -> str:
    """What the offer is compared with: of an open end, as many lines as it has."""
    if site.kind not in (SiteKind.EMPTY_BODY, SiteKind.REPLAY):
        return site.expected
    lines = max(1, filled_lines(offer))
    taken: list[str] = []
    for line in site.expected.strip("\n").splitlines():
        if filled_lines("\n".join(taken)) == lines:
            break
        taken.append(line)
    return "\n".join(taken)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
