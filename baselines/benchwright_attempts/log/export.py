"""An attempt as a JSON Lines file that others can check: a header line, then one line per event.

The lines are exactly the strings that were hashed, so exporting twice gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from benchwright_attempts.attribution import CLASSIFIER
from benchwright_attempts.errors import ExportError
from benchwright_attempts.log.record import AttemptHeader, StoredRow, canonical_json
from benchwright_foundation.json_text import parse_untrusted_json

FORMAT = "benchwright-attempt"
VERSION = 3
"""Of the newest exports. An attempt whose records are all of schema 1 is exported as version 1, as ever.

From version 3 on, the header names the classifier that labels edits in the version that exported: labels are worked
out from the events when they are read, so the file has none.
"""
_CLASSIFIERS = frozenset(str(version) for version in range(1, int(CLASSIFIER) + 1))


def export_lines(header: AttemptHeader, rows: list[StoredRow]) -> Iterator[str]:
    """The lines of an export, without line ends; all ASCII."""
    is_old = bool(rows) and all(row.schema == 1 for row in rows)
    yield _header_line(header, 1) if is_old else _header_line(header, VERSION, CLASSIFIER)
    for row in rows:
        yield row.as_json_line()


def _header_line(header: AttemptHeader, version: int, classifier: str | None = None) -> str:
    line = {"format": FORMAT, "version": version, "attempt": header.as_json()}
    return canonical_json(line if classifier is None else line | {"classifier": classifier})


def write_export(path: Path, header: AttemptHeader, rows: list[StoredRow]) -> None:
    """Writes an export; `log.stored(attempt)` gives the last two arguments.

    The file appears complete or not at all, and is readable by its owner only.

    Raises:
        OSError: The export cannot be written.
    """
    partial = path.with_name(path.name + ".partial")
    partial.unlink(missing_ok=True)
    partial.touch(mode=0o600, exist_ok=False)
    # What a damaged database holds goes out as it is: the check of the export shall name it.
    with partial.open("w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        file.writelines(f"{line}\n" for line in export_lines(header, rows))
    partial.replace(path)


def read_export(path: Path) -> tuple[AttemptHeader, list[StoredRow]]:
    """Reads an export without checking hashes.

    Raises:
        ExportError: A line is not what an export has there.
        OSError: The file cannot be read.
    """
    lines = path.read_bytes().split(b"\n")
    if lines.pop():
        raise ExportError(path, len(lines) + 1, "the file was cut off here. Export the attempt again.")
    header: AttemptHeader | None = None
    rows: list[StoredRow] = []
    for number, line in enumerate(lines, start=1):
        try:
            value = parse_untrusted_json(line)
            if not isinstance(value, dict):
                raise ValueError("it is not an object")
            if header is None:
                header = _checked_header(value)
                canonical_line = _header_line(header, value["version"], value.get("classifier"))
            else:
                rows.append(StoredRow.from_json(value))
                canonical_line = rows[-1].as_json_line()
            if canonical_line.encode() != line:
                raise ValueError("it is not in canonical form, so it was changed")
        except (ValueError, TypeError) as error:
            raise ExportError(path, number, f"{error}. Ask for the export again.") from error
    if header is None:
        raise ExportError(path, 1, "the file is empty. Export the attempt again.")
    return header, rows


def _checked_header(header_fields: dict[str, object]) -> AttemptHeader:
    if header_fields.get("format") != FORMAT:
        raise ValueError("this is not an exported attempt")
    if header_fields.get("version") not in range(1, VERSION + 1):
        raise ValueError(f"version {header_fields.get('version')} is not known here: update Benchwright")
    if header_fields["version"] == VERSION and header_fields.get("classifier") not in _CLASSIFIERS:
        raise ValueError(f"classifier {header_fields.get('classifier')} is not known here: update Benchwright")
    try:
        return AttemptHeader.model_validate(header_fields.get("attempt"))
    except ValidationError as error:
        flaw = error.errors()[0]
        raise ValueError(f"attempt.{'.'.join(map(str, flaw['loc']))}: {flaw['msg']}") from None
