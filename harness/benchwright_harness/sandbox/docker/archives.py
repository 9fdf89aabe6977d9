"""Archives by which files get into a container and out of it, for engines on other machines."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import IO

from benchwright_foundation.untrusted_folder import remove_folder_if_possible


def pack_files(text_by_path: Mapping[str, str]) -> bytes:
    """An archive of files that belong to root and that everybody may read.

    Args:
        text_by_path: Path → text.
    """
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        folders = {str(parent) for path in text_by_path for parent in PurePosixPath(path).parents} - {"."}
        for folder in sorted(folders):
            tar_entry = tarfile.TarInfo(folder)
            tar_entry.type, tar_entry.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(tar_entry)
        for path, text in text_by_path.items():
            content = text.encode()
            tar_entry = tarfile.TarInfo(path)
            tar_entry.size, tar_entry.mode = len(content), 0o444
            tar.addfile(tar_entry, io.BytesIO(content))
    return packed.getvalue()


def pack_folder(folder: Path, owner_id: int) -> bytes:
    """An archive of a folder, owned by a user."""

    def owned(tar_entry: tarfile.TarInfo) -> tarfile.TarInfo:
        tar_entry.uid = tar_entry.gid = owner_id
        return tar_entry

    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        tar.add(folder, ".", filter=owned)
    return packed.getvalue()


def replace_folder_content(archive_stream: IO[bytes], folder: Path) -> None:
    """Replace what is in a run's folder by an archive of it.

    The engine made the archive, so no path in it leads through a link; but a stranger's program chose the names.
    """
    for old_entry in list(os.scandir(folder)):
        if old_entry.is_dir(follow_symlinks=False):
            remove_folder_if_possible(Path(old_entry))
        else:
            Path(old_entry).unlink()
    with tarfile.open(fileobj=archive_stream, mode="r|") as tar:
        for tar_entry in tar:
            path = folder / tar_entry.name
            if ".." in PurePosixPath(tar_entry.name).parts or not path.parent.resolve().is_relative_to(
                folder.resolve()
            ):
                continue
            if tar_entry.isdir():
                path.mkdir(parents=True, exist_ok=True)
            elif tar_entry.issym():
                path.symlink_to(tar_entry.linkname)
            elif tar_entry.isreg() and (content := tar.extractfile(tar_entry)) is not None:
                with path.open("xb") as file:
                    shutil.copyfileobj(content, file)
                path.chmod(tar_entry.mode & 0o777 | 0o600)
