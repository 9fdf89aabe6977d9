"""The edits of an attempt: where their text came from, and how much of it survived."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from sys import intern
from typing import Any

from benchwright_analysis.report.rows.event_columns import EventColumns
from benchwright_attempts.actor import KnownActor
from benchwright_attempts.attribution import (
    BY_MODEL,
    CLASSIFIER,
    Attributor,
    EditColumns,
    EditFacts,
    EditOrigin,
    OriginFinding,
)
from benchwright_attempts.attribution_method import AttributionMethod
from benchwright_attempts.summary.survival import MOST_FOLLOWED, InsertionSurvival, TextChangePoints, TextSurvival
from benchwright_verilog.syntax.surrogates import join_surrogates

BINS = 10
"""Parts of an attempt's time, for the figure of text by source over time."""
_SOURCE: Mapping[EditOrigin, str] = {
    EditOrigin.TYPED: "typed",
    EditOrigin.PASTE: "paste",
    EditOrigin.COMPLETION: "completion",
    EditOrigin.COMPLETION_PART: "completion",
    EditOrigin.OWN_COMPLETION: "own_completion",
    EditOrigin.CHAT: "chat",
    EditOrigin.AGENT: "chat",
    EditOrigin.SUGGESTION: "tool",
    EditOrigin.SNIPPET: "tool",
    EditOrigin.FORMAT: "tool",
    EditOrigin.UNDO: "other",
    EditOrigin.OUTSIDE: "other",
    EditOrigin.UNKNOWN: "other",
}
SOURCES = ("typed", "paste", "completion", "own_completion", "chat", "tool", "other")
"""Sources of text in reports: origins, some of them taken together."""


@dataclass(frozen=True, slots=True)
class OriginLabel:
    """An origin as the tables have it; made once for all edits of a kind, since hashing an enumeration is slow."""

    method: str
    origin: str
    source: str
    is_by_model: bool
    is_inferred: bool


@lru_cache(maxsize=256)
def _origin_label(finding: OriginFinding) -> OriginLabel:
    origin, method = finding.origin, finding.method
    return OriginLabel(method, origin.value, _SOURCE[origin], origin in BY_MODEL, method == AttributionMethod.HEURISTIC)


class EditFold:
    """Takes the edits of an attempt in order, and what other events say about them."""

    __slots__ = ("_clock_ns", "_contents", "attributor")

    def __init__(self) -> None:
        self.attributor = Attributor()
        self._contents = TextChangePoints()
        self._clock_ns = array("q")
        """Time of the clock at each edit."""

    def set_files(self, text_by_path: Mapping[str, str | None], seq: int, since_opening_ns: int) -> None:
        """Files have a new content that comes from elsewhere."""
        self._contents.add_files(since_opening_ns, seq, text_by_path)

    def add_edit(
        self, edit_fields: dict[str, Any], seq: int, wall: str, *, since_opening_ns: int, active_ns: int, has_text: bool
    ) -> None:
        """One edit, as JSON has it."""
        # An attempt has few paths, and may have a million edits.
        path, changes = intern(edit_fields["path"]), edit_fields["changes"]
        inserted: list[int] = []
        lines: list[int] = []
        total = 0
        deleted: int | None = 0
        for change in changes:
            if has_text:
                text = change["text"]
                # Code points count, not the surrogates that JSON may write them in.
                length = len(text if text.isascii() else join_surrogates(text))
                lines.append(text.count("\n"))
            else:
                length = change["length"]
                lines.append(change["lines"])
            inserted.append(length)
            total += length
            start, end = change.get("start"), change.get("end")
            deleted = None if deleted is None or start is None or end is None else deleted + end - start
        if has_text:
            replacements = ((change.get("start"), change.get("end"), change["text"]) for change in changes)
            self._contents.add_edit(since_opening_ns, seq, path, replacements)
        self._clock_ns.append(active_ns)
        self.attributor.add_edit(
            EditFacts(seq, path, edit_fields.get("version"), inserted, lines, total, deleted), wall
        )

    def labelled_edits(self, since_opening_ns: int, active_ns: int) -> LabelledEdits:
        """All edits with their labels, after the last event at this time."""
        edits = self.attributor.edits
        findings = list(self.attributor.findings())
        labels = [_origin_label(finding) for finding in findings]
        return LabelledEdits(edits, findings, labels, self._clock_ns, self._contents, since_opening_ns, active_ns)


@dataclass(frozen=True, slots=True)
class LabelledEdits:
    """The edits of an attempt, each with a label."""

    edits: EditColumns
    findings: Sequence[OriginFinding]
    labels: Sequence[OriginLabel]
    edit_clock_ns: Sequence[int]
    contents: TextChangePoints
    end_since_opening_ns: int
    end_clock_ns: int

    def inserted_by_source(self) -> dict[str, int]:
        """Source → code points inserted."""
        totals = dict.fromkeys(SOURCES, 0)
        for total, label in zip(self.edits.total, self.labels, strict=True):
            totals[label.source] += total
        return totals

    def code_points_of_inferred_origin(self) -> int:
        """Code points whose origin is inferred from the edit's shape."""
        return sum(total for total, label in zip(self.edits.total, self.labels, strict=True) if label.is_inferred)

    def inserted_per_tenth_by_source(self) -> dict[str, tuple[int, ...]]:
        """Source → code points inserted, by tenth of the clock's time."""
        tenths_by_source: dict[str, list[int]] = {}
        end = self.end_clock_ns
        for total, label, clock_ns in zip(self.edits.total, self.labels, self.edit_clock_ns, strict=True):
            if total:
                tenth = min(BINS - 1, clock_ns * BINS // end) if end else 0
                if label.source not in tenths_by_source:
                    tenths_by_source[label.source] = [0] * BINS
                tenths_by_source[label.source][tenth] += total
        return {source: tuple(counts) for source, counts in tenths_by_source.items()}

    def accepted_and_surviving(self) -> tuple[int, InsertionSurvival | None]:
        """Code points that a model's accepted proposals inserted, and how many of them survived.

        None for the latter if there are more proposals than can be followed.
        """
        followed = {
            seq: total
            for seq, total, label in zip(self.edits.seq, self.edits.total, self.labels, strict=True)
            if label.is_by_model and total > 0
        }
        if len(followed) > MOST_FOLLOWED:
            return sum(followed.values()), None
        return sum(followed.values()), TextSurvival(followed).count_survival(self.contents, self.end_since_opening_ns)

    def fill_edit_cells(
        self,
        event_columns: EventColumns,
        first_row: int,
        find_actor: Callable[[EditFacts, OriginFinding], KnownActor],
    ) -> None:
        """Fills the cells of the edits' rows.

        Args:
            event_columns: Gets the cells.
            first_row: Row that an event's number follows.
            find_actor: Finds the actor of an edit with its origin.
        """
        actors = [find_actor(*edit_and_finding) for edit_and_finding in zip(self.edits, self.findings, strict=True)]
        event_columns.fill_rows(
            array("q", (first_row + seq for seq in self.edits.seq)),
            {
                "path": self.edits.path,
                "inserted": self.edits.total,
                "deleted": list(self.edits.deleted_counts()),
                "origin": [label.origin for label in self.labels],
                "method": [label.method for label in self.labels],
                "actor": [known_actor.actor.value for known_actor in actors],
                "actor_known_by": [str(known_actor.method) for known_actor in actors],
                "classifier": [CLASSIFIER] * len(self.edits),
            },
        )
