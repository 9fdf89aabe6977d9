"""The files of a run: which of them a simulation may change, and which it may find."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

State = tuple[int, int, int, int]

_FOLDER = "/code"
_WRITABLE = (_FOLDER, "/tmp", "/rundir", "/dev/shm")  # noqa: S108 - the sandbox's
_MAX_LISTED = 20_000
_WAVES = (".vcd", ".fst", ".fst.hier", ".lxt", ".lxt2", ".lx2", ".vpd", ".shm", ".trn", ".dsn", ".wlf", ".fsdb")
# What a later step would run, import or build from. No harness lets a simulation write it.
_PROGRAMS = (
    *(".py", ".pyc", ".so", ".vpi", ".vvp", ".v", ".sv", ".vh", ".svh", ".f", ".mk", ".tcl", ".ys", ".sh", ".pl"),
    *(".cfg", ".ini", ".toml", ".pth", ".a", ".o", ".cpp", ".h", ".cmd"),
)
_PROGRAM_NAMES = frozenset({"makefile", "gnumakefile"})
_VERILOG = (".v", ".sv", ".vh", ".svh")
_NAME = re.compile(rb"[\w.+-]+")
_READ = re.compile(rb'\$readmem[bh]\s*\(\s*"([^"\n]+)"|\$fopen\s*\(\s*"([^"\n]+)"\s*,\s*"[ra]')


def state_by_path() -> dict[str, State]:
    """Each file that a simulation could write, and what changes when it is written."""
    return {path: _state_of_status(status) for folder in _WRITABLE for path, status in _files_with_status(folder)}


def writable_folders() -> set[str]:
    """The folders that a simulation could write to."""
    folder_paths = set(_WRITABLE)
    for folder in _WRITABLE:
        for parent, names, _ in os.walk(folder):
            folder_paths.update(os.path.join(parent, name) for name in names)
            if len(folder_paths) > _MAX_LISTED:
                break
    return folder_paths


def unchanged_paths(earlier_states: dict[str, State]) -> list[str]:
    """Those of the files that nobody has written since, whatever they were called meanwhile."""
    now = state_by_path()
    return [path for path, state in earlier_states.items() if path in now and now[path][:-1] == state[:-1]]


def link_entries_into(folder: str, replaced_folder: str, paths: Iterable[str]) -> None:
    """Put links into a folder to what is in another one, where these paths are in that."""
    names = {os.path.relpath(path, replaced_folder).split("/")[0] for path in paths}
    for name in names - {".."}:
        with contextlib.suppress(OSError):
            os.symlink(os.path.join(replaced_folder, name), os.path.join(folder, name))


def names_read_by_verilog(harness_folders: Iterable[str]) -> set[str]:
    """Names of the files that the harness's Verilog reads or goes on writing, and of their folders."""
    paths = (
        os.fsdecode(path)
        for content in _verilog_contents(harness_folders)
        for groups in _READ.findall(content)
        for path in groups
    )
    return {name for path in paths for name in path.split("/") if name not in ("", ".", "..")}


class FilesAtBeginning:
    """What was there when a run began, or was given for it.

    Args:
        given_paths: Paths below the run's folder; empty if all that is there was given.
    """

    def __init__(self, given_paths: Iterable[str]) -> None:
        kept = {os.path.join(_FOLDER, path) for path in given_paths}
        self._files = {
            path: state for path, state in state_by_path().items() if not kept or path in kept or os.path.islink(path)
        }
        self._folders = writable_folders()
        if kept:
            parents = {str(parent) for path in kept for parent in Path(path).parents}
            self._folders = {path for path in self._folders if path in parents or os.path.dirname(path) in _WRITABLE}

    def unchanged_files(self) -> list[str]:
        """The files that are still as they were."""
        return unchanged_paths(self._files)

    def paths_added(self, simulation_folder: str, excluded_paths_and_names: Collection[str]) -> list[str]:
        """Files and folders that have been added; what is in an added folder only where `simulation_folder` is in that.

        Args:
            simulation_folder: The present one of a simulation.
            excluded_paths_and_names: Paths that do not count, and names of files and folders.
        """
        added_paths: list[str] = []
        waiting = list(_WRITABLE)
        while waiting:
            with contextlib.suppress(OSError), os.scandir(waiting.pop()) as listed:
                for entry in listed:
                    if entry.path in self._folders:
                        waiting.append(entry.path)
                    elif (
                        entry.path not in self._files
                        and entry.path not in excluded_paths_and_names
                        and entry.name not in excluded_paths_and_names
                    ):
                        added_paths.append(entry.path)
                        if f"{simulation_folder}/".startswith(f"{entry.path}/"):
                            waiting.append(entry.path)
        return added_paths


