"""Prints the JSON Schema of a study file, from which editors complete and check it.

Run as `python -m benchwright_studies.plan.schema > docs/reference/study.schema.json`.
"""

from __future__ import annotations

import json
import sys

from pydantic import JsonValue

from benchwright_studies.plan.study import Study


def study_schema() -> dict[str, JsonValue]:
    """The schema, JSON Schema 2020-12."""
    schema = Study.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Benchwright study"}


def study_schema_json() -> str:
    """The schema as a file."""
    return json.dumps(study_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(study_schema_json())
