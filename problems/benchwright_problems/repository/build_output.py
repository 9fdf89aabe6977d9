"""What tools leave in the folder of a repository problem: new files that are no part of its solution."""

from __future__ import annotations

from collections.abc import Mapping

from benchwright_problems.repository.changes import diff_of_files
from benchwright_problems.repository.tree import unusable_path_reason

_BUILD_FOLDERS = frozenset(
    {"build", "obj_dir", "sim_build", "rundir", "work", "xsim.dir", "csrc", "target", "node_modules", "__pycache__"}
)
_BUILD_SUFFIXES = (
    *(".vcd", ".fst", ".fsdb", ".vpd", ".wlf", ".ghw", ".shm", ".lxt", ".lxt2", ".gtkw", ".log", ".vvp", ".jou"),
    *(".o", ".a", ".so", ".d", ".gch", ".exe", ".pyc", ".class", ".orig", ".rej", ".swp", "~"),
)


def is_left_out_of_solution(path: str) -> bool:
    """True if a file of this path, unless the repository has it, is no part of a solution."""
    *folders, name = path.split("/")
    if any(folder in _BUILD_FOLDERS or folder.startswith(".") for folder in folders):
        return True
    return name.startswith(".") or name.endswith(_BUILD_SUFFIXES)


def can_be_handed_in(path: str, content: bytes) -> bool:
    """True if a new file of this path and content can be part of a solution: text that every workspace can hold."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return not (is_left_out_of_solution(path) or unusable_path_reason(path) or b"\0" in content)


def solution_diff_of_files(start_files: Mapping[str, bytes], present_files: Mapping[str, bytes]) -> bytes:
    """The solution that the files of a repository are: their difference to the start, without what tools left.

    Raises:
        PatchError: A file of the repository is no text any more.
    """
    paths = [
        path
        for path in {*start_files, *present_files}
        if start_files.get(path) != present_files.get(path)
        and (path in start_files or can_be_handed_in(path, present_files[path]))
    ]
    old_files = {path: start_files.get(path) for path in paths}
    return diff_of_files(old_files, {path: present_files.get(path) for path in paths}).encode()
