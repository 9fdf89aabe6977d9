"""cocotb 2.0.1, able to run harnesses that were written for older versions of it.

This package stands before the genuine one on the path and runs that one's code in its own namespace. Modules that
2.0 has dropped are files beside this one; what 2.0 has changed in modules that it kept is put back by `_dialect`.
Where cocotb 1.9 and the development snapshot of August 2024 differ, the snapshot's behaviour is given: harnesses of
CVDP 1.0 were written against it.
"""

import sys
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path

_ours = str(Path(__file__).parent)


def _genuine_folder() -> Path:
    # Only the toolchain's packages are looked at: a folder that a design brought along is never one of them.
    for entry in map(Path, sys.path):
        if entry.name in ("site-packages", "dist-packages") and (entry / "cocotb" / "__init__.py").is_file():
            return entry / "cocotb"
    raise ImportError("cocotb is not installed in this toolchain", name="cocotb")


_genuine = _genuine_folder()
__path__ = [_ours, str(_genuine)]
__file__ = str(_genuine / "__init__.py")
exec(SourceFileLoader(__name__, __file__).get_code(__name__), globals())  # type: ignore[arg-type]  # noqa: S102

# First, because cocotb's own modules can only be imported in this order.
import_module("cocotb.triggers")
from cocotb import _dialect  # noqa: E402

_dialect.restore_old_interface(sys.modules[__name__])


def __getattr__(name: str) -> object:
    return _dialect.present_attribute_value(name)
