"""Who is compared on CS-Bench's questions: a group, in one language, asked in one way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation


class Contestant(NamedTuple):
    """The questions of one language differ from those of another, so that no mean goes over both."""

    group: str
    language: str
    """With the set before it, if several have questions in the language."""
    asked: str
    """See `Observation.asked`."""

    @property
    def name(self) -> str:
        """In tables and legends."""
        return f"{self.group} ({', '.join(filter(None, (self.language, self.asked)))})"


def contestant(one: Observation) -> Contestant:
    """Whose attempt it is."""
    return Contestant(one.who, one.language, one.asked)


def has_place(one: Observation) -> bool:
    """Whether it is at a question with a domain, a subfield and a tag.

    Other sets have no subfields: no mean goes over the questions of several sets.
    """
    return bool(one.kind == "question" and one.domain and one.subdomain and one.tag)


def answered(data: Dataset) -> list[Observation]:
    """Decided attempts at questions that have a place, by language, group and way to ask."""
    return in_order(data, [one for one in data.decided if has_place(one)])


def in_order(data: Dataset, found: Iterable[Observation]) -> list[Observation]:
    """Attempts by language, group and way to ask. Where sets share a language, the set is named with it."""
    places = {group: place for place, group in enumerate(data.groups)}
    order: dict[str, int] = {}
    for one in data.decided:
        order[one.who] = min(places[one.group], order.get(one.who, len(places)))
    sets: dict[str, set[str]] = {}
    for one in filter(has_place, data.decided):
        sets.setdefault(one.language, set()).add(one.pack)
    named = (
        one.model_copy(update={"language": f"{one.pack}, {one.language}"})
        if has_place(one) and len(sets.get(one.language, ())) > 1
        else one
        for one in found
    )
    return sorted(named, key=lambda one: (one.language, order[one.who], one.shots or 0, bool(one.steps)))


def by_contestant(rows: Sequence[Observation]) -> Mapping[Contestant, list[Observation]]:
    """The attempts of each."""
    found: dict[Contestant, list[Observation]] = {}
    for one in rows:
        found.setdefault(contestant(one), []).append(one)
    return found


def score_of(one: Observation) -> float:
    """An attempt's score from 0 to 1; one that ended without an answer has 0."""
    return one.score or 0.0
