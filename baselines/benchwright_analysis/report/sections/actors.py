"""Who made the attempts: the condition that follows from the actors, beside the one that was assigned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.section import Section, SortableTable, counted
from benchwright_attempts.attribution.actors import UNKNOWN_CONDITION, has_kept_to_condition

_MOST_NAMED = 12
"""Attempts that a sentence names."""


def actors_section(data: Dataset) -> Section | None:
    """Attempts by assigned condition and by who made them; None if people's attempts are not among them."""
    rows = [
        observation
        for observation in data.observations
        if not observation.practice and (observation.is_person or observation.actors)
    ]
    if not rows:
        return None
    counts = Counter((_assigned_condition_label(observation), observation.solver) for observation in rows)
    inserted_counts: Counter[tuple[str, str]] = Counter()
    counted_ids = {observation.attempt for observation in rows}
    for attempt in (folded for folded in data.folded if folded.observation.attempt in counted_ids):
        for share in attempt.actors.shares:
            inserted_counts[share.actor.value, share.method.replace("_", " ")] += share.inserted
    unknown = [observation for observation in rows if observation.solver == UNKNOWN_CONDITION]
    unfitting = [
        observation
        for observation in rows
        if observation.assigned_solver
        and observation.solver != UNKNOWN_CONDITION
        and not has_kept_to_condition(observation.assigned_solver, observation.solver)
    ]
    lead = [
        "The condition of an attempt follows from who made its changes and requests. An agent that solves a problem "
        "alone through MCP is an agent, whoever opened it; a person with an agent is human+agent.",
        _attempts_sentence(
            unknown, "Of unknown makers, and in no row of people or programs", "No attempt is of unknown makers."
        ),
    ]
    if unfitting:
        lead.append(
            _attempts_sentence(unfitting, "Made otherwise than the condition allows, and counted only as drawn", "")
        )
    tables = [
        SortableTable(
            "Attempts by who made them",
            ("assigned", "made by", "attempts", "fits"),
            [
                (assigned or "–", made_by, count, _kept_condition_text(assigned, made_by))
                for (assigned, made_by), count in sorted(counts.items())
            ],
        )
    ]
    if inserted_counts:
        tables.append(
            SortableTable(
                "Characters put in, by whom",
                ("actor", "known by", "characters"),
                [(actor, method, count) for (actor, method), count in sorted(inserted_counts.items()) if count],
            )
        )
    times = _mean_minutes_with_agents_by_group(rows)
    if times:
        tables.append(_times_table(times))
    numbers = {
        "minutes_with_agents": times,
        "attempts": [
            {"assigned": assigned, "made_by": made_by, "attempts": count}
            for (assigned, made_by), count in sorted(counts.items())
        ],
        "unknown": sorted(observation.attempt for observation in unknown),
        "not_as_assigned": sorted(observation.attempt for observation in unfitting),
    }
    return Section("actors", "Who made the attempts", lead, (), tables, numbers)


def _mean_minutes_with_agents_by_group(observations: Sequence[Observation]) -> dict[str, dict[str, float]]:
    """Group → mean minutes of each part of people's time with agents, and the attempts."""
    times: dict[str, dict[str, float]] = {}
    for group in sorted({observation.group for observation in observations}):
        divided = [
            observation
            for observation in observations
            if observation.group == group and observation.working_s is not None
        ]
        if divided:
            parts = {part: fmean(getattr(row, f"{part}_s") / 60 for row in divided) for part in _PARTS}
            times[group] = {"attempts": len(divided), **parts}
    return times


_PARTS = ("working", "supervising", "waiting", "away")


def _times_table(mean_minutes_by_group: Mapping[str, Mapping[str, float]]) -> SortableTable:
    return SortableTable(
        "Time of people with agents, mean minutes per attempt",
        ("condition", "attempts", *_PARTS),
        [
            (group, int(parts["attempts"]), *(round(parts[part], 2) for part in _PARTS))
            for group, parts in mean_minutes_by_group.items()
        ],
        "Supervising: the person was there while an agent was active. Waiting: an agent was active or hidden tests ran "
        "while the person was elsewhere, or only hidden tests. Away: elsewhere, and nothing was going on. Elsewhere is "
        "no focus of the editor's window, or no input for a minute: a person at the agent's own window counts as "
        "elsewhere.",
    )


def _assigned_condition_label(observation: Observation) -> str:
    return f"{observation.condition} ({observation.assigned_solver})" if observation.assigned_solver else ""


def _kept_condition_text(assigned_label: str, actual_condition: str) -> str:
    if not assigned_label or actual_condition == UNKNOWN_CONDITION:
        return "–"
    return "yes" if has_kept_to_condition(assigned_label.rpartition(" (")[2].rstrip(")"), actual_condition) else "no"


def _attempts_sentence(observations: Sequence[Observation], sentence_start: str, sentence_if_none: str) -> str:
    if not observations:
        return sentence_if_none
    ids = [observation.attempt[:12] for observation in observations[:_MOST_NAMED]]
    more = f" and {len(observations) - _MOST_NAMED} more" if len(observations) > _MOST_NAMED else ""
    return f"{sentence_start}: {counted(len(observations), 'attempt')} ({', '.join(ids)}{more})."
