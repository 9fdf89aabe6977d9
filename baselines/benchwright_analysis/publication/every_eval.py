"""Results of a study as records of *Every Eval Ever* (github.com/evaleval/every_eval_ever), a record for each group."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from pydantic import JsonValue

from benchwright_analysis.report.group_statistics import STATISTICS, GroupStatistic
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_foundation.distribution import NAME, version
from benchwright_judges.agreement.estimators import Estimate
from benchwright_studies.plan.study import Study

SCHEMA_VERSION = "0.3.0"
_METRICS: Mapping[str, tuple[str, str]] = {
    "overall": ("solved", "share of attempts of which a run or an answer passed before the end"),
    "at_end": ("solved_at_end", "share of attempts whose submitted work passes"),
    "score": ("score", "mean score: 1 for a pass, else the judge's score or the share of hidden tests that passed"),
}
"""Statistic → the metric's name and description."""


def every_eval_records(data: Dataset, study: Study) -> dict[str, dict[str, JsonValue]]:
    """The record of each group that has a decided attempt.

    Args:
        data: The attempts that count.
        study: Their study.
    """
    made = f"{datetime.fromisoformat(data.made_at or datetime.now(UTC).isoformat()).timestamp():.0f}"
    records: dict[str, dict[str, JsonValue]] = {}
    for group in data.groups:
        rows = [row for row in data.decided_observations if row.group == group]
        if rows:
            records[group] = _group_record(data, study, group, rows, made)
    return records


def _group_record(
    data: Dataset, study: Study, group: str, observations: Sequence[Observation], made_unix_time: str
) -> dict[str, JsonValue]:
    subject = (
        observations[0].model
        if not observations[0].is_person and observations[0].model
        else f"people/{_file_name_slug(group)}"
    )
    packs = ", ".join(sorted({row.pack for row in observations}))
    dataset: dict[str, JsonValue] = {
        "dataset_name": packs,
        "source_type": "other",
        "additional_details": {
            "problems": ", ".join(sorted({row.problem for row in observations})),
            "study": study.study,
            "study_sha256": observations[0].study_sha256,
            "preregistration": data.registration.digest if data.registration is not None else "none",
        },
    }
    result_records: list[JsonValue] = []
    for statistic in STATISTICS:
        if statistic.id not in _METRICS:
            continue
        estimate = statistic.estimate(observations, data)
        if estimate.value is not None:
            result_records.append(_evaluation_result(statistic, estimate, study, dataset, observations))
    organiser = study.organisers.name if study.organisers is not None else "not said"
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{study.study}/{subject}/{made_unix_time}",
        "retrieved_timestamp": made_unix_time,
        "source_metadata": {
            "source_name": study.title,
            "source_type": "evaluation_run",
            "source_organization_name": organiser,
            "evaluator_relationship": "third_party",
        },
        "eval_library": {"name": NAME, "version": version()},
        "model_info": {
            "name": group,
            "id": subject,
            "additional_details": {
                "deployment_type": "unknown",
                "model_availability": "unknown",
                "solver": observations[0].solver,
                "people": str(len({row.participant for row in observations}) if observations[0].is_person else 0),
                "population": study.population.who if study.population is not None else "not said",
            },
        },
        "evaluation_results": result_records,
    }


def _evaluation_result(
    statistic: GroupStatistic,
    estimate: Estimate,
    study: Study,
    dataset_fields: dict[str, JsonValue],
    observations: Sequence[Observation],
) -> dict[str, JsonValue]:
    name, description = _METRICS[statistic.id]
    uncertainty: dict[str, JsonValue] = {"num_samples": len(observations)}
    if estimate.low is not None and estimate.high is not None:
        uncertainty["confidence_interval"] = {
            "lower": estimate.low,
            "upper": estimate.high,
            "confidence_level": 0.95,
            "method": "over people and problems" if observations[0].is_person else "over problems",
        }
    return {
        "evaluation_name": f"{study.study}: {name}",
        "source_data": dataset_fields,
        "metric_config": {
            "evaluation_description": description,
            "metric_id": f"benchwright.{name}",
            "metric_name": name,
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
        },
        "score_details": {"score": estimate.value, "uncertainty": uncertainty},
    }


def _file_name_slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "group"


def record_file_name(group: str) -> str:
    """The name of a group's file."""
    return f"{_file_name_slug(group)}.json"
