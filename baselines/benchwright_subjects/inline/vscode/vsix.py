"""Extensions as files: what a `.vsix` says it is, and our probe as one."""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from benchwright_attempts.errors import EvaluationError
from benchwright_foundation.json_text import parse_untrusted_json

_MANIFEST = "extension/package.json"
_LARGEST_MANIFEST = 4 << 20
_WHEN = (1980, 1, 1, 0, 0, 0)


class _Manifest(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    publisher: str = Field(pattern=r"^[\w.-]+$", max_length=100)
    name: str = Field(pattern=r"^[\w.-]+$", max_length=100)
    version: str = Field(pattern=r"^[\w.+-]+$", max_length=60)


@dataclass(frozen=True)
class Extension:
    """An extension that can be installed."""

    file: Path
    id: str
    """`publisher.name`."""
    version: str
    sha256: str


def read_vsix(file: Path) -> Extension:
    """The extension in a file.

    Raises:
        EvaluationError: The file is not an extension.
    """
    try:
        with zipfile.ZipFile(file) as archive, archive.open(_MANIFEST) as stream:
            manifest = _Manifest.model_validate(parse_untrusted_json(stream.read(_LARGEST_MANIFEST)))
        with file.open("rb") as whole:
            sha256 = hashlib.file_digest(whole, "sha256").hexdigest()
    except OSError as error:
        raise EvaluationError(f"--extension {file} can't be read: {error.strerror}.") from None
    except (zipfile.BadZipFile, KeyError, ValueError, ValidationError):
        raise EvaluationError(f"--extension {file} is no .vsix file: it has no {_MANIFEST} with a name.") from None
    return Extension(file.absolute(), f"{manifest.publisher}.{manifest.name}", manifest.version, sha256)


def vsix_of_folder(folder: Path) -> bytes:
    """A `.vsix` of a folder that needs no build. The same folder gives the same bytes."""
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                name = f"extension/{file.relative_to(folder).as_posix()}"
                archive.writestr(zipfile.ZipInfo(name, _WHEN), file.read_bytes())
    return stream.getvalue()
