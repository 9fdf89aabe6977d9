"""The build cache: the headers of Verilator's runtime as GCC keeps them once it has read them.

Reading them is most of the work of compiling a design's C++. A toolchain's cache is written here alone, from nothing
but the toolchain; sandboxes show it read-only. GCC takes what was read with the same options and macros, and reads
the headers again where nothing was. Verilator's compiled runtime is in the tree itself.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchwright_harness.errors import ToolchainError
from benchwright_harness.toolchain import tree

PLACE = "/precompiled"
"""Path at which a sandbox shows the cache."""
MAKEFILE = f"{PLACE}/runtime.mk"
"""Path of what `make` reads before a build's own files (`MAKEFILES`); it does without where there is no cache."""

_HEADER = "runtime.h"
_HAS_MAIN = "-DVL_TIME_CONTEXT"
_READ = {
    f"{name}{level}": (*options, level)
    for name, options in {"called": (), "binary": ("-fcoroutines", _HAS_MAIN)}.items()
    for level in ("-Os", "-O0")
}
"""Options of Verilator's makefiles, for a model that a program calls, as cocotb does, and for one with a main
function of Verilator's own (`--binary`); for its quick and its slow parts."""
_COMPILE = ("-std=gnu++20", "-DVM_SC=0", "-DVM_TRACE=0", "-x", "c++-header")
_OTHERWISE = (
    "$(strip $(filter-out 0,$(VM_TRACE)) $(filter-out -Os -O0,$(OPT_FAST) $(OPT_SLOW)) "
    f"$(filter-out {_HAS_MAIN},$(VM_USER_CFLAGS)))"
)
_FILES = {
    _HEADER: '#include "verilated.h"\n',
    # Both have to exist: Verilator's rules ask for the precompiled headers that are taken instead of a build's own.
    "ready.fast.gch": "",
    "ready.slow.gch": "",
    Path(MAKEFILE).name: f"""\
# A small design is one unit.
%__ALL.o: CPPFLAGS += -include {PLACE}/{_HEADER}
# A larger one would precompile headers for its units; with options of its own, it does.
override VK_PCH_H = $(if {_OTHERWISE},$(VM_PREFIX)__pch.h,{PLACE}/ready)
override VK_PCH_I_FAST = -include $(if {_OTHERWISE},$(VM_PREFIX)__pch.h.fast,{PLACE}/{_HEADER})
override VK_PCH_I_SLOW = -include $(if {_OTHERWISE},$(VM_PREFIX)__pch.h.slow,{PLACE}/{_HEADER})
""",
}


def build_cache_folder(toolchain_folder: Path) -> Path:
    """The folder of a toolchain's cache, named by what it is made by; it need not be there."""
    made_by = repr((_FILES, _READ, _COMPILE)).encode()
    return toolchain_folder / f"precompiled-{hashlib.sha256(made_by).hexdigest()[:12]}"


def fill_build_cache(toolchain_folder: Path) -> None:
    """Write a toolchain's cache if it is not there.

    Raises:
        ToolchainError: The compiler failed, or the disk is full.
    """
    folder = build_cache_folder(toolchain_folder)
    if folder.is_dir():
        return
    try:
        making = Path(tempfile.mkdtemp(prefix=".precompiled-", dir=toolchain_folder))
    except OSError as error:
        raise ToolchainError(f"{toolchain_folder}: {error.strerror}", "make sure that you may write there") from error
    try:
        for name, text in _FILES.items():
            (making / name).write_text(text, encoding="utf-8")
        (making / f"{_HEADER}.gch").mkdir()
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            list(threads.map(lambda name: _precompile(toolchain_folder / "root", making, name), _READ))
        for path in (making, *making.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        # Another process may have been first.
        if not folder.is_dir():
            making.rename(folder)
    except OSError as error:
        raise ToolchainError(f"{making}: {error.strerror}", "make sure that the disk has 400 MB") from error
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _precompile(root: Path, folder: Path, name: str) -> None:
    from benchwright_harness.toolchain.build.root import AGAIN, run_program

    bwrap = shutil.which("bwrap")
    if not bwrap:
        raise ToolchainError("bubblewrap is not installed", f"apt-get install bubblewrap, {AGAIN}")
    sandbox = (bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--ro-bind", str(root), "/")
    shown = ("--dev", "/dev", "--tmpfs", "/tmp", "--bind", str(folder), "/run", "--setenv", "PATH", "/usr/bin:/bin")  # noqa: S108
    include = f"-I{tree.VERILATOR_ROOT}/include"
    output_options = ("-o", f"/run/{_HEADER}.gch/{name}.gch", f"/run/{_HEADER}")
    run_program(
        [*sandbox, *shown, "--", "/usr/bin/c++", *_READ[name], include, *_COMPILE, *output_options],
        "read the lines above and report them",
    )
