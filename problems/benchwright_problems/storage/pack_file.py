"""A published pack: one file that holds a pack folder, each file's digest, and its author's signature.

A ZIP archive. `manifest.json` comes first; the other entries are the folder's files. It is read as a stranger's: every
entry has to be in the manifest, be as long and have the digest that it says, and have a plain relative path.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import Field, ValidationError

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.model import Model
from benchwright_foundation.plain_file import FileTooLargeError, NotPlainFileError, read_plain_file
from benchwright_problems.errors import DatasetError
from benchwright_problems.problem import Pack
from benchwright_problems.relative_path import RelativePath
from benchwright_problems.storage.pack_folder import (
    EXPLANATION,
    LARGEST_FILE_BYTES,
    PACK_FILE,
    START,
    TREES,
    read_pack_folder,
)
from benchwright_problems.storage.pack_name import PackName
from benchwright_problems.storage.pack_signature import is_signed_by, public_key_base64

LARGEST_BYTES = 256 * 1024**2
"""Of the archive."""
_LARGEST_CONTENT = 1024**3
_MOST_FILES = 50_000
_MANIFEST = "manifest.json"
_LARGEST_MANIFEST = 16 * 1024**2
_WHEN = (1980, 1, 1, 0, 0, 0)
_PROBLEM_FILES = ("problem.toml", "statement.md")
_PROBLEM_FOLDERS = (
    "public",
    "figures",
    "hidden/figures",
    "hidden/harness",
    "hidden/reference",
    "hidden/right",
    "hidden/wrong",
)


class _PackedFile(Model):
    size: Annotated[int, Field(ge=0, le=LARGEST_FILE_BYTES)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _PackManifest(Model):
    format: Literal[1] = 1
    name: PackName
    version: str
    files: Annotated[dict[RelativePath, _PackedFile], Field(max_length=_MOST_FILES)]
    key: str
    signature: str = ""

    def signed_bytes(self) -> bytes:
        content = self.model_dump(mode="json", exclude={"signature"})
        return b"benchwright pack\n" + json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


@dataclass(frozen=True)
class PublishedPack:
    """The content of a pack file."""

    pack: Pack
    key: str
    """Its author's public key, base64."""


def write_pack_file(pack_folder: Path, file: Path, signing_key: Ed25519PrivateKey) -> PublishedPack:
    """Writes a pack folder as one file; the same folder and key make the same bytes.

    Raises:
        DatasetError: The folder is no pack, or holds a link or a file that is too large.
        OSError: The file can't be written.
    """
    pack = read_pack_folder(pack_folder)
    contents = {path: _read_content(pack_folder, path) for path in sorted(_packed_paths(pack_folder, pack))}
    files = {
        path: _PackedFile(size=len(file_content), sha256=hashlib.sha256(file_content).hexdigest())
        for path, file_content in contents.items()
    }
    unsigned = _PackManifest(name=pack.name, version=pack.version, files=files, key=public_key_base64(signing_key))
    signature = base64.b64encode(signing_key.sign(unsigned.signed_bytes())).decode()
    manifest = unsigned.model_copy(update={"signature": signature})
    with tempfile.TemporaryFile() as stream:
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, content in {_MANIFEST: manifest.model_dump_json().encode(), **contents}.items():
                archive.writestr(zipfile.ZipInfo(path, _WHEN), content, zipfile.ZIP_DEFLATED)
        stream.seek(0)
        write_atomically(file, stream.read())
    return PublishedPack(pack, manifest.key)


