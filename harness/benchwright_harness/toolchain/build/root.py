"""The root file system that is being built, and running programs in it."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Literal

from benchwright_harness.errors import ToolchainError
from benchwright_harness.plan.selection import ToolSelection
from benchwright_harness.toolchain import tree

AGAIN = "then start the same command again"
PROGRAMS = files(__package__) / "programs"
"""Sources of programs that the build runs, or that it puts into the tree."""


class RootFileSystem:
    """A root file system.

    Args:
        folder: Folder that holds it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def host_path(self, path: str) -> Path:
        """Path on this machine of an absolute path of the tree."""
        return self.folder / path.lstrip("/")

    def run(
        self, *command: str, stdin_text: str = "", variables: dict[str, str] | None = None, may_fail: bool = False
    ) -> None:
        """Run a program of the tree, in the tree, with no network."""
        environment = {"LC_ALL": "C.UTF-8", "HOME": "/tmp", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}  # noqa: S108
        environment |= tree.environment(ToolSelection()) | (variables or {})
        bwrap = shutil.which("bwrap")
        if not bwrap:
            raise ToolchainError("bubblewrap is not installed", f"apt-get install bubblewrap, {AGAIN}")
        sandbox = [bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--bind"]
        sandbox += [str(self.folder), "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--chdir", "/tmp"]  # noqa: S108
        for key, value in environment.items():
            sandbox += ["--setenv", key, value]
        run_program(
            [*sandbox, "--", *command], "read the lines above and report them", stdin_text=stdin_text, may_fail=may_fail
        )

    def compile_c(self, source: str, *options: str, language: Literal["c", "c++"] = "c") -> None:
        """Compile a program of `PROGRAMS` with the tree's compiler."""
        text = (PROGRAMS / source).read_text(encoding="utf-8")
        self.run("/usr/bin/gcc", "-O2", "-s", *options, "-x", language, "-", stdin_text=text)

    def remove_program(self, name: str) -> None:
        """Remove a program that only the build needs."""
        (self.folder / "usr" / "bin" / name).unlink()

    def tidy(self) -> None:
        """Make every file readable for all, and give it the same date."""
        for folder, folders, names in os.walk(self.folder):
            for name in [*folders, *names]:
                path = Path(folder, name)
                mode = path.lstat().st_mode
                if stat.S_ISDIR(mode) or (stat.S_ISREG(mode) and mode & stat.S_IXUSR):
                    path.chmod(0o755)
                elif stat.S_ISREG(mode):
                    path.chmod(0o644)
                os.utime(path, (0, 0), follow_symlinks=False)
        for name in ("tmp", "var/tmp"):
            (self.folder / name).chmod(0o1777)


def run_program(command: Sequence[str], hint: str, *, stdin_text: str = "", may_fail: bool = False) -> None:
    """Run a program.

    Raises:
        ToolchainError: The program failed, with its last output and `hint`.
    """
    finished_process = subprocess.run(command, input=stdin_text.encode(), capture_output=True, check=False, umask=0o022)
    if finished_process.returncode and not may_fail:
        output = (finished_process.stdout + finished_process.stderr).decode(errors="replace").strip()
        raise ToolchainError(f"{Path(command[0]).name} failed:\n{output[-4000:]}", hint)
