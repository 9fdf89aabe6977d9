"""Place of the toolchain in use. Imports nothing heavy: the language server looks for files in it at its start."""

from __future__ import annotations

from pathlib import Path

IN_USE = "in-use"


def toolchain_folder_in_use(cache: Path) -> Path:
    """The folder of the toolchain in use; it need not be there.

    Args:
        cache: The cache folder, which holds toolchains.
    """
    return (cache / "toolchains" / IN_USE).resolve()
