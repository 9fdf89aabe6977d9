"""The simulators and Python packages that harnesses run with.

A toolchain is a complete root file system below the cache folder, built by `toolchain.build`. It is what a
sandbox shows as the system, what a container's image is made from, and what a cluster's node runs: everywhere
the same bits, named by one digest.
"""

from __future__ import annotations

import os
import platform
import posixpath
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from benchwright_harness.errors import ToolchainError, ToolMissingError
from benchwright_harness.plan.selection import OLD_NAMES, ToolSelection
from benchwright_harness.plan.tool_versions import tool_versions
from benchwright_harness.toolchain import folder_lock, tree
from benchwright_harness.toolchain.build_cache import MAKEFILE, build_cache_folder
from benchwright_harness.toolchain.manifest import (
    CONTENT,
    MANIFEST,
    ToolchainManifest,
    content,
    differences_from_list,
    digest_of,
    recipe,
)
from benchwright_harness.toolchain_in_use import IN_USE, toolchain_folder_in_use

BUILD = "run `benchwright toolchain build`"
_BROKEN = f"delete this toolchain, and {BUILD}"
INSIDE_COPY = "inside-"
"""Beginning of the names of copies of our own programs."""
_CACHED = "__pycache__"
_LISTED = ("cocotb", "pytest", "g++", "python", "verilator")
_OLDER = f"the toolchain is of an older version: {BUILD}"
_HINTS = {
    f"{tree.CHANNEL}.vpi": _OLDER,
    "xrun": "this problem needs the commercial simulator Xcelium, which is not part of the open-source toolchain",
    "imc": "this problem needs the commercial coverage tool IMC, which is not part of the open-source toolchain",
}


