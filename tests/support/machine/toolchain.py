"""Fixtures and helpers of the tests of toolchain."""

from __future__ import annotations

import platform
import shutil
from pathlib import Path

from benchwright_harness.toolchain import Toolchain, tree
from benchwright_harness.toolchain.manifest import CONTENT, MANIFEST, ToolchainManifest, content, digest_of, recipe


def built(cache: Path, name: str = "oss-sim-1", machine: str = platform.machine(), text: str = "") -> Toolchain:
    folder = cache / "toolchains" / name
    root = folder / "root"
    for path in (f"{tree.icarus('12')}/bin/iverilog", f"{tree.icarus('13')}/bin/vvp", "/usr/bin/yosys", "/etc/hosts"):
        file = root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (root / "usr" / "bin" / "yosys").chmod(0o755)
    (root / "bin").symlink_to("usr/bin")
    content_listing = content(root)
    (folder / CONTENT).write_text(content_listing)
    manifest = ToolchainManifest(
        digest=digest_of(content_listing),
        recipe=recipe(),
        machine=machine,
        versions={"cocotb": "2.0.1", "icarus-12": "12.0", "icarus-13": "13.0", "yosys-0.23": "0.23"},
        packages={},
    )
    (folder / MANIFEST).write_text(manifest.model_dump_json())
    toolchain = Toolchain(folder) if machine == platform.machine() else None
    if toolchain:
        toolchain.use()
        return toolchain
    (folder.parent / "in-use").symlink_to(name)
    return Toolchain(folder)


def without_build_cache(toolchain: Toolchain, cache: Path) -> Toolchain:
    """The same toolchain in another cache folder, in use there, with no build cache."""
    folder = cache / "toolchains" / toolchain.name
    folder.mkdir(parents=True)
    for name in (MANIFEST, CONTENT):
        shutil.copy2(toolchain.folder / name, folder)
    (folder / "root").symlink_to(toolchain.root.resolve())
    uncached = Toolchain(folder)
    uncached.use()
    assert uncached.build_cache is None
    return uncached
