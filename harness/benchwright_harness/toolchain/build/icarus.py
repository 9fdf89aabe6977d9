"""Icarus Verilog of later Debian releases, each in a prefix of its own with the libc that it needs."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchwright_harness.errors import ToolchainError
from benchwright_harness.plan.tool_versions import tool_versions
from benchwright_harness.toolchain import tree
from benchwright_harness.toolchain.build.debian import Mirror, Release, unpack
from benchwright_harness.toolchain.build.parts import LEFT_OUT, Parts, upstream
from benchwright_harness.toolchain.build.root import AGAIN, RootFileSystem


def add_icarus(
    root: RootFileSystem, tree_parts: Parts, mirror: Mirror, downloads: Path, report: Callable[[float], None]
) -> None:
    """Add every series that `tool_versions.json` lists.

    Args:
        root: Root file system to add them to.
        tree_parts: Gets their versions.
        mirror: Source of Debian's packages.
        downloads: A folder to keep them in.
        report: Called with the percentage that is done.
    """
    series_sources = tool_versions().icarus
    for number, (series, series_source) in enumerate(series_sources.items(), 1):
        with tempfile.TemporaryDirectory(dir=root.folder.parent) as unpacked:
            _fetch(series, series_source.suites, Path(unpacked), tree_parts, mirror, downloads)
            _install(series, Path(unpacked), root)
        report(100 * number / len(series_sources))
    root.remove_program("patchelf")


def _fetch(
    series: str, suites: Sequence[str], folder: Path, tree_parts: Parts, mirror: Mirror, downloads: Path
) -> None:
    for suite in suites:
        with Release(mirror, suite, downloads) as release:
            try:
                release.update()
            except ToolchainError:
                if suite == suites[-1]:
                    raise
                continue
            version = release.candidate("iverilog") or ""
            if version.startswith(f"{series}."):
                for package in release.fetch(["iverilog"], lambda percent: None):
                    unpack(package, folder, leave_out=LEFT_OUT)
                    tree_parts.note(package, f"icarus-{series}/")
                tree_parts.versions[f"icarus-{series}"] = upstream(version)
                return
    raise ToolchainError(
        f"Debian's mirror has no Icarus Verilog {series} (looked into {', '.join(suites)})",
        f"use another mirror with --mirror URL, {AGAIN}",
    )


def _install(series: str, unpacked: Path, root: RootFileSystem) -> None:
    """Put an Icarus that needs a newer libc into a prefix, with that libc."""
    prefix = tree.icarus(series)
    prefix_folder = root.host_path(prefix)
    for name in ("bin", "lib", "libexec"):
        (prefix_folder / name).mkdir(parents=True)
    libraries = next(unpacked.glob("usr/lib/*/ivl")).parent
    (libraries / "ivl").rename(prefix_folder / "lib" / "ivl")
    for library in [*libraries.glob("*.so*"), *unpacked.glob("lib/*/*.so*")]:
        library.rename(prefix_folder / "lib" / library.name)
    for name in ("iverilog", "vvp"):
        (unpacked / "usr" / "bin" / name).rename(prefix_folder / "libexec" / name)
    (unpacked / "usr" / "include" / "iverilog").rename(prefix_folder / "include")
    loader = next(path for path in (prefix_folder / "lib").glob("ld-*.so*") if not path.is_symlink()).name
    programs = ("libexec/iverilog", "libexec/vvp", "lib/ivl/ivl", "lib/ivl/ivlpp", "lib/ivl/vhdlpp")
    for program in programs:
        # The older kind of path also holds for what the libraries themselves need.
        options = ["--set-interpreter", f"{prefix}/lib/{loader}", "--force-rpath", "--set-rpath", f"{prefix}/lib"]
        root.run("/usr/bin/patchelf", *options, f"{prefix}/{program}")
    for configuration in (prefix_folder / "lib" / "ivl").glob("*.conf"):
        text = configuration.read_text(encoding="utf-8")
        # A compiled design that is started as a program has to find the guard before the simulator, too.
        configuration.write_text(text.replace("=/usr/bin/", f"={tree.INSIDE}/bin/"), encoding="utf-8")
    for name, option in {"iverilog": "-B", "vvp": "-M"}.items():
        constants = [f'-DPROGRAM="{prefix}/libexec/{name}"', f'-DOPTION="{option}{prefix}/lib/ivl"']
        root.compile_c("launcher.c", "-static", *constants, "-o", f"{prefix}/bin/{name}")
