"""A study's data for other labs: attempts without names or dates, their codebook, Croissant metadata, the checklist."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from benchwright_analysis.publication.checklist import ChecklistItem, checklist_markdown
from benchwright_analysis.publication.every_eval import every_eval_records, record_file_name
from benchwright_analysis.report.rows.codebook import arrow_schema_of, codebook_markdown, type_and_is_optional
from benchwright_analysis.report.rows.dataset import Dataset
from benchwright_analysis.report.rows.observation import Observation
from benchwright_analysis.report.rows.table_file import AnalysisPlan
from benchwright_attempts.errors import StudyError
from benchwright_attempts.events.file_text import sha256
from benchwright_foundation.atomic import write_atomically

TABLE = "attempts.parquet"
_UNKNOWN_JUDGE = "person"


@dataclass(frozen=True)
class Publication:
    """What the lab says of a package."""

    licence: str
    """Address of the licence of the data; empty if it is not settled."""


def write_package(
    folder: Path, data: Dataset, checklist: Sequence[ChecklistItem], publication: Publication
) -> list[str]:
    """Writes the package; returns the names of its files.

    Args:
        folder: It is made if it is missing.
        data: Attempts of a study and models' at its problems.
        checklist: The study's reporting checklist.
        publication: What the lab says of it.

    Raises:
        StudyError: The data are of no study.
        OSError: The folder can't be written.
    """
    study = data.study
    if study is None:
        raise StudyError("A data package is of a study.")
    folder.mkdir(parents=True, exist_ok=True)
    _write_anonymous_table(folder / TABLE, data)
    texts = {
        "codebook.md": codebook_markdown(),
        "checklist.md": checklist_markdown(study.title, checklist),
        "croissant.json": _json_text(_croissant_metadata(folder / TABLE, study.study, study.title, publication)),
    }
    if data.registration is not None:
        texts["registration.json"] = _json_text(dict(data.registration.document))
    for group, record in every_eval_records(data.in_planned_population(), study).items():
        texts[f"every_eval_ever/{record_file_name(group)}"] = _json_text(record)
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        write_atomically(folder / name, text.encode())
    return [TABLE, *texts]


def _json_text(value: JsonValue) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def anonymous_rows(observations: Sequence[Observation]) -> list[Observation]:
    """The rows with people under new names, drawn by lot and kept nowhere, without dates, ids and names of graders."""
    people = sorted({row.participant for row in observations if row.is_person})
    numbers = list(range(1, len(people) + 1))
    secrets.SystemRandom().shuffle(numbers)
    digits = len(str(len(people)))
    new_names = {name: f"person-{number:0{digits}}" for name, number in zip(people, numbers, strict=True)}
    renamed = [
        row.model_copy(
            update={
                "participant": new_names.get(row.participant, row.participant) if row.is_person else row.participant,
                "started": "",
                "judge_votes": "" if row.judge_method == _UNKNOWN_JUDGE else row.judge_votes,
            }
        )
        for row in observations
    ]
    # The order of the log shows who worked when.
    renamed.sort(key=lambda row: (not row.is_person, row.participant, row.condition, row.problem, row.position or 0))
    return [row.model_copy(update={"attempt": f"attempt-{number}"}) for number, row in enumerate(renamed, 1)]


def _write_anonymous_table(file: Path, data: Dataset) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [row.model_dump() for row in anonymous_rows(data.observations)]
    conditions = tuple(condition.name for condition in data.study.conditions) if data.study is not None else ()
    plan = AnalysisPlan(baseline=data.baseline, population=data.population, conditions=conditions)
    schema = arrow_schema_of(Observation).with_metadata(plan.table_metadata())
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), file, compression="zstd")


_DATA_TYPES = {str: "sc:Text", int: "sc:Integer", float: "sc:Float", bool: "sc:Boolean"}
_CONTEXT: dict[str, JsonValue] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The JSON-LD context that the format prescribes, version 1.1."""


def _croissant_metadata(table_file: Path, study: str, title: str, publication: Publication) -> dict[str, JsonValue]:
    """Metadata of the table in the Croissant format, version 1.1."""
    content = table_file.read_bytes()
    fields: list[JsonValue] = [
        {
            "@type": "cr:Field",
            "@id": f"attempts/{name}",
            "name": name,
            "description": " ".join((field.description or name).split()),
            "dataType": _DATA_TYPES[type_and_is_optional(field.annotation)[0]],
            "source": {"fileObject": {"@id": TABLE}, "extract": {"column": name}},
        }
        for name, field in Observation.model_fields.items()
    ]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": study,
        "description": f"{title}. Attempts of people and models at hardware-design problems: one row per attempt.",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        **({"license": publication.licence} if publication.licence else {}),
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": TABLE,
                "name": TABLE,
                "description": "One row per attempt.",
                "contentUrl": TABLE,
                "contentSize": f"{len(content)} B",
                "encodingFormat": "application/x-parquet",
                "sha256": sha256(content),
            }
        ],
        "recordSet": [{"@type": "cr:RecordSet", "@id": "attempts", "name": "attempts", "field": fields}],
    }
