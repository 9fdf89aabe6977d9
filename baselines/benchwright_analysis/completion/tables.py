"""Tables that the report of inline servers and that of attempts share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright_analysis.completion.latency import THRESHOLDS_MS, Latencies
from benchwright_analysis.report.section import Cell, SortableTable, text_with_interval
from benchwright_foundation.number_text import percent
from benchwright_judges.agreement.estimators import Estimate


def latency_table(latencies_by_label: Mapping[str, Latencies]) -> SortableTable:
    """Table of the latencies of requests, by subject."""
    rows: list[Sequence[Cell]] = [
        (
            label,
            subject_latencies.requests,
            subject_latencies.given_up,
            estimate_or_dash(subject_latencies.p50_ms, digits=1),
            estimate_or_dash(subject_latencies.p95_ms, digits=1),
            *(percent(subject_latencies.over[str(limit)]) for limit in THRESHOLDS_MS),
        )
        for label, subject_latencies in latencies_by_label.items()
    ]
    columns = (
        "subject",
        "requests",
        "given up",
        "p50 (ms)",
        "p95 (ms)",
        *(f"over {threshold} ms" for threshold in THRESHOLDS_MS),
    )
    note = (
        "At the wire: from when a request was handed to the system until the last byte of its answer was there; in an "
        "editor, from its command until that had ended. Drawn: from the command until the editor drew the offer, of "
        "the requests that led to one. A request that was given up took longer than any time."
    )
    return SortableTable("Latency", columns, rows, note)


def estimate_or_dash(estimate: Estimate | None, *, as_share: bool = False, digits: int = 2) -> str:
    """A value with its interval, as people read it."""
    if estimate is None or estimate.value is None:
        return "–"
    return text_with_interval(estimate, as_share=as_share, digits=digits)
