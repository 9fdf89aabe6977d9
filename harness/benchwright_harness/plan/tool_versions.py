"""The tools that a toolchain has in several versions: `tool_versions.json` lists them, and where each comes from."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from benchwright_foundation.model import Model

FILE = Path(__file__).with_name("tool_versions.json")


class IcarusSource(Model):
    """Source of a series of Icarus Verilog."""

    suites: tuple[str, ...]
    """The releases of Debian that may have it, the most stable first."""


class CocotbSource(Model):
    """Source of a version of cocotb."""

    lock: str = ""
    """The lock file, in `toolchain/build`, of it alone; empty for the version in `python.lock`."""


class YosysSource(Model):
    """Source of a version of Yosys."""

    lock: str = ""
    """The lock file, in `toolchain/build`, of the Python packages that contain it; empty for the system's own."""


class ToolVersions(Model):
    """Version → where it comes from, of each tool that there are several of."""

    icarus: dict[str, IcarusSource]
    cocotb: dict[str, CocotbSource]
    yosys: dict[str, YosysSource]

    @property
    def packaged_cocotb(self) -> dict[str, str]:
        """Version → lock file, of each cocotb that has a folder of its own."""
        return {version: source.lock for version, source in self.cocotb.items() if source.lock}

    @property
    def packaged_yosys(self) -> dict[str, str]:
        """Version → lock file, of each Yosys that Python packages contain."""
        return {version: source.lock for version, source in self.yosys.items() if source.lock}

    @property
    def system_yosys(self) -> str:
        """The version of the system's own Yosys."""
        return next(version for version, source in self.yosys.items() if not source.lock)


def tool_versions() -> ToolVersions:
    """Tool versions that `FILE` lists."""
    return _read_tool_versions(FILE)


@lru_cache
def _read_tool_versions(versions_file: Path) -> ToolVersions:
    return ToolVersions.model_validate_json(versions_file.read_bytes())
