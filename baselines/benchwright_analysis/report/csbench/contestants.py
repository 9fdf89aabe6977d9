"""Groups that are compared on CS-Bench's questions: each in one language, asked in one way."""

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
    """See `Observation.asking_way`."""

    @property
    def name(self) -> str:
        """In tables and legends."""
        return f"{self.group} ({', '.join(filter(None, (self.language, self.asked)))})"


def contestant_of(observation: Observation) -> Contestant:
    """The contestant whose attempt it is."""
    return Contestant(observation.subject_name, observation.language, observation.asking_way)


def has_domain_labels(observation: Observation) -> bool:
    """True if it is at a question with a domain, a subfield and a tag.

    Other sets have no subfields: no mean goes over the questions of several sets.
    """
    return bool(observation.kind == "question" and observation.domain and observation.subdomain and observation.tag)


def decided_observations_with_domain_labels(data: Dataset) -> list[Observation]:
    """Decided attempts at questions that have a place, by language, group and way to ask."""
    return ordered_with_distinct_languages(
        data, [observation for observation in data.decided_observations if has_domain_labels(observation)]
    )


def ordered_with_distinct_languages(data: Dataset, observations: Iterable[Observation]) -> list[Observation]:
    """Attempts by language, group and way to ask. Where sets share a language, the set is named with it."""
    group_positions = {group: position for position, group in enumerate(data.groups)}
    order: dict[str, int] = {}
    for observation in data.decided_observations:
        order[observation.subject_name] = min(
            group_positions[observation.group], order.get(observation.subject_name, len(group_positions))
        )
    sets: dict[str, set[str]] = {}
    for observation in filter(has_domain_labels, data.decided_observations):
        sets.setdefault(observation.language, set()).add(observation.pack)
    relabelled = (
        observation.model_copy(update={"language": f"{observation.pack}, {observation.language}"})
        if has_domain_labels(observation) and len(sets.get(observation.language, ())) > 1
        else observation
        for observation in observations
    )
    return sorted(
        relabelled,
        key=lambda observation: (
            observation.language,
            order[observation.subject_name],
            observation.shots or 0,
            bool(observation.steps),
        ),
    )


def observations_by_contestant(observations: Sequence[Observation]) -> Mapping[Contestant, list[Observation]]:
    """The attempts of each."""
    rows_by_contestant: dict[Contestant, list[Observation]] = {}
    for observation in observations:
        rows_by_contestant.setdefault(contestant_of(observation), []).append(observation)
    return rows_by_contestant


def score_or_0(observation: Observation) -> float:
    """An attempt's score from 0 to 1; one that ended without an answer has 0."""
    return observation.score or 0.0