def read_pack_file(pack_file: Path) -> PublishedPack:
    """Reads a published pack.

    Raises:
        DatasetError: The file is no pack, was changed after it was signed, or is too large.
    """
    try:
        if pack_file.stat().st_size > LARGEST_BYTES:
            raise DatasetError(pack_file, "", f"is larger than {LARGEST_BYTES >> 20} MiB")
        with (
            zipfile.ZipFile(pack_file) as archive,
            tempfile.TemporaryDirectory(prefix="benchwright-pack-") as temporary,
        ):
            manifest = _read_manifest(pack_file, archive)
            folder = Path(temporary)
            for path, listed_file in manifest.files.items():
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(_read_entry(pack_file, archive, path, listed_file))
            pack = _read_unpacked_pack(pack_file, folder)
    except OSError as error:
        raise DatasetError(pack_file, "", f"can't be read: {error.strerror}") from error
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        # What is encrypted, or compressed in another way, is an error of these types too.
        raise DatasetError(pack_file, "", "is no published pack, or was not copied whole") from error
    if (pack.name, pack.version) != (manifest.name, manifest.version):
        raise DatasetError(pack_file, _MANIFEST, "names another pack or version than its pack.toml")
    return PublishedPack(pack, manifest.key)


def _packed_paths(pack_folder: Path, pack: Pack) -> Iterator[str]:
    yield PACK_FILE
    for problem in pack.problems:
        yield from (f"{problem.id}/{name}" for name in _PROBLEM_FILES)
        for name in (EXPLANATION, START):
            if (pack_folder / problem.id / name).is_file():
                yield f"{problem.id}/{name}"
        for subfolder in _PROBLEM_FOLDERS:
            yield from _paths_below(pack_folder, f"{problem.id}/{subfolder}")
    yield from _paths_below(pack_folder, TREES)


def _paths_below(pack_folder: Path, subfolder: str) -> Iterator[str]:
    for path, folders, names in os.walk(pack_folder / subfolder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from (Path(path, name).relative_to(pack_folder).as_posix() for name in names)


def _read_content(pack_folder: Path, relative_path: str) -> bytes:
    try:
        return read_plain_file(pack_folder, relative_path, LARGEST_FILE_BYTES)
    except FileTooLargeError as error:
        raise DatasetError(pack_folder / relative_path, "", f"is larger than {LARGEST_FILE_BYTES >> 20} MiB") from error
    except (NotPlainFileError, OSError) as error:
        raise DatasetError(pack_folder / relative_path, "", "is not a plain file; links are not published") from error


def _read_manifest(pack_file: Path, archive: zipfile.ZipFile) -> _PackManifest:
    names = archive.namelist()
    if _MANIFEST not in names or archive.getinfo(_MANIFEST).file_size > _LARGEST_MANIFEST:
        raise DatasetError(pack_file, _MANIFEST, "is missing: this is no published pack")
    with archive.open(_MANIFEST) as stream:
        text = stream.read(_LARGEST_MANIFEST)
    try:
        manifest = _PackManifest.model_validate_json(text)
    except ValidationError as error:
        raise DatasetError.from_validation(pack_file, error) from error
    if sorted(names) != sorted([_MANIFEST, *manifest.files]):
        raise DatasetError(pack_file, "", "does not hold just the files that its manifest names")
    if sum(listed_file.size for listed_file in manifest.files.values()) > _LARGEST_CONTENT:
        raise DatasetError(pack_file, "", f"holds more than {_LARGEST_CONTENT >> 20} MiB")
    if not is_signed_by(manifest.key, manifest.signature, manifest.signed_bytes()):
        raise DatasetError(
            pack_file, "", "was changed after its author signed it; get it again from where it was published"
        )
    return manifest


def _read_entry(pack_file: Path, archive: zipfile.ZipFile, entry_path: str, listed_file: _PackedFile) -> bytes:
    with archive.open(entry_path) as stream:
        # An entry may say that it is short, and not be.
        content = stream.read(listed_file.size + 1)
    if len(content) != listed_file.size or hashlib.sha256(content).hexdigest() != listed_file.sha256:
        raise DatasetError(
            pack_file, entry_path, "is not what the manifest says; get the file again from where it was published"
        )
    return content


def _read_unpacked_pack(pack_file: Path, unpacked_folder: Path) -> Pack:
    """The pack, with errors that name the archive and not a temporary folder."""
    try:
        return read_pack_folder(unpacked_folder)
    except DatasetError as error:
        path_inside = (
            error.file.relative_to(unpacked_folder).as_posix()
            if error.file.is_relative_to(unpacked_folder)
            else error.file.name
        )
        raise DatasetError(pack_file, f"{path_inside} {error.field}".strip(), error.reason, error.line) from error
