"""Pictures of QuArch's records: listed in a field, or shown by links of Markdown or HTML."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from urllib.parse import unquote

from pydantic import TypeAdapter, ValidationError

from benchwright_problems.datasets.folder import read_bytes
from benchwright_problems.datasets.record import RecordLocation
from benchwright_problems.errors import DatasetError
from benchwright_problems.figure import media_type
from benchwright_problems.problem import Figure, RelativePath

_IMAGE = re.compile(
    r"!\[([^\]]{0,500})\]\(\s{0,9}(?:<([^<>\n]{1,500})>|([^)\s<>]{1,500}))[^)]{0,300}\)"
    r"|<img\b[^>]{0,300}?\bsrc\s{0,9}=\s{0,9}[\"']?([^\"'\s>]{1,500})",
    re.IGNORECASE,
)

_PATH: TypeAdapter[str] = TypeAdapter(RelativePath)


def linked_pictures(text: str) -> set[str]:
    """The paths of the pictures that a string shows."""
    return {_path(found) for found in _IMAGE.finditer(text)}


def figures_of(
    location: RecordLocation, lists: Sequence[tuple[str, list[str]]], texts: Sequence[tuple[str, str]]
) -> tuple[Figure, ...]:
    """The pictures that a record lists, and those that its fields show by links.

    Args:
        location: Of the record; pictures are beside its file.
        lists: Field → names of files.
        texts: Field → Markdown or HTML.

    Raises:
        DatasetError: A picture is missing, is elsewhere, or is not what it claims to be.
    """
    wanted: dict[str, tuple[str, str]] = {}
    for field, names in lists:
        for number, name in enumerate(names):
            wanted.setdefault(name, (f"{field}.{number}", f"Figure {number + 1}"))
    for field, text in texts:
        for found in _IMAGE.finditer(text):
            path = _path(found)
            if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|//", path):
                raise location.error(field, f"shows a picture from elsewhere, {path!r}; put it beside the file instead")
            wanted.setdefault(path, (field, found[1] or "Figure"))
    return tuple(_figure(location, field, name, alt) for name, (field, alt) in wanted.items())


def _figure(location: RecordLocation, field: str, name: str, alt: str) -> Figure:
    folder = location.file.parent
    try:
        path = _PATH.validate_python(name)
        media = media_type(path)
    except ValidationError as error:
        raise location.error(field, DatasetError.from_validation(location.file, error).reason) from error
    except ValueError as error:
        raise location.error(field, str(error)) from error
    if not (folder / path).resolve().is_relative_to(folder.resolve()):
        raise location.error(field, f"names {name!r}, which a link leads out of {folder}")
    try:
        content = read_bytes(folder, path)
        return Figure(path=path, media_type=media, data=base64.b64encode(content).decode(), alt=alt)
    except ValidationError as error:
        raise location.error(field, DatasetError.from_validation(location.file, error).reason) from error
    except DatasetError as error:
        raise location.error(field, f"names the picture {error}") from error


def _path(found: re.Match[str]) -> str:
    return unquote(found[2] or found[3] or found[4])


def link(path: str) -> str:
    """A path as Markdown links have it."""
    return path if re.fullmatch(r"[\w./-]+", path) else f"<{path}>"
