"""Keeping a data set's record complete: what the model does not represent is stored as a patch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import jsonpatch
from pydantic import BaseModel, ConfigDict, JsonValue

from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import Problem, digest

Record = dict[str, JsonValue]


class RecordModel(BaseModel):
    """The fields of a record, or of an object in it, that an importer knows; `InvalidRecords` has a rule for others."""

    model_config = ConfigDict(extra="allow")

    def unknown_fields(self) -> Iterator[str]:
        """Yield the other fields that the record has; of an object in it with a dot, as in `input.files`."""
        yield from self.model_extra or ()
        for name in type(self).model_fields:
            value = getattr(self, name)
            if isinstance(value, RecordModel):
                yield from (f"{name}.{field}" for field in value.unknown_fields())


@dataclass(frozen=True)
class RecordLocation:
    """The location of a record, for error messages."""

    file: Path
    prefix: str
    """The prefix of its fields' names, such as `[3].` in an array."""
    line: int | None
    """Its line in JSON Lines, from 1."""

    def error(self, field_name: str, reason: str) -> DatasetError:
        """The error about one of its fields; about the whole record if `field_name` is empty."""
        return DatasetError(self.file, f"{self.prefix}{field_name}".rstrip("."), reason, self.line)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else f"{self.file} {self.prefix.rstrip('.')}"


def with_record_patch(
    problem: Problem, record_without_patch: Record, original_record: Record, location: RecordLocation
) -> Problem:
    """The problem with the rest of its record as a patch, and with the record's digest.

    Args:
        problem: Made from the record.
        record_without_patch: The record as the exporter would write it from the problem alone.
        original_record: As it was read.
        location: Place from which it was read.

    Raises:
        DatasetError: Something would be lost even so.
    """
    patch = jsonpatch.make_patch(record_without_patch, original_record).patch
    if digest(jsonpatch.apply_patch(record_without_patch, patch)) != digest(original_record):
        raise location.error("", "can't be stored without loss; report this record")
    hidden_part = problem.hidden.model_copy(update={"record": patch, "sha256": digest(original_record)})
    return problem.model_copy(update={"hidden": hidden_part})


def restored_record(problem: Problem, record_without_patch: Record) -> Record:
    """The record that a problem was made from, as an equal JSON value."""
    restored: Record = jsonpatch.apply_patch(record_without_patch, problem.hidden.record)
    return restored
