"""What the numbers allow to be said: how many, who is left out, what could have been found, what went otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright_analysis.report.dataset import Dataset
from benchwright_analysis.report.exclusions import AFTER_CLOSING, count_by_reason
from benchwright_analysis.report.observation import Observation
from benchwright_analysis.report.section import Section, count, number, percent
from benchwright_analysis.report.time_to_pass import active_time
from benchwright_analysis.statistics.errors import StatisticsError
from benchwright_analysis.statistics.power import TwoConditionPower, two_condition_power


def support(data: Dataset) -> Section:
    """The box at the top of the report."""
    people = {one.observation.participant for one in data.analysed if one.observation.is_person}
    reasons = count_by_reason(data.observations)
    left_out = len(data.observations) - len(data.analysed)
    problems = {one.observation.problem for one in data.analysed}
    models = {one.observation.participant for one in data.analysed if not one.observation.is_person}
    own = sum(one.observation.is_person for one in data.analysed)
    lead = [
        f"{count(len(data.analysed), 'attempt')} at {count(len(problems), 'problem')} count: "
        f"{count(own, 'attempt')} of {count(len(people), 'person', 'people')}, "
        f"{count(len(data.analysed) - own, 'attempt')} of {count(len(models), 'model')}.",
        f"{count(left_out, 'attempt')} left out" + (f": {_reasons(reasons)}." if reasons else "."),
    ]
    if data.simulated:
        lead.insert(0, "Nobody worked on these problems: the data is simulated, to show what a report looks like.")
    numbers: dict[str, object] = {
        "attempts": len(data.observations),
        "counted": len(data.analysed),
        "participants": len(people),
        "problems": len(problems),
        "models": sorted(models),
        "left_out": reasons,
        "deviations": list(data.deviations),
        "remarks": list(data.remarks),
        "closed_digest": data.closed or None,
        "chains_checked": data.checked,
    }
    power, sentence = _power(data)
    if power is not None:
        numbers["power"] = power
    lead.append(sentence)
    sensitivity, table, told_of = active_time(data)
    numbers |= sensitivity
    if told_of:
        lead.append(told_of)
    if data.study is not None:
        lead.append(
            f"The study is closed; its digest is {data.closed}."
            if data.closed
            else "The study is not closed: attempts can still be added, so numbers may change."
        )
        lead.append("Deviations from the study file: " + (" ".join(data.deviations) if data.deviations else "none."))
    lead.append(
        "The hash chain of every attempt was checked."
        if data.checked
        else "Hash chains were not checked for this report; `benchwright report --check` does."
    )
    lead += data.remarks
    tables = [table] if table is not None else []
    return Section("support", "What this supports", lead, (), tables, numbers, is_list=True)


def _reasons(reasons: dict[str, int]) -> str:
    words = {"still_open": "not ended yet", AFTER_CLOSING: "added after the study was closed"}
    return ", ".join(f"{amount} for “{words.get(reason, reason)}”" for reason, amount in reasons.items())


def _power(data: Dataset) -> tuple[TwoConditionPower | None, str]:
    if len(data.people_groups) < 2:
        return None, (
            "No comparison between conditions of people is possible: there are fewer than two conditions with attempts."
        )
    first, second = data.people_groups[:2]
    one = [row for row in data.decided if row.group == first]
    other = [row for row in data.decided if row.group == second]
    both = [*one, *other]
    people = {row.participant for row in both}
    if not one or not other:
        return None, "No comparison is possible: one of the conditions has no attempt with a verdict."
    if len(people) < 2:
        return None, "All attempts are by one person, so nothing can be said of others."
    correlation = intraclass_correlation(both)
    rate = sum(row.passed for row in one) / len(one)
    try:
        found = two_condition_power(
            (len(one), len(other)),
            rate,
            sum(row.passed for row in both),
            attempts_per_participant=max(1.0, len(both) / len(people)),
            intraclass_correlation=correlation,
        )
    except StatisticsError as error:
        return None, f"What could have been found can't be said: {error}"
    parts = []
    if found.detectable_higher_rate is not None:
        parts.append(f"at least {percent(found.detectable_higher_rate)}")
    if found.detectable_lower_rate is not None:
        parts.append(f"at most {percent(found.detectable_lower_rate)}")
    rates = (
        f"a success rate of {' or '.join(parts)} under {second}" if parts else "no difference of success rates at all"
    )
    ratio = (
        f", and of times a hazard ratio of {number(found.detectable_hazard_ratio)} or its inverse"
        if found.detectable_hazard_ratio is not None
        else ""
    )
    return found, (
        f"With this many attempts (attempts of one person are alike by a correlation of {number(correlation)}), a "
        f"true difference is found in 4 of 5 such studies if it is as large as: against {percent(rate)} solved under "
        f"{first}, {rates}{ratio}. Smaller differences may exist and stay unseen."
        + (" Where everybody works under both conditions, somewhat smaller ones are found." if data.study else "")
    )


def intraclass_correlation(rows: Sequence[Observation]) -> float:
    """Share of the variance of success that is between participants: one-way ANOVA's ICC(1), not below 0.

    Shrout & Fleiss (1979), with the mean group size of Donner & Koval (1980) for unequal groups.
    """
    groups: dict[str, list[float]] = {}
    for one in rows:
        groups.setdefault(one.participant, []).append(float(one.passed))
    total, units = len(rows), len(groups)
    if units < 2 or total <= units:
        return 0.0
    mean = sum(value for values in groups.values() for value in values) / total
    means = {name: sum(values) / len(values) for name, values in groups.items()}
    between = sum(len(values) * (means[name] - mean) ** 2 for name, values in groups.items()) / (units - 1)
    within = sum((value - means[name]) ** 2 for name, values in groups.items() for value in values) / (total - units)
    size = (total - sum(len(values) ** 2 for values in groups.values()) / total) / (units - 1)
    spread = between + (size - 1) * within
    return max(0.0, min(1.0, (between - within) / spread)) if spread > 0 else 0.0
