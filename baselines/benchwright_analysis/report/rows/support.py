"""Conclusions that the numbers support: counts, exclusions, what could have been found, what went otherwise."""

from __future__ import annotations

from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.exclusions import exclusion_count_by_reason
from benchwright_analysis.report.section import Section, counted
from benchwright_analysis.report.sections.success_compared import solved_difference
from benchwright_analysis.report.sections.time_compared import (
    compare_times_with_first,
    comparison_limit,
    timed_observations_by_condition,
)
from benchwright_analysis.report.sections.time_to_pass import active_time_numbers_table_and_sentence
from benchwright_analysis.statistics.crossed import CrossedEstimate
from benchwright_foundation.number_text import number
from benchwright_studies.plan.vocabulary import Population


def support_section(data: Dataset) -> Section:
    """The box at the top of the report."""
    people = {
        folded_attempt.observation.participant
        for folded_attempt in data.counted_attempts
        if folded_attempt.observation.is_person
    }
    reasons = exclusion_count_by_reason(data.observations)
    left_out = len(data.observations) - len(data.counted_attempts)
    problems = {folded_attempt.observation.problem for folded_attempt in data.counted_attempts}
    models = {
        folded_attempt.observation.participant
        for folded_attempt in data.counted_attempts
        if not folded_attempt.observation.is_person
    }
    person_attempts = sum(folded_attempt.observation.is_person for folded_attempt in data.counted_attempts)
    lead = [
        f"{counted(len(data.counted_attempts), 'attempt')} at {counted(len(problems), 'problem')} count: "
        f"{counted(person_attempts, 'attempt')} of {counted(len(people), 'person', 'people')}, "
        f"{counted(len(data.counted_attempts) - person_attempts, 'attempt')} of {counted(len(models), 'model')}.",
        f"{counted(left_out, 'attempt')} left out" + (f": {_exclusions_text(reasons)}." if reasons else "."),
        *_intention_to_treat_notes(data),
    ]
    if data.simulated:
        lead.insert(0, "Nobody worked on these problems: the data is simulated, to show what a report looks like.")
    numbers: dict[str, object] = {
        "attempts": len(data.observations),
        "counted": len(data.counted_attempts),
        "participants": len(people),
        "problems": len(problems),
        "models": sorted(models),
        "left_out": reasons,
        "deviations": list(data.deviations),
        "remarks": list(data.remarks),
        "closed_digest": data.closing_digest or None,
        "chains_checked": data.is_chain_checked,
    }
    power, sentence = _differences_and_power_sentence(data.in_planned_population())
    if power:
        numbers["power"] = power
    lead.append(sentence)
    sensitivity, table, told_of = active_time_numbers_table_and_sentence(data)
    numbers |= sensitivity
    if told_of:
        lead.append(told_of)
    if data.study is not None:
        lead.append(
            f"The study is closed; its digest is {data.closing_digest}."
            if data.closing_digest
            else "The study is not closed: attempts can still be added, so numbers may change."
        )
        lead.append("Deviations from the study file: " + (" ".join(data.deviations) if data.deviations else "none."))
    lead.append(
        "The hash chain of every attempt was checked."
        if data.is_chain_checked
        else "Hash chains were not checked for this report; `benchwright report --check` does."
    )
    lead += data.remarks
    tables = [table] if table is not None else []
    return Section("support", "What this supports", lead, (), tables, numbers, is_list=True)


def _intention_to_treat_notes(data: Dataset) -> list[str]:
    """Numbers that count by intention to treat, where they differ."""
    if all(observation.is_analysed for observation in data.observations if observation.intended):
        return []
    person_observations = [
        folded_attempt.observation
        for folded_attempt in data.with_intention_to_treat().counted_attempts
        if folded_attempt.observation.is_person
    ]
    people = {observation.participant for observation in person_observations}
    counts_text = f"{counted(len(person_observations), 'attempt')} of {counted(len(people), 'person', 'people')}"
    if data.population is Population.INTENTION_TO_TREAT:
        return [
            "These counts are per protocol, as every section but “The answer” and “Who counts” is. “The answer” is by "
            f"intention to treat, with {counts_text} with or without a verdict, and so is what could have been found."
        ]
    return [f"These counts are per protocol. By intention to treat they would be {counts_text}; see “Who counts”."]


def _exclusions_text(count_by_reason: dict[str, int]) -> str:
    return ", ".join(f"{amount} for “{reason}”" for reason, amount in count_by_reason.items())


def _differences_and_power_sentence(data: Dataset) -> tuple[dict[str, CrossedEstimate], str]:
    """Effects that could have been found between the first two conditions of people."""
    if len(data.people_groups) < 2:
        return {}, (
            "No comparison between conditions of people is possible: there are fewer than two conditions with attempts."
        )
    first_group, second_group = data.people_groups[:2]
    timed = {
        group: rows
        for group, rows in timed_observations_by_condition(data).items()
        if group in (first_group, second_group)
    }
    differences: dict[str, CrossedEstimate] = {}
    of_each = (
        [observation for observation in data.decided_observations if observation.group == group]
        for group in (first_group, second_group)
    )
    if (solved := solved_difference(*of_each)) is not None:
        differences["solved"] = solved
    if len(timed) == 2:
        compared, _ = compare_times_with_first(data, timed, comparison_limit(timed))
        if compared:
            differences["minutes"] = compared[0].difference
    if not differences:
        return (
            {},
            f"No comparison of {first_group} and {second_group} is possible: no problem has a verdict under both.",
        )
    detectable_effects = []
    if "solved" in differences and differences["solved"].detectable_difference is not None:
        detectable_effects.append(
            f"{number(100 * differences['solved'].detectable_difference, 0)} percentage points in the share solved"
        )
    if "minutes" in differences and differences["minutes"].detectable_difference is not None:
        detectable_effects.append(f"{number(differences['minutes'].detectable_difference, 1)} minutes in the mean time")
    if not detectable_effects:
        return differences, f"What could have been found can't be said. {next(iter(differences.values())).note}"
    return differences, (
        f"With this many people and problems, a true difference between {first_group} and {second_group} is found "
        "in 4 of 5 such "
        f"studies if it is at least {' or '.join(detectable_effects)}. Smaller differences may exist and stay unseen."
    )
