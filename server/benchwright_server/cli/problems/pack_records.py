"""Problems as records of the data set that they were imported from, in a file of JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from pydantic import JsonValue

from benchwright_foundation.atomic import write_atomically
from benchwright_problems import datasets
from benchwright_problems.problem import Problem
from benchwright_server.cli.terminal.output import explain_unwritable
from benchwright_server.errors import ServerError

EXPORTABLE_PACKS_IN_WORDS = "a data set can be exported"


def original_record(problem: Problem) -> dict[str, JsonValue]:
    """A problem as the record that it was imported from.

    Raises:
        ValueError: The problem comes from no data set.
    """
    source = problem.provenance.source
    dataset_format = next((known_format for known_format in datasets.FORMATS if known_format.source == source), None)
    if dataset_format is None:
        raise ValueError(f"{problem.id} was not imported from a data set")
    return dataset_format.export(problem)


def write_records(
    problems: Iterable[Problem],
    file: Path,
    make_record: Callable[[Problem], dict[str, JsonValue]],
    writable_packs_in_words: str,
) -> int:
    """Write problems with their hidden parts; how many there are.

    Args:
        problems: Unsealed.
        file: Only its owner may read it.
        make_record: Makes a line of a problem.
        writable_packs_in_words: The packs that can be written, in words.

    Raises:
        ServerError: A problem has no such record, or the file can't be written.
    """
    lines = []
    for problem in problems:
        try:
            lines.append(json.dumps(make_record(problem)))
        except ValueError as error:
            raise ServerError(f"{error}; only packs imported from {writable_packs_in_words}.") from error
    with explain_unwritable(file):
        write_atomically(file.absolute(), "".join(f"{line}\n" for line in lines).encode(), 0o600)
    return len(lines)