class Stash:
    """Files and folders under names that nobody can know, until they are put back."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._stashed: dict[str, str] = {}
        # What is in a folder comes before it, and is put back after it.
        for path in reversed(list(paths)):
            stashed = os.path.join(os.path.dirname(path), f".{os.urandom(8).hex()}")
            with contextlib.suppress(OSError):
                os.rename(path, stashed)
                self._stashed[path] = stashed

    def put_back(self) -> None:
        """Give back their names, but for those that have been taken since."""
        for path, stashed in reversed(self._stashed.items()):
            with contextlib.suppress(OSError):
                if not os.path.lexists(path):
                    os.rename(stashed, path)
                elif not os.path.isdir(stashed):
                    os.remove(stashed)
        self._stashed = {}


def written_files_nobody_reads(
    states_before: dict[str, State], own_paths: Iterable[str], harness_folders: Iterable[str]
) -> dict[str, State]:
    """Files that a simulation has written for no other to find: not the harness's, and nothing that this reads.

    Args:
        states_before: All files at its beginning.
        own_paths: Paths that its harness lets it write.
        harness_folders: The folders of the harness.
    """
    written = {path: state for path, state in state_by_path().items() if states_before.get(path) != state}
    if not written:
        return {}
    kept = {os.path.realpath(path) for path in own_paths} | set(_files_open_for_writing())
    names_read = names_read_by_verilog(harness_folders)
    return {
        path: state for path, state in written.items() if path not in kept and os.path.basename(path) not in names_read
    }


def forbidden_changes(
    states_before: dict[str, State], own_paths: Iterable[str], harness_folders: Iterable[str]
) -> list[str]:
    """Files that a simulation has changed, added or removed and should not have.

    It may write waveforms, and what the harness lets it write: that is what programs around it hold open,
    what its own Python has opened, and what the harness's Verilog names.

    Args:
        states_before: All files at its beginning.
        own_paths: Paths that its harness lets it write.
        harness_folders: The folders of the harness.
    """
    now = state_by_path()
    candidates = sorted(
        path
        for path in states_before.keys() | now.keys()
        if path.startswith(f"{_FOLDER}/") and states_before.get(path) != now.get(path)
    )
    programs = [path for path in candidates if _is_program(path)]
    data = [path for path in candidates if not _is_program(path) and not path.lower().endswith(_WAVES)]
    data = [path for path in data if path not in own_paths]
    if data:
        allowed = {os.path.realpath(path) for path in own_paths} | set(_files_open_for_writing())
        named = _words_of_verilog(harness_folders)
        data = [path for path in data if path not in allowed and os.path.basename(path).encode() not in named]
    return programs + data


def _is_program(path: str) -> bool:
    name = os.path.basename(path).lower()
    if name.endswith(_PROGRAMS) or name in _PROGRAM_NAMES:
        return True
    with contextlib.suppress(OSError):
        return bool(os.lstat(path).st_mode & 0o111) and not os.path.islink(path)
    return False


def _files_open_for_writing() -> Iterator[str]:
    """Files that some program has open for writing."""
    for handle in Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError, ValueError):
            # fdinfo: the flags of open(2) in octal, whose last two bits are not 0 where it may write.
            flags = handle.parents[1].joinpath("fdinfo", handle.name).read_text().partition("flags:")[2].split()[0]
            if int(flags, 8) & 3:
                yield os.readlink(handle)


def _words_of_verilog(harness_folders: Iterable[str]) -> set[bytes]:
    return {name for content in _verilog_contents(harness_folders) for name in _NAME.findall(content)}


def _verilog_contents(harness_folders: Iterable[str]) -> Iterator[bytes]:
    """The contents of the harness's Verilog files."""
    for root in harness_folders:
        for path, _ in _files_with_status(root):
            if path.endswith(_VERILOG):
                with contextlib.suppress(OSError):
                    yield Path(path).read_bytes()


def _state_of_status(status: os.stat_result) -> State:
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _files_with_status(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    waiting, left = [folder], _MAX_LISTED
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as listed:
            for entry in listed:
                left -= 1
                if left < 0:
                    return
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    with contextlib.suppress(OSError):
                        yield entry.path, entry.stat(follow_symlinks=False)
