"""Fixtures and helpers of the tests of report codebook."""

from __future__ import annotations

from benchwright_analysis.report.rows.observation import Observation


def observation(**changes: object) -> Observation:
    """An attempt in which nothing happened."""
    empty = {str: "", int: 0, float: 0.0, bool: False}
    values: dict[str, object] = {}
    for name, field in Observation.model_fields.items():
        annotation = field.annotation
        values[name] = empty.get(annotation) if isinstance(annotation, type) else None
    return Observation.model_validate(values | {"censored_by": ""} | changes)
