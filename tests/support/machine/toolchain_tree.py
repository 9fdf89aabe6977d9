"""The toolchain's own tree as the root folder, for tests of its programs without a sandbox."""

from __future__ import annotations

from collections.abc import Mapping

from benchwright_harness.toolchain import Toolchain


def command_in_tree(toolchain: Toolchain, options: list[str], env: Mapping[str, str]) -> list[str]:
    """The words before a command that runs in the tree.

    Args:
        toolchain: Its tree.
        options: Further options of bubblewrap.
        env: The whole environment.
    """
    words = ["bwrap", "--clearenv", "--dev-bind", "/dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]
    for name in ("usr", "etc", "opt", "bin", "sbin", "lib", "lib64"):
        source = toolchain.root / name
        link = ["--symlink", str(source.readlink()), f"/{name}"] if source.is_symlink() else None
        words += link or ["--ro-bind", str(source), f"/{name}"]
    words += [*options, "--chdir", "/tmp"]
    for name, value in env.items():
        words += ["--setenv", name, value]
    return words