class Toolchain:
    """One built toolchain.

    Args:
        folder: Holds its manifest, and its tree in `root`.

    Raises:
        ToolMissingError: The folder holds no toolchain, with the next step.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "root"
        try:
            self.manifest = ToolchainManifest.model_validate_json((folder / MANIFEST).read_bytes())
        except OSError as error:
            raise ToolMissingError("toolchain", BUILD) from error
        except ValidationError as error:
            raise ToolMissingError("toolchain", f"delete {folder}, which is broken, and {BUILD}") from error
        if self.manifest.machine != platform.machine():
            built_for = f"{folder.name} was built for {self.manifest.machine}"
            raise ToolMissingError("toolchain", f"{built_for}, and this machine is a {platform.machine()}: {BUILD}")

    @classmethod
    def find(cls, cache: Path) -> Toolchain:
        """The toolchain in use.

        Raises:
            ToolMissingError: No toolchain is there, with the next step.
        """
        toolchain = cls(cls.folder_in_use(cache))
        toolchain._keep_from_removal(toolchain.folder)
        return toolchain

    @classmethod
    def folder_in_use(cls, cache: Path) -> Path:
        """The folder of the toolchain in use; it need not be there."""
        return toolchain_folder_in_use(cache)

    @classmethod
    def find_all(cls, cache: Path) -> list[Toolchain]:
        """Every toolchain that was built, by name."""
        files = (cache / "toolchains").glob(f"*/{MANIFEST}")
        return [
            cls(file.parent) for file in sorted(files) if not file.parent.is_symlink() and file.parent.name[0] != "."
        ]

    @property
    def name(self) -> str:
        """Its folder's name, which ends with the first digits of its digest."""
        return self.folder.name

    @property
    def digest(self) -> str:
        """sha256 over its files, as they were when it was built."""
        return self.manifest.digest

    @property
    def is_current(self) -> bool:
        """True if this version of Benchwright would build it the same way."""
        return self.manifest.recipe == recipe()

    def use(self) -> None:
        """Be the one that runs take."""
        link = self.folder.with_name(f".{IN_USE}-{os.getpid()}")
        link.unlink(missing_ok=True)
        link.symlink_to(self.name)
        link.replace(self.folder.with_name(IN_USE))

    def changes_since_build(self) -> list[str]:
        """Changes in the tree since it was built, one sentence each; reads all of it.

        Raises:
            ToolchainError: What it was like is not known any more.
        """
        try:
            content_list = (self.folder / CONTENT).read_text(encoding="utf-8", errors="surrogateescape")
        except OSError as error:
            raise ToolchainError(f"{self.folder / CONTENT} can't be read: {error.strerror}", _BROKEN) from error
        if digest_of(content_list) != self.digest:
            raise ToolchainError(f"{self.folder / CONTENT} does not belong to {MANIFEST} beside it", _BROKEN)
        return differences_from_list(self.root, content_list)

    @property
    def verdict_remarks(self) -> tuple[str, ...]:
        """Remarks that a verdict must make on the tools."""
        return ()

    def environment(self, selection: ToolSelection) -> dict[str, str]:
        """Variables that the tools need, as seen inside a sandbox."""
        return {**tree.environment(selection), "MAKEFILES": MAKEFILE}

    @property
    def build_cache(self) -> Path | None:
        """The folder of its build cache, if that was written."""
        folder = build_cache_folder(self.folder)
        return folder if folder.is_dir() else None

    def versions(self, selection: ToolSelection) -> dict[str, str]:
        """The version of each tool that a selection leads to."""
        known_versions = self.manifest.versions
        version_keys = {"icarus": f"icarus-{selection.icarus}", "yosys": f"yosys-{selection.yosys}"}
        selected_versions = {name: known_versions[name] for name in _LISTED if name in known_versions}
        selected_versions |= {name: known_versions[key] for name, key in version_keys.items() if key in known_versions}
        if selection.cocotb == OLD_NAMES:
            selected_versions["cocotb"] += " with the names of older versions"
        elif f"cocotb-{selection.cocotb}" in known_versions:
            selected_versions["cocotb"] = known_versions[f"cocotb-{selection.cocotb}"]
        return dict(sorted(selected_versions.items()))

    def require_tools(self, tools: Iterable[str], selection: ToolSelection) -> None:
        """Check that programs are there.

        Args:
            tools: Their names, or paths of the tree.
            selection: Versions of the tools.

        Raises:
            ToolMissingError: Names the first that is not, in alphabetical order from the last: the
                commercial ones before the free; then the version of cocotb.
        """
        for tool in sorted(tools, reverse=True):
            # A path is the same in every folder.
            if not any(
                self._host_path(posixpath.join(program_folder, tool)).is_file()
                for program_folder in tree.program_folders(selection)
            ):
                raise ToolMissingError(tool, _HINTS.get(tool, "the toolchain does not have it"))
        cocotb = tree.cocotb(selection.cocotb)
        if selection.cocotb in tool_versions().packaged_cocotb and not self._host_path(cocotb).is_dir():
            raise ToolMissingError(f"cocotb {selection.cocotb}", _OLDER)

    def require_packages(self, names: Iterable[str]) -> None:
        """Check that Python packages are there.

        Args:
            names: Normalised, as by PEP 503.

        Raises:
            ToolMissingError: Names the first that is not.
        """
        installed_packages = {
            re.sub(r"[-_.]+", "-", folder.name.partition("-")[0]).lower()
            for folder in self._host_path(tree.PACKAGES).glob("*.dist-info")
        }
        for name in sorted(names):
            if name not in installed_packages | {"pip", "setuptools", "wheel"}:
                raise ToolMissingError(f"Python package {name}", "the harness installs it, and the toolchain lacks it")

    @property
    def host_verilator_and_variables(self) -> tuple[Path, dict[str, str]]:
        """Verilator for this machine, outside of any sandbox, and the variables that it needs; only fit for lint."""
        root = self._host_path(tree.VERILATOR_ROOT)
        return root / "bin" / "verilator_bin", {"VERILATOR_ROOT": str(root)}

    @cached_property
    def own_programs_folder(self) -> Path:
        """The folder that sandboxes show at `tree.INSIDE`: programs that Benchwright itself brings.

        A copy beside the toolchain, named by its content: the user who runs a job can reach this one, wherever
        Benchwright is installed, and nothing changes it under a run's feet.
        """
        source = _inside_source()
        copy = self.own_programs_copy_path(self.folder.parent)
        if copy.is_dir():
            self._keep_from_removal(copy)
            return copy
        try:
            new_copy = Path(tempfile.mkdtemp(prefix=f".{INSIDE_COPY}", dir=copy.parent))
        except OSError:
            # A cache folder that is shared, and only read here.
            return source
        shutil.copytree(source, new_copy, ignore=shutil.ignore_patterns(_CACHED), dirs_exist_ok=True)
        import compileall  # Imported late: it is needed once in a version's life, and slow.

        # Every simulation imports some of it. (The tree's Python ignores what another version has compiled.)
        compileall.compile_dir(new_copy, quiet=2)
        new_copy.chmod(0o755)
        try:
            new_copy.rename(copy)
        except OSError:
            # Another process was first.
            shutil.rmtree(new_copy)
        self._keep_from_removal(copy)
        return copy

    @staticmethod
    def own_programs_copy_path(folder: Path) -> Path:
        """Path at which the copy of this version's own programs is, or will be, beside toolchains in a folder."""
        return folder / f"{INSIDE_COPY}{digest_of(content(_inside_source(), excluded_folder=_CACHED))[:12]}"

    def _keep_from_removal(self, folder: Path) -> None:
        """Let nobody remove a folder while this object lives."""
        handle = folder_lock.shared_lock_if_openable(folder)
        if handle is not None:
            weakref.finalize(self, os.close, handle)

    def _host_path(self, path: str) -> Path:
        """Path on this machine of what a sandbox shows at a path."""
        if path.startswith(tree.INSIDE):
            return self.own_programs_folder / path.removeprefix(tree.INSIDE).lstrip("/")
        return self.root / path.lstrip("/")


def _inside_source() -> Path:
    return Path(__file__).parents[1] / "inside"
